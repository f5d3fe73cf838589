#include "trace/derivation.h"

#include "attn/spec/spelling.h"
#include "kernels/logarithm.h"
#include "model/parts.h"
#include "trace/build.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- operands ---- */

map_cell derivation_cell(const operand_cells *of, size_t index)
{
    const size_t *size = of->map->values.size;
    size_t at = of->first + index * of->step;
    return (map_cell){of->room, of->map, at / (size[1] * size[2]), at / size[2] % size[1],
                      at % size[2]};
}

bool derivation_operand(const map_cell *made, const trace_origin *from, operand_cells *of)
{
    const trace_map *map = made->map;
    if (from->map == NULL)
        return false;
    trace_address at = trace_address_of(made->room, map, from);
    size_t width = map->values.size[2] / map->slices, column = made->column % width;
    size_t head = map->is_of_focus           ? made->room->focus.head
                  : map->values.size[0] == 1 ? made->column / width
                                             : made->head;
    if (made->row < at.first_row || made->row >= at.end_row || column < at.first_column ||
        column >= at.end_column)
        return false;
    if (at.pair != AXIS_J) {
        if (column < map->unpaired || column >= map->unpaired + map->paired)
            return false;
        map_pair pair = map_pair_of(map, column);
        column = at.pair == AXIS_PAIR ? pair.index : pair.partner;
    }
    ptrdiff_t first = at.base + (ptrdiff_t)(at.query * map->query + at.head * (head / at.group) +
                                            at.row * made->row + at.column * column);
    *of = (operand_cells){from->room, from->map, (size_t)first, at.count, at.step};
    return true;
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

/* Of the type, where a stage has such numbers; what a trace makes for itself is of float64. */
static double rounded(const trace_map *map, double number)
{
    return map->values.type == DTYPE_F32 ? (double)(float)number : number;
}

static double go_on(const trace_map *map, double a, double b, double sum)
{
    if (map->is_made)
        return sum + a * b;
    return map->values.type == DTYPE_F32 ? (double)fmaf((float)a, (float)b, (float)sum)
                                         : fma(a, b, sum);
}

/* Of a series, which goes on from a number. */
static double work_out_sum(const trace_map *map, const operand_cells of[TRACE_OPERANDS], double sum)
{
    for (size_t p = 0; p < of[0].count; p++) {
        double a = derivation_number(&of[0], p);
        switch (map->op) {
        case OP_DOT:
        case OP_DOT_BESIDE:
        case OP_DOT_LESS:
        case OP_GO_ON:
        case OP_NORM_SHARE:
            sum = go_on(map, a, derivation_number(&of[1], p), sum);
            break;
        case OP_LOSS_SQUARE:
            a -= derivation_number(&of[1], p);
            sum += a * a;
            break;
        case OP_SLOPE_BACK:
            sum += a * derivation_number(&of[1], p);
            break;
        case OP_SINK_BACK:
            sum += a / derivation_number(&of[1], p) * derivation_number(&of[2], p);
            break;
        case OP_ADD_UP:
            sum = rounded(map, sum + a);
            break;
        case OP_MIDDLE:
            sum += a - derivation_number(&of[1], 0);
            break;
        case OP_SHARES:
            sum += a / derivation_number(&of[1], 0);
            break;
        case OP_SHARE_BACK:
            sum += a * (derivation_number(&of[1], p) / derivation_number(&of[2], 0));
            break;
        default:
            sum += a;
        }
    }
    return sum;
}

static double inverse_of(double root)
{
    return root == 0 ? 0 : 1 / root;
}

/* tanh(own + other + shift), by the run's kernels. */
static double bent(const builder *b, const trace_map *map, double own, double other, double shift)
{
    double wide = rounded(map, rounded(map, own + other) + shift);
    float narrow = (float)wide;
    if (map->values.type == DTYPE_F64) {
        b->with->cap(&wide, 1, 1, &wide);
        return wide;
    }
    b->with->cap(&narrow, 1, 1, &narrow);
    return (double)narrow;
}

/* What the pairs of a cell give by their tanhs, added to a sum one after the other, as the run does
 * it: a pair whose score gains nothing gives nothing. */
static double add_pairs(const builder *b, const map_cell *made, double sum)
{
    const trace_map *map = made->map;
    operand_cells of[TRACE_OPERANDS];
    bool is_back = map->op == OP_TANH_BACK;
    for (size_t i = 0; i < TRACE_OPERANDS; i++)
        derivation_operand(made, &map->operand[i], &of[i]);
    double own = derivation_number(&of[2], 0), fourth = derivation_number(&of[3], 0),
           shift = is_back ? derivation_number(&of[4], 0) : fourth;
    for (size_t p = 0; p < of[0].count; p++) {
        double gain = derivation_number(&of[0], p);
        if (gain == 0)
            continue;
        double t = bent(b, map, own, derivation_number(&of[1], p), shift);
        sum = is_back ? rounded(map, sum + rounded(map, gain * fourth * (1 - t * t)))
                      : go_on(map, gain, t, sum);
    }
    return sum;
}

static double work_out_terms(const builder *b, const operand_cells *of)
{
    double sum = 0;
    for (size_t p = 0; p < of->count; p++) {
        map_cell term = derivation_cell(of, p);
        sum = add_pairs(b, &term, sum);
    }
    return sum;
}

static double work_out(const builder *b, const map_cell *made)
{
    const trace_map *map = made->map;
    operand_cells of[TRACE_OPERANDS];
    double first[TRACE_OPERANDS] = {0}, sum;
    bool has[TRACE_OPERANDS];
    for (size_t i = 0; i < TRACE_OPERANDS; i++) {
        has[i] = derivation_operand(made, &map->operand[i], &of[i]);
        first[i] = has[i] ? derivation_number(&of[i], 0) : 0;
    }
    switch (map->op) {
    case OP_COPY:
        return first[0];
    case OP_BESIDE:
        return has[0] ? first[0] : first[1];
    case OP_DOT:
    case OP_DOT_BESIDE:
        return (has[1] ? work_out_sum(map, of, 0) : first[3]) + first[2];
    case OP_PLUS:
        return first[0] + first[1];
    case OP_TIMES:
        return first[0] * first[1];
    case OP_ADD_THREE:
        return rounded(map, first[0] + first[1]) + first[2];
    case OP_GATHER:
        return 0 + (rounded(map, first[0] + first[1]) + first[2]);
    case OP_GO_ON:
        return work_out_sum(map, of, first[2]);
    case OP_MIDDLE:
        return first[1] + work_out_sum(map, of, 0) / (double)of[0].count;
    case OP_NORM_GAIN:
        return first[0] * (first[1] * inverse_of(first[2]));
    case OP_DIVIDE:
        return first[0] / first[1];
    case OP_MINUS:
    case OP_NORM_CENTER:
        return first[0] - first[1];
    case OP_MEAN:
        sum = work_out_sum(map, of, 0);
        return (sum + first[1]) / (double)(of[0].count + has[1]);
    case OP_NORMALIZE:
        sum = sqrt(mean_square(&of[1]) + first[2]);
        return sum == 0 ? 0 : first[0] / sum;
    case OP_ROOT:
        return sqrt(mean_square(&of[0]) + first[1]);
    case OP_NORM_SHARE:
        sum = inverse_of(first[2]);
        return sum == 0 ? 0 : work_out_sum(map, of, 0) / (double)of[0].count * (sum / first[2]);
    case OP_NORM_BACK:
        return (first[0] - first[1] * first[2]) * inverse_of(first[3]);
    case OP_ROW_LOSS:
        return (first[0] + logarithm(first[1]) - first[2]) * first[3];
    case OP_LOSS_MEAN:
        return work_out_sum(map, of, 0) / first[1];
    case OP_LOSS_SQUARE:
        return work_out_sum(map, of, 0) / 2;
    case OP_SLOPE_BACK:
    case OP_SINK_BACK:
        return 0 - work_out_sum(map, of, 0);
    case OP_TANH_BACK:
    case OP_TANH_SUM:
        return add_pairs(b, made, 0);
    case OP_TERMS:
        return work_out_terms(b, &of[0]);
    default:
        assert(map->op == OP_ADD_UP || map->op == OP_TOTAL || map->op == OP_SHARES ||
               map->op == OP_DOT_LESS || map->op == OP_SHARE_BACK);
        return work_out_sum(map, of, 0);
    }
}

void derivation_fill(builder *b, trace_map *map)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    if (b->failed)
        return;
    do
        tensor_set(&map->values, at, work_out(b, &(map_cell){b->room, map, at[0], at[1], at[2]}));
    while (tensor_next(&map->values, at));
}

