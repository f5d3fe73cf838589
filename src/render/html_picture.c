/* What a run is at one look: its formula, and its pipeline. */
#include "render/html_parts.h"
#include "trace/nodes.h"

#include <math.h>
#include <string.h>

/* ---- the formula ---- */

/* A symbol of these steps; it is lit while its step is being read (steps.js). */
static void add_symbol(text *out, const char *steps, const char *mathematics)
{
    text_add_format(out, "<mrow data-steps=\"%s\">%s</mrow>", steps, mathematics);
}

static bool is_root_of_width(const trace *t)
{
    const trace_map *scale = map_named(t, "scale"), *q = map_named(t, "q");
    if (q == NULL)
        return false;
    double width = (double)(q->values.size[2] / q->slices);
    return fabs(tensor_get(&scale->values, (size_t[]){0, 0, 0}) * sqrt(width) - 1) < 1e-12;
}

/* The scores, compared as the run does, and scaled. */
static void add_scaled(text *out, const trace *t)
{
    static const char OF_ROWS[] = "inputs projections scores", Q[] = "<mi>Q</mi>",
                      K[] = "<mi>K</mi>", K_TURNED[] = "<msup><mi>K</mi><mo>⊤</mo></msup>";
    bool is_scaled = map_named(t, "scale") != NULL, is_root = is_scaled && is_root_of_width(t);
    bool is_product = map_named(t, "scores")->op == OP_DOT;
    if (is_scaled && !is_root)
        add_symbol(out, "scale", "<mi>s</mi><mo>·</mo>");
    text_add_string(out, is_root ? "<mfrac><mrow>" : "");
    if (!is_product)
        add_symbol(out, "scores", "<mi>score</mi><mo>(</mo>");
    add_symbol(out, OF_ROWS, Q);
    if (map_named(t, "Ws") != NULL)
        add_symbol(out, "scores", "<msub><mi>W</mi><mi>S</mi></msub>");
    text_add_string(out, is_product ? "" : "<mo>,</mo>");
    add_symbol(out, OF_ROWS, is_product ? K_TURNED : K);
    if (!is_product)
        add_symbol(out, "scores", "<mo>)</mo>");
    if (is_root) {
        text_add_string(out, "</mrow>");
        add_symbol(out, "scale", "<msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt>");
        text_add_string(out, "</mfrac>");
    }
}

/* softmax(QKᵀ / √d_k)·V, with what the run has besides. */
void html_add_formula(const html_page *p)
{
    const trace *t = p->trace;
    bool is_capped = map_named(t, "C") != NULL;
    if (map_named(t, "scores") == NULL || map_named(t, "weights") == NULL)
        return;
    text_add_string(p->out, "<p class=whole><math>");
    add_symbol(p->out, "softmax statistics round", "<mi>softmax</mi>");
    text_add_string(p->out, "<mo>(</mo>");
    if (is_capped)
        add_symbol(p->out, "cap", "<mi>cap</mi><mo>(</mo>");
    add_scaled(p->out, t);
    text_add_string(p->out, is_capped ? "<mo>)</mo>" : "");
    if (map_named(t, "masked") != NULL)
        add_symbol(p->out, "mask", "<mo>+</mo><mi>M</mi>");
    text_add_string(p->out, "<mo>)</mo>");
    add_symbol(p->out, "inputs projections weighted sum", "<mi>V</mi>");
    text_add_string(p->out, "</math></p>\n");
}

/* ---- the pipeline ---- */

/* All in units of the picture; boxes stand in columns, and in five rows: queries, keys and values
 * in every second one, what is made of them between queries and keys. */
enum {
    BOX_WIDTH = 92,
    BOX_HEIGHT = 46,
    COLUMN = 124,
    ROW = 34,
    MARGIN = 8,
    BEND = 28,
    ROWS = 5,
    QUERY_ROW = 0,
    CHAIN_ROW = 1,
    KEY_ROW = 2,
    OTHER_ROW = 3,
    VALUE_ROW = 4
};

typedef struct node {
    size_t map, column, row;
} node;

typedef struct picture {
    const html_page *page;
    node node[TRACE_MAPS];
    size_t count, columns;
} picture;

static const trace_map *map_at(const picture *p, size_t i)
{
    return &p->page->trace->map[p->node[i].map];
}

typedef struct box_row {
    const char *name;
    size_t row;
} box_row;

/* What is drawn: the names of maps, and their rows. */
static const box_row BOXES[] = {
    {"x", KEY_ROW},           {"x_pos", KEY_ROW},      {"xk", OTHER_ROW},
    {"xv", VALUE_ROW},        {"q", QUERY_ROW},        {"q_norm", QUERY_ROW},
    {"q_rope", QUERY_ROW},    {"k", KEY_ROW},          {"k_norm", KEY_ROW},
    {"k_rope", KEY_ROW},      {"present_k", KEY_ROW},  {"v", VALUE_ROW},
    {"present_v", VALUE_ROW}, {"scores", CHAIN_ROW},   {"scaled", CHAIN_ROW},
    {"capped", CHAIN_ROW},    {"masked", CHAIN_ROW},   {"weights", CHAIN_ROW},
    {"rounded", CHAIN_ROW},   {"attended", CHAIN_ROW}, {"context", CHAIN_ROW},
    {"output", CHAIN_ROW},
};

static const box_row *box_of(const char *name)
{
    for (size_t i = 0; i < sizeof BOXES / sizeof BOXES[0]; i++) {
        if (strcmp(BOXES[i].name, name) == 0)
            return &BOXES[i];
    }
    return NULL;
}

/* Boxes of one step stand in one column. The context of one head is its result as it is, and left
 * out. x stands with the keys that are made of it, and leaves that place to keys that are given, or
 * made of others. */
