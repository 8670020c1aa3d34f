/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text format of libsvm and SVMlight (.svm), one sample a line:
 *
 *     label index:value index:value ... # comment
 *
 * Indices count from 1; a file with an index 0 anywhere counts from 0. They may come in any
 * order, values of one index are summed, zeros are left out. "qid:N" is passed over. Labels are
 * numbers or texts, unknown where the line begins with index:value or with "?"; -1 is a class
 * where the labels are -1 and 1, else unknown. The number of features is the largest index, or
 * N of a first line "# features N"; as many as the file's bound allows (base/bound.h). Lines are
 * parsed in parallel: O(bytes). */
#include "base/bound.h"
#include "base/progress.h"
#include "base/text.h"
#include "io/field.h"
#include "io/file.h"
#include "io/format.h"
#include "io/lines.h"
#include "io/roll.h"
#include "io/window.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLANKS " \t\r"

static const tsr__line_rule rule = {.blanks = BLANKS, .comment = '#', .mark = ':'};

enum { FAULT_LIST, FAULT_INDEX, FAULT_RANGE, FAULT_PROMISE, FAULT_VALUE };

typedef struct reader {
    const char *text, *end;
    int64_t lines_before; /* of the file, before the text */
    int64_t promised;     /* features that the first line tells, or 0 */
    int64_t *rows;        /* rows[i + 1] is the number of entries of sample i at first */
    int32_t *columns;     /* indices as they stand in the file */
    double *values;
    tsr__field *labels; /* one a sample */
} reader;

static bool ends_token(const char *at, const char *end)
{
    return at == end || *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n' || *at == '#';
}

/* N of "# features N" on the first line, or 0. */
static int64_t promised_features(const char *at, const char *end)
{
    static const char words[] = "features";
    int64_t promised = 0;
    const char *stop = tsr__line_end(at, end);
    if (at == stop || *at != '#')
        return 0;
    at = tsr__skip(at + 1, stop, BLANKS);
    if ((size_t)(stop - at) < sizeof words || memcmp(at, words, sizeof words - 1) != 0)
        return 0;
    at = tsr__skip(at + sizeof words - 1, stop, BLANKS);
    const char *after = tsr__parse_integer(&promised, at, stop);
    return after == stop || tsr__skip(after, stop, BLANKS) == stop ? promised : 0;
}

/* Numbers with commas between them: several labels for one sample. */
static bool is_list(const tsr__field *label)
{
    const char *at = label->at, *end = at + label->length;
    double number = 0;
    for (bool first = true;; first = false) {
        const char *after = tsr__parse_real(&number, at, end);
        if (after == at)
            return false;
        if (after == end)
            return !first;
        if (*after != ',')
            return false;
        at = after + 1;
    }
}

static const char *past_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* The label at the beginning of a line, empty where the line begins with index:value. */
static const char *take_label(tsr__field *out, const char *at, const char *end)
{
    const char *digits = past_digits(at, end), *stop = at;
    *out = (tsr__field){at, 0, false};
    if (digits > at && digits < end && *digits == ':')
        return at;
    while (!ends_token(stop, end))
        stop++;
    out->length = stop - at;
    return stop;
}

/* One "index:value" to entry k; returns what follows, or NULL with the fault noted. */
static const char *take_entry(const reader *r, tsr__run *run, const char *at, int64_t k)
{
    int64_t index = 0;
    const char *colon = tsr__parse_integer(&index, at, run->end);
    run->fault = (tsr__fault){at, FAULT_INDEX, 0};
    if (colon == at || colon == run->end || *colon != ':')
        return NULL;
    run->fault = (tsr__fault){at, FAULT_RANGE, index};
    if (index < 0 || index > INT32_MAX)
        return NULL;
    run->fault.kind = FAULT_PROMISE;
    if (r->promised > 0 && index > r->promised)
        return NULL;
    const char *after = tsr__parse_real(&r->values[k], colon + 1, run->end);
    run->fault.kind = FAULT_VALUE;
    if (after == colon + 1 || !ends_token(after, run->end))
        return NULL;
    run->fault.at = NULL;
    r->columns[k] = (int32_t)index;
    return after;
}

/* One line from `at`, its entries from k on; returns the next k, or -1 with the fault noted. */
static int64_t take_sample(const reader *r, tsr__run *run, const char *at, int64_t row,
                           int64_t k)
{
    const int64_t first = k;
    at = take_label(&r->labels[row], at, run->end);
    if (is_list(&r->labels[row])) {
        run->fault = (tsr__fault){r->labels[row].at, FAULT_LIST, 0};
        return -1;
    }
    for (at = tsr__skip(at, run->end, BLANKS); at < run->end && *at != '\n' && *at != '#';
         at = tsr__skip(at, run->end, BLANKS)) {
        if (run->end - at > 4 && memcmp(at, "qid:", 4) == 0) {
            at = past_digits(at + 4, run->end);
            continue;
        }
        at = take_entry(r, run, at, k);
        if (at == NULL)
            return -1;
        k++;
    }
    r->rows[row + 1] = k - first;
    return k;
}

