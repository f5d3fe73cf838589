#include "cli/line/shell_word.h"

#include <string.h>

void shell_word_add(text *out, const char *word)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_.,=:/+@%";
    if (word[strspn(word, PLAIN)] == '\0') {
        text_add_string(out, word);
        return;
    }
    text_add_string(out, "'");
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            text_add_string(out, "'\\''");
        else
            text_add(out, word, 1);
    }
    text_add_string(out, "'");
}

bool shell_words_read(text_list *to, const char *line, err *e)
{
    text word = {0};
    bool done = true;
    while (done && *(line += strspn(line, " ")) != '\0') {
        text_clear(&word);
        while (*line != '\0' && *line != ' ') {
            if (*line == '\'') {
                /* From after the first quote to after the last. */
                size_t length = strcspn(++line, "'");
                text_add(&word, line, length);
                line += length + (line[length] != '\0');
                continue;
            }
            line += *line == '\\' && line[1] != '\0';
            text_add(&word, line++, 1);
        }
        done = text_ok(&word, e) && text_list_add(to, text_string(&word), word.length, e);
    }
    text_free(&word);
    return done;
}
