/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Damaged model archives. Every part of the table is removed, given another shape and type, and
 * filled with NaN, negative and huge numbers; every number is removed and put out of its range; the
 * file is cut off and its bytes are turned. Reading says which part it is; so does every command
 * that reads models, of which each gets every part in one of these ways. Under the sanitizers what
 * is read has nothing behind it that may be touched. */
#include "lab.h"

#include "factor/parts.h"
#include "io/recipe.h"
#include "io/seal.h"

#include <fcntl.h>
#include <float.h>
#include <hdf5.h>
#include <sys/wait.h>

static const char *const fits[] = {"model=cdnmf-kl rank=6 iterations=4 diffuse=1 neighbours=3",
                                   "model=cf kernel=rbf rank=2 iterations=6 restarts=4",
                                   "model=nmf rank=2 iterations=4 weighting=ncw",
                                   "model=cf rank=2 iterations=6 restarts=4 seed=3",
                                   "model=cf rank=2 iterations=4 plan=stream"};
enum { FITS = 5, ONLINE = 2, SIGNED = 4 };

static char archive[FITS][1100], damaged[1100], samples[1100];

static bool count_down(void *user, const tsr_step *step)
{
    (void)step;
    return --*(int *)user > 0;
}

/* Archives that among them have every part of the table. */
static int make_archives(void **state)
{
    const int made = make_files(state);
    lab l = lab_make(12, 4, 3, 0, 7), both = lab_make(12, 4, 3, -0.5, 7);
    tsr_data *data = lab_data(&l, false), *negative = lab_data(&both, false);
    (void)snprintf(damaged, sizeof damaged, "%s/damaged.h5", folder);
    (void)snprintf(samples, sizeof samples, "%s/samples.h5", folder);
    data->x->image = (tsr_image_shape){2, 2, TSR_ROW_ORDER};
    for (int j = 0; j < 4; j++)
        check_ok(tsr__names_add(&data->feature_names, "word"));
    data->recipe.kind = tsr__copy_text("words");
    check_ok(tsr_matrix_create(&data->recipe.weight, 1, 4, TSR_FLOAT64));
    check_ok(tsr_matrix_create(&data->recipe.dictionary, 2, 128, TSR_FLOAT32));
    check_ok(tsr_data_write(data, samples));
    for (int i = 0; i < FITS; i++) {
        tsr_matrix *weights = NULL;
        double one[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        char line[200];
        tsr_fit_options options;
        tsr_fit_defaults(&options);
        (void)snprintf(line, sizeof line, "%s", fits[i]);
        lab_set(&options, line);
        check_ok(tsr_matrix_view_dense(&weights, one, 12, 1, 1, TSR_FLOAT64));
        options.sample_weights = i == 3 ? weights : NULL;
        tsr_model *model = NULL;
        (void)snprintf(archive[i], sizeof archive[i], "%s/whole%d.h5", folder, i);
        /* stopped early in the second start: the state has factors of its own */
        int left = options.restarts > 1 ? 8 : 1000;
        const tsr_progress progress = {count_down, &left};
        options.progress = &progress;
        const tsr_status status = tsr_fit(&model, i == SIGNED ? negative : data, &options);
        assert_true(status == TSR_OK || status == TSR_ERROR_INTERRUPTED);
        assert_int_equal(model->state.own, options.restarts > 1);
        if (i == ONLINE) { /* it remembers what it learnt */
            tsr_model *more = NULL;
            check_ok(tsr_fit_more(&more, data, model, &options));
            tsr_model_free(model);
            model = more;
        }
        check_ok(tsr__names_add(&model->notes, "a note"));
        check_ok(tsr_model_write(model, archive[i]));
        tsr_model_free(model);
        tsr_matrix_free(weights);
    }
    tsr_data_free(data);
    tsr_data_free(negative);
    lab_free(&l);
    lab_free(&both);
    return made;
}

static void copy_file(const char *to, const char *from)
{
    char bytes[4096];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t got;
    assert_true(in != NULL && out != NULL);
    while ((got = fread(bytes, 1, sizeof bytes, in)) > 0)
        assert_int_equal(fwrite(bytes, 1, got, out), got);
    assert_int_equal(fclose(in) | fclose(out), 0);
}

static int run(char said[4096], const char *const *command, const char *model);

/* One way to damage a dataset ---------------------------------------------------------------- */

/* A dataset with all that is in it, as doubles where it holds numbers. */
typedef struct content {
    int rank;
    hsize_t shape[2];
    hid_t type; /* as stored; to be closed */
    double value[4096];
    char text[4096];
} content;

static content load(hid_t file, const char *name)
{
    content c = {0};
    const hid_t id = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(id);
    c.rank = H5Sget_simple_extent_dims(space, c.shape, NULL);
    c.type = H5Dget_type(id);
    assert_true(H5Dget_storage_size(id) <= sizeof c.value / 2);
    if (H5Tget_class(c.type) == H5T_STRING)
        assert_true(H5Dread(id, c.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, c.text) >= 0);
    else
        assert_true(H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, c.value) >=
                    0);
    (void)H5Sclose(space), (void)H5Dclose(id);
    return c;
}

