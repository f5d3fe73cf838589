#include "render/brackets.h"
#include "render/html_parts.h"
#include "render/sampling.h"
#include "render/share_color.h"

#include <math.h>

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

static void add_squares(text *out, const sampling *s, const tensor *matrix, bool is_share)
{
    double greatest = html_greatest(matrix);
    for (size_t i = 0; i < s->rows; i++) {
        for (size_t j = 0; j < s->columns; j++) {
            html_color color = html_color_of(sampling_at(s, matrix, i, j), greatest, is_share);
            if (color.class_name[0] != '\0')
                text_add_format(out, "<path class=%s d=\"M%zu %zuh1v1h-1z\"/>", color.class_name, j,
                                i);
        }
    }
}

void html_add_sampled(const html_page *p, const tensor *matrix, bool is_share)
{
    sampling s = sampling_of(matrix->size[0], matrix->size[1], HTML_MOST, HTML_MOST);
    text_add_format(p->out,
                    "<svg class=sampled viewBox=\"0 0 %zu %zu\" role=img aria-label=\"A map of "
                    "the whole matrix\">",
                    s.columns, s.rows);
    add_squares(p->out, &s, matrix, is_share);
    text_add_format(p->out,
                    "</svg>\n<p class=note>Each square stands for %zu × %zu numbers and shows "
                    "the one of the greatest magnitude.</p>\n",
                    s.tall, s.wide);
}
