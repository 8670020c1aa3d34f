/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Classification by a vote of the nearest training samples, and the folds it is judged on. */
#include "base/random.h"
#include "learn/renumber.h"
#include "matrix/matrix.h"
#include "matrix/neighbours.h"
#include "matrix/store.h"

#include <string.h>

/* The class with most votes; of equals the one whose neighbour came first. */
static int32_t vote(const int64_t *neighbour, int64_t count, const int32_t *classes,
                    const int64_t *sample)
{
    int32_t winner = -1;
    int64_t most = 0;
    for (int64_t a = 0; a < count && neighbour[a] >= 0; a++) {
        const int32_t c = classes[sample[neighbour[a]]];
        int64_t votes = 0;
        for (int64_t b = 0; b < count && neighbour[b] >= 0; b++)
            votes += classes[sample[neighbour[b]]] == c;
        if (votes > most) {
            most = votes;
            winner = c;
        }
    }
    return winner;
}

/* The votes on test samples, as many at once as a window has: what is in memory is one. */
static tsr_status judge(int32_t *out, const tsr_matrix *test, const tsr_matrix *voters,
                        const int64_t *sample, const int32_t *classes, int64_t p, int threads)
{
    tsr_status status = TSR_OK;
    const int64_t n = test->samples,
                  wide = tsr__matrix_is_stored(test) ? tsr__matrix_window_rows(test) : n,
                  most = wide < n ? wide : n;
    int64_t *index = NULL;
    double *square = NULL;
    TSR_NEW(index, most * p);
    TSR_NEW(square, most * p);
    for (int64_t first = 0; first < n; first += most) {
        tsr_matrix rows;
        TSR_TRY(tsr__matrix_window(&rows, test, first, n - first < most ? n - first : most));
        status = tsr__nearest_samples(index, square, &rows, voters, p, threads);
        if (status < 0)
            TSR_TRY(tsr__fail_in(status, "training or test samples"));
        for (int64_t i = 0; i < rows.samples; i++)
            out[first + i] = vote(index + i * p, p, classes, sample);
    }
done:
    tsr__free(index);
    tsr__free(square);
    return status;
}

tsr_status tsr_classify(int32_t *out, const tsr_matrix *train, const int32_t *classes,
                        const tsr_matrix *test, int64_t neighbours, int64_t threads)
{
    TSR_REQUIRE(out, train, classes, test);
    TSR_REQUIRE_CHOICE(threads, 4096);
    TSR_OR_RETURN(tsr__check_classes(classes, train->samples, "classes"));
    tsr_status status = TSR_OK;
    int64_t *sample = NULL, known = 0;
    int32_t *of = NULL;
    tsr_matrix *voters = NULL;
    TSR_NEW(sample, train->samples);
    for (int64_t i = 0; i < train->samples; i++)
        if (classes[i] >= 0)
            sample[known++] = i;
    if (known == 0)
        TSR_FAIL(TSR_ERROR_DATA, "none of the %lld training samples has a class",
                 (long long)train->samples);
    if (neighbours < 1)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "a vote of %lld neighbours is not possible",
                 (long long)neighbours);
    if (train->features != test->features)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "test samples have %lld features, training samples %lld",
                 (long long)test->features, (long long)train->features);
    TSR_TRY(tsr_matrix_check(train, TSR_NEED_FINITE, "the training samples"));
    TSR_TRY(tsr_matrix_check(test, TSR_NEED_FINITE, "the test samples"));
    const int64_t p = neighbours < known ? neighbours : known;
    TSR_TRY(tsr__matrix_need(train, "a vote of training samples"));
    TSR_NEW(of, test->samples);
    if (known < train->samples)
        TSR_TRY(tsr_matrix_copy_samples(&voters, train, sample, known));
    else /* a view: samples that are tested on themselves are their own neighbours */
        TSR_TRY(tsr_matrix_view_samples(&voters, train, 0, known));
    TSR_TRY(judge(of, test, voters, sample, classes, p, (int)threads));
    if (test->samples > 0)
        memcpy(out, of, (size_t)test->samples * sizeof *of);
done:
    tsr__free(sample);
    tsr__free(of);
    tsr_matrix_free(voters);
    return status;
}

/* Folds ------------------------------------------------------------------------------------ */

/* What goes to one fold as a whole: a sample, or all samples of a group. */
typedef struct dealing {
    int64_t *unit_of;    /* unit of each sample */
    int64_t *size;       /* samples of each unit */
    int64_t *class_of;   /* class of each unit: that of its first sample */
    int64_t *order;      /* units, class by class */
    int64_t *begin;      /* where each class begins in it; the unknown class is the first */
    int64_t *fold_size;  /* samples in each fold */
    int64_t *class_size; /* samples of the class at hand in each fold */
    int32_t *fold_of;    /* of each unit */
    int64_t units;
} dealing;

