/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Words: texts as bags of words, one column a word.
 *
 *     counts   x_iv = times word v stands in text i
 *     binary   x_iv = 1 where it does
 *     tf-idf   x_iv = times (1 + log((1 + n) / (1 + d_v))), d_v of the n texts that may be learnt
 *              from having word v; the factors stay with the recipe for texts to come
 *
 * The words are those of a given vocabulary, in its order, or learnt: all that enough and not too
 * many texts have, sorted by their bytes. A text without any of them is a row of zeros. */
#include "base/text.h"
#include "features/columns.h"
#include "features/features.h"
#include "io/folder.h"
#include "matrix/parallel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COUNTS, BINARY, TF_IDF, CHUNK = 64 };

static const char *const kept[] = {"weigh", "headers", "normalize", NULL};

bool tsr__words_wants(const char *name)
{
    (void)name;
    return true;
}

typedef struct wording {
    const tsr__feature_job *job;
    tsr_features_options options; /* those of the recipe where one is applied */
    tsr_data *out;
    tsr__names listed; /* given words that came as a file */
    tsr__vocabulary given, stop;
    tsr__texts texts;
    tsr__counting counting;
    tsr__columns columns;
    int64_t *text; /* that became a sample */
    int64_t samples, learnt;
    double *weight; /* tf-idf: one a column */
    int64_t *rows;
    int32_t *column;
    double *value;
    tsr_status *status; /* of each chunk of rows */
} wording;

static void clear(wording *w)
{
    tsr__names_clear(&w->listed);
    tsr__vocabulary_clear(&w->given);
    tsr__vocabulary_clear(&w->stop);
    tsr__texts_close(&w->texts);
    tsr__counting_clear(&w->counting);
    tsr__columns_clear(&w->columns);
    tsr__free(w->text);
    tsr__free(w->weight);
    tsr__free(w->rows);
    tsr__free(w->column);
    tsr__free(w->value);
    tsr__free(w->status);
}

/* What chooses among words has no say where they are given. */
static tsr_status check_choice(const wording *w)
{
    const tsr_features_options *o = &w->options;
    const bool stops = w->stop.count > 0 && w->job->recipe != NULL;
    const char *vain = o->minimum_documents > 1 ? "--minimum-documents"
                       : o->maximum_share < 1   ? "--maximum-share"
                       : o->vocabulary > 0      ? "--vocabulary"
                       : stops                  ? "--stop-words"
                                                : NULL;
    if (vain == NULL)
        return TSR_OK;
    return tsr__fail(TSR_ERROR_ARGUMENT,
                     "%s chooses among words to learn; here they are those "
                     "of %s",
                     vain, o->dictionary);
}

/* The words of a file but for stop words. */
static tsr_status read_listed(wording *w)
{
    tsr_status status = TSR_OK;
    int64_t used = 0;
    TSR_TRY(tsr__word_list_read(&w->listed, w->options.dictionary));
    for (int64_t i = 0; i < w->listed.count; i++) {
        char *name = w->listed.name[i];
        if (tsr__vocabulary_has(&w->stop, name))
            tsr__free(name);
        else
            w->listed.name[used++] = name;
    }
    w->listed.count = used;
    if (used == 0)
        TSR_FAIL(TSR_ERROR_DATA, "%s: all words are stop words", w->options.dictionary);
done:
    return status;
}

static tsr_status note_odd(wording *w, const tsr__names *names, int64_t odd, int64_t first)
{
    char text[TSR_MESSAGE_SIZE];
    tsr__line line = TSR_LINE(text);
    if (odd == 0)
        return TSR_OK;
    tsr__line_add(&line,
                  "%lld of the %lld given words can never be found: they are not single words "
                  "in lower case (the first: %s)",
                  (long long)odd, (long long)names->count, names->name[first]);
    return tsr__names_add(&w->out->notes, text);
}

