/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Progress on stderr, Ctrl-C and other signals. Signals and the terminal belong to the process, so
 * this file has the program's only state. */
#include "base/text.h"
#include "cli/command.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stopped_by; /* the signal that asked to stop, or 0 */
static struct timespec stopped_at;       /* when it came; written by the handler alone */

/* Milliseconds within which a second signal is the same wish: `timeout` and shells send one to the
 * process and another to its group. */
enum { ONE_PRESS = 300 };

static struct {
    bool quiet, bar_shown;
    double last;      /* seconds of the task when something was last said */
    const char *task; /* which task that was */
} terminal;

static void on_stop(int signal)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* which a handler may call */
    const long long since = (now.tv_sec - stopped_at.tv_sec) * 1000LL +
                            (now.tv_nsec - stopped_at.tv_nsec) / 1000000;
    if (stopped_by != 0 && since > ONE_PRESS)
        _exit(128 + signal);
    if (stopped_by == 0)
        stopped_at = now;
    stopped_by = signal;
}

/* A page of a mapped input is not there. */
static void on_lost_page(int signal)
{
    static const char words[] = "tessera: an input became shorter while it was in use, or its "
                                "disk failed\n";
    (void)signal;
    const ssize_t said = write(STDERR_FILENO, words, sizeof words - 1);
    _exit(said < 0 ? 128 + SIGBUS : EXIT_FAILED);
}

static void handle(int signal, void (*handler)(int))
{
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    /* what the caller has the process ignore (nohup), it goes on ignoring */
    if (sigaction(signal, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        (void)sigaction(signal, &action, NULL);
}

void terminal_open(void)
{
    int file = 0;
    while (file >= 0 && file <= STDERR_FILENO) /* no file shall come to stand for stdout */
        file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)close(file);
    handle(SIGXFSZ, SIG_IGN); /* so that writing beyond a limit fails, and can be told */
    handle(SIGBUS, on_lost_page);
}

int terminal_stopped(void)
{
    return stopped_by;
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

void terminal_clear(void)
{
    if (terminal.bar_shown)
        (void)fprintf(stderr, "\r\033[K");
    terminal.bar_shown = false;
}

static bool report(void *user, const tsr_step *step)
{
    (void)user;
    if (stopped_by != 0)
        return false;
    if (terminal.quiet)
        return true;
    if (step->note != NULL) {
        terminal_clear();
        (void)fprintf(stderr, "warning: %s\n", step->note);
    }
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
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        handle(stops[i], on_stop);
    terminal.quiet = quiet;
    return &progress;
}
