#include "why/why.h"

#include "base/mem.h"
#include "model/stack_run.h"
#include "why/attempt.h"

#include <stdio.h>
#include <string.h>

/* ---- an attention or layers, computed with mistakes ---- */

/* What a question is about, one attention or layers, computed with mistakes in it. */
typedef struct work_attempt work_attempt;
struct work_attempt {
    const why_question *of;
    const work_attempt *right; /* without mistakes; NULL in itself */
    attempt attention;
    stack_attempt layers;
    tensor of_attention[STAGE_COUNT]; /* owned, but those of the right one are its attention's */
    tensor *computed;                 /* by claim; no data: not there */
};

typedef struct subject_size {
    size_t layers;
    bool is_crossed; /* has cross-attention somewhere */
    double operations;
} subject_size;

/* One of the two that a question may be about. */
typedef struct subject {
    const named_table *mistakes; /* that can be made in it; */
    const named_table *first;    /* of two together, the first is one of these */
    bool (*make)(work_attempt *a, const stack_scope *where, const mistake *const *made,
                 size_t count, err *e);
    void (*free)(work_attempt *a);
    subject_size (*size)(const work_attempt *right);
    /* The attention that makes the claim's stage; NULL: none does. */
    const plan *(*plan_of)(const work_attempt *a, const claim *one, stage_id *id);
} subject;

/* ---- an attention ---- */

static stage_id stage_of_claim(const claim *one)
{
    return stage_of(named_find(&STAGES, one->name, strlen(one->name)));
}

/* "q_grad", or of layers "layer.0.attention.q_grad" and "layer.0.w1_grad". */
static bool is_of_way_back(const claim *one)
{
    const char *last = strrchr(one->name, '.'), *name = last == NULL ? one->name : last + 1;
    const named *row = named_find(&STAGES, name, strlen(name));
    return row != NULL ? stage_is_backward(stage_of(row)) : stage_is_gradient(name, NULL);
}

/* Numbers of the way back are to be explained. */
static bool asks_for_gradients(const why_question *of)
{
    bool asks = false;
    for (size_t i = 0; i < of->claims.count && (of->problem == NULL || of->problem->goes_back); i++)
        asks = asks || is_of_way_back(&of->claims.claim[i]);
    return asks;
}

/* It needs no scope: mistakes are made in all of it. */
static bool make_attention(work_attempt *a, const stack_scope *where, const mistake *const *made,
                           size_t count, err *e)
{
    const why_question *of = a->of;
    const work_attempt *right = a->right;
    stage_id ids[STAGE_COUNT];
    kept_stages asked_for = {0};
    (void)where;
    for (size_t i = 0; i < of->claims.count; i++) {
        ids[i] = stage_of_claim(&of->claims.claim[i]);
        kept_stages_add(&asked_for, ids[i]);
    }
    attempt_open(&a->attention, of->problem, of->with, of->threads, &asked_for,
                 right == NULL ? NULL : &right->attention);
    a->attention.keeps_gradients = asks_for_gradients(of);
    a->attention.fits = right != NULL && of->shapes_are_right ? &of->claims : NULL;
    if (!attempt_make(&a->attention, made, count, e))
        return false;
    a->computed = a->of_attention;
    /* Mistakes look at the right one's stages, which it keeps. */
    for (size_t i = 0; i < of->claims.count; i++) {
        a->of_attention[i] = a->attention.stage[ids[i]];
        if (right != NULL)
            a->attention.stage[ids[i]] = (tensor){0};
    }
    return true;
}

static void free_attention(work_attempt *a)
{
    for (size_t i = 0; i < a->of->claims.count; i++) {
        if (a->computed != NULL && a->right != NULL)
            tensor_free(&a->of_attention[i]);
    }
    attempt_free(&a->attention);
}

static subject_size size_of_attention(const work_attempt *right)
{
    return (subject_size){.layers = 1, .operations = plan_operations(&right->attention.plan)};
}

static const plan *plan_of_attention(const work_attempt *a, const claim *one, stage_id *id)
{
    *id = stage_of_claim(one);
    return &a->attention.plan;
}

/* ---- layers ---- */

static bool make_layers(work_attempt *a, const stack_scope *where, const mistake *const *made,
                        size_t count, err *e)
{
    bool done = a->right == NULL ? stack_attempt_make(&a->layers, a->of, where, made, count, e)
                                 : stack_attempt_try(&a->layers, a->of, where, made, count, e);
    a->computed = a->layers.computed;
    return done;
}

