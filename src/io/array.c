/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Arrays of any element type into doubles, matrices, labels and texts.
 *
 * One short loop for each element type and byte order; elements need not be aligned. A
 * column-major matrix is turned in tiles of 64 x 64, which stay in the first cache:
 * O(elements), at the speed of memory for all types. */
#include "io/array.h"

#include "base/text.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

enum { TILE = 64 };

typedef void (*getter)(double *out, int64_t step, const char *in, int64_t count);

/* Unit steps have a loop of their own, which compilers turn into vectors. */
#define GETTER(name, type, convert)                                                            \
    static void name(double *out, int64_t step, const char *in, int64_t count)                 \
    {                                                                                          \
        type value;                                                                            \
        for (int64_t i = 0; step == 1 && i < count; i++) {                                     \
            memcpy(&value, in + i * (int64_t)sizeof value, sizeof value);                      \
            out[i] = convert(value);                                                           \
        }                                                                                      \
        for (int64_t i = 0; step != 1 && i < count; i++) {                                     \
            memcpy(&value, in + i * (int64_t)sizeof value, sizeof value);                      \
            out[i * step] = convert(value);                                                    \
        }                                                                                      \
    }

#define PLAIN(value) (double)(value)
#define TRUTH(value) ((value) != 0 ? 1.0 : 0.0)

/* Half precision: 1 sign, 5 exponent, 10 fraction bits. */
static inline double half(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 != 0 ? -size : size;
}

