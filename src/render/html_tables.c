/* Matrices as tables: numbers with colours, labels above and at the left. */
#include "render/brackets.h"
#include "render/html_parts.h"
#include "render/label_text.h"
#include "trace/nodes.h"

#include <math.h>

typedef struct grid {
    const html_page *page;
    tensor matrix;
    const trace_map *map; /* that the matrix is of, or NULL */
    map_place at;
    asked_numbers numbers;                          /* those of the matrix */
    const trace_labels *row_labels, *column_labels; /* NULL: none */
    selection rows, columns;
    size_t focus;
    size_t only; /* the row that is shown alone, from 1; 0: those of the selection */
    double greatest;
    bool is_share, is_blank;
    bool is_part; /* of a worked line, next to the table of its map */
} grid;

/* ---- cells ---- */

static void add_cell(const grid *g, size_t row, size_t column)
{
    text *out = g->page->out;
    if (g->is_blank) {
        text_add_string(out, "<td class=blank>");
        return;
    }
    if (asked_hides(&g->numbers, row, column)) {
        text_add_string(out, "<td>" ASKED_SIGN);
        return;
    }
    double value = matrix_at(&g->matrix, row, column);
    html_color color = html_color_of(value, g->greatest, g->is_share);
    text_add_string(out, color.class_name[0] == '\0' ? "<td" : "<td class=");
    text_add_string(out, color.class_name);
    text_add_string(out, ">");
    if (isinf(value))
        text_add_string(out, value < 0 ? "−∞" : "∞");
    else
        number_text_add(out, value, g->page->how->digits);
}

static void add_cells(const grid *g, size_t row)
{
    for (size_t slot = 0; slot < selection_count(&g->columns); slot++) {
        size_t column = selection_at(&g->columns, slot);
        if (row == SELECTION_GAP || column == SELECTION_GAP)
            text_add_string(g->page->out, "<td>…");
        else
            add_cell(g, row, column);
    }
}

static void add_row(const grid *g, size_t row)
{
    text *out = g->page->out;
    text_add_string(out, row + 1 == g->focus ? "<tr class=focus>" : "<tr>");
    if (g->row_labels != NULL) {
        text_add_string(out, "<th scope=row>");
        if (row == SELECTION_GAP)
            text_add_string(out, "…");
        else
            html_add_label(out, g->row_labels, row);
    }
    add_cells(g, row);
    text_add_string(out, "</tr>\n");
}

static void add_heading(const grid *g)
{
    text *out = g->page->out;
    if (g->column_labels == NULL)
        return;
    text_add_string(out, "<thead><tr>");
    text_add_string(out, g->row_labels != NULL ? "<td>" : "");
    for (size_t slot = 0; slot < selection_count(&g->columns); slot++) {
        size_t column = selection_at(&g->columns, slot);
        text_add_string(out, "<th scope=col>");
        if (column == SELECTION_GAP)
            text_add_string(out, "…");
        else
            html_add_label(out, g->column_labels, column);
    }
    text_add_string(out, "</tr>\n");
}

/* ---- matrices ---- */

static selection shown(size_t total, size_t focus, const html_page *p)
{
    return selection_of_rows(total, focus, p->how->is_full || total <= HTML_MOST);
}

static bool is_whole(const grid *g)
{
    return g->only == 0 && selection_count(&g->rows) == g->matrix.size[0] &&
           selection_count(&g->columns) == g->matrix.size[1];
}

static void add_name(const html_page *p, const trace_item *item)
{
    const tensor *a = &item->a;
    text_add_string(p->out, "<figcaption><b>");
    html_add_mathematics(p->out, item->text == NULL ? "" : item->text);
    text_add_string(p->out, "</b>");
    if (a->rank == 2)
        text_add_format(p->out, " <span>(%zu × %zu)</span>", a->size[0], a->size[1]);
    if (a->rank == 1) {
        text_add_string(p->out, " <span>(");
        html_say_numbers(p->out, "long", a->size[0], 0);
        text_add_string(p->out, ")</span>");
    }
    text_add_string(p->out, "</figcaption>\n");
}

