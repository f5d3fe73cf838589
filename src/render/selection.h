/* Which rows or columns of a matrix are shown: the first ones, the last ones, and the one that
 * is in focus; … for the rest. */
#ifndef SELFATTN_RENDER_SELECTION_H
#define SELFATTN_RENDER_SELECTION_H

#include "base/text.h"

#include <stdint.h>

#define SELECTION_GAP SIZE_MAX /* the index of a slot that holds … */

typedef struct selection {
    size_t total;
    size_t front, back; /* how many of the first and of the last; front + back ≤ total */
    size_t focus;       /* from 1; 0: none. Counts where it is neither */
    bool has_ids;       /* columns that are ids, which count from 0 */
} selection;

selection selection_all(size_t total);
/* All of a few; of many the first, the last and the focus. */
selection selection_of_rows(size_t total, size_t focus, bool is_full);

/* `shown` of them, a quarter of these at the end: the beginning is read, the end says that there is
 * one. */
selection selection_of_ends(size_t total, size_t shown);

/* How many places are shown, those of … included, and what index (from 0) each has. */
size_t selection_count(const selection *s);
size_t selection_at(const selection *s, size_t slot);

/* "columns 1 to 6 of 64", or "ids 0 to 5 of 64": those from `first` to before `end`. */
void selection_add_part(text *out, bool has_ids, size_t first, size_t end, size_t total);

/* "rows 9 to 29 and 31 to 61 of 64 and column 5 of 9 are left out; --full shows them"; nothing
 * where all are shown. */
void selection_add_left_out(text *out, const selection *rows, const selection *columns);

#endif
