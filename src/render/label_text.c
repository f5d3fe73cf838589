#include "render/label_text.h"

#include "render/display.h"

#include <stdio.h>
#include <string.h>

enum { LABEL_COLUMNS = 16, NUMBERED_LABEL = 64 };

bool labels_have_words(const trace_labels *labels)
{
    return labels->names != NULL || labels->letter != NULL;
}

/* The label's bytes: the name itself, or its number made in `room`, also for an empty name. */
static const char *label_of(const trace_labels *labels, size_t index, char room[NUMBERED_LABEL])
{
    if (labels->names != NULL && index < labels->names->count &&
        *labels->names->item[index] != '\0')
        return labels->names->item[index];
    if (labels->letter != NULL)
        snprintf(room, NUMBERED_LABEL, "%s%s%zu]", labels->letter,
                 strchr(labels->letter, '[') == NULL ? "[" : ",", index + 1);
    else
        snprintf(room, NUMBERED_LABEL, "%zu", index + 1);
    return room;
}

size_t label_add(text *out, const trace_labels *labels, size_t index)
{
    char room[NUMBERED_LABEL];
    return display_add_cut(out, label_of(labels, index, room), LABEL_COLUMNS);
}

size_t label_columns(const trace_labels *labels, size_t index)
{
    char room[NUMBERED_LABEL];
    return display_cut_columns(label_of(labels, index, room), LABEL_COLUMNS);
}
