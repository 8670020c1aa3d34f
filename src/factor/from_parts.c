/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A model of parts that come from elsewhere: what it takes to be used and written, checked as an
 * archive's parts are. J belongs to data that nobody gave, and is NaN. */
#include "factor/parts.h"
#include "factor/solver.h"

#include <math.h>
#include <string.h>

/* What no two matrices could make. */
static tsr_status check_kind(const tsr__spec *spec)
{
    if (spec->basis == TSR_BASIS_CONCEPT)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "%s is made of the samples themselves: give its basis to nmf",
                         spec->row->name);
    if (spec->ncw)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "weights of normalised cuts need the sum of the training samples: "
                         "--weighting none");
    return TSR_OK;
}

/* Of the model's precision, dense and its own. No codes are those of no samples. */
static tsr_status take_parts(tsr_model *model, const tsr__spec *spec, const tsr_matrix *basis,
                             const tsr_matrix *codes)
{
    tsr_status status = TSR_OK;
    TSR_TRY(tsr_matrix_copy_as(&model->basis, basis, spec->type, false));
    model->basis->image = basis->image;
    if (codes != NULL)
        TSR_TRY(tsr_matrix_copy_as(&model->codes, codes, spec->type, false));
    else
        TSR_TRY(tsr_matrix_create(&model->codes, 0, basis->samples, spec->type));
done:
    return status;
}

/* Blocks of classes as a fit would deal them; without labels there are none. */
static tsr_status deal_blocks(tsr_model *model, const tsr__spec *spec)
{
    const tsr_fit_options *o = spec->options;
    const int64_t rank = model->report.rank, own = rank - o->shared,
                  classes = model->labels != NULL ? model->labels->classes : 0;
    if (o->rank > 0 && o->rank != rank)
        return tsr__fail(TSR_ERROR_ARGUMENT, "--rank %lld, and a basis of %lld vectors",
                         (long long)o->rank, (long long)rank);
    if (!(spec->weights.of[TSR_WEIGHT_CLASS] > 0) || classes == 0)
        return TSR_OK;
    if (own < classes || own % classes != 0 ||
        (o->per_class > 0 && o->per_class != own / classes))
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "%lld vectors, %lld of them shared, are not %lld a class of %lld",
                         (long long)rank, (long long)o->shared,
                         (long long)(o->per_class > 0 ? o->per_class : 1), (long long)classes);
    model->per_class = own / classes;
    model->shared = o->shared;
    return TSR_OK;
}

static tsr_status take_labels(tsr_model *model, const tsr_labels *labels)
{
    tsr_status status = TSR_OK;
    const int64_t n = model->report.samples;
    if (labels != NULL && labels->count != n)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld labels for codes of %lld samples",
                 (long long)labels->count, (long long)n);
    if (labels != NULL)
        TSR_TRY(tsr_labels_copy_samples(&model->labels, labels, NULL, n));
    TSR_NEW(model->seen, n);
    for (int64_t i = 0; i < n; i++)
        model->seen[i] = labels != NULL ? model->labels->of[i] : -1;
done:
    return status;
}

/* The rank that the settings record is that of the basis, whatever they said. */
static tsr_status record(tsr_model *model, const tsr_fit_options *options, int64_t rank)
{
    tsr_fit_options kept = *options;
    kept.rank = rank;
    return tsr__model_record(model, &kept);
}

tsr_status tsr_model_from_parts(tsr_model **out, const tsr_matrix *basis,
                                const tsr_matrix *codes, const tsr_labels *labels,
                                const tsr_fit_options *options)
{
    TSR_REQUIRE(out, basis);
    tsr_status status = TSR_OK;
    tsr_model *model = NULL;
    tsr__spec spec;
    tsr_fit_options defaults;
    tsr_fit_defaults(&defaults);
    options = options != NULL ? options : &defaults;
    TSR_TRY(tsr__spec_make(&spec, options));
    TSR_TRY(check_kind(&spec));
    if (basis->samples < 1 || basis->features < 1)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "a basis of %lld vectors of %lld features is none",
                 (long long)basis->samples, (long long)basis->features);
    if (codes != NULL && codes->features != basis->samples)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "codes of %lld entries do not fit %lld basis vectors",
                 (long long)codes->features, (long long)basis->samples);
    TSR_NEW_ZERO(model, 1);
    TSR_TRY(take_parts(model, &spec, basis, codes));
    TSR_TRY(record(model, options, basis->samples));
    model->report = (tsr_fit_report){.model = spec.row->name,
                                     .loss = spec.loss->name,
                                     .samples = model->codes->samples,
                                     .features = basis->features,
                                     .rank = basis->samples,
                                     .objective = (double)NAN,
                                     .data_loss = (double)NAN,
                                     .relative_error = (double)NAN,
                                     .optimality = (double)NAN,
                                     .seed = options->seed};
    for (int i = 0; i < TSR_TERMS; i++)
        model->terms[i] = (double)NAN;
    TSR_TRY(take_labels(model, labels));
    TSR_TRY(deal_blocks(model, &spec));
    TSR_TRY(tsr__parts_check(model, &spec));
    *out = model, model = NULL;
done:
    tsr_model_free(model);
    return status == TSR_ERROR_FORMAT ? TSR_ERROR_DATA : status;
}
