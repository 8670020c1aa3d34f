/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The element type of a kernel file, which the build compiles once for each type and
 * instruction set: TSR_KERNELS_f32 or not, and TSR_KERNEL_SET, say which. */
#ifndef TSR_MATRIX_REAL_H
#define TSR_MATRIX_REAL_H

#include <float.h>
#include <stdint.h>

#ifdef TSR_KERNELS_f32
typedef float real;
typedef int32_t whole; /* of the same size */
#define REAL_NAME f32
#define largest   FLT_MAX
#define tiny      FLT_MIN
#else
typedef double real;
typedef int64_t whole;
#define REAL_NAME f64
#define largest   DBL_MAX
#define tiny      DBL_MIN
#endif

/* What this set's table or function is called: KERNEL(tsr__kernels_) and so on. */
#define TSR__JOIN(a, b, c) a##b##_##c
#define TSR__NAME(a, b, c) TSR__JOIN(a, b, c)
#define KERNEL(prefix)     TSR__NAME(prefix, REAL_NAME, TSR_KERNEL_SET)

#define INLINE static inline __attribute__((always_inline))

/* Before a loop over registers: written out, or they would be memory. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

#endif
