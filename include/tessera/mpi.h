/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Teams over MPI: libtessera-mpi. libtessera itself knows nothing of MPI.
 *
 *     MPI_Init(&count, &argument);
 *     tsr_team *team = NULL;
 *     tsr_read_options read;
 *     tsr_settings_default(tsr_read_settings(), &read);
 *     if (tsr_mpi_team_create(&team, MPI_COMM_WORLD) < 0)
 *         MPI_Abort(MPI_COMM_WORLD, 1);
 *     read.team = team;
 *     .. tsr_data_read, tsr_fit, .. on all ranks; the first writes what came of it
 *     tsr_mpi_team_free(team);
 *     MPI_Finalize();
 *
 * MPI must be there before and after, MPI_THREAD_FUNNELED where fits are called by the thread that
 * called MPI_Init, else MPI_THREAD_SERIALIZED. Errors of MPI go to the communicator's error handler,
 * which unless the program says otherwise ends all ranks. */
#ifndef TESSERA_MPI_H
#define TESSERA_MPI_H

#include <mpi.h>

#include <tessera/tessera.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A team of the ranks of `comm`, by messages of a duplicate of it, which belongs to the team. All ranks
 * make and free it together; it must outlive the data that were read for it. */
TSR_API tsr_status tsr_mpi_team_create(tsr_team **out, MPI_Comm comm);
TSR_API void tsr_mpi_team_free(tsr_team *team);

#ifdef __cplusplus
}
#endif

#endif
