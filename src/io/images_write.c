/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writing samples as a folder of PNG pictures: CLASS/NAME.png, or NAME.png where the class is
 * not known. NAME is that of the file a sample came from, where no other of its class has the
 * same, else its number. Grey values 0 .. 255 are kept; others, 0 .. 1 among
 * them, are stretched to that range. */
#include "image/image.h"
#include "io/format.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST = 200 }; /* bytes of a name; systems allow 255, with the extension */

typedef struct entry {
    int32_t of;       /* class or -1 */
    const char *stem; /* "": none */
} entry;

typedef struct album {
    const tsr_data *data;
    int64_t samples;
    tsr__names folders; /* one a class */
    tsr__names stems;   /* one a sample */
    entry *sorted;      /* all samples by class and stem */
    double low, high;   /* become 0 and 255 */
    double *values;     /* one sample */
    unsigned char *pixels;
    char *path;             /* root/folder/name.png */
    size_t path_size, root; /* length of root/ */
} album;

/* A name that stays in its folder and is not hidden there. */
static void tame(char *name)
{
    for (char *at = name; *at != '\0'; at++)
        if (*at == '/')
            *at = '_';
    if (*name == '.')
        *name = '_';
}

static bool among(const tsr__names *names, const char *text)
{
    for (int64_t i = 0; i < names->count; i++)
        if (strcmp(names->name[i], text) == 0)
            return true;
    return false;
}

/* Different classes stay different, even where taming makes their names alike. */
static tsr_status name_folders(tsr__names *folders, const tsr_labels *labels)
{
    char name[2 * LONGEST];
    for (int32_t c = 0; labels != NULL && c < labels->classes; c++) {
        (void)snprintf(name, LONGEST, "%s", *labels->name[c] != '\0' ? labels->name[c] : "_");
        tame(name);
        size_t length = strlen(name);
        for (int copy = 2; among(folders, name); copy++)
            (void)snprintf(name + length, sizeof name - length, "_%d", copy);
        const tsr_status status = tsr__names_add(folders, name);
        if (status < 0)
            return status;
    }
    return TSR_OK;
}

/* The last part of a sample's name without a picture's extension. */
static tsr_status name_stems(tsr__names *stems, const tsr_data *data, int64_t samples)
{
    tsr_status status = TSR_OK;
    for (int64_t i = 0; i < samples; i++) {
        const char *name = tsr_data_sample_name(data, i);
        const char *slash = name != NULL ? strrchr(name, '/') : NULL;
        const char *last = slash != NULL ? slash + 1 : name != NULL ? name : "";
        TSR_TRY(tsr__names_add(stems, strlen(last) < LONGEST ? last : ""));
        char *stem = stems->name[i];
        tame(stem);
        if (tsr__image_is_name(stem))
            *strrchr(stem, '.') = '\0';
    }
done:
    return status;
}

static int by_place(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    return p->of != q->of ? (p->of < q->of ? -1 : 1) : strcmp(p->stem, q->stem);
}

static int32_t class_of(const album *a, int64_t i)
{
    return a->data->labels != NULL ? a->data->labels->of[i] : -1;
}

/* How many samples have this stem in this class: 0, 1, or 2 for more. */
static int holders(const album *a, int32_t of, const char *stem)
{
    const entry key = {of, stem};
    const entry *found =
        bsearch(&key, a->sorted, (size_t)a->samples, sizeof *a->sorted, by_place);
    if (found == NULL)
        return 0;
    const bool before = found > a->sorted && by_place(found - 1, &key) == 0;
    const bool after = found + 1 < a->sorted + a->samples && by_place(found + 1, &key) == 0;
    return before || after ? 2 : 1;
}

/* Sets a->path to the place of sample i. */
static void find_place(album *a, int64_t i)
{
    const int32_t of = class_of(a, i);
    const char *folder = of >= 0 ? a->folders.name[of] : "";
    const char *stem = a->stems.name[i];
    char number[32];
    if (*stem == '\0' || holders(a, of, stem) > 1) {
        const int digits = snprintf(number, sizeof number, "%lld", (long long)a->samples);
        /* Steps of `samples` keep the numbers of different samples apart. */
        for (int64_t n = i + 1; stem != number || holders(a, of, number) > 0; n += a->samples) {
            (void)snprintf(number, sizeof number, "%0*lld", digits > 6 ? digits : 6,
                           (long long)n);
            stem = number;
        }
    }
    (void)snprintf(a->path + a->root, a->path_size - a->root, "%s%s%s.png", folder,
                   of >= 0 ? "/" : "", stem);
}

