/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The row solvers of new samples on rows of every kind: few entries and many, vectors that depend
 * on each other, scales far apart, elastic net. The residual is computed plainly. */
#include "lab.h"

#include "factor/row.h"
#include "matrix/single.h"

/* Columns and rows of the gram matrix stand as row.h wants them: padded. */
typedef struct problem {
    int k, m;
    int64_t tall, wide;
    double *columns, *sums, *x, *gram, *p, *g, *room;
    double lasso, ridge;
} problem;

static double *some(int64_t count)
{
    double *memory = tsr__alloc_zero(count, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

static problem make_problem(tsr__random *random, int t)
{
    const int k = 1 + (int)tsr__random_below(random, 30),
              m = 3 + (int)tsr__random_below(random, 60);
    const double empty = tsr__random_uniform(random), zeros = tsr__random_uniform(random);
    const double size = pow(10, 6 * tsr__random_uniform(random) - 3);
    problem p = {.k = k, .m = m, .tall = tsr__padded(k), .wide = tsr__padded(m)};
    const int64_t tall = p.tall, wide = p.wide;
    p.columns = some(k * wide), p.sums = some(k), p.x = some(wide), p.gram = some(k * tall);
    p.p = some(tall), p.g = some(tall);
    p.room = some(tsr__row_entropy_room(k, m) + tall);
    for (int a = 0; a < k; a++) {
        const double scale = pow(10, 4 * tsr__random_uniform(random) - 2);
        for (int j = 0; j < m; j++) {
            double *to = &p.columns[a * wide + j];
            *to = tsr__random_uniform(random) < empty ? 0 : scale * tsr__random_uniform(random);
            if (t % 4 == 0 && a > 1 && a % 3 == 0) /* made of those before it */
                *to = 2 * to[-wide] + to[-2 * wide];
        }
    }
    for (int j = 0; j < m; j++) {
        double any = 0;
        for (int a = 0; a < k; a++)
            any += p.columns[a * wide + j];
        const bool zero = tsr__random_uniform(random) < zeros || any <= 0;
        p.x[j] = zero ? 0 : size * tsr__random_uniform(random);
    }
    for (int a = 0; a < k; a++)
        for (int j = 0; j < m; j++) {
            p.sums[a] += p.columns[a * wide + j];
            p.p[a] += p.columns[a * wide + j] * p.x[j];
            for (int b = 0; b < k; b++)
                p.gram[a * tall + b] += p.columns[a * wide + j] * p.columns[b * wide + j];
        }
    p.lasso = t % 5 == 0 ? tsr__random_uniform(random) : 0;
    p.ridge = t % 7 == 0 ? tsr__random_uniform(random) : 0;
    return p;
}

static void free_problem(problem *p)
{
    double *const parts[] = {p->columns, p->sums, p->x, p->gram, p->p, p->g, p->room};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        tsr__free(parts[i]);
}

static double reconstructed(const problem *p, int j)
{
    double y = 0;
    for (int a = 0; a < p->k; a++)
        y += p->g[a] * p->columns[a * p->wide + j];
    return y;
}

static double entropy_residual(const problem *p)
{
    double worst = 0, mass = 0;
    for (int j = 0; j < p->m; j++)
        mass += p->x[j];
    for (int a = 0; a < p->k && mass > 0; a++) {
        if (!(p->sums[a] > 0))
            continue;
        const double size = mass / p->sums[a], g = p->g[a] / size;
        double slope = p->sums[a] + p->lasso + p->ridge * p->g[a];
        for (int j = 0; j < p->m; j++)
            if (p->x[j] > 0)
                slope -= p->x[j] / reconstructed(p, j) * p->columns[a * p->wide + j];
        slope /= p->sums[a] + p->lasso + p->ridge * size;
        const double off = fabs(g - fmax(0, g - slope));
        worst = off <= worst ? worst : off; /* NaN counts */
    }
    return worst;
}

static double squares_residual(const problem *p)
{
    double worst = 0, size = 0;
    for (int a = 0; a < p->k; a++) {
        const double c = p->gram[a * p->tall + a];
        size = c > 0 ? fmax(size, p->p[a] / sqrt(c)) : size;
    }
    for (int a = 0; a < p->k && size > 0; a++) {
        const double c = p->gram[a * p->tall + a];
        double q = -p->p[a];
        for (int b = 0; b < p->k; b++)
            q += p->gram[a * p->tall + b] * p->g[b];
        const double off =
            c > 0 ? fabs(p->g[a] - fmax(0, p->g[a] - q / c)) * sqrt(c) / size : 0;
        worst = off <= worst ? worst : off;
    }
    return worst;
}

/* What rows over the same columns share; by turns, a row does without. */
static tsr__row_shared share(const problem *p, const tsr__row_entries *entries)
{
    const tsr__row_shared shared = {.even = some(p->wide),
                                    .curve = some(p->k * p->tall),
                                    .direct = some(p->k * p->tall),
                                    .means = some(p->k),
                                    .narrow = (float *)some(p->k * p->wide)};
    tsr__row_entropy_share(&shared, entries, p->k, p->room);
    for (int a = 0; a < p->k; a++) { /* any start will do: here, each coordinate alone */
        const double c = shared.curve[a * p->tall + a];
        shared.direct[a * p->tall + a] = c > 0 ? 1 / c : 0;
    }
    return shared;
}

static void free_shared(tsr__row_shared *shared)
{
    tsr__free(shared->even);
    tsr__free(shared->curve);
    tsr__free(shared->direct);
    tsr__free(shared->means);
    tsr__free(shared->narrow);
}

static double solve_entropy(const problem *p, const tsr__row *row, bool together)
{
    tsr__row_entries entries = {
        .width = p->m, .stride = p->wide, .x = p->x, .columns = p->columns, .sums = p->sums};
    tsr__row_shared shared = share(p, &entries);
    entries.shared = together ? &shared : NULL;
    tsr__row_entropy(row, &entries);
    free_shared(&shared);
    return entropy_residual(p);
}

/* From zero, or from somewhere; with sweeps or without. The elastic net is part of Q and p. */
static double solve_squares(problem *p, const tsr__row *row, int t)
{
    for (int a = 0; a < p->k; a++) {
        p->gram[a * p->tall + a] += p->ridge / 2;
        p->p[a] -= p->lasso / 2;
        p->g[a] = t % 3 == 0 ? 0 : (double)(a % 3);
    }
    tsr__row_squares(row, p->gram, p->p, t % 2 * 8);
    return squares_residual(p);
}

static void rows_of_every_kind_arrive(void **state)
{
    tsr__random random = tsr__random_seed(5, 5);
    (void)state;
    for (int t = 0; t < 4000; t++) {
        problem p = make_problem(&random, t);
        const tsr__row row = {.k = p.k,
                              .lasso = p.lasso,
                              .ridge = p.ridge,
                              .tolerance = 1e-12,
                              .most = 1000,
                              .g = p.g,
                              .room = p.room};
        const double alone = solve_entropy(&p, &row, false),
                     together = solve_entropy(&p, &row, true),
                     squares = solve_squares(&p, &row, t);
        if (!(alone <= 1e-9) || !(together <= 1e-9) || !(squares <= 1e-9))
            fail_msg("row %d, k %d, m %d: residuals %g, %g and %g", t, p.k, p.m, alone,
                     together, squares);
        free_problem(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_every_kind_arrive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
