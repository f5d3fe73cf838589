/* What goes into a stack: rows as they are given, or those of words or ids out of a table; and
 * positions that are added to them. */
#include "model/embed.h"
#include "trace/floors.h"
#include "trace/map.h"
#include "trace/map_parts.h"

#include <string.h>

/* ---- rows out of a table ---- */

/* Row i of what is looked up, or NULL. */
static const tensor *find_row(const stack *s, size_t i, tensor *room)
{
    const tensor *ids = bundle_tensor(s->document, "ids");
    const entry *tokens = bundle_find(s->document, "tokens"),
                *vocab = bundle_find(s->document, "vocab");
    if (s->ids != NULL)
        return stack_row_of_id(s, s->ids[i], room);
    if (ids != NULL)
        return stack_row_of_id(s, (size_t)stack_id_given(ids, i), room);
    bool is_word = tokens != NULL && tokens->kind == ENTRY_LIST && vocab != NULL;
    return is_word ? bundle_tensor(vocab->bundle, tokens->list.item[i]) : NULL;
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

static void fill_rows(floors *f, trace_map *table)
{
    tensor to = tensor_at(&table->values, 0);
    for (size_t i = 0; i < to.size[0]; i++) {
        tensor room;
        const tensor *row = find_row(f->stack, i, &room);
        for (size_t j = 0; row != NULL && j < to.size[1]; j++)
            tensor_set(&to, (size_t[]){i, j}, tensor_get(row, &j));
    }
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
    const char *name = has_table ? "embedding" : "vocab";
    trace_map *table = floors_map_made(f, name, embedded, embedded->values.size[1]);
    table->rows = label_ids(f);
    table->letters = has_table ? "the embedding of row i's id" : "the vocab's row of word i";
    if (!b->failed)
        fill_rows(f, table);
    return name;
}

/* ---- segments ---- */

/* Sums have the stack's type. */
static void fill_segmented(floors *f, const trace_map *table, trace_map *picked, trace_map *sum)
{
    const stack *s = f->stack;
    const tensor *segments = bundle_tensor(s->document, "segment_embedding");
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
}

/* The rows with their segments, where there are any: the name of their map. */
static const char *map_segments(floors *f, const char *name, const floor_rows *embedded)
{
    builder *b = &f->b;
    if (bundle_find(f->stack->document, "segment_embedding") == NULL)
        return name;
    const trace_map *table = map_named(b->trace, name);
    size_t width = embedded->values.size[1];
    trace_map *picked = floors_map_made(f, "segment_embedding", embedded, width);
    trace_map *sum = floors_map_made(f, "segmented", embedded, width);
    if (b->failed)
        return name;
    picked->letters = "the row of row i's segment";
    map_say(sum, build_text(b, "%s[i,j] + segment_embedding[i,j]", name), OP_PLUS,
            map_from(b, PART_CELL, name), map_from(b, PART_CELL, picked->name));
    fill_segmented(f, table, picked, sum);
    return sum->name;
}

/* ---- positions ---- */

static trace_origin map_learned(floors *f, double first)
{
    const tensor *table = bundle_tensor(f->stack->document, "position_embedding");
    if (table == NULL)
        return (trace_origin){0};
    tensor rows = tensor_range(table, 0, (size_t)first, f->stack->rows);
    trace_map *map = map_add(&f->b, "position_embedding", FLOOR_EMBEDDED, &rows);
    map->rows = f->labels;
    map->letters = build_text(&f->b, "the row of position %.0f + i, from 0", first - 1);
    return map_from(&f->b, PART_CELL, map->name);
}

static void map_embedded(floors *f, floor_rows *made)
{
    const stack *s = f->stack;
    builder *b = &f->b;
    double first = (double)(s->first_position + s->before);
    const char *name = map_segments(f, map_table(f, made), made);
    trace_origin cell = map_from(b, PART_CELL, name);
    trace_origin learned = map_learned(f, first);
    bool has_learned = learned.part != PART_NONE;
    trace_map *rows = floors_map_rows(f, made);
    if (has_learned)
        name = build_text(b, "%s[i,j] + position_embedding", name);
    if (s->adds_sinusoids)
        map_say_waves(b, rows, cell, name, first);
    else
        map_say(rows, build_text(b, "%s[i,j]", name), has_learned ? OP_PLUS : OP_SUM, cell,
                learned);
    if (s->adds_sinusoids)
        rows->c = learned;
}

/* embedded[2,1] = embedding[2,1] + position_embedding[2,1], with this run's numbers. */
static void show_added(floors *f, const trace_map *rows, const trace_map *added,
                       const trace_map *made)
{
    builder *b = &f->b;
    size_t row = f->focus.row;
    tensor of_rows = tensor_at(&rows->values, 0), of_added = tensor_at(&added->values, 0),
           of_made = tensor_at(&made->values, 0);
    trace_item *line = build_line(
        b, OP_PLUS, build_text(b, "%s[%zu,1]", made->name, row + 1),
        build_text(b, "%s[%zu,1] + %s[%zu,1]", rows->name, row + 1, added->name, row + 1));
    line->a = build_element(&of_rows, row, 0);
    line->b = build_element(&of_added, row, 0);
    line->result = build_element(&of_made, row, 0);
}

/* What rows that no other map makes are. */
static void tell_rows(floors *f, const trace_map *rows)
{
    if (rows->letters != NULL && !rows->has_origin)
        build_sentence(&f->b, "%s[i] is %s.", rows->name, rows->letters);
}

static void tell_segments(floors *f)
{
    builder *b = &f->b;
    const trace_map *rows = &b->trace->map[0], *sum = map_named(b->trace, "segmented");
    size_t row = f->focus.row;
    if (b->failed || sum == NULL)
        return;
    build_sentence(b,
                   "Each row is told which text it is of: it is given the row of its segment. Row "
                   "%zu is of segment %zu, from 0.",
                   row + 1, stack_segment_of_row(f->stack, row));
    build_formula(b, "segmented[i] = %s[i] + segment_embedding[segment of i]", rows->name);
    tell_rows(f, rows);
    show_added(f, rows, map_named(b->trace, "segment_embedding"), sum);
}

/* Where the maps of the rows before positions, and of positions, are there already. */
static void tell_positions(floors *f, const floor_rows *made)
{
    const stack *s = f->stack;
    builder *b = &f->b;
    const trace_map *segmented = map_named(b->trace, "segmented"),
                    *table = segmented != NULL ? segmented : &b->trace->map[0],
                    *learned = map_named(b->trace, "position_embedding");
    size_t first = s->first_position + s->before;
    const char *more = learned == NULL ? "" : " + position_embedding[i]";
    if (b->failed || (learned == NULL && !s->adds_sinusoids))
        return;
    build_sentence(b,
                   "Attention by itself knows no order of its rows, so each is told where it "
                   "stands: row 1 at position %zu.",
                   first);
    build_formula(b, "embedded[i] = %s[i]%s%s", table->name, more,
                  s->adds_sinusoids ? " + PE[i]" : "");
    tell_rows(f, table);
    if (!s->adds_sinusoids) {
        show_added(f, table, learned, made->map);
        return;
    }
    build_formula(b, "PE(position, 2i) = sin(position·10000^(−2i/m)), m = %zu", s->width);
    build_formula(b, "PE(position, 2i + 1) = cos(position·10000^(−2i/m)), columns from 0");
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
        tell_segments(f);
        tell_positions(f, &rows);
        floors_show(f, &rows);
    }
    floors_end(f);
    *made = rows;
    return !f->b.failed;
}
