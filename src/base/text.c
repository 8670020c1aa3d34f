/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names: natural order, nearest match, bounded lines. */
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Compares the digit runs at *a and *b by value and moves past them. */
static int compare_runs(const char **a, const char **b)
{
    while (**a == '0' && digit((*a)[1]))
        ++*a;
    while (**b == '0' && digit((*b)[1]))
        ++*b;
    const char *p = *a, *q = *b;
    while (digit(*p) && digit(*q))
        p++, q++;
    int order = digit(*p) ? 1 : digit(*q) ? -1 : 0;
    for (; order == 0 && digit(**a); ++*a, ++*b)
        order = **a - **b;
    return order;
}

int tsr__compare_natural(const char *a, const char *b)
{
    const char *first = a, *second = b;
    while (*a != '\0' && *b != '\0') {
        if (digit(*a) && digit(*b)) {
            const int order = compare_runs(&a, &b);
            if (order != 0)
                return order;
        } else if (*a != *b) {
            return (unsigned char)*a - (unsigned char)*b;
        } else {
            a++, b++;
        }
    }
    if (*a != *b)
        return *a != '\0' ? 1 : -1;
    return strcmp(first, second); /* 01 and 1: equal by value, still two names */
}

static bool alike(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Edits (insert, delete, replace, swap of neighbours) from a to b, for short names. */
static int edits(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    int rows[3][LONGEST + 1], *above = rows[0], *last = rows[1], *now = rows[2];
    const size_t length = strlen(b);
    if (length > LONGEST || strlen(a) > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= length; j++)
        now[j] = (int)j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        int *const oldest = above;
        above = last, last = now, now = oldest;
        now[0] = (int)i + 1;
        for (size_t j = 0; j < length; j++) {
            now[j + 1] = least(last[j] + !alike(a[i], b[j]), least(now[j], last[j + 1]) + 1);
            if (i > 0 && j > 0 && alike(a[i], b[j - 1]) && alike(a[i - 1], b[j]))
                now[j + 1] = least(now[j + 1], above[j - 1] + 1);
        }
    }
    return now[length];
}

const char *tsr__nearest(const char *text, const char *const *names, int64_t count)
{
    const char *nearest = NULL;
    int fewest = (int)strlen(text) / 3 + 2;
    for (int64_t i = 0; i < count; i++) {
        const int needed = edits(text, names[i]);
        if (needed < fewest) {
            fewest = needed;
            nearest = names[i];
        }
    }
    return nearest;
}

void tsr__line_add(tsr__line *line, const char *format, ...)
{
    const size_t room = line->size - line->used;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line->text + line->used, room, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    if ((size_t)length < room) {
        line->used += (size_t)length;
    } else {
        line->used = line->size - 1;
        memcpy(line->text + line->size - 4, "...", 4);
    }
}

char *tsr__printable(char *text)
{
    for (char *c = text; *c != '\0'; c++)
        if (((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
            *c = '?';
    return text;
}

const char *tsr__printable_copy(char *out, size_t size, const char *text)
{
    (void)snprintf(out, size, "%s", text);
    for (char *c = out; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    return tsr__printable(out);
}

void tsr__line_fill(tsr__line *line, const char *template, const char *const *parts)
{
    for (const char *hole; (hole = strstr(template, "%s")) != NULL; template = hole + 2) {
        tsr__line_add(line, "%.*s%s", (int)(hole - template), template, *parts);
        parts++;
    }
    tsr__line_add(line, "%s", template);
}

void tsr__put_shell_word(FILE *to, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-./,:=+@%";
    const bool quoted = *text == '\0' || strspn(text, plain) < strlen(text);
    if (quoted)
        (void)fputc('\'', to);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            (void)fputs("'\\''", to);
        else
            (void)fputc(*text, to);
    }
    if (quoted)
        (void)fputc('\'', to);
}
