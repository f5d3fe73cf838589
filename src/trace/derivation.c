#include "trace/build.h"

#include "model/parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- operands ---- */

map_cell derivation_cell(const operand_cells *of, size_t index)
{
    map_cell cell = of->first;
    assert(!of->is_of_heads); /* those are looked at together (numbers_of) */
    if (of->is_down)
        cell.row += index;
    else
        cell.column += index;
    return cell;
}

/* Which head of the operand's map belongs to the cell, and which columns of it: heads may lie side
 * by side in either, and several may share one of the keys' and values'. */
static void find_head(const map_cell *made, operand_cells *of, size_t *column)
{
    const trace_map *to = made->map, *from = of->first.map;
    size_t head = to->is_of_focus ? made->room->focus.head : made->head;
    size_t heads = to->is_of_focus ? made->room->heads : to->values.size[0];
    size_t columns = from->values.size[2], width = columns / from->slices;
    bool is_joined = heads == 1 && to->slices > 1;
    of->count = columns;
    *column = made->column;
    if (from->slices > 1 && is_joined) { /* cut alike */
        of->first.column = made->column / width * width;
        of->count = width;
    } else if (from->values.size[0] > 1 && is_joined) {
        of->first.head = made->column / columns;
        *column = made->column % columns;
    } else if (from->values.size[0] > 1) {
        of->first.head = head * from->values.size[0] / heads;
    } else if (from->slices > 1 && heads > 1) {
        of->first.column = head * from->slices / heads * width;
        of->count = width;
        *column += of->first.column;
    }
}

/* Puts it at one cell; false where the map has none there. */
static bool point_at(operand_cells *of, size_t row, size_t column)
{
    of->first.row = row;
    of->first.column = column;
    of->count = 1;
    return row < of->first.map->values.size[1] && column < of->first.map->values.size[2];
}

bool derivation_operand(const map_cell *made, const trace_origin *from, operand_cells *of)
{
    if (from->part == PART_NONE)
        return false;
    size_t rows = from->map->values.size[1], column, below;
    *of = (operand_cells){
        .first = {.room = from->room, .map = from->map, .row = rows == 1 ? 0 : made->row}};
    find_head(made, of, &column);
    switch (from->part) {
    case PART_ROW:
    case PART_ROW_I:
        return of->first.row < rows;
    case PART_ROW_J:
        of->first.row = made->column;
        return of->first.row < rows;
    case PART_COLUMN_J:
        *of =
            (operand_cells){{from->room, from->map, of->first.head, 0, column}, rows, true, false};
        return true;
    case PART_CELL:
        return point_at(of, of->first.row, column);
    case PART_ABOVE:
        return point_at(of, made->row, column);
    case PART_BELOW:
        below = made->row + rows;
        if (below < made->map->values.size[1])
            return false;
        return point_at(of, below - made->map->values.size[1], column);
    case PART_OF_ROW:
        return point_at(of, of->first.row, 0);
    case PART_OF_COLUMN:
        return point_at(of, 0, column);
    case PART_NUMBER:
        return point_at(of, 0, 0);
    case PART_PARTNER:
        return point_at(of, made->row, map_pair_of(made->map, column).partner);
    case PART_OF_PAIR:
        return point_at(of, made->row, map_pair_of(made->map, column).index);
    case PART_OF_HEADS:
        of->first.head = 0;
        point_at(of, of->first.row, column);
        of->count = from->map->values.size[0];
        of->is_of_heads = true;
        return true;
    default:
        assert(from->part == PART_OF_FOCUS);
        return point_at(of, made->map->query, made->row);
    }
}

/* ---- numbers ---- */

double derivation_number(const operand_cells *of, size_t index)
{
    map_cell cell = derivation_cell(of, index);
    return map_number(&cell);
}

static double mean_square(const operand_cells *row)
{
    double squares = 0;
    for (size_t i = 0; i < row->count; i++)
        squares += derivation_number(row, i) * derivation_number(row, i);
    return squares / (double)row->count;
}

