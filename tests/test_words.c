/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bags of words: counts against plain counting, the rules that choose words, weights, recipes,
 * threads, and texts that are none. */
#include "folder.h"

#include "features/features.h"

#include <math.h>

static void check_near(double got, double expected, double within)
{
    if (!(fabs(got - expected) <= within))
        fail_msg("%.17g instead of %.17g", got, expected);
}

static void put(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

static tsr_features_options words(void)
{
    tsr_features_options options = {0};
    tsr_settings_default(tsr_features_settings(), &options);
    check_ok(tsr_settings_set(tsr_features_settings(), &options, "kind", "words"));
    return options;
}

static tsr_data *make(const char *name, const tsr_features_options *options)
{
    tsr_data *data = NULL;
    check_ok(tsr_features_make(&data, path_of(name), options));
    return data;
}

/* The entry for a word in a sample. */
static double times(const tsr_data *data, int64_t sample, const char *word)
{
    for (int64_t j = 0; j < data->feature_names.count; j++)
        if (strcmp(data->feature_names.name[j], word) == 0)
            return tsr_matrix_at(data->x, sample, j);
    return -1;
}

/* 90 texts of drawn words in three classes, with counts kept by hand --------------------- */

enum { TEXTS = 90, WORDS = 40 };
static const char *const separators[] = {" ", "\n", ", ",  "--",
                                         "'", "_",  "\t(", "\xe2\x80\x94"};
static int64_t drawn[TEXTS][WORDS];

/* Word i as it is counted, and as it is written: any letter may be large. */
static void spell(char *out, int i)
{
    (void)snprintf(out, 16, "w%s%d", i % 3 == 0 ? "\xc3\xa4" : "ordy", i * i);
}

static void draw_corpus(void)
{
    tsr__random random = tsr__random_seed(11, 0);
    char name[64], *text = malloc(1 << 16), word[16];
    (void)mkdir(path_of("corpus"), 0777);
    for (int i = 0; i < TEXTS; i++) {
        size_t used = 0;
        const int64_t length = i % 13 == 5 ? 0 : tsr__random_below(&random, 300);
        for (int64_t w = 0; w < length; w++) {
            const int64_t which =
                tsr__random_below(&random, tsr__random_below(&random, WORDS) + 1);
            spell(word, (int)which);
            drawn[i][which]++;
            if (tsr__random_below(&random, 2) == 0)
                word[0] = 'W';
            used += (size_t)sprintf(text + used, "%s%s", word,
                                    separators[tsr__random_below(&random, 8)]);
        }
        (void)snprintf(name, sizeof name, "corpus/class%d", i / 30);
        (void)mkdir(path_of(name), 0777);
        (void)snprintf(name, sizeof name, "corpus/class%d/%d", i / 30, i);
        put_bytes(name, text, used);
    }
    free(text);
}

/* Texts among first .. last-1 that have a word. */
static int64_t having(int which, int first, int last)
{
    int64_t count = 0;
    for (int i = first; i < last; i++)
        count += drawn[i][which] > 0;
    return count;
}

static void counts_are_right(void **unused)
{
    tsr_features_options options = words();
    char word[16];
    (void)unused;
    draw_corpus();
    for (int weigh = 0; weigh < 3; weigh++) {
        options.weigh = weigh;
        tsr_data *data = make("corpus", &options);
        assert_int_equal(data->x->samples, TEXTS);
        assert_true(data->x->sparse);
        assert_int_equal(tsr_labels_classes(data->labels), 3);
        int64_t present = 0;
        for (int w = 0; w < WORDS; w++)
            present += having(w, 0, TEXTS) > 0;
        assert_int_equal(data->x->features, present);
        for (int64_t j = 1; j < data->x->features; j++) /* sorted by bytes */
            assert_true(strcmp(data->feature_names.name[j - 1], data->feature_names.name[j]) <
                        0);
        for (int i = 0; i < TEXTS; i++)
            for (int w = 0; w < WORDS; w++) {
                const double idf = 1 + log((1.0 + TEXTS) / (1.0 + (double)having(w, 0, TEXTS)));
                const double n = (double)drawn[i][w];
                spell(word, w);
                check_near(times(data, i, word),
                           weigh == 0   ? n
                           : weigh == 1 ? n > 0
                                        : n * idf,
                           1e-12);
            }
        tsr_data_free(data);
    }
    assert_int_equal(tsr__memory_live(), 0);
}

static void same_bits(const tsr_data *a, const tsr_data *b)
{
    const int64_t n = a->x->samples;
    assert_int_equal(a->x->features, b->x->features);
    assert_int_equal(n, b->x->samples);
    assert_memory_equal(a->x->rows, b->x->rows, (size_t)(n + 1) * sizeof(int64_t));
    assert_memory_equal(a->x->columns, b->x->columns, (size_t)a->x->rows[n] * sizeof(int32_t));
    assert_memory_equal(a->x->values, b->x->values, (size_t)a->x->rows[n] * sizeof(double));
    for (int64_t j = 0; j < a->x->features; j++)
        assert_string_equal(a->feature_names.name[j], b->feature_names.name[j]);
}

static void threads_do_not_show(void **unused)
{
    tsr_features_options options = words();
    (void)unused;
    options.weigh = 2;
    options.normalize = 2;
    options.threads = 1;
    tsr_data *one = make("corpus", &options);
    for (options.threads = 2; options.threads <= 5; options.threads++) {
        tsr_data *more = make("corpus", &options);
        same_bits(one, more);
        tsr_data_free(more);
    }
    tsr_data_free(one);
}

static void words_are_chosen(void **unused)
{
    tsr_features_options options = words();
    char word[16];
    tsr_data *data = NULL;
    (void)unused;
    options.minimum_documents = 10;
    options.maximum_share = 0.5;
    data = make("corpus", &options);
    for (int w = 0; w < WORDS; w++) {
        const int64_t documents = having(w, 0, TEXTS);
        spell(word, w);
        assert_true((times(data, 0, word) >= 0) == (documents >= 10 && documents <= TEXTS / 2));
    }
    tsr_data_free(data);
    options = words();
    options.vocabulary = 5;
    data = make("corpus", &options);
    assert_int_equal(data->x->features, 5);
    int64_t least = TEXTS, most_of_others = 0;
    for (int w = 0; w < WORDS; w++) {
        const int64_t documents = having(w, 0, TEXTS);
        spell(word, w);
        if (times(data, 0, word) >= 0)
            least = documents < least ? documents : least;
        else
            most_of_others = documents > most_of_others ? documents : most_of_others;
    }
    assert_true(least >= most_of_others);
    tsr_data_free(data);
    options = words();
    put("stop.txt", "Wordy1 WORDY16\nw\xc3\xa4"
                    "0");
    options.stop_words = path_of("stop.txt");
    data = make("corpus", &options);
    assert_true(times(data, 0, "wordy1") < 0 && times(data, 0,
                                                      "w\xc3\xa4"
                                                      "0") < 0);
    assert_true(times(data, 0, "wordy4") >= 0);
    tsr_data_free(data);
    options = words();
    options.minimum_documents = TEXTS + 1;
    check_fails(tsr_features_make(&data, path_of("corpus"), &options), TSR_ERROR_DATA,
                "no words are left of ");
    assert_int_equal(tsr__memory_live(), 0);
}

/* What the learner may not see changes nothing: words, weights. */
static void learning_is_confined(void **unused)
{
    tsr_features_options options = words();
    tsr__sources sources = {.folder = NULL};
    tsr_data *data = NULL;
    bool learn[TEXTS] = {false};
    char word[16];
    (void)unused;
    options.weigh = 2;
    for (int i = 0; i < 30; i++)
        learn[i] = true;
    check_ok(tsr__sources_find(&sources, path_of("corpus"), &options));
    check_ok(tsr__features_make(&data, &sources, learn, &options));
    assert_int_equal(data->x->samples, TEXTS);
    for (int w = 0; w < WORDS; w++) {
        const int64_t documents = having(w, 0, 30);
        spell(word, w);
        assert_true((times(data, 0, word) >= 0) == (documents > 0));
        const double idf = 1 + log(31 / (1.0 + (double)documents));
        for (int i = 0; documents > 0 && i < TEXTS; i++)
            check_near(times(data, i, word), (double)drawn[i][w] * idf, 1e-12);
    }
    tsr_data_free(data);
    tsr__sources_clear(&sources);
    assert_int_equal(tsr__memory_live(), 0);
}

static void recipes_are_applied(void **unused)
{
    tsr_features_options options = words();
    tsr_data *first = NULL, *again = NULL, *other = NULL;
    (void)unused;
    options.weigh = 2;
    options.headers = true;
    options.normalize = 2;
    first = make("corpus", &options);
    check_ok(tsr_data_write(first, path_of("first.h5")));
    options = words();
    options.dictionary = path_of("first.h5");
    again = make("corpus", &options);
    same_bits(first, again);
    tsr_data_free(again);
    (void)mkdir(path_of("new"), 0777);
    put("new/text", "A: b\nWORDY1: d\n\nwordy4 unheard of");
    options.dictionary = path_of("first.h5");
    other = make("new", &options);
    assert_int_equal(other->x->features, first->x->features);
    assert_int_equal(tsr_matrix_stored(other->x), 2); /* the header's word, too */
    double square = 0;
    for (int i = 0; i < 2; i++)
        square += ((double *)other->x->values)[i] * ((double *)other->x->values)[i];
    check_near(square, 1, 1e-12);
    const double a = 1 + log((1.0 + TEXTS) / (1.0 + (double)having(1, 0, TEXTS)));
    const double b = 1 + log((1.0 + TEXTS) / (1.0 + (double)having(2, 0, TEXTS)));
    check_near(times(other, 0, "wordy1") / times(other, 0, "wordy4"), a / b, 1e-12);
    tsr_data_free(other);
    options.minimum_documents = 2;
    check_fails(tsr_features_make(&other, path_of("new"), &options), TSR_ERROR_ARGUMENT,
                "--minimum-documents chooses among words to learn");
    tsr_data_free(first);
    assert_int_equal(tsr__memory_live(), 0);
}

static void words_are_given(void **unused)
{
    tsr_features_options options = words();
    tsr_data *data = NULL;
    (void)unused;
    put("list.txt", "zebra\na\nE-Mail\nwordy4\n");
    put("new/text", "A zebra, a ZEBRA, e-mail");
    options.dictionary = path_of("list.txt");
    data = make("new", &options);
    assert_int_equal(data->x->features, 4);
    assert_string_equal(data->feature_names.name[0], "zebra"); /* in the list's order */
    check_near(tsr_matrix_at(data->x, 0, 0), 2, 0);
    check_near(tsr_matrix_at(data->x, 0, 1), 2, 0); /* however short */
    assert_int_equal(tsr_matrix_stored(data->x), 2);
    assert_int_equal(tsr_data_notes(data), 1);
    assert_non_null(
        strstr(tsr_data_note(data, 0), "1 of the 4 given words can never be found"));
    tsr_data_free(data);
    put("stop.txt", "zebra");
    options.stop_words = path_of("stop.txt");
    data = make("new", &options);
    assert_int_equal(data->x->features, 3);
    assert_string_equal(data->feature_names.name[0], "a");
    tsr_data_free(data);
    options = words();
    put("list.txt", "zebra\na\nzebra\n");
    options.dictionary = path_of("list.txt");
    check_fails(tsr_features_make(&data, path_of("new"), &options), TSR_ERROR_DATA,
                "line 3: zebra stands there already, in line 1");
    assert_int_equal(tsr__memory_live(), 0);
}

static void odd_texts(void **unused)
{
    tsr_features_options options = words();
    tsr_data *data = NULL;
    (void)unused;
    (void)mkdir(path_of("odd"), 0777);
    put("odd/1", "good words");
    put("odd/2", "");
    put_bytes("odd/3", "MZ\0\1binary", 10);
    put_bytes("odd/4",
              "\xff\xfe"
              "h\0i\0",
              6);
    put("odd/5", "From: x\nTo: y\n\n");
    check_fails(tsr_features_make(&data, path_of("odd"), &options), TSR_ERROR_FORMAT,
                "3: is no text: byte 2 is zero (--skip-bad leaves such texts out)");
    options.skip_bad = true;
    data = make("odd", &options);
    assert_int_equal(data->x->samples, 3);
    assert_string_equal(data->sample_names.name[2], "5");
    assert_int_equal(tsr_data_notes(data), 3);
    assert_string_equal(tsr_data_note(data, 0), "left out 3: is no text: byte 2 is zero");
    assert_string_equal(tsr_data_note(data, 1),
                        "left out 4: is UTF-16 or UTF-32: texts are UTF-8");
    assert_string_equal(tsr_data_note(data, 2),
                        "2 of 3 texts have none of the words; their rows "
                        "are empty (the first: 2)");
    tsr_data_free(data);
    options.headers = true;
    data = make("odd", &options);
    check_near(times(data, 2, "from"), 1, 0);
    tsr_data_free(data);
    (void)mkdir(path_of("bad"), 0777);
    put_bytes("bad/1", "\0", 1);
    check_fails(tsr_features_make(&data, path_of("bad"), &options), TSR_ERROR_DATA,
                "none of the 1 texts can be read");
    put("bad/1", "?!");
    check_fails(tsr_features_make(&data, path_of("bad"), &options), TSR_ERROR_DATA,
                "no words are left of 0 different ones in 1 texts");
    (void)chmod(path_of("bad/1"), 0);
    if (geteuid() != 0)
        check_fails(tsr_features_make(&data, path_of("bad"), &options), TSR_ERROR_DATA,
                    "cannot read");
    assert_int_equal(tsr__memory_live(), 0);
}

static void a_line_is_a_text(void **unused)
{
    tsr_features_options options = words();
    tsr_data *data = NULL;
    (void)unused;
    put("lines.txt", "first one\r\n\nFrom: a\nsecond one one");
    options.shortest = 1;
    data = make("lines.txt", &options);
    assert_int_equal(data->x->samples, 4);
    assert_null(data->labels);
    check_near(times(data, 0, "one"), 1, 0);
    check_near(times(data, 2, "from"), 1, 0);
    check_near(times(data, 3, "one"), 2, 0);
    assert_string_equal(tsr_data_note(data, 0),
                        "1 of 4 texts have none of the words; their rows are empty (the first: "
                        "line 2)");
    tsr_data_free(data);
    put("lines.txt", "first one\n");
    data = make("lines.txt", &options);
    assert_int_equal(data->x->samples, 1);
    tsr_data_free(data);
    put("lines.txt", "");
    check_fails(tsr_features_make(&data, path_of("lines.txt"), &options), TSR_ERROR_DATA,
                "empty");
    put_bytes("lines.txt", "a\n\0", 3);
    check_fails(tsr_features_make(&data, path_of("lines.txt"), &options), TSR_ERROR_FORMAT,
                "byte 2 is zero");
    /* Many short lines: more than one batch of texts, words that differ from line to line. */
    char *text = malloc(10000 * 24);
    size_t used = 0;
    for (int i = 0; i < 10000; i++)
        used += (size_t)sprintf(text + used, "n%d every n%d\n", i, i / 7);
    put_bytes("lines.txt", text, used);
    free(text);
    options.threads = 1;
    data = make("lines.txt", &options);
    options.threads = 3;
    tsr_data *more = make("lines.txt", &options);
    same_bits(data, more);
    assert_int_equal(data->x->features, 10001);
    check_near(times(data, 9999, "n9999"), 1, 0);
    check_near(times(data, 0, "n0"), 2, 0);
    tsr_data_free(data);
    tsr_data_free(more);
    assert_int_equal(tsr__memory_live(), 0);
}

static void memory_runs_out(void **unused)
{
    tsr_features_options options = words();
    (void)unused;
    options.skip_bad = true;
    options.weigh = 2;
    options.stop_words = "english";
    for (int threads = 1; threads <= 2; threads++) {
        tsr_data *data = NULL;
        options.threads = threads;
        check_starved(tsr_features_make(&data, path_of("odd"), &options),
                      (tsr_data_free(data), data = NULL));
    }
}

static bool stop(void *user, const tsr_step *step)
{
    (void)user;
    return strcmp(step->task, "counting words") != 0;
}

static void counting_can_be_stopped(void **unused)
{
    tsr_features_options options = words();
    const tsr_progress progress = {stop, NULL};
    tsr_data *data = NULL;
    (void)unused;
    options.progress = &progress;
    assert_int_equal(tsr_features_make(&data, path_of("corpus"), &options),
                     TSR_ERROR_INTERRUPTED);
    assert_int_equal(tsr__memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_right),    cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(words_are_chosen),    cmocka_unit_test(learning_is_confined),
        cmocka_unit_test(recipes_are_applied), cmocka_unit_test(words_are_given),
        cmocka_unit_test(odd_texts),           cmocka_unit_test(a_line_is_a_text),
        cmocka_unit_test(memory_runs_out),     cmocka_unit_test(counting_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
