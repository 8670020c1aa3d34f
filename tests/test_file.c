/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files at the border to the system: inputs that shrink, what dead writers leave behind, links,
 * names as long as can be, files that are no files. */
#include "folder.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static bool exists(const char *name)
{
    struct stat about;
    return lstat(path_of(name), &about) == 0;
}

static int64_t size_of(const char *name)
{
    struct stat about;
    return stat(path_of(name), &about) == 0 ? about.st_size : -1;
}

/* How many temporaries are in the folder. */
static int temporaries(void)
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += strstr(entry->d_name, ".tmp") != NULL;
    (void)closedir(entries);
    return count;
}

/* Writes `text` to a file, or into the file `inside` of a folder, as formats do. */
static tsr_status write_text(const char *path, const char *inside, const char *text)
{
    tsr_status status = TSR_OK;
    tsr__output output = {NULL, NULL, 0};
    FILE *stream = NULL;
    char place[2048];
    TSR_TRY(tsr__output_begin(&output, path, inside != NULL));
    (void)snprintf(place, sizeof place, "%s%s%s", output.temporary, inside != NULL ? "/" : "",
                   inside != NULL ? inside : "");
    TSR_TRY(tsr__stream_open(&stream, place));
    (void)fputs(text, stream);
    TSR_TRY(tsr__stream_close(stream, TSR_OK));
    TSR_TRY(tsr__output_commit(&output));
done:
    tsr__output_abandon(&output);
    return status;
}

/* Bytes that were read stay, whatever becomes of the file. */
static void an_input_outlives_its_file(void **state)
{
    char bytes[3 * 4096];
    tsr__input input = {NULL, 0, false};
    (void)state;
    memset(bytes, 'x', sizeof bytes);
    put_bytes("cut.csv", bytes, sizeof bytes);
    check_ok(tsr__input_open(&input, path_of("cut.csv")));
    assert_int_equal(truncate(path_of("cut.csv"), 0), 0);
    assert_memory_equal(input.bytes, bytes, sizeof bytes);
    tsr__input_close(&input);
}

/* Cuts a file and makes it long again until it is killed. */
static pid_t begin_cutting(const char *path, int64_t size)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)alarm(60);
        for (;;)
            if (truncate(path, 100) != 0 || truncate(path, size) != 0)
                _exit(1);
    }
    return child;
}

/* A file that is cut while it is read is an error in words. */
static void a_shrinking_input_is_told(void **state)
{
    enum { SIZE = 1 << 24, PATIENCE = 50 }; /* seconds: the other process must have its turn */
    int told = 0;
    const time_t start = time(NULL);
    (void)state;
    put_bytes("shrinks.csv", "", 0);
    const pid_t child = begin_cutting(path_of("shrinks.csv"), SIZE);
    while (told == 0 && time(NULL) - start < PATIENCE) {
        tsr__input input = {NULL, 0, false};
        if (tsr__input_open(&input, path_of("shrinks.csv")) < 0) {
            assert_non_null(strstr(tsr_message(), "became shorter while it was read"));
            told++;
        }
        tsr__input_close(&input);
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(told, 1);
}

/* A process that has begun an output, written into it, and was killed. */
static void die_within(const char *path, bool whole_folder)
{
    int ready[2], code = 0;
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tsr__output output = {NULL, NULL, 0};
        (void)alarm(60);
        if (tsr__output_begin(&output, path, whole_folder) < 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &code, 0), child);
    (void)close(ready[0]);
    (void)close(ready[1]);
}

static void the_next_output_removes_what_the_dead_left(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        const char *path = path_of(whole ? "pictures" : "model.h5");
        die_within(path, whole);
        die_within(path, whole);
        die_within(path_of("another.h5"), false);
        assert_int_equal(temporaries(), 2); /* the second removed the first */
        check_ok(write_text(path, whole ? "a.txt" : NULL, "new"));
        assert_int_equal(temporaries(), 1);
        check_ok(write_text(path_of("another.h5"), NULL, "new"));
        assert_int_equal(temporaries(), 0);
    }
}

/* Another writer that lives keeps what it writes, here one of this very process. */
static void the_living_keep_theirs(void **state)
{
    tsr__output one = {NULL, NULL, 0};
    char kept[2048];
    (void)state;
    check_ok(tsr__output_begin(&one, path_of("both.csv"), false));
    (void)snprintf(kept, sizeof kept, "%s", one.temporary);
    check_ok(write_text(path_of("both.csv"), NULL, "two"));
    assert_int_equal(access(kept, F_OK), 0);
    check_ok(tsr__output_commit(&one));
    tsr__output_abandon(&one);
    assert_int_equal(size_of("both.csv"), 0);
    assert_int_equal(temporaries(), 0);
}

