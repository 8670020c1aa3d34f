/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which variable of a file are the samples, and which the labels.
 *
 * Well-known pairs of names come first, in the order of the table; then a well-known name
 * alone; then the one matrix there is. Labels are a vector with one entry a sample that has a
 * well-known name and stands in the same folder (HDF5: group). Names that begin with __ are the
 * file's own business. What is not clear is not guessed: the message lists what is there. */
#include "io/array.h"

#include "base/text.h"

#include <string.h>

static const struct {
    const char *samples, *labels;
} pairs[] = {{"fea", "gnd"},     {"X", "y"},        {"x", "labels"},    {"X", "Y"},
             {"data", "labels"}, {"data", "label"}, {"data", "target"}, {"data", "y"}};

static const char *const samples_names[] = {"fea", "X", "x", "data"};
static const char *const labels_names[] = {"gnd",   "y",      "Y",       "labels",
                                           "label", "target", "targets", "class"};

/* Vectors and matrices that speak of other variables. */
static const char *const beside_names[] = {"classes",       "names",       "features",
                                           "sample_names",  "image_shape", "image_order",
                                           "feature_names", "shape"};

#define LENGTH(table) (int)(sizeof(table) / sizeof *(table))

int64_t tsr__variable_count(const tsr__variable *variable)
{
    int64_t count = 1;
    for (int i = 0; i < variable->rank; i++)
        if (variable->shape[i] < 0 || !tsr__multiply(&count, count, variable->shape[i]))
            return 0;
    return count;
}

int64_t tsr__variable_length(const tsr__variable *variable)
{
    const int64_t *shape = variable->shape;
    if (variable->element == TSR_ELEMENT_NONE || variable->sparse)
        return -1;
    if (variable->rank == 1)
        return shape[0];
    if (variable->rank == 2 && (shape[0] == 1 || shape[1] == 1))
        return shape[0] == 1 ? shape[1] : shape[0];
    return -1;
}

int64_t tsr__variable_samples(const tsr__variable *variable)
{
    return variable->shape[variable->rank == 3 && variable->column_major ? 2 : 0];
}

static bool is_listed(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_hidden(const tsr__variable *variable)
{
    return strncmp(variable->name, "__", 2) == 0;
}

static bool is_numbers(const tsr__variable *variable)
{
    return variable->element != TSR_ELEMENT_NONE && !tsr__element_is_text(variable->element) &&
           !is_hidden(variable);
}

static bool is_matrix(const tsr__variable *variable)
{
    const bool wide = variable->rank == 2 &&
                      (variable->sparse || (variable->shape[0] > 1 && variable->shape[1] > 1));
    return is_numbers(variable) && (wide || variable->rank == 3);
}

static int find(const tsr__variable *variable, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(variable[i].name, name) == 0)
            return i;
    return -1;
}

/* What has a name of samples may be a single one of them, or have a single feature. */
static int find_matrix(const tsr__variable *variable, int count, const char *name)
{
    const int at = find(variable, count, name);
    const bool single = at >= 0 && is_numbers(&variable[at]) && variable[at].rank == 2;
    return at >= 0 && (single || is_matrix(&variable[at])) ? at : -1;
}

/* As above, or what has that name and two dimensions but cannot be read: its reader says why,
 * and nothing else is taken in its place. */
static int find_named(const tsr__variable *variable, int count, const char *name)
{
    const int at = find(variable, count, name);
    const bool unreadable =
        at >= 0 && variable[at].element == TSR_ELEMENT_NONE && variable[at].rank >= 2;
    return unreadable ? at : find_matrix(variable, count, name);
}

/* The labels called `name` in the folder of the samples that fit them, or the vector of that
 * name that does not; -1 where there is none. */
static int find_labels(const tsr__variable *variable, int count, int samples, const char *name,
                       bool fitting)
{
    const int64_t wanted = tsr__variable_samples(&variable[samples]);
    const char *path = variable[samples].name;
    const char *slash = strrchr(path, '/');
    const size_t folder = slash != NULL ? (size_t)(slash + 1 - path) : 0;
    for (int i = 0; i < count; i++) {
        const int64_t length = tsr__variable_length(&variable[i]);
        if (i != samples && strncmp(variable[i].name, path, folder) == 0 &&
            strcmp(variable[i].name + folder, name) == 0 && length >= 0 &&
            (length == wanted) == fitting)
            return i;
    }
    return -1;
}

static int labels_of(const tsr__variable *variable, int count, int samples, bool fitting)
{
    const char *slash = strrchr(variable[samples].name, '/');
    const char *name = slash != NULL ? slash + 1 : variable[samples].name;
    int found = -1;
    for (int i = 0; found < 0 && i < LENGTH(pairs); i++)
        if (strcmp(pairs[i].samples, name) == 0)
            found = find_labels(variable, count, samples, pairs[i].labels, fitting);
    for (int i = 0; found < 0 && i < LENGTH(labels_names); i++)
        found = find_labels(variable, count, samples, labels_names[i], fitting);
    return found;
}

