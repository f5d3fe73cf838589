#include "cli/memory_limit.h"

size_t memory_limit(const options *o, const env *world)
{
    return o->has_max_memory ? o->max_memory : world->free_memory / 10 * 8;
}
