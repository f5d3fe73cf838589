#include "io/slips.h"

#include "io/json_scan.h"
#include "io/csv_cells.h"
#include "io/number_read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- shapes ---- */

/* "1.": no digit follows the point. */
static bool ends_in_point(const slip_spot *s)
{
    const char *end = json_word_end(s->at, s->end);
    return end > s->at && end[-1] == '.';
}

/* "01", "-007". */
static bool has_leading_zero(const slip_spot *s)
{
    const char *at = s->at + (s->at < s->end && *s->at == '-');
    return s->end - at > 1 && at[0] == '0' && is_digit(at[1]);
}

static bool begins_a_word(const slip_spot *s)
{
    char first = s->at < s->end ? *s->at : '\0';
    return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
}

/* "1/2": a slash after a number, which was read without an error. */
static bool is_fraction(const slip_spot *s)
{
    const char *before = s->at;
    while (before > s->begin && before[-1] == ' ')
        before--;
    return s->at < s->end && *s->at == '/' && before > s->begin && is_digit(before[-1]);
}

static bool begins_a_number(const char *at, const char *end)
{
    return at < end && (is_digit(*at) || *at == '-' || *at == '.');
}

/* "1. 0." or "1 0": nothing but spaces between two numbers, as a printed array has it. */
static bool is_printed_array(const slip_spot *s)
{
    const char *before = s->at, *after = json_word_end(s->at, s->end);
    while (before > s->begin && before[-1] == ' ')
        before--;
    bool goes_on = before < s->at && before > s->begin && is_digit(before[-1]);
    const char *next = after;
    while (next < s->end && *next == ' ')
        next++;
    bool is_in_list = memchr(s->begin, '[', (size_t)(s->at - s->begin)) != NULL;
    return is_in_list && begins_a_number(s->at, s->end) &&
           (goes_on || (next > after && begins_a_number(next, s->end)));
}

/* A line of cells between |, above a line of nothing but - and :. */
static bool is_markdown(const slip_spot *s)
{
    const char *rule = memchr(s->at, '\n', (size_t)(s->end - s->at));
    if (rule == NULL || *s->at != '|' || s->end - rule < 3 || rule[1] != '|')
        return false;
    const char *after = rule + 1 + strspn(rule + 1, "|-: ");
    return after - rule > 3 && (*after == '\n' || *after == '\r');
}

enum { LONGEST = 64 }; /* bytes: no typed number is longer */

/* Whether a text is a number once this byte of it is `c`. */
static bool is_number_with(const slip_spot *s, const char *byte, char c)
{
    char copy[LONGEST];
    size_t length = (size_t)(s->end - s->at);
    if (length > sizeof copy)
        return false;
    memcpy(copy, s->at, length);
    copy[byte - s->at] = c;
    return number_end_csv(copy, copy + length) == copy + length;
}

/* ＋ to ９: the characters of ASCII from + to 9, in full width. */
static bool is_wide(const slip_spot *s)
{
    return s->end - s->at >= 3 && memcmp(s->at, "\xef\xbc\x8b", 3) >= 0 &&
           memcmp(s->at, "\xef\xbc\x99", 3) <= 0;
}

/* "0,5" as many countries write it: one comma, and with a point in its place a number. */
static bool is_decimal_comma(const slip_spot *s)
{
    const char *comma = s->at == s->end ? NULL : memchr(s->at, ',', (size_t)(s->end - s->at));
    return comma != NULL && is_number_with(s, comma, '.');
}

/* "1.5D-03": in double precision, as Fortran has it. */
static bool has_fortran_exponent(const slip_spot *s)
{
    const char *p = s->at + (s->at < s->end);
    while (p < s->end && *p != 'd' && *p != 'D')
        p++;
    return s->end - p > 1 && is_number_with(s, p, 'e');
}

static const char *sign_end(const slip_spot *s)
{
    return s->at + (s->at < s->end && (*s->at == '-' || *s->at == '+'));
}

/* "1,234.5": groups of three after `separator`, at least one, and perhaps a fraction. */
static bool has_groups(const slip_spot *s, char separator, char point, bool has_fraction)
{
    const char *first = sign_end(s), *whole = digits_end(first, s->end), *p = whole;
    if (p == first || p - first > 3)
        return false;
    while (p < s->end && *p == separator && digits_end(p + 1, s->end) == p + 4)
        p += 4;
    if (p == whole || p == s->end)
        return p > whole && !has_fraction;
    return *p == point && digits_end(p + 1, s->end) == s->end;
}

