#include "attn/engine/schedule.h"

#include "base/mem.h"

#include <assert.h>
#include <stdint.h>

bool schedule_open(schedule *s, size_t slots, size_t threads, err *e)
{
    *s = (schedule){.slots = slots};
    s->slot = mem_alloc(slots, sizeof s->slot[0], e);
    if (s->slot == NULL)
        return false;
    bell_open(&s->has_news, threads);
    return true;
}

void schedule_close(schedule *s)
{
    if (s->slot == NULL)
        return;
    bell_close(&s->has_news);
    mem_free(s->slot);
    s->slot = NULL;
}

size_t schedule_memory(size_t slots)
{
    return size_product(slots, sizeof(schedule_slot));
}

void schedule_start(schedule *s, size_t units, size_t wave, size_t parts, size_t blocks)
{
    assert(s->slots >= units || s->slots >= 2 * wave);
    s->units = units;
    s->wave = wave;
    s->parts = parts;
    s->blocks = blocks;
    atomic_init(&s->next, 0);
    atomic_init(&s->has_news.is_over, false);
    for (size_t i = 0; i < SCHEDULE_TURNS; i++)
        atomic_init(&s->passed[i], 0);
    for (size_t i = 0; i < s->slots; i++) {
        atomic_init(&s->slot[i].packed, 0);
        atomic_init(&s->slot[i].computed, 0);
        atomic_init(&s->slot[i].owner, SIZE_MAX);
        atomic_init(&s->slot[i].readers, 0);
    }
}

bool schedule_next(schedule *s, task *t)
{
    if (atomic_load(&s->has_news.is_over))
        return false;
    size_t of_unit = s->parts + s->blocks, number = atomic_fetch_add(&s->next, 1);
    if (number >= s->units * of_unit)
        return false;
    size_t first = number / (s->wave * of_unit) * s->wave, left = s->units - first;
    size_t packing = (left < s->wave ? left : s->wave) * s->parts;
    size_t within = number - first * of_unit;
    t->is_block = within >= packing;
    size_t each = t->is_block ? s->blocks : s->parts;
    within -= t->is_block ? packing : 0;
    t->unit = first + within / each;
    t->index = within % each;
    t->in = &s->slot[t->unit % s->slots];
    t->needs = t->is_block ? &t->in->packed : &t->in->computed;
    size_t before = t->unit / s->slots; /* units that were in the slot */
    t->count = t->is_block ? (before + 1) * s->parts : before * s->blocks;
    return true;
}

/* Nothing lies in a slot where nothing is packed. */
void schedule_begin(const schedule *s, const task *t)
{
    if (s->parts == 0)
        return;
    if (t->is_block) {
        atomic_fetch_add(&t->in->readers, 1);
        assert(atomic_load(&t->in->owner) == t->unit);
    } else {
        assert(atomic_load(&t->in->readers) == 0);
        atomic_store(&t->in->owner, t->unit);
    }
}

/* A task that can be done is given even when a later one has stopped the schedule meanwhile: it may
 * fail too, and would be the first. */
bool schedule_take(schedule *s, task *t)
{
    if (!schedule_next(s, t) || !bell_wait(&s->has_news, t->needs, t->count))
        return false;
    schedule_begin(s, t);
    return true;
}

size_t schedule_before(const schedule *s, const task *t)
{
    return t->unit * s->blocks + t->index;
}

bool schedule_await(schedule *s, const task *t, size_t turn)
{
    assert(t->is_block);
    return bell_wait(&s->has_news, &s->passed[turn], schedule_before(s, t));
}

void schedule_pass(schedule *s, const task *t, size_t turn)
{
    size_t before = atomic_fetch_add(&s->passed[turn], 1);
    assert(before == schedule_before(s, t));
    (void)before, (void)t;
    bell_ring(&s->has_news);
}

/* A slot has news for others when a unit is packed, or computed, as a whole. */
void schedule_done(schedule *s, const task *t)
{
    assert(s->parts == 0 || atomic_load(&t->in->owner) == t->unit);
    if (t->is_block && s->parts > 0)
        atomic_fetch_sub(&t->in->readers, 1);
    size_t each = t->is_block ? s->blocks : s->parts;
    if ((atomic_fetch_add(t->is_block ? &t->in->computed : &t->in->packed, 1) + 1) % each == 0)
        bell_ring(&s->has_news);
}

void schedule_stop(schedule *s)
{
    bell_end(&s->has_news);
}
