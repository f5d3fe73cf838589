#include "render/python_code.h"

#include "attn/spec/spelling.h"
#include "base/mem.h"
#include "model/parts.h"
#include "render/number_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Of all maps together; a page of numbers has some thousand. */
enum { MOST_NUMBERS = 40000 };

bool python_begin(python_code *c, const trace *of, const render_options *how, err *e)
{
    size_t maps = 0, numbers = 0;
    *c = (python_code){.of = of, .how = how};
    for (size_t i = 0; i < of->rooms; i++) {
        for (size_t j = 0; j < of->room[i]->maps; j++, maps++)
            numbers += tensor_count(&of->room[i]->map[j]->values);
    }
    if (maps == 0 || numbers > MOST_NUMBERS)
        return true;
    c->is_there = mem_alloc_zeroed(maps, sizeof c->is_there[0], e);
    return c->is_there != NULL;
}

void python_end(python_code *c)
{
    mem_free(c->is_there);
}

bool python_is_written(const python_code *c)
{
    return c->is_there != NULL;
}

void python_add_beginning(text *out)
{
    text_add_string(out,
                    "import math\n"
                    "\n"
                    "import numpy as np\n"
                    "from numpy import inf, nan\n"
                    "\n"
                    "try:\n"
                    "    import torch\n"
                    "except ImportError:\n"
                    "    torch = None  # what is compared with it is left out\n"
                    "\n"
                    "\n"
                    "def matrix(rows):\n"
                    "    return np.array(rows, dtype=float)\n"
                    "\n"
                    "\n"
                    "def shown(numbers, rows, unit=1e-4):\n"
                    "    \"\"\"Fails unless these are the numbers that are shown, each rounded to "
                    "units.\"\"\"\n"
                    "    np.testing.assert_allclose(numbers, matrix(rows), rtol=1e-4, "
                    "atol=0.5 * unit + 1e-5)\n"
                    "\n"
                    "\n"
                    "erf = np.vectorize(math.erf, otypes=[float])\n"
                    "\n"
                    "\n"
                    "def finite(numbers):\n"
                    "    return np.where(np.isinf(numbers), 0, numbers)\n"
                    "\n"
                    "\n"
                    "def nonzero(numbers):\n"
                    "    return np.where(np.equal(numbers, 0), 1, numbers)\n");
}

/* ---- names and numbers ---- */

/* "layer.0.attention.scores" with _ for what no name in Python has. */
static void add_name(text *out, const trace_room *room, const trace_map *map)
{
    const char *const part[] = {room->place.way, map->name};
    for (size_t i = 0; i < 2; i++) {
        for (const char *at = part[i]; *at != '\0'; at++)
            text_add_format(out, "%c", isalnum((unsigned char)*at) ? *at : '_');
    }
}

/* Head × rows × columns, without an axis of heads where there is one; a single number alone. As
 * they are, or as they are shown. */
static void add_numbers(text *out, const trace_map *map, const render_options *shown_how)
{
    const tensor *of = &map->values;
    size_t at[TENSOR_MAX_RANK] = {0};
    bool has_heads = of->size[0] > 1;
    if (map->is_number && tensor_count(of) == 1)
        has_heads = false;
    text_add_string(out, has_heads ? "[[[" : "[[");
    do {
        double value = tensor_get(of, at);
        char number[NUMBER_FIXED_TEXT];
        if (shown_how != NULL)
            number_text_write(value, shown_how->digits, number);
        else if (of->type == DTYPE_F32)
            number_write_f32((float)value, number);
        else
            number_write_f64(value, number);
        if (at[2] > 0)
            text_add_string(out, ", ");
        else if (at[1] > 0)
            text_add_string(out, has_heads ? "],\n      [" : "],\n     [");
        else if (at[0] > 0)
            text_add_string(out, "]],\n     [[");
        text_add_string(out, number);
    } while (tensor_next(of, at));
    text_add_string(out, has_heads ? "]]]" : "]]");
}

static void add_given(text *out, const trace_map *map)
{
    text_add_string(out, "matrix(");
    add_numbers(out, map, NULL);
    text_add_string(out, ")\n");
}

/* ---- operands ---- */

typedef struct python_writer {
    text *out;
    const trace_room *room;
    const trace_map *map;
    bool failed;                           /* an operand has no such form */
    bool has_heads, has_rows, has_columns; /* as many as the map, somewhere among the operands */
} python_writer;

static const trace_origin *operand_of(const python_writer *w, char letter)
{
    return &w->map->operand[letter - 'a'];
}

static size_t heads_of(const python_writer *w)
{
    return w->map->is_of_focus ? 1 : w->map->values.size[0];
}