static double work_out(const map_cell *made)
{
    operand_cells of[TRACE_OPERANDS];
    double first[TRACE_OPERANDS] = {0}, sum = 0;
    bool has[TRACE_OPERANDS];
    for (size_t i = 0; i < TRACE_OPERANDS; i++) {
        has[i] = derivation_operand(made, &made->map->operand[i], &of[i]);
        first[i] = has[i] ? derivation_number(&of[i], 0) : 0;
    }
    switch (made->map->op) {
    case OP_TIMES:
        return first[0] * first[1];
    case OP_DIVIDE:
        return first[0] / first[1];
    case OP_MINUS:
        return first[0] - first[1];
    case OP_MEAN:
        for (size_t p = 0; p < of[0].count; p++)
            sum += derivation_number(&of[0], p);
        return (sum + first[1]) / (double)(of[0].count + has[1]);
    case OP_NORMALIZE:
        sum = sqrt(mean_square(&of[1]) + first[2]);
        return sum == 0 ? 0 : first[0] / sum;
    default:
        assert(made->map->op == OP_DOT);
        for (size_t p = 0; p < of[0].count; p++)
            sum += derivation_number(&of[0], p) * derivation_number(&of[1], p);
        return sum;
    }
}

void derivation_fill(builder *b, trace_map *map)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    if (b->failed)
        return;
    do
        tensor_set(&map->values, at, work_out(&(map_cell){b->trace, map, at[0], at[1], at[2]}));
    while (tensor_next(&map->values, at));
}

/* ---- letters ---- */

/* What stands after the name of an operand: of the part itself, of its element j, and of the part
 * where a whole row is meant. */
typedef struct place_letters {
    const char *cell, *element, *row;
} place_letters;

static const char PRIME[] = "′"; /* the other column of a pair; a number says it without */

static const place_letters PLACES[] = {
    [PART_ROW] = {"", "[j]", ""},
    [PART_ROW_I] = {"[i]", "[i,j]", "[i]"},
    [PART_ROW_J] = {"[j]", "", ""},
    [PART_COLUMN_J] = {"[·,j]", "", ""},
    [PART_CELL] = {"[i,j]", "[i,j]", "[i]"},
    [PART_OF_ROW] = {"[i]", "[i]", "[i]"},
    [PART_OF_COLUMN] = {"[j]", "[j]", ""},
    [PART_NUMBER] = {"", "", ""},
    [PART_PARTNER] = {"[i,j′]", "", ""},
    [PART_OF_PAIR] = {"[i,p]", "", "[i,p]"},
    [PART_ABOVE] = {"", "", ""},
    [PART_BELOW] = {"", "", ""},
    [PART_OF_HEADS] = {"[i,j] over the heads", "", ""},
    [PART_OF_FOCUS] = {"[f,i]", "", ""},
};

/* Letters that are being written. */
typedef struct writer {
    text *out;
    const trace_map *map;
    const map_cell *cell; /* in whose numbers; NULL: i and j */
    char row;             /* whose letter a whole row has; 0: a cell is meant */
    trace_word word[TRACE_WORDS];
    size_t words;
} writer;

/* In this cell, where one is meant. */
static bool has_operand(const writer *w, const trace_origin *from, operand_cells *cells)
{
    return w->cell != NULL && derivation_operand(w->cell, from, cells);
}

/* One row that all have is row 1. */
static void add_row(const writer *w, const trace_origin *from, bool has_cells)
{
    const trace_map *of = from->map;
    bool is_one = from->part == PART_CELL && of->values.size[1] == 1 && w->map->values.size[1] > 1;
    if (of->row_letters != NULL && (has_cells || w->row != 0))
        text_add_string(w->out, has_cells ? of->row_name : of->row_letters);
    else if (is_one)
        text_add_string(w->out, "1");
    else if (has_cells)
        text_add_format(w->out, "%zu", w->cell->row + 1);
    else
        text_add_format(w->out, "%c", w->row != 0 ? w->row : 'i');
}

