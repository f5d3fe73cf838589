/* The step that puts a cache's keys and values before the new ones. */
#include "trace/build.h"

/* The past of the focus's batch: one head where the heads came apart, else all side by side. */
static void show_past(builder *b, input which, const tensor *apart)
{
    const plan *p = b->plan;
    const tensor *given = p->asked->in[which];
    const char *name = input_key(which);
    trace_labels labels = build_key_labels(b, name);
    if (given->rank == 4) {
        tensor heads = tensor_at(apart, b->focus.batch);
        build_in_heads(b, name, &heads, plan_kv_head(p, b->focus.head), labels, build_numbers(), 0);
        return;
    }
    tensor shown = given->rank == 3 ? tensor_at(given, b->focus.batch) : tensor_view_of(given);
    build_matrix(b, name, &shown, labels, build_numbers(), 0);
}

static void show_present(builder *b, stage_id id)
{
    const char *name = stage_row(id)->key.named.name;
    tensor all = build_stage_of_batch(b, id);
    trace_labels labels = build_key_labels(b, name);
    if (all.rank == 3)
        build_in_heads(b, name, &all, plan_kv_head(b->plan, b->focus.head), labels, build_numbers(),
                       0);
    else
        build_matrix(b, name, &all, labels, build_numbers(), 0);
}

void make_cache(builder *b)
{
    const plan *p = b->plan;
    size_t added = p->n_k - p->past;
    build_sentence(b,
                   "%zu earlier row%s left keys and values in the cache. They are taken as they "
                   "are, and the %zu new one%s behind them: %zu keys can be seen.",
                   p->past, build_plural(p->past), added, added == 1 ? " goes" : "s go", p->n_k);
    build_formula(b, "present_k = [past_k; %s], present_v = [past_v; v]",
                  stage_row(build_new_keys(b))->key.named.name);
    show_past(b, INPUT_PAST_K, &p->past_k);
    show_past(b, INPUT_PAST_V, &p->past_v);
    show_present(b, STAGE_PRESENT_K);
    show_present(b, STAGE_PRESENT_V);
    if (build_stage_of_batch(b, STAGE_PRESENT_K).rank == 3)
        build_other_heads(b);
}
