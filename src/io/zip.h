/* SPDX-License-Identifier: BSD-2-Clause
 *
 * libzip as .npz files need it, loaded with the first of them. */
#ifndef TSR_IO_ZIP_H
#define TSR_IO_ZIP_H

#include "base/status.h"

#include <zip.h>

#define TSR_ZIP_FUNCTIONS(X)                                                                   \
    X(close)                                                                                   \
    X(discard)                                                                                 \
    X(error_fini)                                                                              \
    X(error_init)                                                                              \
    X(error_init_with_code)                                                                    \
    X(error_strerror)                                                                          \
    X(fclose)                                                                                  \
    X(file_add)                                                                                \
    X(file_get_error)                                                                          \
    X(file_set_dostime)                                                                        \
    X(fopen_index)                                                                             \
    X(fread)                                                                                   \
    X(get_error)                                                                               \
    X(get_name)                                                                                \
    X(get_num_entries)                                                                         \
    X(open)                                                                                    \
    X(set_file_compression)                                                                    \
    X(source_buffer_fragment_create)                                                           \
    X(source_free)                                                                             \
    X(stat_index)

#define TSR_ZIP_POINTER(name) __typeof__(zip_##name) *name;

typedef struct tsr__zip_functions {
    TSR_ZIP_FUNCTIONS(TSR_ZIP_POINTER)
} tsr__zip_functions;

/* Good once tsr__zip_need has returned TSR_OK. */
extern tsr__zip_functions tsr__zip;

tsr_status tsr__zip_need(void);

#endif
