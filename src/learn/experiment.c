/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Experiments: all trials of a protocol, side by side, resumable.
 *
 * Every finished trial is a line of draws.csv at once; a run that resumes takes the lines that
 * are there for done. One run at a time writes to a folder. Trials do not depend on each other or on
 * threads, so the tables of an interrupted and resumed run are those of a run in one piece. */
#include "learn/experiment.h"

#include "base/progress.h"
#include "base/settings.h"
#include "base/text.h"
#include "io/file.h"
#include "matrix/parallel.h"
#include "matrix/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const tsr_setting table[] = {
#define ROW tsr_experiment_options
    TSR_TEXT_ROW(ROW, data, "data", 0, ".", "DIR", "folder that holds the data sets"),
    TSR_TEXT_ROW(ROW, out, "out", 0, NULL, "OUTDIR",
                 "folder for the tables and every single draw"),
    TSR_TEXT_ROW(ROW, models, "models", 0, NULL, "NAME,NAME,..", "only these methods"),
    TSR_FLAG_ROW(ROW, resume, "resume", 0, "go on where --out stopped"),
    TSR_CHOICE_ROW(ROW, format, "format", "text|markdown|csv|latex|json",
                   "of the table on standard output"),
    TSR_TEXT_ROW(ROW, published, "published", 0, NULL, "FILE",
                 "figures to stand beside ours; default: those that come with Tessera"),
    TSR_INTEGER_ROW(ROW, threads, "threads", 0, 0, 4096, "0", "N",
                    "trials side by side, 0: all processors"),
    TSR_SIZE_ROW(ROW, memory, "memory", NULL, "SIZE",
                 "memory that data may take, such as 2G: larger ones are read in blocks, by "
                 "other rules"),
    TSR_OBJECT_ROW(ROW, progress, "progress", "progress",
                   "hears of every trial, and may stop them"),
    TSR_OBJECT_ROW(ROW, team, "team", "team", "its ranks share the trials"),
#undef ROW
    TSR_END_ROW,
};

const tsr_setting *tsr_experiment_settings(void)
{
    return table;
}

/* Trials ---------------------------------------------------------------------------------- */

static double draws_of(const tsr__protocol *p, int64_t row)
{
    const double draws = (double)p->study.draws;
    if (p->study.task != TSR_TASK_CLASSIFY)
        return draws;
    const bool varied = p->key != NULL && strcmp(p->key, "folds") == 0;
    const int64_t folds = varied ? strtoll(p->values.name[row], NULL, 10) : p->study.folds;
    return folds > 0 ? (double)folds * draws : draws;
}

/* A few words of a protocol may ask for more than anybody waits for. */
static tsr_status check_trials(const tsr_experiment *e)
{
    enum { MOST = 1000000 };
    const tsr__protocol *p = &e->protocol;
    double draws = 0;
    for (int64_t row = 0; row < e->rows; row++)
        draws += draws_of(p, row);
    if (draws * (double)p->methods > MOST)
        return tsr__fail(TSR_ERROR_DATA,
                         "%lld rows of %lld methods make %.3g trials with all their draws; at "
                         "most %d are run",
                         (long long)e->rows, (long long)p->methods, draws * (double)p->methods,
                         MOST);
    return TSR_OK;
}

tsr_status tsr__experiment_list(tsr_experiment *e)
{
    tsr_status status = TSR_OK;
    const tsr__protocol *p = &e->protocol;
    int64_t room = 0;
    e->rows = p->key != NULL ? p->values.count : 1;
    TSR_TRY(check_trials(e));
    for (int64_t row = 0; row < e->rows; row++)
        for (int64_t draw = 0; (double)draw < draws_of(p, row); draw++)
            for (int64_t method = 0; method < p->methods; method++) {
                TSR_GROW(e->trial, e->trials, room);
                tsr__trial *t = &e->trial[e->trials++];
                *t = (tsr__trial){.row = row, .draw = draw, .method = method};
                while (!tsr__method_same_fit(&p->method[t->fit], &p->method[method]))
                    t->fit++;
            }
done:
    return status;
}

