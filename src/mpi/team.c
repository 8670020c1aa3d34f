/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A team over a communicator: messages from rank to rank, in pieces that MPI's counts can tell, and a
 * polite wait. Sums are made of them by the library, in an order that no MPI reduction promises. */
#include <tessera/mpi.h>

#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum { TAG = 1, PIECE = 1 << 30 };

static int piece(int64_t left)
{
    return left < PIECE ? (int)left : PIECE;
}

/* A rank that waits for another should not take its processor: for a while it looks again and again,
 * as fast networks deserve, then it lets others run, then it sleeps for as long as 1/16 of what it has
 * waited. */
static int wait_for(MPI_Request *request, int count)
{
    enum { LOOKS = 1 << 10, YIELDS = 1 << 12, SHORTEST = 1000, LONGEST = 50 * 1000 };
    int done = 0, code = MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE);
    long nap = SHORTEST;
    for (int64_t looks = 0; code == MPI_SUCCESS && !done; looks++) {
        if (looks > YIELDS) {
            const struct timespec time = {.tv_nsec = nap};
            (void)nanosleep(&time, NULL);
            nap = nap + nap / 16 < LONGEST ? nap + nap / 16 : LONGEST;
        } else if (looks > LOOKS) {
            (void)sched_yield();
        }
        code = MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE);
    }
    return code;
}

static tsr_status swap(void *user, int to, const void *send, int64_t sent, int from,
                       void *receive, int64_t wanted)
{
    MPI_Comm *comm = user;
    int code = MPI_SUCCESS;
    sent = to >= 0 ? sent : 0, wanted = from >= 0 ? wanted : 0;
    for (int64_t out = 0, in = 0; code == MPI_SUCCESS && (out < sent || in < wanted);) {
        MPI_Request request[2];
        int requests = 0;
        if (in < wanted)
            code = MPI_Irecv((char *)receive + in, piece(wanted - in), MPI_BYTE, from, TAG,
                             *comm, &request[requests++]);
        if (code == MPI_SUCCESS && out < sent)
            code = MPI_Isend((const char *)send + out, piece(sent - out), MPI_BYTE, to, TAG,
                             *comm, &request[requests++]);
        if (code == MPI_SUCCESS)
            code = wait_for(request, requests);
        out += piece(sent - out), in += piece(wanted - in);
    }
    return code == MPI_SUCCESS ? TSR_OK : TSR_ERROR_IO;
}

tsr_status tsr_mpi_team_create(tsr_team **out, MPI_Comm comm)
{
    int rank = 0, ranks = 0;
    tsr_status status = TSR_ERROR_IO;
    MPI_Comm *own = malloc(sizeof *own);
    if (own == NULL)
        return TSR_ERROR_MEMORY;
    if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(comm, &ranks) != MPI_SUCCESS || MPI_Comm_dup(comm, own) != MPI_SUCCESS) {
        free(own);
        return status;
    }
    status = tsr_team_create(out, rank, ranks, swap, own);
    if (status < 0) {
        (void)MPI_Comm_free(own);
        free(own);
    }
    return status;
}

void tsr_mpi_team_free(tsr_team *team)
{
    if (team == NULL)
        return;
    (void)MPI_Comm_free(team->user);
    free(team->user);
    tsr_team_free(team);
}
