/* What a run is at one look: its formula; the pipeline of an attention; and a stack as a house: a
 * floor is a layer, its rooms the layer's parts. What goes in enters at the bottom, is handed on
 * from left to right, and goes up at the end of each floor; a line over the rooms leads to where it
 * is added to what they made. */
#include "render/html_picture.h"

#include "base/mem.h"
#include "render/display.h"
#include "render/html.h"
#include "render/html_english.h"
#include "render/html_words.h"
#include "trace/trace.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- the formula ---- */

/* softmax(QKᵀ / √d_k)·V, with what the run has besides: the scores are compared as it does, and
 * scaled. */
void html_add_formula(const html_page *p)
{
    static const char OF_ROWS[] = "inputs projections scores";
    const trace_room *t = p->room;
    const trace_map *scores = map_named(t, "scores"), *scale = map_named(t, "scale");
    const trace_map *q = map_named(t, "q");
    bool is_capped = map_named(t, "C") != NULL, is_product = scores->op == OP_DOT, is_root = false;
    if (scale != NULL) {
        double width = (double)(q->values.size[2] / q->slices);
        double factor = tensor_get(&scale->values, (size_t[]){0, 0, 0});
        is_root = fabs(factor * sqrt(width) - 1) < 1e-12;
    }
    /* The pieces of the formula, each if the run has it. A symbol is lit while one of its steps is
     * being read (steps.js); a mark has no steps. */
    const struct {
        bool is_there;
        const char *steps, *mathematics;
    } row[] = {
        {true, "softmax statistics round", "<mi>softmax</mi>"},
        {true, NULL, "<mo>(</mo>"},
        {is_capped, "cap", "<mi>cap</mi><mo>(</mo>"},
        {scale != NULL && !is_root, "scale", "<mi>s</mi><mo>·</mo>"},
        {is_root, NULL, "<mfrac><mrow>"},
        {!is_product, "scores", "<mi>score</mi><mo>(</mo>"},
        {true, OF_ROWS, "<mi>Q</mi>"},
        {map_named(t, "Ws") != NULL, "scores", "<msub><mi>W</mi><mi>S</mi></msub>"},
        {!is_product, NULL, "<mo>,</mo>"},
        {true, OF_ROWS, is_product ? "<msup><mi>K</mi><mo>⊤</mo></msup>" : "<mi>K</mi>"},
        {!is_product, "scores", "<mo>)</mo>"},
        {is_root, NULL, "</mrow>"},
        {is_root, "scale", "<msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt>"},
        {is_root, NULL, "</mfrac>"},
        {is_capped, NULL, "<mo>)</mo>"},
        {map_named(t, "masked") != NULL, "mask", "<mo>+</mo><mi>M</mi>"},
        {true, NULL, "<mo>)</mo>"},
        {true, "inputs projections weighted sum", "<mi>V</mi>"},
    };
    text_add_string(p->out, "<p class=whole><math>");
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (row[i].is_there && row[i].steps != NULL)
            text_add_format(p->out, "<mrow data-steps=\"%s\">%s</mrow>", row[i].steps,
                            row[i].mathematics);
        else if (row[i].is_there)
            text_add_string(p->out, row[i].mathematics);
    }
    text_add_string(p->out, "</math></p>\n");
}

/* ---- boxes ---- */

/* All in units of the picture. */
enum { MARGIN = 8, BOX_HEIGHT = 46 };

/* The link to a step, whose attributes go on. */
static void begin_link(const html_page *p, step_id step)
{
    text_add_string(p->out, "<a href=\"#step-");
    html_add_step_id(p, step);
    text_add_string(p->out, "\"");
}

/* A box with a name, and the text below that. */
static void begin_box(text *out, size_t x, size_t y, size_t width, const char *name)
{
    text_add_format(out,
                    "<rect x=%zu y=%zu width=%zu height=%d rx=8 /><text x=%zu y=%zu>%s</text>"
                    "<text class=shape x=%zu y=%zu>",
                    x, y, width, BOX_HEIGHT, x + width / 2, y + 20, name, x + width / 2, y + 37);
}

/* ---- the pipeline ---- */

/* Boxes stand in columns, and in five rows: queries, keys and values in every second one, what is
 * made of them between queries and keys. */
enum { BOX_WIDTH = 92, COLUMN = 124, ROW = 34, BEND = 28 };
enum { QUERY_ROW, CHAIN_ROW, KEY_ROW, OTHER_ROW, VALUE_ROW, ROWS };

typedef struct node {
    const trace_map *map;
    size_t column, row;
} node;

