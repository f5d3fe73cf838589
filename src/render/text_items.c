#include "render/text_items.h"

#include "base/mem.h"
#include "render/brackets.h"
#include "render/display.h"
#include "render/expression.h"

#include <assert.h>
#include <string.h>

/* ---- what all parts share ---- */

enum { SENTENCE_INDENT = 2, PAGE_INDENT = 4, PAGE_NARROWEST = 40 };

static size_t page_width(const render_options *how)
{
    return how->width < PAGE_NARROWEST ? PAGE_NARROWEST : (size_t)how->width;
}

/* What is left after PAGE_INDENT. */
static size_t page_budget(const render_options *how)
{
    return page_width(how) - PAGE_INDENT;
}

static void page_indent(text *out)
{
    text_add_repeated(out, " ", PAGE_INDENT);
}

/* Bold or not from here on, where the terminal knows it: ECMA-48, SGR 1 and 0. */
static void page_bold(text *out, const render_options *how, bool is_bold)
{
    if (how->color)
        text_add_string(out, is_bold ? "\033[1m" : "\033[0m");
}

/* Says below a matrix what of it is not shown, and how to see it. */
static void page_add_left_out(text *out, const selection *rows, const selection *columns,
                              const render_options *how)
{
    text note = {0};
    selection_add_left_out(&note, rows, columns);
    display_add_wrapped(out, text_string(&note), PAGE_INDENT, page_width(how));
    text_close(&note, out);
}

/* ---- matrices and sums ---- */

/* Each row after its label, which takes `label_width` columns, and what stands between rows. */
static void add_rows(text *out, const trace_item *item, const render_options *how,
                     const brackets *b, size_t label_width)
{
    const selection *rows = &b->from->rows;
    for (size_t slot = 0; slot < selection_count(rows); slot++) {
        size_t row = selection_at(rows, slot);
        bool is_focus = row + 1 == item->focus;
        if (row == SELECTION_GAP) {
            page_indent(out);
            text_add_string(out, "…\n");
            continue;
        }
        /* The arrow stands in the indent, so that rows begin in one column with and without it. */
        text_add_repeated(out, " ", PAGE_INDENT - 2);
        if (is_focus)
            page_bold(out, how, true);
        text_add_string(out, is_focus ? "→ " : "  ");
        if (label_width > 0) {
            size_t columns = label_add(out, &item->rows, row);
            text_add_repeated(out, " ", label_width - columns);
        }
        if (item->kind == TRACE_STACK)
            text_add_string(out, slot == 0 ? "    " : "  + ");
        else
            text_add_string(out, label_width > 0 ? "  " : "");
        brackets_add_row(out, b, &b->from->matrix, row);
        if (is_focus)
            page_bold(out, how, false);
        display_end_line(out);
    }
}

void rows_text_add(text *out, const trace_item *item, const render_options *how)
{
    column_source from = column_source_of(item, how);
    brackets b = {0};
    bool is_sum = item->kind == TRACE_STACK;
    size_t sum = is_sum ? display_columns(item->text, strlen(item->text)) : 0;
    size_t label_width = is_sum ? sum : from.row_labels != NULL; /* of … */
    for (size_t slot = 0; from.row_labels != NULL && slot < selection_count(&from.rows); slot++) {
        size_t row = selection_at(&from.rows, slot);
        if (row != SELECTION_GAP)
            label_width = size_larger(label_width, label_columns(&item->rows, row));
    }
    size_t after_label = is_sum ? strlen("  + ") : label_width > 0 ? strlen("  ") : 0;
    size_t left = label_width + after_label;
    /* In parts where all columns don't fit. */
    while (brackets_next(&b, &from, page_budget(how) - left, how->is_full)) {
        brackets_add_part(out, &b, PAGE_INDENT);
        if (from.labels != NULL) {
            text_add_repeated(out, " ", PAGE_INDENT + left);
            brackets_add_labels(out, &b);
            display_end_line(out);
        }
        add_rows(out, item, how, &b, label_width);
        if (is_sum) {
            text_add_repeated(out, " ", PAGE_INDENT + label_width + 2);
            text_add_repeated(out, "-", brackets_columns(&b) + after_label - 2);
            display_end_line(out);
            page_indent(out);
            display_add_string(out, item->text);
            text_add_repeated(out, " ", label_width - sum);
            text_add_string(out, "  = ");
            brackets_add_row(out, &b, &from.also, 0);
            display_end_line(out);
        }
    }
    page_add_left_out(out, &from.rows, &b.columns, how);
}

