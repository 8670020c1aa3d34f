/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Outside libraries that few calls need, loaded by the first that does: a program that never
 * opens an .npz or asks for eigenvectors does not pay for libraries that are several times as
 * large as this one, with all that they bring along.
 *
 * The folder that a library belongs to lists what it calls, once (matrix/lapack.c is the
 * example):
 *
 *     #define FUNCTIONS(X) X(dsyevd) X(dposv)
 *     #define POINTER(name) __typeof__(LAPACKE_##name) *name;
 *     #define NAME(name) "LAPACKE_" #name,
 *     static struct { FUNCTIONS(POINTER) } lapack;
 *     static const char *const names[] = {FUNCTIONS(NAME)};
 *     static tsr__library library = TSR_LIBRARY(TSR_LAPACKE, names, lapack);
 *
 * Headers declare, so calls are checked as ever; the file's name is that of the library which
 * was there at build time, with the version of its interface. */
#ifndef TSR_BASE_LIBRARY_H
#define TSR_BASE_LIBRARY_H

#include "base/status.h"

#include <stdatomic.h>

typedef struct tsr__library {
    const char *file; /* as the system's loader knows it: libzip.so.4 */
    const char *const *names;
    size_t count;
    void *functions; /* as many pointers as names */
    _Atomic bool ready;
} tsr__library;

#define TSR_LIBRARY(file_, names_, functions_)                                                 \
    {                                                                                          \
        .file = (file_), .names = (names_), .count = sizeof(names_) / sizeof *(names_),        \
        .functions = &(functions_)                                                             \
    }

/* Before the first use of its functions, by any thread, as often as wanted. It stays loaded. */
tsr_status tsr__library_need(tsr__library *library);

/* In a child of a fork, where whoever was loading one no longer is. */
void tsr__library_after_fork(void);

#endif
