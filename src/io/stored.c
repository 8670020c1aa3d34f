/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows from a file, as they are asked for: by pread where the elements of an array stand one after
 * another, through HDF5 where they do not. O(entries), and no more memory than they take.
 *
 * WHETHER THE FILE IS STILL THE SAME is looked at with every window: its size and its time, and of
 * each row a sum of some of its bits, which must be what it was when the row was read first (one
 * number in 64 of a row, its first and its last: eight bytes of memory a row). */
#include "io/stored.h"

#include "matrix/kernels.h"
#include "matrix/store.h"
#include "matrix/team.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct stored {
    char *path;
    int file;
    struct stat about;
    tsr__stretch values, columns;
    _Atomic(uint64_t) *sums; /* of each row; 0: it was not read yet */
} stored;

bool tsr__stays_stored(const tsr_read_options *options, double entries, tsr__element element,
                       bool sparse)
{
    const double each =
        (double)tsr__element_size(tsr__element_real(element)) + (sparse ? sizeof(int32_t) : 0);
    return tsr__team_shares(options->team) ||
           !tsr__memory_holds(options->memory, entries * each);
}

static void close_stored(void *held)
{
    stored *s = held;
    tsr__hdf5_close_parts(s->values.parts);
    tsr__hdf5_close_parts(s->columns.parts);
    if (s->file >= 0)
        (void)close(s->file);
    tsr__free(s->path);
    tsr__free((void *)s->sums);
    tsr__free(s);
}

/* Reading --------------------------------------------------------------------------------- */

static tsr_status changed(const char *how)
{
    return tsr__fail(TSR_ERROR_IO,
                     "the file %s while it was read: leave it alone until the work is done, "
                     "and begin again, with --resume where there is a checkpoint",
                     how);
}

static tsr_status check_file(const stored *s)
{
    struct stat now;
    if (fstat(s->file, &now) != 0)
        return tsr__fail(TSR_ERROR_IO, "cannot look at the file: %s", strerror(errno));
    if (now.st_size < s->about.st_size)
        return changed("became shorter");
    return now.st_size == s->about.st_size && now.st_mtim.tv_sec == s->about.st_mtim.tv_sec &&
                   now.st_mtim.tv_nsec == s->about.st_mtim.tv_nsec
               ? TSR_OK
               : changed("was written to");
}

