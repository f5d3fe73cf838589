#include "render/heat_map.h"

#include "attn/spec/row_choice.h"
#include "base/mem.h"
#include "render/brackets.h"
#include "model/stages.h"
#include "render/display.h"
#include "trace/trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- squares ---- */

static size_t parts(size_t total, size_t size)
{
    return total / size + (total % size > 0);
}

sampling sampling_of(size_t rows, size_t columns, size_t most_rows, size_t most_columns)
{
    sampling s = {.tall = size_larger(parts(rows, most_rows), 1),
                  .wide = size_larger(parts(columns, most_columns), 1)};
    s.rows = parts(rows, s.tall);
    s.columns = parts(columns, s.wide);
    return s;
}

double sampling_at(const sampling *s, const tensor *matrix, size_t row, size_t column)
{
    double found = 0;
    if (s->tall == 1 && s->wide == 1)
        return matrix_at(matrix, row, column);
    for (size_t i = row * s->tall; i < (row + 1) * s->tall && i < matrix->size[0]; i++) {
        for (size_t j = column * s->wide; j < (column + 1) * s->wide && j < matrix->size[1]; j++) {
            double value = matrix_at(matrix, i, j);
            if (isfinite(value) && fabs(value) > fabs(found))
                found = value;
        }
    }
    return found;
}

/* ---- the scale ---- */

void heat_scale_add(heat_scale *s, double magnitude)
{
    if (!(magnitude > 0) || !isfinite(magnitude))
        return;
    s->least = s->least == 0 || magnitude < s->least ? magnitude : s->least;
    s->greatest = magnitude > s->greatest ? magnitude : s->greatest;
}

/* The level of the least difference: it must still be told from equality. */
static const double FAINTEST = 0.2;

double heat_level(const heat_scale *s, double magnitude)
{
    if (magnitude == 0)
        return 0;
    if (!isfinite(magnitude) || s->least == s->greatest)
        return 1;
    double along = log(magnitude / s->least) / log(s->greatest / s->least);
    return FAINTEST + (1 - FAINTEST) * fmin(fmax(along, 0), 1);
}

/* Dark blue, violet, red, orange, pale yellow: each brighter than the one before, so that the order
 * is seen in grey too. */
heat_color heat_color_of(double level)
{
    static const heat_color STOPS[] = {
        {24, 26, 38}, {72, 32, 112}, {176, 48, 88}, {244, 136, 48}, {252, 244, 168}};
    enum { LAST = sizeof STOPS / sizeof STOPS[0] - 1 };
    double along = level * LAST;
    int stop = along >= LAST ? LAST - 1 : (int)along;
    double part = along - stop;
    const heat_color *a = &STOPS[stop], *b = &STOPS[stop + 1];
    return (heat_color){a->red + (int)(part * (b->red - a->red)),
                        a->green + (int)(part * (b->green - a->green)),
                        a->blue + (int)(part * (b->blue - a->blue))};
}

/* ---- colours of shares ---- */

int color_step(double value, double most)
{
    if (!isfinite(value) || value == 0 || most == 0)
        return 0;
    double step = floor(fabs(value) / most * COLOR_STEPS + 0.5);
    return step < 1 ? 1 : step > COLOR_STEPS ? COLOR_STEPS : (int)step;
}

/* --share and the --level of .w1 to .w8, in page.css. */
static const heat_color SHARE = {40, 180, 135};
static const int PERCENT[COLOR_STEPS + 1] = {0, 10, 20, 32, 44, 56, 68, 80, 92};
/* --raised: a cell of 0 is still a cell. */
static const heat_color NOTHING = {244, 245, 247};

static int on_white(int color, int percent)
{
    return 255 - (255 - color) * percent / 100;
}

heat_color share_color(int step)
{
    int percent = PERCENT[step];
    if (step == 0)
        return NOTHING;
    return (heat_color){on_white(SHARE.red, percent), on_white(SHARE.green, percent),
                        on_white(SHARE.blue, percent)};
}

/* --above and --below. */
static const heat_color ABOVE = {230, 159, 0}, BELOW = {86, 180, 233};

heat_color sign_color(int step)
{
    const heat_color of = step < 0 ? BELOW : ABOVE;
    int percent = PERCENT[step < 0 ? -step : step];
    if (step == 0)
        return NOTHING;
    return (heat_color){on_white(of.red, percent), on_white(of.green, percent),
                        on_white(of.blue, percent)};
}

int sign_step(double value, double most)
{
    int step = color_step(value, most);
    return value < 0 ? -step : step;
}

/* ---- what is drawn ---- */

