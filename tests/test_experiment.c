/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Experiments and their folder: names of every kind survive the way through draws.csv and
 * confusion.csv, one run at a time writes, and figures of any size fit into the tables. */
#include "folder.h"

#include "band.h"

#include "learn/experiment.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>

/* Names that a table of commas, quotes and lines could take for something else. */
static const char *const protocol =
    "title = Names\ntask = classify\ndata = data.csv\nvary = train 2 3\ntest = 2\ndraws = 2\n"
    "[raw]\n[best, free k-means]\nmodel = raw\n[say \"so\", twice]\nmodel = raw\n"
    "[\"]\nmodel = raw\n[ a/b ]\nmodel = raw\n";
static const char *const files[] = {"confusion-raw.csv", "confusion-best, free k-means.csv",
                                    "confusion-say \"so\", twice.csv", "confusion-\".csv",
                                    "confusion- a_b .csv"};
enum { METHODS = 5, DRAWS = METHODS * 2 * 2 };

static void put_text(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

static int make_study(void **state)
{
    const int status = make_folder(state);
    char data[1024] = "x,y,label\n";
    for (int i = 0; i < 6; i++) {
        char line[128];
        (void)snprintf(line, sizeof line,
                       "%d,0,\"one, \"\"two\"\"\"\n0,%d,plain\n%d,%d,\"two\nlines\"\n", 9 + i,
                       9 + i, 9 + i, 9 + i);
        (void)strcat(data, line);
    }
    put_text("data.csv", data);
    put_text("study.txt", protocol);
    return status;
}

static tsr_status run(tsr_experiment **e, const char *study, bool resume,
                      const tsr_experiment_options *with)
{
    char data[1024], out[1600];
    tsr_experiment_options options = with != NULL ? *with : (tsr_experiment_options){0};
    (void)snprintf(data, sizeof data, "%s", folder);
    (void)snprintf(out, sizeof out, "%s", path_of("out"));
    options.data = data;
    options.out = out;
    options.resume = resume;
    options.threads = 1;
    *e = NULL;
    return tsr_experiment_run(e, path_of(study), &options);
}

static void run_once(const char *study, bool resume)
{
    tsr_experiment *e = NULL;
    check_ok(run(&e, study, resume, NULL));
    tsr_experiment_free(e);
}

static char *read_text(const char *name)
{
    static char text[1 << 16];
    FILE *file = fopen(path_of(name), "rb");
    if (file == NULL)
        fail_msg("%s is not there", name);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

static int64_t lines_of(const char *name)
{
    int64_t lines = 0;
    for (const char *at = read_text(name); *at != '\0'; at++)
        lines += *at == '\n';
    return lines;
}

/* Every method's matrix counts its test samples: 2 draws x 3 classes x 2, all of them right. */
static void check_confusion(void)
{
    for (int i = 0; i < METHODS; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "out/%s", files[i]);
        assert_string_equal(read_text(path), "class,\"one, \"\"two\"\"\",plain,\"two\nlines\"\n"
                                             "\"one, \"\"two\"\"\",4,0,0\n"
                                             "plain,0,4,0\n"
                                             "\"two\nlines\",0,0,4\n");
    }
}

static void names_of_every_kind_are_resumed(void **state)
{
    (void)state;
    run_once("study.txt", false);
    assert_int_equal(lines_of("out/draws.csv"), 1 + DRAWS);
    check_confusion();
    run_once("study.txt", true);
    assert_int_equal(lines_of("out/draws.csv"), 1 + DRAWS);
    check_confusion();
    assert_non_null(strstr(read_text("out/draws.csv"), "2,0,\"best, free k-means\",1,nan,2,"));
    assert_non_null(strstr(read_text("out/table.csv"), "2,\"say \"\"so\"\", twice\",100.0000"));
    assert_int_equal(remove_tree(path_of("out")), 0);
}

/* Old folders have such names without quotes, and a stop may cut a line anywhere: what is not
 * understood is not done, and the lines behind it are. */
static void lines_that_say_nothing_are_passed_over(void **state)
{
    (void)state;
    put_text("out/draws.csv", "row,draw,method,accuracy,nmi,rank,seconds\n"
                              "2,0,best, free k-means,0.25,nan,2,0.1\n"
                              "2,0,raw,0.25,nan,2,0.1\n"
                              "2,1,raw,1e300,nan,2,0.1\n"
                              "3,0,raw,0.5,nan,2\n"
                              "3,0,raw,nan,nan,2,0.1\n"
                              "3,0,raw,1,-7,2,0.1\n"
                              "3,0,raw,1,nan,two,0.1\n"
                              "99999999999999999999,0,raw,1,nan,2,0.1\n"
                              ",,,,,,\n\n\"\n\",\n"
                              "3,1,\"ra");
    tsr_experiment *e = NULL;
    check_ok(run(&e, "study.txt", true, NULL));
    assert_int_equal(e->trials, DRAWS);
    assert_true(e->trial[0].accuracy == 0.25);
    for (int64_t i = 1; i < e->trials; i++)
        assert_true(e->trial[i].done && e->trial[i].accuracy == 1);
    tsr_experiment_free(e);
    assert_non_null(strstr(read_text("out/draws.csv"), "\n3,1,\"ra\n"));
    put_text("out/draws.csv", read_text("out/draws.csv"));
    const int64_t lines = lines_of("out/draws.csv");
    run_once("study.txt", true);
    assert_int_equal(lines_of("out/draws.csv"), lines);
    assert_int_equal(remove_tree(path_of("out")), 0);
}

static void methods_are_chosen_by_name(void **state)
{
    static const struct {
        const char *wanted;
        int64_t methods;
    } lists[] = {
        {"raw", 1}, {"raw,", 1}, {"best, free k-means", 1}, {"\",best, free k-means,raw", 3}};
    tsr_experiment *e = NULL;
    (void)state;
    for (int i = 0; i < 4; i++) {
        const tsr_experiment_options only = {.models = lists[i].wanted};
        check_ok(run(&e, "study.txt", false, &only));
        assert_int_equal(e->protocol.methods, lists[i].methods);
        tsr_experiment_free(e);
    }
    const tsr_experiment_options none = {.models = ""}, half = {.models = "raw,best"};
    check_fails(run(&e, "study.txt", false, &none), TSR_ERROR_ARGUMENT, "no method ''");
    check_fails(run(&e, "study.txt", false, &half), TSR_ERROR_ARGUMENT, "no method 'best'");
    assert_int_equal(remove_tree(path_of("out")), 0);
}

/* Figures of 300 digits are cut, not written beyond the cell. */
static void figures_of_any_size_fit(void **state)
{
    char figures[1600], study[1024];
    tsr_experiment *e = NULL;
    (void)state;
    put_text("published.csv", "data,source,setting,method,metric,value\n"
                              "d,s,average,raw,accuracy,1e300\n"
                              "d,s,average,\"best, free k-means\",accuracy,-1e300\n");
    (void)snprintf(figures, sizeof figures, "%s", path_of("published.csv"));
    (void)snprintf(study, sizeof study, "published = d s\n%s", protocol);
    put_text("figures.txt", study);
    const tsr_experiment_options with = {.published = figures};
    check_ok(run(&e, "figures.txt", false, &with));
    assert_true(tsr__experiment_cell(e, -1, 1, "accuracy").published == -1e300);
    e->trial[0].accuracy = 1e300; /* no run of ours, but a table is to be safe by itself */
    for (int format = TSR_TABLE_TEXT; format <= TSR_TABLE_JSON; format++) {
        FILE *to = fopen(path_of("table"), "wb");
        assert_non_null(to);
        check_ok(tsr__table_print(to, e, (tsr__table_format)format));
        assert_int_equal(fclose(to), 0);
    }
    tsr_experiment_free(e);
    assert_non_null(strstr(read_text("out/table.txt"), "..."));
    assert_int_equal(remove_tree(path_of("out")), 0);
}

/* A run that stops within: it says that it has begun, and waits to be killed. */
static bool wait_there(void *user, const tsr_step *step)
{
    const int *ends = user;
    if (strcmp(step->task, "trials") == 0 && write(ends[1], "!", 1) == 1)
        (void)pause();
    return true;
}

static void one_run_at_a_time(void **state)
{
    tsr_experiment *e = NULL;
    int ends[2], code = 0;
    char byte = 0, words[64];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)alarm(60); /* should the test fail before it kills */
        const tsr_progress progress = {wait_there, ends};
        const tsr_experiment_options with = {.progress = &progress};
        (void)run(&e, "study.txt", false, &with);
        _exit(0);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    (void)snprintf(words, sizeof words, "process %ld on ", (long)child);
    check_fails(run(&e, "study.txt", true, NULL), TSR_ERROR_IO, words);
    check_fails(run(&e, "study.txt", false, NULL), TSR_ERROR_IO, " since 2");
    check_fails(run(&e, "study.txt", false, NULL), TSR_ERROR_IO, "another run writes there");
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &code, 0), child);
    run_once("study.txt", true);
    assert_int_equal(lines_of("out/draws.csv"), 1 + DRAWS);
    run_once("study.txt", false);
    assert_int_equal(close(ends[0]) + close(ends[1]), 0);
    assert_int_equal(remove_tree(path_of("out")), 0);
}

