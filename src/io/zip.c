/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Loading libzip. */
#include "io/zip.h"

#include "base/library.h"

#define NAME(name) "zip_" #name,

tsr__zip_functions tsr__zip;
static const char *const names[] = {TSR_ZIP_FUNCTIONS(NAME)};
static tsr__library library = TSR_LIBRARY(TSR_LIBZIP, names, tsr__zip);

tsr_status tsr__zip_need(void)
{
    return tsr__library_need(&library);
}
