/* A program of the coverage variant counts into PROGRAM.counters next to it, a mapped file. So what
 * a process reached counts however it ended (a signal, _exit, exec), and thousands of them need not
 * write, each at its end, a file for each source. The file has a slot for each process that is
 * alive; where its owner is gone, a slot goes on with the next one. A forked child shares the slot
 * of its parent, which waits for it.
 *
 * With $WRITE_COVERAGE a program does nothing but write the sum of all slots as gcov reads it.
 *
 * gcov derives some counts from others, so no step may be lost: steps are atomic
 * (-fprofile-update). On x86-64 they are locked, which takes more time than all the rest of a run,
 * only while their process has several threads (steps.h). */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern char coverage_begin[], coverage_end[]; /* counters.ld: whole pages */
void __gcov_dump(void);

/* Instead of libgcov's, which writes at each end of a process. */
void __wrap___gcov_exit(void);
void __wrap___gcov_exit(void)
{
}

static void check(bool holds, const char *what)
{
    if (!holds) {
        perror(what);
        abort();
    }
}

/* ---- slots: a page whose first number is the owner, then the counters ---- */

static size_t page, counters;

static void *map(int file, off_t at, size_t size, void *place)
{
    void *mapped = mmap(place, size, PROT_READ | PROT_WRITE,
                        MAP_SHARED | (place == NULL ? 0 : MAP_FIXED), file, at);
    check(mapped != MAP_FAILED, "counters");
    return mapped;
}

static off_t size_of(int file)
{
    struct stat facts;
    check(fstat(file, &facts) == 0, "counters");
    return facts.st_size;
}

static bool take_slot(int file, off_t at)
{
    _Atomic pid_t *owner = map(file, at, page, NULL);
    pid_t before = *owner;
    bool is_free = before == 0 || (kill(before, 0) != 0 && errno == ESRCH);
    bool taken = is_free && atomic_compare_exchange_strong(owner, &before, getpid());
    munmap((void *)owner, page);
    return taken;
}

static void write_sum(int file)
{
    uint64_t *sum = (uint64_t *)(void *)coverage_begin;
    for (off_t at = 0; at < size_of(file); at += (off_t)(page + counters)) {
        const uint64_t *slot = map(file, at + (off_t)page, counters, NULL);
        for (size_t i = 0; i < counters / sizeof *sum; i++)
            sum[i] += slot[i];
    }
    __gcov_dump();
}

/* After gcov's own constructors, before the program's, which may have counted nothing yet. */
__attribute__((constructor(101))) static void share_counters(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof ".counters");
    snprintf(path + (length < 0 ? 0 : length), sizeof ".counters", ".counters");
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    check(file >= 0, path);
    page = (size_t)sysconf(_SC_PAGESIZE);
    counters = (size_t)(coverage_end - coverage_begin);
    if (getenv("WRITE_COVERAGE") != NULL) {
        write_sum(file);
        _exit(0);
    }
    off_t at = 0, whole = (off_t)(page + counters);
    for (;; at += whole) {
        if (size_of(file) < at + whole)
            check(posix_fallocate(file, at, whole) == 0, path); /* which never shortens it */
        if (take_slot(file, at))
            break;
    }
    map(file, at + (off_t)page, counters, coverage_begin);
    close(file);
}

/* ---- locked steps ---- */

/* Of steps.h: where each prefix is, from its own place; none on other machines. */
extern const int32_t __start_step_places[] __attribute__((weak));
extern const int32_t __stop_step_places[] __attribute__((weak));
extern char __executable_start[], etext[];

enum { LOCK = 0xf0, NO_LOCK = 0x3e };

static atomic_size_t threads = 1;

/* By the only thread that there is. */
static void write_prefixes(unsigned char prefix)
{
    for (const int32_t *place = __start_step_places; place < __stop_step_places; place++)
        ((unsigned char *)(uintptr_t)place)[*place] = prefix;
}

/* What the C library has under a name that is defined here. */
static void find(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (create == NULL) {
        uintptr_t from = (uintptr_t)__executable_start / page * page;
        check(mprotect((void *)from, (uintptr_t)etext - from, PROT_READ | PROT_WRITE | PROT_EXEC) ==
                  0,
              "steps");
        find(&create, "pthread_create");
    }
    if (threads++ == 1)
        write_prefixes(LOCK);
    int failure = create(thread, attributes, start, argument);
    if (failure != 0 && --threads == 1)
        write_prefixes(NO_LOCK);
    return failure;
}

int pthread_join(pthread_t thread, void **result)
{
    static int (*join)(pthread_t, void **);
    if (join == NULL)
        find(&join, "pthread_join");
    int failure = join(thread, result);
    if (failure == 0 && --threads == 1)
        write_prefixes(NO_LOCK);
    return failure;
}