void matrix_text_add(text *out, const trace_item *item, const render_options *how)
{
    page_indent(out);
    display_add_string(out, item->text);
    matrix_add_shape(out, &item->a);
    display_end_line(out);
    rows_text_add(out, item, how);
}

/* ---- products ---- */

/* One of a product's three matrices. Line 0 is above all numbers; a name is on the line above the
 * first row. */
typedef struct box {
    const char *name;
    column_source source;
    brackets shown;
    size_t width, first_line;
} box;

/* Side by side, or broken before the equals sign. */
typedef struct product {
    box row, matrix, result; /* a row, or several at once */
    bool is_broken;
} product;

enum {
    SIGN_COLUMNS = 5,   /* "  ×  " */
    BROKEN_COLUMNS = 3, /* "=  " */
    NARROWEST = 6,      /* "0, " in the matrix and in the result, for each of their columns */
    FEWEST = 2,         /* columns that stay at any width: the first, … and the last */
    FEW = 3             /* no side gets fewer while the other one has more */
};
static const size_t WHOLE = SIZE_MAX; /* as many as there are */

/* ---- what fits ---- */

static size_t box_measure(box *b, const selection *columns)
{
    brackets_measure(&b->shown, &b->source, columns);
    size_t name = display_columns(b->name, strlen(b->name)), numbers = brackets_columns(&b->shown);
    return b->width = name > numbers ? name : numbers;
}

/* The row's columns are the matrix's rows, and the matrix's columns the result's: they are left
 * out together. */
static size_t product_measure(product *p, const selection *inner, const selection *outer)
{
    p->matrix.source.rows = *inner;
    size_t left = box_measure(&p->row, inner) + SIGN_COLUMNS + box_measure(&p->matrix, outer);
    size_t right = box_measure(&p->result, outer);
    return p->is_broken ? size_larger(left, BROKEN_COLUMNS + right) : left + SIGN_COLUMNS + right;
}

/* Takes columns from the wider side until the three fit; false if `least` of each are left and
 * still too many. WHOLE leaves out nothing except rows of a long matrix. */
static bool product_fits(product *p, bool is_broken, const render_options *how, size_t least)
{
    size_t n = p->row.source.matrix.size[1], m = p->result.source.matrix.size[1];
    size_t budget = page_budget(how);
    size_t most = budget / NARROWEST < BRACKETS_MOST ? budget / NARROWEST : BRACKETS_MOST - 1;
    selection inner = selection_of_rows(n, 0, how->is_full);
    size_t inner_shown = inner.front + inner.back;
    size_t outer_shown = m < most || least == WHOLE ? m : most;
    selection outer = selection_of_ends(m, outer_shown);
    p->is_broken = is_broken;
    if (least == WHOLE && size_larger(n, m) > BRACKETS_MOST)
        return false;
    while (product_measure(p, &inner, &outer) > budget) {
        if (inner_shown <= least && outer_shown <= least)
            return false;
        size_t fewest = inner_shown > FEW || outer_shown > FEW ? FEW : least;
        size_t right = p->is_broken ? size_larger(p->matrix.width, p->result.width)
                                    : p->matrix.width + p->result.width;
        bool row_is_wider = p->row.width > right;
        if (outer_shown <= fewest || (row_is_wider && inner_shown > fewest))
            inner = selection_of_ends(n, --inner_shown);
        else
            outer = selection_of_ends(m, --outer_shown);
    }
    return true;
}

/* ---- drawing ---- */

/* What a box shows on a line, filled up to its width. */
static void box_add_line(text *out, const box *b, size_t line)
{
    size_t columns = 0, slot = line - b->first_line;
    if (line + 1 == b->first_line) {
        display_add_string(out, b->name);
        columns = display_columns(b->name, strlen(b->name));
    } else if (line >= b->first_line && slot < selection_count(&b->source.rows)) {
        size_t row = selection_at(&b->source.rows, slot);
        columns = row == SELECTION_GAP ? 1 : brackets_columns(&b->shown);
        if (row == SELECTION_GAP)
            text_add_string(out, "…");
        else
            brackets_add_row(out, &b->shown, &b->source.matrix, row);
    }
    text_add_repeated(out, " ", b->width - columns);
}

