/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Random numbers with explicit state: xoshiro256++ (Blackman & Vigna 2021), its 256 bits filled
 * by splitmix64 from a seed and a stream number. Integer arithmetic only, so every platform
 * draws the same stream; uniform numbers are the top 53 bits over 2^53. */
#ifndef TSR_BASE_RANDOM_H
#define TSR_BASE_RANDOM_H

#include <stdint.h>

typedef struct tsr__random {
    uint64_t state[4];
} tsr__random;

/* Different streams of one seed are independent: one a restart, a draw, a task. */
tsr__random tsr__random_seed(uint64_t seed, uint64_t stream);

uint64_t tsr__random_bits(tsr__random *random);
double tsr__random_uniform(tsr__random *random);               /* in [0, 1) */
int64_t tsr__random_below(tsr__random *random, int64_t limit); /* in 0 .. limit-1, unbiased */
double tsr__random_normal(tsr__random *random);                /* mean 0, variance 1 */
void tsr__random_shuffle(tsr__random *random, int64_t *item, int64_t count);

#endif
