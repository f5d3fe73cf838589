#include "ref/ref_flow.h"

#include <math.h>

/* PE(pos, 2i) = sin(pos / 10000^(2i/m)), PE(pos, 2i + 1) = cos of the same: Vaswani et al. 2017,
 * section 3.5. */
static long double wave(size_t position, size_t column, size_t width)
{
    long double power = (long double)(column - column % 2) / (long double)width;
    long double angle = (long double)position / powl(10000, power);
    return column % 2 == 0 ? sinl(angle) : cosl(angle);
}

/* Sines and cosines by turns, unless they are mistaken for the ones after the others. */
static size_t wave_column(const flow *f, size_t column, size_t width)
{
    if (flow_makes(f, "positions swapped"))
        return column % 2 == 0 ? column + 1 : column - 1;
    if (!flow_makes(f, "positions halves"))
        return column;
    return column < width / 2 ? 2 * column : 2 * (column - width / 2) + 1;
}

static long double added(const flow *f, size_t position, size_t column, size_t width)
{
    const ref_stack *s = f->stack;
    long double sum = s->positions.at == NULL ? 0 : s->positions.at[position * width + column];
    return sum + (s->adds_sinusoids ? wave(position, wave_column(f, column, width), width) : 0);
}

static long double embedded(const flow *f, long double x, long double position, size_t width)
{
    long double root = sqrtl((long double)width);
    if (flow_makes(f, "positions twice"))
        return x + 2 * position;
    if (flow_makes(f, "rows scaled late"))
        return (x + position) * root;
    return (flow_makes(f, "rows scaled")    ? x * root
            : flow_makes(f, "rows divided") ? x / root
                                            : x) +
           position;
}

static long double segment(const flow *f, size_t row, size_t column, size_t width)
{
    const ref_stack *s = f->stack;
    size_t number = s->segments == NULL || flow_makes(f, "segment") ? 0 : s->segments[row];
    return s->segment_rows.at == NULL ? 0 : s->segment_rows.at[number * width + column];
}

void flow_embed(flow *f)
{
    const ref_stack *s = f->stack;
    const ref_array *x = &s->x;
    size_t m = x->size[x->rank - 1];
    f->batches = x->rank == 3 ? x->size[0] : 0;
    f->n = x->size[x->rank - 2];
    f->x = rows_new(ref_count_of(x) / m, m);
    for (size_t i = 0; i < f->x.n; i++)
        for (size_t column = 0; column < m; column++) {
            size_t position = s->offset + (flow_makes(f, "position") ? 0 : i % f->n) +
                              (flow_makes(f, "late positions") ? 1 : 0);
            long double own = x->at[i * m + column] * (s->row_scale != 0 ? s->row_scale : 1) +
                              segment(f, i % f->n, column, m);
            f->x.at[i * m + column] = embedded(f, own, added(f, position, column, m), m);
        }
    flow_keep(f, "embedded", &f->x);
}
