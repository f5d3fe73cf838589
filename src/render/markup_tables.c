/* Matrices, sums and tables of words, as tables with a heading; and products, as mathematics. */
#include "base/mem.h"
#include "render/number_text.h"
#include "render/display.h"
#include "render/markup.h"
#include "render/text_items.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_math(const markup_page *p, const char *formula)
{
    math_add(p->out, formula, strlen(formula), p->marks->math_words);
}

/* ---- one matrix ---- */

/* One matrix being written, as much of it as fits side by side: the slots from `first` to before
 * `end` of its columns. */
typedef struct grid {
    const markup_page *page;
    column_source from;
    const trace_labels *row_labels, *column_labels; /* NULL: none */
    selection columns;
    size_t first, end, focus;
    text aligns;         /* of the part's columns */
    number_width *width; /* of each slot of `columns` */
} grid;

/* ---- cells ---- */

static void add_strong(const markup_page *p, const char *words)
{
    text_add_string(p->out, p->marks->strong_before);
    p->marks->add_words(p->out, words);
    text_add_string(p->out, p->marks->strong_after);
}

/* Or the … of those that are left out. */
static void add_label(const grid *g, const trace_labels *labels, size_t index, bool is_strong)
{
    text label = {0};
    if (index == SELECTION_GAP)
        text_add_string(&label, "…");
    else
        label_add(&label, labels, index);
    if (is_strong)
        add_strong(g->page, text_string(&label));
    else
        g->page->marks->add_words(g->page->out, text_string(&label));
    text_close(&label, g->page->out);
}

static void add_between(const grid *g, bool is_first)
{
    const markup *marks = g->page->marks;
    text_add_string(g->page->out, is_first ? marks->row_before : marks->cell_between);
}

static void add_numbers(const grid *g, const tensor *from, size_t row)
{
    const markup *marks = g->page->marks;
    text *out = g->page->out;
    for (size_t slot = g->first; slot < g->end; slot++) {
        size_t column = selection_at(&g->columns, slot);
        text number = {0};
        add_between(g, slot == g->first && g->row_labels == NULL);
        if (row == SELECTION_GAP || column == SELECTION_GAP) {
            marks->add_words(out, "…");
            continue;
        }
        double value = matrix_at(from, row, column);
        number_text_add_aligned(&number, value, g->page->how->digits, &g->width[slot]);
        const char *written = text_string(&number) + strspn(text_string(&number), " ");
        text_add_string(out, marks->number_before);
        if (marks->number_before[0] != '\0')
            add_math(g->page, written);
        else if (isinf(value))
            text_add_string(out, value < 0 ? "−∞" : "∞");
        else
            text_add_string(out, written);
        text_add_string(out, marks->number_after);
        text_close(&number, out);
    }
    text_add_string(out, marks->row_after);
}

/* A heading, the rows, and the row below a sum's line. */
static void add_part(grid *g, const char *sum)
{
    const markup *marks = g->page->marks;
    text *out = g->page->out;
    text_clear(&g->aligns);
    text_add_repeated(&g->aligns, "l", g->row_labels != NULL);
    text_add_repeated(&g->aligns, "r", g->end - g->first);
    marks->table_begin(out, text_string(&g->aligns));
    if (g->column_labels != NULL || !marks->has_rule_anywhere) {
        if (g->row_labels != NULL)
            add_between(g, true);
        for (size_t slot = g->first; slot < g->end; slot++) {
            size_t column = selection_at(&g->columns, slot);
            add_between(g, slot == g->first && g->row_labels == NULL);
            if (column == SELECTION_GAP || g->column_labels != NULL)
                add_label(g, g->column_labels, column, false);
        }
        text_add_string(out, marks->row_after);
        marks->rule(out, text_string(&g->aligns));
    }
    for (size_t slot = 0; slot < selection_count(&g->from.rows); slot++) {
        size_t row = selection_at(&g->from.rows, slot);
        if (g->row_labels != NULL) {
            add_between(g, true);
            add_label(g, g->row_labels, row, row != SELECTION_GAP && row + 1 == g->focus);
        }
        add_numbers(g, &g->from.matrix, row);
    }
    if (sum != NULL) {
        if (marks->has_rule_anywhere)
            marks->rule(out, text_string(&g->aligns));
        add_between(g, true);
        add_strong(g->page, sum);
        add_numbers(g, &g->from.also, 0);
    }
    text_add_string(out, marks->table_after);
}

/* ---- parts that fit ---- */

static const size_t BETWEEN = 3; /* of two columns, in characters */

static size_t label_characters(const grid *g, const trace_labels *labels, size_t index)
{
    text label = {0};
    label_add(&label, labels, index);
    size_t characters = g->page->marks->characters(text_string(&label));
    text_close(&label, g->page->out);
    return characters;
}

static void add_part_name(const grid *g)
{
    text words = {0};
    size_t first = selection_at(&g->columns, g->first),
           last = selection_at(&g->columns, g->end - 1);
    if (g->end - g->first == selection_count(&g->columns) || first == SELECTION_GAP ||
        last == SELECTION_GAP)
        return;
    selection_add_part(&words, g->columns.has_ids, first, last + 1, g->columns.total);
    g->page->marks->add_words(g->page->out, text_string(&words));
    text_add_string(g->page->out, "\n\n");
    text_close(&words, g->page->out);
}

