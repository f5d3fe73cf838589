#include "why/arrangement.h"

#include <string.h>

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

/* Of which head count a stage's heads stand side by side; 0: none do, or there is one. */
static size_t joined_heads(const plan *p, stage_id id)
{
    const projection *role = plan_role(p, id);
    if (role != NULL)
        return role->heads;
    bool is_joined = id == STAGE_CONTEXT || (id == STAGE_OUTPUT && p->wo.data == NULL);
    return is_joined ? p->heads : 1;
}

/* A batch that a mistake made of one sequence is in the plan, and not in its numbers. */
bool arrangeable_of(arrangeable *to, const plan *p, stage_id id, const tensor *numbers)
{
    if (numbers->data == NULL || strlen(p->axes[id]) != (size_t)numbers->rank)
        return false;
    *to = (arrangeable){plan_all_axes(p, id, numbers), joined_heads(p, id)};
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
