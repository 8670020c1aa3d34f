/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Codes diffused over the graph: the system that they solve, by elimination; what they leave alone,
 * where they are kept, and who sees them. */
#include "lab.h"

enum { N = 40, M = 9, K = 4 };

/* A ring with a few chords of other weights, and one sample that nobody knows. */
static double edge(int64_t i, int64_t j)
{
    const int64_t apart = (i - j + N) % N, least = apart < N - apart ? apart : N - apart;
    return i == N - 1 || j == N - 1 ? 0
           : least == 1             ? 1
           : least == 7             ? 0.25 * (double)(1 + (i + j) % 3)
                                    : 0;
}

static tsr_matrix *make_graph(void)
{
    static int64_t row[N * N], column[N * N];
    static double value[N * N];
    tsr_matrix *graph = NULL;
    int64_t count = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            if (edge(i, j) > 0) {
                row[count] = i, column[count] = j;
                value[count++] = edge(i, j);
            }
    check_ok(tsr_matrix_create_sparse(&graph, N, N, count, row, column, value, TSR_FLOAT64));
    return graph;
}

/* (I + w n / (k d) L) h = g / |g|, column by column. */
static void expect(double *h, const tsr_matrix *codes, double weight)
{
    double total = 0;
    for (int64_t i = 0; i < N * N; i++)
        total += edge(i / N, i % N);
    const double by = weight * N / K / (total / N);
    for (int64_t l = 0; l < K; l++) {
        static double a[N * N], b[N];
        for (int64_t i = 0; i < N; i++) {
            double square = 0;
            for (int64_t j = 0; j < K; j++)
                square += tsr_matrix_at(codes, i, j) * tsr_matrix_at(codes, i, j);
            b[i] = square > 0 ? tsr_matrix_at(codes, i, l) / sqrt(square) : 0;
            a[i * N + i] = 1;
            for (int64_t j = 0; j < N; j++)
                a[i * N + j] = (i == j ? 1 : 0) - by * edge(i, j);
            for (int64_t j = 0; j < N; j++)
                a[i * N + i] += by * edge(i, j);
        }
        for (int64_t p = 0; p < N; p++)
            for (int64_t i = 0; i < N; i++) {
                const double from = i == p ? 0 : a[i * N + p] / a[p * N + p];
                for (int64_t j = 0; j < N; j++)
                    a[i * N + j] -= from * a[p * N + j];
                b[i] -= from * b[p];
            }
        for (int64_t i = 0; i < N; i++)
            h[i * K + l] = b[i] / a[i * N + i];
    }
}

static void is_the_minimum(void **state)
{
    static const char *const lines[] = {
        "model=gnmf",
        "model=gnmf diffuse=20",
        "model=nmf-kl diffuse=0.1",
        "model=gnmf-kl solver=mu diffuse=3", /* which has systems of its own */
        "model=lccf precision=single",
        "model=nmf diffuse=1 alpha-codes=0.3 l1-ratio=1", /* with codes that are zero */
    };
    lab l = lab_make(N, M, 2, 0.1, 4);
    tsr_matrix *graph = make_graph();
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lab_options options;
        lab_options_of(&options, 5, "rank=%d %s", K, lines[i]);
        options.o.graph_matrix = graph;
        tsr_model *model = lab_fit(data, &options.o);
        double h[N * K], found[N * K];
        const double weight = options.o.diffuse >= 0 ? options.o.diffuse : 2;
        expect(h, tsr_model_codes(model), weight);
        assert_non_null(model->diffused);
        assert_true(tsr_model_diffused(model) == model->diffused);
        for (int64_t s = 0; s < N; s++)
            tsr_matrix_get_sample(found + s * K, tsr_model_diffused(model), s);
        const double apart = lab_apart(found, h, N * K, 1);
        if (!(apart < (options.o.precision == 1 ? 1e-5 : 1e-7)))
            fail_msg("'%s': %g apart", lines[i], apart);
        tsr_model_free(model);
    }
    tsr_matrix_free(graph);
    tsr_data_free(data);
    lab_free(&l);
}

