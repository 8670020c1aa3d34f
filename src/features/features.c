/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE FEATURES TABLE, its settings, and what all rows share: finding files, loading the recipe
 * that is to be applied, labels. */
#include "features/features.h"

#include "base/settings.h"
#include "base/text.h"
#include "image/image.h"
#include "io/file.h"
#include "io/folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* clang-format off */
const tsr__feature_kind tsr__feature_kinds[] = {
    {"pixels", "grey values",                                  tsr__image_is_name, tsr__pixels_make},
    {"sift",   "visual words at keypoints",                    tsr__image_is_name, tsr__sift_make},
    {"dsift",  "visual words of a dense grid, region by region", tsr__image_is_name, tsr__dsift_make},
    {"words",  "bags of words",                                tsr__words_wants,   tsr__words_make},
    {NULL,     NULL,                                           NULL,               NULL},
};

#define ROW tsr_features_options
static const tsr_setting table[] = {
    TSR_CHOICE_ROW(ROW, kind, "kind", "pixels|sift|dsift|words", "what samples are made of"),
    TSR_PAIR_ROW(ROW, size, "size", 1, 65536, NULL, "WxH", "pixels: resize to W columns and H rows by area averaging"),
    TSR_CHOICE_ROW(ROW, normalize, "normalize", "auto|none|l2|l1|max", "norm of every sample; auto: l2 for visual words, else none"),
    TSR_INTEGER_ROW(ROW, vocabulary, "vocabulary", 0, 0, 1e6, "0", "N", "words; 0: 500 for sift, 200 for dsift, all for words"),
    TSR_PAIR_ROW(ROW, grid, "grid", 1, 64, NULL, "WxH", "regions with a histogram each; 4x4 for dsift, 1x1 for sift"),
    TSR_INTEGER_ROW(ROW, step, "step", 0, 0, 4096, "0", "N", "dsift: pixels from patch to patch; 0: 8"),
    TSR_INTEGER_ROW(ROW, patch, "patch", 0, 0, 4096, "0", "N", "dsift: side of a patch, a multiple of 4; 0: 16"),
    TSR_FLAG_ROW(ROW, root, "root", 0, "root-SIFT: square roots of descriptors of unit sum"),
    TSR_CHOICE_ROW(ROW, weigh, "weigh", "counts|binary|tf-idf", "what a word is worth in a sample"),
    TSR_INTEGER_ROW(ROW, soft, "soft", 0, 1, 64, "1", "N", "nearest visual words that share a descriptor"),
    TSR_INTEGER_ROW(ROW, sample, "sample", 0, 100, 1e8, "50000", "N", "descriptors that the dictionary is learnt from"),
    TSR_CHOICE_ROW(ROW, small, "small", "skip|zero|fail", "pictures too small for a descriptor"),
    TSR_TEXT_ROW(ROW, dictionary, "dictionary", 0, NULL, "FILE", "archive or model whose words are used; words: or a text file of words"),
    TSR_INTEGER_ROW(ROW, minimum_documents, "minimum-documents", 0, 1, 1e9, "1", "N", "words: leave out what fewer documents have"),
    TSR_REAL_ROW(ROW, maximum_share, "maximum-share", 0, 1, "1", "S", "words: leave out what a larger share of documents has"),
    TSR_TEXT_ROW(ROW, stop_words, "stop-words", 0, "none", "none|english|FILE", "words: leave these out"),
    TSR_FLAG_ROW(ROW, headers, "headers", 0, "words: keep the headers of mails"),
    TSR_INTEGER_ROW(ROW, shortest, "shortest", 0, 1, 100, "2", "N", "words: leave out shorter ones"),
    TSR_FLAG_ROW(ROW, skip_bad, "skip-bad", 0, "leave out what cannot be read instead of failing"),
    TSR_INTEGER_ROW(ROW, seed, "seed", 0, 0, 9e15, "0", "N", "of the dictionary"),
    TSR_INTEGER_ROW(ROW, threads, "threads", 0, 0, 4096, "0", "N", "threads, 0: all processors"),
    TSR_INTEGER_ROW(ROW, expand, "expand", 0, 0, 1e12, "1000", "N", "memory of a picture at most N times the file's size and 256 MiB"),
    TSR_OBJECT_ROW(ROW, progress, "progress", "progress", "hears how far it is, and may stop it"),
    TSR_END_ROW,
};
#undef ROW
/* clang-format on */

const tsr_setting *tsr_features_settings(void)
{
    return table;
}

void tsr__sources_clear(tsr__sources *sources)
{
    tsr__free(sources->folder);
    tsr__names_clear(&sources->files);
    tsr__names_clear(&sources->notes);
    tsr_labels_free(sources->labels);
    *sources = (tsr__sources){.folder = NULL};
}

