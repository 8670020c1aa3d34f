/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which set of kernels runs: the first row whose instructions this processor has, or the one
 * that the environment names (TESSERA_KERNELS=base), so that tests reach every set. */
#include "matrix/descent.h"
#include "matrix/distances.h"
#include "matrix/gather.h"
#include "matrix/kernels.h"
#include "matrix/single.h"
#include "matrix/slim.h"

#include "base/status.h"
#include "base/text.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

extern const tsr__kernels tsr__kernels_f64_base, tsr__kernels_f32_base;
extern const tsr__distances tsr__distances_f64_base, tsr__distances_f32_base;
extern const tsr__descents tsr__descents_f64_base, tsr__descents_f32_base;
extern const tsr__gathers tsr__gathers_f64_base, tsr__gathers_f32_base;
extern const tsr__singles tsr__singles_f64_base, tsr__singles_f32_base;
extern const tsr__slims tsr__slims_f64_base, tsr__slims_f32_base;

struct set {
    const char *name;
    bool (*runs)(void);
    const tsr__kernels *kernels[2]; /* by tsr_type */
    const tsr__distances *distances[2];
    const tsr__descents *descents[2];
    const tsr__gathers *gathers[2];
    const tsr__singles *singles[2];
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
extern const tsr__singles tsr__singles_f64_v3, tsr__singles_f32_v3;
extern const tsr__slims tsr__slims_f64_v3, tsr__slims_f32_v3;
extern const tsr__gathers tsr__gathers_f64_v4, tsr__gathers_f32_v4;
extern const tsr__singles tsr__singles_f64_v4, tsr__singles_f32_v4;
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
     {&tsr__singles_f64_v4, &tsr__singles_f32_v4},
     {&tsr__slims_f64_v4, &tsr__slims_f32_v4}},
    {"v3",
     runs_v3,
     {&tsr__kernels_f64_v3, &tsr__kernels_f32_v3},
     {&tsr__distances_f64_v3, &tsr__distances_f32_v3},
     {&tsr__descents_f64_v3, &tsr__descents_f32_v3},
     {&tsr__gathers_f64_v3, &tsr__gathers_f32_v3},
     {&tsr__singles_f64_v3, &tsr__singles_f32_v3},
     {&tsr__slims_f64_v3, &tsr__slims_f32_v3}},
#endif
    {"base",
     NULL,
     {&tsr__kernels_f64_base, &tsr__kernels_f32_base},
     {&tsr__distances_f64_base, &tsr__distances_f32_base},
     {&tsr__descents_f64_base, &tsr__descents_f32_base},
     {&tsr__gathers_f64_base, &tsr__gathers_f32_base},
     {&tsr__singles_f64_base, &tsr__singles_f32_base},
     {&tsr__slims_f64_base, &tsr__slims_f32_base}},
};

enum { SETS = sizeof sets / sizeof *sets };
static const char *const variable = "TESSERA_KERNELS";

static bool runs(const struct set *set)
{
    return set->runs == NULL || set->runs();
}

static const struct set *find(const char *name)
{
    for (int i = 0; i < SETS; i++)
        if (strcmp(sets[i].name, name) == 0)
            return &sets[i];
    return NULL;
}

/* What the environment names, or NULL; empty is as good as not there. */
static const char *wanted(void)
{
    const char *name = getenv(variable);
    return name != NULL && *name != '\0' ? name : NULL;
}

static _Atomic(const struct set *) in_use; /* NULL: nobody has asked yet */

/* Threads that ask first at the same time agree on what one of them found. */
static const struct set *choose(void)
{
    const char *name = wanted();
    const struct set *set = name != NULL ? find(name) : NULL, *before = NULL;
    for (int i = 0; set == NULL || !runs(set); i++)
        set = &sets[i];
    return atomic_compare_exchange_strong(&in_use, &before, set) ? set : before;
}

/* Inner loops ask: one load, once it is known. */
static const struct set *chosen(void)
{
    const struct set *set = atomic_load_explicit(&in_use, memory_order_acquire);
    return set != NULL ? set : choose();
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

const tsr__singles *tsr__singles_of(tsr_type type)
{
    return chosen()->singles[type];
}

const tsr__slims *tsr__slims_of(tsr_type type)
{
    return chosen()->slims[type];
}

const char *tsr__kernels_name(void)
{
    return chosen()->name;
}

bool tsr__kernels_use(const char *name)
{
    const struct set *set = find(name);
    if (set == NULL || !runs(set))
        return false;
    atomic_store(&in_use, set);
    return true;
}

/* The set that the environment wants runs here, or none is wanted. */
static tsr_status check_wanted(void)
{
    const char *name = wanted();
    const struct set *set = name != NULL ? find(name) : NULL;
    char list[64] = "";
    tsr__line line = TSR_LINE(list);
    if (name == NULL || (set != NULL && runs(set)))
        return TSR_OK;
    for (int i = 0; i < SETS; i++)
        if (runs(&sets[i]))
            tsr__line_add(&line, "%s%s", line.used > 0 ? ", " : "", sets[i].name);
    return tsr__fail(
        TSR_ERROR_ARGUMENT, "%s is '%.32s', %s; this processor runs %s", variable, name,
        set != NULL ? "whose instructions are missing here" : "not a set of kernels", list);
}

tsr_status tsr_kernels(const char **name)
{
    TSR_REQUIRE(name);
    TSR_OR_RETURN(check_wanted());
    *name = tsr__kernels_name();
    return TSR_OK;
}
