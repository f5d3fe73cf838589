#include "io/slips.h"

#include "io/number_read.h"

#include <string.h>
#include <strings.h>

/* ---- bytes of other formats ---- */

#define BEGINS(text) text, sizeof text - 1

static const char OF_PICKLES[] = "save its numbers as safetensors, or with numpy.savez";
static const char OF_GGUF[] = "the safetensors that it was made from are read";
static const char OF_TABLES[] = "pandas reads it, and to_csv writes what is read";

/* By the formats' own descriptions: HDF5's superblock; GGUF's magic and version; RFC 1952; RFC
 * 8878; xz's and bzip2's magic (bzip2's of its default, the largest blocks); Parquet's magic,
 * behind which Thrift's first field stands; Arrow's IPC file; the text that a MAT-file of version 5
 * begins with; the signature of a compound file (MS-CFB); the opcode PROTO of pickle's protocols 2
 * to 5; git-lfs's docs/spec.md. */
static const foreign ROWS[] = {
    {BEGINS("\x89HDF\r\n\x1a\n"), "HDF5", "h5py reads it, and numpy.savez writes what is read"},
    {BEGINS("GGUF\2\0\0\0"), "GGUF", OF_GGUF},
    {BEGINS("GGUF\3\0\0\0"), "GGUF", OF_GGUF},
    {BEGINS("\x1f\x8b\x08"), "gzip", "gunzip -c FILE unpacks it into a pipe"},
    {BEGINS("\x28\xb5\x2f\xfd"), "zstd", "zstd -dc FILE unpacks it into a pipe"},
    {BEGINS("\xfd\x37zXZ\0"), "xz", "xz -dc FILE unpacks it into a pipe"},
    {BEGINS("BZh91AY&SY"), "bzip2", "bzip2 -dc FILE unpacks it into a pipe"},
    {BEGINS("PAR1\x15"), "Parquet", OF_TABLES},
    {BEGINS("ARROW1\0\0"), "Arrow", OF_TABLES},
    {BEGINS("MATLAB 5.0 MAT-file"), "MATLAB's MAT",
     "scipy.io reads it, and numpy.savez writes what is read"},
    {BEGINS("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "a spreadsheet (xls)", "save it as CSV"},
    {BEGINS("\x80\2"), "a pickle", OF_PICKLES},
    {BEGINS("\x80\3"), "a pickle", OF_PICKLES},
    {BEGINS("\x80\4"), "a pickle", OF_PICKLES},
    {BEGINS("\x80\5"), "a pickle", OF_PICKLES},
    {BEGINS("version https://git-lfs"), "git-lfs's pointer to a file",
     "git lfs pull fetches the file"},
};

const foreign *foreign_find(const char *bytes, size_t length)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (length >= ROWS[i].length && memcmp(bytes, ROWS[i].begin, ROWS[i].length) == 0)
            return &ROWS[i];
    }
    return NULL;
}

/* ---- JSON ---- */

typedef struct slip {
    const char *found, *remedy;
} slip;

static const char POINT[] = "JSON writes a number with a digit on each side of the point: 0.5, 1.0";
static const char QUOTES[] = "JSON puts texts in double quotes";
static const char COMMENT[] = "JSON has no comments; a key that begins with _ may hold a remark";

static const slip VALUES[] = {
    {"'", QUOTES},
    {"\xe2\x80\x9c", "the quote is a typographic one, U+201C; JSON's is \""},
    {"\xe2\x80\x9d", "the quote is a typographic one, U+201D; JSON's is \""},
    {"\xe2\x88\x92", "the minus is U+2212; JSON's is -"},
    {"True", "JSON writes true"},
    {"TRUE", "JSON writes true"},
    {"False", "JSON writes false"},
    {"FALSE", "JSON writes false"},
    {"None", "JSON writes null"},
    {"NULL", "JSON writes null"},
    {".", POINT},
    {"+", "JSON writes a number without a +"},
};
static const slip COMMENTS[] = {{"//", COMMENT}, {"/*", COMMENT}, {"#", COMMENT}};

static const char *find(const slip *rows, size_t count, const json_text *t, const char *at)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(rows[i].found);
        if ((size_t)(t->end - at) >= length && memcmp(at, rows[i].found, length) == 0)
            return rows[i].remedy;
    }
    return NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "1.": no digit follows the point. */
static bool ends_in_point(const json_text *t, const char *at)
{
    const char *end = json_word_end(t, at);
    return end > at && end[-1] == '.';
}