static void store(hid_t file, const char *name, const content *c, hid_t type)
{
    const hid_t space = H5Screate_simple(c->rank, c->shape, NULL);
    const hid_t id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool texts = H5Tget_class(type) == H5T_STRING;
    assert_true(id >= 0);
    assert_true(H5Dwrite(id, texts ? type : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                         texts ? (const void *)c->text : c->value) >= 0);
    (void)H5Dclose(id), (void)H5Sclose(space);
}

static bool is_text(const content *c)
{
    return H5Tget_class(c->type) == H5T_STRING;
}

static bool is_float(const content *c)
{
    return H5Tget_class(c->type) == H5T_FLOAT;
}

/* Each changes the content, or says that it does not apply. */
static bool drop(content *c, const tsr__part *part)
{
    (void)part;
    c->rank = -1;
    return true;
}

static bool shorten(content *c, const tsr__part *part)
{
    (void)part;
    return --c->shape[0] > 0;
}

static bool widen(content *c, const tsr__part *part)
{
    (void)part;
    c->shape[c->rank - 1]++;
    return true;
}

static bool deepen(content *c, const tsr__part *part)
{
    (void)part;
    c->rank = 3 - c->rank;
    c->shape[0] *= c->rank == 1 ? c->shape[1] : 1;
    c->shape[1] = 1;
    return true;
}

static bool retype(content *c, const tsr__part *part)
{
    const bool integers = H5Tget_class(c->type) != H5T_INTEGER;
    (void)part;
    (void)H5Tclose(c->type);
    c->type = H5Tcopy(integers ? H5T_STD_I64LE : H5T_IEEE_F64LE);
    return true;
}

static bool spoil(content *c, double value)
{
    c->value[(c->rank == 2 ? c->shape[0] * c->shape[1] : c->shape[0]) - 1] = value;
    return !is_text(c);
}

static bool put_nan(content *c, const tsr__part *part)
{
    (void)part;
    return is_float(c) && spoil(c, (double)NAN);
}

static bool put_infinity(content *c, const tsr__part *part)
{
    (void)part;
    return is_float(c) && spoil(c, (double)INFINITY);
}

static bool put_negative(content *c, const tsr__part *part)
{
    if (is_float(c) && (part->non_negative == TSR_NEVER || part->non_negative == TSR_WHEN_FREE))
        return false;
    return spoil(c, -2);
}

static bool put_huge(content *c, const tsr__part *part)
{
    if (is_float(c) && (part->largest > 1e200 || H5Tget_size(c->type) == 4))
        return false;
    return spoil(c, is_float(c) ? 1e200 : 2e9);
}

static const struct {
    const char *name;
    bool (*change)(content *c, const tsr__part *part);
    bool harmless; /* where the length is free */
} ways[] = {{"removed", drop, false},           {"shortened", shorten, true},
            {"widened", widen, true},           {"of another rank", deepen, false},
            {"of another type", retype, false}, {"with NaN", put_nan, false},
            {"infinite", put_infinity, false},  {"negative", put_negative, false},
            {"huge", put_huge, false}};
enum { WAYS = sizeof ways / sizeof *ways };

