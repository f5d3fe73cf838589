/* The items of a step: sentences, formulas, worked lines, tables of words, and matrices as tables:
 * numbers with colours, labels above and at the left. */
#include "render/html_items.h"

#include "render/brackets.h"
#include "render/expression.h"
#include "render/heat_map.h"
#include "render/html.h"
#include "render/html_data.h"
#include "render/html_english.h"
#include "render/html_words.h"
#include "render/text_items.h"
#include "trace/trace.h"

#include <math.h>
#include <stdlib.h>

/* ---- colours ---- */

double html_greatest(const tensor *matrix, bool is_share, int digits)
{
    double greatest = 0;
    if (is_share)
        return 1;
    for (size_t i = 0; i < matrix->size[0]; i++) {
        for (size_t j = 0; j < matrix->size[1]; j++) {
            double size = fabs(matrix_at(matrix, i, j));
            if (isfinite(size) && size > greatest)
                greatest = size;
        }
    }
    return number_text_value(greatest, digits);
}

int html_step(double value, double greatest, int digits)
{
    double shown = number_text_value(value, digits);
    int step = color_step(shown, greatest);
    return shown < 0 ? -step : step;
}

static char kind_of(int step, bool is_share)
{
    return is_share ? 'w' : step > 0 ? 'p' : 'n';
}

/* ---- maps of large matrices ---- */

typedef signed char square; /* its step of colour */

/* All squares of one colour are strokes of one path: thousands of elements would be slow. */
static void add_color(text *out, const sampling *s, const square *squares, int step, char kind)
{
    size_t strokes = 0;
    for (size_t i = 0; i < s->rows; i++) {
        const square *row = squares + i * s->columns;
        for (size_t j = 0, end; j < s->columns; j = end) {
            for (end = j + 1; end < s->columns && row[end] == row[j];)
                end++;
            if (row[j] != step)
                continue;
            if (strokes++ == 0)
                text_add_format(out, "<path class=%c%d d=\"", kind, abs(step));
            text_add_format(out, "M%zu %zuh%zu", j, i, end - j);
        }
    }
    text_add_string(out, strokes == 0 ? "" : "\"/>");
}

/* The matrix as squares that each show the greatest of the numbers that it stands for. */
static void add_sampled(const html_page *p, const tensor *matrix, bool is_share)
{
    enum { PIXELS = 5 }; /* a side */
    sampling s = sampling_of(matrix->size[0], matrix->size[1], HTML_MOST, HTML_MOST);
    square squares[HTML_MOST * HTML_MOST];
    int digits = p->how->digits;
    double greatest = html_greatest(matrix, is_share, digits);
    html_add_format(p->out,
                    "<svg class=sampled width=%zu height=%zu viewBox=\"0 0 %zu %zu\" role=img "
                    "aria-label=\"%s\"><g transform=\"translate(0 .5)\">",
                    s.columns * PIXELS, s.rows * PIXELS, s.columns, s.rows, html_english("map"));
    for (size_t i = 0; i < s.rows * s.columns; i++) {
        double value = sampling_at(&s, matrix, i / s.columns, i % s.columns);
        squares[i] = (square)html_step(value, greatest, digits);
    }
    for (int step = -COLOR_STEPS; step <= COLOR_STEPS; step++) {
        if (step != 0)
            add_color(p->out, &s, squares, step, kind_of(step, is_share));
    }
    text_add_string(p->out, "</g></svg>\n<p class=note>");
    html_say_numbers(p->out, "squares", s.tall, s.wide);
    text_add_string(p->out, "</p>\n");
}

/* ---- rows and cells of a matrix ---- */

typedef struct grid {
    const html_page *page;
    tensor matrix;
    const trace_map *map; /* that the matrix is of, or NULL */
    map_place at;
    const trace_labels *row_labels, *column_labels; /* NULL: none */
    selection rows, columns;
    size_t focus;
    size_t only; /* the row that is shown alone, from 1; 0: those of the selection */
    double greatest;
    bool is_share, is_blank;
    bool is_hidden; /* its numbers are asked for, or go on with such */
    bool is_table;  /* of its map, not part of a worked line next to that */
} grid;

