#include "cli/note.h"

#include "base/utf8.h"
#include "cli/progress.h"

#include <string.h>

enum { MOST_BYTES = 4096 }; /* of a note: what lists more is cut */

static void write_note(const env *world, const char *where, const char *words)
{
    bool is_named = where[0] != '\0' && strcmp(where, "standard input") != 0;
    progress_pause(world->progress);
    fprintf(world->err, "selfattn: note: %s%s%s\n", is_named ? where : "", is_named ? ": " : "",
            words);
    progress_resume(world->progress);
}

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
    write_note(world, where, words);
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
    note_say(world, o, at,
             "%zu of %zu threads ran, no more could be started: the result is the same", ran,
             asked);
}
