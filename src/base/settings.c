/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Settings: one function a kind for reading, showing and checking; all else walks the table. */
#include "base/settings.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void *member(const tsr_setting *row, void *object)
{
    return (char *)object + row->offset;
}

static const void *const_member(const tsr_setting *row, const void *object)
{
    return (const char *)object + row->offset;
}

static tsr_status out_of_range(const tsr_setting *row, const char *value)
{
    char low[TSR_REAL_SIZE], high[TSR_REAL_SIZE];
    (void)tsr__format_real(low, row->minimum);
    (void)tsr__format_real(high, row->maximum);
    return isinf(row->maximum)
               ? tsr__fail(TSR_ERROR_ARGUMENT, "--%s %s is below its least value %s", row->name,
                           value, low)
               : tsr__fail(TSR_ERROR_ARGUMENT, "--%s %s is outside %s .. %s", row->name, value,
                           low, high);
}

static bool in_range(const tsr_setting *row, double value)
{
    return value >= row->minimum && value <= row->maximum; /* false for NaN */
}

static tsr_status set_flag(const tsr_setting *row, void *at, const char *value)
{
    static const char *const yes[] = {"true", "yes", "1"}, *const no[] = {"false", "no", "0"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (strcmp(value, yes[i]) == 0 || strcmp(value, no[i]) == 0) {
            *(bool *)at = strcmp(value, yes[i]) == 0;
            return TSR_OK;
        }
    }
    return tsr__fail(TSR_ERROR_ARGUMENT, "--%s is true or false, not '%s'", row->name, value);
}

static tsr_status set_integer(const tsr_setting *row, void *at, const char *value)
{
    int64_t number = 0;
    if (!tsr__text_is_integer(&number, value))
        return tsr__fail(TSR_ERROR_ARGUMENT, "--%s wants a whole number, not '%s'", row->name,
                         value);
    if (!in_range(row, (double)number))
        return out_of_range(row, value);
    *(int64_t *)at = number;
    return TSR_OK;
}

static tsr_status set_real(const tsr_setting *row, void *at, const char *value)
{
    double number = 0;
    if (!tsr__text_is_real(&number, value))
        return tsr__fail(TSR_ERROR_ARGUMENT, "--%s wants a number, not '%s'", row->name, value);
    if (!in_range(row, number))
        return out_of_range(row, value);
    *(double *)at = number;
    return TSR_OK;
}

static tsr_status set_pair(const tsr_setting *row, void *at, const char *value)
{
    int64_t pair[2] = {0, 0};
    const char *end = value + strlen(value);
    const char *cross = tsr__parse_integer(&pair[0], value, end);
    if (cross == value || (*cross != 'x' && *cross != 'X') ||
        tsr__parse_integer(&pair[1], cross + 1, end) != end || cross + 1 == end)
        return tsr__fail(TSR_ERROR_ARGUMENT, "--%s wants %s such as 32x24, not '%s'", row->name,
                         row->values, value);
    if (!in_range(row, (double)pair[0]) || !in_range(row, (double)pair[1]))
        return out_of_range(row, value);
    memcpy(at, pair, sizeof pair);
    return TSR_OK;
}

/* The letters of sizes, each 1024 times the one before. */
static const char size_letters[] = "KMGT";

static tsr_status set_size(const tsr_setting *row, void *at, const char *value)
{
    int64_t number = 0;
    const char *end = value + strlen(value), *rest = tsr__parse_integer(&number, value, end);
    const char *letter =
        rest + 1 == end ? strchr(size_letters, toupper((unsigned char)*rest)) : NULL;
    const int shift = letter != NULL ? 10 * (int)(letter - size_letters + 1) : 0;
    if (rest == value || (rest != end && letter == NULL))
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "--%s wants bytes such as 2G, 500M or 64K, not '%s'", row->name,
                         value);
    if (number < 0 || number > INT64_MAX >> shift)
        return tsr__fail(TSR_ERROR_ARGUMENT, "--%s %s is outside 0 .. %lldT", row->name, value,
                         (long long)(INT64_MAX >> 40));
    *(int64_t *)at = number << shift;
    return TSR_OK;
}

/* Position of `value` among "a|b|c", or -1. */
static int choice_of(const char *values, const char *value)
{
    const size_t length = strlen(value);
    for (int position = 0;; position++) {
        const size_t word = strcspn(values, "|");
        if (word == length && strncmp(values, value, word) == 0)
            return position;
        if (values[word] == '\0')
            return -1;
        values += word + 1;
    }
}

static tsr_status set_choice(const tsr_setting *row, void *at, const char *value)
{
    const int position = choice_of(row->values, value);
    if (position < 0)
        return tsr__fail(TSR_ERROR_ARGUMENT, "--%s is one of %s, not '%s'", row->name,
                         row->values, value);
    *(int *)at = position;
    return TSR_OK;
}