#define UNSWAP(name, type, bits)                                                               \
    static inline double name(uint##bits##_t swapped)                                          \
    {                                                                                          \
        const uint##bits##_t plain = __builtin_bswap##bits(swapped);                           \
        type value;                                                                            \
        memcpy(&value, &plain, sizeof value);                                                  \
        return (double)value;                                                                  \
    }

UNSWAP(unswap_int16, int16_t, 16)
UNSWAP(unswap_int32, int32_t, 32)
UNSWAP(unswap_int64, int64_t, 64)
UNSWAP(unswap_uint16, uint16_t, 16)
UNSWAP(unswap_uint32, uint32_t, 32)
UNSWAP(unswap_uint64, uint64_t, 64)
UNSWAP(unswap_float32, float, 32)
UNSWAP(unswap_float64, double, 64)

static inline double unswap_half(uint16_t swapped)
{
    return half(__builtin_bswap16(swapped));
}

GETTER(get_bool, uint8_t, TRUTH)
GETTER(get_int8, int8_t, PLAIN)
GETTER(get_int16, int16_t, PLAIN)
GETTER(get_int32, int32_t, PLAIN)
GETTER(get_int64, int64_t, PLAIN)
GETTER(get_uint8, uint8_t, PLAIN)
GETTER(get_uint16, uint16_t, PLAIN)
GETTER(get_uint32, uint32_t, PLAIN)
GETTER(get_uint64, uint64_t, PLAIN)
GETTER(get_float16, uint16_t, half)
GETTER(get_float32, float, PLAIN)
GETTER(get_float64, double, PLAIN)
GETTER(get_swapped_int16, uint16_t, unswap_int16)
GETTER(get_swapped_int32, uint32_t, unswap_int32)
GETTER(get_swapped_int64, uint64_t, unswap_int64)
GETTER(get_swapped_uint16, uint16_t, unswap_uint16)
GETTER(get_swapped_uint32, uint32_t, unswap_uint32)
GETTER(get_swapped_uint64, uint64_t, unswap_uint64)
GETTER(get_swapped_float16, uint16_t, unswap_half)
GETTER(get_swapped_float32, uint32_t, unswap_float32)
GETTER(get_swapped_float64, uint64_t, unswap_float64)

static const struct {
    const char *name;
    int64_t size;
    getter get, get_swapped;
} elements[] = {
    [TSR_ELEMENT_NONE] = {"other", 0, NULL, NULL},
    [TSR_ELEMENT_BOOL] = {"bool", 1, get_bool, get_bool},
    [TSR_ELEMENT_INT8] = {"int8", 1, get_int8, get_int8},
    [TSR_ELEMENT_INT16] = {"int16", 2, get_int16, get_swapped_int16},
    [TSR_ELEMENT_INT32] = {"int32", 4, get_int32, get_swapped_int32},
    [TSR_ELEMENT_INT64] = {"int64", 8, get_int64, get_swapped_int64},
    [TSR_ELEMENT_UINT8] = {"uint8", 1, get_uint8, get_uint8},
    [TSR_ELEMENT_UINT16] = {"uint16", 2, get_uint16, get_swapped_uint16},
    [TSR_ELEMENT_UINT32] = {"uint32", 4, get_uint32, get_swapped_uint32},
    [TSR_ELEMENT_UINT64] = {"uint64", 8, get_uint64, get_swapped_uint64},
    [TSR_ELEMENT_FLOAT16] = {"float16", 2, get_float16, get_swapped_float16},
    [TSR_ELEMENT_FLOAT32] = {"float32", 4, get_float32, get_swapped_float32},
    [TSR_ELEMENT_FLOAT64] = {"float64", 8, get_float64, get_swapped_float64},
    [TSR_ELEMENT_BYTES] = {"text", 0, NULL, NULL},
    [TSR_ELEMENT_UCS4] = {"text", 0, NULL, NULL},
};

int64_t tsr__element_size(tsr__element element)
{
    return elements[element].size;
}

const char *tsr__element_name(tsr__element element)
{
    return elements[element].name;
}

tsr__element tsr__element_real(tsr__element element)
{
    return element == TSR_ELEMENT_FLOAT32 ? TSR_ELEMENT_FLOAT32 : TSR_ELEMENT_FLOAT64;
}

bool tsr__element_is_text(tsr__element element)
{
    return element == TSR_ELEMENT_BYTES || element == TSR_ELEMENT_UCS4;
}

tsr_status tsr__array_count(int64_t *out, const tsr__array *array)
{
    int64_t count = 1, bytes = 0;
    bool fits = true;
    for (int i = 0; i < array->rank; i++)
        fits = fits && array->shape[i] >= 0 && tsr__multiply(&count, count, array->shape[i]);
    if (!fits || !tsr__multiply(&bytes, count, array->item) || bytes > array->bytes) {
        char text[128] = "";
        tsr__line line = TSR_LINE(text);
        for (int i = 0; i < array->rank; i++)
            tsr__line_add(&line, "%s%lld", i > 0 ? " x " : "", (long long)array->shape[i]);
        return tsr__fail(TSR_ERROR_FORMAT,
                         "%s elements of %lld bytes are announced, but only %lld bytes follow",
                         array->rank > 0 ? text : "1", (long long)array->item,
                         (long long)array->bytes);
    }
    *out = count;
    return TSR_OK;
}

tsr_status tsr__array_check_bound(const tsr__array *array, const tsr__bound *bound)
{
    const bool text = tsr__element_is_text(array->element);
    double count = 1;
    for (int i = 0; i < array->rank; i++)
        count *= (double)array->shape[i];
    return tsr__bound_check(
        bound, count * ((double)array->item + (text ? TSR_BOUND_TEXT : (int)sizeof(double))),
        "%.0f elements of %lld bytes", count, (long long)array->item);
}

void tsr__array_get(double *out, int64_t step, const tsr__array *array, int64_t first,
                    int64_t count)
{
    const getter get =
        array->swapped ? elements[array->element].get_swapped : elements[array->element].get;
    get(out, step, (const char *)array->data + first * array->item, count);
}

/* As above from float32 to float, so that no NaN loses its bits on the way through a double. */
static void get_floats(float *out, int64_t step, const tsr__array *array, int64_t first,
                       int64_t count)
{
    const char *in = (const char *)array->data + first * array->item;
    if (!array->swapped && step == 1) {
        memcpy(out, in, (size_t)count * sizeof *out);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, in + i * 4, sizeof bits);
        bits = array->swapped ? __builtin_bswap32(bits) : bits;
        memcpy(out + i * step, &bits, sizeof bits);
    }
}

