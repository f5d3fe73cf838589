#include "said.h"

#include <stdio.h>

const char *said(const err *e)
{
    static char all[4096];
    if (!e->is_set)
        return "";
    snprintf(all, sizeof all, "%s%s%s%s%s", e->where, e->where[0] == '\0' ? "" : ": ", e->what,
             e->remedy[0] == '\0' ? "" : " | ", e->remedy);
    return all;
}
