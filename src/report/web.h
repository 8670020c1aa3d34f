/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What every page has inside, made from report/web by tools/embed.cmake: script, style sheet, and the
 * policy that allows these two alone. */
#ifndef TSR_REPORT_WEB_H
#define TSR_REPORT_WEB_H

#include <stddef.h>

extern const unsigned char tsr__web_js[], tsr__web_css[], tsr__web_csp[];
extern const size_t tsr__web_js_size, tsr__web_css_size, tsr__web_csp_size;

#endif
