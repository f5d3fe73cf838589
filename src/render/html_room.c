#include "render/html_parts.h"
#include "trace/stack_steps.h"

#include <string.h>

bool html_has_floors(const html_page *p)
{
    return p->whole->rooms != NULL;
}

bool html_begins_floor(const html_page *p, size_t index)
{
    const char *floor = trace_room(p->whole, index)->place.floor;
    return html_has_floors(p) &&
           (index == 0 || strcmp(floor, trace_room(p->whole, index - 1)->place.floor) != 0);
}

static bool is_meant(const html_page *p, const text_list *words, step_id step)
{
    if (html_has_floors(p))
        return stack_step_wish(words, &p->trace->place, step) != STEP_UNWANTED;
    for (size_t i = 0; i < words->count; i++) {
        if (step_find(words->item[i], strlen(words->item[i])) == step_of(step))
            return true;
    }
    return false;
}

bool html_is_blank(const html_page *p, step_id step)
{
    return p->how->blank != NULL && is_meant(p, p->how->blank, step);
}

void html_add_step_id(const html_page *p, step_id step)
{
    const trace_place *at = &p->trace->place;
    text_add_format(p->out, "%s%s", at->way,
                    step < STEP_COUNT ? step_of(step)->named.name : at->name);
}
