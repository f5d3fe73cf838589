/* What goes into a stack: rows as they are given, or those of words or ids out of a table; and
 * positions that are added to them. */
#include "model/embed.h"
#include "trace/derivation.h"
#include "trace/floors.h"

#include <string.h>

/* ---- rows out of a table ---- */

/* The id of row i; false where its word is looked up. */
static bool find_id(const stack *s, size_t i, size_t *id)
{
    const tensor *ids = bundle_tensor(s->document, "ids");
    if (s->ids == NULL && ids == NULL)
        return false;
    *id = s->ids != NULL ? s->ids[i] : (size_t)stack_id_given(ids, i);
    return true;
}

/* The word of row i, or NULL. */
static const char *find_word(const stack *s, size_t i)
{
    const entry *tokens = bundle_find(s->document, "tokens");
    size_t id;
    if (find_id(s, i, &id))
        return stack_word_of_id(s, id);
    return tokens != NULL && tokens->kind == ENTRY_LIST ? tokens->list.item[i] : NULL;
}

/* "id 5", or the words. */
static trace_labels label_ids(floors *f)
{
    const tensor *ids = bundle_tensor(f->stack->document, "ids");
    text_list *names = &f->b.trace->keys;
    if (f->labels.names != NULL)
        return f->labels;
    for (size_t i = 0; ids != NULL && i < f->stack->rows && !f->b.failed; i++) {
        const char *name = build_text(&f->b, "id %.0f", stack_id_given(ids, i));
        f->b.failed = f->b.failed || !text_list_add(names, name, strlen(name), f->e);
    }
    return ids == NULL || f->b.failed ? f->labels : (trace_labels){names, NULL};
}

/* The rows before positions: the name of their map. */
static const char *map_table(floors *f, const floor_rows *embedded)
{
    const stack *s = f->stack;
    builder *b = &f->b;
    const tensor *x = s->ids != NULL ? NULL : bundle_tensor(s->document, "x");
    if (x != NULL) {
        tensor of_batch = x->rank == 3 ? tensor_at(x, f->focus.batch) : tensor_view_of(x);
        map_add(b, "x", FLOOR_EMBEDDED, &of_batch)->rows = f->labels;
        return "x";
    }
    bool has_table = bundle_tensor(s->document, "embedding") != NULL;
    const entry *vocab = bundle_find(s->document, "vocab");
    const char *name = has_table ? "embedding" : "vocab";
    const char *word = find_word(s, f->focus.row);
    trace_map *table = floors_map_made(f, name, embedded, embedded->values.size[1]);
    size_t id = 0;
    table->rows = label_ids(f);
    table->letters = has_table ? "the embedding of row i's id" : "the vocab's row of word i";
    table->row_letters = has_table ? "id of i" : "word of i";
    table->row_name = word == NULL ? "" : word;
    if (has_table) {
        find_id(s, f->focus.row, &id);
        table->row_name = build_text(b, "id %zu", id);
    }
    if (b->failed)
        return name;
    tensor to = tensor_at(&table->values, 0);
    for (size_t i = 0; i < to.size[0]; i++) {
        tensor room;
        const tensor *row = NULL;
        word = find_word(s, i);
        if (find_id(s, i, &id))
            row = stack_row_of_id(s, id, &room);
        else if (word != NULL && vocab != NULL)
            row = bundle_tensor(vocab->bundle, word);
        for (size_t j = 0; row != NULL && j < to.size[1]; j++)
            tensor_set(&to, (size_t[]){i, j}, tensor_get(row, &j));
    }
    return name;
}

/* ---- segments ---- */

/* The rows with their segments, where there are any: the name of their map. Sums have the stack's
 * type. */
