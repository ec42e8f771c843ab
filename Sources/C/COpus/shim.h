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

/// Sets bits per second, whether their number varies, and the effort of 0…10; asks how many frames the encoder looks ahead.
static inline int martlet_opus_encoder_set(
    OpusMSEncoder *encoder, opus_int32 bit_rate, opus_int32 is_variable, opus_int32 effort, opus_int32 *lookahead) {
  int status = opus_multistream_encoder_ctl(encoder, OPUS_SET_BITRATE(bit_rate));
  if (status == OPUS_OK) status = opus_multistream_encoder_ctl(encoder, OPUS_SET_VBR(is_variable));
  if (status == OPUS_OK) status = opus_multistream_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(effort));
  if (status == OPUS_OK) status = opus_multistream_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(lookahead));
  return status;
}

/// Forgets everything that was encoded.
static inline int martlet_opus_encoder_reset(OpusMSEncoder *encoder) {
  return opus_multistream_encoder_ctl(encoder, OPUS_RESET_STATE);
}
