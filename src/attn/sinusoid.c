#include "attn/sinusoid.h"

#include "attn/angle.h"
#include "attn/row.h"
#include "base/mem.h"

static const double BASE = 10000;

double sinusoid_frequency(size_t i, size_t width)
{
    return angle_frequency(BASE, i, width);
}

static size_t waves_of(const plan *p)
{
    return (p->q.rows.size[2] + 1) / 2;
}

/* Row `row` of all entries of the batch. An odd width ends with a sine. */
static void add_to_row(const plan *p, const double *frequency, size_t row, tensor *sums)
{
    double position = plan_position(p, row);
    for (size_t column = 0; column < p->q.rows.size[2]; column++) {
        turn by = angle_turn(p->with, position, frequency[column / 2]);
        double wave = column % 2 == 0 ? by.sine : by.cosine;
        for (size_t batch = 0; batch < p->batches; batch++) {
            tensor of_batch = tensor_at(&p->q.rows, batch), into_batch = tensor_at(sums, batch);
            tensor from = tensor_at(&of_batch, row), to = tensor_at(&into_batch, row);
            row_set(&to, column, row_get(&from, column) + wave);
        }
    }
}

/* b × n × m of b × 1 × n × m */
static tensor without_heads(const tensor *apart)
{
    tensor rows = tensor_view_of(apart);
    rows.rank = 3;
    for (int axis = 1; axis < 3; axis++) {
        rows.size[axis] = apart->size[axis + 1];
        rows.stride[axis] = apart->stride[axis + 1];
    }
    return rows;
}

bool sinusoid_add(projected *made, const plan *p, tensor *kept, err *e)
{
    if (!p->asked->adds_positions)
        return true;
    tensor like = plan_split_heads(&p->q.rows, 1), apart;
    double *frequency = mem_alloc(waves_of(p), sizeof frequency[0], e);
    bool done = frequency != NULL &&
                projected_place(made, p, &kept[STAGE_X_POS], &like, like.size[2], &apart, e);
    if (done) {
        for (size_t i = 0; i < waves_of(p); i++)
            frequency[i] = sinusoid_frequency(i, p->q.rows.size[2]);
        made->x = without_heads(&apart);
        for (size_t row = 0; row < p->n_q; row++)
            add_to_row(p, frequency, row, &made->x);
    }
    mem_free(frequency);
    return done;
}

size_t sinusoid_memory(const plan *p)
{
    return p->asked->adds_positions ? waves_of(p) * sizeof(double) : 0;
}