/* Of the first of the cells. */
static void add_column(writer *w, const trace_origin *from, size_t column)
{
    const trace_map *of = from->map;
    size_t width = of->values.size[2] / of->slices;
    /* A head by itself counts the columns of its values, and so do two that lie alike. */
    bool is_own =
        from->part == PART_ROW_J || (from->part == PART_COLUMN_J && w->map->values.size[0] > 1);
    bool is_alike =
        of->slices == w->map->slices && (from->part == PART_CELL || from->part == PART_PARTNER);
    if (of->id_name != NULL) {
        w->word[w->words++] = (trace_word){.at = w->out->length, .bytes = strlen(of->id_name)};
        text_add_string(w->out, of->id_name);
        return;
    }
    if (of->is_row_a_head)
        text_add_format(w->out, "%zu,", column / width + 1);
    if (of->is_row_a_head || is_alike)
        column %= width;
    text_add_format(w->out, "%zu", (is_own ? w->cell->column : column) + 1);
}

static const trace_origin *operand_of(const writer *w, char letter)
{
    return &w->map->operand[letter - 'a'];
}

/* The name of an operand and its place, "[i,j]", where a cell is meant with its numbers; j of any
 * element stays. */
static void add_operand(writer *w, const char *name)
{
    bool is_element = *name == '*';
    if (*name == 'f') {
        text_add_string(w->out, w->map->function->named.name);
        return;
    }
    if (*name == 'j') {
        text_add_format(w->out, w->cell == NULL ? "j" : "%zu",
                        w->cell == NULL ? 0 : w->cell->column + 1);
        return;
    }
    name += *name == '(' || is_element;
    const trace_origin *from = operand_of(w, *name);
    const place_letters *of = &PLACES[from->part];
    if (from->part == PART_NONE) /* of stages that a picture does not keep */
        return;
    text_add_string(w->out, from->name);
    if (from->map->is_bare)
        return;
    operand_cells cells;
    bool has_cells = has_operand(w, from, &cells);
    const char *letters = w->row != 0 ? of->row : is_element ? of->element : of->cell;
    for (; *letters != '\0'; letters++) {
        if (*letters == 'f')
            text_add_format(w->out, "%zu", w->map->query + 1);
        else if (*letters == 'i')
            add_row(w, from, has_cells);
        else if (((*letters == 'j' && !is_element) || *letters == 'p') && has_cells)
            add_column(w, from, cells.first.column);
        else if (*letters == ',' && has_cells && from->map->row_name != NULL)
            text_add_string(w->out, ", ");
        else if (has_cells && strncmp(letters, PRIME, strlen(PRIME)) == 0)
            letters += strlen(PRIME) - 1;
        else
            text_add(w->out, letters, 1);
    }
}

/* As far as a byte of `until`; gives what follows that. */
static const char *add_spelled(writer *w, const char *at, const char *until, bool is_shown)
{
    while (*at != '\0' && strchr(until, *at) == NULL) {
        char here = *at++;
        if (here == '{') {
            if (is_shown)
                add_operand(w, at);
            at = strchr(at, '}') + 1;
        } else if (here == '<') {
            at = strchr(add_spelled(w, at, ";", is_shown), '>') + 1;
        } else if (here == '[') {
            const trace_origin *of = operand_of(w, *at);
            operand_cells cells;
            bool is_there = w->cell == NULL ? of->part != PART_NONE : has_operand(w, of, &cells);
            at = add_spelled(w, at + 2, ":]", is_there);
            if (at[-1] == ':')
                at = add_spelled(w, at, "]", !is_there);
        } else if (here == '~') {
            bool is_first = map_pair_of(w->map, w->cell->column).is_first;
            at = add_spelled(w, at, "~", is_first);
            at = add_spelled(w, at, "~", !is_first);
        } else if (is_shown && here != '\n') {
            text_add(w->out, &here, 1);
        }
    }
    return *at == '\0' ? at : at + 1;
}

