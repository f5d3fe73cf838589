/* Each part of a model as a document of its own, which begins with the dump's rows. */
#include "cli/port/port.h"

#include "base/mem.h"
#include "compare/measure.h"
#include "model/embed.h"

#include <math.h>
#include <string.h>

/* ---- the document ---- */

static void put_number(bundle *to, const char *name, double value, err *e)
{
    bundle_remove(to, name);
    bundle_add_number(to, name, value, (place){0}, e);
}

/* What a layer says itself gives way. */
static void put_fit(part_document *d, const port_cause *one, err *e)
{
    const char *setting = one->fit->setting;
    bundle_remove(&d->layer, setting);
    if (strcmp(setting, "window") != 0) {
        put_number(&d->document, setting, one->value, e);
        return;
    }
    const size_t two = 2;
    tensor sides;
    bundle_remove(&d->document, setting);
    if (!tensor_new(&sides, DTYPE_F64, 1, &two, e))
        return;
    ((double *)sides.data)[0] = one->value;
    ((double *)sides.data)[1] = -1;
    bundle_add_tensor(&d->document, setting, &sides, (place){0}, e);
}

/* The rows that the part begins with: the dump's, or those that were computed before it. */
static const tensor *rows_before(const port *p, port_part part)
{
    const char *of = stack_begin_name(p->layers);
    for (size_t i = 0; i < p->stages; i++) {
        const port_stage *one = &p->stage[i];
        bool is_output = part > 1 && one->part == part - 1 && strcmp(one->kind, "output") == 0;
        /* What was only rounded at the end may have gone on unrounded; which it was is seen in the
         * first layer. */
        bool is_begin = part == 1 && strcmp(one->name, of) == 0 && !p->begins_unrounded;
        if (is_output || is_begin)
            return &one->numbers.tensor;
    }
    return &p->rows[part];
}

/* A layer whose output the dump lacks goes on to the end. */
static bool goes_to_end(const port *p, port_part part)
{
    bool has_output = false;
    for (size_t i = 0; i < p->stages; i++)
        has_output =
            has_output || (p->stage[i].part == part && strcmp(p->stage[i].kind, "output") == 0);
    return part + 1 == p->parts || (part + 2 == p->parts && !has_output);
}

bool part_open(part_document *d, const port *p, port_part part, const port_cause *const *fits,
               size_t count, err *e)
{
    static const char OUTPUT[] = "layer.0.output";
    const bundle *whole = &p->model->document->contents;
    entry layers = *bundle_find(whole, "layers");
    const bool is_begin = part == 0, is_end = part + 1 == p->parts;
    const size_t number = is_begin ? 0 : is_end ? part - 2 : part - 1;
    *d = (part_document){.asked = {.how = p->layers->how, .by = p->layers->isa}};
    bundle_borrow_all(&d->document, whole, e);
    bundle_borrow_all(&d->layer, stack_keys_of_layer(whole, number), e);
    for (size_t i = 0; i < count; i++)
        put_fit(d, fits[i], e);
    entry alone = layers.bundle->entry[number % layers.bundle->count];
    alone.bundle = &d->layer;
    bundle_borrow(&d->layers, "1", &alone, e);
    layers.bundle = &d->layers;
    bundle_remove(&d->document, "layers");
    bundle_remove(&d->document, "repeat");
    bundle_borrow(&d->document, "layers", &layers, e);
    if (!is_begin)
        bundle_remove(&d->document, "ln_e");
    if (!goes_to_end(p, part)) {
        bundle_remove(&d->document, "ln_f");
        bundle_remove(&d->document, "logits");
    }
    d->claim = mem_alloc_zeroed(p->stages + 1, sizeof d->claim[0], e);
    for (size_t i = 0; i < p->stages && d->claim != NULL; i++) {
        const port_stage *one = &p->stage[i];
        bool is_in = one->part == part || (one->part + 1 == p->parts && goes_to_end(p, part));
        if (!is_in)
            continue;
        d->first = d->claims == 0 ? i : d->first;
        d->claim[d->claims++] =
            (claim){.name = one->alone,
                    .numbers = &one->numbers,
                    .tol = one->limit * one->largest,
                    .stored = one->stored >= NUMBER_F16 ? one->stored : NUMBER_F64};
    }
    /* The rows of the part after it, where the dump lacks them. */
    if (d->claim != NULL && part + 1 < p->parts && rows_before(p, part + 1) == &p->rows[part + 1]) {
        const char *begin = stack_begin_name(p->layers);
        d->claim[d->claims] = (claim){.name = is_begin ? begin : OUTPUT};
    }
    if (!is_begin) {
        d->rows.kind = ENTRY_TENSOR;
        d->rows.tensor = tensor_view_of(rows_before(p, part));
        const char *begin =
            stack_ends_with_product(p->layers) ? stack_begin_name(p->layers) : "embedded";
        d->given[0] = (claim){.name = is_end ? OUTPUT : begin, .numbers = &d->rows};
    }
    d->asked.document = &d->document;
    d->asked.threads = work_threads(p->model, p->world);
    d->asked.kept = p->kept;
    d->asked.claims = (claims){.claim = d->claim, .count = d->claims};
    d->asked.given = (claims){.claim = d->given, .count = !is_begin};
    d->asked.goes_by_claims = d->asked.shapes_are_right = true;
    return !e->is_set;
}

