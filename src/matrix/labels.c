/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Labels: any texts or numbers become classes 0 .. c-1 with names in natural order. */
#include "matrix/labels.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool means_unknown(const char *text)
{
    static const char *const words[] = {"", "?", "-1", "NaN", "nan", "NAN"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

struct item {
    const char *text;
    double number; /* where every text is a number */
    int64_t sample;
};

static int by_number(const void *a, const void *b)
{
    const struct item *p = a, *q = b;
    if (p->number != q->number)
        return p->number < q->number ? -1 : 1;
    return strcmp(p->text, q->text);
}

static int by_text(const void *a, const void *b)
{
    const struct item *p = a, *q = b;
    return tsr__compare_natural(p->text, q->text);
}

static tsr_status create(tsr_labels **out, int64_t count, int32_t classes)
{
    tsr_status status = TSR_OK;
    tsr_labels *labels = NULL;
    TSR_NEW_ZERO(labels, 1);
    labels->count = count;
    TSR_NEW(labels->of, count);
    TSR_NEW_ZERO(labels->name, classes);
    labels->classes = classes;
    for (int64_t i = 0; i < count; i++)
        labels->of[i] = -1;
    *out = labels, labels = NULL;
done:
    tsr_labels_free(labels);
    return status;
}

/* From known items: sorts them, gives equal texts one class. */
static tsr_status classify(tsr_labels **out, struct item *item, int64_t known, int64_t count)
{
    tsr_status status = TSR_OK;
    tsr_labels *labels = NULL;
    bool numbers = true;
    int64_t classes = 0;
    for (int64_t i = 0; i < known; i++)
        numbers = numbers && tsr__text_is_real(&item[i].number, item[i].text) &&
                  !isnan(item[i].number); /* which has no place among numbers */
    if (known > 0)
        qsort(item, (size_t)known, sizeof *item, numbers ? by_number : by_text);
    for (int64_t i = 0; i < known; i++)
        classes += i == 0 || strcmp(item[i].text, item[i - 1].text) != 0;
    if (classes > INT32_MAX)
        TSR_FAIL(TSR_ERROR_DATA, "%lld classes are too many", (long long)classes);
    TSR_TRY(create(&labels, count, (int32_t)classes));
    int32_t at = -1;
    for (int64_t i = 0; i < known; i++) {
        if (i == 0 || strcmp(item[i].text, item[i - 1].text) != 0) {
            at++;
            TSR_NEW_TEXT(labels->name[at], item[i].text);
        }
        labels->of[item[i].sample] = at;
    }
    *out = labels, labels = NULL;
done:
    tsr_labels_free(labels);
    return status;
}

tsr_status tsr_labels_from_texts(tsr_labels **out, const char *const *text, int64_t count)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_ARRAY(text, count);
    tsr_status status = TSR_OK;
    struct item *item = NULL;
    int64_t known = 0;
    TSR_NEW(item, count);
    for (int64_t i = 0; i < count; i++) {
        if (text[i] == NULL)
            TSR_FAIL(TSR_ERROR_ARGUMENT, "text %lld of %lld is NULL: an unknown label is \"\"",
                     (long long)i, (long long)count);
        if (!means_unknown(text[i]))
            item[known++] = (struct item){text[i], 0, i};
    }
    TSR_TRY(classify(out, item, known, count));
done:
    tsr__free(item);
    return status;
}

tsr_status tsr__labels_from_numbers(tsr_labels **out, const double *number, int64_t count,
                                    bool minus_one)
{
    tsr_status status = TSR_OK;
    struct item *item = NULL;
    char(*text)[TSR_REAL_SIZE] = NULL;
    int64_t known = 0;
    TSR_NEW(item, count);
    TSR_NEW(text, count);
    for (int64_t i = 0; i < count; i++) {
        if (isnan(number[i]) || (number[i] == -1 && !minus_one))
            continue;
        (void)tsr__format_real(text[i], number[i]);
        item[known++] = (struct item){text[i], 0, i};
    }
    TSR_TRY(classify(out, item, known, count));
done:
    tsr__free(item);
    tsr__free(text);
    return status;
}

tsr_status tsr_labels_from_numbers(tsr_labels **out, const double *number, int64_t count)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_ARRAY(number, count);
    return tsr__labels_from_numbers(out, number, count, false);
}

