/* Large tables that several threads read: the same numbers, and the same errors in the same places,
 * as one thread finds. */
#include "io/format.h"
#include "listed.h"
#include "unit.h"

#include <string.h>

static const size_t THREADS[] = {2, 3, 7};
enum { WAYS = sizeof THREADS / sizeof THREADS[0] };

/* Six times what a thread takes at once; a list is long before the odd row. */
enum { ROWS = 900, COLUMNS = 61, ODD = 700 };

static double number_at(size_t row, size_t column)
{
    return (double)((row * 31 + column * 7919) % 100000) / 1024 - 40;
}

/* ---- texts ---- */

/* How a row is written, and one of them that is something else. */
typedef struct table {
    const char *begin, *end, *delimiter; /* of a row, and between numbers */
    size_t odd;                          /* row, from 0; ROWS: none */
    const char *instead;
} table;

static void add_row(text *to, const table *how, size_t row)
{
    text_add_string(to, how->begin);
    for (size_t column = 0; column < COLUMNS; column++) {
        text_add_string(to, column > 0 ? how->delimiter : "");
        text_add_format(to, "%.10f", number_at(row, column));
    }
    text_add_string(to, how->end);
}

static void add_rows(text *to, const table *how, const char *between)
{
    for (size_t row = 0; row < ROWS; row++) {
        text_add_string(to, row > 0 ? between : "");
        if (row == how->odd)
            text_add_string(to, how->instead);
        else
            add_row(to, how, row);
    }
}

/* ---- reading ---- */

typedef struct reading {
    bool is_read;
    bundle read;
    err e;
} reading;

static void read_by(reader *by, const text *from, size_t threads, reading *to)
{
    const read_options how = {
        .file = "table", .kind = KEY_EXPECTED, .type = DTYPE_F64, .threads = threads};
    *to = (reading){0};
    to->is_read = by(from->data, from->length, &how, &to->read, &to->e);
}

static bool is_same_entry(const entry *a, const entry *b)
{
    const tensor *x = &a->tensor, *y = &b->tensor;
    return strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->at.line == b->at.line &&
           a->at.column == b->at.column &&
           (a->kind != ENTRY_TENSOR ||
            (x->type == y->type && tensor_same_shape(x, y) &&
             memcmp(x->data, y->data, tensor_count(x) * dtype_size(x->type)) == 0));
}

static bool is_same(const reading *a, const reading *b)
{
    bool same = a->is_read == b->is_read && a->read.count == b->read.count;
    for (size_t i = 0; same && i < a->read.count; i++)
        same = is_same_entry(&a->read.entry[i], &b->read.entry[i]);
    return same;
}

/* Gives what one thread reads, to be freed. */
static void all_read_the_same(unit *u, reader *by, const text *from, reading *one)
{
    read_by(by, from, 1, one);
    for (size_t i = 0; i < WAYS; i++) {
        reading other;
        read_by(by, from, THREADS[i], &other);
        CHECK(u, is_same(one, &other));
        CHECK_TEXT(u, other.e.where, one->e.where);
        CHECK_TEXT(u, other.e.what, one->e.what);
        CHECK_TEXT(u, other.e.remedy, one->e.remedy);
        bundle_free(&other.read);
    }
}

static void check_numbers(unit *u, const tensor *t)
{
    bool same = t->rank == 2 && t->size[0] == ROWS && t->size[1] == COLUMNS;
    for (size_t i = 0; same && i < tensor_count(t); i++)
        same = ((double *)t->data)[i] == number_at(i / COLUMNS, i % COLUMNS);
    CHECK(u, same);
}

static void is_read_well(unit *u, reader *by, text *from, const char *name)
{
    reading one;
    all_read_the_same(u, by, from, &one);
    if (CHECK(u, one.is_read && bundle_tensor(&one.read, name) != NULL))
        check_numbers(u, bundle_tensor(&one.read, name));
    bundle_free(&one.read);
    text_free(from);
}

/* The row that is refused, its place, and what is said of it. */
typedef struct refusal {
    const char *instead, *where, *what;
} refusal;

static void is_refused(unit *u, reader *by, text *from, const refusal *as)
{
    reading one;
    all_read_the_same(u, by, from, &one);
    CHECK(u, !one.is_read);
    CHECK_TEXT(u, one.e.where, as->where);
    CHECK_TEXT(u, one.e.what, as->what);
    text_free(from);
}