static void add_note(const grid *g)
{
    text note = {0};
    selection_add_left_out(&note, &g->rows, &g->columns);
    text_add_string(g->page->out, "<p class=note>");
    html_add_sentence(g->page->out, text_string(&note));
    text_add_string(g->page->out, "</p>\n");
    text_close(&note, g->page->out);
}

/* The indices of a selection in a map, - for a place of …. */
static void add_selected(text *out, const char *name, const selection *of, size_t first)
{
    text_add_format(out, " %s=\"", name);
    for (size_t slot = 0; slot < selection_count(of); slot++) {
        size_t index = selection_at(of, slot);
        text_add_string(out, slot > 0 ? " " : "");
        if (index == SELECTION_GAP)
            text_add_string(out, "-");
        else
            text_add_format(out, "%zu", first + index);
    }
    text_add_string(out, "\"");
}

/* Which of the page's numbers a body shows; of a whole map that need not be said. */
static void add_place(const grid *g)
{
    text *out = g->page->out;
    const selection *rows = g->at.is_turned ? &g->columns : &g->rows;
    const selection *columns = g->at.is_turned ? &g->rows : &g->columns;
    text_add_format(out, " data-map=%zu data-head=%zu",
                    g->page->trace->first_map + (size_t)(g->map - g->page->trace->map), g->at.head);
    if (is_whole(g) && !g->is_part && g->map->values.size[2] == g->matrix.size[1])
        return;
    if (g->only > 0)
        text_add_format(out, " data-rows=%zu", g->only - 1);
    else
        add_selected(out, "data-rows", rows, g->at.row);
    add_selected(out, "data-columns", columns, g->at.column);
    text_add_string(out, g->at.is_turned ? " data-turned" : "");
}

static bool has_numbers(const grid *g)
{
    html_kept kept = g->map == NULL ? KEPT_NOTHING : html_kept_of(g->page, g->map);
    return kept == KEPT_ALL || (kept == KEPT_FOCUS && g->only > 0);
}

/* Its cells lead to their arithmetic, where the page has their numbers. */
static void begin_body(const grid *g, const char *class_name)
{
    text_add_format(g->page->out, "<tbody%s", class_name);
    if (has_numbers(g))
        add_place(g);
    text_add_string(g->page->out, ">\n");
}

static void add_body(const grid *g)
{
    add_heading(g);
    begin_body(g, "");
    for (size_t slot = 0; g->only == 0 && slot < selection_count(&g->rows); slot++)
        add_row(g, selection_at(&g->rows, slot));
    if (g->only > 0)
        add_row(g, g->only - 1);
}

static void add_table(const grid *g, const trace_item *item)
{
    text *out = g->page->out;
    text_add_string(out, "<div class=scroll role=group tabindex=0 aria-label=\"");
    html_add_words(out, item->text == NULL ? "" : item->text);
    text_add_string(out, "\"><table class=matrix>\n");
    add_body(g);
    text_add_string(out, "</table></div>\n");
}

/* Of a matrix that is too wide: the row in focus, with every column. */
static void add_focus_row(const grid *all, const trace_item *item)
{
    grid g = *all;
    bool is_other_head = g.map != NULL && g.at.head != html_focus_head(g.page, g.map);
    if (item->focus == 0 || is_other_head || selection_count(&g.columns) == g.matrix.size[1])
        return;
    g.only = item->focus;
    g.columns = selection_all(g.matrix.size[1]);
    text_add_string(g.page->out, "<p class=note>");
    html_say_numbers(g.page->out, "focusRow", item->focus, g.matrix.size[1]);
    text_add_string(g.page->out, "</p>\n");
    add_table(&g, item);
}

/* A picture would show them too. */
static bool hides_any(const grid *g)
{
    size_t row = 0;
    while (row < g->matrix.size[0] && !asked_hides_any(&g->numbers, row, g->matrix.size[1]))
        row++;
    return row < g->matrix.size[0];
}

