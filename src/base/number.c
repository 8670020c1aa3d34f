/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Decimal numbers in text, read and written.
 *
 * Reading takes digits eight at a time and scales up to 19 of them in integers (decimal.h). Of
 * longer numbers the first 19 digits and their successor bound the value: where both round to
 * the same double that is it. What is left, about one number in 10^15, goes to the C library
 * under the C locale, as does the writing of such numbers. */
#include "base/text.h"

#include "base/decimal.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 19, TELLING_DIGITS = 768 };

static bool digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* inf, infinity or nan at `at`, in any case. */
static const char *parse_word(double *out, const char *at, const char *end)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {
        {"infinity", (double)INFINITY}, {"inf", (double)INFINITY}, {"nan", (double)NAN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *w = words[i].word, *p = at;
        while (*w != '\0' && p < end && tolower((unsigned char)*p) == *w)
            w++, p++;
        if (*w == '\0') {
            *out = words[i].value;
            return p;
        }
    }
    return at;
}

/* The digits of a number, without leading zeros and point: `kept` of them up to 19 as an
 * integer, `left` are left out. */
typedef struct significant {
    uint64_t digits;
    int64_t left;
} significant;

static significant collect(const char *at, const char *end)
{
    significant out = {0, 0};
    int kept = 0;
    for (; at < end; at++) {
        if (*at == '.')
            continue;
        if (kept == MOST_DIGITS) {
            out.left++;
        } else {
            out.digits = out.digits * 10 + (uint64_t)(*at - '0');
            kept += out.digits != 0;
        }
    }
    return out;
}

/* Lets the C library round the digits in [at, end) x 10^power, where power is that of the last
 * digit. No double's ties need more than 767 digits; of those beyond it matters only whether
 * one is not zero. */
static double round_slowly(const char *at, const char *end, int64_t power)
{
    char text[TELLING_DIGITS + 32];
    int used = 0;
    bool more = false;
    for (; at < end; at++) {
        if (*at == '.' || (used == 0 && *at == '0'))
            continue;
        if (used < TELLING_DIGITS) {
            text[used++] = *at;
        } else {
            power++;
            more = more || *at != '0';
        }
    }
    if (more) {
        text[used++] = '1';
        power--;
    }
    const int64_t bounded = power > 9999 ? 9999 : power < -9999 ? -9999 : power;
    (void)snprintf(text + used, sizeof text - (size_t)used, "e%d", (int)bounded);
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = uselocale(plain);
    const double value = strtod(text, NULL);
    (void)uselocale(before);
    freelocale(plain);
    return value;
}

/* The rare numbers: more than 19 digits, or too near to a tie. */
static double round_carefully(const char *at, const char *end, int64_t power)
{
    const significant s = collect(at, end);
    double low = 0, high = 0;
    if (tsr__decimal_to_real(&low, s.digits, power + s.left) &&
        (s.left == 0 ||
         (tsr__decimal_to_real(&high, s.digits + 1, power + s.left) && low == high)))
        return low;
    return round_slowly(at, end, power);
}

/* Eight digits at `at`, or false. Digit i of the text is byte i of the word; neighbours are
 * joined to pairs, pairs to fours, fours to eight. */
static bool eight_digits(uint64_t *out, const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        word = __builtin_bswap64(word);
    const uint64_t low = word - 0x3030303030303030u, high = word + 0x4646464646464646u;
    if (((low | high) & 0x8080808080808080u) != 0)
        return false;
    const uint64_t pairs = (low * 10 + (low >> 8)) & 0x00ff00ff00ff00ffu;
    const uint64_t fours = (pairs * 100 + (pairs >> 16)) & 0x0000ffff0000ffffu;
    *out = (fours * 10000 + (fours >> 32)) & 0xffffffffu;
    return true;
}

/* Appends a run of digits to *digits, which wraps around after more than 19. */
static inline const char *take_digits(const char *at, const char *end, uint64_t *digits)
{
    uint64_t eight = 0, value = *digits;
    while (end - at >= 8 && eight_digits(&eight, at)) {
        value = value * 100000000u + eight;
        at += 8;
    }
    for (; at < end && digit(*at); at++)
        value = value * 10 + (uint64_t)(*at - '0');
    *digits = value;
    return at;
}

static const char *take_exponent(const char *at, const char *end, int64_t *power)
{
    const char *p = at + 1;
    const bool down = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end || !digit(*p))
        return at;
    int64_t value = 0;
    for (; p < end && digit(*p); p++)
        value = value < INT64_MAX / 100 ? value * 10 + (*p - '0') : value;
    *power += down ? -value : value;
    return p;
}

static bool exponent_letter(char c)
{
    return c == 'e' || c == 'E' || c == 'd' || c == 'D';
}

const char *tsr__parse_real(double *out, const char *at, const char *end)
{
    const char *p = at;
    const bool minus = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    const char *number = p;
    uint64_t digits = 0;
    p = take_digits(p, end, &digits);
    int64_t seen = p - number, power = 0;
    if (p < end && *p == '.') {
        const char *fraction = p + 1;
        p = take_digits(fraction, end, &digits);
        power = fraction - p;
        seen -= power;
    }
    const char *last = p;
    double value = 0;
    if (seen == 0) {
        p = parse_word(&value, number, end);
        if (p == number)
            return at;
    } else {
        if (p < end && exponent_letter(*p))
            p = take_exponent(p, end, &power);
        if (seen > MOST_DIGITS || !tsr__decimal_to_real(&value, digits, power))
            value = round_carefully(number, last, power);
    }
    *out = minus ? -value : value;
    return p;
}

