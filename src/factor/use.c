/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a fitted model does to samples beside encoding them: what it makes of them before, and what
 * its parts make of codes. */
#include "factor/model.h"
#include "factor/prepared.h"
#include "matrix/blas.h"
#include "matrix/scaled.h"

/* The steps and their order are those of a fit, with the scale that the training samples gave:
 * new samples must not change how they are seen. On a copy, in the type that was given; samples that
 * are not in memory are prepared as they are read. */
tsr_status tsr_model_prepare(tsr_matrix **out, const tsr_model *model, const tsr_data *data)
{
    TSR_REQUIRE(out, model, data);
    tsr_status status = TSR_OK;
    const tsr_matrix *given = data->x;
    tsr_matrix *x = NULL;
    if (given->features != model->report.features)
        TSR_FAIL(TSR_ERROR_DATA, "%s has %lld features; the model was fitted to %lld",
                 tsr_data_origin(data), (long long)given->features,
                 (long long)model->report.features);
    if (tsr__matrix_is_stored(given)) {
        const tsr__scaling by = {.type = given->type,
                                 .norm = (tsr_norm)model->options.normalize,
                                 .cuts = model->scale};
        TSR_TRY(tsr__matrix_scaled(out, given, &by));
        goto done;
    }
    TSR_TRY(tsr_matrix_copy_as(&x, given, given->type, given->sparse));
    TSR_TRY(tsr_matrix_normalize(x, (tsr_norm)model->options.normalize));
    if (model->scale != NULL)
        tsr__weigh_by_cuts(x, model->scale);
    *out = x, x = NULL;
done:
    tsr_matrix_free(x);
    return status;
}

/* X = G F, both dense and of the basis' type. */
static tsr_status multiply(tsr_matrix **out, const tsr_matrix *g, const tsr_matrix *f)
{
    tsr_status status = TSR_OK;
    tsr_matrix *x = NULL;
    TSR_TRY(tsr_matrix_create(&x, g->samples, f->features, f->type));
    const tsr__product product = {.rows = g->samples,
                                  .columns = f->features,
                                  .inner = f->samples,
                                  .alpha = 1,
                                  .a = g->values,
                                  .b = f->values,
                                  .c = x->values,
                                  .lda = g->stride,
                                  .ldb = f->stride,
                                  .ldc = x->stride};
    tsr__multiply_dense(f->type, &product);
    *out = x, x = NULL;
done:
    tsr_matrix_free(x);
    return status;
}

/* Codes may come from anywhere, as another program's file: only their length has to fit. */
tsr_status tsr_model_reconstruct(tsr_matrix **out, const tsr_model *model,
                                 const tsr_matrix *codes)
{
    TSR_REQUIRE(out, model);
    tsr_status status = TSR_OK;
    const tsr_matrix *f = model->basis, *g = codes != NULL ? codes : model->codes;
    tsr_matrix *same = NULL;
    if (g->features != f->samples)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "codes of %lld entries do not fit rank %lld",
                 (long long)g->features, (long long)f->samples);
    TSR_TRY(tsr__matrix_need(g, "a reconstruction of codes"));
    if (g->sparse || g->type != f->type)
        TSR_TRY(tsr_matrix_copy_as(&same, g, f->type, false));
    TSR_TRY(multiply(out, same != NULL ? same : g, f));
done:
    tsr_matrix_free(same);
    return status;
}
