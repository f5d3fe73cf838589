/* The way back through a stack: from a loss of its output, part by part, to all weights and to what
 * the rows were embedded by.
 *
 * On the way there the rows that parts read, and that norms were given, go on a tape; what a part
 * made inside is computed again on the way back, by what made it before. */
#ifndef SELFATTN_MODEL_STACK_BACK_H
#define SELFATTN_MODEL_STACK_BACK_H

#include "model/walk.h"

/* Rows, b·n × m each, where nothing took the place they were computed in: no data. */
struct tape {
    tensor *kept;
    size_t count;
};

/* Of a part what its first norm was given, what it read itself, what it made, where a norm was
 * given that, and what its last norm was given; of the end what the feed-forward part and the norm
 * after the last layer were given; of the begin what the product was. */
typedef enum tape_part { TAPE_GIVEN, TAPE_READ, TAPE_MADE, TAPE_SUM, TAPE_PARTS } tape_part;
typedef enum tape_end { TAPE_END, TAPE_FINAL, TAPE_EMBED, TAPE_ENDS } tape_end;
size_t tape_of_part(const stack *s, const layer_part *p, tape_part which);
size_t tape_of_end(const stack *s, tape_end which);

bool tape_open(tape *t, const stack *s, err *e);
/* A copy; nothing where there is no tape. */
bool tape_keep(tape *t, size_t at, const tensor *rows, err *e);
void tape_free(tape *t);

/* Whether something of the way back is wanted. */
bool stack_goes_back(const stack *s, const keeper *keep);
/* Makes it, of the output as rows. */
bool stack_go_back(const stack *s, const tape *t, const tensor *output, const keeper *keep,
                   crew *by, err *e);
/* Tells of all its stages. */
bool stack_tell_back(const walk *w);
/* Bytes of its tape, and of what goes from part to part. */
size_t stack_back_memory(const stack *s);

#endif
