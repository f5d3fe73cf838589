#include "model/stack.h"
/* The rows that a stack begins with. */
#ifndef SELFATTN_MODEL_EMBED_H
#define SELFATTN_MODEL_EMBED_H

/* Whether the rows are made of this key of attention. */
bool stack_begins_with(const char *name);

/* Finds x, the rows of the tokens or of the ids, adds segments, then positions, and fills in
 * batches, rows, width and embedded. */
bool stack_embed(stack *s, err *e);

/* The same of these ids, after the rows before. */
bool stack_embed_ids(stack *s, const size_t *ids, size_t count, err *e);

/* The row of an id: of the embedding, or of a vocab whose words are counted in their order; NULL
 * where there is none. `room` may be what it points to. */
const tensor *stack_row_of_id(const stack *s, size_t id, tensor *room);

/* Its key, and the way to its stages. */
extern const char EMBED[];
/* What is between the rows that are looked up and the layers: which of its stages goes into the
 * first layer. */
const char *stack_begin_name(const stack *s);
/* Whether the product stands between the rows with all that is added to them and the layers. */
bool stack_ends_with_product(const stack *s);

/* `to` = such a row, times embedding_scale: what goes into the layers, in float32 or float64. */
void stack_take_row(const stack *s, const tensor *row, tensor *to);

/* Which row of segment_embedding is added to a row, of those of all entries. */
size_t stack_segment_of_row(const stack *s, size_t row);

/* The number in place i of a document's ids, which may be one without a list, or a batch. */
double stack_id_given(const tensor *ids, size_t i);

/* The word of an id that can be looked up; NULL where there is no vocab. */
const char *stack_word_of_id(const stack *s, size_t id);
/* The same, or the id in digits. */
enum { ID_DIGITS = 32 };
const char *stack_name_of_id(const stack *s, size_t id, char digits[ID_DIGITS]);

/* How many ids there are to look up; 0 where there is neither an embedding nor a vocab. */
size_t stack_ids(const stack *s);

#endif
