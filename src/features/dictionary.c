/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Learning: exact k-means over a small part of the sample, where starts and first moves are
 * cheap, then a few of Lloyd's iterations over all of it. Look-ups are blocked products,
 * |c|^2 - 2 x.c being compared: O(words x 128) a descriptor, at the speed of a matrix product
 * and exact; kd-trees would give nearest words that are only likely. */
#include "features/dictionary.h"

#include "matrix/blas.h"
#include "matrix/distances.h"
#include "matrix/kmeans.h"
#include "matrix/parallel.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 256,
    FIRST_SHARE = 20, /* descriptors a word that the exact k-means is given */
    FIRST_ITERATIONS = 20,
    REFINEMENTS = 10
};

tsr_status tsr__reservoir_open(tsr__reservoir *out, int64_t room, uint64_t seed)
{
    enum { STREAM = 77 };
    out->value = tsr__alloc(room, TSR_DESCRIPTOR);
    out->room = room;
    out->random = tsr__random_seed(seed, STREAM);
    return out->value != NULL ? TSR_OK : TSR_ERROR_MEMORY;
}

void tsr__reservoir_add(tsr__reservoir *reservoir, const tsr__descriptors *from)
{
    for (int64_t i = 0; i < from->count; i++) {
        reservoir->passed++;
        const int64_t at = reservoir->count < reservoir->room
                               ? reservoir->count++
                               : tsr__random_below(&reservoir->random, reservoir->passed);
        if (at < reservoir->room)
            memcpy(reservoir->value + at * TSR_DESCRIPTOR, from->value + i * TSR_DESCRIPTOR,
                   TSR_DESCRIPTOR);
    }
}

/* Descriptors as vectors: of about unit length, or the roots of entries that sum to 1. */
static void unpack(float *out, const unsigned char *from, int64_t count, bool root)
{
    for (int64_t i = 0; i < count; i++, out += TSR_DESCRIPTOR, from += TSR_DESCRIPTOR) {
        int sum = 0;
        for (int j = 0; root && j < TSR_DESCRIPTOR; j++)
            sum += from[j];
        const float by = sum > 0 ? 1 / (float)sum : 1;
        if (root)
            for (int j = 0; j < TSR_DESCRIPTOR; j++)
                out[j] = sqrtf((float)from[j] * by);
        else
            for (int j = 0; j < TSR_DESCRIPTOR; j++)
                out[j] = (float)from[j] * (1.0f / 512);
    }
}

tsr_status tsr__lookup_open(tsr__lookup *out, const tsr_matrix *dictionary,
                            const tsr_features_options *options)
{
    tsr_status status = TSR_OK;
    tsr__lookup lookup = {.word = dictionary->values,
                          .words = dictionary->samples,
                          .soft = options->soft,
                          .root = options->root};
    TSR_NEW(lookup.square, lookup.words);
    for (int64_t a = 0; a < lookup.words; a++) {
        double square = 0;
        for (int64_t j = 0; j < TSR_DESCRIPTOR; j++)
            square += (double)lookup.word[a * TSR_DESCRIPTOR + j] *
                      (double)lookup.word[a * TSR_DESCRIPTOR + j];
        lookup.square[a] = (float)square;
    }
    *out = lookup;
done:
    return status;
}

void tsr__lookup_close(tsr__lookup *lookup)
{
    tsr__free(lookup->square);
    lookup->square = NULL;
}

/* The `soft` least of square - 2 product in column i, by insertion; ties go to the first. */
static void least(int32_t *word, float *far, const tsr__lookup *lookup, const float *product,
                  int64_t stride, int64_t i)
{
    int64_t held = 0;
    for (int64_t a = 0; a < lookup->words; a++) {
        const float d = lookup->square[a] - 2 * product[a * stride + i];
        int64_t at = held;
        if (held == lookup->soft && !(d < far[held - 1]))
            continue;
        held += held < lookup->soft;
        at = at < held ? at : held - 1;
        for (; at > 0 && d < far[at - 1]; at--)
            far[at] = far[at - 1], word[at] = word[at - 1];
        far[at] = d, word[at] = (int32_t)a;
    }
}

