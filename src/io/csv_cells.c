#include "io/csv_cells.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "io/csv_write.h"
#include "io/in_order.h"
#include "io/number_read.h"
#include "io/slips.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

bool csv_delimiter_check(char delimiter, err *e)
{
    static const char never[] = "\"#\r\n+-._";
    unsigned char byte = (unsigned char)delimiter;
    bool is_letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
    if (byte != 0 && byte < 0x80 && !is_letter && !is_digit(delimiter) &&
        strchr(never, delimiter) == NULL)
        return true;
    err_at(e, &(place){.file = "--delimiter"}, "'%c' can't separate fields", delimiter);
    return err_remedy(e, "use one of , ; : | a tab or a space");
}

/* Adds the remedy to an error that another delimiter explains. */
static bool suggest_delimiter(char other, err *e)
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

static bool fail_here(const csv_reader *r, err *e, const char *what)
{
    place at = csv_place(r);
    return err_at(e, &at, "%s", what);
}

/* Reads past a line end, LF or CRLF, where there is one. */
static bool take_line_end(csv_reader *r)
{
    bool has_return = r->end - r->next >= 2 && r->next[0] == '\r' && r->next[1] == '\n';
    assert(r->next < r->end);
    if (!has_return && *r->next != '\n')
        return false;
    r->next += 1 + has_return;
    r->line_start = r->next;
    r->line++;
    return true;
}

csv_line csv_next_line(csv_reader *r, csv_field *comment)
{
    if (r->next == r->end)
        return CSV_END;
    if (*r->next != '#')
        return take_line_end(r) ? CSV_BLANK : CSV_ROW;
    *comment = (csv_field){.text = r->next + 1, .at = csv_place(r), .last = true};
    const char *newline = memchr(r->next, '\n', (size_t)(r->end - r->next));
    const char *end = newline == NULL ? r->end : newline;
    r->next = newline == NULL ? r->end : newline + 1;
    r->line_start = r->next;
    r->line++;
    if (end > comment->text && end[-1] == '\r')
        end--;
    comment->length = (size_t)(end - comment->text);
    return CSV_COMMENT;
}

static bool ends_unquoted(char byte, char delimiter)
{
    return byte == delimiter || byte == '\n' || byte == '\r' || byte == '"' || byte == '\0';
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
    return err_at(e, &f->at, "the quote that begins here is never closed");
}

bool csv_next_field(csv_reader *r, csv_field *f, err *e)
{
    *f = (csv_field){.at = csv_place(r)};
    if (r->next < r->end && *r->next == '"') {
        if (!read_quoted(r, f, e))
            return false;
    } else {
        /* A byte order mark inside a file, as joined files have it. It is invisible, and would make
         * a label of a number. */
        if (utf8_mark(r->next, (size_t)(r->end - r->next)) > 0)
            return fail_here(r, e, "a byte order mark stands here, inside the text");
        f->text = r->next;
        while (r->next < r->end && !ends_unquoted(*r->next, r->delimiter))
            r->next++;
        f->length = (size_t)(r->next - f->text);
        if (r->next < r->end && *r->next == '"') {
            fail_here(r, e, "a quote stands inside a field that doesn't begin with one");
            return err_remedy(e, "quote the whole field, and write \"\" for a quote in it");
        }
    }
    if (f->length > CSV_MAX_FIELD)
        return err_at(e, &f->at, "a field has %zu bytes here, more than the %d that one may have",
                      f->length, CSV_MAX_FIELD);
    /* After a field comes a delimiter, a line end or the end of the file; anything else is an
     * error. */
    f->last = r->next == r->end || take_line_end(r);
    if (f->last)
        return true;
    if (*r->next == r->delimiter) {
        r->next++;
        return true;
    }
    if (*r->next == '\0') {
        fail_here(r, e, "a NUL byte stands here, which text doesn't have");
        return err_remedy(e, "save the file as CSV in UTF-8");
    }
    if (*r->next == '\r')
        return fail_here(r, e, "a carriage return stands here without a line feed after it");
    fail_here(r, e, "text follows a closing quote");
    return strchr(",;|\t", *r->next) != NULL && suggest_delimiter(*r->next, e);
}

