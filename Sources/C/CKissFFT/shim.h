#pragma once
#include <kissfft/kiss_fftr.h>

// The library's transforms touch memory only, which Swift's check of real-time code has to be told. (Lengths whose only
// prime factors are 2, 3 and 5 need no scratch memory of their own.)
#define MARTLET_REALTIME __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))

/// The spectrum of a real signal.
MARTLET_REALTIME
static inline void martlet_fft_forward(
    kiss_fftr_cfg _Nonnull plan, const float *_Nonnull signal, float *_Nonnull spectrum) {
  kiss_fftr(plan, signal, (kiss_fft_cpx *)spectrum);
}

/// The real signal of a spectrum, times its length.
MARTLET_REALTIME
static inline void martlet_fft_inverse(
    kiss_fftr_cfg _Nonnull plan, const float *_Nonnull spectrum, float *_Nonnull signal) {
  kiss_fftri(plan, (const kiss_fft_cpx *)spectrum, signal);
}

/// Frees a plan: the library's own way is a macro.
static inline void martlet_fft_free(kiss_fftr_cfg _Nonnull plan) { kiss_fftr_free(plan); }