/* Text that lives as long as the trace. */
static const char *spell(builder *b, writer *w)
{
    const operation_row *by = operation_of(w->map->op);
    bool is_of_pair = w->cell != NULL && strchr(by->spelled, '~') != NULL;
    text out = {0};
    w->out = &out;
    add_spelled(w, by->letters == NULL || is_of_pair ? by->spelled : by->letters, "", true);
    const char *kept = build_text(b, "%s", text_string(&out));
    b->failed = b->failed || !text_ok(&out, b->e);
    text_free(&out);
    return kept;
}

void map_say_origins(builder *b, trace_map *m, operation op, const trace_origin of[TRACE_OPERANDS])
{
    memcpy(m->operand, of, sizeof m->operand);
    m->op = op;
    m->has_origin = of[0].part != PART_NONE;
    m->letters = m->has_origin ? spell(b, &(writer){.map = m}) : NULL;
}

void derivation_formula(builder *b, const char *name, const char *more)
{
    const trace_map *map = map_named(b->trace, name);
    bool is_row = map->values.size[1] == 1 && !map->is_of_queries;
    build_formula(b, "%s%s = %s%s", name,
                  map->is_column ? "[i]"
                  : is_row       ? "[j]"
                                 : "[i,j]",
                  map->letters, more);
}

void derivation_row_formula(builder *b, const char *name, char index)
{
    const trace_map *map = map_named(b->trace, name);
    if (map == NULL)
        return;
    const char *letters = spell(b, &(writer){.map = map, .row = index});
    if (map->id_name != NULL) /* of one row */
        build_formula(b, "%s = %s", name, letters);
    else
        build_formula(b, "%s[%c] = %s", name, index, letters);
}

/* ---- worked lines ---- */

/* The operand's numbers, where they are. */
static tensor numbers_of(const map_cell *cell, const trace_origin *from)
{
    trace_part part = from->part;
    operand_cells of;
    if (!derivation_operand(cell, from, &of))
        return (tensor){0};
    tensor head = tensor_at(&of.first.map->values, of.first.head);
    if (of.is_of_heads) {
        tensor row = tensor_range(&of.first.map->values, 1, of.first.row, 1),
               numbers = tensor_range(&row, 2, of.first.column, 1);
        numbers.rank = 1; /* one of each head */
        return numbers;
    }
    if (part != PART_ROW && part != PART_ROW_I && part != PART_ROW_J && part != PART_COLUMN_J)
        return build_element(&head, of.first.row, of.first.column);
    tensor turned = tensor_transposed(&head), line = tensor_at(&head, of.first.row);
    return of.is_down ? tensor_at(&turned, of.first.column)
                      : tensor_range(&line, 0, of.first.column, of.count);
}

/* The tanh of each term, by the run's kernels. */
static tensor work_out_tanhs(builder *b, const trace_item *line, size_t count, bool is_quotient)
{
    tensor made =
        build_numbers_new(b, build_text(b, "tanh of %s", line->left), b->plan->type, 1, &count);
    if (made.data == NULL)
        return made;
    for (size_t p = 0; p < count; p++) {
        double x = tensor_get(&line->a, &p), y = tensor_get(&line->b, &p);
        tensor_set(&made, &p, is_quotient ? x / y : x + y);
        if (!is_quotient) /* a score by tanhs has a ba, be it of zeros */
            tensor_set(&made, &p, tensor_get(&made, &p) + tensor_get(&line->d, &p));
    }
    b->plan->with->cap(made.data, count, 1, made.data);
    return made;
}

/* In the head in focus, or the one of keys and values that it shares: the head's number among
 * those of the map. */
static size_t head_in_focus(const builder *b, const trace_map *map)
{
    return b->trace->focus.head * map->values.size[0] * map->slices / b->trace->heads;
}

