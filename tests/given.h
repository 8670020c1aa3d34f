/* SPDX-License-Identifier: BSD-2-Clause
 *
 * For test_arguments: a valid argument of every type, found by its type, its name and the function
 * that takes it, and contents of that type that make no sense. A new type is a row of `providers`
 * and what makes it; a new name of a number is a row of `wholes`. */
#ifndef TSR_TESTS_GIVEN_H
#define TSR_TESTS_GIVEN_H

#include "folder.h"
#include "matrix/scaled.h"

#include <math.h>

/* Samples, features, rank, classes; arrays go on where counts may. */
enum { N = 12, M = 9, K = 2, CLASSES = 2, LENGTH = N + 2, ROOM = 32768 };

static char *complaint; /* what went wrong; shared with the process that makes the calls */
enum { COMPLAINT_SIZE = 4096 };

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2), noreturn))
#endif
static void
complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(complaint, COMPLAINT_SIZE, format, arguments);
    va_end(arguments);
    _exit(1);
}

static void must(tsr_status status)
{
    if (status < 0)
        complain("a valid argument cannot be made: %s", tsr_message());
}

/* What stands behind a pointer, and the bytes that a refusal must leave as they are. */
typedef struct given {
    const void *pointer;
    const void *watched;
    size_t size;
} given;

typedef struct provider provider;
struct provider {
    const char *type, *name, *function; /* name, function NULL: any; the first that fits */
    /* Variant 0 is valid, 1 .. are not; false: there is no such variant. */
    bool (*make)(given *out, const provider *row, int variant);
    const char *text;
};

static inline bool give(given *out, const void *pointer, size_t size)
{
    *out = (given){pointer, pointer, size};
    return true;
}

static inline void *room_for(size_t size)
{
    void *room = malloc(size);
    if (room == NULL)
        complain("no memory");
    memset(room, 0x5a, size);
    return room;
}

/* Room for an output. */
static bool make_room(given *out, const provider *row, int variant)
{
    (void)row;
    return variant == 0 && give(out, room_for(ROOM), ROOM);
}

/* Texts and paths: an empty one names nothing. */
static bool make_text(given *out, const provider *row, int variant)
{
    return variant <= 1 && give(out, variant == 1 ? "" : row->text, 0);
}

static bool make_path(given *out, const provider *row, int variant)
{
    return variant <= 1 && give(out, variant == 1 ? "" : path_of(row->text), 0);
}

/* Any text serves. */
static bool make_subject(given *out, const provider *row, int variant)
{
    return variant == 0 && give(out, row->text, 0);
}

static bool make_texts(given *out, const provider *row, int variant)
{
    static const char *text[LENGTH];
    (void)row;
    for (int i = 0; i < LENGTH; i++)
        text[i] = i % 3 == 0 ? "b" : "a";
    if (variant == 1)
        text[1] = NULL;
    return variant <= 1 && give(out, text, 0);
}

/* Numbers: any will do for a label or a value. */
static bool make_reals(given *out, const provider *row, int variant)
{
    static const double number[LENGTH] = {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, -1, 2};
    (void)row;
    return variant == 0 && give(out, number, 0);
}

/* Numbers of samples, features or vectors, each once; bad ones are below and above. */
static bool make_indices(given *out, const provider *row, int variant)
{
    static const int64_t bad[] = {-1, N, INT64_MIN, INT64_MAX};
    int64_t *index = room_for(LENGTH * sizeof *index);
    const int64_t end = row->text != NULL ? M : N;
    for (int64_t i = 0; i < LENGTH; i++)
        index[i] = i % end;
    if (variant > 0 && variant <= 4)
        index[1] = bad[variant - 1];
    return variant <= 4 && give(out, index, 0);
}

static bool make_classes(given *out, const provider *row, int variant)
{
    static const int32_t bad[] = {-2, INT32_MIN};
    int32_t *class_of = room_for(LENGTH * sizeof *class_of);
    (void)row;
    for (int i = 0; i < LENGTH; i++)
        class_of[i] = i % CLASSES;
    if (variant > 0 && variant <= 2)
        class_of[3] = bad[variant - 1];
    return variant <= 2 && give(out, class_of, 0);
}

/* Two folds with both classes in each. */
static bool make_folds(given *out, const provider *row, int variant)
{
    static const int32_t bad[] = {-2, 2, INT32_MIN, INT32_MAX};
    int32_t *fold = room_for(LENGTH * sizeof *fold);
    (void)row;
    for (int i = 0; i < LENGTH; i++)
        fold[i] = i / CLASSES % 2;
    if (variant > 0 && variant <= 4)
        fold[3] = bad[variant - 1];
    return variant <= 4 && give(out, fold, 0);
}

