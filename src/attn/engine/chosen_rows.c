#include "attn/engine/run.h"

#include "attn/engine/positions.h"

#include <string.h>

typedef struct chooser {
    const plan *whole;
    const problem *asked;
    const row_choice *rows;
    const tensor *x; /* NULL: as they are taken */
    bundle *to;
    err *e;
} chooser;

/* The rows of an input in which the last axis but one is that of the queries. */
static bool put_rows(const chooser *c, input which)
{
    const tensor *given = c->asked->in[which];
    tensor rows;
    if (which == INPUT_X && c->x != NULL) {
        rows = tensor_view_of(c->x);
        return bundle_add_tensor(c->to, input_key(which), &rows, c->asked->at[which], c->e);
    }
    return row_choice_take(c->rows, given, given->rank - 2, &rows, c->e) &&
           bundle_add_tensor(c->to, input_key(which), &rows, c->asked->at[which], c->e);
}

/* All rows of x, which may be none of the document's. */
static bool put_view(const chooser *c, input as)
{
    tensor all = tensor_view_of(c->asked->in[INPUT_X]);
    return bundle_add_tensor(c->to, input_key(as), &all, c->asked->at[INPUT_X], c->e);
}

/* All rows, as what keys or values are made of where that is not said: with positions, which are
 * not added to those. */
static bool put_all(const chooser *c, input which)
{
    const plan *p = c->whole;
    tensor sums;
    if (!c->asked->adds_positions)
        return put_view(c, which);
    if (!tensor_new(&sums, p->type, 3, p->q.rows.size, c->e) ||
        !sinusoid_add_rows(&p->q.rows, (double)visible_position(p, 0, 0), p->with, &sums, c->e)) {
        tensor_free(&sums);
        return false;
    }
    if (!p->has_batch) {
        tensor rows = tensor_at(&sums, 0);
        tensor_own(&sums, p->type, 2, rows.size, sums.data);
    }
    return bundle_add_tensor(c->to, input_key(which), &sums, c->asked->at[INPUT_X], c->e);
}

static bool put_inputs(const chooser *c)
{
    const tensor *const *in = c->asked->in;
    if (in[INPUT_Q] != NULL)
        return put_rows(c, INPUT_Q) && (in[INPUT_X] == NULL || put_view(c, INPUT_X));
    bool is_of_keys = in[INPUT_K] == NULL && in[INPUT_XK] == NULL;
    bool is_of_values = in[INPUT_V] == NULL && in[INPUT_XV] == NULL && in[INPUT_XK] == NULL;
    return put_rows(c, INPUT_X) && (!is_of_keys || put_all(c, INPUT_XK)) &&
           (is_of_keys || !is_of_values || put_all(c, INPUT_XV));
}

/* Keys have the names of the rows that they are made of; those of a cache before them have none. */
static bool put_names(const chooser *c)
{
    const text_list *names = c->asked->tokens;
    const tensor *const *in = c->asked->in;
    text_list own = {0}, of_keys = {0};
    bool is_self = in[INPUT_Q] == NULL && in[INPUT_XK] == NULL && in[INPUT_K] == NULL;
    bool names_keys = is_self && c->asked->key_tokens == NULL, done = true;
    place at = problem_place(c->asked, "tokens");
    if (names == NULL)
        return true;
    for (size_t i = 0; i < c->rows->count && done; i++) {
        const char *name = names->item[c->rows->row[i]];
        done = text_list_add(&own, name, strlen(name), c->e);
    }
    for (size_t i = 0; i < c->whole->past && names_keys && done; i++)
        done = text_list_add(&of_keys, "", 0, c->e);
    done = done && bundle_add_list(c->to, "tokens", &own, at, c->e) &&
           (!names_keys || (text_list_add_all(&of_keys, names, c->e) &&
                            bundle_add_list(c->to, "key_tokens", &of_keys, at, c->e)));
    text_list_free(&own);
    text_list_free(&of_keys);
    return done;
}

/* Positions of the chosen queries, and of so many keys after them; without keys, where the queries
 * stand. One list, or one a batch entry. */
