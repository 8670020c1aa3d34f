/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What teams say over MPI, and that it may be longer than MPI can count: messages, sums, parts and
 * exchanges of more than 2^31 bytes, for any number of ranks.
 *     mpirun -n RANKS large [BYTES]     how long the long message is; 2^31 + 12345 */
#include <tessera/mpi.h>

#include <stdio.h>
#include <stdlib.h>

#define check(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);      \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                      \
        }                                                                                      \
    } while (0)

enum { MARKS = 9 };

/* Bytes that are looked at: both ends, and where pieces may meet. */
static int64_t place(int64_t mark, int64_t bytes)
{
    static const int64_t piece = (int64_t)1 << 30;
    const int64_t all[MARKS] = {
        0, 1, bytes / 3, piece - 1, piece, 2 * piece - 1, 2 * piece, bytes - 2, bytes - 1};
    return all[mark] < bytes ? all[mark] : 0;
}

static unsigned char sign(int rank, int64_t at)
{
    return (unsigned char)(1 + (rank * 31 + at) % 251);
}

/* Around the ring, each to the next and from the one before, at once. */
static void swap_long(tsr_team *team, int64_t bytes)
{
    const int to = (team->rank + 1) % team->ranks,
              from = (team->rank + team->ranks - 1) % team->ranks;
    unsigned char *out = calloc((size_t)bytes, 1), *in = calloc((size_t)bytes, 1);
    check(out != NULL && in != NULL);
    for (int64_t i = 0; i < MARKS; i++)
        out[place(i, bytes)] = sign(team->rank, place(i, bytes));
    check(team->swap(team->user, to, out, bytes, from, in, bytes) == TSR_OK);
    for (int64_t i = 0; i < MARKS; i++)
        check(in[place(i, bytes)] == sign(from, place(i, bytes)));
    check(team->swap(team->user, to, out, 3, -1, NULL, 0) == TSR_OK);
    check(team->swap(team->user, -1, NULL, 0, from, in, 3) == TSR_OK);
    free(out);
    free(in);
}

/* Every rank brings i + rank at i, in parts that are as equal as can be. */
static void sum_and_gather(tsr_team *team, int64_t count)
{
    const int64_t ranks = team->ranks, own = team->rank;
    double *sums = malloc((size_t)count * sizeof *sums), wanted = 0;
    int64_t *first = calloc((size_t)ranks, sizeof *first),
            *many = calloc((size_t)ranks, sizeof *many);
    check(sums != NULL && first != NULL && many != NULL);
    for (int64_t i = 0; i < count; i++)
        sums[i] = (double)(i + own);
    for (int64_t r = 0; r < ranks; r++) {
        first[r] = r * count / ranks;
        many[r] = (r + 1) * count / ranks - first[r];
        wanted += (double)r;
    }
    if ((ranks & (ranks - 1)) == 0) { /* for other numbers the library cuts them itself */
        check(team->sum_scatter(team, sums, first, many) == TSR_OK);
        for (int64_t i = first[own]; i < first[own] + many[own]; i++)
            check(sums[i] == (double)(i * ranks) + wanted);
    }
    for (int64_t i = first[own]; i < first[own] + many[own]; i++)
        sums[i] = (double)i;
    for (int64_t r = 0; r < ranks; r++)
        first[r] *= (int64_t)sizeof *sums, many[r] *= (int64_t)sizeof *sums;
    check(team->gather(team, sums, first, many) == TSR_OK);
    for (int64_t i = 0; i < count; i++)
        check(sums[i] == (double)i);
    free(sums);
    free(first);
    free(many);
}

static void agree(tsr_team *team)
{
    int64_t least = 100 + (team->rank + 1) % team->ranks;
    check(team->agree(team, &least) == TSR_OK);
    check(least == 100);
}

int main(int count, char **argument)
{
    int given = 0;
    tsr_team *team = NULL;
    check(MPI_Init_thread(&count, &argument, MPI_THREAD_FUNNELED, &given) == MPI_SUCCESS);
    check(tsr_mpi_team_create(&team, MPI_COMM_WORLD) == TSR_OK);
    const int64_t bytes =
        count > 1 ? strtoll(argument[1], NULL, 10) : ((int64_t)1 << 31) + 12345;
    swap_long(team, bytes);
    sum_and_gather(team, 1000003);
    agree(team);
    if (team->rank == 0)
        printf("%d ranks said %lld bytes to each other\n", team->ranks, (long long)bytes);
    tsr_mpi_team_free(team);
    MPI_Finalize();
    return 0;
}