/* What is drawn: the names of maps, and their rows. */
static const struct box_row {
    const char *name;
    size_t row;
} BOXES[] = {
    {"x", KEY_ROW},           {"x_pos", KEY_ROW},      {"xk", OTHER_ROW},
    {"xv", VALUE_ROW},        {"q", QUERY_ROW},        {"q_norm", QUERY_ROW},
    {"q_rope", QUERY_ROW},    {"k", KEY_ROW},          {"k_norm", KEY_ROW},
    {"k_rope", KEY_ROW},      {"present_k", KEY_ROW},  {"v", VALUE_ROW},
    {"present_v", VALUE_ROW}, {"scores", CHAIN_ROW},   {"scaled", CHAIN_ROW},
    {"capped", CHAIN_ROW},    {"masked", CHAIN_ROW},   {"weights", CHAIN_ROW},
    {"rounded", CHAIN_ROW},   {"attended", CHAIN_ROW}, {"context", CHAIN_ROW},
    {"output", CHAIN_ROW},
};

typedef struct picture {
    text *out;
    node node[sizeof BOXES / sizeof BOXES[0]];
    size_t count, columns;
} picture;

/* Boxes of one step stand in one column. The context of one head is its result as it is, and left
 * out. x stands with the keys that are made of it, and leaves that place to keys that are given, or
 * made of others: to stand with the queries, or where these are given too, next to the values. */
static void place_boxes(picture *p, const trace_room *t)
{
    node *x = NULL;
    bool has_other_keys = false, has_queries = false;
    for (step_id step = 0; step < STEP_COUNT; step++) {
        size_t column = p->columns;
        for (size_t i = 0; i < t->maps; i++) {
            const trace_map *map = t->map[i];
            const struct box_row *box = BOXES, *end = BOXES + sizeof BOXES / sizeof BOXES[0];
            while (box < end && strcmp(box->name, map->name) != 0)
                box++;
            bool is_double = strcmp(map->name, "context") == 0 && map->slices == 1;
            if (box == end || map->step != step || is_double)
                continue;
            p->columns = column + 1;
            p->node[p->count] = (node){.map = map, .column = column, .row = box->row};
            if (step == STEP_INPUTS) {
                x = strcmp(box->name, "x") == 0 ? &p->node[p->count] : x;
                has_other_keys = has_other_keys || box->row == OTHER_ROW || *box->name == 'k';
                has_queries = has_queries || *box->name == 'q';
            }
            p->count++;
        }
    }
    if (x != NULL && has_other_keys)
        x->row = has_queries ? OTHER_ROW : QUERY_ROW;
}

static void add_edge(text *out, const node *from, const node *to)
{
    size_t x1 = MARGIN + from->column * COLUMN + BOX_WIDTH, x2 = MARGIN + to->column * COLUMN;
    size_t y1 = MARGIN + from->row * ROW + BOX_HEIGHT / 2;
    size_t y2 = MARGIN + to->row * ROW + BOX_HEIGHT / 2, middle = x2 - BEND / 2;
    text_add_format(out, "<path d=\"M%zu %zuH%zuC%zu %zu %zu %zu %zu %zum-7 -4l7 4l-7 4\"/>\n", x1,
                    y1, x2 - BEND, middle, y1, middle, y2, x2, y2);
}

/* From the last box before it in this row. */
static void add_edge_from_row(const picture *p, size_t row, const node *to)
{
    const node *from = to - 1;
    for (; from->row != row; from--)
        assert(from > p->node);
    add_edge(p->out, from, to);
}

static void add_edges(const picture *p)
{
    for (const node *to = p->node; to < p->node + p->count; to++) {
        const trace_map *map = to->map;
        const node *from = p->node;
        if (map->step == STEP_INPUTS)
            continue;
        if (to->row != CHAIN_ROW) {
            /* From the input that q, k or v is projected from, be it by way of a latent, which has
             * no box; for later forms the one before. */
            const trace_map *of = map->operand[0].map;
            while (from < to && from->map != of) {
                bool is_drawn = ++from < to || of == NULL || of->operand[0].map == NULL;
                of = is_drawn ? of : of->operand[0].map;
                from = is_drawn ? from : p->node;
            }
            if (from < to)
                add_edge(p->out, from, to);
            else
                add_edge_from_row(p, to->row, to);
        } else if (strcmp(map->name, "scores") == 0) {
            add_edge_from_row(p, QUERY_ROW, to);
            add_edge_from_row(p, KEY_ROW, to);
        } else
            add_edge_from_row(p, CHAIN_ROW, to);
        if (strcmp(map->name, "attended") == 0)
            add_edge_from_row(p, VALUE_ROW, to);
    }
}

