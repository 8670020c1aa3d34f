/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Protocols: reading, and the settings they know. */
#include "learn/protocol.h"

#include "base/settings.h"
#include "base/text.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
#define STUDY tsr__study
static const tsr_setting study_table[] = {
    TSR_TEXT_ROW(STUDY, title, "title", 0, "untitled", "TEXT", "what the table shows"),
    TSR_CHOICE_ROW(STUDY, task, "task", "cluster|classify", "what is done with the codes"),
    TSR_TEXT_ROW(STUDY, data, "data", 0, NULL, "FILE", "data, below the folder given by --data"),
    TSR_TEXT_ROW(STUDY, features, "features", 0, NULL, "KIND", "pixels, sift, dsift or words made of the files below data"),
    TSR_TEXT_ROW(STUDY, labels, "labels", 0, NULL, "SRC", "labels, where they are not beside the data"),
    TSR_PAIR_ROW(STUDY, size, "size", 1, 65536, NULL, "WxH", "images are resized"),
    TSR_TEXT_ROW(STUDY, groups, "groups", 0, NULL, "prefix", "folds keep samples together whose names agree up to the first _"),
    TSR_TEXT_ROW(STUDY, vary, "vary", 0, NULL, "KEY VALUES", "rows of the table: 2..10, or a list"),
    TSR_INTEGER_ROW(STUDY, classes, "classes", 0, 0, 1e6, "0", "N", "classes drawn at random, 0: all"),
    TSR_INTEGER_ROW(STUDY, draws, "draws", 0, 1, 1e6, "10", "N", "repetitions of each row"),
    TSR_INTEGER_ROW(STUDY, folds, "folds", 0, 0, 1e6, "0", "N", "classify: folds, each once the test set"),
    TSR_INTEGER_ROW(STUDY, train, "train", 0, 0, 1e9, "0", "N", "classify: training samples a class and draw"),
    TSR_INTEGER_ROW(STUDY, test, "test", 0, 0, 1e9, "0", "N", "classify: test samples a class and draw"),
    TSR_INTEGER_ROW(STUDY, seed, "seed", 0, 0, 9e15, "0", "N", "of draws, starts and clusterings"),
    TSR_CHOICE_ROW(STUDY, summary, "summary", "average|best", "last row of the table"),
    TSR_TEXT_ROW(STUDY, published, "published", 0, NULL, "DATA SOURCE", "which published figures stand beside ours"),
    TSR_TEXT_ROW(STUDY, published_rows, "published-rows", 0, NULL, "NAMES", "what they call the rows; % is the value"),
    TSR_END_ROW,
};

#define METHOD tsr__method
static const tsr_setting method_table[] = {
    TSR_FLAG_ROW(METHOD, unit_codes, "unit-codes", 0, "codes are scaled to unit length"),
    TSR_FLAG_ROW(METHOD, seeded, "seeded", 0, "k-means starts at and keeps the labelled samples"),
    TSR_CHOICE_ROW(METHOD, encode, "encode", "loss|inverse|product", "codes of training and test samples"),
    TSR_CHOICE_ROW(METHOD, ranked, "ranked", "no|fisher|lre|learnt", "keep the first basis vectors of this order, as many as serve the training samples best"),
    TSR_FLAG_ROW(METHOD, whole_rank, "whole-rank", 0, "rank = test samples, at most features and training samples"),
    TSR_INTEGER_ROW(METHOD, rank_per_class, "rank-per-class", 0, 0, 1e6, "0", "R", "rank = R x classes of the draw, and the shared ones"),
    TSR_INTEGER_ROW(METHOD, clusterings, "clusterings", 0, 1, 1e6, "20", "N", "restarts of k-means"),
    TSR_INTEGER_ROW(METHOD, vote, "vote", 0, 1, 1e6, "1", "N", "classify: neighbours that vote"),
    TSR_TEXT_ROW(METHOD, published_as, "published-as", 0, NULL, "NAME", "whose published figures stand beside it; default: those of its own name"),
    TSR_FLAG_ROW(METHOD, post_hoc, "post-hoc", 0, "a variant that the paper does not state: it never counts as reproduced"),
    TSR_END_ROW,
};
/* clang-format on */

const tsr_setting *tsr__study_settings(void)
{
    return study_table;
}

const tsr_setting *tsr__method_settings(void)
{
    return method_table;
}

/* The known key nearest to `key`. */
static const char *nearest_key(const char *key)
{
    const tsr_setting *const tables[] = {study_table, method_table, tsr_fit_settings(),
                                         tsr_features_settings()};
    const char *names[256];
    int64_t count = 0;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const tsr_setting *row = tables[t]; row->name != NULL && count < 256; row++)
            if (tsr__setting_is_said(row))
                names[count++] = row->name;
    return tsr__nearest(key, names, count);
}

