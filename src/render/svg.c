/* Pictures in SVG 1.1: the weights of a run, or gradients, a heat map a head, and a matrix of
 * differences; byte for byte the same for the same numbers.
 *
 * They have no style sheet, script or reference, so that every program that knows SVG shows the
 * same, on white. Of weights up to 64 rows and columns a square is a number, above it stands for
 * several. */
#include "base/mem.h"

#include "render/brackets.h"
#include "render/display.h"
#include "render/heat_map.h"
#include "render/html.h"
#include "render/html_words.h"
#include "trace/trace.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* All in pixels. */
enum {
    MARGIN = 16,
    LETTER = 8, /* about as wide as a column of text of this size */
    FONT = 13,
    TITLE_HEIGHT = 34,
    TITLE_LETTER = 9,
    NAME_HEIGHT = 24, /* "head 1" */
    GAP = 28,         /* between heads */
    SUM_GAP = 6,      /* before the column of sums */
    WIDTH = 1120,     /* heads stand side by side up to here: three of 20 words each do */
    LEGEND_STEP = 22,
    SIGN_STEP = 16,
    LEGEND_HEIGHT = 44,
    LEGEND_WIDTH = 320
};

/* What is written on the colours of shares, and what is quieter on white. */
static const char INK[] = "#16181d", QUIET[] = "#51565f";

/* Begins a white picture with its title. */
static void begin(text *out, const char *title, size_t width, size_t height)
{
    html_add_format(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
                    "viewBox=\"0 0 %zu %zu\" role=\"img\" fill=\"%s\" font-size=\"%d\" "
                    "font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n"
                    "<title>%s</title>\n<rect width=\"%zu\" height=\"%zu\" fill=\"#ffffff\"/>\n"
                    "<text x=\"%d\" y=\"%d\" font-size=\"16\">%s</text>\n",
                    width, height, width, height, INK, FONT, title, width, height, MARGIN,
                    MARGIN + FONT, title);
}

/* The fill of an element that is being written. */
static void add_fill(text *out, heat_color color)
{
    text_add_format(out, " fill=\"#%02x%02x%02x\"", (unsigned)color.red, (unsigned)color.green,
                    (unsigned)color.blue);
}

/* ---- a heat map ---- */

enum { MAP_WIDTH = 720, CELL_MOST = 24, SAMPLE_WIDTH = 140 };

static void add_cell(text *out, size_t x, size_t y, size_t size, heat_color color)
{
    text_add_format(out, "<rect x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%zu\"", x, y, size,
                    size);
    add_fill(out, color);
    text_add_string(out, "/>\n");
}

void heat_map_add_svg(text *out, const heat_map *map, const char *title)
{
    size_t top = MARGIN + TITLE_HEIGHT;
    size_t cell = map->columns * CELL_MOST > MAP_WIDTH ? MAP_WIDTH / map->columns : CELL_MOST;
    size_t words = display_columns(title, strlen(title)) * TITLE_LETTER;
    size_t across = size_larger(size_larger(map->columns * cell, words), 3 * SAMPLE_WIDTH);
    const heat_scale *s = &map->scale;
    size_t bottom = top + map->rows * cell + MARGIN;
    begin(out, title, across + 2 * MARGIN, bottom + LEGEND_HEIGHT);
    for (size_t i = 0; i < map->rows * map->columns; i++) {
        size_t x = MARGIN + i % map->columns * cell, y = top + i / map->columns * cell;
        add_cell(out, x, y, cell, heat_color_of(heat_level(s, map->magnitude[i])));
    }
    double sample[HEAT_SAMPLES];
    for (size_t i = 0, count = heat_samples(s, sample); i < count; i++) {
        char digits[NUMBER_FIXED_TEXT] = "equal";
        size_t x = MARGIN + i * SAMPLE_WIDTH;
        if (sample[i] > 0)
            number_write_exponent(sample[i], 3, digits);
        add_cell(out, x, bottom, FONT, heat_color_of(heat_level(s, sample[i])));
        text_add_format(out, "<text x=\"%zu\" y=\"%zu\">%s</text>\n", x + 2 * FONT,
                        bottom + FONT - 2, digits);
    }
    text_add_string(out, "</svg>\n");
}

