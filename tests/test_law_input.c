/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bad input: every refusal has its status, and a message that says what is wrong, where, and
 * what would do. Divergence and interruption are told likewise. */
#include "lab.h"

enum { N = 12, M = 7 };

typedef struct refusal {
    const char *line;
    tsr_status status;
    const char *words[3];
} refusal;

static void check_refused(const lab *l, const refusal *r)
{
    lab_options options;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(l, sparse == 1);
        tsr_model *model = NULL;
        const int64_t live = tsr__memory_live();
        lab_options_of(&options, 5, "%s", r->line);
        const tsr_status status = tsr_fit(&model, data, &options.o);
        if (status != r->status)
            fail_msg("'%s': %s (%s) instead of %s", r->line, tsr_status_name(status),
                     status < 0 ? tsr_message() : "", tsr_status_name(r->status));
        for (int i = 0; i < 3 && r->words[i] != NULL; i++)
            if (strstr(tsr_message(), r->words[i]) == NULL)
                fail_msg("'%s': \"%s\" does not say \"%s\"", r->line, tsr_message(),
                         r->words[i]);
        assert_null(model);
        assert_int_equal(tsr__memory_live(), live);
        tsr_data_free(data);
    }
}

static void ranks_and_options(void **state)
{
    static const refusal table[] = {
        {"model=nmf rank=13", TSR_ERROR_ARGUMENT, {"rank 13", "12 samples", "7 features"}},
        {"model=cdnmf rank=2", TSR_ERROR_ARGUMENT, {"rank 2", "3 classes", "--rank 3"}},
        {"model=cdnmf rank=7", TSR_ERROR_ARGUMENT, {"rank 7", "--rank 6", "--shared 1"}},
        {"model=cdnmf rank=4 shared=2", TSR_ERROR_ARGUMENT, {"rank 4", "--rank 5", NULL}},
        {"model=cdnmf rank=5 per-class=2", TSR_ERROR_ARGUMENT, {"--per-class 2", "6", "5"}},
        {"model=nmff", TSR_ERROR_ARGUMENT, {"nmff", "nmf", NULL}},
        {"model=nmf kernel=rbf", TSR_ERROR_ARGUMENT, {"--kernel", "concept", NULL}},
        {"model=cf loss=kl kernel=rbf", TSR_ERROR_ARGUMENT, {"KL", "--kernel linear", NULL}},
        {"model=cf kernel=rbf alpha-basis=1",
         TSR_ERROR_ARGUMENT,
         {"--alpha-basis", NULL, NULL}},
        {"model=gnmf neighbours=12", TSR_ERROR_ARGUMENT, {"12 neighbours", "11", NULL}},
        {"model=nmf init=nonsense", TSR_ERROR_ARGUMENT, {"nonsense", "kmeans", NULL}},
        {"model=cf init=nndsvd rank=3", TSR_ERROR_ARGUMENT, {"nndsvd", "--init random", NULL}},
        {"model=cdnmf labelled=x rank=3", TSR_ERROR_ARGUMENT, {"--labelled", "'x'", NULL}},
    };
    lab l = lab_make(N, M, 3, 0, 4);
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check_refused(&l, &table[i]);
    lab_free(&l);
}