/* "01", "-007". */
static bool has_leading_zero(const json_text *t, const char *at)
{
    at += at < t->end && *at == '-';
    return t->end - at > 1 && at[0] == '0' && is_digit(at[1]);
}

static bool begins_a_word(const json_text *t, const char *at)
{
    return at < t->end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_');
}

const char *json_slip_of_value(const json_text *t, const char *at, bool may_be_text)
{
    const char *known = find(VALUES, sizeof VALUES / sizeof VALUES[0], t, at);
    if (known != NULL)
        return known;
    if (ends_in_point(t, at))
        return POINT;
    if (has_leading_zero(t, at))
        return "JSON writes a number without zeros before it";
    return may_be_text && begins_a_word(t, at) ? QUOTES : NULL;
}

/* "1/2": behind a number, which passed, stands a line of division. */
static bool is_fraction(const json_text *t, const char *at)
{
    const char *before = at;
    while (before > t->bytes && before[-1] == ' ')
        before--;
    return at < t->end && *at == '/' && before > t->bytes && is_digit(before[-1]);
}

const char *json_slip_between(const json_text *t, const char *at)
{
    const char *comment = find(COMMENTS, sizeof COMMENTS / sizeof COMMENTS[0], t, at);
    if (comment != NULL)
        return comment;
    return is_fraction(t, at) ? "JSON has no fractions: write 0.5 for 1/2" : NULL;
}

/* ---- cells without a number ---- */

static const char *const MARKS[] = {"NA", "N/A", "<NA>", "NaT", "None", "null", NULL};
static const char *const ERRORS[] = {"N/A",   "DIV/0!", "VALUE!", "REF!",  "NAME?",
                                     "NULL!", "NUM!",   "SPILL!", "CALC!", NULL};

static bool is_one_of(const char *const *words, const char *bytes, size_t length)
{
    while (*words != NULL && (strlen(*words) != length || strncasecmp(*words, bytes, length) != 0))
        words++;
    return *words != NULL;
}

bool missing_mark_is_error(const char *bytes, size_t length)
{
    return is_one_of(ERRORS, bytes, length);
}

bool missing_mark_is(const char *bytes, size_t length)
{
    bool begins_so = length > 0 && *bytes == '#';
    return is_one_of(MARKS, bytes, length) ||
           (begins_so && missing_mark_is_error(bytes + 1, length - 1));
}

/* ---- numbers ---- */

enum { LONGEST = 64 }; /* bytes: no number that somebody typed is longer */

/* A text with ASCII in the place of what looks like it. */
typedef struct ascii {
    char text[LONGEST];
    size_t length;
    bool has_minus, has_wide; /* U+2212, and characters of full width were there */
    bool has_margin;          /* spaces were around it */
} ascii;

static bool is_number(const char *bytes, size_t length)
{
    return length > 0 && number_end_csv(bytes, bytes + length) == bytes + length;
}

bool is_decimal_comma(const char *bytes, size_t length)
{
    char copy[LONGEST];
    const char *comma = length == 0 ? NULL : memchr(bytes, ',', length);
    if (comma == NULL || length > sizeof copy)
        return false;
    memcpy(copy, bytes, length);
    copy[comma - bytes] = '.';
    return is_number(copy, length);
}

/* One character of `bytes`, or 0 where it has no likeness in ASCII; `length` is how long it was. */
static char take_character(const char *bytes, const char *end, ascii *to, size_t *length)
{
    static const char wide_first[] = "\xef\xbc\x8b", wide_last[] = "\xef\xbc\x99"; /* ＋ to ９ */
    static const char *const spaces[] = {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89"};
    *length = 1;
    if ((unsigned char)*bytes < 0x80)
        return *bytes;
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        *length = strlen(spaces[i]);
        if ((size_t)(end - bytes) >= *length && memcmp(bytes, spaces[i], *length) == 0)
            return ' ';
    }
    *length = 3;
    if (end - bytes < 3)
        return 0;
    if (memcmp(bytes, "\xe2\x88\x92", 3) == 0) {
        to->has_minus = true;
        return '-';
    }
    if (memcmp(bytes, wide_first, 3) < 0 || memcmp(bytes, wide_last, 3) > 0)
        return 0;
    to->has_wide = true;
    return (char)('+' + (bytes[2] - wide_first[2]));
}

static bool find_ascii(const char *bytes, size_t length, ascii *to)
{
    const char *end = bytes + length;
    *to = (ascii){.length = 0};
    while (bytes < end && to->length < LONGEST) {
        size_t taken;
        char c = take_character(bytes, end, to, &taken);
        if (c == 0)
            return false;
        to->text[to->length++] = c;
        bytes += taken;
    }
    return bytes == end;
}

