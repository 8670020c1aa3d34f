/* SPDX-License-Identifier: BSD-2-Clause
 *
 * .mat files that are damaged: what is read from one is right, or it is refused before matio,
 * which does not check, gets to see it. */
#include "fixtures.h"

#include <zlib.h>

/* A file of version 5 in the making. */
typedef struct draft {
    char bytes[1 << 16];
    size_t size;
} draft;

static void add_bytes(draft *to, const void *bytes, size_t size)
{
    assert_true(to->size + size <= sizeof to->bytes);
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void add_words(draft *to, uint32_t first, uint32_t second)
{
    const uint32_t words[2] = {first, second};
    add_bytes(to, words, sizeof words);
}

static void begin(draft *file)
{
    static const char mark[] = {0, 1, 'I', 'M'};
    memset(file->bytes, ' ', 124);
    file->size = 124;
    add_bytes(file, mark, sizeof mark);
}

/* What a variable of 5 x 4 doubles says of itself; it holds `numbers` of them. */
typedef struct claims {
    uint32_t class, rows, columns, name_type, name, bytes;
    int numbers;
} claims;

static void add_variable(draft *to, const claims *c)
{
    const size_t start = to->size;
    add_words(to, 14, 0);
    add_words(to, 6, 8);
    add_words(to, c->class, 0);
    add_words(to, 5, 8);
    add_words(to, c->rows, c->columns);
    add_words(to, c->name_type, c->name);
    add_bytes(to, "fea\0\0\0\0", 8);
    add_words(to, 9, c->bytes);
    for (int i = 0; i < c->numbers; i++) {
        const double number = entry(i % 5, i / 5);
        add_bytes(to, &number, sizeof number);
    }
    const uint32_t size = (uint32_t)(to->size - start - 8);
    memcpy(to->bytes + start + 4, &size, sizeof size);
}

static void add_compressed(draft *to, const draft *variable)
{
    unsigned char packed[1 << 16];
    uLongf size = sizeof packed;
    assert_int_equal(compress(packed, &size, (const Bytef *)variable->bytes, variable->size),
                     Z_OK);
    add_words(to, 15, (uint32_t)size);
    add_bytes(to, packed, size);
}

/* Every byte behind the head of a compressed file with some of its bits turned. */
static void finds_every_wrong_byte(void **state)
{
    static const char *const labels[] = {"1", "2", "3", "1", "2"};
    static const char *const words[] = {"cat", "dog", "\xc3\x84pfel", "cat", "dog"};
    static const struct {
        const char *file;
        const char *const *labels;
    } cases[] = {{"v5z.mat", labels}, {"v5z_sparse.mat", labels}, {"cells.mat", words}};
    static const unsigned char masks[] = {0xff, 0x01, 0x10, 0x80};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = 0;
        char *bytes = load_bytes(&size, fixture(cases[i].file));
        for (size_t k = 128 * sizeof masks; k < size * sizeof masks; k++) {
            char *at = &bytes[k / sizeof masks];
            const char before = *at;
            tsr_data *data = NULL;
            *at = (char)((unsigned char)before ^ masks[k % sizeof masks]);
            store_bytes(scratch, bytes, size);
            *at = before;
            const tsr_status status = read_by(&data, tsr__mat_read, scratch, NULL, false);
            if (status == TSR_OK) {
                check_fixture(data->x);
                check_labels(data->labels, cases[i].labels, 5);
            } else {
                assert_int_equal(status, TSR_ERROR_FORMAT);
            }
            tsr_data_free(data);
        }
        free(bytes);
    }
}

static void says_which_variable(void **state)
{
    tsr_data *data = NULL;
    size_t size = 0;
    (void)state;
    char *bytes = load_bytes(&size, fixture("v5z.mat"));
    bytes[size - 1] ^= 1; /* the checksum of gnd */
    store_bytes(scratch, bytes, size);
    check_fails(read_by(&data, tsr__mat_read, scratch, NULL, false), TSR_ERROR_FORMAT,
                "variable 2, at byte 208, is damaged: incorrect data check");
    bytes[212]--; /* its size */
    store_bytes(scratch, bytes, size - 1);
    check_fails(read_by(&data, tsr__mat_read, scratch, NULL, false), TSR_ERROR_FORMAT,
                "variable 2, at byte 208, is damaged: its compressed data are cut off");
    free(bytes);
}