static bool has_thousands(const slip_spot *s)
{
    return has_groups(s, ',', '.', false) || has_groups(s, '\'', '.', false) ||
           has_groups(s, ' ', '.', false) || has_groups(s, ' ', ',', true) ||
           has_groups(s, '.', ',', true);
}

/* As C's strtod reads it: with a fraction and a binary exponent, or without. */
static bool is_hexadecimal(const slip_spot *s)
{
    char copy[LONGEST + 1] = {0}, *end;
    const char *p = sign_end(s);
    size_t length = (size_t)(s->end - s->at);
    assert(length <= LONGEST); /* callers look at no longer numbers */
    if (s->end - p < 3 || p[0] != '0' || (p[1] != 'x' && p[1] != 'X'))
        return false;
    memcpy(copy, s->at, length);
    strtod(copy, &end);
    return end == copy + length;
}

/* What R, pandas and spreadsheets write where no number is. */
static bool is_missing(const slip_spot *s)
{
    static const char *const WORDS[] = {"",       "NA",    "N/A",     "<NA>",    "NaT",   "None",
                                        "null",   "#N/A",  "#DIV/0!", "#VALUE!", "#REF!", "#NAME?",
                                        "#NULL!", "#NUM!", "#SPILL!", "#CALC!"};
    size_t length = (size_t)(s->end - s->at), i = 0, count = sizeof WORDS / sizeof WORDS[0];
    while (i < count && (strlen(WORDS[i]) != length || strncasecmp(s->at, WORDS[i], length) != 0))
        i++;
    return i < count;
}

/* ---- the table ---- */

#define SEEN(bytes) bytes, sizeof bytes - 1, NULL
#define SHAPE(looks) NULL, 0, looks
#define FROM(bytes, looks) bytes, sizeof bytes - 1, looks

static const char OF_PICKLES[] = "save its numbers as safetensors, or with numpy.savez";
static const char OF_GGUF[] = "the safetensors that it was made from are read";
static const char OF_TABLES[] = "pandas reads it, and to_csv writes what is read";
static const char OF_PICTURES[] = "numbers are read as text: CSV, JSON, or a file of NumPy";
static const char OF_PRINTED[] = "json.dumps(a.tolist()) writes what is read";
static const char POINT[] = "JSON writes a number with a digit on each side of the point: 0.5, 1.0";
static const char QUOTES[] = "JSON puts texts in double quotes";
static const char COMMENT[] = "JSON has no comments; a key that begins with _ may hold a remark";
static const char MINUS[] = "a number's minus is - (U+002D), and here stands − (U+2212)";
static const char SPACES[] =
    "the spaces next to a number are U+0020, and here stands another, such as U+00A0";
static const char WIDE[] =
    "numbers are read in ASCII, not in characters of full width: write 12 for １２";

