#include "render/line_text.h"

#include "render/display.h"
#include "render/expression_text.h"
#include "render/page.h"

#include <stdint.h>
#include <string.h>

/* The parts of a line, made one by one; where one holds breaks, they stand before a space. */
typedef struct line {
    text head; /* "scores[1,2] = q[1]·k[2]", what stands before the numbers */
    text expression, result;
    const char *before, *sign; /* before the expression, and before the result */
} line;

/* ---- parts ---- */

static void make_head(text *out, const trace_item *item)
{
    display_add_string(out, item->left == NULL ? "" : item->left);
    if (item->letters == NULL)
        return;
    if (item->left != NULL)
        text_add_string(out, expression_is_change(item->op) ? ": " : " = ");
    display_add_string(out, item->letters);
}

static line line_of(const trace_item *item, const render_options *how)
{
    line l = {.before = " = ", .sign = expression_is_change(item->op) ? " → " : " = "};
    size_t terms;
    make_head(&l.head, item);
    expression_add(&l.expression, item, how, &terms);
    if (item->op == OP_SUM && tensor_count(&item->a) == 1)
        text_clear(&l.expression); /* a sum of one number is that number */
    if (l.head.length == 0 || l.expression.length == 0)
        l.before = "";
    else if (expression_is_change(item->op) && item->letters == NULL)
        l.before = ": ";
    expression_add_value(&l.result, &item->result, how);
    if (terms > 0)
        text_add_format(&l.result, "  (%zu %s)", terms, item->op == OP_MAX ? "numbers" : "terms");
    return l;
}

static void line_free(line *l)
{
    text_free(&l->head);
    text_free(&l->expression);
    text_free(&l->result);
}

/* ---- layout ---- */

/* Appends a part, broken where its next piece would pass `width`; lines go on at `indent`.
 * Returns the column it ends at. */
static size_t add_broken(text *out, const text *part, size_t column, size_t indent, size_t width)
{
    for (const char *piece = text_string(part); *piece != '\0';) {
        size_t length = strcspn(piece, "\n"), columns = display_columns(piece, length);
        if (column + columns > width && column > indent) {
            display_end_line(out);
            text_add_repeated(out, " ", indent);
            column = indent;
            size_t space = *piece == ' ';
            piece += space;
            length -= space;
            columns -= space;
        }
        text_add(out, piece, length);
        column += columns;
        piece += length + (piece[length] != '\0');
    }
    return column;
}

/* Without its breaks, each of which display_columns counts as a control character. */
static size_t columns_of(const text *part)
{
    size_t columns = display_columns(text_string(part), part->length);
    for (size_t i = 0; i < part->length; i++)
        columns -= part->data[i] == EXPRESSION_BREAK;
    return columns;
}

static void add_on_one_line(text *out, const line *l)
{
    page_indent(out);
    text_add_string(out, text_string(&l->head));
    text_add_string(out, l->before);
    add_broken(out, &l->expression, 0, 0, SIZE_MAX);
    text_add_string(out, l->sign);
    add_broken(out, &l->result, 0, 0, SIZE_MAX);
    display_end_line(out);
}

/* The column at which the numbers begin, here and in the lines below: behind the first equals
 * sign, where that is not too far to the right. */
static size_t numbers_column(const line *l, const trace_item *item, size_t width)
{
    size_t column = PAGE_INDENT;
    if (item->letters == NULL)
        column += columns_of(&l->head) + strlen(l->before);
    else if (item->left != NULL)
        column += display_columns(item->left, strlen(item->left)) + 3;
    return column > width / 2 ? PAGE_INDENT + 4 : column;
}

/* The letters, the numbers and the result below each other, their signs in one column. */
static void add_on_lines(text *out, const line *l, const trace_item *item, size_t width)
{
    size_t numbers = numbers_column(l, item, width);
    size_t head_end = PAGE_INDENT + columns_of(&l->head) + strlen(l->before);
    page_indent(out);
    text_add_string(out, text_string(&l->head));
    if (head_end == numbers)
        text_add_string(out, l->before);
    else {
        display_end_line(out);
        text_add_repeated(out, " ", numbers - 2);
        text_add_string(out, l->expression.length > 0 ? "= " : l->sign + 1);
    }
    if (l->expression.length > 0) {
        add_broken(out, &l->expression, numbers, numbers, width);
        display_end_line(out);
        text_add_repeated(out, " ", numbers - 2);
        text_add_string(out, l->sign + 1);
    }
    add_broken(out, &l->result, numbers, numbers, width);
    display_end_line(out);
}

void line_text_add(text *out, const trace_item *item, const render_options *how)
{
    line l = line_of(item, how);
    size_t columns = PAGE_INDENT + columns_of(&l.head) + strlen(l.before) +
                     columns_of(&l.expression) + 3 + columns_of(&l.result);
    if (columns <= page_width(how))
        add_on_one_line(out, &l);
    else
        add_on_lines(out, &l, item, page_width(how));
    out->failed = out->failed || l.head.failed || l.expression.failed || l.result.failed;
    line_free(&l);
}
