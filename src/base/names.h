/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists of texts: names of samples and features, notes, settings. */
#ifndef TSR_BASE_NAMES_H
#define TSR_BASE_NAMES_H

#include "base/status.h"

/* A list of texts, each owned. */
typedef struct tsr__names {
    char **name;
    int64_t count, room;
} tsr__names;

tsr_status tsr__names_add(tsr__names *names, const char *text);
void tsr__names_clear(tsr__names *names);

#endif
