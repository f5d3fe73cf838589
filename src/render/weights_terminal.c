/* The weights of a run as a picture of characters, a heat map a head: cells with their numbers
 * where all of them fit in the width, else a character or less a cell. */
#include "render/renderer.h"

#include "base/mem.h"
#include "render/display.h"
#include "render/heat_map.h"
#include "render/key_sums.h"
#include "render/brackets.h"
#include "render/number_text.h"
#include "trace/nodes.h"

typedef struct picture {
    text *out;
    const trace_map *map;
    int digits;
    bool color;
    size_t width;       /* that there is */
    size_t label, cell; /* columns of a row's label, and of a cell */
    key_sums sums;      /* a last column, where there are some */
} picture;

/* ---- cells with numbers ---- */

/* Two characters of a shade, a number, and spaces around. */
enum { SHADES = 2, LEAST_CELL = 9 };

static void add_cell(const picture *p, double value)
{
    char number[NUMBER_FIXED_TEXT];
    size_t length = number_text_write(value, value == 0 ? 0 : p->digits, number);
    int step = color_step(value, 1);
    char shade = heat_shade_of((double)step / COLOR_STEPS);
    size_t spaces = p->cell > length + SHADES + 2 ? p->cell - length - SHADES - 2 : 0;
    text_add_string(p->out, " ");
    if (p->color) {
        heat_add_color(p->out, HEAT_BACKGROUND, share_color(step));
        heat_add_color(p->out, HEAT_FOREGROUND, (heat_color){22, 24, 29});
    }
    text_add_repeated(p->out, " ", spaces);
    for (int i = 0; i < SHADES; i++)
        text_add(p->out, p->color ? " " : &shade, 1);
    text_add_string(p->out, " ");
    text_add(p->out, number, length);
    text_add_string(p->out, p->color ? "\033[0m" : "");
}

static void add_cells(const picture *p, const tensor *head)
{
    text_add_repeated(p->out, " ", p->label);
    for (size_t j = 0; j < head->size[1]; j++) {
        char room[LABEL_ROOM];
        const char *label = label_whole(&p->map->columns, j, room);
        size_t most = p->cell - 1, columns = display_cut_columns(label, most);
        text_add_repeated(p->out, " ", p->cell - columns);
        display_add_cut(p->out, label, most);
    }
    if (p->sums.is_chosen != NULL) {
        text_add_repeated(p->out, " ", p->cell - 1);
        text_add_string(p->out, "Σ");
    }
    text_add_string(p->out, "\n");
    for (size_t i = 0; i < head->size[0]; i++) {
        size_t columns = label_add(p->out, &p->map->rows, i);
        text_add_repeated(p->out, " ", p->label - columns);
        for (size_t j = 0; j < head->size[1]; j++)
            add_cell(p, matrix_at(head, i, j));
        if (p->sums.is_chosen != NULL)
            add_cell(p, key_sums_at(&p->sums, &(sampling){.tall = 1}, head, i));
        text_add_string(p->out, "\n");
    }
}

/* ---- a character or less a cell ---- */

static bool add_map(const picture *p, const tensor *head, err *e)
{
    enum { FRAME = 2, SUM = 4, MOST_ROWS = 64 };
    size_t sums = p->sums.is_chosen != NULL;
    sampling by =
        sampling_of(head->size[0], head->size[1], MOST_ROWS, p->width - FRAME - sums * SUM);
    size_t columns = by.columns + sums;
    double *cell = mem_alloc(by.rows * columns, sizeof cell[0], e);
    heat_map map = {
        .rows = by.rows, .columns = columns, .magnitude = cell, .apart = sums, .is_share = true};
    if (cell == NULL)
        return false;
    for (size_t i = 0; i < by.rows * columns; i++)
        cell[i] = i % columns < by.columns ? sampling_at(&by, head, i / columns, i % columns)
                                           : key_sums_at(&p->sums, &by, head, i / columns);
    heat_map_add(p->out, &map, p->color);
    if (by.tall > 1 || by.wide > 1)
        text_add_format(p->out, "the greatest of %zu × %zu weights in a cell\n", by.tall, by.wide);
    mem_free(cell);
    return true;
}

/* The heads of one room; of layers, with the way to it before them. */
static bool add_room(picture *p, const trace_place *at, err *e)
{
    const size_t *size = p->map->values.size;
    size_t least = size_larger(LEAST_CELL, (size_t)p->digits + 2 + SHADES + 3);
    size_t columns = size[2] + (p->sums.is_chosen != NULL);
    bool done = true;
    p->label = labels_widest(&p->map->rows, size[1]);
    p->cell = size_larger(least, labels_widest(&p->map->columns, size[2]) + 1);
    if (p->label + columns * p->cell > p->width)
        p->cell = least;
    bool fits = p->label + columns * p->cell <= p->width;
    for (size_t i = 0; i < size[0] && done; i++) {
        tensor head = tensor_at(&p->map->values, i);
        text_add_format(p->out, "%s%sweights", p->out->length > 0 ? "\n" : "",
                        at->way == NULL ? "" : at->way);
        if (size[0] > 1)
            text_add_format(p->out, " of head %zu", i + 1);
        text_add_format(p->out, ", %zu × %zu:\n", size[1], size[2]);
        if (fits)
            add_cells(p, &head);
        else
            done = add_map(p, &head, e);
    }
    return done;
}

bool weights_terminal(const trace *t, const render_options *how, text *out, err *e)
{
    enum { DIGITS = 2, LEAST_WIDTH = 20 };
    picture p = {.out = out,
                 .digits = how->digits < 0 ? DIGITS : how->digits,
                 .color = how->color,
                 .width = how->width < LEAST_WIDTH ? LEAST_WIDTH : (size_t)how->width};
    bool done = true;
    for (size_t i = 0; i < trace_rooms(t) && done; i++) {
        const trace *room = trace_room(t, i);
        p.map = map_named(room, "weights");
        done = p.map == NULL ||
               (key_sums_find(&p.sums, how->sum_keys, p.map, e) && add_room(&p, &room->place, e));
        key_sums_free(&p.sums);
    }
    text sums = {0};
    key_sums_explain(how->sum_keys, &sums);
    display_add(out, text_string(&sums), sums.length);
    text_add_string(out, sums.length > 0 ? "\n" : "");
    text_close(&sums, out);
    return done && text_ok(out, e);
}