const char *tsr__parse_integer(int64_t *out, const char *at, const char *end)
{
    const char *p = at;
    const bool minus = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    const char *first = p;
    int64_t value = 0; /* kept negative: there is one more of them */
    for (; p < end && digit(*p); p++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, *p - '0', &value))
            return at;
    if (p == first || (!minus && value == INT64_MIN))
        return at;
    *out = minus ? value : -value;
    return p;
}

static const char *blanks(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        at++;
    return at;
}

bool tsr__text_is_real(double *out, const char *text)
{
    const char *at = blanks(text);
    const char *after = tsr__parse_real(out, at, at + strlen(at));
    return after != at && *blanks(after) == '\0';
}

bool tsr__text_is_integer(int64_t *out, const char *text)
{
    const char *at = blanks(text);
    const char *after = tsr__parse_integer(out, at, at + strlen(at));
    return after != at && *blanks(after) == '\0';
}

/* Prints with rising precision until the text reads back as the same value. */
static int format_slowly(char *out, double value, int low, int high)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = uselocale(plain);
    int length = 0;
    for (int precision = low; precision <= high; precision++) {
        length = snprintf(out, TSR_REAL_SIZE, "%.*g", precision, value);
        double back = 0;
        (void)tsr__parse_real(&back, out, out + length);
        if (high < 15 ? (float)back == (float)value : back == value)
            break;
    }
    (void)uselocale(before);
    freelocale(plain);
    return length;
}

static int put_word(char *out, const char *word)
{
    const size_t length = strlen(word);
    memcpy(out, word, length + 1);
    return (int)length;
}

/* Decimal digits of a number, right-aligned before `end`; returns the first. */
static char *digits_before(char *end, uint64_t value)
{
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return end;
}

static int put_integer(char *out, int64_t value)
{
    char text[24];
    const char *first =
        digits_before(text + sizeof text, (uint64_t)(value < 0 ? -value : value));
    const size_t length = (size_t)(text + sizeof text - first);
    const size_t sign = value < 0;
    out[0] = '-';
    memcpy(out + sign, first, length);
    out[sign + length] = '\0';
    return (int)(sign + length);
}

/* Lays out `digits` x 10^power as %.{precision}g does: an exponent below 10^-4 and from
 * 10^precision on, no zeros at the end. */
static int put_decimal(char *out, uint64_t digits, int power, int precision)
{
    char text[24], *p = out;
    while (digits % 10 == 0) {
        digits /= 10;
        power++;
    }
    const char *first = digits_before(text + sizeof text, digits);
    const int count = (int)(text + sizeof text - first), top = power + count - 1;
    const bool scientific = top < -4 || top >= precision;
    const int whole = scientific ? 1 : top + 1; /* digits before the point */
    if (whole <= 0) {
        memcpy(p, "0.000", 5);
        p += 2 - whole;
        memcpy(p, first, (size_t)count);
        p += count;
    } else if (whole >= count) {
        memcpy(p, first, (size_t)count);
        memset(p + count, '0', (size_t)(whole - count));
        p += whole;
    } else {
        memcpy(p, first, (size_t)whole);
        p[whole] = '.';
        memcpy(p + whole + 1, first + whole, (size_t)(count - whole));
        p += count + 1;
    }
    if (scientific) {
        *p++ = 'e';
        *p++ = top < 0 ? '-' : '+';
        const int size = top < 0 ? -top : top;
        if (size < 10)
            *p++ = '0';
        p += put_integer(p, size);
    }
    *p = '\0';
    return (int)(p - out);
}

/* The 17 digits rounded to `precision` of them, ties to even; false where they cannot tell. */
static bool round_decimal(uint64_t *out, const tsr__decimal *d, int precision)
{
    uint64_t unit = 1;
    for (int i = precision; i < 17; i++)
        unit *= 10;
    const uint64_t kept = d->digits / unit, rest = d->digits % unit;
    int side = d->side;
    if (unit > 1)
        side = rest > unit / 2 || (rest == unit / 2 && !d->whole) ? 1 : -(rest != unit / 2);
    /* Vague digits may belong to either side of the next whole number. */
    if (d->vague && (unit == 1 || rest == unit / 2 || rest + 1 == unit / 2))
        return false;
    *out = kept + (side > 0 || (side == 0 && (kept & 1) != 0));
    return true;
}

static int format_shortest(char *out, double value, int low, int high)
{
    const tsr__decimal d = tsr__real_to_decimal(fabs(value));
    const size_t sign = value < 0;
    for (int precision = low; precision <= high; precision++) {
        uint64_t digits = 0;
        double back = 0;
        const int power = d.power + 17 - precision;
        if (!round_decimal(&digits, &d, precision) ||
            !tsr__decimal_to_real(&back, digits, power))
            return format_slowly(out, value, low, high);
        if (precision == high ||
            (high < 15 ? (float)back == (float)fabs(value) : back == fabs(value))) {
            out[0] = '-';
            return (int)sign + put_decimal(out + sign, digits, power, precision);
        }
    }
    return 0;
}

int tsr__format_real(char *out, double value)
{
    if (!isfinite(value))
        return put_word(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    if (value == 0)
        return put_word(out, signbit(value) ? "-0" : "0");
    if (fabs(value) < 1e15 && value == (double)(int64_t)value)
        return put_integer(out, (int64_t)value);
    return format_shortest(out, value, 15, 17);
}

int tsr__format_float(char *out, float value)
{
    if (!isfinite(value) || (fabsf(value) < 1e7f && value == floorf(value)))
        return tsr__format_real(out, (double)value);
    return format_shortest(out, (double)value, 6, 9);
}
