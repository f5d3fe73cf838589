/* The hidden numbers of a feed-forward part, activated: one of them worked out by the formula that
 * its activation has. */
#include "trace/floors.h"

#include <math.h>
#include <string.h>

/* The first hidden number of the row, and what it becomes; numbers between them are float64's. */
typedef struct activated {
    floors *f;
    const activation *by;
    const kernels *with;
    const char *of, *made; /* "ffn.hidden[2,1]", "ffn.activated[2,1]" */
    tensor hidden, result; /* numbers; a hidden one as a vector has one element */
} activated;

static double hidden_of(const activated *a)
{
    return tensor_get(&a->hidden, (size_t[]){0});
}

static tensor keep(const activated *a, const char *name, double value)
{
    return build_number(&a->f->b, name, value);
}

static void show_last(const activated *a, operation op, const char *letters, tensor left,
                      tensor right)
{
    trace_item *line = build_line(&a->f->b, op, a->made, letters);
    line->a = left;
    line->b = right;
    line->result = a->result;
}

static void show_relu(const activated *a)
{
    builder *b = &a->f->b;
    trace_item *line = build_line(b, OP_MAX, a->made, build_text(b, "max(%s, 0)", a->of));
    line->a = a->hidden;
    line->c = keep(a, "zero", 0);
    line->result = a->result;
}

/* Φ(x), which is what the kernel multiplies x by. */
static double normal_share(const activated *a, double x)
{
    double product;
    if (x == 0 || isinf(x))
        return x == 0 ? 0.5 : x > 0;
    a->by->apply(a->with, &x, 1, &product);
    return product / x;
}

/* "share = Φ(ffn.hidden[2,1]) = 0.4013": what no operation of two numbers makes. */
static tensor show_function(const activated *a, const char *left, const char *letters, double value)
{
    trace_item *line = build_line(&a->f->b, OP_COPY, left, letters);
    tensor made = keep(a, left, value);
    line->a = line->result = made;
    return made;
}

static void show_gelu(const activated *a)
{
    builder *b = &a->f->b;
    tensor share =
        show_function(a, "share", build_text(b, "Φ(%s)", a->of), normal_share(a, hidden_of(a)));
    show_last(a, OP_TIMES, build_text(b, "%s·share", a->of), floors_first(&a->hidden), share);
}

/* tanh(√(2/π)·(x + 0.044715·x³)) */
static tensor show_bent(const activated *a, double x)
{
    builder *b = &a->f->b;
    double value = 0.044715 * (x * x * x), sum = x + value,
           factor = sqrt(2 / 3.14159265358979323846), angle = factor * sum, bent;
    tensor cubic = show_function(a, "cubic", build_text(b, "0.044715·%s³", a->of), value);
    tensor made = floors_number_line(a->f, OP_PLUS, "sum", build_text(b, "%s + cubic", a->of),
                                     floors_first(&a->hidden), cubic, sum);
    floors_number_line(a->f, OP_TIMES, "angle", "√(2/π)·sum", keep(a, "factor", factor), made,
                       angle);
    a->with->cap(&angle, 1, 1, &bent);
    return show_function(a, "bent", "tanh(angle)", bent);
}

static void show_gelu_tanh(const activated *a)
{
    builder *b = &a->f->b;
    double x = hidden_of(a);
    tensor bent = show_bent(a, x), one = keep(a, "one", 1), two = keep(a, "two", 2);
    double more = bent.data == NULL ? 0 : 1 + tensor_get(&bent, NULL);
    tensor share = floors_number_line(a->f, OP_PLUS, "share", "1 + bent", one, bent, more);
    tensor half = floors_number_line(a->f, OP_DIVIDE, "half", build_text(b, "%s / 2", a->of),
                                     floors_first(&a->hidden), two, x / 2);
    show_last(a, OP_TIMES, "half·share", half, share);
}

/* exp(−x); the kernel takes exponents up to 0. */
static double exponential_below(const activated *a, double x)
{
    double exponent = -fabs(x), most = 0, made;
    row_total total;
    a->with->row_exponent(&exponent, 1, &most, &made, &total, NULL);
    return x < 0 ? 1 / made : made;
}

static void show_silu(const activated *a)
{
    builder *b = &a->f->b;
    double h = hidden_of(a), power = exponential_below(a, h);
    tensor none = {0};
    tensor made = floors_number_line(a->f, OP_EXP, "power", build_text(b, "exp(−%s)", a->of),
                                     keep(a, "minus the hidden number", -h), none, power);
    made = floors_number_line(a->f, OP_PLUS, "divisor", "1 + power", keep(a, "one", 1), made,
                              1 + power);
    show_last(a, OP_DIVIDE, build_text(b, "%s / divisor", a->of), floors_first(&a->hidden), made);
}

typedef struct worked {
    const char *name; /* the activation's */
    void (*show)(const activated *a);
} worked;

static void show_worked(const activated *a)
{
    static const worked WORKED[] = {
        {"relu", show_relu},
        {"gelu", show_gelu},
        {"gelu_tanh", show_gelu_tanh},
        {"silu", show_silu},
    };
    for (size_t i = 0; i < sizeof WORKED / sizeof WORKED[0]; i++) {
        if (strcmp(WORKED[i].name, a->by->named.name) == 0)
            WORKED[i].show(a);
    }
}

static tensor applied(const activated *a)
{
    double h = hidden_of(a), made;
    a->by->apply(a->with, &h, 1, &made);
    return keep(a, "activated", made);
}

/* Behind the activation: what it makes times the gate's number. */
static void show_gated(floors *f, const char *made_name, tensor ungated, const floor_rows *gate,
                       tensor result)
{
    builder *b = &f->b;
    size_t row = f->focus.row;
    trace_item *line = build_line(b, OP_TIMES, made_name,
                                  build_text(b, "activated·%s[%zu,1]", gate->name, row + 1));
    line->a = ungated;
    line->b = build_element(&gate->values, row, 0);
    line->result = result;
}

void floors_show_activated(floors *f, const activation *by, const floor_rows *hidden,
                           const floor_rows *gate, const floor_rows *made)
{
    builder *b = &f->b;
    size_t row = f->focus.row;
    const char *name = build_text(b, "%s[%zu,1]", made->name, row + 1);
    tensor of_row = build_row(&hidden->values, row);
    activated a = {.f = f,
                   .by = by,
                   .with = f->stack->isa->table(DTYPE_F64),
                   .of = build_text(b, "%s[%zu,1]", hidden->name, row + 1),
                   .made = gate == NULL ? name : "activated",
                   .hidden = tensor_range(&of_row, 0, 0, 1)};
    tensor result = build_element(&made->values, row, 0);
    a.result = gate == NULL ? result : applied(&a);
    show_worked(&a);
    if (gate != NULL)
        show_gated(f, name, a.result, gate, result);
}
