/* A trace as plain text for a terminal: what `--trace` prints. */
#include "render/renderer.h"

#include "render/display.h"
#include "render/page.h"
#include "render/text_items.h"

/* ---- kinds of items ---- */

static void sentence_add(text *out, const trace_item *item, const render_options *how)
{
    display_add_wrapped(out, item->text, SENTENCE_INDENT, page_width(how));
}

static void formula_add(text *out, const trace_item *item, const render_options *how)
{
    display_add_wrapped(out, item->text, PAGE_INDENT, page_width(how));
}

static void (*const ADD_ITEM[])(text *out, const trace_item *item, const render_options *how) = {
    [TRACE_SENTENCE] = sentence_add, [TRACE_FORMULA] = formula_add,
    [TRACE_LINE] = line_text_add,    [TRACE_ROW_PRODUCT] = product_text_add,
    [TRACE_STACK] = stack_text_add,  [TRACE_MATRIX] = matrix_text_add,
    [TRACE_TABLE] = table_text_add,
};

/* Lines that belong together stay together: sentences, and formulas with their worked lines. */
static bool is_followed_closely(trace_kind before, trace_kind after)
{
    if (after == TRACE_LINE)
        return before == TRACE_FORMULA || before == TRACE_LINE;
    return before == after && (after == TRACE_SENTENCE || after == TRACE_FORMULA);
}

/* ---- the page ---- */

typedef struct text_page {
    sink *to;
    text *out; /* of it */
    const render_options *how;
    size_t parts; /* title, notes and steps so far */
} text_page;

static void begin_part(text_page *p)
{
    text_add_string(p->out, p->parts++ > 0 ? "\n" : "");
}

/* "name: title", or the one that is there, underlined. */
static void add_title(text_page *p, const trace *t)
{
    text title = {0};
    const char *name = render_name(t, p->how);
    display_add_string(&title, name == NULL ? "" : name);
    text_add_string(&title, name != NULL && t->title != NULL ? ": " : "");
    display_add_string(&title, t->title == NULL ? "" : t->title);
    if (title.length > 0) {
        size_t columns = display_columns(text_string(&title), title.length);
        size_t most = page_width(p->how);
        begin_part(p);
        page_bold(p->out, p->how);
        display_add_wrapped(p->out, text_string(&title), 0, most);
        text_add_repeated(p->out, "═", columns < most ? columns : most);
        page_plain(p->out, p->how);
        display_end_line(p->out);
    }
    text_close(&title, p->out);
}

static void add_notes(text_page *p, const trace *t)
{
    text notes = {0};
    if (t->notes == NULL)
        return;
    display_add_lines(&notes, t->notes);
    begin_part(p);
    display_add_wrapped(p->out, text_string(&notes), 0, page_width(p->how));
    text_close(&notes, p->out);
}

static void add_heading(const text_page *p, const trace_step *step, size_t number)
{
    text heading = {0};
    text_add_format(&heading, "%zu. %s ", number, step->name);
    page_bold(p->out, p->how);
    text_add_string(p->out, text_string(&heading));
    text_add_repeated(p->out, "─", page_width(p->how) - heading.length);
    page_plain(p->out, p->how);
    display_end_line(p->out);
    text_close(&heading, p->out);
}

static bool add_step(text_page *p, const trace_step *step, size_t number, err *e)
{
    begin_part(p);
    add_heading(p, step, number);
    for (size_t i = 0; i < step->count; i++) {
        const trace_item *item = &step->item[i];
        if (i == 0 || !is_followed_closely(item[-1].kind, item->kind))
            text_add_string(p->out, "\n");
        ADD_ITEM[item->kind](p->out, item, p->how);
        if (!sink_spill(p->to, e))
            return false;
    }
    return true;
}

bool text_render(const trace *t, const render_options *how, sink *to, err *e)
{
    text_page p = {.to = to, .out = sink_text(to), .how = how};
    add_title(&p, t);
    add_notes(&p, t);
    for (size_t i = 0; i < t->steps; i++) {
        if (!add_step(&p, &t->step[i], i + 1, e))
            return false;
    }
    return sink_spill(to, e);
}