static void place_boxes(picture *p)
{
    const trace *t = p->page->trace;
    bool has_others = false, has_keys = false, has_queries = false;
    for (step_id step = 0; step < STEP_COUNT; step++) {
        size_t column = p->columns;
        for (size_t i = 0; i < t->maps; i++) {
            const trace_map *map = &t->map[i];
            const box_row *box = box_of(map->name);
            bool is_double = strcmp(map->name, "context") == 0 && map->slices == 1;
            if (box == NULL || map->step != step || is_double)
                continue;
            p->columns = column + 1;
            p->node[p->count++] = (node){.map = i, .column = column, .row = box->row};
            has_others = has_others || strcmp(box->name, "xk") == 0;
            has_keys = has_keys || (step == STEP_INPUTS && strcmp(box->name, "k") == 0);
            has_queries = has_queries || (step == STEP_INPUTS && strcmp(box->name, "q") == 0);
        }
    }
    if (p->count > 0 && strcmp(map_at(p, 0)->name, "x") == 0 && (has_others || has_keys))
        p->node[0].row = !has_queries ? QUERY_ROW : has_keys ? OTHER_ROW : KEY_ROW;
}

/* ---- lines ---- */

static void add_edge(const picture *p, size_t from, size_t to)
{
    size_t x1 = MARGIN + p->node[from].column * COLUMN + BOX_WIDTH;
    size_t x2 = MARGIN + p->node[to].column * COLUMN;
    size_t y1 = MARGIN + p->node[from].row * ROW + BOX_HEIGHT / 2;
    size_t y2 = MARGIN + p->node[to].row * ROW + BOX_HEIGHT / 2;
    size_t middle = x2 - BEND / 2;
    text_add_format(p->page->out,
                    "<path d=\"M%zu %zuH%zuC%zu %zu %zu %zu %zu %zum-7 -4l7 4l-7 4\"/>\n", x1, y1,
                    x2 - BEND, middle, y1, middle, y2, x2, y2);
}

/* From the last box before it in this row. */
static void add_edge_from_row(const picture *p, size_t row, size_t to)
{
    size_t from = to;
    for (size_t i = 0; i < to; i++) {
        if (p->node[i].row == row && p->node[i].column < p->node[to].column)
            from = i;
    }
    if (from < to)
        add_edge(p, from, to);
}

/* The input that q, k or v is projected from; for later forms the one before. */
static void add_edge_to_role(const picture *p, size_t to)
{
    const trace *t = p->page->trace;
    const trace_map *map = map_at(p, to);
    for (size_t i = 0; i < to; i++) {
        if (map->has_origin && &t->map[p->node[i].map] == map->operand[0].map) {
            add_edge(p, i, to);
            return;
        }
    }
    add_edge_from_row(p, p->node[to].row, to);
}

static void add_edges(const picture *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const char *name = map_at(p, i)->name;
        if (p->node[i].row != CHAIN_ROW) {
            if (map_at(p, i)->step != STEP_INPUTS)
                add_edge_to_role(p, i);
            continue;
        }
        if (strcmp(name, "scores") == 0) {
            add_edge_from_row(p, QUERY_ROW, i);
            add_edge_from_row(p, KEY_ROW, i);
        } else
            add_edge_from_row(p, CHAIN_ROW, i);
        if (strcmp(name, "attended") == 0)
            add_edge_from_row(p, VALUE_ROW, i);
    }
}

/* ---- boxes ---- */

/* Its shape is "3 × 4", or of several heads "2 × 3 × 4". */
static void add_box(const picture *p, size_t i)
{
    text *out = p->page->out;
    const trace *t = p->page->trace;
    const trace_map *map = map_at(p, i);
    size_t x = MARGIN + p->node[i].column * COLUMN, y = MARGIN + p->node[i].row * ROW, step = 0;
    while (step < t->steps && t->step[step].id != map->step)
        step++;
    bool is_link = step < t->steps;
    if (is_link) {
        text_add_string(out, "<a href=\"#step-");
        html_add_step_id(p->page, map->step);
        text_add_string(out, "\">");
    }
    text_add_format(out, "<rect x=%zu y=%zu width=%d height=%d rx=8 />", x, y, BOX_WIDTH,
                    BOX_HEIGHT);
    text_add_format(out, "<text x=%zu y=%zu>%s</text><text class=shape x=%zu y=%zu>",
                    x + BOX_WIDTH / 2, y + 20, map->name, x + BOX_WIDTH / 2, y + 37);
    if (map->values.size[0] > 1)
        text_add_format(out, "%zu × ", map->values.size[0]);
    text_add_format(out, "%zu × %zu", map->values.size[1], map->values.size[2]);
    text_add_string(out, is_link ? "</text></a>\n" : "</text>\n");
}

void html_add_picture(const html_page *page)
{
    picture p = {.page = page};
    place_boxes(&p);
    if (p.count == 0)
        return;
    const trace_place *at = &page->trace->place;
    text_add_string(page->out, "<nav class=picture tabindex=0 aria-label=\"");
    if (html_has_floors(page))
        html_say(page->out, "pipelineOf", (const char *const[]){at->floor, at->name});
    else
        html_say(page->out, "pipeline", NULL);
    text_add_format(page->out, "\">\n<svg viewBox=\"0 0 %zu %d\" role=group aria-label=\"",
                    p.columns * COLUMN - (COLUMN - BOX_WIDTH) + 2 * MARGIN,
                    (ROWS - 1) * ROW + BOX_HEIGHT + 2 * MARGIN);
    html_say(page->out, "stages", NULL);
    text_add_string(page->out, "\">\n");
    add_edges(&p);
    for (size_t i = 0; i < p.count; i++)
        add_box(&p, i);
    text_add_string(page->out, "</svg></nav>\n");
}
