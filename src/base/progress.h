/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reporting on long work: a clock and a ticket that passes steps to the caller's callback. */
#ifndef TSR_BASE_PROGRESS_H
#define TSR_BASE_PROGRESS_H

#include "base/status.h"

/* Seconds of a monotonic clock. */
double tsr__clock(void);

typedef struct tsr__task {
    const tsr_progress *progress; /* or NULL */
    const char *name;
    int64_t total;
    double start;
    const char *note; /* for the next step, or NULL */
} tsr__task;

tsr__task tsr__task_begin(const tsr_progress *progress, const char *name, int64_t total);

/* Reports; TSR_ERROR_INTERRUPTED when the callback wants to stop. */
tsr_status tsr__task_step(const tsr__task *task, int64_t done, double objective, double change);

#endif
