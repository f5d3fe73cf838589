/* Whether bytes look like CSV or TSV (declared in io/csv_read.h). */
#include "io/cells.h"
#include "io/csv_read.h"
#include "io/tidy.h"

/* Goes past comments and blank lines to the first row. */
static bool find_first_row(csv_reader *r)
{
    csv_field comment;
    csv_line line;
    do
        line = csv_next_line(r, &comment);
    while (line == CSV_COMMENT || line == CSV_BLANK);
    return line == CSV_ROW;
}

/* Whether a field that is a whole row is a number, or would be several with another delimiter: then
 * reading it as CSV ends in a message that says which. */
static bool holds_numbers(const csv_field *f)
{
    return cell_look_of(f, KEY_MASK) == CELL_NUMBER || cell_is_misread(f->text, f->length, '\t');
}

static bool looks_delimited(const char *bytes, size_t length, char delimiter, bool takes_one_field)
{
    csv_reader r;
    csv_field f;
    err ignored = {0};
    csv_open(&r, "", 1, bytes, length, delimiter);
    if (!find_first_row(&r) || !csv_next_field(&r, &f, &ignored))
        return false;
    if (f.last)
        return takes_one_field && holds_numbers(&f);
    while (!f.last) {
        if (!csv_next_field(&r, &f, &ignored))
            return false;
    }
    return true;
}

bool csv_probe(const char *bytes, size_t length)
{
    return !tidy_probe(bytes, length) && looks_delimited(bytes, length, ',', true);
}

bool tsv_probe(const char *bytes, size_t length)
{
    return looks_delimited(bytes, length, '\t', false);
}