/* ---- the weights of a room ---- */

/* A cell's size depends on how many cells there are in the larger direction. Numbers fit the first
 * size only, and labels all but the last. */
static const struct {
    size_t most, width, height;
} CELLS[] = {{16, 48, 32}, {32, 24, 24}, {64, 14, 14}, {64, 5, 5}};
enum { CELL_KINDS = sizeof CELLS / sizeof CELLS[0], LAST_WITH_LABELS = CELL_KINDS - 2 };

typedef struct picture {
    text *out;
    const trace_map *map, *masked; /* masked: NULL where nothing is hidden */
    int digits;
    double most; /* of numbers with a sign, the greatest; 0: they are shares */
    bool is_signed;
    sampling by;
    bool *sums;                          /* the keys of a last column, where there are some */
    size_t cell_width, cell_height, gap; /* gap: what a cell leaves free on two sides */
    bool has_numbers, has_labels, is_slanted;
    size_t name;             /* the height of "head 1", where there are more */
    size_t left, top, right; /* what labels take left of, above (with the name), and after cells */
    size_t width, height;    /* of one head, with all that */
    size_t heads, across;    /* and how many stand side by side */
    size_t y;                /* where the first of them begins */
} picture;

/* ---- sizes ---- */

/* With that of the sums. */
static size_t columns_of(const picture *p)
{
    return p->by.columns + (p->sums != NULL);
}

static size_t left_of(const picture *p, size_t column)
{
    return p->left + column * p->cell_width + (column < p->by.columns ? 0 : SUM_GAP);
}

static void size_heads(picture *p, size_t kind)
{
    char widest[NUMBER_FIXED_TEXT];
    size_t number = ((size_t)p->digits + 2) * LETTER + LETTER;
    if (p->is_signed)
        number = number_text_write(-p->most, p->digits, widest) * LETTER + LETTER;
    p->has_labels = p->by.tall == 1 && p->by.wide == 1;
    p->has_numbers = p->has_labels && kind == 0;
    p->cell_height = CELLS[kind].height;
    p->cell_width = size_larger(CELLS[kind].width, p->has_numbers ? number : 0);
    p->gap = kind < CELL_KINDS - 1;
    p->top = p->name;
    if (p->has_labels) {
        /* Labels that are wider than a cell go up at 60 degrees: sin is 0.87, cos 0.5. */
        size_t above = labels_widest(&p->map->columns, p->by.columns) * LETTER;
        bool sticks_out = above / 2 > p->cell_width / 2;
        p->left = (labels_widest(&p->map->rows, p->by.rows) + 1) * LETTER;
        p->is_slanted = above > p->cell_width - 4;
        p->top += p->is_slanted ? above * 87 / 100 + FONT : FONT + 6;
        p->right = p->is_slanted && sticks_out ? above / 2 - p->cell_width / 2 : 0;
    }
    p->width = left_of(p, columns_of(p) - 1) + p->cell_width + p->right;
    p->height = p->top + p->by.rows * p->cell_height;
    p->across = (WIDTH + GAP) / (p->width + GAP);
}

/* The heads of one matrix of a room, below those before it.
 *
 * Heads are there to be compared: cells get smaller until several stand side by side, as long as
 * labels can be read; and no row of heads has many fewer than the others. */
static void lay(picture *p, const trace_room *room, const trace_map *map, const render_options *how,
                size_t y, text *out, err *e)
{
    enum { DIGITS = 2, FEW_HEADS = 4, FEW_ACROSS = 2, MANY_ACROSS = 3 };
    int digits = DIGITS;
    mem_free(p->sums);
    *p = (picture){.out = out, .map = map, .is_signed = how->drawn->count > 0};
    if (p->is_signed)
        p->most = picture_greatest(map, &digits);
    else
        p->masked = map_named(room, "masked");
    p->digits = how->digits < 0 ? digits : how->digits;
    if (!p->is_signed && !key_sums_find(&p->sums, how->sum_keys, map, e))
        out->failed = true;
    p->heads = map->values.size[0];
    p->name = p->heads > 1 ? NAME_HEIGHT : 0;
    p->by = sampling_of(map->values.size[1], map->values.size[2], HTML_MOST, HTML_MOST);
    size_t count = size_larger(p->by.rows, p->by.columns), kind = 0;
    size_t wanted = p->heads == 1 ? 1 : p->heads <= FEW_HEADS ? FEW_ACROSS : MANY_ACROSS;
    while (count > CELLS[kind].most)
        kind++;
    size_heads(p, kind);
    while (p->across < wanted && kind < (p->has_labels ? LAST_WITH_LABELS : CELL_KINDS - 1))
        size_heads(p, ++kind);
    assert(p->across > 0);
    p->across = p->across > p->heads ? p->heads : p->across;
    size_t down = (p->heads + p->across - 1) / p->across;
    p->across = (p->heads + down - 1) / down;
    p->y = y + (room->place.floor[0] != 0 || p->is_signed ? TITLE_HEIGHT : 0);
}

