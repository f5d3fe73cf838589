/* Of a dump that is right: which known mistakes it would have shown. */
#include "cli/port/port.h"

#include "base/mem.h"
#include "model/stack_run.h"

enum { LARGE_OPERATIONS = 40000000 };

bool port_is_large(const port *p)
{
    return stack_operations(p->layers) > LARGE_OPERATIONS;
}

/* ---- whether it is a mistake in this model at all ---- */

/* The model with other ids, many and mostly different, so that what these ids hide is seen. */
typedef struct other_ids {
    bundle document;
    why_question asked;
    stack_attempt right;
    claim claim[2];
    entry numbers[2]; /* those of `right` */
    bool is_there;
} other_ids;

static void other_ids_make(other_ids *to, const port *p, err *e)
{
    enum { IDS = 13, STEP = 7 };
    const bundle *whole = &p->model->document->contents;
    const tensor *table = bundle_tensor(whole, "embedding");
    size_t count = IDS;
    tensor ids = {0};
    *to = (other_ids){.asked = {.document = &to->document,
                                .how = p->layers->how,
                                .by = p->layers->isa,
                                .threads = 1,
                                .claims = {.claim = to->claim, .count = 2}},
                      .claim = {{.name = "layer.0.attention.weights"}, {.name = "output"}}};
    if (table == NULL || bundle_find(whole, "ids") == NULL)
        return;
    if (!bundle_borrow_all(&to->document, whole, e) || !tensor_new(&ids, DTYPE_F64, 1, &count, e))
        return;
    for (size_t i = 0; i < count; i++)
        ((double *)ids.data)[i] = (double)((STEP * i + 1) % table->size[0]);
    bundle_remove(&to->document, "ids");
    bundle_remove(&to->document, "segments");
    to->is_there = bundle_add_tensor(&to->document, "ids", &ids, (place){0}, e) &&
                   stack_attempt_make(&to->right, &to->asked, &PORT_ALL, NULL, 0, e);
    for (size_t i = 0; to->is_there && i < 2; i++) {
        to->numbers[i].kind = ENTRY_TENSOR;
        to->numbers[i].tensor = tensor_view_of(&to->right.computed[i]);
        to->claim[i].numbers = &to->numbers[i];
    }
}

static void other_ids_free(other_ids *o)
{
    if (o->right.of != NULL)
        stack_attempt_free(&o->right);
    bundle_free(&o->document);
}

static bool other_ids_show(const other_ids *o, const mistake *one, err *e)
{
    stack_attempt a;
    if (!o->is_there)
        return false;
    bool shows = stack_attempt_make(&a, &o->asked, &PORT_ALL, &one, 1, e) &&
                 !fit_is_same(&o->asked.claims, o->right.computed, a.computed);
    stack_attempt_free(&a);
    return shows;
}

/* ---- all of them ---- */

/* A mistake that is tried in all parts. */
typedef struct trial {
    bool is_made;  /* in some part, */
    bool is_other; /* some number is another one then, */
    bool is_seen;  /* and by more than rounding */
    double *found;
} trial;

static void try_part(trial *t, const port *p, const part_document *d, const mistake *one, err *e)
{
    if (!part_try(d, one, t->found, e))
        return;
    t->is_made = true;
    for (size_t i = 0; i < d->claims; i++) {
        const port_stage *right = &p->stage[d->first + i];
        t->is_other = t->is_other || t->found[i] != right->found;
        t->is_seen = t->is_seen || !(t->found[i] <= right->limit);
    }
}

static void try_all(port *p, const named_table *mistakes, const other_ids *other, double *found,
                    err *e)
{
    for (size_t i = 0; i < named_count(mistakes) && !e->is_set; i++) {
        const mistake *one = mistake_at(mistakes, i);
        trial t = {.found = found};
        if (one->is_of_digits)
            continue;
        for (port_part part = 0; part < p->parts && !t.is_seen; part++) {
            part_document d;
            if (part_open(&d, p, part, NULL, 0, e) && d.claims > 0)
                try_part(&t, p, &d, one, e);
            part_close(&d);
        }
        bool counts = t.is_other || (t.is_made && other_ids_show(other, one, e));
        p->tried += counts;
        if (counts && !t.is_seen)
            p->missed[p->missed_count++] = &one->named;
    }
}

bool port_find_shown(port *p, err *e)
{
    static const named_table *const TABLES[] = {&STACK_FORWARD_MISTAKES, &FORWARD_MISTAKES};
    if (port_is_large(p))
        return true;
    other_ids other;
    other_ids_make(&other, p, e);
    double *found = mem_alloc(p->stages, sizeof found[0], e);
    p->missed = mem_alloc(named_count(TABLES[0]) + named_count(TABLES[1]), sizeof p->missed[0], e);
    for (size_t i = 0; i < 2 && !e->is_set; i++)
        try_all(p, TABLES[i], &other, found, e);
    other_ids_free(&other);
    mem_free(found);
    return !e->is_set;
}