bool picture_takes(const render_options *how, const trace_room *room, const trace_map *map)
{
    char name[STAGE_NAME];
    if (how->drawn->count == 0)
        return strcmp(map->name, "weights") == 0;
    snprintf(name, sizeof name, "%s%s", room->place.way, map->name);
    keeper chosen = keeper_of(how->drawn);
    return stage_is_gradient(map->name, NULL) && keeper_wants(&chosen, name);
}

double picture_greatest(const trace_map *map, int *digits)
{
    enum { SHOWN = 2, MOST_DIGITS = 9 };
    size_t at[TENSOR_MAX_RANK] = {0};
    double greatest = 0;
    do {
        double size = fabs(tensor_get(&map->values, at));
        greatest = isfinite(size) && size > greatest ? size : greatest;
    } while (tensor_next(&map->values, at));
    double wanted = greatest > 0 ? SHOWN - floor(log10(greatest)) : SHOWN;
    *digits = (int)fmin(fmax(wanted, 0), MOST_DIGITS);
    return greatest;
}

/* ---- the drawing ---- */

static const char SHADES[] = " .:-=+*#%@";
enum { SHADE_COUNT = sizeof SHADES - 1 };

static char shade_of(double level)
{
    return SHADES[(int)(fabs(level) * (SHADE_COUNT - 1) + 0.5)];
}

static double level_at(const heat_map *map, size_t row, size_t column)
{
    double magnitude = map->magnitude[row * map->columns + column];
    if (map->most > 0)
        return magnitude / map->most;
    return map->is_share ? fmin(magnitude, 1) : heat_level(&map->scale, magnitude);
}

static heat_color color_of(const heat_map *map, double level)
{
    if (map->most > 0)
        return sign_color(sign_step(level, 1));
    return map->is_share ? share_color(color_step(level, 1)) : heat_color_of(level);
}

enum { FOREGROUND = 38, BACKGROUND = 48 };

/* The order to a terminal that sets a colour. */
static void add_color(text *out, int what, heat_color color)
{
    text_add_format(out, "\033[%d;2;%d;%d;%dm", what, color.red, color.green, color.blue);
}

size_t heat_samples(const heat_scale *s, double sample[HEAT_SAMPLES])
{
    size_t count = 0;
    sample[count++] = 0;
    if (s->greatest > s->least)
        sample[count++] = s->least;
    if (s->greatest > 0)
        sample[count++] = s->greatest;
    return count;
}

/* What the colours or characters stand for. */
static void add_legend(text *out, const heat_map *map, bool color)
{
    static const double SHARES[] = {0, 0.25, 0.5, 0.75, 1};
    static const double SIGNS[] = {-1, -0.5, 0, 0.5, 1};
    double scale[HEAT_SAMPLES];
    size_t count = heat_samples(&map->scale, scale), shares = sizeof SHARES / sizeof SHARES[0];
    bool is_even = map->is_share || map->most > 0; /* from the one end to the other */
    for (size_t i = 0; i < (is_even ? shares : count); i++) {
        double value = map->most > 0 ? SIGNS[i] : map->is_share ? SHARES[i] : scale[i];
        double level = is_even ? value : heat_level(&map->scale, value);
        char words[NUMBER_FIXED_TEXT] = "equal", shade = shade_of(level);
        if (is_even)
            snprintf(words, sizeof words, "%.3g", map->most > 0 ? value * map->most : value);
        else if (value > 0)
            number_write_exponent(value, 3, words);
        text_add_string(out, i == 0 ? "" : ", ");
        if (color) {
            add_color(out, FOREGROUND, color_of(map, level));
            text_add_string(out, "\u2588\033[0m");
        } else if (value != 0)
            text_add(out, &shade, 1);
        text_add_format(out, value != 0 || color ? " %s" : "blank: %s", words);
    }
    text_add_string(out, "\n");
}

void heat_map_add(text *out, const heat_map *map, bool color)
{
    for (size_t row = 0; row < map->rows; row += color ? 2 : 1) {
        text_add_string(out, color ? "" : "|");
        for (size_t column = 0; column < map->columns; column++) {
            double level = level_at(map, row, column);
            char shade = shade_of(level);
            if (map->apart > 0 && column == map->columns - map->apart)
                text_add_string(out, color ? "\033[0m   " : "| |");
            if (!color) {
                text_add(out, &shade, 1);
                continue;
            }
            /* The upper half of the character is its foreground. */
            add_color(out, FOREGROUND, color_of(map, level));
            if (row + 1 < map->rows)
                add_color(out, BACKGROUND, color_of(map, level_at(map, row + 1, column)));
            text_add_string(out, "\u2580");
        }
        text_add_string(out, color ? "\033[0m\n" : "|\n");
    }
    add_legend(out, map, color);
}

/* ---- sums of keys ---- */

