#include "cli/line/other_words.h"

#include "cli/example/examples.h"
#include "render/renderer.h"

#include <stdio.h>
#include <string.h>

static const synonym CALLED_ELSEWHERE[] = {
    {"decimals", "digits"},
    {"precision", "digits"},
    {"show", "trace-output"},
    {"explain", "trace-output"},
    {"steps", "trace"},
    {"q", "quiet"},
    {NULL, NULL},
};

const option_row *other_words_option(const char *word, size_t length)
{
    named_table table = OPTIONS;
    table.synonyms = CALLED_ELSEWHERE;
    return (const option_row *)(const void *)named_by_synonym(&table, word, length);
}

bool other_words_trace(const char *word, size_t length, err *e)
{
    enum { LONGEST = 16 };
    char file[2 + LONGEST] = "x."; /* which ends so: tex, md */
    const named *found = named_find(&RENDERERS, word, length);
    if (found == NULL)
        found = named_by_synonym(&RENDERERS, word, length);
    if (found == NULL && length < LONGEST && memchr(word, '.', length) == NULL) {
        snprintf(file + 2, sizeof file - 2, "%.*s", (int)length, word);
        found = ending_find(&RENDERER_ENDINGS, file);
    }
    if (found == NULL)
        return false;
    const char *endings = ((const renderer *)(const void *)found)->endings;
    err_remedy(e, "--trace-output FILE%.*s writes the steps as %s", (int)strcspn(endings, " "),
               endings, found->name);
    return true;
}

bool other_words_command(const char *word, err *e)
{
    size_t length = strlen(word);
    const option_row *row = other_words_option(word, length);
    if (row == NULL)
        row = option_by_name(word, length);
    if (row != NULL)
        return !err_remedy(e, "did you mean --%s?", row->named.name);
    if (named_find(&EXAMPLES, word, length) != NULL)
        return !err_remedy(e, "selfattn example %s prints it, for selfattn --trace", word);
    return other_words_trace(word, length, e);
}
