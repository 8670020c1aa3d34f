/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Overlays from the inside. */
#ifndef TSR_LEARN_OVERLAY_H
#define TSR_LEARN_OVERLAY_H

#include "base/status.h"

/* The picture with its colours, height x width x RGB; the caller's, to be given to tsr__free. */
tsr_status tsr__overlay_paint(unsigned char **out, const tsr_overlay *overlay);

#endif
