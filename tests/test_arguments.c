/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every function of tessera.h with every argument wrong in turn. The functions are those that the
 * header declares: arguments.awk makes arguments.inc of it, so a new one is tested by existing.
 *
 * A call with valid arguments (given.h) succeeds. Then one argument after another is replaced:
 * pointers by NULL and by contents that make no sense, numbers by those at the ends of their type,
 * enumerators by others than declared; at last all pointers are NULL. And matrices and data are
 * replaced by such as are not in memory: what cannot read those says so. The answer must be what the
 * header says of arguments, with nothing written and nothing leaked. Each call has a process of
 * its own, so that a crash is a failure of that call and of no other. */
#include "given.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* What arguments.inc is made of --------------------------------------------------------------- */

typedef union argument {
    const void *given;
    void *pointer; /* the same, as calls take it */
    int64_t whole;
    double real;
} argument;

typedef enum way { POINTER, WHOLE, CHOICE, REAL, STRUCT } way;

typedef struct parameter {
    const char *name, *type;
    way way;
    bool may_be_null;
    size_t size;
} parameter;

/* What a function says to arguments that it cannot use. */
typedef enum answer {
    ANSWER_NOTHING,
    ANSWER_STATUS,
    ANSWER_NAN,
    ANSWER_NULL,
    ANSWER_TEXT, /* never NULL */
    ANSWER_ZERO  /* number, flag, or struct of zeros */
} answer;

enum { MOST_PARAMETERS = 12, MOST_ANSWER = 1024, MOST_VARIANTS = 32 };

typedef struct function {
    const char *name;
    answer answer;
    size_t size; /* of the answer */
    void (*call)(void *to, const argument *a);
    int count;
    parameter parameter[MOST_PARAMETERS];
} function;

#include "arguments.inc"

enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* One call ------------------------------------------------------------------------------------ */

/* What is wrong with it. */
typedef enum fault {
    NOTHING_WRONG,
    IS_NULL,
    ALL_NULL,
    IS_BAD,
    IS_NUMBER,
    IS_REAL,
    IS_STORED
} fault;

typedef enum due { SUCCESS, REFUSAL, NO_CRASH } due;

enum { NO_SUCH_VARIANT = 99 }; /* how a process ends whose bad contents are not there */

typedef struct trial {
    const function *function;
    int parameter; /* that is wrong */
    fault fault;
    int variant; /* bad contents: which */
    int64_t whole;
    double real;
    due due;
} trial;

static const provider *provider_of(const function *f, const parameter *p)
{
    for (size_t i = 0; i < sizeof providers / sizeof *providers; i++) {
        const provider *row = &providers[i];
        if (strcmp(row->type, p->type) == 0 &&
            (row->name == NULL || strcmp(row->name, p->name) == 0) &&
            (row->function == NULL || strcmp(row->function, f->name) == 0))
            return row;
    }
    return NULL;
}

static bool whole_of(int64_t *out, const function *f, const parameter *p)
{
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        if (strcmp(wholes[i].name, p->name) == 0 &&
            (wholes[i].function == NULL || strcmp(wholes[i].function, f->name) == 0)) {
            *out = wholes[i].value;
            return true;
        }
    return false;
}

static bool is_pointer(const parameter *p)
{
    return p->way == POINTER || p->way == STRUCT;
}

/* The arguments of a trial; what must stay as it is goes to `watched`. */
static void lay_out(argument *a, given *watched, const trial *t)
{
    const function *f = t->function;
    for (int i = 0; i < f->count; i++) {
        const parameter *p = &f->parameter[i];
        const bool wrong = i == t->parameter;
        const bool null =
            p->way == POINTER && (t->fault == ALL_NULL || (t->fault == IS_NULL && wrong));
        a[i].whole = 0; /* of an enumeration: the first */
        if (is_pointer(p) && !null) {
            const provider *row = provider_of(f, p);
            storing = t->fault == IS_STORED && wrong;
            if (!row->make(&watched[i], row, t->fault == IS_BAD && wrong ? t->variant : 0))
                _exit(NO_SUCH_VARIANT);
            storing = false;
            a[i].given = watched[i].pointer;
        } else if (null) {
            a[i].pointer = NULL;
        } else if (p->way == REAL) {
            a[i].real = t->fault == IS_REAL && wrong ? t->real : 0;
        } else if (t->fault == IS_NUMBER && wrong) {
            a[i].whole = t->whole;
        } else if (p->way == WHOLE) {
            (void)whole_of(&a[i].whole, f, p);
        }
    }
}

