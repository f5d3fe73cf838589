#include "io/tidy.h"

#include "base/mem.h"
#include "io/blocks.h"
#include "io/cells.h"
#include "io/csv_write.h"

#include <stdint.h>
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

/* One matrix row, a line a number. `before` is what its lines share: stage, batch, head. */
static void write_row(text *to, const block *b, size_t row, const text *before, bool has_item,
                      const write_options *how, char delimiter)
{
    for (size_t column = 0; column < b->matrix.size[1]; column++) {
        text_add(to, before->data, before->length);
        if (b->has[GRID_ROW])
            add_index(to, b->index[GRID_ROW], delimiter);
        add_index(to, row, delimiter);
        add_index(to, column, delimiter);
        if (has_item && !b->has[GRID_ROW])
            text_add(to, &delimiter, 1);
        csv_number_write(to, &b->matrix, row, column, how->digits);
        text_add_string(to, "\n");
    }
}

static bool write_stage(const entry *stage, bool has_item, const write_options *how, char delimiter,
                        sink *out, err *e)
{
    text before = {0};
    block b = block_first(stage);
    bool done = true;
    do {
        text_clear(&before);
        csv_field_write(&before, stage->name, strlen(stage->name), delimiter, false);
        text_add(&before, &delimiter, 1);
        add_index_if(&before, b.has[GRID_BATCH], b.index[GRID_BATCH], delimiter);
        add_index_if(&before, b.has[GRID_HEAD], b.index[GRID_HEAD], delimiter);
        done = text_ok(&before, e);
        for (size_t row = 0; done && row < b.matrix.size[0]; row++) {
            write_row(sink_text(out), &b, row, &before, has_item, how, delimiter);
            done = sink_spill(out, e);
        }
    } while (done && block_next(stage, &b));
    text_free(&before);
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
