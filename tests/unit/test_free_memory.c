/* Free memory of made-up machines: a folder with the files that Linux would have (cgroup-v2.rst,
 * cgroup-v1/memory.rst, proc(5)). The expected numbers are the files' own, subtracted by hand. */
#include "unit.h"

#include "cli/line/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_MADE = 64, MOST_PATH = 512 };

/* A folder, and what was made in it, to be removed in reverse. */
typedef struct machine {
    char root[64];
    char made[MOST_MADE][MOST_PATH];
    size_t count;
} machine;

static bool machine_new(machine *m)
{
    m->count = 0;
    snprintf(m->root, sizeof m->root, "/tmp/selfattn-memory-XXXXXX");
    return mkdtemp(m->root) != NULL;
}

static void machine_free(machine *m)
{
    while (m->count > 0)
        remove(m->made[--m->count]);
    rmdir(m->root);
}

static void remember(machine *m, const char *path)
{
    if (m->count < MOST_MADE)
        snprintf(m->made[m->count++], MOST_PATH, "%s", path);
}

/* Writes a file below the root, and makes the folders that it needs. */
static void put(unit *u, machine *m, const char *name, const char *contents)
{
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s%s", m->root, name);
    for (char *slash = strchr(path + strlen(m->root) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) == 0)
            remember(m, path);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    CHECK(u, file != NULL && fputs(contents, file) >= 0 && fclose(file) == 0);
    remember(m, path);
}

static void test_machine_alone(unit *u)
{
    machine m;
    CHECK(u, machine_new(&m));
    put(u, &m, "/proc/meminfo", "MemTotal:  16000 kB\nMemFree: 1 kB\nMemAvailable:    8000 kB\n");
    CHECK(u, free_memory(m.root) == 8000u * 1024);
    machine_free(&m);
}

/* 10000000 − (6000000 − 2000000): cached pages count as free. The group around it leaves less:
 * 5500000 − 500000. */
static void test_version_2(unit *u)
{
    machine m;
    CHECK(u, machine_new(&m));
    put(u, &m, "/proc/meminfo", "MemAvailable: 8000000 kB\n");
    put(u, &m, "/proc/self/cgroup", "0::/box/job\n");
    put(u, &m, "/sys/fs/cgroup/box/job/memory.max", "10000000\n");
    put(u, &m, "/sys/fs/cgroup/box/job/memory.current", "6000000\n");
    put(u, &m, "/sys/fs/cgroup/box/job/memory.stat", "anon 1\ninactive_file 2000000\n");
    CHECK(u, free_memory(m.root) == 6000000);
    put(u, &m, "/sys/fs/cgroup/box/memory.max", "5500000\n");
    put(u, &m, "/sys/fs/cgroup/box/memory.current", "500000\n");
    CHECK(u, free_memory(m.root) == 5000000);
    put(u, &m, "/sys/fs/cgroup/box/memory.max", "max\n");
    CHECK(u, free_memory(m.root) == 6000000);
    /* How much of it is used is not said. */
    put(u, &m, "/sys/fs/cgroup/memory.max", "1\n");
    CHECK(u, free_memory(m.root) == 6000000);
    machine_free(&m);
}

/* In a container the path is often the host's; what is mounted is the container's own group. */
static void test_path_of_the_host(unit *u)
{
    machine m;
    CHECK(u, machine_new(&m));
    put(u, &m, "/proc/meminfo", "MemAvailable: 8000000 kB\n");
    put(u, &m, "/proc/self/cgroup", "0::/docker/1234\n");
    put(u, &m, "/sys/fs/cgroup/memory.max", "4096000\n");
    put(u, &m, "/sys/fs/cgroup/memory.current", "96000\n");
    CHECK(u, free_memory(m.root) == 4000000);
    machine_free(&m);
}

/* A group that is over its limit leaves nothing. */
static void test_version_1(unit *u)
{
    machine m;
    CHECK(u, machine_new(&m));
    put(u, &m, "/proc/meminfo", "MemAvailable: 8000000 kB\n");
    put(u, &m, "/proc/self/cgroup",
        "9:cpu,cpuacct:/x\n4:hugetlb,memory,misc:/job\n1:name=systemd:/x\nno group\n2:none\n");
    put(u, &m, "/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "3000000\n");
    put(u, &m, "/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1000000\n");
    put(u, &m, "/sys/fs/cgroup/memory/job/memory.stat", "total_inactive_file 250000\n");
    CHECK(u, free_memory(m.root) == 2250000);
    put(u, &m, "/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "9000000\n");
    CHECK(u, free_memory(m.root) == 0);
    put(u, &m, "/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(u, free_memory(m.root) == (uint64_t)8000000 * 1024);
    machine_free(&m);
}

static void test_nothing_known(unit *u)
{
    CHECK(u, free_memory("/nonexistent") > 0);
    CHECK(u, free_memory("") > 0);
}

UNIT(free_memory)
{
    test_machine_alone(u);
    test_version_2(u);
    test_path_of_the_host(u);
    test_version_1(u);
    test_nothing_known(u);
}
