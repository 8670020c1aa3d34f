/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a model makes of one sample: x ~ sum_j g_j f_j, a part a vector. The share of a vector in
 * some samples is the sum of its codes times its length, over that of all vectors. */
#include "factor/model.h"
#include "matrix/store.h"

#include <math.h>
#include <stdlib.h>

struct tsr_explanation {
    tsr_matrix *basis;  /* k x m, doubles */
    tsr_matrix *codes;  /* 1 x k */
    tsr_matrix *sample; /* 1 x m as the model sees it, or NULL */
    double *share;      /* of each vector */
    int64_t *order;     /* vectors by share */
    int64_t parts;      /* of them that are told */
    double error;       /* relative, of the sample; NaN where it is not known */
};

/* Shares ---------------------------------------------------------------------------------- */

typedef struct place {
    double share;
    int64_t vector;
} place;

static int by_share(const void *a, const void *b)
{
    const place *left = a, *right = b;
    if (left->share != right->share)
        return left->share > right->share ? -1 : 1;
    return (left->vector > right->vector) - (left->vector < right->vector);
}

tsr_status tsr_basis_shares(int64_t *order, double *share, const tsr_matrix *basis,
                            const tsr_matrix *codes)
{
    TSR_REQUIRE(order, basis, codes);
    tsr_status status = TSR_OK;
    const int64_t k = basis->samples;
    place *places = NULL;
    double sum = 0;
    if (codes->features != k)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "codes of %lld entries do not fit %lld basis vectors",
                 (long long)codes->features, (long long)k);
    TSR_TRY(tsr__matrix_need(basis, "a look at basis vectors"));
    TSR_TRY(tsr__matrix_need(codes, "a sum of codes"));
    TSR_NEW_ZERO(places, k);
    for (int64_t j = 0; j < k; j++) {
        places[j].vector = j;
        for (int64_t i = 0; i < codes->samples; i++)
            places[j].share += tsr_matrix_at(codes, i, j);
        places[j].share *= sqrt(tsr__row_square(basis, j));
        sum += places[j].share;
    }
    qsort(places, (size_t)k, sizeof *places, by_share);
    for (int64_t j = 0; j < k; j++) {
        order[j] = places[j].vector;
        if (share != NULL)
            share[places[j].vector] = sum > 0 ? places[j].share / sum : 0;
    }
done:
    tsr__free(places);
    return status;
}

/* The sample ------------------------------------------------------------------------------ */

/* A sample of the data: its codes with the basis fixed, and itself. */
static tsr_status encode(tsr_explanation *e, const tsr_model *model, const tsr_data *data,
                         int64_t sample, const tsr_transform_options *options)
{
    tsr_status status = TSR_OK;
    tsr_data *one = NULL, *wide = NULL;
    TSR_TRY(tsr_data_copy_samples(&one, data, &sample, 1));
    TSR_TRY(tsr_model_transform(&e->codes, model, one, options));
    TSR_TRY(tsr_data_copy_as(&wide, one, TSR_FLOAT64, false));
    TSR_TRY(tsr_model_prepare(&e->sample, model, wide));
done:
    tsr_data_free(one);
    tsr_data_free(wide);
    return status;
}

/* out += code x vector. */
static void add_part(double *out, const tsr_explanation *e, int64_t vector)
{
    const double code = tsr_matrix_at(e->codes, 0, vector);
    const double *f = (const double *)e->basis->values + vector * e->basis->stride;
    for (int64_t v = 0; v < e->basis->features; v++)
        out[v] += code * f[v];
}

static tsr_status measure_error(tsr_explanation *e)
{
    tsr_status status = TSR_OK;
    double *made = NULL, square = 0;
    const double *x = e->sample->values;
    TSR_NEW_ZERO(made, e->sample->features);
    for (int64_t j = 0; j < e->basis->samples; j++)
        add_part(made, e, j);
    for (int64_t v = 0; v < e->sample->features; v++)
        square += (x[v] - made[v]) * (x[v] - made[v]);
    e->error = sqrt(square / tsr__row_square(e->sample, 0));
done:
    tsr__free(made);
    return status;
}

