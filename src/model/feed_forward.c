#include "model/feed_forward.h"

#include "base/mem.h"
#include "model/row_job.h"

/* Its rows inside, n × hidden each. */
typedef struct inside {
    tensor hidden, gate; /* no data: there is no gate */
} inside;

static void close_inside(inside *of)
{
    tensor_free(&of->hidden);
    tensor_free(&of->gate);
}

static bool open_inside(const feed_forward *p, const kernels *with, crew *by, const tensor *x,
                        inside *of, err *e)
{
    const linear_map in = {&p->w1, &p->b1, p->kept}, gating = {&p->w3, &p->b3, p->kept};
    size_t size[] = {x->size[0], p->hidden};
    *of = (inside){0};
    return tensor_new(&of->hidden, x->type, 2, size, e) &&
           linear_map_apply(&in, with, x, &of->hidden, NULL, by, e) &&
           (p->w3.data == NULL || (tensor_new(&of->gate, x->type, 2, size, e) &&
                                   linear_map_apply(&gating, with, x, &of->gate, NULL, by, e)));
}

/* What is there becomes its activation, times `gate` where that has data. */
static void activate(const feed_forward *p, const kernels *with, crew *by, tensor *hidden,
                     const tensor *gate)
{
    row_job j = {.work = rows_activate,
                 .with = with,
                 .activation = p->by,
                 .a = hidden,
                 .b = gate,
                 .out = hidden};
    rows_run(&j, ACTIVATION_COST, by);
}

bool feed_forward_run(const feed_forward *p, const kernels *with, crew *by, const tensor *x,
                      tensor *out, const keeper *keep, err *e)
{
    const linear_map back = {&p->w2, &p->b2, p->kept};
    inside of;
    bool done = open_inside(p, with, by, x, &of, e) &&
                keeper_keep(keep, "hidden", &of.hidden, "bqO", e) &&
                (of.gate.data == NULL || keeper_keep(keep, "gate", &of.gate, "bqO", e));
    if (done) {
        activate(p, with, by, &of.hidden, &of.gate);
        done = keeper_keep(keep, "activated", &of.hidden, "bqO", e) &&
               linear_map_apply(&back, with, &of.hidden, out, NULL, by, e) &&
               keeper_keep(keep, "output", out, "bqO", e);
    }
    close_inside(&of);
    return done;
}

/* a = a · b */
static void multiply_by(const way_back *g, tensor *a, const tensor *b)
{
    row_job j = {.work = rows_times, .with = g->with, .a = a, .b = b, .out = a};
    rows_run(&j, SUM_COST, g->by);
}

/* Of an activation with a limit: what the gate gains, and in its place what it multiplied by. */
static void open_gate(const feed_forward *p, const way_back *g, tensor *gate, tensor *grad)
{
    row_job back = {.work = rows_open_back, .activation = p->by, .a = gate, .b = grad, .out = grad};
    row_job there = {.work = rows_open, .activation = p->by, .a = gate, .out = gate};
    rows_run(&back, SUM_COST, g->by);
    rows_run(&there, SUM_COST, g->by);
}

/* The gradient of what the gate made of the activation: that of the gate, and in its place that of
 * the activation. */
static bool gate_back(const feed_forward *p, const way_back *g, const bundle *own, const tensor *x,
                      inside *of, tensor *grad, tensor *of_gate, const keeper *of_weights,
                      const keeper *keep, err *e)
{
    const tensor none = {0};
    if (!tensor_new_copy(of_gate, &of->hidden, e))
        return false;
    if (p->slip != FFN_GATE_OF_HIDDEN)
        activate(p, g->with, g->by, of_gate, &none);
    multiply_by(g, of_gate, grad);
    if (p->by->limit > 0)
        open_gate(p, g, &of->gate, of_gate);
    if (p->slip != FFN_UNGATED)
        multiply_by(g, grad, &of->gate);
    return keeper_keep(keep, "gate_grad", of_gate, "bqO", e) &&
           gradient_of_weight(g, of_weights, own, "w3", &p->w3, x, of_gate, e) &&
           gradient_of_bias(g, GAINER_BIAS, of_weights, own, "b3", of_gate, e);
}

bool feed_forward_back(const feed_forward *p, const way_back *g, const bundle *own, const tensor *x,
                       tensor *grad, const keeper *of_weights, const keeper *keep, err *e)
{
    inside of = {0};
    tensor activated = {0}, back = {0}, of_gate = {0};
    const tensor w1 = tensor_transposed(&p->w1), w2 = tensor_transposed(&p->w2);
    bool done = keeper_keep(keep, "output_grad", grad, "bqO", e) &&
                gradient_of_bias(g, GAINER_BIAS, of_weights, own, "b2", grad, e) &&
                open_inside(p, g->with, g->by, x, &of, e) &&
                tensor_new_copy(&activated, &of.hidden, e) &&
                tensor_new(&back, x->type, 2, of.hidden.size, e);
    if (done) {
        activate(p, g->with, g->by, &activated, &of.gate);
        const tensor *taken = p->slip == FFN_W2_OF_HIDDEN ? &of.hidden : &activated;
        done = gradient_of_weight(g, of_weights, own, "w2", &p->w2, taken, grad, e) &&
               multiply(g->with, grad, &w2, NULL, &back, g->by, e) &&
               keeper_keep(keep, "activated_grad", &back, "bqO", e) &&
               (of.gate.data == NULL ||
                gate_back(p, g, own, x, &of, &back, &of_gate, of_weights, keep, e));
    }
    if (done) {
        row_job j = {.work = rows_activate_back,
                     .in64 = g->in64,
                     .activation = p->slope_of == NULL ? p->by : p->slope_of,
                     .a = p->slip == FFN_SLOPE_AT_ACTIVATED ? &activated
                          : p->slip == FFN_SLOPE_AT_GRAD    ? &back
                                                            : &of.hidden,
                     .b = &back,
                     .out = &back};
        rows_run(&j, ACTIVATION_COST, g->by);
        done = keeper_keep(keep, "hidden_grad", &back, "bqO", e) &&
               gradient_of_weight(g, of_weights, own, "w1", &p->w1, x, &back, e) &&
               gradient_of_bias(g, GAINER_BIAS, of_weights, own, "b1", &back, e) &&
               multiply(g->with, &back, &w1, NULL, grad, g->by, e);
    }
    if (done && of.gate.data != NULL && p->slip != FFN_X_WITHOUT_GATE) {
        const tensor w3 = tensor_transposed(&p->w3);
        done = p->slip == FFN_X_OF_GATE ? multiply(g->with, &of_gate, &w3, NULL, grad, g->by, e)
                                        : multiply_on(g->with, &of_gate, &w3, grad, g->by, e);
    }
    close_inside(&of);
    tensor_free(&activated);
    tensor_free(&back);
    tensor_free(&of_gate);
    return done;
}

size_t feed_forward_memory(const feed_forward *p, const kernels *with, dtype type, size_t rows,
                           size_t threads)
{
    size_t parts = p->w3.data == NULL ? 1 : 2;
    size_t in = multiply_memory(with, rows, p->width, p->hidden, threads),
           out = multiply_memory(with, rows, p->hidden, p->width, threads);
    return size_sum(tensor_bytes(type, 3, (size_t[]){parts, rows, p->hidden}),
                    size_larger(in, out));
}

size_t feed_forward_back_memory(const feed_forward *p, dtype type, size_t rows)
{
    enum { AT_ONCE = 5 }; /* hidden, gate, activated and two gradients */
    return tensor_bytes(type, 3, (size_t[]){AT_ONCE, rows, p->hidden});
}