/* The method whose name stands at `at`, up to a comma or the end. Names may have commas: of
 * several the longest is meant. */
static int64_t method_at(const char *at, const tsr__protocol *p)
{
    int64_t found = -1;
    size_t longest = 0;
    for (int64_t i = 0; i < p->methods; i++) {
        const size_t length = strlen(p->method[i].name);
        if (length > longest && strncmp(p->method[i].name, at, length) == 0 &&
            (at[length] == ',' || at[length] == '\0')) {
            found = i;
            longest = length;
        }
    }
    return found;
}

static tsr_status no_method(const char *at, const tsr__protocol *p)
{
    enum { MOST = 256 };
    const char *names[MOST];
    char wanted[128];
    int64_t count = 0;
    for (; count < p->methods && count < MOST; count++)
        names[count] = p->method[count].name;
    (void)snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(at, ","), at);
    const char *meant = tsr__nearest(wanted, names, count);
    return tsr__fail(TSR_ERROR_ARGUMENT, "the protocol has no method '%s'%s%s%s", wanted,
                     meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                     meant != NULL ? "'?" : "");
}

/* Keeps only the named methods, in the protocol's order. */
static tsr_status choose_methods(tsr__protocol *p, const char *wanted)
{
    tsr_status status = TSR_OK;
    bool *keep = NULL;
    int64_t kept = 0;
    if (wanted == NULL)
        return TSR_OK;
    TSR_NEW_ZERO(keep, p->methods);
    const char *at = wanted;
    do {
        const int64_t found = method_at(at, p);
        if (found < 0)
            TSR_TRY(no_method(at, p));
        keep[found] = true;
        at += strlen(p->method[found].name);
        at += *at == ',';
    } while (*at != '\0');
    for (int64_t i = 0; i < p->methods; i++) {
        if (keep[i])
            p->method[kept++] = p->method[i];
        else
            tsr__free(p->method[i].name);
    }
    p->methods = kept;
done:
    tsr__free(keep);
    return status;
}

struct running {
    tsr_experiment *e;
    const tsr__material *material;
    int64_t *leader;     /* trials, one of each fit */
    tsr__record *record; /* or NULL */
    tsr__task task;
    int64_t finished;
    _Atomic int status; /* of the first trial that failed, or of the progress report */
    char message[TSR_MESSAGE_SIZE];
};

struct reporting {
    struct running *r;
    const tsr__trial *trial;
    const tsr__fitting *fitting;
    tsr_status status;
};

/* One at a time: the line of a finished trial, and the word to whoever watches. */
static void report(void *context)
{
    struct reporting *now = context;
    struct running *r = now->r;
    const tsr__trial *t = now->trial;
    const tsr__protocol *p = &r->e->protocol;
    if (now->status == TSR_OK && r->record != NULL)
        tsr__record_add(r->record, r->e, t, now->fitting);
    tsr_status status = now->status;
    if (status == TSR_OK)
        status = tsr__task_step(&r->task, ++r->finished, (double)NAN, (double)NAN);
    if (status < 0 && r->status == TSR_OK) {
        r->status = (int)status;
        (void)snprintf(r->message, sizeof r->message, "%s, row %s, draw %lld: %s",
                       p->method[t->method].name, tsr__experiment_row(p, t->row),
                       (long long)t->draw, tsr_message());
    }
}

static bool same_draw(const tsr__trial *a, const tsr__trial *b)
{
    return a->row == b->row && a->draw == b->draw;
}

/* Trials of a draw that share a fit are one piece of work, which the first to do stands for. */
static bool leads(const tsr_experiment *e, int64_t i)
{
    const tsr__trial *t = &e->trial[i];
    bool first = !t->done;
    for (int64_t j = i - 1; first && j >= 0 && same_draw(&e->trial[j], t); j--)
        first = e->trial[j].done || e->trial[j].fit != t->fit;
    return first;
}

