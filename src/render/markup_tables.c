/* Matrices, sums and tables of words, as tables with a heading. */
#include "base/mem.h"
#include "render/brackets.h"
#include "render/label_text.h"
#include "render/markup.h"
#include "render/text_items.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One matrix being written, as much of it as fits side by side: the slots from `first` to before
 * `end` of its columns. */
typedef struct grid {
    const markup_page *page;
    column_source from;
    const trace_labels *row_labels, *column_labels; /* NULL: none */
    selection columns;
    size_t first, end, focus;
    text aligns;         /* of the part's columns */
    number_width *width; /* of each slot of `columns` */
} grid;

/* ---- cells ---- */

static void add_strong(const markup_page *p, const char *words)
{
    text_add_string(p->out, p->marks->strong_before);
    p->marks->add_words(p->out, words);
    text_add_string(p->out, p->marks->strong_after);
}

static void add_label(const grid *g, const trace_labels *labels, size_t index, bool is_strong)
{
    text label = {0};
    label_add(&label, labels, index);
    if (is_strong)
        add_strong(g->page, text_string(&label));
    else
        g->page->marks->add_words(g->page->out, text_string(&label));
    text_close(&label, g->page->out);
}

static void add_number(const grid *g, double value, const number_width *width)
{
    const markup *marks = g->page->marks;
    text number = {0};
    number_text_add_aligned(&number, value, g->page->how->digits, width);
    const char *written = text_string(&number) + strspn(text_string(&number), " ");
    text_add_string(g->page->out, marks->number_before);
    if (marks->number_before[0] == '\0' && isinf(value))
        text_add_string(g->page->out, value < 0 ? "−∞" : "∞");
    else if (marks->number_before[0] == '\0')
        text_add_string(g->page->out, written);
    else
        math_add(g->page->out, written, strlen(written), marks->math_words);
    text_add_string(g->page->out, marks->number_after);
    text_close(&number, g->page->out);
}

/* ---- rows ---- */

static void add_between(const grid *g, bool is_first)
{
    const markup *marks = g->page->marks;
    text_add_string(g->page->out, is_first ? marks->row_before : marks->cell_between);
}

static void add_heading(const grid *g)
{
    text *out = g->page->out;
    if (g->row_labels != NULL)
        add_between(g, true);
    for (size_t slot = g->first; slot < g->end; slot++) {
        size_t column = selection_at(&g->columns, slot);
        add_between(g, slot == g->first && g->row_labels == NULL);
        if (column == SELECTION_GAP)
            g->page->marks->add_words(out, "…");
        else if (g->column_labels != NULL)
            add_label(g, g->column_labels, column, false);
    }
    text_add_string(out, g->page->marks->row_after);
    g->page->marks->rule(out, text_string(&g->aligns));
}

static void add_numbers(const grid *g, const tensor *from, size_t row)
{
    for (size_t slot = g->first; slot < g->end; slot++) {
        size_t column = selection_at(&g->columns, slot);
        add_between(g, slot == g->first && g->row_labels == NULL);
        if (row == SELECTION_GAP || column == SELECTION_GAP)
            g->page->marks->add_words(g->page->out, "…");
        else
            add_number(g, matrix_at(from, row, column), &g->width[slot]);
    }
    text_add_string(g->page->out, g->page->marks->row_after);
}

static void add_rows(const grid *g)
{
    for (size_t slot = 0; slot < selection_count(&g->from.rows); slot++) {
        size_t row = selection_at(&g->from.rows, slot);
        if (g->row_labels != NULL) {
            add_between(g, true);
            if (row == SELECTION_GAP)
                g->page->marks->add_words(g->page->out, "…");
            else
                add_label(g, g->row_labels, row, row + 1 == g->focus);
        }
        add_numbers(g, &g->from.matrix, row);
    }
}

/* The row below a sum's line. */
static void add_sum(const grid *g, const char *name)
{
    const markup *marks = g->page->marks;
    if (marks->has_rule_anywhere)
        marks->rule(g->page->out, text_string(&g->aligns));
    add_between(g, true);
    add_strong(g->page, name);
    add_numbers(g, &g->from.also, 0);
}

static void add_part(grid *g, const char *sum)
{
    const markup *marks = g->page->marks;
    text_clear(&g->aligns);
    text_add_repeated(&g->aligns, "l", g->row_labels != NULL);
    text_add_repeated(&g->aligns, "r", g->end - g->first);
    marks->table_begin(g->page->out, text_string(&g->aligns));
    if (g->column_labels != NULL || !marks->has_rule_anywhere)
        add_heading(g);
    add_rows(g);
    if (sum != NULL)
        add_sum(g, sum);
    text_add_string(g->page->out, marks->table_after);
}

/* ---- parts that fit ---- */

static const size_t BETWEEN = 3; /* of two columns, in characters */

static bool measure(grid *g)
{
    err e = {0};
    size_t columns = selection_count(&g->columns);
    g->width = mem_alloc_zeroed(columns, sizeof g->width[0], &e);
    for (size_t slot = 0; g->width != NULL && slot < columns; slot++) {
        size_t column = selection_at(&g->columns, slot);
        if (column != SELECTION_GAP)
            g->width[slot] = column_number_width(&g->from, column);
    }
    return g->width != NULL;
}

