/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Comparing models: the same hold-outs for all, one unit of errors, which is chosen, whether parts
 * come again, and what is said of it. */
#include "lab.h"

#include "learn/holdout.h"
#include "learn/select.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 100, M = 20 };

/* Two classes that a small share of the entries tells apart: two strong parts that all samples
 * have, of any size, and a weak one of each class. */
static tsr_data *planted_data(uint64_t seed)
{
    tsr__random random = tsr__random_seed(seed, 3);
    tsr_matrix *x = NULL;
    tsr_data *data = NULL;
    tsr_labels *labels = NULL;
    double class[N];
    check_ok(tsr_matrix_create(&x, N, M, TSR_FLOAT64));
    double *value = tsr_matrix_edit(x);
    for (int64_t i = 0; i < N; i++) {
        const double a = 4 * tsr__random_uniform(&random), b = 4 * tsr__random_uniform(&random);
        class[i] = (double)(i % 2);
        for (int64_t j = 0; j < M; j++)
            value[i * M + j] = (j < 6    ? a
                                : j < 12 ? b
                                         : 1.5 * ((j < 16) == (i % 2 == 0))) +
                               0.3 * tsr__random_uniform(&random);
    }
    check_ok(tsr_labels_from_numbers(&labels, class, N));
    check_ok(tsr_data_take(&data, x, labels));
    return data;
}

static tsr_data *random_data(int64_t n, int64_t m, uint64_t seed)
{
    tsr__random random = tsr__random_seed(seed, 4);
    tsr_matrix *x = NULL;
    tsr_data *data = NULL;
    check_ok(tsr_matrix_create(&x, n, m, TSR_FLOAT64));
    double *value = tsr_matrix_edit(x);
    for (int64_t i = 0; i < n * m; i++)
        value[i] = tsr__random_uniform(&random);
    check_ok(tsr_data_take(&data, x, NULL));
    return data;
}

/* Candidate of a model and rank. */
static const tsr_candidate *found(const tsr_selection *s, const char *model, int64_t rank)
{
    for (int64_t i = 0; i < s->about.candidates; i++)
        if (strcmp(s->candidate[i].model, model) == 0 &&
            (rank == 0 || s->candidate[i].rank == rank))
            return &s->candidate[i];
    fail_msg("no candidate is %s of rank %d", model, (int)rank);
    return NULL;
}

static const tsr_candidate *chosen(const tsr_selection *s)
{
    const tsr_candidate *one = NULL;
    for (int64_t i = 0; i < s->about.candidates; i++)
        if (s->candidate[i].chosen) {
            assert_null(one);
            one = &s->candidate[i];
        }
    assert_non_null(one);
    return one;
}

static void same_real(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

/* Everything but seconds. */
static void same_candidate(const tsr_candidate *a, const tsr_candidate *b, bool marks)
{
    assert_string_equal(a->model, b->model);
    assert_int_equal(a->rank, b->rank);
    assert_string_equal(a->note, b->note);
    same_real(a->weight, b->weight);
    same_real(a->mean, b->mean);
    same_real(a->deviation, b->deviation);
    same_real(a->error, b->error);
    same_real(a->nmi, b->nmi);
    same_real(a->nmi_error, b->nmi_error);
    same_real(a->stability, b->stability);
    assert_true(!marks || (a->best == b->best && a->chosen == b->chosen));
}

static void test_names(void **state)
{
    static const struct {
        const char *models, *words;
    } bad[] = {{"nmf,,gnmf", "--model wants names such as cdnmf,gnmf,nmf, not 'nmf,,gnmf'"},
               {",nmf", "not ',nmf'"},
               {"nmf,", "not 'nmf,'"},
               {",", "not ','"},
               {"nmf, gnmf", "no model or baseline ' gnmf' (did you mean gnmf?)"},
               {"nmf,gnfm", "no model or baseline 'gnfm' (did you mean gnmf?)"},
               {"nmf,gnmf,nmf", "--model nmf,gnmf,nmf names nmf twice"},
               {"", "no model or baseline ''"}};
    const tsr_select_options options = {.ranks = "2", .folds = 2};
    tsr_select_options weighed = {.ranks = "2", .folds = 2, .weights = "1,2"};
    lab_options o;
    (void)state;
    lab_options_of(&o, 10, "model=nmf");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        o.o.model = bad[i].models;
        check_fails(tsr_select_check(&o.o, &options), TSR_ERROR_ARGUMENT, bad[i].words);
    }
    o.o.model = "cdnmf,gnmf,nmf,raw,pca";
    check_ok(tsr_select_check(&o.o, &options));
    check_ok(tsr_select_check(&o.o, &weighed));
    check_starved(tsr_select_check(&o.o, &weighed), );
    o.o.model = "nmf,pca";
    check_fails(tsr_select_check(&o.o, &weighed), TSR_ERROR_ARGUMENT,
                "nmf,pca have no weight to choose");
    const tsr_read_options wrong = {.header = 99};
    weighed.weights = NULL, weighed.read = &wrong;
    check_fails(tsr_select_check(&o.o, &weighed), TSR_ERROR_ARGUMENT, "header");
}

