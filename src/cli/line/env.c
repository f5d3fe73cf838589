/* sched_getaffinity is Linux's own, and hidden without this. */
#define _GNU_SOURCE
#include "cli/line/env.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

/* ---- free memory ---- */

enum { MAX_PATH = 4096, MAX_LINE = 4096 };

/* Where nothing at all is known. */
static const uint64_t GUESS = (uint64_t)1 << 30;

/* Version 1 has no word for no limit, but the greatest number of whole pages. */
static const uint64_t NO_LIMIT = (uint64_t)1 << 62;

/* The files of a memory controller (Linux: Documentation/admin-guide/cgroup-v2.rst,
 * cgroup-v1/memory.rst). */
typedef struct controller {
    const char *mount, *limit, *usage, *cache;
} controller;

static const controller VERSION_2 = {"/sys/fs/cgroup", "memory.max", "memory.current",
                                     "inactive_file "};
static const controller VERSION_1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                     "memory.usage_in_bytes", "total_inactive_file "};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number after `label` at the start of a line; false where there is no such line, or "max" in
 * it. */
static bool read_value(const char *path, const char *label, uint64_t *value)
{
    char line[MAX_LINE];
    bool found = false;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        char *end, *start = line + strlen(label);
        if (strncmp(line, label, strlen(label)) != 0)
            continue;
        *value = strtoull(start, &end, 10);
        found = end > start;
    }
    fclose(file);
    return found;
}

static bool read_value_of(const char *folder, const char *file, const char *label, uint64_t *value)
{
    char path[2 * MAX_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return read_value(path, label, value);
}

/* What the group at `path` and all around it leave, of which each may be the one that is full. In a
 * container the path may be one that only the host knows; the walk then ends at the mount, which is
 * the container's own group. A group leaves its limit less what is used, where cached file pages
 * that nobody has touched lately count as free, since the kernel gives them up. */
static uint64_t groups_leave(const controller *c, const char *root, char *path)
{
    uint64_t leaves = UINT64_MAX, limit, usage, cache;
    char folder[MAX_PATH];
    for (;;) {
        snprintf(folder, sizeof folder, "%s%s%s", root, c->mount, path);
        if (read_value_of(folder, c->limit, "", &limit) && limit < NO_LIMIT &&
            read_value_of(folder, c->usage, "", &usage)) {
            if (read_value_of(folder, "memory.stat", c->cache, &cache))
                usage -= least(cache, usage);
            leaves = least(leaves, limit - least(usage, limit));
        }
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return leaves;
        *slash = '\0';
    }
}

static bool lists_memory(const char *controllers)
{
    for (;; controllers++) {
        size_t length = strcspn(controllers, ",");
        if (length == strlen("memory") && strncmp(controllers, "memory", length) == 0)
            return true;
        controllers += length;
        if (*controllers == '\0')
            return false;
    }
}

/* A line of /proc/self/cgroup: "0::/path" in version 2, "4:cpu,memory:/path" in version 1. */
static uint64_t line_leaves(const char *root, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *path = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (path == NULL)
        return UINT64_MAX;
    *controllers++ = '\0';
    *path++ = '\0';
    if (strcmp(line, "0") == 0 && controllers[0] == '\0')
        return groups_leave(&VERSION_2, root, path);
    return lists_memory(controllers) ? groups_leave(&VERSION_1, root, path) : UINT64_MAX;
}

size_t free_memory(const char *root)
{
    char path[MAX_PATH], line[MAX_LINE];
    uint64_t kilobytes, leaves = GUESS;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    /* MemAvailable is the kernel's own estimate; half of the memory is ours where there is none (no
     * Linux, or an old one). */
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    if (read_value(path, "MemAvailable:", &kilobytes))
        leaves = kilobytes * 1024;
    else if (pages > 0 && size > 0)
        leaves = (uint64_t)pages * (uint64_t)size / 2;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        leaves = least(leaves, line_leaves(root, line));
    if (file != NULL)
        fclose(file);
    return (size_t)least(leaves, SIZE_MAX);
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

void env_open(env *world)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    *world = (env){
        .err = stderr,
        .stdin_is_terminal = isatty(STDIN_FILENO) != 0,
        .stdout_is_terminal = isatty(STDOUT_FILENO) != 0,
        .stderr_is_terminal = isatty(STDERR_FILENO) != 0,
        .is_process = true,
        .width = columns == NULL ? 0 : atoi(columns),
        .processors = count_processors(),
        .free_memory = free_memory(""),
    };
    /* A terminal that calls itself dumb, as an editor's is, shows escape sequences as they are. */
    world->no_color = (no_color != NULL && no_color[0] != '\0') ||
                      (terminal != NULL && strcmp(terminal, "dumb") == 0);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        world->width = size.ws_col;
    else if (world->width <= 0)
        world->width = WIDTH_OF_FILES;
}

/* ---- the clock ---- */

double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
