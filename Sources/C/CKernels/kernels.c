#include "CKernels.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx")))
bool martlet_has_wide_sums(void) { return __builtin_cpu_supports("avx"); }
#else
#define WIDE
bool martlet_has_wide_sums(void) { return false; }
#endif

typedef float Eight __attribute__((vector_size(32)));
// The same in memory, wherever it begins.
typedef float Unaligned __attribute__((vector_size(32), aligned(4)));

// Macros, since a vector this wide may not be handed from function to function.
#define LOAD(from) ((Eight) * (const Unaligned *)(from))
#define HALVES(v) \
  (((v)[0] + (v)[4]) + ((v)[2] + (v)[6])) + (((v)[1] + (v)[5]) + ((v)[3] + (v)[7]))

WIDE MartletSums martlet_wide_sums(
    const float *signal0, const float *signal1, ptrdiff_t distance, const float *coefficients, ptrdiff_t count) {
  Eight near0 = {0}, near1 = {0}, far0 = {0}, far1 = {0};
  for (ptrdiff_t index = 0; index < count; index += 8) {
    const Eight factors = LOAD(coefficients + index);
    near0 += LOAD(signal0 + index) * factors;
    near1 += LOAD(signal1 + index) * factors;
    far0 += LOAD(signal0 + distance + index) * factors;
    far1 += LOAD(signal1 + distance + index) * factors;
  }
  return (MartletSums){HALVES(near0), HALVES(near1), HALVES(far0), HALVES(far1)};
}