/* Whether the word means some of these keys; if not, the error says why. Marks them if `is_chosen`
 * is not NULL. */
static bool choose(const char *word, const trace_map *weights, bool *is_chosen, err *e)
{
    const entry said = {
        .kind = ENTRY_TEXT, .text = (char *)word, .at = place_of_option("sum-keys")};
    size_t keys = weights->values.size[2];
    bool found = false;
    row_choice rows;
    for (size_t j = 0; j < keys; j++) {
        char room[LABEL_ROOM];
        bool is_named = strcmp(label_whole(&weights->columns, j, room), word) == 0;
        if (is_named && is_chosen != NULL)
            is_chosen[j] = true;
        found = found || is_named;
    }
    if (found)
        return true;
    if (word[strspn(word, "0123456789:-")] != '\0') {
        err_at(e, &said.at, "no key is called '%s'", word);
        return err_remedy(e, "a key is its name, or its number; 3:8, 3:, :8 and -16: are ranges");
    }
    found = row_choice_read(&rows, &said, "key", keys, e);
    for (size_t i = 0; found && is_chosen != NULL && i < rows.count; i++)
        is_chosen[rows.row[i]] = true;
    row_choice_free(&rows);
    return found;
}

bool key_sums_check(const text_list *words, const trace *t, err *e)
{
    for (size_t i = 0; i < words->count; i++) {
        err missed = {0};
        bool found = false;
        /* In the attentions of layers keys may be others. */
        for (size_t j = 0; j < t->rooms && !found && !missed.is_memory; j++) {
            const trace_map *weights = map_named(t->room[j], "weights");
            err_clear(&missed);
            found = weights != NULL && choose(words->item[i], weights, NULL, &missed);
        }
        if (!found) {
            *e = missed;
            return false;
        }
    }
    return true;
}

bool key_sums_find(bool **is_chosen, const text_list *words, const trace_map *weights, err *e)
{
    bool found = false;
    *is_chosen = NULL;
    if (words->count == 0)
        return true;
    *is_chosen = mem_alloc_zeroed(weights->values.size[2], sizeof **is_chosen, e);
    if (*is_chosen == NULL)
        return false;
    for (size_t i = 0; i < words->count; i++) {
        err missed = {0};
        found = choose(words->item[i], weights, *is_chosen, &missed) || found;
        if (missed.is_memory) {
            *e = missed;
            return false;
        }
    }
    if (!found) {
        mem_free(*is_chosen);
        *is_chosen = NULL;
    }
    return true;
}

double key_sums_at(const bool *is_chosen, const sampling *by, const tensor *head, size_t row)
{
    double greatest = 0;
    for (size_t i = row * by->tall; i < (row + 1) * by->tall && i < head->size[0]; i++) {
        double sum = 0;
        for (size_t j = 0; j < head->size[1]; j++)
            sum += is_chosen[j] ? matrix_at(head, i, j) : 0;
        greatest = sum > greatest ? sum : greatest;
    }
    return greatest;
}

void key_sums_explain(const text_list *words, text *out)
{
    for (size_t i = 0; i < words->count; i++)
        text_add_format(out, "%s%s", i == 0 ? "Σ is the sum of these keys: " : ", ",
                        words->item[i]);
}

/* ---- the weights of a run, for a terminal ---- */

typedef struct picture {
    text *out;
    const trace_map *map;
    int digits;
    bool color;
    size_t width;       /* that there is */
    size_t label, cell; /* columns of a row's label, and of a cell */
    bool *sums;         /* the keys of a last column, where there are some */
    double most;        /* of numbers with a sign, the greatest; 0: they are shares */
} picture;

/* Two characters of a shade, a number, and spaces around. */
enum { SHADE_COLUMNS = 2, LEAST_CELL = 9 };

static void add_cell(const picture *p, double value)
{
    char number[NUMBER_FIXED_TEXT];
    size_t length = number_text_write(value, value == 0 ? 0 : p->digits, number);
    int step = p->most > 0 ? sign_step(value, p->most) : color_step(value, 1);
    char shade = shade_of((double)step / COLOR_STEPS);
    text_add_string(p->out, " ");
    if (p->color) {
        add_color(p->out, BACKGROUND, p->most > 0 ? sign_color(step) : share_color(step));
        add_color(p->out, FOREGROUND, (heat_color){22, 24, 29});
    }
    text_add_repeated(p->out, " ", p->cell - length - SHADE_COLUMNS - 2);
    for (int i = 0; i < SHADE_COLUMNS; i++)
        text_add(p->out, p->color ? " " : &shade, 1);
    text_add_string(p->out, " ");
    text_add(p->out, number, length);
    text_add_string(p->out, p->color ? "\033[0m" : "");
}

