/* What gradients begin with, and what has none. */
#include "attn/plan/plan_parts.h"

#include <string.h>

static stage_id like_of(input which)
{
    return which == INPUT_LOGSUMEXP_GRAD ? STAGE_LOGSUMEXP : STAGE_OUTPUT;
}

/* It may lack an axis of one that ends the stage's. */
static bool check_like(const plan *p, input which, err *e)
{
    const tensor *given = p->asked->in[which];
    stage_id id = like_of(which);
    tensor wanted = {0};
    char shape[SHAPE_TEXT];
    if (given == NULL)
        return true;
    plan_stage_shape(p, id, &wanted.rank, wanted.size);
    int last = wanted.rank - 1;
    bool lacks_one = last > 0 && wanted.size[last] == 1 && given->rank == last;
    if ((given->rank == wanted.rank || lacks_one) &&
        memcmp(given->size, wanted.size, (size_t)given->rank * sizeof wanted.size[0]) == 0)
        return true;
    return plan_wrong_shape(p, which, e, "it must be as %s is, %s", stage_row(id)->key.named.name,
                            tensor_shape_text(&wanted, shape));
}

tensor plan_given_like(const plan *p, input which)
{
    const tensor *given = p->asked->in[which];
    stage_id id = like_of(which);
    size_t size[TENSOR_MAX_RANK];
    int rank;
    if (given == NULL)
        return (tensor){0};
    tensor like = tensor_view_of(given);
    plan_stage_shape(p, id, &rank, size);
    if (like.rank < rank) {
        like.size[like.rank] = 1;
        like.stride[like.rank++] = 1;
    }
    return plan_all_axes(p, id, &like);
}

/* False, at its place, where something is asked for that no gradient goes back through. */
static bool check_goes_back(const plan *p, err *e)
{
    const problem *asked = p->asked;
    place at = problem_place(asked, "loss");
    if (asked->loss == LOSS_CROSS_ENTROPY) {
        err_at(e, &at, "the loss is cross-entropy, and one attention has no logits");
        return err_remedy(e, "layers have: selfattn encode, selfattn decode");
    }
    at = problem_place(asked, "round");
    if (asked->round_decimals >= 0) {
        err_at(e, &at, "weights are rounded by hand, and what is rounded has no gradient");
        return err_remedy(e, "--no-round, or no output_grad and no loss");
    }
    at = problem_place(asked, "rows");
    if (asked->rows != NULL)
        return err_at(e, &at, "rows are chosen, and gradients are of what all rows make");
    return true;
}

bool plan_find_gradients(plan *p, err *e)
{
    if (!problem_check_loss(p->asked, e) || (p->asked->goes_back && !check_goes_back(p, e)))
        return false;
    return check_like(p, INPUT_OUTPUT_GRAD, e) && check_like(p, INPUT_LOGSUMEXP_GRAD, e) &&
           check_like(p, INPUT_TARGET, e);
}
