/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of the kernels of coordinate descent for one element type and one instruction set, and
 * that of concept weights; the build compiles this file once for each, as it does kernels.c. */
#include "matrix/descent.h"

#include "matrix/vector.h"

static inline lanes *vector_of(const tsr__weave *w, const void *rows, int64_t i, int64_t v)
{
    return (lanes *)(uintptr_t)rows + i * w->down + v * w->across;
}

/* slope (contiguous) = x D of row i as D would be by now. */
static void slope_of(lanes *slope, const tsr__weave *w, int64_t i)
{
    const real *before = (const real *)w->inner[0] + i * TSR_RUN;
    const real *own = (const real *)w->inner[1] + i * TSR_RUN;
    const int64_t vectors = (w->k + LANES - 1) / LANES;
    for (int64_t v = 0; v < vectors; v++) {
        lanes sum = *vector_of(w, w->slope, i, v), other = {0};
        for (int64_t j = 0; j < TSR_RUN; j += 2) {
            sum += before[j] * *vector_of(w, w->before, j, v);
            other += before[j + 1] * *vector_of(w, w->before, j + 1, v);
        }
        for (int64_t j = 0; j < i; j++)
            sum += own[j] * *vector_of(w, w->moved, j, v);
        slope[v] = sum + other;
    }
}

/* A sample's descent, until a sweep moves nothing; slope follows. */
static void descend_weights(const tsr__weave *w, real *weight, real *slope, real square)
{
    const int64_t stride = tsr__padded(w->k), vectors = (w->k + LANES - 1) / LANES;
    bool moves = true;
    for (int sweep = 0; sweep < w->sweeps && moves; sweep++) {
        moves = false;
        for (int64_t j = 0; j < w->k; j++) {
            const real *b = (const real *)w->gram + j * stride;
            const real curve = square * b[j];
            if (!(curve > 0) || (weight[j] == 0 && slope[j] >= 0))
                continue;
            real step = -slope[j] / curve;
            step = step > -weight[j] ? step : -weight[j];
            weight[j] += step;
            for (int64_t v = 0; v < vectors; v++)
                ((lanes *)slope)[v] += step * square * ((const lanes *)b)[v];
            moves = moves || step != 0;
        }
    }
}

/* moved = (w - w0) B. Not the slope's way over |x|^2, which is a difference of larger numbers. */
static void keep_moved(const tsr__weave *w, int64_t i, const real *weight, const real *old)
{
    const int64_t stride = tsr__padded(w->k), vectors = (w->k + LANES - 1) / LANES;
    for (int64_t v = 0; v < vectors; v++)
        *vector_of(w, w->moved, i, v) = (lanes){0};
    for (int64_t j = 0; j < w->k; j++) {
        const lanes *b = (const lanes *)((const real *)w->gram + j * stride);
        const real step = weight[j] - old[j];
        if (step == 0)
            continue;
        for (int64_t v = 0; v < vectors; v++)
            *vector_of(w, w->moved, i, v) += step * b[v];
    }
}

static void weave(const tsr__weave *w)
{
    real *slope = w->work, *old = slope + tsr__padded(w->k);
    for (int64_t i = 0; i < w->rows; i++) {
        real *weight = (real *)w->weights + i * w->k;
        slope_of((lanes *)slope, w, i);
        memcpy(old, weight, (size_t)w->k * sizeof *old);
        descend_weights(w, weight, slope, ((const real *)w->inner[1])[i * TSR_RUN + i]);
        keep_moved(w, i, weight, old);
    }
    for (int64_t i = w->rows; i < TSR_RUN; i++)
        for (int64_t v = 0; v < (w->k + LANES - 1) / LANES; v++)
            *vector_of(w, w->moved, i, v) = (lanes){0};
}

void KERNEL(tsr__squares_)(const tsr__descent *descent); /* squares.c */
void KERNEL(tsr__square_)(const tsr__descent *descent);
void KERNEL(tsr__entropy_)(const tsr__entropy *descent); /* entropy.c */

extern const tsr__descents KERNEL(tsr__descents_);
const tsr__descents KERNEL(tsr__descents_) = {.squares = KERNEL(tsr__squares_),
                                              .square = KERNEL(tsr__square_),
                                              .entropy = KERNEL(tsr__entropy_),
                                              .weave = weave};
