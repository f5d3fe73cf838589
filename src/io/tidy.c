/* One long table, a line a number, for R, pandas, Miller and SQL: stage,batch,head,row,col,value.
 *
 * Indices count from 0; batch and head are empty where a stage has no such axis. `weighted` has one
 * axis more: weights[i,j]·v[j] is a vector, whose places are counted in a further column,
 * stage,batch,head,row,col,item,value, which is there (and empty for the other stages) only when
 * such a stage is. So row and col mean the same in weights and weighted, and a join or a sum over
 * col needs nothing else. Holes are empty values.
 *
 * Lines and columns are read in any order, with the delimiter that the header has; batch and head
 * may be left out, and a first column without a name is passed over. Without the column stage, all
 * lines are one matrix without a name. As others write them, an index that is not there may be NA
 * (R), and one that is may end with .0 (pandas). A stage has to be whole. Its numbers come back to
 * the same bits; a vector or a number comes back as a matrix of one row. */

#include "io/csv_cells.h"
#include "io/csv_read.h"
#include "io/csv_write.h"
#include "io/in_order.h"
#include "io/slips.h"

#include <string.h>

/* ---- header ---- */

/* stage, those of grid_axis in its order, value; without a stage it is one matrix without a name */
enum { TIDY_STAGE, TIDY_FIRST_INDEX, TIDY_VALUE = TIDY_FIRST_INDEX + GRID_AXES, TIDY_COLUMNS };

/* What the fields of a line are, in their order; TIDY_COLUMNS is a column without a name, in which
 * R and pandas count the lines. */
typedef struct tidy_header {
    size_t count, column[TIDY_COLUMNS + 1];
    bool has[TIDY_COLUMNS + 1];
} tidy_header;

static const struct {
    const char *name;
    bool may_lack;
} COLUMNS[] = {{"stage", true}, {"batch", true}, {"head", true},  {"row", false},
               {"col", false},  {"item", true},  {"value", false}};

static bool header_read(csv_reader *r, tidy_header *h, err *e)
{
    csv_field f = {0};
    place at = csv_place(r);
    *h = (tidy_header){0};
    while (r->next < r->end && !f.last) {
        if (!csv_next_field(r, &f, e))
            return false;
        size_t column = 0;
        while (column < TIDY_COLUMNS && (f.length != strlen(COLUMNS[column].name) ||
                                         memcmp(f.text, COLUMNS[column].name, f.length) != 0))
            column++;
        if (column == TIDY_COLUMNS && (f.length > 0 || h->count > 0))
            return err_at(e, &f.at, "'%.*s' is not a column of a tidy table",
                          f.length > 40 ? 40 : (int)f.length, f.text);
        if (h->has[column])
            return err_at(e, &f.at, "the column %s is here a second time", COLUMNS[column].name);
        h->has[column] = true;
        h->column[h->count++] = column;
    }
    for (size_t column = 0; column < TIDY_COLUMNS; column++) {
        if (!h->has[column] && !COLUMNS[column].may_lack)
            return err_at(e, &at, "the header has no column %s", COLUMNS[column].name);
    }
    return true;
}

/* The delimiter with which the first row is a tidy table's header; 0: none. */
static char header_delimiter(const char *bytes, size_t length)
{
    for (const char *p = ",\t;|: "; *p != '\0'; p++) {
        csv_reader r;
        tidy_header ignored;
        err nothing = {0};
        csv_open(&r, "", 1, bytes, length, *p);
        csv_find_row(&r, false);
        if (header_read(&r, &ignored, &nothing))
            return *p;
    }
    return 0;
}

/* ---- reading ---- */

/* A file half read. */
typedef struct tidy_job {
    csv_reader reader;
    csv_matrices stages;
    tidy_header header;
    text name;
} tidy_job;