/* Without labels or colours. */
static grid grid_of(const html_page *p, const tensor *t, size_t focus)
{
    grid g = {.page = p, .matrix = matrix_of(t), .focus = focus};
    const size_t *size = g.matrix.size;
    bool is_full = p->how->is_full;
    g.map = map_of(p->room, t, &g.at);
    g.is_hidden = asked_hides_matrix(p->asked, t);
    g.rows = selection_of_rows(size[0], focus, is_full || size[0] <= HTML_MOST);
    g.columns = selection_of_rows(size[1], 0, is_full || size[1] <= HTML_MOST);
    return g;
}

/* A share as small as 4.5394e-05 is 0.0000 among others; the panel has its digits. */
static int digits_of(const grid *g, double value)
{
    bool is_small = g->map != NULL && g->map->is_share && value > 0 && value < 0.001;
    return is_small && g->page->how->digits < 0 ? NUMBER_TEXT_DECIMALS : g->page->how->digits;
}

static void add_cells(const grid *g, size_t row)
{
    text *out = g->page->out;
    for (size_t slot = 0; slot < selection_count(&g->columns); slot++) {
        size_t column = selection_at(&g->columns, slot);
        bool is_gap = row == SELECTION_GAP || column == SELECTION_GAP;
        if (is_gap || g->is_blank || g->is_hidden) {
            text_add_string(out, is_gap        ? "<td>…"
                                 : g->is_blank ? "<td class=blank>"
                                               : "<td>" ASKED_SIGN);
            continue;
        }
        double value = matrix_at(&g->matrix, row, column);
        int step = html_step(value, g->greatest, g->page->how->digits);
        if (step == 0)
            text_add_string(out, "<td>");
        else
            text_add_format(out, "<td class=%c%d>", kind_of(step, g->is_share), abs(step));
        if (isinf(value))
            text_add_string(out, value < 0 ? "−∞" : "∞");
        else
            number_text_add(out, value, digits_of(g, value));
    }
}

/* A label has its own direction, so that a word written from right to left turns nothing around
 * it. */
static void add_label(text *out, const char *scope, const trace_labels *labels, size_t index)
{
    bool is_name = labels->names != NULL && index != SELECTION_GAP;
    text_add_format(out, "<th scope=%s>%s", scope, is_name ? "<bdi>" : "");
    html_add_label(out, labels, index);
    text_add_string(out, is_name ? "</bdi>" : "");
}

/* ---- matrices ---- */

