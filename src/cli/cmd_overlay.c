/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera overlay: where in a picture each basis vector of a model of visual words is at work.
 *
 * A descriptor of feature v is relevant to vector j where g_j f_jv > T, g being the code of the
 * picture (the scene paper, Fig. 5). A pixel takes the colour of the most relevant vector among
 * those of the patches that cover it. */
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "cli/command.h"
#include "factor/model.h"
#include "features/visual.h"

struct values {
    tsr_transform_options transform;
    talk talk;
    const char *output;
    double threshold, share, opacity;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, output, "output", 'o', NULL, "OUT.png",
                 "the picture with coloured patches; required"),
    TSR_REAL_ROW(struct values, threshold, "threshold", 0, INFINITY, "0", "T",
                 "a patch is relevant where code x basis entry exceeds T; 0: by --share"),
    TSR_REAL_ROW(struct values, share, "share", 0, 1, "0.25", "S",
                 "T as a share of the largest product in this picture"),
    TSR_REAL_ROW(struct values, opacity, "opacity", 0, 1, "0.5", "A", "of the colours"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

typedef struct colour {
    const char *name;
    unsigned char rgb[3];
} colour;

/* Distinct for most eyes (Okabe & Ito 2008, with two more). */
static const colour colours[] = {
    {"orange", {230, 159, 0}},   {"sky blue", {86, 180, 233}}, {"green", {0, 158, 115}},
    {"yellow", {240, 228, 66}},  {"blue", {0, 114, 178}},      {"vermilion", {213, 94, 0}},
    {"purple", {204, 121, 167}}, {"brown", {120, 72, 24}},     {"light green", {150, 230, 80}},
    {"magenta", {230, 30, 200}},
};
enum { COLOURS = sizeof colours / sizeof *colours };

typedef struct painting {
    const tsr_model *model;
    tsr__view view;
    tsr_matrix *codes; /* 1 x k */
    double threshold;
    int64_t *patches;     /* of each vector */
    float *best;          /* of each pixel: how relevant */
    int32_t *whose;       /* and to which vector; -1: none */
    unsigned char *pixel; /* height x width x 3 */
} painting;

/* g_j f_jv of descriptor i. */
static double relevance(const painting *p, int64_t i, int64_t j)
{
    return tsr_matrix_at(p->codes, 0, j) *
           tsr_matrix_at(p->model->basis, j, p->view.feature[i]);
}

static void choose_threshold(painting *p, const struct values *values)
{
    double most = 0;
    for (int64_t i = 0; i < p->view.found.count; i++)
        for (int64_t j = 0; j < p->model->report.rank; j++)
            most = fmax(most, relevance(p, i, j));
    p->threshold = values->threshold > 0 ? values->threshold : values->share * most;
}

static int64_t clip(double at, int64_t size)
{
    return at < 0 ? 0 : at > (double)size ? size : (int64_t)at;
}

static void mark(painting *p, const tsr__spot *spot, int64_t vector, float value)
{
    const int64_t width = p->view.image.width, height = p->view.image.height;
    const double x = (double)spot->x, y = (double)spot->y, reach = (double)spot->reach;
    for (int64_t r = clip(y - reach, height); r < clip(y + reach, height); r++)
        for (int64_t c = clip(x - reach, width); c < clip(x + reach, width); c++)
            if (value > p->best[r * width + c]) {
                p->best[r * width + c] = value;
                p->whose[r * width + c] = (int32_t)vector;
            }
}

static void paint(painting *p, double opacity)
{
    const int64_t pixels = p->view.image.width * p->view.image.height;
    for (int64_t i = 0; i < p->view.found.count; i++)
        for (int64_t j = 0; j < p->model->report.rank; j++) {
            const double value = relevance(p, i, j);
            if (!(value > p->threshold))
                continue;
            p->patches[j]++;
            mark(p, &p->view.found.spot[i], j, (float)value);
        }
    for (int64_t at = 0; at < pixels; at++)
        for (int c = 0; c < 3; c++) {
            const double grey = (double)p->view.image.grey[at];
            const double tone =
                p->whose[at] >= 0 ? (double)colours[p->whose[at] % COLOURS].rgb[c] : grey;
            p->pixel[3 * at + c] = (unsigned char)(grey * (1 - opacity) + tone * opacity + 0.5);
        }
}

static tsr_status prepare(painting *p, const struct values *values)
{
    tsr_status status = TSR_OK;
    const int64_t pixels = p->view.image.width * p->view.image.height;
    if (p->view.found.count == 0)
        TSR_FAIL(TSR_ERROR_DATA, "%lld x %lld pixels give no descriptor",
                 (long long)p->view.image.width, (long long)p->view.image.height);
    TSR_TRY(tsr_model_transform(&p->codes, p->model, p->view.sample, &values->transform));
    TSR_NEW_ZERO(p->patches, p->model->report.rank);
    TSR_NEW_ZERO(p->best, pixels);
    TSR_NEW(p->whose, pixels);
    TSR_NEW(p->pixel, 3 * pixels);
    for (int64_t i = 0; i < pixels; i++)
        p->whose[i] = -1;
    choose_threshold(p, values);
done:
    return status;
}

static tsr_status write(const painting *p, const char *path)
{
    tsr_status status = TSR_OK;
    tsr__output output = {NULL, NULL, 0};
    TSR_TRY(tsr__output_begin(&output, path, false));
    TSR_TRY(tsr__image_write_png(output.temporary, p->pixel, p->view.image.width,
                                 p->view.image.height, 3));
    TSR_TRY(tsr__output_commit(&output));
done:
    tsr__output_abandon(&output);
    return status < 0 ? tsr__fail_in(status, path) : status;
}

static tsr_status print_json(const painting *p)
{
    tsr__json *root = tsr__json_new();
    tsr__json_integer(root, "descriptors", p->view.found.count);
    tsr__json_real(root, "threshold", p->threshold);
    tsr__json *vectors = tsr__json_array(root, "vectors");
    for (int64_t j = 0; j < p->model->report.rank; j++) {
        tsr__json *vector = tsr__json_object(vectors, NULL);
        tsr__json_integer(vector, "vector", j);
        tsr__json_text(vector, "colour", colours[j % COLOURS].name);
        tsr__json_real(vector, "code", tsr_matrix_at(p->codes, 0, j));
        tsr__json_integer(vector, "patches", p->patches[j]);
    }
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static tsr_status report(const painting *p, const struct values *values)
{
    if (values->talk.json)
        return print_json(p);
    (void)printf("%lld patches, relevant above %.3g\n", (long long)p->view.found.count,
                 p->threshold);
    for (int64_t j = 0; j < p->model->report.rank; j++)
        (void)printf("  vector %-4lld %-12s %lld patches\n", (long long)j,
                     colours[j % COLOURS].name, (long long)p->patches[j]);
    (void)printf("  written to  %s\n", values->output);
    return TSR_OK;
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    painting p = {.codes = NULL};
    tsr_model *model = NULL;
    values->transform.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(tsr_model_read(&model, call->operand[0]));
    p.model = model;
    TSR_TRY(tsr__view_make(&p.view, &model->recipe, call->operand[1]));
    status = prepare(&p, values);
    if (status < 0)
        TSR_TRY(tsr__fail_in(status, call->operand[1]));
    terminal_clear();
    paint(&p, values->opacity);
    TSR_TRY(write(&p, values->output));
    TSR_TRY(report(&p, values));
done:
    tsr__view_clear(&p.view);
    tsr_matrix_free(p.codes);
    tsr__free(p.patches);
    tsr__free(p.best);
    tsr__free(p.whose);
    tsr__free(p.pixel);
    tsr_model_free(model);
    return status;
}

const cli_command command_overlay = {
    .name = "overlay",
    .topic = "use",
    .summary = "Draw on a picture the patches that matter to each basis vector.",
    .usage = "[options] MODEL.h5 IMAGE -o FILE.png",
    .details = "MODEL was fitted to visual words (`tessera features --kind dsift` or sift).",
    .example = "  tessera overlay model.h5 scenes/Street/image_0001.jpg -o street.png",
    .required = "output",
    .least = 2,
    .most = 2,
    .size = sizeof(struct values),
    .groups = {{"drawing", settings, 0},
               {"encoding", tsr_transform_settings, offsetof(struct values, transform)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