static void free_layers(work_attempt *a)
{
    stack_attempt_free(&a->layers);
}

/* Each step of a generation counts as much as its prompt. */
static subject_size size_of_layers(const work_attempt *right)
{
    const stack *s = right->layers.stack;
    size_t passes = right->of->steps == NULL ? 1 : right->of->steps->steps;
    return (subject_size){s->layers, stack_has_cross(s), (double)passes * stack_operations(s)};
}

static const plan *plan_of_layers(const work_attempt *a, const claim *one, stage_id *id)
{
    return stack_plan_of(a->layers.stack, stack_stage_of(a->of, one), id);
}

/* ---- either ---- */

static const subject *subject_of(const why_question *of)
{
    /* For layers, their own mistakes come before attention's. */
    static const named_table *const PARTS[] = {&STACK_FORWARD_MISTAKES, &FORWARD_MISTAKES, NULL};
    static const named_table *const BOTH_WAYS[] = {&STACK_MISTAKES, &MISTAKES, NULL};
    static const named_table ALL = {.what = "mistake", .parts = PARTS},
                             ALL_BACK = {.what = "mistake", .parts = BOTH_WAYS};
    static const subject LAYERS = {&ALL,        &STACK_FORWARD_MISTAKES, make_layers,
                                   free_layers, size_of_layers,          plan_of_layers};
    static const subject LAYERS_BACK = {&ALL_BACK,   &STACK_MISTAKES, make_layers,
                                        free_layers, size_of_layers,  plan_of_layers};
    static const subject ATTENTION = {&FORWARD_MISTAKES, &FORWARD_MISTAKES, make_attention,
                                      free_attention,    size_of_attention, plan_of_attention};
    static const subject GRADIENTS = {&MISTAKES,      &MISTAKES,         make_attention,
                                      free_attention, size_of_attention, plan_of_attention};
    if (of->problem == NULL)
        return asks_for_gradients(of) ? &LAYERS_BACK : &LAYERS;
    return asks_for_gradients(of) ? &GRADIENTS : &ATTENTION;
}

size_t why_mistakes(const why_question *of)
{
    return named_count(subject_of(of)->mistakes);
}

/* With these mistakes, as stack_attempt_make does. */
static bool work_attempt_make(work_attempt *a, const why_question *of, const work_attempt *right,
                              const stack_scope *where, const mistake *const *made, size_t count,
                              err *e)
{
    a->of = of;
    a->right = right;
    a->computed = NULL;
    return subject_of(of)->make(a, where, made, count, e);
}

static void work_attempt_free(work_attempt *a)
{
    subject_of(a->of)->free(a);
}

/* ---- where mistakes are made ---- */

static const stack_scope NOWHERE = {0};

static stack_scope everywhere(const subject_size *of)
{
    return (stack_scope){.is_whole = true, .end = of->layers, .self = true, .cross = true};
}

static stack_scope in_layer(size_t number)
{
    return (stack_scope){.first = number, .end = number + 1, .self = true, .cross = true};
}

/* Every pair of mistakes is some thousand attempts: only where one is done at once; so is every
 * mistake in every layer. A layer takes its time, however small it is. */
static const double PAIRS_MOST = 20000, LAYERS_MOST = 1e9;
enum { LAYERS_OF_PAIRS = 16, LAYERS_ALONE = 64 };

typedef struct search {
    const why_question *of;
    const subject *about;
    work_attempt right;
    ranking ranking;
    subject_size size;
} search;

/* ---- trying ---- */

/* Where a mistake was made is "layer.1.cross", "cross", or "". */
static void try_made(search *s, const stack_scope *where, const mistake *const *made, size_t count,
                     err *e)
{
    work_attempt a;
    made_mistake names[WHY_TOGETHER] = {{0}};
    const char *kind = part_name(where->self ? PART_ATTENTION : PART_CROSS);
    for (size_t i = 0; i < count; i++) {
        bool is_part = !made[i]->is_of_layers && s->size.is_crossed && where->self != where->cross;
        const char *part = is_part ? kind : "";
        names[i].row = &made[i]->named;
        if (where->is_whole)
            snprintf(names[i].where, WHY_WHERE, "%s", part);
        else
            snprintf(names[i].where, WHY_WHERE, "layer.%zu%s%s", where->first, is_part ? "." : "",
                     part);
    }
    if (work_attempt_make(&a, s->of, &s->right, where, made, count, e))
        ranking_judge(&s->ranking, a.computed, names, count, e);
    work_attempt_free(&a);
}