static void get_values(void *out, tsr_type type, int64_t at, int64_t step,
                       const tsr__array *array, int64_t first, int64_t count)
{
    if (type == TSR_FLOAT64)
        tsr__array_get((double *)out + at, step, array, first, count);
    else
        get_floats((float *)out + at, step, array, first, count);
}

static void turn(void *out, tsr_type type, const tsr__array *array, int64_t rows,
                 int64_t columns)
{
    for (int64_t top = 0; top < rows; top += TILE) {
        const int64_t height = rows - top < TILE ? rows - top : TILE;
        for (int64_t left = 0; left < columns; left += TILE) {
            const int64_t right = columns - left < TILE ? columns : left + TILE;
            for (int64_t j = left; j < right; j++)
                get_values(out, type, top * columns + j, columns, array, j * rows + top,
                           height);
        }
    }
}

tsr_status tsr__array_understand(tsr__meaning *out, const tsr__array *array)
{
    const int64_t *shape = array->shape;
    tsr__meaning is = {.features = 1};
    if (elements[array->element].get == NULL)
        return tsr__fail(TSR_ERROR_DATA, "the samples are %s, not numbers",
                         elements[array->element].name);
    if (array->rank < 1 || array->rank > 3)
        return tsr__fail(TSR_ERROR_DATA,
                         "the array has %d dimensions; samples x features has 2, a stack of "
                         "pictures 3",
                         array->rank);
    for (int i = 0; i < array->rank; i++)
        if (shape[i] < 1)
            return tsr__fail(TSR_ERROR_DATA, "dimension %d of the samples is %lld: no data",
                             i + 1, (long long)shape[i]);
    is.samples = shape[0];
    if (array->rank == 2) {
        is.features = shape[1];
        is.turned = array->column_major && shape[0] > 1 && shape[1] > 1;
    } else if (array->rank == 3) {
        const int first = array->column_major ? 0 : 1;
        is.samples = shape[array->column_major ? 2 : 0];
        is.image = (tsr_image_shape){shape[first], shape[first + 1],
                                     array->column_major ? TSR_COLUMN_ORDER : TSR_ROW_ORDER};
        is.features = is.image.height * is.image.width;
    }
    *out = is;
    return TSR_OK;
}

