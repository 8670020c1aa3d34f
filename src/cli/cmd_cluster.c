/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera cluster: k-means on codes or raw samples, judged against the classes. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"

struct values {
    tsr_fit_options fit;
    tsr_read_options read;
    talk talk;
    const char *model;
    int64_t clusters, restarts, fit_restarts, rounds;
    bool seeded, unit_codes;
};

static const tsr_setting table[] = {
    TSR_INTEGER_ROW(struct values, clusters, "clusters", 'n', 0, 1e9, "0", "N",
                    "clusters; 0: as many as there are classes"),
    TSR_INTEGER_ROW(struct values, restarts, "restarts", 0, 1, 1e6, "20", "N",
                    "starts of k-means; the least cost is kept"),
    TSR_INTEGER_ROW(struct values, rounds, "rounds", 0, 1, 1e9, "300", "N",
                    "iterations of k-means, at most"),
    TSR_FLAG_ROW(struct values, seeded, "seeded", 0,
                 "start and hold clusters by the samples whose label the learner saw"),
    TSR_FLAG_ROW(struct values, unit_codes, "unit-codes", 0, "scale codes to unit length"),
    TSR_TEXT_ROW(struct values, model, "model", 'm', NULL, "NAME",
                 "fit this model or baseline first; else the samples themselves"),
    TSR_INTEGER_ROW(struct values, fit_restarts, "fit-restarts", 0, 1, 1e6, "1", "N",
                    "starts of the factorization"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* What is clustered and what is known of it; everything is owned by the three at the top. */
typedef struct subject {
    tsr_model *model;
    tsr_data *data;
    tsr_encoder *encoder;
    const tsr_matrix *codes;
    const tsr_labels *labels; /* or NULL */
    const int32_t *seen;      /* or NULL */
} subject;

static void subject_clear(subject *s)
{
    tsr_encoder_free(s->encoder);
    tsr_data_free(s->data);
    tsr_model_free(s->model);
}

static tsr_status open_model(subject *s, const char *path, const struct values *values)
{
    if (values->model != NULL)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "%s is a fitted model: --model is for data to be fitted", path);
    s->codes = tsr_model_diffused(s->model);
    s->labels = tsr_model_labels(s->model);
    s->seen = tsr_model_seen(s->model);
    return TSR_OK;
}

static tsr_status open_data(subject *s, const char *path, struct values *values)
{
    tsr_status status = TSR_OK;
    values->fit.restarts = values->fit_restarts;
    values->fit.progress = values->read.progress;
    TSR_TRY(tsr_data_read(&s->data, path, &values->read));
    TSR_TRY(tsr_encoder_fit(&s->encoder, s->data, &values->fit));
    s->codes = tsr_encoder_codes(s->encoder);
    s->labels = tsr_data_labels(s->data);
    s->seen = s->labels != NULL ? tsr_encoder_seen(s->encoder) : NULL;
done:
    terminal_clear();
    return status;
}

/* The number of clusters that options and labels ask for. */
static tsr_status count_clusters(int64_t *out, const subject *s, const struct values *values)
{
    const int64_t classes = s->labels != NULL ? tsr_labels_classes(s->labels) : 0;
    const int64_t wanted = values->clusters > 0 ? values->clusters : classes;
    int64_t seen = 0;
    for (int64_t i = 0; s->seen != NULL && i < tsr_matrix_samples(s->codes); i++)
        seen += s->seen[i] >= 0;
    if (wanted == 0)
        return tsr__fail(TSR_ERROR_ARGUMENT, "there are no classes to count: --clusters N");
    if (values->seeded && seen == 0)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "--seeded needs labels that the learner saw, and there are none");
    if (values->seeded && wanted < classes)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "--seeded needs a cluster for each of the %lld classes, not %lld",
                         (long long)classes, (long long)wanted);
    *out = wanted;
    return TSR_OK;
}

static tsr_status add_confusion(tsr__json *root, const subject *s, const int32_t *of,
                                int64_t clusters)
{
    tsr_status status = TSR_OK;
    const int32_t classes = tsr_labels_classes(s->labels);
    const int64_t side = clusters > classes ? clusters : classes;
    int64_t *counts = NULL, cells = 0;
    if (!tsr__multiply(&cells, side, side))
        TSR_FAIL(TSR_ERROR_MEMORY, "%lld clusters are too many to tabulate", (long long)side);
    TSR_NEW(counts, cells);
    tsr_confusion(counts, tsr_labels_of(s->labels), of, tsr_labels_count(s->labels),
                  (int32_t)side);
    tsr__json *names = tsr__json_array(root, "classes");
    tsr__json *rows = tsr__json_array(root, "confusion");
    for (int32_t c = 0; c < classes; c++) {
        tsr__json_text(names, NULL, tsr_labels_name(s->labels, c));
        tsr__json *row = tsr__json_array(rows, NULL);
        for (int64_t a = 0; a < clusters; a++)
            tsr__json_integer(row, NULL, counts[c * side + a]);
    }
done:
    tsr__free(counts);
    return status;
}