static tsr_status set_text(const tsr_setting *row, void *at, const char *value)
{
    (void)row;
    *(const char **)at = value;
    return TSR_OK;
}

static tsr_status set_object(const tsr_setting *row, void *at, const char *value)
{
    (void)at;
    return tsr__fail(TSR_ERROR_ARGUMENT,
                     "'%s' is given from memory: no text such as '%s' says it", row->name,
                     value);
}

static tsr_status set_note(const tsr_setting *row, void *at, const char *value)
{
    (void)at;
    return tsr__fail(TSR_ERROR_ARGUMENT, "'%s' is part of a result: it is not set to '%s'",
                     row->name, value);
}

static void show_flag(char *out, size_t size, const tsr_setting *row, const void *at)
{
    (void)row;
    (void)snprintf(out, size, "%s", *(const bool *)at ? "true" : "false");
}

static void show_integer(char *out, size_t size, const tsr_setting *row, const void *at)
{
    (void)row;
    (void)snprintf(out, size, "%lld", (long long)*(const int64_t *)at);
}

/* With the largest letter that leaves a whole number. */
static void show_size(char *out, size_t size, const tsr_setting *row, const void *at)
{
    int64_t number = *(const int64_t *)at;
    int letters = 0;
    (void)row;
    while (number != 0 && number % 1024 == 0 && size_letters[letters] != '\0')
        number /= 1024, letters++;
    (void)snprintf(out, size, "%lld%.*s", (long long)number, letters > 0,
                   letters > 0 ? &size_letters[letters - 1] : "");
}

static void show_real(char *out, size_t size, const tsr_setting *row, const void *at)
{
    char text[TSR_REAL_SIZE];
    (void)row;
    (void)tsr__format_real(text, *(const double *)at);
    (void)snprintf(out, size, "%s", text);
}

static void show_pair(char *out, size_t size, const tsr_setting *row, const void *at)
{
    const int64_t *pair = at;
    (void)row;
    (void)snprintf(out, size, "%lldx%lld", (long long)pair[0], (long long)pair[1]);
}

static void show_choice(char *out, size_t size, const tsr_setting *row, const void *at)
{
    const char *word = row->values;
    for (int i = *(const int *)at; i > 0 && strchr(word, '|') != NULL; i--)
        word = strchr(word, '|') + 1;
    (void)snprintf(out, size, "%.*s", (int)strcspn(word, "|"), word);
}

static void show_text(char *out, size_t size, const tsr_setting *row, const void *at)
{
    const char *text = *(const char *const *)at;
    (void)row;
    (void)snprintf(out, size, "%s", text != NULL ? text : "");
}

static void show_object(char *out, size_t size, const tsr_setting *row, const void *at)
{
    (void)row;
    (void)snprintf(out, size, "%s", *(const void *const *)at != NULL ? "in memory" : "");
}

static void show_note(char *out, size_t size, const tsr_setting *row, const void *at)
{
    (void)row;
    (void)snprintf(out, size, "%s", (const char *)at);
}

static bool good_any(const tsr_setting *row, const void *at)
{
    (void)row;
    (void)at;
    return true;
}

static bool good_integer(const tsr_setting *row, const void *at)
{
    return in_range(row, (double)*(const int64_t *)at);
}

static bool good_size(const tsr_setting *row, const void *at)
{
    (void)row;
    return *(const int64_t *)at >= 0;
}

static bool good_real(const tsr_setting *row, const void *at)
{
    return in_range(row, *(const double *)at);
}

static bool good_pair(const tsr_setting *row, const void *at)
{
    const int64_t *pair = at;
    return (pair[0] == 0 && pair[1] == 0) ||
           (in_range(row, (double)pair[0]) && in_range(row, (double)pair[1]));
}

/* Who reads a text that has a default does not expect NULL. */
static bool good_text(const tsr_setting *row, const void *at)
{
    return row->fallback == NULL || *(const char *const *)at != NULL;
}

static bool good_choice(const tsr_setting *row, const void *at)
{
    int choices = 1;
    for (const char *v = row->values; *v != '\0'; v++)
        choices += *v == '|';
    return *(const int *)at >= 0 && *(const int *)at < choices;
}

static const struct {
    tsr_status (*set)(const tsr_setting *, void *, const char *);
    void (*show)(char *, size_t, const tsr_setting *, const void *);
    bool (*good)(const tsr_setting *, const void *);
    size_t size;
} kinds[] = {
    [TSR_SETTING_FLAG] = {set_flag, show_flag, good_any, sizeof(bool)},
    [TSR_SETTING_INTEGER] = {set_integer, show_integer, good_integer, sizeof(int64_t)},
    [TSR_SETTING_REAL] = {set_real, show_real, good_real, sizeof(double)},
    [TSR_SETTING_CHOICE] = {set_choice, show_choice, good_choice, sizeof(int)},
    [TSR_SETTING_PAIR] = {set_pair, show_pair, good_pair, 2 * sizeof(int64_t)},
    [TSR_SETTING_TEXT] = {set_text, show_text, good_text, sizeof(char *)},
    [TSR_SETTING_OBJECT] = {set_object, show_object, good_any, sizeof(void *)},
    [TSR_SETTING_NOTE] = {set_note, show_note, good_any, 0},
    [TSR_SETTING_SIZE] = {set_size, show_size, good_size, sizeof(int64_t)},
};

