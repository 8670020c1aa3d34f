/* SPDX-License-Identifier: BSD-2-Clause
 *
 * HDF5: datasets that are read in parts.
 *
 * CHUNKS. A part of a packed chunk costs the whole of it, so HDF5 keeps what it unpacked: rows of
 * chunks, as many as there are places at which the dataset is read at once, of which those that were
 * read to their end go first. Each chunk is then unpacked once a pass. With less room every part would
 * unpack its chunks anew, dozens of times a pass, so then the dataset is refused. Chunks that are not
 * packed are read like the file itself where there is no room for them.
 *
 * THREADS. HDF5 has one lock, and only where it was built with one. Around it is one of our own,
 * for forks: they wait until nobody reads here, as in a child HDF5's lock would stay taken for ever.
 * HDF5 prints errors as each thread wants it, so every part asks for silence. */
#include "io/hdf5_file.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { RANK = 4 }; /* that tsr__hdf5_describe knows */

struct tsr__hdf5_parts {
    char *name;
    hid_t file, id, space; /* of its own: the file stays open with it */
    hsize_t shape[RANK];
    int64_t row; /* elements */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t minded = PTHREAD_ONCE_INIT;

static void lock(void)
{
    (void)pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

static void mind_forks(void)
{
    (void)pthread_atfork(lock, unlock, unlock);
}

static tsr_status check_threads(const char *name)
{
    hbool_t safe = false;
    return H5is_library_threadsafe(&safe) >= 0 && safe
               ? TSR_OK
               : tsr__fail(TSR_ERROR_UNSUPPORTED,
                           "%s is not in one piece, and this HDF5, built without threads, does "
                           "not read it in blocks: raise --memory, or make an .h5 in one piece "
                           "of it with tessera convert, without --memory",
                           name);
}

/* The chunks of a dataset. */
typedef struct chunks {
    double row;       /* bytes of a row of them, unpacked; 0: there are none */
    double down, all; /* rows of chunks, and chunks */
    bool packed;
} chunks;

static tsr_status find_chunks(chunks *out, hid_t dataset, const tsr__variable *about)
{
    hsize_t chunk[H5S_MAX_RANK];
    const hid_t made = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
    chunks c = {.row = type >= 0 ? (double)H5Tget_size(type) : 0};
    const int rank = made >= 0 && H5Pget_layout(made) == H5D_CHUNKED
                         ? H5Pget_chunk(made, H5S_MAX_RANK, chunk)
                         : 0;
    for (int i = 0; i < rank; i++) {
        const double along = ceil((double)about->shape[i] / (double)chunk[i]);
        c.row *= (double)chunk[i] * (i > 0 ? along : 1);
        c.all = i > 0 ? c.all * along : along;
        c.down = i > 0 ? c.down : along;
    }
    c.packed = made >= 0 && H5Pget_nfilters(made) > 0;
    c.row = rank > 0 ? c.row : 0;
    const bool failed = made < 0 || type < 0 || (rank != 0 && rank != about->rank);
    if (type >= 0)
        (void)H5Tclose(type);
    if (made >= 0)
        (void)H5Pclose(made);
    *out = c;
    return failed ? tsr__hdf5_failed(TSR_ERROR_FORMAT, "look at", about->name) : TSR_OK;
}

/* Room for chunks: rows at all places. Two chunks of one slot drive each other out. There are as many
 * slots as keep all chunks apart, or as take an eighth of the room. 0.75 is HDF5's own: it looks for
 * chunks that were read to their end among so many, and at 1 would then take none of the others. */
static tsr_status set_room(hid_t access, const chunks *c, const char *name, int64_t places,
                           int64_t room)
{
    const double rows = fmin((double)places, c->down), bytes = rows * c->row;
    if (bytes > (double)room && c->packed)
        return tsr__fail(
            TSR_ERROR_MEMORY,
            "%s is packed in chunks, and what is unpacked at once, %.0f row%s of them, takes "
            "%.4g MB, of which --memory allows %.4g MB: raise it, take fewer --threads, or "
            "write the file anew, in one piece (tessera convert without --memory) or in "
            "smaller chunks (h5repack -l CHUNK=..)",
            name, rows, rows > 1 ? "s" : "", bytes / 1e6, (double)room / 1e6);
    const double kept = bytes <= (double)room ? bytes : 0,
                 slots = fmin(4 * c->all, kept / (8 * sizeof(void *)));
    return H5Pset_chunk_cache(access, (size_t)slots | 1, (size_t)kept, 0.75) >= 0
               ? TSR_OK
               : tsr__hdf5_failed(TSR_ERROR_MEMORY, "make room for", name);
}

/* Once to see its chunks, and again with room for them. */
static tsr_status open_dataset(hid_t *out, const tsr__hdf5 *file, const tsr__variable *about,
                               int64_t places, int64_t room)
{
    tsr_status status = TSR_OK;
    chunks c;
    const hid_t access = H5Pcopy(file->dataset_access);
    hid_t id = H5Dopen2(file->id, about->name, access);
    if (access < 0 || id < 0)
        TSR_TRY(tsr__hdf5_failed(TSR_ERROR_FORMAT, "open", about->name));
    TSR_TRY(find_chunks(&c, id, about));
    if (c.row > 0)
        TSR_TRY(set_room(access, &c, about->name, places, room));
    (void)H5Dclose(id);
    id = H5Dopen2(file->id, about->name, access);
    if (id < 0)
        TSR_TRY(tsr__hdf5_failed(TSR_ERROR_FORMAT, "open", about->name));
    *out = id, id = -1;
done:
    if (id >= 0)
        (void)H5Dclose(id);
    if (access >= 0)
        (void)H5Pclose(access);
    return status;
}

tsr_status tsr__hdf5_open_parts(tsr__hdf5_parts **out, const tsr__hdf5 *file, const char *name,
                                int64_t places, int64_t room)
{
    tsr_status status = TSR_OK;
    tsr__hdf5_parts *p = NULL;
    tsr__variable about;
    int64_t count = 0;
    (void)pthread_once(&minded, mind_forks);
    TSR_TRY(check_threads(name));
    TSR_TRY(tsr__hdf5_describe(&about, file, name));
    if (about.element == TSR_ELEMENT_NONE || about.element == TSR_ELEMENT_BYTES)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "%s does not hold real numbers", name);
    TSR_NEW(p, 1);
    *p = (tsr__hdf5_parts){.file = -1, .id = -1, .space = -1, .row = 1};
    TSR_NEW_TEXT(p->name, name);
    for (int i = 0; i < about.rank; i++) {
        p->shape[i] = (hsize_t)about.shape[i];
        if (i > 0 && !tsr__multiply(&p->row, p->row, about.shape[i]))
            TSR_FAIL(TSR_ERROR_FORMAT, "%s announces rows that nothing holds", name);
    }
    TSR_TRY(open_dataset(&p->id, file, &about, places, room));
    TSR_TRY(tsr__hdf5_count(&count, file, p->id, name,
                            (size_t)tsr__element_size(tsr__element_real(about.element))));
    p->space = H5Dget_space(p->id);
    p->file = H5Iget_file_id(p->id);
    if (p->space < 0 || p->file < 0)
        TSR_TRY(tsr__hdf5_failed(TSR_ERROR_FORMAT, "open", name));
    *out = p, p = NULL;
done:
    tsr__hdf5_close_parts(p);
    return status;
}

static tsr_status read_rows(void *out, const tsr__hdf5_parts *p, tsr__element as, int64_t first,
                            int64_t count)
{
    hsize_t start[RANK] = {(hsize_t)(first / p->row)}, size[RANK];
    memcpy(size, p->shape, sizeof size);
    size[0] = (hsize_t)(count / p->row);
    const hid_t memory = H5Screate_simple(1, &(hsize_t){(hsize_t)count}, NULL);
    const bool read =
        memory >= 0 &&
        H5Sselect_hyperslab(p->space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
        H5Dread(p->id, tsr__hdf5_native(as), memory, p->space, H5P_DEFAULT, out) >= 0;
    const tsr_status status =
        read ? TSR_OK : tsr__hdf5_failed(TSR_ERROR_FORMAT, "read", p->name);
    if (memory >= 0)
        (void)H5Sclose(memory);
    return status;
}

tsr_status tsr__hdf5_read_part(void *out, const tsr__hdf5_parts *parts, tsr__element as,
                               int64_t first, int64_t count)
{
    H5E_auto2_t report = NULL;
    void *to = NULL;
    lock();
    (void)H5Eget_auto2(H5E_DEFAULT, &report, &to);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const tsr_status status = read_rows(out, parts, as, first, count);
    (void)H5Eset_auto2(H5E_DEFAULT, report, to);
    unlock();
    return status;
}

void tsr__hdf5_close_parts(tsr__hdf5_parts *parts)
{
    if (parts == NULL)
        return;
    lock();
    if (parts->space >= 0)
        (void)H5Sclose(parts->space);
    if (parts->id >= 0)
        (void)H5Dclose(parts->id);
    if (parts->file >= 0)
        (void)H5Fclose(parts->file);
    unlock();
    tsr__free(parts->name);
    tsr__free(parts);
}
