#include "render/markup.h"

#include "base/mem.h"
#include "render/display.h"

static bool is_math(const trace_item *item)
{
    return item->kind == TRACE_FORMULA || item->kind == TRACE_LINE;
}

static size_t widest_left(const trace_step *step, size_t first)
{
    size_t widest = 0;
    for (size_t i = first; i < step->count && is_math(&step->item[i]); i++)
        widest = size_larger(widest, markup_left_columns(&step->item[i]));
    return widest;
}

/* Formulas and the lines that work them out, from `first` on, below each other. */
static size_t add_math(const markup_page *page, const trace_step *step, size_t first)
{
    markup_page aligned = *page, *p = &aligned;
    size_t i = first;
    p->left = widest_left(step, first);
    text_add_string(p->out, p->marks->math_before);
    for (; i < step->count && is_math(&step->item[i]); i++) {
        text_add_string(p->out, i > first ? " \\\\\n" : "\n");
        if (step->item[i].kind == TRACE_FORMULA)
            markup_add_formula(p, step->item[i].text);
        else
            markup_add_line(p, &step->item[i]);
    }
    text_add_string(p->out, p->marks->math_after);
    return i;
}

static void add_item(const markup_page *p, const trace_item *item)
{
    switch (item->kind) {
    case TRACE_ROW_PRODUCT:
        markup_add_product(p, item);
        break;
    case TRACE_STACK:
        markup_add_stack(p, item);
        break;
    case TRACE_MATRIX:
        markup_add_matrix(p, item);
        break;
    case TRACE_TABLE:
        markup_add_table(p, item);
        break;
    default:
        markup_add_paragraphs(p, item->text);
    }
}

static bool add_step(const markup_page *p, const trace_step *step, size_t number, err *e)
{
    text_add_format(p->out, "%s%zu. ", p->marks->heading_before[1], number);
    p->marks->add_words(p->out, step->name);
    text_add_string(p->out, p->marks->heading_after);
    for (size_t i = 0; i < step->count;) {
        if (!sink_spill(p->to, e))
            return false;
        if (is_math(&step->item[i]))
            i = add_math(p, step, i);
        else
            add_item(p, &step->item[i++]);
    }
    return true;
}

/* ---- the document ---- */

static void add_title(const markup_page *p, const trace *t)
{
    const char *name = render_name(t, p->how);
    bool has_both = name != NULL && t->title != NULL;
    if (name == NULL && t->title == NULL)
        return;
    text_add_string(p->out, p->marks->heading_before[0]);
    p->marks->add_words(p->out, name == NULL ? "" : name);
    text_add_string(p->out, has_both ? ": " : "");
    p->marks->add_words(p->out, t->title == NULL ? "" : t->title);
    text_add_string(p->out, p->marks->heading_after);
}

static void add_notes(const markup_page *p, const trace *t)
{
    text notes = {0};
    display_add_lines(&notes, t->notes == NULL ? "" : t->notes);
    markup_add_paragraphs(p, text_string(&notes));
    p->out->failed = p->out->failed || notes.failed;
    text_free(&notes);
}

bool markup_render(const trace *t, const render_options *how, const markup *marks, sink *to, err *e)
{
    text *out = sink_text(to);
    markup_page p = {.to = to, .out = out, .marks = marks, .how = how};
    add_title(&p, t);
    add_notes(&p, t);
    for (size_t i = 0; i < t->steps; i++) {
        if (!add_step(&p, &t->step[i], i + 1, e))
            return false;
    }
    /* The empty line behind the last paragraph, which is never spilled. */
    if (out->length > 1 && !out->failed)
        out->data[--out->length] = '\0';
    return sink_spill(to, e);
}
