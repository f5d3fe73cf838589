#include "render/heat_map.h"

#include "io/number_write.h"
#include "render/brackets.h"

#include <math.h>

/* ---- squares ---- */

static size_t parts(size_t total, size_t size)
{
    return total / size + (total % size > 0);
}

sampling sampling_of(size_t rows, size_t columns, size_t most_rows, size_t most_columns)
{
    sampling s = {.tall = parts(rows, most_rows), .wide = parts(columns, most_columns)};
    s.rows = s.tall == 0 ? 0 : parts(rows, s.tall);
    s.columns = s.wide == 0 ? 0 : parts(columns, s.wide);
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

/* Where the scale begins: what differs least is still told from what is equal. */
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

/* ---- the drawing ---- */

static const char SHADES[] = " .:-=+*#%@";
enum { SHADE_COUNT = sizeof SHADES - 1 };

char heat_shade_of(double level)
{
    return SHADES[(int)(level * (SHADE_COUNT - 1) + 0.5)];
}

static double level_at(const heat_map *map, size_t row, size_t column)
{
    double magnitude = map->magnitude[row * map->columns + column];
    return map->is_share ? fmin(magnitude, 1) : heat_level(&map->scale, magnitude);
}

static heat_color color_of(const heat_map *map, double level)
{
    return map->is_share ? share_color(color_step(level, 1)) : heat_color_of(level);
}

void heat_add_color(text *out, int what, heat_color color)
{
    text_add_format(out, "\033[%d;2;%d;%d;%dm", what, color.red, color.green, color.blue);
}

static void add_sample(text *out, const heat_map *map, double level, bool color)
{
    char shade = heat_shade_of(level);
    if (!color) {
        text_add(out, &shade, 1);
        return;
    }
    heat_add_color(out, HEAT_FOREGROUND, color_of(map, level));
    text_add_string(out, "\u2588\033[0m");
}

static void add_legend_number(text *out, const heat_map *map, double magnitude, bool color)
{
    char digits[NUMBER_FIXED_TEXT];
    text_add_string(out, ", ");
    add_sample(out, map, heat_level(&map->scale, magnitude), color);
    number_write_exponent(magnitude, 3, digits);
    text_add_format(out, " %s", digits);
}

/* What the colours or characters stand for. */
static void add_legend(text *out, const heat_map *map, bool color)
{
    static const double SHARES[] = {0, 0.25, 0.5, 0.75, 1};
    const heat_scale *s = &map->scale;
    for (size_t i = 0; map->is_share && i < sizeof SHARES / sizeof SHARES[0]; i++) {
        text_add_string(out, i == 0 ? "" : ", ");
        if (SHARES[i] > 0 || color)
            add_sample(out, map, SHARES[i], color);
        text_add_format(out, SHARES[i] > 0 || color ? " %g" : "blank: %g", SHARES[i]);
    }
    if (!map->is_share) {
        if (color)
            add_sample(out, map, 0, color);
        text_add_string(out, color ? " equal" : "blank: equal");
        if (s->greatest > s->least)
            add_legend_number(out, map, s->least, color);
        if (s->greatest > 0)
            add_legend_number(out, map, s->greatest, color);
    }
    text_add_string(out, "\n");
}

void heat_map_add(text *out, const heat_map *map, bool color)
{
    for (size_t row = 0; row < map->rows; row += color ? 2 : 1) {
        text_add_string(out, color ? "" : "|");
        for (size_t column = 0; column < map->columns; column++) {
            double level = level_at(map, row, column);
            char shade = heat_shade_of(level);
            if (map->apart > 0 && column == map->columns - map->apart)
                text_add_string(out, color ? "\033[0m   " : "| |");
            if (!color) {
                text_add(out, &shade, 1);
                continue;
            }
            /* The upper half of the character is its foreground. */
            heat_add_color(out, HEAT_FOREGROUND, color_of(map, level));
            if (row + 1 < map->rows)
                heat_add_color(out, HEAT_BACKGROUND, color_of(map, level_at(map, row + 1, column)));
            text_add_string(out, "\u2580");
        }
        text_add_string(out, color ? "\033[0m\n" : "|\n");
    }
    add_legend(out, map, color);
}
