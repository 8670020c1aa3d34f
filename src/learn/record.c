/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The folder of an experiment:
 *
 *     protocol.txt        the protocol, byte for byte
 *     published.csv       the published figures that it asks for
 *     draws.csv           a line a finished trial (draws.c)
 *     history.csv         how J fell in the first draw of each row (history.c)
 *     confusion.csv       what was taken for what (confusion.c), and confusion-METHOD.csv
 *     table.*             once all is done (table.c)
 *
 * The first two are written when a run begins or is resumed, lines when a trial is done: the folder
 * of a run that was stopped tells what there is. */
#include "learn/experiment.h"

#include "io/field.h"
#include "io/folder.h"
#include "matrix/team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* folder/name, and a stream to it that was opened by `mode`. */
static tsr_status open_stream(FILE **out, const char *folder, const char *name,
                              const char *mode)
{
    tsr_status status = TSR_OK;
    char *path = tsr__path_join(folder, name);
    if (path == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    *out = fopen(path, mode);
    if (*out == NULL)
        TSR_FAIL(TSR_ERROR_IO, "%s: %s", path, strerror(errno));
done:
    tsr__free(path);
    return status;
}

/* A file of lines in the folder, begun or gone on with; `head` is its first line. What a stop
 * cut short stays a line of its own. */
static tsr_status open_lines(FILE **out, const char *folder, const char *name, const char *head,
                             bool resume)
{
    tsr_status status = TSR_OK;
    TSR_TRY(open_stream(out, folder, name, resume ? "a+e" : "we"));
    const bool empty = !resume || fseek(*out, -1, SEEK_END) != 0;
    if (empty)
        (void)fprintf(*out, "%s\n", head);
    else if (fgetc(*out) != '\n')
        (void)fputc('\n', *out);
done:
    return status;
}

/* Whole files appear complete or not at all: the protocol may be the folder's own. */
static tsr_status write_file(const tsr_experiment *e, const char *folder, const char *name,
                             void (*print)(FILE *, const tsr_experiment *))
{
    tsr_status status = TSR_OK;
    tsr__output output = {NULL, NULL, 0};
    FILE *to = NULL;
    char *path = tsr__path_join(folder, name);
    if (path == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(tsr__output_begin(&output, path, false));
    TSR_TRY(tsr__stream_open(&to, output.temporary));
    print(to, e);
    TSR_TRY(tsr__stream_close(to, TSR_OK));
    TSR_TRY(tsr__output_commit(&output));
done:
    if (status < 0)
        status = tsr__fail_in(status, path != NULL ? path : name);
    tsr__output_abandon(&output);
    tsr__free(path);
    return status;
}

static void print_protocol(FILE *to, const tsr_experiment *e)
{
    const tsr__input *source = &e->protocol.source;
    (void)fwrite(source->bytes, 1, (size_t)source->size, to);
}

static void print_published(FILE *to, const tsr_experiment *e)
{
    const tsr__names *all = &e->published.field;
    for (int64_t line = 0; line + 5 < all->count; line += 6) {
        if (line > 0 && !tsr__published_meant(&e->protocol, all->name + line))
            continue;
        for (int64_t i = line; i < line + 6; i++) {
            tsr__field_print(to, all->name[i], ',');
            (void)fputc(i < line + 5 ? ',' : '\n', to);
        }
    }
}

/* The name of a file in the folder, to be freed; NULL where it is not there. */
static char *find(const char *folder, const char *name)
{
    char *path = tsr__path_join(folder, name);
    if (path == NULL || access(path, F_OK) == 0)
        return path;
    tsr__free(path);
    return NULL;
}

static tsr_status take_draws(tsr_experiment *e, const char *folder)
{
    char *path = find(folder, "draws.csv");
    const tsr_status status = path != NULL ? tsr__draws_take(e, path) : TSR_OK;
    tsr__free(path);
    return status;
}

tsr_status tsr__record_open(tsr__record *out, tsr_experiment *e, const char *folder,
                            bool resume)
{
    tsr_status status = TSR_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        TSR_FAIL(TSR_ERROR_IO, "%s: %s", folder, strerror(errno));
    TSR_TRY(tsr__lock_take(&out->lock, folder));
    if (resume)
        TSR_TRY(take_draws(e, folder));
    TSR_TRY(write_file(e, folder, "protocol.txt", print_protocol));
    TSR_TRY(write_file(e, folder, "published.csv", print_published));
    TSR_TRY(open_lines(&out->draws, folder, "draws.csv",
                       "row,draw,method,accuracy,nmi,rank,seconds", resume));
    TSR_TRY(open_lines(&out->confusion, folder, "confusion.csv",
                       "row,draw,method,class,predicted,count", resume));
    TSR_TRY(open_lines(&out->history, folder, "history.csv",
                       "row,draw,method,iteration,objective", resume));
done:
    return status;
}

/* J comes first: said twice it does no harm, and a draw that is done has it. */
void tsr__record_add(tsr__record *record, const tsr_experiment *e, const tsr__trial *t,
                     const tsr__fitting *f)
{
    tsr__history_print(record->history, e, t, f->encoder);
    (void)fflush(record->history);
    tsr__draws_print(record->draws, e, t);
    (void)fflush(record->draws);
    tsr__confusion_print(record->confusion, e, t, tsr_data_labels(f->part[0]));
    (void)fflush(record->confusion);
}

tsr_status tsr__record_finish(tsr__record *record, tsr_status status)
{
    const struct {
        FILE **lines;
        const char *name;
    } all[] = {{&record->draws, "draws.csv"},
               {&record->confusion, "confusion.csv"},
               {&record->history, "history.csv"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const tsr_status closed = tsr__stream_close(*all[i].lines, status);
        status = closed < 0 && status == TSR_OK ? tsr__fail_in(closed, all[i].name) : closed;
        *all[i].lines = NULL;
    }
    return status;
}

/* Of a team --------------------------------------------------------------------------------- */

tsr_status tsr__record_begin_lines(tsr__record *lines)
{
    FILE **const to[] = {&lines->draws, &lines->confusion, &lines->history};
    for (int i = 0; i < 3; i++) {
        *to[i] = open_memstream(&lines->text[i], &lines->size[i]);
        if (*to[i] == NULL)
            return tsr__fail(TSR_ERROR_MEMORY, "no memory for the lines of trials");
    }
    return TSR_OK;
}

/* J first, as when a process adds its own. */
tsr_status tsr__record_send_lines(tsr__record *record, tsr__record *lines, tsr_team *team)
{
    tsr_status status = TSR_OK;
    const int ranks = tsr__team_ranks(team);
    int64_t *count = NULL;
    char *all = NULL;
    if (lines == NULL)
        return TSR_OK;
    TSR_NEW(count, ranks);
    FILE *const from[] = {lines->history, lines->draws, lines->confusion};
    FILE *const to[] = {record != NULL ? record->history : NULL,
                        record != NULL ? record->draws : NULL,
                        record != NULL ? record->confusion : NULL};
    static const int at[] = {2, 0, 1};
    for (int i = 0; i < 3; i++) {
        int64_t sum = 0;
        if (fflush(from[i]) != 0 || ferror(from[i]))
            TSR_FAIL(TSR_ERROR_MEMORY, "no memory for the lines of trials");
        TSR_TRY(tsr__team_counts(team, count, (int64_t)lines->size[at[i]]));
        for (int r = 0; r < ranks; r++)
            sum += count[r];
        TSR_NEW(all, sum + 1);
        TSR_TRY(tsr__team_collect(team, all, lines->text[at[i]], count));
        if (to[i] != NULL && sum > 0) {
            (void)fwrite(all, 1, (size_t)sum, to[i]);
            (void)fflush(to[i]);
        }
        tsr__free(all);
        all = NULL;
    }
done:
    tsr__free(count);
    tsr__free(all);
    return status;
}

void tsr__record_end_lines(tsr__record *lines)
{
    FILE *const all[] = {lines->draws, lines->confusion, lines->history};
    for (int i = 0; i < 3; i++) {
        if (all[i] != NULL)
            (void)fclose(all[i]);
        free(lines->text[i]);
    }
    *lines = TSR_RECORD_NONE;
}

/* A trial is done on one rank. */
tsr_status tsr__trials_share(tsr_experiment *e, tsr_team *team)
{
    tsr_status status = TSR_OK;
    const int ranks = tsr__team_ranks(team);
    const int64_t bytes = e->trials * (int64_t)sizeof *e->trial;
    int64_t *count = NULL;
    tsr__trial *all = NULL;
    if (!tsr__team_shares(team))
        return TSR_OK;
    TSR_NEW(count, ranks);
    TSR_NEW(all, ranks * e->trials);
    for (int r = 0; r < ranks; r++)
        count[r] = bytes;
    TSR_TRY(tsr__team_collect(team, all, e->trial, count));
    for (int64_t i = 0; i < ranks * e->trials; i++)
        if (all[i].done)
            e->trial[i % e->trials] = all[i];
done:
    tsr__free(count);
    tsr__free(all);
    return status;
}

void tsr__record_drop(tsr__record *record)
{
    tsr__lock_drop(&record->lock);
}

tsr_status tsr__record_tables(const tsr_experiment *e, const char *folder)
{
    static const struct {
        const char *name;
        tsr__table_format format;
    } tables[] = {{"table.txt", TSR_TABLE_TEXT},
                  {"table.md", TSR_TABLE_MARKDOWN},
                  {"table.csv", TSR_TABLE_CSV},
                  {"table.tex", TSR_TABLE_LATEX},
                  {"table.json", TSR_TABLE_JSON}};
    tsr_status status = TSR_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        FILE *to = NULL;
        TSR_TRY(open_stream(&to, folder, tables[i].name, "we"));
        TSR_TRY(tsr__stream_close(to, tsr__table_print(to, e, tables[i].format)));
    }
    TSR_TRY(tsr__confusion_write(e, folder));
done:
    return status;
}

/* Reading --------------------------------------------------------------------------------- */

tsr_status tsr__record_lines(tsr__input *out, const char *folder, const char *name)
{
    char *path = find(folder, name);
    tsr_status status = path != NULL ? tsr__input_open(out, path) : TSR_OK;
    if (status < 0)
        status = tsr__fail_in(status, path);
    tsr__free(path);
    return status;
}

/* Why a folder without a protocol holds no experiment. */
static tsr_status refuse(const char *folder)
{
    struct stat about;
    char *draws = find(folder, "draws.csv");
    const bool older = draws != NULL;
    tsr__free(draws);
    if (stat(folder, &about) != 0)
        return tsr__fail(TSR_ERROR_IO, "cannot open: %s", strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return tsr__fail(TSR_ERROR_IO, "is no folder: an experiment is one, as left by tessera "
                                       "experiment PROTOCOL --out FOLDER");
    return older ? tsr__fail(TSR_ERROR_FORMAT,
                             "has draws.csv but no protocol.txt: an older version left it; "
                             "tessera experiment PROTOCOL --data DIR --out FOLDER --resume "
                             "adds what is missing and runs no trial again")
                 : tsr__fail(TSR_ERROR_FORMAT,
                             "is no experiment: it has no protocol.txt; tessera experiment "
                             "PROTOCOL --data DIR --out FOLDER makes one");
}

tsr_status tsr__record_read(tsr_experiment **out, const char *folder)
{
    tsr_status status = TSR_OK;
    tsr_experiment *e = NULL;
    char *protocol = find(folder, "protocol.txt"), *published = find(folder, "published.csv");
    if (protocol == NULL)
        TSR_TRY(tsr__fail_in(refuse(folder), folder));
    TSR_NEW_ZERO(e, 1);
    TSR_TRY(tsr__protocol_read(&e->protocol, protocol));
    TSR_TRY(tsr__experiment_list(e));
    if (published != NULL)
        TSR_TRY(tsr__published_read(&e->published, published));
    TSR_TRY(take_draws(e, folder));
    *out = e, e = NULL;
done:
    tsr__free(protocol);
    tsr__free(published);
    tsr_experiment_free(e);
    return status;
}
