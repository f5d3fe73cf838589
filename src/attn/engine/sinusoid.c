#include "attn/engine/sinusoid.h"

#include "attn/spec/angle.h"
#include "attn/plan/plan.h"
#include "base/mem.h"

static const double BASE = 10000;

double sinusoid_frequency(size_t i, size_t width)
{
    return angle_frequency(BASE, i, width);
}

static size_t waves_of(size_t width)
{
    return (width + 1) / 2;
}

/* One element of a row of numbers, read and written as float64. */
static double get(const tensor *row, size_t i)
{
    ptrdiff_t at = row->stride[0] * (ptrdiff_t)i;
    return row->type == DTYPE_F32 ? (double)((const float *)row->data)[at]
                                  : ((const double *)row->data)[at];
}

static void set(tensor *row, size_t i, double value)
{
    ptrdiff_t at = row->stride[0] * (ptrdiff_t)i;
    if (row->type == DTYPE_F32)
        ((float *)row->data)[at] = (float)value;
    else
        ((double *)row->data)[at] = value;
}

bool sinusoid_add_rows(const tensor *x, double first, const kernels *with, tensor *sums, err *e)
{
    size_t width = x->size[2];
    double *frequency = mem_alloc(waves_of(width), sizeof frequency[0], e);
    if (frequency == NULL)
        return false;
    for (size_t i = 0; i < waves_of(width); i++)
        frequency[i] = sinusoid_frequency(i, width);
    for (size_t i = 0; i < x->size[1] * width; i++) {
        size_t row = i / width, column = i % width; /* an odd width ends with a sine */
        turn by = angle_turn(with, first + (double)row, frequency[column / 2]);
        double wave = column % 2 == 0 ? by.sine : by.cosine;
        for (size_t batch = 0; batch < x->size[0]; batch++) {
            tensor of_batch = tensor_at(x, batch), into_batch = tensor_at(sums, batch);
            tensor from = tensor_at(&of_batch, row), to = tensor_at(&into_batch, row);
            set(&to, column, get(&from, column) + wave);
        }
    }
    mem_free(frequency);
    return true;
}

bool sinusoid_add(projected *made, const plan *p, tensor *kept, err *e)
{
    if (!p->asked->adds_positions)
        return true;
    tensor like = plan_split_heads(&p->q.rows, 1), apart;
    if (!projected_place(made, p, &kept[STAGE_X_POS], &like, like.size[2], &apart, e))
        return false;
    made->x = tensor_view_of(&apart); /* b × n × m of b × 1 × n × m */
    made->x.rank = 3;
    for (int axis = 1; axis < 3; axis++) {
        made->x.size[axis] = apart.size[axis + 1];
        made->x.stride[axis] = apart.stride[axis + 1];
    }
    if (p->asked->places == NULL)
        return sinusoid_add_rows(&p->q.rows, (double)visible_position(p, 0, 0), p->with, &made->x,
                                 e);
    for (size_t i = 0; i < p->n_q; i++) {
        tensor row = tensor_range(&p->q.rows, 1, i, 1), to = tensor_range(&made->x, 1, i, 1);
        if (!sinusoid_add_rows(&row, (double)visible_position(p, 0, i), p->with, &to, e))
            return false;
    }
    return true;
}

size_t sinusoid_memory(const plan *p)
{
    return p->asked->adds_positions ? waves_of(p->q.rows.size[2]) * sizeof(double) : 0;
}
