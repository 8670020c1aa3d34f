/* SPDX-License-Identifier: BSD-2-Clause
 *
 * mpirun -n RANKS tessera-mpi COMMAND ..: the tool, run by a team. The first rank speaks and writes;
 * what fails on another is told by all, and so by the first. */
#include "cli/command.h"

#include <tessera/mpi.h>

#include <sched.h>
#include <unistd.h>

/* What goes to the streams of C; of a crash its own words may still be seen. */
static void be_silent(void)
{
    FILE *nowhere = fopen("/dev/null", "w");
    if (nowhere != NULL)
        stdout = stderr = nowhere;
}

/* Processors that this rank should take: those it is bound to, and where ranks are bound to none, or to
 * the same, its part of the machine's. */
static int64_t fair_threads(void)
{
    MPI_Comm machine;
    cpu_set_t bound;
    int neighbours = 1;
    const int64_t all = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t own = sched_getaffinity(0, sizeof bound, &bound) == 0 ? CPU_COUNT(&bound) : all;
    (void)MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    (void)MPI_Comm_size(machine, &neighbours);
    (void)MPI_Comm_free(&machine);
    own = own < all / neighbours ? own : all / neighbours;
    return own > 1 ? own : 1;
}

int main(int count, char **argument)
{
    int given = 0;
    cli_crew crew = {.team = NULL};
    if (MPI_Init_thread(&count, &argument, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS)
        return EXIT_FAILED;
    if (tsr_mpi_team_create(&crew.team, MPI_COMM_WORLD) < 0) {
        (void)fprintf(stderr, "tessera-mpi: MPI or memory do not let these ranks be a team\n");
        (void)MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    }
    crew.threads = fair_threads();
    if (crew.team->rank > 0)
        be_silent();
    const int code = tool(count, argument, &crew);
    tsr_mpi_team_free(crew.team);
    (void)MPI_Finalize();
    return code;
}