/* A sparse matrix with a diagonal. */
static bool make_rows(given *out, const provider *row, int variant)
{
    static int64_t rows[LENGTH + 1];
    (void)row;
    for (int i = 0; i <= LENGTH; i++)
        rows[i] = i < M ? i : M;
    if (variant == 1)
        rows[0] = 1;
    if (variant == 2)
        rows[2] = 0;
    if (variant == 3)
        rows[1] = INT64_MAX;
    return variant <= 3 && give(out, rows, sizeof rows);
}

static bool make_columns(given *out, const provider *row, int variant)
{
    static const int32_t bad[] = {-1, M, INT32_MIN, INT32_MAX};
    static int32_t columns[LENGTH];
    (void)row;
    for (int32_t i = 0; i < LENGTH; i++)
        columns[i] = i % M;
    if (variant > 0 && variant <= 4)
        columns[2] = bad[variant - 1];
    return variant <= 4 && give(out, columns, sizeof columns);
}

/* The same with indices of 32 bits, which are the first choice. Those of columns may be rows. */
static bool make_starts(given *out, const provider *row, int variant)
{
    static int32_t starts[LENGTH + 1];
    (void)row;
    for (int i = 0; i <= LENGTH; i++)
        starts[i] = i < M ? i : M;
    if (variant == 1)
        starts[0] = 1;
    if (variant == 2)
        starts[2] = 0;
    if (variant == 3)
        starts[1] = INT32_MAX;
    return variant <= 3 && give(out, starts, sizeof starts);
}

static bool make_narrow_indices(given *out, const provider *row, int variant)
{
    static const int32_t bad[] = {-1, N, INT32_MIN, INT32_MAX};
    static int32_t indices[LENGTH];
    (void)row;
    for (int32_t i = 0; i < LENGTH; i++)
        indices[i] = i % M;
    if (variant > 0 && variant <= 4)
        indices[2] = bad[variant - 1];
    return variant <= 4 && give(out, indices, sizeof indices);
}

/* Objects ----------------------------------------------------------------------------------- */

/* Whether matrices that are made have their values in memory, or are seen through windows alone. */
static bool storing;

static inline tsr_matrix *matrix_of(int64_t samples, int64_t features)
{
    tsr_matrix *x = NULL, *view = NULL;
    must(tsr_matrix_create(&x, samples, features, TSR_FLOAT64));
    double *value = tsr_matrix_edit(x);
    for (int64_t i = 0; i < samples * features; i++)
        value[i] = 0.25 + (double)((i * 7 + i / features) % 5);
    if (storing)
        must(tsr__matrix_scaled(&view, x, &(tsr__scaling){.type = TSR_FLOAT64}));
    return storing ? view : x;
}

static inline tsr_labels *labels_of(int64_t count)
{
    double number[N + 1];
    tsr_labels *labels = NULL;
    for (int64_t i = 0; i < count; i++)
        number[i] = (double)(i % CLASSES);
    must(tsr_labels_from_numbers(&labels, number, count));
    return labels;
}

static inline tsr_data *data_of(int64_t features)
{
    tsr_data *data = NULL;
    must(tsr_data_take(&data, matrix_of(N, features), labels_of(N)));
    return data;
}

static inline tsr_fit_options fit_options(const char *model)
{
    tsr_fit_options options;
    tsr_fit_defaults(&options);
    options.model = model;
    options.rank = K;
    options.iterations = 3;
    options.threads = 1;
    return options;
}

static inline tsr_model *model_of(const char *name)
{
    const tsr_fit_options options = fit_options(name);
    tsr_data *data = data_of(M);
    tsr_model *model = NULL;
    must(tsr_fit(&model, data, &options));
    tsr_data_free(data);
    return model;
}

/* A matrix whose values are watched. */
static inline bool give_matrix(given *out, int64_t samples, int64_t features)
{
    tsr_matrix *x = matrix_of(samples, features);
    *out = (given){x, tsr_matrix_values(x),
                   storing ? 0 : (size_t)(samples * features) * sizeof(double)};
    return true;
}

/* Any shape will do. */
static bool make_matrix(given *out, const provider *row, int variant)
{
    (void)row;
    return variant == 0 && give_matrix(out, N, M);
}