static tsr_status print_json(const subject *s, const int32_t *of, int64_t clusters, double cost,
                             const tsr_scores *scores, const struct values *values)
{
    tsr_status status = TSR_OK;
    tsr__json *root = tsr__json_new();
    tsr__json_integer(root, "samples", tsr_matrix_samples(s->codes));
    tsr__json_integer(root, "clusters", clusters);
    tsr__json_flag(root, "seeded", values->seeded);
    tsr__json_integer(root, "seed", values->fit.seed);
    tsr__json_real(root, "cost", cost);
    if (scores != NULL) {
        tsr__json_real(root, "accuracy", scores->accuracy);
        tsr__json_real(root, "nmi", scores->nmi);
        tsr__json_real(root, "nmi_arithmetic", scores->nmi_arithmetic);
        tsr__json_real(root, "ari", scores->ari);
        tsr__json_real(root, "purity", scores->purity);
        TSR_TRY(add_confusion(root, s, of, clusters));
    }
    tsr__json *list = tsr__json_array(root, "assignments");
    for (int64_t i = 0; i < tsr_matrix_samples(s->codes); i++)
        tsr__json_integer(list, NULL, of[i]);
    TSR_TRY(tsr__json_print(root, stdout));
done:
    tsr__json_free(root);
    return status;
}

static void print_text(const subject *s, int64_t clusters, double cost,
                       const tsr_scores *scores)
{
    (void)printf("%lld samples in %lld clusters, cost %.8g\n",
                 (long long)tsr_matrix_samples(s->codes), (long long)clusters, cost);
    const tsr_model *model = s->model != NULL ? s->model : tsr_encoder_model(s->encoder);
    if (model != NULL && tsr_model_diffused(model) != tsr_model_codes(model))
        (void)printf("  codes are diffused over the neighbours (--diffuse)\n");
    if (scores == NULL) {
        (void)printf("  no classes are known: nothing to compare with\n");
        return;
    }
    (void)printf("  accuracy  %.4f\n  nmi       %.4f (arithmetic %.4f)\n", scores->accuracy,
                 scores->nmi, scores->nmi_arithmetic);
    (void)printf("  ari       %.4f\n  purity    %.4f\n", scores->ari, scores->purity);
}

static tsr_status check(const cli_call *call)
{
    struct values *values = call->values;
    values->fit.model = values->model != NULL ? values->model : "raw";
    return tsr_encoder_check(&values->fit);
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    const char *path = call->operand[0];
    subject s = {0};
    tsr_scores scores;
    int32_t *of = NULL;
    int64_t clusters = 0;
    double cost = 0;
    values->read.progress = terminal_progress(values->talk.quiet);
    if (tsr_path_holds_model(path))
        TSR_TRY(tsr_model_read(&s.model, path));
    TSR_TRY(s.model != NULL ? open_model(&s, path, values) : open_data(&s, path, values));
    TSR_TRY(count_clusters(&clusters, &s, values));
    const tsr_cluster_options options = {.clusters = clusters,
                                         .restarts = values->restarts,
                                         .iterations = values->rounds,
                                         .seed = values->fit.seed,
                                         .threads = values->fit.threads,
                                         .unit_codes = values->unit_codes,
                                         .held = values->seeded ? s.seen : NULL,
                                         .team = values->read.team};
    TSR_NEW(of, tsr_matrix_samples(s.codes));
    TSR_TRY(tsr_cluster(of, &cost, s.codes, &options));
    const bool judged = s.labels != NULL && tsr_labels_known(s.labels) > 0;
    if (judged)
        TSR_TRY(tsr_score_clusters(&scores, of, tsr_labels_of(s.labels),
                                   tsr_labels_count(s.labels)));
    if (values->talk.json)
        TSR_TRY(print_json(&s, of, clusters, cost, judged ? &scores : NULL, values));
    else
        print_text(&s, clusters, cost, judged ? &scores : NULL);
done:
    tsr__free(of);
    subject_clear(&s);
    return status;
}

const cli_command command_cluster = {
    .name = "cluster",
    .topic = "use",
    .summary = "Cluster codes or samples by k-means and compare with the classes.",
    .usage = "[options] MODEL.h5|DATA",
    .details =
        "Scores are fractions of all samples whose class is known, hidden ones included.",
    .example =
        "  tessera cluster faces.mat --model cdnmf-kl --labelled 2 --normalize l2 --seeded",
    .least = 1,
    .most = 1,
    .shares = true,
    .size = sizeof(struct values),
    .groups = {{"clustering", settings, 0},
               {"model", tsr_fit_settings, offsetof(struct values, fit)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .check = check,
    .run = run,
};
