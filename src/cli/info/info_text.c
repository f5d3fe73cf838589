/* What `info` says to a person: a headline, a table of what is inside, and for a problem document
 * what it asks for. */
#include "base/mem.h"
#include "cli/info/info_file.h"
#include "render/display.h"
#include "render/number_text.h"

#include <string.h>

enum {
    LINE_COLUMNS = 100,
    NAME_COLUMNS = 160, /* a name is there to be typed: those of models have 100 at most */
    VALUE_COLUMNS = 40, /* that a value has at least, however long names are */
    INSIDE_MOST = 8,    /* rows of an object that is inside another: a vocabulary is long */
    INDENT = 2
};

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- what a value is, in words ---- */

/* "3 numbers, 1 text": what there is some of, in a text that has `start` bytes in front of it. */
static void add_part(text *out, size_t start, size_t count, const char *one, const char *many)
{
    if (count > 0)
        text_add_format(out, "%s%zu %s", out->length == start ? "" : ", ", count,
                        count == 1 ? one : many);
}

static void add_parts(text *out, const fact *f)
{
    size_t start = out->length;
    add_part(out, start, f->numbers.finite, "number", "numbers");
    add_part(out, start, f->texts, "text", "texts");
    add_part(out, start, f->truths, "true or false", "true or false");
    add_part(out, start, f->nulls, "null", "null");
    add_part(out, start, f->objects, "object", "objects");
}

static void add_array(text *out, const fact *f)
{
    if (f->count == 0) {
        text_add_string(out, "an empty list");
    } else if (f->depth == 1) {
        text_add_string(out, "a list of ");
        add_parts(out, f);
    } else {
        bool is_empty = f->numbers.finite + f->texts + f->truths + f->nulls + f->objects == 0;
        text_add_format(out, "%slists, %zu deep%s",
                        is_empty       ? "empty "
                        : f->is_ragged ? "ragged "
                                       : "",
                        f->depth, is_empty ? "" : ": ");
        add_parts(out, f);
    }
}

static void add_value(text *out, const fact *f)
{
    char shape[SHAPE_TEXT];
    switch (f->kind) {
    case FACT_TEXT:
        text_add_format(out, "\"%s\"", text_string(&f->shown));
        break;
    case FACT_LIST:
        text_add_format(out, "%zu text%s: %s", f->count, plural(f->count), text_string(&f->shown));
        break;
    case FACT_ARRAY:
        add_array(out, f);
        break;
    case FACT_OBJECT:
        text_add_format(out, f->count == 0 ? "an empty object" : "an object with %zu key%s",
                        f->count, plural(f->count));
        break;
    case FACT_MATRIX:
        text_add_string(out, sizes_text(f->rank, f->size, shape));
        break;
    case FACT_UNREAD:
        text_add_format(out, "not read: %s", text_string(&f->shown));
        break;
    default:
        text_add_string(out, f->kind == FACT_NULL ? "null" : text_string(&f->shown));
    }
}

/* ---- the table ---- */

enum { CELL_NAME, CELL_SHAPE, CELL_TYPE, CELL_BYTES, CELL_LEAST, CELL_GREATEST, CELL_MEAN, CELLS };

static const char *const TITLES[CELLS] = {"name", "shape", "type", "bytes", "min", "max", "mean"};

typedef struct table {
    text *out;
    size_t documents; /* of a stream */
    bool has_matrix;
    size_t columns[CELLS];
    text cell[CELLS]; /* of the row at hand */
} table;

static void make_numbers(table *t, const fact *f)
{
    if (f->stored != NULL)
        text_add_format(&t->cell[CELL_BYTES], "%zu", fact_stored_bytes(f));
    if (f->numbers.finite == 0)
        return;
    number_text_add(&t->cell[CELL_LEAST], f->numbers.least, -1);
    number_text_add(&t->cell[CELL_GREATEST], f->numbers.greatest, -1);
    number_text_add(&t->cell[CELL_MEAN], statistics_mean(&f->numbers), -1);
}

/* What had no memory in a row that goes is remembered. */
static void clear_cells(table *t)
{
    for (int i = 0; i < CELLS; i++) {
        t->out->failed = t->out->failed || t->cell[i].failed;
        text_clear(&t->cell[i]);
    }
}

