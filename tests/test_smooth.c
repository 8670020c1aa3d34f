/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Smooth parts: the term is what it says, whatever order the pixels come in; it smoothes; it is no
 * matter of scale; it wants pictures. That its gradient is one and that J never rises is among the
 * laws. */
#include "lab.h"

enum { N = 30, HEIGHT = 3, WIDTH = 4, M = HEIGHT * WIDTH, K = 4 };

static double pixel(const tsr_model *model, tsr_image_order order, int64_t k, int64_t r,
                    int64_t c)
{
    return tsr_matrix_at(model->basis, k,
                         order == TSR_ROW_ORDER ? r * WIDTH + c : c * HEIGHT + r);
}

/* |D f|^2 of vector k, pair by pair. */
static double roughness(const tsr_model *model, tsr_image_order order, int64_t k)
{
    double sum = 0;
    for (int64_t r = 0; r < HEIGHT; r++)
        for (int64_t c = 0; c < WIDTH; c++) {
            if (r + 1 < HEIGHT)
                sum += pow(pixel(model, order, k, r, c) - pixel(model, order, k, r + 1, c), 2);
            if (c + 1 < WIDTH)
                sum += pow(pixel(model, order, k, r, c) - pixel(model, order, k, r, c + 1), 2);
        }
    return sum;
}

static double square_of(const tsr_matrix *x, int64_t rows, int64_t k, bool row)
{
    double sum = 0;
    for (int64_t i = 0; i < rows; i++)
        sum += pow(row ? tsr_matrix_at(x, k, i) : tsr_matrix_at(x, i, k), 2);
    return sum;
}

static tsr_data *pictures(lab *l, tsr_image_order order)
{
    *l = lab_make(N, M, 3, 0, 8);
    tsr_data *data = lab_data(l, false);
    data->x->image = (tsr_image_shape){HEIGHT, WIDTH, order};
    return data;
}

static double smooth_of(const tsr_model *model)
{
    const char *name;
    double value;
    for (int64_t i = 0; tsr_model_term(&name, &value, model, i); i++)
        if (strcmp(name, "smooth") == 0)
            return value;
    return (double)NAN;
}

static void what_it_says(void **state)
{
    static const char *const lines[] = {"model=nmf", "model=nmf-kl", "model=cf", "model=cnmf",
                                        "model=nmf solver=mu"};
    (void)state;
    for (int order = 0; order < 2; order++)
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            lab l;
            lab_options o;
            double sum = 0;
            tsr_data *data = pictures(&l, order == 0 ? TSR_ROW_ORDER : TSR_COLUMN_ORDER);
            lab_options_of(&o, 7, "rank=4 smooth=0.3 weight-unit=one %s", lines[i]);
            tsr_model *model = lab_fit(data, &o.o);
            for (int64_t k = 0; k < K; k++)
                sum += 0.3 * square_of(model->codes, N, k, false) *
                       roughness(model, data->x->image.order, k);
            if (!(fabs(sum - smooth_of(model)) <= 1e-9 * sum))
                fail_msg("'%s': %.12g is reported, %.12g it is", lines[i], smooth_of(model),
                         sum);
            tsr_model_free(model);
            tsr_data_free(data);
            lab_free(&l);
        }
}

/* Roughness against length, over all vectors. */
static double relative_roughness(const tsr_model *model)
{
    double rough = 0, square = 0;
    for (int64_t k = 0; k < K; k++) {
        rough += roughness(model, TSR_ROW_ORDER, k);
        square += square_of(model->basis, M, k, true);
    }
    return rough / square;
}

static void it_smoothes(void **state)
{
    static const char *const lines[] = {"model=nmf", "model=nmf-kl", "model=cf",
                                        "model=nmf missing=mask"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lab l;
        lab_options o;
        double last = (double)INFINITY;
        tsr_data *data = pictures(&l, TSR_ROW_ORDER);
        for (double w = 0; w <= 100; w = w > 0 ? 10 * w : 0.1) {
            lab_options_of(&o, 400, "rank=4 smooth=%g %s", w, lines[i]);
            tsr_model *model = lab_fit(data, &o.o);
            const double now = relative_roughness(model);
            if (!(now < last))
                fail_msg("'%s' smooth=%g: %g, with less weight %g", lines[i], w, now, last);
            last = now;
            tsr_model_free(model);
        }
        tsr_data_free(data);
        lab_free(&l);
    }
}

static void it_wants_pictures(void **state)
{
    lab l;
    lab_options o;
    tsr_model *model = NULL;
    tsr_data *data = pictures(&l, TSR_ROW_ORDER);
    (void)state;
    lab_options_of(&o, 5, "model=cf kernel=rbf rank=4 smooth=1");
    check_fails(tsr_fit(&model, data, &o.o), TSR_ERROR_ARGUMENT,
                "--smooth: the basis of a kernel");
    data->x->image = (tsr_image_shape){0, 0, TSR_ROW_ORDER};
    lab_options_of(&o, 5, "rank=4 smooth=1");
    check_fails(tsr_fit(&model, data, &o.o), TSR_ERROR_ARGUMENT,
                "--smooth: only pictures have neighbouring pixels");
    tsr_data_free(data);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_says),
        cmocka_unit_test(it_smoothes),
        cmocka_unit_test(it_wants_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
