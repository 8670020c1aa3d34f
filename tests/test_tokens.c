/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Words of texts: hand-made cases, hostile bytes against a plain reading of the rules, headers of
 * messages, the table of words and lists of words. */
#include "check.h"

#include "features/tokens.h"
#include "features/unicode.h"
#include "features/vocabulary.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The tokens of a text, joined by blanks; the text has no byte to spare. */
static char *join(const char *text, size_t size, int64_t shortest)
{
    char *exact = malloc(size > 0 ? size : 1), *out = calloc(2 * size + 2, 1);
    tsr__token token;
    size_t used = 0;
    memcpy(exact, text, size);
    tsr__tokens tokens = tsr__tokens_begin(exact, (int64_t)size, shortest);
    while (tsr__tokens_next(&token, &tokens)) {
        assert_int_equal(strlen(token.text), token.length);
        if (used > 0)
            out[used++] = ' ';
        memcpy(out + used, token.text, (size_t)token.length);
        used += (size_t)token.length;
    }
    free(exact);
    return out;
}

static void by_hand(void **unused)
{
    static const struct {
        const char *text, *tokens;
        int64_t shortest;
    } cases[] = {
        {"", "", 1},
        {" ,;\n\t--__''", "", 1},
        {"Don't STOP, it's ok.", "don t stop it s ok", 1},
        {"Don't STOP, it's ok.", "don stop it ok", 2},
        {"x11r5 4-door e-mail foo_bar 3.14 AT&T", "x11r5 4 door e mail foo bar 3 14 at t", 1},
        {"\xc3\x84PFEL Gr\xc3\xb6\xc3\x9f"
         "E",
         "\xc3\xa4pfel gr\xc3\xb6\xc3\x9f"
         "e",
         2}, /* Latin */
        {"\xce\xa3\xce\x8a\xce\xa3\xce\xa5\xce\xa6\xce\x9f\xce\xa3",
         "\xcf\x83\xce\xaf\xcf\x83\xcf\x85\xcf\x86\xce\xbf\xcf\x83", 2}, /* Greek */
        {"\xd0\x96\xd0\xa3\xd0\x9a", "\xd0\xb6\xd1\x83\xd0\xba", 2},     /* Cyrillic */
        {"na\xefve caf\xc9", "na\xc3\xafve caf\xc3\xa9", 2},             /* Latin-1 bytes */
        {"\x93hi\x94 there\xa0now", "hi there now", 2},      /* no letters in Latin-1 */
        {"ab\xc3", "ab\xc3\xa3", 1},                         /* cut off: the letter A tilde */
        {"\xc0\xaf", "\xc3\xa0", 1},                         /* overlong: two bytes */
        {"\xed\xa0\x80 b", "\xc3\xad b", 1},                 /* a surrogate */
        {"\xf5x \xf4\x90\x80\x80", "\xc3\xb5x \xc3\xb4", 1}, /* beyond the last */
        {"e\xcc\x81t", "e\xcc\x81t", 1},                     /* a combining accent */
        {"\xe6\xbc\xa2\xe5\xad\x97\xe3\x80\x82\xe3\x81\x8b",
         "\xe6\xbc\xa2\xe5\xad\x97 \xe3\x81\x8b", 1},      /* an ideographic full stop */
        {"it\xe2\x80\x99s \xe2\x80\x94 so", "it s so", 1}, /* quote, dash */
        {"a\xf0\x9f\x98\x80"
         "b",
         "a b", 1},                                           /* a face */
        {"\xc8\xba", "\xe2\xb1\xa5", 1},                      /* lower case is longer */
        {"\xe2\x84\xaa", "k", 1},                             /* and shorter: the kelvin sign */
        {"\xef\xbb\xbfword", "word", 1},                      /* a byte order mark */
        {"\xc3\xa9 \xc3\xa9\xc3\xa9", "\xc3\xa9\xc3\xa9", 2}, /* characters count, not bytes */
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = join(cases[i].text, strlen(cases[i].text), cases[i].shortest);
        assert_string_equal(got, cases[i].tokens);
        free(got);
    }
}

