/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the tests of pictures share: files in memory, cut and bent. */
#ifndef TSR_TESTS_PICTURES_H
#define TSR_TESTS_PICTURES_H

#include "image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct bytes {
    unsigned char *at;
    size_t size;
} bytes;

static tsr_status decode(tsr__image *image, bytes file)
{
    *image = (tsr__image){0, 0, NULL};
    const tsr__bound bound = {.size = (int64_t)file.size};
    return tsr__image_decode(image, file.at, &bound);
}

static void assert_refused(tsr_status expected, const char *text, const void *at, size_t size)
{
    tsr__image image = {0, 0, NULL};
    const tsr__bound bound = {.size = (int64_t)size};
    assert_int_equal(tsr__image_decode(&image, at, &bound), expected);
    assert_null(image.grey);
    if (strstr(tsr_message(), text) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", tsr_message(), text);
}

/* Every prefix is refused, from memory of exactly its size; so that reading beyond is seen. */
static void assert_prefixes_refused(bytes file, const char *text)
{
    for (size_t size = 0; size < file.size; size++) {
        unsigned char *exact = malloc(size + 1);
        assert_non_null(exact);
        unsigned char *end = memcpy(exact + 1, file.at, size);
        assert_refused(TSR_ERROR_FORMAT, size < 8 ? "" : text, end, size);
        free(exact);
    }
}

/* Every byte changed in a few ways: any answer, no harm. */
static void assert_bends_survived(bytes file)
{
    static const unsigned char bends[] = {0x01, 0x80, 0xff};
    const int64_t live = tsr__memory_live();
    for (size_t i = 0; i < 3 * file.size; i++) {
        tsr__image image = {0, 0, NULL};
        file.at[i / 3] ^= bends[i % 3];
        if (decode(&image, file) == TSR_OK)
            tsr__image_free(&image);
        file.at[i / 3] ^= bends[i % 3];
    }
    assert_int_equal(tsr__memory_live(), live);
}

static void put_number(unsigned char *at, unsigned value, int length)
{
    for (int i = 0; i < length; i++)
        at[i] = (unsigned char)(value >> 8 * (length - 1 - i));
}

/* Whichever allocation of decoding and resizing fails, the status says so and nothing leaks. */
static void assert_memory_failures(bytes file)
{
    const int64_t live = tsr__memory_live();
    tsr_status status = TSR_ERROR_MEMORY;
    int nth = 1;
    for (; status != TSR_OK && nth < 1000; nth++) {
        tsr__image image = {0, 0, NULL}, made = {0, 0, NULL};
        tsr__memory_fail_at(nth);
        status = decode(&image, file);
        if (status == TSR_OK)
            status = tsr__image_resize(&made, &image, 4, 4);
        assert_true(status == TSR_OK || status == TSR_ERROR_MEMORY);
        tsr__memory_fail_at(0);
        tsr__image_free(&image);
        tsr__image_free(&made);
        assert_int_equal(tsr__memory_live(), live);
    }
    assert_true(nth > 3 && nth < 1000);
}

#endif
