/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs of lines. A run is about RUN_BYTES long and ends where a line ends; a line that is
 * longer than that leaves empty runs behind it. */
#include "io/lines.h"

#include "base/progress.h"
#include "matrix/parallel.h"

#include <math.h>
#include <string.h>

enum { RUN_BYTES = 1 << 20, BATCH = 32 };

typedef struct survey {
    const char *begin, *end;
    const tsr__line_rule *rule;
    tsr__run *run;
    int64_t count;
    bool *quoted; /* of each run */
} survey;

const char *tsr__line_end(const char *at, const char *end)
{
    const char *found = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return found != NULL ? found : end;
}

static const char *next_line(const char *line_end, const char *end)
{
    return line_end < end ? line_end + 1 : end;
}

/* Whether the line at `at` counts; *at is moved past its blanks. */
static bool counts(const char **at, const char *end, const tsr__line_rule *rule)
{
    if (rule->blanks == NULL)
        return true;
    *at = tsr__skip(*at, end, rule->blanks);
    return *at < end && **at != '\n' && (rule->comment == 0 || **at != rule->comment);
}

static int64_t count_lines(const char *at, const char *end, const tsr__line_rule *rule)
{
    int64_t lines = 0;
    while (at < end) {
        lines += counts(&at, end, rule);
        at = next_line(tsr__line_end(at, end), end);
    }
    return lines;
}

static int64_t count_marks(const char *at, const char *end, char mark)
{
    int64_t marks = 0;
    for (; at < end; at++)
        marks += *at == mark;
    return marks;
}

/* The first line that begins at or after byte i RUN_BYTES. */
static const char *cut_at(const survey *s, int64_t i)
{
    if (i == 0)
        return s->begin;
    if (i == s->count)
        return s->end;
    return next_line(tsr__line_end(s->begin + i * RUN_BYTES - 1, s->end), s->end);
}

static void survey_run(void *context, int64_t i, int thread)
{
    const survey *s = context;
    tsr__run *run = &s->run[i];
    (void)thread;
    *run = (tsr__run){.begin = cut_at(s, i), .end = cut_at(s, i + 1)};
    run->lines = count_lines(run->begin, run->end, s->rule);
    if (s->rule->mark != 0)
        run->marks = count_marks(run->begin, run->end, s->rule->mark);
    s->quoted[i] = s->rule->quote != 0 && run->begin < run->end &&
                   memchr(run->begin, s->rule->quote, (size_t)(run->end - run->begin)) != NULL;
}

/* With quotes only a walk from the beginning knows where lines end. */
static void survey_quoted(const survey *s)
{
    const tsr__line_rule *rule = s->rule;
    const char *at = s->begin;
    for (int64_t i = 0; i < s->count; i++) {
        tsr__run *run = &s->run[i];
        const char *until = i + 1 < s->count ? s->begin + (i + 1) * RUN_BYTES : s->end;
        *run = (tsr__run){.begin = at};
        while (at < until) {
            const char *text = at;
            const bool counted = counts(&text, s->end, rule);
            run->lines += counted;
            at = counted ? rule->line_end(at, s->end, rule->delimiter)
                         : tsr__line_end(text, s->end);
            at = next_line(at, s->end);
        }
        run->end = at;
        run->marks = count_marks(run->begin, run->end, rule->mark);
    }
}

tsr_status tsr__lines_cut(tsr__lines *out, const char *begin, const char *end,
                          const tsr__line_rule *rule, int64_t threads)
{
    tsr_status status = TSR_OK;
    survey s = {.begin = begin, .end = end, .rule = rule};
    s.count = (end - begin) / RUN_BYTES + 1;
    TSR_NEW(s.run, s.count);
    TSR_NEW(s.quoted, s.count);
    *out = (tsr__lines){.count = s.count, .threads = tsr__threads(threads, s.count)};
    tsr__parallel(s.count, out->threads, survey_run, &s);
    if (memchr(s.quoted, true, (size_t)s.count) != NULL)
        survey_quoted(&s);
    for (int64_t i = 0; i < s.count; i++) {
        s.run[i].lines_before = out->lines;
        s.run[i].marks_before = out->marks;
        out->lines += s.run[i].lines;
        out->marks += s.run[i].marks;
    }
    out->run = s.run, s.run = NULL;
done:
    tsr__free(s.run);
    tsr__free(s.quoted);
    return status;
}

void tsr__lines_clear(tsr__lines *lines)
{
    tsr__free(lines->run);
    *lines = (tsr__lines){0};
}

typedef struct batch {
    tsr__run *run;
    tsr__run_body body;
    void *context;
} batch;

static void batch_run(void *context, int64_t i, int thread)
{
    const batch *b = context;
    (void)thread;
    b->body(b->context, &b->run[i]);
}

tsr_status tsr__lines_each(const tsr__lines *lines, const tsr_progress *progress,
                           const char *task, tsr__run_body body, void *context)
{
    tsr_status status = TSR_OK;
    const tsr__task ticket = tsr__task_begin(progress, task, lines->lines);
    for (int64_t first = 0; first < lines->count; first += BATCH) {
        const int64_t left = lines->count - first, count = left < BATCH ? left : BATCH;
        batch b = {lines->run + first, body, context};
        tsr__parallel(count, lines->threads, batch_run, &b);
        const tsr__run *last = &lines->run[first + count - 1];
        TSR_TRY(tsr__task_step(&ticket, last->lines_before + last->lines, (double)NAN,
                               (double)NAN));
        if (tsr__lines_fault(lines) != NULL)
            break;
    }
done:
    return status;
}

const tsr__fault *tsr__lines_fault(const tsr__lines *lines)
{
    for (int64_t i = 0; i < lines->count; i++)
        if (lines->run[i].fault.at != NULL)
            return &lines->run[i].fault;
    return NULL;
}

int64_t tsr__line_number(const char *text, const char *at)
{
    return 1 + count_marks(text, at, '\n');
}

const char *tsr__excerpt(char *out, const char *at, int64_t length)
{
    const int64_t most = TSR_EXCERPT_SIZE - 4;
    const int64_t kept = length < most ? length : most;
    for (int64_t i = 0; i < kept; i++)
        out[i] = (unsigned char)at[i] < ' ' || at[i] == 127 ? '?' : at[i];
    memcpy(out + kept, kept < length ? "..." : "", kept < length ? 4 : 1);
    return out;
}