/* Samples that are pictures. */
static bool make_pictures(given *out, const provider *row, int variant)
{
    tsr_matrix *x = matrix_of(N, M);
    (void)row;
    if (variant == 0)
        must(tsr_matrix_set_image(x, (tsr_image_shape){3, 3, TSR_ROW_ORDER}));
    return variant <= 1 && give(out, x, 0);
}

/* Its features must be those of something else. */
static bool make_samples(given *out, const provider *row, int variant)
{
    (void)row;
    return variant <= 1 && give_matrix(out, N, M + variant);
}

static bool make_basis(given *out, const provider *row, int variant)
{
    (void)row;
    return variant <= 1 && give_matrix(out, K, M + variant);
}

static bool make_any_basis(given *out, const provider *row, int variant)
{
    (void)row;
    return variant == 0 && give_matrix(out, K, M);
}

static bool make_codes(given *out, const provider *row, int variant)
{
    (void)row;
    return variant <= 1 && give_matrix(out, N, K + variant);
}

/* Codes that only another choice would look at. */
static bool make_any_codes(given *out, const provider *row, int variant)
{
    (void)row;
    return variant == 0 && give_matrix(out, N, K);
}

static bool make_labels(given *out, const provider *row, int variant)
{
    (void)row;
    return variant == 0 && give(out, labels_of(N), 0);
}

/* As many as there are samples. */
static bool make_fitting_labels(given *out, const provider *row, int variant)
{
    (void)row;
    return variant <= 1 && give(out, labels_of(N - variant), 0);
}

static bool make_data(given *out, const provider *row, int variant)
{
    (void)row;
    return variant == 0 && give(out, data_of(M), 0);
}

/* For what was fitted to M features. */
static bool make_like_data(given *out, const provider *row, int variant)
{
    (void)row;
    return variant <= 1 && give(out, data_of(M + variant), 0);
}

static bool make_contents(given *out, const provider *row, int variant)
{
    tsr_contents *contents = NULL;
    (void)row;
    must(tsr_contents_read(&contents, path_of("model.h5")));
    return variant == 0 && give(out, contents, 0);
}

static bool make_model(given *out, const provider *row, int variant)
{
    return variant == 0 && give(out, model_of(row->text != NULL ? row->text : "cdnmf"), 0);
}

static bool make_validation(given *out, const provider *row, int variant)
{
    const tsr_fit_options options = fit_options("pca");
    tsr_validation *validation = NULL;
    (void)row;
    must(tsr_validate_on(&validation, data_of(M), data_of(M), &options, NULL));
    return variant == 0 && give(out, validation, 0);
}

/* Of visual words; the other is of none. */
static inline tsr_model *visual_model_of(void)
{
    tsr_features_options how = {0};
    tsr_fit_options options = fit_options("nmf");
    tsr_data *data = NULL;
    tsr_model *model = NULL;
    tsr_settings_default(tsr_features_settings(), &how);
    must(tsr_settings_set(tsr_features_settings(), &how, "kind", "dsift"));
    how.vocabulary = 2, how.grid[0] = how.grid[1] = 1, how.threads = 1;
    must(tsr_features_make(&data, path_of("scenes"), &how));
    must(tsr_fit(&model, data, &options));
    tsr_data_free(data);
    return model;
}

static bool make_visual_model(given *out, const provider *row, int variant)
{
    (void)row;
    return variant <= 1 && give(out, variant == 0 ? visual_model_of() : model_of("cdnmf"), 0);
}

static bool make_overlay(given *out, const provider *row, int variant)
{
    tsr_overlay *overlay = NULL;
    (void)row;
    must(tsr_overlay_make(&overlay, visual_model_of(), path_of("scenes/a/0.pgm"), NULL));
    return variant == 0 && give(out, overlay, 0);
}

static bool make_explanation(given *out, const provider *row, int variant)
{
    tsr_explanation *explanation = NULL;
    (void)row;
    must(tsr_explain(&explanation, model_of("cdnmf"), NULL, 0, NULL));
    return variant == 0 && give(out, explanation, 0);
}

static bool make_encoder(given *out, const provider *row, int variant)
{
    const tsr_fit_options options = fit_options("pca");
    tsr_data *data = data_of(M);
    tsr_encoder *encoder = NULL;
    (void)row;
    must(tsr_encoder_fit(&encoder, data, &options));
    tsr_data_free(data);
    return variant == 0 && give(out, encoder, 0);
}