/* A model is judged as if it were alone: what is held out is not a matter of who is compared. */
static void test_same_holdouts(void **state)
{
    static const char *const names[] = {"cdnmf", "gnmf", "nmf-kl", "nmf", "pca"};
    tsr_data *data = planted_data(1);
    lab_options o;
    (void)state;
    lab_options_of(&o, 30, "normalize=l2 seed=3 threads=2");
    for (int by = TSR_SELECT_LABELS; by <= TSR_SELECT_ENTRIES; by++) {
        const tsr_select_options options = {.ranks = "2,4", .folds = 4, .by = by, .repeats = 2};
        const int models = by == TSR_SELECT_LABELS ? 5 : 4;
        tsr_selection *all = NULL;
        o.o.model = models == 5 ? "cdnmf,gnmf,nmf-kl,nmf,pca" : "cdnmf,gnmf,nmf-kl,nmf";
        check_ok(tsr_select(&all, data, &o.o, &options));
        assert_int_equal(all->about.models, models);
        assert_int_equal(all->about.candidates, 2 * models);
        for (int m = 0; m < models; m++) {
            tsr_selection *one = NULL;
            o.o.model = names[m];
            check_ok(tsr_select(&one, data, &o.o, &options));
            assert_int_equal(one->about.judged, all->about.judged);
            for (int64_t i = 0; i < 2; i++) {
                same_candidate(&one->candidate[i], &all->candidate[2 * m + i], false);
                assert_memory_equal(tsr_selection_folds(one, i),
                                    tsr_selection_folds(all, 2 * m + i), 4 * sizeof(double));
                assert_true(one->candidate[i].seconds > 0);
                assert_true(isnan(one->candidate[i].nmi) == (by == TSR_SELECT_ENTRIES));
                assert_true(isnan(one->candidate[i].stability) == (m == 4));
                assert_int_equal(one->candidate[i].baseline, m == 4);
            }
            tsr_selection_free(one);
        }
        tsr_selection_free(all);
    }
    tsr_data_free(data);
}

/* Samples of any length, made of two parts: a model that weighs them by cuts finds them as well as
 * one that does not, and their errors can be compared. */
