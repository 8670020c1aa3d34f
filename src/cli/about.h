/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What commands say of a fitted model. */
#ifndef TSR_CLI_ABOUT_H
#define TSR_CLI_ABOUT_H

#include "base/json.h"

#include <stdio.h>

/* How the fit went: loss, sizes, iterations, objective and errors, the terms of J. */
void about_report(tsr__json *in, const tsr_model *model);

/* The members "terms" and "notes" of what a fit says. */
void about_terms(tsr__json *in, const tsr_model *model);
void about_plan(tsr__json *in, const tsr_model *model);
void about_notes(tsr__json *in, const tsr_model *model);

/* The lines of a model's plan, each behind `before`. */
void print_plan(FILE *to, const char *before, const tsr_model *model);

/* "  of which  loss 1.2 (90 %), graph 0.13 (10 %)", the name padded to `width`; nothing where J is
 * the loss alone. */
void print_terms(FILE *to, int width, const tsr_model *model);

/* All about it, as tessera info shows it. */
tsr_status about_print(const char *path, const tsr_model *model);
tsr_status about_json(const char *path, const tsr_model *model);

#endif
