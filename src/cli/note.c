#include "cli/note.h"

#include <string.h>

void note_say(const env *world, const place *at, const char *note)
{
    char where[PLACE_TEXT] = "";
    if (at != NULL)
        place_text(at, where);
    bool is_named = where[0] != '\0' && strcmp(where, "standard input") != 0;
    fprintf(world->err, "selfattn: note: %s%s%s\n", is_named ? where : "", is_named ? ": " : "",
            note);
}

void note_missing_threads(const env *world, const place *at, size_t ran, size_t wanted)
{
    char note[128];
    snprintf(note, sizeof note,
             "%zu of %zu threads ran, no more could be started: the result is the same", ran,
             wanted);
    note_say(world, at, note);
}
