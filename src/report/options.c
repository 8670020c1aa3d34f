/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How pages are made. */
#include "base/settings.h"

static const tsr_setting table[] = {
    TSR_TEXT_ROW(tsr_page_options, title, "title", 0, NULL, "TEXT", "what the page is called"),
    TSR_TEXT_ROW(tsr_page_options, command, "command", 0, NULL, "TEXT",
                 "the command that makes it again; else it is shown as typed"),
    TSR_TEXT_ROW(tsr_page_options, pictures, "pictures", 0, NULL, "DIR",
                 "the pictures that visual words were taken from: parts are laid over some"),
    TSR_INTEGER_ROW(tsr_page_options, points, "points", 0, 1, 1e5, "2000", "N",
                    "samples in charts, at most"),
    TSR_INTEGER_ROW(tsr_page_options, parts, "parts", 0, 1, 1e4, "200", "N",
                    "basis vectors that are shown, at most"),
    TSR_INTEGER_ROW(tsr_page_options, samples, "samples", 0, 0, 1000, "8", "N",
                    "samples that are put together of their parts"),
    TSR_INTEGER_ROW(tsr_page_options, seed, "seed", 0, 0, 9e15, "0", "N",
                    "for clusters, and for what is drawn of many samples"),
    TSR_INTEGER_ROW(tsr_page_options, threads, "threads", 0, 0, 4096, "0", "N",
                    "0: all processors"),
    TSR_OBJECT_ROW(tsr_page_options, progress, "progress", "progress", "told of each step"),
    TSR_END_ROW,
};

const tsr_setting *tsr_page_settings(void)
{
    return table;
}