/* Writes `damaged`, and returns whether there was something to do. */
static bool damage(const char *from, const tsr__part *part, int way)
{
    copy_file(damaged, from);
    const hid_t file = H5Fopen(damaged, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    const bool there = H5Lexists(file, part->name, H5P_DEFAULT) > 0;
    content c = {0};
    bool done = false;
    if (there) {
        c = load(file, part->name);
        done = ways[way].change(&c, part);
    }
    if (done) {
        assert_true(H5Ldelete(file, part->name, H5P_DEFAULT) >= 0);
        if (c.rank > 0)
            store(file, part->name, &c, c.type);
    }
    if (there)
        (void)H5Tclose(c.type);
    (void)H5Fclose(file);
    return done;
}

/* "state/x" exists only where "state" does. */
static bool is_there(const char *path, const tsr__part *part)
{
    char group[64];
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    (void)snprintf(group, sizeof group, "%.*s", (int)strcspn(part->name, "/"), part->name);
    const bool there =
        H5Lexists(file, group, H5P_DEFAULT) > 0 && H5Lexists(file, part->name, H5P_DEFAULT) > 0;
    (void)H5Fclose(file);
    return there;
}

/* What the library does with a model --------------------------------------------------------- */

static tsr_status read_damaged(tsr_model **out)
{
    const int64_t live = tsr__memory_live();
    *out = NULL;
    tsr__memory_exact(true);
    const tsr_status status = tsr_model_read(out, damaged);
    tsr__memory_exact(false);
    if (status < 0)
        assert_int_equal(tsr__memory_live(), live);
    return status;
}

/* All that a model is good for; the sanitizers watch. */
static void use(const tsr_model *model)
{
    const tsr_fit_report r = tsr_model_report(model);
    const int64_t first = 0;
    tsr_fit_options options = *tsr_model_options(model);
    tsr_data *data = NULL;
    tsr_matrix *codes = NULL;
    tsr_model *other = NULL;
    int32_t *class = calloc((size_t)r.samples, sizeof *class);
    options.iterations = 1;
    check_ok(tsr_data_read(&data, samples, NULL));
    (void)tsr_model_transform(&codes, model, data, NULL);
    (void)tsr_model_predict(class, NULL, model, tsr_model_codes(model), TSR_PREDICT_NEAREST);
    (void)tsr_model_predict(class, NULL, model, tsr_model_codes(model), TSR_PREDICT_BLOCK);
    if (tsr_model_keep(&other, model, &first, 1) == TSR_OK)
        check_ok(tsr_model_write(other, model_file));
    tsr_model_free(other);
    other = NULL;
    (void)tsr_fit_resume(&other, data, model, &options);
    tsr_model_free(other);
    tsr_matrix_free(codes);
    tsr_data_free(data);
    free(class);
}

/* Last part of a path: what a message must name. */
static bool names(const char *message, const char *part)
{
    return strstr(message, part) != NULL;
}

/* The recipe has a table of its own kind: its two matrices. */
static const tsr__part recipes[] = {{.name = "recipe/weight",
                                     .rows = TSR_EXTENT_ONE,
                                     .columns = TSR_EXTENT_M,
                                     .non_negative = TSR_ALWAYS,
                                     .finite = TSR_ALWAYS,
                                     .largest = DBL_MAX},
                                    {.name = "recipe/dictionary",
                                     .rows = TSR_EXTENT_ANY,
                                     .columns = TSR_EXTENT_ANY,
                                     .finite = TSR_ALWAYS,
                                     .largest = DBL_MAX},
                                    {.name = NULL}};

static void every_part_in_every_way(void **state)
{
    int64_t tried = 0;
    (void)state;
    for (const tsr__part *part = tsr__parts; part != &recipes[2]; part++) {
        if (part->name == NULL)
            part = recipes;
        bool anywhere = false;
        for (int i = 0; i < FITS; i++) {
            if (!is_there(archive[i], part))
                continue;
            anywhere = true;
            for (int way = 0; way < WAYS; way++) {
                tsr_model *model = NULL;
                if (!damage(archive[i], part, way))
                    continue;
                tried++;
                const tsr_status status = read_damaged(&model);
                /* KL sums no squares */
                const bool large =
                    ways[way].change == put_huge && i == 0 && part->largest < DBL_MAX;
                const bool sums = part->finite == TSR_WHEN_SQUARED && i == 0;
                const bool spared =
                    large || sums || (ways[way].harmless && part->rows == TSR_EXTENT_ANY);
                if (status == TSR_OK && spared)
                    use(model);
                else if ((status != TSR_ERROR_FORMAT && status != TSR_ERROR_DATA) ||
                         !names(tsr_message(), part->name))
                    fail_msg("%s %s: %s, '%s'", part->name, ways[way].name,
                             tsr_status_name(status), tsr_message());
                tsr_model_free(model);
            }
        }
        if (!anywhere)
            fail_msg("no archive of this test has /%s: let it fit one that does", part->name);
    }
    print_message("%lld damaged archives\n", (long long)tried);
}

/* Numbers --------------------------------------------------------------------------------- */

static void set_number(hid_t file, const tsr__number *row, hid_t type, const void *value)
{
    const char *on = *row->group != '\0' ? row->group : "/";
    const hid_t space = H5Screate(H5S_SCALAR);
    assert_true(H5Adelete_by_name(file, on, row->name, H5P_DEFAULT) >= 0);
    if (value != NULL) {
        const hid_t id = H5Acreate_by_name(file, on, row->name, type, space, H5P_DEFAULT,
                                           H5P_DEFAULT, H5P_DEFAULT);
        assert_true(id >= 0 && H5Awrite(id, type, value) >= 0);
        (void)H5Aclose(id);
    }
    (void)H5Sclose(space);
}

static void every_number_out_of_range(void **state)
{
    const int64_t below = -1, above = INT64_MAX, few = 1;
    const double nan = (double)NAN, minus = -1e300, endless = (double)INFINITY;
    const struct {
        hid_t type;
        const void *value;
        tsr__number_kind of;
    } values[] = {{H5T_NATIVE_INT64, NULL, TSR_NUMBER_INTEGER},
                  {H5T_NATIVE_INT64, &below, TSR_NUMBER_INTEGER},
                  {H5T_NATIVE_INT64, &above, TSR_NUMBER_INTEGER},
                  {H5T_NATIVE_INT64, &few, TSR_NUMBER_INTEGER},
                  {H5T_NATIVE_DOUBLE, &nan, TSR_NUMBER_REAL},
                  {H5T_NATIVE_DOUBLE, &minus, TSR_NUMBER_REAL},
                  {H5T_NATIVE_DOUBLE, &endless, TSR_NUMBER_REAL}};
    (void)state;
    for (int i = 0; i < FITS; i++)
        for (const tsr__number *row = tsr__numbers; row->name != NULL; row++)
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                tsr_model *model = NULL;
                copy_file(damaged, archive[i]);
                const hid_t file = H5Fopen(damaged, H5F_ACC_RDWR, H5P_DEFAULT);
                set_number(file, row, values[v].type, values[v].value);
                (void)H5Fclose(file);
                const tsr_status status = read_damaged(&model);
                const double real = values[v].of == TSR_NUMBER_REAL && values[v].value != NULL
                                        ? *(const double *)values[v].value
                                        : 0;
                const bool wrong =
                    values[v].value == NULL ||
                    (row->kind != TSR_NUMBER_REAL && values[v].of == TSR_NUMBER_REAL) ||
                    (row->kind == TSR_NUMBER_REAL && values[v].of == TSR_NUMBER_REAL &&
                     !(real >= row->minimum && real <= row->maximum) &&
                     !(row->unknown && !(real < 0)));
                if (status == TSR_OK && !wrong)
                    use(model);
                else if (status == TSR_OK)
                    fail_msg("%s is taken", row->name);
                else if (wrong && !names(tsr_message(), row->name))
                    fail_msg("%s: '%s'", row->name, tsr_message());
                tsr_model_free(model);
            }
}

