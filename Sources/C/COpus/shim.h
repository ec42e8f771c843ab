#pragma once
#include <opus_multistream.h>

// The controls are variadic, which Swift can't call.

/// Sets the gain of the output, in 1/256 dB.
static inline int martlet_opus_set_gain(OpusMSDecoder *decoder, opus_int32 gain) {
  return opus_multistream_decoder_ctl(decoder, OPUS_SET_GAIN(gain));
}

/// Forgets everything that was decoded.
static inline int martlet_opus_reset(OpusMSDecoder *decoder) {
  return opus_multistream_decoder_ctl(decoder, OPUS_RESET_STATE);
}
