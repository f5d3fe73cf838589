/* Products of a row, or of several, and a matrix: on one line where that fits a page, else each of
 * the three on its own, without the columns that have no room there. */
#include "base/mem.h"
#include "render/brackets.h"
#include "render/display.h"
#include "render/markup.h"

#include <string.h>

/* Columns that are read at one look, characters that fit a page (a digit is a character), what
 * stands between two matrices, and the columns that stay whatever they take. */
enum { MOST_COLUMNS = 8, WIDEST_PAGE = 84, SIGN_COLUMNS = 4, FEWEST = 2 };

typedef struct product {
    tensor a, b, result;
    selection inner, outer; /* the columns of a, which are the rows of b; and those of the others */
    bool is_on_one_line;
} product;

/* ---- what fits ---- */

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

static size_t size_of_head(const trace_item *item)
{
    return display_columns(item->left, strlen(item->left)) +
           display_columns(item->letters, strlen(item->letters)) + SIGN_COLUMNS;
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

/* Shows as many columns as fit, where each matrix has a line. */
static void shorten_to_page(product *p, const render_options *how)
{
    for (bool is_shorter = !how->is_full; is_shorter;) {
        widths w = measure(p, how);
        is_shorter =
            (w.row > WIDEST_PAGE && shorten(&p->inner)) ||
            (size_larger(w.matrix, w.result) + SIGN_COLUMNS > WIDEST_PAGE && shorten(&p->outer));
    }
}

static product product_of(const trace_item *item, const render_options *how)
{
    product p = {
        .a = matrix_of(&item->a), .b = matrix_of(&item->b), .result = matrix_of(&item->result)};
    p.inner = shown(p.b.size[0], how);
    p.outer = shown(p.b.size[1], how);
    widths w = measure(&p, how);
    size_t left = size_larger(size_of_head(item), w.row + SIGN_COLUMNS + w.matrix);
    p.is_on_one_line = left + SIGN_COLUMNS + w.result <= WIDEST_PAGE;
    if (!p.is_on_one_line)
        shorten_to_page(&p, how);
    return p;
}

/* ---- drawing ---- */

static void add_name(const markup_page *p, const char *name)
{
    math_add(p->out, name, strlen(name), p->marks->math_words);
}

static void add_number(const markup_page *p, double value)
{
    text number = {0};
    number_text_add(&number, value, p->how->digits);
    math_add(p->out, text_string(&number), number.length, p->marks->math_words);
    text_close(&number, p->out);
}

static void add_row(const markup_page *p, const tensor *matrix, size_t row,
                    const selection *columns)
{
    for (size_t slot = 0; slot < selection_count(columns); slot++) {
        size_t column = selection_at(columns, slot);
        text_add_string(p->out, slot > 0 ? " & " : "");
        if (row == SELECTION_GAP || column == SELECTION_GAP)
            text_add_string(p->out, row != column ? row == SELECTION_GAP ? "\\vdots" : "\\cdots"
                                                  : "\\ddots");
        else
            add_number(p, matrix_at(matrix, row, column));
    }
}

static void add_brackets(const markup_page *p, const tensor *matrix, const selection *rows,
                         const selection *columns)
{
    text_add_string(p->out, "\\begin{bmatrix} ");
    for (size_t slot = 0; slot < selection_count(rows); slot++) {
        text_add_string(p->out, slot > 0 ? " \\\\ " : "");
        add_row(p, matrix, selection_at(rows, slot), columns);
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

static void add_parts(const markup_page *p, const trace_item *item, const product *made,
                      const layout *by)
{
    selection rows = selection_all(made->a.size[0]);
    text_add_string(p->out, by->before);
    add_name(p, item->left);
    text_add_string(p->out, "\\times ");
    add_name(p, item->letters);
    text_add_string(p->out, by->names_equal);
    add_name(p, item->text);
    text_add_string(p->out, by->matrices);
    add_brackets(p, &made->a, &rows, &made->inner);
    text_add_string(p->out, by->times);
    add_brackets(p, &made->b, &made->inner, &made->outer);
    text_add_string(p->out, by->equal);
    add_brackets(p, &made->result, &rows, &made->outer);
}

void markup_add_product(const markup_page *p, const trace_item *item)
{
    product made = product_of(item, p->how);
    text_add_string(p->out, p->marks->math_before);
    text_add_string(p->out, "\n");
    add_parts(p, item, &made, made.is_on_one_line ? &ON_ONE_LINE : &ON_LINES);
    text_add_string(p->out, p->marks->math_after);
    markup_add_left_out(p, &made.inner, &made.outer);
}
