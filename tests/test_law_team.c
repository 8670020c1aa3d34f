/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The law of teams: the same plan makes the same bits for any number of ranks that divides its leaves,
 * and for other numbers nearly the same, for every row of the model table that a team has; what a team
 * cannot have it refuses, on all ranks alike. Ranks are threads (band.h). */
#include "lab.h"

#include "band.h"

#include <math.h>

typedef struct sharing {
    const tsr_data *data;
    const tsr_fit_options *options;
    const tsr_model *from;
    tsr_model *model[BAND_MOST];
    tsr_status status[BAND_MOST];
    char message[BAND_MOST][512];
} sharing;

static void fit_share(tsr_team *team, void *context)
{
    sharing *s = context;
    tsr_data own = *s->data;
    own.team = team;
    tsr_model **out = &s->model[team->rank];
    s->status[team->rank] = s->from != NULL ? tsr_fit_resume(out, &own, s->from, s->options)
                                            : tsr_fit(out, &own, s->options);
    (void)snprintf(s->message[team->rank], sizeof s->message[0], "%s", tsr_message());
}

static void end_sharing(sharing *s)
{
    for (int r = 0; r < BAND_MOST; r++)
        tsr_model_free(s->model[r]);
}

/* One process with the plan of a team, and teams of some sizes. */
static void same_for_any_ranks(const tsr_data *data, lab_options *options, const char *what)
{
    options->o.plan = TSR_PLAN_TEAM;
    tsr_model *alone = lab_fit(data, &options->o);
    for (int ranks = 2; ranks <= 8; ranks *= 2) {
        sharing s = {.data = data, .options = &options->o};
        band_run(ranks, fit_share, &s);
        for (int r = 0; r < ranks; r++) {
            if (s.status[r] != TSR_OK)
                fail_msg("%s, rank %d of %d: %s", what, r, ranks, s.message[r]);
            if (!lab_same_models(alone, s.model[r]))
                fail_msg("%s: rank %d of %d has another model", what, r, ranks);
        }
        end_sharing(&s);
    }
    tsr_model_free(alone);
}

static bool has_kernel(const char *name)
{
    (void)name;
    return false;
}

static void every_row_is_the_same(void **state)
{
    static const char *const solvers[] = {"auto", "mu"};
    tsr_model_info info;
    lab l = lab_make(230, 40, 3, 0, 31);
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        for (int64_t row = 0; tsr_models_get(&info, row); row++)
            for (int solver = 0; solver < 2 && !has_kernel(info.name); solver++) {
                lab_options options;
                lab_options_of(&options, 6, "rank=6 model=%s solver=%s threads=1", info.name,
                               solvers[solver]);
                same_for_any_ranks(data, &options, info.name);
            }
        tsr_data_free(data);
    }
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
