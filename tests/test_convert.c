/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Data that pass from file to file without being in memory: what is written is what reading the
 * input whole gives, for every format, in however little memory; and nothing is left behind. */
#include "fixtures.h"

#include "io/npy.h"
#include "io/zip.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

enum { TINY = 4096, SMALL = 1 << 16 };

static char input[4200], output[1100];

static void name_files(const char *from, const char *to)
{
    (void)snprintf(input, sizeof input, "%s/%s", folder, from);
    (void)snprintf(output, sizeof output, "%s/%s", folder, to);
}

/* Nothing but these two may be in the folder; they are removed. */
static void check_clean(bool written)
{
    DIR *entries = opendir(folder);
    int count = 0;
    assert_non_null(entries);
    while (readdir(entries) != NULL)
        count++;
    (void)closedir(entries);
    assert_int_equal(access(output, F_OK) == 0, written);
    assert_int_equal(count, 2 + (access(input, F_OK) == 0) + written);
    (void)unlink(input);
    (void)unlink(output);
}

static tsr_status convert(int64_t memory, const tsr_read_options *options, bool both)
{
    const tsr_read_options plain = {.threads = 2};
    return tsr__data_convert(NULL, input, output, options != NULL ? options : &plain, both, 0,
                             memory);
}

static tsr_data *read_file(const char *path, const tsr_read_options *options)
{
    tsr_data *data = NULL;
    if (tsr_data_read(&data, path, options) != TSR_OK)
        fail_msg("%s", tsr_message());
    return data;
}

/* The input converted in `memory` bytes is the input. */
static void check_converts_with(int64_t memory, const tsr_read_options *options)
{
    if (convert(memory, options, false) != TSR_OK)
        fail_msg("%s in %lld bytes: %s", input, (long long)memory, tsr_message());
    tsr_data *whole = read_file(input, options), *back = read_file(output, NULL);
    check_same_data(whole, back);
    tsr_data_free(whole);
    tsr_data_free(back);
}

static void check_converts(void)
{
    static const int64_t memory[] = {TINY, SMALL, 1 << 20};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        check_converts_with(memory[i], NULL);
}

static FILE *begin_input(void)
{
    FILE *file = fopen(input, "w");
    assert_non_null(file);
    return file;
}

/* Entries in any order, some of one place, some that sum to zero, rows and columns without any. */
static void write_mtx(const char *head, int64_t rows, int64_t columns, int64_t entries,
                      bool triangle, bool pattern)
{
    tsr__random random = tsr__random_seed(5, 0);
    FILE *file = begin_input();
    (void)fprintf(file, "%%%%MatrixMarket matrix coordinate %s\n%% a comment\n%lld %lld %lld\n",
                  head, (long long)rows, (long long)columns, (long long)entries);
    for (int64_t k = 0; k < entries; k++) {
        int64_t i = (int64_t)(tsr__random_uniform(&random) * (double)rows * 0.9);
        int64_t j = (int64_t)(tsr__random_uniform(&random) * (double)columns);
        if (triangle && i <= j) {
            const int64_t swapped = i;
            i = j + 1 < rows ? j + 1 : j, j = swapped < i ? swapped : i - 1;
        }
        const double value = (double)(k % 7) - 3 + (k % 5 == 0 ? 0.1 : 0);
        (void)fprintf(file, "%lld %lld", (long long)i + 1, (long long)j + 1);
        if (!pattern)
            (void)fprintf(file, " %.17g", value);
        (void)fprintf(file, k % 100 == 0 ? "\r\n\n" : "\n");
    }
    assert_int_equal(fclose(file), 0);
}

static void entries_are_sorted(void **state)
{
    (void)state;
    name_files("a.mtx", "a.h5");
    write_mtx("real general", 300, 70, 30000, false, false);
    check_converts();
    write_mtx("real symmetric", 200, 200, 20000, true, false);
    check_converts();
    write_mtx("integer skew-symmetric", 200, 200, 20000, true, false);
    check_converts();
    write_mtx("pattern general", 3000, 7, 20000, false, true);
    check_converts();
    check_clean(true);
}

