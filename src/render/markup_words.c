#include "render/markup.h"

#include <string.h>

void markup_add_paragraphs(const markup_page *p, const char *words)
{
    text line = {0};
    while (*words != '\0') {
        size_t length = strcspn(words, "\n");
        text_clear(&line);
        text_add(&line, words, length);
        p->marks->add_words(p->out, text_string(&line));
        text_add_string(p->out, "\n\n");
        words += length + (words[length] != '\0');
        p->out->failed = p->out->failed || line.failed;
    }
    text_free(&line);
}

void markup_add_left_out(const markup_page *p, const selection *rows, const selection *columns)
{
    text note = {0};
    selection_add_left_out(&note, rows, columns);
    markup_add_paragraphs(p, text_string(&note));
    p->out->failed = p->out->failed || note.failed;
    text_free(&note);
}
