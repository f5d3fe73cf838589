#include "cli/tell.h"

#include "base/mem.h"
#include "io/json_write.h"
#include "render/display.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* ---- values ---- */

/* Begins a member in output for machines; false in output for people. */
static bool begins(teller *t, const char *name)
{
    if (!t->is_json || name == NULL)
        return false;
    json_member_key(t->out, name);
    return true;
}

void tell_open(teller *t, const char *name, const char *bracket)
{
    if (!t->is_json)
        return;
    if (!begins(t, name) && t->out->length > 0 &&
        strchr("{[\n", t->out->data[t->out->length - 1]) == NULL)
        text_add_string(t->out, ", ");
    text_add_string(t->out, bracket);
}

void tell_close(teller *t, const char *bracket)
{
    if (t->is_json)
        text_add_string(t->out, bracket);
}

void tell_count(teller *t, const char *name, const char *words, uint64_t value)
{
    if (begins(t, name))
        text_add_format(t->out, "%" PRIu64, value);
    else if (!t->is_json && words != NULL)
        text_add_format(t->out, words, (size_t)value);
}

void tell_text(teller *t, const char *name, const char *words, const char *value)
{
    if (begins(t, name))
        json_string_write(t->out, value);
    else if (!t->is_json && words != NULL)
        text_add_format(t->out, words, value);
}

void tell_truth(teller *t, const char *name, bool value)
{
    if (begins(t, name))
        text_add_string(t->out, value ? "true" : "false");
}

void tell_list(teller *t, const char *name, const text_list *list)
{
    if (begins(t, name))
        json_list_write(t->out, list);
}

void tell_sizes(teller *t, const char *name, int rank, const size_t *size)
{
    if (!begins(t, name))
        return;
    text_add_string(t->out, "[");
    for (int axis = 0; axis < rank; axis++)
        text_add_format(t->out, "%s%zu", axis == 0 ? "" : ", ", size[axis]);
    text_add_string(t->out, "]");
}

void tell_number(teller *t, const char *name, dtype type, double value)
{
    if (begins(t, name))
        json_element_write(t->out, type, value, -1);
}

void tell_cell(teller *t, const char *name, dtype type, double value,
               void (*shown)(text *out, double value))
{
    tell_number(t, name, type, value);
    if (!t->is_json) {
        shown(t->out, value);
        text_add_string(t->out, "\t");
    }
}

void tell_words(teller *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!t->is_json)
        text_add_arguments(t->out, format, args);
    va_end(args);
}

/* ---- tables ---- */

enum { GAP = 2, COLUMNS_MOST = 16 };

/* Writes the rows. Without `out` it makes columns as wide as they need, with only_wider just those
 * that have a width already. */
static void walk_rows(text *out, const char *rows, const char *alignment, size_t *width,
                      size_t indent, bool only_wider)
{
    for (size_t column = 0; *rows != '\0'; rows++) {
        size_t length = strcspn(rows, "\t\n"), wide = display_columns(rows, length);
        bool is_end = rows[length] == '\n';
        if (out == NULL && !is_end && (!only_wider || width[column] > 0))
            width[column] = size_larger(width[column], wide);
        if (out != NULL && (is_end || width[column] > 0)) {
            size_t missing = is_end ? 0 : width[column] - wide;
            bool is_right = !is_end && alignment[column] == 'r';
            text_add_repeated(out, " ", (column == 0 ? indent : 0) + (is_right ? missing : 0));
            text_add(out, rows, length);
            text_add_repeated(out, " ", is_end ? 0 : (is_right ? 0 : missing) + GAP);
        }
        if (out != NULL && is_end)
            display_end_line(out);
        column = is_end ? 0 : column + 1;
        rows += length;
    }
}

void tell_table(text *out, const char *titles, const text *rows, const char *alignment,
                size_t indent)
{
    size_t width[COLUMNS_MOST] = {0};
    if (rows->failed) { /* the last of them may lack its end */
        out->failed = true;
        return;
    }
    walk_rows(NULL, text_string(rows), alignment, width, indent, false);
    if (titles != NULL) {
        walk_rows(NULL, titles, alignment, width, indent, true);
        walk_rows(out, titles, alignment, width, indent, false);
    }
    walk_rows(out, text_string(rows), alignment, width, indent, false);
}
