/* The names of a stack's stages, which are known before it is computed. */
#include "model/stack.h"

#include <string.h>

/* Where in a stack the walk is, and who is told of each stage. */
typedef struct walk {
    const stack *stack;
    stack_stage_visitor *visit;
    void *context;
    stage_way way;
    err *e;
} walk;

static bool tell(const walk *w, const char *name, size_t width)
{
    char full[STAGE_NAME];
    stage_name_in_full(&w->way, name, full);
    return w->visit(w->context, full, width, w->e);
}

static walk within(const walk *w, const char *step)
{
    walk inner = *w;
    inner.way = stage_way_on(&w->way, step);
    return inner;
}

static bool tell_feed_forward(const walk *w, const feed_forward *f)
{
    return tell(w, "hidden", f->hidden) && (f->w3.data == NULL || tell(w, "gate", f->hidden)) &&
           tell(w, "activated", f->hidden) && tell(w, "output", w->stack->width);
}

static bool tell_attention(const walk *w, const plan *p)
{
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (plan_has_stage(p, id) && !tell(w, stage_row(id)->key.named.name, 0))
            return false;
    }
    return tell(w, "mean_weights", 0);
}

static bool tell_layer(const walk *w, const layer *l, size_t number)
{
    walk of_layer = *w;
    of_layer.way = stage_way_of_layer(number);
    for (size_t i = 0; i < l->parts; i++) {
        const layer_part *p = &l->part[i];
        part_step step[PART_STEPS_MOST];
        size_t steps = part_steps(p->as, step);
        for (size_t j = 0; j < steps; j++) {
            walk inner = within(&of_layer, step[j].name);
            bool done =
                step[j].kind != PART_STEP_ITSELF   ? tell(&of_layer, step[j].name, w->stack->width)
                : p->as->kind == PART_FEED_FORWARD ? tell_feed_forward(&inner, p->feed_forward)
                                                   : tell_attention(&inner, &p->attention->plan);
            if (!done)
                return false;
        }
    }
    return tell(&of_layer, "output", w->stack->width);
}

bool stack_has_rollout(const stack *s)
{
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            const layer_part *p = &s->layer[i].part[j];
            if (p->as->kind == PART_ATTENTION &&
                (p->as->adds == RESIDUAL_NONE || p->attention->plan.n_q != p->attention->plan.n_k))
                return false;
        }
    }
    return true;
}

/* What is made outside of attention, in a stack or in each of its layers, with the axes that it has
 * where there is a batch. */
typedef struct rows_stage {
    const char *name, *axes;
    bool is_of_stack, is_of_layer;
} rows_stage;

static const rows_stage ROWS_STAGES[] = {
    {"embedded", "bqm", true, false},     {"ln_e", "bqm", true, false},
    {"rollout", "bqk", true, false},      {"ln_f", "bqm", true, false},
    {"ln1", "bqm", false, true},          {"ln2", "bqm", false, true},
    {"ln3", "bqm", false, true},          {"attention_sum", "bqm", false, true},
    {"cross_sum", "bqm", false, true},    {"ffn_sum", "bqm", false, true},
    {"ffn.hidden", "bqO", true, true},    {"ffn.gate", "bqO", true, true},
    {"ffn.activated", "bqO", true, true}, {"ffn.output", "bqO", true, true},
    {"output", "bqm", false, true}, /* a stack's has the name of attention's */
};

static const rows_stage *find_rows(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof ROWS_STAGES / sizeof ROWS_STAGES[0]; i++) {
        const rows_stage *one = &ROWS_STAGES[i];
        if (strlen(one->name) == length && memcmp(one->name, name, length) == 0)
            return one;
    }
    return NULL;
}

/* What a layer or a part makes has its name before a dot. */
bool stack_may_have_stage(const char *name, size_t length)
{
    const rows_stage *found = find_rows(name, length);
    return memchr(name, '.', length) != NULL || (found != NULL && found->is_of_stack);
}

/* What is after "layer.0."; the name itself where that is not before it. */
static const char *name_in_layer(const char *name)
{
    static const char LAYER[] = "layer.";
    size_t word = sizeof LAYER - 1;
    if (strncmp(name, LAYER, word) != 0)
        return name;
    size_t digits = strspn(name + word, "0123456789");
    return digits > 0 && name[word + digits] == '.' ? name + word + digits + 1 : name;
}

const char *stack_axes_of(const char *name)
{
    const char *own = name_in_layer(name);
    const rows_stage *found = find_rows(own, strlen(own));
    bool is_one = found != NULL && (own == name ? found->is_of_stack : found->is_of_layer);
    return is_one ? found->axes : stage_axes_of(name);
}

void stack_find_axes(entry *one)
{
    const char *axes = stack_axes_of(one->name);
    if (*axes == '\0' || one->axes != NULL || one->kind != ENTRY_TENSOR)
        return;
    for (size_t missing = strlen(axes); missing > (size_t)one->tensor.rank; missing--) {
        if (*axes != 'b' && *axes != 'h')
            return;
        axes++;
    }
    if (strlen(axes) == (size_t)one->tensor.rank)
        one->axes = axes;
}

static bool add_chosen(const row_choice *rows, const entry *one, int axis, bundle *to, err *e)
{
    tensor part, copy;
    bool done = row_choice_take(rows, &one->tensor, axis, &part, e);
    bool is_made = done && tensor_new_copy(&copy, &part, e);
    if (done)
        tensor_free(&part);
    if (!is_made || !bundle_add_tensor(to, one->name, &copy, one->at, e))
        return false;
    entry *added = bundle_find(to, one->name);
    added->axes = one->axes;
    added->stored = one->stored;
    added->has_unprinted = one->has_unprinted;
    return true;
}

bool stack_choose_rows(const row_choice *rows, const bundle *from, bundle *to, err *e)
{
    for (size_t i = 0; i < from->count; i++) {
        const entry *one = &from->entry[i];
        const char *queries = strchr(stack_axes_of(one->name), 'q');
        int axis = -1; /* leading axes may lack */
        if (queries != NULL && one->kind == ENTRY_TENSOR)
            axis = one->tensor.rank - (int)strlen(queries);
        bool is_whole = axis >= 0 && one->tensor.size[axis] == rows->of;
        if (!(is_whole ? add_chosen(rows, one, axis, to, e)
                       : bundle_borrow(to, one->name, one, e) != NULL))
            return false;
    }
    return true;
}

bool stack_each_stage(const stack *s, stack_stage_visitor *visit, void *context, err *e)
{
    walk w = {.stack = s, .visit = visit, .context = context, .e = e};
    walk end = within(&w, "ffn");
    bool done = tell(&w, "embedded", s->width) && (!s->has_first || tell(&w, "ln_e", s->width));
    for (size_t i = 0; i < s->layers && done; i++)
        done = tell_layer(&w, &s->layer[i], i);
    return done && (!stack_has_rollout(s) || tell(&w, "rollout", s->rows)) &&
           (!s->has_end || tell_feed_forward(&end, &s->end)) &&
           (!s->has_final || tell(&w, "ln_f", s->width)) && tell(&w, "output", s->width);
}

static bool add_name(void *context, const char *name, size_t width, err *e)
{
    (void)width;
    return text_list_add(context, name, strlen(name), e);
}

bool stack_stage_names(const stack *s, text_list *names, err *e)
{
    return text_list_index(names, e) && stack_each_stage(s, add_name, names, e);
}
