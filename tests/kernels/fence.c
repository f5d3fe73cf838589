/* Anonymous mappings are not POSIX, and hidden without this. */
#define _DEFAULT_SOURCE
#include "kernels/fence.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* On either side of what was placed. */
enum { AROUND = 256 };

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

void fence_open(fence *f, size_t bytes)
{
    size_t page = page_size(), inside = (bytes + 2 * AROUND + page - 1) / page * page;
    char *all = mmap(NULL, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, inside, PROT_READ | PROT_WRITE) != 0)
        abort();
    *f = (fence){.first = all + page, .end = all + page + inside};
}

void fence_close(fence *f)
{
    size_t page = page_size();
    munmap(f->first - page, (size_t)(f->end - f->first) + 2 * page);
}

static char *guard_begin(const fence *f)
{
    return f->placed - f->first < AROUND ? f->first : f->placed - AROUND;
}

static char *guard_end(const fence *f)
{
    char *after = f->placed + f->bytes;
    return f->end - after < AROUND ? f->end : after + AROUND;
}

static char *put(fence *f, char *at, size_t bytes)
{
    f->placed = at;
    f->bytes = bytes;
    memset(guard_begin(f), FENCE_GUARD, (size_t)(guard_end(f) - guard_begin(f)));
    return at;
}

char *fence_place_first(fence *f, size_t bytes, size_t offset)
{
    return put(f, f->first + offset, bytes);
}

char *fence_place_last(fence *f, size_t bytes)
{
    return put(f, f->end - bytes, bytes);
}

bool fence_is_guard(const char *from, const char *end)
{
    while (from < end && (unsigned char)*from == FENCE_GUARD)
        from++;
    return from >= end;
}

bool fence_is_intact(const fence *f)
{
    return fence_is_guard(guard_begin(f), f->placed) &&
           fence_is_guard(f->placed + f->bytes, guard_end(f));
}

/* ---- faults ---- */

static sigjmp_buf before_work;

static void leave(int signal_number)
{
    siglongjmp(before_work, signal_number);
}

bool fence_holds(void (*work)(void *context), void *context)
{
    struct sigaction action = {.sa_handler = leave}, before[2];
    sigaction(SIGSEGV, &action, &before[0]);
    sigaction(SIGBUS, &action, &before[1]);
    bool holds = sigsetjmp(before_work, 1) == 0;
    if (holds)
        work(context);
    sigaction(SIGSEGV, &before[0], NULL);
    sigaction(SIGBUS, &before[1], NULL);
    return holds;
}
