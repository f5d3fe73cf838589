/* Formulas, worked lines and products as LaTeX that is aligned at its equals signs. */
#include "render/brackets.h"
#include "render/display.h"
#include "render/markup.h"
#include "render/worked_line.h"

#include <string.h>

/* A line of so many characters fits a slide, and GitHub's column; a product of so many columns
 * fits side by side. */
enum { LONGEST_LINE = 80, WIDEST_PRODUCT = 14, MOST_COLUMNS = 8 };

/* ---- formulas and worked lines ---- */

static void add_math(const markup_page *p, const char *formula, size_t length)
{
    math_add(p->out, formula, length, p->marks->math_words);
}

void markup_add_formula(const markup_page *p, const char *formula)
{
    const char *sign = strstr(formula, " = ");
    size_t left = sign == NULL ? 0 : (size_t)(sign - formula) + 1;
    add_math(p, formula, left);
    text_add_string(p->out, "&");
    add_math(p, formula + left, strlen(formula + left));
}

/* An expression, broken between its terms where the line is long; `column` is how much of the
 * line is used already. */
static void add_broken(const markup_page *p, const text *part, size_t column)
{
    for (const char *piece = text_string(part); *piece != '\0';) {
        size_t length = strcspn(piece, "\n"), columns = display_columns(piece, length);
        if (column + columns > LONGEST_LINE && column > 0) {
            text_add_string(p->out, " \\\\\n&\\quad {}");
            column = 0;
        }
        add_math(p, piece, length);
        column += columns;
        piece += length + (piece[length] != '\0');
    }
}

static size_t columns_of(const text *part)
{
    return display_columns(text_string(part), part->length);
}

static bool is_in_word(const worked_line *l, size_t at)
{
    for (size_t i = 0; i < l->words; i++) {
        if (at >= l->word[i].at && at < l->word[i].at + l->word[i].bytes)
            return true;
    }
    return false;
}

/* Where the sign behind the left side is, the head's length where there is none. */
static size_t find_sign(const worked_line *l)
{
    const char *head = text_string(&l->head), *sign = strstr(head, " = ");
    while (sign != NULL && is_in_word(l, (size_t)(sign - head)))
        sign = strstr(sign + 1, " = ");
    return sign == NULL ? l->head.length : (size_t)(sign - head);
}

/* The left side and the letters, aligned at the sign between them; true where the numbers may go on
 * below. */
static bool add_head(const markup_page *p, const worked_line *l)
{
    const char *head = text_string(&l->head);
    size_t sign = find_sign(l), end = l->head.length, left = sign < end ? sign + 1 : end;
    math_add_part(p->out, head, 0, left, l->word, l->words, p->marks->math_words);
    text_add_string(p->out, "&");
    math_add_part(p->out, head, left, end, l->word, l->words, p->marks->math_words);
    return sign < end;
}

void markup_add_line(const markup_page *p, const trace_item *item)
{
    worked_line l = worked_line_of(item, p->how);
    size_t head = columns_of(&l.head), expression = columns_of(&l.expression);
    bool is_long =
        head + expression + columns_of(&l.inner) + columns_of(&l.result) + 6 > LONGEST_LINE;
    bool has_expression = l.expression.length > 0;
    if (add_head(p, &l) && is_long && has_expression) {
        text_add_string(p->out, " \\\\\n&");
        head = 0;
    }
    add_math(p, l.before, strlen(l.before));
    add_broken(p, &l.expression, head);
    if (l.inner.length > 0) {
        text_add_string(p->out, is_long ? " \\\\\n&" : "");
        add_math(p, " = ", strlen(" = "));
        add_broken(p, &l.inner, 0);
    }
    if (is_long && has_expression)
        text_add_string(p->out, " \\\\\n&");
    add_math(p, l.sign, strlen(l.sign));
    add_broken(p, &l.result, 0);
    worked_line_free(&l, p->out);
}

/* ---- products ---- */

static selection shown(size_t total, const render_options *how)
{
    if (how->is_full || total <= MOST_COLUMNS)
        return selection_all(total);
    return (selection){.total = total, .front = MOST_COLUMNS - 3, .back = 2};
}

static void add_number(const markup_page *p, double value)
{
    text number = {0};
    number_text_add(&number, value, p->how->digits);
    add_math(p, text_string(&number), number.length);
    p->out->failed = p->out->failed || number.failed;
    text_free(&number);
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

static void add_brackets(const markup_page *p, const tensor *t, const selection *rows,
                         const selection *columns)
{
    tensor matrix = matrix_of(t);
    text_add_string(p->out, "\\begin{bmatrix} ");
    for (size_t slot = 0; slot < selection_count(rows); slot++) {
        text_add_string(p->out, slot > 0 ? " \\\\ " : "");
        add_row(p, &matrix, selection_at(rows, slot), columns);
    }
    text_add_string(p->out, " \\end{bmatrix}");
}

void markup_add_product(const markup_page *p, const trace_item *item)
{
    tensor b = matrix_of(&item->b);
    selection one = selection_all(1), inner = shown(b.size[0], p->how),
              columns = shown(b.size[1], p->how);
    bool is_wide = selection_count(&inner) + 2 * selection_count(&columns) > WIDEST_PRODUCT;
    const char *next = is_wide ? " \\\\\n&" : "";
    text_add_string(p->out, p->marks->math_before);
    text_add_string(p->out, "\n");
    add_math(p, item->left, strlen(item->left));
    text_add_string(p->out, "\\times ");
    add_math(p, item->letters, strlen(item->letters));
    text_add_string(p->out, " &= ");
    add_math(p, item->text, strlen(item->text));
    text_add_string(p->out, is_wide ? " \\\\\n&" : " \\\\\n");
    add_brackets(p, &item->a, &one, &inner);
    text_add_format(p->out, "%s \\times ", next);
    add_brackets(p, &b, &inner, &columns);
    text_add_string(p->out, is_wide ? " \\\\\n&= " : " &= ");
    add_brackets(p, &item->result, &one, &columns);
    text_add_string(p->out, p->marks->math_after);
    markup_add_left_out(p, &inner, &columns);
}