void part_close(part_document *d)
{
    mem_free(d->claim);
    bundle_free(&d->layers);
    bundle_free(&d->layer);
    bundle_free(&d->document);
}

/* ---- computing it ---- */

const stack_scope PORT_ALL = {.is_whole = true, .end = 1, .self = true, .cross = true};

static double error_of(const part_document *d, const stack_attempt *a, size_t index)
{
    const claims one = {.claim = &d->claim[index], .count = 1};
    return fit_of(&one, &a->computed[index]).error;
}

bool part_measure(part_document *d, port *p, port_part part, err *e)
{
    stack_attempt a;
    const bool takes_rows = d->claim[d->claims].name != NULL;
    d->asked.claims.count = d->claims + takes_rows;
    bool done = stack_attempt_make(&a, &d->asked, &PORT_ALL, NULL, 0, e);
    for (size_t i = 0; i < d->claims; i++)
        p->stage[d->first + i].found = done ? error_of(d, &a, i) : INFINITY;
    /* Where the dump has them, too, those that were computed, not those that took their place. */
    for (size_t i = 0; done && takes_rows && i < d->claims; i++) {
        if (strcmp(d->claim[i].name, d->claim[d->claims].name) != 0)
            continue;
        tensor_free(&a.computed[d->claims]);
        if (!tensor_new_copy(&a.computed[d->claims], &a.computed[i], e))
            break;
    }
    if (done && takes_rows) {
        tensor_free(&p->rows[part + 1]);
        p->rows[part + 1] = a.computed[d->claims];
        a.computed[d->claims] = (tensor){0};
    }
    stack_attempt_free(&a);
    d->asked.claims.count = d->claims;
    return !e->is_set;
}

bool part_try(const part_document *d, const mistake *one, double *found, err *e)
{
    stack_attempt a;
    bool done = stack_attempt_make(&a, &d->asked, &PORT_ALL, &one, one != NULL, e);
    for (size_t i = 0; i < d->claims; i++)
        found[i] = done ? error_of(d, &a, i) : INFINITY;
    stack_attempt_free(&a);
    return done;
}

double part_try_one(const part_document *d, const mistake *one, size_t index, err *e)
{
    const claim *asked = &d->claim[index];
    why_question up_to = d->asked;
    stack_attempt a;
    up_to.claims.count = index + 1;
    bool done = stack_attempt_try(&a, &up_to, &PORT_ALL, &one, one != NULL, e);
    double found = done ? error_of(d, &a, index)
                        : a.error * asked->tol / tensor_greatest(&asked->numbers->tensor);
    stack_attempt_free(&a);
    return found;
}

/* Whether the row of this number, in all heads, is within the tolerance. */
static bool is_row_near(const tensor *ours, const tensor *dump, size_t row, double tol)
{
    const int axis = dump->rank - 2;
    const tensor a = tensor_range(ours, axis, row, 1), b = tensor_range(dump, axis, row, 1);
    const tolerance by = {.atol = tol};
    return measure((measured_side){.of = &a}, (measured_side){.of = &b}, NUMBER_F64, &by)
               .different == 0;
}

size_t part_first_row(const part_document *d, size_t index, err *e)
{
    const claim *asked = &d->claim[index];
    const tensor *dump = &asked->numbers->tensor;
    const size_t rows = dump->size[dump->rank - 2];
    why_question up_to = d->asked;
    stack_attempt a;
    up_to.claims.count = index + 1;
    bool done = stack_attempt_make(&a, &up_to, &PORT_ALL, NULL, 0, e);
    size_t row = done ? 0 : rows;
    while (row < rows && is_row_near(&a.computed[index], dump, row, asked->tol))
        row++;
    stack_attempt_free(&a);
    return row;
}
