#include "io/csv_record.h"

#include "base/utf8.h"
#include "io/slips.h"

#include <string.h>

bool csv_delimiter_check(char delimiter, err *e)
{
    static const char never[] = "\"#\r\n+-._";
    unsigned char byte = (unsigned char)delimiter;
    bool is_letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
    bool is_digit = byte >= '0' && byte <= '9';
    if (byte != 0 && byte < 0x80 && !is_letter && !is_digit && strchr(never, delimiter) == NULL)
        return true;
    err_at(e, &(place){.file = "--delimiter"}, "'%c' can't separate fields", delimiter);
    return err_remedy(e, "use one of , ; : | a tab or a space");
}

bool csv_suggest_delimiter(char other, err *e)
{
    if (other == '\t')
        return err_remedy(e, "the fields look separated by tabs: --input-format tsv");
    return err_remedy(e, "the fields look separated by '%c': --delimiter '%c'", other, other);
}

void csv_open(csv_reader *r, const char *file, size_t first_line, const char *bytes, size_t length,
              char delimiter)
{
    const char *first = bytes + utf8_mark(bytes, length);
    *r = (csv_reader){.file = file,
                      .begin = first,
                      .next = first,
                      .end = bytes + length,
                      .line_start = first,
                      .line = first_line == 0 ? 1 : first_line,
                      .delimiter = delimiter};
}

place csv_place(const csv_reader *r)
{
    return (place){
        .file = r->file, .line = r->line, .column = (size_t)(r->next - r->line_start) + 1};
}

place csv_field_place(const csv_reader *r, const csv_field *f)
{
    return (place){.file = r->file, .line = f->line, .column = f->column};
}

static bool fail_here(const csv_reader *r, err *e, const char *what)
{
    place at = csv_place(r);
    return err_at(e, &at, "%s", what);
}

static void begin_line(csv_reader *r)
{
    r->line_start = r->next;
    r->line++;
}

bool csv_take_line_end(csv_reader *r)
{
    size_t length = 0;
    if (r->next < r->end && r->next[0] == '\n')
        length = 1;
    else if (r->end - r->next >= 2 && r->next[0] == '\r' && r->next[1] == '\n')
        length = 2;
    r->next += length;
    if (length > 0)
        begin_line(r);
    return length > 0;
}

csv_line csv_next_line(csv_reader *r, csv_field *comment)
{
    if (r->next == r->end)
        return CSV_END;
    if (*r->next != '#')
        return csv_take_line_end(r) ? CSV_BLANK : CSV_ROW;
    *comment = (csv_field){.text = r->next + 1, .line = r->line, .column = 1, .last = true};
    const char *newline = memchr(r->next, '\n', (size_t)(r->end - r->next));
    const char *end = newline == NULL ? r->end : newline;
    r->next = newline == NULL ? r->end : newline + 1;
    begin_line(r);
    if (end > comment->text && end[-1] == '\r')
        end--;
    comment->length = (size_t)(end - comment->text);
    return CSV_COMMENT;
}

static bool ends_unquoted(char byte, char delimiter)
{
    return byte == delimiter || byte == '\n' || byte == '\r' || byte == '"' || byte == '\0';
}

static bool read_unquoted(csv_reader *r, csv_field *f, err *e)
{
    /* Invisible, it would make a label of a number: files were joined, say. */
    if (utf8_mark(r->next, (size_t)(r->end - r->next)) > 0)
        return fail_here(r, e, "a byte order mark stands here, inside the text");
    const char *p = r->next;
    while (p < r->end && !ends_unquoted(*p, r->delimiter))
        p++;
    f->text = r->next;
    f->length = (size_t)(p - r->next);
    r->next = p;
    if (p == r->end || *p != '"')
        return true;
    fail_here(r, e, "a quote stands inside a field that doesn't begin with one");
    return err_remedy(e, "quote the whole field, and write \"\" for a quote in it");
}