static void make_cells(table *t, const fact *f, size_t indent)
{
    clear_cells(t);
    text_add_repeated(&t->cell[CELL_NAME], " ", indent);
    const char *name = f->name.length == 0 ? "(no name)" : f->name.data;
    display_add_cut(&t->cell[CELL_NAME], name, NAME_COLUMNS);
    if (f->kind != FACT_MATRIX)
        return;
    if (f->varies)
        text_add_string(&t->cell[CELL_SHAPE], "varies");
    else
        add_value(&t->cell[CELL_SHAPE], f);
    text_add_string(&t->cell[CELL_TYPE], f->stored != NULL       ? f->stored
                                         : f->type == DTYPE_BOOL ? "bool"
                                                                 : "number");
    make_numbers(t, f);
}

static void measure_row(table *t, const fact *f, size_t indent)
{
    make_cells(t, f, indent);
    t->has_matrix = t->has_matrix || f->kind == FACT_MATRIX;
    for (int i = 0; i < CELLS; i++) {
        size_t columns = display_columns(text_string(&t->cell[i]), t->cell[i].length);
        t->columns[i] = size_larger(t->columns[i], columns);
    }
}

static void add_padded(text *out, const char *cell, size_t columns)
{
    text_add_string(out, cell);
    text_add_repeated(out, " ", columns - display_columns(cell, strlen(cell)) + 2);
}

static void write_titles(table *t)
{
    if (!t->has_matrix)
        return;
    text_add_repeated(t->out, " ", INDENT);
    for (int i = 0; i < CELLS; i++) {
        if (t->columns[i] == 0)
            continue;
        t->columns[i] = size_larger(t->columns[i], strlen(TITLES[i]));
        add_padded(t->out, TITLES[i], t->columns[i]);
    }
    display_end_line(t->out);
}

/* What is none of the numbers, and which documents have it. */
static void write_remarks(const table *t, const fact *f)
{
    text remarks = {0};
    if (f->kind == FACT_MATRIX) {
        add_part(&remarks, 0, f->numbers.nan, "NaN", "NaN");
        add_part(&remarks, 0, f->numbers.infinite, "infinite", "infinite");
        add_part(&remarks, 0, f->numbers.holes, "null", "null");
    }
    if (f->lines < t->documents)
        text_add_format(&remarks, "%sin %zu of %zu documents", remarks.length == 0 ? "" : ", ",
                        f->lines, t->documents);
    text_add(t->out, text_string(&remarks), remarks.length);
    t->out->failed = t->out->failed || remarks.failed;
    text_free(&remarks);
}

/* A value is cut, but for the reason why there is none. */
static void write_value(table *t, const fact *f)
{
    text value = {0};
    size_t taken = INDENT + t->columns[CELL_NAME] + 2, least = taken + VALUE_COLUMNS;
    if (f->varies)
        text_add_string(&value, "varies");
    else
        add_value(&value, f);
    if (f->kind == FACT_UNREAD)
        display_add_string(t->out, text_string(&value));
    else
        display_add_cut(t->out, text_string(&value), size_larger(LINE_COLUMNS, least) - taken);
    t->out->failed = t->out->failed || value.failed;
    text_free(&value);
    text_add_string(t->out, "  ");
}

static void write_row(table *t, const fact *f, size_t indent)
{
    make_cells(t, f, indent);
    text_add_repeated(t->out, " ", INDENT);
    add_padded(t->out, text_string(&t->cell[CELL_NAME]), t->columns[CELL_NAME]);
    if (f->kind == FACT_MATRIX) {
        for (int i = CELL_SHAPE; i < CELLS; i++) {
            if (t->columns[i] > 0)
                add_padded(t->out, text_string(&t->cell[i]), t->columns[i]);
        }
    } else {
        write_value(t, f);
    }
    write_remarks(t, f);
    display_end_line(t->out);
}

