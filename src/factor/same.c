/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether the ranks of a team were given the same: the same samples, labels and settings, and kernels that
 * round alike. What they make of it must be the same to the last bit, or they would part ways
 * without a word. Of values a few rows are looked at, spread over all: O(m). */
#include "factor/run.h"

#include "base/settings.h"
#include "matrix/store.h"
#include "matrix/team.h"

#include <string.h>

/* What a rank sees, all of it numbers. */
enum { SAMPLES, FEATURES, STORED, VALUES, LABELS, SETTINGS, KERNELS, FIGURES };

static void mix(int64_t *sum, const void *bytes, size_t count)
{
    uint64_t hash = (uint64_t)*sum ^ 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    *sum = (int64_t)hash;
}

static tsr_status mix_rows(int64_t *sum, const tsr_matrix *x)
{
    enum { ROWS = 4 };
    const size_t size = tsr__type_size(x->type);
    for (int64_t i = 0; i < ROWS && i < x->samples; i++) {
        tsr_matrix row;
        TSR_OR_RETURN(tsr__matrix_window(&row, x, i * (x->samples - 1) / (ROWS - 1), 1));
        const int64_t at = tsr__row_begin(&row, 0), count = tsr__row_end(&row, 0) - at;
        if (count > 0)
            mix(sum, (const char *)row.values + (size_t)at * size, (size_t)count * size);
        if (row.sparse && count > 0)
            mix(sum, row.columns + at, (size_t)count * sizeof *row.columns);
    }
    return TSR_OK;
}

/* Threads are a rank's own affair, and so is where a checkpoint goes; whether there is one is not, for all
 * bring what the first writes. */
static void mix_settings(int64_t *sum, const tsr_fit_options *options)
{
    const bool saves = options->checkpoint != NULL;
    char value[4096];
    mix(sum, &saves, sizeof saves);
    for (const tsr_setting *row = tsr_fit_settings(); row->name != NULL; row++) {
        if (!tsr__setting_is_said(row) || strcmp(row->name, "threads") == 0 ||
            strcmp(row->name, "checkpoint") == 0)
            continue;
        (void)tsr__settings_show(value, sizeof value, row, options);
        mix(sum, value, strlen(value) + 1);
    }
}

static tsr_status look(int64_t figure[FIGURES], const tsr_data *data,
                       const tsr_fit_options *options)
{
    const tsr_matrix *x = tsr_data_samples(data);
    const char *kernels = NULL;
    memset(figure, 0, FIGURES * sizeof *figure);
    figure[SAMPLES] = x->samples, figure[FEATURES] = x->features;
    figure[STORED] = tsr_matrix_stored(x);
    TSR_OR_RETURN(mix_rows(&figure[VALUES], x));
    if (data->labels != NULL)
        mix(&figure[LABELS], data->labels->of,
            (size_t)data->labels->count * sizeof *data->labels->of);
    for (int32_t c = 0; data->labels != NULL && c < data->labels->classes; c++)
        mix(&figure[LABELS], data->labels->name[c], strlen(data->labels->name[c]) + 1);
    if (options != NULL)
        mix_settings(&figure[SETTINGS], options);
    (void)tsr_kernels(&kernels);
    mix(&figure[KERNELS], kernels, strlen(kernels));
    return TSR_OK;
}

/* What differs where this rank is, which its team names before its words. */
static tsr_status compare(const int64_t *own, const int64_t *first, const tsr_data *data)
{
    const char *subject = tsr_data_origin(data);
    if (memcmp(own, first, 3 * sizeof *own) != 0)
        return tsr__fail(TSR_ERROR_DATA,
                         "%s has %lld x %lld values (%lld stored) here, and %lld x %lld (%lld "
                         "stored) where rank 0 is: all ranks must be given the same",
                         subject, (long long)own[SAMPLES], (long long)own[FEATURES],
                         (long long)own[STORED], (long long)first[SAMPLES],
                         (long long)first[FEATURES], (long long)first[STORED]);
    if (own[VALUES] != first[VALUES] || own[LABELS] != first[LABELS])
        return tsr__fail(
            TSR_ERROR_DATA,
            "%s has other %s than where rank 0 is: all ranks must be given the same", subject,
            own[VALUES] != first[VALUES] ? "values" : "labels");
    if (own[SETTINGS] != first[SETTINGS])
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "the settings are others than those of rank 0: all "
                         "ranks must be given the same");
    return own[KERNELS] == first[KERNELS]
               ? TSR_OK
               : tsr__fail(TSR_ERROR_UNSUPPORTED,
                           "the kernels are others than those of rank 0, and round otherwise: "
                           "set TESSERA_KERNELS to v3 or base for all");
}

tsr_status tsr__same_call(const tsr_data *data, const tsr_fit_options *options)
{
    tsr_team *team = data->team;
    int64_t own[FIGURES], first[FIGURES];
    if (!tsr__team_shares(team))
        return TSR_OK;
    TSR_OR_RETURN(look(own, data, options));
    memcpy(first, own, sizeof first);
    TSR_OR_RETURN(tsr__team_share(team, first, sizeof first));
    return tsr__team_agree(team, compare(own, first, data));
}