static void rank_above_one_side_is_noted(void **state)
{
    lab l = lab_make(N, M, 3, 0, 4);
    tsr_data *data = lab_data(&l, false);
    lab_options options;
    (void)state;
    lab_options_of(&options, 3, "model=nmf rank=9");
    tsr_model *model = lab_fit(data, &options.o);
    assert_int_equal(tsr_model_notes(model), 1);
    assert_non_null(strstr(tsr_model_note(model, 0), "rank 9 exceeds the 7 features"));
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

static void labels(void **state)
{
    lab l = lab_make(N, M, 3, 0, 4);
    tsr_labels *few = NULL;
    tsr_matrix *x = NULL;
    tsr_data *data = NULL;
    double *kept = l.label;
    (void)state;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
        lab_options options;
        char line[64];
        lab_options_of(&options, 1, "model=%s", row->name);
        if (!lab_needs_labels(&options.o))
            continue;
        (void)snprintf(line, sizeof line, "model=%s rank=3", row->name);
        l.label = NULL;
        check_refused(&l, &(refusal){line, TSR_ERROR_DATA, {row->name, "labels", NULL}});
        l.label = kept;
        for (int64_t i = 0; i < N; i++)
            l.label[i] = 4;
        check_refused(&l, &(refusal){line, TSR_ERROR_DATA, {row->name, "two classes", "1"}});
        for (int64_t i = 0; i < N; i++)
            l.label[i] = (double)NAN;
        check_refused(&l, &(refusal){line, TSR_ERROR_DATA, {row->name, "labels", NULL}});
    }
    check_ok(tsr_labels_from_numbers(&few, (const double[]){0, 1, 0, 1, 2}, 5));
    check_ok(tsr_matrix_create(&x, N, M, TSR_FLOAT64));
    check_fails(tsr_data_take(&data, x, few), TSR_ERROR_ARGUMENT, "5 labels");
    tsr_labels_free(few);
    tsr_matrix_free(x);
    lab_free(&l);
}

static void values(void **state)
{
    lab l = lab_make(N, M, 3, 0, 4);
    (void)state;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
        char line[64];
        (void)snprintf(line, sizeof line, "model=%s rank=3", row->name);
        const double kept = l.x[3 * M + 2];
        l.x[3 * M + 2] = (double)NAN;
        check_refused(&l, &(refusal){line, TSR_ERROR_DATA, {"3", "2", NULL}});
        l.x[3 * M + 2] = (double)INFINITY;
        check_refused(&l, &(refusal){line, TSR_ERROR_DATA, {"3", "2", NULL}});
        l.x[3 * M + 2] = -0.5;
        if (row->basis == TSR_BASIS_FREE)
            check_refused(&l, &(refusal){line, TSR_ERROR_DATA, {"3", "2", "-0.5"}});
        l.x[3 * M + 2] = kept;
    }
    l.x[3 * M + 2] = -0.5;
    check_refused(&l,
                  &(refusal){"model=cf loss=kl rank=3", TSR_ERROR_DATA, {"-0.5", NULL, NULL}});
    check_refused(&l, &(refusal){"model=cf alpha-basis=1 rank=3",
                                 TSR_ERROR_ARGUMENT,
                                 {"--alpha-basis", "below zero", NULL}});
    l.x[3 * M + 2] = (double)NAN;
    check_refused(&l, &(refusal){"model=cf missing=mask rank=3",
                                 TSR_ERROR_ARGUMENT,
                                 {"missing", "--basis free", NULL}});
    check_refused(&l, &(refusal){"model=cnmf missing=mask rank=3",
                                 TSR_ERROR_ARGUMENT,
                                 {"missing", "--codes free", NULL}});
    l.x[3 * M + 2] = (double)INFINITY;
    check_refused(
        &l, &(refusal){"model=nmf missing=mask rank=3", TSR_ERROR_DATA, {"3", "2", NULL}});
    l.x[3 * M + 2] = 1e300; /* whose square is no number */
    check_refused(
        &l, &(refusal){"model=nmf rank=3", TSR_ERROR_DATA, {"sample 3", "--normalize", NULL}});
    lab_free(&l);
}

