/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON by jansson. A tsr__json is jansson's own value, so nesting needs no bookkeeping here,
 * and jansson passes NULL values through, so a failed allocation leaves a member out. */
#include "base/json.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static json_t *value_of(const tsr__json *json)
{
    return (json_t *)(uintptr_t)json;
}

static void put(tsr__json *in, const char *key, json_t *value)
{
    json_t *parent = value_of(in);
    if (key != NULL)
        (void)json_object_set_new_nocheck(parent, key, value);
    else
        (void)json_array_append_new(parent, value);
}

tsr__json *tsr__json_new(void)
{
    return (tsr__json *)json_object();
}

void tsr__json_free(tsr__json *root)
{
    json_decref(value_of(root));
}

void tsr__json_integer(tsr__json *in, const char *key, int64_t value)
{
    put(in, key, json_integer(value));
}

void tsr__json_real(tsr__json *in, const char *key, double value)
{
    put(in, key, isfinite(value) ? json_real(value) : json_null());
}

void tsr__json_flag(tsr__json *in, const char *key, bool value)
{
    put(in, key, json_boolean(value));
}

void tsr__json_text(tsr__json *in, const char *key, const char *value)
{
    json_t *text = value != NULL ? json_string(value) : json_null();
    if (text == NULL) { /* no UTF-8, or no memory */
        char *copy = tsr__utf8_copy(value);
        text = copy != NULL ? json_string(copy) : NULL;
        tsr__free(copy);
    }
    put(in, key, text);
}

tsr__json *tsr__json_object(tsr__json *in, const char *key)
{
    json_t *object = json_object();
    put(in, key, object);
    return (tsr__json *)object;
}

tsr__json *tsr__json_array(tsr__json *in, const char *key)
{
    json_t *array = json_array();
    put(in, key, array);
    return (tsr__json *)array;
}

tsr_status tsr__json_print(const tsr__json *root, FILE *to)
{
    if (root == NULL)
        return tsr__fail(TSR_ERROR_MEMORY, "out of memory while building JSON");
    if (json_dumpf(value_of(root), to, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0 ||
        fputc('\n', to) == EOF || fflush(to) != 0) /* else the size would decide who tells it */
        return tsr__fail(TSR_ERROR_IO, "cannot write JSON: %s", strerror(errno));
    return TSR_OK;
}

/* A text is the only place where JSON has a '<', and there it may be written as a number. */
static int put_safely(const char *bytes, size_t size, void *to)
{
    for (size_t i = 0; i < size; i++)
        if ((bytes[i] == '<' ? fputs("\\u003c", to) : fputc(bytes[i], to)) == EOF)
            return -1;
    return 0;
}

tsr_status tsr__json_embed(const tsr__json *root, FILE *to)
{
    if (root == NULL)
        return tsr__fail(TSR_ERROR_MEMORY, "out of memory while building JSON");
    if (json_dump_callback(value_of(root), put_safely, to,
                           JSON_COMPACT | JSON_REAL_PRECISION(9)) != 0)
        return tsr__fail(TSR_ERROR_IO, "cannot write JSON: %s", strerror(errno));
    return TSR_OK;
}
