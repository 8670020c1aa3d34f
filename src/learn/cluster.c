/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Clustering of codes or raw samples: k-means of the matrix layer behind the public options. */
#include "base/settings.h"
#include "matrix/kmeans.h"
#include "matrix/store.h"

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

tsr_status tsr_cluster(int32_t *of, double *cost, const tsr_matrix *x,
                       const tsr_cluster_options *options)
{
    TSR_REQUIRE(of, x);
    static const tsr_cluster_options none;
    tsr_status status = TSR_OK;
    tsr_matrix *unit = NULL;
    options = options != NULL ? options : &none;
    TSR_OR_RETURN(tsr_settings_check(table, options));
    const tsr__kmeans_options o = {.clusters = options->clusters,
                                   .restarts = or_else(options->restarts, 20),
                                   .iterations = or_else(options->iterations, 300),
                                   .seed = (uint64_t)options->seed,
                                   .threads = (int)options->threads,
                                   .held = options->held};
    TSR_TRY(tsr__matrix_need(x, "k-means (codes of a model are smaller)"));
    TSR_TRY(tsr_matrix_check(x, TSR_NEED_FINITE, NULL));
    if (options->unit_codes) {
        TSR_TRY(tsr_matrix_copy_as(&unit, x, x->type, x->sparse));
        TSR_TRY(tsr_matrix_normalize(unit, TSR_NORM_L2));
    }
    TSR_TRY(tsr__kmeans(of, NULL, cost, unit != NULL ? unit : x, &o));
done:
    tsr_matrix_free(unit);
    return status;
}
