/* sched_getaffinity is Linux's own, and hidden without this. */
#define _GNU_SOURCE
#include "cli/line/env.h"

#include "cli/line/free_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    int said = columns == NULL ? 0 : atoi(columns);
    return said > 0 ? said : WIDTH_OF_FILES;
}

/* Those that this process may run on: fewer than the machine has, under taskset or in a
 * container. */
static size_t count_processors(void)
{
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return (size_t)CPU_COUNT(&allowed);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

/* What NO_COLOR asks for; and a terminal that calls itself dumb, as an editor's is, shows escape
 * sequences as they are. */
static bool is_plain(void)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return (no_color != NULL && no_color[0] != '\0') ||
           (terminal != NULL && strcmp(terminal, "dumb") == 0);
}

void env_open(env *world)
{
    *world = (env){
        .err = stderr,
        .stdin_is_terminal = isatty(STDIN_FILENO) != 0,
        .stdout_is_terminal = isatty(STDOUT_FILENO) != 0,
        .stderr_is_terminal = isatty(STDERR_FILENO) != 0,
        .no_color = is_plain(),
        .width = terminal_width(),
        .processors = count_processors(),
        .free_memory = free_memory(""),
    };
}
