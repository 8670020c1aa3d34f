/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The labels that the learner may see: all, or those that --labelled and the seed keep.
 *
 * Fits and encoders (learn/encoder.c) ask the same function, so that models and baselines are
 * shown the same labels. All else gets `seen` alone; tests/test_honesty.c compares hidden
 * labels with labels that are not there, bit for bit. */
#include "factor/prepared.h"

#include "base/random.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* How many labels a class keeps: N, or P % rounded up. Up, so that a small class keeps one;
 * 1e-9 takes back what dividing by 100 may add to a whole number. */
static tsr_status labels_kept(int64_t *out, const char *text, int64_t members)
{
    double number = 0;
    const char *end = text + strlen(text), *after = tsr__parse_real(&number, text, end);
    const bool percent = after < end && *after == '%';
    if (after == text || after + percent != end || !(number >= 0) ||
        (percent && number > 100) || (!percent && number != floor(number)))
        return tsr__fail(
            TSR_ERROR_ARGUMENT,
            "--labelled is a number of samples a class or a share such as 10%%, not "
            "'%s'",
            text);
    *out = percent ? (int64_t)ceil(number / 100 * (double)members - 1e-9) : (int64_t)number;
    return TSR_OK;
}

/* For specs and encoders, before there are labels to count. */
tsr_status tsr__labelled_check(const char *labelled)
{
    int64_t kept = 0;
    return labelled != NULL ? labels_kept(&kept, labelled, 0) : TSR_OK;
}

/* Of each class, the kept samples are drawn; the others become unknown to the learner. The
 * stream is "label" in ASCII, far from those of restarts, which count from 0: the labels that
 * are kept do not depend on how starts draw. A class of fewer members keeps all. */
static tsr_status hide_labels(int32_t *seen, const tsr_labels *labels,
                              const tsr_fit_options *options)
{
    tsr_status status = TSR_OK;
    tsr__random random = tsr__random_seed((uint64_t)options->seed, 0x6c6162656cu);
    int64_t *member = NULL;
    TSR_NEW(member, labels->count);
    for (int32_t c = 0; c < labels->classes; c++) {
        int64_t members = 0, kept = 0;
        for (int64_t i = 0; i < labels->count; i++)
            if (seen[i] == c)
                member[members++] = i;
        TSR_TRY(labels_kept(&kept, options->labelled, members));
        tsr__random_shuffle(&random, member, members);
        for (int64_t i = kept; i < members; i++)
            seen[member[i]] = -1;
    }
done:
    tsr__free(member);
    return status;
}

tsr_status tsr__labels_seen(int32_t *seen, const tsr_data *data, const tsr_fit_options *options,
                            const char *needed_by)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = tsr_data_labels(data);
    const int64_t samples = tsr_matrix_samples(tsr_data_samples(data));
    const int32_t classes = labels != NULL ? labels->classes : 0;
    int64_t known = 0;
    for (int64_t i = 0; i < samples; i++)
        seen[i] = labels != NULL ? labels->of[i] : -1;
    if (options->labelled != NULL && labels != NULL)
        TSR_TRY(hide_labels(seen, labels, options));
    for (int64_t i = 0; i < samples; i++)
        known += seen[i] >= 0;
    if (needed_by != NULL && known == 0)
        TSR_FAIL(TSR_ERROR_DATA,
                 "%s needs labels, and %s has none that the learner may see: --labels FILE",
                 needed_by, tsr_data_origin(data));
    if (needed_by != NULL && classes < 2)
        TSR_FAIL(TSR_ERROR_DATA, "%s needs at least two classes, and %s has %d", needed_by,
                 tsr_data_origin(data), classes);
done:
    return status;
}
