/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files of the .mat format share. */
#ifndef TSR_IO_MAT_H
#define TSR_IO_MAT_H

#include "base/status.h"

/* Refuses a file of version 4 or 5 that ends before its last variable does, or where
 * zlib or the sizes within say that a variable is damaged. */
tsr_status tsr__mat_check(const char *path);

#endif