void html_add_matrix(const html_page *p, const trace_item *item, bool is_blank)
{
    grid g = {.page = p, .matrix = matrix_of(&item->a), .focus = item->focus};
    g.map = map_of(p->trace, &item->a, &g.at);
    g.rows = shown(g.matrix.size[0], item->focus, p);
    g.columns = shown(g.matrix.size[1], 0, p);
    g.columns.has_ids = item->has_ids;
    if (item->a.rank == 2)
        g.row_labels = labels_that_say(&item->rows, g.matrix.size[0]);
    g.column_labels = labels_that_say(&item->columns, g.matrix.size[1]);
    g.numbers = asked_find(p->asked, &item->a);
    g.greatest = html_greatest(&g.matrix);
    g.is_share = g.map != NULL && g.map->is_share;
    g.is_blank = is_blank && asked_makes(p->asked, g.map);
    text_add_string(p->out, "<figure>");
    add_name(p, item);
    add_table(&g, item);
    if (!is_whole(&g)) {
        add_note(&g);
        if (!hides_any(&g))
            html_add_sampled(p, &g.matrix, g.is_share);
        add_focus_row(&g, item);
    }
    text_add_string(p->out, "</figure>\n");
}

static bool is_asked_of(const html_page *p, const trace_map *map, step_id step)
{
    return map->step == step && asked_makes(p->asked, map);
}

static bool shows_asked(const html_page *p, step_id step)
{
    for (size_t i = 0; i < p->trace->maps; i++) {
        const trace_map *map = &p->trace->map[i];
        if (is_asked_of(p, map, step) && html_has_table(p, map))
            return true;
    }
    return false;
}

/* A larger one is left to the script. */
void html_add_asked(const html_page *p, step_id step)
{
    bool is_done = shows_asked(p, step);
    for (size_t i = 0; i < p->trace->maps && !is_done; i++) {
        const trace_map *map = &p->trace->map[i];
        const size_t *size = map->values.size;
        if (!is_asked_of(p, map, step) || size[1] > HTML_MOST || size[2] > HTML_MOST)
            continue;
        trace_item made = {.text = map->name,
                           .a = tensor_at(&map->values, html_focus_head(p, map)),
                           .rows = map->rows,
                           .columns = map->columns};
        html_add_matrix(p, &made, true);
    }
}

/* ---- products and sums ---- */

/* A matrix without labels or colours. */
static grid part_of(const html_page *p, const tensor *t)
{
    grid g = {.page = p, .matrix = matrix_of(t), .is_part = true};
    g.map = map_of(p->trace, t, &g.at);
    g.numbers = asked_find(p->asked, t);
    g.rows = shown(g.matrix.size[0], 0, p);
    g.columns = shown(g.matrix.size[1], 0, p);
    return g;
}

static void add_plain(const html_page *p, const tensor *t)
{
    grid g = part_of(p, t);
    text_add_string(p->out, "<table class=\"matrix part\">");
    add_body(&g);
    text_add_string(p->out, "</table>");
}

void html_add_product(const html_page *p, const trace_item *item)
{
    text_add_string(p->out, "<div class=product><span class=name>");
    html_add_mathematics(p->out, item->left);
    text_add_string(p->out, " × ");
    html_add_mathematics(p->out, item->letters);
    text_add_string(p->out, " = ");
    html_add_mathematics(p->out, item->text);
    text_add_string(p->out, "</span>\n");
    add_plain(p, &item->a);
    text_add_string(p->out, "×");
    add_plain(p, &item->b);
    text_add_string(p->out, "=");
    add_plain(p, &item->result);
    text_add_string(p->out, "</div>\n");
}

/* The row of a sum, below the rows that are added. */
static void add_sum(const html_page *p, const trace_item *item)
{
    grid g = part_of(p, &item->result);
    begin_body(&g, " class=sum");
    text_add_string(p->out, "<tr><th scope=row>");
    html_add_words(p->out, item->text);
    add_cells(&g, 0);
    text_add_string(p->out, "</tr>\n");
}

void html_add_stack(const html_page *p, const trace_item *item)
{
    grid g = part_of(p, &item->a);
    g.row_labels = &item->rows;
    text_add_format(p->out, "<figure%s><table class=\"matrix part\">\n",
                    item->is_of_focus ? " class=of-focus" : "");
    add_body(&g);
    add_sum(p, item);
    text_add_string(p->out, "</table></figure>\n");
}