/* Sizes that contradict each other, plain and behind a checksum that is right. */
static void believes_no_claims(void **state)
{
    static const struct {
        claims claims;
        const char *words; /* NULL: it is whole */
    } cases[] = {
        {{6, 5, 4, 1, 3, 160, 20}, NULL},
        {{6, 5, 4, 1, 3, 160, 10}, "longer than the variable"},
        {{6, 5, 4, 1, 3, 80, 10}, "less than its dimensions say"},
        {{6, 6, 4, 1, 3, 160, 20}, "less than its dimensions say"},
        {{6, 50000, 20000, 1, 3, 160, 20}, "less than its dimensions say"},
        {{6, 50000, 20000, 1, 3, 0xfffffff8, 20}, "longer than the variable"},
        {{6, 0x7fffffff, 0x7fffffff, 1, 3, 160, 20}, "less than its dimensions say"},
        {{6, 5, 4, 1, 0x7ffffff0, 160, 20}, "longer than the variable"},
        {{6, 5, 4, 0x00080001, 3, 160, 20}, "longer than the variable"},
        {{1, 50000, 20000, 1, 3, 160, 20}, "less than its dimensions say"},
        {{4, 50000, 20000, 1, 3, 160, 20}, "less than its dimensions say"},
        {{5, 50000, 20000, 1, 3, 0xfffffff8, 20}, "longer than the variable"},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        tsr_data *data = NULL;
        draft variable = {.size = 0}, file = {.size = 0};
        begin(&file);
        add_variable(&variable, &cases[i / 2].claims);
        if (i % 2 == 0)
            add_bytes(&file, variable.bytes, variable.size);
        else
            add_compressed(&file, &variable);
        store_bytes(scratch, file.bytes, file.size);
        const tsr_status status = read_by(&data, tsr__mat_read, scratch, NULL, false);
        if (cases[i / 2].words != NULL) {
            check_fails(status, TSR_ERROR_FORMAT, cases[i / 2].words);
        } else {
            check_ok(status);
            check_fixture(data->x);
        }
        tsr_data_free(data);
    }
}

static void refuses_what_is_no_variable(void **state)
{
    const claims whole = {6, 5, 4, 1, 3, 160, 20};
    tsr_data *data = NULL;
    draft variable = {.size = 0}, file = {.size = 0};
    (void)state;
    begin(&file);
    add_variable(&variable, &whole);
    variable.bytes[4]++;
    add_compressed(&file, &variable);
    store_bytes(scratch, file.bytes, file.size);
    check_fails(read_by(&data, tsr__mat_read, scratch, NULL, false), TSR_ERROR_FORMAT,
                "a whole variable");
    variable.bytes[4]--;
    variable.bytes[8] = 7;
    begin(&file);
    add_compressed(&file, &variable);
    store_bytes(scratch, file.bytes, file.size);
    check_fails(read_by(&data, tsr__mat_read, scratch, NULL, false), TSR_ERROR_FORMAT,
                "begin with its class");
    variable.bytes[8] = 6;
    begin(&file);
    add_compressed(&file, &variable);
    add_words(&file, 13, 0);
    store_bytes(scratch, file.bytes, file.size);
    check_fails(read_by(&data, tsr__mat_read, scratch, NULL, false), TSR_ERROR_FORMAT,
                "begins no variable");
    file.bytes[132] = (char)(file.bytes[132] + 8); /* the 8 bytes more are part of it */
    store_bytes(scratch, file.bytes, file.size);
    check_fails(read_by(&data, tsr__mat_read, scratch, NULL, false), TSR_ERROR_FORMAT,
                "end early");
}

static void survives_lack_of_memory(void **state)
{
    const claims large = {6, 5, 1000, 1, 3, 40000, 5000};
    draft variable = {.size = 0}, file = {.size = 0};
    (void)state;
    begin(&file);
    add_variable(&variable, &large);
    add_compressed(&file, &variable);
    store_bytes(scratch, file.bytes, file.size);
    starve_reader(tsr__mat_read, scratch);
    starve_reader(tsr__mat_read, fixture("v5z.mat"));
    starve_reader(tsr__mat_read, fixture("v5z_sparse.mat"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_every_wrong_byte),
        cmocka_unit_test(says_which_variable),
        cmocka_unit_test(believes_no_claims),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(refuses_what_is_no_variable),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