static void test_one_unit(void **state)
{
    const tsr_select_options options = {.ranks = "2", .folds = 3};
    tsr_data *data = random_data(40, 12, 1);
    double *value = tsr_matrix_edit(data->x), part[2][12];
    tsr_selection *s = NULL, *alone = NULL;
    lab_options o;
    (void)state;
    for (int64_t j = 0; j < 12; j++)
        part[0][j] = j < 8 ? value[j] : 0, part[1][j] = j >= 4 ? value[12 + j] : 0;
    for (int64_t i = 0; i < 40; i++) {
        const double a = value[i * 12], b = value[i * 12 + 1], length = exp((double)(i % 9));
        for (int64_t j = 0; j < 12; j++)
            value[i * 12 + j] = length * (a * part[0][j] + b * part[1][j]);
    }
    lab_options_of(&o, 2000, "model=nmf-ncw,nmf");
    check_ok(tsr_select(&s, data, &o.o, &options));
    assert_true(found(s, "nmf", 2)->mean < 0.02);
    assert_true(found(s, "nmf-ncw", 2)->mean < 0.05);
    for (int m = 0; m < 2; m++) {
        o.o.model = m == 0 ? "nmf" : "nmf-ncw";
        check_ok(tsr_select(&alone, data, &o.o, &options));
        assert_int_equal(alone->about.judged, s->about.judged);
        assert_true(m == 1 || alone->candidate[0].mean == found(s, "nmf", 2)->mean);
        tsr_selection_free(alone);
    }
    tsr_selection_free(s);
    tsr_data_free(data);
}

/* Figures as the advice has them. */
static void says(const tsr_selection *s, const char *format, ...)
{
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (strstr(tsr_selection_advice(s), words) == NULL)
        fail_msg("'%s' is not in: %s", words, tsr_selection_advice(s));
}

/* Where labels tell what is weak in the data, the model that sees them is taken, and it is said by
 * how much. */
static void test_planted(void **state)
{
    const tsr_select_options options = {
        .ranks = "2", .folds = 5, .repeats = 3, .baselines = true};
    tsr_data *data = planted_data(2);
    tsr_selection *s = NULL;
    lab_options o;
    (void)state;
    lab_options_of(&o, 300, "model=nmf,cdnmf seed=5 labelled=60%%");
    check_ok(tsr_select(&s, data, &o.o, &options));
    const tsr_candidate *c = chosen(s), *raw = found(s, "raw", 0);
    assert_string_equal(c->model, "cdnmf");
    assert_true(c->best && !c->added && c->mean > found(s, "nmf", 2)->mean + 0.2);
    assert_int_equal(raw->rank, M);
    assert_true(raw->added && raw->baseline && isnan(raw->stability));
    assert_int_equal(s->about.candidates, 7); /* ntf wants pictures */
    says(s, "Take cdnmf of rank 2: accuracy %.4f +- %.4f on %d hidden labels", c->mean,
         c->error, N);
    int64_t top = -1;
    for (int64_t i = 0; i < s->about.candidates; i++)
        if ((s->candidate[i].baseline || strcmp(s->candidate[i].model, "nmf") == 0) &&
            (top < 0 || s->candidate[i].mean > s->candidate[top].mean))
            top = i;
    double gap = 0, square = 0;
    const double *mine = tsr_selection_folds(s, c - s->candidate),
                 *other = tsr_selection_folds(s, top);
    for (int f = 0; f < 5; f++)
        gap += (mine[f] - other[f]) / 5;
    for (int f = 0; f < 5; f++)
        square += pow(mine[f] - other[f] - gap, 2);
    says(s, "%s (%.4f +- %.4f), its accuracy is %.4f +- %.4f %s",
         strcmp(s->candidate[top].model, "raw") == 0 ? "raw" : " of rank 2",
         s->candidate[top].mean, s->candidate[top].error, fabs(gap), sqrt(square / 4 / 5),
         gap > 0 ? "higher" : "lower");
    says(s, fabs(gap) > 2.776 * sqrt(square / 4 / 5) ? ": more than chance (paired over 5 folds"
                                                     : ": it may be chance");
    says(s, "(stability %.2f over 3 fits)", c->stability);
    says(s, "A fit took %.3f s", c->seconds);
    says(s, "\n    tessera fit DATA --model cdnmf --rank 2 --labelled 60%% --iterations 300 "
            "--tolerance 0 --seed 5 -o model.h5\n");
    tsr_selection_free(s);
    lab_options_of(&o, 300, "model=nmf,cdnmf seed=5");
    const tsr_select_options plain = {.ranks = "2", .folds = 5};
    check_ok(tsr_select(&s, data, &o.o, &plain));
    says(s, "Against plain NMF, nmf of rank 2 (%.4f +- %.4f)", found(s, "nmf", 2)->mean,
         found(s, "nmf", 2)->error);
    says(s, "higher: more than chance");
    assert_true(isnan(chosen(s)->stability));
    assert_null(strstr(tsr_selection_advice(s), "Its parts"));
    tsr_selection_free(s);
    tsr_data_free(data);
}

