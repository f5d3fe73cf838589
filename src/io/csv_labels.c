#include "io/csv_labels.h"

#include "io/csv_layout.h"

#include <string.h>

static bool only_counts(const text_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!csv_is_count(list->item[i], strlen(list->item[i]), i))
            return false;
    }
    return true;
}

static bool add_list(const csv_labels *l, text_list *list, const char *name, const char *file,
                     bundle *out, err *e)
{
    bool is_said = list->count > 0 && !(l->are_counted && only_counts(list));
    if (!is_said || bundle_find(out, name) != NULL)
        return true;
    entry *added = bundle_add(out, name, strlen(name), (place){.file = file}, e);
    if (added == NULL)
        return false;
    added->kind = ENTRY_LIST;
    added->list = *list;
    *list = (text_list){0};
    return true;
}

static bool add_corner(const csv_labels *l, const char *file, bundle *out, err *e)
{
    if (l->corner.length == 0 || bundle_find(out, "corner") != NULL)
        return true;
    return bundle_add_text(out, "corner", l->corner.data, l->corner.length, (place){.file = file},
                           e);
}

bool csv_labels_keep(csv_labels *l, bool keeps_corner, const char *file, bundle *out, err *e)
{
    return add_list(l, &l->columns, "columns", file, out, e) &&
           add_list(l, &l->rows, "rows", file, out, e) &&
           (!keeps_corner || add_corner(l, file, out, e));
}

void csv_labels_free(csv_labels *l)
{
    text_list_free(&l->columns);
    text_list_free(&l->rows);
    text_free(&l->corner);
}
