/* SPDX-License-Identifier: BSD-2-Clause
 *
 * HDF5: chunks. A dataset in chunks is unpacked chunk by chunk, and HDF5 1.10 does not look whether
 * a chunk unpacks to as many bytes as its shape takes before it reads so many. So each is unpacked
 * here once before, through a buffer of fixed size, and counted: O(unpacked bytes). */
#include "io/hdf5_file.h"
#include "io/unpack.h"

enum { SCRATCH = 1 << 15, CHUNKS_FREE = 1 << 20, CHUNK_LEAST = 16 };

/* The chunks of a dataset: their shape, how many there are along each dimension, and the filters. */
typedef struct grid {
    int rank;
    hsize_t chunk[H5S_MAX_RANK], along[H5S_MAX_RANK];
    double count, bytes; /* chunks; of a chunk, unpacked */
    int deflate;         /* place among the filters, -1: it is none */
} grid;

static tsr_status lay_out(grid *out, hid_t dataset, hid_t made)
{
    hsize_t shape[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    grid g = {.count = 1, .deflate = -1};
    g.rank = H5Pget_chunk(made, H5S_MAX_RANK, g.chunk);
    const int rank = space >= 0 ? H5Sget_simple_extent_dims(space, shape, NULL) : -1;
    g.bytes = type >= 0 ? (double)H5Tget_size(type) : 0;
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
    for (int i = 0; i < H5Pget_nfilters(made); i++) {
        unsigned flags, how;
        size_t values = 0;
        if (H5Pget_filter2(made, (unsigned)i, &flags, &values, NULL, 0, NULL, &how) ==
            H5Z_FILTER_DEFLATE)
            g.deflate = i;
    }
    *out = g;
    return TSR_OK;
}

/* Bytes that zlib makes of a stream that is whole; -1 where it is not. */
static double unpack(z_stream *stream, const unsigned char *packed, size_t size)
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
        bytes += SCRATCH - (double)stream->avail_out;
    }
    return result == Z_STREAM_END ? bytes : -1;
}

/* The chunk whose first element is at `at`; a chunk that was never written is fill values. */
static tsr_status check_chunk(const tsr__hdf5 *file, hid_t dataset, const grid *g,
                              const hsize_t *at, z_stream *stream)
{
    tsr_status status = TSR_OK;
    unsigned mask = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t size = 0;
    unsigned char *packed = NULL;
    if (H5Dget_chunk_info_by_coord(dataset, at, &mask, &address, &size) < 0)
        TSR_FAIL(TSR_ERROR_FORMAT, "its chunks are damaged");
    if (address == HADDR_UNDEF || size == 0)
        goto done;
    if (size > (hsize_t)file->bound.size)
        TSR_FAIL(TSR_ERROR_FORMAT, "a chunk of %llu bytes is cut off",
                 (unsigned long long)size);
    double bytes = (double)size;
    if (g->deflate >= 0 && (mask >> g->deflate & 1) == 0) {
        TSR_NEW(packed, (int64_t)size);
        if (H5Dread_chunk(dataset, H5P_DEFAULT, at, &mask, packed) < 0)
            TSR_FAIL(TSR_ERROR_FORMAT, "a chunk of it cannot be read");
        bytes = unpack(stream, packed, size);
    }
    if (bytes < g->bytes)
        TSR_FAIL(TSR_ERROR_FORMAT,
                 "a chunk of it is damaged: it unpacks to less than its shape "
                 "takes");
done:
    tsr__free(packed);
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

tsr_status tsr__hdf5_check_chunks(const tsr__hdf5 *file, hid_t dataset, const char *name)
{
    tsr_status status = TSR_OK;
    grid g = {.deflate = -1};
    const hid_t made = H5Dget_create_plist(dataset);
    if (made < 0 || H5Pget_layout(made) != H5D_CHUNKED)
        goto done;
    TSR_TRY(lay_out(&g, dataset, made));
    if (g.count > CHUNKS_FREE + (double)file->bound.size / CHUNK_LEAST)
        TSR_FAIL(TSR_ERROR_FORMAT, "%.0f chunks are announced in a file of %lld bytes", g.count,
                 (long long)file->bound.size);
    TSR_TRY(walk(file, dataset, &g));
done:
    if (made >= 0)
        (void)H5Pclose(made);
    return status < 0 ? tsr__fail_in(status, name) : status;
}
