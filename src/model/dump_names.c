#include "model/dump_names.h"

#include "attn/spec/stage.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

/* A name in lower case, with # in the place of the number that counts layers: what it may be. The
 * first row whose stage the model has, in the matrix's shape, is taken. */
typedef struct name_row {
    const char *pattern, *stage; /* NULL: none; it may begin with one of ONLY */
} name_row;

static const char ALONE[] = "alone:"; /* read so where heads are products alone */

static const char *const ONLY[] = {
    [ONLY_UNGATED] = "ungated:", [ONLY_UNPOSITIONED] = "unpositioned:"};

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
    {"*qcur*rope*", "attention.q_rope"}, {"*q_rope*", "attention.q_rope"},
    {"*q_rot*", "attention.q_rope"}, {"*q_embed*", "attention.q_rope"},
    {"*kcur*rope*", "attention.k_rope"}, {"*k_rope*", "attention.k_rope"},
    {"*k_rot*", "attention.k_rope"}, {"*k_embed*", "attention.k_rope"},
    {"*_a_proj*.in", NULL}, {"*q_b_proj.in", "attention.q_latent_norm"},
    {"*kv_b_proj.in", "attention.kv_latent_norm"}, {"*kv_b_proj*", NULL}, /* keys and values */
    {"*q_a_proj*", "attention.q_latent"}, {"*kv_a_proj*", "attention.kv_latent"},
    {"*q_a_layernorm*", "attention.q_latent_norm"},
    {"*kv_a_layernorm*", "attention.kv_latent_norm"}, {"*q_b_proj*", "attention.q"},
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
    {"*after_mlp*", "output"}, {"*after_ffn*", "output"},
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
    {"*", "output"},
};

static const name_row OF_ENDS[] = {
    {"*logits.product", "logits.product"}, {"*logits*", "logits"},
    {"*lm_head*", "alone:logits.product"}, {"*embed_out*", "alone:logits.product"},
    {"*unembed*", "alone:logits.product"},
    {"*lm_head*", "logits"}, {"*result_output*", "logits"},
    {"*", "logits"}, /* no other stage has its shape */
    {"*wte*", NULL}, {"*wpe*", NULL}, {"*tok*emb*", NULL}, {"*word_emb*", NULL},
    {"*pos*", NULL}, {"*head.in", NULL}, {"*.in", NULL},
    {"*ln_e*", "ln_e"}, {"*emb*norm*", "ln_e"}, {"*emb*ln*", "ln_e"},
    {"*embed_tokens*", "unpositioned:embedded"},
    {"*emb*", "begin"}, {"*h_in*", "begin"}, {"*inp*", "begin"}, {"*drop*", "begin"},
    {"*x0*", "begin"}, {"*h0*", "begin"},
    {"*ln_f*", "output"}, {"*norm*", "output"}, {"*final*", "output"}, {"*h_out*", "output"},
    {"*last_hidden*", "output"}, {"*output*", "output"}, {"*out", "output"},
};
/* clang-format on */

/* ---- the number that counts layers ---- */

/* The same name with # at its digits number `which`; false: it has not so many. */
static bool number_out(const char *name, size_t which, numbered_name *to)
{
    size_t length = 0, run = 0;
    to->has_number = false;
    for (const char *c = name; *c != '\0' && length + 1 < DUMP_PATTERN;) {
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
        while (run - 1 != which && digits-- > 0 && length + 1 < DUMP_PATTERN)
            to->pattern[length++] = *c++;
    }
    to->pattern[length] = '\0';
    return to->has_number;
}

static bool add_name(dump_index *x, const char *name, err *e)
{
    numbered_name one;
    for (size_t which = 0; number_out(name, which, &one); which++) {
        const entry *met = bundle_find(&x->patterns, one.pattern);
        const size_t at = met == NULL ? x->patterns.count : (size_t)(met - x->patterns.entry);
        if (met == NULL) {
            name_group *all = mem_grow(x->group, at, &x->room, sizeof all[0], e);
            if (all == NULL)
                return false;
            x->group = all;
            all[at] = (name_group){0, SIZE_MAX, 0};
            if (!bundle_add(&x->patterns, one.pattern, strlen(one.pattern), (place){0}, e))
                return false;
        }
        name_group *to = &x->group[at];
        to->count++;
        to->least = one.number < to->least ? one.number : to->least;
        to->most = one.number > to->most ? one.number : to->most;
    }
    return true;
}