/* Where a class is a matter of one look, nobody is better than the samples themselves. */
static void test_no_gain(void **state)
{
    const tsr_select_options options = {.ranks = "2", .folds = 4, .baselines = true};
    tsr_data *data = planted_data(1);
    tsr_selection *s = NULL;
    lab_options o;
    (void)state;
    double *value = tsr_matrix_edit(data->x);
    for (int64_t i = 0; i < (int64_t)N * M; i++)
        value[i] = (i % M < M / 2) == (i / M % 2 == 0) ? 5 + (double)(i % 7) / 10 : 0;
    lab_options_of(&o, 100, "model=nmf,cdnmf");
    check_ok(tsr_select(&s, data, &o.o, &options));
    assert_true(chosen(s)->mean == 1 && found(s, "raw", 0)->mean == 1);
    says(s, "its accuracy is the same on every fold. Nothing here shows that ");
    tsr_selection_free(s);
    tsr_data_free(data);
}

/* The command is one that a shell reads as it is meant, however long its words are. */
static void test_command(void **state)
{
    static const char *const words[] = {
        "tessera fit 'it'\\''s mine.csv' --model gnmf --rank 2 --graph 0.5 ",
        " --normalize l2 ", " --header no", " -o model.h5\n"};
    tsr_data *data = planted_data(2);
    char path[3000];
    tsr_read_options read;
    tsr_settings_default(tsr_read_settings(), &read);
    check_ok(tsr_settings_set(tsr_read_settings(), &read, "header", "no"));
    memset(path, 'p', sizeof path);
    path[sizeof path - 1] = '\0';
    read.labels = path;
    const tsr_select_options options = {
        .ranks = "2", .weights = "0.5", .folds = 2, .read = &read};
    tsr_selection *s = NULL;
    lab_options o;
    (void)state;
    check_ok(tsr_data_name_origin(data, "it's mine.csv"));
    lab_options_of(&o, 5, "model=gnmf normalize=l2");
    check_ok(tsr_select(&s, data, &o.o, &options));
    const char *command = strstr(tsr_selection_advice(s), "\n    tessera");
    assert_non_null(command);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(command, words[i]) == NULL)
            fail_msg("no '%s' in %s", words[i], command);
    assert_non_null(strstr(command, path));
    tsr_selection_free(s);
    tsr_data_free(data);
}

static const char one_model[] = "a", other_model[] = "b", third_model[] = "c",
                  yardstick[] = "y";

typedef struct made {
    const char *model;
    int64_t rank;
    double weight, score[3];
} made;

/* The choice, of scores that are made up: which is the best, and which is taken. */
static void check_choice(const made *row, int64_t count, tsr_select_rule rule, int64_t best,
                         int64_t taken)
{
    tsr_candidate c[8];
    double score[8 * 3];
    tsr_selection s = {
        .about = {.by_labels = true, .judged = 1000, .candidates = count, .folds = 3},
        .candidate = c,
        .score = score};
    for (int64_t i = 0; i < count; i++) {
        c[i] = (tsr_candidate){.model = row[i].model,
                               .term = "w",
                               .rank = row[i].rank,
                               .weight = row[i].weight,
                               .added = row[i].model == yardstick};
        memcpy(&score[i * 3], row[i].score, 3 * sizeof *score);
    }
    check_ok(tsr__selection_choose(&s, rule));
    const tsr_select_options options = {.rule = (int)rule};
    tsr_data *data = planted_data(1);
    check_ok(tsr__selection_advise(&s, &(tsr__rival){.fit = {.model = "nmf"}}, &options, data));
    assert_int_equal(strstr(s.advice,
                            "It is not within that error itself: its rank is, by b of "
                            "rank 2 with w 2 (0.7933 +- ") != NULL,
                     taken == 6);
    tsr__free(s.advice);
    tsr_data_free(data);
    for (int64_t i = 0; i < count; i++) {
        assert_int_equal(c[i].best, i == best);
        assert_int_equal(c[i].chosen, i == taken);
    }
    const tsr__gap gap = tsr__selection_gap(&s, 0, 4);
    assert_true(fabs(gap.mean - 0.2) < 1e-12 && gap.sure);
    assert_true(fabs(gap.error - sqrt(0.2 / 1000)) < 1e-12); /* the same on every fold */
    s.about.judged = 6;                                      /* one sample more */
    assert_false(tsr__selection_gap(&s, 0, 4).sure);
    assert_false(tsr__selection_gap(&s, 0, 1).sure);
    s.about.by_labels = false;
    assert_true(fabs(tsr__selection_gap(&s, 0, 4).mean + 0.2) < 1e-12);
}

