/* A trace as a Jupyter notebook (nbformat 4.5) of Markdown, a cell a step: what Jupyter and Colab
 * show with its mathematics. Laid out as Jupyter saves it. */
#include "render/renderer.h"

#include "io/json_write.h"
#include "render/markup.h"

#include <string.h>

/* A string a line, each with its line break but the last. */
static void add_lines(text *out, const text *markdown)
{
    text line = {0};
    const char *at = text_string(markdown), *end = at + markdown->length;
    while (end > at && end[-1] == '\n')
        end--;
    while (at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        next = next == NULL ? end : next + 1;
        text_clear(&line);
        text_add(&line, at, (size_t)(next - at));
        text_add_string(out, "    ");
        json_string_write(out, text_string(&line));
        text_add_string(out, next < end ? ",\n" : "\n");
        at = next;
    }
    out->failed = out->failed || markdown->failed;
    text_close(&line, out);
}

/* Cell 0 is the title, the others are steps. */
static void add_cell(text *out, size_t number, const text *markdown)
{
    text_add_format(out, "  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"cell-%zu\",\n",
                    number);
    text_add_string(out, "   \"metadata\": {},\n   \"source\": [\n");
    add_lines(out, markdown);
    text_add_string(out, "   ]\n  }");
}

bool notebook_render(const trace *t, const render_options *how, sink *to, err *e)
{
    static const char END[] =
        "\n ],\n \"metadata\": {\n  \"kernelspec\": {\n   \"display_name\": \"Python 3\",\n   "
        "\"language\": \"python\",\n   \"name\": \"python3\"\n  },\n  \"language_info\": {\n   "
        "\"name\": \"python\"\n  }\n },\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n";
    sink cell;
    sink_open_memory(&cell);
    const markup marks = markdown_of_jupyter();
    text *out = sink_text(to), *markdown = sink_text(&cell);
    markup_page p = {.to = &cell, .out = markdown, .marks = &marks, .how = how};
    bool done = true;
    text_add_string(out, "{\n \"cells\": [\n");
    markup_add_beginning(&p, t);
    if (markdown->length > 0)
        add_cell(out, 0, markdown);
    for (size_t i = 0; i < t->steps && done; i++) {
        text_add_string(out, i > 0 || markdown->length > 0 ? ",\n" : "");
        text_clear(markdown);
        done = markup_add_step(&p, &t->step[i], i + 1, e);
        add_cell(out, i + 1, markdown);
        done = done && sink_spill(to, e);
    }
    text_add_string(out, END);
    sink_discard(&cell);
    return done && sink_spill(to, e);
}