/* Does something with each row that is shown: entries, and the first entries of objects in it. */
static void each_row(table *t, const fact *root, void (*row)(table *, const fact *, size_t))
{
    for (size_t i = 0; i < root->insides; i++) {
        const fact *one = &root->inside[i];
        row(t, one, 0);
        for (size_t j = 0; j < one->insides && j < INSIDE_MOST; j++)
            row(t, &one->inside[j], INDENT);
        if (one->insides > INSIDE_MOST && row == write_row)
            text_add_format(t->out, "%*s… %zu more\n", 2 * INDENT, "", one->insides - INSIDE_MOST);
    }
}

static void write_table(text *out, const info_file *of)
{
    table t = {.out = out, .documents = of->documents};
    fact alone = {.kind = FACT_OBJECT, .inside = (fact *)(void *)&of->root, .insides = 1};
    const fact *root = of->root.kind == FACT_OBJECT ? &of->root : &alone;
    if (root == &alone && of->root.kind != FACT_MATRIX)
        return;
    each_row(&t, root, measure_row);
    write_titles(&t);
    each_row(&t, root, write_row);
    clear_cells(&t);
    for (int i = 0; i < CELLS; i++)
        text_free(&t.cell[i]);
}

/* ---- the headline ---- */

static size_t count_inside(const fact *root, fact_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < root->insides; i++)
        count += root->inside[i].kind == kind;
    return count;
}

static bool is_json(const info_file *of)
{
    return of->format->holds & HOLDS_ALL;
}

static void write_kind(text *out, const info_file *of)
{
    static const char *const KINDS[] = {[INFO_DOCUMENT] = "problem document",
                                        [INFO_LAYERS] = "document of layers",
                                        [INFO_RESULT] = "result"};
    const fact *root = &of->root;
    if (of->documents > 0) {
        text_add_format(out, "%zu document%s, %zu key%s", of->documents, plural(of->documents),
                        root->count, plural(root->count));
    } else if (of->kind != INFO_ANYTHING) {
        text_add_format(out, "a %s with %zu key%s", KINDS[of->kind], root->count,
                        plural(root->count));
    } else if (!is_json(of)) {
        size_t matrices = count_inside(root, FACT_MATRIX), unread = count_inside(root, FACT_UNREAD);
        text_add_format(out, "%zu matri%s", matrices, matrices == 1 ? "x" : "ces");
        if (unread > 0)
            text_add_format(out, ", %zu not read", unread);
    } else {
        text value = {0};
        bool is_list = root->kind == FACT_MATRIX && root->rank == 1;
        text_add_string(&value, is_list                     ? "a list, "
                                : root->kind == FACT_MATRIX ? "a matrix, "
                                                            : "");
        add_value(&value, root);
        display_add_cut(out, text_string(&value), LINE_COLUMNS);
        out->failed = out->failed || value.failed;
        text_free(&value);
    }
}

static void write_headline(text *out, const info_file *of)
{
    display_add_string(out, of->file);
    if (of->only != NULL) {
        text_add_string(out, ":");
        display_add_string(out, of->only);
    }
    text_add_format(out, ": %s, %s%zu byte%s", of->format->title,
                    is_json(of) ? "well-formed, " : "", of->bytes, plural(of->bytes));
    text_add_string(out, of->only != NULL ? " in all" : ": ");
    if (of->only == NULL)
        write_kind(out, of);
    text_add_string(out, "\n");
}

/* ---- attention ---- */

/* Frees the line. */
static void write_line(text *out, text *line)
{
    display_add_wrapped(out, text_string(line), INDENT, LINE_COLUMNS);
    out->failed = out->failed || line->failed;
    text_free(line);
}

static void write_trouble(text *out, const char *of_what, const err *trouble)
{
    text line = {0};
    text_add_format(&line, "%s: not as it stands: %s%s%s", of_what, trouble->where,
                    trouble->where[0] == '\0' ? "" : ": ", trouble->what);
    write_line(out, &line);
}

static void add_sharing(text *out, const attention_facts *of)
{
    text_add_string(out, of->sharing);
    if (of->heads > 1)
        text_add_format(out, ", %zu heads", of->heads);
    if (of->kv_heads < of->heads)
        text_add_format(out, " over %zu key/value head%s", of->kv_heads, plural(of->kv_heads));
    text_add_format(out, ", d_k %zu, d_v %zu", of->key_width, of->value_width);
}

