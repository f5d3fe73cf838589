#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES, TIOCGWINSZ */
#include "cli/line/env.h"

#include "base/threads.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* ---- free memory ---- */

enum { MAX_PATH = 4096, MAX_LINE = 4096 };

/* The free memory if nothing is known. */
static const uint64_t GUESS = (uint64_t)1 << 30;

/* Version 1 writes no limit as the greatest number of whole pages. */
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
static bool read_value(const char *folder, const char *name, const char *label, uint64_t *value)
{
    char path[2 * MAX_PATH], line[MAX_LINE];
    bool found = false;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        char *end, *start = line + strlen(label);
        if (strncmp(line, label, strlen(label)) != 0)
            continue;
        *value = strtoull(start, &end, 10);
        found = end > start;
    }
    if (file != NULL)
        fclose(file);
    return found;
}

/* What the group at `path` and all groups around it leave: any of them may be the full one. In a
 * container the path may be one that only the host knows; the walk then ends at the mount, which is
 * the container's own group. A group leaves its limit less what is used, where inactive cached file
 * pages count as free, since the kernel gives them up. */
static uint64_t groups_leave(const controller *c, const char *root, char *path)
{
    uint64_t leaves = UINT64_MAX, limit, usage, cache;
    char folder[MAX_PATH];
    for (;;) {
        snprintf(folder, sizeof folder, "%s%s%s", root, c->mount, path);
        if (read_value(folder, c->limit, "", &limit) && limit < NO_LIMIT &&
            read_value(folder, c->usage, "", &usage)) {
            if (read_value(folder, "memory.stat", c->cache, &cache))
                usage -= least(cache, usage);
            leaves = least(leaves, limit - least(usage, limit));
        }
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return leaves;
        *slash = '\0';
    }
}

size_t free_memory(const char *root)
{
    char list[MAX_PATH], line[MAX_LINE];
    uint64_t kilobytes, leaves = GUESS;
    long pages = sysconf(_SC_PHYS_PAGES);
    /* MemAvailable is the kernel's own estimate; half of the memory is ours where there is none (no
     * Linux, or an old one). */
    if (read_value(root, "proc/meminfo", "MemAvailable:", &kilobytes))
        leaves = kilobytes * 1024;
    else if (pages > 0)
        leaves = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    snprintf(list, sizeof list, "%s/proc/self/cgroup", root);
    FILE *file = fopen(list, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        /* A line of it is "0::/path" in version 2, "4:cpu,memory:/path" in version 1. */
        line[strcspn(line, "\n")] = '\0';
        char *rest, *names = strchr(line, ':'),
                    *path = names == NULL ? NULL : strchr(names + 1, ':');
        if (path == NULL)
            continue;
        *names++ = '\0';
        *path++ = '\0';
        bool is_version_2 = strcmp(line, "0") == 0, has_memory = is_version_2;
        for (char *name = strtok_r(names, ",", &rest); name != NULL;
             name = strtok_r(NULL, ",", &rest))
            has_memory |= strcmp(name, "memory") == 0;
        if (has_memory)
            leaves =
                least(leaves, groups_leave(is_version_2 ? &VERSION_2 : &VERSION_1, root, path));
    }
    if (file != NULL)
        fclose(file);
    return (size_t)least(leaves, SIZE_MAX);
}

void env_open(env *world)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    size_t processors = threads_processors();
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors == 0)
        processors = online > 0 ? (size_t)online : 1;
    *world = (env){
        .err = stderr,
        .stdin_is_terminal = isatty(STDIN_FILENO) != 0,
        .stdout_is_terminal = isatty(STDOUT_FILENO) != 0,
        .stderr_is_terminal = isatty(STDERR_FILENO) != 0,
        .is_process = true,
        .processors = processors,
        .free_memory = free_memory(""),
    };
    /* A terminal that calls itself dumb, as an editor's is, shows escape sequences as they are. */
    world->no_color = (no_color != NULL && no_color[0] != '\0') ||
                      (terminal != NULL && strcmp(terminal, "dumb") == 0);
    long width = columns == NULL ? 0 : strtol(columns, NULL, 10);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    if (width <= 0)
        width = WIDTH_OF_FILES;
    world->width = width < MOST_WIDTH ? (int)width : MOST_WIDTH;
}

void env_say(const env *world, const char *bytes, size_t length)
{
    if (world->said != NULL)
        text_add(world->said, bytes, length);
    else
        fwrite(bytes, 1, length, world->err);
}

/* ---- the clock ---- */

double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