static size_t label_characters(const grid *g, const trace_labels *labels, size_t index)
{
    text label = {0};
    label_add(&label, labels, index);
    size_t characters = g->page->marks->characters(text_string(&label));
    text_close(&label, g->page->out);
    return characters;
}

static size_t slot_characters(const grid *g, size_t slot)
{
    size_t column = selection_at(&g->columns, slot), label = 0;
    size_t number = number_width_columns(&g->width[slot]);
    if (g->column_labels != NULL && column != SELECTION_GAP)
        label = label_characters(g, g->column_labels, column);
    return BETWEEN + (label > number ? label : number);
}

static size_t row_label_characters(const grid *g)
{
    size_t widest = 0;
    for (size_t slot = 0; g->row_labels != NULL && slot < selection_count(&g->from.rows); slot++) {
        size_t row = selection_at(&g->from.rows, slot);
        size_t label = row == SELECTION_GAP ? 1 : label_characters(g, g->row_labels, row);
        widest = label > widest ? label : widest;
    }
    return widest;
}

/* The end of the part that begins at `first`: one column at least, and as many as fit. */
static size_t end_of_part(const grid *g, size_t labels)
{
    size_t count = selection_count(&g->columns), used = labels, end = g->first;
    if (g->page->marks->most_characters == 0)
        return count;
    do
        used += slot_characters(g, end++);
    while (end < count && used + slot_characters(g, end) <= g->page->marks->most_characters);
    return end;
}

static void add_part_name(const grid *g)
{
    text words = {0};
    size_t first = selection_at(&g->columns, g->first),
           last = selection_at(&g->columns, g->end - 1);
    if (g->end - g->first == selection_count(&g->columns) || first == SELECTION_GAP ||
        last == SELECTION_GAP)
        return;
    selection_add_part(&words, g->columns.has_ids, first, last + 1, g->columns.total);
    g->page->marks->add_words(g->page->out, text_string(&words));
    text_add_string(g->page->out, "\n\n");
    text_close(&words, g->page->out);
}

static void add_grid(grid *g, const char *sum)
{
    const render_options *how = g->page->how;
    g->from.rows = selection_of_rows(g->from.matrix.size[0], g->focus, how->is_full);
    g->columns = selection_of_rows(g->from.matrix.size[1], 0, how->is_full);
    g->columns.has_ids = g->from.has_ids;
    if (measure(g)) {
        size_t labels = g->page->marks->most_characters == 0 ? 0 : row_label_characters(g);
        for (; g->end < selection_count(&g->columns); g->first = g->end) {
            g->end = end_of_part(g, labels);
            add_part_name(g);
            add_part(g, sum);
        }
    } else
        g->page->out->failed = true;
    text_close(&g->aligns, g->page->out);
    mem_free(g->width);
    markup_add_left_out(g->page, &g->from.rows, &g->columns);
}

/* ---- items ---- */

static void add_name(const markup_page *p, const trace_item *item)
{
    char shape[64] = "";
    const tensor *a = &item->a;
    if (a->rank == 2)
        snprintf(shape, sizeof shape, " (%zu × %zu)", a->size[0], a->size[1]);
    else if (a->rank == 1)
        snprintf(shape, sizeof shape, " (%zu long)", a->size[0]);
    add_strong(p, item->text == NULL ? "" : item->text);
    p->marks->add_words(p->out, shape);
    text_add_string(p->out, "\n\n");
}

void markup_add_matrix(const markup_page *p, const trace_item *item)
{
    grid g = {.page = p, .focus = item->focus};
    g.from = (column_source){
        .matrix = matrix_of(&item->a), .digits = p->how->digits, .has_ids = item->has_ids};
    if (item->a.rank == 2)
        g.row_labels = labels_that_say(&item->rows, g.from.matrix.size[0]);
    g.column_labels = labels_that_say(&item->columns, g.from.matrix.size[1]);
    add_name(p, item);
    add_grid(&g, NULL);
}

void markup_add_stack(const markup_page *p, const trace_item *item)
{
    grid g = {.page = p, .row_labels = &item->rows};
    g.from = (column_source){
        .matrix = matrix_of(&item->a), .also = matrix_of(&item->result), .digits = p->how->digits};
    add_grid(&g, item->text);
}

static void add_cell(const markup_page *p, const char *words, bool is_math)
{
    if (!is_math || math_is_words(words)) {
        p->marks->add_words(p->out, words);
        return;
    }
    text_add_string(p->out, p->marks->inline_before);
    math_add(p->out, words, strlen(words), p->marks->math_words);
    text_add_string(p->out, p->marks->inline_after);
}

void markup_add_table(const markup_page *p, const trace_item *item)
{
    char aligns[TABLE_MOST + 1] = "";
    size_t columns = item->columns_count;
    for (size_t column = 0; column < columns; column++)
        aligns[column] = table_text_is_right(&item->cells, columns, column) ? 'r' : 'l';
    p->marks->table_begin(p->out, aligns);
    for (size_t i = 0; i < item->cells.count; i++) {
        text_add_string(p->out, i % columns == 0 ? p->marks->row_before : p->marks->cell_between);
        add_cell(p, item->cells.item[i],
                 i >= columns && *item->cells.item[i] != '\0' &&
                     item->columns_hold[i % columns] == 'm');
        if (i % columns == columns - 1)
            text_add_string(p->out, p->marks->row_after);
        if (i == columns - 1)
            p->marks->rule(p->out, aligns);
    }
    text_add_string(p->out, p->marks->table_after);
}