/* In the order of their places. */
/* clang-format off */
static const slip ROWS[] = {
    {SLIP_DECIMAL_COMMA, SHAPE(is_decimal_comma), "0.5",
     "decimal commas are not read: write 0.5 for 0,5"},
    {SLIP_THOUSANDS, SHAPE(has_thousands), "1234.5",
     "numbers are read without separators of thousands: write 1234.5 for 1,234.5"},
    {SLIP_NUMBER, SHAPE(has_fortran_exponent), "1e5",
     "exponents are read after e: write 1e5 for 1d5"},
    {SLIP_NUMBER, SHAPE(is_hexadecimal), "16", "hexadecimal is not read: write 16 for 0x10"},
    {SLIP_CHARACTER, SEEN("\xe2\x88\x92"), "-", MINUS},
    {SLIP_CHARACTER, SEEN("\xc2\xa0"), " ", SPACES},
    {SLIP_CHARACTER, SEEN("\xe2\x80\xaf"), " ", SPACES},
    {SLIP_CHARACTER, SEEN("\xe2\x80\x89"), " ", SPACES},
    {SLIP_CHARACTER, FROM("\xef\xbc\x8b", is_wide), "+", WIDE},

    {SLIP_MISSING, SHAPE(is_missing), "nan",
     "write nan for it, which --allow-nonfinite lets through"},

    {SLIP_JSON_VALUE, SEEN("'"), "\"", QUOTES},
    {SLIP_JSON_VALUE, SEEN("\xe2\x80\x9c"), "\"",
     "the quote is a typographic one, U+201C; JSON's is \""},
    {SLIP_JSON_VALUE, SEEN("\xe2\x80\x9d"), "\"",
     "the quote is a typographic one, U+201D; JSON's is \""},
    {SLIP_JSON_VALUE, SEEN("\xe2\x88\x92"), "-", "the minus is U+2212; JSON's is -"},
    {SLIP_JSON_VALUE, SEEN("True"), "true", "JSON writes true"},
    {SLIP_JSON_VALUE, SEEN("TRUE"), "true", "JSON writes true"},
    {SLIP_JSON_VALUE, SEEN("False"), "false", "JSON writes false"},
    {SLIP_JSON_VALUE, SEEN("FALSE"), "false", "JSON writes false"},
    {SLIP_JSON_VALUE, SEEN("None"), "null", "JSON writes null"},
    {SLIP_JSON_VALUE, SEEN("NULL"), "null", "JSON writes null"},
    {SLIP_JSON_VALUE, SEEN("."), "0.", POINT},
    {SLIP_JSON_VALUE, SEEN("+"), "", "JSON writes a number without a +"},
    {SLIP_JSON_VALUE, SHAPE(ends_in_point), "1.0", POINT},
    {SLIP_JSON_VALUE, SHAPE(has_leading_zero), "1", "JSON writes a number without zeros before it"},
    {SLIP_JSON_TEXT, SHAPE(begins_a_word), "\"", QUOTES},
    {SLIP_JSON_BETWEEN, SEEN("//"), "", COMMENT},
    {SLIP_JSON_BETWEEN, SEEN("/*"), "", COMMENT},
    {SLIP_JSON_BETWEEN, SEEN("#"), "", COMMENT},
    {SLIP_JSON_BETWEEN, SHAPE(is_printed_array), "1, 0",
     "commas part the numbers of a list; json.dumps(a.tolist()) writes an array so"},
    {SLIP_JSON_BETWEEN, SHAPE(is_fraction), "0.5", "JSON has no fractions: write 0.5 for 1/2"},

    /* Formats by their own descriptions: HDF5's superblock; GGUF's magic and version; RFC 1952; RFC
     * 8878; xz's and bzip2's magic (bzip2's of its default, the largest blocks); Parquet's magic,
     * after which Thrift's first field stands; Arrow's IPC file; the text that a MAT-file of
     * version 5 begins with; the signature of a compound file (MS-CFB); the opcode PROTO of
     * pickle's protocols 2 to 5; git-lfs's docs/spec.md. */
    {SLIP_FORMAT, SEEN("\x89HDF\r\n\x1a\n"), "HDF5",
     "h5py reads it, and numpy.savez writes what is read"},
    {SLIP_FORMAT, SEEN("GGUF\2\0\0\0"), "GGUF", OF_GGUF},
    {SLIP_FORMAT, SEEN("GGUF\3\0\0\0"), "GGUF", OF_GGUF},
    {SLIP_FORMAT, SEEN("\x1f\x8b\x08"), "gzip", "gunzip -c FILE unpacks it into a pipe"},
    {SLIP_FORMAT, SEEN("\x28\xb5\x2f\xfd"), "zstd", "zstd -dc FILE unpacks it into a pipe"},
    {SLIP_FORMAT, SEEN("\xfd\x37zXZ\0"), "xz", "xz -dc FILE unpacks it into a pipe"},
    {SLIP_FORMAT, SEEN("BZh91AY&SY"), "bzip2", "bzip2 -dc FILE unpacks it into a pipe"},
    {SLIP_FORMAT, SEEN("PAR1\x15"), "Parquet", OF_TABLES},
    {SLIP_FORMAT, SEEN("ARROW1\0\0"), "Arrow", OF_TABLES},
    {SLIP_FORMAT, SEEN("MATLAB 5.0 MAT-file"), "MATLAB's MAT",
     "scipy.io reads it, and numpy.savez writes what is read"},
    {SLIP_FORMAT, SEEN("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "a spreadsheet (xls)",
     "save it as CSV"},
    {SLIP_FORMAT, SEEN("\x80\2"), "a pickle", OF_PICKLES},
    {SLIP_FORMAT, SEEN("\x80\3"), "a pickle", OF_PICKLES},
    {SLIP_FORMAT, SEEN("\x80\4"), "a pickle", OF_PICKLES},
    {SLIP_FORMAT, SEEN("\x80\5"), "a pickle", OF_PICKLES},
    {SLIP_FORMAT, SEEN("\x89PNG\r\n\x1a\n"), "PNG, a picture", OF_PICTURES},
    {SLIP_FORMAT, SEEN("\xff\xd8\xff"), "JPEG, a picture", OF_PICTURES},
    {SLIP_FORMAT, SEEN("GIF8"), "GIF, a picture", OF_PICTURES},
    {SLIP_FORMAT, SEEN("%PDF-"), "PDF", OF_PICTURES},
    {SLIP_FORMAT, SEEN("tensor(["), "a printed tensor", OF_PRINTED},
    {SLIP_FORMAT, SEEN("array(["), "a printed array", OF_PRINTED},
    {SLIP_FORMAT, SHAPE(is_markdown), "a table in Markdown",
     "write a row a line, and commas between its numbers"},
    {SLIP_FORMAT, SEEN("version https://git-lfs"), "git-lfs's pointer to a file",
     "git lfs pull fetches the file"},
};
/* clang-format on */

const slip *slip_find(slip_place where, const char *begin, const char *at, const char *end)
{
    const slip_spot spot = {begin, at, end};
    size_t length = (size_t)(end - at);
    for (const slip *row = ROWS; row < ROWS + sizeof ROWS / sizeof ROWS[0]; row++) {
        if (row->where == where &&
            (row->looks != NULL ? row->looks(&spot)
                                : length >= row->length && memcmp(at, row->seen, row->length) == 0))
            return row;
    }
    return NULL;
}

const char *slip_remedy(slip_place where, const char *begin, const char *at, const char *end)
{
    const slip *found = slip_find(where, begin, at, end);
    return found == NULL ? NULL : found->remedy;
}

/* ---- numbers ---- */

const char *spoiled_number_remedy(const char *from, const char *end)
{
    char ascii[LONGEST];
    size_t length = 0;
    bool has_wide = false, has_minus = false;
    while (from < end) {
        bool is_ascii = (unsigned char)*from < 0x80;
        const slip *other = is_ascii ? NULL : slip_find(SLIP_CHARACTER, from, from, end);
        if (length == LONGEST || (!is_ascii && other == NULL))
            return NULL;
        size_t last = is_ascii ? 0 : other->length - 1; /* the row has a range's first one */
        ascii[length++] =
            is_ascii ? *from : (char)(*other->meant + (from[last] - other->seen[last]));
        has_wide = has_wide || (!is_ascii && other->remedy == WIDE);
        has_minus = has_minus || (!is_ascii && other->remedy == MINUS);
        from += last + 1;
    }
    const char *first = ascii, *stop = ascii + length;
    while (first < stop && *first == ' ')
        first++;
    while (stop > first && stop[-1] == ' ')
        stop--;
    const char *parted = slip_remedy(SLIP_DECIMAL_COMMA, first, first, stop);
    if (parted == NULL)
        parted = slip_remedy(SLIP_THOUSANDS, first, first, stop);
    if (parted == NULL && number_end_csv(first, stop) != stop)
        return slip_remedy(SLIP_NUMBER, first, first, stop);
    if (has_wide)
        return WIDE;
    if (parted != NULL)
        return parted;
    return (size_t)(stop - first) < length ? SPACES : has_minus ? MINUS : NULL;
}

/* ---- delimiters ---- */

/* Where the piece that begins at `from` ends. */
static const char *piece_end(const char *from, const char *end, char by)
{
    const char *stop = from == end ? NULL : memchr(from, by, (size_t)(end - from));
    return stop == NULL ? end : stop;
}

/* Where the piece after this one begins; NULL: it was the last. Several spaces may align pieces,
 * but none stands at the end. */
static const char *next_piece(const char *stop, const char *end, char by)
{
    if (stop == end)
        return NULL;
    do
        stop++;
    while (by == ' ' && *stop == ' ');
    return stop;
}

/* How many numbers the text splits into; 0 if something else is among them. If `labels` is not 0, a
 * piece that this other delimiter does not split may be anything. */
static size_t count_pieces(const char *from, const char *end, char by, char labels,
                           bool *decimal_commas)
{
    size_t pieces = 0;
    *decimal_commas = false;
    for (const char *stop; from != NULL; from = next_piece(stop, end, by), pieces++) {
        stop = piece_end(from, end, by);
        bool may_be_label = labels != 0 && piece_end(from, stop, labels) == stop;
        if (may_be_label)
            continue;
        /* A number as it is read, or with a comma in it that is not. */
        csv_slice s = csv_trimmed(from, stop);
        bool has_comma = by != ',' && s.from < s.end && piece_end(s.from, s.end, ',') < s.end &&
                         spoiled_number_remedy(s.from, s.end) != NULL;
        *decimal_commas = *decimal_commas || has_comma;
        if (!has_comma && number_end_csv(s.from, s.end) != s.end)
            return 0;
    }
    return pieces;
}

static const char OTHERS[] = {';', '\t', '|', ' ', ','};

char other_delimiter(const char *from, const char *end, char delimiter, bool *decimal_commas)
{
    for (size_t i = 0; i < sizeof OTHERS; i++) {
        if (OTHERS[i] != delimiter && count_pieces(from, end, OTHERS[i], 0, decimal_commas) > 1)
            return OTHERS[i];
    }
    return 0;
}

static const char *line_end(const char *line, const char *end)
{
    end = piece_end(line, end, '\n');
    return end > line && end[-1] == '\r' ? end - 1 : end;
}

/* The first row at or below a line; NULL if there is none. */
static const char *row_from(const csv_reader *r, const char *line)
{
    while (line != NULL && line < r->end && (*line == '#' || line_end(line, r->end) == line))
        line = next_piece(piece_end(line, r->end, '\n'), r->end, '\n');
    return line == r->end ? NULL : line;
}

static const char *row_below(const csv_reader *r, const char *line)
{
    return row_from(r, next_piece(piece_end(line, r->end, '\n'), r->end, '\n'));
}

/* Whether the rows above and below a line have as many pieces. */
static bool are_split_alike(const csv_reader *r, const char *line, char by, size_t pieces)
{
    const char *beside[] = {NULL, row_below(r, line)};
    for (const char *row = row_from(r, r->begin); row < line; row = row_below(r, row))
        beside[0] = row;
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        bool ignored;
        if (beside[i] != NULL && count_pieces(beside[i], line_end(beside[i], r->end), by,
                                              r->delimiter, &ignored) != pieces)
            return false;
    }
    return true;
}

