#include "inject.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

static fault armed = {.call = CALL_NONE};
static bool is_armed;
static atomic_size_t calls[CALL_NONE], injected;
static atomic_long blocks;

void inject_arm(const fault *f)
{
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
    bool is_allocation = which == CALL_ALLOCATION || which == CALL_CJSON;
    size_t n = atomic_fetch_add(&calls[which], 1) + 1;
    size_t any = is_allocation ? 0 : atomic_fetch_add(&calls[CALL_ANY], 1) + 1;
    return armed.call == which ? n : armed.call == CALL_ANY ? any : 0;
}

/* Counts the call; true when it is the one, or one of those, to be disturbed.
 */
static bool is_hit(call which)
{
    size_t n = is_armed ? count_call(which) : 0;
    if (n == 0 || (n != armed.n && !(armed.persists && n > armed.n)))
        return false;
    atomic_fetch_add(&injected, 1);
    if (armed.effect == EFFECT_KILLS)
        raise(armed.reason);
    return true;
}

bool inject_fails(call which)
{
    if (!is_hit(which) || armed.effect != EFFECT_FAILS)
        return false;
    errno = armed.reason;
    return true;
}

size_t inject_bytes(call which, size_t size)
{
    if (!is_hit(which) || armed.effect == EFFECT_KILLS)
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
