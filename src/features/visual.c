/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The pipeline of visual words, in two passes over the pictures:
 *
 *     1. describe those that may be learnt from; a reservoir keeps a uniform sample of their
 *        descriptors, of which k-means makes the dictionary. Skipped where one is given.
 *     2. look up the words of every picture and count them.
 *
 * Descriptors of the first pass are kept for the second up to KEPT bytes; beyond that pictures
 * are described again, so memory is bounded. Pictures are worked on in parallel, a chunk at a
 * time; what a chunk gave is judged and stored in order: neither the result nor the failure
 * depends on the number of threads. */
#include "features/histogram.h"

#include "base/progress.h"
#include "io/folder.h"
#include "io/images.h"
#include "matrix/parallel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 64 };
static const int64_t kept_most = (int64_t)512 << 20;

typedef struct slot {
    int64_t file;
    tsr__descriptors found;
    double *row;
    tsr_status status;
    char reason[512];
} slot;

typedef struct work {
    const tsr__feature_job *job;
    const tsr__describer *describer;
    tsr_features_options options; /* settled */
    tsr_data *out;
    tsr__descriptors *kept; /* a file, of the first pass */
    int64_t kept_bytes;
    bool *left_out; /* a file */
    tsr__reservoir reservoir;
    tsr__lookup lookup;
    double *values; /* files x features, the first sample_names.count rows in use */
    int64_t features;
    bool *learnt;  /* a sample: may weights be learnt from it? */
    bool counting; /* second pass */
    int threads;
    void **held; /* a thread */
    slot slots[CHUNK];
} work;

static bool may_learn(const work *w, int64_t file)
{
    return w->job->learn == NULL || w->job->learn[file];
}

static tsr_status describe(slot *at, work *w, int thread)
{
    tsr_status status = TSR_OK;
    tsr__image image = {0, 0, NULL};
    TSR_TRY(tsr__image_load(&image, w->job->folder, w->job->files->name[at->file],
                            w->options.expand, TSR_VISUAL_EACH));
    TSR_TRY(
        tsr__picture_describe(&at->found, &w->held[thread], &image, w->describer, &w->options));
done:
    tsr__image_free(&image);
    return status;
}

static tsr_status run_slot(slot *at, work *w, int thread)
{
    tsr_status status = TSR_OK;
    at->found = w->kept[at->file];
    w->kept[at->file] = (tsr__descriptors){.count = 0};
    if (at->found.value == NULL)
        TSR_TRY(describe(at, w, thread));
    if (w->counting) {
        TSR_NEW(at->row, w->features);
        TSR_TRY(tsr__histogram_count(at->row, NULL, &w->lookup, &at->found, &w->options));
    }
done:
    return status;
}

static void run_item(void *context, int64_t item, int thread)
{
    work *w = context;
    slot *at = &w->slots[item];
    at->status = run_slot(at, w, thread);
    if (at->status < 0)
        (void)snprintf(at->reason, sizeof at->reason, "%s", tsr_message());
}

/* The picture gave no descriptor: an error, a note and nothing, or a note and a zero row. */
static tsr_status judge_small(work *w, const slot *at)
{
    enum { SKIP, ZERO, FAIL };
    const char *name = w->job->files->name[at->file];
    char reason[128], text[TSR_MESSAGE_SIZE];
    (void)snprintf(reason, sizeof reason, "%lld x %lld pixels give no descriptor",
                   (long long)at->found.width, (long long)at->found.height);
    if (w->options.small == FAIL)
        return tsr__fail(TSR_ERROR_DATA, "%s/%s: %s", w->job->folder, name, reason);
    w->left_out[at->file] = w->options.small == SKIP;
    if (w->options.small == SKIP)
        return tsr__note_left_out(&w->out->notes, name, reason);
    if (!w->counting)
        return TSR_OK;
    (void)snprintf(text, sizeof text, "all zero is %s: %s", name, reason);
    return tsr__names_add(&w->out->notes, text);
}

