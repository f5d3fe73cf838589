/* Which stage a matrix of a dump is: by its shape, by the number in its name that counts layers,
 * and by words in its name. */
#include "cli/port/port.h"

#include "attn/spec/keys.h"
#include "base/mem.h"
#include "model/stages.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

/* A name in lower case, with # in the place of the number that counts layers: what it may be. The
 * first row whose stage the model has, in the matrix's shape, is taken. */
typedef struct name_row {
    const char *pattern, *stage;
} name_row;

/* clang-format off */
static const name_row OF_LAYER[] = {
    {"*hidden_states.#", "output"},
    {"*l_out-#", "output"},
    {"*resid_post*", "output"},
    {"*score*", "attention.scaled"},
    {"*masked*", "attention.masked"},
    {"*kq-#", "attention.scores"},
    {"*kq_soft_max*", "attention.weights"},
    {"*cross_attentions*", "cross.weights"}, {"*cross_attn_weights*", "cross.weights"},
    {"*", "attention.weights"}, /* no other stage has its shape */
    {"*ln_1.in", NULL}, {"*ln_2.in", NULL}, {"*norm*.in", NULL},
    {"*post_attention_layernorm*", "ln2"}, {"*post_attention_norm*", "ln2"},
    {"*pre_feedforward_layernorm*", "ln3"}, {"*post_feedforward_layernorm*", "ln4"},
    {"*input_layernorm*", "ln1"}, {"*ln_1*", "ln1"}, {"*ln1*", "ln1"}, {"*norm1*", "ln1"},
    {"*norm_1*", "ln1"}, {"*attn_norm*", "ln1"}, {"*attention_norm*", "ln1"},
    {"*self_attn_layer_norm*", "ln1"}, {"*attention.output.layernorm*", "ln1"},
    {"*ln_2*", "ln2"}, {"*ln2*", "ln2"}, {"*norm2*", "ln2"}, {"*norm_2*", "ln2"},
    {"*ffn_norm*", "ln2"}, {"*mlp_norm*", "ln2"}, {"*final_layer_norm*", "ln2"},
    {"*output.layernorm*", "ln2"}, {"*norm", "ln1"},
    {"*q_proj*", "attention.q"}, {"*query.out", "attention.q"}, {"*.q", "attention.q"},
    {"*_q", "attention.q"}, {"*qcur*", "attention.q"},
    {"*k_proj*", "attention.k"}, {"*key.out", "attention.k"}, {"*.k", "attention.k"},
    {"*_k", "attention.k"}, {"*kcur*", "attention.k"},
    {"*v_proj*", "attention.v"}, {"*value.out", "attention.v"}, {"*.v", "attention.v"},
    {"*_v", "attention.v"}, {"*vcur*", "attention.v"},
    {"*o_proj.in", "attention.context"}, {"*attn*c_proj.in", "attention.context"},
    {"*out_proj.in", "attention.context"}, {"*kqv_out*", "attention.context"},
    {"*context*", "attention.context"}, {"*attention*dense.in", "attention.context"},
    {"*attn*sum*", "attention_sum"}, {"*attention*sum*", "attention_sum"},
    {"*after_attn*", "attention_sum"}, {"*after_attention*", "attention_sum"},
    {"*post_attn*", "attention_sum"}, {"*ffn_inp*", "attention_sum"},
    {"*resid_mid*", "attention_sum"}, {"*mid*", "attention_sum"},
    {"*attn*.in", NULL}, {"*attention*.in", NULL},
    {"*attn*", "attention.output"}, {"*attention*", "attention.output"},
    {"*resid_dropout*", "attention.output"},
    {"*gate_proj.in", NULL}, {"*up_proj.in", NULL}, {"*c_fc.in", NULL}, {"*fc1.in", NULL},
    {"*gate_proj*", "ffn.hidden"}, {"*ffn_gate*", "ffn.hidden"}, {"*gate*", "ffn.gate"},
    {"*up_proj*", "ffn.gate"}, {"*ffn_up*", "ffn.gate"},
    {"*down_proj.in", "ffn.activated"}, {"*c_proj.in", "ffn.activated"},
    {"*fc2.in", "ffn.activated"}, {"*fc_out.in", "ffn.activated"},
    {"*activated*", "ffn.activated"}, {"*swiglu*", "ffn.activated"},
    {"*up_proj*", "ffn.hidden"}, {"*ffn_up*", "ffn.hidden"},
    {"*c_fc*", "ffn.hidden"}, {"*fc1*", "ffn.hidden"}, {"*fc_in*", "ffn.hidden"},
    {"*h_to_4h*", "ffn.hidden"}, {"*intermediate.dense.out", "ffn.hidden"},
    {"*hidden", "ffn.hidden"},
    {"*act_fn*", "ungated:ffn.activated"}, {"*act*", "ungated:ffn.activated"},
    {"*gelu*", "ungated:ffn.activated"}, {"*relu*", "ungated:ffn.activated"},
    {"*mlp*sum*", "ffn_sum"}, {"*ffn*sum*", "ffn_sum"},
    {"*mlp*.in", NULL}, {"*ffn*.in", NULL},
    {"*mlp*", "ffn.output"}, {"*ffn*", "ffn.output"}, {"*feed_forward*", "ffn.output"},
    {"*feedforward*", "ffn.output"}, {"*fc2*", "ffn.output"}, {"*4h_to_h*", "ffn.output"},
    {"*output.dense.in", NULL}, {"*rotary*", NULL}, {"*key_values*", NULL},
    {"*.in", "input"}, {"*_in", "input"}, {"*input*", "input"}, {"*resid_pre*", "input"},
    {"*", "output"}, {NULL, NULL},
};

