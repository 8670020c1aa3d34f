/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The public header alone, as strict C11. */
#include "tessera/tessera.h"

extern int header_is_enough;
int header_is_enough = (int)TSR_OK;
