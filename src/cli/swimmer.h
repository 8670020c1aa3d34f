/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The swimmer (Donoho & Stodden 2003): 256 pictures of a torso with four limbs, each limb in
 * one of four positions, in every combination; its true parts are known. */
#ifndef TSR_CLI_SWIMMER_H
#define TSR_CLI_SWIMMER_H

#include "base/status.h"

/* 256 samples of 32 x 32 pixels; the class is the position of the upper left limb. */
tsr_status swimmer_draw(tsr_data **out);

#endif