/* The rules once more, character by character into one long list. */
static size_t take_plainly(uint32_t *code, const unsigned char *at, size_t left)
{
    const size_t size = at[0] < 0x80                     ? 1
                        : at[0] >= 0xc0 && at[0] <= 0xdf ? 2
                        : at[0] >= 0xe0 && at[0] <= 0xef ? 3
                        : at[0] >= 0xf0 && at[0] <= 0xf7 ? 4
                                                         : 0;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    *code = at[0];
    if (size < 2 || size > left)
        return 1;
    uint32_t value = at[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if (at[i] < 0x80 || at[i] > 0xbf)
            return 1;
        value = value * 64 + (at[i] - 0x80u);
    }
    if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 1;
    *code = value;
    return size;
}

static size_t put_plainly(char *out, uint32_t c)
{
    if (c < 0x80)
        return (size_t)snprintf(out, 8, "%c", (int)c);
    if (c < 0x800)
        return (size_t)snprintf(out, 8, "%c%c", (int)(0xc0 + c / 64), (int)(0x80 + c % 64));
    if (c < 0x10000)
        return (size_t)snprintf(out, 8, "%c%c%c", (int)(0xe0 + c / 4096),
                                (int)(0x80 + c / 64 % 64), (int)(0x80 + c % 64));
    return (size_t)snprintf(out, 8, "%c%c%c%c", (int)(0xf0 + c / 262144),
                            (int)(0x80 + c / 4096 % 64), (int)(0x80 + c / 64 % 64),
                            (int)(0x80 + c % 64));
}