static void write_sizes(text *out, const attention_facts *of)
{
    text_add_string(out, "  attention: ");
    add_sharing(out, of);
    if (of->has_inputs)
        text_add_format(out, "; %zu quer%s, %zu key%s", of->queries, of->queries == 1 ? "y" : "ies",
                        of->keys, plural(of->keys));
    if (of->batches > 1)
        text_add_format(out, ", a batch of %zu", of->batches);
    text_add_format(
        out, "\n  key/value cache: %zu bytes a token in %s, %zu · (%zu + %zu) numbers\n",
        of->cache_bytes, dtype_name(of->type), of->kv_heads, of->key_width, of->value_width);
}

static void write_attention(text *out, const attention_facts *of)
{
    if (of->trouble.is_set) {
        write_trouble(out, "attention", &of->trouble);
        return;
    }
    write_sizes(out, of);
    text_add_format(out, "  causal: %s; score: %s, scale ", of->causal, of->score);
    number_text_add(out, of->scale, -1);
    text_add_string(out, "\n");
    for (size_t i = 0; i < of->notes.count; i++) {
        text line = {0};
        text_add_format(&line, "note: %s", of->notes.item[i]);
        write_line(out, &line);
    }
}

/* ---- layers ---- */

static void add_part_facts(text *out, const part_facts *p)
{
    text_add_format(out, "; %s: ", part_name(p->kind));
    if (p->kind == PART_FEED_FORWARD)
        text_add_format(out, "%zu hidden, %s", p->hidden, p->activation);
    else
        add_sharing(out, &p->attention);
}

static void add_layer(text *out, const layer_facts *l)
{
    text_add_format(out, "norms %s", l->norm);
    for (size_t i = 0; i < l->parts; i++)
        add_part_facts(out, &l->part[i]);
}

/* Layers that are alike are told once: those from `first` to before `end`. */
static size_t end_of_alike(const stack_facts *of, size_t first, text *words)
{
    size_t end = first + 1;
    text others = {0};
    for (bool is_same = true; is_same && end < of->layers; end += is_same) {
        text_clear(&others);
        add_layer(&others, &of->layer[end]);
        is_same = strcmp(text_string(&others), text_string(words)) == 0;
    }
    words->failed = words->failed || others.failed;
    text_free(&others);
    return end;
}

static void write_layers(text *out, const stack_facts *of)
{
    for (size_t first = 0, end; first < of->layers; first = end) {
        text words = {0}, line = {0};
        add_layer(&words, &of->layer[first]);
        end = end_of_alike(of, first, &words);
        text_add_format(&line, "layer%s %zu", plural(end - first), first + 1);
        if (end > first + 1)
            text_add_format(&line, " to %zu", end);
        text_add_format(&line, ": %s", text_string(&words));
        line.failed = line.failed || words.failed;
        write_line(out, &line);
        text_free(&words);
    }
}

static void write_stack(text *out, const stack_facts *of)
{
    if (of->trouble.is_set) {
        write_trouble(out, "layers", &of->trouble);
        return;
    }
    text_add_format(out, "  layers: %zu, for %s; %zu row%s of width %zu", of->layers,
                    !of->is_said     ? "run, encode, decode and generate"
                    : of->is_decoder ? "run, decode and generate"
                                     : "run and encode",
                    of->rows, plural(of->rows), of->width);
    if (of->batches > 0)
        text_add_format(out, ", a batch of %zu", of->batches);
    text_add_string(out, "\n");
    write_layers(out, of);
    if (of->has_end)
        text_add_format(out, "  behind them: %s: %zu hidden, %s\n", part_name(of->end.kind),
                        of->end.hidden, of->end.activation);
    text_add_format(out, "  key/value cache: %zu bytes a token in %s, of all layers\n",
                    of->cache_bytes, dtype_name(of->type));
}

void info_write_text(text *out, const info_file *of)
{
    write_headline(out, of);
    write_table(out, of);
    if (of->has_attention)
        write_attention(out, &of->attention);
    if (of->has_stack)
        write_stack(out, &of->stack);
}