static void test_choice(void **state)
{
    static const made row[] = {
        {one_model, 4, 1, {0.90, 0.80, 0.70}},   /* the best */
        {other_model, 2, 2, {0.84, 0.84, 0.70}}, /* near, fewer parts .. */
        {other_model, 2, 1, {0.83, 0.84, 0.70}}, /* .. and a smaller weight */
        {one_model, 2, 1, {0.83, 0.83, 0.70}},   /* near, a worse model */
        {one_model, 1, 1, {0.70, 0.60, 0.50}},   /* too bad */
        {yardstick, 1, 1, {0.99, 0.99, 0.99}},   /* not asked */
        {third_model,
         2,
         5,
         {0.895, 0.795, 0.695}}, /* not near, but none of its rank is better */
    };
    (void)state;
    check_choice(row, 6, TSR_SELECT_BEST, 0, 0);
    check_choice(row, 6, TSR_SELECT_ONE_SE, 0, 2);
    check_choice(row, 7, TSR_SELECT_ONE_SE, 0, 6);
}

static void fill(tsr__parts *p, int64_t count, int64_t features, const double *unit)
{
    *p = (tsr__parts){.count = count, .features = features};
    p->unit = tsr__alloc(count * features, sizeof(double));
    assert_non_null(p->unit);
    memcpy(p->unit, unit, (size_t)(count * features) * sizeof(double));
}