static void *copy_of(const given *from)
{
    void *copy = malloc(from->size + 1);
    if (copy == NULL)
        complain("no memory");
    if (from->size > 0)
        memcpy(copy, from->watched, from->size);
    return copy;
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static void check_status(const trial *t, tsr_status status)
{
    char name[64] = "";
    if (t->fault == IS_NULL)
        (void)snprintf(name, sizeof name, "`%s`", t->function->parameter[t->parameter].name);
    if (t->due == SUCCESS && status != TSR_OK)
        complain("valid arguments give %s: %s", tsr_status_name(status), tsr_message());
    if (t->due == REFUSAL && status != TSR_ERROR_ARGUMENT &&
        !(t->fault == IS_BAD && status == TSR_ERROR_DATA))
        complain("gives %s, not argument: %s", tsr_status_name(status), tsr_message());
    if (t->fault == IS_STORED && status < 0 &&
        (status != TSR_ERROR_UNSUPPORTED || strstr(tsr_message(), "memory") == NULL) &&
        strstr(tsr_message(), "view") == NULL) /* what may not be changed is refused as such */
        complain("stored, gives %s: %s", tsr_status_name(status), tsr_message());
    if (status < 0 && *tsr_message() == '\0')
        complain("fails without a message");
    if (t->due == REFUSAL && strstr(tsr_message(), name) == NULL)
        complain("the message does not name it: %s", tsr_message());
    if (t->due == NO_CRASH && t->fault == IS_NULL && status < 0 &&
        strstr(tsr_message(), "must not be NULL") != NULL)
        complain("is refused, though the header allows it: %s", tsr_message());
}

static void check_answer(const trial *t, const unsigned char *bytes)
{
    const function *f = t->function;
    double real = 0;
    memcpy(&real, bytes, sizeof real);
    if (f->answer == ANSWER_TEXT && is_zero(bytes, f->size))
        complain("gives NULL, though never NULL");
    if (t->due != REFUSAL)
        return;
    if (f->answer == ANSWER_NAN && !isnan(real))
        complain("gives %g, not NaN", real);
    if ((f->answer == ANSWER_NULL || f->answer == ANSWER_ZERO) && !is_zero(bytes, f->size))
        complain("gives something, not %s", f->answer == ANSWER_NULL ? "NULL" : "zero");
}

/* In a process of its own. */
static void try_call(const trial *t)
{
    const function *f = t->function;
    argument a[MOST_PARAMETERS];
    given watched[MOST_PARAMETERS] = {{NULL, NULL, 0}};
    void *before[MOST_PARAMETERS];
    unsigned char bytes[MOST_ANSWER] = {0};
    tsr_status status = TSR_OK;
    lay_out(a, watched, t);
    for (int i = 0; i < f->count; i++)
        before[i] = copy_of(&watched[i]);
    const int64_t live = tsr__memory_live();
    f->call(bytes, a);
    memcpy(&status, bytes, sizeof status);
    if (f->answer == ANSWER_STATUS)
        check_status(t, status);
    else
        check_answer(t, bytes);
    if (f->answer == ANSWER_STATUS ? status == TSR_OK : t->due != REFUSAL)
        return;
    for (int i = 0; i < f->count; i++)
        if (watched[i].size > 0 && memcmp(before[i], watched[i].watched, watched[i].size) != 0)
            complain("is refused, and `%s` was written to", f->parameter[i].name);
    if (t->fault != IS_STORED &&
        tsr__memory_live() != live) /* windows stay until it is freed */
        complain("is refused, and %lld allocations are left",
                 (long long)(tsr__memory_live() - live));
}

/* All calls ----------------------------------------------------------------------------------- */

/* Runs `body` in a process of its own and tells how that ended; NULL: well. */
static const char *apart(void (*body)(const trial *), const trial *t, bool *missing)
{
    static const int caught[] = {SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGSYS}; /* by cmocka */
    static char ending[64];
    int state = 0;
    *complaint = '\0';
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
            (void)signal(caught[i], SIG_DFL);
        (void)alarm(60);
        body(t);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &state, 0), child);
    *missing = WIFEXITED(state) && WEXITSTATUS(state) == NO_SUCH_VARIANT;
    if (*missing || (WIFEXITED(state) && WEXITSTATUS(state) == 0))
        return NULL;
    if (*complaint != '\0')
        return complaint;
    if (WIFSIGNALED(state))
        (void)snprintf(ending, sizeof ending, "crashes: %s", strsignal(WTERMSIG(state)));
    else
        (void)snprintf(ending, sizeof ending, "ends the process with %d", WEXITSTATUS(state));
    return ending;
}

static int64_t calls; /* of all functions */
static int wrongs;    /* of the function at hand */

