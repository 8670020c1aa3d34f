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

#endif