/* The vocabulary to apply: that of the recipe or a file of words; NULL: learn one. */
static tsr_status find_given(const tsr__names **out, wording *w)
{
    tsr_status status = TSR_OK;
    const tsr__names *names = w->job->vocabulary;
    int64_t odd = 0, first = -1;
    TSR_TRY(tsr__stop_words_find(&w->stop, w->options.stop_words));
    if (w->options.dictionary == NULL)
        return TSR_OK;
    TSR_TRY(check_choice(w));
    if (w->job->recipe == NULL) {
        TSR_TRY(read_listed(w));
        names = &w->listed;
    }
    if (names == NULL)
        TSR_FAIL(TSR_ERROR_FORMAT, "%s: its recipe is for words, but there are none",
                 w->options.dictionary);
    TSR_TRY(tsr__vocabulary_from_names(&w->given, &odd, &first, names));
    TSR_TRY(note_odd(w, names, odd, first));
    *out = names;
done:
    return status;
}

static tsr_status count(wording *w, bool given)
{
    const tsr__count_job job = {.texts = &w->texts,
                                .given = given ? &w->given : NULL,
                                .learn = w->job->lines ? NULL : w->job->learn,
                                .shortest = w->options.shortest,
                                .threads = w->options.threads,
                                .progress = w->options.progress};
    return tsr__counting_run(&w->counting, &job);
}

/* "mail/12", or "line 12". */
static const char *name_of(char *out, size_t size, const wording *w, int64_t text)
{
    if (w->job->lines)
        (void)snprintf(out, size, "line %lld", (long long)text + 1);
    else
        (void)snprintf(out, size, "%s", w->job->files->name[text]);
    return out;
}

/* Which texts are samples: those without a fault, which ends the work or is noted. */
static tsr_status judge(wording *w)
{
    tsr_status status = TSR_OK;
    char name[512], reason[256];
    const bool *learn = w->job->lines ? NULL : w->job->learn;
    TSR_NEW(w->text, w->counting.bags);
    for (int64_t i = 0; i < w->counting.bags; i++) {
        const tsr__bag *bag = &w->counting.bag[i];
        if (bag->fault == TSR_TEXT_FINE) {
            w->text[w->samples++] = i;
            w->learnt += learn == NULL || learn[i];
            continue;
        }
        (void)name_of(name, sizeof name, w, i);
        (void)tsr__text_reason(reason, sizeof reason, bag->fault, bag->at);
        if (!w->options.skip_bad)
            TSR_FAIL(bag->fault == TSR_TEXT_UNREADABLE ? TSR_ERROR_IO : TSR_ERROR_FORMAT,
                     "%s: %s (--skip-bad leaves such texts out)", name, reason);
        TSR_TRY(tsr__note_left_out(&w->out->notes, name, reason));
    }
    if (w->samples == 0)
        TSR_FAIL(TSR_ERROR_DATA, "none of the %lld texts can be read; %s",
                 (long long)w->counting.bags, w->out->notes.name[w->out->notes.count - 1]);
done:
    return status;
}

static tsr_status choose_columns(wording *w, bool given)
{
    const tsr__column_rule rule = {.texts = w->learnt,
                                   .minimum = w->options.minimum_documents,
                                   .maximum = w->options.maximum_share,
                                   .most = w->options.vocabulary,
                                   .stop = &w->stop};
    if (given)
        return tsr__columns_given(&w->columns, &w->counting, w->given.count);
    return tsr__columns_choose(&w->columns, &w->counting, &rule);
}

/* The factors of tf-idf: those of the recipe, or by the texts that may be learnt from. */
static tsr_status find_weights(wording *w)
{
    tsr_status status = TSR_OK;
    const tsr__recipe *recipe = w->job->recipe;
    if (w->options.weigh != TF_IDF)
        return TSR_OK;
    TSR_NEW(w->weight, w->columns.count);
    if (recipe == NULL) {
        for (int64_t j = 0; j < w->columns.count; j++)
            w->weight[j] =
                1 + log((double)(1 + w->learnt) / (double)(1 + w->columns.documents[j]));
    } else {
        if (recipe->weight == NULL)
            TSR_FAIL(TSR_ERROR_FORMAT, "%s: the recipe lacks the weights of its words",
                     w->options.dictionary);
        tsr_matrix_get_sample(w->weight, recipe->weight, 0);
    }
done:
    return status;
}