/* One call; false if there is no such variant. */
static bool attempt(const trial *t)
{
    bool missing = false;
    const char *wrong = apart(try_call, t, &missing);
    const char *name = t->function->parameter[t->parameter].name;
    char what[128] = "valid arguments";
    calls += !missing;
    if (wrong == NULL)
        return !missing;
    if (t->fault == ALL_NULL)
        (void)snprintf(what, sizeof what, "all NULL");
    if (t->fault == IS_NULL)
        (void)snprintf(what, sizeof what, "`%s` NULL", name);
    if (t->fault == IS_BAD)
        (void)snprintf(what, sizeof what, "`%s` with bad contents %d", name, t->variant);
    if (t->fault == IS_NUMBER)
        (void)snprintf(what, sizeof what, "`%s` %lld", name, (long long)t->whole);
    if (t->fault == IS_STORED)
        (void)snprintf(what, sizeof what, "`%s` not in memory", name);
    if (t->fault == IS_REAL)
        (void)snprintf(what, sizeof what, "`%s` %g", name, t->real);
    print_error("%s, %s: %s\n", t->function->name, what, wrong);
    wrongs++;
    return true;
}

static bool frees(const function *f)
{
    const size_t length = strlen(f->name);
    return length > 5 && strcmp(f->name + length - 5, "_free") == 0;
}

static bool is_samples(const parameter *p)
{
    static const char *const types[] = {"const tsr_matrix *", "tsr_matrix *",
                                        "const tsr_data *", "tsr_data *"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(p->type, types[i]) == 0)
            return true;
    return false;
}

static void try_pointer(trial t, const parameter *p)
{
    if (is_samples(p)) {
        t.fault = IS_STORED;
        t.due = NO_CRASH;
        (void)attempt(&t);
    }
    if (p->way == POINTER) {
        t.fault = IS_NULL;
        t.due = p->may_be_null || frees(t.function) ? NO_CRASH : REFUSAL;
        (void)attempt(&t);
    }
    t.fault = IS_BAD;
    t.due = t.function->answer == ANSWER_STATUS ? REFUSAL : NO_CRASH;
    for (t.variant = 1; t.variant < MOST_VARIANTS && attempt(&t); t.variant++)
        continue;
}

/* The ends of the type are no number of anything; those between may be. A getter may know -1. */
static void try_number(trial t, const parameter *p)
{
    const bool wide = p->size == sizeof(int64_t), status = t.function->answer == ANSWER_STATUS;
    const bool any = strcmp(p->name, "seed") == 0;
    const int64_t least = wide ? INT64_MIN : INT32_MIN, most = wide ? INT64_MAX : INT32_MAX;
    const struct {
        int64_t value;
        due due;
    } tries[] = {{least, any ? NO_CRASH : REFUSAL},
                 {-1, any || !status ? NO_CRASH : REFUSAL},
                 {0, NO_CRASH},
                 {N, NO_CRASH},
                 {N + 1, NO_CRASH},
                 {most, status ? NO_CRASH : REFUSAL}};
    t.fault = IS_NUMBER;
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        t.whole = tries[i].value;
        t.due = tries[i].due;
        (void)attempt(&t);
    }
}

/* A status below zero is one, and may be what is answered. */
static void try_choice(trial t, const parameter *p)
{
    static const int64_t tries[] = {-1, 99, INT32_MIN, INT32_MAX};
    t.fault = IS_NUMBER;
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        t.whole = tries[i];
        t.due = i == 0 && strcmp(p->type, "tsr_status") == 0 ? NO_CRASH : REFUSAL;
        (void)attempt(&t);
    }
}

static void try_real(trial t)
{
    const double tries[] = {(double)NAN, (double)INFINITY, (double)-INFINITY, -1};
    t.fault = IS_REAL;
    t.due = REFUSAL;
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        t.real = tries[i];
        (void)attempt(&t);
    }
}

/* False, with a sentence, where a parameter has no valid argument. */
static bool is_provided(const function *f, const parameter *p)
{
    int64_t ignored = 0;
    if (is_pointer(p) && provider_of(f, p) == NULL)
        print_error("%s: `%s` is a `%s`, of which tests/given.h knows no valid one: "
                    "add a row to `providers`\n",
                    f->name, p->name, p->type);
    else if (p->way == WHOLE && !whole_of(&ignored, f, p))
        print_error("%s: `%s` is a number, of which tests/given.h knows no valid one: "
                    "add a row to `wholes`\n",
                    f->name, p->name);
    else
        return true;
    return false;
}