/* Row and column of that head's own matrix. */
static map_cell cell_in_focus(const builder *b, const trace_map *map, size_t row, size_t column)
{
    size_t width = map->values.size[2] / map->slices, head = head_in_focus(b, map);
    return map->values.size[0] > 1 ? (map_cell){b->trace, map, head, row, column}
                                   : (map_cell){b->trace, map, 0, row, head * width + column};
}

trace_item *derivation_line(builder *b, const char *name, size_t row, size_t column)
{
    const trace_map *map = map_named(b->trace, name);
    if (map == NULL || b->failed) {
        b->spare_item.left = "";
        return &b->spare_item;
    }
    column = map->is_number ? 0 : column;
    map_cell at = cell_in_focus(b, map, row, column);
    writer letters = {.map = map, .cell = &at};
    /* "q[2,1]", "row_max[2]", "logits[cat]", and of the only number "total". */
    const char *left = map->id_name != NULL ? build_text(b, "%s[%s]", map->name, map->id_name)
                       : map->is_column     ? build_text(b, "%s[%zu]", map->name, row + 1)
                       : map->is_number
                           ? map->name
                           : build_text(b, "%s[%zu,%zu]", map->name, row + 1, column + 1);
    trace_item *line = build_line(b, map->op, left, spell(b, &letters));
    if (map->id_name != NULL)
        build_word(line, line->left, strlen(name) + 1, strlen(map->id_name));
    for (size_t i = 0; i < letters.words; i++)
        build_word(line, line->letters, letters.word[i].at, letters.word[i].bytes);
    tensor *const operand[] = {&line->a, &line->b, &line->c, &line->d};
    for (size_t i = 0; i < TRACE_OPERANDS; i++)
        *operand[i] = numbers_of(&at, &map->operand[i]);
    tensor of_head = tensor_at(&map->values, at.head);
    line->result = build_element(&of_head, row, at.column);
    line->room = at.room;
    line->map = map;
    memcpy(line->cell, (size_t[]){at.head, at.row, at.column}, sizeof line->cell);
    line->column = line->op == OP_PLUS && line->c.data != NULL ? column + 1 : 0;
    line->decimals = line->op == OP_ROUND ? b->plan->asked->round_decimals : 0;
    operation_inside inside = operation_of(line->op)->inside;
    operand_cells squared;
    if (inside == INSIDE_TANH_OF_QUOTIENT || inside == INSIDE_TANHS_OF_SUMS) {
        bool is_one = inside == INSIDE_TANH_OF_QUOTIENT;
        line->inner = work_out_tanhs(b, line, is_one ? 1 : line->a.size[0], is_one);
        if (is_one && line->inner.data != NULL)
            line->inner = tensor_at(&line->inner, 0);
    } else if (inside == INSIDE_MEAN_SQUARE) {
        derivation_operand(&at, &map->operand[1], &squared);
        line->inner = build_number(b, build_text(b, "mean square of %s", line->left),
                                   mean_square(&squared) + tensor_get(&line->c, NULL));
    }
    return line;
}

void derivation_line_of_head(builder *b, const char *name, size_t row, size_t column,
                             const char *in_head)
{
    trace_item *line = derivation_line(b, name, row, column);
    line->left = build_text(b, "%s%s", line->left, in_head);
}

void derivation_show(builder *b, const char *name, size_t row)
{
    derivation_row_formula(b, name, 'i');
    trace_item *line = derivation_line(b, name, row, 0);
    if (line->op == OP_NORMALIZE && line->inner.data != NULL && tensor_get(&line->inner, NULL) == 0)
        build_sentence(b, "There is no root to divide by: the result is zeros.");
}

void derivation_show_lines(builder *b, const char *name)
{
    derivation_formula(b, name, "");
    for (size_t j = 0; j < build_lines(b); j++)
        derivation_line(b, name, b->focus.row, j);
    build_rest(b);
}

/* ---- whole rows ---- */

