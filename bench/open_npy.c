/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What it costs to open a file: prints the seconds and page faults of one tsr_data_read. */
#include "tessera/tessera.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long faults(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

int main(int count, char **argument)
{
    tsr_data *data = NULL;
    if (count != 2) {
        (void)fprintf(stderr, "usage: open_npy FILE\n");
        return 2;
    }
    const double start = now();
    const long before = faults();
    if (tsr_data_read(&data, argument[1], NULL) < 0) {
        (void)fprintf(stderr, "%s\n", tsr_message());
        return 1;
    }
    (void)printf("%.6f %ld\n", now() - start, faults() - before);
    tsr_data_free(data);
    return 0;
}
