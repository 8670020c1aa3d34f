/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What small files may cost. Each of these few bytes announces far more than it holds; each is
 * refused by its name, at once, and with no memory to speak of. A single request beyond CEILING
 * fails here, whoever makes it, ours or a library, so that a reader which trusts a size gives
 * another message than the one that is expected. */
#include "draft.h"

#include "base/bound.h"
#include "io/format.h"
#include "learn/protocol.h"

#include <sys/resource.h>
#include <time.h>

enum { CEILING = 640 << 20, GROWTH_KB = 96 << 10 };

TSR_API const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=640:quarantine_size_mb=16";
}

static void set_ceiling(void)
{
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes of addresses and has its own limit */
    long pages = 0;
    FILE *about = fopen("/proc/self/statm", "re");
    if (about != NULL && fscanf(about, "%ld", &pages) == 1) {
        const rlim_t bytes = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + CEILING;
        (void)setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
    }
    if (about != NULL)
        (void)fclose(about);
#endif
}

static long resident_kb(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What reading `name` in the folder says: one thread, no more memory or time than is fair. */
static tsr_status read_fairly(tsr_data **out, const char *name, int64_t expand)
{
    const tsr_read_options options = {.threads = 1, .expand = expand};
    const long before = resident_kb();
    const double start = now();
    *out = NULL;
    const tsr_status status = tsr_data_read(out, path_of(name), &options);
    if (now() - start > 5)
        fail_msg("%s takes %.1f s", name, now() - start);
    if (status < 0 && resident_kb() - before > GROWTH_KB)
        fail_msg("%s takes %ld MB", name, (resident_kb() - before) >> 10);
    return status;
}

static void must_refuse(const char *name, const char *words)
{
    tsr_data *data = NULL;
    const tsr_status status = read_fairly(&data, name, 0);
    tsr_data_free(data);
    if (status != TSR_ERROR_FORMAT || strstr(tsr_message(), words) == NULL ||
        strstr(tsr_message(), name) == NULL)
        fail_msg("%s: %s, \"%s\" instead of \"%s\"", name, tsr_status_name(status),
                 status < 0 ? tsr_message() : "", words);
}

#define MTX    "%%MatrixMarket matrix "
#define BEYOND "the limit is 1000 x the file"

static void texts(void **state)
{
    static const struct {
        const char *name, *text, *words;
    } cases[] = {
        {"a.svm", "1 2147483647:1\n", "1 samples of 2147483647 features would take 17.2 GB; "},
        {"b.svm", "# features 2147483647\n1 1:1\n", BEYOND},
        {"c.svm", "1 0:1 50000000:1\n",
         "50000001 features would take 0.4 GB; " BEYOND "'s 17 "},
        {"a.mtx", MTX "coordinate real general\n1 2147483647 1\n1 1 1\n", BEYOND},
        {"b.mtx", MTX "coordinate real general\n2147483647 1 1\n1 1 1\n", BEYOND},
        {"c.mtx", MTX "coordinate pattern symmetric\n40000000 40000000 0\n", BEYOND},
        {"d.mtx", MTX "array real general\n2147483647 0\n", "an array of 2147483647 x 0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_bytes(cases[i].name, cases[i].text, strlen(cases[i].text));
        must_refuse(cases[i].name, cases[i].words);
    }
}

/* What the message says is enough is enough, and no less. */
static void cure(void **state)
{
    static const char text[] = "1 67108864:1\n2 3:1\n";
    tsr_data *data = NULL;
    (void)state;
    put_bytes("wide.svm", text, strlen(text));
    must_refuse("wide.svm", "if that is meant: --expand ");
    const char *at = strstr(tsr_message(), "--expand ");
    assert_non_null(at);
    const int64_t enough = strtoll(at + strlen("--expand "), NULL, 10);
    check_fails(read_fairly(&data, "wide.svm", enough - 1), TSR_ERROR_FORMAT, "--expand ");
    check_ok(read_fairly(&data, "wide.svm", enough));
    assert_int_equal(tsr_matrix_features(tsr_data_samples(data)), 67108864);
    tsr_data_free(data);
}

/* Hashed features: most are nowhere in a small file. */
static void wide_but_fair(void **state)
{
    static const char text[] = "1 16777216:1\n2 5:1\n";
    tsr_data *data = NULL;
    tsr_scan scan;
    (void)state;
    put_bytes("hashed.svm", text, strlen(text));
    check_ok(read_fairly(&data, "hashed.svm", 0));
    check_ok(tsr_matrix_scan(&scan, tsr_data_samples(data)));
    assert_int_equal(scan.empty_features, 16777214);
    tsr_data_free(data);
}

/* .mat: a good variable, and one that says too much. */

static void cell_of_numbers(draft *to)
{
    const size_t start = begin_variable(to, CELL, 1, 1, "classes");
    add_double(to, 65536, 4096, "");
    end_variable(to, start);
}

static void cell_of_texts(draft *to)
{
    const size_t start = begin_variable(to, CELL, 1, 1, "sample_names");
    const size_t text = begin_variable(to, CHAR, 1, 1 << 30, "");
    add_part(to, 16, "ab", 2);
    end_variable(to, text);
    end_variable(to, start);
}

static void cell_in_cell(draft *to)
{
    const size_t start = begin_variable(to, CELL, 1, 1, "c");
    const size_t inner = begin_variable(to, CELL, 16384, 16384, "");
    add_double(to, 1, 1, "");
    end_variable(to, inner);
    end_variable(to, start);
}

static void name_in_cell(draft *to)
{
    const size_t start = begin_variable(to, CELL, 1, 1, "c");
    const size_t inner = begin_variable(to, DOUBLE, 1, 1, "abcdefgh");
    set_word(to, to->size - 12, 0x7ffffff0);
    end_variable(to, inner);
    end_variable(to, start);
}

static void struct_of_many(draft *to)
{
    const size_t start = begin_variable(to, STRUCT, 16384, 16384, "s");
    add_fields(to, 8, "a\0\0\0\0\0\0", 8);
    add_double(to, 1, 1, "");
    end_variable(to, start);
}

static void struct_of_one(draft *to)
{
    const size_t start = begin_variable(to, STRUCT, 1, 1, "s");
    add_fields(to, 8, "a\0\0\0\0\0\0", 8);
    add_double(to, 65536, 4096, "");
    end_variable(to, start);
}

static void fields_too_long(draft *to)
{
    const size_t start = begin_variable(to, STRUCT, 1, 1, "s");
    add_words(to, 4 << 16 | 5, 1);
    add_words(to, 1, 0x40000000);
    end_variable(to, start);
}

/* matio does not go past the name of a field, and so takes it for the cell. */
static void field_with_name(draft *to)
{
    static const uint32_t one[2] = {1, 1};
    const size_t start = begin_variable(to, STRUCT, 1, 1, "s");
    add_fields(to, 8, "a\0\0\0\0\0\0", 8);
    const size_t field = to->size;
    draft name = {0};
    add_double(&name, 65536, 4096, "");
    add_words(to, 14, 0);
    add_words(to, 6, 8);
    add_words(to, CELL, 0);
    add_part(to, 5, one, sizeof one);
    add_part(to, 1, name.bytes, name.size);
    add_double(to, 1, 1, "");
    end_variable(to, field);
    end_variable(to, start);
    discard(&name);
}

static void functions(draft *to)
{
    const size_t start = begin_variable(to, FUNCTION, 16384, 16384, "f");
    add_double(to, 1, 1, "");
    end_variable(to, start);
}

static void object(draft *to)
{
    const uint32_t name[4] = {1, 0x7ffffff0, 0, 0};
    const size_t start = to->size;
    add_words(to, 14, 0);
    add_words(to, 6, 8);
    add_words(to, OPAQUE, 0);
    add_part(to, 1, name, sizeof name);
    end_variable(to, start);
}

/* Of row numbers with two bytes each matio reads half, and takes what follows for a tag. */
static void sparse_of_other_types(draft *to)
{
    static const uint32_t rows[] = {0, 0, 0, 0, 5, 0x7ffffff0, 5, 0x7ffffff0}, first[] = {0, 1};
    const double one = 1;
    const size_t start = begin_variable(to, CELL, 1, 1, "c");
    const size_t sparse = begin_variable(to, SPARSE, 1, 1, "");
    add_part(to, 4, rows, sizeof rows);
    add_part(to, 5, first, sizeof first);
    add_part(to, 9, &one, sizeof one);
    end_variable(to, sparse);
    end_variable(to, start);
}

/* A compressed variable that says it is empty is read on all the same. */
static void nothing(draft *to)
{
    const size_t start = to->size;
    cell_of_numbers(to);
    set_word(to, start + 4, 0);
}

static void deep_cells(draft *to)
{
    enum { LEVELS = 5000 };
    static size_t start[LEVELS];
    for (int i = 0; i < LEVELS; i++)
        start[i] = begin_variable(to, CELL, 1, 1, "");
    add_double(to, 1, 1, "");
    for (int i = LEVELS - 1; i >= 0; i--)
        end_variable(to, start[i]);
}

/* Nothing contradicts itself here, there is just too much of it. */
static void empty_cells(draft *to)
{
    const size_t start = begin_variable(to, CELL, 1 << 20, 1, "c");
    for (int i = 0; i < 1 << 20; i++)
        add_words(to, 14, 0);
    end_variable(to, start);
}

static void mat_files(void **state)
{
    static const char little[] = "less than its dimensions say", large[] = "longer than the";
    static const struct {
        const char *name;
        void (*make)(draft *);
        const char *plain, *packed; /* words; NULL: that way it is no such file */
    } cases[] = {
        {"numbers", cell_of_numbers, little, little},
        {"texts", cell_of_texts, little, little},
        {"cells", cell_in_cell, little, little},
        {"name", name_in_cell, large, large},
        {"structs", struct_of_many, little, little},
        {"struct", struct_of_one, little, little},
        {"fields", fields_too_long, large, large},
        {"named", field_with_name, "its name is none", "its name is none"},
        {"functions", functions, little, NULL},
        {"object", object, large, large},
        {"types", sparse_of_other_types, "no known type", "no known type"},
        {"nothing", nothing, large, large},
        {"deep", deep_cells, "cells within cells", "cells within cells"},
        {"many", empty_cells, NULL, "what is inside variable 2 would take 0.537 GB"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int packed = 0; packed < 2; packed++) {
            const char *words = packed ? cases[i].packed : cases[i].plain;
            char name[64];
            draft file = {0};
            begin_mat(&file);
            add_double(&file, 1, 1, "X");
            const size_t start = file.size;
            cases[i].make(&file);
            if (packed)
                pack(&file, start, true);
            (void)snprintf(name, sizeof name, "%s%d.mat", cases[i].name, packed);
            put_bytes(name, file.bytes, file.size);
            if (words != NULL)
                must_refuse(name, words);
            discard(&file);
        }
}

static void put_sparse_mat(const char *name, uint32_t rows)
{
    static const uint32_t index[] = {0}, first[] = {0, 1};
    const double one = 1;
    draft file = {0};
    begin_mat(&file);
    const size_t start = begin_variable(&file, SPARSE, rows, 1, "X");
    add_part(&file, 5, index, sizeof index);
    add_part(&file, 5, first, sizeof first);
    add_part(&file, 9, &one, sizeof one);
    end_variable(&file, start);
    put_bytes(name, file.bytes, file.size);
    discard(&file);
}

/* The shape of a sparse matrix costs nothing in the file. Version 4 has it among the values. */
static void sparse_mat_files(void **state)
{
    static const uint32_t head[] = {2, 2, 3, 0, 2};
    const double wide[] = {1, 1, 1, 2147483647, 1, 0}, tall[] = {1, 2147483647, 1, 1, 1, 0};
    tsr_data *data = NULL;
    draft file = {0};
    (void)state;
    put_sparse_mat("tall5.mat", 2147483647);
    must_refuse("tall5.mat", "2147483647 samples of 1 features");
    put_sparse_mat("fair5.mat", 1 << 20);
    check_ok(read_fairly(&data, "fair5.mat", 0));
    tsr_data_free(data);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "wide4.mat" : "tall4.mat";
        file.size = 0;
        add(&file, head, sizeof head);
        add(&file, "X", 2);
        add(&file, i == 0 ? wide : tall, sizeof wide);
        put_bytes(name, file.bytes, file.size);
        must_refuse(name, BEYOND);
    }
    discard(&file);
}

/* Ten thousand sparse matrices in a file of version 4: each was sought from the beginning. */
static void many_old_variables(void **state)
{
    enum { COUNT = 9000 };
    const double list[] = {1, 2, 1, 1, 1, 0};
    tsr_data *data = NULL;
    draft file = {0};
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        const uint32_t head[] = {2, 2, 3, 0, 6};
        char name[8];
        (void)snprintf(name, sizeof name, "a%04d", i);
        add(&file, head, sizeof head);
        add(&file, name, 6);
        add(&file, list, sizeof list);
    }
    put_bytes("many4.mat", file.bytes, file.size);
    check_fails(read_fairly(&data, "many4.mat", 0), TSR_ERROR_DATA, "cannot tell which");
    discard(&file);
}

/* Archives: an entry that says it is large, entries that unpack to much, and a shape. */
static void npz_files(void **state)
{
    enum { MANY = 40000000 };
    static const struct {
        const char *name, *type, *shape;
        size_t bytes, claim;
        const char *words;
    } cases[] = {
        {"claim.npz", "<f8", "5, 4", 160, 2000000000, "an entry of 2000000000 bytes"},
        {"truth.npz", "|b1", "20000000, 2", MANY, 0, "40000000 elements of 1 bytes would take"},
        {"texts.npz", "|S1", "40000000, ", MANY, 0, "40000000 elements of 1 bytes would take"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zip z = {.entries = 0};
        draft content = {0};
        const double one = 1;
        make_npy(&content, "<f8", "1, 1", &one, sizeof one);
        if (strstr(cases[i].name, "texts") != NULL)
            add_entry(&z, "X.npy", &content, content.size);
        content.size = 0;
        make_npy(&content, cases[i].type, cases[i].shape, NULL, cases[i].bytes);
        add_entry(&z, z.entries > 0 ? "y.npy" : "X.npy", &content,
                  cases[i].claim > 0 ? cases[i].claim : content.size);
        end_zip(&z);
        put_bytes(cases[i].name, z.file.bytes, z.file.size);
        discard(&content);
        discard(&z.file);
    }
    const long before = resident_kb(); /* which making the files took as well */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strstr(cases[i].name, "texts") == NULL)
            must_refuse(cases[i].name, cases[i].words);
    const tsr_read_options options = {.threads = 1};
    tsr_labels *labels = NULL;
    check_fails(tsr_labels_read(&labels, path_of("texts.npz"), &options), TSR_ERROR_FORMAT,
                cases[2].words);
    assert_true(resident_kb() - before < GROWTH_KB);
}

static void sparse_npz(void **state)
{
    const int64_t shape[] = {1, 2147483647}, start[] = {0, 1}, index[] = {0};
    const double one = 1;
    const struct {
        const char *name, *type, *shape;
        const void *values;
        size_t bytes;
    } parts[] = {{"shape.npy", "<i8", "2, ", shape, sizeof shape},
                 {"indptr.npy", "<i8", "2, ", start, sizeof start},
                 {"indices.npy", "<i8", "1, ", index, sizeof index},
                 {"data.npy", "<f8", "1, ", &one, sizeof one},
                 {"format.npy", "|S3", "1, ", "csr", 3}};
    zip z = {.entries = 0};
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        draft content = {0};
        make_npy(&content, parts[i].type, parts[i].shape, parts[i].values, parts[i].bytes);
        add_entry(&z, parts[i].name, &content, content.size);
        discard(&content);
    }
    end_zip(&z);
    put_bytes("wide.npz", z.file.bytes, z.file.size);
    discard(&z.file);
    must_refuse("wide.npz", "1 samples of 2147483647 features");
}

