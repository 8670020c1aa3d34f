// SPDX-License-Identifier: BSD-2-Clause
//
// The public header alone, as C++.
#include "tessera/tessera.h"

extern const char *header_is_enough();
const char *header_is_enough()
{
    return tsr_version();
}