static bool make_sparse_data(given *out, const provider *row, int variant)
{
    tsr_data *data = data_of(M), *sparse = NULL;
    (void)row;
    must(tsr_data_copy_as(&sparse, data, TSR_FLOAT64, true));
    tsr_data_free(data);
    return variant == 0 && give(out, sparse, 0);
}

/* Settings ------------------------------------------------------------------------------------ */

static bool make_table(given *out, const provider *row, int variant)
{
    static tsr_setting table[2];
    (void)row;
    table[0] = (tsr_setting){.name = "rank", .kind = TSR_SETTING_INTEGER, .maximum = 9};
    if (variant == 1)
        table[0].kind = (tsr_setting_kind)99;
    if (variant == 2)
        table[0].kind = TSR_SETTING_CHOICE; /* without its choices */
    return variant <= 2 && give(out, variant > 0 ? table : tsr_fit_settings(), 0);
}

/* Whose values are about to change. */
static bool make_object(given *out, const provider *row, int variant)
{
    static tsr_fit_options options;
    (void)row;
    options = fit_options("cdnmf");
    return variant == 0 && give(out, &options, sizeof options);
}

/* Options by name. */
static bool make_options(given *out, const provider *row, int variant)
{
    tsr_options *options = NULL;
    (void)row;
    must(tsr_options_create(&options, "fit"));
    return variant == 0 && give(out, options, 0);
}

/* Options: the first are valid, each of the others has one member that is not; the last is all
 * zero. */
static bool make_fit_options(given *out, const provider *row, int variant)
{
    enum { COUNT = 11 };
    static tsr_fit_options options[COUNT];
    for (int i = 0; i < COUNT - 1; i++)
        options[i] = fit_options(row->text != NULL ? row->text : "cdnmf");
    options[1].rank = -5;
    options[2].normalize = 99;
    options[3].loss = -1;
    options[4].tolerance = (double)NAN;
    options[5].graph = (double)-INFINITY;
    options[6].iterations = INT64_MIN;
    options[7].threads = INT64_MAX;
    options[8].model = NULL;
    options[9].init = NULL;
    return variant < COUNT && give(out, &options[variant], sizeof *options);
}

static bool make_read_options(given *out, const provider *row, int variant)
{
    enum { COUNT = 6 };
    static tsr_read_options options[COUNT];
    (void)row;
    for (int i = 0; i < COUNT; i++)
        tsr_settings_default(tsr_read_settings(), &options[i]);
    options[1].image_order = 99;
    options[2].image_shape[0] = -1;
    options[3].size[1] = INT64_MAX;
    options[4].threads = INT64_MIN;
    options[5].header = -1;
    return variant < COUNT && give(out, &options[variant], 0);
}

static bool make_transform_options(given *out, const provider *row, int variant)
{
    enum { COUNT = 6 };
    static tsr_transform_options options[COUNT];
    (void)row;
    for (int i = 0; i < COUNT - 1; i++) {
        tsr_settings_default(tsr_transform_settings(), &options[i]);
        options[i].threads = 1;
    }
    options[1].method = 99;
    options[2].method = -1;
    options[3].iterations = -1;
    options[4].tolerance = (double)NAN;
    return variant < COUNT && give(out, &options[variant], 0);
}

static bool make_features_options(given *out, const provider *row, int variant)
{
    enum { COUNT = 7, WORDS = 3 };
    static tsr_features_options options[COUNT];
    (void)row;
    for (int i = 0; i < COUNT - 1; i++) {
        tsr_settings_default(tsr_features_settings(), &options[i]);
        options[i].kind = WORDS;
        options[i].threads = 1;
    }
    options[1].kind = 99;
    options[2].kind = -1;
    options[3].maximum_share = (double)NAN;
    options[4].vocabulary = -1;
    options[5].stop_words = NULL;
    return variant < COUNT && give(out, &options[variant], 0);
}

static bool make_select_options(given *out, const provider *row, int variant)
{
    enum { COUNT = 11 };
    static tsr_select_options options[COUNT];
    (void)row;
    for (int i = 0; i < COUNT - 1; i++) {
        tsr_settings_default(tsr_select_settings(), &options[i]);
        options[i].ranks = "2", options[i].weights = "1";
        options[i].folds = 2;
    }
    options[1].folds = 0;
    options[2].by = 99;
    options[3].rule = -1;
    options[4].ranks = NULL;
    options[5].ranks = "0";
    options[6].ranks = "2-1";
    options[7].weights = "nan";
    options[8].weights = "-1";
    options[9].repeats = -1;
    return variant < COUNT && give(out, &options[variant], 0);
}

