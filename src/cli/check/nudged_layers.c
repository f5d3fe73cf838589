#include "cli/check/nudged.h"

#include "base/mem.h"
#include "model/stack_run.h"

#include <stdio.h>
#include <string.h>

/* Reading a part and running it cost as much as so many more products of two numbers. */
static const double RUN = 40000;

static const text_list NOTHING = {0};
static char *OUTPUT[] = {"output"};
static const text_list ALL_NUDGED = {.item = OUTPUT, .count = 1};

/* ---- which gradients ---- */

/* NULL: the gradient is not of what a document has. */
static entry *numbers_of(const bundle *in, const char *gradient)
{
    char name[STAGE_NAME];
    entry *found = stage_is_gradient(gradient, name) ? stack_parameter(in, name) : NULL;
    return found != NULL && found->kind == ENTRY_TENSOR ? found : NULL;
}

/* What `embed` makes of looked up rows alone is made where they are read: no run begins there. */
static bool is_read(const stack *s, const char *name)
{
    return s->product.is_of_looked_up && strcmp(name, "embed.output") == 0;
}

/* Whether it is of rows that go through the layers, or of a stage that one of their attentions can
 * begin at. */
static bool can_give(const work *w, const char *gradient, bool takes_large)
{
    char name[STAGE_NAME];
    stage_id id = STAGE_COUNT;
    const stack *s = w->kind->layers(w);
    const plan *p = stack_plan_of(s, gradient, &id);
    if (!stage_is_gradient(gradient, name) || text_list_find(&w->there, name) == NULL ||
        is_read(s, name))
        return false;
    return p == NULL || id == STAGE_OUTPUT_GRAD ||
           (nudged_can_begin(id) && (takes_large || plan_stage_numbers(p, id) <= NUDGED_WIDE));
}

/* Of a run that takes longer all stages would take minutes; who has gradients chooses. */
static const double LONG_RUN = 2e7;