/* Tables may be the caller's own. */
static bool is_sound(const tsr_setting *row)
{
    return (int)row->kind >= 0 && (size_t)row->kind < sizeof kinds / sizeof *kinds &&
           (row->kind != TSR_SETTING_CHOICE || row->values != NULL);
}

static tsr_status unsound(const tsr_setting *row)
{
    return tsr__fail(TSR_ERROR_ARGUMENT,
                     "`table`: setting '%s' is of kind %d, which is none, or lacks its choices",
                     row->name, (int)row->kind);
}

void tsr_settings_default(const tsr_setting *table, void *object)
{
    if (table == NULL || object == NULL)
        return;
    for (const tsr_setting *row = table; row->name != NULL; row++) {
        if (!is_sound(row))
            continue;
        memset(member(row, object), 0, kinds[row->kind].size);
        if (row->fallback != NULL)
            (void)kinds[row->kind].set(row, member(row, object), row->fallback);
    }
}

const tsr_setting *tsr__settings_row(const tsr_setting *table, const char *name)
{
    for (const tsr_setting *row = table; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

const tsr_setting *tsr__settings_find(const tsr_setting *table, const char *name)
{
    const tsr_setting *row = tsr__settings_row(table, name);
    return row != NULL && tsr__setting_is_said(row) ? row : NULL;
}

const char *tsr__settings_nearest(const tsr_setting *table, const char *name)
{
    const char *names[256];
    int64_t count = 0;
    for (const tsr_setting *row = table; row->name != NULL && count < 256; row++)
        names[count++] = row->name;
    return tsr__nearest(name, names, count);
}

tsr_status tsr_settings_set(const tsr_setting *table, void *object, const char *name,
                            const char *value)
{
    TSR_REQUIRE(table, object, value);
    TSR_REQUIRE_TEXT(name);
    const tsr_setting *row = tsr__settings_row(table, name);
    if (row == NULL)
        return tsr__fail(TSR_ERROR_ARGUMENT, "there is no setting '%s'", name);
    if (!is_sound(row))
        return unsound(row);
    return kinds[row->kind].set(row, member(row, object), value);
}

static tsr_status bad_value(const tsr_setting *row, const void *object)
{
    char value[64];
    if (row->kind == TSR_SETTING_TEXT)
        return tsr__fail(TSR_ERROR_ARGUMENT, "--%s must not be NULL; '%s' is its default",
                         row->name, row->fallback);
    if (row->kind == TSR_SETTING_CHOICE)
        return tsr__fail(TSR_ERROR_ARGUMENT, "--%s is none of %s", row->name, row->values);
    kinds[row->kind].show(value, sizeof value, row, const_member(row, object));
    return out_of_range(row, value);
}

tsr_status tsr_settings_check(const tsr_setting *table, const void *object)
{
    TSR_REQUIRE(table, object);
    for (const tsr_setting *row = table; row->name != NULL; row++) {
        if (!is_sound(row))
            return unsound(row);
        if (!kinds[row->kind].good(row, const_member(row, object)))
            return bad_value(row, object);
    }
    return TSR_OK;
}

const char *tsr__settings_show(char *out, size_t size, const tsr_setting *row,
                               const void *object)
{
    kinds[row->kind].show(out, size, row, const_member(row, object));
    return out;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool tsr__settings_agree(const tsr_setting *table, const void *a, const void *b)
{
    for (const tsr_setting *row = table; row->name != NULL; row++) {
        const void *mine = const_member(row, a), *theirs = const_member(row, b);
        const bool same =
            row->kind == TSR_SETTING_TEXT
                ? same_text(*(const char *const *)mine, *(const char *const *)theirs)
                : memcmp(mine, theirs, kinds[row->kind].size) == 0;
        if (!same)
            return false;
    }
    return true;
}

bool tsr__settings_is_default(const tsr_setting *row, const void *object)
{
    union {
        bool flag;
        int64_t pair[2];
        double real;
        const char *text;
    } fresh = {.pair = {0, 0}};
    char mine[256], theirs[256];
    if (row->fallback != NULL)
        (void)kinds[row->kind].set(row, &fresh, row->fallback);
    kinds[row->kind].show(mine, sizeof mine, row, const_member(row, object));
    kinds[row->kind].show(theirs, sizeof theirs, row, &fresh);
    return strcmp(mine, theirs) == 0;
}