/* Starts from files ------------------------------------------------------------------------ */

/* --init takes factors out of an archive, and --dictionary a recipe, past the rest of the model. */
static void starts_and_recipes(void **state)
{
    static const char *const init[] = {"fit", "DATA", "--rank", "2", "--init", "MODEL", NULL},
                             *const apply[] = {"features", "DATA",         "--kind",
                                               "words",    "--dictionary", "MODEL",
                                               "-o",       "OUT.h5",       NULL};
    char said[4096];
    (void)state;
    for (int which = 0; which < 4; which++) {
        const tsr__part *part = which < 2 ? &tsr__parts[which] : &recipes[which - 2];
        for (int way = 0; way < WAYS; way++) {
            if ((ways[way].harmless && part->rows == TSR_EXTENT_ANY) ||
                (ways[way].change == drop && which >= 2) || ways[way].change == put_huge ||
                ways[way].change == retype || ways[way].change == deepen ||
                !is_there(archive[2], part) || !damage(archive[2], part, way))
                continue;
            const int code = run(said, which < 2 ? init : apply, damaged);
            if (code != 1 || strstr(said, "Sanitizer") != NULL)
                fail_msg("/%s %s: exit %d, '%s'", part->name, ways[way].name, code, said);
        }
    }
}

/* Parts that are fine by themselves and contradict each other may have no codes; that is told, and
 * nothing is written. */
