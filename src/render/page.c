#include "render/page.h"

#include "render/display.h"

size_t page_width(const render_options *how)
{
    return how->width < PAGE_NARROWEST ? PAGE_NARROWEST : (size_t)how->width;
}

size_t page_budget(const render_options *how)
{
    return page_width(how) - PAGE_INDENT;
}

void page_indent(text *out)
{
    text_add_repeated(out, " ", PAGE_INDENT);
}

/* ECMA-48, SGR 1 and 0. */
void page_bold(text *out, const render_options *how)
{
    text_add_string(out, how->color ? "\033[1m" : "");
}

void page_plain(text *out, const render_options *how)
{
    text_add_string(out, how->color ? "\033[0m" : "");
}

void page_add_left_out(text *out, const selection *rows, const selection *columns,
                       const render_options *how)
{
    text note = {0};
    selection_add_left_out(&note, rows, columns);
    display_add_wrapped(out, text_string(&note), PAGE_INDENT, page_width(how));
    text_close(&note, out);
}