static void run_fit(void *context, int64_t item, int thread)
{
    struct running *r = context;
    const tsr_experiment *e = r->e;
    const tsr__trial *first = &e->trial[r->leader[item]];
    const double start = tsr__clock();
    tsr__fitting fitting = {{NULL, NULL}, NULL};
    (void)thread;
    if (r->status < 0)
        return;
    tsr_status status =
        tsr__fitting_make(&fitting, first, &e->protocol, r->material->data, r->material->group);
    const double fitted = tsr__clock() - start;
    for (int64_t i = r->leader[item]; i < e->trials && same_draw(&e->trial[i], first); i++) {
        tsr__trial *t = &e->trial[i];
        const double judging = tsr__clock();
        if (t->fit != first->fit || t->done || r->status < 0)
            continue;
        if (status == TSR_OK)
            status = tsr__fitting_judge(&fitting, t, &e->protocol);
        t->seconds = fitted + tsr__clock() - judging;
        t->done = status == TSR_OK;
        tsr__exclusive(report, &(struct reporting){r, t, &fitting, status});
        tsr__free(t->confusion);
        t->confusion = NULL;
    }
    tsr__fitting_clear(&fitting);
}

/* The trials still to do that the same samples serve as the first of them, `most` at most; false:
 * none. */
static bool gather(int64_t *fits, int64_t *leader, const tsr_experiment *e,
                   const tsr__material *material, int64_t most)
{
    *fits = 0;
    for (int64_t i = 0; i < e->trials && *fits < most; i++)
        if (leads(e, i) &&
            (*fits == 0 || tsr__material_shared(material, &e->trial[*leader], &e->trial[i])))
            leader[(*fits)++] = i;
    return *fits > 0;
}

/* A rank takes every so many of them. */
static int64_t take_own(int64_t *leader, int64_t fits, const tsr_team *team)
{
    int64_t own = 0;
    for (int64_t i = tsr__team_rank(team); i < fits; i += tsr__team_ranks(team))
        leader[own++] = leader[i];
    return own;
}

/* Side by side on this rank, and what they came to on all; the first writes the lines of all. */
static tsr_status run_round(struct running *r, int64_t fits,
                            const tsr_experiment_options *options)
{
    tsr_status status = TSR_OK;
    tsr_team *team = options->team;
    tsr__record *record = r->record;
    tsr__record lines = TSR_RECORD_NONE;
    const int64_t own = take_own(r->leader, fits, team);
    if (tsr__team_shares(team) && options->out != NULL) {
        TSR_TRY(tsr__record_begin_lines(&lines));
        r->record = &lines;
    }
    tsr__parallel(own, tsr__threads(options->threads, own), run_fit, r);
    TSR_TRY(tsr__record_send_lines(record, r->record == &lines ? &lines : NULL, team));
    TSR_TRY(tsr__trials_share(r->e, team));
    if (r->status < 0)
        status = tsr__fail((tsr_status)r->status, "%s", r->message);
    status = tsr__team_agree(team, status);
done:
    r->record = record;
    tsr__record_end_lines(&lines);
    return status;
}

static tsr_status run_trials(tsr_experiment *e, tsr__material *material, tsr__record *record,
                             const tsr_experiment_options *options)
{
    tsr_status status = TSR_OK;
    struct running r = {.e = e, .material = material, .record = record};
    int64_t todo = 0, fits = 0;
    TSR_NEW(r.leader, e->trials);
    for (int64_t i = 0; i < e->trials; i++)
        todo += !e->trial[i].done;
    r.task = tsr__task_begin(options->progress, "trials", todo);
    const int64_t most =
        tsr__team_shares(options->team)
            ? options->team->ranks * 4 * (int64_t)tsr__threads(options->threads, e->trials)
            : e->trials;
    while (gather(&fits, r.leader, e, material, most)) {
        TSR_TRY(tsr__material_make(material, &e->trial[r.leader[0]]));
        TSR_TRY(run_round(&r, fits, options));
    }
done:
    tsr__free(r.leader);
    return status;
}