/* Each mistake; attention's also in the one kind of attention, and in the other. */
static void try_each(search *s, const stack_scope *where, err *e)
{
    stack_scope self = *where, cross = *where;
    self.cross = cross.self = false;
    for (size_t i = 0; !e->is_set && i < why_mistakes(s->of); i++) {
        const mistake *one = mistake_at(s->about->mistakes, i);
        try_made(s, where, &one, 1, e);
        if (!one->is_of_layers && s->size.is_crossed) {
            try_made(s, &self, &one, 1, e);
            try_made(s, &cross, &one, 1, e);
        }
    }
}

/* ---- where it went wrong ---- */

static fit fit_at(const search *s, size_t index)
{
    claims one = {&s->of->claims.claim[index], 1, NULL};
    return fit_of(&one, &s->right.computed[index]);
}

/* The layers in which one mistake can have been made: not before a stage that is right, and not
 * after the first one that is too wrong to be someone's float32. Of gradients a layer that has a
 * right one comes after it, or is it, on either way. */
static void find_layers(const search *s, size_t *first, size_t *end)
{
    const claims *of = &s->of->claims;
    size_t i = 0, number;
    *first = 0;
    *end = s->size.layers;
    for (; fit_at(s, i).is_within; i++) { /* one is not */
        if (!stack_stage_layer(of->claim[i].name, &number))
            continue;
        if (is_of_way_back(&of->claim[i]))
            *end = number + 1;
        else
            *first = number;
    }
    if (is_of_way_back(&of->claim[i])) {
        *first = 0;
        return;
    }
    for (; i < of->count; i++) {
        fit found = fit_at(s, i);
        if (fit_is_near(&found))
            continue;
        if (stack_stage_layer(of->claim[i].name, &number))
            *end = number + 1;
        return;
    }
}

/* Gradients may be right for results of the way forward that are not. */
static bool is_right_back(const search *s, err *e)
{
    const why_question *of = s->of;
    claim back[STAGE_COUNT];
    tensor computed[STAGE_COUNT];
    claims some = {back, 0, of->claims.known};
    attempt a;
    if (s->about->plan_of != plan_of_attention || !asks_for_gradients(of))
        return false;
    attempt_open(&a, of->problem, of->with, of->threads, NULL, NULL);
    a.keeps_gradients = true;
    a.from = &of->claims;
    bool is_made = attempt_make(&a, NULL, 0, e);
    for (size_t i = 0; is_made && i < of->claims.count; i++) {
        stage_id id = stage_of_claim(&of->claims.claim[i]);
        if (!stage_is_backward(id))
            continue;
        back[some.count] = of->claims.claim[i];
        computed[some.count++] = a.stage[id];
    }
    bool is_right = is_made && fit_of(&some, computed).is_within;
    /* What is right anyway says nothing. */
    for (size_t i = 0, n = 0; i < of->claims.count && is_right; i++) {
        if (stage_is_backward(stage_of_claim(&of->claims.claim[i])))
            computed[n++] = s->right.computed[i];
    }
    is_right = is_right && !fit_of(&some, computed).is_within;
    attempt_free(&a);
    return is_right;
}

