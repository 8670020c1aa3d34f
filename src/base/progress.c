/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reporting on long work. */
#include "base/progress.h"

#include <time.h>

double tsr__clock(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

tsr__task tsr__task_begin(const tsr_progress *progress, const char *name, int64_t total)
{
    return (tsr__task){progress, name, total, tsr__clock(), NULL};
}

tsr_status tsr__task_step(const tsr__task *task, int64_t done, double objective, double change)
{
    if (task->progress == NULL || task->progress->report == NULL)
        return TSR_OK;
    const tsr_step step = {.task = task->name,
                           .done = done,
                           .total = task->total,
                           .seconds = tsr__clock() - task->start,
                           .objective = objective,
                           .change = change,
                           .note = task->note};
    if (task->progress->report(task->progress->user, &step))
        return TSR_OK;
    return tsr__fail(TSR_ERROR_INTERRUPTED, "%s was stopped after %lld of %lld", task->name,
                     (long long)done, (long long)task->total);
}