/* Boxes side by side, with their signs before them in the middle line. */
static void add_boxes(text *out, const box *const boxes[], const char *const signs[], size_t count,
                      size_t lines)
{
    for (size_t line = 0; line < lines; line++) {
        page_indent(out);
        for (size_t i = 0; i < count; i++) {
            size_t columns = display_columns(signs[i], strlen(signs[i]));
            if (line == lines / 2)
                text_add_string(out, signs[i]);
            else
                text_add_repeated(out, " ", columns);
            box_add_line(out, boxes[i], line);
        }
        display_end_line(out);
    }
}

static box box_of(const char *name, const tensor *numbers, const render_options *how)
{
    box b = {.name = name};
    b.source = (column_source){.matrix = matrix_of(numbers), .digits = how->digits};
    b.source.rows = selection_all(b.source.matrix.size[0]);
    return b;
}

void product_text_add(text *out, const trace_item *item, const render_options *how)
{
    product p = {.row = box_of(item->left, &item->a, how),
                 .matrix = box_of(item->letters, &item->b, how),
                 .result = box_of(item->text, &item->result, how)};
    /* Numbers are left out where breaking the line is not enough, and a line is broken before one
     * side is left with hardly any. */
    bool fits = product_fits(&p, false, how, WHOLE) || product_fits(&p, true, how, WHOLE) ||
                (!how->is_full &&
                 (product_fits(&p, false, how, FEW) || product_fits(&p, true, how, FEWEST)));
    const box *const boxes[] = {&p.row, &p.matrix, &p.result};
    /* Too wide to stand side by side: one below the other. */
    const tensor *parts[] = {&item->a, &item->b, &item->result};
    for (size_t i = 0; i < 3 && !fits; i++) {
        text name = {0};
        text_add_format(&name, "%s%s", i == 0 ? "" : i == 1 ? "× " : "= ", boxes[i]->name);
        trace_item part = {.kind = TRACE_MATRIX, .text = text_string(&name), .a = *parts[i]};
        text_add_string(out, i > 0 ? "\n" : "");
        matrix_text_add(out, &part, how);
        text_close(&name, out);
    }
    if (!fits)
        return;
    size_t inner = selection_count(&p.matrix.source.rows),
           outer = selection_count(&p.row.source.rows), tallest = size_larger(inner, outer);
    p.matrix.first_line = 1 + (tallest - inner) / 2;
    p.row.first_line = p.result.first_line = 1 + (tallest - outer) / 2;
    add_boxes(out, boxes, (const char *const[]){"", "  ×  ", "  =  "}, p.is_broken ? 2 : 3,
              1 + tallest);
    if (p.is_broken) {
        p.result.first_line = 1;
        text_add_string(out, "\n");
        add_boxes(out, &boxes[2], (const char *const[]){"=  "}, 1, 1 + outer);
    }
    page_add_left_out(out, &p.matrix.source.rows, &p.matrix.shown.columns, how);
}

/* ---- tables of words ---- */

static const size_t BETWEEN = 3; /* of two columns */

bool table_text_is_right(const text_list *cells, size_t columns, size_t column)
{
    size_t at = columns + column;
    for (; at < cells->count; at += columns) {
        const char *word = cells->item[at];
        if (*word == '\0' || word[strspn(word, "0123456789.-+e")] != '\0')
            return false;
    }
    return cells->count > columns;
}

/* A row takes as many lines as its longest cell. */
static void add_table_row(text *out, char *const *cells, size_t columns, const size_t *width,
                          const bool *is_right)
{
    const char *rest[TABLE_MOST];
    for (size_t column = 0; column < columns; column++)
        rest[column] = cells[column];
    for (bool has_more = true; has_more;) {
        has_more = false;
        page_indent(out);
        for (size_t column = 0; column < columns; column++) {
            size_t skip, length = display_line(rest[column], width[column], &skip);
            size_t used = display_columns(rest[column], length);
            size_t space = width[column] > used ? width[column] - used : 0;
            text_add_repeated(out, " ", column > 0 ? BETWEEN : 0);
            text_add_repeated(out, " ", is_right[column] ? space : 0);
            display_add(out, rest[column], length);
            text_add_repeated(out, " ", is_right[column] ? 0 : space);
            rest[column] += length + skip;
            has_more = has_more || *rest[column] != '\0';
        }
        display_end_line(out);
    }
}

