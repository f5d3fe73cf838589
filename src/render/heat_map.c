#include "render/heat_map.h"

#include "io/number_write.h"
#include "render/share_color.h"

#include <math.h>

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

/* Where the columns begin that stand apart. */
static bool is_apart(const heat_map *map, size_t column)
{
    return map->apart > 0 && column == map->columns - map->apart;
}

static void add_shades(text *out, const heat_map *map)
{
    for (size_t row = 0; row < map->rows; row++) {
        text_add_string(out, "|");
        for (size_t column = 0; column < map->columns; column++) {
            char shade = heat_shade_of(level_at(map, row, column));
            text_add_string(out, is_apart(map, column) ? "| |" : "");
            text_add(out, &shade, 1);
        }
        text_add_string(out, "|\n");
    }
}

void heat_add_color(text *out, int what, heat_color color)
{
    text_add_format(out, "\033[%d;2;%d;%d;%dm", what, color.red, color.green, color.blue);
}

/* The upper half of the character is its foreground. */
static void add_colors(text *out, const heat_map *map)
{
    for (size_t row = 0; row < map->rows; row += 2) {
        for (size_t column = 0; column < map->columns; column++) {
            text_add_string(out, is_apart(map, column) ? "\033[0m   " : "");
            heat_add_color(out, HEAT_FOREGROUND, color_of(map, level_at(map, row, column)));
            if (row + 1 < map->rows)
                heat_add_color(out, HEAT_BACKGROUND, color_of(map, level_at(map, row + 1, column)));
            text_add_string(out, "\u2580");
        }
        text_add_string(out, "\033[0m\n");
    }
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

static void add_legend(text *out, const heat_map *map, bool color)
{
    const heat_scale *s = &map->scale;
    if (color)
        add_sample(out, map, 0, color);
    text_add_string(out, color ? " equal" : "blank: equal");
    if (s->greatest > s->least)
        add_legend_number(out, map, s->least, color);
    if (s->greatest > 0)
        add_legend_number(out, map, s->greatest, color);
    text_add_string(out, "\n");
}

static void add_share_legend(text *out, const heat_map *map, bool color)
{
    static const double SHOWN[] = {0, 0.25, 0.5, 0.75, 1};
    for (size_t i = 0; i < sizeof SHOWN / sizeof SHOWN[0]; i++) {
        text_add_string(out, i == 0 ? "" : ", ");
        if (SHOWN[i] > 0 || color)
            add_sample(out, map, SHOWN[i], color);
        text_add_format(out, SHOWN[i] > 0 || color ? " %g" : "blank: %g", SHOWN[i]);
    }
    text_add_string(out, "\n");
}

void heat_map_add(text *out, const heat_map *map, bool color)
{
    if (color)
        add_colors(out, map);
    else
        add_shades(out, map);
    if (map->is_share)
        add_share_legend(out, map, color);
    else
        add_legend(out, map, color);
}