/* The table as the caller wants it. */
static tsr_status keep_table(tsr_experiment *e, tsr__table_format format)
{
    tsr_status status = TSR_OK;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL)
        TSR_FAIL(TSR_ERROR_MEMORY, "no memory for the table");
    TSR_TRY(tsr__stream_close(to, tsr__table_print(to, e, format)));
    TSR_NEW_TEXT(e->table, text);
done:
    free(text);
    return status;
}

static tsr_status or_default(tsr_experiment_options *out, const tsr_experiment_options *options)
{
    tsr_settings_default(table, out);
    if (options != NULL)
        *out = *options;
    return tsr_settings_check(table, out);
}

tsr_status tsr_experiment_check(const char *protocol, const tsr_experiment_options *options)
{
    TSR_REQUIRE_TEXT(protocol);
    tsr_status status = TSR_OK;
    tsr__protocol p = {0};
    tsr_experiment_options o;
    TSR_TRY(or_default(&o, options));
    TSR_TRY(tsr__protocol_read(&p, protocol));
    TSR_TRY(choose_methods(&p, o.models));
done:
    tsr__protocol_clear(&p);
    return status;
}

/* All of it but the table; the folder is held until the files are written. */
static tsr_status run(tsr_experiment *e, const tsr_experiment_options *options)
{
    tsr_status status = TSR_OK;
    tsr__material material = {.protocol = NULL};
    tsr__record record = TSR_RECORD_NONE;
    const bool kept = options->out != NULL && tsr__team_rank(options->team) == 0;
    TSR_TRY(tsr__experiment_list(e));
    if (options->published != NULL)
        TSR_TRY(tsr__published_read(&e->published, options->published));
    TSR_TRY(tsr__material_open(&material, &e->protocol, options));
    if (kept)
        TSR_TRY(tsr__record_open(&record, e, options->out, options->resume));
    TSR_TRY(tsr__team_share(options->team, e->trial,
                            e->trials * (int64_t)sizeof *e->trial)); /* what was done before */
    TSR_TRY(run_trials(e, &material, kept ? &record : NULL, options));
    TSR_TRY(tsr__record_finish(&record, TSR_OK));
    if (kept)
        TSR_TRY(tsr__record_tables(e, options->out));
done:
    status = tsr__record_finish(&record, status);
    tsr__record_drop(&record);
    tsr__material_clear(&material);
    return status;
}

static tsr_status make(tsr_experiment **out, const char *protocol,
                       const tsr_experiment_options *o)
{
    tsr_status status = TSR_OK;
    tsr_experiment *e = NULL;
    TSR_NEW_ZERO(e, 1);
    TSR_TRY(tsr__protocol_read(&e->protocol, protocol));
    TSR_TRY(choose_methods(&e->protocol, o->models));
    TSR_TRY(run(e, o));
    TSR_TRY(keep_table(e, (tsr__table_format)o->format));
    *out = e, e = NULL;
done:
    tsr_experiment_free(e);
    return status;
}

tsr_status tsr_experiment_run(tsr_experiment **out, const char *protocol,
                              const tsr_experiment_options *options)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_TEXT(protocol);
    tsr_status status = TSR_OK;
    tsr_experiment *e = NULL;
    tsr_experiment_options o;
    TSR_TRY(or_default(&o, options));
    tsr_team_enter(o.team);
    status = tsr_team_leave(o.team, make(&e, protocol, &o));
    if (status == TSR_OK)
        *out = e, e = NULL;
done:
    tsr_experiment_free(e);
    return status;
}

void tsr_experiment_free(tsr_experiment *experiment)
{
    if (experiment == NULL)
        return;
    tsr__protocol_clear(&experiment->protocol);
    tsr__names_clear(&experiment->published.field);
    for (int64_t i = 0; i < experiment->trials; i++)
        tsr__free(experiment->trial[i].confusion);
    tsr__free(experiment->trial);
    tsr__free(experiment->table);
    tsr__free(experiment);
}

const char *tsr_experiment_table(const tsr_experiment *experiment)
{
    return experiment != NULL ? experiment->table : NULL;
}
