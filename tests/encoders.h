/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fitting an encoder from a line of settings. */
#ifndef TSR_TESTS_ENCODERS_H
#define TSR_TESTS_ENCODERS_H

#include "lab.h"
#include "learn/encoder.h"
#include "matrix/principal.h"

static inline tsr_encoder *fit(const tsr_data *data, const char *format, ...)
{
    lab_options options;
    char line[512];
    va_list arguments;
    tsr_encoder *encoder = NULL;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    lab_options_of(&options, 200, "%s", line);
    check_ok(tsr_encoder_fit(&encoder, data, &options.o));
    return encoder;
}

static inline tsr_status fit_status(const tsr_data *data, const char *line)
{
    lab_options options;
    tsr_encoder *encoder = NULL;
    lab_options_of(&options, 20, "%s", line);
    const tsr_status status = tsr_encoder_fit(&encoder, data, &options.o);
    tsr_encoder_free(encoder);
    return status;
}

/* Entry (a, b) of left' C right, whose columns are k apart; C NULL: the identity. */
static inline double form_entry(const double *left, const double *c, const double *right,
                                int64_t m, int64_t a, int64_t b, int64_t k)
{
    double sum = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            sum += left[i * k + a] * (c != NULL ? c[i * m + j] : (double)(i == j)) *
                   right[j * k + b];
    return sum;
}

static inline double trace_of(const double *c, int64_t m)
{
    double sum = 0;
    for (int64_t j = 0; j < m; j++)
        sum += c[j * m + j];
    return sum;
}

#endif