static bool list(work *w, bool takes_large, text_list *names, size_t *left, err *e)
{
    const stack *s = w->kind->layers(w);
    place at = document_place(w->document);
    bool done = true, takes_stages = takes_large || stack_operations(s) <= LONG_RUN;
    *left = 0;
    if (!s->goal.is_there)
        return err_at(e, &at,
                      "there is no stage output_grad in this stack: it needs a gradient to begin "
                      "with, output_grad, or a loss");
    for (size_t i = 0; done && i < w->there.count; i++) {
        const char *name = w->there.item[i];
        bool is_own = numbers_of(s->document, name) != NULL,
             is_stage = !is_own && can_give(w, name, takes_large);
        if (is_own || (is_stage && takes_stages))
            done = text_list_add(names, name, strlen(name), e);
        *left += is_stage && !takes_stages;
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

static tensor *begin(nudged *of, const char *gradient)
{
    nudged_layers *n = &of->of.layers;
    char name[STAGE_NAME];
    entry *own = numbers_of(&n->document, gradient);
    stage_is_gradient(gradient, name);
    n->given = own == NULL ? bundle_find(&n->stages, name) : NULL;
    return own != NULL ? &own->tensor : &bundle_find(&n->stages, name)->tensor;
}

/* ---- a stage that is given ---- */

/* Rows that go on as they are given. */
static bool give_rows(void *context, const char *name, const tensor *rows)
{
    const nudged_layers *n = context;
    tensor to = tensor_flat(rows);
    if (strcmp(name, n->given->name) != 0)
        return true;
    const tensor from = tensor_flat(&n->given->tensor);
    tensor_copy(&from, &to);
    return true;
}

/* What the loss adds up. */
static bool find_terms(nudged_layers *n, const stack *s, const tensor *output, double *terms,
                       crew *by, err *e)
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
    const size_t size[] = {s->embedded.size[0], u->weight.size[1]}, of_rows[] = {size[0], s->width};
    const kernels *with = s->isa->table(s->type);
    head_rows of_head = {0};
    const keeper keep = {
        .wanted = &NOTHING, .change = n->given == NULL ? NULL : give_rows, .context = n};
    tensor rows = tensor_view_of(output);
    tensor_own(&rows, s->type, 2, of_rows, output->data);
    rows.owns = false;
    bool done = tensor_new(&logits, s->type, 2, size, e) &&
                (!s->has_head || head_run(&s->head, with, by, &rows, true, &of_head, &keep, e)) &&
                unembedding_run(u, with, s->has_head ? head_made(&of_head) : &rows, &logits, &keep,
                                by, e) &&
                goal_row_losses(g, with, &logits, terms, e);
    head_rows_free(&of_head);
    tensor_free(&logits);
    return done;
}

/* An attention that begins at it. */
static bool attend_from(void *context, const attention *a, const kept_stages *w, crew *by,
                        bundle *made, err *e)
{
    const nudged_layers *n = context;
    const char *name = strrchr(n->given->name, '.') + 1;
    tensor given[STAGE_COUNT] = {{0}};
    kept_stages from = *w;
    run_report report = {0};
    given[stage_of(named_find(&STAGES, name, strlen(name)))] = n->given->tensor;
    from.given = given;
    return run_plan_by(&a->plan, &from, by, made, &report, e);
}

/* The layers' attention that makes it, but for its output, which is rows; NULL: none. */
static attention *attention_of(stack *s, const char *name)
{
    stage_id id = STAGE_COUNT;
    const plan *p = stack_plan_of(s, name, &id);
    for (size_t i = 0; i < s->parts && p != NULL && id != STAGE_OUTPUT; i++) {
        if (s->part[i].attention != NULL && &s->part[i].attention->plan == p)
            return s->part[i].attention;
    }
    return NULL;
}

static bool compute(nudged *of, const text_list *emit, nudged_way way, bundle *made, err *e)
{
    nudged_layers *n = &of->of.layers;
    run_report report = {0};
    stack s;
    bool done = stack_read(&s, &n->document, &n->how, n->isa, e);
    attention *begins = done && n->given != NULL ? attention_of(&s, n->given->name) : NULL;
    if (begins != NULL) {
        begins->otherwise = attend_from;
        begins->context = n;
    } else if (done && n->given != NULL) {
        s.change = give_rows;
        s.changed = n;
    }
    done = done && stack_run(&s, emit, &of->by, made, &report, e) &&
           (bundle_tensor(made, OUTPUT[0]) == NULL ||
            find_terms(n, &s, bundle_tensor(made, OUTPUT[0]), n->terms[way], &of->by, e));
    stack_free(&s);
    return done;
}

static bool run(nudged *of, nudged_way way, err *e)
{
    bundle made = {0};
    bool done = compute(of, &ALL_NUDGED, way, &made, e);
    bundle_free(&made);
    return done;
}

static bool open_layers(nudged *to, const work *w, const text_list *names, env *world, err *e)
{
    static const char WIDE[] = "f64";
    const stack *s = w->kind->layers(w);
    const goal *g = &s->goal;
    nudged_layers *n = &to->of.layers;
    text_list stages = {0};
    size_t ids = goal_has_logits(g) ? g->to_ids.weight.size[1] : 0;
    double rows = (double)s->embedded.size[0];
    (void)world;
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
    bool done = bundle_add_text(&n->document, "dtype", WIDE, sizeof WIDE - 1, (place){0}, e);
    for (size_t i = 0; done && i < names->count; i++) {
        char name[STAGE_NAME];
        stage_is_gradient(names->item[i], name);
        if (numbers_of(&n->document, names->item[i]) == NULL)
            done = text_list_add(&stages, name, strlen(name), e);
    }
    done = done && (stages.count == 0 || compute(to, &stages, NUDGED_NOT, &n->stages, e));
    text_list_free(&stages);
    return done;
}

static void free_layers(nudged *of)
{
    bundle_free(&of->of.layers.document);
    bundle_free(&of->of.layers.stages);
    for (nudged_way way = 0; way < NUDGED_WAYS; way++)
        mem_free(of->of.layers.terms[way]);
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