static void add_grid(grid *g, const char *sum)
{
    text *out = g->page->out;
    err e = {0};
    bool is_full = g->page->how->is_full;
    g->from.rows = selection_of_rows(g->from.matrix.size[0], g->focus, is_full);
    g->columns = selection_of_rows(g->from.matrix.size[1], 0, is_full);
    g->columns.has_ids = g->from.has_ids;
    size_t count = selection_count(&g->columns), most = g->page->marks->most_characters, labels = 0;
    g->width = mem_alloc_zeroed(count, sizeof g->width[0], &e);
    if (g->width == NULL) {
        out->failed = true;
        return;
    }
    for (size_t slot = 0; slot < count; slot++) {
        size_t column = selection_at(&g->columns, slot);
        if (column != SELECTION_GAP)
            g->width[slot] = column_number_width(&g->from, column);
    }
    bool has_labels = most > 0 && g->row_labels != NULL;
    for (size_t slot = 0; has_labels && slot < selection_count(&g->from.rows); slot++) {
        size_t row = selection_at(&g->from.rows, slot);
        size_t label = row == SELECTION_GAP ? 1 : label_characters(g, g->row_labels, row);
        labels = size_larger(labels, label);
    }
    for (; g->end < count; g->first = g->end) {
        if (most == 0)
            g->end = count;
        /* One column at least, and as many as fit. */
        for (size_t used = labels; g->end < count; g->end++) {
            size_t column = selection_at(&g->columns, g->end), label = 0;
            if (g->column_labels != NULL && column != SELECTION_GAP)
                label = label_characters(g, g->column_labels, column);
            used += BETWEEN + size_larger(label, number_width_columns(&g->width[g->end]));
            if (used > most && g->end > g->first)
                break;
        }
        add_part_name(g);
        add_part(g, sum);
    }
    text_close(&g->aligns, out);
    mem_free(g->width);
    markup_add_left_out(g->page, &g->from.rows, &g->columns);
}

void markup_add_matrix(const markup_page *p, const trace_item *item)
{
    char shape[64] = "";
    const tensor *a = &item->a;
    grid g = {.page = p, .focus = item->focus};
    g.from =
        (column_source){.matrix = matrix_of(a), .digits = p->how->digits, .has_ids = item->has_ids};
    if (a->rank == 2)
        g.row_labels = labels_that_say(&item->rows, g.from.matrix.size[0]);
    g.column_labels = labels_that_say(&item->columns, g.from.matrix.size[1]);
    if (a->rank == 2)
        snprintf(shape, sizeof shape, " (%zu × %zu)", a->size[0], a->size[1]);
    else if (a->rank == 1)
        snprintf(shape, sizeof shape, " (%zu long)", a->size[0]);
    add_strong(p, item->text == NULL ? "" : item->text);
    p->marks->add_words(p->out, shape);
    text_add_string(p->out, "\n\n");
    add_grid(&g, NULL);
}

void markup_add_stack(const markup_page *p, const trace_item *item)
{
    grid g = {.page = p, .row_labels = &item->rows};
    g.from = (column_source){
        .matrix = matrix_of(&item->a), .also = matrix_of(&item->result), .digits = p->how->digits};
    add_grid(&g, item->text);
}

/* ---- a table of words ---- */

void markup_add_table(const markup_page *p, const trace_item *item)
{
    char aligns[TABLE_MOST + 1] = "";
    size_t columns = item->columns_count;
    for (size_t column = 0; column < columns; column++)
        aligns[column] = table_text_is_right(&item->cells, columns, column) ? 'r' : 'l';
    p->marks->table_begin(p->out, aligns);
    for (size_t i = 0; i < item->cells.count; i++) {
        const char *words = item->cells.item[i];
        bool is_math = i >= columns && *words != '\0' && item->columns_hold[i % columns] == 'm';
        text_add_string(p->out, i % columns == 0 ? p->marks->row_before : p->marks->cell_between);
        if (is_math && !math_is_words(words)) {
            text_add_string(p->out, p->marks->inline_before);
            add_math(p, words);
            text_add_string(p->out, p->marks->inline_after);
        } else
            p->marks->add_words(p->out, words);
        if (i % columns == columns - 1)
            text_add_string(p->out, p->marks->row_after);
        if (i == columns - 1)
            p->marks->rule(p->out, aligns);
    }
    text_add_string(p->out, p->marks->table_after);
}

/* ---- products ---- */

/* Of a row, or of several, and a matrix: on one line where that fits a page, else each of the three
 * on its own, without the columns that have no room there. */

/* Columns that are read at one look, characters that fit a page (a digit is a character), what
 * stands between two matrices, and the columns that stay whatever they take. */
enum { MOST_COLUMNS = 8, WIDEST_PAGE = 84, SIGN_COLUMNS = 4, FEWEST = 2 };