/* False, with the error set, where memory is missing. */
static bool find(search *s, why_answers *to, err *e)
{
    const why_question *of = s->of;
    if (!work_attempt_make(&s->right, of, NULL, &NOWHERE, NULL, 0, e))
        return !e->is_set;
    s->size = s->about->size(&s->right);
    ranking_open(&s->ranking, &of->claims, s->right.computed);
    to->nans = claims_nothing_but_nan(&of->claims, &to->first_nan);
    if (s->ranking.right.is_within || to->nans > 0)
        return true;
    to->right_digits = fit_digits(s->ranking.right.error);
    double operations = s->size.operations;
    stack_scope whole = everywhere(&s->size);
    size_t first, end;
    to->is_right_back = is_right_back(s, e);
    if (to->is_right_back)
        return true;
    find_layers(s, &first, &end);
    try_each(s, &whole, e);
    to->tried_layers = !s->ranking.has_exact && s->size.layers > 1 &&
                       s->size.layers <= LAYERS_ALONE &&
                       operations * (double)(end - first) <= LAYERS_MOST;
    for (size_t i = first; to->tried_layers && i < end; i++) {
        stack_scope alone = in_layer(i);
        try_each(s, &alone, e);
    }
    /* Two mistakes together may be what no single one is. */
    to->tried_pairs = s->ranking.count == 0 && !of->are_few && claims_tell(&of->claims) &&
                      s->size.layers <= LAYERS_OF_PAIRS && operations <= PAIRS_MOST;
    for (size_t i = 0; to->tried_pairs && i < named_count(s->about->first); i++) {
        for (size_t j = i + 1; !e->is_set && j < why_mistakes(of); j++) {
            const mistake *both[] = {mistake_at(s->about->mistakes, i),
                                     mistake_at(s->about->mistakes, j)};
            /* What changes only digits comes alone: with a second mistake nobody would see it. */
            if (!both[0]->is_of_digits && !both[1]->is_of_digits)
                try_made(s, &whole, both, 2, e);
        }
    }
    ranking_write(&s->ranking, to);
    if (to->count == 0)
        to->rounding = claims_rounding(&of->claims, s->right.computed);
    return !e->is_set;
}

bool why_find(why_answers *to, const why_question *of, err *e)
{
    *to = (why_answers){0};
    mem_keep_large_pages();
    search *s = mem_alloc_zeroed(1, sizeof *s, e);
    if (s == NULL)
        return false;
    s->of = of;
    s->about = subject_of(of);
    bool done = find(s, to, e);
    ranking_free(&s->ranking);
    work_attempt_free(&s->right);
    mem_free(s);
    if (!done || !to->is_right_back)
        return done;
    /* What is left to be explained is the way forward. */
    claim rest[STAGE_COUNT];
    why_question forward = *of;
    forward.claims = (claims){rest, 0, of->claims.known};
    for (size_t i = 0; i < of->claims.count; i++) {
        if (!stage_is_backward(stage_of_claim(&of->claims.claim[i])))
            rest[forward.claims.count++] = of->claims.claim[i];
    }
    done = why_find(to, &forward, e);
    to->is_right_back = true;
    return done;
}

/* ---- right numbers in a wrong shape ---- */

/* What became of an axis that the layout does not name. */
typedef enum folding { FOLD_NONE, FOLD_FIRST, FOLD_LAST, FOLD_MEAN, FOLD_SUM } folding;

/* A stage has the axes b (batch), h (head), n (row) and c (column); a layout says what its axes
 * became: "b,n,hc" are the heads of a row side by side. */
typedef struct arrangement {
    named named;
    const char *of_apart;  /* the layout, of stages with an axis of heads; NULL: it is theirs */
    const char *of_joined; /* of those with their heads side by side; NULL: it is theirs */
    folding fold;
} arrangement;

/* The more common first. */
/* clang-format off */
static const arrangement ARRANGEMENT_ROWS[] = {
    {{"shape-transposed", "rows and columns are exchanged"}, "b,h,c,n", "b,hc,n", FOLD_NONE},
    {{"heads-apart", "the heads are not put side by side: head × row × column"},
     NULL, "b,h,n,c", FOLD_NONE},
    {{"heads-inside", "the heads stay an axis after the rows: row × head × column"},
     "b,n,h,c", "b,n,h,c", FOLD_NONE},
    {{"heads-joined", "the heads are put side by side"}, "b,n,hc", NULL, FOLD_NONE},
    {{"heads-stacked", "the heads stand one below the other"}, "b,hn,c", "b,hn,c", FOLD_NONE},
    {{"heads-averaged", "the mean over the heads is taken"}, "b,n,c", "b,n,c", FOLD_MEAN},
    {{"heads-summed", "the sum over the heads is taken"}, "b,n,c", "b,n,c", FOLD_SUM},
    {{"heads-first", "only the first head is there"}, "b,n,c", "b,n,c", FOLD_FIRST},
    {{"heads-last", "only the last head is there"}, "b,n,c", "b,n,c", FOLD_LAST},
    {{"batch-first", "only the first of the batch is there"}, "h,n,c", "n,hc", FOLD_FIRST},
    {{"batch-last", "only the last of the batch is there"}, "h,n,c", "n,hc", FOLD_LAST},
    {{"batch-averaged", "the mean over the batch is taken"}, "h,n,c", "n,hc", FOLD_MEAN},
    {{"batch-summed", "the sum over the batch is taken"}, "h,n,c", "n,hc", FOLD_SUM},
    {{"batch-stacked", "the batch has no axis: its heads, or rows, follow each other"},
     "bh,n,c", "bn,hc", FOLD_NONE},
    {{"batch-inside", "the batch is an axis after the heads, or rows"},
     "h,b,n,c", "n,b,hc", FOLD_NONE},
    {{"rows-first", "only the first row is there"}, "b,h,c", "b,hc", FOLD_FIRST},
    {{"rows-last", "only the last row is there"}, "b,h,c", "b,hc", FOLD_LAST},
    {{"rows-averaged", "the mean over the rows is taken"}, "b,h,c", "b,hc", FOLD_MEAN},
    {{"flattened", "all numbers stand in one row"}, "bhnc", "bnhc", FOLD_NONE},
};
/* clang-format on */

