#include "render/label_text.h"

#include "base/mem.h"
#include "render/display.h"

#include <stdio.h>
#include <string.h>

enum { LABEL_COLUMNS = 16 };

const trace_labels *labels_that_say(const trace_labels *labels, size_t count)
{
    return count > 1 || labels->names != NULL || labels->letter != NULL ? labels : NULL;
}

const char *label_whole(const trace_labels *labels, size_t index, char room[LABEL_ROOM])
{
    if (labels->names != NULL && index < labels->names->count &&
        *labels->names->item[index] != '\0')
        return labels->names->item[index];
    if (labels->letter != NULL)
        snprintf(room, LABEL_ROOM, "%s%s%zu]", labels->letter,
                 strchr(labels->letter, '[') == NULL ? "[" : ",", index + 1);
    else
        snprintf(room, LABEL_ROOM, "%zu", index + 1);
    return room;
}

size_t label_add(text *out, const trace_labels *labels, size_t index)
{
    char room[LABEL_ROOM];
    return display_add_cut(out, label_whole(labels, index, room), LABEL_COLUMNS);
}

size_t label_columns(const trace_labels *labels, size_t index)
{
    char room[LABEL_ROOM];
    return display_cut_columns(label_whole(labels, index, room), LABEL_COLUMNS);
}

size_t labels_widest(const trace_labels *labels, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found = size_larger(found, label_columns(labels, i));
    return found;
}
