/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matrices of a file or in memory, opened alike. */
#include "factor/given.h"

#include "matrix/store.h"

tsr_status tsr__given_open(tsr__given *out, const char *path, const tsr_matrix *matrix,
                           const char *name)
{
    *out = (tsr__given){matrix, path != NULL ? path : name, NULL};
    if (path == NULL)
        return tsr__matrix_need(matrix, name);
    const tsr_status status = tsr_data_read(&out->data, path, NULL);
    out->x = tsr_data_samples(out->data);
    return status;
}

void tsr__given_close(tsr__given *given)
{
    tsr_data_free(given->data);
}