/* Column by column, and dense. */
static void arrays_are_turned(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        int64_t rows, columns, values;
    } cases[] = {{"real general", 123, 61, 123 * 61},
                 {"real symmetric", 90, 90, 90 * 91 / 2},
                 {"real skew-symmetric", 90, 90, 90 * 89 / 2}};
    for (size_t c = 0; c < 3; c++) {
        name_files("a.mtx", "a.h5");
        FILE *file = begin_input();
        (void)fprintf(file, "%%%%MatrixMarket matrix array %s\n%lld %lld\n", cases[c].head,
                      (long long)cases[c].rows, (long long)cases[c].columns);
        for (int64_t k = 0; k < cases[c].values; k++)
            (void)fprintf(file, "%.17g\n", k % 9 == 0 ? 0 : (double)k / 7);
        assert_int_equal(fclose(file), 0);
        check_converts();
        check_clean(true);
    }
    name_files("a.mtx", "a.npy");
    FILE *file = begin_input();
    (void)fprintf(file, "%%%%MatrixMarket matrix array real general\n70 60\n");
    for (int k = 0; k < 4200; k++)
        (void)fprintf(file, "%d\n", k);
    assert_int_equal(fclose(file), 0);
    check_converts_with(TINY, NULL);
    check_clean(true);
}

/* `base` is the first index, `kind` what labels are: numbers, signs, texts, none. */
static void write_svm(int base, int kind)
{
    static const char *const texts[] = {"cat", "dog", "?", "cat10", "cat9"};
    tsr__random random = tsr__random_seed(7, 0);
    FILE *file = begin_input();
    (void)fprintf(file, "# a comment\n");
    for (int i = 0; i < 3000; i++) {
        if (kind == 0)
            (void)fprintf(file, "%d", i % 11 - 1);
        else if (kind == 1)
            (void)fprintf(file, "%s", i % 3 == 0 ? "-1" : "+1");
        else if (kind == 2)
            (void)fprintf(file, "%s", texts[i % 5]);
        for (int k = kind == 3 ? -1 : 0; k < i % 9; k++)
            (void)fprintf(file, " %d:%d",
                          base + (int)(tsr__random_uniform(&random) * (i == 2999 ? 40 : 37)),
                          k % 4 - 1);
        (void)fprintf(file, i % 50 == 0 ? " # note\r\n\n" : "\n");
    }
    assert_int_equal(fclose(file), 0);
}

static void samples_keep_their_labels(void **state)
{
    (void)state;
    name_files("a.svm", "a.h5");
    for (int base = 0; base < 2; base++)
        for (int kind = 0; kind < 4; kind++) {
            write_svm(base, kind);
            check_converts();
        }
    FILE *file = begin_input();
    (void)fprintf(file, "# features 90\n");
    for (int i = 0; i < 2000; i++)
        (void)fprintf(file, "%d 5:1 %d:2\n", i, 1 + i % 60);
    assert_int_equal(fclose(file), 0);
    check_converts_with(1 << 21, NULL);
    check_converts_with(SMALL * 8, NULL);
    check_clean(true);
}

/* With a head or without, names, labels, quotes with ends of lines in them, blank lines, NaN. */
static void write_csv(bool head, bool quotes, char delimiter, int rows)
{
    FILE *file = begin_input();
    if (head)
        (void)fprintf(file, "name%cone%ctwo%cthree%cclass\n", delimiter, delimiter, delimiter,
                      delimiter);
    for (int i = 0; i < rows; i++) {
        const char *label = i % 4 == 0 ? "a b" : i % 4 == 1 ? "NA" : "b";
        (void)fprintf(file, quotes && i % 3 == 0 ? "\"s\n%d \"\"\"%c" : "s%d%c", i, delimiter);
        (void)fprintf(file, "%d%c%.17g%c", i, delimiter, i / 3.0, delimiter);
        if (i % 13 != 0)
            (void)fprintf(file, "%d", -i);
        (void)fprintf(file, quotes ? "%c\"%s\"\n" : "%c%s\n", delimiter, label);
        if (i % 40 == 0)
            (void)fprintf(file, "  \r\n");
    }
    assert_int_equal(fclose(file), 0);
}

