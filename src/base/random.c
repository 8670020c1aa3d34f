/* SPDX-License-Identifier: BSD-2-Clause
 *
 * xoshiro256++ and what is drawn from it. */
#include "base/random.h"

#include <math.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

tsr__random tsr__random_seed(uint64_t seed, uint64_t stream)
{
    uint64_t mixed = seed;
    uint64_t state = splitmix(&mixed) ^ (stream * 0xd1342543de82ef95u);
    tsr__random random;
    for (int i = 0; i < 4; i++)
        random.state[i] = splitmix(&state);
    return random;
}

uint64_t tsr__random_bits(tsr__random *random)
{
    uint64_t *s = random->state;
    const uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double tsr__random_uniform(tsr__random *random)
{
    return (double)(tsr__random_bits(random) >> 11) * 0x1.0p-53;
}

int64_t tsr__random_below(tsr__random *random, int64_t limit)
{
    const uint64_t range = (uint64_t)limit;
    const uint64_t reject = (0 - range) % range; /* 2^64 mod range */
    uint64_t bits;
    do
        bits = tsr__random_bits(random);
    while (bits < reject);
    return (int64_t)(bits % range);
}

double tsr__random_normal(tsr__random *random)
{
    double u, v, r;
    do { /* Marsaglia's polar method */
        u = 2 * tsr__random_uniform(random) - 1;
        v = 2 * tsr__random_uniform(random) - 1;
        r = u * u + v * v;
    } while (r >= 1 || r <= 0);
    return u * sqrt(-2 * log(r) / r);
}

void tsr__random_shuffle(tsr__random *random, int64_t *item, int64_t count)
{
    for (int64_t i = count - 1; i > 0; i--) {
        const int64_t j = tsr__random_below(random, i + 1);
        const int64_t kept = item[i];
        item[i] = item[j];
        item[j] = kept;
    }
}