/* The operand's numbers with the heads of the map that is made; returns the columns of one. */
static size_t add_heads(python_writer *w, const trace_origin *from, const char *name)
{
    const trace_map *of = from->map, *made = w->map;
    size_t heads = heads_of(w), of_heads = of->values.size[0], width = of->values.size[2],
           own = made->values.size[2];
    bool is_single = of->values.size[1] == 1 && width == 1;
    if (from->part.column == AXIS_WHOLE) {
        text_add_string(w->out, name);
    } else if (from->part.is_of_heads) {
        text_add_string(w->out, name);
        w->failed = w->failed || made->op != OP_MEAN || of_heads == 1 || heads > 1;
    } else if (made->is_of_focus) {
        size_t parts = of_heads > 1 ? of_heads : of->slices,
               head = w->room->focus.head / (w->room->heads / parts);
        if (of_heads > 1)
            text_add_format(w->out, "%s[%zu]", name, head);
        else if (parts > 1)
            text_add_format(w->out, "np.split(%s, %zu, axis=-1)[%zu]", name, parts, head);
        else
            text_add_string(w->out, name);
        return of_heads > 1 ? width : width / parts;
    } else if (heads > 1 && of_heads > 1) {
        if (of_heads == heads)
            text_add_string(w->out, name);
        else
            text_add_format(w->out, "np.repeat(%s, %zu, axis=0)", name, heads / of_heads);
        w->failed = w->failed || heads % of_heads != 0;
    } else if (heads > 1) {
        bool is_cut =
            of->slices > 1 || (from->part.column == AXIS_J && !is_single && width == heads * own);
        size_t parts = of->slices > 1 ? of->slices : heads;
        w->failed = w->failed || (is_cut && heads % parts != 0) ||
                    (from->part.row == AXIS_J && of->values.size[1] == heads * own && heads > 1 &&
                     of->values.size[1] != own);
        if (!is_cut)
            text_add_string(w->out, name);
        else if (parts == heads)
            text_add_format(w->out, "np.stack(np.split(%s, %zu, axis=-1))", name, parts);
        else
            text_add_format(w->out, "np.repeat(np.stack(np.split(%s, %zu, axis=-1)), %zu, axis=0)",
                            name, parts, heads / parts);
        return is_cut ? width / parts : width;
    } else if (of_heads > 1) {
        /* Heads that are put side by side. */
        text_add_format(w->out, "np.concatenate(%s, axis=-1)", name);
        w->failed = w->failed || made->slices != of_heads;
        return width * of_heads;
    } else {
        text_add_string(w->out, name);
    }
    return width;
}

static void add_indices(text *out, const trace_map *made, bool is_partner)
{
    text_add_string(out, "[..., [");
    for (size_t j = 0; j < made->values.size[2]; j++) {
        map_pair pair = map_pair_of(made, j);
        text_add_format(out, "%s%zu", j > 0 ? ", " : "", is_partner ? pair.partner : pair.index);
    }
    text_add_string(out, "]]");
}

static void place_operand(python_writer *w, const trace_origin *from, bool is_plain)
{
    const trace_map *of = from->map, *made = w->map;
    const trace_part part = from->part;
    size_t rows = of->values.size[1], own_rows = made->values.size[1], own = made->values.size[2];
    bool is_single = rows == 1 && of->values.size[2] == 1;
    text name = {0};
    add_name(&name, from->room, of);
    size_t start = w->out->length;
    size_t columns = add_heads(w, from, text_string(&name));
    bool is_turned =
        (part.row == AXIS_J && !is_plain) || (part.row == AXIS_ALL && part.column == AXIS_I);
    bool is_known = false;
    switch ((trace_axis)part.row) {
    case AXIS_I:
        is_known = rows == own_rows || rows == 1;
        break;
    case AXIS_ONLY:
        is_known = rows == 1;
        break;
    case AXIS_J:
        is_known = rows == own || is_single;
        break;
    case AXIS_ALL:
        is_known = part.column != AXIS_ALL && part.column != AXIS_ONLY;
        break;
    case AXIS_ABOVE:
    case AXIS_BELOW:
        is_known = rows > own_rows || made->op == OP_STACK;
        if (rows > own_rows)
            text_add_format(w->out, part.row == AXIS_ABOVE ? "[..., :%zu, :]" : "[..., -%zu:, :]",
                            own_rows);
        break;
    case AXIS_QUERY:
        is_known = part.column == AXIS_I;
        break;
    default:
        break;
    }
    switch ((trace_axis)part.column) {
    case AXIS_J:
        is_known = is_known && (columns == own || (columns == 1 && part.row != AXIS_ALL));
        break;
    case AXIS_I:
        is_known = is_known && columns == own_rows;
        break;
    case AXIS_ONLY:
        is_known = is_known && columns == 1;
        break;
    case AXIS_PARTNER:
    case AXIS_PAIR:
        is_known = is_known && made->paired == own / made->slices && made->slices == 1;
        if (is_known)
            add_indices(w->out, made, part.column == AXIS_PARTNER);
        break;
    case AXIS_ALL:
    case AXIS_WHOLE:
        break;
    default:
        is_known = false;
    }
    /* All that the cell takes, as the map's address says it, and no more. */
    bool is_of_row = part.column == AXIS_ALL || part.column == AXIS_WHOLE;
    size_t terms = part.is_of_heads       ? of->values.size[0]
                   : is_of_row            ? columns
                   : part.row == AXIS_ALL ? rows
                                          : 1;
    w->failed = w->failed || !is_known || trace_address_of(w->room, made, from).count != terms;
    w->has_heads =
        w->has_heads || heads_of(w) == 1 || of->values.size[0] > 1 || columns != of->values.size[2];
    w->has_rows = w->has_rows || own_rows == 1 || part.column == AXIS_I ||
                  (part.row == AXIS_I && rows == own_rows) || part.row == AXIS_ABOVE ||
                  part.row == AXIS_BELOW;
    w->has_columns = w->has_columns || own == 1 || part.row == AXIS_J ||
                     (!is_of_row && part.column != AXIS_ONLY && columns == own);
    if (part.row == AXIS_QUERY)
        text_add_format(w->out, "[[%zu]].T", made->query);
    else if (is_turned && heads_of(w) > 1 && text_string(w->out)[start] != '\0' && !is_single)
        text_add_string(w->out, of->values.size[0] > 1 || columns != of->values.size[2]
                                    ? ".transpose(0, 2, 1)"
                                    : ".T");
    else if (is_turned && !is_single)
        text_add_string(w->out, ".T");
    text_close(&name, w->out);
}