csv_slice csv_trimmed(const char *from, const char *end)
{
    while (from < end && (*from == ' ' || *from == '\t'))
        from++;
    while (end > from && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (csv_slice){from, end};
}

bool csv_field_text(const csv_field *f, text *out, err *e)
{
    if (utf8_find_invalid(f->text, f->text + f->length) != NULL) {
        err_at(e, &f->at, "a label is not UTF-8 here");
        return encoding_remedy(e);
    }
    if (!f->has_escapes) {
        text_add(out, f->text, f->length);
        return text_ok(out, e);
    }
    for (size_t i = 0; i < f->length; i++) {
        text_add(out, &f->text[i], 1);
        if (f->text[i] == '"')
            i++; /* passes the second quote of a pair */
    }
    return text_ok(out, e);
}

bool csv_is_separator_line(const char *line, size_t length)
{
    return length == SEPARATOR_LINE && memcmp(line, "sep=", SEPARATOR_LINE - 1) == 0;
}

void csv_field_write(text *out, const char *bytes, size_t length, char delimiter, bool quoted)
{
    csv_slice inside = csv_trimmed(bytes, bytes + length);
    quoted = quoted || csv_is_separator_line(bytes, length) || utf8_mark(bytes, length) > 0 ||
             (size_t)(inside.end - inside.from) < length || (length > 0 && *bytes == '#');
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

/* ---- cells ---- */

static csv_slice trimmed_field(const csv_field *f)
{
    return csv_trimmed(f->text, f->text + f->length);
}

static bool is_finite_number(csv_slice s)
{
    return number_end_csv(s.from, s.end) == s.end;
}

static bool is_word(csv_slice s, const char *word)
{
    size_t length = (size_t)(s.end - s.from);
    return length == strlen(word) && strncasecmp(s.from, word, length) == 0;
}

static bool is_number(csv_slice s, key_kind kind)
{
    double ignored;
    return is_finite_number(s) || number_read_nonfinite(s.from, s.end, &ignored) ||
           (kind == KEY_MASK && (is_word(s, "true") || is_word(s, "false")));
}

cell_look cell_look_of(const csv_field *f, key_kind kind)
{
    csv_slice s = trimmed_field(f);
    if (s.from == s.end)
        return CELL_EMPTY;
    if (!is_number(s, kind))
        return CELL_LABEL;
    return f->quoted ? CELL_QUOTED_NUMBER : CELL_NUMBER;
}

bool cell_is_misread(const char *cell, size_t length, char delimiter)
{
    bool ignored;
    csv_slice s = csv_trimmed(cell, cell + length);
    return slip_find(SLIP_DECIMAL_COMMA, s.from, s.from, s.end) != NULL ||
           other_delimiter(s.from, s.end, delimiter, &ignored) != 0;
}

bool label_looks_like_number(const char *label, size_t length, char delimiter)
{
    csv_slice s = csv_trimmed(label, label + length);
    return is_number(s, KEY_MASK) || cell_is_misread(label, length, delimiter) ||
           spoiled_number_remedy(s.from, s.end) != NULL;
}

const char *label_spoiled_remedy(const csv_field *f, char delimiter)
{
    csv_slice s = trimmed_field(f);
    bool needs_quotes = f->length > 0 && memchr(f->text, delimiter, f->length) != NULL;
    return f->quoted && !needs_quotes ? NULL : spoiled_number_remedy(s.from, s.end);
}

bool cells_remedy(const csv_reader *r, const csv_field *f, err *e)
{
    const char *line = f->text - (f->quoted ? 1 : 0) - (f->at.column - 1);
    csv_slice s = trimmed_field(f);
    const char *spoiled = spoiled_number_remedy(s.from, s.end);
    bool decimal_commas;
    char other = other_delimiter_of_line(r, line, &decimal_commas);
    if (other != 0 && decimal_commas)
        err_remedy(e, "decimal commas are not read: write 0.5 for 0,5 (then --delimiter '%c')",
                   other);
    else if (other != 0)
        suggest_delimiter(other, e);
    else if (spoiled != NULL)
        err_remedy(e, "%s", spoiled);
    return false;
}

bool cells_remedy_missing(const cells *to, const csv_field *f, err *e)
{
    csv_slice s = trimmed_field(f);
    const char *remedy = slip_remedy(SLIP_MISSING, s.from, s.from, s.end);
    if (to->kind == KEY_MASK || remedy == NULL)
        return false;
    return err_remedy(e, "%s", to->kind == KEY_EXPECTED ? "leave the cell empty" : remedy);
}

/* ---- numbers ---- */

/* Messages quote this much of a cell. */
static int quoted_length(csv_slice s)
{
    enum { LONGEST = 40 };
    return (int)utf8_cut(s.from, (size_t)(s.end - s.from), LONGEST);
}

static bool refuse_other(const cells *to, const csv_reader *r, const csv_field *f, csv_slice s,
                         const place *at, err *e)
{
    bool is_missing = s.from == s.end;
    if (is_missing && r->delimiter == ' ') {
        /* Columns that spaces align would be full of holes; merged, a hole would move the numbers
         * after it. */
        err_at(e, at, "a number is missing: every space counts as a separator here");
        return err_remedy(e, "write one between numbers and none around them (tr -s ' ' squeezes "
                             "them); a hole is \"\"");
    }
    if (is_missing)
        err_at(e, at, "a number is missing");
    else if (to->kind == KEY_MASK)
        err_at(e, at, "'%.*s' is neither true (1) nor false (0)", quoted_length(s), s.from);
    else
        err_at(e, at, "'%.*s' is not a number", quoted_length(s), s.from);
    return cells_remedy(r, f, e);
}

static void push(cells *to, double value)
{
    if (to->type == DTYPE_F32)
        ((float *)to->data)[to->count++] = (float)value;
    else if (to->type == DTYPE_F64)
        ((double *)to->data)[to->count++] = value;
    else
        ((unsigned char *)to->data)[to->count++] = value != 0;
}

bool cells_add(cells *to, const csv_reader *r, const csv_field *f, err *e)
{
    if (!cells_reserve(to, 1, e))
        return false;
    csv_slice s = trimmed_field(f);
    place at = f->at;
    at.column += (size_t)(s.from - f->text) + (f->quoted ? 1 : 0);
    double wide = 0;
    if (is_finite_number(s)) {
        float narrow = 0;
        bool is_narrow = to->type == DTYPE_F32;
        if (!(is_narrow ? number_read_f32(s.from, s.end, &narrow)
                        : number_read_f64(s.from, s.end, &wide))) {
            err_at(e, &at, "%.*s is too large for %s, whose largest number is %s", quoted_length(s),
                   s.from, is_narrow ? "float32" : "float64",
                   is_narrow ? "3.4028235e38" : "1.7976931348623157e308");
            return is_narrow && err_remedy(e, "--dtype f64 holds larger numbers");
        }
        if (to->kind == KEY_MASK && wide != 1 && !number_is_zero(s.from, s.end))
            return refuse_other(to, r, f, s, &at, e);
        push(to, is_narrow ? (double)narrow : wide);
        return true;
    }
    /* Reads any other cell: a number that is not finite, a word of a mask or a hole; else an
     * error. */
    bool may_align = r->delimiter == ' ' && !f->quoted;
    if (s.from == s.end && to->kind == KEY_EXPECTED && !may_align) {
        push(to, tensor_hole());
    } else if (to->kind == KEY_MASK && (is_word(s, "true") || is_word(s, "false"))) {
        push(to, is_word(s, "true"));
    } else if (to->kind == KEY_MASK || !number_read_nonfinite(s.from, s.end, &wide)) {
        return refuse_other(to, r, f, s, &at, e);
    } else if (!read_takes_nonfinite(to->kind, to->allow_nonfinite, wide)) {
        const char *why = to->kind == KEY_BIAS ? "can't be a bias: finite numbers and -inf can"
                                               : "is not a finite number";
        err_at(e, &at, "%.*s %s", quoted_length(s), s.from, why);
        return err_remedy(e, "--allow-nonfinite lets it through");
    } else {
        push(to, wide);
    }
    return true;
}

bool cells_reserve(cells *to, size_t more, err *e)
{
    size_t wanted = to->count + more; /* can't overflow: a text has fewer numbers than bytes */
    if (wanted <= to->capacity)
        return true;
    if (wanted < 2 * to->capacity) /* doubling, so that many blocks take linear time */
        wanted = 2 * to->capacity;
    void *larger = mem_resize(to->data, wanted, dtype_size(to->type), e);
    if (larger == NULL)
        return false;
    to->data = larger;
    to->capacity = wanted;
    return true;
}

size_t cells_add_usual(cells *to, csv_reader *r, size_t most, csv_field *f)
{
    size_t room = to->capacity - to->count;
    if (to->type == DTYPE_BOOL || room == 0)
        return 0;
    number_list l = {.at = r->next, .end = r->end, .delimiter = r->delimiter};
    /* Spaces and tabs around a number are ignored, except the delimiter. */
    uint64_t spaces = (uint64_t)1 << ' ' | 1 << '\t';
    l.spaces = r->delimiter <= ' ' ? spaces & ~((uint64_t)1 << r->delimiter) : spaces;
    l.due = true;
    size_t added =
        number_list_read(&l, to->type, (char *)to->data + to->count * dtype_size(to->type),
                         room < most ? room : most);
    r->next = l.last;
    place at = csv_place(r);
    r->next = l.at;
    if (!l.due && take_line_end(r)) { /* the number was the last field of its row */
        *f = (csv_field){.text = l.last, .at = at, .last = true};
        f->length = (size_t)(l.at - l.last);
    } else if (!l.due) { /* a number, but not the whole field */
        r->next = l.last;
        added--;
    }
    to->count += added;
    return added;
}

/* ---- rows ahead ---- */

typedef struct table {
    const csv_reader *reader; /* stands before the rows */
    cells *cells;
    size_t columns, most, rows; /* rows: taken so far */
} table;

static const char *read_row(const void *how, const char *row, void *numbers)
{
    const table *t = how;
    csv_reader r = *t->reader;
    cells one = {.type = t->cells->type, .data = numbers, .capacity = t->columns};
    csv_field f = {0};
    r.next = r.line_start = row;
    return cells_add_usual(&one, &r, t->columns, &f) == t->columns && f.last ? r.next : NULL;
}

static bool take_rows(void *to, const void *numbers, size_t rows, err *e)
{
    table *t = to;
    size_t count = rows * t->columns, size = dtype_size(t->cells->type);
    if (rows > t->most - t->rows || !cells_reserve(t->cells, count, e))
        return false;
    memcpy((char *)t->cells->data + t->cells->count * size, numbers, count * size);
    t->cells->count += count;
    t->rows += rows;
    return true;
}

bool cells_read_ahead(cells *to, csv_reader *r, size_t columns, size_t most, size_t threads,
                      size_t *rows, err *e)
{
    enum { LONGEST = 32 }; /* bytes: a number and what follows it */
    table t = {.reader = r, .cells = to, .columns = columns, .most = most};
    /* Looks no further than `most` rows of usual numbers take: what follows is the next block's,
     * and would be read once more for each block. */
    size_t left = (size_t)(r->end - r->next);
    bool ends_before = most < left / LONGEST / columns;
    const rows_read all = {.at = r->next,
                           .end = ends_before ? r->next + most * columns * LONGEST : r->end,
                           .columns = columns,
                           .size = dtype_size(to->type),
                           .mark = '\n',
                           .is_before = true,
                           .read = read_row,
                           .take = take_rows,
                           .to = &t};
    const char *after = rows_read_ahead(&all, threads, e);
    r->next = r->line_start = after;
    r->line += t.rows;
    *rows = t.rows;
    return !e->is_set;
}

/* ---- matrices in pieces ---- */

bool csv_matrices_find(csv_matrices *all, const char *name, size_t length, const place *at,
                       size_t *found, err *e)
{
    const entry *there = bundle_find_bytes(all->out, name, length);
    key_kind kind = all->how->kind;
    bool is_wanted = true;
    *found = there == NULL ? all->count : (size_t)(there - all->out->entry);
    if (there != NULL)
        return true;
    if (length > 0 && !read_find_kind(all->how, name, length, at, &kind, &is_wanted, e))
        return false;
    kind = is_wanted ? kind : KEY_EXPECTED; /* takes any number, since it will not be used */
    if (kind != KEY_MATRIX && kind != KEY_BIAS && kind != KEY_MASK && kind != KEY_EXPECTED)
        return err_at(e, at, "'%.*s' isn't a matrix, and CSV holds nothing else", (int)length,
                      name);
    csv_matrix *larger = mem_grow(all->one, all->count, &all->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return false;
    all->one = larger;
    if (bundle_add(all->out, name, length, *at, e) == NULL)
        return false;
    bool is_wide = kind == KEY_EXPECTED && !all->how->types_expected;
    dtype type = is_wide ? DTYPE_F64 : kind == KEY_MASK ? DTYPE_BOOL : all->how->type;
    larger[all->count++] = (csv_matrix){
        .cells = {.kind = kind, .type = type, .allow_nonfinite = all->how->allow_nonfinite}};
    return true;
}

bool csv_matrices_finish(csv_matrices *all, err *e)
{
    for (size_t i = 0; i < all->count; i++) {
        csv_matrix *m = &all->one[i];
        entry *to = &all->out->entry[i];
        size_t size[GRID_AXES + 2];
        int rank;
        if (!grid_finish(&m->grid, all->how->file, to->name, size, &rank, e))
            return false;
        if (!m->grid.has[GRID_COL]) { /* blocks, not single numbers */
            size[rank++] = m->rows;
            size[rank++] = m->columns;
        }
        to->kind = ENTRY_TENSOR;
        to->axes = grid_letters(&m->grid);
        if (m->grid.was_in_order) {
            tensor_own(&to->tensor, m->cells.type, rank, size, m->cells.data);
            m->cells.data = NULL;
            continue;
        }
        /* The pieces go where the finished grid says. */
        if (!tensor_new(&to->tensor, m->cells.type, rank, size, e))
            return false;
        size_t bytes = tensor_count(&to->tensor) / m->grid.count * dtype_size(m->cells.type);
        char *next = to->tensor.data;
        for (size_t piece = 0; piece < m->grid.count; piece++, next += bytes)
            memcpy(next, (const char *)m->cells.data + m->grid.piece[piece].order * bytes, bytes);
        mem_free(m->cells.data);
        m->cells.data = NULL;
    }
    return true;
}

void csv_matrices_free(csv_matrices *all)
{
    for (size_t i = 0; i < all->count; i++) {
        mem_free(all->one[i].cells.data);
        mem_free(all->one[i].grid.piece);
    }
    mem_free(all->one);
}
