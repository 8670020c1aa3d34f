/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pictures to try things on, drawn by the program: nothing has to be fetched.
 *
 *     faces     20 people x 12 pictures, 32 x 32: who it is (shape of head, eyes, nose, mouth, hair),
 *               how they feel (mouth, brows) and where the light comes from; the class is who
 *     swimmer   256 pictures of a torso with four limbs, each in one of four positions (Donoho &
 *               Stodden 2003): the true parts are known; the class is the upper left limb's position */
#ifndef TSR_CLI_PICTURES_H
#define TSR_CLI_PICTURES_H

#include "base/status.h"

tsr_status faces_draw(tsr_data **out);
tsr_status swimmer_draw(tsr_data **out);

#endif
