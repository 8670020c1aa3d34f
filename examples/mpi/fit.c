/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Several processes make one model: each reads its share of the samples, all get the same parts.
 *     mpirun -n 2 ./fit swimmer.h5 [MODEL.h5] */
#include <stdio.h>
#include <tessera/mpi.h>

/* What one rank cannot do, none does; all have the message, and the first says it. */
static tsr_status learn(tsr_model **out, tsr_team *team, const char *path)
{
    tsr_data *data = NULL;
    tsr_read_options reading;
    tsr_fit_options options;
    tsr_fit_defaults(&options);
    options.model = "nmf";
    options.rank = 17;
    options.seed = 1;
    tsr_settings_default(tsr_read_settings(), &reading);
    reading.team = team; /* from here on every call knows whose data these are */
    tsr_status status = tsr_data_read(&data, path, &reading);
    if (status == TSR_OK)
        status = tsr_fit(out, data, &options);
    tsr_data_free(data);
    return status;
}

static tsr_status run(tsr_team *team, const char *path, const char *output)
{
    tsr_model *model = NULL;
    tsr_status status = learn(&model, team, path);
    if (status == TSR_OK && team->rank == 0) {
        const tsr_fit_report report = tsr_model_report(model);
        printf("%d ranks, %s: objective %.6g after %lld iterations\n", team->ranks,
               report.model, report.objective, (long long)report.iterations);
        if (output != NULL)
            status = tsr_model_write(model, output); /* if this fails, all hear of it */
    }
    tsr_model_free(model);
    return status;
}

int main(int count, char **argument)
{
    int given = 0;
    tsr_team *team = NULL;
    MPI_Init_thread(&count, &argument, MPI_THREAD_FUNNELED, &given);
    if (count < 2 || tsr_mpi_team_create(&team, MPI_COMM_WORLD) < 0) {
        fprintf(stderr, "usage: mpirun -n RANKS %s DATA [MODEL.h5]\n", argument[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const char *output = count > 2 ? argument[2] : NULL;
    tsr_team_enter(team);
    const tsr_status status = tsr_team_leave(team, run(team, argument[1], output));
    if (status < 0 && team->rank == 0)
        fprintf(stderr, "%s\n", tsr_message());
    tsr_mpi_team_free(team);
    MPI_Finalize();
    return status < 0;
}