/* ---- letters ---- */

static bool is_of_all_rows(trace_part part)
{
    return part.row == AXIS_ALL || part.row == AXIS_OWN;
}

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
    bool is_one = from->part.row == AXIS_I && from->part.column == AXIS_J &&
                  of->values.size[1] == 1 && w->map->values.size[1] > 1;
    if (of->row_letters != NULL && has_cells)
        text_add_string(w->out, of->row_names.item[w->cell->row]);
    else if (of->row_letters != NULL && w->row != 0)
        text_add_string(w->out, of->row_letters);
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
    trace_part part = from->part;
    bool is_own = part.row == AXIS_J || (is_of_all_rows(part) && w->map->values.size[0] > 1);
    bool is_alike = of->slices == w->map->slices && part.row == AXIS_I && part.column != AXIS_PAIR;
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

/* Whether a letter says which row, or column, is meant: none where all are, or the only one. A
 * whole row means all of its columns; of any element j is said. */
static bool has_letter(const writer *w, trace_axis axis, bool is_element)
{
    switch (axis) {
    case AXIS_I:
    case AXIS_QUERY:
    case AXIS_PAIR:
    case AXIS_LEARNED:
        return true;
    case AXIS_J:
    case AXIS_PARTNER:
    case AXIS_SHARED:
        return w->row == 0;
    default:
        return axis == AXIS_ALL && is_element;
    }
}