static bool put_positions(const chooser *c, const char *name, size_t keys, bool by_batch, place at)
{
    const plan *p = c->whole;
    size_t lists = by_batch ? p->batches : 1, queries = c->rows->count;
    size_t count = queries + keys, size[] = {lists, count};
    tensor list;
    if (!tensor_new(&list, DTYPE_F64, by_batch ? 2 : 1, by_batch ? size : &count, c->e))
        return false;
    for (size_t n = 0; n < lists * count; n++) {
        size_t batch = n / count, i = n % count;
        ((double *)list.data)[n] = i >= queries ? plan_key_position(p, batch, i - queries)
                                   : keys > 0   ? plan_query_position(p, batch, c->rows->row[i])
                                              : (double)visible_position(p, batch, c->rows->row[i]);
    }
    return bundle_add_tensor(c->to, name, &list, at, c->e);
}

/* A place for each, where one offset does not say it of all. */
static bool put_places(const chooser *c)
{
    const problem *asked = c->asked;
    static const char CAUSAL[] = "upper-left";
    bool is_lower = asked->causal == CAUSAL_LOWER_RIGHT;
    double first = (double)visible_position(c->whole, 0, c->rows->row[0]);
    bool by_batch = c->whole->batches > 1 && (is_lower || asked->places != NULL);
    if (is_lower && !bundle_add_text(c->to, "causal", CAUSAL, strlen(CAUSAL),
                                     problem_place(asked, "causal"), c->e))
        return false;
    if (row_choice_is_range(c->rows) && first >= 0 && asked->places == NULL &&
        (!is_lower || asked->key_lengths == NULL))
        return bundle_add_number(c->to, "offset", first, problem_place(asked, "offset"), c->e);
    return put_positions(c, "offset", 0, by_batch, problem_place(asked, "offset"));
}

/* Fills what the chooser puts things to, which borrows from the whole problem and its document. */
static bool put_document(const chooser *c)
{
    const problem *asked = c->asked;
    const struct {
        input which;
        const tensor *spread;
    } masks[] = {{INPUT_MASK, &c->whole->mask}, {INPUT_BIAS, &c->whole->bias}};
    if (!put_inputs(c))
        return false;
    /* Masks and biases that are the same for all queries stay. */
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        if (asked->in[masks[i].which] != NULL && masks[i].spread->stride[2] != 0 &&
            !put_rows(c, masks[i].which))
            return false;
    }
    if (!put_names(c) || !put_places(c))
        return false;
    const entry *said = asked->rope.positions;
    if (said != NULL) {
        place at = said->at;
        at.is_option = true; /* which overrules what rope itself says of positions */
        if (!put_positions(c, "rope_positions", c->whole->k.n, said->tensor.rank == 2, at))
            return false;
    }
    /* What was said and holds for the chosen rows too; words were looked up for all of them. */
    for (size_t i = 0; i < asked->document->count; i++) {
        const entry *one = &asked->document->entry[i];
        bool is_past = strcmp(one->name, "rows") == 0 || strcmp(one->name, "vocab") == 0;
        if (!is_past && bundle_find(c->to, one->name) == NULL &&
            bundle_borrow(c->to, one->name, one, c->e) == NULL)
            return false;
    }
    return true;
}

bool chosen_rows_plan(plan *p, problem *asked, chosen_rows *from, const row_choice *rows,
                      const tensor *x, err *e)
{
    plan of_whole = *p;
    problem *whole = &from->whole;
    const chooser c = {&of_whole, whole, rows, x, &from->document, e};
    *whole = *asked;
    of_whole.asked = whole;
    if (whole->in[INPUT_X] == &asked->looked_up)
        whole->in[INPUT_X] = &whole->looked_up;
    *asked = (problem){0};
    *p = (plan){0};
    bool done = put_document(&c) && problem_read(asked, &from->document, e);
    /* What no document says. */
    asked->allow_nonfinite = whole->allow_nonfinite;
    asked->packed_weights = whole->packed_weights;
    asked->width_onward = whole->width_onward;
    asked->part = whole->part;
    asked->number = rows->row;
    done = done && plan_make(p, asked, of_whole.with, e);
    text_list_free(&p->notes);
    p->notes = of_whole.notes;
    of_whole.notes = (text_list){0};
    plan_free(&of_whole);
    return done;
}

void chosen_rows_free(chosen_rows *from)
{
    bundle_free(&from->document);
    problem_free(&from->whole);
}