typedef struct product {
    tensor a, b, result;
    selection inner, outer; /* the columns of a, which are the rows of b; and those of the others */
    bool is_on_one_line;
} product;

static selection shown(size_t total, const render_options *how)
{
    return how->is_full || total <= MOST_COLUMNS ? selection_all(total)
                                                 : selection_of_ends(total, MOST_COLUMNS - 1);
}

/* In characters; what is wider than any page can't be measured. */
static size_t width_of(const tensor *matrix, const selection *rows, const selection *columns,
                       const render_options *how)
{
    column_source from = {.matrix = *matrix, .digits = how->digits, .rows = *rows};
    brackets b = {0};
    if (selection_count(columns) > BRACKETS_MOST)
        return SIZE_MAX / 4;
    brackets_measure(&b, &from, columns);
    return brackets_columns(&b);
}

typedef struct widths {
    size_t row, matrix, result;
} widths;

static widths measure(const product *p, const render_options *how)
{
    selection rows = selection_all(p->a.size[0]);
    return (widths){width_of(&p->a, &rows, &p->inner, how),
                    width_of(&p->b, &p->inner, &p->outer, how),
                    width_of(&p->result, &rows, &p->outer, how)};
}

/* Takes a column away where there is one to take. */
static bool shorten(selection *s)
{
    size_t left = s->front + s->back;
    if (left <= FEWEST)
        return false;
    *s = selection_of_ends(s->total, left - 1);
    return true;
}

/* Where the three don't fit on one line, each has one, and shows as many columns as fit there. */
static product product_of(const trace_item *item, const render_options *how)
{
    product p = {
        .a = matrix_of(&item->a), .b = matrix_of(&item->b), .result = matrix_of(&item->result)};
    p.inner = shown(p.b.size[0], how);
    p.outer = shown(p.b.size[1], how);
    widths w = measure(&p, how);
    size_t names = display_columns(item->left, strlen(item->left)) +
                   display_columns(item->letters, strlen(item->letters)) + SIGN_COLUMNS;
    size_t left = size_larger(names, w.row + SIGN_COLUMNS + w.matrix);
    p.is_on_one_line = left + SIGN_COLUMNS + w.result <= WIDEST_PAGE;
    for (bool is_shorter = !p.is_on_one_line && !how->is_full; is_shorter;) {
        is_shorter =
            (w.row > WIDEST_PAGE && shorten(&p.inner)) ||
            (size_larger(w.matrix, w.result) + SIGN_COLUMNS > WIDEST_PAGE && shorten(&p.outer));
        w = measure(&p, how);
    }
    return p;
}

static void add_brackets(const markup_page *p, const tensor *matrix, const selection *rows,
                         const selection *columns)
{
    text_add_string(p->out, "\\begin{bmatrix} ");
    for (size_t i = 0; i < selection_count(rows); i++) {
        size_t row = selection_at(rows, i);
        text_add_string(p->out, i > 0 ? " \\\\ " : "");
        for (size_t j = 0; j < selection_count(columns); j++) {
            size_t column = selection_at(columns, j);
            text number = {0};
            text_add_string(p->out, j > 0 ? " & " : "");
            if (row == SELECTION_GAP || column == SELECTION_GAP) {
                text_add_string(p->out, row == column          ? "\\ddots"
                                        : row == SELECTION_GAP ? "\\vdots"
                                                               : "\\cdots");
                continue;
            }
            number_text_add(&number, matrix_at(matrix, row, column), p->how->digits);
            add_math(p, text_string(&number));
            text_close(&number, p->out);
        }
    }
    text_add_string(p->out, " \\end{bmatrix}");
}

/* What stands between the parts: the names in a line, and the three matrices. */
typedef struct layout {
    const char *before, *names_equal, *matrices, *times, *equal;
} layout;

/* Aligned at the equals sign; or all begin at the left, so that no name takes room from the
 * numbers. */
static const layout ON_ONE_LINE = {"", " &= ", " \\\\\n", " \\times ", " &= "},
                    ON_LINES = {"&", " = ", " \\\\\n&", " \\\\\n&\\times ", " \\\\\n&= "};

void markup_add_product(const markup_page *p, const trace_item *item)
{
    product made = product_of(item, p->how);
    const layout *by = made.is_on_one_line ? &ON_ONE_LINE : &ON_LINES;
    selection rows = selection_all(made.a.size[0]);
    text_add_string(p->out, p->marks->math_before);
    text_add_string(p->out, "\n");
    text_add_string(p->out, by->before);
    add_math(p, item->left);
    text_add_string(p->out, "\\times ");
    add_math(p, item->letters);
    text_add_string(p->out, by->names_equal);
    add_math(p, item->text);
    text_add_string(p->out, by->matrices);
    add_brackets(p, &made.a, &rows, &made.inner);
    text_add_string(p->out, by->times);
    add_brackets(p, &made.b, &made.inner, &made.outer);
    text_add_string(p->out, by->equal);
    add_brackets(p, &made.result, &rows, &made.outer);
    text_add_string(p->out, p->marks->math_after);
    markup_add_left_out(p, &made.inner, &made.outer);
}