/* Shares from squared distances; a descriptor that is a word is that word alone. */
static void share_out(float *share, const float *far, const float *x, int64_t soft)
{
    double own = 0, sum = 0;
    for (int64_t j = 0; j < TSR_DESCRIPTOR; j++)
        own += (double)x[j] * (double)x[j];
    for (int64_t s = 0; s < soft; s++)
        sum += 1 / fmax(own + (double)far[s], 1e-12);
    for (int64_t s = 0; s < soft; s++)
        share[s] = (float)(1 / fmax(own + (double)far[s], 1e-12) / sum);
}

typedef struct workspace {
    float x[BLOCK * TSR_DESCRIPTOR], which[BLOCK], first[BLOCK], second[BLOCK], far[64];
    float product[]; /* words x BLOCK */
} workspace;

static workspace *open_workspace(int64_t words)
{
    int64_t products = 0;
    if (tsr__multiply(&products, words, BLOCK * (int64_t)sizeof(float)))
        return tsr__alloc((int64_t)sizeof(workspace) + products, 1);
    (void)tsr__fail(TSR_ERROR_MEMORY, "%lld words are too many", (long long)words);
    return NULL;
}

/* Up to BLOCK descriptors as vectors. */
static void look_up_block(int32_t *word, float *share, workspace *w, const tsr__lookup *lookup,
                          const float *x, int64_t count)
{
    const int64_t soft = lookup->soft;
    const tsr__product product = {.transpose_b = true,
                                  .rows = lookup->words,
                                  .columns = count,
                                  .inner = TSR_DESCRIPTOR,
                                  .alpha = 1,
                                  .a = lookup->word,
                                  .b = x,
                                  .c = w->product,
                                  .lda = TSR_DESCRIPTOR,
                                  .ldb = TSR_DESCRIPTOR,
                                  .ldc = BLOCK};
    tsr__multiply_dense(TSR_FLOAT32, &product);
    if (soft == 1) {
        tsr__distances_of(TSR_FLOAT32)
            ->two_least(w->which, w->first, w->second, w->product, BLOCK, lookup->square,
                        lookup->words, count);
        for (int64_t i = 0; i < count; i++)
            word[i] = (int32_t)w->which[i];
        for (int64_t i = 0; share != NULL && i < count; i++)
            share[i] = 1;
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        least(word + i * soft, w->far, lookup, w->product, BLOCK, i);
        share_out(share + i * soft, w->far, x + i * TSR_DESCRIPTOR, soft);
    }
}

tsr_status tsr__lookup_words(int32_t *word, float *share, const tsr__lookup *lookup,
                             const tsr__descriptors *from)
{
    workspace *w = open_workspace(lookup->words);
    if (w == NULL)
        return TSR_ERROR_MEMORY;
    for (int64_t i = 0; i < from->count; i += BLOCK) {
        const int64_t count = from->count - i < BLOCK ? from->count - i : BLOCK;
        unpack(w->x, from->value + i * TSR_DESCRIPTOR, count, lookup->root);
        look_up_block(word + i * lookup->soft, share + i * lookup->soft, w, lookup, w->x,
                      count);
    }
    tsr__free(w);
    return TSR_OK;
}

/* Learning -------------------------------------------------------------------------------- */

typedef struct learner {
    tsr_matrix *x;     /* the sample, as vectors */
    tsr_matrix *words; /* so far */
    tsr__lookup lookup;
    int32_t *of; /* word of each */
    double *sum; /* words x 128 */
    int64_t *size;
    workspace **space; /* a thread */
    int threads;
} learner;

static void assign_block(void *context, int64_t block, int thread)
{
    learner *l = context;
    const int64_t first = block * BLOCK, left = l->x->samples - first;
    look_up_block(l->of + first, NULL, l->space[thread], &l->lookup,
                  (const float *)l->x->values + first * TSR_DESCRIPTOR,
                  left < BLOCK ? left : BLOCK);
}

/* Words become the means of what is nearest to them; those that nothing is near to stay. */
static void average(learner *l)
{
    float *word = l->words->values;
    const float *x = l->x->values;
    memset(l->sum, 0, (size_t)(l->words->samples * TSR_DESCRIPTOR) * sizeof *l->sum);
    memset(l->size, 0, (size_t)l->words->samples * sizeof *l->size);
    for (int64_t i = 0; i < l->x->samples; i++) {
        double *to = l->sum + l->of[i] * TSR_DESCRIPTOR;
        l->size[l->of[i]]++;
        for (int64_t j = 0; j < TSR_DESCRIPTOR; j++)
            to[j] += (double)x[i * TSR_DESCRIPTOR + j];
    }
    for (int64_t a = 0; a < l->words->samples; a++)
        for (int64_t j = a * TSR_DESCRIPTOR; l->size[a] > 0 && j < (a + 1) * TSR_DESCRIPTOR;
             j++)
            word[j] = (float)(l->sum[j] / (double)l->size[a]);
}