/* Cells with their numbers. */
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
    if (p->sums != NULL) {
        text_add_repeated(p->out, " ", p->cell - 1);
        text_add_string(p->out, "Σ");
    }
    text_add_string(p->out, "\n");
    for (size_t i = 0; i < head->size[0]; i++) {
        size_t columns = label_add(p->out, &p->map->rows, i);
        text_add_repeated(p->out, " ", p->label - columns);
        for (size_t j = 0; j < head->size[1]; j++)
            add_cell(p, matrix_at(head, i, j));
        if (p->sums != NULL)
            add_cell(p, key_sums_at(p->sums, &(sampling){.tall = 1}, head, i));
        text_add_string(p->out, "\n");
    }
}

/* Draws at most a character for each cell. */
static void add_map(const picture *p, const tensor *head, err *e)
{
    enum { FRAME = 2, SUM = 4, MOST_ROWS = 64 };
    size_t sums = p->sums != NULL;
    sampling by =
        sampling_of(head->size[0], head->size[1], MOST_ROWS, p->width - FRAME - sums * SUM);
    size_t columns = by.columns + sums;
    double *cell = mem_alloc(by.rows * columns, sizeof cell[0], e);
    heat_map map = {.rows = by.rows, .columns = columns, .magnitude = cell, .apart = sums};
    map.is_share = p->most == 0;
    map.most = p->most;
    if (cell == NULL) {
        p->out->failed = true;
        return;
    }
    for (size_t i = 0; i < by.rows * columns; i++)
        cell[i] = i % columns < by.columns ? sampling_at(&by, head, i / columns, i % columns)
                                           : key_sums_at(p->sums, &by, head, i / columns);
    heat_map_add(p->out, &map, p->color);
    if (by.tall > 1 || by.wide > 1)
        text_add_format(p->out, "the greatest of %zu × %zu %s in a cell\n", by.tall, by.wide,
                        p->most > 0 ? "numbers" : "weights");
    mem_free(cell);
}

/* A heat map a head: cells with their numbers where all of them fit in the width, else a character
 * or less a cell. */
static void draw(picture *p, const trace_room *room, const trace_map *map,
                 const render_options *how, err *e)
{
    enum { DIGITS = 2 };
    text *out = p->out;
    const size_t *size = map->values.size;
    bool is_signed = how->drawn->count > 0;
    char widest[NUMBER_FIXED_TEXT];
    int digits = DIGITS;
    p->map = map;
    p->sums = NULL;
    p->most = is_signed ? picture_greatest(map, &digits) : 0;
    p->digits = how->digits < 0 ? digits : how->digits;
    if (!is_signed && !key_sums_find(&p->sums, how->sum_keys, map, e))
        out->failed = true;
    size_t least = size_larger(LEAST_CELL, (size_t)p->digits + 2 + SHADE_COLUMNS + 3);
    if (is_signed)
        least =
            size_larger(least, number_text_write(-p->most, p->digits, widest) + SHADE_COLUMNS + 3);
    size_t columns = size[2] + (p->sums != NULL);
    p->label = labels_widest(&map->rows, size[1]);
    p->cell = size_larger(least, labels_widest(&map->columns, size[2]) + 1);
    if (p->label + columns * p->cell > p->width)
        p->cell = least;
    for (size_t head = 0; head < size[0]; head++) {
        tensor matrix = tensor_at(&map->values, head);
        /* Of layers with the way to the room before them. */
        text_add_format(out, "%s%s%s", out->length > 0 ? "\n" : "", room->place.way, map->name);
        if (size[0] > 1)
            text_add_format(out, " of head %zu", head + 1);
        text_add_format(out, ", %zu × %zu:\n", size[1], size[2]);
        if (p->label + columns * p->cell <= p->width)
            add_cells(p, &matrix);
        else
            add_map(p, &matrix, e);
    }
    mem_free(p->sums);
}

bool weights_terminal(const trace *t, const render_options *how, text *out, err *e)
{
    enum { LEAST_WIDTH = 20 };
    picture p = {.out = out,
                 .color = how->color,
                 .width = how->width < LEAST_WIDTH ? LEAST_WIDTH : (size_t)how->width};
    for (size_t i = 0; i < t->rooms; i++) {
        const trace_room *room = t->room[i];
        for (size_t j = 0; j < room->maps; j++) {
            if (picture_takes(how, room, room->map[j]))
                draw(&p, room, room->map[j], how, e);
        }
    }
    text sums = {0};
    key_sums_explain(how->sum_keys, &sums);
    display_add(out, text_string(&sums), sums.length);
    text_add_string(out, sums.length > 0 ? "\n" : "");
    text_close(&sums, out);
    return text_ok(out, e);
}