/* " in head 2", of what is a head's. */
static const char *in_head(builder *b, const trace_map *map)
{
    return map->is_of_heads ? build_in_head(b, head_in_focus(b, map)) : "";
}

/* The map of this name, where it is a product and nothing is added. */
static const trace_map *product_named(const builder *b, const char *name)
{
    const trace_map *map = map_named(b->trace, name);
    bool is_one = map->op == OP_DOT && map->operand[2].part == PART_NONE;
    return is_one && !b->failed ? map : NULL;
}

/* So many rows of it, and of what they are made of. */
static void add_product(builder *b, const trace_map *map, size_t first, size_t count)
{
    const trace_origin *left = &map->operand[0], *right = &map->operand[1];
    size_t width = map->values.size[2] / map->slices;
    map_cell at = cell_in_focus(b, map, first, 0);
    operand_cells of_row, of_column;
    derivation_operand(&at, left, &of_row);
    derivation_operand(&at, right, &of_column);
    tensor rows = tensor_at(&left->map->values, of_row.first.head),
           matrix = tensor_at(&right->map->values, of_column.first.head),
           result = tensor_at(&map->values, at.head);
    bool is_turned = right->part == PART_ROW_J;
    rows = tensor_range(&rows, 1, of_row.first.column, of_row.count);
    rows = tensor_range(&rows, 0, of_row.first.row, count);
    matrix = tensor_range(&matrix, 1, of_column.first.column, is_turned ? of_column.count : width);
    result = tensor_range(&result, 1, at.column, width);
    result = tensor_range(&result, 0, first, count);
    const char *of_one = count == 1 ? build_text(b, "[%zu]", first + 1) : "";
    trace_item *item = build_item(b, TRACE_ROW_PRODUCT);
    item->left =
        build_text(b, "%s%s%s", left->name, of_one, map->is_of_heads ? in_head(b, left->map) : "");
    item->letters = build_text(b, "%s%s%s", right->name, is_turned ? "ᵀ" : "",
                               map->is_of_heads ? in_head(b, right->map) : "");
    item->text = build_text(b, "%s%s%s", map->name, of_one, in_head(b, map));
    item->a = count == 1 ? tensor_at(&rows, 0) : rows;
    item->b = is_turned ? tensor_transposed(&matrix) : matrix;
    item->result = count == 1 ? tensor_at(&result, 0) : result;
}

void derivation_product(builder *b, const char *name, size_t row)
{
    const trace_map *map = product_named(b, name);
    if (map == NULL)
        return;
    add_product(b, map, row, 1);
    derivation_whole_product(b, name);
}

void derivation_whole_product(builder *b, const char *name)
{
    const trace_map *map = product_named(b, name);
    if (map == NULL || !b->shows_all_rows || map->values.size[1] == 1)
        return;
    build_sentence(b, "All rows at once:")->leads = true;
    add_product(b, map, 0, map->operand[0].map->values.size[1]); /* without appended keys */
}

/* ---- matrices ---- */

void derivation_matrix(builder *b, const char *name, size_t focus)
{
    const trace_map *map = map_named(b->trace, name);
    if (map == NULL || b->failed)
        return;
    tensor only = tensor_at(&map->values, 0);
    if (map->is_apart)
        build_in_heads(b, map->name, &map->values, head_in_focus(b, map), map->rows, map->columns,
                       focus);
    else
        build_matrix(b, map->name, &only, map->rows, map->columns, focus)->has_ids =
            map->id_name != NULL;
}

void derivation_matrix_by_head(builder *b, const char *name, size_t focus)
{
    const trace_map *map = map_named(b->trace, name);
    if (b->failed)
        return;
    size_t width = map->values.size[2] / map->slices;
    tensor heads = map->values;
    if (map->slices > 1) {
        heads.size[0] = map->slices;
        heads.size[2] = width;
        heads.stride[0] = (ptrdiff_t)width * heads.stride[2];
    }
    build_in_heads(b, name, &heads, head_in_focus(b, map), map->rows, map->columns, focus);
}