static const name_row OF_ENDS[] = {
    {"*logits*", "logits"}, {"*lm_head*", "logits"}, {"*result_output*", "logits"},
    {"*", "logits"}, /* no other stage has its shape */
    {"*wte*", NULL}, {"*wpe*", NULL}, {"*tok*emb*", NULL}, {"*word_emb*", NULL},
    {"*pos*", NULL}, {"*head.in", NULL}, {"*.in", NULL},
    {"*ln_e*", "ln_e"}, {"*emb*norm*", "ln_e"}, {"*emb*ln*", "ln_e"},
    {"*embed_tokens*", "unpositioned:embedded"},
    {"*emb*", "begin"}, {"*h_in*", "begin"}, {"*inp*", "begin"}, {"*drop*", "begin"},
    {"*x0*", "begin"}, {"*h0*", "begin"},
    {"*ln_f*", "output"}, {"*norm*", "output"}, {"*final*", "output"}, {"*h_out*", "output"},
    {"*last_hidden*", "output"}, {"*output*", "output"}, {"*out", "output"}, {NULL, NULL},
};
/* clang-format on */

/* ---- the number that counts layers ---- */

enum { PATTERN_MOST = 256 };

typedef struct numbered_name {
    char pattern[PATTERN_MOST]; /* # in the place of the number */
    bool has_number;
    size_t number;
} numbered_name;

/* The same name with # at its digits number `which`; false: it has not so many. */
static bool number_out(const char *name, size_t which, numbered_name *to)
{
    size_t length = 0, run = 0;
    to->has_number = false;
    for (const char *c = name; *c != '\0' && length + 1 < PATTERN_MOST;) {
        if (!isdigit((unsigned char)*c)) {
            to->pattern[length++] = (char)tolower((unsigned char)*c++);
            continue;
        }
        size_t digits = strspn(c, "0123456789");
        if (run++ == which) {
            to->number = strtoul(c, NULL, 10);
            to->has_number = true;
            to->pattern[length++] = '#';
            c += digits;
        }
        while (run - 1 != which && digits-- > 0 && length + 1 < PATTERN_MOST)
            to->pattern[length++] = *c++;
    }
    to->pattern[length] = '\0';
    return to->has_number;
}

/* What is known of all names of one pattern. */
typedef struct name_group {
    size_t count, least, most;
} name_group;

static name_group group_of(const bundle *dump, const numbered_name *like, size_t which)
{
    name_group to = {0, SIZE_MAX, 0};
    for (size_t i = 0; i < dump->count; i++) {
        numbered_name other;
        if (dump->entry[i].kind != ENTRY_TENSOR ||
            !number_out(dump->entry[i].name, which, &other) ||
            strcmp(other.pattern, like->pattern) != 0)
            continue;
        to.count++;
        to.least = other.number < to.least ? other.number : to.least;
        to.most = other.number > to.most ? other.number : to.most;
    }
    return to;
}

/* Of several numbers in a name the one that counts layers: the one of which there are most, and
 * which counts from 0. */
static name_group find_number(const bundle *dump, const char *name, numbered_name *to)
{
    name_group best = {0};
    numbered_name one;
    number_out(name, SIZE_MAX - 1, to);
    for (size_t which = 0; number_out(name, which, &one); which++) {
        name_group of = group_of(dump, &one, which);
        if (of.count > best.count || (of.count == best.count && of.least < best.least)) {
            best = of;
            *to = one;
        }
    }
    return best;
}

/* ---- shapes ---- */

static size_t hidden_width(const stack *s, const char *name)
{
    size_t number;
    if (!stack_stage_layer(name, &number) || number >= s->layers)
        return s->has_end ? s->end.hidden : 0;
    for (size_t j = 0; j < s->layer[number].parts; j++) {
        const layer_part *part = &s->layer[number].part[j];
        if (part->feed_forward != NULL)
            return part->feed_forward->hidden;
    }
    return 0;
}