static tsr_status read_bytes(const stored *s, void *out, int64_t offset, int64_t count)
{
    for (int64_t done = 0; done < count;) {
        const ssize_t got =
            pread(s->file, (char *)out + done, (size_t)(count - done), (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tsr__fail(TSR_ERROR_IO, "cannot read: %s", strerror(errno));
        if (got == 0)
            return changed("became shorter");
        done += got;
    }
    return TSR_OK;
}

/* Doubles to what was asked for. Columns that an int32_t does not hold become -1, which the check
 * of rows finds. */
static void put_numbers(void *out, tsr__element as, const double *from, int64_t count)
{
    if (as == TSR_ELEMENT_FLOAT64)
        memcpy(out, from, (size_t)count * sizeof *from);
    else if (as == TSR_ELEMENT_FLOAT32)
        tsr__kernels_of(TSR_FLOAT32)->narrow(out, from, count);
    for (int64_t i = 0; as == TSR_ELEMENT_INT32 && i < count; i++)
        ((int32_t *)out)[i] = from[i] >= 0 && from[i] <= INT32_MAX ? (int32_t)from[i] : -1;
}

static tsr_status convert(const stored *s, void *out, tsr__element as, const tsr__stretch *from,
                          int64_t first, int64_t count)
{
    tsr_status status = TSR_OK;
    const int64_t item = tsr__element_size(from->element);
    char *bytes = NULL;
    double *numbers = NULL;
    TSR_NEW(bytes, count * item);
    TSR_NEW(numbers, count);
    TSR_TRY(read_bytes(s, bytes, from->offset + first * item, count * item));
    tsr__array_get(numbers, 1,
                   &(tsr__array){.element = from->element,
                                 .swapped = from->swapped,
                                 .item = item,
                                 .rank = 1,
                                 .shape = {count},
                                 .data = bytes,
                                 .bytes = count * item},
                   0, count);
    put_numbers(out, as, numbers, count);
done:
    tsr__free(bytes);
    tsr__free(numbers);
    return status;
}

static tsr_status read_elements(const stored *s, void *out, tsr__element as,
                                const tsr__stretch *from, int64_t first, int64_t count)
{
    if (count == 0)
        return TSR_OK;
    if (from->parts != NULL)
        return tsr__hdf5_read_part(out, from->parts, as, first, count);
    const int64_t item = tsr__element_size(from->element);
    return from->element == as && !from->swapped
               ? read_bytes(s, out, from->offset + first * item, count * item)
               : convert(s, out, as, from, first, count);
}

/* Checks ---------------------------------------------------------------------------------- */

static tsr_status check_columns(const int32_t *columns, int64_t count, int64_t features,
                                int64_t sample)
{
    for (int64_t e = 0; e < count; e++) {
        if (columns[e] < 0 || columns[e] >= features)
            return tsr__fail(TSR_ERROR_DATA, "row %lld has a column beyond the %lld features",
                             (long long)sample, (long long)features);
        if (e > 0 && columns[e] <= columns[e - 1])
            return tsr__fail(TSR_ERROR_DATA,
                             "columns do not ascend in row %lld: rows are read as they stand "
                             "where data are larger than --memory; write the file anew",
                             (long long)sample);
    }
    return TSR_OK;
}

/* A number and where it stands, so that no two can change places. The products of a row do not wait
 * for each other. */
static uint64_t mix(uint64_t word, int64_t place)
{
    return (word ^ (uint64_t)place * 0xd1b54a32d192ed03u) * 0x9e3779b97f4a7c15u;
}

static uint64_t number_at(const void *values, int64_t e, size_t size)
{
    uint64_t wide;
    uint32_t narrow;
    if (size == sizeof wide) {
        memcpy(&wide, (const char *)values + (size_t)e * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)values + (size_t)e * sizeof narrow, sizeof narrow);
    return narrow;
}

static uint64_t sum_row(const char *values, const int32_t *columns, int64_t count, size_t size)
{
    enum { STEP = 64 };
    uint64_t sum = (uint64_t)count + 1;
    for (int64_t e = 0; e < count; e += STEP)
        sum += mix(number_at(values, e, size), e + 1);
    if (count > 0)
        sum += mix(number_at(values, count - 1, size), count);
    for (int64_t e = 0; columns != NULL && e < count; e += STEP)
        sum += mix((uint64_t)columns[e], -e - 1);
    return sum != 0 ? sum : 1;
}

/* False where the row was read before, and was another. What it was stays: whoever reads it again has
 * to find out, too. */
static bool is_same(_Atomic(uint64_t) *kept, uint64_t sum)
{
    uint64_t before = atomic_load_explicit(kept, memory_order_relaxed);
    return before == sum ||
           (before == 0 &&
            (atomic_compare_exchange_strong_explicit(kept, &before, sum, memory_order_relaxed,
                                                     memory_order_relaxed) ||
             before == sum));
}

static tsr_status check_rows(const stored *s, const tsr_matrix *x, int64_t first, int64_t count,
                             const void *values, const int32_t *columns)
{
    const size_t size = tsr__type_size(x->type);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = x->sparse ? x->rows[first + i] - x->rows[first] : i * x->features,
                      length =
                          x->sparse ? x->rows[first + i + 1] - x->rows[first + i] : x->features;
        const int32_t *own = columns != NULL ? columns + at : NULL;
        if (own != NULL)
            TSR_OR_RETURN(check_columns(own, length, x->features, first + i));
        const uint64_t sum =
            sum_row((const char *)values + (size_t)at * size, own, length, size);
        if (!is_same(&s->sums[first + i], sum))
            return changed("was written to");
    }
    return TSR_OK;
}

static tsr_status try_rows(const stored *s, const tsr_matrix *x, int64_t first, int64_t count,
                           void *values, int32_t *columns)
{
    const int64_t at = x->sparse ? x->rows[first] : first * x->features,
                  entries =
                      (x->sparse ? x->rows[first + count] : (first + count) * x->features) - at;
    const tsr__element as = x->type == TSR_FLOAT64 ? TSR_ELEMENT_FLOAT64 : TSR_ELEMENT_FLOAT32;
    TSR_OR_RETURN(check_file(s));
    TSR_OR_RETURN(read_elements(s, values, as, &s->values, at, entries));
    if (x->sparse)
        TSR_OR_RETURN(read_elements(s, columns, TSR_ELEMENT_INT32, &s->columns, at, entries));
    return check_rows(s, x, first, count, values, columns);
}

static tsr_status read_rows(void *held, const tsr_matrix *x, int64_t first, int64_t count,
                            void *values, int32_t *columns)
{
    const stored *s = held;
    const tsr_status status = try_rows(s, x, first, count, values, columns);
    return status < 0 ? tsr__fail_in(status, s->path) : status;
}

/* The last of the elements is in memory, and so are most likely those before it. */
static bool is_cached(const stored *s, const tsr__stretch *from, int64_t end)
{
    char byte;
    const struct iovec to = {&byte, 1};
    return from->parts == NULL &&
           preadv2(s->file, &to, 1,
                   (off_t)(from->offset + end * tsr__element_size(from->element) - 1),
                   RWF_NOWAIT) == 1;
}

static bool is_near(void *held, const tsr_matrix *x, int64_t first, int64_t count)
{
    const stored *s = held;
    const int64_t end = x->sparse ? x->rows[first + count] : (first + count) * x->features;
    return end == 0 ||
           (is_cached(s, &s->values, end) && (!x->sparse || is_cached(s, &s->columns, end)));
}

/* Making ---------------------------------------------------------------------------------- */

static tsr_status check_extent(const stored *s, const tsr__stretch *of, int64_t entries)
{
    int64_t bytes = 0;
    if (of->parts != NULL)
        return TSR_OK;
    if (!tsr__multiply(&bytes, entries, tsr__element_size(of->element)) ||
        of->offset > s->about.st_size || bytes > s->about.st_size - of->offset)
        return tsr__fail(TSR_ERROR_FORMAT,
                         "announces %lld numbers, and ends before them (%lld bytes)",
                         (long long)entries, (long long)s->about.st_size);
    return TSR_OK;
}

static tsr_status make(tsr_matrix **out, const char *path, const tsr__stretch *values,
                       const tsr__stretch *columns, int64_t *rows, int64_t samples,
                       int64_t features)
{
    tsr_status status = TSR_OK;
    stored *s = NULL;
    int64_t entries = rows != NULL ? rows[samples] : 0;
    const tsr_type type =
        tsr__element_real(values->element) == TSR_ELEMENT_FLOAT32 ? TSR_FLOAT32 : TSR_FLOAT64;
    TSR_NEW_ZERO(s, 1);
    s->file = -1;
    if (rows == NULL && !tsr__multiply(&entries, samples, features))
        TSR_FAIL(TSR_ERROR_FORMAT, "announces %lld x %lld numbers", (long long)samples,
                 (long long)features);
    TSR_NEW_TEXT(s->path, path);
    s->file = open(path, O_RDONLY | O_CLOEXEC);
    if (s->file < 0 || fstat(s->file, &s->about) != 0)
        TSR_FAIL(TSR_ERROR_IO, "%s", strerror(errno));
    TSR_TRY(check_extent(s, values, entries));
    if (columns != NULL)
        TSR_TRY(check_extent(s, columns, entries));
    s->sums = tsr__alloc_zero(samples, sizeof *s->sums);
    if (s->sums == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    const tsr__origin from = {
        .read = read_rows, .close = close_stored, .held = s, .slow = true, .near = is_near};
    TSR_TRY(tsr__matrix_stored(out, &from, samples, features, type, rows));
    s->values = *values;
    if (columns != NULL)
        s->columns = *columns;
    s = NULL;
done:
    if (s != NULL)
        close_stored(s);
    return status;
}

tsr_status tsr__stored_dense(tsr_matrix **out, const char *path, const tsr__stretch *values,
                             int64_t samples, int64_t features)
{
    return make(out, path, values, NULL, NULL, samples, features);
}

tsr_status tsr__stored_sparse(tsr_matrix **out, const char *path, const tsr__stretch *values,
                              const tsr__stretch *columns, int64_t *rows, int64_t samples,
                              int64_t features)
{
    TSR_OR_RETURN(tsr__check_pointers(rows, samples));
    return make(out, path, values, columns, rows, samples, features);
}