/* Nobody to learn from and nobody to ask: rows that say so are refused, not divided by. */
static void splits_have_two_sides(void **state)
{
    static const char *const heads[] = {"vary = train 0 2\ntest = 2",
                                        "vary = train -1\ntest = 2", "train = 2",
                                        "vary = folds 0\ntest = 2"};
    tsr_experiment *e = NULL;
    (void)state;
    for (int i = 0; i < 4; i++) {
        char study[512];
        (void)snprintf(study, sizeof study,
                       "task = classify\ndata = data.csv\n%s\ndraws = 1\n[nmf]\n", heads[i]);
        put_text("sides.txt", study);
        const tsr_status status = run(&e, "sides.txt", false, NULL);
        if (status >= 0 || strstr(tsr_message(), "test = ") == NULL)
            fail_msg("'%s': %s, \"%s\"", heads[i], tsr_status_name(status), tsr_message());
    }
    (void)remove_tree(path_of("out"));
}

/* What a page needs stands in the folder: the protocol's bytes, the figures it asks for, how J fell,
 * and what clusters were taken for. */
static void a_folder_tells_all(void **state)
{
    static const char study[] = "title = Clusters\ndata = data.csv\ndraws = 2\nlabelled = 1\n"
                                "iterations = 500\ntolerance = 0\npublished = d s # \xff\n"
                                "[nmf]\nrank = 2\n[raw]\n";
    char figures[1600];
    tsr_experiment *e = NULL, *read = NULL;
    (void)state;
    put_text("clusters.txt", study);
    put_text("published.csv", "data,source,setting,method,metric,value\n"
                              "d,s,average,nmf,AC,61\nd,other,average,nmf,AC,62\n");
    (void)snprintf(figures, sizeof figures, "%s", path_of("published.csv"));
    const tsr_experiment_options with = {.published = figures};
    check_ok(run(&e, "clusters.txt", false, &with));
    assert_string_equal(read_text("out/protocol.txt"), study);
    assert_string_equal(read_text("out/published.csv"),
                        "data,source,setting,method,metric,value\nd,s,average,nmf,AC,61\n");
    const int64_t lines = lines_of("out/history.csv");
    assert_true(lines > 50 && lines <= 1 + 101);
    assert_non_null(strstr(read_text("out/history.csv"), "\nall,0,nmf,1,"));
    assert_non_null(strstr(read_text("out/history.csv"), "\nall,0,nmf,500,"));
    assert_int_equal(strncmp(read_text("out/confusion-raw.csv"), "class,", 6), 0);
    check_ok(tsr__record_read(&read, path_of("out")));
    assert_int_equal(read->trials, e->trials);
    for (int64_t i = 0; i < e->trials; i++)
        assert_true(read->trial[i].done && read->trial[i].accuracy == e->trial[i].accuracy);
    tsr_experiment_free(read);
    tsr_experiment_free(e);
}

