/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Read any file or folder, look at it, write it in another format.
 *     cc 01_read.c $(pkg-config --cflags --libs tessera) -o read && ./read faces.mat */
#include <stdio.h>
#include <tessera/tessera.h>

int main(int count, char **argument)
{
    tsr_data *data = NULL;
    tsr_scan scan;
    if (count < 2) {
        fprintf(stderr, "usage: %s DATA [OUTPUT]\n", argument[0]);
        return 2;
    }
    if (tsr_data_read(&data, argument[1], NULL) < 0 ||
        tsr_matrix_scan(&scan, tsr_data_samples(data)) < 0) {
        fprintf(stderr, "%s\n", tsr_message());
        tsr_data_free(data);
        return 1;
    }
    const tsr_matrix *x = tsr_data_samples(data);
    printf("%lld samples of %lld features from %g to %g\n", (long long)tsr_matrix_samples(x),
           (long long)tsr_matrix_features(x), scan.minimum, scan.maximum);
    if (tsr_data_labels(data) != NULL)
        printf("%d classes\n", tsr_labels_classes(tsr_data_labels(data)));
    if (count > 2 && tsr_data_write(data, argument[2]) < 0)
        fprintf(stderr, "%s\n", tsr_message());
    tsr_data_free(data);
    return 0;
}
