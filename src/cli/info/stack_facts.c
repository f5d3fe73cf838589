#include "cli/info/stack_facts.h"

#include "base/mem.h"
#include "model/stack.h"

static part_facts feed_forward_facts(const feed_forward *f)
{
    return (part_facts){
        .kind = PART_FEED_FORWARD, .hidden = f->hidden, .activation = f->by->named.name};
}

static part_facts facts_of_part(const layer_part *p)
{
    part_facts out = {.kind = p->as->kind};
    if (p->as->kind == PART_FEED_FORWARD)
        return feed_forward_facts(p->feed_forward);
    attention_facts_of_plan(&out.attention, &p->attention->plan);
    return out;
}

/* Those of cross-attention are of the memory's rows, and become no more. */
static size_t cache_bytes_of(const part_facts *p)
{
    return p->kind == PART_ATTENTION ? p->attention.cache_bytes : 0;
}

static bool take_layers(stack_facts *out, const stack *s)
{
    out->layer = mem_alloc_zeroed(s->layers, sizeof out->layer[0], &out->trouble);
    if (out->layer == NULL)
        return false;
    out->layers = s->layers;
    for (size_t i = 0; i < s->layers; i++) {
        layer_facts *of = &out->layer[i];
        of->norm = s->layer[i].order->named.name;
        for (; of->parts < s->layer[i].parts; of->parts++) {
            of->part[of->parts] = facts_of_part(&s->layer[i].part[of->parts]);
            out->cache_bytes += cache_bytes_of(&of->part[of->parts]);
        }
    }
    return true;
}

static void take_stack(stack_facts *out, const stack *s)
{
    if (!take_layers(out, s))
        return;
    out->is_said = bundle_find(s->document, "kind") != NULL;
    out->is_decoder = s->how.is_decoder;
    out->type = s->type;
    out->batches = s->batches;
    out->rows = s->rows;
    out->width = s->width;
    out->has_end = s->has_end;
    if (s->has_end)
        out->end = feed_forward_facts(&s->end);
}

void stack_facts_of(stack_facts *out, const bundle *document)
{
    stack_settings how = {.allow_nonfinite = true};
    stack s = {0};
    *out = (stack_facts){0};
    if (stack_find_kind(document, NULL, &how.is_decoder, &out->trouble) &&
        stack_read(&s, document, &how, isa_best(), &out->trouble))
        take_stack(out, &s);
    stack_free(&s);
}

void stack_facts_free(stack_facts *facts)
{
    mem_free(facts->layer);
    *facts = (stack_facts){0};
}