void table_text_add(text *out, const trace_item *item, const render_options *how)
{
    const text_list *cells = &item->cells;
    size_t columns = item->columns_count, width[TABLE_MOST] = {0};
    bool is_right[TABLE_MOST]; /* numbers stand to the right */
    assert(columns > 0 && columns <= TABLE_MOST);
    for (size_t column = 0; column < columns; column++)
        is_right[column] = table_text_is_right(cells, columns, column);
    for (size_t i = 0; i < cells->count; i++) {
        size_t used = display_columns(cells->item[i], strlen(cells->item[i]));
        width[i % columns] = size_larger(width[i % columns], used);
    }
    /* Makes the widest column narrower, again and again until the table fits. */
    for (;;) {
        size_t total = (columns - 1) * BETWEEN, widest = 0;
        for (size_t column = 0; column < columns; column++) {
            total += width[column];
            if (width[column] > width[widest])
                widest = column;
        }
        if (total <= page_budget(how))
            break;
        width[widest]--;
    }
    for (size_t i = 0; i < cells->count; i += columns) {
        add_table_row(out, cells->item + i, columns, width, is_right);
        if (i > 0)
            continue;
        page_indent(out);
        for (size_t column = 0; column < columns; column++) {
            text_add_repeated(out, " ", column > 0 ? BETWEEN : 0);
            text_add_repeated(out, "─", width[column]);
        }
        display_end_line(out);
    }
}

/* ---- worked lines ---- */

/* Appends a part that begins at a column, broken where its next piece would pass `width`; lines go
 * on at the same column. */
static void add_broken(text *out, const text *part, size_t begin, size_t width)
{
    size_t column = begin;
    for (const char *piece = text_string(part); *piece != '\0';) {
        size_t length = strcspn(piece, "\n"), columns = display_columns(piece, length);
        if (column + columns > width && column > begin) {
            display_end_line(out);
            text_add_repeated(out, " ", begin);
            column = begin;
            size_t space = *piece == ' ';
            piece += space;
            length -= space;
            columns -= space;
        }
        text_add(out, piece, length);
        column += columns;
        piece += length + (piece[length] != '\0');
    }
}

/* Without its breaks, each of which display_columns counts as a control character. */
static size_t columns_of(const text *part)
{
    size_t columns = display_columns(text_string(part), part->length);
    for (size_t i = 0; i < part->length; i++)
        columns -= part->data[i] == MATH_BREAK;
    return columns;
}

/* The column at which the numbers begin, here and in the lines below: after the first equals
 * sign, where that is not too far to the right for a term. */
static size_t numbers_column(const worked_line *l, const trace_item *item, size_t width)
{
    size_t column = PAGE_INDENT, widest = 0;
    if (item->letters == NULL)
        column += columns_of(&l->head) + strlen(l->before);
    else
        column += display_columns(item->left, strlen(item->left)) + 3;
    /* No line begins with a term's space. */
    for (const char *piece = text_string(&l->expression); *piece != '\0';) {
        size_t length = strcspn(piece, "\n"), space = *piece == ' ';
        widest = size_larger(widest, display_columns(piece + space, length - space));
        piece += length + (piece[length] != '\0');
    }
    return column > width / 2 || column + widest > width ? PAGE_INDENT + 4 : column;
}

/* Before what follows: in a line of its own, in the column before the numbers, where these have
 * one. */
static void add_sign(text *out, const char *sign, size_t numbers)
{
    if (numbers > 0) {
        display_end_line(out);
        text_add_repeated(out, " ", numbers - 2);
        sign++;
    }
    text_add_string(out, sign);
}

/* On one line, or the letters, the numbers and the result below each other, their signs in one
 * column. */
