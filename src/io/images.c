/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading a folder of pictures: one sample a picture, in natural order of the names. The first
 * folder on the way to a picture is its class; pictures outside of folders have none.
 *
 * Pictures are decoded in parallel, a chunk at a time; what a chunk gave is then judged and
 * stored in order, so that neither the result nor the failure depends on the number of threads.
 * Memory besides the result: one chunk of pictures of the final size, and one of the original
 * size a thread. */
#include "base/progress.h"
#include "base/text.h"
#include "image/image.h"
#include "io/file.h"
#include "io/format.h"
#include "matrix/parallel.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK = 64, DEPTH = 16 };

/* folder/name; just name where folder is empty. */
static char *join(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = tsr__alloc((int64_t)size, 1);
    if (path != NULL)
        (void)snprintf(path, size, "%s%s%s", folder, *folder != '\0' ? "/" : "", name);
    return path;
}

/* True for failures that concern one picture and not the machine. */
static bool can_skip(const tsr__request *request, tsr_status status)
{
    return request->options->skip_bad && status != TSR_ERROR_MEMORY;
}

static tsr_status add_note(tsr_data *out, const char *name, const char *reason)
{
    char text[TSR_MESSAGE_SIZE];
    tsr__line line = TSR_LINE(text);
    tsr__line_add(&line, "left out %s: %s", name, reason);
    return tsr__names_add(&out->notes, text);
}

/* Finding the pictures ----------------------------------------------------------------------
 */

typedef struct folder_id {
    dev_t device;
    ino_t number;
} folder_id;

typedef struct walk {
    const tsr__request *request;
    tsr_data *out;    /* for notes */
    tsr__names files; /* relative to the folder */
    folder_id *seen;  /* links can lead to a folder again, even in circles */
    int64_t seen_count, seen_room;
} walk;

static int by_name(const void *a, const void *b)
{
    return tsr__compare_natural(*(char *const *)a, *(char *const *)b);
}

/* The names in a folder but for hidden ones, sorted. */
static tsr_status list(tsr__names *out, const char *path)
{
    tsr_status status = TSR_OK;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return tsr__fail(TSR_ERROR_IO, "cannot list the folder: %s", strerror(errno));
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (entry == NULL)
            break;
        if (entry->d_name[0] != '.')
            TSR_TRY(tsr__names_add(out, entry->d_name));
    }
    if (errno != 0)
        TSR_FAIL(TSR_ERROR_IO, "cannot list the folder: %s", strerror(errno));
    if (out->count > 0)
        qsort(out->name, (size_t)out->count, sizeof *out->name, by_name);
done:
    (void)closedir(folder);
    return status;
}

/* True the first time that a folder is come by. */
static tsr_status enter(bool *first, walk *w, const struct stat *about)
{
    tsr_status status = TSR_OK;
    *first = true;
    for (int64_t i = 0; i < w->seen_count; i++)
        if (w->seen[i].number == about->st_ino && w->seen[i].device == about->st_dev)
            *first = false;
    if (*first) {
        TSR_GROW(w->seen, w->seen_count, w->seen_room);
        w->seen[w->seen_count++] = (folder_id){about->st_dev, about->st_ino};
    }
done:
    return status;
}

typedef enum kind { OTHER, PICTURE, FOLDER } kind;

/* What a name stands for; a folder only the first time. */
static tsr_status look_at(kind *out, walk *w, const char *relative)
{
    tsr_status status = TSR_OK;
    struct stat about;
    bool first = true;
    char *path = join(w->request->path, relative);
    if (path == NULL)
        return TSR_ERROR_MEMORY;
    *out = OTHER;
    const bool missing = stat(path, &about) != 0; /* opening it will tell why */
    if (!missing && S_ISDIR(about.st_mode)) {
        TSR_TRY(enter(&first, w, &about));
        if (first)
            *out = FOLDER;
        else
            TSR_TRY(add_note(w->out, relative, "a link to a folder that is read already"));
    } else if ((missing || S_ISREG(about.st_mode)) && tsr__image_is_name(relative)) {
        *out = PICTURE;
    }
done:
    tsr__free(path);
    return status;
}

/* The names in a folder; none, and a note, where it cannot be listed and may be left out. */
static tsr_status open_folder(tsr__names *out, walk *w, const char *relative)
{
    tsr_status status = TSR_OK;
    char *path = join(w->request->path, relative);
    if (path == NULL)
        return TSR_ERROR_MEMORY;
    TSR_TRY(list(out, path));
done:
    tsr__free(path);
    if (status == TSR_OK || *relative == '\0')
        return status;
    if (can_skip(w->request, status))
        return add_note(w->out, relative, tsr_message());
    return tsr__fail_in(status, relative);
}

