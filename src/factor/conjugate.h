/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Linear systems over the graph of samples, for codes that are solved for all at once. */
#ifndef TSR_FACTOR_CONJUGATE_H
#define TSR_FACTOR_CONJUGATE_H

#include "factor/solver.h"

void tsr__conjugate_layout(tsr__conjugate *y, const tsr__solver *s, tsr__arena *arena);

/* (diag + weight L) found = left, from `found` as it is, which are numbers of the solver's type. Codes
 * are spoiled: `keep` makes them what was found. Ends where what is left is `little` of what was, but
 * not below rounding; false where it gave up. Never within a pass; what fails is noted. */
bool tsr__conjugate_solve(tsr__solver *s, const tsr__conjugate *y, double weight,
                          double little);
void tsr__conjugate_keep(tsr__solver *s, const tsr__conjugate *y);

#endif