/* The closing quote is the first one that is not followed by another. */
static bool read_quoted(csv_reader *r, csv_field *f, err *e)
{
    f->quoted = true;
    f->text = ++r->next;
    for (; r->next < r->end && *r->next != '\0'; r->next++) {
        if (*r->next == '\n') {
            r->line_start = r->next + 1;
            r->line++;
        } else if (*r->next == '"') {
            if (r->next + 1 == r->end || r->next[1] != '"') {
                f->length = (size_t)(r->next++ - f->text);
                return true;
            }
            f->has_escapes = true;
            r->next++;
        }
    }
    if (r->next < r->end)
        return fail_here(r, e, "a NUL byte stands in a quoted field");
    place at = csv_field_place(r, f);
    return err_at(e, &at, "the quote that begins here is never closed");
}

/* What is after a field: a delimiter, a line end, or the end of all; anything else is an error. */
static bool end_field(csv_reader *r, csv_field *f, err *e)
{
    f->last = true;
    if (r->next == r->end || csv_take_line_end(r))
        return true;
    if (*r->next == r->delimiter) {
        r->next++;
        f->last = false;
        return true;
    }
    if (*r->next == '\0') {
        fail_here(r, e, "a NUL byte stands here, which text doesn't have");
        return err_remedy(e, "save the file as CSV in UTF-8");
    }
    if (*r->next == '\r')
        return fail_here(r, e, "a carriage return stands here without a line feed after it");
    fail_here(r, e, "text follows a closing quote");
    return strchr(",;|\t", *r->next) == NULL ? false : csv_suggest_delimiter(*r->next, e);
}

bool csv_next_field(csv_reader *r, csv_field *f, err *e)
{
    place at = csv_place(r);
    *f = (csv_field){.line = at.line, .column = at.column};
    bool quoted = r->next < r->end && *r->next == '"';
    if (!(quoted ? read_quoted(r, f, e) : read_unquoted(r, f, e)))
        return false;
    if (f->length > CSV_MAX_FIELD)
        return err_at(e, &at, "a field has %zu bytes here, more than the %d that one may have",
                      f->length, CSV_MAX_FIELD);
    return end_field(r, f, e);
}

csv_slice csv_trimmed(const char *from, const char *end)
{
    while (from < end && (*from == ' ' || *from == '\t'))
        from++;
    while (end > from && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (csv_slice){from, end};
}

bool csv_field_text(const csv_reader *r, const csv_field *f, text *out, err *e)
{
    if (utf8_find_invalid(f->text, f->text + f->length) != NULL) {
        place at = csv_field_place(r, f);
        err_at(e, &at, "a label is not UTF-8 here");
        return encoding_remedy(e);
    }
    if (!f->has_escapes) {
        text_add(out, f->text, f->length);
        return text_ok(out, e);
    }
    for (size_t i = 0; i < f->length; i++) {
        text_add(out, &f->text[i], 1);
        if (f->text[i] == '"')
            i++; /* its double */
    }
    return text_ok(out, e);
}

bool csv_is_separator_line(const char *line, size_t length)
{
    return length == SEPARATOR_LINE && memcmp(line, "sep=", SEPARATOR_LINE - 1) == 0;
}

void csv_field_write(text *out, const char *bytes, size_t length, char delimiter, bool quoted)
{
    char first = length == 0 ? '\0' : bytes[0], last = length == 0 ? '\0' : bytes[length - 1];
    quoted = quoted || csv_is_separator_line(bytes, length) || utf8_mark(bytes, length) > 0 ||
             first == '#' || first == ' ' || first == '\t' || last == ' ' || last == '\t';
    for (size_t i = 0; !quoted && i < length; i++)
        quoted = ends_unquoted(bytes[i], delimiter);
    if (!quoted) {
        text_add(out, bytes, length);
        return;
    }
    text_add_string(out, "\"");
    for (size_t i = 0; i < length; i++) {
        text_add(out, &bytes[i], 1);
        if (bytes[i] == '"')
            text_add_string(out, "\"");
    }
    text_add_string(out, "\"");
}