static const spelling_reader NUMPY;

static void write_text(void *to, spelled words)
{
    python_writer *w = to;
    text_add(w->out, words.at, (size_t)(words.end - words.at));
}

static void write_place(void *to, spelled name)
{
    python_writer *w = to;
    bool is_plain = *name.at == '+';
    size_t columns = w->map->values.size[2];
    if (strncmp(name.at, "first", strlen("first")) == 0) {
        bool is_turned = w->map->paired == columns; /* whole, and no head beside another */
        w->failed = w->failed || !is_turned;
        text_add_string(w->out, "[");
        for (size_t j = 0; j < columns && is_turned; j++)
            text_add_format(w->out, "%s%s", j > 0 ? ", " : "",
                            map_pair_of(w->map, j).is_first ? "True" : "False");
        text_add_string(w->out, "]");
    } else if (*name.at == 'f') {
        spelling_read(&NUMPY, w, spelled_whole(w->map->function->numpy));
    } else if (strncmp(name.at, "units", strlen("units")) == 0) {
        text_add_format(w->out, "1e%d", w->room->run.decimals);
    } else if (*name.at == 'j') {
        text_add_format(w->out, "np.arange(1, %zu)", columns + 1);
    } else if (operand_of(w, name.at[is_plain])->map != NULL) {
        place_operand(w, operand_of(w, name.at[is_plain]), is_plain);
    } else {
        w->failed = true;
    }
}

static void write_series(void *to, const spelled_series *series)
{
    python_writer *w = to;
    (void)series; /* arrays have none */
    w->failed = true;
}

static bool has_letter(const void *to, char letter)
{
    return operand_of(to, letter)->map != NULL;
}

static bool is_first(const void *to)
{
    (void)to; /* all columns are written at once */
    return true;
}

static const spelling_reader NUMPY = {.text = write_text,
                                      .place = write_place,
                                      .series = write_series,
                                      .has = has_letter,
                                      .is_first = is_first};

/* ---- a map ---- */

/* Cells that are −∞, whatever is computed. */
static bool hides_cells(const trace_map *map)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    bool hides = false;
    if (map->op != OP_PLUS || !map->has_origin)
        return false;
    do
        hides = hides || tensor_get(&map->values, at) == -(double)INFINITY;
    while (tensor_next(&map->values, at));
    return hides;
}

static void add_hidden(text *out, const trace_map *map)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    const bool has_heads = map->values.size[0] > 1;
    text_add_string(out, has_heads ? "matrix([[[" : "matrix([[");
    do {
        if (at[2] > 0)
            text_add_string(out, ", ");
        else if (at[1] > 0)
            text_add_string(out, "], [");
        else if (at[0] > 0)
            text_add_string(out, "]], [[");
        text_add_string(out, tensor_get(&map->values, at) == -(double)INFINITY ? "1" : "0");
    } while (tensor_next(&map->values, at));
    text_add_string(out, has_heads ? "]]])" : "]])");
}

/* A product of matrices takes rows and columns; where both are the row's own, it is one row by row.
 * NULL: there is no such form. */
