/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera terms: the words, or other features, that basis vectors are about. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"

struct values {
    talk talk;
    int64_t top;
    double specific;
};

static const tsr_setting table[] = {
    TSR_INTEGER_ROW(struct values, top, "top", 0, 0, 1e9, "0", "N",
                    "at most N terms a vector; 0: 20, or all that are specific"),
    TSR_REAL_ROW(struct values, specific, "specific", 0, 1, "0", "T",
                 "only terms above T in this vector and below it in every other; as published: "
                 "0.05"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* The terms of a model, vector after vector, `room` of them each. */
typedef struct terms {
    const tsr_model *model;
    int64_t rank, room;
    tsr_term *term;
    int64_t *count;
    int32_t *class;
    double *share;
} terms;

static void terms_clear(terms *t)
{
    tsr__free(t->term);
    tsr__free(t->count);
    tsr__free(t->class);
    tsr__free(t->share);
}

static tsr_status find(terms *t, const tsr_model *model, const struct values *values)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *basis = tsr_model_basis(model);
    const int64_t features = tsr_matrix_features(basis);
    int64_t all = 0;
    t->model = model;
    t->rank = tsr_matrix_samples(basis);
    t->room = values->top > 0 ? values->top : values->specific > 0 ? features : 20;
    t->room = t->room < features ? t->room : features;
    if (!tsr__multiply(&all, t->rank, t->room))
        TSR_FAIL(TSR_ERROR_MEMORY, "%lld terms for each of %lld vectors are too many",
                 (long long)t->room, (long long)t->rank);
    TSR_NEW(t->term, all);
    TSR_NEW(t->count, t->rank);
    TSR_NEW(t->class, t->rank);
    TSR_NEW(t->share, t->rank);
    for (int64_t j = 0; j < t->rank; j++)
        TSR_TRY(tsr_basis_terms(t->term + j * t->room, &t->count[j], basis, j, t->room,
                                values->specific));
    TSR_TRY(tsr_vector_classes(t->class, t->share, model));
done:
    return status;
}

/* The feature's name, or its number. */
static const char *name_of(char *out, size_t size, const terms *t, int64_t feature)
{
    const char *name = tsr_model_feature_name(t->model, feature);
    if (name != NULL)
        return name;
    (void)snprintf(out, size, "#%lld", (long long)feature);
    return out;
}

static const char *class_of(const terms *t, int64_t j)
{
    return t->class[j] >= 0 ? tsr_labels_name(tsr_model_labels(t->model), t->class[j]) : NULL;
}

static tsr_status print_json(const terms *t, const struct values *values)
{
    char number[32];
    tsr__json *root = tsr__json_new();
    tsr__json_integer(root, "rank", t->rank);
    tsr__json_text(root, "scale", "unit length");
    if (values->specific > 0)
        tsr__json_real(root, "specific", values->specific);
    tsr__json *vectors = tsr__json_array(root, "vectors");
    for (int64_t j = 0; j < t->rank; j++) {
        tsr__json *vector = tsr__json_object(vectors, NULL);
        tsr__json_integer(vector, "vector", j);
        tsr__json_text(vector, "class", class_of(t, j));
        if (t->class[j] >= 0)
            tsr__json_real(vector, "share", t->share[j]);
        tsr__json *list = tsr__json_array(vector, "terms");
        for (int64_t i = 0; i < t->count[j]; i++) {
            const tsr_term *term = &t->term[j * t->room + i];
            tsr__json *item = tsr__json_object(list, NULL);
            tsr__json_text(item, "term", name_of(number, sizeof number, t, term->feature));
            tsr__json_integer(item, "feature", term->feature);
            tsr__json_real(item, "weight", term->weight);
        }
    }
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static void print_text(const terms *t)
{
    char number[32];
    for (int64_t j = 0; j < t->rank; j++) {
        (void)printf("vector %lld", (long long)j);
        if (t->class[j] >= 0)
            (void)printf(", %s (%.0f %%)", class_of(t, j), 100 * t->share[j]);
        (void)printf("%s\n", t->count[j] == 0 ? ": none" : "");
        for (int64_t i = 0; i < t->count[j]; i++) {
            const tsr_term *term = &t->term[j * t->room + i];
            (void)printf("  %.4f  %s\n", term->weight,
                         name_of(number, sizeof number, t, term->feature));
        }
    }
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    const struct values *values = call->values;
    tsr_model *model = NULL;
    terms t = {0};
    TSR_TRY(tsr_model_read(&model, call->operand[0]));
    TSR_TRY(find(&t, model, values));
    if (values->talk.json)
        TSR_TRY(print_json(&t, values));
    else
        print_text(&t);
done:
    terms_clear(&t);
    tsr_model_free(model);
    return status;
}

const cli_command command_terms = {
    .name = "terms",
    .topic = "use",
    .summary = "The words, or other features, that basis vectors are about.",
    .usage = "[options] MODEL.h5",
    .details =
        "Weights are those of basis vectors scaled to unit length. With labels, each vector is "
        "shown with the class that uses it most: the mean code of its samples as a share "
        "of all classes' means.",
    .example = "  tessera terms news.h5 --top 10\n"
               "  tessera terms news.h5 --specific 0.05",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"terms", settings, 0},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