/* ---- one head ---- */

/* Whether masks let none of the queries of a square see any of its keys. */
static bool is_hidden(const picture *p, size_t head, size_t row, size_t column)
{
    if (p->masked == NULL)
        return false;
    const sampling *by = &p->by;
    tensor masked = tensor_at(&p->masked->values, head);
    bool is_sum = column == by->columns;
    size_t first = is_sum ? 0 : column * by->wide, end = is_sum ? masked.size[1] : first + by->wide;
    for (size_t i = row * by->tall; i < (row + 1) * by->tall && i < masked.size[0]; i++) {
        for (size_t j = first; j < end && j < masked.size[1]; j++) {
            if ((!is_sum || p->sums[j]) && matrix_at(&masked, i, j) != -(double)INFINITY)
                return false;
        }
    }
    return true;
}

/* A cell that masks hide is hatched, since its 0 is not a small weight. */
enum { HIDDEN = COLOR_STEPS + 1 };

static void add_drawn(text *out, int step, bool is_signed, const text *path)
{
    text_add_string(out, "<path");
    if (step == HIDDEN)
        text_add_string(out, " fill=\"none\" stroke=\"#a9b0bc\"");
    else
        add_fill(out, is_signed ? sign_color(step) : share_color(step));
    text_add_format(out, " d=\"%s\"/>\n", text_string(path));
}

/* Of a cell, or its hatch: lines to the upper right, from the left side and from below. */
static void add_outline(text *out, int step, size_t x, size_t y, size_t width, size_t height)
{
    enum { WIDE = 20, BETWEEN = 8 };
    size_t between = height > WIDE ? BETWEEN : height;
    if (step != HIDDEN) {
        text_add_format(out, "M%zu %zuh%zuv%zuh-%zuz", x, y, width, height, width);
        return;
    }
    for (size_t from = between; from < width + height; from += between) {
        size_t right = from > height ? from - height : 0, down = from - right;
        size_t length = down < width - right ? down : width - right;
        text_add_format(out, "M%zu %zul%zu-%zu", x + right, y + down, length, length);
    }
}

/* True where one of the cells is hatched. */
static bool add_cells(const picture *p, size_t index)
{
    signed char step[HTML_MOST * (HTML_MOST + 1)];
    bool hides = false;
    tensor head = tensor_at(&p->map->values, index);
    size_t columns = columns_of(p), count = p->by.rows * columns;
    text numbers = {0};
    for (size_t i = 0; i < count; i++) {
        size_t row = i / columns, column = i % columns;
        double value = column < p->by.columns ? sampling_at(&p->by, &head, row, column)
                                              : key_sums_at(p->sums, &p->by, &head, row);
        step[i] = (signed char)(p->is_signed ? sign_step(value, p->most) : color_step(value, 1));
        if (step[i] == 0 && is_hidden(p, index, row, column)) {
            step[i] = HIDDEN;
            hides = true;
        } else if (p->has_numbers) {
            text_add_format(&numbers, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"middle\">",
                            left_of(p, column) + p->cell_width / 2,
                            p->top + row * p->cell_height + p->cell_height / 2 + 4);
            number_text_add(&numbers, value, value == 0 ? 0 : p->digits);
            text_add_string(&numbers, "</text>\n");
        }
    }
    /* All cells of one colour are one path, which takes a third of the bytes that a rectangle each
     * does. Below a hatch is what a 0 has. */
    for (int wanted = p->is_signed ? -COLOR_STEPS : 0; wanted <= HIDDEN; wanted++) {
        text path = {0};
        for (size_t i = 0; i < count; i++) {
            if (step[i] == wanted || (step[i] == HIDDEN && wanted == 0))
                add_outline(&path, wanted, left_of(p, i % columns),
                            p->top + i / columns * p->cell_height, p->cell_width - p->gap,
                            p->cell_height - p->gap);
        }
        if (path.length > 0)
            add_drawn(p->out, wanted, p->is_signed, &path);
        text_close(&path, p->out);
    }
    text_add_string(p->out, text_string(&numbers));
    text_close(&numbers, p->out);
    return hides;
}