bool dump_index_open(dump_index *x, const bundle *dump, err *e)
{
    bool done = true;
    *x = (dump_index){.dump = dump};
    for (size_t i = 0; i < dump->count && done; i++)
        done = dump->entry[i].kind != ENTRY_TENSOR || add_name(x, dump->entry[i].name, e);
    return done;
}

void dump_index_close(dump_index *x)
{
    bundle_free(&x->patterns);
    mem_free(x->group);
}

/* Of several numbers in a name the one that counts layers: the one of which there are most, and
 * which counts from 0. */
static name_group find_number(const dump_index *x, const char *name, numbered_name *to)
{
    name_group best = {0};
    numbered_name one;
    number_out(name, SIZE_MAX - 1, to);
    for (size_t which = 0; number_out(name, which, &one); which++) {
        const name_group of = x->group[bundle_find(&x->patterns, one.pattern) - x->patterns.entry];
        if (of.count > best.count || (of.count == best.count && of.least < best.least)) {
            best = of;
            *to = one;
        }
    }
    return best;
}

/* Of lists of rows one may be longer than the layers by what goes into the first of them. */
size_t dump_count_layers(const dump_index *x)
{
    const bundle *dump = x->dump;
    size_t most = 0, next = 0;
    bool is_of_rows = false;
    for (size_t i = 0; i < dump->count; i++) {
        numbered_name of;
        if (dump->entry[i].kind != ENTRY_TENSOR)
            continue;
        const name_group group = find_number(x, dump->entry[i].name, &of);
        const size_t count = group.count > 1 ? group.most + 1 - group.least : 0;
        next = count > most ? most : count < most && count > next ? count : next;
        is_of_rows = count > most ? false : is_of_rows;
        most = count > most ? count : most;
        is_of_rows =
            is_of_rows || (count == most && stage_name_matches("*hidden_states.#", of.pattern));
    }
    return most > 0 && (next == most - 1 || is_of_rows) ? most - 1 : most;
}

void dump_name_read(dump_name *n, const dump_index *x, size_t layers, const char *name)
{
    *n = (dump_name){.layers = layers, .reading = x->reading};
    const name_group group = find_number(x, name, &n->of);
    const bool is_several = n->of.has_number && group.count > 1;
    n->begins_list = is_several && group.most == layers && group.least == 0;
    n->is_of_layer =
        n->of.has_number && (group.count > 1 || layers == 1) && group.most < layers + group.least;
    /* They may count from 1. */
    const bool is_rest = x->reading == READ_FROM_1 && group.least > 0;
    n->first = group.least > 0 && group.most >= layers ? group.most + 1 - layers : is_rest;
}

bool dump_name_next(dump_name *n, dump_meaning *to)
{
    const name_row *rows = n->is_of_layer ? OF_LAYER : OF_ENDS;
    const size_t count =
        n->is_of_layer ? sizeof OF_LAYER / sizeof OF_LAYER[0] : sizeof OF_ENDS / sizeof OF_ENDS[0];
    const size_t number = n->of.number;
    if (n->begins_list) { /* each is what the layer before it gives, and the last one is normed */
        const bool is_output =
            number > 0 && number < n->layers + (n->reading == READ_ENDS_UNNORMED);
        *to = (dump_meaning){.stage = number == 0 ? "begin" : "output",
                             .is_of_layer = is_output,
                             .layer = is_output ? number - 1 : 0};
        return n->row++ == 0;
    }
    if (n->is_of_layer && number < n->first)
        return false;
    while (n->row < count) {
        const name_row *row = &rows[n->row++];
        const bool is_by_shape = strcmp(row->pattern, "*") == 0,
                   is_alone = row->stage != NULL && strncmp(row->stage, ALONE, strlen(ALONE)) == 0;
        if (!stage_name_matches(row->pattern, n->of.pattern) || (is_by_shape && n->counts_other) ||
            (is_alone && n->reading != READ_HEAD_ALONE))
            continue;
        *to = (dump_meaning){.stage = is_alone ? row->stage + strlen(ALONE) : row->stage,
                             .is_of_layer = n->is_of_layer,
                             .is_by_shape = is_by_shape,
                             .layer = n->is_of_layer ? number - n->first : 0};
        for (dump_only only = ONLY_UNGATED; row->stage != NULL && only < ONLY_COUNT; only++) {
            const size_t length = strlen(ONLY[only]);
            if (strncmp(row->stage, ONLY[only], length) == 0) {
                to->stage += length;
                to->only = only;
            }
        }
        if (row->stage != NULL && strcmp(row->stage, "input") == 0) {
            const bool is_first = to->layer == 0;
            to->stage = is_first ? "begin" : "output";
            to->is_of_layer = !is_first;
            to->layer -= !is_first;
        }
        const bool is_last = to->is_of_layer && to->layer + 1 == n->layers;
        if (is_last && n->reading == READ_ENDS_NORMED && row->stage != NULL &&
            strcmp(row->stage, "output") == 0)
            to->is_of_layer = false;
        return row->stage != NULL;
    }
    if (!n->is_of_layer)
        return false;
    n->is_of_layer = false;
    n->counts_other = true;
    n->row = 0;
    return dump_name_next(n, to);
}

