/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE TABLE OF VALUES: what the text of a setting is, by the word that its row has for it. Before
 * a command begins, all its inputs and outputs are walked: an input is no pipe where a file is
 * needed; an output has an extension that says what is written, is none of the inputs and no
 * other output, and could be written. */
#include "base/memory.h"
#include "base/output.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/command.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define ARCHIVES ".h5 .hdf5 .hdf"

/* clang-format off */
static const value_word words[] = {
    /* word               use           extensions that are written; NULL: those of the formats */
    {"FILE",              VALUE_READ,   NULL},
    {"SRC",               VALUE_READ,   NULL},
    {"DATA",              VALUE_READ,   NULL},
    {"DIR",               VALUE_READ,   NULL},
    {"HOW",               VALUE_READ,   NULL},
    {"none|english|FILE", VALUE_READ,   NULL},
    {"OUT",               VALUE_WRITE,  NULL},
    {"OUT.h5",            VALUE_WRITE,  ARCHIVES},
    {"OUT.png",           VALUE_WRITE,  ".png"},
    {"OUT.html",          VALUE_WRITE,  ".html .htm"},
    {"OUTDIR",            VALUE_FOLDER, NULL},
    {"NAME",              VALUE_PLAIN,  NULL},
    {"NAME,NAME,..",      VALUE_PLAIN,  NULL},
    {"N|P%",              VALUE_PLAIN,  NULL},
    {"W,W,..",            VALUE_PLAIN,  NULL},
    {"LIST",              VALUE_PLAIN,  NULL},
    {"WHICH",             VALUE_PLAIN,  NULL},
    {"SAMPLE",            VALUE_PLAIN,  NULL},
    {"TEXT",              VALUE_PLAIN,  NULL},
};
/* clang-format on */

const value_word *value_of(const tsr_setting *row)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, row->values) == 0)
            return &words[i];
    return NULL;
}

/* A file or folder that a call names: an operand, or the value of a setting. */
typedef struct place {
    const tsr_setting *row; /* NULL: an operand */
    const value_word *word;
    const char *text;
} place;

enum { MOST_PLACES = 64 };

static bool is_written(const place *p)
{
    return p->word->use == VALUE_WRITE || p->word->use == VALUE_FOLDER;
}

/* All places of a call, defaults included; returns how many. */
static int list_places(place out[MOST_PLACES], const cli_call *call)
{
    static const value_word operand = {"DATA", VALUE_READ, NULL};
    int count = 0;
    for (; count < call->operands; count++)
        out[count] = (place){NULL, &operand, call->operand[count]};
    for (const option_group *g = call->command->groups; g->table != NULL; g++) {
        for (const tsr_setting *row = g->table(); row->name != NULL; row++) {
            const value_word *word = row->kind == TSR_SETTING_TEXT ? value_of(row) : NULL;
            if (word == NULL || word->use == VALUE_PLAIN || count == MOST_PLACES)
                continue;
            const char *text =
                *(char *const *)((const char *)call->values + g->offset + row->offset);
            if (text != NULL)
                out[count++] = (place){row, word, text};
        }
    }
    return count;
}

/* "--output x.h5", or "the input x.h5". */
static const char *name_place(char *out, size_t size, const place *p)
{
    tsr__line line = {out, 0, size};
    tsr__line_add(&line, "%s%s %s", p->row != NULL ? "--" : "the input",
                  p->row != NULL ? p->row->name : "", p->text);
    return out;
}

/* Extensions ------------------------------------------------------------------------------ */

static bool lists(const char *extensions, const char *extension)
{
    const size_t length = strlen(extension);
    for (const char *e = extensions; *e != '\0'; e += strspn(e, " ")) {
        const size_t word = strcspn(e, " ");
        if (word == length && strncasecmp(e, extension, word) == 0)
            return true;
        e += word;
    }
    return false;
}

/* Whether the name promises what will be there; names without an extension and devices promise
 * nothing. */
static bool keeps_word(const place *p)
{
    struct stat about;
    const char *slash = strrchr(p->text, '/');
    const char *name = slash != NULL ? slash + 1 : p->text;
    const char *dot = strrchr(name, '.');
    tsr_format_info row;
    if (p->word->extensions == NULL)
        return tsr_path_format(&row, p->text);
    if (dot == NULL || dot == name ||
        (stat(p->text, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)))
        return true;
    return lists(p->word->extensions, dot);
}

