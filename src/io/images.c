/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading a folder of pictures: one sample a picture, in natural order of the names. The first
 * folder on the way to a picture is its class; pictures outside of folders have none.
 *
 * Pictures are decoded in parallel, a chunk at a time; what a chunk gave is then judged and
 * stored in order, so that neither the result nor the failure depends on the number of threads.
 * Memory besides the result: one chunk of pictures of the final size, and one of the original
 * size a thread. */
#include "io/images.h"

#include "base/progress.h"
#include "io/file.h"
#include "io/folder.h"
#include "io/format.h"
#include "matrix/parallel.h"

#include <math.h>
#include <stdio.h>

enum { CHUNK = 64 };

typedef struct slot {
    tsr__image image;
    tsr_status status;
    char reason[512];
} slot;

typedef struct stack {
    const char *folder;
    const tsr__names *files;
    const tsr_read_options *options;
    tsr_data *out;
    int64_t width, height; /* of every picture; 0: the first decides */
    double *values;        /* files->count x (height x width) */
    slot slots[CHUNK];
    int64_t first; /* file of slots[0] */
} stack;

tsr_status tsr__image_load(tsr__image *out, const char *folder, const char *name,
                           int64_t expand, int each)
{
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};
    tsr__image image = {0, 0, NULL};
    char *path = tsr__path_join(folder, name);
    if (path == NULL)
        return TSR_ERROR_MEMORY;
    TSR_TRY(tsr__input_open(&input, path));
    const tsr__bound bound = {input.size, expand};
    TSR_TRY(tsr__image_decode(&image, input.bytes, &bound));
    TSR_TRY(tsr__bound_check(&bound, (double)each * (double)(image.width * image.height),
                             "features of %lld x %lld pixels", (long long)image.width,
                             (long long)image.height));
    *out = image;
    image.grey = NULL;
done:
    tsr__image_free(&image);
    tsr__input_close(&input);
    tsr__free(path);
    return status;
}

static tsr_status load(tsr__image *out, const stack *s, const char *name)
{
    tsr_status status = TSR_OK;
    const int64_t *size = s->options->size;
    tsr__image image = {0, 0, NULL};
    TSR_TRY(tsr__image_load(&image, s->folder, name, s->options->expand, 0));
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

/* Bytes of all files; one that is not there is told of when its turn comes. */
static int64_t size_of_files(const stack *s)
{
    int64_t size = 0;
    for (int64_t i = 0; i < s->files->count; i++) {
        tsr__bound file = {.size = 0};
        char *path = tsr__path_join(s->folder, s->files->name[i]);
        if (path != NULL && tsr__bound_of(&file, path, 0) == TSR_OK)
            size += file.size;
        tsr__free(path);
    }
    return size;
}

static tsr_status start_values(stack *s, const tsr__image *image)
{
    tsr_status status = TSR_OK;
    int64_t count = 0;
    const tsr__bound bound = {size_of_files(s), s->options->expand};
    s->width = image->width;
    s->height = image->height;
    if (s->options->size[0] == 0) /* else the user says how large they become */
        TSR_TRY(tsr__bound_check(
            &bound, 8.0 * (double)(s->width * s->height) * (double)s->files->count,
            "%lld images of %lld x %lld pixels", (long long)s->files->count,
            (long long)s->width, (long long)s->height));
    if (!tsr__memory_holds(s->options->memory,
                           8.0 * (double)(s->width * s->height) * (double)s->files->count))
        TSR_FAIL(
            TSR_ERROR_MEMORY,
            "%lld images of %lld x %lld pixels take more than a quarter of --memory (%lld): "
            "raise it, or make them smaller with --size WxH",
            (long long)s->files->count, (long long)s->width, (long long)s->height,
            (long long)s->options->memory);
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
    if (s->options->skip_bad && at->status != TSR_ERROR_MEMORY)
        return tsr__note_left_out(&s->out->notes, name, at->reason);
    return tsr__fail(at->status, "%s: %s", name, at->reason);
}

/* Files s->first .. s->first+count-1. */
static tsr_status read_chunk(stack *s, int64_t count)
{
    tsr_status status = TSR_OK;
    tsr__parallel(count, tsr__threads(s->options->threads, count), load_slot, s);
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
    const bool resized = s->options->size[0] > 0;
    const tsr__task task = tsr__task_begin(s->options->progress, "reading images", files);
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

tsr_status tsr__images_stack(tsr_data *out, const char *folder, const tsr__names *files,
                             const tsr_read_options *options)
{
    tsr_status status = TSR_OK;
    stack *s = NULL;
    TSR_NEW_ZERO(s, 1);
    s->folder = folder, s->files = files, s->options = options, s->out = out;
    TSR_TRY(read_pictures(s));
    TSR_TRY(tsr__folder_labels(&out->labels, &out->sample_names));
    TSR_TRY(make_matrix(s));
done:
    if (s != NULL)
        tsr__free(s->values);
    tsr__free(s);
    return status;
}

tsr_status tsr__images_read(tsr_data *out, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    const int64_t *size = request->options->size;
    tsr__names files = {NULL, 0, 0};
    if (request->variable != NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "a folder of images has no variable %s",
                 request->variable);
    if (size[0] < 0 || size[1] < 0 || (size[0] > 0) != (size[1] > 0))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--size %lldx%lld: both must be at least 1",
                 (long long)size[0], (long long)size[1]);
    TSR_TRY(tsr__folder_find(&files, &out->notes, request->path, tsr__image_is_name,
                             request->options->skip_bad));
    if (files.count == 0)
        TSR_FAIL(TSR_ERROR_DATA, "holds no images (.png .jpg .jpeg .pgm .ppm .pnm)");
    if (request->only_labels)
        TSR_TRY(tsr__folder_labels(&out->labels, &files));
    else
        TSR_TRY(tsr__images_stack(out, request->path, &files, request->options));
done:
    tsr__names_clear(&files);
    return status;
}
