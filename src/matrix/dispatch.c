/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which set of kernels runs: the first row whose instructions this processor has. */
#include "matrix/descent.h"
#include "matrix/distances.h"
#include "matrix/gather.h"
#include "matrix/kernels.h"
#include "matrix/slim.h"

#include <stddef.h>

extern const tsr__kernels tsr__kernels_f64_base, tsr__kernels_f32_base;
extern const tsr__distances tsr__distances_f64_base, tsr__distances_f32_base;
extern const tsr__descents tsr__descents_f64_base, tsr__descents_f32_base;
extern const tsr__gathers tsr__gathers_f64_base, tsr__gathers_f32_base;
extern const tsr__slims tsr__slims_f64_base, tsr__slims_f32_base;

struct set {
    const char *name;
    bool (*runs)(void);
    const tsr__kernels *kernels[2]; /* by tsr_type */
    const tsr__distances *distances[2];
    const tsr__descents *descents[2];
    const tsr__gathers *gathers[2];
    const tsr__slims *slims[2];
};

#if defined(__x86_64__)
extern const tsr__kernels tsr__kernels_f64_v3, tsr__kernels_f32_v3;
extern const tsr__kernels tsr__kernels_f64_v4, tsr__kernels_f32_v4;
extern const tsr__distances tsr__distances_f64_v3, tsr__distances_f32_v3;
extern const tsr__distances tsr__distances_f64_v4, tsr__distances_f32_v4;
extern const tsr__descents tsr__descents_f64_v3, tsr__descents_f32_v3;
extern const tsr__descents tsr__descents_f64_v4, tsr__descents_f32_v4;
extern const tsr__gathers tsr__gathers_f64_v3, tsr__gathers_f32_v3;
extern const tsr__slims tsr__slims_f64_v3, tsr__slims_f32_v3;
extern const tsr__gathers tsr__gathers_f64_v4, tsr__gathers_f32_v4;
extern const tsr__slims tsr__slims_f64_v4, tsr__slims_f32_v4;

static bool runs_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}

static bool runs_v4(void)
{
    return runs_v3() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw");
}
#endif

static const struct set sets[] = {
#if defined(__x86_64__)
    {"v4",
     runs_v4,
     {&tsr__kernels_f64_v4, &tsr__kernels_f32_v4},
     {&tsr__distances_f64_v4, &tsr__distances_f32_v4},
     {&tsr__descents_f64_v4, &tsr__descents_f32_v4},
     {&tsr__gathers_f64_v4, &tsr__gathers_f32_v4},
     {&tsr__slims_f64_v4, &tsr__slims_f32_v4}},
    {"v3",
     runs_v3,
     {&tsr__kernels_f64_v3, &tsr__kernels_f32_v3},
     {&tsr__distances_f64_v3, &tsr__distances_f32_v3},
     {&tsr__descents_f64_v3, &tsr__descents_f32_v3},
     {&tsr__gathers_f64_v3, &tsr__gathers_f32_v3},
     {&tsr__slims_f64_v3, &tsr__slims_f32_v3}},
#endif
    {"base",
     NULL,
     {&tsr__kernels_f64_base, &tsr__kernels_f32_base},
     {&tsr__distances_f64_base, &tsr__distances_f32_base},
     {&tsr__descents_f64_base, &tsr__descents_f32_base},
     {&tsr__gathers_f64_base, &tsr__gathers_f32_base},
     {&tsr__slims_f64_base, &tsr__slims_f32_base}},
};

static const struct set *chosen(void)
{
    const struct set *set = sets;
    while (set->runs != NULL && !set->runs())
        set++;
    return set;
}

const tsr__kernels *tsr__kernels_of(tsr_type type)
{
    return chosen()->kernels[type];
}

const tsr__distances *tsr__distances_of(tsr_type type)
{
    return chosen()->distances[type];
}

const tsr__descents *tsr__descents_of(tsr_type type)
{
    return chosen()->descents[type];
}

const tsr__gathers *tsr__gathers_of(tsr_type type)
{
    return chosen()->gathers[type];
}

const tsr__slims *tsr__slims_of(tsr_type type)
{
    return chosen()->slims[type];
}

const char *tsr__kernels_name(void)
{
    return chosen()->name;
}
