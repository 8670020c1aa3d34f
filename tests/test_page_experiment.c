/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pages of experiments: their figures are those of the table, every chart has its table, names of
 * every kind stay names, and folders that were stopped, damaged or older are shown or refused in
 * words. */
#include "folder.h"

#include "learn/experiment.h"

#include <math.h>

/* What a page of HTML, its JSON and a table of commas could take for something else. */
#define HOSTILE "</script><b>&\"x\", \xd7\x90\xe2\x80\xae"
static const char *const clusters =
    "title = Clusters </title>\ndata = data.csv\nvary = rank 1 2 3\ndraws = 4\nlabelled = 1\n"
    "iterations = 30\ntolerance = 0\npublished = d s\npublished-rows = k=%\n"
    "[nmf]\n[nmf-kl]\nrestarts = 2\n[" HOSTILE "]\nmodel = raw\n";
static const char *const classes =
    "title = Classes\ntask = classify\ndata = data.csv\ntrain = 3\ntest = 2\ndraws = 3\n"
    "[raw]\n[nmf]\nrank = 2\niterations = 20\n";
enum { METHODS = 3, ROWS = 3, DRAWS = 4 };

static void put_text(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

static int make_study(void **state)
{
    const int status = make_folder(state);
    char data[2048] = "x,y,z,label\n";
    for (int i = 0; i < 6; i++) {
        char line[128];
        (void)snprintf(line, sizeof line,
                       "%d,0,1,\"<i>one\"\n0,%d,2,class\n%d,%d,%d,\"say \"\"two\"\"\"\n", 9 + i,
                       9 + i, 5 + i, 3 * i, 9 - i);
        (void)strcat(data, line);
    }
    put_text("data.csv", data);
    put_text("clusters.txt", clusters);
    put_text("classes.txt", classes);
    put_text(
        "published.csv",
        "data,source,setting,method,metric,value\nd,s,k=2,nmf,AC,61.5\nd,s,k=2,nmf,NMI,40\n"
        "d,s,average,nmf,AC,60\n");
    return status;
}

static tsr_experiment *run(const char *study, const tsr_experiment_options *with)
{
    char data[1024], out[1600], published[1600];
    tsr_experiment_options options = with != NULL ? *with : (tsr_experiment_options){0};
    tsr_experiment *e = NULL;
    (void)snprintf(data, sizeof data, "%s", folder);
    (void)snprintf(out, sizeof out, "%s", path_of("out"));
    (void)snprintf(published, sizeof published, "%s", path_of("published.csv"));
    options.data = data;
    options.out = out;
    options.published = published;
    options.threads = 1;
    const tsr_status status = tsr_experiment_run(&e, path_of(study), &options);
    if (options.progress == NULL)
        check_ok(status);
    return e;
}

static char *slurp(const char *name)
{
    FILE *file = fopen(path_of(name), "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    text[size] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

/* A page, what it is drawn from and the file itself. */
typedef struct shown {
    tsr_page *page;
    const char *facts;
    char *html;
} shown;

static shown show(const tsr_page_options *options)
{
    shown s = {NULL, NULL, NULL};
    check_ok(tsr_page_experiment(&s.page, path_of("out"), options));
    s.facts = tsr_page_facts(s.page);
    check_ok(tsr_page_write(s.page, path_of("page.html")));
    s.html = slurp("page.html");
    return s;
}

static void drop(shown *s)
{
    tsr_page_free(s->page);
    free(s->html);
}

static int64_t count(const char *text, const char *what)
{
    int64_t found = 0;
    for (; (text = strstr(text, what)) != NULL; text += strlen(what))
        found++;
    return found;
}

static void has(const char *text, const char *what)
{
    if (strstr(text, what) == NULL)
        fail_msg("there is no %s", what);
}

static void has_not(const char *text, const char *what)
{
    if (strstr(text, what) != NULL)
        fail_msg("there is %s", what);
}

/* Every chart has its figure, and its table in the page. */
static void check_charts(const shown *s)
{
    const char *at = strstr(s->facts, "\"charts\":");
    int charts = 0;
    assert_non_null(at);
    for (; (at = strstr(at, "\"kind\":")) != NULL && strstr(at, "\"table\":") != NULL; at++) {
        char table[64] = "", wanted[96];
        if (sscanf(strstr(at, "\"table\":"), "\"table\":\"%63[^\"]", table) != 1 ||
            strstr(at, "\"title\":") < strstr(at, "\"table\":"))
            continue;
        (void)snprintf(wanted, sizeof wanted, "<table id=\"table-%s\">", table);
        has(s->html, wanted);
        charts++;
    }
    assert_true(charts >= 4);
    assert_int_equal(count(s->html, "<figure class=\"chart\""), charts);
}

/* The row of a table as it stands in the facts. */
static void check_row(const shown *s, const tsr_experiment *e, int64_t row, int64_t method,
                      const char *metric)
{
    const tsr__cell cell = tsr__experiment_cell(e, row, method, metric);
    char begin[256], id[32];
    double mean = 0, deviation = 0;
    (void)snprintf(id, sizeof id, "\"%s\":{\"caption\"", metric[0] == 'N' ? "nmi" : "accuracy");
    (void)snprintf(begin, sizeof begin, "[%s,\"%s\",", tsr__experiment_row(&e->protocol, row),
                   e->protocol.method[method].name);
    const char *at = strstr(s->facts, id);
    assert_non_null(at);
    at = strstr(at, begin);
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(begin), "%lf,%lf", &mean, &deviation), 2);
    assert_true(fabs(mean - cell.mean / 100) < 1e-8);
    assert_true(fabs(deviation - cell.deviation / 100) < 1e-8);
}

static void figures_are_the_tables(void **state)
{
    tsr_experiment *e = run("clusters.txt", NULL);
    const tsr_page_options options = {
        .command = "tessera report <out>", .points = 2000, .parts = 1};
    shown s = show(&options);
    (void)state;
    for (int64_t row = 0; row < ROWS; row++)
        for (int64_t m = 0; m < 2; m++) {
            check_row(&s, e, row, m, "AC");
            check_row(&s, e, row, m, "NMI");
        }
    static const char *const ids[] = {"summary",   "table",       "accuracy", "nmi",  "draws",
                                      "confusion", "convergence", "time",     "again"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char section[64];
        (void)snprintf(section, sizeof section, "<section id=\"%s\"", ids[i]);
        has(s.html, section);
    }
    check_charts(&s);
    has(s.facts, "\"page\":\"experiment\"");
    has(s.facts, "36 of 36 trials are done");
    has(s.facts, "\"x\":\"rank\",\"series\":\"method\",\"y\":[\"accuracy\",\"published\"]");
    has(s.facts, ",0.615,"); /* published beside ours */
    has(s.html, "(61.5,");
    has(s.html, "tessera report &lt;out&gt;");
    has(s.html, "protocol.txt --published ");
    has_not(s.html, "are missing");
    drop(&s);
    tsr_experiment_free(e);
}

/* Goes on with the folder of the first test. */
static void names_stay_names(void **state)
{
    shown s = show(NULL);
    (void)state;
    assert_int_equal(count(s.html, "</script>"), 2);
    has_not(s.html, "<b>");
    has_not(s.html, "<i>");
    has_not(s.html, "Clusters </title>");
    has(s.html, "&lt;/script&gt;&lt;b&gt;&amp;&quot;x&quot;, \xd7\x90");
    has(s.html, "&lt;i&gt;one");
    drop(&s);
}

static void many_draws_are_capped(void **state)
{
    const tsr_page_options options = {.points = 20, .parts = 1};
    shown s = show(&options);
    (void)state;
    has(s.html, "18 of 36 trials are shown"); /* two draws of each row and method */
    drop(&s);
    const tsr_page_options few = {.points = 2, .parts = 1};
    s = show(&few);
    has(s.html, "2 of 36 trials are shown");
    drop(&s);
}

/* Lines of draws.csv are cut anywhere, or are no lines: what is understood is shown. */
static void damaged_folders_are_shown(void **state)
{
    (void)state;
    char *draws = slurp("out/draws.csv");
    const size_t size = strlen(draws);
    for (size_t cut = 0; cut <= size; cut += size / 9) {
        put_bytes("out/draws.csv", draws, cut);
        shown s = show(NULL);
        if (cut < size / 2)
            has(s.html, "trials are missing");
        if (cut == 0) {
            has(s.facts, "0 of 36 trials are done");
            has_not(s.html, "<section id=\"accuracy\"");
        }
        drop(&s);
    }
    put_text("out/draws.csv", "\xff\xfe,,,\n\"\n1,0,nmf,nan,nan,1,0\n1,0,nmf,0.5,0.5,1,0\n");
    put_text("out/history.csv", "1,0,nmf,1,5\n1,0,nmf,2,inf\n1,0,nmf,-3,4\n1,0,nmf,9,x\n\"");
    put_text("out/confusion.csv", "1,0,nmf,a,b,9223372036854775807\n1,0,nmf,a,a,-5\n"
                                  "1,0,nmf,a,a,3\n1,0,nmf,\"");
    shown s = show(NULL);
    has(s.facts, "1 of 36 trials are done");
    has(s.facts, "[[1,\"nmf\",5.0,1.0]]");
    has(s.facts, "\"rows\":[[\"a\",3]]");
    drop(&s);
    assert_int_equal(unlink(path_of("out/draws.csv")), 0);
    assert_int_equal(unlink(path_of("out/history.csv")), 0);
    assert_int_equal(unlink(path_of("out/confusion.csv")), 0);
    assert_int_equal(unlink(path_of("out/published.csv")), 0);
    s = show(NULL);
    drop(&s);
    put_text("out/draws.csv", draws); /* confusion and history of an older version: none */
    s = show(NULL);
    has(s.html, "history.csv has no line");
    has(s.html, "confusion.csv has no line");
    drop(&s);
    free(draws);
    assert_int_equal(remove_tree(path_of("out")), 0);
}

static bool stop_soon(void *user, const tsr_step *step)
{
    (void)user;
    return strcmp(step->task, "trials") != 0 || step->done < 5;
}

static void stopped_runs_are_shown(void **state)
{
    const tsr_progress progress = {stop_soon, NULL};
    const tsr_experiment_options with = {.progress = &progress};
    (void)state;
    tsr_experiment_free(run("clusters.txt", &with));
    shown s = show(NULL);
    has(s.facts, "5 of 36 trials are done");
    has(s.html, "31 of 36 trials are missing");
    has(s.html, "--resume");
    check_charts(&s);
    drop(&s);
    assert_int_equal(remove_tree(path_of("out")), 0);
}

/* One row, no NMI: bars of methods. */
static void one_row_makes_bars(void **state)
{
    (void)state;
    tsr_experiment_free(run("classes.txt", NULL));
    shown s = show(NULL);
    has(s.facts,
        "\"id\":\"accuracy\",\"kind\":\"bar\",\"table\":\"accuracy\",\"title\":\"Accuracy "
        "by method\",\"x\":\"method\",\"y\":[\"accuracy\"]");
    has_not(s.html, "<section id=\"nmi\"");
    check_charts(&s);
    drop(&s);
}

static void what_is_no_experiment_is_refused(void **state)
{
    tsr_page *page = NULL;
    (void)state;
    check_fails(tsr_page_experiment(&page, path_of("none"), NULL), TSR_ERROR_IO, "cannot open");
    check_fails(tsr_page_experiment(&page, path_of("data.csv"), NULL), TSR_ERROR_IO,
                "--out FOLDER");
    check_fails(tsr_page_experiment(&page, folder, NULL), TSR_ERROR_FORMAT,
                "it has no protocol.txt; tessera experiment PROTOCOL");
    put_text("out/protocol.txt", "title = x\n[nmf\n");
    check_fails(tsr_page_experiment(&page, path_of("out"), NULL), TSR_ERROR_FORMAT, "line 2");
    put_text("out/protocol.txt", classes);
    assert_int_equal(unlink(path_of("out/history.csv")), 0);
    assert_int_equal(mkdir(path_of("out/history.csv"), 0777), 0);
    check_fails(tsr_page_experiment(&page, path_of("out"), NULL), TSR_ERROR_IO,
                "out/history.csv: is a folder");
    assert_int_equal(unlink(path_of("out/protocol.txt")), 0);
    check_fails(tsr_page_experiment(&page, path_of("out"), NULL), TSR_ERROR_FORMAT,
                "runs no trial again");
    assert_null(page);
    assert_int_equal(remove_tree(path_of("out")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_the_tables),
        cmocka_unit_test(names_stay_names),
        cmocka_unit_test(many_draws_are_capped),
        cmocka_unit_test(damaged_folders_are_shown),
        cmocka_unit_test(stopped_runs_are_shown),
        cmocka_unit_test(one_row_makes_bars),
        cmocka_unit_test(what_is_no_experiment_is_refused),
    };
    return cmocka_run_group_tests(tests, make_study, remove_folder);
}
