#pragma once
// The one loop that Swift can't express: it needs instructions that not every processor of the architecture has.

#include <stdbool.h>
#include <stddef.h>

/// Touches memory only, as Swift's check of real-time code is told.
#define MARTLET_REALTIME __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))

/// Four sums of products.
typedef struct MartletSums {
  float near0, near1, far0, far1;
} MartletSums;

/// Whether `martlet_wide_sums` may be called: the processor adds eight numbers at once.
bool martlet_has_wide_sums(void);

/// The sums of `count` products, a multiple of 8, of two signals with the same coefficients, here and `distance` samples
/// further on. Eight sums each, added by halves: bit for bit what eight lanes in two halves make, for nothing is fused.
MARTLET_REALTIME
MartletSums martlet_wide_sums(
    const float *_Nonnull signal0, const float *_Nonnull signal1, ptrdiff_t distance,
    const float *_Nonnull coefficients, ptrdiff_t count);

// Swift's own are functions that its check of real-time code does not know.

/// The square root: one instruction.
MARTLET_REALTIME
static inline float martlet_square_root(float value) { return __builtin_sqrtf(value); }

/// The greatest whole number that is not above a value.
MARTLET_REALTIME
static inline double martlet_floor(double value) { return __builtin_floor(value); }
