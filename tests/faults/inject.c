#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "inject.h"

#include <errno.h>
#ifdef __GLIBC__
#include <execinfo.h>
#endif
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static fault armed = {.call = CALL_NONE};
static bool is_armed, is_edited, is_begun;
static atomic_size_t calls[CALL_NONE], injected;
static atomic_long blocks;

/* ---- where calls come from ---- */

enum { CALLS_MOST = 1 << 14, WAYS_MOST = 1 << 15, FRAMES_MOST = 48, ALIKE_MOST = 2 };

/* Shared with the child that fills it. */
typedef struct ways {
    bool is_alike[CALL_ANY][CALLS_MOST];
    struct {
        uint64_t way;
        size_t times;
    } slot[WAYS_MOST];
} ways;

static ways *noted;

bool inject_set_up(void)
{
    noted = mmap(NULL, sizeof *noted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return noted != MAP_FAILED;
}

/* The calls that led here, as a hash (FNV-1a), never 0. Without backtrace all ways differ. */
static uint64_t way_here(size_t n)
{
    uint64_t way = 0xcbf29ce484222325u;
#ifdef __GLIBC__
    void *frame[FRAMES_MOST];
    int frames = backtrace(frame, FRAMES_MOST);
    (void)n;
    for (int i = 0; i < frames; i++)
        way = (way ^ (uintptr_t)frame[i]) * 0x100000001b3u;
#else
    way = (way ^ n) * 0x100000001b3u;
#endif
    return way | 1;
}

static void note_way(call which, size_t n)
{
    uint64_t way = way_here(n);
    size_t at = (way >> 17) % WAYS_MOST;
    static atomic_flag is_busy = ATOMIC_FLAG_INIT;
    if (n >= CALLS_MOST)
        return;
    while (atomic_flag_test_and_set(&is_busy)) {
    }
    while (noted->slot[at].way != 0 && noted->slot[at].way != way)
        at = (at + 1) % WAYS_MOST;
    noted->slot[at].way = way;
    noted->is_alike[which][n] = ++noted->slot[at].times > ALIKE_MOST;
    atomic_flag_clear(&is_busy);
}

bool inject_is_alike(call which, size_t n)
{
    return which < CALL_ANY && n < CALLS_MOST && noted->is_alike[which][n];
}

/* ---- calls ---- */

void inject_arm(const fault *f)
{
    if (f->call == CALL_NONE)
        memset(noted, 0, sizeof *noted);
    armed = *f;
    is_armed = true;
}

tally inject_disarm(void)
{
    is_armed = false;
    tally t = {.injected = atomic_load(&injected), .blocks = atomic_load(&blocks)};
    for (call which = 0; which < CALL_NONE; which++)
        t.calls[which] = atomic_load(&calls[which]);
    return t;
}

/* How manyeth call this is of those that the fault means; 0 where it means others. */
static size_t count_call(call which)
{
    bool is_allocation = which == CALL_ALLOCATION;
    size_t n = atomic_fetch_add(&calls[which], 1) + 1;
    if (armed.call == CALL_NONE)
        note_way(which, n);
    size_t any = is_allocation ? 0 : atomic_fetch_add(&calls[CALL_ANY], 1) + 1;
    return armed.call == which ? n : armed.call == CALL_ANY ? any : 0;
}

/* Counts the call; true when it is the one, or one of those, to be disturbed.
 */
static bool is_hit(call which)
{
    size_t n = is_armed ? count_call(which) : 0;
    bool is_later = is_armed && is_begun && which != CALL_ALLOCATION;
    if (!is_later && (n == 0 || (n != armed.n && !(armed.persists && n > armed.n))))
        return false;
    is_begun = armed.goes_on;
    atomic_fetch_add(&injected, 1);
    if (armed.effect == EFFECT_KILLS)
        raise(armed.reason);
    if (armed.effect == EFFECT_EDITS) {
        is_armed = false; /* its own calls are not the program's */
        armed.edit();
        is_armed = is_edited = true;
    }
    return true;
}

bool inject_fails(call which)
{
    bool is_impossible = is_edited && ((armed.no_exchange && which == CALL_EXCHANGE) ||
                                       (armed.no_rename && which == CALL_RENAME));
    bool fails = is_hit(which) && armed.effect == EFFECT_FAILS;
    if (is_impossible || fails)
        errno = is_impossible ? EINVAL : armed.reason;
    return is_impossible || fails;
}

size_t inject_bytes(call which, size_t size)
{
    if (!is_hit(which) || armed.effect == EFFECT_KILLS || armed.effect == EFFECT_EDITS)
        return size;
    if (armed.effect == EFFECT_SHORT)
        return size > 1 ? 1 : size;
    errno = armed.reason;
    return 0;
}

void *inject_given(void *block)
{
    if (is_armed && block != NULL)
        atomic_fetch_add(&blocks, 1);
    return block;
}

void inject_taken(const void *block)
{
    if (is_armed && block != NULL)
        atomic_fetch_sub(&blocks, 1);
}
