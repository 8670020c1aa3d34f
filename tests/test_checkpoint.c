/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Checkpoints that cannot be written: before the fit they are refused, within it they are told
 * and tried again. The library's clock is ours here, so that every iteration takes a minute. */
#include "base/progress.h"
#include "folder.h"
#include "lab.h"

double __wrap_tsr__clock(void);

double __wrap_tsr__clock(void)
{
    static double now;
    return now += 61;
}

enum { ITERATIONS = 12, LOST = 4, BACK = 8 };

typedef struct watch {
    int64_t steps, warnings, warned_at;
    bool breaks; /* the folder of the checkpoint goes away, and comes back */
} watch;

static bool look(void *user, const tsr_step *step)
{
    watch *w = user;
    w->steps++;
    if (step->note != NULL) {
        assert_non_null(strstr(step->note, "keep/c.h5: cannot write there"));
        w->warnings++;
        w->warned_at = step->done;
    }
    if (w->breaks && step->done == LOST)
        assert_int_equal(rename(path_of("keep"), path_of("gone")), 0);
    if (w->breaks && step->done == BACK)
        assert_int_equal(mkdir(path_of("keep"), 0777), 0);
    return true;
}

static tsr_status fit(tsr_model **out, const tsr_data *data, watch *w, const char *path)
{
    const tsr_progress progress = {look, w};
    tsr_fit_options options;
    tsr_fit_defaults(&options);
    options.rank = 3;
    options.iterations = ITERATIONS;
    options.tolerance = 0;
    options.checkpoint = path;
    options.progress = &progress;
    return tsr_fit(out, data, &options);
}

static int64_t notes_on_checkpoints(const tsr_model *model)
{
    int64_t count = 0;
    for (int64_t i = 0; i < tsr_model_notes(model); i++)
        count += strstr(tsr_model_note(model, i), "checkpoint") != NULL;
    return count;
}

static void a_lost_folder_does_not_end_the_fit(void **state)
{
    lab l = lab_make(20, 15, 2, 0, 1);
    tsr_data *data = lab_data(&l, false);
    watch plain = {0}, w = {.breaks = true};
    tsr_model *alone = NULL, *model = NULL;
    struct stat about;
    (void)state;
    put_bytes("keep/a", "", 0);
    check_ok(fit(&alone, data, &plain, NULL));
    check_ok(fit(&model, data, &w, path_of("keep/c.h5")));
    assert_int_equal(w.steps, ITERATIONS);
    assert_int_equal(w.warnings, 1);
    assert_int_equal(w.warned_at, LOST + 1);
    assert_int_equal(notes_on_checkpoints(alone), 0);
    assert_int_equal(notes_on_checkpoints(model), 1);
    assert_int_equal(stat(path_of("gone/c.h5"), &about), 0);
    assert_int_equal(stat(path_of("keep/c.h5"), &about), 0);
    assert_true(tsr_model_report(model).objective == tsr_model_report(alone).objective);
    tsr_model_free(alone);
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

static void what_cannot_be_is_refused_before_the_fit(void **state)
{
    lab l = lab_make(20, 15, 2, 0, 1);
    tsr_data *data = lab_data(&l, false);
    watch w = {0};
    tsr_model *model = NULL;
    (void)state;
    put_bytes("folder.h5/a", "", 0);
    check_fails(fit(&model, data, &w, path_of("none/c.h5")), TSR_ERROR_IO,
                "none/c.h5: cannot write there");
    check_fails(fit(&model, data, &w, path_of("folder.h5")), TSR_ERROR_IO, "is a folder");
    assert_int_equal(w.steps, 0);
    assert_null(model);
    tsr_data_free(data);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_folder_does_not_end_the_fit),
        cmocka_unit_test(what_cannot_be_is_refused_before_the_fit),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