static void starts(void **state)
{
    lab l = lab_make(N, M, 3, 0, 4);
    double f[M * 4], w[N * 4], g[N * 4];
    char line[1300];
    (void)state;
    lab_uniform(f, M * 4, 1);
    lab_uniform(w, N * 4, 2);
    lab_uniform(g, N * 4, 3);
    lab_write_start(f, M, w, N, g, N, 4);
    (void)snprintf(line, sizeof line, "model=nmf rank=3 init=%s", start_file);
    check_refused(&l, &(refusal){line, TSR_ERROR_DATA, {"basis", "4 x 7", "3 x 7"}});
    (void)snprintf(line, sizeof line, "model=cf rank=3 init=%s", start_file);
    check_refused(&l, &(refusal){line, TSR_ERROR_DATA, {"weights", "12 x 4", "12 x 3"}});
    lab_write_start(f, M, w, N, g, N - 1, 4);
    (void)snprintf(line, sizeof line, "model=nmf rank=4 init=%s", start_file);
    check_refused(&l, &(refusal){line, TSR_ERROR_DATA, {"codes", "11 x 4", "12 x 4"}});
    g[5] = -1;
    lab_write_start(f, M, w, N, g, N, 4);
    check_refused(&l, &(refusal){line, TSR_ERROR_DATA, {"codes", "-1", NULL}});
    (void)snprintf(line, sizeof line, "model=nmf rank=4 init=%s/none.h5", folder);
    check_refused(&l, &(refusal){line, TSR_ERROR_IO, {"none.h5", NULL, NULL}});
    lab_free(&l);
}

static void links_and_graphs(void **state)
{
    static const struct {
        const char *line, *text;
        refusal r;
    } table[] = {
        {"snmf links", "0,12,1\n", {NULL, TSR_ERROR_DATA, {"link 1", "12", "0 .. 11"}}},
        {"snmf links", "0,1,1\n-1,2,1\n", {NULL, TSR_ERROR_DATA, {"link 2", "-1", NULL}}},
        {"snmf links", "0,1.5,1\n", {NULL, TSR_ERROR_DATA, {"link 1", "1.5", NULL}}},
        {"snmf links", "4,4,1\n", {NULL, TSR_ERROR_DATA, {"itself", "4", NULL}}},
        {"snmf links",
         "0,1,1\n1,0,-1\n",
         {NULL, TSR_ERROR_DATA, {"0 and 1", "agree", "differ"}}},
        {"snmf links", "0,1\n", {NULL, TSR_ERROR_DATA, {"three columns", "2", NULL}}},
        {"gnmf graph-file",
         "0,1\n1,0\n",
         {NULL, TSR_ERROR_DATA, {"12 samples", "2 x 2", NULL}}},
        {"gnmf graph-file", "0,1,1\n1,0,0\n", {NULL, TSR_ERROR_DATA, {"2 x 3", NULL, NULL}}},
    };
    lab l = lab_make(N, M, 3, 0, 4);
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char line[1300];
        refusal r = table[i].r;
        (void)snprintf(line, sizeof line, "rank=3 model=%s=%s", table[i].line, side_file);
        r.line = line;
        lab_write_text(table[i].text);
        check_refused(&l, &r);
    }
    lab_free(&l);
}

static void graph_values(void **state)
{
    lab l = lab_make(3, M, 3, 0, 4);
    char line[1300];
    (void)state;
    (void)snprintf(line, sizeof line, "rank=2 model=gnmf graph-file=%s", side_file);
    lab_write_text("0,1,0\n2,0,0\n0,0,0\n");
    check_refused(&l, &(refusal){line, TSR_ERROR_DATA, {"symmetric", "(0, 1)", NULL}});
    lab_write_text("0,-1,0\n-1,0,0\n0,0,0\n");
    check_refused(&l, &(refusal){line, TSR_ERROR_DATA, {"-1", NULL, NULL}});
    lab_free(&l);
}

static void sample_weights(void **state)
{
    static const struct {
        int64_t rows, columns;
        double value;
        const char *words;
    } table[] = {{N - 1, 1, 1, "11 x 1"},
                 {N, 2, 1, "12 x 2"},
                 {N, 1, -1, "-1"},
                 {N, 1, NAN, "sample weights"}};
    lab l = lab_make(N, M, 3, 0, 4);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        tsr_matrix *weights = NULL;
        tsr_model *model = NULL;
        lab_options options;
        check_ok(tsr_matrix_create(&weights, table[i].rows, table[i].columns, TSR_FLOAT64));
        for (int64_t e = 0; e < table[i].rows * table[i].columns; e++)
            ((double *)tsr_matrix_edit(weights))[e] = table[i].value;
        lab_options_of(&options, 2, "model=nmf rank=3");
        options.o.sample_weights = weights;
        check_fails(tsr_fit(&model, data, &options.o), TSR_ERROR_DATA, table[i].words);
        tsr_matrix_free(weights);
    }
    tsr_data_free(data);
    lab_free(&l);
}

