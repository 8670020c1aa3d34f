/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples, labels, names and image shape out of a list of variables. */
#include "io/container.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The variable `name` in the folder of variable `beside`, or -1. */
static int find_beside(const tsr__container *from, int beside, const char *name)
{
    const char *path = from->variable[beside].name;
    const char *slash = strrchr(path, '/');
    const size_t folder = slash != NULL ? (size_t)(slash + 1 - path) : 0;
    for (int i = 0; i < from->count; i++)
        if (strncmp(from->variable[i].name, path, folder) == 0 &&
            strcmp(from->variable[i].name + folder, name) == 0)
            return i;
    return -1;
}

/* Texts called `name` beside a variable, if there are `count` of them (-1: any number). */
static tsr_status read_texts(tsr__names *out, const tsr__container *from, int beside,
                             const char *name, int64_t count)
{
    const int at = find_beside(from, beside, name);
    if (at < 0 || out->count > 0 || !tsr__element_is_text(from->variable[at].element))
        return TSR_OK;
    const int64_t length = tsr__variable_length(&from->variable[at]);
    if (length < 0 || (count >= 0 && length != count))
        return TSR_OK;
    return from->texts(out, from->file, at);
}

/* Positions in the list of classes; false where some are not, and so are numbers. */
static bool as_positions(int32_t *of, const double *number, int64_t count, int first,
                         int64_t classes)
{
    for (int64_t i = 0; i < count; i++) {
        const double place = number[i] - first;
        const bool unknown = number[i] == -1 || isnan(number[i]);
        if (!unknown && !(place >= 0 && place < (double)classes && place == floor(place)))
            return false;
        of[i] = unknown ? -1 : (int32_t)place;
    }
    return true;
}

static tsr_status labels_from_numbers(tsr_labels **out, const tsr__container *from, int at,
                                      int64_t count)
{
    tsr_status status = TSR_OK;
    tsr__names classes = {NULL, 0, 0};
    double *number = NULL;
    int32_t *of = NULL;

    TSR_TRY(from->numbers(&number, from->file, at));
    TSR_TRY(read_texts(&classes, from, at, "classes", -1));
    TSR_NEW(of, count);
    if (classes.count > 0 && classes.count <= INT32_MAX &&
        as_positions(of, number, count, from->first_class, classes.count))
        TSR_TRY(tsr__labels_from_names(out, of, count, (const char *const *)classes.name,
                                       (int32_t)classes.count));
    else
        TSR_TRY(tsr__numbers_to_labels(out, number, count));
done:
    tsr__names_clear(&classes);
    tsr__free(number);
    tsr__free(of);
    return status;
}

static tsr_status read_labels(tsr_labels **out, const tsr__container *from, int at)
{
    tsr_status status = TSR_OK;
    tsr__names texts = {NULL, 0, 0};
    const int64_t count = tsr__variable_length(&from->variable[at]);

    if (from->variable[at].element == TSR_ELEMENT_NONE)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "labels are neither real numbers nor texts");
    if (count < 0)
        TSR_FAIL(TSR_ERROR_DATA, "labels are a vector, one a sample; %s is not",
                 from->variable[at].name);
    if (tsr__element_is_text(from->variable[at].element)) {
        TSR_TRY(from->texts(&texts, from->file, at));
        TSR_TRY(tsr_labels_from_texts(out, (const char *const *)texts.name, texts.count));
    } else {
        TSR_TRY(labels_from_numbers(out, from, at, count));
    }
done:
    tsr__names_clear(&texts);
    return status;
}

static tsr_status read_image(tsr_matrix *x, const tsr__container *from, int samples)
{
    tsr_status status = TSR_OK;
    tsr__names order = {NULL, 0, 0};
    double *size = NULL;
    const int at = find_beside(from, samples, "image_shape");

    if (at < 0 || tsr__variable_length(&from->variable[at]) != 2 ||
        tsr__element_is_text(from->variable[at].element))
        goto done;
    TSR_TRY(from->numbers(&size, from->file, at));
    TSR_TRY(read_texts(&order, from, samples, "image_order", -1));
    if (size[0] >= 1 && size[1] >= 1 && size[0] * size[1] == (double)x->features &&
        size[0] == floor(size[0]) && size[1] == floor(size[1]))
        x->image = (tsr_image_shape){(int64_t)size[0], (int64_t)size[1],
                                     order.count == 1 && strcmp(order.name[0], "column") == 0
                                         ? TSR_COLUMN_ORDER
                                         : TSR_ROW_ORDER};
done:
    tsr__names_clear(&order);
    tsr__free(size);
    return status;
}