void html_add_picture(const html_page *page)
{
    text *out = page->out;
    picture p = {.out = out};
    const trace_room *t = page->room;
    place_boxes(&p, t);
    if (p.count == 0)
        return;
    text_add_string(out, "<nav class=picture tabindex=0 aria-label=\"");
    html_say(out, trace_has_floors(page->whole) ? "pipelineOf" : "pipeline",
             (const char *const[]){t->place.floor, t->place.name});
    html_add_format(out, "\">\n<svg viewBox=\"0 0 %zu %d\" role=group aria-label=\"%s\">\n",
                    p.columns * COLUMN - (COLUMN - BOX_WIDTH) + 2 * MARGIN,
                    (ROWS - 1) * ROW + BOX_HEIGHT + 2 * MARGIN, html_english("stages"));
    add_edges(&p);
    for (size_t i = 0; i < p.count; i++) {
        /* Its shape is "3 × 4", or of several heads "2 × 3 × 4". */
        const trace_map *map = p.node[i].map;
        const size_t *size = map->values.size;
        bool is_link = room_has_step(t, map->step);
        if (is_link) {
            begin_link(page, map->step);
            text_add_string(out, ">");
        }
        begin_box(out, MARGIN + p.node[i].column * COLUMN, MARGIN + p.node[i].row * ROW, BOX_WIDTH,
                  map->name);
        if (size[0] > 1)
            text_add_format(out, "%zu × ", size[0]);
        text_add_format(out, "%zu × %zu</text>%s\n", size[1], size[2], is_link ? "</a>" : "");
    }
    text_add_string(out, "</svg></nav>\n");
}

/* ---- the house ---- */

/* In units of the picture, too. */
enum {
    GAP = 26,    /* between rooms */
    LETTER = 9,  /* as wide as one of a floor's name gets, in DejaVu Sans */
    BESIDE = 12, /* a floor's name, before it */
    SUM_WIDTH = 34,
    NARROW = 80,
    WIDE = 112,
    ABOVE = 26, /* of a floor, over its rooms */
    BELOW = 14,
    STAIRS = 22, /* between floors */
    FLOOR_HEIGHT = ABOVE + BOX_HEIGHT + BELOW,
    PITCH = FLOOR_HEIGHT + STAIRS,
    OVER = 13, /* how high a line runs over rooms */
    ARROW = 7
};

/* A room on the picture. */
typedef struct spot {
    const trace_room *room;
    size_t floor, x, y, width;
} spot;

typedef struct house {
    const html_page *page;
    spot *spot;
    size_t rooms, floors, width;
} house;

/* Where an attention is, that of any of its steps. */
static step_id kind_of(const trace_room *room)
{
    return room->map[0]->step;
}

/* Below its name: its kind, or its size. */
static void add_note(text *out, const trace_room *room)
{
    const trace_map *last = room->map[room->maps - 1], *hidden = map_named(room, "ffn.hidden");
    const trace_map *named_so = map_named(room, room->place.name),
                    *made = named_so != NULL ? named_so : last; /* of a head */
    step_id kind = kind_of(room);
    text words = {0};
    size_t i = 0;
    if (kind < STEP_COUNT) { /* an attention */
        html_say_numbers(&words, room->heads == 1 ? "oneHead" : "manyHeads", room->heads, 0);
        const char *heads = text_string(&words);
        if (map_named(room, "xk") == NULL)
            html_add_words(out, heads);
        else
            html_say(out, "overMemory", &heads);
        text_close(&words, out);
    } else if (kind == FLOOR_NORM) {
        while (i < room->maps && room->map[i]->op != OP_MINUS)
            i++;
        text_add_string(out, i == room->maps ? "RMSNorm" : "LayerNorm");
    } else if (kind == FLOOR_FEED_FORWARD && hidden != NULL)
        text_add_format(out, "%zu → %zu → %zu", last->values.size[2], hidden->values.size[2],
                        last->values.size[2]);
    else if (kind == FLOOR_CHOICE) /* the word that was chosen, cut to a room's width */
        html_add_label(out, &room->map[0]->rows, 0);
    else
        text_add_format(out, "%zu × %zu", made->values.size[1], made->values.size[2]);
}

/* Rooms stand one after the other; the longest name of a floor ends before the line that comes up
 * the stairs. */
static void place_rooms(house *h)
{
    size_t names = 0; /* what the floors' names take */
    for (size_t i = 0; i < h->rooms; i++) {
        const trace_room *room = h->page->whole->room[i];
        const char *name = room->place.floor;
        h->floors += html_begins_floor(h->page, i);
        h->spot[i] = (spot){.room = room, .floor = h->floors - 1};
        names = size_larger(names, BESIDE + display_columns(name, strlen(name)) * LETTER + GAP);
    }
    for (size_t i = 0, x = 0; i < h->rooms; i++) {
        spot *s = &h->spot[i];
        step_id kind = kind_of(s->room);
        if (html_begins_floor(h->page, i))
            x = MARGIN + names;
        s->x = x;
        s->y = MARGIN + (h->floors - 1 - s->floor) * PITCH + ABOVE;
        s->width = kind == FLOOR_RESIDUAL                      ? SUM_WIDTH
                   : kind == FLOOR_NORM || kind == FLOOR_LAYER ? NARROW
                                                               : WIDE;
        x += s->width + GAP;
        h->width = size_larger(h->width, x + MARGIN);
    }
}

