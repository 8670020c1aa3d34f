/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The settings table, for those who walk it: the command line, archives, messages. */
#ifndef TSR_BASE_SETTINGS_H
#define TSR_BASE_SETTINGS_H

#include "base/status.h"

#include <math.h>

/* Rows of a table over struct `type`. */
#define TSR_FLAG_ROW(type, member, name, letter, help)                                         \
    {                                                                                          \
        name, letter, TSR_SETTING_FLAG, offsetof(type, member), 0, 1, NULL, NULL, help         \
    }
#define TSR_INTEGER_ROW(type, member, name, letter, least, most, fallback, values, help)       \
    {                                                                                          \
        name, letter, TSR_SETTING_INTEGER, offsetof(type, member), least, most, fallback,      \
            values, help                                                                       \
    }
#define TSR_REAL_ROW(type, member, name, least, most, fallback, values, help)                  \
    {                                                                                          \
        name, 0, TSR_SETTING_REAL, offsetof(type, member), least, most, fallback, values, help \
    }
#define TSR_CHOICE_ROW(type, member, name, values, help)                                       \
    {                                                                                          \
        name, 0, TSR_SETTING_CHOICE, offsetof(type, member), 0, 0, NULL, values, help          \
    }
#define TSR_PAIR_ROW(type, member, name, least, most, fallback, values, help)                  \
    {                                                                                          \
        name, 0, TSR_SETTING_PAIR, offsetof(type, member), least, most, fallback, values, help \
    }
#define TSR_TEXT_ROW(type, member, name, letter, fallback, values, help)                       \
    {                                                                                          \
        name, letter, TSR_SETTING_TEXT, offsetof(type, member), 0, 0, fallback, values, help   \
    }
#define TSR_OBJECT_ROW(type, member, name, values, help)                                       \
    {                                                                                          \
        name, 0, TSR_SETTING_OBJECT, offsetof(type, member), 0, 0, NULL, values, help          \
    }
#define TSR_SIZE_ROW(type, member, name, fallback, values, help)                               \
    {                                                                                          \
        name, 0, TSR_SETTING_SIZE, offsetof(type, member), 0, (double)INT64_MAX, fallback,     \
            values, help                                                                       \
    }
/* Of results: nobody sets them. */
#define TSR_FIELD_ROW(type, member, kind, help)                                                \
    {                                                                                          \
#member, 0, TSR_SETTING_##kind, offsetof(type, member), 0, 0, NULL, NULL, help         \
    }
#define TSR_END_ROW                                                                            \
    {                                                                                          \
        NULL, 0, TSR_SETTING_FLAG, 0, 0, 0, NULL, NULL, NULL                                   \
    }

/* The row of that name, and the same if texts can set it; NULL: there is none. */
const tsr_setting *tsr__settings_row(const tsr_setting *table, const char *name);
const tsr_setting *tsr__settings_find(const tsr_setting *table, const char *name);
static inline bool tsr__setting_is_said(const tsr_setting *row)
{
    return row->kind != TSR_SETTING_OBJECT && row->kind != TSR_SETTING_NOTE;
}

/* The name in the table that is nearest to `name`, or NULL where none is near. */
const char *tsr__settings_nearest(const tsr_setting *table, const char *name);

/* The value as a user would write it; returns `out`. */
const char *tsr__settings_show(char *out, size_t size, const tsr_setting *row,
                               const void *object);

/* True when two objects of a table agree in every row; texts by what they say. */
bool tsr__settings_agree(const tsr_setting *table, const void *a, const void *b);

/* True when the value is the table's default. */
bool tsr__settings_is_default(const tsr_setting *row, const void *object);

#endif