static void add_axis(writer *w, const trace_origin *from, trace_axis axis, bool is_element,
                     const operand_cells *cells)
{
    bool is_any = axis == AXIS_ALL || (axis == AXIS_J && is_element);
    if (axis == AXIS_I)
        add_row(w, from, cells != NULL);
    else if (axis == AXIS_QUERY)
        text_add_format(w->out, "%zu", w->map->query + 1);
    else if (axis == AXIS_LEARNED)
        text_add_format(w->out, "%zu", from->map->values.size[1] - from->room->run.appended + 1);
    else if (cells != NULL && from->part.row == axis && axis == AXIS_J)
        text_add_format(w->out, "%zu", derivation_cell(cells, 0).row + 1);
    else if (cells != NULL && !is_any) /* of a pair's other column too the number is its own */
        add_column(w, from, derivation_cell(cells, 0).column);
    else
        text_add_string(w->out, axis == AXIS_PAIR      ? "p"
                                : axis == AXIS_PARTNER ? "j′"
                                : axis == AXIS_SHARED  ? "s"
                                                       : "j");
}

/* "[i,j]": of a part, of its element j, or of the part where a whole row is meant. Rows that are
 * put one after the other are said by their names alone. */
static void add_place(writer *w, const trace_origin *from, bool is_element)
{
    trace_part part = from->part;
    bool has_row = has_letter(w, part.row, false),
         has_column = has_letter(w, part.column, is_element);
    operand_cells found;
    const operand_cells *cells = NULL;
    if (w->row != 0 && part.row == AXIS_J && part.column == AXIS_ALL)
        text_add_string(w->out, "ᵀ"); /* of a whole row: all rows, as columns */
    if (part.row == AXIS_ABOVE || part.row == AXIS_BELOW || !(has_row || has_column))
        return;
    if (has_operand(w, from, &found))
        cells = &found;
    text_add_string(w->out, "[");
    if (has_row)
        add_axis(w, from, part.row, false, cells);
    else if (is_of_all_rows(part))
        text_add_string(w->out, "·");
    if (has_column && (has_row || is_of_all_rows(part)))
        text_add_string(w->out, cells != NULL && from->map->row_letters != NULL ? ", " : ",");
    if (has_column)
        add_axis(w, from, part.column, is_element, cells);
    text_add_string(w->out, !part.is_of_heads                ? "]"
                            : from->map->follows.map != NULL ? "] of each expert"
                                                             : "] over the heads");
}