static void stage_shape(const stack *s, const char *name, int *rank, size_t size[TENSOR_MAX_RANK])
{
    stage_id id;
    const plan *by = stack_plan_of(s, name, &id);
    const char *last = strrchr(name, '.');
    const bool is_inside = strstr(name, "ffn.") != NULL && strcmp(last, ".output") != 0;
    const size_t width = strcmp(name, "logits") == 0 ? s->to_ids.weight.size[1]
                         : is_inside                 ? hidden_width(s, name)
                                                     : s->width;
    const size_t rows[] = {s->batches, s->rows, width};
    const bool has_batch = s->batches > 0;
    if (by != NULL) {
        plan_stage_shape(by, id, rank, size);
        return;
    }
    *rank = has_batch ? 3 : 2;
    memcpy(size, rows + !has_batch, (size_t)*rank * sizeof size[0]);
}

/* Whether the matrix has it but for leading axes of 1. */
static bool has_shape(const stack *s, const char *name, const tensor *t)
{
    int rank, from = 0;
    size_t size[TENSOR_MAX_RANK];
    stage_shape(s, name, &rank, size);
    while (t->rank - from > rank && t->size[from] == 1)
        from++;
    return t->rank - from == rank &&
           memcmp(t->size + from, size, (size_t)rank * sizeof size[0]) == 0;
}

/* ---- the stage ---- */

const char *port_stage_kind(const port_stage *one)
{
    size_t number;
    return stack_stage_layer(one->name, &number) ? strchr(one->name + strlen("layer."), '.') + 1
                                                 : one->name;
}

/* The stage, in full, that a row says: of this layer, of the rows before it, or of the ends. False
 * where the model has none such, or a matrix of another shape. */
static bool stage_said(const port *p, const char *said, size_t number, const tensor *t,
                       char out[STAGE_NAME])
{
    static const char UNGATED[] = "ungated:", UNPOSITIONED[] = "unpositioned:";
    const stack *s = p->layers;
    const bundle *top = &p->model->document->contents;
    const char *begin = s->has_first ? "ln_e" : "embedded";
    bool is_of_end = number == SIZE_MAX;
    if (strncmp(said, UNGATED, sizeof UNGATED - 1) == 0) {
        const bundle *layers = bundle_find(top, "layers")->bundle;
        if (bundle_find(layers->entry[number].bundle, "w3") != NULL)
            return false;
        said += sizeof UNGATED - 1;
    }
    if (strncmp(said, UNPOSITIONED, sizeof UNPOSITIONED - 1) == 0) {
        if (bundle_find(top, "position_embedding") != NULL || s->adds_sinusoids)
            return false;
        said += sizeof UNPOSITIONED - 1;
    }
    if (strcmp(said, "input") == 0 && number > 0) {
        number--;
        said = "output";
    } else if (strcmp(said, "input") == 0 || strcmp(said, "begin") == 0) {
        is_of_end = true;
        said = begin;
    }
    const stage_way way = is_of_end ? (stage_way){.text = ""} : stage_way_of_layer(number);
    stage_name_in_full(&way, said, out);
    return text_list_find(&p->model->there, out) != NULL && has_shape(s, out, t);
}

/* By the first row that matches and whose stage the model has, in the matrix's shape. The table ends
 * with a row without a pattern; a row without a stage says that it is none. */
static bool by_words(const port *p, const name_row *row, const char *pattern, size_t number,
                     const tensor *t, char out[STAGE_NAME], bool *is_none)
{
    for (; row->pattern != NULL && !*is_none; row++) {
        if (!stage_name_matches(row->pattern, pattern))
            continue;
        *is_none = row->stage == NULL;
        if (!*is_none && stage_said(p, row->stage, number, t, out))
            return true;
    }
    return false;
}

/* Which layer the number is of. A list of rows that is one longer than the layers begins with what
 * goes into the first; each is what the layer before it gives, and the last one is normed. */
static bool find_stage(const port *p, const char *name, const tensor *t, char out[STAGE_NAME])
{
    numbered_name of;
    const name_group group = find_number(&p->dump, name, &of);
    const size_t layers = p->layers->layers;
    const stage_way top = {.text = ""};
    if (text_list_find(&p->model->there, name) != NULL) {
        stage_name_in_full(&top, name, out);
        /* Small entropies are all cancellation, and nothing is made of them. */
        return strstr(name, ".entropy") == NULL && has_shape(p->layers, out, t);
    }
    if (of.has_number && group.most == layers && group.least == 0 &&
        has_shape(p->layers, "output", t) && group.count > 1) {
        stage_said(p, "begin", SIZE_MAX, t, out);
        if (of.number > 0 && of.number < layers)
            return stage_said(p, "output", of.number - 1, t, out);
        return stage_said(p, of.number == 0 ? "begin" : "output", SIZE_MAX, t, out);
    }
    const bool is_of_layer =
        of.has_number && (group.count > 1 || layers == 1) && group.most < layers + group.least;
    const size_t first = group.least > 0 && group.most >= layers ? group.most + 1 - layers : 0;
    if (is_of_layer && of.number < first)
        return false;
    bool is_none = false;
    return (is_of_layer &&
            by_words(p, OF_LAYER, of.pattern, of.number - first, t, out, &is_none)) ||
           (!is_none && by_words(p, OF_ENDS, of.pattern, SIZE_MAX, t, out, &is_none));
}