/* ---- CSV ---- */

static const table PLAIN = {"", "\n", ",", ROWS, ""};

static text table_text(const char *above, const table *how, const char *below)
{
    text made = {0};
    text_add_string(&made, above);
    add_rows(&made, how, "");
    text_add_string(&made, below);
    return made;
}

static void tables_are_read(unit *u)
{
    static const table WINDOWS = {"", "\r\n", ",", ROWS, ""},
                       SPACES = {" ", " \n", " ,\t", ROWS, ""}, TABS = {"", "\n", "\t", ROWS, ""},
                       LABELS = {"a,", "\n", ",", ROWS, ""},
                       COMMENT = {"", "\n", ",", ROWS / 2, "# nothing\n"};
    text plain = table_text("", &PLAIN, ""), windows = table_text("\xef\xbb\xbf", &WINDOWS, "\r\n"),
         spaces = table_text("", &SPACES, "# end"), tabs = table_text("", &TABS, ""),
         labels = table_text("", &LABELS, ""),
         blocks = table_text("# wq 1x2\n1,2\n\n# wk 900x61\n", &PLAIN, "\n# wv 1x1\n3\n"),
         comment = table_text("", &COMMENT, "");
    is_read_well(u, csv_read, &plain, "");
    is_read_well(u, csv_read, &windows, "");
    is_read_well(u, csv_read, &spaces, "");
    is_read_well(u, tsv_read, &tabs, "");
    is_read_well(u, csv_read, &labels, "");
    is_read_well(u, csv_read, &blocks, "wk");
    reading one;
    all_read_the_same(u, csv_read, &comment, &one);
    CHECK(u, one.is_read && bundle_tensor(&one.read, "")->size[0] == ROWS - 1);
    bundle_free(&one.read);
    text_free(&comment);
}

/* Parts in which no row begins; and a first row so much longer than the others that there are more
 * of them than it makes expect. */
static void lengths_differ(unit *u)
{
    enum { WIDE = 40000, FEW = 4 }; /* a row is three parts long */
    text wide = {0}, first_long = {0};
    reading one;
    for (size_t i = 0; i < WIDE * FEW; i++)
        text_add_format(&wide, "0.%07zu%s", i, i % WIDE == WIDE - 1 ? "\n" : ",");
    all_read_the_same(u, csv_read, &wide, &one);
    CHECK(u, one.is_read && bundle_tensor(&one.read, "")->size[0] == FEW);
    bundle_free(&one.read);
    for (size_t column = 0; column < COLUMNS; column++) {
        text_add_string(&first_long, column == 0 ? "1" : ",1");
        text_add_repeated(&first_long, " ", 4000);
    }
    text_add_string(&first_long, "\n");
    add_rows(&first_long, &PLAIN, "");
    all_read_the_same(u, csv_read, &first_long, &one);
    CHECK(u, one.is_read && bundle_tensor(&one.read, "")->size[0] == ROWS + 1);
    bundle_free(&one.read);
    text_free(&wide);
    text_free(&first_long);
}

static void csv_errors_have_their_places(unit *u)
{
    static const refusal REFUSED[] = {
        {"1,2\n", "table:701:4", "row 701 has 2 numbers, row 1 has 61"},
        {"\n", "table:702:1", "a row stands here below a blank line (701), which ends a matrix"},
        {"1,\"2\n", "table:701:3", "the quote that begins here is never closed"},
        {"1,2\"\n", "table:701:4", "a quote stands inside a field that doesn't begin with one"},
        {"1,1e999\n", "table:701:3",
         "1e999 is too large for float64, whose largest number is 1.7976931348623157e308"},
        {"1,x\n", "table:701:3", "'x' is not a number"},
        {"1,2\r", "table:701:4", "a carriage return stands here without a line feed after it"},
    };
    table how = PLAIN;
    how.odd = ODD;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        how.instead = REFUSED[i].instead;
        text made = table_text("", &how, "");
        is_refused(u, csv_read, &made, &REFUSED[i]);
    }
}