static void take_run(void *context, tsr__run *run)
{
    const reader *r = context;
    int64_t row = run->lines_before, k = run->marks_before;
    for (const char *at = run->begin; at < run->end && k >= 0;) {
        at = tsr__skip(at, run->end, BLANKS);
        const char *stop = tsr__line_end(at, run->end);
        if (at < stop && *at != '#')
            k = take_sample(r, run, at, row++, k);
        at = stop < run->end ? stop + 1 : stop;
    }
}

static tsr_status tell_fault(const reader *r, const tsr__fault *fault)
{
    char text[TSR_EXCERPT_SIZE];
    const char *stop = fault->at;
    while (!ends_token(stop, r->end))
        stop++;
    (void)tsr__excerpt(text, fault->at, stop - fault->at);
    const long long line = r->lines_before + tsr__line_number(r->text, fault->at);
    const long long value = fault->value;
    if (fault->kind == FAULT_LIST)
        return tsr__fail(TSR_ERROR_UNSUPPORTED,
                         "line %lld: '%s' is several labels for one sample", line, text);
    if (fault->kind == FAULT_RANGE)
        return tsr__fail(TSR_ERROR_FORMAT, "line %lld: index %lld is not within 0 and %d", line,
                         value, INT32_MAX);
    if (fault->kind == FAULT_PROMISE)
        return tsr__fail(TSR_ERROR_FORMAT,
                         "line %lld: index %lld exceeds the %lld features that line 1 tells",
                         line, value, (long long)r->promised);
    return tsr__fail(TSR_ERROR_FORMAT, "line %lld: '%s' is not index:value", line, text);
}

/* Closes the gaps that colons outside of entries left; rows become positions. */
static void close_gaps(reader *r, const tsr__lines *lines)
{
    int64_t to = 0;
    for (int64_t i = 0; i < lines->count; i++) {
        const tsr__run *run = &lines->run[i];
        int64_t used = 0;
        for (int64_t row = run->lines_before; row < run->lines_before + run->lines; row++) {
            used += r->rows[row + 1];
            r->rows[row + 1] += r->rows[row];
        }
        if (to != run->marks_before) {
            memmove(r->columns + to, r->columns + run->marks_before,
                    (size_t)used * sizeof *r->columns);
            memmove(r->values + to, r->values + run->marks_before,
                    (size_t)used * sizeof *r->values);
        }
        to += used;
    }
}

/* The least and the largest index; 1 and -1 where there is none. */
typedef struct range {
    int64_t least, most;
} range;

static void note_indices(range *out, const int32_t *columns, int64_t entries)
{
    for (int64_t k = 0; k < entries; k++) {
        out->least = columns[k] < out->least ? columns[k] : out->least;
        out->most = columns[k] > out->most ? columns[k] : out->most;
    }
}

/* Tells what indices count from and how many features there are. */
static tsr_status count_features(int64_t *out, int32_t *base, const reader *r, range indices)
{
    *base = indices.least == 0 ? 0 : 1;
    const int64_t features = indices.most < 0 ? 0 : indices.most + 1 - *base;
    if (features > INT32_MAX)
        return tsr__fail(TSR_ERROR_UNSUPPORTED,
                         "index %lld, counted from 0, exceeds the limit %d",
                         (long long)indices.most, INT32_MAX - 1);
    if (r->promised > 0 && features > r->promised)
        return tsr__fail(
            TSR_ERROR_FORMAT,
            "index %lld, counted from 0, exceeds the %lld features that line 1 tells",
            (long long)indices.most, (long long)r->promised);
    *out = r->promised > 0 ? r->promised : features;
    return TSR_OK;
}

static bool none_known(const tsr__field *labels, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (labels[i].length > 0 && !tsr__field_is(&labels[i], "?"))
            return false;
    return true;
}

static tsr_status finish(tsr_data *out, reader *r, const tsr__lines *lines,
                         const tsr__request *request)
{
    tsr_status status = TSR_OK;
    const int64_t samples = lines->lines;
    const tsr__bound bound = {r->end - r->text, request->options->expand};
    range indices = {1, -1};
    int64_t features = 0;
    int32_t base = 0;
    if (!none_known(r->labels, samples))
        TSR_TRY(tsr__field_labels(&out->labels, r->labels, samples, true));
    if (request->only_labels)
        goto done;
    const int64_t entries = r->rows[samples];
    note_indices(&indices, r->columns, entries);
    TSR_TRY(count_features(&features, &base, r, indices));
    for (int64_t k = 0; k < entries; k++)
        r->columns[k] -= base;
    TSR_TRY(
        tsr__bound_check_sparse(&bound, (double)samples, (double)features, (double)entries));
    TSR_TRY(tsr__sparse_tidy(samples, r->rows, r->columns, r->values, TSR_FLOAT64));
    TSR_TRY(tsr__matrix_take_sparse(&out->x, r->rows, r->columns, r->values, samples, features,
                                    TSR_FLOAT64));
    r->rows = NULL, r->columns = NULL, r->values = NULL;
done:
    return status;
}

