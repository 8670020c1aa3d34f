/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Codes diffused over the graph of neighbours: what clusters of samples are made of.
 *
 *     H = argmin  sum_i ||h_i - g_i / |g_i| ||^2 + w n / (k d) tr(H' L H),   d the mean degree
 *
 * which is (I + w n / (k d) L) H = the codes' directions. A graph term in J has to be paid for by the loss,
 * and the weight at which it helps one set ruins another. The minimum of this has the codes of the best
 * fit and the neighbours' word on them; n / k samples a part and d neighbours a sample say how far a word
 * may go (doc/mathematics.md, section 5). Tied rows count as often as they have samples. The factors stay
 * as they are. */
#include "factor/conjugate.h"
#include "factor/plan.h"
#include "factor/run.h"
#include "matrix/team.h"

#include <math.h>
#include <string.h>

static void set_directions(const void *context, int64_t first, int64_t count)
{
    const tsr__solver *s = context;
    const tsr__conjugate *y = &s->work.conjugate;
    for (int64_t i = first; i < first + count; i++) {
        const double members = tsr__members(s, i);
        double square = 0;
        for (int64_t at = i * s->k; at < (i + 1) * s->k; at++) {
            const double g = tsr__real_get(s, s->state.codes, at);
            square += g * g;
        }
        for (int64_t at = i * s->k; at < (i + 1) * s->k; at++) {
            tsr__real_set(s, s->state.codes, at,
                          square > 0 ? tsr__real_get(s, s->state.codes, at) / sqrt(square) : 0);
            y->found[at] = tsr__real_get(s, s->state.codes, at);
            y->left[at] = members * y->found[at];
            y->diagonal[at] = members;
        }
    }
}

static void add_degrees(const void *context, int64_t first, int64_t count, double *columns)
{
    const tsr__solver *s = context;
    for (int64_t i = first; i < first + count; i++)
        columns[0] += s->problem->pairs.graph_degree[i];
}

/* w n / (k d), which knows no unit of the edges; 0 where there is none. */
static double weight_in(tsr__solver *s, double weight)
{
    const double n = (double)s->problem->samples;
    tsr__sum_codes(s, &s->problem->by_sample, 1, s->work.code_sums, add_degrees, s);
    const double total = s->work.code_sums[0];
    return total > 0 ? weight * n / (double)s->k * (n / total) : 0;
}

/* Those of the model, which need not be the last run's, as rows of this rank. */
static void load(tsr__run *r, const tsr_matrix *codes)
{
    tsr__solver *s = &r->solver;
    const int64_t *row_of = r->problem.row_of, first = r->problem.rows.first;
    for (int64_t i = 0; i < codes->samples; i++) {
        const int64_t row = (row_of != NULL ? row_of[i] : i) - first;
        if (row >= 0 && row < s->n)
            memcpy(tsr__codes_at(s, row), tsr__real_at(s, codes->values, i * codes->stride),
                   tsr__real_bytes(s, s->k));
    }
}

/* Once, at the end of a fit: checkpoints have none. The solver's codes are spoiled. */
tsr_status tsr__diffuse(tsr_model *model, tsr__run *r)
{
    tsr_status status = TSR_OK;
    tsr__solver *s = &r->solver;
    const double weight = r->spec.weights.of[TSR_WEIGHT_DIFFUSE];
    const tsr__conjugate before = s->work.conjugate;
    tsr__arena arena = {0};
    tsr_matrix_free(model->diffused);
    model->diffused = NULL;
    if (!(weight > 0) || model->codes == NULL)
        return TSR_OK;
    tsr__conjugate_layout(&s->work.conjugate, s, &arena);
    TSR_TRY(tsr__team_agree(r->data->team, tsr__arena_open(&arena)));
    tsr__conjugate_layout(&s->work.conjugate, s, &arena);
    load(r, model->codes);
    tsr__each_rows(s, s->n, set_directions, s);
    const bool arrived =
        tsr__conjugate_solve(s, &s->work.conjugate, weight_in(s, weight), 1e-8);
    tsr__conjugate_keep(s, &s->work.conjugate);
    TSR_TRY(s->work.trouble);
    TSR_TRY(tsr__run_rows(&model->diffused, r, s->state.codes));
    if (!arrived)
        TSR_TRY(tsr__names_add(&model->notes, "the diffused codes are not where they would "
                                              "settle: lower --diffuse"));
done:
    tsr__arena_close(&arena);
    s->work.conjugate = before;
    return status;
}