/* No texts of two thousand million bytes each. */
static void npy_labels(void **state)
{
    const tsr_read_options options = {.threads = 1};
    tsr_labels *labels = NULL;
    draft file = {0};
    (void)state;
    make_npy(&file, "|S2147483647", "0, ", NULL, 0);
    put_bytes("none.npy", file.bytes, file.size);
    check_ok(tsr_labels_read(&labels, path_of("none.npy"), &options));
    assert_int_equal(tsr_labels_count(labels), 0);
    tsr_labels_free(labels);
    discard(&file);
}

static void pictures(void **state)
{
    static const unsigned char scan[] = {0xff, 0xd8, 0xff, 0xc9, 0,  11, 8,    64,   0,
                                         64,   0,    1,    1,    17, 0,  0xff, 0xda, 0,
                                         8,    1,    1,    0,    0,  63, 0,    0xff, 0xd9};
    draft file = {0};
    (void)state;
    make_png(&file, 16384, 16384);
    put_bytes("png/a.png", file.bytes, file.size);
    put_bytes("jpeg/a.jpg", scan, sizeof scan);
    file.size = 0;
    make_png(&file, 2048, 2048);
    put_bytes("stack/a.png", file.bytes, file.size);
    for (int i = 0; i < 100; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "stack/b%02d.png", i);
        put_bytes(name, "?", 1);
    }
    discard(&file);
    must_refuse("png", "a.png: 16384 x 16384 pixels would take 1.07 GB; " BEYOND);
    must_refuse("jpeg", "a.jpg: 16384 x 16384 pixels would take 1.07 GB; " BEYOND);
    must_refuse("stack", "101 images of 2048 x 2048 pixels would take 3.39 GB; " BEYOND);
}

