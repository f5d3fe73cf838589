#include "shown.h"

#include <stdio.h>
#include <string.h>

/* ---- the lines that say so ---- */

/* "rows 9 to 29 and 31 to 61 of 64": [first, end) each, at most two; none where nothing is said. */
typedef struct hidden {
    size_t first[2], end[2], count;
} hidden;

static void read_hidden(reader *r, const char *what, size_t total, hidden *h)
{
    if (!reader_sees(r, what))
        return;
    reader_sees(r, "s");
    do {
        read_words(r, " ");
        size_t first = read_count(r), last = reader_sees(r, " to ") ? read_count(r) : first;
        if (first == 0 || last < first || last > total || h->count == 2)
            reader_fail(r, "no such %ss are left out", what);
        else {
            h->first[h->count] = first - 1;
            h->end[h->count++] = last;
        }
    } while (!r->failed && reader_sees(r, " and"));
    read_words(r, " of %zu", total);
}

static bool begins(const char *line, const char *words)
{
    line += strspn(line, " ");
    return strncmp(line, words, strlen(words)) == 0;
}

static bool is_note(const char *line)
{
    return begins(line, "row ") || begins(line, "rows ") || begins(line, "column ") ||
           begins(line, "columns ");
}

/* Takes "… left out; --full shows them", which may be broken into two lines, off the end. */
static void take_note(reader *r, paragraph *p, size_t rows, size_t columns, hidden *of_rows,
                      hidden *of_columns)
{
    char note[LONGEST_LINE] = "";
    size_t first = p->count;
    while (first > 1 && first + 3 > p->count && !is_note(p->line[first - 1]))
        first--;
    if (first < 2 || !is_note(p->line[first - 1]))
        return;
    for (size_t i = --first; i < p->count; i++) {
        const char *line = p->line[i] + strspn(p->line[i], " ");
        snprintf(note + strlen(note), sizeof note - strlen(note), "%s%s", i > first ? " " : "",
                 line);
    }
    if (strstr(note, "left out") == NULL)
        return;
    p->count = first;
    const char *rest = r->at;
    r->at = note;
    read_hidden(r, "row", rows, of_rows);
    if (of_rows->count > 0)
        reader_sees(r, " and ");
    read_hidden(r, "column", columns, of_columns);
    bool is_one = reader_sees(r, " is");
    read_words(r, is_one ? " left out; --full shows it" : " are left out; --full shows them");
    read_end(r);
    r->at = rest;
}

/* Takes "columns 7 to 12 of 64" off the beginning. */
static void take_part(reader *r, paragraph *p, size_t columns, size_t *first, size_t *end)
{
    *first = 0;
    *end = columns;
    if (p->count == 0 || !begins(p->line[0], "column"))
        return;
    const char *rest = r->at;
    r->at = p->line[0];
    read_spaces(r);
    read_words(r, "column");
    reader_sees(r, "s");
    read_words(r, " ");
    *first = read_count(r) - 1;
    *end = reader_sees(r, " to ") ? read_count(r) : *first + 1;
    read_words(r, " of %zu", columns);
    read_end(r);
    if (*first >= *end || *end > columns)
        reader_fail(r, "no such columns: '%s'", p->line[0]);
    r->at = rest;
    p->line++;
    p->count--;
}

/* ---- places ---- */

static bool is_hidden(const hidden *h, size_t index)
{
    for (size_t i = 0; i < h->count; i++) {
        if (index >= h->first[i] && index < h->end[i])
            return true;
    }
    return false;
}

static void place_all(reader *r, shown *s, size_t first, size_t end, const hidden *h)
{
    s->count = 0;
    for (size_t i = first; i < end && s->count < SHOWN_MOST; i++) {
        bool was_gap = s->count > 0 && s->place[s->count - 1] == SHOWN_GAP;
        if (!is_hidden(h, i))
            s->place[s->count++] = i;
        else if (!was_gap)
            s->place[s->count++] = SHOWN_GAP;
    }
    if (s->count == SHOWN_MOST)
        reader_fail(r, "too many to be checked");
}

void shown_find(reader *r, paragraph *p, size_t rows, size_t columns, shown *of_rows,
                shown *of_columns)
{
    hidden hidden_rows = {0}, hidden_columns = {0};
    size_t first, end;
    take_note(r, p, rows, columns, &hidden_rows, &hidden_columns);
    take_part(r, p, columns, &first, &end);
    place_all(r, of_rows, 0, rows, &hidden_rows);
    place_all(r, of_columns, first, end, &hidden_columns);
}

void read_shown_row(reader *r, const tensor *matrix, size_t row, const shown *columns)
{
    read_words(r, "[");
    for (size_t i = 0; i < columns->count && !r->failed; i++) {
        read_words(r, i > 0 ? ", " : "");
        read_spaces(r);
        if (columns->place[i] == SHOWN_GAP)
            read_words(r, "…");
        else
            read_number(r, number_at(matrix, row, columns->place[i]));
    }
    read_words(r, "]");
}