void line_text_add(text *out, const trace_item *item, const render_options *how)
{
    worked_line l = worked_line_of(item, how);
    size_t width = page_width(how);
    size_t head_end = PAGE_INDENT + columns_of(&l.head) + strlen(l.before);
    size_t columns = head_end + columns_of(&l.expression) + 3 + columns_of(&l.result);
    if (l.inner.length > 0)
        columns += columns_of(&l.inner) + 3;
    bool is_one = columns <= width;
    size_t numbers = is_one ? 0 : numbers_column(&l, item, width);
    const char *head = text_string(&l.head);
    page_indent(out);
    for (size_t begin = PAGE_INDENT; *head != '\0'; begin = numbers) {
        size_t skip, length = display_line(head, width - begin, &skip);
        text_add(out, head, length);
        head += length + skip;
        if (*head != '\0') {
            display_end_line(out);
            text_add_repeated(out, " ", numbers);
        }
    }
    if (is_one || head_end == numbers)
        text_add_string(out, l.before);
    else
        add_sign(out, l.expression.length > 0 ? " = " : l.sign, numbers);
    add_broken(out, &l.expression, numbers, width);
    if (l.inner.length > 0) {
        add_sign(out, " = ", numbers);
        add_broken(out, &l.inner, numbers, width);
    }
    if (is_one || l.expression.length > 0)
        add_sign(out, l.sign, numbers);
    add_broken(out, &l.result, numbers, width);
    display_end_line(out);
    worked_line_free(&l, out);
}

/* ---- the page ---- */

static void words_add(text *out, const trace_item *item, const render_options *how)
{
    size_t indent = item->kind == TRACE_SENTENCE ? SENTENCE_INDENT : PAGE_INDENT;
    display_add_wrapped(out, item->text, indent, page_width(how));
}

static void (*const ADD_ITEM[])(text *out, const trace_item *item, const render_options *how) = {
    [TRACE_SENTENCE] = words_add,   [TRACE_FORMULA] = words_add,
    [TRACE_LINE] = line_text_add,   [TRACE_ROW_PRODUCT] = product_text_add,
    [TRACE_STACK] = rows_text_add,  [TRACE_MATRIX] = matrix_text_add,
    [TRACE_TABLE] = table_text_add,
};

bool text_render(const trace *t, const render_options *how, sink *to, err *e)
{
    text *out = sink_text(to), title = render_title(t, how->source), notes = {0};
    size_t parts = 0;       /* title, notes and steps so far */
    if (title.length > 0) { /* underlined */
        size_t columns = display_columns(text_string(&title), title.length);
        size_t most = page_width(how);
        parts++;
        page_bold(out, how, true);
        display_add_wrapped(out, text_string(&title), 0, most);
        text_add_repeated(out, "═", columns < most ? columns : most);
        page_bold(out, how, false);
        display_end_line(out);
    }
    text_close(&title, out);
    if (t->notes != NULL) {
        display_add_lines(&notes, t->notes);
        text_add_string(out, parts++ > 0 ? "\n" : "");
        display_add_wrapped(out, text_string(&notes), 0, page_width(how));
        text_close(&notes, out);
    }
    for (size_t i = 0; i < t->steps; i++) {
        const trace_step *step = t->step[i];
        text heading = {0};
        text_add_format(&heading, "%zu. %s ", i + 1, step->name);
        text_add_string(out, parts++ > 0 ? "\n" : "");
        page_bold(out, how, true);
        text_add_string(out, text_string(&heading));
        text_add_repeated(out, "─", page_width(how) - heading.length);
        page_bold(out, how, false);
        display_end_line(out);
        text_close(&heading, out);
        for (size_t j = 0; j < step->count; j++) {
            /* Lines that belong together stay together: sentences, and formulas with their worked
             * lines. */
            const trace_item *item = &step->item[j];
            trace_kind kind = item->kind, before = j > 0 ? item[-1].kind : TRACE_TABLE;
            bool is_worked =
                kind == TRACE_LINE && (before == TRACE_FORMULA || before == TRACE_LINE);
            bool is_alike = kind == before && (kind == TRACE_SENTENCE || kind == TRACE_FORMULA);
            text_add_string(out, is_worked || is_alike ? "" : "\n");
            ADD_ITEM[kind](out, item, how);
            if (!sink_spill(to, e))
                return false;
        }
    }
    return sink_spill(to, e);
}
