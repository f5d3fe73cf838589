#include "render/svg.h"

#include "base/mem.h"
#include "io/number_write.h"
#include "render/display.h"
#include "render/html_parts.h"

#include <string.h>

void svg_begin(text *out, const char *title, size_t width, size_t height)
{
    text_add_format(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
                    "viewBox=\"0 0 %zu %zu\" role=\"img\" fill=\"%s\" font-size=\"%d\" "
                    "font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n<title>",
                    width, height, width, height, PICTURE_INK, SVG_FONT);
    html_add_words(out, title);
    text_add_format(out,
                    "</title>\n<rect width=\"%zu\" height=\"%zu\" fill=\"#ffffff\"/>\n"
                    "<text x=\"%d\" y=\"%d\" font-size=\"16\">",
                    width, height, SVG_MARGIN, SVG_MARGIN + SVG_FONT);
    html_add_words(out, title);
    text_add_string(out, "</text>\n");
}

void svg_add_fill(text *out, heat_color color)
{
    text_add_format(out, " fill=\"#%02x%02x%02x\"", (unsigned)color.red, (unsigned)color.green,
                    (unsigned)color.blue);
}

static void add_cell(text *out, size_t x, size_t y, size_t width, size_t height, heat_color color)
{
    text_add_format(out, "<rect x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%zu\"", x, y, width,
                    height);
    svg_add_fill(out, color);
    text_add_string(out, "/>\n");
}

/* ---- a heat map ---- */

enum { WIDTH = 720, CELL_MOST = 24, CELL_LEAST = 6, LEGEND_HEIGHT = 44, LEGEND_STEP = 140 };

/* A colour, and what it stands for. */
static void add_sample(text *out, const heat_map *map, size_t step, size_t y, double magnitude)
{
    char digits[NUMBER_FIXED_TEXT] = "equal";
    size_t x = SVG_MARGIN + step * LEGEND_STEP;
    if (magnitude > 0)
        number_write_exponent(magnitude, 3, digits);
    add_cell(out, x, y, SVG_FONT, SVG_FONT, heat_color_of(heat_level(&map->scale, magnitude)));
    text_add_format(out, "<text x=\"%zu\" y=\"%zu\">%s</text>\n", x + 2 * SVG_FONT,
                    y + SVG_FONT - 2, digits);
}

void heat_map_add_svg(text *out, const heat_map *map, const char *title)
{
    size_t cell = WIDTH / size_larger(map->columns, 1), top = SVG_MARGIN + SVG_TITLE_HEIGHT;
    cell = cell > CELL_MOST ? CELL_MOST : size_larger(cell, CELL_LEAST);
    size_t words = display_columns(title, strlen(title)) * SVG_TITLE_LETTER;
    size_t across = size_larger(size_larger(map->columns * cell, words), 3 * LEGEND_STEP);
    const heat_scale *s = &map->scale;
    size_t bottom = top + map->rows * cell + SVG_MARGIN;
    svg_begin(out, title, across + 2 * SVG_MARGIN, bottom + LEGEND_HEIGHT);
    for (size_t i = 0; i < map->rows * map->columns; i++) {
        size_t x = SVG_MARGIN + i % map->columns * cell, y = top + i / map->columns * cell;
        add_cell(out, x, y, cell, cell, heat_color_of(heat_level(&map->scale, map->magnitude[i])));
    }
    size_t step = 0;
    add_sample(out, map, step++, bottom, 0);
    if (s->greatest > s->least)
        add_sample(out, map, step++, bottom, s->least);
    if (s->greatest > 0)
        add_sample(out, map, step, bottom, s->greatest);
    text_add_string(out, "</svg>\n");
}
