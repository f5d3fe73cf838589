#include "base/err.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

place place_of_option(const char *name)
{
    return (place){.file = name, .is_option = true};
}

/* Stands where a text was too long. A path is cut at its beginning, since the line and column at
 * its end must stay. A message is cut so that the layer or part that it names at its end stays. */
static const char CUT[] = "…";

const char *place_text(const place *at, char out[PLACE_TEXT])
{
    char within[64] = "";
    out[0] = '\0';
    if (at->file == NULL)
        return out;
    if (at->line > 0)
        snprintf(within, sizeof within, ":%zu:%zu", at->line, at->column);
    else if (at->has_byte)
        snprintf(within, sizeof within, ": byte %zu", at->byte);
    size_t room = PLACE_TEXT - 1 - strlen(within) - strlen(CUT), length = strlen(at->file);
    bool is_cut = length > room;
    snprintf(out, PLACE_TEXT, "%s%s%s",
             at->is_option ? "--"
             : is_cut      ? CUT
                           : "",
             at->file + (is_cut ? length - room : 0), within);
    utf8_make_printable(out);
    return out;
}

const char *err_text(const err *e, char out[ERR_TEXT])
{
    bool has_remedy = e->remedy[0] != '\0';
    snprintf(out, ERR_TEXT, "selfattn: %s%s%s\n%s%s%s", e->where, e->where[0] == '\0' ? "" : ": ",
             e->what, has_remedy ? "  " : "", e->remedy, has_remedy ? "\n" : "");
    return out;
}

void err_clear(err *e)
{
    e->is_set = e->is_memory = false;
    e->where[0] = e->what[0] = e->remedy[0] = '\0';
}

static void write_what(err *e, const place *at, const char *format, va_list args)
{
    if (e->is_set)
        return;
    vsnprintf(e->what, sizeof e->what, format, args);
    utf8_make_printable(e->what);
    e->is_set = true;
    if (at != NULL)
        place_text(at, e->where);
}

bool err_at(err *e, const place *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_what(e, at, format, args);
    va_end(args);
    return false;
}

bool err_option(err *e, const char *option, const char *format, ...)
{
    const place at = place_of_option(option);
    va_list args;
    va_start(args, format);
    write_what(e, &at, format, args);
    va_end(args);
    return false;
}

bool err_set(err *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_what(e, NULL, format, args);
    va_end(args);
    return false;
}

bool err_no_memory(err *e, size_t bytes)
{
    e->is_memory = e->is_memory || !e->is_set;
    return err_set(e, "out of memory: %zu bytes could not be had", bytes);
}

bool err_memory_limit(err *e, size_t wanted, size_t used, size_t most, size_t own)
{
    if (e->is_set)
        return false;
    e->is_memory = true;
    err_set(e,
            "out of memory: %zu bytes are wanted, %zu are in use, and %zu may be used: %zu, and "
            "%zu for "
            "the program itself",
            wanted, used, most, most - own, own);
    return err_remedy(e, "raise --max-memory");
}

bool err_place(err *e, const place *at)
{
    if (e->is_set && e->where[0] == '\0')
        place_text(at, e->where);
    return false;
}

bool err_within(err *e, const char *format, ...)
{
    char which[256];
    va_list args;
    va_start(args, format);
    vsnprintf(which, sizeof which, format, args);
    va_end(args);
    utf8_make_printable(which);
    size_t room = sizeof e->what - 1 - strlen(" ()") - strlen(which), length = strlen(e->what);
    bool is_cut = length > room;
    if (is_cut)
        length = utf8_cut(e->what, length, room - strlen(CUT));
    snprintf(e->what + length, sizeof e->what - length, "%s (%s)", is_cut ? CUT : "", which);
    return false;
}

bool err_remedy(err *e, const char *format, ...)
{
    if (e->remedy[0] != '\0')
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(e->remedy, sizeof e->remedy, format, args);
    va_end(args);
    utf8_make_printable(e->remedy);
    return false;
}