static bool is_whole(const grid *g)
{
    return g->only == 0 && selection_count(&g->rows) == g->matrix.size[0] &&
           selection_count(&g->columns) == g->matrix.size[1];
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

/* The table's cells lead to their arithmetic if the page has their numbers. The table says which
 * cells it shows, unless it shows the whole map. */
static void begin_body(const grid *g, const char *class_name)
{
    text *out = g->page->out;
    html_kept kept = g->map == NULL ? KEPT_NOTHING : html_kept_of(g->page, g->map);
    text_add_format(out, "<tbody%s", class_name);
    if (kept == KEPT_ALL || (kept == KEPT_FOCUS && g->only > 0)) {
        const selection *rows = g->at.is_turned ? &g->columns : &g->rows;
        const selection *columns = g->at.is_turned ? &g->rows : &g->columns;
        bool is_map = is_whole(g) && g->is_table && g->at.cut == 0 &&
                      g->map->values.size[2] == g->matrix.size[1];
        text_add_format(out, " data-map=%zu data-head=%zu", map_index(g->page->room, g->map),
                        g->at.head);
        if (!is_map) {
            if (g->only > 0)
                text_add_format(out, " data-rows=%zu", g->only - 1);
            else
                add_selected(out, "data-rows", rows, g->at.row);
            add_selected(out, "data-columns", columns, g->at.column);
            text_add_string(out, g->at.is_turned ? " data-turned" : "");
            if (g->at.cut > 0)
                text_add_format(out, " data-cut=%zu", g->at.cut);
        }
    }
    text_add_string(out, ">\n");
}

static void add_body(const grid *g)
{
    text *out = g->page->out;
    if (g->column_labels != NULL) {
        text_add_string(out, "<thead><tr>");
        text_add_string(out, g->row_labels != NULL ? "<td>" : "");
        for (size_t slot = 0; slot < selection_count(&g->columns); slot++)
            add_label(out, "col", g->column_labels, selection_at(&g->columns, slot));
        text_add_string(out, "</tr>\n");
    }
    begin_body(g, "");
    for (size_t slot = 0; slot < (g->only > 0 ? 1 : selection_count(&g->rows)); slot++) {
        size_t row = g->only > 0 ? g->only - 1 : selection_at(&g->rows, slot);
        bool is_focus = row != SELECTION_GAP && row + 1 == g->focus;
        text_add_string(out, is_focus ? "<tr class=focus>" : "<tr>");
        if (g->row_labels != NULL)
            add_label(out, "row", g->row_labels, row);
        add_cells(g, row);
        text_add_string(out, "</tr>\n");
    }
}

static void add_table(const grid *g, const trace_item *item)
{
    text *out = g->page->out;
    html_add_format(
        out, "<div class=scroll role=group tabindex=0 aria-label=\"%s\"><table class=matrix>\n",
        item->text);
    add_body(g);
    text_add_string(out, "</table></div>\n");
}

static void add_paragraph(text *out, const char *class_name, const char *words)
{
    text_add_format(out, "<p%s>", class_name);
    html_add_sentence(out, words);
    text_add_string(out, "</p>\n");
}

static void add_matrix(const html_page *p, const trace_item *item)
{
    const tensor *a = &item->a;
    text *out = p->out;
    grid g = grid_of(p, a, item->focus);
    g.is_table = true;
    g.columns.has_ids = item->has_ids;
    if (a->rank == 2)
        g.row_labels = labels_that_say(&item->rows, g.matrix.size[0]);
    g.column_labels = labels_that_say(&item->columns, g.matrix.size[1]);
    g.is_share = g.map != NULL && g.map->is_share;
    g.greatest = html_greatest(&g.matrix, g.is_share, p->how->digits);
    g.is_blank = p->is_blank && asked_makes(p->asked, g.map);
    text_add_string(out, "<figure><figcaption><b>");
    html_add_mathematics(out, item->text);
    text_add_string(out, "</b>");
    if (a->rank == 2)
        text_add_format(out, " <span>(%zu × %zu)</span>", a->size[0], a->size[1]);
    if (a->rank == 1) {
        text_add_string(out, " <span>(");
        html_say_numbers(out, "long", a->size[0], 0);
        text_add_string(out, ")</span>");
    }
    text_add_string(out, "</figcaption>\n");
    add_table(&g, item);
    if (!is_whole(&g)) {
        text note = {0};
        selection_add_left_out(&note, &g.rows, &g.columns);
        add_paragraph(out, " class=note", text_string(&note));
        text_close(&note, out);
        /* A picture would show what is hidden too. */
        if (!g.is_hidden)
            add_sampled(p, &g.matrix, g.is_share);
        /* Adds the row in focus of a matrix that is too wide, with every column. */
        if (item->focus > 0 && g.at.head == html_focus_head(p, g.map) &&
            selection_count(&g.columns) < g.matrix.size[1]) {
            g.only = item->focus;
            g.columns = selection_all(g.matrix.size[1]);
            text_add_string(out, "<p class=note>");
            html_say_numbers(out, "focusRow", item->focus, g.matrix.size[1]);
            text_add_string(out, "</p>\n");
            add_table(&g, item);
        }
    }
    text_add_string(out, "</figure>\n");
}

static bool is_asked_of(const html_page *p, const trace_map *map, step_id step)
{
    return map->step == step && asked_makes(p->asked, map);
}

/* A larger one is left to the script. */
void html_add_asked(const html_page *p, step_id step)
{
    for (size_t i = 0; i < p->room->maps; i++) {
        const trace_map *map = p->room->map[i];
        if (is_asked_of(p, map, step) && html_has_table(p, map))
            return;
    }
    for (size_t i = 0; i < p->room->maps; i++) {
        const trace_map *map = p->room->map[i];
        const size_t *size = map->values.size;
        if (!is_asked_of(p, map, step) || size[1] > HTML_MOST || size[2] > HTML_MOST)
            continue;
        trace_item made = {.text = map->name,
                           .a = tensor_at(&map->values, html_focus_head(p, map)),
                           .rows = map->rows,
                           .columns = map->columns};
        add_matrix(p, &made);
    }
}

/* ---- products and sums ---- */

static void add_product(const html_page *p, const trace_item *item)
{
    static const char *const SIGNS[] = {"</span>\n", "×", "="}, *const NAMED[] = {"", " × ", " = "};
    const char *const name[] = {item->left, item->letters, item->text};
    const tensor *const part[] = {&item->a, &item->b, &item->result};
    text_add_string(p->out, "<div class=product><span class=name>");
    for (size_t i = 0; i < 3; i++) {
        text_add_string(p->out, NAMED[i]);
        html_add_mathematics(p->out, name[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        grid g = grid_of(p, part[i], 0);
        text_add_format(p->out, "%s<table class=\"matrix part\">", SIGNS[i]);
        add_body(&g);
        text_add_string(p->out, "</table>");
    }
    text_add_string(p->out, "</div>\n");
}

/* Rows that are added, and below them the row of their sum. */
static void add_stack(const html_page *p, const trace_item *item)
{
    text *out = p->out;
    grid g = grid_of(p, &item->a, 0), sum = grid_of(p, &item->result, 0);
    g.row_labels = &item->rows;
    text_add_format(out, "<figure%s><table class=\"matrix part\">\n",
                    item->is_of_focus ? " class=of-focus" : "");
    add_body(&g);
    begin_body(&sum, " class=sum");
    html_add_format(out, "<tr><th scope=row>%s", item->text);
    add_cells(&sum, 0);
    text_add_string(out, "</tr>\n</table></figure>\n");
}

/* ---- words and worked lines ---- */

/* What comes and goes on a page that changes is seen to by page/lines.js. */
static void begin_paragraph(const html_page *p, const trace_item *item, const char *class_name)
{
    static const char *const WHILE[] = {
        [TRACE_ALWAYS] = "",
        [TRACE_WHILE_SEEN] = " data-while=seen",
        [TRACE_WHILE_UNSEEN] = " data-while=unseen",
        [TRACE_WHILE_MORE] = " data-while=more",
        [TRACE_WHILE_TOP] = " data-while=top",
        [TRACE_WHILE_STRONG] = " data-while=strong",
        [TRACE_WHILE_WEAK] = " data-while=weak",
        [TRACE_WHILE_SURE] = " data-while=sure",
    };
    text_add_format(p->out, "<p%s%s%s", item->waits ? " hidden" : "", class_name,
                    p->is_alive ? WHILE[item->holds] : "");
}

static void add_sentence(const html_page *p, const trace_item *item)
{
    bool is_formula = item->kind == TRACE_FORMULA;
    begin_paragraph(p, item,
                    item->is_about_heads ? " class=other-heads"
                    : !item->is_of_focus ? is_formula ? " class=formula" : ""
                    : is_formula         ? " class=\"formula of-focus\""
                                         : " class=of-focus");
    if (p->is_alive && item->map != NULL)
        text_add_format(p->out, " data-clipped=%zu", map_index(p->room, item->map));
    text_add_string(p->out, ">");
    html_add_sentence(p->out, item->text);
    text_add_string(p->out, "</p>\n");
}

/* Adds text without its marks for line breaks, since each has a space already. */
static void add_without_breaks(text *out, const text *part)
{
    text whole = {0};
    for (const char *at = text_string(part); *at != '\0'; at++) {
        if (*at != MATH_BREAK)
            text_add(&whole, at, 1);
    }
    html_add_mathematics(out, text_string(&whole));
    text_close(&whole, out);
}

/* Says from what the script writes the line anew (page/lines.js): a cell, or another part of a
 * map. */
static void add_source(const html_page *p, const trace_item *item)
{
    bool is_of_operand = item->op == OP_VARIANCE || item->op == OP_DIVIDE;
    const trace_map *map = item->map;
    /* The words that choose an id are its own (page/choosing_shown.js). */
    if (room_has_step(p->room, FLOOR_CHOICE))
        return;
    map_place at = {.head = item->cell[0], .row = item->cell[1], .column = item->cell[2]};
    const char *shows = item->op == OP_VARIANCE          ? "variance"
                        : item->op == OP_DIVIDE          ? "share"
                        : item->op == OP_HIDE            ? "hidden"
                        : item->holds == TRACE_WHILE_TOP ? "top"
                        : item->result.rank > 0          ? "row"
                                                         : "setting";
    if (map == NULL) /* "scale", whose line has a copy of it */
        map = map_named(p->room, item->left);
    if (map == NULL)
        map = map_of(p->room, is_of_operand ? &item->a : &item->result, &at);
    if (map == NULL) /* a scale that no node has: it stays as it is */
        return;
    text_add_format(p->out, " data-cell=\"%zu %zu %zu %zu\"", map_index(p->room, map), at.head,
                    at.row, at.column);
    if (item->map == NULL)
        text_add_format(p->out, " data-shows=%s", shows);
}

static void add_line(const html_page *p, const trace_item *item)
{
    worked_line l = worked_line_of(item, p->how);
    begin_paragraph(p, item, item->is_of_focus ? " class=\"line of-focus\"" : " class=line");
    if (p->is_alive)
        add_source(p, item);
    text_add_string(p->out, p->is_alive ? "><span class=head>" : ">");
    html_add_mathematics(p->out, text_string(&l.head));
    text_add_string(p->out, p->is_alive ? "</span>" : "");
    text_add_string(p->out, l.before);
    add_without_breaks(p->out, &l.expression);
    text_add_string(p->out, l.inner.length > 0 ? " = " : "");
    add_without_breaks(p->out, &l.inner);
    text_add_string(p->out, l.sign);
    add_without_breaks(p->out, &l.result);
    text_add_string(p->out, "</p>\n");
    worked_line_free(&l, p->out);
}

static void add_words_table(const html_page *p, const trace_item *item)
{
    size_t columns = item->columns_count;
    text_add_string(p->out, "<table class=words>\n");
    for (size_t i = 0; i < item->cells.count; i++) {
        bool is_number = table_text_is_right(&item->cells, columns, i % columns);
        if (i % columns == 0)
            text_add_string(p->out, i == 0 ? "<thead><tr>" : "<tr>");
        text_add_string(p->out, i < columns ? "<th scope=col" : "<td");
        text_add_string(p->out, is_number ? " class=number>" : ">");
        if (i >= columns && item->columns_hold[i % columns] == 'm')
            html_add_mathematics(p->out, item->cells.item[i]);
        else
            html_add_words(p->out, item->cells.item[i]);
        if (i % columns == columns - 1)
            text_add_string(p->out, i == columns - 1 ? "</tr>\n<tbody>\n" : "</tr>\n");
    }
    text_add_string(p->out, "</table>\n");
}

static void (*const ADD_ITEM[])(const html_page *p, const trace_item *item) = {
    [TRACE_SENTENCE] = add_sentence,   [TRACE_FORMULA] = add_sentence, [TRACE_LINE] = add_line,
    [TRACE_ROW_PRODUCT] = add_product, [TRACE_STACK] = add_stack,      [TRACE_MATRIX] = add_matrix,
    [TRACE_TABLE] = add_words_table,
};

void html_add_item(const html_page *p, const trace_item *item)
{
    trace_kind kind = item->kind;
    bool is_worked = kind == TRACE_LINE || kind == TRACE_ROW_PRODUCT || kind == TRACE_STACK;
    /* An exercise asks for these. */
    if (!p->is_blank || !(is_worked || (kind == TRACE_SENTENCE && item->leads)))
        ADD_ITEM[kind](p, item);
}