char other_delimiter_of_line(const csv_reader *r, const char *line, bool *decimal_commas)
{
    const char *end = line_end(line, r->end);
    csv_slice all = csv_trimmed(line, end);
    char of_all = other_delimiter(all.from, all.end, r->delimiter, decimal_commas);
    for (size_t i = 0; of_all == 0 && i < sizeof OTHERS; i++) {
        char by = OTHERS[i];
        const char *label_end = piece_end(line, end, by);
        bool splits = by != ' ' && by != r->delimiter && label_end < end; /* words have spaces */
        size_t numbers = splits ? count_pieces(label_end + 1, end, by, 0, decimal_commas) : 0;
        if (numbers > 0 && are_split_alike(r, line, by, numbers + 1))
            return by;
    }
    return of_all;
}

bool other_delimiter_is_likely(const char *bytes, size_t length)
{
    csv_reader r;
    bool ignored;
    csv_open(&r, "", 1, bytes, length, ',');
    const char *line = row_from(&r, r.next);
    for (int rows = 0; line != NULL && rows < 2; rows++) { /* a header, and numbers */
        if (other_delimiter_of_line(&r, line, &ignored) != 0)
            return true;
        line = row_below(&r, line);
    }
    return false;
}

/* ---- text that is not in UTF-8 ---- */

/* Whether NULs stand at `first`, 0 or 1, and two bytes after it, if the text is so long. */
static bool has_nuls(const char *bytes, size_t length, size_t first)
{
    return bytes[first] == '\0' && (length < first + 3 || bytes[first + 2] == '\0');
}

bool encoding_check(const char *bytes, size_t length, place at, err *e)
{
    bool has_name = strcmp(at.file, descriptor_name("-")) != 0;
    bool is_utf16 =
        length >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0 ||
                        has_nuls(bytes, length, 0) || has_nuls(bytes, length, 1));
    if (!is_utf16)
        return true;
    err_at(e, &at, "the text is in UTF-16, and only UTF-8 is read");
    return err_remedy(e, "iconv -f UTF-16 -t UTF-8%s%s", has_name ? " " : "",
                      has_name ? at.file : "");
}

bool encoding_remedy(err *e)
{
    return err_remedy(e, "save the file in UTF-8");
}