tsr_status tsr__labels_from_names(tsr_labels **out, const int32_t *of, int64_t count,
                                  const char *const *name, int32_t classes)
{
    tsr_status status = TSR_OK;
    struct item *item = NULL;
    int64_t known = 0;
    TSR_NEW(item, count);
    for (int64_t i = 0; i < count; i++)
        if (of[i] >= 0 && of[i] < classes)
            item[known++] = (struct item){name[of[i]], 0, i};
    TSR_TRY(classify(out, item, known, count));
done:
    tsr__free(item);
    return status;
}

tsr_status tsr_labels_from_names(tsr_labels **out, const int32_t *of, int64_t count,
                                 const char *const *name, int32_t classes)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_ARRAY(of, count);
    TSR_REQUIRE_ARRAY(name, classes);
    for (int64_t i = 0; i < count; i++) {
        if (of[i] < -1 || of[i] >= classes)
            return tsr__fail(TSR_ERROR_ARGUMENT, "class %d of sample %lld is none of the %d",
                             of[i], (long long)i, classes);
        if (of[i] >= 0 && name[of[i]] == NULL)
            return tsr__fail(TSR_ERROR_ARGUMENT, "`name` of class %d is NULL", of[i]);
    }
    return tsr__labels_from_names(out, of, count, name, classes);
}

tsr_status tsr_labels_from_classes(tsr_labels **out, const tsr_labels *labels,
                                   const int32_t *of, int64_t count)
{
    TSR_REQUIRE(out, labels);
    return tsr_labels_from_names(out, of, count, (const char *const *)labels->name,
                                 labels->classes);
}

tsr_status tsr_labels_copy_samples(tsr_labels **out, const tsr_labels *labels,
                                   const int64_t *sample, int64_t count)
{
    TSR_REQUIRE(out, labels);
    if (sample != NULL)
        TSR_REQUIRE_ARRAY(sample, count);
    tsr_status status = TSR_OK;
    int32_t *of = NULL;
    if (sample == NULL && count != labels->count)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld labels asked for, %lld are there", (long long)count,
                 (long long)labels->count);
    TSR_NEW(of, count);
    for (int64_t i = 0; i < count; i++) {
        const int64_t from = sample != NULL ? sample[i] : i;
        if (from < 0 || from >= labels->count)
            TSR_FAIL(TSR_ERROR_ARGUMENT, "sample %lld exceeds the %lld labels", (long long)from,
                     (long long)labels->count);
        of[i] = labels->of[from];
    }
    TSR_TRY(tsr__labels_from_names(out, of, count, (const char *const *)labels->name,
                                   labels->classes));
done:
    tsr__free(of);
    return status;
}

void tsr_labels_free(tsr_labels *labels)
{
    if (labels == NULL)
        return;
    for (int32_t c = 0; labels->name != NULL && c < labels->classes; c++)
        tsr__free(labels->name[c]);
    tsr__free(labels->name);
    tsr__free(labels->of);
    tsr__free(labels);
}

int64_t tsr_labels_count(const tsr_labels *labels)
{
    return labels != NULL ? labels->count : 0;
}

int64_t tsr_labels_known(const tsr_labels *labels)
{
    int64_t known = 0;
    for (int64_t i = 0; labels != NULL && i < labels->count; i++)
        known += labels->of[i] >= 0;
    return known;
}

int32_t tsr_labels_classes(const tsr_labels *labels)
{
    return labels != NULL ? labels->classes : 0;
}

const int32_t *tsr_labels_of(const tsr_labels *labels)
{
    return labels != NULL ? labels->of : NULL;
}

const char *tsr_labels_name(const tsr_labels *labels, int32_t of)
{
    if (labels == NULL || of < -1 || of >= labels->classes)
        return NULL;
    return of >= 0 ? labels->name[of] : "?";
}

bool tsr__labels_are_numbers(const tsr_labels *labels)
{
    double number = 0;
    for (int32_t c = 0; c < labels->classes; c++)
        if (!tsr__text_is_real(&number, labels->name[c]))
            return false;
    return true;
}

double tsr__labels_number(const tsr_labels *labels, int64_t i)
{
    double number = (double)NAN;
    if (labels->of[i] >= 0)
        (void)tsr__text_is_real(&number, labels->name[labels->of[i]]);
    return number;
}

static int by_class(const void *a, const void *b, void *of)
{
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const uint32_t *class = of; /* -1 is the largest */
    const uint32_t left = class != NULL ? class[i] : 0, right = class != NULL ? class[j] : 0;
    if (left != right)
        return left < right ? -1 : 1;
    return (i > j) - (i < j);
}

void tsr__labels_sort(int64_t *sample, int64_t count, const tsr_labels *labels)
{
    qsort_r(sample, (size_t)count, sizeof *sample, by_class,
            labels != NULL ? labels->of : NULL);
}