/* The caller has taken off those of ASCII. */
static void take_off_spaces(ascii *a)
{
    size_t from = 0, length = a->length;
    while (from < a->length && a->text[from] == ' ')
        from++;
    while (a->length > from && a->text[a->length - 1] == ' ')
        a->length--;
    a->length -= from;
    a->has_margin = a->length < length;
    memmove(a->text, a->text + from, a->length);
}

static size_t count_digits(const char *bytes, const char *end)
{
    const char *p = bytes;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return (size_t)(p - bytes);
}

/* "1,234.5": groups of three behind `separator`, at least one, and perhaps a fraction. */
static bool has_groups(const ascii *a, char separator, char point, bool has_fraction)
{
    const char *p = a->text, *end = p + a->length;
    p += p < end && (*p == '-' || *p == '+');
    size_t groups = 0, digits = count_digits(p, end);
    if (digits < 1 || digits > 3)
        return false;
    for (p += digits; p < end && *p == separator && count_digits(p + 1, end) == 3; p += 4)
        groups++;
    if (groups == 0 || p == end)
        return groups > 0 && !has_fraction;
    return *p == point && count_digits(p + 1, end) == (size_t)(end - p - 1);
}

static bool has_separators(const ascii *a)
{
    return has_groups(a, ',', '.', false) || has_groups(a, '\'', '.', false) ||
           has_groups(a, ' ', '.', false) || has_groups(a, ' ', ',', true) ||
           has_groups(a, '.', ',', true);
}

static const char *hexadecimal_digits(const char *p, const char *end)
{
    while (p < end && *p != '\0' && strchr("0123456789abcdefABCDEF", *p) != NULL)
        p++;
    return p;
}

/* As C's strtod reads it: with a fraction and a binary exponent, or without. */
static bool is_hexadecimal(const ascii *a)
{
    size_t sign = a->length > 0 && (a->text[0] == '-' || a->text[0] == '+');
    const char *p = a->text + sign, *end = a->text + a->length;
    if (end - p < 3 || p[0] != '0' || (p[1] != 'x' && p[1] != 'X'))
        return false;
    const char *digits = p + 2;
    p = hexadecimal_digits(digits, end);
    if (p < end && *p == '.')
        p = hexadecimal_digits(p + 1, end);
    if (end - p < 2 || p == digits || (*p != 'p' && *p != 'P'))
        return p == end;
    p += 1 + (p[1] == '-' || p[1] == '+');
    return p < end && count_digits(p, end) == (size_t)(end - p);
}

/* "1.5D-03": in double precision, as Fortran has it. */
static bool has_fortran_exponent(const ascii *a)
{
    ascii copy = *a;
    for (size_t i = 1; i + 1 < copy.length; i++) {
        if (copy.text[i] != 'd' && copy.text[i] != 'D')
            continue;
        copy.text[i] = 'e';
        return is_number(copy.text, copy.length);
    }
    return false;
}

const char *spoiled_number_remedy(const char *bytes, size_t length)
{
    ascii a;
    if (!find_ascii(bytes, length, &a))
        return NULL;
    take_off_spaces(&a);
    bool has_comma = is_decimal_comma(a.text, a.length), has_more = has_separators(&a);
    if (!is_number(a.text, a.length) && !has_comma && !has_more)
        return has_fortran_exponent(&a) ? "exponents are read behind e: write 1e5 for 1d5"
               : is_hexadecimal(&a)     ? "hexadecimal is not read: write 16 for 0x10"
                                        : NULL;
    if (a.has_wide)
        return "numbers are read in ASCII, not in characters of full width: write 12 for １２";
    if (has_comma)
        return "decimal commas are not read: write 0.5 for 0,5";
    if (has_more)
        return "numbers are read without separators of thousands: write 1234.5 for 1,234.5";
    if (a.has_margin)
        return "the spaces beside a number are U+0020, and here stands another, such as U+00A0";
    return a.has_minus ? "a number's minus is - (U+002D), and here stands − (U+2212)" : NULL;
}

/* ---- delimiters ---- */

static const char *without_spaces(const char **from, const char *end)
{
    while (*from < end && (**from == ' ' || **from == '\t'))
        ++*from;
    while (end > *from && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return end;
}

/* A number as it is read, or with a comma in it that is not. */
static bool is_piece(const char *from, const char *end, char by, bool *decimal_commas)
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
        if (!is_piece(from, stop, by, decimal_commas))
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
        if (!is_one && !is_piece(from, stop, by, &ignored))
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
