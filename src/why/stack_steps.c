#include "why/stack_attempt.h"

#include "model/keep.h"

static bool add_probabilities(const generation *g, bundle *made, err *e)
{
    if (g->exponentials.data == NULL)
        return true;
    if (!bundle_add_copy(made, "probabilities", &g->exponentials, (place){0}, e))
        return false;
    tensor *all = &bundle_find(made, "probabilities")->tensor;
    for (size_t id = 0; id < all->size[1]; id++)
        tensor_set(all, (size_t[]){0, id}, tensor_get(all, (size_t[]){0, id}) / g->total);
    return true;
}

static bool add_choice(const generation *g, bundle *made, err *e)
{
    return bundle_add_copy(made, "logits", &g->logits, (place){0}, e) &&
           bundle_add_copy(made, "tempered", &g->tempered, (place){0}, e) &&
           bundle_add_copy(made, "exponentials", &g->exponentials, (place){0}, e) &&
           add_probabilities(g, made, e) &&
           bundle_add_number(made, "choice", (double)g->next, (place){0}, e);
}

bool stack_steps_add(const stack_attempt *a, bundle *made, err *e)
{
    bool done = add_choice(&a->generation, made, e);
    for (size_t i = 0; done && i < a->stack->layers; i++) {
        for (size_t j = 0; done && j < a->stack->layer[i].parts; j++) {
            const stack_attention *attending = &a->attending[i][j];
            const stage_way within = stage_way_of_layer(i),
                            way = stage_way_on(&within,
                                               part_name(a->stack->layer[i].part[j].as->kind));
            char k[STAGE_NAME], v[STAGE_NAME];
            stage_name_in_full(&way, "present_k", k);
            stage_name_in_full(&way, "present_v", v);
            done = bundle_add_copy(made, k, &attending->past_k, (place){0}, e) &&
                   bundle_add_copy(made, v, &attending->past_v, (place){0}, e);
        }
    }
    return done;
}
