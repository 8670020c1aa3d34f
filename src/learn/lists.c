/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists as users write them: ranks 2-8, 5,10,20 or 10-50/10; weights 0.1,1,10; models
 * cdnmf,gnmf,nmf. */
#include "learn/select.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* Numbers separated by commas. */
tsr_status tsr__weights_parse(double **out, int64_t *count, const char *text)
{
    tsr_status status = TSR_OK;
    double *list = NULL;
    int64_t used = 0, room = 0;
    const char *end = text != NULL ? text + strlen(text) : NULL;
    for (const char *at = text; at < end;) {
        double number = 0;
        const char *next = tsr__parse_real(&number, at, end);
        if (next == at || (*next != ',' && *next != '\0') || !(number >= 0) ||
            !isfinite(number))
            TSR_FAIL(TSR_ERROR_ARGUMENT, "--weights wants numbers such as 0.1,1,10, not '%s'",
                     text);
        TSR_GROW(list, used, room);
        list[used++] = number;
        at = next + (*next == ',');
    }
    *out = list, list = NULL;
    *count = used;
done:
    tsr__free(list);
    return status;
}

enum { MOST_RANK = 1000000000, MOST_RANKS = 10000 };

/* One item of a list: K, K-K or K-K/STEP. Returns what follows it, or NULL. */
static const char *parse_range(int64_t range[3], const char *at, const char *end)
{
    static const char before[] = {'\0', '-', '/'};
    range[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (i > 0 && *at != before[i])
            break;
        const char *next = tsr__parse_integer(&range[i], at + (i > 0), end);
        if (next == at + (i > 0) || range[i] < 1 || range[i] > MOST_RANK)
            return NULL;
        range[1] = i == 0 ? range[0] : range[1];
        at = next;
    }
    return range[0] <= range[1] && (*at == ',' || *at == '\0') ? at : NULL;
}

static bool has_rank(const int64_t *list, int64_t count, int64_t rank)
{
    for (int64_t i = 0; i < count; i++)
        if (list[i] == rank)
            return true;
    return false;
}

/* Ranks and ranges of ranks separated by commas, each rank once. */
tsr_status tsr__ranks_parse(int64_t **out, int64_t *count, const char *text)
{
    tsr_status status = TSR_OK;
    int64_t *list = NULL, used = 0, room = 0, range[3];
    const char *at = text, *end = text + strlen(text), *next = NULL;
    do {
        next = parse_range(range, at, end);
        if (next == NULL)
            TSR_FAIL(TSR_ERROR_ARGUMENT,
                     "--ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not '%s'",
                     text);
        if ((range[1] - range[0]) / range[2] >= MOST_RANKS - used)
            TSR_FAIL(TSR_ERROR_ARGUMENT, "--ranks %s are more than %d ranks", text, MOST_RANKS);
        for (int64_t k = range[0]; k <= range[1]; k += range[2]) {
            if (has_rank(list, used, k))
                continue;
            TSR_GROW(list, used, room);
            list[used++] = k;
        }
        at = next + 1;
    } while (*next == ',');
    *out = list, list = NULL;
    *count = used;
done:
    tsr__free(list);
    return status;
}

/* Names separated by commas. What is no name of a model or baseline is an error that names the
 * nearest; a text without a comma is one name, whatever it is. */
tsr_status tsr__models_parse(tsr__names *out, const char *text)
{
    tsr_status status = TSR_OK;
    const tsr__baseline *baseline = NULL;
    char *name = NULL;
    const char *at = text;
    for (bool last = false; !last;) {
        const size_t length = strcspn(at, ",");
        last = at[length] == '\0';
        if (length == 0 && (at > text || !last))
            TSR_FAIL(TSR_ERROR_ARGUMENT, "--model wants names such as cdnmf,gnmf,nmf, not '%s'",
                     text);
        tsr__free(name);
        name = tsr__copy_bytes_as_text(at, length);
        if (name == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
        TSR_TRY(tsr__baseline_find(&baseline, name));
        for (int64_t i = 0; i < out->count; i++)
            if (strcmp(out->name[i], name) == 0)
                TSR_FAIL(TSR_ERROR_ARGUMENT, "--model %s names %s twice", text, name);
        TSR_TRY(tsr__names_add(out, name));
        at += length + 1;
    }
done:
    tsr__free(name);
    return status;
}
