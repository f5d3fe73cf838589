/* What goes into a stack: rows as they are given, or those of words or ids out of a table; and
 * positions that are added to them. */
#include "model/embed.h"
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

/* Row i of what is looked up, or NULL. */
static const tensor *find_row(const stack *s, size_t i, tensor *room)
{
    const entry *vocab = bundle_find(s->document, "vocab");
    const char *word = find_word(s, i);
    size_t id;
    if (find_id(s, i, &id))
        return stack_row_of_id(s, id, room);
    return word != NULL && vocab != NULL ? bundle_tensor(vocab->bundle, word) : NULL;
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
    map_say(b, sum, OP_PLUS,
            (trace_origin[4]){map_from(b, PART_CELL, name), map_from(b, PART_CELL, picked->name)});
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
    trace_map *rows = floors_map_rows(f, made);
    if (s->adds_sinusoids)
        map_say_waves(b, rows, cell, learned, first);
    else
        map_say(b, rows, learned.part == PART_NONE ? OP_COPY : OP_PLUS,
                (trace_origin[4]){cell, learned});
}

/* ---- what rows of tables are called ---- */

static size_t position_of(const stack *s, size_t row)
{
    return s->first_position + s->before + row;
}

static const char *name_id(floors *f, size_t row)
{
    size_t id = 0;
    find_id(f->stack, row, &id);
    return build_text(&f->b, "id %zu", id);
}

static const char *name_word(floors *f, size_t row)
{
    const char *word = find_word(f->stack, row);
    return word == NULL ? "" : word;
}

static const char *name_segment(floors *f, size_t row)
{
    return build_text(&f->b, "segment %zu", stack_segment_of_row(f->stack, row));
}

static const char *name_position(floors *f, size_t row)
{
    return build_text(&f->b, "position %zu", position_of(f->stack, row));
}

/* The rows of a table are not those that go through the stack: which of them row i takes, in
 * letters, and for one row. */
typedef struct table_index {
    const char *table, *letters;
    const char *(*name)(floors *f, size_t row);
} table_index;

static const table_index *index_of(const char *table)
{
    static const table_index INDEXES[] = {
        {"embedding", "id of i", name_id},
        {"vocab", "word of i", name_word},
        {"segment_embedding", "segment of i", name_segment},
        {"position_embedding", "position of i", name_position},
    };
    for (size_t i = 0; i < sizeof INDEXES / sizeof INDEXES[0]; i++) {
        if (strcmp(INDEXES[i].table, table) == 0)
            return &INDEXES[i];
    }
    return NULL;
}

/* "embedding[id of i]", "x[i]" */
static const char *say_row(floors *f, const trace_map *of)
{
    const table_index *by = index_of(of->name);
    return build_text(&f->b, "%s[%s]", of->name, by == NULL ? "i" : by->letters);
}

/* "embedding[id 4, ", "x[3,": a column goes on in it. */
static const char *say_column(floors *f, const trace_map *of)
{
    const table_index *by = index_of(of->name);
    size_t row = f->focus.row;
    return by == NULL ? build_text(&f->b, "%s[%zu,", of->name, row + 1)
                      : build_text(&f->b, "%s[%s, ", of->name, by->name(f, row));
}

static const char *say_first(floors *f, const trace_map *of)
{
    return build_text(&f->b, "%s1]", say_column(f, of));
}

/* embedded[3,1] = embedding[id 4, 1] + position_embedding[position 2, 1], with this run's
 * numbers. */
static void show_added(floors *f, const trace_map *rows, const trace_map *added,
                       const trace_map *made)
{
    builder *b = &f->b;
    size_t row = f->focus.row;
    tensor of_rows = tensor_at(&rows->values, 0), of_added = tensor_at(&added->values, 0),
           of_made = tensor_at(&made->values, 0);
    trace_item *line =
        build_line(b, OP_PLUS, say_first(f, made),
                   build_text(b, "%s + %s", say_first(f, rows), say_first(f, added)));
    line->a = build_element(&of_rows, row, 0);
    line->b = build_element(&of_added, row, 0);
    line->result = build_element(&of_made, row, 0);
}

