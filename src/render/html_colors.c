#include "render/brackets.h"
#include "render/heat_map.h"
#include "render/html_parts.h"

#include <math.h>
#include <stdlib.h>

double html_greatest(const tensor *matrix)
{
    double greatest = 0;
    for (size_t i = 0; i < matrix->size[0]; i++) {
        for (size_t j = 0; j < matrix->size[1]; j++) {
            double size = fabs(matrix_at(matrix, i, j));
            if (isfinite(size) && size > greatest)
                greatest = size;
        }
    }
    return greatest;
}

html_color html_color_of(double value, double greatest, bool is_share)
{
    int step = color_step(value, is_share ? 1 : greatest);
    if (step == 0)
        return (html_color){""};
    return (html_color){{is_share ? 'w' : value > 0 ? 'p' : 'n', (char)('0' + step), '\0'}};
}

/* ---- maps of large matrices ---- */

/* A square's step of colour, below 0 for a negative number. */
typedef signed char square;

/* How many squares from this one on, in its row, have its colour. */
static size_t count_alike(const square *row, size_t columns, size_t column)
{
    size_t end = column + 1;
    while (end < columns && row[end] == row[column])
        end++;
    return end - column;
}

/* Below 100, as all lengths in a picture are. */
static void add_length(text *out, const char *before, size_t length)
{
    const char digits[] = {(char)('0' + length / 10), (char)('0' + length % 10)};
    text_add_string(out, before);
    text_add(out, digits + (length < 10), length < 10 ? 1 : 2);
}

/* All squares of one colour are strokes of one path: thousands of elements would be slow. */
static void add_color(text *out, const sampling *s, const square *squares, int step, char kind)
{
    size_t strokes = 0;
    for (size_t i = 0; i < s->rows; i++) {
        const square *row = squares + i * s->columns;
        for (size_t j = 0, count = 0; j < s->columns; j += count) {
            count = count_alike(row, s->columns, j);
            if (row[j] != step)
                continue;
            if (strokes++ == 0)
                text_add_format(out, "<path class=%c%d d=\"", kind, abs(step));
            add_length(out, "M", j);
            add_length(out, " ", i);
            add_length(out, "h", count);
        }
    }
    text_add_string(out, strokes == 0 ? "" : "\"/>");
}

void html_add_sampled(const html_page *p, const tensor *matrix, bool is_share)
{
    enum { PIXELS = 5 }; /* a side */
    sampling s = sampling_of(matrix->size[0], matrix->size[1], HTML_MOST, HTML_MOST);
    square squares[HTML_MOST * HTML_MOST];
    double greatest = is_share ? 1 : html_greatest(matrix);
    text_add_format(p->out,
                    "<svg class=sampled width=%zu height=%zu viewBox=\"0 0 %zu %zu\" role=img "
                    "aria-label=\"",
                    s.columns * PIXELS, s.rows * PIXELS, s.columns, s.rows);
    html_say(p->out, "map", NULL);
    text_add_string(p->out, "\"><g transform=\"translate(0 .5)\">");
    for (size_t i = 0; i < s.rows * s.columns; i++) {
        double value = sampling_at(&s, matrix, i / s.columns, i % s.columns);
        int step = color_step(value, greatest);
        squares[i] = (square)(value < 0 ? -step : step);
    }
    for (int step = -COLOR_STEPS; step <= COLOR_STEPS; step++) {
        if (step != 0)
            add_color(p->out, &s, squares, step, is_share ? 'w' : step > 0 ? 'p' : 'n');
    }
    text_add_string(p->out, "</g></svg>\n<p class=note>");
    html_say_numbers(p->out, "squares", s.tall, s.wide);
    text_add_string(p->out, "</p>\n");
}