static const tsr__word_count *entries_of(const wording *w, int64_t sample, int64_t *total,
                                         const int32_t **column)
{
    const tsr__bag *bag = &w->counting.bag[w->text[sample]];
    *total = bag->count;
    *column = w->columns.of != NULL ? w->columns.of[bag->lane] : NULL;
    return w->counting.lane[bag->lane].entry + bag->at;
}

static void measure_rows(void *context, int64_t item, int thread)
{
    wording *w = context;
    (void)thread;
    for (int64_t i = item * CHUNK; i < w->samples && i < (item + 1) * CHUNK; i++) {
        int64_t total = 0, used = 0;
        const int32_t *column = NULL;
        const tsr__word_count *entry = entries_of(w, i, &total, &column);
        for (int64_t e = 0; e < total; e++)
            used += column == NULL || column[entry[e].word] >= 0;
        w->rows[i + 1] = used;
    }
}

/* Sorts keys by the column in their upper half, digit by digit from the lowest: O(count). */
static void sort_keys(uint64_t *key, uint64_t *room, int64_t count, int64_t columns)
{
    for (int shift = 32; columns > 0; shift += 8, columns >>= 8) {
        int64_t at[257] = {0};
        for (int64_t i = 0; i < count; i++)
            at[(key[i] >> shift & 255) + 1]++;
        for (int i = 0; i < 256; i++)
            at[i + 1] += at[i];
        for (int64_t i = 0; i < count; i++)
            room[at[key[i] >> shift & 255]++] = key[i];
        memcpy(key, room, (size_t)count * sizeof *key);
    }
}

/* Row i, by way of `key`: column and times in one number, twice as many as the row has. */
static void fill_row(wording *w, int64_t i, uint64_t *key)
{
    int64_t total = 0, used = 0;
    const int32_t *column = NULL;
    const tsr__word_count *entry = entries_of(w, i, &total, &column);
    for (int64_t e = 0; e < total; e++) {
        const int32_t at = column == NULL ? entry[e].word : column[entry[e].word];
        if (at >= 0)
            key[used++] = (uint64_t)at << 32 | entry[e].times;
    }
    sort_keys(key, key + used, used, w->columns.count - 1);
    for (int64_t e = 0; e < used; e++) {
        const int32_t at = (int32_t)(key[e] >> 32);
        const double times = w->options.weigh == BINARY ? 1 : (double)(key[e] & UINT32_MAX);
        w->column[w->rows[i] + e] = at;
        w->value[w->rows[i] + e] = w->weight != NULL ? times * w->weight[at] : times;
    }
}

static void fill_rows(void *context, int64_t item, int thread)
{
    wording *w = context;
    const int64_t first = item * CHUNK;
    const int64_t last = first + CHUNK < w->samples ? first + CHUNK : w->samples;
    int64_t widest = 0;
    (void)thread;
    for (int64_t i = first; i < last; i++)
        widest = w->rows[i + 1] - w->rows[i] > widest ? w->rows[i + 1] - w->rows[i] : widest;
    uint64_t *key = tsr__alloc(2 * widest, sizeof *key);
    w->status[item] = key == NULL ? TSR_ERROR_MEMORY : TSR_OK;
    for (int64_t i = first; key != NULL && i < last; i++)
        fill_row(w, i, key);
    tsr__free(key);
}

