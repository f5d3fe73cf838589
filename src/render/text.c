#include "render/text.h"

#include "render/display.h"
#include "render/line_text.h"
#include "render/matrix_text.h"
#include "render/page.h"
#include "render/product_text.h"
#include "render/stack_text.h"
#include "render/table_text.h"

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

/* "name: title", or the one that is there, underlined. */
static void add_title(text *out, const trace *t, const render_options *how)
{
    text title = {0};
    const char *name = render_name(t, how);
    display_add_string(&title, name == NULL ? "" : name);
    text_add_string(&title, name != NULL && t->title != NULL ? ": " : "");
    display_add_string(&title, t->title == NULL ? "" : t->title);
    if (title.length > 0) {
        size_t columns = display_columns(text_string(&title), title.length);
        page_bold(out, how);
        display_add_wrapped(out, text_string(&title), 0, page_width(how));
        text_add_repeated(out, "═", columns < page_width(how) ? columns : page_width(how));
        page_plain(out, how);
        display_end_line(out);
    }
    out->failed = out->failed || title.failed;
    text_free(&title);
}

static void add_heading(text *out, const trace_step *step, size_t number, const render_options *how)
{
    text heading = {0};
    text_add_format(&heading, "%zu. %s ", number, step->name);
    page_bold(out, how);
    text_add_string(out, text_string(&heading));
    text_add_repeated(out, "─", page_width(how) - heading.length);
    page_plain(out, how);
    display_end_line(out);
    out->failed = out->failed || heading.failed;
    text_free(&heading);
}

static void add_step(text *out, const trace_step *step, size_t number, const render_options *how)
{
    add_heading(out, step, number, how);
    for (size_t i = 0; i < step->count; i++) {
        const trace_item *item = &step->item[i];
        if (i == 0 || !is_followed_closely(item[-1].kind, item->kind))
            text_add_string(out, "\n");
        ADD_ITEM[item->kind](out, item, how);
    }
}

static void add_notes(text *out, const trace *t, const render_options *how)
{
    text notes = {0};
    if (t->notes == NULL)
        return;
    display_add_lines(&notes, t->notes);
    text_add_string(out, out->length > 0 ? "\n" : "");
    display_add_wrapped(out, text_string(&notes), 0, page_width(how));
    out->failed = out->failed || notes.failed;
    text_free(&notes);
}

bool text_render(const trace *t, const render_options *how, text *out, err *e)
{
    add_title(out, t, how);
    add_notes(out, t, how);
    for (size_t i = 0; i < t->steps; i++) {
        text_add_string(out, out->length > 0 ? "\n" : "");
        add_step(out, &t->step[i], i + 1, how);
    }
    return text_ok(out, e);
}
