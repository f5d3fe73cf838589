#include "render/worked_line.h"

#include "render/display.h"

static void make_head(text *out, const trace_item *item)
{
    display_add_string(out, item->left == NULL ? "" : item->left);
    if (item->letters == NULL)
        return;
    if (item->left != NULL)
        text_add_string(out, expression_is_change(item->op) ? ": " : " = ");
    display_add_string(out, item->letters);
}

/* A sum of one number is that number. */
static bool is_itself(const trace_item *item)
{
    return item->op == OP_SUM && tensor_count(&item->a) == 1 && item->c.data == NULL;
}

static void make_result(text *out, const trace_item *item, const render_options *how)
{
    tensor value = is_itself(item) ? item->a : item->result;
    if (is_itself(item) && value.rank > 0)
        value = tensor_at(&value, 0);
    expression_add_value(out, &value, how);
}

worked_line worked_line_of(const trace_item *item, const render_options *how)
{
    worked_line l = {.before = " = ", .sign = expression_is_change(item->op) ? " → " : " = "};
    size_t terms = 0;
    make_head(&l.head, item);
    if (!is_itself(item))
        expression_add(&l.expression, item, how, &terms);
    expression_add_inner(&l.inner, item, how);
    if (l.head.length == 0 || l.expression.length == 0)
        l.before = "";
    else if (expression_is_change(item->op) && item->letters == NULL)
        l.before = ": ";
    make_result(&l.result, item, how);
    if (terms > 0)
        text_add_format(&l.result, "  (%zu %s)", terms, item->op == OP_MAX ? "numbers" : "terms");
    return l;
}

void worked_line_free(worked_line *l, text *out)
{
    out->failed = out->failed || l->head.failed || l->expression.failed || l->inner.failed ||
                  l->result.failed;
    text_free(&l->head);
    text_free(&l->expression);
    text_free(&l->inner);
    text_free(&l->result);
}
