/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What an HDF5 file holds, to choose from: a model's parts, another program's variables. */
#include "base/text.h"
#include "io/hdf5.h"

struct tsr_contents {
    tsr__names names, lines;
};

static tsr_status list(tsr_contents *out, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    const tsr__names *names = tsr__hdf5_datasets(file);
    for (int64_t i = 0; i < names->count; i++) {
        char text[256] = "";
        tsr__line line = TSR_LINE(text);
        tsr__variable about;
        TSR_TRY(tsr__hdf5_describe(&about, file, names->name[i]));
        tsr__variables_list(&line, &about, 1);
        TSR_TRY(tsr__names_add(&out->names, names->name[i]));
        TSR_TRY(tsr__names_add(&out->lines, text));
    }
done:
    return status;
}

tsr_status tsr_contents_read(tsr_contents **out, const char *path)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_TEXT(path);
    tsr_status status = TSR_OK;
    tsr__hdf5 *file = NULL;
    tsr_contents *contents = NULL;
    if (!tsr__hdf5_is_one(path))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%s: is no HDF5 file, whose contents can be listed", path);
    TSR_NEW_ZERO(contents, 1);
    status = tsr__hdf5_open(&file, path, 0);
    if (status == TSR_OK)
        status = tsr__hdf5_close(file, list(contents, file));
    if (status < 0)
        TSR_TRY(tsr__fail_in(status, path));
    *out = contents, contents = NULL;
done:
    tsr_contents_free(contents);
    return status;
}

void tsr_contents_free(tsr_contents *contents)
{
    if (contents == NULL)
        return;
    tsr__names_clear(&contents->names);
    tsr__names_clear(&contents->lines);
    tsr__free(contents);
}

int64_t tsr_contents_count(const tsr_contents *contents)
{
    return contents != NULL ? contents->names.count : 0;
}

const char *tsr_contents_name(const tsr_contents *contents, int64_t i)
{
    return i >= 0 && i < tsr_contents_count(contents) ? contents->names.name[i] : NULL;
}

const char *tsr_contents_line(const tsr_contents *contents, int64_t i)
{
    return i >= 0 && i < tsr_contents_count(contents) ? contents->lines.name[i] : NULL;
}
