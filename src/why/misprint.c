#include "why/misprint.h"

static const named ROWS[] = {
    {"misprint", "a few numbers are wrong, and stand among right ones"},
};

const named_table MISPRINTS = NAMED_TABLE("copying mistake", ROWS);

/* A mistake spreads: where most numbers are right, these were badly copied. One in so many. */
enum { MISPRINTED_MOST = 4 };

const named *misprint_of(const comparison *c)
{
    bool is_likely = c->different <= c->numbers / MISPRINTED_MOST && !c->has_wrong_line;
    return is_likely ? &ROWS[0] : NULL;
}
