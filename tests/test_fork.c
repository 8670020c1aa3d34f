/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Processes that are forked: of one that has fitted, or that fits while it forks, a child and a
 * child's child fit with the bits of their parent, on as many threads, and nobody waits for ever.
 * OpenMP's threads do not cross a fork, but what it remembers of them does (matrix/parallel.c). */
#include "lab.h"

#include "matrix/parallel.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 60, SIZE = 256 }; /* seconds of a child; bytes of what it tells */

/* Forks beside a fit. The allocator of gcc's address sanitizer, unlike glibc's, may be locked by
 * another thread at a fork, and stays so in the child: 2 of some 16 runs with it hung there, of 300
 * forks without it none. */
#if defined(__SANITIZE_ADDRESS__)
enum { BESIDE = 0 };
#else
enum { BESIDE = 5 };
#endif

/* Large enough for two threads: 2 MB in blocks of 512 kB. */
static lab large(void)
{
    return lab_make(2000, 120, 3, 0.01, 7);
}

/* The figures of a fit, as exact text. */
static void fit_as_text(char *out, const tsr_data *data, const char *model)
{
    lab_options with;
    lab_options_of(&with, 8, "model=%s rank=6 threads=2 seed=3", model);
    tsr_model *fitted = lab_fit(data, &with.o);
    const tsr_fit_report report = tsr_model_report(fitted);
    (void)snprintf(out, SIZE, "%a %a %a %s", report.objective, report.optimality,
                   tsr_matrix_at(tsr_model_codes(fitted), 1999, 5), tsr_model_plan(fitted, 1));
    tsr_model_free(fitted);
}

/* What `depth` generations of processes say of the same fit; the last one tells. */
static void fit_below(char *out, const tsr_data *data, const char *model, int depth)
{
    int ends[2], code = 0;
    ssize_t got = 0;
    memset(out, 0, SIZE);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char text[SIZE] = "";
        (void)alarm(PATIENCE);
        if (depth > 1) {
            fit_as_text(text, data, model); /* this one has threads of its own, too */
            fit_below(text, data, model, depth - 1);
        } else {
            fit_as_text(text, data, model);
        }
        _exit(write(ends[1], text, SIZE) == SIZE ? 0 : 1);
    }
    (void)close(ends[1]);
    for (ssize_t more = 1; got < SIZE && more > 0; got += more > 0 ? more : 0)
        more = read(ends[0], out + got, (size_t)(SIZE - got));
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &code, 0), child);
    if (!WIFEXITED(code) || WEXITSTATUS(code) != 0)
        fail_msg("%s: the child of depth %d ended with %d (%d: it hung)", model, depth, code,
                 SIGALRM);
}

/* concept rows and the sphere go by turns, cdnmf-kl and nmf by items */
static const char *const models[] = {"nmf", "cdnmf-kl", "cf", "unmf"};
enum { MODELS = sizeof models / sizeof *models };

static void test_children_fit_like_their_parent(void **state)
{
    (void)state;
    lab l = large();
    tsr_data *data = lab_data(&l, false);
    for (int i = 0; i < MODELS; i++) {
        char here[SIZE] = "", there[SIZE];
        fit_as_text(here, data, models[i]);
        for (int depth = 1; depth <= 2; depth++) {
            fit_below(there, data, models[i], depth);
            assert_string_equal(there, here);
        }
    }
    tsr_data_free(data);
    lab_free(&l);
}

/* A fit that goes on in another thread while processes are forked. */
typedef struct busy {
    const tsr_data *data;
    atomic_bool enough;
} busy;

static void *fit_on(void *user)
{
    busy *b = user;
    char text[SIZE];
    while (!atomic_load(&b->enough))
        fit_as_text(text, b->data, "cdnmf-kl");
    return NULL;
}

static void test_forks_beside_a_fit(void **state)
{
    (void)state;
    lab l = large();
    busy b = {.data = lab_data(&l, false)};
    char here[SIZE] = "", there[SIZE];
    pthread_t other;
    fit_as_text(here, b.data, "cdnmf-kl");
    assert_int_equal(pthread_create(&other, NULL, fit_on, &b), 0);
    for (int i = 0; i < BESIDE; i++) {
        fit_below(there, b.data, "cdnmf-kl", 1);
        assert_string_equal(there, here);
    }
    atomic_store(&b.enough, true);
    assert_int_equal(pthread_join(other, NULL), 0);
    tsr_data_free((tsr_data *)(uintptr_t)b.data);
    lab_free(&l);
}

/* Two threads of a child at once: whoever finds the child's threads taken does the work alone. */
static void test_threads_of_a_child(void **state)
{
    (void)state;
    lab l = large();
    tsr_data *data = lab_data(&l, false);
    char here[SIZE] = "";
    int code = 0;
    fit_as_text(here, data, "cdnmf-kl");
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(PATIENCE);
        busy b = {.data = data};
        pthread_t other;
        char text[SIZE] = "";
        if (pthread_create(&other, NULL, fit_on, &b) != 0)
            _exit(2);
        for (int i = 0; i < 5 && (i == 0 || strcmp(text, here) == 0); i++)
            fit_as_text(text, data, "cdnmf-kl");
        atomic_store(&b.enough, true);
        (void)pthread_join(other, NULL);
        _exit(strcmp(text, here) == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
    tsr_data_free(data);
    lab_free(&l);
}

/* A library that is loaded only in the child, of a parent whose OpenMP has a team already. */
static void test_loaded_in_a_child(void **state)
{
    (void)state;
    int code = 0, sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    assert_int_equal(sum, 4950);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(PATIENCE);
        void *library = dlopen(TSR_TEST_LIBRARY, RTLD_NOW);
        tsr_status (*make)(tsr_matrix **, int64_t, int64_t, tsr_type) = NULL;
        tsr_status (*norm)(tsr_matrix *, tsr_norm) = NULL;
        if (library == NULL)
            _exit(2);
        *(void **)&make = dlsym(library, "tsr_matrix_create");
        *(void **)&norm = dlsym(library, "tsr_matrix_normalize");
        tsr_matrix *x = NULL; /* large enough for two threads */
        if (make(&x, 4000, 500, TSR_FLOAT64) < 0 || norm(x, TSR_NORM_L2) < 0)
            _exit(3);
        _exit(dlclose(library) == 0 ? 0 : 4);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    if (!WIFEXITED(code) || WEXITSTATUS(code) != 0)
        fail_msg("the child ended with %d (%d: it hung)", code, SIGALRM);
}

/* Items of the calling thread of a child: progress is heard there, too. */
typedef struct place {
    pthread_t caller;
    atomic_int mine;
} place;

static void note_place(void *context, int64_t item, int thread)
{
    place *p = context;
    (void)item, (void)thread;
    if (pthread_equal(pthread_self(), p->caller))
        (void)atomic_fetch_add(&p->mine, 1);
    const struct timespec pause = {0, 1000000};
    (void)nanosleep(&pause, NULL);
}

static void test_callers_work_along(void **state)
{
    (void)state;
    int code = 0;
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(PATIENCE);
        place p = {.caller = pthread_self()};
        tsr__parallel(200, 2, note_place, &p);
        _exit(atomic_load(&p.mine) > 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_children_fit_like_their_parent),
        cmocka_unit_test(test_forks_beside_a_fit),
        cmocka_unit_test(test_threads_of_a_child),
        cmocka_unit_test(test_loaded_in_a_child),
        cmocka_unit_test(test_callers_work_along),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
