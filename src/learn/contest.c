/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Who is compared: the models that were named, the baselines that were added, and of each the
 * ranks and weights that are tried. */
#include "factor/terms.h"
#include "learn/select.h"

#include <math.h>
#include <string.h>

void tsr__contest_clear(tsr__contest *c)
{
    tsr__free(c->rival);
    tsr__free(c->rank);
    tsr__free(c->weight);
}

/* Vectors of a kernel's space have no entries that could be compared. */
static bool has_parts(const tsr__rival *r)
{
    tsr_model_info row;
    if (r->baseline != NULL)
        return r->baseline->starts;
    return tsr_fit_describe(&row, &r->fit) == TSR_OK && (!row.whole || r->fit.kernel == 0);
}

static tsr_status add_rival(tsr__contest *c, const tsr_fit_options *fit, const char *model)
{
    tsr_status status = TSR_OK;
    TSR_GROW(c->rival, c->rivals, c->room);
    tsr__rival *r = &c->rival[c->rivals];
    *r = (tsr__rival){.fit = *fit};
    r->fit.model = model;
    TSR_TRY(tsr__baseline_find(&r->baseline, model));
    r->term = r->baseline == NULL ? tsr__terms_weight(&r->fit) : NULL;
    r->parts = has_parts(r);
    c->rivals++;
done:
    return status;
}

/* One that cannot be fitted with these settings will say so beside the others; it is an error
 * where all are like that. */
static tsr_status check_rivals(const tsr__contest *c, const char *named)
{
    bool fits = false, weighs = false;
    for (int64_t i = c->rivals - 1; i >= 0; i--) {
        const tsr_status status = tsr_encoder_check(&c->rival[i].fit);
        if (status < 0 && i == 0 && !fits)
            return status;
        fits = fits || status == TSR_OK;
        weighs = weighs || c->rival[i].term != NULL;
    }
    if (c->weights == 0 || weighs)
        return TSR_OK;
    return tsr__fail(TSR_ERROR_ARGUMENT, "%s %s no weight to choose: leave --weights out",
                     named, c->rivals > 1 ? "have" : "has");
}

/* There are at most 10,000 ranks, so that jobs can be counted unless somebody writes weights by
 * the terabyte. */
static tsr_status check_count(const tsr__contest *c)
{
    int64_t jobs = 0;
    if (!tsr__multiply(&jobs, c->ranks, c->weights > 0 ? c->weights : 1) ||
        !tsr__multiply(&jobs, jobs, c->options.folds + c->options.repeats) ||
        !tsr__multiply(&jobs, jobs, c->rivals + 100))
        return tsr__fail(TSR_ERROR_ARGUMENT, "%lld ranks with %lld weights are too many to try",
                         (long long)c->ranks, (long long)c->weights);
    return TSR_OK;
}

tsr_status tsr__contest_make(tsr__contest *c, tsr__names *model, const tsr_fit_options *fit,
                             const tsr_select_options *options)
{
    tsr_status status = TSR_OK;
    TSR_TRY(tsr_settings_check(tsr_select_settings(), options));
    TSR_TRY(tsr_settings_check(tsr_fit_settings(), fit));
    if (options->read != NULL)
        TSR_TRY(tsr_settings_check(tsr_read_settings(), options->read));
    c->options = *options;
    TSR_TRY(tsr__models_parse(model, fit->model));
    for (int64_t i = 0; i < model->count; i++)
        TSR_TRY(add_rival(c, fit, model->name[i]));
    if (options->ranks == NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "there are no ranks to try: --ranks LIST");
    TSR_TRY(tsr__ranks_parse(&c->rank, &c->ranks, options->ranks));
    TSR_TRY(tsr__weights_parse(&c->weight, &c->weights, options->weights));
    TSR_TRY(check_count(c));
    TSR_TRY(check_rivals(c, fit->model));
done:
    return status;
}

tsr_status tsr__contest_add_baselines(tsr__contest *c, tsr__names *model, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    const tsr__baseline *baseline = NULL;
    const char *name = NULL, *title = NULL;
    const int64_t named = c->rivals;
    for (int64_t i = 0; tsr_baselines_get(&name, &title, i); i++) {
        bool known = false;
        for (int64_t r = 0; r < named; r++)
            known = known || strcmp(c->rival[r].fit.model, name) == 0;
        TSR_TRY(tsr__baseline_find(&baseline, name));
        if (known || !tsr__baseline_suits(baseline, data))
            continue;
        TSR_TRY(tsr__names_add(model, name));
        TSR_TRY(add_rival(c, &c->rival[0].fit, model->name[model->count - 1]));
        c->rival[c->rivals - 1].added = true;
    }
done:
    return status;
}

/* A baseline of one rank is tried once. */
tsr_status tsr__contest_list(tsr_selection *out, int64_t **rival, const tsr__contest *c,
                             const tsr_data *data)
{
    tsr_status status = TSR_OK;
    const int64_t most = c->rivals * c->ranks * (c->weights > 0 ? c->weights : 1);
    int64_t *count = &out->about.candidates;
    TSR_NEW(out->candidate, most);
    TSR_NEW(*rival, most);
    for (int64_t i = 0; i < c->rivals; i++) {
        const tsr__rival *r = &c->rival[i];
        const bool one = r->baseline != NULL && r->baseline->rank != NULL;
        const int64_t weights = r->term != NULL && c->weights > 0 ? c->weights : 1;
        for (int64_t k = 0; k < (one ? 1 : c->ranks); k++)
            for (int64_t w = 0; w < weights; w++) {
                tsr_candidate *made = &out->candidate[*count];
                *made = (tsr_candidate){
                    .model = r->fit.model,
                    .term = r->term,
                    .rank = one ? r->baseline->rank(data) : c->rank[k],
                    .weight = r->term != NULL && c->weights > 0 ? c->weight[w] : (double)NAN,
                    .nmi = (double)NAN,
                    .nmi_error = (double)NAN,
                    .stability = (double)NAN,
                    .seconds = (double)NAN,
                    .baseline = r->baseline != NULL,
                    .added = r->added};
                memcpy(made->note, r->note, sizeof made->note);
                (*rival)[(*count)++] = i;
            }
    }
done:
    return status;
}