static void forget(reader *r)
{
    tsr__free(r->rows);
    tsr__free(r->labels);
    tsr__free(r->columns);
    tsr__free(r->values);
    r->rows = NULL, r->labels = NULL, r->columns = NULL, r->values = NULL;
}

/* Parses the reader's text; `lines` are for the caller to clear. */
static tsr_status parse(reader *r, tsr__lines *lines, const tsr__request *request,
                        const tsr_progress *progress)
{
    tsr_status status = TSR_OK;
    TSR_TRY(tsr__lines_cut(lines, r->text, r->end, &rule, request->options->threads));
    TSR_NEW_ZERO(r->rows, lines->lines + 1);
    TSR_NEW(r->labels, lines->lines);
    TSR_NEW(r->columns, lines->marks);
    TSR_NEW(r->values, lines->marks);
    TSR_TRY(tsr__lines_each(lines, progress, "reading samples", take_run, r));
    if (tsr__lines_fault(lines) != NULL)
        TSR_TRY(tell_fault(r, tsr__lines_fault(lines)));
    close_gaps(r, lines);
done:
    return status;
}

/* What stands before the samples: a byte order mark, which is no part of the first label, and the
 * number of features. */
static tsr_status take_top(reader *r)
{
    if (r->end - r->text >= 3 && memcmp(r->text, "\xef\xbb\xbf", 3) == 0)
        r->text += 3;
    r->promised = promised_features(r->text, r->end);
    if (r->promised < 0 || r->promised > INT32_MAX)
        return tsr__fail(TSR_ERROR_FORMAT, "line 1: %lld features are not within 0 and %d",
                         (long long)r->promised, INT32_MAX);
    return TSR_OK;
}

/* One window on its way: its labels and its entries. */
static tsr_status pass_window(reader *r, tsr__roll *roll, range *indices,
                              const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr__lines lines = {0};
    TSR_TRY(parse(r, &lines, request, NULL));
    for (int64_t i = 0; i < lines.lines; i++)
        TSR_TRY(tsr__roll_add(roll, &r->labels[i]));
    note_indices(indices, r->columns, r->rows[lines.lines]);
    TSR_TRY(tsr__flow_sparse(request->flow, lines.lines, r->rows, r->columns, r->values));
done:
    tsr__lines_clear(&lines);
    forget(r);
    return status;
}

/* Samples that are not kept: rows come in their order, and what their indices count from is known
 * after the last. */
static tsr_status pass_through(tsr_data *out, reader *r, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr__flow *flow = request->flow;
    tsr__window window = {0};
    tsr__roll roll = {.memory = flow->memory / 4 + (1 << 16)};
    range indices = {1, -1};
    int64_t features = 0;
    int32_t base = 0;
    bool more = true;
    TSR_TRY(tsr__window_open(&window, request->path, tsr__flow_window(flow),
                             tsr__flow_longest(flow)));
    const tsr__bound bound = {window.size, request->options->expand};
    const tsr__task ticket =
        tsr__task_begin(request->options->progress, "reading samples", window.size);
    TSR_TRY(tsr__flow_begin(flow, true, TSR_FLOAT64, 0));
    for (bool first = true;; first = false) {
        TSR_TRY(tsr__window_next(&more, &window, &rule, false));
        if (!more)
            break;
        r->text = window.begin, r->end = window.end, r->lines_before = window.lines_before;
        if (first)
            TSR_TRY(take_top(r));
        TSR_TRY(pass_window(r, &roll, &indices, request));
        TSR_TRY(tsr__task_step(&ticket, window.offset, (double)NAN, (double)NAN));
    }
    TSR_TRY(count_features(&features, &base, r, indices));
    TSR_TRY(tsr__bound_check_sparse(&bound, (double)flow->samples, (double)features,
                                    (double)flow->stored));
    TSR_TRY(tsr__roll_take(&out->labels, &roll, true, true));
    TSR_TRY(tsr__flow_end(&out->x, flow, features, base));
done:
    tsr__window_close(&window);
    tsr__roll_clear(&roll);
    return status;
}

tsr_status tsr__svm_read(tsr_data *out, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};
    tsr__lines lines = {0};
    reader r = {.rows = NULL};
    if (request->variable != NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "an .svm file has no variables, so none is called '%s'",
                 request->variable);
    (void)snprintf(out->dtype, sizeof out->dtype, "text");
    if (request->flow != NULL) {
        TSR_TRY(pass_through(out, &r, request));
        goto done;
    }
    TSR_TRY(tsr__input_open(&input, request->path));
    r.text = input.bytes, r.end = input.bytes + input.size;
    TSR_TRY(take_top(&r));
    TSR_TRY(parse(&r, &lines, request, request->options->progress));
    TSR_TRY(finish(out, &r, &lines, request));
done:
    forget(&r);
    tsr__lines_clear(&lines);
    tsr__input_close(&input);
    return status;
}
