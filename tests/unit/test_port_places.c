/* Where to look for a cause: each place is some cause's, and no earlier row has all of its own. */
#include "unit.h"

#include "cli/port/port.h"
#include "why/mistake.h"

#include <stdio.h>
#include <string.h>

static bool is_first_of_one(const named_table *causes, const named *spot)
{
    for (size_t i = 0; i < named_count(causes); i++) {
        const char *where = port_look_at(named_row(causes, i)->name);
        if (where == spot->help && stage_name_matches(spot->name, named_row(causes, i)->name))
            return true;
    }
    return false;
}

UNIT(port_places)
{
    for (size_t i = 0; i < PORT_PLACES.count; i++) {
        const named *spot = named_row(&PORT_PLACES, i);
        char says[256];
        snprintf(says, sizeof says, "%s: a cause has this place first", spot->name);
        unit_check(u,
                   is_first_of_one(&MISTAKES, spot) || is_first_of_one(&STACK_MISTAKES, spot) ||
                       is_first_of_one(&PORT_FITS, spot),
                   __FILE__, __LINE__, says);
    }
    for (size_t i = 0; i < PORT_FITS.count; i++) {
        const char *name = named_row(&PORT_FITS, i)->name;
        unit_check(u, port_look_at(name) != NULL, __FILE__, __LINE__, name);
    }
}