/* Folders of before have no protocol: to resume adds it, and runs nothing again. */
static void older_folders_are_completed(void **state)
{
    tsr_experiment *e = NULL;
    (void)state;
    const int64_t lines = lines_of("out/draws.csv");
    assert_int_equal(unlink(path_of("out/protocol.txt")), 0);
    assert_int_equal(unlink(path_of("out/history.csv")), 0);
    check_fails(tsr__record_read(&e, path_of("out")), TSR_ERROR_FORMAT, "--resume");
    run_once("clusters.txt", true);
    assert_int_equal(lines_of("out/draws.csv"), lines);
    check_ok(tsr__record_read(&e, path_of("out")));
    tsr_experiment_free(e);
    check_fails(tsr__record_read(&e, path_of("data.csv")), TSR_ERROR_IO, "is no folder");
    check_fails(tsr__record_read(&e, path_of("none")), TSR_ERROR_IO, "cannot open");
    check_fails(tsr__record_read(&e, folder), TSR_ERROR_FORMAT, "is no experiment");
    assert_int_equal(remove_tree(path_of("out")), 0);
}

struct studying {
    char protocol[1024], data[1024], out[1024];
    bool resume;
    char *table[BAND_MOST];
};

static void study(tsr_team *team, void *context)
{
    struct studying *s = context;
    tsr_experiment *e = NULL;
    const tsr_experiment_options options = {
        .data = s->data, .out = s->out, .resume = s->resume, .threads = 1, .team = team};
    check_ok(tsr_experiment_run(&e, s->protocol, &options));
    s->table[team->rank] = strdup(tsr_experiment_table(e));
    tsr_experiment_free(e);
}