static char *join_plainly(const char *text, size_t size)
{
    char *out = calloc(2 * size + 16, 1);
    size_t used = 0, begin = 0;
    for (size_t at = 0; at <= size;) {
        uint32_t code = ' ';
        at += at < size ? take_plainly(&code, (const unsigned char *)text + at, size - at) : 1;
        const bool ascii = code < 0x80;
        const bool word = ascii
                              ? (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') ||
                                    (code >= 'a' && code <= 'z')
                              : tsr__unicode_is_word(code);
        if (word) {
            code = !ascii                       ? tsr__unicode_lower(code)
                   : code >= 'A' && code <= 'Z' ? code + 32
                                                : code;
            used += put_plainly(out + used, code);
        } else if (used > begin) {
            if (used - begin > TSR_TOKEN_SIZE)
                used = begin; /* too long */
            else
                out[used++] = ' ';
            begin = used;
        }
    }
    out[used > 0 ? used - 1 : 0] = '\0';
    return out;
}

static void hostile_bytes(void **unused)
{
    /* Bytes that begin, continue or break characters, letters and separators. */
    static const unsigned char some[] = {'a',  'Z',  '7',  ' ',  '-',  0x80, 0xbf,
                                         0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f,
                                         0x98, 0xed, 0xa0, 0xf4, 0x90, 0xff, 0xcc};
    tsr__random random = tsr__random_seed(3, 0);
    (void)unused;
    for (int round = 0; round < 3000; round++) {
        char text[600];
        const size_t size = (size_t)tsr__random_below(&random, round % 10 == 0 ? 600 : 40);
        for (size_t i = 0; i < size; i++) {
            const uint64_t draw = tsr__random_bits(&random);
            text[i] = (char)(round % 3 == 0   ? draw >> 56
                             : round % 3 == 1 ? some[(draw >> 32) % sizeof some]
                                              : some[(draw >> 32) % 3]);
        }
        char *got = join(text, size, 1), *expected = join_plainly(text, size);
        assert_string_equal(got, expected);
        free(got);
        free(expected);
    }
}

static void long_runs_are_no_words(void **unused)
{
    char text[TSR_TOKEN_SIZE + 64];
    (void)unused;
    for (size_t length = TSR_TOKEN_SIZE - 8; length < TSR_TOKEN_SIZE + 8; length++) {
        memset(text, 'x', length);
        memcpy(text + length, " end", 5);
        char *got = join(text, length + 4, 1);
        assert_int_equal(strlen(got), length <= TSR_TOKEN_SIZE ? length + 4 : 3);
        free(got);
        /* The last characters grow from two bytes to three. */
        for (size_t i = length / 2; i < length / 2 + 30; i++)
            memcpy(text + 2 * (i - 15), "\xc8\xba", 2);
        char *plain = join_plainly(text, length + 4);
        got = join(text, length + 4, 1);
        assert_string_equal(got, plain);
        free(got);
        free(plain);
    }
}

static void lower_case_is_stable(void **unused)
{
    (void)unused;
    for (uint32_t code = 0x80; code < 0x110000; code++) {
        const uint32_t lower = tsr__unicode_lower(code);
        if (lower < 0x80) {
            assert_true((lower >= 'a' && lower <= 'z'));
            continue;
        }
        assert_int_equal(tsr__unicode_lower(lower), lower);
        if (lower != code)
            assert_true(tsr__unicode_is_word(lower) == tsr__unicode_is_word(code));
    }
    assert_false(tsr__unicode_is_word(0x2019));
    assert_true(tsr__unicode_is_word(0x10ffff) == false);
}

static void what_is_a_token(void **unused)
{
    (void)unused;
    assert_true(tsr__is_token("word"));
    assert_true(tsr__is_token("x"));
    assert_true(tsr__is_token("\xc3\xa9t\xc3\xa9"));
    assert_false(tsr__is_token(""));
    assert_false(tsr__is_token("Word"));
    assert_false(tsr__is_token("e-mail"));
    assert_false(tsr__is_token(" word"));
    assert_false(tsr__is_token("word "));
    assert_false(tsr__is_token("caf\xe9")); /* becomes UTF-8 on the way */
}

static void headers(void **unused)
{
    static const struct {
        const char *text, *body;
    } cases[] = {
        {"From: a\nSubject: b\n\nbody", "body"},
        {"From: a\r\nSubject: b\r\n\r\nbody\r\n", "body\r\n"},
        {"From someone Mon\nFrom: a\nTo: b\n\nbody", "body"},
        {"From: a\nReferences: b\n\tc: d\n  e\n\nbody", "body"},
        {" tail.of.a.path\nFrom: a\nTo: b\n\nbody", "body"},
        {"From: a\nTo: b\n\n", ""},
        {"Note: only one\n\nbody", "Note: only one\n\nbody"},
        {"From: a\nTo: b\nbody", "From: a\nTo: b\nbody"},
        {"From: a\nTo: b", "From: a\nTo: b"}, /* no empty line */
        {"From: a\nTo: b\nplain line\n\nbody", "From: a\nTo: b\nplain line\n\nbody"},
        {"A b: c\nD: e\nF: g\n\nbody", "A b: c\nD: e\nF: g\n\nbody"},
        {"\n\nFrom: a\nTo: b\n\nbody", "\n\nFrom: a\nTo: b\n\nbody"},
        {": a\n: b\n\nbody", ": a\n: b\n\nbody"},
        {"", ""},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t size = strlen(cases[i].text);
        char *exact = malloc(size > 0 ? size : 1);
        memcpy(exact, cases[i].text, size);
        const char *body = tsr__message_body(exact, exact + size);
        assert_int_equal(exact + size - body, strlen(cases[i].body));
        assert_memory_equal(body, cases[i].body, strlen(cases[i].body));
        for (size_t cut = 0; cut < size; cut++) /* no prefix leads astray */
            assert_true(tsr__message_body(exact, exact + cut) <= exact + cut);
        free(exact);
    }
}

/* Adds a word of one to 20 letters that number `i` stands for. */
static int32_t add(tsr__vocabulary *v, int i, bool only_find)
{
    char text[TSR_TOKEN_SIZE + 8] = {0};
    (void)snprintf(text, sizeof text, "%.*s%d", i % 17, "abcdefghijklmnopq", i);
    int32_t index = tsr__vocabulary_find(v, text, (int32_t)strlen(text));
    if (!only_find) {
        const int32_t before = index;
        check_ok(tsr__vocabulary_add(&index, v, text, (int32_t)strlen(text)));
        assert_true(before < 0 ? index == v->count - 1 : index == before);
    }
    return index;
}

static void numbers_of_words(void **unused)
{
    tsr__vocabulary v = {0};
    static char near[][TSR_TOKEN_SIZE + 8] = {"abcdefg", "abcdefgh", "abcdefghi", "abcdefghij"};
    (void)unused;
    assert_int_equal(add(&v, 1, true), -1);
    for (int i = 0; i < 20000; i++)
        assert_int_equal(add(&v, i, false), i);
    for (int i = 19999; i >= 0; i--)
        assert_int_equal(add(&v, i, false), i);
    assert_int_equal(add(&v, 20000, true), -1);
    for (int i = 0; i < 4; i++) {
        int32_t index = -1;
        check_ok(tsr__vocabulary_add(&index, &v, near[i], (int32_t)strlen(near[i])));
        assert_int_equal(index, 20000 + i);
    }
    tsr__vocabulary_clear(&v);
}

static char path[512];

static void put(const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int make_file(void **unused)
{
    const char *root = getenv("TMPDIR");
    (void)unused;
    (void)snprintf(path, sizeof path, "%s/tessera-XXXXXX", root != NULL ? root : "/tmp");
    const int file = mkstemp(path);
    return file < 0 || close(file) != 0;
}

static int remove_file(void **unused)
{
    (void)unused;
    return unlink(path);
}

static void word_lists(void **unused)
{
    static const char good[] = "\xef\xbb\xbf"
                               "alpha\r\n\n  beta \n\t\ne-mail\nGamma";
    char longest[TSR_TOKEN_SIZE + 2];
    tsr__names names = {NULL, 0, 0};
    tsr__vocabulary v = {0};
    int64_t odd = 0, first = 0;
    (void)unused;
    put(good, sizeof good - 1);
    check_ok(tsr__word_list_read(&names, path));
    assert_int_equal(names.count, 4);
    assert_string_equal(names.name[0], "alpha");
    assert_string_equal(names.name[1], "beta");
    assert_string_equal(names.name[3], "Gamma");
    check_ok(tsr__vocabulary_from_names(&v, &odd, &first, &names));
    assert_int_equal(odd, 2);
    assert_int_equal(first, 2);
    assert_true(tsr__vocabulary_has(&v, "beta"));
    assert_false(tsr__vocabulary_has(&v, "gamma"));
    tsr__vocabulary_clear(&v);
    check_ok(tsr__names_add(&names, "beta"));
    check_fails(tsr__vocabulary_from_names(&v, &odd, &first, &names), TSR_ERROR_DATA,
                "words 2 and 5 are both beta");
    tsr__names_clear(&names);

    put("one\n\ntwo\none\n", 13);
    check_fails(tsr__word_list_read(&names, path), TSR_ERROR_DATA,
                "line 4: one stands there already, in line 1");
    put("\n \n", 3);
    check_fails(tsr__word_list_read(&names, path), TSR_ERROR_DATA, "holds no words");
    put("", 0);
    check_fails(tsr__word_list_read(&names, path), TSR_ERROR_DATA, "holds no words");
    put("a\0b", 3);
    check_fails(tsr__word_list_read(&names, path), TSR_ERROR_FORMAT, "byte 1 is zero");
    memset(longest, 'y', sizeof longest);
    put(longest, TSR_TOKEN_SIZE + 1);
    check_fails(tsr__word_list_read(&names, path), TSR_ERROR_DATA,
                "line 1: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy... is 249 bytes long");
    put(longest, TSR_TOKEN_SIZE);
    check_ok(tsr__word_list_read(&names, path));
    tsr__names_clear(&names);
    for (int64_t nth = 1;; nth++) {
        put(good, sizeof good - 1);
        tsr__memory_fail_at(nth);
        const tsr_status status = tsr__word_list_read(&names, path);
        tsr__memory_fail_at(0);
        if (status == TSR_OK)
            break;
        assert_int_equal(status, TSR_ERROR_MEMORY);
        assert_int_equal(tsr__memory_live(), 0);
    }
    tsr__names_clear(&names);
    assert_int_equal(tsr__memory_live(), 0);
}

static void stop_words(void **unused)
{
    tsr__vocabulary v = {0};
    (void)unused;
    check_ok(tsr__stop_words_find(&v, NULL));
    check_ok(tsr__stop_words_find(&v, "none"));
    assert_int_equal(v.count, 0);
    check_ok(tsr__stop_words_find(&v, "english"));
    assert_true(v.count > 200);
    assert_true(tsr__vocabulary_has(&v, "the") && tsr__vocabulary_has(&v, "whose"));
    assert_false(tsr__vocabulary_has(&v, "hockey"));
    tsr__vocabulary_clear(&v);
    put("The the\nDON'T", 13);
    check_ok(tsr__stop_words_find(&v, path));
    assert_int_equal(v.count, 3);
    assert_true(tsr__vocabulary_has(&v, "don"));
    tsr__vocabulary_clear(&v);
    check_fails(tsr__stop_words_find(&v, "/nowhere/at/all"), TSR_ERROR_IO, "/nowhere/at/all: ");
    assert_int_equal(tsr__memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(hostile_bytes),
        cmocka_unit_test(long_runs_are_no_words),
        cmocka_unit_test(lower_case_is_stable),
        cmocka_unit_test(what_is_a_token),
        cmocka_unit_test(headers),
        cmocka_unit_test(numbers_of_words),
        cmocka_unit_test(word_lists),
        cmocka_unit_test(stop_words),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