static bool add_head(const picture *p, size_t index)
{
    text *out = p->out;
    size_t x = MARGIN + index % p->across * (p->width + GAP), columns = columns_of(p);
    size_t y = p->y + index / p->across * (p->height + GAP);
    text_add_format(out, "<g transform=\"translate(%zu %zu)\">\n", x, y);
    if (p->heads > 1)
        text_add_format(out, "<text x=\"%zu\" y=\"%d\" font-weight=\"bold\">head %zu</text>\n",
                        p->left, FONT, index + 1);
    for (size_t j = p->has_labels ? 0 : p->by.columns; j < columns; j++) {
        size_t middle = left_of(p, j) + p->cell_width / 2;
        if (p->is_slanted && j < p->by.columns)
            text_add_format(out, "<text transform=\"translate(%zu %zu) rotate(-60)\">", middle + 2,
                            p->top - 6);
        else
            text_add_format(out, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"middle\">", middle,
                            p->top - 6);
        if (j < p->by.columns)
            html_add_label(out, &p->map->columns, j);
        else
            text_add_string(out, "Σ");
        text_add_string(out, "</text>\n");
    }
    for (size_t i = 0; i < p->by.rows && p->has_labels; i++) {
        text_add_format(out, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"end\">", p->left - LETTER,
                        p->top + i * p->cell_height + p->cell_height / 2 + 4);
        html_add_label(out, &p->map->rows, i);
        text_add_string(out, "</text>\n");
    }
    bool hides = add_cells(p, index);
    text_add_string(out, "</g>\n");
    return hides;
}

/* ---- around them ---- */

/* From the greatest below 0 to the greatest above. */
static void add_legend_of_signs(const picture *p, size_t y)
{
    text_add_format(p->out, "<g transform=\"translate(%d %zu)\" fill=\"%s\">\n", MARGIN, y, QUIET);
    text_add_string(p->out, "<text y=\"12\">−</text>\n");
    for (int step = -COLOR_STEPS; step <= COLOR_STEPS; step++) {
        text_add_format(p->out, "<rect x=\"%d\" width=\"%d\" height=\"16\"",
                        FONT + (step + COLOR_STEPS) * SIGN_STEP, SIGN_STEP - 1);
        add_fill(p->out, sign_color(step));
        text_add_string(p->out, "/>\n");
    }
    text_add_format(p->out, "<text x=\"%d\" y=\"12\">+</text>\n",
                    FONT + (2 * COLOR_STEPS + 1) * SIGN_STEP + 4);
    text_add_string(p->out, "<text y=\"34\">The strongest colour is the greatest of its matrix.");
    text_add_string(p->out, "</text>\n</g>\n");
}

