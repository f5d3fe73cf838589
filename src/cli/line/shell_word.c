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

/* What is in single quotes, from after the first one to after the last. */
static const char *add_quoted(text *word, const char *at)
{
    size_t length = strcspn(at, "'");
    text_add(word, at, length);
    return at + length + (at[length] != '\0');
}

/* The end of the word that begins at `at`. */
static const char *add_word(text *word, const char *at)
{
    while (*at != '\0' && *at != ' ') {
        if (*at == '\'') {
            at = add_quoted(word, at + 1);
            continue;
        }
        at += *at == '\\' && at[1] != '\0';
        text_add(word, at++, 1);
    }
    return at;
}

bool shell_words_read(text_list *to, const char *line, err *e)
{
    text word = {0};
    bool done = true;
    while (done && *(line += strspn(line, " ")) != '\0') {
        text_clear(&word);
        line = add_word(&word, line);
        done = text_ok(&word, e) && text_list_add(to, text_string(&word), word.length, e);
    }
    text_free(&word);
    return done;
}
