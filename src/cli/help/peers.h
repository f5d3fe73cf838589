/* How other programs set what papers leave open, from the polarity of a mask to the order of a soft
 * cap, and which options give the same here: a row a program, a cell a difference.
 *
 * Help prints it by difference and by program, and the manual by difference; a cell's source stands
 * beside it in the table. */
#ifndef SELFATTN_CLI_HELP_PEERS_H
#define SELFATTN_CLI_HELP_PEERS_H

#include "base/named.h"

typedef enum difference {
    MASK_POLARITY,
    CAUSAL_ALIGNMENT,
    SCALE_OF_SCORES,
    SOFT_CAP_ORDER,
    HEAD_GROUPING,
    LAYOUT_OF_INPUTS,
    FULLY_MASKED_ROWS,
    WINDOW_BOUNDS,
    ALIBI_SIGN,
    SINK_LOGITS,
    DIFFERENCE_COUNT
} difference;

typedef struct peer_cell {
    const char *says;
    const char *here; /* what to give to have it here, or NULL where it is so without an option */
} peer_cell;

typedef struct peer {
    named named; /* help: what it is called at home */
    peer_cell cell[DIFFERENCE_COUNT];
} peer;

extern const named_table PEERS;       /* rows of `peer`; this program first */
extern const named_table DIFFERENCES; /* rows of `named`, in the order of the enum */

const peer *peer_at(size_t index);

#endif
