/* A trace as plain text for a terminal: what `--trace` prints. */
#include "render/renderer.h"

#include "render/display.h"
#include "render/text_items.h"

/* ---- kinds of items ---- */

static void words_add(text *out, const trace_item *item, const render_options *how)
{
    size_t indent = item->kind == TRACE_SENTENCE ? SENTENCE_INDENT : PAGE_INDENT;
    display_add_wrapped(out, item->text, indent, page_width(how));
}

static void (*const ADD_ITEM[])(text *out, const trace_item *item, const render_options *how) = {
    [TRACE_SENTENCE] = words_add,   [TRACE_FORMULA] = words_add,
    [TRACE_LINE] = line_text_add,   [TRACE_ROW_PRODUCT] = product_text_add,
    [TRACE_STACK] = stack_text_add, [TRACE_MATRIX] = matrix_text_add,
    [TRACE_TABLE] = table_text_add,
};

/* ---- the page ---- */

static bool add_step(sink *to, const trace_step *step, size_t number, const render_options *how,
                     err *e)
{
    text *out = sink_text(to), heading = {0};
    text_add_format(&heading, "%zu. %s ", number, step->name);
    page_bold(out, how);
    text_add_string(out, text_string(&heading));
    text_add_repeated(out, "─", page_width(how) - heading.length);
    page_plain(out, how);
    display_end_line(out);
    text_close(&heading, out);
    for (size_t i = 0; i < step->count; i++) {
        /* Lines that belong together stay together: sentences, and formulas with their worked
         * lines. */
        trace_kind kind = step->item[i].kind, before = i > 0 ? step->item[i - 1].kind : TRACE_TABLE;
        bool is_worked = kind == TRACE_LINE && (before == TRACE_FORMULA || before == TRACE_LINE);
        bool is_alike = kind == before && (kind == TRACE_SENTENCE || kind == TRACE_FORMULA);
        text_add_string(out, is_worked || is_alike ? "" : "\n");
        ADD_ITEM[kind](out, &step->item[i], how);
        if (!sink_spill(to, e))
            return false;
    }
    return true;
}

bool text_render(const trace *t, const render_options *how, sink *to, err *e)
{
    text *out = sink_text(to), title = {0}, notes = {0};
    size_t parts = 0; /* title, notes and steps so far */
    /* "name: title", or the one that is there, underlined. */
    const char *name = render_name(t, how);
    display_add_string(&title, name == NULL ? "" : name);
    text_add_string(&title, name != NULL && t->title != NULL ? ": " : "");
    display_add_string(&title, t->title == NULL ? "" : t->title);
    if (title.length > 0) {
        size_t columns = display_columns(text_string(&title), title.length);
        size_t most = page_width(how);
        parts++;
        page_bold(out, how);
        display_add_wrapped(out, text_string(&title), 0, most);
        text_add_repeated(out, "═", columns < most ? columns : most);
        page_plain(out, how);
        display_end_line(out);
    }
    text_close(&title, out);
    if (t->notes != NULL) {
        display_add_lines(&notes, t->notes);
        text_add_string(out, parts++ > 0 ? "\n" : "");
        display_add_wrapped(out, text_string(&notes), 0, page_width(how));
        text_close(&notes, out);
    }
    for (size_t i = 0; i < t->steps; i++) {
        text_add_string(out, parts++ > 0 ? "\n" : "");
        if (!add_step(to, &t->step[i], i + 1, how, e))
            return false;
    }
    return sink_spill(to, e);
}
