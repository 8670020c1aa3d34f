/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Clustering of codes or raw samples: k-means of the matrix layer behind the public options. */
#include "base/settings.h"
#include "matrix/kmeans.h"
#include "matrix/store.h"
#include "matrix/team.h"

static const tsr_setting table[] = {
#define ROW tsr_cluster_options
    TSR_INTEGER_ROW(ROW, clusters, "clusters", 0, 0, 1e9, "0", "N", "clusters; at least 1"),
    TSR_INTEGER_ROW(ROW, restarts, "restarts", 0, 0, 1e6, "20", "N",
                    "starts of k-means; the least cost is kept"),
    TSR_INTEGER_ROW(ROW, iterations, "rounds", 0, 0, 1e9, "300", "N",
                    "iterations of k-means, at most"),
    TSR_INTEGER_ROW(ROW, seed, "seed", 0, 0, 9e15, "0", "N", "of the starts"),
    TSR_INTEGER_ROW(ROW, threads, "threads", 0, 0, 4096, "0", "N",
                    "threads, 0: all processors"),
    TSR_FLAG_ROW(ROW, unit_codes, "unit-codes", 0, "scale samples to unit length"),
    TSR_OBJECT_ROW(ROW, held, "held", "classes",
                   "int32_t: cluster of some samples, -1 of others"),
    TSR_OBJECT_ROW(ROW, team, "team", "team", "its ranks share the restarts"),
#undef ROW
    TSR_END_ROW,
};

const tsr_setting *tsr_cluster_settings(void)
{
    return table;
}

static int64_t or_else(int64_t value, int64_t fallback)
{
    return value == 0 ? fallback : value;
}

/* The least cost of all ranks, the earliest restart among equals: what one process would keep. */
static tsr_status share_best(int32_t *of, double *cost, int64_t restart, int64_t n,
                             tsr_team *team)
{
    typedef struct found {
        double cost;
        int64_t restart;
    } found;
    tsr_status status = TSR_OK;
    const int ranks = tsr__team_ranks(team);
    const found own = {*cost, restart};
    found *all = NULL;
    int64_t *count = NULL, *first = NULL;
    int best = 0;
    if (!tsr__team_shares(team))
        return TSR_OK;
    TSR_NEW(all, ranks);
    TSR_NEW_ZERO(count, ranks);
    TSR_NEW_ZERO(first, ranks);
    for (int r = 0; r < ranks; r++)
        count[r] = sizeof own;
    TSR_TRY(tsr__team_collect(team, all, &own, count));
    for (int r = 1; r < ranks; r++)
        if (all[r].restart >= 0 &&
            (all[r].cost < all[best].cost ||
             (!(all[best].cost < all[r].cost) && all[r].restart < all[best].restart)))
            best = r;
    for (int r = 0; r < ranks; r++)
        count[r] = r == best ? n * (int64_t)sizeof *of : 0;
    *cost = all[best].cost;
    TSR_TRY(tsr__team_gather(team, of, first, count));
done:
    tsr__free(all);
    tsr__free(count);
    tsr__free(first);
    return status;
}

static tsr_status cluster(int32_t *of, double *cost, const tsr_matrix *x,
                          const tsr_cluster_options *options)
{
    tsr_status status = TSR_OK;
    tsr_matrix *unit = NULL;
    double least = 0;
    int64_t restart = 0;
    const tsr__kmeans_options o = {.clusters = options->clusters,
                                   .restarts = or_else(options->restarts, 20),
                                   .iterations = or_else(options->iterations, 300),
                                   .seed = (uint64_t)options->seed,
                                   .threads = (int)options->threads,
                                   .held = options->held,
                                   .first = tsr__team_rank(options->team),
                                   .step = tsr__team_ranks(options->team),
                                   .kept = &restart};
    TSR_TRY(tsr__matrix_need(x, "k-means (codes of a model are smaller)"));
    TSR_TRY(tsr_matrix_check(x, TSR_NEED_FINITE, NULL));
    if (options->unit_codes) {
        TSR_TRY(tsr_matrix_copy_as(&unit, x, x->type, x->sparse));
        TSR_TRY(tsr_matrix_normalize(unit, TSR_NORM_L2));
    }
    TSR_TRY(tsr__kmeans(of, NULL, &least, unit != NULL ? unit : x, &o));
    TSR_TRY(share_best(of, &least, restart, x->samples, options->team));
    if (cost != NULL)
        *cost = least;
done:
    tsr_matrix_free(unit);
    return status;
}

tsr_status tsr_cluster(int32_t *of, double *cost, const tsr_matrix *x,
                       const tsr_cluster_options *options)
{
    TSR_REQUIRE(of, x);
    static const tsr_cluster_options none;
    options = options != NULL ? options : &none;
    TSR_OR_RETURN(tsr_settings_check(table, options));
    tsr_team_enter(options->team);
    return tsr_team_leave(options->team, cluster(of, cost, x, options));
}
