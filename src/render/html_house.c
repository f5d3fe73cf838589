/* A stack as a house: a floor is a layer, its rooms the layer's parts. What goes in enters at the
 * bottom, is handed on from left to right, and goes up at the end of each floor; a line over the
 * rooms leads to where it is added to what they made. */
#include "base/mem.h"
#include "render/display.h"
#include "render/html_parts.h"
#include "trace/nodes.h"

#include <string.h>

/* All in units of the picture. */
enum {
    MARGIN = 8,
    GAP = 26,    /* between rooms */
    LETTER = 9,  /* as wide as one of a floor's name gets, in DejaVu Sans */
    BESIDE = 12, /* a floor's name, before it */
    SUM_WIDTH = 34,
    NARROW = 80,
    WIDE = 112,
    ROOM_HEIGHT = 46,
    ABOVE = 26, /* of a floor, over its rooms */
    BELOW = 14,
    STAIRS = 22, /* between floors */
    FLOOR_HEIGHT = ABOVE + ROOM_HEIGHT + BELOW,
    PITCH = FLOOR_HEIGHT + STAIRS,
    OVER = 13, /* how high a line runs over rooms */
    ARROW = 7
};

/* A room on the picture. */
typedef struct spot {
    const trace *room;
    size_t floor, x, y, width;
} spot;

typedef struct house {
    const html_page *page;
    spot *spot;
    size_t rooms, floors, width;
    size_t label; /* what the floors' names take */
} house;

/* ---- what a room is ---- */

/* Where an attention is, that of any of its steps. */
static step_id kind_of(const trace *room)
{
    return room->map[0].step;
}

/* Below its name: its kind, or its size. */
static void add_note(text *out, const trace *room)
{
    const trace_map *last = &room->map[room->maps - 1], *hidden = map_named(room, "ffn.hidden");
    const trace_map *made = map_named(room, room->place.name);
    text words = {0};
    const char *about;
    size_t i = 0;
    switch (kind_of(room)) {
    case FLOOR_NORM:
        while (i < room->maps && room->map[i].op != OP_MINUS)
            i++;
        text_add_string(out, i == room->maps ? "RMSNorm" : "LayerNorm");
        break;
    case FLOOR_FEED_FORWARD:
        text_add_format(out, "%zu → %zu → %zu", last->values.size[2], hidden->values.size[2],
                        last->values.size[2]);
        break;
    case FLOOR_EMBEDDED:
    case FLOOR_LAYER:
    case FLOOR_ROLLOUT:
    case FLOOR_OUTPUT:
    case FLOOR_LOGITS:
    case FLOOR_PROBABILITIES:
        text_add_format(out, "%zu × %zu", made->values.size[1], made->values.size[2]);
        break;
    case FLOOR_CHOICE: /* the word that was chosen, cut to a room's width */
        html_add_label(out, &room->map[0].rows, 0);
        break;
    default: /* an attention */
        html_say_numbers(&words, room->heads == 1 ? "oneHead" : "manyHeads", room->heads, 0);
        about = text_string(&words);
        if (map_named(room, "xk") == NULL)
            html_add_words(out, about);
        else
            html_say(out, "overMemory", &about);
    }
    text_close(&words, out);
}

/* ---- where it is ---- */

static size_t width_of(const trace *room)
{
    switch (kind_of(room)) {
    case FLOOR_RESIDUAL:
        return SUM_WIDTH;
    case FLOOR_NORM:
    case FLOOR_LAYER:
        return NARROW;
    default:
        return WIDE;
    }
}

/* Rooms stand one after the other; the longest name of a floor ends before the line that comes up
 * the stairs. */
static void place_rooms(house *h)
{
    for (size_t i = 0; i < h->rooms; i++) {
        const trace *room = trace_room(h->page->whole, i);
        const char *name = room->place.floor;
        size_t columns = display_columns(name, strlen(name));
        h->floors += html_begins_floor(h->page, i);
        h->spot[i] = (spot){.room = room, .floor = h->floors - 1};
        h->label = size_larger(h->label, BESIDE + columns * LETTER + GAP);
    }
    for (size_t i = 0, x = 0; i < h->rooms; i++) {
        spot *s = &h->spot[i];
        if (html_begins_floor(h->page, i))
            x = MARGIN + h->label;
        s->x = x;
        s->y = MARGIN + (h->floors - 1 - s->floor) * PITCH + ABOVE;
        s->width = width_of(s->room);
        x += s->width + GAP;
        h->width = size_larger(h->width, x + MARGIN);
    }
}

/* ---- lines ---- */

static size_t middle(const spot *s)
{
    return s->y + ROOM_HEIGHT / 2;
}

