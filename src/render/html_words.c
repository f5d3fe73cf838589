#include "render/html_words.h"

#include "render/display.h"
#include "render/expression.h"
#include "render/number_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

void html_add_words(text *out, const char *words)
{
    static const escape MARKS[] = {
        {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\0', NULL}};
    display_add_escaped(out, words, strlen(words), MARKS);
}

void html_add_format(text *out, const char *format, ...)
{
    va_list args;
    const char *at = format;
    va_start(args, format);
    for (const char *mark; (mark = strchr(at, '%')) != NULL;) {
        text_add(out, at, (size_t)(mark - at));
        if (mark[1] == 's')
            html_add_words(out, va_arg(args, const char *));
        else if (mark[1] == 'd')
            text_add_format(out, "%d", va_arg(args, int));
        else
            text_add_format(out, "%zu", va_arg(args, size_t));
        at = mark + strlen(mark[1] == 'z' ? "%zu" : "%s");
    }
    text_add_string(out, at);
    va_end(args);
}

/* Wq, bo: the letter and what it is of; d_k. Nothing where there is none. */
static size_t index_length(const char *words)
{
    bool is_weight = math_is_weight(words, 2) && !isalnum((unsigned char)words[2]);
    bool is_size = islower((unsigned char)words[0]) && words[1] == '_' &&
                   islower((unsigned char)words[2]) && !isalnum((unsigned char)words[3]);
    size_t length = is_weight ? 2 : is_size ? 3 : 0;
    return length > 0 && words[length] == '_' ? 0 : length;
}

void html_add_mathematics(text *out, const char *words)
{
    text plain = {0};
    char before = ' ';
    for (const char *at = words; *at != '\0'; before = at[-1]) {
        bool is_in_word = isalnum((unsigned char)before) || before == '_' || before == '.';
        size_t index = is_in_word ? 0 : index_length(at), sign = *at == '-';
        bool is_infinite = !is_in_word && strncmp(at + sign, "inf", 3) == 0 &&
                           !isalnum((unsigned char)at[sign + 3]);
        if (index == 0 && !is_infinite) {
            text_add(&plain, at++, 1);
            continue;
        }
        html_add_words(out, text_string(&plain));
        text_clear(&plain);
        if (is_infinite)
            text_add_string(out, sign ? "−∞" : "∞");
        else
            text_add_format(out, "%c<sub>%c</sub>", *at,
                            index == 2 ? toupper((unsigned char)at[1]) : at[2]);
        at += is_infinite ? sign + 3 : index;
    }
    html_add_words(out, text_string(&plain));
    text_close(&plain, out);
}

void html_add_sentence(text *out, const char *words)
{
    const char *option = strstr(words, "; --");
    text before = {0};
    text_add(&before, words, option == NULL ? strlen(words) : (size_t)(option - words));
    html_add_mathematics(out, text_string(&before));
    text_add_string(out, option == NULL ? "" : ".");
    text_close(&before, out);
}

void html_add_label(text *out, const trace_labels *labels, size_t index)
{
    text label = {0};
    label_add(&label, labels, index);
    html_add_words(out, text_string(&label));
    text_close(&label, out);
}
