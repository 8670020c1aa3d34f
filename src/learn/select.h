/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A choice of rank and weight from the inside. */
#ifndef TSR_LEARN_SELECT_H
#define TSR_LEARN_SELECT_H

#include "base/status.h"

struct tsr_selection {
    tsr_selection_report about;
    tsr_candidate *candidate;
};

/* lists.c: what a list of ranks or weights says, owned by the caller. Ranks are from 1, each once
 * and at most 10,000; `text` of weights may be NULL: none. */
tsr_status tsr__ranks_parse(int64_t **out, int64_t *count, const char *text);
tsr_status tsr__weights_parse(double **out, int64_t *count, const char *text);

#endif
