/* A random stack as a document. Numbers are written with as many digits as float64 needs. */
#include "base/text.h"
#include "ref/stack_subject.h"

#include <stdint.h>

/* ---- numbers ---- */

static void add_key(text *out, const char *name)
{
    bool is_first = out->data[out->length - 1] == '{';
    text_add_format(out, "%s\"%s\": ", is_first ? "" : ", ", name);
}

/* The axes of an array from `axis` on, the numbers from `at` on. */
static void add_axes(text *out, int rank, const size_t *size, const double **at)
{
    if (rank == 0) {
        text_add_format(out, "%.17g", *(*at)++);
        return;
    }
    for (size_t i = 0; i < size[0]; i++) {
        text_add_string(out, i == 0 ? "[" : ", ");
        add_axes(out, rank - 1, size + 1, at);
    }
    text_add_string(out, "]");
}

static void add_array(text *out, const char *name, const ref_array *a)
{
    const double *at = a->at;
    if (a->at == NULL)
        return;
    add_key(out, name);
    add_axes(out, a->rank, a->size, &at);
}

/* One entry of the batch, where there is a batch and one is wanted. */
static void add_rows(text *out, const char *name, const ref_array *a, size_t batch)
{
    ref_array some = *a;
    if (a->at != NULL && a->rank == 3 && batch != SIZE_MAX) {
        some = (ref_array){.rank = 2, .size = {a->size[1], a->size[2]}};
        some.at = a->at + batch * a->size[1] * a->size[2];
    }
    add_array(out, name, &some);
}

static void add_whole(text *out, const char *name, const size_t *numbers, size_t count)
{
    if (numbers == NULL)
        return;
    add_key(out, name);
    for (size_t i = 0; i < count; i++)
        text_add_format(out, "%s%zu", i == 0 ? "[" : ", ", numbers[i]);
    text_add_string(out, "]");
}

static void add_number(text *out, const char *name, double value)
{
    const double *at = &value;
    add_key(out, name);
    add_axes(out, 0, NULL, &at);
}

static void add_word(text *out, const char *name, const char *word)
{
    if (word == NULL)
        return;
    add_key(out, name);
    text_add_format(out, "\"%s\"", word);
}

/* ---- parts ---- */

static void add_norm(text *out, const char *name, const ref_norm *n, size_t width)
{
    const ref_array gain = {1, {width}, n->gain}, bias = {1, {width}, n->bias};
    if (!n->is_there)
        return;
    add_key(out, name);
    text_add_string(out, "{");
    add_array(out, "gain", &gain);
    add_array(out, "bias", &bias);
    if (n->has_eps)
        add_number(out, "eps", n->eps);
    text_add_string(out, "}");
}

static void add_feed_forward(text *out, const ref_feed_forward *f)
{
    add_array(out, "w1", &f->w1);
    add_array(out, "b1", &f->b1);
    add_array(out, "w2", &f->w2);
    add_array(out, "b2", &f->b2);
    add_array(out, "w3", &f->w3);
    add_array(out, "b3", &f->b3);
}

static void add_experts(text *out, const ref_layer *l)
{
    const ref_experts *e = &l->experts;
    add_array(out, "router", &e->router);
    add_array(out, "router_bias", &e->router_bias);
    add_array(out, "choice_bias", &e->choice_bias);
    add_array(out, "shared_gate", &e->shared_gate);
    add_word(out, "routing", e->routing);
    if (!ref_word_is(e->routing, "top-softmax"))
        add_word(out, "renormalize", e->divides ? "true" : "false");
    add_number(out, "top_experts", (double)e->top);
    add_number(out, "routing_scale", e->scale);
    if (e->groups > 0) {
        add_number(out, "groups", (double)e->groups);
        add_number(out, "top_groups", (double)e->top_groups);
        add_number(out, "top_of_group", (double)e->top_of_group);
    }
    add_key(out, "experts");
    text_add_string(out, "[{");
    add_feed_forward(out, &l->feed_forward);
    for (size_t i = 1; i < e->count; i++) {
        text_add_string(out, "}, {");
        add_feed_forward(out, &e->after[i - 1]);
    }
    text_add_string(out, "}]");
    if (e->shared.w1.at == NULL)
        return;
    add_key(out, "shared");
    text_add_string(out, "{");
    add_feed_forward(out, &e->shared);
    text_add_string(out, "}");
}

