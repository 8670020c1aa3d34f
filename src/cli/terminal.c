/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Progress on stderr, and Ctrl-C. Signals and the terminal belong to the process, so this file
 * has the program's only state. */
#include "base/text.h"
#include "cli/command.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static struct {
    bool quiet, bar_shown;
    double last;      /* seconds of the task when something was last said */
    const char *task; /* which task that was */
} terminal;

static void on_interrupt(int signal)
{
    (void)signal;
    if (interrupted) /* the second one means now */
        _exit(128 + SIGINT);
    interrupted = 1;
}

static void describe(tsr__line *out, const tsr_step *step)
{
    const double share = step->total > 0 ? (double)step->done / (double)step->total : 0;
    tsr__line_add(out, "%s %lld", step->task, (long long)step->done);
    if (step->total > 0)
        tsr__line_add(out, "/%lld", (long long)step->total);
    if (!isnan(step->objective))
        tsr__line_add(out, "  objective %.6g", step->objective);
    if (!isnan(step->change))
        tsr__line_add(out, "  change %.1e", step->change);
    if (share > 0 && share < 1)
        tsr__line_add(out, "  %.0f s left", step->seconds * (1 - share) / share);
}

static void draw_bar(const tsr_step *step)
{
    enum { WIDTH = 24 };
    char text[256], bar[WIDTH + 1];
    tsr__line line = TSR_LINE(text);
    const double share = step->total > 0 ? (double)step->done / (double)step->total : 0;
    const int full = (int)(share * WIDTH + 0.5);
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < full ? '#' : '.';
    bar[WIDTH] = '\0';
    describe(&line, step);
    (void)fprintf(stderr, "\r\033[K[%s] %s", bar, text);
    (void)fflush(stderr);
    terminal.bar_shown = true;
}

static bool report(void *user, const tsr_step *step)
{
    (void)user;
    if (interrupted)
        return false;
    if (terminal.quiet)
        return true;
    const bool tty = isatty(STDERR_FILENO) != 0, last = step->done == step->total;
    if (terminal.task != step->task) {
        terminal.task = step->task;
        terminal.last = 0;
    }
    if (tty && step->seconds > 0.5 && (step->seconds - terminal.last > 0.1 || last)) {
        draw_bar(step);
        terminal.last = step->seconds;
    } else if (!tty && step->seconds - terminal.last > 10) {
        char text[256];
        tsr__line line = TSR_LINE(text);
        describe(&line, step);
        (void)fprintf(stderr, "%s\n", text);
        terminal.last = step->seconds;
    }
    return true;
}

const tsr_progress *terminal_progress(bool quiet)
{
    static const tsr_progress progress = {report, NULL};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    (void)sigaction(SIGINT, &action, NULL);
    terminal.quiet = quiet;
    return &progress;
}

void terminal_clear(void)
{
    if (terminal.bar_shown)
        (void)fprintf(stderr, "\r\033[K");
    terminal.bar_shown = false;
}
