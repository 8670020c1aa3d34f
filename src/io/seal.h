/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Seals: a checksum behind the last byte of a file, where the file's own format does not look.
 *
 *     "TSR-SEAL"   8 bytes
 *     length       8 bytes, little-endian: bytes of the file before the seal
 *     crc32        4 bytes, little-endian, of those bytes (the polynomial of zip and PNG)
 *     0            4 bytes
 *
 * HDF5 keeps the end of what is its own in its first block and leaves the rest alone; a program
 * that changes the file cuts the seal off. So a file without one is as good as one that never had
 * one, and a seal that does not fit means damage. It is no protection against malice. */
#ifndef TSR_IO_SEAL_H
#define TSR_IO_SEAL_H

#include "base/status.h"

/* Puts a seal behind a complete file. O(bytes). */
tsr_status tsr__seal_put(const char *path);

/* Fails where there is a seal and the file is not what was sealed. O(bytes), nothing kept. */
tsr_status tsr__seal_check(const char *path);

#endif