/* A first error wins, also where a thread comes to a later one before. */
static void first_error_wins(unit *u)
{
    reading one;
    table how = {"", "\n", ",", 1, "1,x\n"};
    text made = table_text("", &how, "1,y\n");
    how.odd = ROWS - 1;
    add_rows(&made, &how, "");
    all_read_the_same(u, csv_read, &made, &one);
    CHECK_TEXT(u, one.e.where, "table:2:3");
    text_free(&made);
    text more = table_text("# a 899x61\n", &PLAIN, "");
    all_read_the_same(u, csv_read, &more, &one);
    CHECK_TEXT(u, one.e.where, "table:901:1");
    CHECK_TEXT(u, one.e.what, "a has more rows than the 899 that its comment in line 1 says");
    text_free(&more);
}

/* ---- JSON ---- */

static const table LISTS = {"[", "]", ", ", ROWS, ""};

static text document_text(const table *how, const char *between)
{
    text made = {0};
    text_add_string(&made, "{\"a\": [[1, 2], [3, 4]],\n\"b\": [");
    add_rows(&made, how, between);
    text_add_string(&made, "],\n\"c\": [");
    add_rows(&made, &LISTS, between);
    text_add_string(&made, "],\n\"d\": [[");
    add_rows(&made, &LISTS, between);
    text_add_string(&made, "], [");
    add_rows(&made, &LISTS, between);
    text_add_string(&made, "]]}");
    return made;
}

static void documents_are_read(unit *u)
{
    static const table WIDE = {"\n [\r", "\t]", "\n,", ROWS, ""};
    text lists = document_text(&LISTS, ",\n"), dense = document_text(&LISTS, ","),
         wide = document_text(&WIDE, " ,\t ");
    is_read_well(u, json_read, &lists, "b");
    is_read_well(u, json_read, &dense, "c");
    is_read_well(u, json_read, &wide, "b");
}

static void json_errors_have_their_places(unit *u)
{
    static const refusal REFUSED[] = {
        {"[1, 2]", "table:702:1", "row 701 has 2 numbers, row 1 has 61"},
        {"[1, 2", "table:902:4", "expected ',' or ']', found ':'"},
        {"[1, 02]", "table:702:5", "expected a number, found '02'"},
        {"[1, 2]]", "table:703:1", "expected a key in double quotes, found '['"},
        {"7", "table:702:1", "expected a row as in the first place of the list, found '7'"},
        {"", "table:702:1", "expected a value, found ','"},
    };
    table how = LISTS;
    how.odd = ODD;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        how.instead = REFUSED[i].instead;
        text made = document_text(&how, ",\n");
        is_refused(u, json_read, &made, &REFUSED[i]);
    }
}

/* A part ends where a row does, and what comes next is none: the first row of the next part does
 * not follow. A row has 16 bytes, so that a part is 8,192 of them; the first part begins once 2¹⁵
 * numbers are read. */
static void parts_end_with_a_row(unit *u)
{
    static const char ROW[] = "[0.125,0.06250],";
    enum { FIRST = 1 << 14, PART_ROWS = 8192 };
    text made = {0};
    reading one;
    text_add_string(&made, "[");
    text_add_repeated(&made, ROW, FIRST + PART_ROWS);
    text_add_string(&made, "7              ,");
    text_add_repeated(&made, ROW, 4 * PART_ROWS);
    text_add_string(&made, "[1,2]]");
    all_read_the_same(u, json_read, &made, &one);
    CHECK_TEXT(u, one.e.where, "table:1:393218"); /* 1 + 16·24,576 bytes before */
    CHECK_TEXT(u, one.e.what, "expected a row as in the first place of the list, found '7'");
    text_free(&made);
}

/* As many numbers as in other rows, and no end. */
static void rows_end_in_brackets(unit *u)
{
    table how = LISTS;
    text row = {0};
    text_add_string(&row, "[1");
    text_add_repeated(&row, ",1", COLUMNS - 1);
    text_add_string(&row, "}");
    how.odd = ODD;
    how.instead = text_string(&row);
    text made = document_text(&how, ",\n");
    const refusal as = {"", "table:702:123", "expected ',' or ']', found '}'"}; /* 2·61 before */
    is_refused(u, json_read, &made, &as);
    text_free(&row);
}

UNIT(rows_read)
{
    parts_end_with_a_row(u);
    rows_end_in_brackets(u);
    tables_are_read(u);
    lengths_differ(u);
    csv_errors_have_their_places(u);
    first_error_wins(u);
    documents_are_read(u);
    json_errors_have_their_places(u);
}
