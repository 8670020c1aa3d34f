/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Clustering of codes or raw samples: k-means of the matrix layer behind the public options. */
#include "matrix/kmeans.h"

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
    TSR_REQUIRE_CHOICE(options->threads, 4096);
    const tsr__kmeans_options o = {.clusters = options->clusters,
                                   .restarts = or_else(options->restarts, 20),
                                   .iterations = or_else(options->iterations, 300),
                                   .seed = (uint64_t)options->seed,
                                   .threads = (int)options->threads,
                                   .held = options->held};
    TSR_TRY(tsr_matrix_check(x, TSR_NEED_FINITE, NULL));
    if (options->unit_codes) {
        TSR_TRY(tsr_matrix_copy_as(&unit, x, x->type, x->sparse));
        tsr_matrix_normalize(unit, TSR_NORM_L2);
    }
    TSR_TRY(tsr__kmeans(of, NULL, cost, unit != NULL ? unit : x, &o));
done:
    tsr_matrix_free(unit);
    return status;
}