/* Weight 0 takes a sample out of the loss; a tied class of nothing else must not give NaN. */
static void weights_of_zero(void **state)
{
    tsr_model_info info;
    lab l = lab_make(N, M, 3, 0, 4);
    tsr_data *data = lab_data(&l, false);
    tsr_matrix *weights = NULL;
    (void)state;
    check_ok(tsr_matrix_create(&weights, N, 1, TSR_FLOAT64));
    for (int64_t i = 0; i < N; i++)
        ((double *)tsr_matrix_edit(weights))[i] = l.label[i] == 1 || i == 5 ? 0 : 1;
    for (int64_t row = 0; tsr_models_get(&info, row); row++)
        for (int mu = 0; mu < 2; mu++) {
            lab_options options;
            lab_options_of(&options, 20, "model=%s rank=3 solver=%s", info.name,
                           mu == 1 ? "mu" : "auto");
            options.o.sample_weights = weights;
            tsr_model *model = lab_fit(data, &options.o);
            for (int64_t i = 0; i < N * 3; i++)
                if (!isfinite(tsr_matrix_at(model->codes, i / 3, i % 3)))
                    fail_msg("%s: weight 0 gives NaN", info.name);
            tsr_model_free(model);
        }
    tsr_matrix_free(weights);
    tsr_data_free(data);
    lab_free(&l);
}

/* The papers' reward has no lower bound: it ends with an error that names the weight. */
static void divergence_names_the_weight(void **state)
{
    lab l = lab_make(N, M, 3, 0, 4);
    tsr_data *data = lab_data(&l, false);
    static const char *const models[] = {"snmf", "dsnmf"};
    static const char *const solvers[] = {"mu", "auto"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        lab_options options;
        tsr_model *model = NULL;
        lab_options_of(&options, 2000, "model=%s rank=3 link-form=reward must=50 solver=%s",
                       models[i % 2], solvers[i / 2]);
        check_fails(tsr_fit(&model, data, &options.o), TSR_ERROR_DIVERGED, "--must (now 50)");
        lab_options_of(&options, 300, "model=%s rank=3 must=50 solver=%s", models[i % 2],
                       solvers[i / 2]);
        tsr_model_free(lab_fit(data, &options.o));
    }
    tsr_data_free(data);
    lab_free(&l);
}

static bool stop_at_three(void *user, const tsr_step *step)
{
    (void)user;
    return step->done < 3;
}

static void interruption_keeps_the_model(void **state)
{
    lab l = lab_make(N, M, 3, 0, 4);
    tsr_data *data = lab_data(&l, false);
    const tsr_progress progress = {stop_at_three, NULL};
    lab_options options;
    tsr_model *model = NULL;
    (void)state;
    lab_options_of(&options, 50, "model=gnmf rank=3 restarts=3");
    options.o.progress = &progress;
    check_fails(tsr_fit(&model, data, &options.o), TSR_ERROR_INTERRUPTED, "3 iterations");
    assert_non_null(model);
    assert_int_equal(tsr_model_report(model).iterations, 3);
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_and_options),
        cmocka_unit_test(rank_above_one_side_is_noted),
        cmocka_unit_test(labels),
        cmocka_unit_test(values),
        cmocka_unit_test(starts),
        cmocka_unit_test(links_and_graphs),
        cmocka_unit_test(graph_values),
        cmocka_unit_test(sample_weights),
        cmocka_unit_test(weights_of_zero),
        cmocka_unit_test(divergence_names_the_weight),
        cmocka_unit_test(interruption_keeps_the_model),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
