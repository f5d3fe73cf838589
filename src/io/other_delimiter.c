#include "io/other_delimiter.h"

#include "io/number_read.h"
#include "io/spoiled_number.h"

#include <string.h>

static const char *without_spaces(const char **from, const char *end)
{
    while (*from < end && (**from == ' ' || **from == '\t'))
        ++*from;
    while (end > *from && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return end;
}

/* A number as it is read, or with a comma in it that is not. */
static bool is_number(const char *from, const char *end, char by, bool *decimal_commas)
{
    end = without_spaces(&from, end);
    if (from == end)
        return false;
    size_t length = (size_t)(end - from);
    bool has_comma = by != ',' && memchr(from, ',', length) != NULL;
    if (!has_comma || spoiled_number_remedy(from, length) == NULL)
        return number_end_csv(from, end) == end;
    *decimal_commas = true;
    return true;
}

/* Where the piece that begins at `from` ends. */
static const char *piece_end(const char *from, const char *end, char by)
{
    const char *stop = from == end ? NULL : memchr(from, by, (size_t)(end - from));
    return stop == NULL ? end : stop;
}

/* Where the piece behind this one begins; NULL: it was the last. Spaces may align pieces. */
static const char *next_piece(const char *stop, const char *end, char by)
{
    if (stop == end)
        return NULL;
    do
        stop++;
    while (by == ' ' && stop < end && *stop == ' ');
    return stop;
}

/* How many numbers a text is, or 0 where something else is among them. */
static size_t count_numbers(const char *from, const char *end, char by, bool *decimal_commas)
{
    size_t pieces = 0;
    *decimal_commas = false;
    for (const char *stop; from != NULL; from = next_piece(stop, end, by), pieces++) {
        stop = piece_end(from, end, by);
        if (!is_number(from, stop, by, decimal_commas))
            return 0;
    }
    return pieces;
}

char other_delimiter(const char *from, const char *end, char delimiter, bool *decimal_commas)
{
    static const char others[] = {';', '\t', '|', ' ', ','};
    for (size_t i = 0; i < sizeof others; i++) {
        if (others[i] != delimiter && count_numbers(from, end, others[i], decimal_commas) > 1)
            return others[i];
    }
    return 0;
}

/* As many pieces as another line has, and none of them several by the delimiter. */
static bool is_split_alike(const char *from, const char *end, char by, char delimiter,
                           size_t wanted)
{
    size_t pieces = 0;
    bool ignored;
    for (const char *stop; from != NULL; from = next_piece(stop, end, by), pieces++) {
        stop = piece_end(from, end, by);
        bool is_one = stop == from || memchr(from, delimiter, (size_t)(stop - from)) == NULL;
        if (!is_one && !is_number(from, stop, by, &ignored))
            return false;
    }
    return pieces == wanted;
}

static const char *line_end(const char *line, const char *end)
{
    end = piece_end(line, end, '\n');
    return end > line && end[-1] == '\r' ? end - 1 : end;
}

static bool is_row(const csv_reader *r, const char *line)
{
    return *line != '#' && line_end(line, r->end) > line;
}

/* The row below the line, and the one above it; NULL where there is none. */
static const char *row_below(const csv_reader *r, const char *line)
{
    do
        line = next_piece(piece_end(line, r->end, '\n'), r->end, '\n');
    while (line != NULL && line < r->end && !is_row(r, line));
    return line == r->end ? NULL : line;
}

static const char *row_above(const csv_reader *r, const char *line)
{
    while (line > r->begin) {
        line--;
        while (line > r->begin && line[-1] != '\n')
            line--;
        if (is_row(r, line))
            return line;
    }
    return NULL;
}

static bool are_split_alike(const csv_reader *r, const char *line, char by, size_t pieces)
{
    const char *beside[] = {row_above(r, line), row_below(r, line)};
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        if (beside[i] != NULL &&
            !is_split_alike(beside[i], line_end(beside[i], r->end), by, r->delimiter, pieces))
            return false;
    }
    return true;
}

char other_delimiter_of_line(const csv_reader *r, const char *line, bool *decimal_commas)
{
    static const char others[] = {';', '\t', '|', ','}; /* words have spaces */
    const char *end = line_end(line, r->end), *first = line, *last = without_spaces(&first, end);
    char of_all = other_delimiter(first, last, r->delimiter, decimal_commas);
    for (size_t i = 0; of_all == 0 && i < sizeof others; i++) {
        const char *label_end = piece_end(line, end, others[i]);
        size_t numbers = others[i] == r->delimiter || label_end == end
                             ? 0
                             : count_numbers(label_end + 1, end, others[i], decimal_commas);
        if (numbers > 0 && are_split_alike(r, line, others[i], numbers + 1))
            return others[i];
    }
    return of_all;
}

bool other_delimiter_is_likely(const char *bytes, size_t length)
{
    csv_reader r;
    bool ignored;
    csv_open(&r, "", 1, bytes, length, ',');
    const char *line = r.next < r.end && is_row(&r, r.next) ? r.next : row_below(&r, r.next);
    for (int rows = 0; line != NULL && rows < 2; rows++) { /* a header, and numbers */
        if (other_delimiter_of_line(&r, line, &ignored) != 0)
            return true;
        line = row_below(&r, line);
    }
    return false;
}