static void add_legend(const picture *p, const char *sums, bool hides, size_t y)
{
    text_add_format(p->out, "<g transform=\"translate(%d %zu)\" fill=\"%s\">\n", MARGIN, y, QUIET);
    text_add_string(p->out, "<text y=\"12\">0</text>\n");
    for (int step = 0; step <= COLOR_STEPS; step++) {
        text_add_format(p->out, "<rect x=\"%d\" width=\"%d\" height=\"16\"",
                        FONT + step * LEGEND_STEP, LEGEND_STEP - 1);
        add_fill(p->out, share_color(step));
        text_add_string(p->out, "/>\n");
    }
    enum { ONE = FONT + (COLOR_STEPS + 1) * LEGEND_STEP + 4, HATCHED = ONE + 2 * LEGEND_STEP };
    text_add_format(p->out, "<text x=\"%d\" y=\"12\">1</text>\n", ONE);
    for (int step = 0; hides && step <= HIDDEN; step += HIDDEN) {
        text sample = {0};
        add_outline(&sample, step, HATCHED, 0, LEGEND_STEP - 1, 16);
        add_drawn(p->out, step, false, &sample);
        text_close(&sample, p->out);
    }
    if (hides)
        text_add_format(p->out, "<text x=\"%d\" y=\"12\">masked</text>\n",
                        HATCHED + LEGEND_STEP + 4);
    if (p->has_labels)
        text_add_string(p->out, "<text y=\"34\">A row is a query, a column a key.");
    else
        text_add_format(p->out, "<text y=\"34\">A square is the greatest of %zu × %zu weights.",
                        p->by.tall, p->by.wide);
    html_add_format(p->out, "%s%s</text>\n</g>\n", *sums == '\0' ? "" : " ", sums);
}

/* The attentions of layers have a heading each, "layer 1, attention", and each gradient with what
 * its colours stand for: "wq_grad, 2 × 3, up to 0.25". */
static void add_heading(const picture *p, const trace_room *room)
{
    const size_t *size = p->map->values.size;
    text_add_format(p->out, "<text x=\"%d\" y=\"%zu\" font-weight=\"bold\">", MARGIN,
                    p->y - TITLE_HEIGHT / 2);
    if (!p->is_signed) {
        html_add_format(p->out, "%s, %s</text>\n", room->place.floor, room->place.name);
        return;
    }
    html_add_format(p->out, "%s%s, %zu × %zu, up to ", room->place.way, p->map->name, size[1],
                    size[2]);
    number_text_add(p->out, p->most, p->digits);
    if (p->by.tall > 1 || p->by.wide > 1)
        text_add_format(p->out, "; a square is the greatest of %zu × %zu", p->by.tall, p->by.wide);
    text_add_string(p->out, "</text>\n");
}

bool weights_svg(const trace *t, const render_options *how, text *out, err *e)
{
    enum { MOST = WIDTH / TITLE_LETTER };
    size_t bottom = MARGIN + TITLE_HEIGHT, width = LEGEND_WIDTH;
    bool hides = false;
    picture p = {0};
    text title = {0}, sums = {0}, heads = {0}, words = render_title(t, RENDER_UNTITLED);
    /* "name: title", as on the page, cut where it is wider than the heads ever are. */
    display_add_cut(&title, text_string(&words), MOST);
    text_clear(&words);
    key_sums_explain(how->sum_keys, &words);
    display_add_cut(&sums, text_string(&words), WIDTH / LETTER);
    for (size_t i = 0; i < t->rooms; i++) {
        const trace_room *room = t->room[i];
        for (size_t j = 0; j < room->maps; j++) {
            if (!picture_takes(how, room, room->map[j]))
                continue;
            lay(&p, room, room->map[j], how, bottom, &heads, e);
            if (p.y > bottom)
                add_heading(&p, room);
            for (size_t head = 0; head < p.heads; head++)
                hides = add_head(&p, head) || hides;
            width = size_larger(width, p.across * (p.width + GAP) - GAP);
            bottom = p.y + (p.heads + p.across - 1) / p.across * (p.height + GAP);
        }
    }
    width = size_larger(width, display_columns(text_string(&title), title.length) * TITLE_LETTER);
    if (sums.length > 0)
        width = size_larger(width, LEGEND_WIDTH +
                                       display_columns(text_string(&sums), sums.length) * LETTER);
    begin(out, text_string(&title), width + 2 * MARGIN, bottom + LEGEND_HEIGHT + MARGIN);
    text_add(out, text_string(&heads), heads.length);
    text_close(&heads, out);
    p.out = out;
    if (p.is_signed)
        add_legend_of_signs(&p, bottom);
    else
        add_legend(&p, text_string(&sums), hides, bottom);
    text_add_string(out, "</svg>\n");
    text_close(&title, out);
    text_close(&words, out);
    text_close(&sums, out);
    mem_free(p.sums);
    return text_ok(out, e);
}