/* Reads digits, and perhaps ".0" after them: pandas writes a column so if it has empty cells. */
static bool index_of(const csv_field *f, size_t *index)
{
    size_t i = 0;
    for (*index = 0; i < f->length && f->text[i] >= '0' && f->text[i] <= '9'; i++) {
        if (*index > SIZE_MAX / 16)
            return false;
        *index = *index * 10 + (size_t)(f->text[i] - '0');
    }
    if (i == 0 || i == f->length)
        return i > 0;
    size_t point = i++;
    while (i < f->length && f->text[i] == '0')
        i++;
    return f->text[point] == '.' && i == f->length && i > point + 1;
}

static bool read_line(tidy_job *j, err *e)
{
    csv_field f = {0}, field[TIDY_COLUMNS + 1];
    const tidy_header *h = &j->header;
    const char *file = j->reader.file;
    /* The fields come in any order, so they are looked at once all are read. */
    for (size_t count = 0; !f.last; count++) {
        if (!csv_next_field(&j->reader, &f, e))
            return false;
        if (count == h->count || (f.last && count + 1 < h->count)) {
            place at = f.at;
            for (count++; !f.last; count++) { /* only counts the rest */
                if (!csv_next_field(&j->reader, &f, e))
                    return false;
            }
            return err_at(e, &at, "this line has %zu fields, the header %zu", count, h->count);
        }
        field[h->column[count]] = f;
    }
    if (!h->has[TIDY_STAGE])
        field[TIDY_STAGE] =
            (csv_field){.text = "", .at = {.file = file, .line = f.at.line, .column = 1}};
    text_clear(&j->name);
    if (!csv_field_text(&field[TIDY_STAGE], &j->name, e))
        return false;
    size_t stage;
    if (!csv_matrices_find(&j->stages, text_string(&j->name), j->name.length, &field[TIDY_STAGE].at,
                           &stage, e))
        return false;

    /* An axis is absent if the line leaves it empty, or says NA as R does. */
    size_t index[GRID_AXES] = {0};
    bool has[GRID_AXES] = {false};
    for (int axis = 0; axis < GRID_AXES; axis++) {
        size_t column = TIDY_FIRST_INDEX + (size_t)axis;
        f = field[column];
        if (!h->has[column])
            continue;
        bool is_absent = f.length == 0 || (f.length == 2 && memcmp(f.text, "NA", 2) == 0);
        if (is_absent && axis != GRID_ROW && axis != GRID_COL)
            continue;
        has[axis] = index_of(&f, &index[axis]);
        if (!has[axis])
            return err_at(e, &f.at, "the %s is '%.*s' here, which is not an index (0, 1, 2, …)",
                          GRID_AXIS_NAMES[axis], f.length > 40 ? 40 : (int)f.length, f.text);
    }

    csv_matrix *to = &j->stages.one[stage];
    f = field[TIDY_VALUE];
    if (to->grid.count == 0)
        memcpy(to->grid.has, has, sizeof has);
    if (memcmp(to->grid.has, has, sizeof has) != 0)
        return err_at(e, &(place){.file = file, .line = f.at.line, .column = 1},
                      "%s has other indices (batch, head, item) here than in line %zu",
                      j->stages.out->entry[stage].name, to->grid.piece[0].line);
    if (!cells_add(&to->cells, &j->reader, &f, e))
        return cells_remedy_missing(&to->cells, &f, e);
    return grid_add(&to->grid, index, f.at.line, e);
}

/* ---- the whole ---- */

bool tidy_probe(const char *bytes, size_t length)
{
    return header_delimiter(bytes, length) != 0;
}

bool tidy_may_be(const char *bytes, size_t length)
{
    return tidy_probe(bytes, length) ||
           ((csv_probe(bytes, length) || tsv_probe(bytes, length)) && !json_probe(bytes, length));
}

