#include "why/why_shape.h"

#include "compare/measure.h"

#include <string.h>

/* ---- arrangements ---- */

/* The more common first. */
/* clang-format off */
static const arrangement ROWS[] = {
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

const named_table ARRANGEMENTS = NAMED_TABLE("shape mistake", ROWS);

enum { AXES = 4 };
static const char LETTERS[AXES + 1] = "bhnc";

static size_t axis_of(char letter)
{
    return (size_t)(strchr(LETTERS, letter) - LETTERS);
}

/* A batch that a mistake made of one sequence is in the plan, and not in its numbers. */
bool arrangeable_of(arrangeable *to, const plan *p, stage_id id, const tensor *numbers)
{
    if (numbers->data == NULL || strlen(p->axes[id]) != (size_t)numbers->rank)
        return false;
    const projection *role = plan_role(p, id);
    bool is_joined = id == STAGE_CONTEXT || (id == STAGE_OUTPUT && p->wo.data == NULL);
    *to = (arrangeable){plan_all_axes(p, id, numbers), role != NULL ? role->heads
                                                       : is_joined  ? p->heads
                                                                    : 1};
    return to->all.rank == 3 || to->all.rank == AXES;
}

/* The sizes of what a layout makes, and which axis it leaves out: AXES where none. */
static int sizes_of(const char *layout, const tensor *from, size_t *size, size_t *left_out)
{
    bool is_there[AXES] = {false};
    int rank = 1;
    size[0] = 1;
    for (const char *at = layout; *at != '\0'; at++) {
        if (*at == ',') {
            size[rank++] = 1;
            continue;
        }
        is_there[axis_of(*at)] = true;
        size[rank - 1] *= from->size[axis_of(*at)];
    }
    for (*left_out = 0; *left_out < AXES && is_there[*left_out];)
        ++*left_out;
    return rank;
}

/* From the last letter to the first: the last one of an axis runs fastest. */
static void index_of(const char *layout, const tensor *from, const size_t *made_at, int rank,
                     size_t *at)
{
    size_t rest = made_at[--rank];
    for (size_t i = strlen(layout); i > 0; i--) {
        if (layout[i - 1] == ',') {
            rest = made_at[--rank];
            continue;
        }
        size_t axis = axis_of(layout[i - 1]);
        at[axis] = rest % from->size[axis];
        rest /= from->size[axis];
    }
}

static double folded(const tensor *from, size_t *at, size_t axis, folding fold)
{
    if (fold == FOLD_NONE)
        return tensor_get(from, at);
    size_t count = from->size[axis];
    if (fold == FOLD_FIRST || fold == FOLD_LAST) {
        at[axis] = fold == FOLD_FIRST ? 0 : count - 1;
        return tensor_get(from, at);
    }
    double sum = 0;
    for (at[axis] = 0; at[axis] < count; at[axis]++)
        sum += tensor_get(from, at);
    return fold == FOLD_MEAN ? sum / (double)count : sum;
}

bool arrangement_make(tensor *made, const arrangement *how, const arrangeable *of, err *e)
{
    const tensor from = plan_heads_apart(&of->all, of->heads);
    size_t size[AXES], left_out, at[AXES] = {0}, made_at[AXES] = {0};
    *made = (tensor){0};
    const char *layout = of->all.rank == 3 ? how->of_joined : how->of_apart;
    if (layout == NULL)
        return false;
    int rank = sizes_of(layout, &from, size, &left_out);
    bool loses_nothing = left_out < AXES && from.size[left_out] == 1;
    if (loses_nothing || !tensor_new(made, from.type, rank, size, e))
        return false;
    do {
        index_of(layout, &from, made_at, rank, at);
        tensor_set(made, made_at, folded(&from, at, left_out, how->fold));
    } while (tensor_next(made, made_at));
    return true;
}

typedef struct shape_search {
    const why_question *of; /* one claim */
    shape_answers *to;
    tensor numbers[WHY_ANSWERS]; /* of the answers */
    work_attempt right;
} shape_search;

/* ---- answers ---- */

static bool has_shape(const shape_search *s, const tensor *made)
{
    tensor a, b;
    return made->data != NULL && measure_align(&s->of->claims.claim->numbers->tensor, made, &a, &b);
}

/* After all that are as good; the last of too many is left out. */
static void insert(shape_search *s, const shape_answer *one, tensor *made)
{
    shape_answers *to = s->to;
    size_t at = to->count;
    while (at > 0 && to->answer[at - 1].digits < one->digits)
        at--;
    if (at == WHY_ANSWERS)
        return;
    if (to->count == WHY_ANSWERS)
        tensor_free(&s->numbers[--to->count]);
    memmove(&to->answer[at + 1], &to->answer[at], (to->count - at) * sizeof to->answer[0]);
    memmove(&s->numbers[at + 1], &s->numbers[at], (to->count - at) * sizeof s->numbers[0]);
    to->answer[at] = *one;
    s->numbers[at] = *made;
    *made = (tensor){0};
    to->count++;
}

/* Numbers of the right shape; they are taken where they are an answer. */
static void judge(shape_search *s, const named *arranged, const named *made, tensor *numbers)
{
    fit found = fit_of(&s->of->claims, numbers);
    if (!fit_is_near(&found))
        return;
    /* Numbers that an answer gives already are its own. */
    for (size_t i = 0; i < s->to->count; i++) {
        shape_answer *there = &s->to->answer[i];
        if (!fit_is_same(&s->of->claims, &s->numbers[i], numbers))
            continue;
        bool is_alone = arranged == NULL || made == NULL;
        if (is_alone && there->same_count < WHY_SAME)
            there->same[there->same_count++] = arranged != NULL ? arranged : made;
        return;
    }
    shape_answer one = {.arranged = arranged,
                        .made = made,
                        .error = found.error,
                        .digits = fit_digits_told(&found)};
    insert(s, &one, numbers);
}

static void count_shaped(shape_search *s, const named *row)
{
    if (s->to->shaped_count < WHY_ANSWERS)
        s->to->shaped[s->to->shaped_count] = row;
    s->to->shaped_count++;
}

/* ---- attempts ---- */

/* "layer.1.attention.weights" is a stage of that plan; NULL: rows are all that it can be. */
static const plan *plan_of_stage(const stack *of, const char *name, stage_id *id)
{
    size_t number;
    if (!stack_stage_layer(name, &number))
        return NULL;
    const char *last = strrchr(name, '.'), *after = strchr(name + strlen("layer."), '.');
    const named *row = named_find(&STAGES, last + 1, strlen(last + 1));
    if (after == NULL || after == last || row == NULL)
        return NULL;
    *id = stage_of(row);
    const char *part = after + 1;
    size_t length = (size_t)(last - part);
    for (size_t j = 0; number < of->layers && j < of->layer[number].parts; j++) {
        const layer_part *p = &of->layer[number].part[j];
        const char *own = part_name(p->as->kind);
        if (p->as->kind != PART_FEED_FORWARD && strlen(own) == length &&
            memcmp(own, part, length) == 0)
            return &p->attention->plan;
    }
    return NULL;
}

/* Rows of a stack: b × n × m, of one head. */
static bool arrangeable_rows(arrangeable *to, const tensor *numbers)
{
    if (numbers->data == NULL || numbers->rank > 3 || numbers->rank == 0)
        return false;
    *to = (arrangeable){{.type = numbers->type, .rank = 3, .data = numbers->data}, 1};
    for (int axis = 2, from = numbers->rank - 1; axis >= 0; axis--, from--) {
        to->all.size[axis] = from >= 0 ? numbers->size[from] : 1;
        to->all.stride[axis] = from >= 0 ? numbers->stride[from] : 0;
    }
    return true;
}

/* Each arrangement of numbers in which this mistake was made, or none (NULL). */
static void arrange(shape_search *s, const work_attempt *made_by, const named *made, err *e)
{
    const claim *one = s->of->claims.claim;
    const tensor *computed = &made_by->computed[0];
    const plan *p = &made_by->attention.plan;
    stage_id id = STAGE_COUNT;
    arrangeable of;
    if (s->of->problem != NULL)
        id = stage_of(named_find(&STAGES, one->name, strlen(one->name)));
    else
        p = plan_of_stage(made_by->layers.stack, stack_stage_of(s->of, one), &id);
    bool can = p == NULL ? arrangeable_rows(&of, computed) : arrangeable_of(&of, p, id, computed);
    for (size_t i = 0; can && i < ARRANGEMENTS.count && !e->is_set; i++) {
        const arrangement *how = (const arrangement *)(const void *)named_row(&ARRANGEMENTS, i);
        tensor numbers;
        if (arrangement_make(&numbers, how, &of, e) && has_shape(s, &numbers)) {
            if (made == NULL)
                count_shaped(s, &how->named);
            judge(s, &how->named, made, &numbers);
        }
        tensor_free(&numbers);
    }
}

static bool try_each(shape_search *s, const stack_scope *whole, bool are_arranged, err *e)
{
    for (size_t i = 0; !e->is_set && i < work_mistakes(s->of); i++) {
        const any_mistake one = work_mistake(s->of, i);
        const named *row = any_mistake_row(&one);
        work_attempt a;
        bool is_made = work_attempt_make(&a, s->of, &s->right, whole, &one, 1, e);
        if (is_made && are_arranged) {
            arrange(s, &a, row, e);
        } else if (is_made && has_shape(s, &a.computed[0])) {
            count_shaped(s, row);
            judge(s, NULL, row, &a.computed[0]);
        }
        work_attempt_free(&a);
    }
    return !e->is_set;
}

bool why_shape_find(shape_answers *to, const why_question *of, err *e)
{
    const stack_scope whole = {
        true, 0, of->problem == NULL ? bundle_find(of->document, "layers")->bundle->count : 1, true,
        true};
    shape_search s = {.of = of, .to = to};
    *to = (shape_answers){0};
    bool is_made = work_attempt_make(&s.right, of, NULL, &whole, NULL, 0, e);
    if (is_made)
        arrange(&s, &s.right, NULL, e);
    bool done = !e->is_set && (!is_made || (try_each(&s, &whole, false, e) &&
                                            (to->count > 0 || try_each(&s, &whole, true, e))));
    for (size_t i = 0; i < to->count; i++)
        tensor_free(&s.numbers[i]);
    work_attempt_free(&s.right);
    return done;
}