static void protocols(void **state)
{
    static const struct {
        const char *vary, *words;
    } cases[] = {
        {"classes 1..9000000000000000000", "vary lists more than 10000 values"},
        {"classes 1..9999 1 2", "vary lists more than 10000 values"},
        {"classes -9223372036854775808..9223372036854775807", "more than 10000 values"},
        {"classes 1..9e18", "1..9e18 is no range"},
    };
    tsr__protocol p = {0};
    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int size =
            snprintf(text, sizeof text, "data = x.csv\nvary = %s\n[nmf]\n", cases[i].vary);
        put_bytes("p.txt", text, (size_t)size);
        check_fails(tsr__protocol_read(&p, path_of("p.txt")), TSR_ERROR_FORMAT, cases[i].words);
    }
    static const char last[] =
        "data = x.csv\nvary = seed 9223372036854775806..9223372036854775807\n[nmf]\n";
    put_bytes("p.txt", last, strlen(last));
    check_ok(tsr__protocol_read(&p, path_of("p.txt")));
    assert_int_equal(p.values.count, 2);
    tsr__protocol_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(cure),
        cmocka_unit_test(mat_files),
        cmocka_unit_test(sparse_mat_files),
        cmocka_unit_test(many_old_variables),
        cmocka_unit_test(npy_labels),
        cmocka_unit_test(sparse_npz),
        cmocka_unit_test(npz_files),
        cmocka_unit_test(pictures),
        cmocka_unit_test(protocols),
        cmocka_unit_test(wide_but_fair),
    };
    set_ceiling();
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