/* Ranks share the trials; the first writes what all did, and all have the table. */
static void teams_share_trials(void **state)
{
    struct studying s = {.resume = false};
    (void)state;
    (void)snprintf(s.protocol, sizeof s.protocol, "%s", path_of("study.txt"));
    (void)snprintf(s.data, sizeof s.data, "%s", folder);
    (void)snprintf(s.out, sizeof s.out, "%s", path_of("out"));
    run_once("study.txt", false);
    char *alone = strdup(read_text("out/table.csv"));
    assert_int_equal(remove_tree(path_of("out")), 0);
    for (int round = 0; round < 2; round++, s.resume = true) {
        band_run(3, study, &s);
        assert_int_equal(lines_of("out/draws.csv"), 1 + DRAWS);
        assert_string_equal(read_text("out/table.csv"), alone);
        check_confusion();
        for (int r = 0; r < 3; r++) {
            assert_string_equal(s.table[r], s.table[0]);
            if (r > 0)
                free(s.table[r]);
        }
        free(s.table[0]);
    }
    free(alone);
    assert_int_equal(remove_tree(path_of("out")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_every_kind_are_resumed),
        cmocka_unit_test(lines_that_say_nothing_are_passed_over),
        cmocka_unit_test(methods_are_chosen_by_name),
        cmocka_unit_test(one_run_at_a_time),
        cmocka_unit_test(figures_of_any_size_fit),
        cmocka_unit_test(a_folder_tells_all),
        cmocka_unit_test(older_folders_are_completed),
        cmocka_unit_test(splits_have_two_sides),
        cmocka_unit_test(teams_share_trials),
    };
    return cmocka_run_group_tests(tests, make_study, remove_folder);
}