/* ---- the order in which stages are made ---- */

enum { BEFORE, IN_LAYER, AFTER };

/* Of a layer; what ends with a dot has stages in it. */
static const char *const PARTS[] = {"ln1",    "attention.", "attention_sum", "ln2",
                                    "cross.", "cross_sum",  "ln3",           "ffn.",
                                    "ln4",    "ffn_sum",    "output"};
static const char *const FEED_FORWARD[] = {"hidden", "gate", "activated", "output"};

static size_t index_in(const char *const *list, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(list[i], name) != 0)
        i++;
    return i;
}

size_t stage_number(const char *name)
{
    const named *row = named_find(&STAGES, name, strlen(name));
    return row == NULL ? STAGE_COUNT : (size_t)stage_of(row);
}

size_t stage_number_in(const char *part, const char *name)
{
    return strncmp(part, "ffn.", strlen("ffn.")) != 0
               ? stage_number(name)
               : index_in(FEED_FORWARD, sizeof FEED_FORWARD / sizeof FEED_FORWARD[0], name);
}

bool stage_is_of_pairs(const char *name)
{
    const char *last = strrchr(name, '.');
    const size_t number = stage_number(last == NULL ? "" : last + 1);
    return strstr(name, "attention.") != NULL && number < STAGE_COUNT &&
           strcmp(stage_row((stage_id)number)->axes, "bhqk") == 0;
}

stage_standing stage_stands(const char *name)
{
    static const char LAYER[] = "layer.";
    static const char *const ENDS[] = {"embedded", "ln_e",           "embed.output",
                                       "output",   "logits.product", "logits"};
    enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0], END_COUNT = sizeof ENDS / sizeof ENDS[0] };
    if (strncmp(name, LAYER, sizeof LAYER - 1) != 0) {
        const size_t number = index_in(ENDS, END_COUNT, name);
        return (stage_standing){
            .group = number < 3 ? BEFORE : AFTER, .made = number, .is_known = number < END_COUNT};
    }
    char *part;
    stage_standing to = {.group = IN_LAYER, .layer = strtoul(name + sizeof LAYER - 1, &part, 10)};
    part += *part == '.';
    const char *dot = strchr(part, '.');
    const size_t length = dot == NULL ? strlen(part) : (size_t)(dot + 1 - part);
    while (to.part < PART_COUNT &&
           (strlen(PARTS[to.part]) != length || strncmp(PARTS[to.part], part, length) != 0))
        to.part++;
    to.made = dot == NULL ? 0 : stage_number_in(part, dot + 1);
    to.is_known = to.part < PART_COUNT && to.made < STAGE_COUNT;
    return to;
}

int stage_standings_compare(const stage_standing *a, const stage_standing *b)
{
    const size_t x[] = {a->group, a->layer, a->part, a->made},
                 y[] = {b->group, b->layer, b->part, b->made};
    size_t i = 0;
    while (i < 3 && x[i] == y[i])
        i++;
    return (x[i] > y[i]) - (x[i] < y[i]);
}
