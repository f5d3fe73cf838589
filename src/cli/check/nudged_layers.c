#include "cli/check/nudged.h"

#include "base/mem.h"
#include "model/stack_run.h"

#include <stdio.h>
#include <string.h>

/* Reading a part and running it cost as much as so many more products of two numbers. */
static const double RUN = 40000;

static char *OUTPUT[] = {"output"};
static const text_list ALL_NUDGED = {.item = OUTPUT, .count = 1};

/* ---- which gradients ---- */

/* "layer.0.w1" of its gradient; NULL: the gradient is not of what a document has. */
static entry *numbers_of(const bundle *in, const char *gradient)
{
    static const char END[] = "_grad";
    char name[STAGE_NAME];
    size_t length = strlen(gradient), end = sizeof END - 1;
    if (length <= end || strcmp(gradient + length - end, END) != 0)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)(length - end), gradient);
    entry *found = stack_parameter(in, name);
    return found != NULL && found->kind == ENTRY_TENSOR ? found : NULL;
}

static bool list(work *w, bool takes_large, text_list *names, err *e)
{
    const stack *s = w->kind->layers(w);
    place at = document_place(w->document);
    bool done = true;
    (void)takes_large; /* none is larger than what it is of */
    if (!s->goal.is_there)
        return err_at(e, &at,
                      "there is no stage output_grad in this stack: it needs a gradient to begin "
                      "with, output_grad, or a loss");
    for (size_t i = 0; done && i < w->there.count; i++) {
        const char *name = w->there.item[i];
        if (numbers_of(s->document, name) != NULL)
            done = text_list_add(names, name, strlen(name), e);
    }
    return done;
}

/* ---- the layers that are nudged ---- */

static bool copy_entry(const entry *from, bundle *to, err *e);

static bool copy_all(const bundle *from, bundle *to, err *e)
{
    bool done = true;
    for (size_t i = 0; done && i < from->count; i++)
        done = copy_entry(&from->entry[i], to, e);
    return done;
}

/* With its matrices in float64, which nobody else has. */
static bool copy_entry(const entry *from, bundle *to, err *e)
{
    entry *made = bundle_borrow(to, from->name, from, e);
    if (made == NULL)
        return false;
    made->stays = false;
    if (from->kind == ENTRY_TENSOR && from->tensor.type != DTYPE_BOOL) {
        const tensor *given = &from->tensor;
        bool done = tensor_new(&made->tensor, DTYPE_F64, given->rank, given->size, e);
        if (done)
            tensor_copy(given, &made->tensor);
        return done;
    }
    if (from->kind != ENTRY_BUNDLE)
        return true;
    made->bundle = mem_alloc_zeroed(1, sizeof *made->bundle, e);
    made->borrows = made->bundle == NULL;
    return made->bundle != NULL && copy_all(from->bundle, made->bundle, e);
}

static bool open_layers(nudged *to, const work *w, const text_list *names, env *world, err *e)
{
    static const char WIDE[] = "f64";
    const stack *s = w->kind->layers(w);
    const goal *g = &s->goal;
    nudged_layers *n = &to->of.layers;
    size_t ids = goal_has_logits(g) ? g->to_ids.weight.size[1] : 0;
    double rows = (double)s->embedded.size[0];
    (void)names, (void)world;
    n->how = s->how;
    n->how.allow_nonfinite = true;
    n->how.packed_weights = NULL; /* they are kept as they were */
    n->isa = s->isa;
    n->operations =
        stack_operations(s) + RUN * (double)(s->parts + 1) + rows * (double)s->width * (double)ids;
    n->count = goal_has_logits(g) ? s->embedded.size[0] : tensor_count(&s->input);
    n->each = goal_has_logits(g)        ? 1 / (double)g->labels
              : g->of.kind == LOSS_MEAN ? 1 / (double)n->count
                                        : 1;
    if (!copy_all(s->document, &n->document, e))
        return false;
    bundle_remove(&n->document, "dtype");
    for (nudged_way way = 0; way < NUDGED_WAYS; way++) {
        n->terms[way] = mem_alloc(n->count, sizeof n->terms[way][0], e);
        if (n->terms[way] == NULL)
            return false;
    }
    return bundle_add_text(&n->document, "dtype", WIDE, sizeof WIDE - 1, (place){0}, e);
}

static void free_layers(nudged *of)
{
    bundle_free(&of->of.layers.document);
    for (nudged_way way = 0; way < NUDGED_WAYS; way++)
        mem_free(of->of.layers.terms[way]);
}

static tensor *begin(nudged *of, const char *name)
{
    return &numbers_of(&of->of.layers.document, name)->tensor;
}

/* What the loss adds up. */
static bool find_terms(const stack *s, const tensor *output, double *terms, crew *by, err *e)
{
    const goal *g = &s->goal;
    size_t at[TENSOR_MAX_RANK] = {0}, i = 0;
    tensor logits;
    if (!goal_has_logits(g)) {
        do
            terms[i++] = loss_term(&g->of, output, at);
        while (tensor_next(output, at));
        return true;
    }
    const unembedding *u = &g->to_ids;
    const size_t size[] = {s->embedded.size[0], u->weight.size[1]};
    const kernels *with = s->isa->table(s->type);
    tensor rows = tensor_view_of(output);
    tensor_own(&rows, s->type, 2, s->embedded.size, output->data);
    rows.owns = false;
    bool done = tensor_new(&logits, s->type, 2, size, e) &&
                multiply(with, &rows, &u->weight, &u->bias, &logits, by, e) &&
                goal_row_losses(g, with, &logits, terms, e);
    tensor_free(&logits);
    return done;
}

static bool run(nudged *of, nudged_way way, err *e)
{
    nudged_layers *n = &of->of.layers;
    run_report report = {0};
    bundle made = {0};
    stack s;
    bool done = stack_read(&s, &n->document, &n->how, n->isa, e) &&
                stack_run(&s, &ALL_NUDGED, &of->by, &made, &report, e) &&
                find_terms(&s, bundle_tensor(&made, OUTPUT[0]), n->terms[way], &of->by, e);
    stack_free(&s);
    bundle_free(&made);
    return done;
}

static void add_moved(const nudged *of, moved *to)
{
    const nudged_layers *n = &of->of.layers;
    for (size_t i = 0; i < n->count; i++) {
        const double term[NUDGED_WAYS] = {[NUDGED_UP] = n->terms[NUDGED_UP][i],
                                          [NUDGED_DOWN] = n->terms[NUDGED_DOWN][i],
                                          [NUDGED_NOT] = n->terms[NUDGED_NOT][i]};
        moved_add(to, term, n->each);
    }
}

static double operations(const nudged *of)
{
    return of->of.layers.operations;
}

const nudged_kind NUDGED_LAYERS = {.list = list,
                                   .open = open_layers,
                                   .begin = begin,
                                   .run = run,
                                   .add_moved = add_moved,
                                   .operations = operations,
                                   .free = free_layers};