tsr_status tsr__method_set(tsr__method *method, const char *key, const char *value)
{
    if (tsr__settings_find(method_table, key) != NULL)
        return tsr_settings_set(method_table, method, key, value);
    if (tsr__settings_find(tsr_fit_settings(), key) != NULL)
        return tsr_settings_set(tsr_fit_settings(), &method->fit, key, value);
    const char *meant = nearest_key(key);
    return tsr__fail(TSR_ERROR_ARGUMENT, "there is no key '%s'%s%s%s", key,
                     meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                     meant != NULL ? "'?" : "");
}

bool tsr__method_same_fit(const tsr__method *a, const tsr__method *b)
{
    return a->whole_rank == b->whole_rank && a->rank_per_class == b->rank_per_class &&
           tsr__settings_agree(tsr_fit_settings(), &a->fit, &b->fit);
}

static void trim(char **begin, char *end)
{
    while (*begin < end && strchr(" \t\r", **begin) != NULL)
        ++*begin;
    while (end > *begin && strchr(" \t\r", end[-1]) != NULL)
        end--;
    *end = '\0';
}

/* Settings point at texts: the protocol keeps them. */
static tsr_status keep(const char **out, tsr__protocol *p, const char *text)
{
    const tsr_status status = tsr__names_add(&p->texts, text);
    if (status == TSR_OK)
        *out = p->texts.name[p->texts.count - 1];
    return status;
}

/* What every method starts from: the file's head so far. */
static tsr_status begin_method(tsr__protocol *p, const tsr__method *common, const char *name)
{
    tsr_status status = TSR_OK;
    const char *kept = NULL;
    char *own = NULL;
    TSR_TRY(keep(&kept, p, name));
    TSR_NEW_TEXT(own, name);
    TSR_GROW(p->method, p->methods, p->method_room);
    p->method[p->methods] = *common;
    p->method[p->methods].name = own;
    p->method[p->methods].fit.model = kept;
    p->methods++;
    own = NULL;
done:
    tsr__free(own);
    return status;
}

/* A setting of the head holds for all that know it. */
static tsr_status set_head(tsr__protocol *p, tsr__method *common, const char *key,
                           const char *value)
{
    tsr_status status = TSR_OK;
    const bool study = tsr__settings_find(study_table, key) != NULL;
    const bool features = tsr__settings_find(tsr_features_settings(), key) != NULL;
    const bool method = tsr__settings_find(method_table, key) != NULL ||
                        tsr__settings_find(tsr_fit_settings(), key) != NULL;
    if (study)
        TSR_TRY(tsr_settings_set(study_table, &p->study, key, value));
    if (features)
        TSR_TRY(tsr_settings_set(tsr_features_settings(), &p->features, key, value));
    if (strcmp(key, "features") == 0)
        TSR_TRY(tsr_settings_set(tsr_features_settings(), &p->features, "kind", value));
    if (method || !(study || features))
        TSR_TRY(tsr__method_set(common, key, value));
done:
    return status;
}

static tsr_status take_line(tsr__protocol *p, tsr__method *common, char *line)
{
    tsr_status status = TSR_OK;
    char *comment = strchr(line, '#'), *end = comment != NULL ? comment : line + strlen(line);
    const char *value = NULL;
    trim(&line, end);
    if (*line == '\0')
        return TSR_OK;
    if (*line == '[') {
        char *close = strchr(line, ']');
        if (close == NULL || close[1] != '\0' || close == line + 1)
            TSR_FAIL(TSR_ERROR_FORMAT, "a method is written [name], not '%s'", line);
        *close = '\0';
        return begin_method(p, common, line + 1);
    }
    char *equals = strchr(line, '='), *key = line;
    if (equals == NULL)
        TSR_FAIL(TSR_ERROR_FORMAT, "'%s' is neither [method] nor key = value", line);
    char *text = equals + 1;
    trim(&text, text + strlen(text));
    trim(&key, equals);
    TSR_TRY(keep(&value, p, text));
    TSR_TRY(p->methods == 0 ? set_head(p, common, key, value)
                            : tsr__method_set(&p->method[p->methods - 1], key, value));
done:
    return status;
}

/* Whether a word is FIRST..LAST; both are 0 otherwise. */
static bool is_range(int64_t *first, int64_t *last, const char *text)
{
    const char *end = text + strlen(text), *dots = tsr__parse_integer(first, text, end);
    const bool range = dots != text && strncmp(dots, "..", 2) == 0 &&
                       tsr__parse_integer(last, dots + 2, end) == end;
    *first = range ? *first : 0;
    *last = range ? *last : 0;
    return range;
}