static void parts_that_contradict(void **state)
{
    static const char *const transform[] = {"transform", "MODEL",   "DATA",
                                            "-o",        "OUT.csv", NULL};
    char said[4096], out[1200];
    (void)state;
    copy_file(damaged, archive[1]);
    const hid_t file = H5Fopen(damaged, H5F_ACC_RDWR, H5P_DEFAULT);
    content c = load(file, "gram");
    assert_true(spoil(&c, DBL_TRUE_MIN) && H5Ldelete(file, "gram", H5P_DEFAULT) >= 0);
    store(file, "gram", &c, c.type);
    (void)H5Tclose(c.type), (void)H5Fclose(file);
    (void)snprintf(out, sizeof out, "%s/out.csv", folder);
    (void)remove(out);
    const int code = run(said, transform, damaged);
    if (code != 1 || strstr(said, "the codes") == NULL || access(out, F_OK) == 0)
        fail_msg("exit %d, '%s'", code, said);
}

/* Whatever a fit leaves can be read, or is not written: every row of the table, at scales where
 * squares overflow and vanish. */
static void what_is_written_is_read(void **state)
{
    static const double scales[] = {1e-300, 1e-160, 1e-60, 1, 1e60, 1e149, 1e152, 1e300};
    static const char *const extra[] = {"", " solver=mu", " weighting=ncw",
                                        " alpha-basis=1e300", " precision=single"};
    tsr_model_info row;
    int64_t written = 0;
    (void)state;
    for (int64_t i = 0; tsr_models_get(&row, i); i++)
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
            for (size_t e = 0; e < sizeof extra / sizeof *extra; e++) {
                lab l = lab_make(9, 5, 3, 0, 7);
                lab_options o;
                for (int64_t v = 0; v < 45; v++)
                    l.x[v] *= v == 3 ? 1 : scales[s];
                tsr_data *data = lab_data(&l, false);
                tsr_model *model = NULL, *again = NULL;
                lab_options_of(&o, 3, "model=%s rank=3%s", row.name, extra[e]);
                if (tsr_fit(&model, data, &o.o) == TSR_OK &&
                    tsr_model_write(model, damaged) == TSR_OK) {
                    written++;
                    if (tsr_model_read(&again, damaged) != TSR_OK)
                        fail_msg("%s%s, %g: %s", row.name, extra[e], scales[s], tsr_message());
                }
                tsr_model_free(model);
                tsr_model_free(again);
                tsr_data_free(data);
                lab_free(&l);
            }
    print_message("%lld models written\n", (long long)written);
    assert_true(written > 300);
}

/* Whole files ----------------------------------------------------------------------------- */

static void cut_off_and_turned(void **state)
{
    (void)state;
    for (int i = 0; i < FITS; i++) {
        struct stat about;
        tsr_model *model = NULL;
        assert_int_equal(stat(archive[i], &about), 0);
        for (off_t size = 0; size < about.st_size; size += 97) {
            copy_file(damaged, archive[i]);
            assert_int_equal(truncate(damaged, size), 0);
            const tsr_status status = read_damaged(&model);
            /* of the seal alone nothing is missed */
            if (status != TSR_ERROR_FORMAT && (status < 0 || size < about.st_size - 24))
                fail_msg("%lld bytes: %s", (long long)size, tsr_message());
            tsr_model_free(model);
        }
        for (off_t at = 0; at < about.st_size; at += 61) {
            copy_file(damaged, archive[i]);
            const int file = open(damaged, O_RDWR);
            char byte;
            assert_int_equal(pread(file, &byte, 1, at), 1);
            byte ^= 0x20;
            assert_int_equal(pwrite(file, &byte, 1, at), 1);
            (void)close(file);
            const tsr_status status = read_damaged(&model);
            const bool mark = at >= about.st_size - 24 && at < about.st_size - 16;
            if (!mark)
                check_fails(status, TSR_ERROR_FORMAT, "damaged");
            tsr_model_free(model);
        }
    }
}

/* Archives of the first format have no list of parts, no seal and texts of variable length. */
static void reads_the_first_format(void **state)
{
    static const char *const olds[] = {"format1_cdnmf.h5", "format1_kernel.h5"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char path[4096];
        tsr_model *model = NULL, *again = NULL;
        (void)snprintf(path, sizeof path, "%s/%s", TSR_TEST_DATA, olds[i]);
        check_ok(tsr_model_read(&model, path));
        assert_int_equal(tsr_model_report(model).iterations, 5);
        assert_int_equal(tsr_model_report(model).samples, 6);
        check_ok(tsr_model_write(model, damaged));
        check_ok(tsr_model_read(&again, damaged));
        assert_int_equal(tsr_model_report(again).objective == tsr_model_report(model).objective,
                         true);
        tsr_model_free(again);
        tsr_model_free(model);
    }
    copy_file(damaged, archive[0]);
    const hid_t file = H5Fopen(damaged, H5F_ACC_RDWR, H5P_DEFAULT);
    const int64_t later = 3;
    set_number(file, &(tsr__number){.group = "", .name = "format"}, H5T_NATIVE_INT64, &later);
    (void)H5Fclose(file);
    tsr_model *model = NULL;
    check_fails(tsr_model_read(&model, damaged), TSR_ERROR_UNSUPPORTED, "format 3");
}