static tsr_status make_matrix(wording *w)
{
    tsr_status status = TSR_OK;
    const int64_t chunks = (w->samples + CHUNK - 1) / CHUNK;
    const int threads = tsr__threads(w->options.threads, chunks);
    TSR_NEW_ZERO(w->rows, w->samples + 1);
    TSR_NEW_ZERO(w->status, chunks);
    tsr__parallel(chunks, threads, measure_rows, w);
    for (int64_t i = 0; i < w->samples; i++)
        w->rows[i + 1] += w->rows[i];
    TSR_NEW(w->column, w->rows[w->samples]);
    TSR_NEW(w->value, w->rows[w->samples]);
    tsr__parallel(chunks, threads, fill_rows, w);
    for (int64_t i = 0; i < chunks; i++)
        if (w->status[i] < 0)
            TSR_FAIL(w->status[i], "no memory for the rows of the texts");
    TSR_TRY(tsr__matrix_take_sparse(&w->out->x, w->rows, w->column, w->value, w->samples,
                                    w->columns.count, TSR_FLOAT64));
    w->rows = NULL, w->column = NULL, w->value = NULL;
    if (w->options.normalize > 1)
        TSR_TRY(tsr_matrix_normalize(w->out->x, (tsr_norm)(w->options.normalize - 1)));
done:
    return status;
}

/* Texts without a word are samples too, but somebody should know. */
static tsr_status note_empty(wording *w)
{
    char text[TSR_MESSAGE_SIZE], name[512];
    tsr__line line = TSR_LINE(text);
    int64_t empty = 0, first = 0;
    const int64_t *rows = w->out->x->rows;
    for (int64_t i = w->samples - 1; i >= 0; i--)
        if (rows[i] == rows[i + 1])
            empty++, first = w->text[i];
    if (empty == 0)
        return TSR_OK;
    tsr__line_add(&line,
                  "%lld of %lld texts have none of the words; their rows are empty (the "
                  "first: %s)",
                  (long long)empty, (long long)w->samples,
                  name_of(name, sizeof name, w, first));
    return tsr__names_add(&w->out->notes, text);
}

static tsr_status name_all(wording *w, const tsr__names *given)
{
    tsr_status status = TSR_OK;
    if (given == NULL) {
        w->out->feature_names = w->columns.words;
        w->columns.words = (tsr__names){NULL, 0, 0};
    }
    for (int64_t j = 0; given != NULL && j < given->count; j++)
        TSR_TRY(tsr__names_add(&w->out->feature_names, given->name[j]));
    for (int64_t i = 0; !w->job->lines && i < w->samples; i++)
        TSR_TRY(tsr__names_add(&w->out->sample_names, w->job->files->name[w->text[i]]));
done:
    return status;
}

static tsr_status keep_recipe(wording *w)
{
    tsr_status status = TSR_OK;
    tsr__recipe *recipe = &w->out->recipe;
    TSR_NEW_TEXT(recipe->kind, "words");
    TSR_TRY(tsr__recipe_record(recipe, tsr_features_settings(), &w->options, kept));
    if (w->weight != NULL) {
        TSR_TRY(tsr__matrix_take_dense(&recipe->weight, w->weight, 1, w->columns.count,
                                       TSR_FLOAT64));
        w->weight = NULL;
    }
done:
    return status;
}

tsr_status tsr__words_make(tsr_data *out, const tsr__feature_job *job)
{
    tsr_status status = TSR_OK;
    const tsr__names *given = NULL;
    wording w = {.job = job, .options = *job->options, .out = out, .texts = {.folder = -1}};
    if (job->recipe != NULL)
        TSR_TRY(tsr__recipe_restore(job->recipe, tsr_features_settings(), &w.options, kept));
    TSR_TRY(find_given(&given, &w));
    TSR_TRY(tsr__texts_open(&w.texts, job));
    w.texts.headers = w.options.headers;
    TSR_TRY(count(&w, given != NULL));
    TSR_TRY(judge(&w));
    TSR_TRY(choose_columns(&w, given != NULL));
    TSR_TRY(find_weights(&w));
    TSR_TRY(make_matrix(&w));
    TSR_TRY(note_empty(&w));
    TSR_TRY(name_all(&w, given));
    TSR_TRY(keep_recipe(&w));
    (void)snprintf(out->dtype, sizeof out->dtype, "float64");
done:
    clear(&w);
    return status;
}