static const char *spelling_of(const trace_map *map)
{
    const char *numpy = operation_of(map->op)->numpy;
    const trace_part a = map->operand[0].part, b = map->operand[1].part;
    if (!map->has_origin)
        return map->operand[0].map == NULL ? NULL : operation_of(OP_COPY)->numpy;
    if (map->op == OP_MEAN && a.is_of_heads)
        return "{a}.mean(0)";
    if (map->op == OP_ADD_UP && a.row == AXIS_ALL && a.column == AXIS_J)
        return "{a}.sum(-2, keepdims=True)";
    if (map->op == OP_DOT && a.row != AXIS_ALL && a.column != AXIS_ALL)
        return "{a} * {b}[c? + {c}]"; /* a single term */
    if (numpy == NULL || strchr(numpy, '@') == NULL)
        return numpy;
    bool takes_row =
             (a.row == AXIS_I && a.column == AXIS_ALL) || (a.row == AXIS_ALL && a.column == AXIS_I),
         takes_column =
             (b.row == AXIS_J && b.column == AXIS_ALL) || (b.row == AXIS_ALL && b.column == AXIS_J);
    bool are_rows = a.row == AXIS_I && b.row == AXIS_I && a.column == b.column;
    if (are_rows && map->op == OP_DOT)
        return "({a} * {b}).sum(-1, keepdims=True)[c? + {c}]";
    if (are_rows && map->op == OP_DOT_LESS)
        return "({a} * {b}).sum(-1, keepdims=True)[c? - {c}]";
    return takes_row && takes_column ? numpy : NULL;
}

static void add_map(const python_code *c, const trace_room *room, const trace_map *map, text *out)
{
    bool *is_there = &c->is_there[map_index(room, map)];
    text computed = {0};
    python_writer w = {.out = &computed, .room = room, .map = map};
    if (*is_there || map->values.data == NULL)
        return;
    *is_there = true;
    for (size_t i = 0; i < TRACE_OPERANDS; i++) {
        if (map->operand[i].map != NULL)
            add_map(c, map->operand[i].room, map->operand[i].map, out);
        w.failed =
            w.failed || (map->operand[i].map != NULL && map->operand[i].map->values.data == NULL);
    }
    const char *numpy = spelling_of(map);
    bool is_odd = map->appended > 0 || (map->op == OP_ROUND && room->run.keeps_sum) ||
                  (map->untouched > 0 && (has_letter(&w, 'b') || has_letter(&w, 'c')));
    if (numpy != NULL && !w.failed && !is_odd)
        spelling_read(&NUMPY, &w, spelled_whole(numpy));
    bool is_computed =
        numpy != NULL && !w.failed && !is_odd && w.has_heads && w.has_rows && w.has_columns;
    if (map->letters != NULL)
        text_add_format(out, "# %s%s\n", map->letters,
                        is_computed || !map->has_origin ? ""
                                                        : ": its numbers are taken from the run");
    add_name(out, room, map);
    text_add_string(out, " = ");
    if (is_computed && hides_cells(map)) {
        text_add_string(out, "np.where(");
        add_hidden(out, map);
        text_add_format(out, ", -inf, %s)\n", text_string(&computed));
    } else if (is_computed) {
        text_add_format(out, "%s\n", text_string(&computed));
    } else {
        add_given(out, map);
    }
    if (is_computed) {
        text_add_string(out, "shown(");
        add_name(out, room, map);
        text_add_string(out, ", ");
        add_numbers(out, map, c->how);
        if (c->how->digits >= 0)
            text_add_format(out, ", unit=1e-%d", c->how->digits);
        text_add_string(out, ")\n");
    }
    out->failed = out->failed || computed.failed;
    text_free(&computed);
}

/* The weights once more, as PyTorch has them, where they are a softmax of what is there. */
static void add_torch(const trace_room *room, const trace_map *weights, text *out)
{
    const trace_map *powers = weights->operand[0].map, *sums = weights->operand[1].map;
    if (powers == NULL || sums == NULL || powers->op != OP_EXP || sums->op != OP_SUM ||
        sums->operand[2].map != NULL || powers->operand[0].map == NULL)
        return;
    text_add_string(out, "if torch:\n    made = torch.softmax(torch.tensor(");
    add_name(out, powers->operand[0].room, powers->operand[0].map);
    text_add_string(out, "), dim=-1).nan_to_num()\n    np.testing.assert_allclose(made.numpy(), ");
    add_name(out, room, weights);
    text_add_string(out, ", atol=1e-6)\n");
}

void python_add_step(const python_code *c, const trace_room *room, const trace_step *step,
                     text *out)
{
    for (size_t i = 0; i < room->maps; i++) {
        const trace_map *map = room->map[i];
        if (map->step != step->id)
            continue;
        add_map(c, room, map, out);
        if (map->op == OP_DIVIDE && map->has_origin && map->values.data != NULL)
            add_torch(room, map, out);
    }
}
