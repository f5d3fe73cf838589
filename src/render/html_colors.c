#include "render/brackets.h"
#include "render/html_parts.h"

#include <math.h>

enum { LEVELS = 8 };

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
    double most = is_share ? 1 : greatest;
    if (!isfinite(value) || value == 0 || most == 0)
        return (html_color){""};
    double level = floor(fabs(value) / most * LEVELS + 0.5);
    level = level < 1 ? 1 : level > LEVELS ? LEVELS : level;
    return (html_color){{is_share ? 'w' : value > 0 ? 'p' : 'n', (char)('0' + (int)level), '\0'}};
}

/* ---- maps of large matrices ---- */

/* Squares a side, and the numbers that each stands for. */
typedef struct sampling {
    const tensor *matrix;
    size_t rows, columns, tall, wide;
} sampling;

static size_t parts(size_t total, size_t size)
{
    return (total + size - 1) / size;
}

static sampling sampling_of(const tensor *matrix)
{
    sampling s = {.matrix = matrix};
    s.tall = parts(matrix->size[0], HTML_MOST);
    s.wide = parts(matrix->size[1], HTML_MOST);
    s.rows = parts(matrix->size[0], s.tall);
    s.columns = parts(matrix->size[1], s.wide);
    return s;
}

/* The finite number of the greatest magnitude in a square. */
static double square_at(const sampling *s, size_t row, size_t column)
{
    double found = 0;
    for (size_t i = row * s->tall; i < (row + 1) * s->tall && i < s->matrix->size[0]; i++) {
        for (size_t j = column * s->wide; j < (column + 1) * s->wide && j < s->matrix->size[1];
             j++) {
            double value = matrix_at(s->matrix, i, j);
            if (isfinite(value) && fabs(value) > fabs(found))
                found = value;
        }
    }
    return found;
}

static void add_squares(text *out, const sampling *s, double greatest, bool is_share)
{
    for (size_t i = 0; i < s->rows; i++) {
        for (size_t j = 0; j < s->columns; j++) {
            html_color color = html_color_of(square_at(s, i, j), greatest, is_share);
            if (color.class_name[0] != '\0')
                text_add_format(out, "<path class=%s d=\"M%zu %zuh1v1h-1z\"/>", color.class_name, j,
                                i);
        }
    }
}

void html_add_sampled(const html_page *p, const tensor *matrix, bool is_share)
{
    sampling s = sampling_of(matrix);
    text_add_format(p->out,
                    "<svg class=sampled viewBox=\"0 0 %zu %zu\" role=img aria-label=\"A map of "
                    "the whole matrix\">",
                    s.columns, s.rows);
    add_squares(p->out, &s, html_greatest(matrix), is_share);
    text_add_format(p->out,
                    "</svg>\n<p class=note>Each square stands for %zu × %zu numbers and shows "
                    "the one of the greatest magnitude.</p>\n",
                    s.tall, s.wide);
}