tsr_status tsr_explain(tsr_explanation **out, const tsr_model *model, const tsr_data *data,
                       int64_t sample, const tsr_transform_options *options)
{
    TSR_REQUIRE(out, model);
    tsr_status status = TSR_OK;
    tsr_explanation *e = NULL;
    const int64_t count = data != NULL ? data->x->samples : model->codes->samples;
    const int64_t k = model->basis->samples;
    if (model->atoms != NULL)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED,
                 "a model with a kernel makes samples in the kernel's space, not as pictures");
    if (sample < 0 || sample >= count)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "sample %lld is outside 0 .. %lld", (long long)sample,
                 (long long)count - 1);
    if (options != NULL)
        TSR_TRY(tsr_settings_check(tsr_transform_settings(), options));
    TSR_NEW_ZERO(e, 1);
    TSR_NEW(e->share, k);
    TSR_NEW(e->order, k);
    e->error = (double)NAN;
    TSR_TRY(tsr_matrix_copy_as(&e->basis, model->basis, TSR_FLOAT64, false));
    TSR_TRY(data != NULL ? encode(e, model, data, sample, options)
                         : tsr_matrix_copy_samples(&e->codes, model->codes, &sample, 1));
    TSR_TRY(tsr_basis_shares(e->order, e->share, model->basis, e->codes));
    while (e->parts < k && e->share[e->order[e->parts]] > 0)
        e->parts++;
    if (e->sample != NULL)
        TSR_TRY(measure_error(e));
    *out = e, e = NULL;
done:
    tsr_explanation_free(e);
    return status;
}

void tsr_explanation_free(tsr_explanation *explanation)
{
    if (explanation == NULL)
        return;
    tsr_matrix_free(explanation->basis);
    tsr_matrix_free(explanation->codes);
    tsr_matrix_free(explanation->sample);
    tsr__free(explanation->share);
    tsr__free(explanation->order);
    tsr__free(explanation);
}

int64_t tsr_explanation_parts(const tsr_explanation *explanation)
{
    return explanation != NULL ? explanation->parts : 0;
}

bool tsr_explanation_part(tsr_part *out, const tsr_explanation *explanation, int64_t i)
{
    if (out == NULL || i < 0 || i >= tsr_explanation_parts(explanation))
        return false;
    const int64_t j = explanation->order[i];
    *out = (tsr_part){j, tsr_matrix_at(explanation->codes, 0, j), explanation->share[j]};
    return true;
}

double tsr_explanation_error(const tsr_explanation *explanation)
{
    return explanation != NULL ? explanation->error : (double)NAN;
}

/* Pictures -------------------------------------------------------------------------------- */

static double largest(const double *value, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++)
        most = value[i] > most ? value[i] : most;
    return most;
}

/* Parts are dark beside their sum: each is made as bright, or where they are alike the brightest. */
static void brighten(tsr_matrix *pictures, int64_t first, bool alike)
{
    double *value = pictures->values;
    const int64_t m = pictures->features;
    const double white = largest(value, first * m);
    double most = largest(value + first * m, (pictures->samples - first) * m);
    for (int64_t i = first; i < pictures->samples; i++) {
        if (!alike)
            most = largest(value + i * m, m);
        for (int64_t v = 0; most > 0 && v < m; v++)
            value[i * m + v] *= white / most;
    }
}

tsr_status tsr_explanation_pictures(tsr_matrix **out, const tsr_explanation *explanation,
                                    int64_t most, bool alike)
{
    TSR_REQUIRE(out, explanation);
    tsr_status status = TSR_OK;
    const tsr_explanation *e = explanation;
    const int64_t m = e->basis->features, sum = e->sample != NULL;
    tsr_matrix *pictures = NULL;
    if (most < 0)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld parts are less than none", (long long)most);
    const int64_t parts = most < e->parts ? most : e->parts;
    TSR_TRY(tsr_matrix_create(&pictures, sum + 1 + parts, m, TSR_FLOAT64));
    double *row = pictures->values;
    if (e->sample != NULL)
        tsr_matrix_get_sample(row, e->sample, 0);
    for (int64_t j = 0; j < e->basis->samples; j++)
        add_part(row + sum * m, e, j);
    for (int64_t j = 0; j < parts; j++)
        add_part(row + (sum + 1 + j) * m, e, e->order[j]);
    brighten(pictures, sum + 1, alike);
    TSR_TRY(tsr_matrix_set_image(pictures, tsr_matrix_image(e->basis)));
    *out = pictures, pictures = NULL;
done:
    tsr_matrix_free(pictures);
    return status;
}
