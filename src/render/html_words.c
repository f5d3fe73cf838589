#include "render/display.h"
#include "render/html_parts.h"
#include "render/label_text.h"

#include <string.h>

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

void html_add_words(text *out, const char *words)
{
    for (const char *end = words + strlen(words); words < end;) {
        glyph g = glyph_at(words, end);
        const char *entity = entity_of(*words);
        if (entity != NULL)
            text_add_string(out, entity);
        else
            text_add(out, g.is_safe ? words : "?", g.is_safe ? g.bytes : 1);
        words += g.bytes;
    }
}

/* Its own direction, so that a word written from right to left turns nothing around it. */
void html_add_label(text *out, const trace_labels *labels, size_t index)
{
    text label = {0};
    label_add(&label, labels, index);
    text_add_string(out, labels->names != NULL ? "<bdi>" : "");
    html_add_words(out, text_string(&label));
    text_add_string(out, labels->names != NULL ? "</bdi>" : "");
    out->failed = out->failed || label.failed;
    text_free(&label);
}