/* The range of grey: that of pictures where the values allow it. */
static tsr_status choose_range(album *a)
{
    tsr_status status = TSR_OK;
    tsr_scan scan;
    TSR_TRY(tsr_matrix_check(a->data->x, TSR_NEED_FINITE, NULL));
    TSR_TRY(tsr_matrix_scan(&scan, a->data->x));
    const bool grey = scan.minimum >= 0 && scan.maximum > 1 && scan.maximum <= 255;
    a->low = grey || scan.minimum > 0 ? 0 : scan.minimum;
    a->high = grey ? 255 : scan.maximum;
done:
    return status;
}

/* Sample i upright, as bytes. Halves keep the range of the largest numbers finite. */
static void draw(album *a, int64_t i)
{
    const tsr_image_shape shape = a->data->x->image;
    const bool columns = shape.order == TSR_COLUMN_ORDER;
    const double range = a->high / 2 - a->low / 2;
    tsr_matrix_get_sample(a->values, a->data->x, i);
    for (int64_t y = 0; y < shape.height; y++) {
        for (int64_t x = 0; x < shape.width; x++) {
            const double value =
                a->values[columns ? x * shape.height + y : y * shape.width + x];
            const double grey = range > 0 ? (value / 2 - a->low / 2) / range * 255 : 0;
            a->pixels[y * shape.width + x] = (unsigned char)(fmin(grey, 255) + 0.5);
        }
    }
}

static tsr_status prepare(album *a, const char *root)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = a->data->x;
    if (x->image.height == 0)
        TSR_FAIL(TSR_ERROR_DATA,
                 "samples of %lld features cannot be written as images: their height and width "
                 "are not known (--image-shape HxW)",
                 (long long)x->features);
    TSR_TRY(choose_range(a));
    TSR_TRY(name_folders(&a->folders, a->data->labels));
    TSR_TRY(name_stems(&a->stems, a->data, a->samples));
    TSR_NEW(a->sorted, a->samples);
    for (int64_t i = 0; i < a->samples; i++)
        a->sorted[i] = (entry){class_of(a, i), a->stems.name[i]};
    if (a->samples > 0)
        qsort(a->sorted, (size_t)a->samples, sizeof *a->sorted, by_place);
    TSR_NEW(a->values, x->features);
    TSR_NEW(a->pixels, x->features);
    a->path_size = strlen(root) + 4 * LONGEST;
    TSR_NEW(a->path, (int64_t)a->path_size);
    a->root = (size_t)snprintf(a->path, a->path_size, "%s/", root);
done:
    return status;
}

static tsr_status make_folders(album *a)
{
    for (int64_t c = 0; c < a->folders.count; c++) {
        (void)snprintf(a->path + a->root, a->path_size - a->root, "%s", a->folders.name[c]);
        if (mkdir(a->path, 0777) != 0)
            return tsr__fail(TSR_ERROR_IO, "cannot make the folder %s: %s", a->folders.name[c],
                             strerror(errno));
    }
    return TSR_OK;
}

tsr_status tsr__images_write(const tsr_data *data, const char *path)
{
    tsr_status status = TSR_OK;
    const tsr_image_shape shape = tsr_matrix_image(data->x);
    album a = {.data = data, .samples = data->x->samples};
    TSR_TRY(prepare(&a, path));
    TSR_TRY(make_folders(&a));
    for (int64_t i = 0; i < a.samples; i++) {
        find_place(&a, i);
        draw(&a, i);
        status = tsr__image_write_png(a.path, a.pixels, shape.width, shape.height, 1);
        if (status < 0) {
            status = tsr__fail_in(status, a.path + a.root);
            goto done;
        }
    }
done:
    tsr__names_clear(&a.folders);
    tsr__names_clear(&a.stems);
    tsr__free(a.sorted);
    tsr__free(a.values);
    tsr__free(a.pixels);
    tsr__free(a.path);
    return status;
}