/* Folders within folders, the depth of which is limited. */
static tsr_status walk_folder(walk *w, const char *relative, int depth)
{
    tsr_status status = TSR_OK;
    tsr__names names = {NULL, 0, 0};
    char *child = NULL;
    if (depth > DEPTH)
        TSR_FAIL(TSR_ERROR_DATA, "%s: folders are nested more than %d deep", relative, DEPTH);
    TSR_TRY(open_folder(&names, w, relative));
    for (int64_t i = 0; i < names.count; i++) {
        kind what = OTHER;
        child = join(relative, names.name[i]);
        if (child == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
        TSR_TRY(look_at(&what, w, child));
        if (what == PICTURE)
            TSR_TRY(tsr__names_add(&w->files, child));
        if (what == FOLDER)
            TSR_TRY(walk_folder(w, child, depth + 1));
        tsr__free(child);
        child = NULL;
    }
done:
    tsr__free(child);
    tsr__names_clear(&names);
    return status;
}

/* Names of the pictures in request->path, relative to it, into w->files. */
static tsr_status find_pictures(walk *w)
{
    tsr_status status = TSR_OK;
    struct stat about;
    bool first = true;
    if (stat(w->request->path, &about) != 0)
        TSR_FAIL(TSR_ERROR_IO, "cannot open: %s", strerror(errno));
    TSR_TRY(enter(&first, w, &about));
    TSR_TRY(walk_folder(w, "", 0));
    if (w->files.count == 0)
        TSR_FAIL(TSR_ERROR_DATA, "holds no images (.png .jpg .jpeg .pgm .ppm .pnm)");
done:
    return status;
}

/* Classes are the first folders of the names; none at all: NULL. */
static tsr_status make_labels(tsr_labels **out, const tsr__names *files)
{
    tsr_status status = TSR_OK;
    tsr__names classes = {NULL, 0, 0};
    int32_t *of = NULL;
    char *name = NULL;
    TSR_NEW(of, files->count);
    for (int64_t i = 0; i < files->count; i++) {
        const char *slash = strchr(files->name[i], '/');
        of[i] = -1;
        if (slash == NULL)
            continue;
        name = tsr__copy_bytes_as_text(files->name[i], (size_t)(slash - files->name[i]));
        if (name == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
        /* The pictures of a class follow each other. */
        if (classes.count == 0 || strcmp(classes.name[classes.count - 1], name) != 0)
            TSR_TRY(tsr__names_add(&classes, name));
        tsr__free(name);
        name = NULL;
        of[i] = (int32_t)(classes.count - 1);
    }
    if (classes.count > 0)
        TSR_TRY(tsr__labels_from_names(out, of, files->count, (const char *const *)classes.name,
                                       (int32_t)classes.count));
done:
    tsr__free(name);
    tsr__free(of);
    tsr__names_clear(&classes);
    return status;
}

/* Decoding them -----------------------------------------------------------------------------
 */

typedef struct slot {
    tsr__image image;
    tsr_status status;
    char reason[512];
} slot;

typedef struct stack {
    const tsr__request *request;
    const tsr__names *files;
    tsr_data *out;
    int64_t width, height; /* of every picture; 0: the first decides */
    double *values;        /* files->count x (height x width) */
    slot slots[CHUNK];
    int64_t first; /* file of slots[0] */
} stack;

static tsr_status load(tsr__image *out, const stack *s, const char *name)
{
    tsr_status status = TSR_OK;
    const int64_t *size = s->request->options->size;
    tsr__input input = {NULL, 0, false};
    tsr__image image = {0, 0, NULL};
    char *path = join(s->request->path, name);
    if (path == NULL)
        return TSR_ERROR_MEMORY;
    TSR_TRY(tsr__input_open(&input, path));
    TSR_TRY(tsr__image_decode(&image, input.bytes, input.size));
    if (size[0] > 0) {
        TSR_TRY(tsr__image_resize(out, &image, size[0], size[1]));
    } else {
        if (s->width > 0 && (image.width != s->width || image.height != s->height)) {
            tsr__free(
                image.grey); /* the size is enough to tell of; a chunk of these may be much */
            image.grey = NULL;
        }
        *out = image;
        image.grey = NULL;
    }
done:
    tsr__image_free(&image);
    tsr__input_close(&input);
    tsr__free(path);
    return status;
}

static void load_slot(void *context, int64_t item, int thread)
{
    stack *s = context;
    slot *at = &s->slots[item];
    (void)thread;
    at->status = load(&at->image, s, s->files->name[s->first + item]);
    if (at->status < 0)
        (void)snprintf(at->reason, sizeof at->reason, "%s", tsr_message());
}

static tsr_status start_values(stack *s, const tsr__image *image)
{
    tsr_status status = TSR_OK;
    int64_t count = 0;
    s->width = image->width;
    s->height = image->height;
    if (!tsr__multiply(&count, s->width * s->height, s->files->count))
        TSR_FAIL(TSR_ERROR_MEMORY, "%lld images of %lld x %lld pixels are too many",
                 (long long)s->files->count, (long long)s->width, (long long)s->height);
    TSR_NEW(s->values, count);
done:
    return status;
}

/* Appends a picture to the samples. */
static tsr_status store(stack *s, const tsr__image *image, const char *name)
{
    tsr_status status = TSR_OK;
    const int64_t rows = s->out->sample_names.count;
    if (s->values == NULL)
        TSR_TRY(start_values(s, image));
    if (image->width != s->width || image->height != s->height)
        TSR_FAIL(TSR_ERROR_DATA,
                 "%s has %lld x %lld pixels but %s has %lld x %lld: resize all with --size WxH",
                 name, (long long)image->width, (long long)image->height,
                 s->out->sample_names.name[0], (long long)s->width, (long long)s->height);
    const int64_t pixels = s->width * s->height;
    for (int64_t i = 0; i < pixels; i++)
        s->values[rows * pixels + i] = (double)image->grey[i];
    TSR_TRY(tsr__names_add(&s->out->sample_names, name));
done:
    return status;
}

static tsr_status judge(stack *s, int64_t item)
{
    const slot *at = &s->slots[item];
    const char *name = s->files->name[s->first + item];
    if (at->status == TSR_OK)
        return store(s, &at->image, name);
    if (can_skip(s->request, at->status))
        return add_note(s->out, name, at->reason);
    return tsr__fail(at->status, "%s: %s", name, at->reason);
}

/* Files s->first .. s->first+count-1. */
static tsr_status read_chunk(stack *s, int64_t count)
{
    tsr_status status = TSR_OK;
    tsr__parallel(count, tsr__threads(s->request->options->threads, count), load_slot, s);
    for (int64_t i = 0; i < count; i++)
        TSR_TRY(judge(s, i));
done:
    for (int64_t i = 0; i < count; i++)
        tsr__image_free(&s->slots[i].image);
    return status;
}

static tsr_status read_pictures(stack *s)
{
    tsr_status status = TSR_OK;
    const int64_t files = s->files->count;
    const bool resized = s->request->options->size[0] > 0;
    const tsr__task task =
        tsr__task_begin(s->request->options->progress, "reading images", files);
    while (s->first < files) {
        /* Until a size is known the next picture may need much memory: they come one by one. */
        const int64_t most = resized || s->values != NULL ? CHUNK : 1;
        const int64_t count = files - s->first < most ? files - s->first : most;
        TSR_TRY(read_chunk(s, count));
        s->first += count;
        TSR_TRY(tsr__task_step(&task, s->first, NAN, NAN));
    }
    if (s->values == NULL)
        TSR_FAIL(TSR_ERROR_DATA, "none of the %lld images can be read; %s", (long long)files,
                 s->out->notes.name[0]);
done:
    return status;
}

static tsr_status make_matrix(stack *s)
{
    tsr_status status = TSR_OK;
    const tsr_image_shape shape = {s->height, s->width, TSR_ROW_ORDER};
    TSR_TRY(tsr__matrix_take_dense(&s->out->x, s->values, s->out->sample_names.count,
                                   s->width * s->height, TSR_FLOAT64));
    s->values = NULL;
    TSR_TRY(tsr_matrix_set_image(s->out->x, shape));
    (void)snprintf(s->out->dtype, sizeof s->out->dtype, "uint8");
done:
    return status;
}

tsr_status tsr__images_read(tsr_data *out, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    const int64_t *size = request->options->size;
    walk w = {.request = request, .out = out};
    stack *s = NULL;
    if (request->variable != NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "a folder of images has no variable %s",
                 request->variable);
    if (size[0] < 0 || size[1] < 0 || (size[0] > 0) != (size[1] > 0))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--size %lldx%lld: both must be at least 1",
                 (long long)size[0], (long long)size[1]);
    TSR_TRY(find_pictures(&w));
    if (request->only_labels) {
        TSR_TRY(make_labels(&out->labels, &w.files));
    } else {
        TSR_NEW_ZERO(s, 1);
        s->request = request, s->files = &w.files, s->out = out;
        TSR_TRY(read_pictures(s));
        TSR_TRY(make_labels(&out->labels, &out->sample_names));
        TSR_TRY(make_matrix(s));
    }
done:
    if (s != NULL)
        tsr__free(s->values);
    tsr__free(s);
    tsr__free(w.seen);
    tsr__names_clear(&w.files);
    return status;
}