static tsr_status check_extension(const place *p)
{
    char known[256];
    tsr__line line = TSR_LINE(known);
    if (p->word->use != VALUE_WRITE || keeps_word(p))
        return TSR_OK;
    tsr_format_info row;
    for (int64_t i = 0; p->word->extensions == NULL && tsr_formats_get(&row, i); i++)
        if (row.written && *row.extensions != '\0')
            tsr__line_add(&line, "%s%s", line.used > 0 ? " " : "", row.extensions);
    return tsr__fail(TSR_ERROR_ARGUMENT, "--%s %s: what is written there ends in %s%s",
                     p->row->name, p->text,
                     p->word->extensions != NULL ? p->word->extensions : known,
                     p->word->extensions != NULL ? ""
                                                 : "; without a dot, it is a folder of "
                                                   "images");
}

/* Files that are one ---------------------------------------------------------------------- */

/* An output that goes on from an input (a checkpoint that is resumed), or one setting of two
 * tables. */
static bool may_be_one(const place *output, const place *other)
{
    static const char *const pairs[][2] = {{"checkpoint", "resume"}};
    const char *name = output->row->name, *theirs = other->row != NULL ? other->row->name : "";
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(name, pairs[i][0]) == 0 && strcmp(theirs, pairs[i][1]) == 0)
            return true;
    return strcmp(name, theirs) == 0;
}

/* Whether an output that is there already lies in a folder that is read. */
static bool lies_in(const char *output, const char *folder)
{
    char inner[PATH_MAX], outer[PATH_MAX];
    struct stat about;
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode) || stat(output, &about) != 0 ||
        !S_ISREG(about.st_mode) || realpath(output, inner) == NULL ||
        realpath(folder, outer) == NULL)
        return false;
    const size_t length = strlen(outer);
    return strncmp(inner, outer, length) == 0 && inner[length] == '/';
}

static tsr_status check_apart(const place *output, const place *other)
{
    tsr_status status = TSR_OK;
    char *path = NULL, one[512], two[512];
    struct stat about;
    const char *variable = NULL;
    if (is_written(other))
        TSR_NEW_TEXT(path, other->text);
    else
        TSR_TRY(tsr__split_where(&path, &variable, other->text));
    if (!is_written(other) && output->word->use == VALUE_WRITE && lies_in(output->text, path))
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "%s is in the folder of %s and would be replaced: name "
                 "another output",
                 name_place(one, sizeof one, output), name_place(two, sizeof two, other));
    if (!tsr__path_same(output->text, path) || may_be_one(output, other))
        goto done;
    status = tsr__fail(TSR_ERROR_ARGUMENT, "%s and %s are one %s%s",
                       name_place(one, sizeof one, output), name_place(two, sizeof two, other),
                       stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? "folder" : "file",
                       is_written(other) ? ": name two"
                                         : ", which would be replaced: name another output");
done:
    tsr__free(path);
    return status;
}

/* The walk -------------------------------------------------------------------------------- */

static tsr_status check_output(const place *all, int count, const place *output)
{
    tsr_status status = TSR_OK;
    TSR_TRY(check_extension(output));
    for (const place *other = all; other < all + count; other++)
        if (!is_written(other) || other > output)
            TSR_TRY(check_apart(output, other));
    if (output->word->use == VALUE_WRITE) {
        tsr_format_info row;
        TSR_TRY(tsr__output_check(output->text, output->word->extensions == NULL &&
                                                    tsr_path_format(&row, output->text) &&
                                                    row.folder));
    }
done:
    return status;
}

/* An empty name is for who reads it to refuse. */
static tsr_status check_input(const place *input)
{
    return *input->text != '\0' ? tsr_path_check(input->text) : TSR_OK;
}

tsr_status check_paths(const cli_call *call)
{
    tsr_status status = TSR_OK;
    place all[MOST_PLACES];
    const int count = list_places(all, call);
    for (int i = 0; i < count; i++)
        TSR_TRY(is_written(&all[i]) ? check_output(all, count, &all[i]) : check_input(&all[i]));
done:
    return status;
}