/* ---- all of them ---- */

/* Whether there is a number that the type does not hold. Of a few numbers, or of whole ones, that
 * says nothing. */
static number_type stored_in(const tensor *t)
{
    size_t at[TENSOR_MAX_RANK] = {0}, told = 0;
    bool is_half = true, is_brain = true;
    do {
        double value = tensor_get(t, at);
        told += value != floor(value) && isfinite(value);
        is_half = is_half && number_round(NUMBER_F16, value) == value;
        is_brain = is_brain && number_round(NUMBER_BF16, value) == value;
    } while ((is_half || is_brain) && tensor_next(t, at));
    if (told < 16 || (!is_half && !is_brain))
        return NUMBER_F32;
    return is_brain ? NUMBER_BF16 : NUMBER_F16;
}

static bool take(port *p, const char *called, const tensor *t, const char *name, err *e)
{
    port_stage *all = mem_grow(p->stage, p->stages, &p->room, sizeof all[0], e);
    int rank;
    size_t size[TENSOR_MAX_RANK], number = 0;
    if (all == NULL)
        return false;
    p->stage = all;
    port_stage *one = &all[p->stages];
    *one = (port_stage){.called = called, .stored = stored_in(t)};
    stage_shape(p->layers, name, &rank, size);
    snprintf(one->name, STAGE_NAME, "%s", name);
    one->numbers.kind = ENTRY_TENSOR;
    if (!tensor_new_copy(&one->numbers.tensor, t, e))
        return false;
    tensor_own(&one->numbers.tensor, t->type, rank, size, one->numbers.tensor.data);
    p->stages++;
    bool is_of_layer = stack_stage_layer(name, &number);
    bool begins = strcmp(name, "embedded") == 0 || strcmp(name, "ln_e") == 0;
    one->part = is_of_layer ? number + 1 : begins ? 0 : p->layers->layers + 1;
    const stage_way way = stage_way_of_layer(0);
    if (is_of_layer)
        stage_name_in_full(&way, port_stage_kind(one), one->alone);
    else
        snprintf(one->alone, STAGE_NAME, "%s", name);
    return true;
}

/* In the order in which stages are made. */
bool port_names_find(port *p, err *e)
{
    const text_list *there = &p->model->there;
    char(*meant)[STAGE_NAME] = mem_alloc_zeroed(p->dump.count, sizeof meant[0], e);
    bool done = meant != NULL;
    for (size_t i = 0; i < p->dump.count && done; i++) {
        const entry *one = &p->dump.entry[i];
        if (one->kind != ENTRY_TENSOR || one->tensor.rank < 2 || port_is_of_other(p, one->name) ||
            !find_stage(p, one->name, &one->tensor, meant[i])) {
            meant[i][0] = '\0';
            done = text_list_add(&p->unused, one->name, strlen(one->name), e);
        }
    }
    for (size_t i = 0; i < there->count && done; i++) {
        for (size_t j = 0; j < p->dump.count && done; j++) {
            const entry *one = &p->dump.entry[j];
            done = strcmp(meant[j], there->item[i]) != 0 ||
                   take(p, one->name, &one->tensor, there->item[i], e);
        }
    }
    mem_free(meant);
    return done;
}

bool port_names_settle(port *p, port_part part, err *e)
{
    size_t kept = 0;
    for (size_t i = 0, end; i < p->stages; i = end) {
        size_t best = i;
        for (end = i + 1; end < p->stages && strcmp(p->stage[end].name, p->stage[i].name) == 0;)
            end++;
        const bool is_settled = p->stage[i].part == part;
        while (is_settled && best < end && p->stage[best].found > p->stage[best].limit)
            best++;
        best = best == end ? i : best;
        for (size_t j = i; j < end; j++) {
            port_stage *one = &p->stage[j];
            if (!is_settled || j == best)
                p->stage[kept++] = *one;
            else {
                tensor_free(&one->numbers.tensor);
                if (!text_list_add(&p->unused, one->called, strlen(one->called), e))
                    return false;
            }
        }
    }
    p->stages = kept;
    return true;
}