static void try_function(void **state)
{
    const function *f = *state;
    bool refuses = false;
    wrongs = 0;
    for (int i = 0; i < f->count; i++) {
        wrongs += !is_provided(f, &f->parameter[i]);
        refuses |= f->parameter[i].way == POINTER && !f->parameter[i].may_be_null && !frees(f);
    }
    if (wrongs > 0)
        fail_msg("%s lacks valid arguments", f->name);
    (void)attempt(&(trial){.function = f, .due = SUCCESS});
    (void)attempt(
        &(trial){.function = f, .fault = ALL_NULL, .due = refuses ? REFUSAL : NO_CRASH});
    for (int i = 0; i < f->count; i++) {
        const trial t = {.function = f, .parameter = i};
        const parameter *p = &f->parameter[i];
        if (is_pointer(p))
            try_pointer(t, p);
        else if (p->way == CHOICE)
            try_choice(t, p);
        else if (p->way == REAL)
            try_real(t);
        else if (strcmp(p->type, "bool") != 0)
            try_number(t, p);
    }
    if (wrongs > 0)
        fail_msg("%s answers %d calls wrongly", f->name, wrongs);
}

/* What NULL means where it may be. */
static void take_null(const trial *t)
{
    tsr_data *data = data_of(M), *copy = NULL;
    tsr_model *model = NULL, *further = NULL;
    tsr_matrix *none = NULL;
    (void)t;
    must(tsr_data_copy_samples(&copy, data, NULL, N));
    if (tsr_labels_known(tsr_data_labels(copy)) != N)
        complain("a copy of all data lacks labels");
    if (tsr_data_copy_samples(&copy, data, NULL, N - 1) != TSR_ERROR_ARGUMENT)
        complain("a copy of all data is one of some");
    must(tsr_fit(&model, data, NULL));
    if (strcmp(tsr_model_report(model).model, "nmf") != 0)
        complain("a fit without options is no nmf");
    must(tsr_fit_resume(&further, data, model, NULL));
    must(tsr_matrix_view_dense(&none, NULL, 0, M, M, TSR_FLOAT64));
    must(tsr_matrix_create_sparse(&none, N, M, 0, NULL, NULL, NULL, TSR_FLOAT64));
    if (tsr_matrix_stored(none) != 0)
        complain("no entries are some");
}

static void null_where_it_may_be(void **state)
{
    bool missing = false;
    const char *wrong = apart(take_null, NULL, &missing);
    (void)state;
    if (wrong != NULL)
        fail_msg("%s", wrong);
}

static void write_model(const trial *t)
{
    (void)t;
    must(tsr_model_write(model_of("cdnmf"), path_of("model.h5")));
}

/* Pictures with something to see in them. */
static void put_pictures(void)
{
    enum { SIDE = 32, HEAD = 13 };
    char file[HEAD + SIDE * SIDE], name[32];
    for (int picture = 0; picture < 3; picture++) {
        (void)snprintf(file, sizeof file, "P5 %d %d 255\n", SIDE, SIDE);
        for (int i = 0; i < SIDE * SIDE; i++)
            file[HEAD + i] = (char)((i * (7 + picture) + i / SIDE * 31) % 128);
        (void)snprintf(name, sizeof name, "scenes/a/%d.pgm", picture);
        put_bytes(name, file, sizeof file);
    }
}

/* The files that valid arguments name. This process does not call the library: what it leaves
 * behind, such as threads, is nothing to fork. */
static int make_world(void **state)
{
    static const char data[] = "label,a,b\nx,1,2\ny,3,4\nx,5,6\n",
                      texts[] = "one two\ntwo three\n",
                      study[] = "task = cluster\ndata = data.csv\ndraws = 1\n[raw]\n";
    bool missing = false;
    complaint =
        mmap(NULL, COMPLAINT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (complaint == MAP_FAILED || make_folder(state) != 0)
        return 1;
    put_bytes("data.csv", data, sizeof data - 1);
    put_bytes("texts.txt", texts, sizeof texts - 1);
    put_bytes("study.txt", study, sizeof study - 1);
    put_bytes("experiment/protocol.txt", study, sizeof study - 1);
    put_pictures();
    const char *wrong = apart(write_model, NULL, &missing);
    if (wrong != NULL)
        print_error("no model is written: %s\n", wrong);
    return wrong != NULL;
}

static int remove_world(void **state)
{
    print_message("%d functions, %lld calls\n", FUNCTIONS, (long long)calls);
    return munmap(complaint, COMPLAINT_SIZE) + remove_folder(state);
}

int main(void)
{
    struct CMUnitTest tests[FUNCTIONS + 1] = {{NULL, NULL, NULL, NULL, NULL}};
    tests[FUNCTIONS] = (struct CMUnitTest)cmocka_unit_test(null_where_it_may_be);
    for (int i = 0; i < FUNCTIONS; i++) {
        tests[i].name = functions[i].name;
        tests[i].test_func = try_function;
        tests[i].initial_state = (void *)(uintptr_t)&functions[i];
    }
    return cmocka_run_group_tests(tests, make_world, remove_world);
}
