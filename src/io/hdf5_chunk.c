/* SPDX-License-Identifier: BSD-2-Clause
 *
 * HDF5: what is stored, before HDF5 reads it. A dataset in chunks is unpacked chunk by chunk, and
 * HDF5 1.10 does not look whether a chunk unpacks to as many bytes as its shape takes before it reads
 * so many. So each is unpacked here once before, through a buffer of fixed size, and counted:
 * O(unpacked bytes).
 *
 * A text of variable length is stored as a length and where it stands. HDF5 makes and clears room for
 * that length, up to 4 GB, before it looks there. No text is longer than its file, so the lengths are
 * read here before, from the bytes that are stored. */
#include "io/hdf5_file.h"
#include "io/unpack.h"

#include <string.h>
#include <unistd.h>

enum { SCRATCH = 1 << 15, CHUNKS_FREE = 1 << 20, CHUNK_LEAST = 16, WORD = 4 };

size_t tsr__hdf5_stored_size(const tsr__hdf5 *file, hid_t type)
{
    size_t address = 8, length;
    if (H5Tis_variable_str(type) <= 0)
        return H5Tget_size(type);
    const hid_t made = H5Fget_create_plist(file->id);
    (void)H5Pget_sizes(made, &address, &length);
    (void)H5Pclose(made);
    return WORD + address + WORD;
}

static tsr_status check_length(const tsr__hdf5 *file, const unsigned char word[WORD])
{
    const uint32_t length = (uint32_t)word[0] | (uint32_t)word[1] << 8 |
                            (uint32_t)word[2] << 16 | (uint32_t)word[3] << 24;
    if ((int64_t)length > file->bound.size)
        return tsr__fail(TSR_ERROR_FORMAT, "a text of %u bytes is announced in a file of %lld",
                         length, (long long)file->bound.size);
    return TSR_OK;
}

/* The chunks of a dataset: their shape, how many there are along each dimension, and the filters. */
typedef struct grid {
    int rank;
    hsize_t chunk[H5S_MAX_RANK], along[H5S_MAX_RANK];
    double count, bytes; /* chunks; of a chunk, unpacked */
    int deflate;         /* place among the filters, -1: it is none */
    int shuffle;         /* likewise */
    size_t unit;         /*   and what it takes for an element */
    size_t text; /* bytes that a text of variable length is stored in; 0: other elements */
} grid;

static void find_filters(grid *g, hid_t made)
{
    for (int i = 0; i < H5Pget_nfilters(made); i++) {
        unsigned flags, how, value[8] = {1};
        size_t values = 8;
        const H5Z_filter_t id =
            H5Pget_filter2(made, (unsigned)i, &flags, &values, value, 0, NULL, &how);
        if (id == H5Z_FILTER_DEFLATE)
            g->deflate = i;
        if (id == H5Z_FILTER_SHUFFLE)
            g->shuffle = i, g->unit = value[0];
    }
}

