/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finding the files of a folder. Links may lead to a folder again, even in circles: a folder is
 * entered once. */
#include "io/folder.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH = 16 };

typedef struct folder_id {
    dev_t device;
    ino_t number;
} folder_id;

typedef struct walk {
    const char *folder;
    bool (*wanted)(const char *name);
    bool skip_bad;
    tsr__names *files, *notes;
    folder_id *seen;
    int64_t seen_count, seen_room;
} walk;

char *tsr__path_join(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = tsr__alloc((int64_t)size, 1);
    if (path != NULL)
        (void)snprintf(path, size, "%s%s%s", folder, *folder != '\0' ? "/" : "", name);
    return path;
}

tsr_status tsr__note_left_out(tsr__names *notes, const char *name, const char *reason)
{
    char text[TSR_MESSAGE_SIZE];
    tsr__line line = TSR_LINE(text);
    tsr__line_add(&line, "left out %s: %s", name, reason);
    return tsr__names_add(notes, text);
}

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

typedef enum kind { OTHER, WANTED, FOLDER } kind;

/* What a name stands for; a folder only the first time. */
static tsr_status look_at(kind *out, walk *w, const char *relative)
{
    tsr_status status = TSR_OK;
    struct stat about;
    bool first = true;
    char *path = tsr__path_join(w->folder, relative);
    if (path == NULL)
        return TSR_ERROR_MEMORY;
    *out = OTHER;
    const bool missing = stat(path, &about) != 0; /* opening it will tell why */
    if (!missing && S_ISDIR(about.st_mode)) {
        TSR_TRY(enter(&first, w, &about));
        if (first)
            *out = FOLDER;
        else
            TSR_TRY(tsr__note_left_out(w->notes, relative,
                                       "a link to a folder that is read already"));
    } else if ((missing || S_ISREG(about.st_mode)) && w->wanted(relative)) {
        *out = WANTED;
    }
done:
    tsr__free(path);
    return status;
}

/* The names in a folder; none, and a note, where it cannot be listed and may be left out. */
static tsr_status open_folder(tsr__names *out, walk *w, const char *relative)
{
    tsr_status status = TSR_OK;
    char *path = tsr__path_join(w->folder, relative);
    if (path == NULL)
        return TSR_ERROR_MEMORY;
    TSR_TRY(list(out, path));
done:
    tsr__free(path);
    if (status == TSR_OK || *relative == '\0')
        return status;
    if (w->skip_bad && status != TSR_ERROR_MEMORY)
        return tsr__note_left_out(w->notes, relative, tsr_message());
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
        child = tsr__path_join(relative, names.name[i]);
        if (child == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
        TSR_TRY(look_at(&what, w, child));
        if (what == WANTED)
            TSR_TRY(tsr__names_add(w->files, child));
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

tsr_status tsr__folder_find(tsr__names *files, tsr__names *notes, const char *folder,
                            bool (*wanted)(const char *name), bool skip_bad)
{
    tsr_status status = TSR_OK;
    walk w = {.folder = folder,
              .wanted = wanted,
              .skip_bad = skip_bad,
              .files = files,
              .notes = notes};
    struct stat about;
    bool first = true;
    if (stat(folder, &about) != 0)
        TSR_FAIL(TSR_ERROR_IO, "cannot open: %s", strerror(errno));
    TSR_TRY(enter(&first, &w, &about));
    TSR_TRY(walk_folder(&w, "", 0));
done:
    tsr__free(w.seen);
    return status;
}

tsr_status tsr__folder_labels(tsr_labels **out, const tsr__names *files)
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
        /* The files of a class follow each other. */
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
