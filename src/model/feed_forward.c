#include "model/feed_forward.h"

#include "attn/engine/multiply.h"
#include "base/mem.h"
#include "model/rows.h"

static const entry *first_weight(const bundle *from)
{
    static const char *const MATRICES[] = {"w1", "b1", "w2", "b2", "w3"};
    return bundle_find_first(from, MATRICES, sizeof MATRICES / sizeof MATRICES[0]);
}

bool feed_forward_is_in(const bundle *from)
{
    return first_weight(from) != NULL;
}

/* rows × columns of x·W; columns 0: as many as it has. */
static bool fits(const tensor *weight, size_t rows, size_t columns)
{
    return weight->rank == 2 && weight->size[0] == rows &&
           (columns == 0 || weight->size[1] == columns);
}

static bool read_weight(feed_forward *f, const bundle *from, const char *name, bool is_out_in,
                        size_t rows, size_t columns, tensor *out, err *e)
{
    const entry *given = bundle_find(from, name);
    if (given == NULL)
        return err_at(e, &first_weight(from)->at,
                      "%s is given, and its feed-forward part has no %s", first_weight(from)->name,
                      name);
    bool turns = entry_is_out_in(given, is_out_in);
    if (!given->stays)
        f->kept = NULL;
    const tensor *t = &given->tensor;
    tensor plain = tensor_view_of(t), turned = t->rank == 2 ? tensor_transposed(t) : plain;
    *out = turns ? turned : plain;
    if (fits(out, rows, columns))
        return true;
    char shape[SHAPE_TEXT];
    const char *layout = turns ? "out-in" : "in-out";
    if (columns == 0)
        err_at(e, &given->at, "%s is %s, which as %s does not take rows %zu wide", given->name,
               tensor_shape_text(t, shape), layout, rows);
    else
        err_at(e, &given->at, "%s is %s, which as %s does not lead from %zu numbers to %zu",
               given->name, tensor_shape_text(t, shape), layout, rows, columns);
    return fits(turns ? &plain : &turned, rows, columns) &&
           err_remedy(e, "transposed it would fit: --layout %s", turns ? "in-out" : "out-in");
}

bool feed_forward_read(feed_forward *f, const bundle *from, const activation *by, bool is_out_in,
                       size_t width, packed_weights *kept, err *e)
{
    *f = (feed_forward){.by = by, .width = width, .kept = kept};
    if (!read_weight(f, from, "w1", is_out_in, width, 0, &f->w1, e))
        return false;
    f->hidden = f->w1.size[1];
    return vector_read(from, "b1", NULL, f->hidden, &f->b1, e) &&
           read_weight(f, from, "w2", is_out_in, f->hidden, width, &f->w2, e) &&
           vector_read(from, "b2", NULL, width, &f->b2, e) &&
           (bundle_find(from, "w3") == NULL ||
            read_weight(f, from, "w3", is_out_in, width, f->hidden, &f->w3, e));
}

bool feed_forward_memory(const feed_forward *f, const kernels *with, dtype type, size_t rows,
                         size_t threads, size_t *bytes)
{
    size_t parts = f->w3.data == NULL ? 1 : 2;
    size_t in = multiply_memory(with, rows, f->width, f->hidden, threads),
           out = multiply_memory(with, rows, f->hidden, f->width, threads);
    return size_mul(rows, f->hidden, bytes) && size_mul(*bytes, parts * dtype_size(type), bytes) &&
           size_add(*bytes, size_larger(in, out), bytes);
}

typedef struct job {
    const feed_forward *f;
    const kernels *with;
    tensor hidden, gate;
} job;

static void activate_some(const void *context, size_t first, size_t count)
{
    const job *j = context;
    size_t n = count * j->f->hidden, offset = first * j->f->hidden * dtype_size(j->hidden.type);
    char *hidden = (char *)j->hidden.data + offset;
    j->f->by->apply(j->with, hidden, n, hidden);
    if (j->gate.data != NULL)
        j->with->times(hidden, n, (const char *)j->gate.data + offset, hidden);
}

/* What an activation costs next to a multiply-add. */
static const double ACTIVATION_COST = 8;

static bool map(const job *j, const tensor *x, const tensor *weight, const tensor *bias,
                tensor *out, crew *by, err *e)
{
    linear_map all = {weight, bias, j->f->kept};
    return linear_map_apply(&all, j->with, x, out, NULL, by, e);
}

static bool compute(job *j, const tensor *x, tensor *out, const keeper *keep, crew *by, err *e)
{
    const feed_forward *f = j->f;
    if (!map(j, x, &f->w1, &f->b1, &j->hidden, by, e) ||
        !keeper_keep(keep, "hidden", &j->hidden, "qO", e))
        return false;
    if (f->w3.data != NULL && (!map(j, x, &f->w3, NULL, &j->gate, by, e) ||
                               !keeper_keep(keep, "gate", &j->gate, "qO", e)))
        return false;
    rows_run(by, x->size[0], ACTIVATION_COST * (double)f->hidden, activate_some, j);
    return keeper_keep(keep, "activated", &j->hidden, "qO", e) &&
           map(j, &j->hidden, &f->w2, &f->b2, out, by, e) &&
           keeper_keep(keep, "output", out, "qO", e);
}

bool feed_forward_run(const feed_forward *f, const kernels *with, const tensor *x, tensor *out,
                      const keeper *keep, crew *by, err *e)
{
    size_t size[] = {x->size[0], f->hidden};
    job j = {.f = f, .with = with};
    bool done = tensor_new(&j.hidden, x->type, 2, size, e) &&
                (f->w3.data == NULL || tensor_new(&j.gate, x->type, 2, size, e)) &&
                compute(&j, x, out, keep, by, e);
    tensor_free(&j.hidden);
    tensor_free(&j.gate);
    return done;
}