static tsr_status refine(learner *l)
{
    tsr_status status = TSR_OK;
    const tsr_features_options hard = {.soft = 1};
    const int64_t blocks = (l->x->samples + BLOCK - 1) / BLOCK;
    for (int round = 0; round < REFINEMENTS; round++) {
        TSR_TRY(tsr__lookup_open(&l->lookup, l->words, &hard));
        tsr__parallel(blocks, l->threads, assign_block, l);
        tsr__lookup_close(&l->lookup);
        average(l);
    }
done:
    return status;
}

/* Exact k-means over every so many-th descriptor. */
static tsr_status start(learner *l, const tsr_features_options *options)
{
    tsr_status status = TSR_OK;
    const int64_t words = l->words->samples, all = l->x->samples;
    const int64_t some = all / FIRST_SHARE < words ? all : FIRST_SHARE * words;
    tsr_matrix *part = NULL;
    int64_t *pick = NULL;
    TSR_NEW(pick, some);
    for (int64_t i = 0; i < some; i++)
        pick[i] = i * (all / some);
    TSR_TRY(tsr_matrix_copy_samples(&part, l->x, pick, some));
    const tsr__kmeans_options kmeans = {.clusters = words,
                                        .restarts = 1,
                                        .iterations = FIRST_ITERATIONS,
                                        .seed = (uint64_t)options->seed,
                                        .threads = l->threads};
    TSR_TRY(tsr__kmeans(l->of, l->sum, NULL, part, &kmeans));
    for (int64_t j = 0; j < words * TSR_DESCRIPTOR; j++)
        ((float *)l->words->values)[j] = (float)l->sum[j];
done:
    tsr__free(pick);
    tsr_matrix_free(part);
    return status;
}

static tsr_status open_learner(learner *l, const tsr__reservoir *sample,
                               const tsr_features_options *options)
{
    tsr_status status = TSR_OK;
    const int64_t words = options->vocabulary;
    l->threads = tsr__threads(options->threads, (sample->count + BLOCK - 1) / BLOCK);
    TSR_TRY(tsr_matrix_create(&l->x, sample->count, TSR_DESCRIPTOR, TSR_FLOAT32));
    TSR_TRY(tsr_matrix_create(&l->words, words, TSR_DESCRIPTOR, TSR_FLOAT32));
    TSR_NEW(l->of, sample->count);
    TSR_NEW(l->sum, words * TSR_DESCRIPTOR);
    TSR_NEW(l->size, words);
    TSR_NEW_ZERO(l->space, l->threads);
    for (int t = 0; t < l->threads; t++)
        if ((l->space[t] = open_workspace(words)) == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
    unpack(l->x->values, sample->value, sample->count, options->root);
done:
    return status;
}

static void close_learner(learner *l)
{
    for (int t = 0; l->space != NULL && t < l->threads; t++)
        tsr__free(l->space[t]);
    tsr__free(l->space);
    tsr__free(l->size);
    tsr__free(l->sum);
    tsr__free(l->of);
    tsr_matrix_free(l->words);
    tsr_matrix_free(l->x);
}

tsr_status tsr__dictionary_learn(tsr_matrix **out, const tsr__reservoir *sample,
                                 const tsr_features_options *options)
{
    tsr_status status = TSR_OK;
    learner l = {.x = NULL};
    if (sample->count < options->vocabulary)
        TSR_FAIL(TSR_ERROR_DATA,
                 "%lld descriptors are too few for a dictionary of %lld words: more or larger "
                 "images, or --vocabulary",
                 (long long)sample->count, (long long)options->vocabulary);
    TSR_TRY(open_learner(&l, sample, options));
    TSR_TRY(start(&l, options));
    TSR_TRY(refine(&l));
    *out = l.words, l.words = NULL;
done:
    close_learner(&l);
    return status;
}