const named_table ARRANGEMENTS = NAMED_TABLE("shape mistake", ARRANGEMENT_ROWS);

enum { AXES = 4 };
static const char LETTERS[AXES + 1] = "bhnc";

/* A stage with all its axes: b × h × n × c, or b × n × hc with so many heads side by side. */
typedef struct arrangeable {
    tensor all;
    size_t heads;
} arrangeable;

/* These numbers, arranged so; to be freed. False without an error where they can't be. */
static bool arrange(tensor *made, const arrangement *how, const arrangeable *of, err *e)
{
    const tensor from = plan_heads_apart(&of->all, of->heads);
    const char *layout = of->all.rank == 3 ? how->of_joined : how->of_apart;
    tensor view = {.type = from.type, .data = from.data}; /* its axes in the layout's order */
    size_t size[AXES] = {1}, made_at[AXES] = {0}, at[TENSOR_MAX_RANK] = {0}, left_out = 0;
    bool is_there[AXES] = {false};
    int rank = 1;
    *made = (tensor){0};
    if (layout == NULL)
        return false;
    for (; *layout != '\0'; layout++) {
        if (*layout == ',') {
            size[rank++] = 1;
            continue;
        }
        size_t axis = (size_t)(strchr(LETTERS, *layout) - LETTERS);
        is_there[axis] = true;
        size[rank - 1] *= from.size[axis];
        view.size[view.rank] = from.size[axis];
        view.stride[view.rank++] = from.stride[axis];
    }
    while (left_out < AXES && is_there[left_out])
        left_out++;
    bool is_folded = left_out < AXES;
    size_t count = is_folded ? from.size[left_out] : 1;
    bool loses_nothing = is_folded && count == 1;
    if (loses_nothing || !tensor_new(made, from.type, rank, size, e))
        return false;
    /* What is left out comes last: one of its numbers, or all, summed. */
    size_t first = how->fold == FOLD_LAST ? count - 1 : 0,
           end = how->fold == FOLD_FIRST ? 1 : count;
    ptrdiff_t step = is_folded ? from.stride[left_out] * (ptrdiff_t)dtype_size(from.type) : 0;
    do {
        double sum = 0;
        for (size_t i = first; i < end; i++) {
            tensor one = view;
            one.data = (char *)view.data + (ptrdiff_t)i * step;
            sum += tensor_get(&one, at);
        }
        tensor_set(made, made_at, how->fold == FOLD_MEAN ? sum / (double)count : sum);
        tensor_next(made, made_at);
    } while (tensor_next(&view, at));
    return true;
}

typedef struct shape_search {
    const why_question *of; /* one claim */
    shape_answers *to;
    tensor numbers[WHY_ANSWERS + 1]; /* of the answers */
    work_attempt right;
} shape_search;

static bool has_shape(const shape_search *s, const tensor *made)
{
    tensor a, b;
    return made->data != NULL && measure_align(&s->of->claims.claim->numbers->tensor, made, &a, &b);
}