static void tables_pass_line_by_line(void **state)
{
    (void)state;
    for (int head = 0; head < 2; head++)
        for (int quotes = 0; quotes < 2; quotes++) {
            name_files("a.csv", "a.h5");
            write_csv(head, quotes, head ? ',' : ';', 1500);
            tsr_data *data = read_file(input, NULL);
            assert_int_equal(tsr_matrix_samples(data->x), 1500);
            tsr_data_free(data);
            for (int64_t memory = TINY; memory < 1 << 20; memory *= 2)
                check_converts_with(memory, NULL);
            check_clean(true);
        }
    name_files("a.tsv", "a.h5");
    write_csv(true, false, '\t', 900);
    check_converts_with(SMALL * 4, NULL);
    const tsr_read_options by_column = {.labels = "-1"};
    check_converts_with(SMALL, &by_column);
    check_clean(true);
}

/* Blank lines are missing values there, but not at the end. */
static void a_lone_column_has_blanks(void **state)
{
    (void)state;
    name_files("a.csv", "a.h5");
    FILE *file = begin_input();
    for (int i = 0; i < 3000; i++)
        (void)fprintf(file, "%d\n%s", i, i % 31 == 0 ? "\n\n \n" : "");
    (void)fprintf(file, "\n \n\n\r\n");
    assert_int_equal(fclose(file), 0);
    for (int64_t memory = TINY; memory <= SMALL; memory *= 2)
        check_converts_with(memory, NULL);
    check_clean(true);
}

/* An archive of arrays as others write them. */
typedef struct bundle {
    zip_t *zip;
    char *kept[8];
    int count;
} bundle;

static void begin_bundle(bundle *b)
{
    int code = 0;
    check_ok(tsr__zip_need());
    *b = (bundle){tsr__zip.open(input, ZIP_CREATE | ZIP_TRUNCATE, &code), {NULL}, 0};
    assert_non_null(b->zip);
}

static void add_array(bundle *b, const char *name, const char *type, int rank,
                      const int64_t *shape, bool turned, const void *bytes, size_t size)
{
    zip_error_t error;
    char *head = malloc(TSR_NPY_HEAD_SIZE + size);
    assert_non_null(head);
    const size_t used = (size_t)tsr__npy_head(head, type, rank, shape);
    char *order = turned ? strstr(head, "False, ") : NULL;
    if (order != NULL)
        memcpy(order, "True,  ", 7);
    memcpy(head + used, bytes, size);
    zip_buffer_fragment_t part = {(zip_uint8_t *)head, used + size};
    tsr__zip.error_init(&error);
    zip_source_t *source = tsr__zip.source_buffer_fragment_create(&part, 1, 0, &error);
    assert_non_null(source);
    const zip_int64_t entry = tsr__zip.file_add(b->zip, name, source, ZIP_FL_ENC_UTF_8);
    assert_true(entry >= 0);
    assert_int_equal(
        tsr__zip.set_file_compression(b->zip, (zip_uint64_t)entry, ZIP_CM_DEFLATE, 1), 0);
    b->kept[b->count++] = head;
}

static void end_bundle(bundle *b)
{
    assert_int_equal(tsr__zip.close(b->zip), 0);
    for (int i = 0; i < b->count; i++)
        free(b->kept[i]);
}

enum { ENTRIES = 20000, ROWS = 900, COLUMNS = 40 };

/* Disordered, with entries of one place; `layout` as scipy calls it. Columns of csc are rows of csr. */
static void write_sparse_npz(const char *layout, bool single)
{
    static int32_t line[ENTRIES], index[ENTRIES];
    static int64_t start[ROWS + 1];
    static double value[ENTRIES];
    static float narrow[ENTRIES];
    const bool coo = layout[2] == 'o', csc = layout[2] == 'c';
    const int64_t shape[] = {ROWS, COLUMNS}, lines = csc ? COLUMNS : ROWS;
    const int64_t across = csc ? ROWS : COLUMNS, two = 2, entries = ENTRIES, starts = lines + 1;
    tsr__random random = tsr__random_seed(9, 0);
    bundle b;
    for (int64_t k = 0; k < ENTRIES; k++) {
        line[k] = (int32_t)(coo ? tsr__random_below(&random, ROWS) : k * lines / ENTRIES);
        index[k] = (int32_t)tsr__random_below(&random, across);
        value[k] = (double)(k % 5) - 2 + (k % 7 == 0 ? 0.1 : 0);
        narrow[k] = (float)value[k];
        for (int64_t i = line[k]; !coo && i < lines; i = lines)
            start[i + 1] = k + 1;
    }
    begin_bundle(&b);
    add_array(&b, "data.npy", single ? "f4" : "f8", 1, &entries, false,
              single ? (const void *)narrow : value, single ? sizeof narrow : sizeof value);
    add_array(&b, coo ? "col.npy" : "indices.npy", "i4", 1, &entries, false, index,
              sizeof index);
    if (coo)
        add_array(&b, "row.npy", "i4", 1, &entries, false, line, sizeof line);
    else
        add_array(&b, "indptr.npy", "i8", 1, &starts, false, start, (size_t)starts * 8);
    add_array(&b, "shape.npy", "i8", 1, &two, false, shape, sizeof shape);
    add_array(&b, "format.npy", "S3", 0, NULL, false, layout, 3);
    end_bundle(&b);
}