static bool make_experiment_options(given *out, const provider *row, int variant)
{
    enum { COUNT = 5 };
    static tsr_experiment_options options[COUNT];
    (void)row;
    for (int i = 0; i < COUNT - 1; i++) {
        tsr_settings_default(tsr_experiment_settings(), &options[i]);
        options[i].data = folder;
        options[i].threads = 1;
    }
    options[1].format = 99;
    options[2].threads = -1;
    options[3].models = "nobody";
    return variant < COUNT && give(out, &options[variant], 0);
}

static bool make_validate_options(given *out, const provider *row, int variant)
{
    enum { COUNT = 4 };
    static tsr_validate_options options[COUNT];
    (void)row;
    for (int i = 0; i < COUNT; i++)
        tsr_settings_default(tsr_validate_settings(), &options[i]);
    options[1].neighbours = 0;
    options[2].neighbours = INT64_MAX;
    options[3].encode = 99;
    return variant < COUNT && give(out, &options[variant], 0);
}

static bool make_overlay_options(given *out, const provider *row, int variant)
{
    enum { COUNT = 4 };
    static tsr_overlay_options options[COUNT];
    (void)row;
    for (int i = 0; i < COUNT; i++)
        tsr_settings_default(tsr_overlay_settings(), &options[i]);
    options[1].threshold = -1;
    options[2].share = (double)NAN;
    options[3].opacity = 2;
    return variant < COUNT && give(out, &options[variant], 0);
}

static bool make_cluster_options(given *out, const provider *row, int variant)
{
    enum { COUNT = 10 };
    static const int32_t above[N] = {[4] = CLASSES}, below[N] = {[4] = -2};
    static tsr_cluster_options options[COUNT];
    (void)row;
    for (int i = 0; i < COUNT - 1; i++)
        options[i] = (tsr_cluster_options){.clusters = CLASSES, .threads = 1};
    options[1].clusters = -1;
    options[2].clusters = INT64_MAX;
    options[3].restarts = -1;
    options[4].iterations = INT64_MIN;
    options[5].threads = -1;
    options[6].threads = INT64_MAX;
    options[7].held = above;
    options[8].held = below;
    return variant < COUNT && give(out, &options[variant], 0);
}

/* Of one rank, which says nothing to anybody. */
static tsr_status swap_nothing(void *user, int to, const void *send, int64_t sent, int from,
                               void *receive, int64_t wanted)
{
    (void)user, (void)to, (void)send, (void)sent, (void)from, (void)receive, (void)wanted;
    return tsr__fail(TSR_ERROR_UNSUPPORTED, "one rank has nobody to swap with");
}

static bool make_swap(given *out, const provider *row, int variant)
{
    static const tsr_swap swaps[] = {swap_nothing, NULL};
    (void)row;
    return variant <= 1 && give(out, &swaps[variant], 0);
}

static bool make_team(given *out, const provider *row, int variant)
{
    tsr_team *team = NULL;
    (void)row;
    must(tsr_team_create(&team, 0, 1, swap_nothing, NULL));
    return variant == 0 && give(out, team, 0);
}

static bool make_shape(given *out, const provider *row, int variant)
{
    static const tsr_image_shape shapes[] = {
        {3, 3, TSR_ROW_ORDER},         {-3, -3, TSR_ROW_ORDER},    {2, 3, TSR_ROW_ORDER},
        {INT64_MAX, 3, TSR_ROW_ORDER}, {3, 3, (tsr_image_order)2}, {3, 3, (tsr_image_order)-1},
    };
    (void)row;
    return variant < (int)(sizeof shapes / sizeof *shapes) && give(out, &shapes[variant], 0);
}

static bool make_experiment(given *out, const provider *row, int variant)
{
    tsr_experiment *experiment = NULL;
    given options;
    (void)make_experiment_options(&options, row, 0);
    must(tsr_experiment_run(&experiment, path_of("study.txt"), options.pointer));
    return variant == 0 && give(out, experiment, 0);
}

static bool make_page(given *out, const provider *row, int variant)
{
    tsr_page *page = NULL;
    (void)row;
    must(tsr_page_model(&page, model_of("cdnmf"), NULL, NULL));
    return variant == 0 && give(out, page, 0);
}

