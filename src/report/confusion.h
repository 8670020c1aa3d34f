/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Classes against predicted classes. */
#ifndef TSR_REPORT_CONFUSION_H
#define TSR_REPORT_CONFUSION_H

#include "report/page.h"

/* Counts (class, predicted), `classes` x `classes`, as a chart above its table, both called `id`. Of
 * many classes those with the most errors are shown, and the page says so. */
tsr_status tsr__page_confusion(tsr_page *page, const char *id, const char *title,
                               const int64_t *counts, const char *const *name, int64_t classes);

#endif