/* Order does not matter; what is missing is like nothing; the matching is the best, not the first. */
static void test_matching(void **state)
{
    static const double r = 0.6, q = 0.8;
    const double one[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, turned[] = {0, 0, 1, 1, 0, 0, 0, 1, 0},
                 lean[] = {r, q, 0, 0, 1, 0}, straight[] = {0, 1, 0, 1, 0, 0};
    tsr__parts p[3];
    double alike = 0;
    (void)state;
    fill(&p[0], 3, 3, one), fill(&p[1], 3, 3, turned);
    check_ok(tsr__parts_alike(&alike, p, 2));
    assert_true(fabs(alike - 1) < 1e-12);
    fill(&p[2], 2, 3, one); /* 1, 2/3, 2/3 */
    check_ok(tsr__parts_alike(&alike, p, 3));
    assert_true(fabs(alike - (1 + 2.0 / 3 + 2.0 / 3) / 3) < 1e-12);
    check_starved(tsr__parts_alike(&alike, p, 3), );
    for (int i = 0; i < 3; i++)
        tsr__parts_clear(&p[i]);
    fill(&p[0], 2, 3, lean), fill(&p[1], 2, 3, straight);
    check_ok(tsr__parts_alike(&alike, p, 2)); /* 1 + 0.6, not 0.8 + 0; others: 0.8, 0 */
    assert_true(fabs(alike - (0.8 - 0.4) / (1 - 0.4)) < 1e-12);
    for (int i = 0; i < 2; i++)
        tsr__parts_clear(&p[i]);
}

static double stability_of(const tsr_data *data, const char *line, const char *ranks)
{
    const tsr_select_options options = {.ranks = ranks, .folds = 2, .repeats = 4};
    tsr_selection *s = NULL;
    lab_options o;
    lab_options_of(&o, 200, "%s", line);
    check_ok(tsr_select(&s, data, &o.o, &options));
    const double is = s->candidate[0].stability;
    tsr_selection_free(s);
    return is;
}

/* One answer comes from every start, many come from noise; starts that are one for all seeds do
 * not make fits alike, nor does a shape that all of them have. */
static void test_stability(void **state)
{
    tsr_data *noise = random_data(40, 15, 2);
    tsr_data *planted = planted_data(1);
    (void)state;
    assert_true(isnan(stability_of(noise, "model=nmf", "1"))); /* there are no other parts */
    for (int i = 0; i < 3; i++) {
        static const char *const lines[] = {"model=nmf", "model=nmf init=nndsvda",
                                            "model=nmf init=nndsvd"};
        const double is = stability_of(noise, lines[i], "12");
        if (!(is > 0.3 && is < 0.93))
            fail_msg("%s of noise has stability %g", lines[i], is);
    }
    assert_true(isnan(stability_of(planted, "model=raw", "2")));
    assert_true(isnan(stability_of(planted, "model=pca", "2")));
    assert_true(isnan(stability_of(planted, "model=cf kernel=rbf", "2")));
    assert_true(stability_of(planted, "model=cf", "2") > 0.5);
    assert_true(stability_of(planted, "model=cdnmf", "2") > 0.99);
    const double steady = stability_of(planted, "model=cdnmf labelled=3", "2");
    if (!(steady > 0.95))
        fail_msg("planted classes have stability %g", steady);
    tsr_data_free(noise);
    tsr_data_free(planted);
}

/* Entries judge who gives some back; others say why not, and baselines that nobody named are
 * left out. */
static void test_entries(void **state)
{
    const tsr_select_options options = {.ranks = "2,3",
                                        .weights = "0.1,1",
                                        .folds = 2,
                                        .by = TSR_SELECT_ENTRIES,
                                        .baselines = true};
    tsr_data *data = planted_data(1);
    tsr_selection *s = NULL;
    lab_options o;
    (void)state;
    lab_options_of(&o, 10, "model=cf,pca,gnmf,nmf");
    check_ok(tsr_select(&s, data, &o.o, &options));
    assert_int_equal(s->about.candidates, 2 + 2 + 4 + 2);
    assert_string_equal(s->about.weight, "graph");
    assert_non_null(strstr(s->about.note, "baselines give nothing back"));
    assert_non_null(strstr(found(s, "cf", 3)->note, "made of whole samples"));
    assert_non_null(strstr(found(s, "pca", 3)->note, "pca gives nothing back"));
    assert_null(tsr_selection_folds(s, 0));
    assert_null(tsr_selection_folds(s, -1));
    assert_null(tsr_selection_folds(s, 10));
    assert_true(isnan(found(s, "nmf", 2)->weight) && found(s, "gnmf", 2)->weight == 0.1);
    assert_null(found(s, "nmf", 2)->term);
    assert_false(chosen(s)->baseline);
    tsr_selection_free(s);
    s = NULL;
    o.o.model = "cf,pca";
    const tsr_select_options bare = {.ranks = "2", .folds = 2, .by = TSR_SELECT_ENTRIES};
    check_fails(tsr_select(&s, data, &o.o, &bare), TSR_ERROR_ARGUMENT, "made of whole samples");
    o.o.model = "pca,cf";
    check_fails(tsr_select(&s, data, &o.o, &bare), TSR_ERROR_ARGUMENT,
                "pca gives nothing back");
    assert_null(s);
    tsr_data_free(data);
}

/* One that cannot be fitted with these settings does not stop the others. */
static void test_go_on(void **state)
{
    const tsr_select_options options = {.ranks = "2,3,500", .folds = 2, .repeats = 2};
    tsr_data *data = planted_data(1);
    tsr_selection *s = NULL;
    lab_options o;
    (void)state;
    lab_options_of(&o, 10, "model=cdnmf,nmf");
    check_ok(tsr_select(&s, data, &o.o, &options));
    assert_non_null(strstr(found(s, "cdnmf", 3)->note, "no multiple of the 2 classes"));
    assert_non_null(strstr(found(s, "nmf", 500)->note, "exceeds both"));
    assert_true(isnan(found(s, "nmf", 500)->stability) && isnan(found(s, "nmf", 500)->nmi));
    assert_true(*found(s, "nmf", 3)->note == '\0');
    tsr_selection_free(s);
    tsr_data_free(data);
}

/* Threads change nothing but seconds. */
static void test_threads(void **state)
{
    const tsr_select_options options = {
        .ranks = "2,4", .weights = "0.1,2", .folds = 3, .repeats = 3, .baselines = true};
    tsr_data *data = planted_data(4);
    tsr_selection *s[2] = {NULL, NULL};
    lab_options o;
    (void)state;
    for (int by = TSR_SELECT_LABELS; by <= TSR_SELECT_ENTRIES; by++) {
        tsr_select_options how = options;
        how.by = by;
        lab_options_of(&o, 40, "model=cdnmf,gnmf,nmf-ncw,nmf labelled=10");
        for (int t = 0; t < 2; t++) {
            o.o.threads = 1 + t;
            check_ok(tsr_select(&s[t], data, &o.o, &how));
        }
        assert_int_equal(s[0]->about.candidates, s[1]->about.candidates);
        for (int64_t i = 0; i < s[0]->about.candidates; i++)
            same_candidate(&s[0]->candidate[i], &s[1]->candidate[i], true);
        tsr_selection_free(s[0]);
        tsr_selection_free(s[1]);
    }
    tsr_data_free(data);
}

struct watch {
    int left, total;
};

static bool stop_at(void *user, const tsr_step *step)
{
    struct watch *w = user;
    assert_int_equal(step->total, w->total);
    assert_in_range(step->done, 0, w->total);
    return --w->left > 0;
}

/* Two models of two ranks with parts, pca with none: folds and repeats are counted. */
static void test_stopped(void **state)
{
    tsr_data *data = planted_data(1);
    lab_options o;
    (void)state;
    lab_options_of(&o, 10, "model=nmf,cdnmf,pca threads=2");
    for (int after = 1; after < 200; after += 61) {
        struct watch watch = {after, 6 * 3 + 4 * 2};
        const tsr_progress progress = {stop_at, &watch};
        const tsr_select_options options = {.ranks = "2,4", .folds = 3, .repeats = 2};
        tsr_selection *s = NULL;
        o.o.progress = &progress;
        check_fails(tsr_select(&s, data, &o.o, &options), TSR_ERROR_INTERRUPTED, "of 26 fits");
        assert_null(s);
    }
    tsr_data_free(data);
}

static void test_starved(void **state)
{
    tsr_data *data = planted_data(1);
    tsr_selection *s = NULL;
    lab_options o;
    (void)state;
    lab_options_of(&o, 1, "model=nmf-ncw,nmf threads=1 labelled=5");
    for (int by = TSR_SELECT_LABELS; by <= TSR_SELECT_ENTRIES; by++) {
        const tsr_select_options options = {.ranks = "2", .folds = 2, .repeats = 2, .by = by};
        check_starved(tsr_select(&s, data, &o.o, &options), (tsr_selection_free(s), s = NULL));
    }
    tsr_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),     cmocka_unit_test(test_same_holdouts),
        cmocka_unit_test(test_one_unit),  cmocka_unit_test(test_planted),
        cmocka_unit_test(test_no_gain),   cmocka_unit_test(test_command),
        cmocka_unit_test(test_choice),    cmocka_unit_test(test_matching),
        cmocka_unit_test(test_stability), cmocka_unit_test(test_entries),
        cmocka_unit_test(test_go_on),     cmocka_unit_test(test_threads),
        cmocka_unit_test(test_stopped),   cmocka_unit_test(test_starved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