bool tidy_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e)
{
    tidy_job j = {.stages = {.how = how, .out = out}};
    csv_field comment;
    csv_line kind = CSV_BLANK;
    char delimiter = how->delimiter != 0 ? how->delimiter : header_delimiter(bytes, length);
    if (delimiter == 0)
        delimiter = tsv_probe(bytes, length) ? '\t' : ',';
    csv_open(&j.reader, how->file, how->first_line, bytes, length, delimiter);
    bool done =
        encoding_check(bytes, length, csv_place(&j.reader), e) && csv_delimiter_check(delimiter, e);
    while (done && kind != CSV_END) {
        kind = csv_next_line(&j.reader, &comment);
        if (kind == CSV_COMMENT && j.stages.count == 0) /* it may say what made the table */
            done = read_header_line(how, comment.text, comment.length, e);
        else if (j.header.count == 0 && (kind == CSV_ROW || kind == CSV_END))
            done = header_read(&j.reader, &j.header, e) ||
                   err_remedy(e, "a tidy table begins with the line stage,batch,head,row,col,value,"
                                 " in which stage, batch and head may be left out");
        else if (kind == CSV_ROW)
            done = read_line(&j, e);
    }
    if (done && j.stages.count == 0)
        done = err_at(e, &(place){.file = how->file}, "no number is in it");
    done = done && csv_matrices_finish(&j.stages, e);
    csv_matrices_free(&j.stages);
    text_free(&j.name);
    return read_end(out, done);
}

/* ---- writing ---- */

/* Adds an empty field for an absent index. */
static void add_index(text *to, bool is_there, size_t index, char delimiter)
{
    enum { LONGEST = 20 }; /* digits of 2⁶⁴ */
    char digits[LONGEST + 1];
    size_t first = LONGEST;
    digits[LONGEST] = delimiter;
    for (bool more = is_there; more; more = index > 0) {
        digits[--first] = (char)('0' + index % 10);
        index /= 10;
    }
    text_add(to, digits + first, LONGEST + 1 - first);
}

/* A block as lines. */
typedef struct table {
    const write_options *how;
    char delimiter;
    bool has_item;
    block block;
    text before; /* what its lines share: stage, batch, head */
} table;

/* One matrix row, a line a number. */
static void write_row(const void *context, size_t row, text *to)
{
    const table *t = context;
    const block *b = &t->block;
    for (size_t column = 0; column < b->matrix.size[1]; column++) {
        text_add(to, t->before.data, t->before.length);
        if (b->has[GRID_ROW])
            add_index(to, true, b->index[GRID_ROW], t->delimiter);
        add_index(to, true, row, t->delimiter);
        add_index(to, true, column, t->delimiter);
        if (t->has_item && !b->has[GRID_ROW])
            text_add(to, &t->delimiter, 1);
        csv_number_write(to, &b->matrix, row, column, t->how);
        text_add_string(to, "\n");
    }
}

bool tidy_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    table t = {.how = how, .delimiter = how->delimiter == 0 ? ',' : how->delimiter};
    if (!csv_delimiter_check(t.delimiter, e) || !csv_check_result(result, "a tidy table", e))
        return false;
    for (size_t i = 0; i < result->count; i++) {
        const entry *one = &result->entry[i];
        t.has_item = t.has_item || (one->kind == ENTRY_TENSOR && block_first(one).has[GRID_ROW]);
    }
    text *to = sink_text(out);
    for (size_t column = 0; column < TIDY_COLUMNS; column++) {
        if (column == TIDY_FIRST_INDEX + GRID_ITEM && !t.has_item)
            continue;
        text_add_string(to, COLUMNS[column].name);
        text_add(to, column == TIDY_VALUE ? "\n" : &t.delimiter, 1);
    }
    csv_write_header(to, how->header);
    bool done = true;
    const block *b = &t.block;
    const rows_text rows = {&b->matrix, write_row, &t};
    for (const entry *one = result->entry; done && one < result->entry + result->count; one++) {
        if (one->kind != ENTRY_TENSOR)
            continue;
        t.block = block_first(one);
        do {
            text_clear(&t.before);
            csv_text_write(&t.before, one->name, t.delimiter, false, how);
            text_add(&t.before, &t.delimiter, 1);
            add_index(&t.before, b->has[GRID_BATCH], b->index[GRID_BATCH], t.delimiter);
            add_index(&t.before, b->has[GRID_HEAD], b->index[GRID_HEAD], t.delimiter);
            done = text_ok(&t.before, e) && rows_text_write(&rows, how, out, e);
        } while (done && block_next(one, &t.block));
    }
    text_free(&t.before);
    return done;
}
