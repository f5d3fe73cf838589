/* What the rows of the stages promise of each other. */
#include "attn/spec/stage.h"

#include "unit.h"

#include <string.h>

/* Runs, memory and traces follow the rows in their order. */
UNIT(stages)
{
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        const stage *row = stage_row(id);
        size_t taken = 0;
        for (; row->takes[taken] != STAGE_COUNT; taken++) {
            const stage *from = stage_row(row->takes[taken]);
            /* Backward, rules and the second loop follow each other as rows do. */
            bool is_in_order = stage_is_backward(id) || from->by <= row->by;
            if (!CHECK(u, row->takes[taken] < id && is_in_order))
                printf("  %s takes %s\n", row->key.named.name, from->key.named.name);
        }
        /* Only what an input is takes nothing. What may be absent says what it needs. */
        CHECK(u, taken > 0 || (row->by == STAGE_IS_ROWS && strlen(row->axes) == 3));
        CHECK(u, (row->is_there == NULL) == (row->made_by == NULL));
    }
}
