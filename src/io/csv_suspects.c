#include "io/csv_suspects.h"

#include "io/cells.h"
#include "io/slips.h"

#include <string.h>

void suspects_add(suspects *s, const csv_reader *r, const csv_field *label)
{
    const char *remedy = label_spoiled_remedy(label, r->delimiter);
    if (remedy == NULL) {
        s->has_words = s->has_words || cell_look_of(label, KEY_MATRIX) != CELL_EMPTY;
    } else if (s->first.text == NULL) {
        s->first = *label;
        s->remedy = remedy;
    }
}

bool suspects_check(const suspects *s, const csv_reader *r, const char *where, err *e)
{
    if (s->first.text == NULL || s->has_words)
        return true;
    place at = csv_field_place(r, &s->first);
    err_at(e, &at, "'%.*s' stands in a %s of labels that all look like numbers",
           s->first.length > 40 ? 40 : (int)s->first.length, s->first.text, where);
    return err_remedy(e, "%s; %s", s->remedy,
                      s->first.quoted ? "labels like this need a header that begins with \"\""
                                      : "quote labels like this");
}

bool csv_check_no_separator_line(const csv_reader *r, err *e)
{
    static const char begin[] = "sep=";
    size_t length = sizeof begin - 1;
    err ignored = {0};
    if ((size_t)(r->end - r->next) <= length || memcmp(r->next, begin, length) != 0)
        return true;
    const char *at = r->next + length, *behind = at + 1;
    if (!csv_delimiter_check(*at, &ignored))
        return true;
    if (behind < r->end && *behind != '\n' && *behind != '\r')
        return true;
    place here = csv_place(r);
    err_at(e, &here, "the line 'sep=%c' is for spreadsheets, and no row", *at);
    if (*at == r->delimiter)
        return err_remedy(e, "take it out");
    if (*at == '\t')
        return err_remedy(e, "take it out, and say it by --delimiter tab");
    return err_remedy(e, "take it out, and say it by --delimiter '%c'", *at);
}

/* The first field of a comment, without the # before it. */
static size_t first_field_length(const csv_field *comment, char delimiter)
{
    const char *end = memchr(comment->text, delimiter, comment->length);
    return end == NULL ? comment->length : (size_t)(end - comment->text);
}

bool csv_check_no_spreadsheet_error(const csv_reader *r, const csv_field *comment, err *e)
{
    size_t length = first_field_length(comment, r->delimiter);
    if (!missing_mark_is_error(comment->text, length))
        return true;
    place at = csv_field_place(r, comment);
    err_at(e, &at, "the row begins with a spreadsheet's error, '#%.*s', and # begins a comment",
           (int)length, comment->text);
    return err_remedy(e, "write a number for it, or nan; in a comment, a space behind the #");
}
