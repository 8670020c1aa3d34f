/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The assignment of least cost of a square matrix, row by row along shortest augmenting paths
 * with potentials (Kuhn 1955, Munkres 1957). */
#include "learn/matching.h"

#include <math.h>

typedef struct matching {
    const double *cost; /* size x size */
    int64_t size;
    double *row_potential, *column_potential, *slack; /* size + 1: column 0 is a stand-in */
    int64_t *of, *before;
    bool *reached;
} matching;

/* Lets row i in (counted from 1), moving others along the shortest path. */
static void admit(matching *h, int64_t i)
{
    const int64_t n = h->size;
    int64_t at = 0;
    h->of[0] = i;
    for (int64_t j = 0; j <= n; j++) {
        h->slack[j] = (double)INFINITY;
        h->reached[j] = false;
    }
    do {
        const int64_t row = h->of[at];
        double step = (double)INFINITY;
        int64_t next = 0;
        h->reached[at] = true;
        for (int64_t j = 1; j <= n; j++) {
            const double reduced =
                h->cost[(row - 1) * n + j - 1] - h->row_potential[row] - h->column_potential[j];
            if (h->reached[j])
                continue;
            if (reduced < h->slack[j]) {
                h->slack[j] = reduced;
                h->before[j] = at;
            }
            if (h->slack[j] < step) {
                step = h->slack[j];
                next = j;
            }
        }
        for (int64_t j = 0; j <= n; j++) {
            if (h->reached[j]) {
                h->row_potential[h->of[j]] += step;
                h->column_potential[j] -= step;
            } else {
                h->slack[j] -= step;
            }
        }
        at = next;
    } while (h->of[at] != 0);
    for (; at != 0; at = h->before[at])
        h->of[at] = h->of[h->before[at]];
}

tsr_status tsr__match(int64_t *of, const double *cost, int64_t size)
{
    tsr_status status = TSR_OK;
    matching h = {.cost = cost, .size = size};
    TSR_NEW_ZERO(h.row_potential, size + 1);
    TSR_NEW_ZERO(h.column_potential, size + 1);
    TSR_NEW(h.slack, size + 1);
    TSR_NEW_ZERO(h.of, size + 1);
    TSR_NEW_ZERO(h.before, size + 1);
    TSR_NEW(h.reached, size + 1);
    for (int64_t i = 1; i <= size; i++)
        admit(&h, i);
    for (int64_t j = 0; j < size; j++)
        of[j] = h.of[j + 1] - 1;
done:
    tsr__free(h.row_potential);
    tsr__free(h.column_potential);
    tsr__free(h.slack);
    tsr__free(h.of);
    tsr__free(h.before);
    tsr__free(h.reached);
    return status;
}