/* One file: its documents are its lines. */
static tsr_status find_lines(tsr__sources *out, const char *where)
{
    tsr_status status = TSR_OK;
    const char *slash = strrchr(where, '/');
    const size_t length = slash != NULL ? (size_t)(slash - where) : 0;
    out->folder = slash == where ? tsr__copy_text("/") : tsr__copy_bytes_as_text(where, length);
    if (out->folder == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(tsr__names_add(&out->files, slash != NULL ? slash + 1 : where));
    out->lines = true;
done:
    return status;
}

static tsr_status find(tsr__sources *out, const char *where,
                       const tsr_features_options *options)
{
    tsr_status status = TSR_OK;
    const tsr__feature_kind *kind = &tsr__feature_kinds[options->kind];
    const bool texts = kind->make == tsr__words_make;
    struct stat about;
    if (stat(where, &about) != 0)
        TSR_FAIL(TSR_ERROR_IO, "cannot open: %s", strerror(errno));
    if (!S_ISDIR(about.st_mode)) {
        if (!texts)
            TSR_FAIL(TSR_ERROR_ARGUMENT, "is no folder of pictures");
        TSR_TRY(find_lines(out, where));
        goto done;
    }
    TSR_NEW_TEXT(out->folder, where);
    TSR_TRY(tsr__folder_find(&out->files, &out->notes, where, kind->wants, options->skip_bad));
    if (out->files.count == 0)
        TSR_FAIL(TSR_ERROR_DATA, "holds no %s",
                 texts ? "texts" : "images (.png .jpg .jpeg .pgm .ppm .pnm)");
    TSR_TRY(tsr__folder_labels(&out->labels, &out->files));
done:
    return status;
}

tsr_status tsr__sources_find(tsr__sources *out, const char *where,
                             const tsr_features_options *options)
{
    tsr__sources sources = {.folder = NULL};
    const tsr_status status = find(&sources, where, options);
    if (status < 0) {
        tsr__sources_clear(&sources);
        return tsr__fail_in(status, where);
    }
    *out = sources;
    return TSR_OK;
}

/* True when the file begins as archives do. */
static bool is_archive(const char *path)
{
    static const char magic[] = "\x89HDF\r\n\x1a\n";
    char first[8];
    FILE *stream = fopen(path, "rbe");
    const bool same = stream != NULL && fread(first, 1, sizeof first, stream) == 8 &&
                      memcmp(first, magic, 8) == 0;
    if (stream != NULL)
        (void)fclose(stream);
    return same;
}

/* The recipe to apply; none where words come as a plain file. */
static tsr_status load_recipe(tsr__recipe *out, tsr__names *vocabulary,
                              const tsr_features_options *options)
{
    tsr_status status = TSR_OK;
    const tsr__feature_kind *kind = &tsr__feature_kinds[options->kind];
    if (options->dictionary == NULL ||
        (kind->make == tsr__words_make && !is_archive(options->dictionary)))
        return TSR_OK;
    TSR_TRY(tsr__recipe_load(out, vocabulary, options->dictionary));
    if (strcmp(out->kind, kind->name) != 0)
        TSR_FAIL(TSR_ERROR_DATA, "%s: its features are of kind %s, not %s", options->dictionary,
                 out->kind, kind->name);
done:
    return status;
}

/* The labels of the files that became samples, which are some of all, in order. */
static tsr_status pick_labels(tsr_data *data, const tsr__sources *sources)
{
    tsr_status status = TSR_OK;
    int64_t *kept = NULL;
    const tsr__names *names = &data->sample_names;
    if (sources->labels == NULL || sources->lines)
        return TSR_OK;
    TSR_NEW(kept, names->count);
    for (int64_t i = 0, file = 0; i < names->count; i++, file++) {
        while (strcmp(names->name[i], sources->files.name[file]) != 0)
            file++;
        kept[i] = file;
    }
    tsr_labels_free(data->labels);
    data->labels = NULL;
    TSR_TRY(tsr_labels_copy_samples(&data->labels, sources->labels, kept, names->count));
done:
    tsr__free(kept);
    return status;
}

tsr_status tsr__features_make(tsr_data **out, const tsr__sources *sources, const bool *learn,
                              const tsr_features_options *options)
{
    tsr_status status = TSR_OK;
    const tsr__feature_kind *kind = &tsr__feature_kinds[options->kind];
    tsr__recipe recipe = {NULL, {NULL, 0, 0}, NULL, NULL};
    tsr__names vocabulary = {NULL, 0, 0};
    tsr_data *data = NULL;
    TSR_TRY(tsr_settings_check(table, options));
    TSR_TRY(load_recipe(&recipe, &vocabulary, options));
    TSR_NEW_ZERO(data, 1);
    data->format = "features";
    TSR_NEW_TEXT(data->origin, sources->folder);
    for (int64_t i = 0; i < sources->notes.count; i++)
        TSR_TRY(tsr__names_add(&data->notes, sources->notes.name[i]));
    const tsr__feature_job job = {.folder = sources->folder,
                                  .files = &sources->files,
                                  .lines = sources->lines,
                                  .labels = sources->labels,
                                  .learn = learn,
                                  .recipe = recipe.kind != NULL ? &recipe : NULL,
                                  .vocabulary = vocabulary.count > 0 ? &vocabulary : NULL,
                                  .options = options};
    TSR_TRY(kind->make(data, &job));
    TSR_TRY(pick_labels(data, sources));
    *out = data, data = NULL;
done:
    tsr_data_free(data);
    tsr__recipe_clear(&recipe);
    tsr__names_clear(&vocabulary);
    return status;
}

tsr_status tsr_features_make(tsr_data **out, const char *where,
                             const tsr_features_options *options)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_TEXT(where);
    tsr_status status = TSR_OK;
    tsr_features_options defaults = {0};
    tsr__sources sources = {.folder = NULL};
    tsr_settings_default(table, &defaults);
    options = options != NULL ? options : &defaults;
    TSR_TRY(tsr_settings_check(table, options));
    TSR_TRY(tsr__sources_find(&sources, where, options));
    TSR_TRY(tsr__features_make(out, &sources, NULL, options));
done:
    tsr__sources_clear(&sources);
    return status;
}
