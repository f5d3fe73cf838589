#include "render/html_parts.h"

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

void html_enter(html_page *p, size_t room)
{
    p->trace = trace_room(p->whole, room);
    if (p->asked != NULL)
        p->asked->room = room;
}

bool html_is_blank(const html_page *p, step_id step)
{
    return p->asked != NULL && asked_step(p->how->blank, p->whole, p->trace, step);
}

void html_add_step_id(const html_page *p, step_id step)
{
    const trace_place *at = &p->trace->place;
    text_add_format(p->out, "%s%s", at->way,
                    step < STEP_COUNT ? step_of(step)->named.name : at->name);
}