static void add_attention(text *out, const ref_problem *p)
{
    for (ref_input which = REF_WQ; which <= REF_BO; which++)
        add_array(out, REF_INPUT_KEYS[which], &p->in[which]);
    if (p->heads > 0)
        add_number(out, "heads", (double)p->heads);
    if (p->kv_heads > 0)
        add_number(out, "kv_heads", (double)p->kv_heads);
    if (p->softcap > 0)
        add_number(out, "softcap", p->softcap);
    add_word(out, "qk_norm", p->norms_all ? "rms-all" : p->normalizes ? "rms" : NULL);
    add_word(out, "causal", p->causal);
    add_word(out, "alibi", p->has_alibi ? "true" : NULL);
    if (p->rope_factor > 0) {
        add_key(out, "rope");
        text_add_format(out, "{\"attention_factor\": %g}", p->rope_factor);
    } else {
        add_word(out, "rope", p->has_rope ? "true" : NULL);
    }
    add_word(out, "rope_pairing", p->pairing);
    if (p->rope_width > 0)
        add_number(out, "rope_width", (double)p->rope_width);
}

static void add_layer(text *out, const ref_layer *l, size_t width)
{
    static const char *const NAMES[] = {"ln1", "ln2", "ln3", "ln4"};
    text_add_string(out, "{");
    add_attention(out, &l->attention);
    if (l->has_cross) {
        add_key(out, "cross");
        text_add_string(out, "{");
        add_attention(out, &l->cross);
        text_add_string(out, "}");
    }
    if (l->experts.count > 0)
        add_experts(out, l);
    else
        add_feed_forward(out, &l->feed_forward);
    for (size_t i = 0; i < REF_NORMS; i++)
        add_norm(out, NAMES[i], &l->norm[i], width);
    add_word(out, "norm", l->order);
    add_word(out, "norm_kind", l->norm_kind);
    add_word(out, "activation", l->activation);
    if (l->residual_scale != 0)
        add_number(out, "residual_scale", l->residual_scale);
    text_add_string(out, "}");
}

static void add_settings(text *out, const ref_stack *s)
{
    add_word(out, "dtype", s->is_float32 ? "f32" : "f64");
    add_word(out, "norm", s->order);
    add_word(out, "norm_kind", s->norm_kind);
    add_word(out, "activation", s->activation);
    add_word(out, "layout", s->layout);
    add_word(out, "causal", s->causal);
    add_word(out, "positions", s->adds_sinusoids ? "sinusoidal" : NULL);
    if (s->heads > 0)
        add_number(out, "heads", (double)s->heads);
    if (s->residual_scale != 0)
        add_number(out, "residual_scale", s->residual_scale);
    if (s->row_scale != 0)
        add_number(out, "embedding_scale", s->row_scale);
    if (s->times > 0)
        add_number(out, "repeat", (double)s->times);
    if (s->offset > 0)
        add_number(out, "offset", (double)s->offset);
}

static void add_head(text *out, const ref_stack *s)
{
    const ref_head *h = &s->head;
    if (h->w.at == NULL)
        return;
    add_key(out, "head");
    text_add_string(out, "{");
    add_array(out, "w", &h->w);
    add_array(out, "b", &h->b);
    add_word(out, "activation", h->activation);
    add_norm(out, "norm", &h->norm, h->w.size[ref_word_is(s->layout, "out-in") ? 0 : 1]);
    text_add_string(out, "}");
}

void stack_document(const ref_stack *s, size_t batch, size_t rows, text *out)
{
    size_t width = s->x.size[s->x.rank - 1];
    size_t count = s->ids != NULL && rows > 0 ? rows : s->x.size[s->x.rank - 2];
    text_add_string(out, "{");
    add_settings(out, s);
    add_array(out, "embedding", &s->embedding);
    if (s->ids == NULL)
        add_rows(out, "x", &s->x, batch);
    add_whole(out, "ids", s->ids, count);
    add_whole(out, "segments", s->segments, count);
    add_array(out, "segment_embedding", &s->segment_rows);
    add_rows(out, "memory", &s->memory, batch);
    add_array(out, "position_embedding", &s->positions);
    add_word(out, "loss", s->loss);
    add_array(out, "output_grad", &s->output_grad);
    add_array(out, "target", &s->target);
    add_array(out, "labels", &s->labels);
    add_array(out, "unembedding", &s->unembedding);
    add_array(out, "unembedding_bias", &s->unembedding_bias);
    if (s->logits_scale != 0)
        add_number(out, "logits_scale", s->logits_scale);
    if (s->logits_softcap > 0)
        add_number(out, "logits_softcap", s->logits_softcap);
    add_head(out, s);
    add_key(out, "layers");
    for (size_t i = 0; i < s->layers; i++) {
        text_add_string(out, i == 0 ? "[" : ", ");
        add_layer(out, &s->layer[i], width);
    }
    text_add_string(out, "]");
    add_feed_forward(out, &s->end);
    add_norm(out, "ln_e", &s->first, width);
    add_norm(out, "ln_f", &s->final, width);
    text_add_string(out, "}\n");
}