static void add_way(const house *h, const spot *from, const spot *to)
{
    text *out = h->page->out;
    text_add_format(out, "<path d=\"M%zu %zu", from->x + from->width, middle(from));
    if (from->floor != to->floor) {
        size_t stairs = from->y - ABOVE - STAIRS / 2, left = to->x - GAP / 2;
        text_add_format(out, "h%dV%zuH%zuV%zu", GAP / 2, stairs, left, middle(to));
    }
    text_add_format(out, "H%zum-%d -4l%d 4l-%d 4\"/>\n", to->x, ARROW, ARROW, ARROW);
}

/* What is added goes over the rooms between, from right after where it comes from. */
static void add_residual(const house *h, const spot *to)
{
    const spot *from = h->spot;
    while (from->room != to->room->map[0].operand[0].room)
        from++;
    size_t above = from->y - OVER, x = to->x + to->width / 2;
    text_add_format(h->page->out,
                    "<path class=residual d=\"M%zu %zuV%zuH%zuV%zum-4 -%dl4 %dl4 -%d\"/>\n",
                    from->x + from->width + GAP / 2, middle(from), above, x,
                    to->y + (ROOM_HEIGHT - SUM_WIDTH) / 2, ARROW, ARROW, ARROW);
}

/* A rollout is looked at, and nothing goes on from it. */
static void add_lines(const house *h)
{
    const spot *before = NULL;
    for (size_t i = 0; i < h->rooms; i++) {
        const spot *here = &h->spot[i];
        if (kind_of(here->room) == FLOOR_ROLLOUT)
            continue;
        if (before != NULL)
            add_way(h, before, here);
        if (kind_of(here->room) == FLOOR_RESIDUAL)
            add_residual(h, here);
        before = here;
    }
}

/* ---- rooms and floors ---- */

static void add_floor(const house *h, size_t index)
{
    text *out = h->page->out;
    const spot *first = &h->spot[index];
    size_t y = first->y - ABOVE;
    text_add_format(out,
                    "<rect class=floor x=%d y=%zu width=%zu height=%d rx=10 />"
                    "<a href=\"#floor-%zu\"><text class=name x=%d y=%zu>",
                    MARGIN, y, h->width - 2 * MARGIN, FLOOR_HEIGHT, index, MARGIN + BESIDE,
                    middle(first) + 5);
    html_add_words(out, first->room->place.floor);
    text_add_string(out, "</text></a>\n");
}

/* Its steps begin with the first; a trace of some steps only may have none of it. */
static void add_room(const house *h, size_t index)
{
    const spot *s = &h->spot[index];
    text *out = h->page->out;
    html_page at = *h->page;
    size_t x = s->x + s->width / 2;
    at.trace = s->room;
    bool is_link = s->room->steps > 0;
    if (is_link) {
        text_add_string(out, "<a href=\"#step-");
        html_add_step_id(&at, s->room->step[0].id);
        text_add_format(out, "\" data-room=%zu aria-label=\"%s, %s\">", index, s->room->place.floor,
                        s->room->place.name);
    }
    if (kind_of(s->room) == FLOOR_RESIDUAL) {
        text_add_format(out, "<circle cx=%zu cy=%zu r=%d /><text class=plus x=%zu y=%zu>+</text>",
                        x, middle(s), SUM_WIDTH / 2, x, middle(s) + 6);
    } else {
        text_add_format(out,
                        "<rect x=%zu y=%zu width=%zu height=%d rx=8 /><text x=%zu "
                        "y=%zu>%s</text><text class=shape x=%zu y=%zu>",
                        s->x, s->y, s->width, ROOM_HEIGHT, x, s->y + 20, s->room->place.name, x,
                        s->y + 37);
        add_note(out, s->room);
        text_add_string(out, "</text>");
    }
    text_add_string(out, is_link ? "</a>\n" : "\n");
}

void html_add_house(const html_page *p)
{
    err e = {0};
    text *out = p->out;
    house h = {.page = p, .rooms = trace_rooms(p->whole)};
    h.spot = mem_alloc_zeroed(h.rooms, sizeof h.spot[0], &e);
    if (h.spot == NULL) {
        out->failed = true;
        return;
    }
    place_rooms(&h);
    text_add_string(out, "<nav class=\"picture house\" tabindex=0 aria-label=\"");
    html_say(out, "house", NULL);
    text_add_format(out, "\">\n<svg viewBox=\"0 0 %zu %zu\" width=%zu role=group aria-label=\"",
                    h.width, h.floors * PITCH - STAIRS + 2 * MARGIN, h.width);
    html_say(out, "floors", NULL);
    text_add_string(out, "\">\n");
    for (size_t i = 0; i < h.rooms; i++) {
        if (html_begins_floor(p, i))
            add_floor(&h, i);
    }
    add_lines(&h);
    for (size_t i = 0; i < h.rooms; i++)
        add_room(&h, i);
    text_add_string(out, "</svg></nav>\n");
    mem_free(h.spot);
}
