#include "cli/out/note.h"

#include "base/utf8.h"
#include "cli/out/progress.h"

#include <math.h>
#include <string.h>

enum { MOST_BYTES = 4096 }; /* of a note: what lists more is cut */

/* Nothing is allocated: a note is said also where memory has run out. */
void note_say(const env *world, const options *o, const place *at, const char *format, ...)
{
    char where[PLACE_TEXT] = "";
    static const char CUT[] = "…";
    char words[MOST_BYTES];
    va_list args;
    if (o->quiet)
        return;
    if (at != NULL)
        place_text(at, where);
    va_start(args, format);
    int length = vsnprintf(words, sizeof words - sizeof CUT, format, args);
    va_end(args);
    if (length < 0)
        return;
    utf8_make_printable(words);
    if ((size_t)length >= sizeof words - sizeof CUT)
        strcat(words, CUT);
    bool is_named = where[0] != '\0' && strcmp(where, "standard input") != 0;
    progress_pause(world->progress);
    fprintf(world->err, "selfattn: note: %s%s%s\n", is_named ? where : "", is_named ? ": " : "",
            words);
    progress_resume(world->progress);
}

void note_say_lines(const env *world, const options *o, const char *lines)
{
    while (*lines != '\0') {
        size_t length = strcspn(lines, "\n");
        note_say(world, o, NULL, "%.*s", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void note_empty_rows(const env *world, const options *o, const place *at, const run_report *of,
                     const char *rows)
{
    note_say(world, o, at, "%zu %s may attend to nothing, first %s: their weights are 0%s",
             of->empty_rows, rows, of->first_empty, of->doubt);
}

void note_missing_threads(const env *world, const options *o, const place *at, size_t ran,
                          size_t asked)
{
    if (ran < asked)
        note_say(world, o, at,
                 "%zu of %zu threads ran, no more could be started: the result is the same", ran,
                 asked);
}

void note_index_header(const env *world, const options *o, const entry *matrix)
{
    enum { COLUMNS_LEAST = 3 }; /* fewer are often written by hand: 0, 1 */
    const tensor *t = &matrix->tensor;
    bool is_index = t->rank == 2 && t->size[0] > 1 && t->size[1] >= COLUMNS_LEAST;
    for (size_t j = 0; is_index && j < t->size[1]; j++)
        is_index = tensor_get(t, (size_t[]){0, j}) == (double)j;
    for (size_t i = 1; is_index && i < t->size[0]; i++) {
        is_index = false;
        for (size_t j = 0; !is_index && j < t->size[1]; j++) {
            double number = tensor_get(t, (size_t[]){i, j});
            is_index = number != floor(number);
        }
    }
    if (is_index)
        note_say(world, o, &matrix->at,
                 "the first row, 0 to %zu, is read as numbers; where pandas wrote it as a header, "
                 "to_csv(header=False, index=False) leaves it out",
                 t->size[1] - 1);
}