static const char *map_segments(floors *f, const char *name, const floor_rows *embedded)
{
    builder *b = &f->b;
    const stack *s = f->stack;
    const tensor *segments = bundle_tensor(s->document, "segment_embedding");
    if (bundle_find(s->document, "segment_embedding") == NULL)
        return name;
    const trace_map *table = map_named(b->trace, name);
    size_t width = embedded->values.size[1];
    trace_map *picked = floors_map_made(f, "segment_embedding", embedded, width);
    trace_map *sum = floors_map_made(f, "segmented", embedded, width);
    if (b->failed)
        return name;
    picked->letters = "the row of row i's segment";
    picked->row_letters = "segment of i";
    picked->row_name = build_text(b, "segment %zu", stack_segment_of_row(s, f->focus.row));
    map_say(b, sum, OP_PLUS,
            (trace_origin[4]){map_from(b, PART_CELL, name), map_from(b, PART_CELL, picked->name)});
    tensor of_table = tensor_at(&table->values, 0), to = tensor_at(&picked->values, 0),
           into = tensor_at(&sum->values, 0);
    size_t at[TENSOR_MAX_RANK] = {0};
    do {
        const size_t of_segment[] = {stack_segment_of_row(s, at[0]), at[1]};
        double added = tensor_get(segments, of_segment);
        double made = tensor_get(&of_table, at) + added;
        tensor_set(&to, at, added);
        tensor_set(&into, at, s->type == DTYPE_F32 ? (double)(float)made : made);
    } while (tensor_next(&to, at));
    return sum->name;
}

/* ---- positions ---- */

/* The rows, with the learned rows of their positions or with waves, where they have any. */
static void map_embedded(floors *f, floor_rows *made)
{
    const stack *s = f->stack;
    builder *b = &f->b;
    size_t first = s->first_position + s->before;
    const char *name = map_segments(f, map_table(f, made), made);
    const tensor *table = bundle_tensor(s->document, "position_embedding");
    trace_origin cell = map_from(b, PART_CELL, name), learned = {0};
    if (table != NULL) {
        tensor of_rows = tensor_range(table, 0, first, s->rows);
        trace_map *map = map_add(b, "position_embedding", FLOOR_EMBEDDED, &of_rows);
        map->rows = f->labels;
        map->letters = build_text(b, "the row of position %.0f + i, from 0", (double)first - 1);
        map->row_letters = "position of i";
        map->row_name = build_text(b, "position %zu", first + f->focus.row);
        learned = map_from(b, PART_CELL, map->name);
    }
    trace_map *rows = floors_map_rows(f, made);
    if (s->adds_sinusoids)
        map_say_waves(b, rows, cell, learned, (double)first);
    else
        map_say(b, rows, learned.part == PART_NONE ? OP_COPY : OP_PLUS,
                (trace_origin[4]){cell, learned});
}

/* ---- what is told ---- */

/* Where rows come from: words or ids, segments, positions. */
static void tell_embedded(floors *f)
{
    const stack *s = f->stack;
    builder *b = &f->b;
    size_t row = f->focus.row;
    bool has_segments = bundle_find(s->document, "segment_embedding") != NULL,
         has_positions =
             s->adds_sinusoids || bundle_find(s->document, "position_embedding") != NULL;
    const trace_map *given = &b->trace->map[0];
    /* Of rows out of a table each is said with the row that it takes. */
    if ((has_segments || has_positions) && given->row_letters == NULL)
        derivation_matrix(b, given->name, row + 1);
    if (has_segments) {
        build_sentence(
            b,
            "Each row is told which text it is of: it is given the row of its segment. Row "
            "%zu is of segment %zu, counted from 0.",
            row + 1, stack_segment_of_row(s, row));
        derivation_show(b, "segmented", row);
    }
    if (has_positions) {
        build_sentence(b,
                       "Attention by itself knows no order of its rows, so each is told where it "
                       "stands: row %zu stands at position %zu, counted from 0.",
                       row + 1, s->first_position + s->before + row);
        if (s->adds_sinusoids)
            waves_show(b, "embedded", row);
        else
            derivation_show(b, "embedded", row);
    }
    if (!has_segments && !has_positions && given->row_letters != NULL)
        derivation_row_formula(b, "embedded", 'i');
}

bool floors_embedded(floors *f, floor_rows *made)
{
    const stack *s = f->stack;
    if (!floors_begin(f, FLOOR_EMBEDDED, "embedded"))
        return false;
    floor_rows rows = floors_rows(f, "embedded");
    map_embedded(f, &rows);
    if (floors_tells(f)) {
        build_sentence(&f->b, "%zu row%s of %zu numbers go%s through %zu layer%s.", s->rows,
                       build_plural(s->rows), s->width, s->rows == 1 ? "es" : "", s->layers,
                       build_plural(s->layers));
        build_entry(&f->b, s->batches);
        tell_embedded(f);
        floors_show(f, &rows);
    }
    *made = rows;
    return floors_end(f);
}