/* Samples of a group count each: the graph of groups, of which each stands for its members. */
static void tied_samples_are_many(void **state)
{
    lab l = lab_make(N, M, 2, 0.1, 4);
    tsr_matrix *graph = make_graph();
    tsr_data *data = lab_data(&l, false);
    lab_options options;
    (void)state;
    lab_options_of(&options, 5, "model=cnmf rank=%d diffuse=1", K);
    options.o.graph_matrix = graph;
    tsr_model *model = lab_fit(data, &options.o);
    const tsr_matrix *h = tsr_model_diffused(model), *g = tsr_model_codes(model);
    double total = 0, at[N * K], moved = 0, before = 0, after = 0;
    for (int64_t i = 0; i < N * N; i++)
        total += edge(i / N, i % N);
    const double by = N / (double)K / (total / N);
    for (int64_t i = 0; i < N; i++)
        tsr_matrix_get_sample(at + i * K, h, i);
    /* the gradient, summed over the samples of the first class, is zero */
    for (int64_t a = 0; a < K; a++) {
        double slope = 0, size = 0;
        for (int64_t i = 0; i < N; i++) {
            double length = 0;
            if (!(l.label[i] < 0.5))
                continue;
            for (int64_t j = 0; j < K; j++)
                length += tsr_matrix_at(g, i, j) * tsr_matrix_at(g, i, j);
            slope += at[i * K + a] - tsr_matrix_at(g, i, a) / sqrt(length);
            size += at[i * K + a];
            for (int64_t j = 0; j < N; j++)
                slope += by * edge(i, j) * (at[i * K + a] - at[j * K + a]);
            moved += fabs(at[i * K + a] - at[a]); /* sample 0 is of that class */
        }
        assert_true(fabs(slope) < 1e-6 * fmax(size, 1));
    }
    assert_true(moved == 0);
    for (int64_t i = 0; i < N * N * K; i++) {
        const int64_t p = i / K / N, q = i / K % N, a = i % K;
        before += edge(p, q) * fabs(tsr_matrix_at(g, p, a) - tsr_matrix_at(g, q, a));
        after += edge(p, q) * fabs(at[p * K + a] - at[q * K + a]);
    }
    assert_true(after < before);
    tsr_model_free(model);
    tsr_matrix_free(graph);
    tsr_data_free(data);
    lab_free(&l);
}

/* Who goes on, with another weight too, has the fit that went through, and the best start's codes
 * diffused by what is asked now. */
static void goes_on(void **state)
{
    lab l = lab_make(90, M, 3, 0.1, 8);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (int restarts = 1; restarts < 4; restarts += 2) {
        lab_options whole, part, more;
        tsr_model *went = NULL;
        lab_options_of(&whole, 20, "model=gnmf rank=%d diffuse=3 restarts=%d", K, restarts);
        lab_options_of(&part, 12, "model=gnmf rank=%d diffuse=2 restarts=1", K);
        lab_options_of(&more, 8, "model=gnmf rank=%d diffuse=3 restarts=%d", K, restarts);
        tsr_model *through = lab_fit(data, &whole.o), *begun = lab_fit(data, &part.o);
        check_ok(tsr_fit_resume(&went, data, begun, &more.o));
        assert_non_null(went->diffused);
        if (restarts == 1)
            assert_true(lab_same_models(went, through));
        tsr_model_free(through);
        tsr_model_free(begun);
        tsr_model_free(went);
    }
    tsr_data_free(data);
    lab_free(&l);
}

/* A row without its graph has no neighbours, unless they are asked for; new samples have none. */
static void graphs_are_left_out(void **state)
{
    lab l = lab_make(60, M, 3, 0.1, 6);
    tsr_data *data = lab_data(&l, false);
    lab_options options;
    tsr_model *more = NULL;
    (void)state;
    lab_options_of(&options, 6, "model=gnmf rank=%d graph=0 neighbours=100", K);
    tsr_model *model = lab_fit(data, &options.o);
    assert_null(model->diffused);
    tsr_model_free(model);
    lab_options_of(&options, 6, "model=nmf rank=%d diffuse=1 neighbours=20", K);
    model = lab_fit(data, &options.o);
    assert_non_null(model->diffused);
    lab few = lab_make(4, M, 3, 0.1, 7); /* fewer than the neighbours of one */
    tsr_data *new = lab_data(&few, false);
    check_ok(tsr_fit_more(&more, new, model, NULL));
    assert_null(more->diffused);
    tsr_model_free(more);
    tsr_model_free(model);
    tsr_data_free(new);
    tsr_data_free(data);
    lab_free(&few);
    lab_free(&l);
}

