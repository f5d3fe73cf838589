#include "render/line_text.h"

#include "base/mem.h"
#include "render/display.h"
#include "render/page.h"
#include "render/worked_line.h"

#include <stdint.h>
#include <string.h>

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

/* Of a part that is broken wherever it can be; no line begins with its space. */
static size_t widest_piece(const text *part)
{
    size_t widest = 0;
    for (const char *piece = text_string(part); *piece != '\0';) {
        size_t length = strcspn(piece, "\n"), space = *piece == ' ';
        widest = size_larger(widest, display_columns(piece + space, length - space));
        piece += length + (piece[length] != '\0');
    }
    return widest;
}

/* What stands before the numbers, broken between words where it is too wide. */
static void add_head(text *out, const text *head, size_t indent, size_t width)
{
    const char *at = text_string(head);
    page_indent(out);
    for (size_t begin = PAGE_INDENT; *at != '\0'; begin = indent) {
        size_t skip, length = display_line(at, width - begin, &skip);
        text_add(out, at, length);
        at += length + skip;
        if (*at != '\0') {
            display_end_line(out);
            text_add_repeated(out, " ", indent);
        }
    }
}

static void add_on_one_line(text *out, const worked_line *l)
{
    page_indent(out);
    text_add_string(out, text_string(&l->head));
    text_add_string(out, l->before);
    add_broken(out, &l->expression, 0, 0, SIZE_MAX);
    text_add_string(out, l->inner.length > 0 ? " = " : "");
    add_broken(out, &l->inner, 0, 0, SIZE_MAX);
    text_add_string(out, l->sign);
    add_broken(out, &l->result, 0, 0, SIZE_MAX);
    display_end_line(out);
}

/* The column at which the numbers begin, here and in the lines below: behind the first equals
 * sign, where that is not too far to the right for a term. */
static size_t numbers_column(const worked_line *l, const trace_item *item, size_t width)
{
    size_t column = PAGE_INDENT;
    if (item->letters == NULL)
        column += columns_of(&l->head) + strlen(l->before);
    else if (item->left != NULL)
        column += display_columns(item->left, strlen(item->left)) + 3;
    return column > width / 2 || column + widest_piece(&l->expression) > width ? PAGE_INDENT + 4
                                                                               : column;
}

/* What follows in a line of its own, its sign in the column before the numbers. */
static void begin_line(text *out, const char *sign, size_t numbers)
{
    display_end_line(out);
    text_add_repeated(out, " ", numbers - 2);
    text_add_string(out, sign + 1);
}

/* The letters, the numbers and the result below each other, their signs in one column. */
static void add_on_lines(text *out, const worked_line *l, const trace_item *item, size_t width)
{
    size_t numbers = numbers_column(l, item, width);
    size_t head_end = PAGE_INDENT + columns_of(&l->head) + strlen(l->before);
    add_head(out, &l->head, numbers, width);
    if (head_end == numbers)
        text_add_string(out, l->before);
    else
        begin_line(out, l->expression.length > 0 ? " = " : l->sign, numbers);
    if (l->expression.length > 0) {
        add_broken(out, &l->expression, numbers, numbers, width);
        if (l->inner.length > 0) {
            begin_line(out, " = ", numbers);
            add_broken(out, &l->inner, numbers, numbers, width);
        }
        begin_line(out, l->sign, numbers);
    }
    add_broken(out, &l->result, numbers, numbers, width);
    display_end_line(out);
}

void line_text_add(text *out, const trace_item *item, const render_options *how)
{
    worked_line l = worked_line_of(item, how);
    size_t columns = PAGE_INDENT + columns_of(&l.head) + strlen(l.before) +
                     columns_of(&l.expression) + 3 + columns_of(&l.result);
    if (l.inner.length > 0)
        columns += columns_of(&l.inner) + 3;
    if (columns <= page_width(how))
        add_on_one_line(out, &l);
    else
        add_on_lines(out, &l, item, page_width(how));
    worked_line_free(&l, out);
}