static tensor row_of(const floors *f, const trace_map *map)
{
    tensor values = tensor_at(&map->values, 0);
    return build_row(&values, f->focus.row);
}

/* embedded[3,1] = embedding[id 4, 1] + sin(angle) */
static void show_waves(floors *f, const trace_map *rows, const trace_map *learned,
                       const trace_map *made)
{
    const stack *s = f->stack;
    wave_sum waves = {.with = s->isa->table(s->type),
                      .position = (double)position_of(s, f->focus.row),
                      .of = row_of(f, rows),
                      .made = row_of(f, made),
                      .of_name = say_column(f, rows),
                      .made_name = say_column(f, made)};
    if (learned != NULL) {
        waves.learned = row_of(f, learned);
        waves.learned_name = say_column(f, learned);
    }
    waves_show(&f->b, &waves);
}

/* ---- what is told ---- */

/* The rows as they are given; of those out of a table each is said with the row that it takes. */
static void show_given(floors *f)
{
    const trace_map *rows = &f->b.trace->map[0];
    tensor given = f->b.failed ? (tensor){0} : tensor_at(&rows->values, 0);
    if (!f->b.failed && index_of(rows->name) == NULL)
        build_matrix(&f->b, rows->name, &given, f->labels, build_numbers(), f->focus.row + 1);
}

static void tell_looked_up(floors *f)
{
    const trace_map *table = &f->b.trace->map[0];
    if (!f->b.failed && index_of(table->name) != NULL)
        build_formula(&f->b, "embedded[i] = %s", say_row(f, table));
}

static void tell_segments(floors *f)
{
    builder *b = &f->b;
    const trace_map *rows = &b->trace->map[0], *sum = map_named(b->trace, "segmented"),
                    *added = map_named(b->trace, "segment_embedding");
    size_t row = f->focus.row;
    if (b->failed || sum == NULL)
        return;
    build_sentence(b,
                   "Each row is told which text it is of: it is given the row of its segment. Row "
                   "%zu is of segment %zu, counted from 0.",
                   row + 1, stack_segment_of_row(f->stack, row));
    build_formula(b, "segmented[i] = %s + %s", say_row(f, rows), say_row(f, added));
    show_added(f, rows, added, sum);
}

/* Where the maps of the rows before positions, and of positions, are there already. */
static void tell_positions(floors *f, const floor_rows *made)
{
    const stack *s = f->stack;
    builder *b = &f->b;
    const trace_map *segmented = map_named(b->trace, "segmented"),
                    *table = segmented != NULL ? segmented : &b->trace->map[0],
                    *learned = map_named(b->trace, "position_embedding");
    size_t row = f->focus.row;
    if (b->failed)
        return;
    build_sentence(b,
                   "Attention by itself knows no order of its rows, so each is told where it "
                   "stands: row %zu stands at position %zu, counted from 0.",
                   row + 1, position_of(s, row));
    build_formula(b, "embedded[i] = %s%s%s%s", say_row(f, table), learned == NULL ? "" : " + ",
                  learned == NULL ? "" : say_row(f, learned), s->adds_sinusoids ? " + PE[i]" : "");
    if (!s->adds_sinusoids) {
        show_added(f, table, learned, made->map);
        return;
    }
    build_formula(b, "PE(position, 2i) = sin(position·10000^(−2i/m)), m = %zu", s->width);
    build_formula(b, "PE(position, 2i + 1) = cos(position·10000^(−2i/m)), columns from 0");
    show_waves(f, table, learned, made->map);
}

/* Where rows come from: words or ids, segments, positions. */
static void tell_embedded(floors *f, const floor_rows *made)
{
    const bundle *document = f->stack->document;
    bool has_segments = bundle_find(document, "segment_embedding") != NULL,
         has_positions =
             f->stack->adds_sinusoids || bundle_find(document, "position_embedding") != NULL;
    if (has_segments || has_positions)
        show_given(f);
    if (has_segments)
        tell_segments(f);
    if (has_positions)
        tell_positions(f, made);
    if (!has_segments && !has_positions)
        tell_looked_up(f);
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
        tell_embedded(f, &rows);
        floors_show(f, &rows);
    }
    floors_end(f);
    *made = rows;
    return !f->b.failed;
}