tsr_status tsr__array_to_matrix(tsr_matrix **out, const tsr__array *array)
{
    tsr_status status = TSR_OK;
    tsr_matrix *x = NULL;
    void *values = NULL;
    int64_t count = 0;
    tsr__meaning is = {0};

    TSR_TRY(tsr__array_count(&count, array));
    TSR_TRY(tsr__array_understand(&is, array));
    const tsr_type type = array->element == TSR_ELEMENT_FLOAT32 ? TSR_FLOAT32 : TSR_FLOAT64;
    values = tsr__alloc(count, tsr__type_size(type));
    if (values == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    if (is.turned)
        turn(values, type, array, is.samples, is.features);
    else
        get_values(values, type, 0, 1, array, 0, count);
    TSR_TRY(tsr__matrix_take_dense(&x, values, is.samples, is.features, type));
    values = NULL;
    x->image = is.image;
    *out = x, x = NULL;
done:
    tsr__free(values);
    tsr_matrix_free(x);
    return status;
}

tsr_status tsr__array_take_matrix(tsr_matrix **out, tsr__array *array)
{
    tsr_status status = TSR_OK;
    int64_t count = 0;
    tsr__meaning is = {0};

    TSR_TRY(tsr__array_count(&count, array));
    TSR_TRY(tsr__array_understand(&is, array));
    const bool single = array->element == TSR_ELEMENT_FLOAT32;
    if ((single || array->element == TSR_ELEMENT_FLOAT64) && !array->swapped && !is.turned) {
        TSR_TRY(tsr__matrix_take_dense(out, array->data, is.samples, is.features,
                                       single ? TSR_FLOAT32 : TSR_FLOAT64));
        (*out)->image = is.image;
    } else {
        TSR_TRY(tsr__array_to_matrix(out, array));
        tsr__free(array->data);
    }
    array->data = NULL;
done:
    return status;
}

/* Writes element i with a final zero; `out` has room for item + 1 bytes, as a code point of
 * four bytes never needs more in UTF-8. */
static void get_text(char *out, const tsr__array *array, int64_t i)
{
    const char *in = (const char *)array->data + i * array->item;
    if (array->element == TSR_ELEMENT_BYTES) {
        memcpy(out, in, (size_t)array->item);
        out[array->item] = '\0';
        return;
    }
    for (int64_t at = 0; at + 4 <= array->item; at += 4) {
        uint32_t point;
        memcpy(&point, in + at, sizeof point);
        point = array->swapped ? __builtin_bswap32(point) : point;
        if (point == 0)
            break;
        out += tsr__utf8_put(out, point);
    }
    *out = '\0';
}

tsr_status tsr__array_to_names(tsr__names *out, const tsr__array *array)
{
    tsr_status status = TSR_OK;
    char *text = NULL;
    int64_t count = 0;

    TSR_TRY(tsr__array_count(&count, array));
    if (!tsr__element_is_text(array->element) || array->item < 1)
        TSR_FAIL(TSR_ERROR_DATA, "%s where texts are expected", elements[array->element].name);
    if (count == 0)
        goto done; /* an item may be announced to have any length then */
    TSR_NEW(text, array->item + 1);
    for (int64_t i = 0; i < count; i++) {
        get_text(text, array, i);
        TSR_TRY(tsr__names_add(out, text));
    }
done:
    tsr__free(text);
    return status;
}

tsr_status tsr__numbers_to_labels(tsr_labels **out, const double *number, int64_t count)
{
    const double exact = 9007199254740992.0; /* 2^53 */
    for (int64_t i = 0; i < count; i++)
        if (fabs(number[i]) >= exact)
            return tsr__fail(TSR_ERROR_DATA,
                             "label %.17g of sample %lld: numbers from 2^53 on are not exact; "
                             "use texts",
                             number[i], (long long)i);
    return tsr_labels_from_numbers(out, number, count);
}

tsr_status tsr__array_to_labels(tsr_labels **out, const tsr__array *array)
{
    tsr_status status = TSR_OK;
    double *number = NULL;
    tsr__names texts = {0};
    int64_t count = 0;
    const bool vector = array->rank == 1 ||
                        (array->rank == 2 && (array->shape[0] == 1 || array->shape[1] == 1));

    TSR_TRY(tsr__array_count(&count, array));
    if (!vector)
        TSR_FAIL(TSR_ERROR_DATA,
                 "labels are a vector, one a sample; this array has %d dimensions%s",
                 array->rank,
                 array->rank == 2 ? " (of one-hot rows keep the position of the 1)" : "");
    if (tsr__element_is_text(array->element)) {
        TSR_TRY(tsr__array_to_names(&texts, array));
        TSR_TRY(tsr_labels_from_texts(out, (const char *const *)texts.name, texts.count));
    } else if (array->element != TSR_ELEMENT_NONE) {
        TSR_NEW(number, count);
        tsr__array_get(number, 1, array, 0, count);
        TSR_TRY(tsr__numbers_to_labels(out, number, count));
    } else {
        TSR_FAIL(TSR_ERROR_DATA, "labels are neither numbers nor texts");
    }
done:
    tsr__names_clear(&texts);
    tsr__free(number);
    return status;
}