static void archives_of_scipy_pass(void **state)
{
    (void)state;
    static const char *const layouts[] = {"csr", "csc", "coo"};
    name_files("a.npz", "a.h5");
    for (int i = 0; i < 6; i++) {
        write_sparse_npz(layouts[i % 3], i >= 3);
        tsr_data *data = read_file(input, NULL);
        assert_true(tsr_matrix_is_sparse(data->x));
        assert_int_equal(tsr_matrix_samples(data->x), ROWS);
        tsr_data_free(data);
        check_converts();
    }
    check_clean(true);
}

/* Rows, columns, stacks of pictures, other types; labels, names and classes beside them. */
static void arrays_of_numpy_pass(void **state)
{
    (void)state;
    static float values[6000];
    static const struct {
        int rank;
        int64_t shape[3];
    } cases[] = {{2, {150, 40, 0}}, {3, {60, 10, 10}}, {2, {6000, 1, 0}}, {2, {1, 200, 0}}};
    for (int k = 0; k < 6000; k++)
        values[k] = (float)k / 7;
    name_files("a.npz", "a.h5");
    for (size_t c = 0; c < 8; c++) {
        const int64_t *shape = cases[c / 2].shape;
        int64_t labels[6000], count = 1;
        bundle b;
        for (int i = 0; i < cases[c / 2].rank; i++)
            count *= shape[i];
        for (int k = 0; k < 6000; k++)
            labels[k] = k % 5 - 1;
        begin_bundle(&b);
        add_array(&b, "X.npy", c % 3 == 0 ? "f4" : "i4", cases[c / 2].rank, shape, c % 2 == 1,
                  values, (size_t)count * 4);
        add_array(&b, "y.npy", "i8", 1, shape, false, labels, (size_t)shape[0] * 8);
        end_bundle(&b);
        check_converts_with(700, NULL);
        check_converts_with(TINY * 2, NULL);
    }
    check_clean(true);
}

/* What this library wrote itself. */
static void own_archives_pass(void **state)
{
    (void)state;
    static const char *const files[] = {"pair.npz", "words.npz", "sparse_csr.npz",
                                        "sparse_csc.npz", "sparse_coo.npz"};
    name_files("none", "a.h5");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)snprintf(input, sizeof input, "%s", fixture(files[i]));
        check_converts_with(1, NULL);
    }
    name_files("a.npz", "a.h5");
    write_csv(true, true, ',', 500);
    char table[4200];
    (void)snprintf(table, sizeof table, "%s/a.csv", folder);
    assert_int_equal(rename(input, table), 0);
    tsr_data *data = read_file(table, NULL);
    check_ok(tsr_data_write(data, input));
    tsr_data_free(data);
    (void)unlink(table);
    check_converts_with(TINY, NULL);
    tsr_data *back = read_file(output, NULL);
    assert_int_equal(tsr_data_labels(back) != NULL, 1);
    assert_string_equal(back->sample_names.name[1], "s1");
    tsr_data_free(back);
    check_clean(true);
}