/* ---- what a spelling is in letters ---- */

static void spell_text(void *to, spelled words)
{
    for (const char *at = words.at; at < words.end; at++) {
        if (*at != '\n') /* letters are not broken */
            text_add(((writer *)to)->out, at, 1);
    }
}

/* The name of an operand and its place, where a cell is meant with its numbers. */
static void spell_place(void *to, spelled name)
{
    writer *w = to;
    bool is_element = *name.at == '*';
    if (*name.at == 'f') {
        text_add_string(w->out, w->map->function->named.name);
        return;
    }
    if (*name.at == 'j') {
        text_add_format(w->out, w->cell == NULL ? "j" : "%zu",
                        w->cell == NULL ? 0 : w->cell->column + 1);
        return;
    }
    const trace_origin *from = operand_of(w, name.at[*name.at == '(' || is_element]);
    if (from->map == NULL) /* of stages that a picture does not keep */
        return;
    text_add_string(w->out, from->name);
    if (!from->map->is_bare)
        add_place(w, from, is_element);
}

static bool spell_has(const void *to, char letter)
{
    const writer *w = to;
    const trace_origin *of = operand_of(w, letter);
    operand_cells cells;
    return w->cell == NULL ? of->map != NULL : has_operand(w, of, &cells);
}

static bool spell_is_first(const void *to)
{
    const writer *w = to;
    return map_pair_of(w->map, w->cell->column).is_first;
}

static void spell_series(void *to, const spelled_series *series);

static const spelling_reader LETTERS = {.text = spell_text,
                                        .place = spell_place,
                                        .series = spell_series,
                                        .has = spell_has,
                                        .is_first = spell_is_first};

static void spell_series(void *to, const spelled_series *series)
{
    spelling_read(&LETTERS, to, series->term);
}

/* Text that lives as long as the trace. */
static const char *spell(builder *b, writer *w)
{
    const operation_row *by = operation_of(w->map->op);
    bool is_of_pair = w->cell != NULL && strchr(by->spelled, '~') != NULL;
    text out = {0};
    w->out = &out;
    spelling_read(&LETTERS, w,
                  spelled_whole(by->letters == NULL || is_of_pair ? by->spelled : by->letters));
    const char *kept = build_text(b, "%s", text_string(&out));
    b->failed = b->failed || !text_ok(&out, b->e);
    text_free(&out);
    return kept;
}

void map_say_origins(builder *b, trace_map *m, operation op, const trace_origin of[TRACE_OPERANDS])
{
    memcpy(m->operand, of, sizeof m->operand);
    m->op = op;
    m->has_origin = of[0].map != NULL;
    m->letters = m->has_origin ? spell(b, &(writer){.map = m}) : NULL;
}

/* Whether its letters say i. */
static bool has_row_letter(const trace_map *map)
{
    bool has = false;
    for (size_t i = 0; i < TRACE_OPERANDS; i++) {
        trace_part part = map->operand[i].part;
        has = has || (map->operand[i].map != NULL && (part.row == AXIS_I || part.column == AXIS_I));
    }
    return has;
}

void derivation_formula(builder *b, const char *name, const char *more)
{
    const trace_map *map = map_named(b->room, name);
    if (b->failed)
        return;
    bool is_row = map->values.size[1] == 1 && !map->is_of_queries && !has_row_letter(map);
    build_formula(b, "%s%s = %s%s", name,
                  map->is_column ? "[i]"
                  : is_row       ? "[j]"
                                 : "[i,j]",
                  map->letters, more);
}