/* J, basis and codes are those of a fit without. */
static void leaves_the_fit_alone(void **state)
{
    static const char *const lines[] = {"model=gnmf", "model=sgnmf",
                                        "model=gnmf-kl precision=single",
                                        "model=nmf plan=stream", "model=gnmf-kl solver=mu"};
    lab l = lab_make(120, M, 3, 0.1, 5);
    tsr_data *data = lab_data(&l, true);
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lab_options with, without, threads;
        lab_options_of(&with, 6, "rank=%d diffuse=2 %s", K, lines[i]);
        lab_options_of(&without, 6, "rank=%d diffuse=0 %s", K, lines[i]);
        lab_options_of(&threads, 6, "rank=%d diffuse=2 threads=3 %s", K, lines[i]);
        tsr_model *a = lab_fit(data, &with.o), *b = lab_fit(data, &without.o),
                  *c = lab_fit(data, &threads.o), *read = NULL;
        assert_null(b->diffused);
        assert_true(tsr_model_diffused(b) == tsr_model_codes(b));
        assert_true(lab_same_models(a, c));
        check_ok(tsr_model_write(a, model_file));
        check_ok(tsr_model_read(&read, model_file));
        assert_true(lab_same_models(a, read));
        tsr_matrix *kept = a->diffused;
        a->diffused = NULL;
        assert_true(lab_same_models(a, b));
        a->diffused = kept;
        tsr_model_free(a);
        tsr_model_free(b);
        tsr_model_free(c);
        tsr_model_free(read);
    }
    tsr_data_free(data);
    lab_free(&l);
}

/* Encoders hand out what clusters see; samples without an edge between them stay what they are. */
static void clusters_see_it(void **state)
{
    lab l = lab_make(60, M, 3, 0.1, 6);
    tsr_data *data = lab_data(&l, false);
    tsr_encoder *encoder = NULL;
    lab_options options;
    tsr_model_info info;
    (void)state;
    lab_options_of(&options, 6, "model=gnmf rank=%d", K);
    check_ok(tsr_encoder_fit(&encoder, data, &options.o));
    const tsr_model *model = tsr_encoder_model(encoder);
    assert_non_null(model->diffused);
    assert_true(lab_same_bits(tsr_encoder_codes(encoder), tsr_model_diffused(model)));
    tsr_encoder_free(encoder);
    check_ok(tsr_fit_describe(&info, &options.o));
    assert_true(info.joined);
    lab_options_of(&options, 6, "model=nmf diffuse=1");
    check_ok(tsr_fit_describe(&info, &options.o));
    assert_true(info.joined);
    static const int64_t none = 0;
    static const double nothing = 0;
    tsr_matrix *graph = NULL;
    check_ok(tsr_matrix_create_sparse(&graph, 60, 60, 0, &none, &none, &nothing, TSR_FLOAT64));
    lab_options_of(&options, 6, "model=nmf rank=%d diffuse=1", K);
    options.o.graph_matrix = graph;
    tsr_model *alone = lab_fit(data, &options.o);
    for (int64_t i = 0; i < 60; i++) {
        double g[K], h[K], length = 0;
        tsr_matrix_get_sample(g, tsr_model_codes(alone), i);
        tsr_matrix_get_sample(h, tsr_model_diffused(alone), i);
        for (int64_t a = 0; a < K; a++)
            length += g[a] * g[a];
        for (int64_t a = 0; a < K; a++)
            assert_true(fabs(h[a] * sqrt(length) - g[a]) < 1e-12 * fmax(length, 1));
    }
    tsr_matrix_free(graph);
    tsr_model_free(alone);
    tsr_data_free(data);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_minimum),       cmocka_unit_test(tied_samples_are_many),
        cmocka_unit_test(leaves_the_fit_alone), cmocka_unit_test(goes_on),
        cmocka_unit_test(graphs_are_left_out),  cmocka_unit_test(clusters_see_it),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