static tsr_status keep_row(work *w, const slot *at)
{
    const int64_t row = w->out->sample_names.count;
    memcpy(w->values + row * w->features, at->row, (size_t)w->features * sizeof *at->row);
    w->learnt[row] = may_learn(w, at->file);
    return tsr__names_add(&w->out->sample_names, w->job->files->name[at->file]);
}

/* First pass: into the reservoir, and kept while there is room. */
static void keep_descriptors(work *w, slot *at)
{
    const int64_t bytes = at->found.count * (TSR_DESCRIPTOR + (int64_t)sizeof(tsr__spot));
    tsr__reservoir_add(&w->reservoir, &at->found);
    if (w->kept_bytes + bytes > kept_most)
        return;
    w->kept_bytes += bytes;
    w->kept[at->file] = at->found;
    at->found = (tsr__descriptors){.count = 0};
}

static tsr_status judge(work *w, slot *at)
{
    tsr_status status = TSR_OK;
    const char *name = w->job->files->name[at->file];
    if (at->status < 0) {
        if (!w->options.skip_bad || at->status == TSR_ERROR_MEMORY)
            TSR_FAIL(at->status, "%s/%s: %s", w->job->folder, name, at->reason);
        w->left_out[at->file] = true;
        TSR_TRY(tsr__note_left_out(&w->out->notes, name, at->reason));
        goto done;
    }
    if (at->found.count == 0)
        TSR_TRY(judge_small(w, at));
    if (w->left_out[at->file])
        goto done;
    if (w->counting)
        TSR_TRY(keep_row(w, at));
    else
        keep_descriptors(w, at);
done:
    return status;
}

static tsr_status run_chunk(work *w, int64_t count)
{
    tsr_status status = TSR_OK;
    tsr__parallel(count, w->threads < count ? w->threads : (int)count, run_item, w);
    for (int64_t i = 0; i < count; i++)
        TSR_TRY(judge(w, &w->slots[i]));
done:
    for (int64_t i = 0; i < count; i++) {
        tsr__descriptors_free(&w->slots[i].found);
        tsr__free(w->slots[i].row);
        w->slots[i].row = NULL;
    }
    return status;
}

/* One pass over the files that take part in it. */
static tsr_status run_pass(work *w, bool counting)
{
    tsr_status status = TSR_OK;
    const int64_t files = w->job->files->count;
    const tsr__task task = tsr__task_begin(
        w->options.progress, counting ? "counting visual words" : "describing images", files);
    w->counting = counting;
    for (int64_t file = 0; file < files;) {
        int64_t count = 0;
        for (; file < files && count < CHUNK; file++)
            if (!w->left_out[file] && (counting || may_learn(w, file)))
                w->slots[count++].file = file;
        TSR_TRY(run_chunk(w, count));
        TSR_TRY(tsr__task_step(&task, file, NAN, NAN));
    }
done:
    return status;
}

static tsr_status make_dictionary(work *w)
{
    tsr_status status = TSR_OK;
    const tsr__recipe *given = w->job->recipe;
    if (given != NULL)
        return tsr__recipe_copy(&w->out->recipe, given);
    TSR_TRY(tsr__reservoir_open(&w->reservoir, w->options.sample, (uint64_t)w->options.seed));
    TSR_TRY(run_pass(w, false));
    if (w->reservoir.count == 0)
        TSR_FAIL(TSR_ERROR_DATA, "no image to learn from has a descriptor%s%s",
                 w->out->notes.count > 0 ? "; " : "",
                 w->out->notes.count > 0 ? w->out->notes.name[0] : "");
    TSR_TRY(tsr__dictionary_learn(&w->out->recipe.dictionary, &w->reservoir, &w->options));
    TSR_TRY(tsr__visual_record(&w->out->recipe, w->describer, &w->options));
done:
    return status;
}