static tsr_status lay_out(grid *out, const tsr__hdf5 *file, hid_t dataset, hid_t made)
{
    hsize_t shape[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    grid g = {.count = 1, .deflate = -1, .shuffle = -1};
    g.rank = H5Pget_chunk(made, H5S_MAX_RANK, g.chunk);
    const int rank = space >= 0 ? H5Sget_simple_extent_dims(space, shape, NULL) : -1;
    g.bytes = type >= 0 ? (double)tsr__hdf5_stored_size(file, type) : 0;
    g.text = type >= 0 && H5Tis_variable_str(type) > 0 ? tsr__hdf5_stored_size(file, type) : 0;
    if (space >= 0)
        (void)H5Sclose(space);
    if (type >= 0)
        (void)H5Tclose(type);
    if (g.rank < 1 || rank != g.rank || !(g.bytes > 0))
        return tsr__fail(TSR_ERROR_FORMAT, "its chunks are damaged");
    for (int i = 0; i < rank; i++) {
        if (g.chunk[i] == 0)
            return tsr__fail(TSR_ERROR_FORMAT, "its chunks are damaged");
        g.along[i] = shape[i] / g.chunk[i] + (shape[i] % g.chunk[i] != 0);
        g.count *= (double)g.along[i];
        g.bytes *= (double)g.chunk[i];
    }
    find_filters(&g, made);
    *out = g;
    return TSR_OK;
}

/* Bytes that zlib makes of a stream that is whole; -1 where it is not. The first `room` of them go to
 * `out` (or NULL). */
static double unpack(unsigned char *out, size_t room, z_stream *stream,
                     const unsigned char *packed, size_t size)
{
    unsigned char scratch[SCRATCH];
    double bytes = 0;
    int result = size <= UINT32_MAX ? inflateReset(stream) : Z_DATA_ERROR;
    stream->next_in = (Bytef *)(uintptr_t)packed;
    stream->avail_in = (uInt)size;
    while (result == Z_OK) {
        stream->next_out = scratch;
        stream->avail_out = SCRATCH;
        result = inflate(stream, Z_NO_FLUSH);
        const size_t got = SCRATCH - stream->avail_out;
        const size_t kept = got < room ? got : room;
        if (out != NULL && kept > 0)
            memcpy(out, scratch, kept), out += kept, room -= kept;
        bytes += (double)got;
    }
    return result == Z_STREAM_END ? bytes : -1;
}

/* The lengths of texts in an unpacked chunk, of which shuffle may have put the first bytes of all
 * elements first, then the second ones. */
static tsr_status check_texts(const tsr__hdf5 *file, const grid *g, const unsigned char *chunk,
                              bool shuffled)
{
    const size_t size = (size_t)g->bytes, unit = shuffled && g->unit > 1 ? g->unit : 1;
    const size_t each = size / unit; /* what does not fill an element stays behind */
    unsigned char word[WORD];
    for (size_t first = 0; first + g->text <= size; first += g->text) {
        for (size_t at = first; at < first + WORD; at++)
            word[at - first] =
                at < each * unit ? chunk[at % unit * each + at / unit] : chunk[at];
        const tsr_status status = check_length(file, word);
        if (status < 0)
            return status;
    }
    return TSR_OK;
}

/* The chunk whose first element is at `at`; a chunk that was never written is fill values. */
static tsr_status check_chunk(const tsr__hdf5 *file, hid_t dataset, const grid *g,
                              const hsize_t *at, z_stream *stream)
{
    tsr_status status = TSR_OK;
    unsigned mask = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t size = 0;
    unsigned char *packed = NULL, *plain = NULL;
    if (H5Dget_chunk_info_by_coord(dataset, at, &mask, &address, &size) < 0)
        TSR_FAIL(TSR_ERROR_FORMAT, "its chunks are damaged");
    if (address == HADDR_UNDEF || size == 0)
        goto done;
    if (size > (hsize_t)file->bound.size)
        TSR_FAIL(TSR_ERROR_FORMAT, "a chunk of %llu bytes is cut off",
                 (unsigned long long)size);
    double bytes = (double)size;
    const bool deflated = g->deflate >= 0 && (mask >> g->deflate & 1) == 0;
    if (deflated || g->text > 0) {
        TSR_NEW(packed, (int64_t)size);
        if (H5Dread_chunk(dataset, H5P_DEFAULT, at, &mask, packed) < 0)
            TSR_FAIL(TSR_ERROR_FORMAT, "a chunk of it cannot be read");
    }
    if (deflated && g->text > 0)
        TSR_NEW(plain, (int64_t)g->bytes);
    if (deflated)
        bytes = unpack(plain, plain != NULL ? (size_t)g->bytes : 0, stream, packed, size);
    if (bytes < g->bytes)
        TSR_FAIL(TSR_ERROR_FORMAT,
                 "a chunk of it is damaged: it unpacks to less than its shape "
                 "takes");
    if (g->text > 0 && bytes > g->bytes)
        TSR_FAIL(TSR_ERROR_FORMAT, "a chunk of it is damaged: it unpacks to more");
    if (g->text > 0)
        TSR_TRY(check_texts(file, g, plain != NULL ? plain : packed,
                            g->shuffle >= 0 && (mask >> g->shuffle & 1) == 0));
done:
    tsr__free(packed);
    tsr__free(plain);
    return status;
}

/* All chunks, the last dimension fastest. */
static tsr_status walk(const tsr__hdf5 *file, hid_t dataset, const grid *g)
{
    tsr_status status = TSR_OK;
    z_stream stream = {0};
    hsize_t place[H5S_MAX_RANK] = {0}, at[H5S_MAX_RANK];
    TSR_TRY(tsr__unpack_begin(&stream));
    for (int turned = 0; g->count > 0 && turned >= 0;) {
        for (int i = 0; i < g->rank; i++)
            at[i] = place[i] * g->chunk[i];
        TSR_TRY(check_chunk(file, dataset, g, at, &stream));
        for (turned = g->rank - 1; turned >= 0 && ++place[turned] == g->along[turned]; turned--)
            place[turned] = 0;
    }
done:
    (void)inflateEnd(&stream);
    return status;
}

/* Texts in one piece, read from the file itself. Those within the head of an object cannot be got at,
 * and nobody is known to put them there. */
static tsr_status check_piece(const tsr__hdf5 *file, hid_t dataset, hid_t made, int64_t count)
{
    tsr_status status = TSR_OK;
    unsigned char *bytes = NULL;
    void *handle = NULL;
    const hid_t type = H5Dget_type(dataset);
    const size_t item = type >= 0 ? tsr__hdf5_stored_size(file, type) : 0;
    const haddr_t at = H5Dget_offset(dataset);
    const bool texts = type >= 0 && H5Tis_variable_str(type) > 0;
    if (!texts)
        goto done;
    if (H5Pget_layout(made) != H5D_CONTIGUOUS)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED,
                 "texts of variable length within the head of an object are not read");
    if (at == HADDR_UNDEF || count == 0)
        goto done;
    bytes = tsr__alloc(count, item);
    if (bytes == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    const ssize_t size = (ssize_t)count * (ssize_t)item;
    if (H5Fget_vfd_handle(file->id, H5P_DEFAULT, &handle) < 0 ||
        pread(*(const int *)handle, bytes, (size_t)size, (off_t)at) != size)
        TSR_FAIL(TSR_ERROR_FORMAT, "is cut off");
    for (int64_t i = 0; i < count; i++)
        TSR_TRY(check_length(file, bytes + (size_t)i * item));
done:
    if (type >= 0)
        (void)H5Tclose(type);
    tsr__free(bytes);
    return status;
}

tsr_status tsr__hdf5_check_stored(const tsr__hdf5 *file, hid_t dataset, int64_t count,
                                  const char *name)
{
    tsr_status status = TSR_OK;
    grid g = {.deflate = -1, .shuffle = -1};
    const hid_t made = H5Dget_create_plist(dataset);
    if (made < 0)
        TSR_FAIL(TSR_ERROR_FORMAT, "is damaged");
    if (H5Pget_layout(made) != H5D_CHUNKED) {
        TSR_TRY(check_piece(file, dataset, made, count));
        goto done;
    }
    TSR_TRY(lay_out(&g, file, dataset, made));
    if (g.count > CHUNKS_FREE + (double)file->bound.size / CHUNK_LEAST)
        TSR_FAIL(TSR_ERROR_FORMAT, "%.0f chunks are announced in a file of %lld bytes", g.count,
                 (long long)file->bound.size);
    TSR_TRY(walk(file, dataset, &g));
done:
    if (made >= 0)
        (void)H5Pclose(made);
    return status < 0 ? tsr__fail_in(status, name) : status;
}