static bool make_page_options(given *out, const provider *row, int variant)
{
    enum { COUNT = 4 };
    static tsr_page_options options[COUNT];
    (void)row;
    for (int i = 0; i < COUNT; i++)
        tsr_settings_default(tsr_page_settings(), &options[i]);
    options[1].points = 0;
    options[2].parts = -1;
    options[3].threads = -1;
    return variant < COUNT && give(out, &options[variant], 0);
}

static bool make_selection(given *out, const provider *row, int variant)
{
    const tsr_fit_options fit = fit_options("cdnmf");
    tsr_selection *selection = NULL;
    given options;
    (void)make_select_options(&options, row, 0);
    must(tsr_select(&selection, data_of(M), &fit, options.pointer));
    return variant == 0 && give(out, selection, 0);
}

/* clang-format off */
static const provider providers[] = {
    {"void *",                        "object",  NULL, make_object,      NULL},
    {"void *",                        "user",    NULL, make_room,        NULL},
    {"const void *",                  "object",  NULL, make_fit_options, NULL},
    {"const void *",                  "starts",  NULL, make_starts,      NULL},
    {"const void *",                  "indices", NULL, make_narrow_indices, NULL},
    {"const void *",                  "values",  NULL, make_room,        NULL},
    {"const void *",                  "given",   NULL, make_matrix,      NULL},
    {"const int64_t *",               "rows",    NULL, make_rows,        NULL},
    {"const int32_t *",               "columns", NULL, make_columns,     NULL},
    {"size_t *",                      NULL,      NULL, make_room,        NULL},
    {"double *",                      NULL,      NULL, make_room,        NULL},
    {"int64_t *",                     NULL,      NULL, make_room,        NULL},
    {"int32_t *",                     NULL,      NULL, make_room,        NULL},
    {"tsr_scan *",                    NULL,      NULL, make_room,        NULL},
    {"tsr_scores *",                  NULL,      NULL, make_room,        NULL},
    {"tsr_term *",                    NULL,      NULL, make_room,        NULL},
    {"tsr_model_info *",              NULL,      NULL, make_room,        NULL},
    {"tsr_judgement *",               NULL,      NULL, make_room,        NULL},
    {"tsr_format_info *",             NULL,      NULL, make_room,        NULL},
    {"tsr_fit_options *",             NULL,      NULL, make_room,        NULL},
    {"tsr_options **",                NULL,      NULL, make_room,        NULL},
    {"const char **",                 NULL,      NULL, make_room,        NULL},
    {"tsr_matrix **",                 NULL,      NULL, make_room,        NULL},
    {"tsr_labels **",                 NULL,      NULL, make_room,        NULL},
    {"tsr_data **",                   NULL,      NULL, make_room,        NULL},
    {"tsr_contents **",               NULL,      NULL, make_room,        NULL},
    {"tsr_candidate *",               NULL,      NULL, make_room,        NULL},
    {"tsr_selection **",              NULL,      NULL, make_room,        NULL},
    {"tsr_experiment **",             NULL,      NULL, make_room,        NULL},
    {"tsr_validation **",             NULL,      NULL, make_room,        NULL},
    {"tsr_overlay **",                NULL,      NULL, make_room,        NULL},
    {"tsr_page **",                   NULL,      NULL, make_room,        NULL},
    {"tsr_explanation **",            NULL,      NULL, make_room,        NULL},
    {"tsr_part *",                    NULL,      NULL, make_room,        NULL},
    {"tsr_model **",                  NULL,      NULL, make_room,        NULL},
    {"tsr_encoder **",                NULL,      NULL, make_room,        NULL},
    {"tsr_team **",                   NULL,      NULL, make_room,        NULL},
    {"const char *const *",           NULL,      NULL, make_texts,       NULL},
    {"const char *",                  "subject", NULL, make_subject,     "these"},
    {"const char *",                  "name",    "tsr_options_create", make_text, "fit"},
    {"const char *",                  "name",    "tsr_options_table", make_text, "fit"},
    {"const char *",                  "name",    "tsr_options_give", make_text, "mask-matrix"},
    {"const char *",                  "name",    "tsr_result_table", make_text, "scan"},
    {"const char *",                  "name",    NULL, make_text,        "rank"},
    {"const char *",                  "value",   NULL, make_text,        "3"},
    {"const char *",                  "where",   "tsr_features_make", make_path, "texts.txt"},
    {"const char *",                  "where",   NULL, make_path,        "data.csv"},
    {"const char *",                  "path",    "tsr_model_read",  make_path, "model.h5"},
    {"const char *",                  "path",    "tsr_contents_read", make_path, "model.h5"},
    {"const char *",                  "path",    "tsr_model_write", make_path, "written.h5"},
    {"const char *",                  "path",    "tsr_data_write_both", make_path, "written.h5"},
    {"const char *",                  "path",    "tsr_data_convert", make_path, "written.h5"},
    {"const char *",                  "path",    "tsr_data_convert_checked", make_path, "written.h5"},
    {"const char *",                  "path",    "tsr_sheet_write", make_path, "written.png"},
    {"const char *",                  "path",    "tsr_heat_write",  make_path, "written.png"},
    {"const char *",                  "path",    "tsr_overlay_write", make_path, "written.png"},
    {"const char *",                  "path",    "tsr_page_write",    make_path, "written.html"},
    {"const char *",                  "protocol", NULL, make_path,       "study.txt"},
    {"const char *",                  "picture", NULL, make_path,        "scenes/a/0.pgm"},
    {"const char *",                  "folder",  "tsr_page_experiment", make_path, "experiment"},
    {"const char *",                  "path",    NULL, make_path,        "written.csv"},
    {"const double *",                NULL,      NULL, make_reals,       NULL},
    {"const int64_t *",               "column",  NULL, make_indices,     "features"},
    {"const int64_t *",               NULL,      NULL, make_indices,     NULL},
    {"const int32_t *",               "fold",    NULL, make_folds,       NULL},
    {"const int32_t *",               NULL,      NULL, make_classes,     NULL},
    {"const tsr_matrix *",            "pictures", NULL, make_pictures,   NULL},
    {"const tsr_matrix *",            "test",    NULL, make_samples,     NULL},
    {"const tsr_matrix *",            "train",   NULL, make_samples,     NULL},
    {"const tsr_matrix *",            "x",       "tsr_rank_basis",  make_samples,   NULL},
    {"const tsr_matrix *",            "x",       "tsr_rank_curve",  make_samples,   NULL},
    {"const tsr_matrix *",            "basis",   "tsr_rank_basis",  make_basis,     NULL},
    {"const tsr_matrix *",            "basis",   "tsr_rank_curve",  make_basis,     NULL},
    {"const tsr_matrix *",            "basis",   "tsr_model_from_parts", make_any_basis, NULL},
    {"const tsr_matrix *",            "basis",   "tsr_basis_terms", make_any_basis, NULL},
    {"const tsr_matrix *",            "basis",   "tsr_basis_shares", make_any_basis, NULL},
    {"const tsr_matrix *",            "codes",   "tsr_rank_basis",  make_any_codes, NULL},
    {"const tsr_matrix *",            "codes",   "tsr_rank_curve",  make_any_codes, NULL},
    {"const tsr_matrix *",            "codes",   "tsr_heat_write",  make_any_codes, NULL},
    {"const tsr_matrix *",            "codes",   NULL, make_codes,       NULL},
    {"const tsr_matrix *",            "x",       NULL, make_matrix,      NULL},
    {"tsr_matrix *",                  NULL,      NULL, make_matrix,      NULL},
    {"const tsr_labels *",            NULL,      "tsr_model_from_parts", make_fitting_labels, NULL},
    {"const tsr_labels *",            NULL,      "tsr_heat_write",  make_fitting_labels, NULL},
    {"const tsr_labels *",            NULL,      NULL, make_labels,      NULL},
    {"tsr_labels *",                  NULL,      "tsr_data_take", make_fitting_labels, NULL},
    {"tsr_labels *",                  NULL,      NULL, make_labels,      NULL},
    {"const tsr_data *",              NULL,      "tsr_model_transform", make_like_data, NULL},
    {"const tsr_data *",              NULL,      "tsr_model_prepare",   make_like_data, NULL},
    {"const tsr_data *",              NULL,      "tsr_explain",         make_like_data, NULL},
    {"const tsr_data *",              NULL,      "tsr_validate_on",     make_like_data, NULL},
    {"const tsr_data *",              NULL,      "tsr_encoder_encode",  make_like_data, NULL},
    {"const tsr_data *",              NULL,      "tsr_fit_resume",      make_like_data, NULL},
    {"const tsr_data *",              NULL,      "tsr_data_write_both", make_sparse_data, NULL},
    {"const tsr_data *",              NULL,      NULL, make_data,        NULL},
    {"tsr_data *",                    NULL,      NULL, make_data,        NULL},
    {"const tsr_explanation *",       NULL,      NULL, make_explanation, NULL},
    {"tsr_explanation *",             NULL,      NULL, make_explanation, NULL},
    {"const tsr_contents *",          NULL,      NULL, make_contents,    NULL},
    {"tsr_contents *",                NULL,      NULL, make_contents,    NULL},
    {"const tsr_experiment *",        NULL,      NULL, make_experiment,  NULL},
    {"tsr_experiment *",              NULL,      NULL, make_experiment,  NULL},
    {"const tsr_selection *",         NULL,      NULL, make_selection,   NULL},
    {"tsr_selection *",               NULL,      NULL, make_selection,   NULL},
    {"const tsr_validation *",        NULL,      NULL, make_validation,  NULL},
    {"tsr_validation *",              NULL,      NULL, make_validation,  NULL},
    {"const tsr_page *",              NULL,      NULL, make_page,        NULL},
    {"tsr_page *",                    NULL,      NULL, make_page,        NULL},
    {"const tsr_overlay *",           NULL,      NULL, make_overlay,     NULL},
    {"tsr_overlay *",                 NULL,      NULL, make_overlay,     NULL},
    {"const tsr_model *",             NULL,      "tsr_overlay_make", make_visual_model, NULL},
    {"const tsr_model *",             NULL,      "tsr_fit_more", make_model, "nmf"},
    {"const tsr_model *",             NULL,      NULL, make_model,       NULL},
    {"tsr_model *",                   NULL,      NULL, make_model,       NULL},
    {"const tsr_encoder *",           NULL,      NULL, make_encoder,     NULL},
    {"tsr_encoder *",                 NULL,      NULL, make_encoder,     NULL},
    {"const tsr_options *",           NULL,      NULL, make_options,     NULL},
    {"tsr_options *",                 NULL,      NULL, make_options,     NULL},
    {"const tsr_setting *",           NULL,      NULL, make_table,       NULL},
    {"const tsr_fit_options *",       NULL,      "tsr_fit_more", make_fit_options, "nmf"},
    {"const tsr_fit_options *",       NULL,      NULL, make_fit_options, NULL},
    {"const tsr_read_options *",      NULL,      NULL, make_read_options,      NULL},
    {"const tsr_transform_options *", NULL,      NULL, make_transform_options, NULL},
    {"const tsr_features_options *",  NULL,      NULL, make_features_options,  NULL},
    {"const tsr_select_options *",    NULL,      NULL, make_select_options,    NULL},
    {"const tsr_experiment_options *", NULL,     NULL, make_experiment_options, NULL},
    {"const tsr_validate_options *",  NULL,      NULL, make_validate_options,  NULL},
    {"const tsr_overlay_options *",   NULL,      NULL, make_overlay_options,   NULL},
    {"const tsr_page_options *",      NULL,      NULL, make_page_options,      NULL},
    {"const tsr_cluster_options *",   NULL,      NULL, make_cluster_options,   NULL},
    {"tsr_team *",                    NULL,      NULL, make_team,        NULL},
    {"tsr_swap",                      NULL,      NULL, make_swap,        NULL},
    {"tsr_image_shape",               NULL,      NULL, make_shape,       NULL},
};

/* Numbers by name; function NULL: any. */
static const struct {
    const char *name, *function;
    int64_t value;
} wholes[] = {
    {"count", "tsr_model_keep", K}, {"count", "tsr_rank_curve", K}, {"trained", NULL, 0},
    {"count", "tsr_data_name_features", M}, {"stride", "tsr_matrix_copy_columns", N},
    {"count", NULL, N},           {"samples", NULL, N}, {"features", NULL, M}, {"stride", NULL, M},
    {"first", NULL, 0},           {"sample", NULL, 0},  {"feature", NULL, 0},  {"vector", NULL, 0},
    {"i", NULL, 0},               {"j", NULL, 0},       {"of", NULL, 0},       {"classes", NULL, CLASSES},
    {"needs", NULL, 1},           {"sparse", NULL, 0},  {"threads", NULL, 1},  {"folds", NULL, 2},
    {"neighbours", NULL, 3}, {"seed", NULL, 1}, {"most", NULL, 3},
    {"columns", NULL, 0},         {"zoom", NULL, 1},    {"alike", NULL, 0},     {"distances", NULL, 1},
    {"both_orders", NULL, 0},     {"rank", NULL, 0},    {"ranks", NULL, 1},
};
/* clang-format on */

#endif