/* tf-idf: 1 + log((1 + n) / (1 + d)) for a word in d of the n samples that may be learnt from.
 */
static tsr_status learn_weight(work *w)
{
    tsr_status status = TSR_OK;
    tsr_matrix *weight = NULL;
    int64_t samples = 0;
    if (w->options.weigh != 2 || w->out->recipe.weight != NULL)
        return TSR_OK;
    TSR_TRY(tsr_matrix_create(&weight, 1, w->features, TSR_FLOAT64));
    double *value = weight->values;
    for (int64_t i = 0; i < w->out->sample_names.count; i++) {
        samples += w->learnt[i];
        for (int64_t j = 0; w->learnt[i] && j < w->features; j++)
            value[j] += w->values[i * w->features + j] > 0;
    }
    for (int64_t j = 0; j < w->features; j++)
        value[j] = 1 + log((double)(1 + samples) / (1 + value[j]));
    w->out->recipe.weight = weight, weight = NULL;
done:
    tsr_matrix_free(weight);
    return status;
}

static tsr_status make_samples(work *w)
{
    tsr_status status = TSR_OK;
    const int64_t files = w->job->files->count;
    int64_t count = 0;
    w->features = tsr__visual_features(&w->options);
    if (!tsr__multiply(&count, files, w->features))
        TSR_FAIL(TSR_ERROR_MEMORY, "%lld images of %lld features are too many",
                 (long long)files, (long long)w->features);
    TSR_NEW(w->values, count);
    TSR_NEW(w->learnt, files);
    TSR_TRY(tsr__lookup_open(&w->lookup, w->out->recipe.dictionary, &w->options));
    TSR_TRY(run_pass(w, true));
    if (w->out->sample_names.count == 0)
        TSR_FAIL(TSR_ERROR_DATA, "none of the %lld images can be used; %s", (long long)files,
                 w->out->notes.name[0]);
    TSR_TRY(learn_weight(w));
    TSR_TRY(tsr__matrix_take_dense(&w->out->x, w->values, w->out->sample_names.count,
                                   w->features, TSR_FLOAT64));
    w->values = NULL;
    tsr__histograms_finish(w->out->x, w->out->recipe.weight, &w->options);
    (void)snprintf(w->out->dtype, sizeof w->out->dtype, "float64");
done:
    return status;
}

static void finish(work *w)
{
    for (int64_t i = 0; w->kept != NULL && i < w->job->files->count; i++)
        tsr__descriptors_free(&w->kept[i]);
    for (int t = 0; w->held != NULL && t < w->threads; t++)
        w->describer->close(w->held[t]);
    tsr__free(w->kept);
    tsr__free(w->held);
    tsr__free(w->left_out);
    tsr__free(w->learnt);
    tsr__free(w->values);
    tsr__free(w->reservoir.value);
    tsr__lookup_close(&w->lookup);
    tsr__free(w);
}

tsr_status tsr__visual_make(tsr_data *out, const tsr__feature_job *job,
                            const tsr__describer *describer)
{
    tsr_status status = TSR_OK;
    const int64_t files = job->files->count;
    work *w = tsr__alloc_zero(1, sizeof *w);
    if (w == NULL)
        return TSR_ERROR_MEMORY;
    w->job = job, w->describer = describer, w->out = out;
    w->options = *job->options;
    w->threads = tsr__threads(job->options->threads, CHUNK);
    status = tsr__visual_settle(&w->options, describer, job->recipe);
    if (status < 0 && job->recipe != NULL)
        TSR_TRY(tsr__fail_in(status, job->options->dictionary));
    TSR_TRY(status);
    TSR_NEW_ZERO(w->kept, files);
    TSR_NEW_ZERO(w->left_out, files);
    TSR_NEW_ZERO(w->held, w->threads);
    TSR_TRY(make_dictionary(w));
    TSR_TRY(make_samples(w));
done:
    finish(w);
    return status;
}
