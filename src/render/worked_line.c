#include "render/worked_line.h"

#include "render/display.h"
#include "render/number_text.h"

/* The left side or the letters; where their words are is kept. */
static void add_side(worked_line *l, const trace_item *item, const char *side)
{
    const char *at = side;
    for (size_t i = 0; i < item->words; i++) {
        const trace_word *word = &item->word[i];
        if (word->in != side)
            continue;
        display_add(&l->head, at, (size_t)(side + word->at - at));
        size_t first = l->head.length;
        at = side + word->at + word->bytes;
        display_add(&l->head, side + word->at, word->bytes);
        l->word[l->words++] = (math_span){first, l->head.length - first};
    }
    display_add_string(&l->head, at);
}

static void make_head(worked_line *l, const trace_item *item)
{
    if (item->left != NULL)
        add_side(l, item, item->left);
    if (item->letters == NULL)
        return;
    if (item->left != NULL)
        text_add_string(&l->head, expression_is_change(item->op) ? ": " : " = ");
    add_side(l, item, item->letters);
}

/* A sum of one number is that number. */
static bool is_itself(const trace_item *item)
{
    return item->op == OP_COPY ||
           (item->op == OP_SUM && tensor_count(&item->a) == 1 && item->c.data == NULL);
}

static void make_result(text *out, const trace_item *item, const render_options *how)
{
    tensor value = is_itself(item) ? item->a : item->result;
    if (is_itself(item) && value.rank > 0)
        value = tensor_at(&value, 0);
    expression_add_value(out, &value, how);
}

/* Decimals that say what was rounded away: by themselves numbers have fewer than what is left may
 * have. */
enum { ROUNDED_AWAY = 2 };

/* How the numbers of a line are written, `more` decimals behind those that rounding leaves. */
static render_options options_of(const trace_item *item, const render_options *how, int more)
{
    render_options of = *how;
    if (item->op == OP_ROUND && how->digits < 0 && item->decimals >= NUMBER_TEXT_DECIMALS)
        of.digits = item->decimals + more;
    return of;
}

worked_line worked_line_of(const trace_item *item, const render_options *how)
{
    worked_line l = {.before = " = ", .sign = expression_is_change(item->op) ? " → " : " = "};
    render_options before = options_of(item, how, ROUNDED_AWAY), after = options_of(item, how, 0);
    size_t terms = 0;
    make_head(&l, item);
    if (!is_itself(item))
        expression_add(&l.expression, item, &before, &terms);
    expression_add_inner(&l.inner, item, how);
    if (l.head.length == 0 || l.expression.length == 0)
        l.before = "";
    else if (expression_is_change(item->op) && item->letters == NULL)
        l.before = ": ";
    make_result(&l.result, item, &after);
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