/* An archive that is cut or changed anywhere is refused or read as in memory, and nothing leaks. */
static void damaged_archives_are_refused(void **state)
{
    (void)state;
    name_files("a.npz", "a.h5");
    const char *const layouts[] = {"csr", "coo"};
    for (int i = 0; i < 2; i++) {
        size_t size = 0;
        char *bytes = load_bytes(&size, fixture(i == 0 ? "sparse_csr.npz" : "sparse_coo.npz"));
        for (size_t k = 0; k < size; k++) {
            const int64_t live = tsr__memory_live();
            tsr_data *data = NULL;
            bytes[k] = (char)((unsigned char)bytes[k] ^ 0x41);
            store_bytes(input, bytes, size);
            bytes[k] = (char)((unsigned char)bytes[k] ^ 0x41);
            const tsr_status whole = tsr_data_read(&data, input, NULL);
            const tsr_status passed = convert(1, NULL, false);
            if ((whole == TSR_OK) != (passed == TSR_OK))
                fail_msg("%s, byte %zu: %d and %d, %s", layouts[i], k, whole, passed,
                         tsr_message());
            tsr_data_free(data);
            (void)unlink(output);
            assert_int_equal(tsr__memory_live(), live);
        }
        free(bytes);
    }
    check_clean(false);
}

/* Labels from elsewhere, and pictures. */
static void options_are_heard(void **state)
{
    (void)state;
    char labels[1100];
    name_files("a.mtx", "a.h5");
    (void)snprintf(labels, sizeof labels, "%s/labels.csv", folder);
    write_mtx("real general", 300, 60, 9000, false, false);
    FILE *file = fopen(labels, "w");
    assert_non_null(file);
    for (int i = 0; i < 300; i++)
        (void)fprintf(file, "c%d\n", i % 4);
    assert_int_equal(fclose(file), 0);
    const tsr_read_options options = {.labels = labels, .image_shape = {6, 10}};
    check_converts_with(TINY, &options);
    tsr_data *back = read_file(output, NULL);
    assert_int_equal(tsr_labels_classes(tsr_data_labels(back)), 4);
    assert_int_equal(tsr_matrix_image(tsr_data_samples(back)).width, 10);
    tsr_data_free(back);
    (void)unlink(labels);
    check_clean(true);
}

/* By feature the group holds the transposed matrix, and nobody takes it for the samples. */
static void check_both(const char *in, int64_t memory)
{
    char part[1200];
    tsr_matrix *turned = NULL;
    name_files(in, "a.h5");
    if (strcmp(in, "a.svm") == 0)
        write_svm(1, 0);
    else
        write_mtx("real general", 500, 90, 30000, false, false);
    check_ok(convert(memory, NULL, true));
    tsr_data *whole = read_file(input, NULL), *back = read_file(output, NULL);
    check_same_data(whole, back);
    (void)snprintf(part, sizeof part, "%s:x_by_feature", output);
    tsr_data *by_feature = read_file(part, NULL);
    check_ok(tsr_matrix_copy_transposed(&turned, whole->x));
    check_same_matrix(turned, by_feature->x);
    tsr_matrix_free(turned);
    tsr_data_free(whole);
    tsr_data_free(back);
    tsr_data_free(by_feature);
    check_clean(true);
}

static void both_orders_are_one_matrix(void **state)
{
    (void)state;
    static const int64_t memory[] = {0, TINY, SMALL, 1 << 20};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        check_both("a.mtx", memory[i]);
        check_both("a.svm", memory[i]);
    }
    name_files("a.mtx", "a.npy");
    write_mtx("real general", 50, 9, 300, false, false);
    check_fails(convert(0, NULL, true), TSR_ERROR_ARGUMENT, ".h5 alone");
    check_clean(false);
}