/* One word of a list of values: FIRST..LAST stands for all between. */
static tsr_status take_values(tsr__protocol *p, const char *word)
{
    tsr_status status = TSR_OK;
    enum { MOST = 10000 };
    int64_t first = 0, last = 0;
    const bool range = is_range(&first, &last, word);
    if (last < first || (!range && strstr(word, "..") != NULL))
        TSR_FAIL(TSR_ERROR_FORMAT, "vary: %s is no range of whole numbers such as 2..10", word);
    const uint64_t more = range ? (uint64_t)last - (uint64_t)first : 0;
    if (more >= (uint64_t)(MOST - p->values.count))
        TSR_FAIL(TSR_ERROR_FORMAT, "vary lists more than %d values: %s", MOST, p->study.vary);
    if (!range)
        TSR_TRY(tsr__names_add(&p->values, word));
    for (uint64_t i = 0; range && i <= more; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "%lld", (long long)(first + (int64_t)i));
        TSR_TRY(tsr__names_add(&p->values, text));
    }
done:
    return status;
}

/* "classes 2..10" or "class 0.01 0.1 1": the key and its values. */
static tsr_status take_rows(tsr__protocol *p)
{
    tsr_status status = TSR_OK;
    char *copy = NULL, *state = NULL;
    if (p->study.vary == NULL)
        return TSR_OK;
    TSR_NEW_TEXT(copy, p->study.vary);
    const char *word = strtok_r(copy, " ,", &state);
    TSR_NEW_TEXT(p->key, word != NULL ? word : "");
    while ((word = strtok_r(NULL, " ,", &state)) != NULL)
        TSR_TRY(take_values(p, word));
    if (p->values.count == 0)
        TSR_FAIL(TSR_ERROR_FORMAT, "vary is KEY VALUES, such as classes 2..10, not '%s'",
                 p->study.vary);
done:
    tsr__free(copy);
    return status;
}

/* Published names of the rows: "clusters=%" or one word a row. */
static tsr_status name_rows(tsr__protocol *p)
{
    tsr_status status = TSR_OK;
    const char *pattern = p->study.published_rows;
    char *copy = NULL, *state = NULL, text[96];
    if (pattern == NULL)
        return TSR_OK;
    const char *percent = strchr(pattern, '%');
    for (int64_t i = 0; percent != NULL && i < p->values.count; i++) {
        (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(percent - pattern), pattern,
                       p->values.name[i], percent + 1);
        TSR_TRY(tsr__names_add(&p->rows, text));
    }
    if (percent != NULL)
        goto done;
    TSR_NEW_TEXT(copy, pattern);
    for (const char *word = strtok_r(copy, ",", &state); word != NULL;
         word = strtok_r(NULL, ",", &state))
        TSR_TRY(tsr__names_add(&p->rows, word + strspn(word, " ")));
done:
    tsr__free(copy);
    return status;
}

static tsr_status check(const tsr__protocol *p)
{
    if (p->methods == 0)
        return tsr__fail(TSR_ERROR_FORMAT, "names no [method]");
    if (p->study.data == NULL)
        return tsr__fail(TSR_ERROR_FORMAT, "does not say which data: data = FILE");
    if (p->study.task == TSR_TASK_CLASSIFY && p->study.folds == 0 && p->study.train == 0 &&
        (p->key == NULL || (strcmp(p->key, "folds") != 0 && strcmp(p->key, "train") != 0)))
        return tsr__fail(TSR_ERROR_FORMAT,
                         "classify needs folds = N, or train = N and test = N");
    return TSR_OK;
}

tsr_status tsr__protocol_read(tsr__protocol *out, const char *path)
{
    tsr_status status = TSR_OK;
    tsr__protocol p = {0};
    tsr__method common = {0};
    char *text = NULL, *next = NULL;
    int64_t number = 0;
    tsr_settings_default(study_table, &p.study);
    tsr_settings_default(tsr_features_settings(), &p.features);
    tsr_settings_default(method_table, &common);
    tsr_fit_defaults(&common.fit);
    TSR_TRY(tsr__input_open(&p.source, path));
    text = tsr__copy_bytes_as_text(p.source.bytes, (size_t)p.source.size);
    if (text == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    for (char *line = text; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        number++;
        status = take_line(&p, &common, line);
        if (status < 0) {
            char where[32];
            (void)snprintf(where, sizeof where, "line %lld", (long long)number);
            /* what makes no sense here is the file's fault, not the caller's */
            status =
                tsr__fail_in(status == TSR_ERROR_ARGUMENT ? TSR_ERROR_FORMAT : status, where);
            goto done;
        }
    }
    TSR_TRY(take_rows(&p));
    TSR_TRY(name_rows(&p));
    TSR_TRY(check(&p));
    *out = p;
    p = (tsr__protocol){0};
done:
    tsr__free(text);
    tsr__protocol_clear(&p);
    return status < 0 ? tsr__fail_in(status, path) : status;
}

void tsr__protocol_clear(tsr__protocol *p)
{
    for (int64_t i = 0; i < p->methods; i++)
        tsr__free(p->method[i].name);
    tsr__free(p->method);
    tsr__free(p->key);
    tsr__names_clear(&p->values);
    tsr__names_clear(&p->rows);
    tsr__names_clear(&p->texts);
    tsr__input_close(&p->source);
    *p = (tsr__protocol){0};
}