void derivation_row_formula(builder *b, const char *name, char index)
{
    const trace_map *map = map_named(b->room, name);
    if (map == NULL)
        return;
    const char *letters = spell(b, &(writer){.map = map, .row = index});
    if (map->id_name != NULL) /* of one row */
        build_formula(b, "%s = %s", name, letters);
    else
        build_formula(b, "%s[%c] = %s", name, index, letters);
}

/* ---- worked lines ---- */

/* The operand's numbers, where they are: a vector of those that are a series. */
static tensor numbers_of(const map_cell *cell, const trace_origin *from)
{
    operand_cells of;
    if (!derivation_operand(cell, from, &of))
        return (tensor){0};
    map_cell first = derivation_cell(&of, 0), next = derivation_cell(&of, 1);
    tensor numbers = tensor_at(&of.map->values, first.head), head = numbers;
    numbers = build_element(&numbers, first.row, first.column);
    trace_part part = from->part;
    bool is_row = part.column == AXIS_ALL || part.column == AXIS_WHOLE || part.column == AXIS_OWN;
    if (!is_of_all_rows(part) && !is_row && !part.is_of_heads)
        return numbers;
    numbers.rank = 1;
    numbers.size[0] = of.count;
    numbers.stride[0] = ((ptrdiff_t)next.head - (ptrdiff_t)first.head) * of.map->values.stride[0] +
                        ((ptrdiff_t)next.row - (ptrdiff_t)first.row) * head.stride[0] +
                        ((ptrdiff_t)next.column - (ptrdiff_t)first.column) * head.stride[1];
    return numbers;
}

/* The tanh of each term, by the run's kernels. */
static tensor work_out_tanhs(builder *b, const trace_item *line, size_t count, bool is_quotient)
{
    tensor made =
        build_numbers_new(b, build_text(b, "tanh of %s", line->left), line->a.type, 1, &count);
    if (made.data == NULL)
        return made;
    for (size_t p = 0; p < count; p++) {
        double x = tensor_get(&line->a, &p), y = tensor_get(&line->b, &p);
        tensor_set(&made, &p, is_quotient ? x / y : x + y);
        if (!is_quotient) /* a score by tanhs has a ba, be it of zeros */
            tensor_set(&made, &p, tensor_get(&made, &p) + tensor_get(&line->d, &p));
    }
    b->with->cap(made.data, count, 1, made.data);
    return made;
}

/* In the head in focus, or the one of keys and values that it shares: the head's number among
 * those of the map. */
static size_t head_in_focus(const builder *b, const trace_map *map)
{
    return b->room->focus.head * map->values.size[0] * map->slices / b->room->heads;
}

/* Row and column of that head's own matrix. */
static map_cell cell_in_focus(const builder *b, const trace_map *map, size_t row, size_t column)
{
    size_t width = map->values.size[2] / map->slices, head = head_in_focus(b, map);
    return map->values.size[0] > 1 ? (map_cell){b->room, map, head, row, column}
                                   : (map_cell){b->room, map, 0, row, head * width + column};
}

trace_item *derivation_line(builder *b, const char *name, size_t row, size_t column)
{
    const trace_map *map = map_named(b->room, name);
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
    tensor *const operand[] = {&line->a, &line->b, &line->c, &line->d, &line->e};
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
    const trace_map *map = map_named(b->room, name);
    bool is_one = !b->failed && map->op == OP_DOT && map->operand[2].map == NULL;
    return is_one ? map : NULL;
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
    map_cell in_rows = derivation_cell(&of_row, 0), in_matrix = derivation_cell(&of_column, 0);
    tensor rows = tensor_at(&left->map->values, in_rows.head),
           matrix = tensor_at(&right->map->values, in_matrix.head),
           result = tensor_at(&map->values, at.head);
    bool is_turned = right->part.row == AXIS_J;
    rows = tensor_range(&rows, 1, in_rows.column, of_row.count);
    rows = tensor_range(&rows, 0, in_rows.row, count);
    matrix = tensor_range(&matrix, 1, in_matrix.column, is_turned ? of_column.count : width);
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
    const trace_map *map = map_named(b->room, name);
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
    const trace_map *map = map_named(b->room, name);
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
