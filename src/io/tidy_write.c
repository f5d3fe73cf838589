#include "io/tidy.h"

#include "io/blocks.h"
#include "io/cells.h"
#include "io/csv_write.h"
#include "io/rows_text.h"

#include <string.h>

static const char HEADER[] = "stage,batch,head,row,col,value";
static const char HEADER_WITH_ITEM[] = "stage,batch,head,row,col,item,value";

/* ---- writing ---- */

static void add_index(text *to, size_t index, char delimiter)
{
    enum { LONGEST = 20 }; /* digits of 2⁶⁴ */
    char digits[LONGEST + 1];
    size_t first = LONGEST;
    digits[LONGEST] = delimiter;
    do
        digits[--first] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    text_add(to, digits + first, LONGEST + 1 - first);
}

static void add_index_if(text *to, bool there, size_t index, char delimiter)
{
    if (there)
        add_index(to, index, delimiter);
    else
        text_add(to, &delimiter, 1);
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
            add_index(to, b->index[GRID_ROW], t->delimiter);
        add_index(to, row, t->delimiter);
        add_index(to, column, t->delimiter);
        if (t->has_item && !b->has[GRID_ROW])
            text_add(to, &t->delimiter, 1);
        csv_number_write(to, &b->matrix, row, column, t->how);
        text_add_string(to, "\n");
    }
}

static void find_before(table *t, const char *stage)
{
    const block *b = &t->block;
    text_clear(&t->before);
    csv_text_write(&t->before, stage, t->delimiter, false, t->how);
    text_add(&t->before, &t->delimiter, 1);
    add_index_if(&t->before, b->has[GRID_BATCH], b->index[GRID_BATCH], t->delimiter);
    add_index_if(&t->before, b->has[GRID_HEAD], b->index[GRID_HEAD], t->delimiter);
}

static bool write_stage(const entry *stage, bool has_item, const write_options *how, char delimiter,
                        sink *out, err *e)
{
    table t = {
        .how = how, .delimiter = delimiter, .has_item = has_item, .block = block_first(stage)};
    bool done = true;
    do {
        const rows_text rows = {&t.block.matrix, write_row, &t};
        find_before(&t, stage->name);
        done = text_ok(&t.before, e) && rows_text_write(&rows, how, out, e);
    } while (done && block_next(stage, &t.block));
    text_free(&t.before);
    return done;
}

static bool any_has_item(const bundle *result)
{
    for (size_t i = 0; i < result->count; i++) {
        if (result->entry[i].kind == ENTRY_TENSOR && block_first(&result->entry[i]).has[GRID_ROW])
            return true;
    }
    return false;
}

static void write_header(text *to, bool has_item, char delimiter)
{
    for (const char *p = has_item ? HEADER_WITH_ITEM : HEADER; *p != '\0'; p++)
        text_add(to, *p == ',' ? &delimiter : p, 1);
    text_add_string(to, "\n");
}

bool tidy_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    char delimiter = how->delimiter == 0 ? ',' : how->delimiter;
    if (!csv_delimiter_check(delimiter, e) || !csv_check_result(result, "a tidy table", e))
        return false;
    bool has_item = any_has_item(result);
    write_header(sink_text(out), has_item, delimiter);
    csv_write_header(sink_text(out), how->header);
    for (size_t i = 0; i < result->count; i++) {
        if (result->entry[i].kind == ENTRY_TENSOR &&
            !write_stage(&result->entry[i], has_item, how, delimiter, out, e))
            return false;
    }
    return text_ok(sink_text(out), e);
}
