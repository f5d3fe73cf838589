/* The items of a step: sentences, formulas, worked lines, and tables of words. */
#include "render/expression.h"
#include "render/html_parts.h"
#include "render/text_items.h"
#include "trace/nodes.h"

static void add_paragraph(text *out, const char *class_name, const char *words)
{
    text_add_format(out, "<p%s>", class_name);
    html_add_sentence(out, words);
    text_add_string(out, "</p>\n");
}

/* Where a line may be broken there is a space already. */
static void add_without_breaks(text *out, const text *part)
{
    text whole = {0};
    for (const char *at = text_string(part); *at != '\0'; at++) {
        if (*at != MATH_BREAK)
            text_add(&whole, at, 1);
    }
    html_add_mathematics(out, text_string(&whole));
    text_close(&whole, out);
}

static void add_line(const html_page *p, const trace_item *item)
{
    worked_line l = worked_line_of(item, p->how);
    text_add_string(p->out, item->is_of_focus ? "<p class=\"line of-focus\"" : "<p class=line");
    if (item->map != NULL && p->is_alive)
        text_add_format(p->out, " data-cell=\"%zu %zu %zu %zu\"", map_index(item->room, item->map),
                        item->cell[0], item->cell[1], item->cell[2]);
    text_add_string(p->out, ">");
    html_add_mathematics(p->out, text_string(&l.head));
    text_add_string(p->out, l.before);
    add_without_breaks(p->out, &l.expression);
    text_add_string(p->out, l.inner.length > 0 ? " = " : "");
    add_without_breaks(p->out, &l.inner);
    text_add_string(p->out, l.sign);
    add_without_breaks(p->out, &l.result);
    text_add_string(p->out, "</p>\n");
    worked_line_free(&l, p->out);
}

static void add_table(const html_page *p, const trace_item *item)
{
    size_t columns = item->columns_count;
    text_add_string(p->out, "<table class=words>\n");
    for (size_t i = 0; i < item->cells.count; i++) {
        bool is_number = table_text_is_right(&item->cells, columns, i % columns);
        if (i % columns == 0)
            text_add_string(p->out, i == 0 ? "<thead><tr>" : "<tr>");
        text_add_string(p->out, i < columns ? "<th scope=col" : "<td");
        text_add_string(p->out, is_number ? " class=number>" : ">");
        if (i >= columns && item->columns_hold[i % columns] == 'm')
            html_add_mathematics(p->out, item->cells.item[i]);
        else
            html_add_words(p->out, item->cells.item[i]);
        if (i % columns == columns - 1)
            text_add_string(p->out, i == columns - 1 ? "</tr>\n<tbody>\n" : "</tr>\n");
    }
    text_add_string(p->out, "</table>\n");
}

static void add_worked(const html_page *p, const trace_item *item)
{
    if (item->kind == TRACE_LINE)
        add_line(p, item);
    else if (item->kind == TRACE_ROW_PRODUCT)
        html_add_product(p, item);
    else
        html_add_stack(p, item);
}

void html_add_item(const html_page *p, const trace_item *item, bool is_blank)
{
    switch (item->kind) {
    case TRACE_SENTENCE:
        if (is_blank && item->leads)
            break;
        add_paragraph(p->out,
                      item->is_about_heads ? " class=other-heads"
                      : item->is_of_focus  ? " class=of-focus"
                                           : "",
                      item->text);
        break;
    case TRACE_FORMULA:
        add_paragraph(p->out, item->is_of_focus ? " class=\"formula of-focus\"" : " class=formula",
                      item->text);
        break;
    case TRACE_MATRIX:
        html_add_matrix(p, item, is_blank);
        break;
    case TRACE_TABLE:
        add_table(p, item);
        break;
    default: /* what an exercise asks for */
        if (!is_blank)
            add_worked(p, item);
    }
}