/* What only looks like ours, a file or a link, is nobody's business. */
static void foreign_names_stay(void **state)
{
    (void)state;
    put_bytes(".x.csv.1-0.tmp", "mine", 4);
    put_bytes(".x.csv.notes.tmp", "mine", 4);
    put_bytes("elsewhere/lock", "", 0);
    assert_int_equal(symlink(path_of("elsewhere"), path_of(".x.csv.999999999-0.tmp")), 0);
    check_ok(write_text(path_of("x.csv"), NULL, "new"));
    assert_true(exists(".x.csv.1-0.tmp") && exists(".x.csv.notes.tmp"));
    assert_true(exists(".x.csv.999999999-0.tmp") && exists("elsewhere/lock"));
    assert_int_equal(remove(path_of(".x.csv.1-0.tmp")), 0);
    assert_int_equal(remove(path_of(".x.csv.notes.tmp")), 0);
    assert_int_equal(remove(path_of(".x.csv.999999999-0.tmp")), 0);
}

/* A link stays a link, whether or not its file is there, and from wherever it is followed. */
static void links_stay(void **state)
{
    static const struct {
        const char *link, *to, *file;
    } links[] = {{"alone.csv", "gone.csv", "gone.csv"},
                 {"first.csv", "second.csv", "third.csv"},
                 {"in/here.csv", "../up.csv", "up.csv"}};
    (void)state;
    put_bytes("in/a", "", 0);
    assert_int_equal(symlink("third.csv", path_of("second.csv")), 0);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        struct stat about;
        assert_int_equal(symlink(links[i].to, path_of(links[i].link)), 0);
        for (int64_t again = 1; again < 3; again++) {
            check_ok(write_text(path_of(links[i].link), NULL, again == 1 ? "1" : "22"));
            assert_int_equal(lstat(path_of(links[i].link), &about), 0);
            assert_true(S_ISLNK(about.st_mode));
            assert_int_equal(size_of(links[i].file), again);
        }
    }
    assert_int_equal(symlink("circle.csv", path_of("circle.csv")), 0);
    check_fails(write_text(path_of("circle.csv"), NULL, "x"), TSR_ERROR_IO, "leads to itself");
    assert_int_equal(symlink("no/such.csv", path_of("nowhere.csv")), 0);
    check_fails(write_text(path_of("nowhere.csv"), NULL, "x"), TSR_ERROR_IO,
                "cannot write there");
    assert_int_equal(temporaries(), 0);
}

/* The longest name that there can be; and those that agree up to its last bytes are not it. */
static void names_of_255_bytes(void **state)
{
    enum { LONGEST = 255 };
    char one[LONGEST + 1], two[LONGEST + 1], path[1600];
    (void)state;
    for (int i = 0; i < LONGEST; i++) /* two bytes a letter: none is cut */
        one[i] = "\xc3\xa9"[i % 2];
    memcpy(one + LONGEST - 5, "x.csv", 6);
    memcpy(two, one, sizeof one);
    two[LONGEST - 5] = 'y';
    (void)snprintf(path, sizeof path, "%s/%s", folder, two);
    die_within(path, false);
    check_ok(write_text(path_of(one), NULL, "long"));
    assert_int_equal(size_of(one), 4);
    assert_int_equal(temporaries(), 1);
    check_ok(write_text(path_of(two), NULL, "long"));
    assert_int_equal(temporaries(), 0);
    /* one more is told before the work, not by the rename */
    (void)snprintf(path, sizeof path, "%s/%sx", folder, one);
    check_fails(tsr__output_check(path, false), TSR_ERROR_IO, "File name too long");
    assert_int_equal(temporaries(), 0);
}

/* Formats that seek do not wait for a pipe to be written. */
static void pipes_are_refused_where_files_are_needed(void **state)
{
    static const char *const names[] = {"p.mat", "p.h5", "p.hdf5", "p.npz"};
    tsr_data *data = NULL;
    (void)state;
    (void)alarm(60); /* should it wait after all */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(mkfifo(path_of(names[i]), 0600), 0);
        check_fails(tsr_data_read(&data, path_of(names[i]), NULL), TSR_ERROR_IO,
                    "make a file of it first");
    }
    (void)alarm(0);
}

static void a_check_leaves_nothing(void **state)
{
    (void)state;
    check_ok(tsr__output_check(path_of("later.h5"), false));
    assert_false(exists("later.h5"));
    check_fails(tsr__output_check(path_of("no/such.h5"), false), TSR_ERROR_IO,
                "cannot write there: No such file");
    put_bytes("a-folder/a", "", 0);
    check_fails(tsr__output_check(path_of("a-folder"), false), TSR_ERROR_IO, "is a folder");
    assert_int_equal(temporaries(), 0);
}

static void memory_may_fail(void **state)
{
    (void)state;
    check_starved(write_text(path_of("starved.csv"), NULL, "x"), (void)0);
    assert_int_equal(temporaries(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_outlives_its_file),
        cmocka_unit_test(a_shrinking_input_is_told),
        cmocka_unit_test(the_next_output_removes_what_the_dead_left),
        cmocka_unit_test(the_living_keep_theirs),
        cmocka_unit_test(foreign_names_stay),
        cmocka_unit_test(links_stay),
        cmocka_unit_test(names_of_255_bytes),
        cmocka_unit_test(pipes_are_refused_where_files_are_needed),
        cmocka_unit_test(a_check_leaves_nothing),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