/* Numbers of the right shape; they are taken where they are an answer. */
static void judge(shape_search *s, const named *arranged, const named *made, tensor *numbers)
{
    shape_answers *to = s->to;
    fit found = fit_of(&s->of->claims, numbers);
    if (!fit_is_near(&found))
        return;
    /* Numbers that an answer gives already are its own. */
    for (size_t i = 0; i < to->count; i++) {
        shape_answer *there = &to->answer[i];
        if (!fit_is_same(&s->of->claims, &s->numbers[i], numbers))
            continue;
        bool is_alone = arranged == NULL || made == NULL;
        if (is_alone && there->same_count < WHY_SAME)
            there->same[there->same_count++] = arranged != NULL ? arranged : made;
        return;
    }
    /* After all that are as good; the last of too many is left out. */
    int digits = fit_digits_told(&found);
    size_t at = to->count;
    while (at > 0 && to->answer[at - 1].digits < digits)
        at--;
    memmove(&to->answer[at + 1], &to->answer[at], (to->count - at) * sizeof to->answer[0]);
    memmove(&s->numbers[at + 1], &s->numbers[at], (to->count - at) * sizeof s->numbers[0]);
    to->answer[at] =
        (shape_answer){.arranged = arranged, .made = made, .error = found.error, .digits = digits};
    s->numbers[at] = *numbers;
    *numbers = (tensor){0};
    to->count += to->count < WHY_ANSWERS;
    tensor_free(&s->numbers[WHY_ANSWERS]);
}

static void count_shaped(shape_search *s, const named *row)
{
    if (s->to->shaped_count < WHY_ANSWERS)
        s->to->shaped[s->to->shaped_count] = row;
    s->to->shaped_count++;
}

/* Each arrangement of numbers in which this mistake was made, or none (NULL). */
static void arrange_each(shape_search *s, const work_attempt *made_by, const named *made, err *e)
{
    const claim *one = s->of->claims.claim;
    const tensor *computed = &made_by->computed[0];
    stage_id id = STAGE_COUNT;
    const plan *p = subject_of(s->of)->plan_of(made_by, one, &id);
    arrangeable of = {0};
    /* False for what has other axes. A batch that a mistake made of one sequence is in the plan,
     * and not in its numbers. */
    int rank = computed->rank;
    bool can = computed->data != NULL && (p == NULL || strlen(plan_axes(p, id)) == (size_t)rank);
    if (can && p != NULL) {
        of.all = plan_all_axes(p, id, computed);
        of.heads = plan_heads_joined(p, id);
        can = of.all.rank == 3 || of.all.rank == AXES;
    } else if (can) { /* rows of a stack: b × n × m, of one head */
        of = (arrangeable){{.type = computed->type, .rank = 3, .data = computed->data}, 1};
        for (int axis = 2, from = rank - 1; axis >= 0; axis--, from--) {
            of.all.size[axis] = from >= 0 ? computed->size[from] : 1;
            of.all.stride[axis] = from >= 0 ? computed->stride[from] : 0;
        }
    }
    for (size_t i = 0; can && i < ARRANGEMENTS.count && !e->is_set; i++) {
        const arrangement *how = (const arrangement *)(const void *)named_row(&ARRANGEMENTS, i);
        tensor numbers;
        if (arrange(&numbers, how, &of, e) && has_shape(s, &numbers)) {
            if (made == NULL)
                count_shaped(s, &how->named);
            judge(s, &how->named, made, &numbers);
        }
        tensor_free(&numbers);
    }
}

static void try_shapes(shape_search *s, const stack_scope *whole, bool are_arranged, err *e)
{
    for (size_t i = 0; !e->is_set && i < why_mistakes(s->of); i++) {
        const mistake *one = mistake_at(subject_of(s->of)->mistakes, i);
        work_attempt a;
        bool is_made = work_attempt_make(&a, s->of, &s->right, whole, &one, 1, e);
        if (is_made && are_arranged) {
            arrange_each(s, &a, &one->named, e);
        } else if (is_made && has_shape(s, &a.computed[0])) {
            count_shaped(s, &one->named);
            judge(s, NULL, &one->named, &a.computed[0]);
        }
        work_attempt_free(&a);
    }
}

bool why_shape_find(shape_answers *to, const why_question *of, err *e)
{
    shape_search s = {.of = of, .to = to};
    *to = (shape_answers){0};
    if (work_attempt_make(&s.right, of, NULL, &NOWHERE, NULL, 0, e)) {
        const subject_size size = subject_of(of)->size(&s.right);
        const stack_scope whole = everywhere(&size);
        arrange_each(&s, &s.right, NULL, e);
        try_shapes(&s, &whole, false, e);
        if (to->count == 0)
            try_shapes(&s, &whole, true, e);
    }
    for (size_t i = 0; i < to->count; i++)
        tensor_free(&s.numbers[i]);
    work_attempt_free(&s.right);
    return !e->is_set;
}
