#include "render/display.h"
#include "render/html_parts.h"
#include "render/label_text.h"

#include <ctype.h>
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

/* Wq, bo: the letter and what it is of; d_k. Nothing where there is none. */
static size_t index_length(const char *words)
{
    bool is_weight = (*words == 'W' || *words == 'b') && words[1] != '\0' &&
                     strchr("qkvo", words[1]) != NULL && !isalnum((unsigned char)words[2]);
    bool is_size = islower((unsigned char)words[0]) && words[1] == '_' &&
                   islower((unsigned char)words[2]) && !isalnum((unsigned char)words[3]);
    bool goes_on = (is_weight && words[2] == '_') || (is_size && words[3] == '_');
    return goes_on ? 0 : is_weight ? 2 : is_size ? 3 : 0;
}

static size_t infinity_length(const char *words)
{
    size_t sign = *words == '-';
    bool is_it = strncmp(words + sign, "inf", 3) == 0 && !isalnum((unsigned char)words[sign + 3]);
    return is_it ? sign + 3 : 0;
}

static bool is_within_word(char before)
{
    return isalnum((unsigned char)before) || before == '_' || before == '.';
}

void html_add_mathematics(text *out, const char *words)
{
    text plain = {0};
    char before = ' ';
    for (const char *at = words; *at != '\0';) {
        size_t index = is_within_word(before) ? 0 : index_length(at);
        size_t infinity = is_within_word(before) ? 0 : infinity_length(at);
        before = *at;
        if (index + infinity == 0) {
            text_add(&plain, at++, 1);
            continue;
        }
        html_add_words(out, text_string(&plain));
        text_clear(&plain);
        if (infinity > 0)
            text_add_string(out, *at == '-' ? "−∞" : "∞");
        else
            text_add_format(out, "%c<sub>%c</sub>", *at,
                            index == 2 ? toupper((unsigned char)at[1]) : at[2]);
        at += index + infinity;
        before = at[-1];
    }
    html_add_words(out, text_string(&plain));
    text_close(&plain, out);
}

void html_add_sentence(text *out, const char *words)
{
    const char *option = strstr(words, "; --");
    if (option == NULL) {
        html_add_mathematics(out, words);
        return;
    }
    text before = {0};
    text_add(&before, words, (size_t)(option - words));
    html_add_mathematics(out, text_string(&before));
    text_add_string(out, ".");
    text_close(&before, out);
}

/* Its own direction, so that a word written from right to left turns nothing around it. */
void html_add_label(text *out, const trace_labels *labels, size_t index)
{
    text label = {0};
    label_add(&label, labels, index);
    text_add_string(out, labels->names != NULL ? "<bdi>" : "");
    html_add_words(out, text_string(&label));
    text_add_string(out, labels->names != NULL ? "</bdi>" : "");
    text_close(&label, out);
}