void tsr__variables_list(tsr__line *line, const tsr__variable *variable, int count)
{
    const char *comma = "";
    for (int i = 0; i < count; i++) {
        if (is_hidden(&variable[i]))
            continue;
        tsr__line_add(line, "%s%s (", comma, variable[i].name);
        for (int k = 0; k < variable[i].rank; k++)
            tsr__line_add(line, "%lld%s", (long long)variable[i].shape[k],
                          k + 1 < variable[i].rank ? " x " : " ");
        tsr__line_add(line, "%s%s)", variable[i].sparse ? "sparse " : "",
                      tsr__element_name(variable[i].element));
        comma = ", ";
    }
    if (*comma == '\0')
        tsr__line_add(line, "nothing");
}

static tsr_status is_missing(const tsr__variable *variable, int count, const char *wanted)
{
    char text[1024], advice[128] = "";
    tsr__line line = TSR_LINE(text), hint = TSR_LINE(advice);
    const char **names = tsr__alloc(count, sizeof *names);
    if (names == NULL)
        return TSR_ERROR_MEMORY;
    for (int i = 0; i < count; i++)
        names[i] = variable[i].name;
    const char *nearest = tsr__nearest(wanted, names, count);
    tsr__free((void *)(uintptr_t)names);
    if (nearest != NULL)
        tsr__line_add(&hint, " (%s was meant?)", nearest);
    tsr__variables_list(&line, variable, count);
    return tsr__fail(TSR_ERROR_DATA, "there is no %s%s; there is %s", wanted, advice, text);
}

static tsr_status is_unclear(const tsr__variable *variable, int count, const char *what)
{
    char text[1024];
    tsr__line line = TSR_LINE(text);
    tsr__variables_list(&line, variable, count);
    return tsr__fail(TSR_ERROR_DATA,
                     "cannot tell which variable holds the %s: %s; say which, as "
                     "FILE:NAME",
                     what, text);
}

/* The variable of that name, a leading slash ignored. */
static tsr_status find_wanted(int *out, const tsr__variable *variable, int count,
                              const char *wanted)
{
    const char *name = wanted + strspn(wanted, "/");
    const int at = find(variable, count, name);
    if (at < 0)
        return is_missing(variable, count, wanted);
    *out = at;
    return TSR_OK;
}

static int find_by_pair(const tsr__variable *variable, int count)
{
    for (int i = 0; i < LENGTH(pairs); i++) {
        const int at = find_matrix(variable, count, pairs[i].samples);
        if (at >= 0 && find_labels(variable, count, at, pairs[i].labels, true) >= 0)
            return at;
    }
    return -1;
}

/* The one matrix that is not labels by name; -1 where there is none or more than one. */
static int find_alone(const tsr__variable *variable, int count)
{
    int found = -1, matrices = 0;
    for (int i = 0; i < count; i++)
        if (is_matrix(&variable[i]) &&
            !is_listed(variable[i].name, labels_names, LENGTH(labels_names)))
            found = i, matrices++;
    return matrices == 1 ? found : -1;
}

tsr_status tsr__pick_samples(int *samples, int *labels, const tsr__variable *variable,
                             int count, const char *wanted)
{
    int found = -1;
    if (wanted != NULL) {
        const tsr_status status = find_wanted(&found, variable, count, wanted);
        if (status < 0)
            return status;
        if (tsr__element_is_text(variable[found].element))
            return tsr__fail(TSR_ERROR_DATA, "%s holds texts; samples are numbers", wanted);
    }
    if (found < 0)
        found = find_by_pair(variable, count);
    for (int i = 0; found < 0 && i < LENGTH(samples_names); i++)
        found = find_named(variable, count, samples_names[i]);
    if (found < 0)
        found = find_alone(variable, count);
    if (found < 0)
        return is_unclear(variable, count, "samples");
    *samples = found;
    *labels = labels_of(variable, count, found, true);
    return TSR_OK;
}

int tsr__pick_misfit(const tsr__variable *variable, int count, int samples)
{
    return labels_of(variable, count, samples, false);
}

/* The one vector that is not something else by name. */
static int find_vector(const tsr__variable *variable, int count)
{
    int found = -1, vectors = 0;
    for (int i = 0; i < count; i++)
        if (tsr__variable_length(&variable[i]) > 1 && !is_hidden(&variable[i]) &&
            !is_listed(variable[i].name, beside_names, LENGTH(beside_names)))
            found = i, vectors++;
    return vectors == 1 ? found : -1;
}

tsr_status tsr__pick_labels(int *labels, const tsr__variable *variable, int count,
                            const char *wanted)
{
    int found = -1;
    if (wanted != NULL)
        return find_wanted(labels, variable, count, wanted);
    for (int i = 0; found < 0 && i < LENGTH(labels_names); i++) {
        found = find(variable, count, labels_names[i]);
        if (found >= 0 && tsr__variable_length(&variable[found]) < 0)
            found = -1;
    }
    if (found < 0)
        found = find_vector(variable, count);
    if (found < 0)
        return is_unclear(variable, count, "labels");
    *labels = found;
    return TSR_OK;
}