static size_t middle(const spot *s)
{
    return s->y + BOX_HEIGHT / 2;
}

/* Nothing goes on from a rollout. */
static void add_lines(const house *h)
{
    text *out = h->page->out;
    const spot *before = NULL;
    for (const spot *to = h->spot, *end = to + h->rooms; to < end; to++) {
        step_id kind = kind_of(to->room);
        if (kind == FLOOR_ROLLOUT)
            continue;
        if (before != NULL) {
            text_add_format(out, "<path d=\"M%zu %zu", before->x + before->width, middle(before));
            if (before->floor != to->floor)
                text_add_format(out, "h%dV%zuH%zuV%zu", GAP / 2, before->y - ABOVE - STAIRS / 2,
                                to->x - GAP / 2, middle(to));
            text_add_format(out, "H%zum-%d -4l%d 4l-%d 4\"/>\n", to->x, ARROW, ARROW, ARROW);
        }
        if (kind == FLOOR_RESIDUAL) {
            /* What is added goes over the rooms between, from right after where it comes from. */
            const spot *from = h->spot;
            while (from->room != to->room->map[0]->operand[0].room)
                from++;
            text_add_format(
                out, "<path class=residual d=\"M%zu %zuV%zuH%zuV%zum-4 -%dl4 %dl4 -%d\"/>\n",
                from->x + from->width + GAP / 2, middle(from), from->y - OVER,
                to->x + to->width / 2, to->y + (BOX_HEIGHT - SUM_WIDTH) / 2, ARROW, ARROW, ARROW);
        }
        before = to;
    }
}

/* A room links to its first step. A trace of some steps may have none of the room. */
static void add_room(const house *h, size_t index)
{
    const spot *s = &h->spot[index];
    text *out = h->page->out;
    html_page at = *h->page;
    size_t x = s->x + s->width / 2;
    at.room = s->room;
    bool is_link = s->room->steps > 0;
    if (is_link) {
        begin_link(&at, s->room->step[0]->id);
        text_add_format(out, " data-room=%zu aria-label=\"%s, %s\">", index, s->room->place.floor,
                        s->room->place.name);
    }
    if (kind_of(s->room) == FLOOR_RESIDUAL) {
        text_add_format(out, "<circle cx=%zu cy=%zu r=%d /><text class=plus x=%zu y=%zu>+</text>",
                        x, middle(s), SUM_WIDTH / 2, x, middle(s) + 6);
    } else {
        begin_box(out, s->x, s->y, s->width, s->room->place.name);
        add_note(out, s->room);
        text_add_string(out, "</text>");
    }
    text_add_string(out, is_link ? "</a>\n" : "\n");
}

void html_add_house(const html_page *p)
{
    err e = {0};
    text *out = p->out;
    house h = {.page = p};
    h.spot = mem_alloc_zeroed(p->whole->rooms, sizeof h.spot[0], &e);
    if (h.spot == NULL) {
        out->failed = true;
        return;
    }
    /* The way back goes through the same rooms. */
    while (h.rooms < p->whole->rooms && p->whole->room[h.rooms]->there == NULL)
        h.rooms++;
    place_rooms(&h);
    html_add_format(out,
                    "<nav class=\"picture house\" tabindex=0 aria-label=\"%s\">\n"
                    "<svg viewBox=\"0 0 %zu %zu\" width=%zu role=group aria-label=\"%s\">\n",
                    html_english("house"), h.width, h.floors * PITCH - STAIRS + 2 * MARGIN, h.width,
                    html_english("floors"));
    for (size_t i = 0; i < h.rooms; i++) {
        const spot *first = &h.spot[i];
        if (!html_begins_floor(p, i))
            continue;
        html_add_format(out,
                        "<rect class=floor x=%d y=%zu width=%zu height=%d rx=10 />"
                        "<a href=\"#floor-%zu\"><text class=name x=%d y=%zu>%s</text></a>\n",
                        MARGIN, first->y - ABOVE, h.width - 2 * MARGIN, FLOOR_HEIGHT, i,
                        MARGIN + BESIDE, middle(first) + 5, first->room->place.floor);
    }
    add_lines(&h);
    for (size_t i = 0; i < h.rooms; i++)
        add_room(&h, i);
    text_add_string(out, "</svg></nav>\n");
    mem_free(h.spot);
}