/* `kind` is the renumbered class, `of` the renumbered group of each sample or NULL. */
static tsr_status find_units(dealing *d, const int64_t *kind, const int64_t *of, int64_t groups,
                             int64_t count)
{
    tsr_status status = TSR_OK;
    int64_t *known = NULL;
    TSR_NEW(known, groups);
    for (int64_t g = 0; g < groups; g++)
        known[g] = -1;
    for (int64_t i = 0; i < count; i++) {
        const int64_t g = of != NULL ? of[i] : -1;
        const int64_t unit = g >= 0 && known[g] >= 0 ? known[g] : d->units;
        if (g >= 0)
            known[g] = unit;
        if (unit == d->units)
            d->class_of[d->units++] = kind[i];
        d->unit_of[i] = unit;
        d->size[unit]++;
    }
done:
    tsr__free(known);
    return status;
}

static void sort_units(dealing *d, int64_t kinds)
{
    for (int64_t u = 0; u < d->units; u++)
        d->begin[d->class_of[u] + 2]++;
    for (int64_t c = 0; c <= kinds; c++)
        d->begin[c + 1] += d->begin[c];
    for (int64_t u = 0; u < d->units; u++)
        d->order[d->begin[d->class_of[u] + 1]++] = u;
    for (int64_t c = kinds + 1; c > 0; c--)
        d->begin[c] = d->begin[c - 1];
    d->begin[0] = 0;
}

/* Units of one class go, in random order, to the fold that has fewest samples of the class,
 * then fewest of all; of equals to the first. */
static void deal(dealing *d, int64_t *unit, int64_t count, int64_t folds, tsr__random *random)
{
    memset(d->class_size, 0, (size_t)folds * sizeof *d->class_size);
    tsr__random_shuffle(random, unit, count);
    for (int64_t a = 0; a < count; a++) {
        int64_t to = 0;
        for (int64_t f = 1; f < folds; f++)
            if (d->class_size[f] < d->class_size[to] ||
                (d->class_size[f] == d->class_size[to] && d->fold_size[f] < d->fold_size[to]))
                to = f;
        d->fold_of[unit[a]] = (int32_t)to;
        d->class_size[to] += d->size[unit[a]];
        d->fold_size[to] += d->size[unit[a]];
    }
}

tsr_status tsr_make_folds(int32_t *of, const int32_t *classes, const int32_t *group,
                          int64_t count, int64_t folds, int64_t seed)
{
    TSR_REQUIRE_ARRAY(of, count);
    TSR_REQUIRE_ARRAY(classes, count);
    TSR_OR_RETURN(tsr__check_classes(classes, count, "classes"));
    TSR_OR_RETURN(tsr__check_classes(group, count, "group"));
    tsr_status status = TSR_OK;
    dealing d = {0};
    int64_t *kind = NULL, *unit = NULL, kinds = 0, groups = 0;
    tsr__random random = tsr__random_seed((uint64_t)seed, 0);
    if (folds < 2 || folds > count || folds > INT32_MAX)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld folds of %lld samples are not possible",
                 (long long)folds, (long long)count);
    TSR_NEW(kind, count);
    TSR_NEW(unit, count);
    TSR_NEW(d.unit_of, count);
    TSR_NEW_ZERO(d.size, count);
    TSR_NEW(d.class_of, count);
    TSR_NEW(d.order, count);
    TSR_NEW_ZERO(d.fold_size, folds);
    TSR_NEW(d.class_size, folds);
    TSR_NEW(d.fold_of, count);
    TSR_TRY(tsr__renumber(kind, &kinds, classes, count));
    if (group != NULL)
        TSR_TRY(tsr__renumber(unit, &groups, group, count));
    TSR_TRY(find_units(&d, kind, group != NULL ? unit : NULL, groups, count));
    if (folds > d.units)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld folds of %lld groups are not possible",
                 (long long)folds, (long long)d.units);
    TSR_NEW_ZERO(d.begin, kinds + 2);
    sort_units(&d, kinds);
    for (int64_t c = 0; c <= kinds; c++)
        deal(&d, d.order + d.begin[c], d.begin[c + 1] - d.begin[c], folds, &random);
    for (int64_t i = 0; i < count; i++)
        of[i] = d.fold_of[d.unit_of[i]];
done:
    tsr__free(kind);
    tsr__free(unit);
    tsr__free(d.unit_of);
    tsr__free(d.size);
    tsr__free(d.class_of);
    tsr__free(d.order);
    tsr__free(d.begin);
    tsr__free(d.fold_size);
    tsr__free(d.class_size);
    tsr__free(d.fold_of);
    return status;
}
