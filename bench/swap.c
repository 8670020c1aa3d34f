/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a swap of two ranks costs: microseconds of a short one, and bytes a second of a long one, as
 * libtessera-mpi makes them; and bytes a second that a rank adds up.
 *     mpirun -n 2 swap */
#include <tessera/mpi.h>

#include <stdio.h>
#include <stdlib.h>

static double seconds_of(tsr_team *team, char *out, char *in, int64_t bytes, int times)
{
    const int other = team->rank ^ 1;
    double begin = 0;
    for (int i = -times / 4; i < times; i++) { /* the first ones are not counted */
        if (i == 0)
            begin = MPI_Wtime();
        if (team->swap(team->user, other, out, bytes, other, in, bytes) < 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return (MPI_Wtime() - begin) / times;
}

int main(int count, char **argument)
{
    enum { LONG = 1 << 23, SHORT = 8 };
    int given = 0;
    tsr_team *team = NULL;
    char *out = calloc(LONG, 1), *in = calloc(LONG, 1);
    MPI_Init_thread(&count, &argument, MPI_THREAD_FUNNELED, &given);
    if (out == NULL || in == NULL || tsr_mpi_team_create(&team, MPI_COMM_WORLD) < 0 ||
        team->ranks != 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
    const double brief = seconds_of(team, out, in, SHORT, 10000),
                 lengthy = seconds_of(team, out, in, LONG, 40);
    double *sum = (double *)(void *)in, begin = MPI_Wtime();
    const double *more = (const double *)(const void *)out;
    for (int t = 0; t < 20; t++)
        for (int64_t i = 0; i < LONG / 8; i++)
            sum[i] += more[i] + t;
    const double adds = (MPI_Wtime() - begin) / 20;
    if (team->rank == 0)
        printf("{\"latency\": %.4g, \"bandwidth\": %.4g, \"adding\": %.4g, \"check\": %g}\n",
               brief, LONG / lengthy, LONG / adds, sum[7]);
    free(out);
    free(in);
    tsr_mpi_team_free(team);
    MPI_Finalize();
    return 0;
}