static tsr_status note_misfit(tsr_data *out, const tsr__container *from, int samples)
{
    char text[TSR_MESSAGE_SIZE];
    tsr__line line = TSR_LINE(text);
    const int at = tsr__pick_misfit(from->variable, from->count, samples);
    if (at < 0)
        return TSR_OK;
    tsr__line_add(&line, "labels '%s' hold %lld values for %lld samples and are left out",
                  from->variable[at].name, (long long)tsr__variable_length(&from->variable[at]),
                  (long long)out->x->samples);
    return tsr__names_add(&out->notes, text);
}

/* What a variable takes in memory may be far more than in a packed file. */
static tsr_status check_memory(const tsr__request *request, const tsr__variable *v)
{
    const int64_t memory = request->options->memory;
    double bytes = v->sparse ? (double)v->stored * (sizeof(double) + sizeof(int32_t))
                             : (double)tsr__element_size(tsr__element_real(v->element));
    for (int i = 0; !v->sparse && i < v->rank; i++)
        bytes *= (double)v->shape[i];
    return tsr__memory_holds(memory, bytes)
               ? TSR_OK
               : tsr__fail(TSR_ERROR_MEMORY,
                           "%.4g MB are read whole, and --memory lets data take a quarter of "
                           "%.4g MB: raise it, or write them as .h5 or .npy, which are read in "
                           "blocks",
                           bytes / 1e6, (double)memory / 1e6);
}

static tsr_status read_samples(tsr_data *out, const tsr__request *request,
                               const tsr__container *from, int samples, int labels)
{
    tsr_status status = TSR_OK;
    if (!from->stays && request->flow == NULL)
        TSR_TRY(check_memory(request, &from->variable[samples]));
    TSR_TRY(from->matrix(&out->x, from->file, samples));
    if (labels >= 0)
        TSR_TRY(read_labels(&out->labels, from, labels));
    const int64_t rows = out->x->samples, columns = out->x->features;
    if (out->labels != NULL && out->labels->count != rows)
        TSR_FAIL(TSR_ERROR_FORMAT, "%lld labels for %lld samples",
                 (long long)out->labels->count, (long long)rows);
    TSR_TRY(read_texts(&out->sample_names, from, samples, "sample_names", rows));
    TSR_TRY(read_texts(&out->sample_names, from, samples, "names", rows));
    TSR_TRY(read_texts(&out->feature_names, from, samples, "feature_names", columns));
    TSR_TRY(read_texts(&out->feature_names, from, samples, "features", columns));
    TSR_TRY(read_image(out->x, from, samples));
done:
    return status;
}

tsr_status tsr__container_read(tsr_data *out, const tsr__request *request,
                               const tsr__container *from)
{
    tsr_status status = TSR_OK;
    int samples = -1, labels = -1;

    if (request->only_labels)
        TSR_TRY(tsr__pick_labels(&labels, from->variable, from->count, request->variable));
    else
        TSR_TRY(tsr__pick_samples(&samples, &labels, from->variable, from->count,
                                  request->variable));
    const tsr__variable *chosen = &from->variable[samples >= 0 ? samples : labels];
    status = samples >= 0 ? read_samples(out, request, from, samples, labels)
                          : read_labels(&out->labels, from, labels);
    if (status < 0)
        TSR_TRY(tsr__fail_in(status, chosen->name));
    (void)snprintf(out->dtype, sizeof out->dtype, "%s", tsr__element_name(chosen->element));
    if (request->variable != NULL)
        goto done;
    /* Beside a matrix that was asked for by name, labels may well be those of another. */
    if (labels < 0)
        TSR_TRY(note_misfit(out, from, samples));
    TSR_NEW_TEXT(out->origin, chosen->name);
done:
    return status;
}

tsr__labels_as tsr__labels_choose(const tsr_labels *labels)
{
    static const char *const unknown[] = {"", "?", "-1", "NaN", "nan", "NAN"};
    const int64_t plain_limit = 1000000000000000; /* as texts these are plain digits */
    bool integers = true;
    for (int32_t c = 0; c < labels->classes; c++) {
        int64_t number = 0;
        for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
            if (strcmp(labels->name[c], unknown[k]) == 0)
                return TSR_LABELS_AS_POSITIONS;
        /* 01 is a name, not a number: it would come back as 1. */
        char plain[24] = "";
        if (tsr__text_is_integer(&number, labels->name[c]))
            (void)snprintf(plain, sizeof plain, "%lld", (long long)number);
        integers = integers && strcmp(plain, labels->name[c]) == 0 && number > -plain_limit &&
                   number < plain_limit;
    }
    return integers ? TSR_LABELS_AS_INTEGERS : TSR_LABELS_AS_TEXTS;
}