static void write_input(const char *text)
{
    FILE *file = begin_input();
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* What is wrong with a file is told in the same words, whether it is kept or passes. */
static void faults_are_told_alike(void **state)
{
    (void)state;
    static const struct {
        const char *name, *head, *line, *bad;
    } cases[] = {
        {"a.mtx", "%%MatrixMarket matrix coordinate real general\n50 50 9001\n", "1 2 3.5\n",
         "0 1 5\n"},
        {"a.mtx", "%%MatrixMarket matrix coordinate real general\n50 50 9001\n", "1 2 3.5\n",
         "7 51 5\n"},
        {"a.mtx", "%%MatrixMarket matrix coordinate real general\n50 50 9001\n", "1 2 3.5\n",
         "7 1 x\n"},
        {"a.mtx", "%%MatrixMarket matrix coordinate real general\n50 50 9002\n", "1 2 3.5\n",
         "7 1 1\n"},
        {"a.mtx", "%%MatrixMarket matrix coordinate real general\n50 50 8000\n", "1 2 3.5\n",
         "7 1 1\n"},
        {"a.mtx", "%%MatrixMarket matrix array real general\n9001 1\n", "3.5\n", "3,5\n"},
        {"a.svm", "", "1 1:2 7:3\n", "1 -1:2\n"},
        {"a.svm", "", "1 1:2 7:3\n", "1 9:2 8\n"},
        {"a.svm", "# features 7\n", "1 1:2 7:3\n", "1 8:2\n"},
        {"a.svm", "", "1 1:2 7:3\n", "1,2 8:2\n"},
        {"a.csv", "a,b\n", "1,2\n", "1,2,3\n"},
        {"a.csv", "a,b\n", "1,2\n", "1,pear\n"},
        {"a.csv", "a,b\n", "1,2\n", "1\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsr_data *data = NULL;
        name_files(cases[i].name, "a.h5");
        FILE *file = begin_input();
        (void)fputs(cases[i].head, file);
        for (int k = 0; k < 9000; k++)
            (void)fputs(cases[i].line, file);
        (void)fputs(cases[i].bad, file);
        assert_int_equal(fclose(file), 0);
        char said[TSR_MESSAGE_SIZE];
        const tsr_status status = tsr_data_read(&data, input, NULL);
        assert_true(status < 0);
        (void)snprintf(said, sizeof said, "%s", tsr_message());
        assert_int_equal(convert(TINY * 4, NULL, false), status);
        assert_string_equal(tsr_message(), said);
        check_clean(false);
    }
}

/* NaN and infinity as in memory, by the first in the order of the samples. */
static void odd_values_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } cases[] = {
        {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 3\n2 4 inf\n3 1 1\n2 3 "
                  "nan\n"},
        {"a.svm", "1 3:1\n2 2:nan 4:inf\n1 1:1\n"},
        {"a.csv", "1,2\n3,nan\n4,inf\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int needs = 1; needs < 3; needs++) {
            const tsr_read_options plain = {.threads = 1};
            char said[TSR_MESSAGE_SIZE];
            name_files(cases[i].name, "a.h5");
            write_input(cases[i].text);
            tsr_data *data = read_file(input, NULL);
            assert_int_equal(tsr_matrix_check(data->x, needs, data->origin), TSR_ERROR_DATA);
            (void)snprintf(said, sizeof said, "%s", tsr_message());
            tsr_data_free(data);
            assert_int_equal(tsr__data_convert(NULL, input, output, &plain, false, needs, 1),
                             TSR_ERROR_DATA);
            assert_string_equal(tsr_message(), said);
            check_clean(false);
        }
}

static void refusals_say_what_to_do(void **state)
{
    (void)state;
    const tsr_read_options little = {.memory = 1000};
    name_files("a.mtx", "a.npy");
    write_mtx("real general", 50, 9, 3000, false, false);
    check_fails(tsr_data_convert(input, output, &little, false), TSR_ERROR_ARGUMENT,
                "16M is the least");
    check_fails(convert(TINY, NULL, false), TSR_ERROR_UNSUPPORTED, "write .h5");
    (void)snprintf(output, sizeof output, "%s/a.mat", folder);
    check_fails(convert(TINY, NULL, false), TSR_ERROR_UNSUPPORTED, ".h5 or .npy");
    check_fails(tsr__data_convert(NULL, fixture("cells.mat"), output, &little, false, 0, 1),
                TSR_ERROR_UNSUPPORTED, "leave out --memory");
    check_clean(false);
    name_files("a.csv", "a.h5");
    FILE *file = begin_input();
    for (int i = 0; i < 3000; i++)
        (void)fprintf(file, i % 10 < 9 ? "%d," : "%d\n", i);
    for (int i = 0; i < 20000; i++)
        (void)fprintf(file, "%d,", i);
    assert_int_equal(fclose(file), 0);
    check_fails(convert(SMALL, NULL, false), TSR_ERROR_DATA,
                "line 301 is longer than 8192 bytes");
    check_clean(false);
}

static bool stop_at(void *context, const tsr_step *step)
{
    int *left = context;
    (void)step;
    return --*left >= 0;
}

/* Whoever stops it finds nothing afterwards, wherever it was. */
static void stopping_leaves_nothing(void **state)
{
    (void)state;
    int steps = 0;
    for (bool stopped = true; stopped; steps += 3) {
        int left = steps;
        const tsr_progress progress = {stop_at, &left};
        const tsr_read_options options = {.threads = 1, .progress = &progress};
        name_files("a.mtx", "a.h5");
        write_mtx("real general", 300, 70, 60000, false, false);
        const tsr_status status = convert(TINY, &options, true);
        stopped = status < 0;
        if (stopped)
            assert_int_equal(status, TSR_ERROR_INTERRUPTED);
        check_clean(!stopped);
    }
    assert_true(steps > 20);
}

/* Every allocation fails once. */
static void starve(const char *name, void (*write)(void), bool both)
{
    name_files(name, "a.h5");
    write();
    for (int64_t nth = 1;; nth++) {
        const int64_t live = tsr__memory_live();
        tsr__memory_fail_at(nth);
        const tsr_status status = convert(TINY * 4, NULL, both);
        tsr__memory_fail_at(0);
        assert_int_equal(tsr__memory_live(), live);
        if (status == TSR_OK)
            break;
        if (status != TSR_ERROR_MEMORY)
            fail_msg("allocation %lld: %s", (long long)nth, tsr_message());
        assert_int_not_equal(access(output, F_OK), 0);
    }
    check_clean(true);
}

static void write_short_mtx(void)
{
    write_mtx("real symmetric", 90, 90, 2000, true, false);
}

static void write_short_svm(void)
{
    write_input("# features 9\n");
    FILE *file = fopen(input, "a");
    assert_non_null(file);
    for (int i = 0; i < 3000; i++)
        (void)fprintf(file, "%d 3:1 1:%d\n", i % 90, i);
    assert_int_equal(fclose(file), 0);
}

static void write_short_csv(void)
{
    write_csv(true, true, ',', 800);
}

static void write_csr(void)
{
    write_sparse_npz("csr", false);
}

static void write_csc(void)
{
    write_sparse_npz("csc", true);
}

static void failing_memory_leaves_nothing(void **state)
{
    (void)state;
    starve("a.mtx", write_short_mtx, true);
    starve("a.svm", write_short_svm, true);
    starve("a.csv", write_short_csv, false);
    starve("a.npz", write_csr, true);
    starve("a.npz", write_csc, true);
}

/* A full disk, at any time. */
static void a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (rlim_t size = 1000; size < 2000000; size = size * 5 / 2) {
        name_files("a.mtx", "a.h5");
        write_mtx("real general", 3000, 700, 60000, false, false);
        limit = before, limit.rlim_cur = size;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const tsr_status status = convert(SMALL, NULL, true);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        if (status != TSR_OK) {
            assert_int_equal(status, TSR_ERROR_IO);
            assert_non_null(strstr(tsr_message(), "File too large"));
        }
        check_clean(status == TSR_OK);
    }
    (void)signal(SIGXFSZ, handler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_sorted),
        cmocka_unit_test(arrays_are_turned),
        cmocka_unit_test(samples_keep_their_labels),
        cmocka_unit_test(tables_pass_line_by_line),
        cmocka_unit_test(a_lone_column_has_blanks),
        cmocka_unit_test(archives_of_scipy_pass),
        cmocka_unit_test(arrays_of_numpy_pass),
        cmocka_unit_test(own_archives_pass),
        cmocka_unit_test(damaged_archives_are_refused),
        cmocka_unit_test(options_are_heard),
        cmocka_unit_test(both_orders_are_one_matrix),
        cmocka_unit_test(faults_are_told_alike),
        cmocka_unit_test(odd_values_are_found),
        cmocka_unit_test(refusals_say_what_to_do),
        cmocka_unit_test(stopping_leaves_nothing),
        cmocka_unit_test(failing_memory_leaves_nothing),
        cmocka_unit_test(a_full_disk_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