/* Commands -------------------------------------------------------------------------------- */

static const char *const commands[][8] = {
    {"info", "MODEL"},
    {"transform", "MODEL", "DATA", "-o", "OUT.csv"},
    {"rank", "MODEL", "--by", "lre", "-o", "OUT.h5"},
    {"cluster", "MODEL"},
    {"terms", "MODEL"},
    {"sheet", "MODEL", "-o", "OUT.png"},
    {"sheet", "MODEL", "--codes", "-o", "OUT.png"},
    {"fit", "DATA", "--resume", "MODEL", "-o", "OUT.h5"},
    {"overlay", "MODEL", "DATA", "-o", "OUT.png"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* Runs the tool; its words stand in `said`. */
static int run(char said[4096], const char *const *command, const char *model)
{
    static char out[8][1200];
    char *argument[12] = {(char *)(uintptr_t)TSR_TEST_TOOL, NULL};
    int pipes[2], status = 0, count = 1;
    for (; *command != NULL; command++, count++) {
        const bool is_out = strncmp(*command, "OUT", 3) == 0;
        (void)snprintf(out[0], sizeof out[0], "%s/out%s", folder, is_out ? *command + 3 : "");
        argument[count] = is_out                           ? out[0]
                          : strcmp(*command, "MODEL") == 0 ? (char *)(uintptr_t)model
                          : strcmp(*command, "DATA") == 0  ? samples
                                                           : (char *)(uintptr_t)*command;
    }
    argument[count] = NULL;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        (void)setenv("ASAN_OPTIONS", "exitcode=99", 1);
        (void)setenv("UBSAN_OPTIONS", "exitcode=99", 1);
        (void)dup2(pipes[1], STDERR_FILENO);
        (void)dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        (void)close(pipes[0]);
        (void)execv(argument[0], argument);
        _exit(98);
    }
    (void)close(pipes[1]);
    size_t used = 0;
    for (ssize_t got; (got = read(pipes[0], said + used, 4095 - used)) > 0;)
        used += (size_t)got;
    said[used] = '\0';
    (void)close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void every_command_says_which(void **state)
{
    char said[4096];
    int turn = 0;
    (void)state;
    for (int c = 0; c < COMMANDS; c++) /* overlay wants visual words, which these are not */
        if (run(said, commands[c], archive[0]) != 0 && strcmp(commands[c][0], "overlay") != 0)
            fail_msg("%s of a whole archive: %s", commands[c][0], said);
    for (const tsr__part *part = tsr__parts; part->name != NULL; part++) {
        int at = part->finite == TSR_WHEN_SQUARED ? 1 : 0;
        while (at + 1 < FITS && !is_there(archive[at], part))
            at++;
        for (int c = 0; c < COMMANDS; c++) {
            int way = turn++ % WAYS, tries = 0;
            while ((ways[way].harmless && part->rows == TSR_EXTENT_ANY) ||
                   (ways[way].change == put_huge && at == 0) ||
                   /* KL sums no squares */ !damage(archive[at], part, way)) {
                way = turn++ % WAYS;
                if (++tries > WAYS)
                    fail_msg("/%s cannot be damaged", part->name);
            }
            const int code = run(said, commands[c], damaged);
            if (code != 1 || !names(said, part->name) || strstr(said, "Sanitizer") != NULL)
                fail_msg("%s, /%s %s: exit %d, '%s'", commands[c][0], part->name,
                         ways[way].name, code, said);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_in_every_way),  cmocka_unit_test(every_number_out_of_range),
        cmocka_unit_test(cut_off_and_turned),       cmocka_unit_test(reads_the_first_format),
        cmocka_unit_test(every_command_says_which), cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(starts_and_recipes),       cmocka_unit_test(parts_that_contradict),
    };
    return cmocka_run_group_tests(tests, make_archives, remove_folder);
}
