/* Wq, Wk, Wv, Wo and their biases out of what a bundle holds, as views, whatever way a convention
 * has put them together; what their sizes say of heads and of gains; and all that was matched in a
 * bundle, under a document. */
#include "weights/apply.h"

#include "attn/spec/keys.h"
#include "attn/spec/setting.h"
#include "weights/match.h"
#include "weights/refused.h"
#include "weights/sources.h"
#include "weights/weights.h"

#include <string.h>

/* How the weights of an attention are to be read. */
typedef struct cutting {
    const convention *by;
    weight_layout layout;   /* --layout's, else the convention's */
    bool layout_is_given;   /* by --layout */
    size_t heads, kv_heads; /* 0: not known */
    size_t context;         /* rows that Wo takes are so wide; 0: not known */
} cutting;

static const char *layout_name(weight_layout layout)
{
    return layout == LAYOUT_OUT_IN ? "out-in" : "in-out";
}

/* The axis of the outputs, along which Wq, Wk and Wv stand one after the other. */
static int output_axis(const cutting *how)
{
    return how->layout == LAYOUT_OUT_IN ? 0 : 1;
}

/* The sizes are those of Wq, Wk and Wv side by side the other way. */
static bool contradicts(const cutting *how, const tensor *joint)
{
    int along = output_axis(how);
    size_t parts = how->by->cut == CUT_HALVES ? 2 : 3;
    return how->by->cut != CUT_HALF_BY_HEAD && joint->rank == 2 &&
           joint->size[1 - along] == parts * joint->size[along];
}

/* Says both layouts: the one that the sizes show, and who says the other. */
static bool refuse_layout(const cutting *how, const entry *from, err *e)
{
    char shape[SHAPE_TEXT];
    const char *said = layout_name(how->layout);
    const char *shown = layout_name(how->layout == LAYOUT_OUT_IN ? LAYOUT_IN_OUT : LAYOUT_OUT_IN);
    tensor_shape_text(&from->tensor, shape);
    if (how->layout_is_given)
        return err_at(e, &from->at, "%s is %s, which is %s, and --layout says %s", from->name,
                      shape, shown, said);
    err_at(e, &from->at, "%s is %s, which is %s, and by the names of %s it is %s", from->name,
           shape, shown, how->by->named.name, said);
    return err_remedy(e, "--layout %s goes over the names", shown);
}

/* ---- head by head ---- */

/* Outputs of each group of heads, which lie one group after the other. */
typedef struct head_cut {
    int along; /* their axis */
    size_t groups;
    size_t before;  /* of a group's outputs those that are not meant, */
    size_t wide;    /* and how many are */
    size_t apart;   /* from one group to the next */
    bool is_copied; /* they have to be without holes */
} head_cut;

/* One matrix a group, as a view; or copied, all groups side by side. */
static bool take_heads(const tensor *joint, const head_cut *cut, tensor *out, err *e)
{
    size_t groups = cut->groups, wide = cut->wide;
    int along = cut->along;
    tensor first = tensor_range(joint, along, cut->before, wide), view = first;
    if (groups == 1) {
        *out = first;
        return true;
    }
    int outer =
        cut->is_copied ? along : 0; /* the axis of groups: before that of a group's outputs */
    view.rank = first.rank + 1;
    for (int axis = first.rank; axis > outer; axis--) {
        view.size[axis] = first.size[axis - 1];
        view.stride[axis] = first.stride[axis - 1];
    }
    view.size[outer] = groups;
    view.stride[outer] = joint->stride[along] * (ptrdiff_t)cut->apart;
    *out = view;
    if (!cut->is_copied)
        return true;
    if (!tensor_new_copy(out, &view, e))
        return false;
    /* Groups and their outputs are one axis. */
    out->rank = first.rank;
    for (int axis = 0; axis < first.rank; axis++) {
        out->size[axis] = axis == along ? groups * wide : first.size[axis];
        out->stride[axis] =
            along == 0 && axis == 0 && first.rank == 2 ? (ptrdiff_t)first.size[1] : 1;
    }
    if (first.rank == 2 && along == 1)
        out->stride[0] = (ptrdiff_t)(groups * wide);
    return true;
}

static bool refuse_heads(const entry *from, err *e)
{
    err_at(e, &from->at, "%s lies head by head, and the number of heads is not known", from->name);
    return err_remedy(e, "--heads N says it");
}

/* One matrix a head: h × d × m, or in-out h × m × d. Where heads share keys, it is groups of heads
 * that lie one after the other, each with its queries, its keys and its values. A bias, and queries
 * of several in a group, have to be without holes, and are copied. */
static bool cut_heads(const cutting *how, size_t part, bool is_bias, const entry *from, tensor *out,
                      err *e)
{
    const tensor *joint = &from->tensor;
    int along = is_bias ? 0 : output_axis(how);
    size_t total = joint->size[along];
    size_t groups =
        how->kv_heads > 0 && how->heads % how->kv_heads == 0 ? how->kv_heads : how->heads;
    char shape[SHAPE_TEXT];
    if (how->heads == 0) {
        if (!is_bias && total != 3 * joint->size[1 - along])
            return err_at(e, &from->at,
                          "%s is %s, which is not 3 outputs an input: not head by head", from->name,
                          tensor_shape_text(joint, shape));
        return refuse_heads(from, e);
    }
    if (groups == how->heads && !is_bias && total != 3 * joint->size[1 - along])
        return err_at(e, &from->at, "%s is %s, which is not 3 outputs an input: not head by head",
                      from->name, tensor_shape_text(joint, shape));
    if (total % (how->heads + 2 * groups) != 0)
        return groups == how->heads
                   ? err_at(e, &from->at,
                            "%s holds %zu outputs, which are not 3 for each of %zu heads",
                            from->name, total, how->heads)
                   : err_at(e, &from->at,
                            "%s holds %zu outputs, which can't be cut as %zu + %zu + %zu",
                            from->name, total, how->heads, groups, groups);
    size_t width = total / (how->heads + 2 * groups), each = how->heads / groups;
    size_t before = part == 0 ? 0 : (each + part - 1) * width,
           wide = (part == 0 ? each : 1) * width;
    const head_cut cut = {along, groups, before, wide, (each + 2) * width, is_bias || wide > width};
    return take_heads(joint, &cut, out, e);
}

/* Of each head its keys' outputs, and then its values'. */
static bool cut_half_by_head(const cutting *how, bool is_value, bool is_bias, const entry *from,
                             tensor *out, err *e)
{
    int along = is_bias ? 0 : output_axis(how);
    size_t heads = how->heads, total = from->tensor.size[along];
    if (heads == 0)
        return refuse_heads(from, e);
    size_t each = total / heads, values = how->context / heads;
    if (total % heads != 0 || how->context % heads != 0 || values == 0 || values >= each)
        return err_at(e, &from->at,
                      "%s holds %zu outputs, which are not keys and values of %zu heads, where Wo "
                      "takes rows of %zu",
                      from->name, total, heads, how->context);
    const head_cut cut = {
        along, heads,  is_value ? each - values : 0, is_value ? values : each - values,
        each,  is_bias};
    return take_heads(&from->tensor, &cut, out, e);
}

/* ---- the whole ---- */

/* The part of `from` that is this weight or bias, as a view. Only a bias that lies head by head is
 * copied. */
static bool cut_part(const cutting *how, input which, const entry *from, tensor *out, err *e)
{
    static const char *const HELD[] = {"Wq, Wk and Wv", "bq, bk and bv", "Wk and Wv", "bk and bv"};
    const convention *by = how->by;
    bool is_bias = which >= INPUT_BQ,
         is_half = by->cut == CUT_HALVES || by->cut == CUT_HALF_BY_HEAD;
    size_t part = (size_t)(which - (is_bias ? INPUT_BQ : INPUT_WQ));
    bool is_joint = part < 3 && (convention_is_joint(by) || (is_half && part > 0) ||
                                 (is_bias && by->joint_bias != NULL));
    char shape[SHAPE_TEXT];
    *out = tensor_view_of(&from->tensor);
    if (!is_joint && !is_bias && from->tensor.rank == 3 && by->layout == LAYOUT_IN_OUT) {
        /* m × h × d as one matrix a head, h × m × d; of Wo, h × d × m is that already. */
        if (how->layout != LAYOUT_IN_OUT)
            return refuse_layout(how, from, e);
        for (int axis = 0; which != INPUT_WO && axis < 2; axis++) {
            out->size[axis] = from->tensor.size[1 - axis];
            out->stride[axis] = from->tensor.stride[1 - axis];
        }
    }
    if (!is_joint)
        return true;
    if (from->tensor.rank != (is_bias ? 1 : 2))
        return err_at(e, &from->at, "%s is %s, and holds %s only as a %s", from->name,
                      tensor_shape_text(&from->tensor, shape), HELD[2 * is_half + is_bias],
                      is_bias ? "vector" : "matrix");
    if (!is_bias && contradicts(how, &from->tensor))
        return refuse_layout(how, from, e);
    if (by->cut == CUT_HALF_BY_HEAD)
        return cut_half_by_head(how, part == 2, is_bias, from, out, e);
    if (by->cut == CUT_HEAD_BY_HEAD)
        return cut_heads(how, part, is_bias, from, out, e);
    /* Part 0, 1 or 2 of what lies side by side. */
    int along = is_bias ? 0 : output_axis(how);
    bool is_grouped = by->cut == CUT_BY_HEADS && how->heads > 0 && how->kv_heads > 0;
    size_t q = is_grouped ? how->heads : is_half ? 0 : 1, kv = is_grouped ? how->kv_heads : 1;
    size_t total = from->tensor.size[along], parts = q + 2 * kv, one = total / parts;
    if (total % parts != 0)
        return err_at(e, &from->at, "%s holds %zu outputs, which can't be cut as %zu + %zu + %zu",
                      from->name, total, q, kv, kv);
    size_t first = part == 0 ? 0 : q + (part - 1) * kv;
    *out = tensor_range(&from->tensor, along, first * one, (part == 0 ? q : kv) * one);
    return true;
}

/* ---- how it is read ---- */

static weight_layout layout_of_word(const char *word)
{
    return word == NULL                  ? LAYOUT_UNSAID
           : strcmp(word, "out-in") == 0 ? LAYOUT_OUT_IN
           : strcmp(word, "in-out") == 0 ? LAYOUT_IN_OUT
                                         : LAYOUT_UNSAID;
}

/* A setting as a count; 0 where it is none. */
static size_t count_of(const bundle *settings, const char *name)
{
    const tensor *number = bundle_tensor(settings, name);
    double value = number == NULL ? 0 : tensor_get(number, NULL);
    return value >= 1 && value < 1e9 ? (size_t)value : 0;
}

/* Of conventions that share their names, the one whose layout the sizes have. */
static const convention *cut_settle(const convention *by, const tensor *joint)
{
    cutting how = {.by = by, .layout = by->layout};
    if (!convention_is_joint(by) || !contradicts(&how, joint))
        return by;
    for (size_t i = 0; i < CONVENTIONS.count; i++) {
        const convention *other = convention_at(i);
        if (other->layout != by->layout && strcmp(other->q, by->q) == 0)
            return other;
    }
    return by;
}

/* ---- heads ---- */

/* The columns of Wq or Wk, all heads side by side; 0: not known. `top` is the document. */
static size_t cut_columns(const entry *weight, const bundle *top)
{
    bool of_all = setting_is_out_in(bundle_find(top, "layout"));
    bool is_out_in = weight != NULL && entry_is_out_in(weight, of_all);
    bool is_matrix = weight != NULL && weight->tensor.rank == 2;
    return is_matrix ? weight->tensor.size[is_out_in ? 0 : 1] : 0;
}

/* ---- gains ---- */

static const char SETTING[] = "qk_norm";

static bool is_gain(input which)
{
    return which == INPUT_Q_GAIN || which == INPUT_K_GAIN;
}

bool gains_are_wanted(const bundle_options *w, const bundle *in, const bundle *top)
{
    const bundle *said = in != NULL && bundle_find(in, SETTING) != NULL ? in : top;
    const char *word = bundle_text(said, SETTING);
    return !bundle_options_remove(w, SETTING) && (word == NULL || strcmp(word, "none") != 0);
}

/* A document that gets what it lacks. */
typedef struct applying {
    weight_match *from;
    const bundle_options *options;
    const bundle *read;
    dtype type;
    bundle *contents;
    place at; /* the bundle as a whole */
} applying;

/* ---- what the sizes tell ---- */

static size_t rows_of(const applying *a, const char *key_name)
{
    for (size_t i = 0; i < a->from->sources; i++) {
        const weight_source *from = &a->from->source[i];
        const tensor *t = from->name == NULL || strcmp(from->to.key->named.name, key_name) != 0
                              ? NULL
                              : bundle_tensor(a->read, from->name);
        if (t != NULL && t->rank == 2)
            return t->size[0];
    }
    return 0;
}

/* ---- how it is cut ---- */

/* The object that says how many heads there are, or the document. */
static const bundle *heads_of(const applying *a, const key_path *of)
{
    key_path layer = {.is_in_layer = true, .layer = of->layer};
    const bundle *own = key_path_find(of, a->contents);
    if (own == NULL || bundle_find(own, "heads") == NULL)
        own = key_path_find(&layer, a->contents);
    return own != NULL && bundle_find(own, "heads") != NULL ? own : a->contents;
}

/* What one of the same attention is read from; NULL: nothing. */
static const entry *read_of(const applying *a, const key_path *of, input which)
{
    for (size_t i = 0; i < a->from->sources; i++) {
        const weight_source *from = &a->from->source[i];
        if (from->which == which && from->name != NULL && from->to.layer == of->layer &&
            from->to.object == of->object)
            return bundle_find(a->read, from->name);
    }
    return NULL;
}

/* By what a command line asks for, what the bundle says itself, and the heads of the settings. */
static cutting cutting_of(const applying *a, const key_path *of)
{
    const weight_match *m = a->from;
    bool is_cross = of->object != NULL && m->cross != NULL;
    const convention *by = is_cross ? m->cross : m->attention;
    const bundle *settings = heads_of(a, of);
    weight_layout asked = layout_of_word(a->options->layout);
    by = by != NULL ? by : convention_at(0);
    cutting how = {.by = by,
                   .layout = asked,
                   .layout_is_given = asked != LAYOUT_UNSAID,
                   .heads = count_of(settings, "heads"),
                   .kv_heads = count_of(settings, "kv_heads")};
    if (asked == LAYOUT_UNSAID)
        how.layout =
            convention_is_own(by) ? layout_of_word(bundle_text(a->read, "layout")) : by->layout;
    const entry *wo = read_of(a, of, INPUT_WO);
    if (wo != NULL && wo->tensor.rank == 2)
        how.context = wo->tensor.size[1 - output_axis(&how)];
    return how;
}

/* ---- what lacks ---- */

/* --no-bias-k is of all layers, where it is a convention that found it; and gains are none where
 * queries and keys are to stay as they are. */
static bool leaves_out(const applying *a, const weight_source *from)
{
    const key_path *to = &from->to;
    if (from->mapped > 0 || (to->is_in_layer && weight_match_is_own(a->from)))
        return false;
    return convention_is_beside(from->which) &&
           (bundle_options_remove(a->options, to->key->named.name) ||
            (is_gain(from->which) &&
             !gains_are_wanted(a->options, key_path_find(to, a->contents), a->contents)));
}

static bool is_of_norm(const weight_source *from, size_t part)
{
    return from->to.object != NULL &&
           strcmp(from->to.object->named.name, NAMED_PARTS[part].label) == 0;
}

static bool is_first_norm(const weight_source *from)
{
    return from->to.is_in_layer && is_of_norm(from, LN1);
}

/* After sums that are normalized no norm has to come last. */
static bool needs_last_norm(const applying *a)
{
    const char *order = bundle_text(a->contents, "norm");
    return order == NULL || strcmp(order, "post") != 0;
}

/* The document lacks it, and has a use for it. Rows that are given have their segments, their
 * positions and their norm already. */
static bool is_wanted(const applying *a, const weight_source *from)
{
    static const input INSTEAD[] = {
        [INPUT_WQ] = INPUT_Q, [INPUT_WK] = INPUT_K, [INPUT_WV] = INPUT_V};
    const key_path *to = &from->to;
    const char *name = to->key->named.name;
    const bundle *in = key_path_find(to, a->contents);
    bool is_at_top = !to->is_in_layer && to->object == NULL;
    bool is_by_name = from->mapped == 0 && !weight_match_is_own(a->from);
    bool is_of_rows =
        strcmp(name, "segment_embedding") == 0 || strcmp(name, "position_embedding") == 0 ||
        (to->object != NULL && strcmp(to->object->named.name, NAMED_PARTS[EMBED_W].label) == 0) ||
        (to->object != NULL && strcmp(to->object->named.name, "ln_e") == 0);
    if ((in != NULL && bundle_find(in, name) != NULL) ||
        (is_at_top && bundle_options_remove(a->options, name)) || leaves_out(a, from))
        return false;
    /* A bias that is given is all that is added to scores. */
    if (strcmp(name, "relative_bias") == 0 && from->mapped == 0 &&
        bundle_options_decide(a->options, a->contents, NULL, "bias"))
        return false;
    /* By the order of norms that such a layer has, it needs none. */
    if (from->name == NULL && is_first_norm(from) && a->from->by->without_first != NULL)
        return false;
    if (from->name == NULL && is_of_norm(from, LN_F) && !needs_last_norm(a))
        return false;
    /* q that is given makes Wq needless. */
    if (from->name == NULL && from->is_cut && from->which <= INPUT_WV && in != NULL)
        return bundle_find(in, input_key(INSTEAD[from->which])) == NULL;
    return !(is_of_rows && is_by_name && bundle_find(a->contents, "x") != NULL);
}

/* ---- applying ---- */

/* What follows from what `in`, the object of an attention, has just got.
 *
 * Of Wk: there are as many key heads as query heads only where Wk has them all. Of a gain: queries
 * and keys are normalized, each head or, where its length shows it, all of a row at once, unless
 * something else is said. */
static bool settle(const applying *a, const cutting *how, const weight_source *from, bundle *in,
                   err *e)
{
    const bundle *top = a->contents;
    bool is_query = from->which == INPUT_Q_GAIN;
    const entry *got = bundle_find(in, from->to.key->named.name);
    size_t q = cut_columns(bundle_find(in, input_key(INPUT_WQ)), top);
    size_t k = cut_columns(bundle_find(in, input_key(INPUT_WK)), top);
    if (from->which == INPUT_WK && how->heads > 1 && how->kv_heads == 0) {
        size_t width = q / how->heads;
        bool is_some = width > 0 && q % how->heads == 0 && k > 0 && k < q && k % width == 0;
        if (!is_some || how->heads % (k / width) != 0)
            return true;
        err_at(e, &got->at,
               "%s has %zu columns, and Wq %zu: for %zu heads of queries there are %zu of keys",
               from->name, k, q, how->heads, k / width);
        return err_remedy(e, "--kv-heads %zu says so", k / width);
    }
    if (!is_gain(from->which) || how->by->q_gain == NULL)
        return true;
    /* Of other lengths the plan says what is wrong. */
    size_t heads = is_query || how->kv_heads == 0 ? how->heads : how->kv_heads;
    size_t count = tensor_count(&got->tensor);
    bool is_of_all = from->mapped == 0 && heads > 1 && count == (is_query ? q : k);
    const char *word = is_of_all ? "rms-all" : "rms";
    const char *said = bundle_text(bundle_find(in, SETTING) != NULL ? in : top, SETTING);
    if (said == NULL)
        return bundle_add_text(in, SETTING, word, strlen(word), got->at, e);
    if (!is_of_all || strcmp(said, "rms") != 0)
        return true;
    err_at(e, &got->at,
           "%s has a number for each column of all %zu heads: a norm over all of them, as in OLMo "
           "2, and qk_norm is rms, each head's own",
           from->name, heads);
    return err_remedy(e, "--qk-norm rms-all is that norm, --map takes it for gains of each head");
}

/* Half of its outputs. */
static bool cut_gate(const cutting *how, bool is_second, entry *joint, err *e)
{
    tensor *t = &joint->tensor;
    int along = output_axis(how);
    size_t half = t->rank == 2 ? t->size[along] / 2 : 0;
    if (half == 0 || t->size[along] % 2 != 0)
        return err_at(e, &joint->at,
                      "w1 and w3 are to be side by side in it, and it has no halves");
    *t = tensor_range(t, along, is_second ? half : 0, half);
    return true;
}

/* One expert's, of those that lie one after the other; of w1 and w3, and their biases, each second
 * output. A bias has to be without holes, and is copied. */
static bool cut_expert(const applying *a, const weight_source *from, entry *all, err *e)
{
    const char *name = from->to.key->named.name;
    const weight_match *m = a->from;
    tensor *t = &all->tensor;
    char shape[SHAPE_TEXT];
    bool is_bias = name[0] == 'b', is_gate = name[1] == '3', is_out = name[1] == '2';
    bool interleaves = m->by->interleaves_gate && !is_out;
    int rank = is_bias ? 2 : 3, along = is_bias || all->layout == LAYOUT_IN_OUT ? rank - 2 : 0;
    if (t->rank != rank || t->size[0] != m->experts || (interleaves && t->size[1 + along] % 2 != 0))
        return err_at(e, &all->at, "%s is %s, and not the %s of %zu experts%s", from->name,
                      tensor_shape_text(t, shape), is_bias ? "biases" : "matrices", m->experts,
                      interleaves ? ", each with its gate's" : "");
    tensor one = tensor_at(t, from->to.item);
    if (interleaves) {
        one = tensor_range(&one, along, is_gate, one.size[along] - is_gate);
        one.size[along] = (one.size[along] + is_gate) / 2;
        one.stride[along] *= 2;
    }
    *t = one;
    return !is_bias || tensor_new_copy(t, &one, e);
}

/* In the type of computing. */
static bool add_one(tensor *t, dtype type, err *e)
{
    tensor more;
    size_t index[TENSOR_MAX_RANK] = {0};
    if (!tensor_new(&more, type, t->rank, t->size, e))
        return false;
    do
        tensor_set(&more, index, tensor_get(t, index) + 1);
    while (tensor_next(&more, index));
    tensor_free(t);
    *t = more;
    return true;
}

/* Of two ways in which it may lie: x·W, or W·x. Tables, and rows, lie in one. */
static bool is_product(const char *key_name)
{
    static const char PRODUCTS[] =
        "wq wk wv wo ws wa ua wq_down wkv_down w1 w2 w3 router shared_gate w unembedding";
    return name_is_one_of(PRODUCTS, key_name);
}

static bool apply_one(const applying *a, const weight_source *from, err *e)
{
    /* Products pack them, and what looks a row up copies it; both widen. All else is made the run's
     * type now. */
    static const char *const WIDENED_IN_USE[] = {"wq",      "wk",        "wv",         "wo",
                                                 "wq_down", "wkv_down",  "w1",         "w2",
                                                 "w3",      "embedding", "unembedding"};
    const layer_convention *by = a->from->by;
    const entry *found = bundle_find(a->read, from->name);
    const char *name = from->to.key->named.name;
    cutting how = cutting_of(a, &from->to);
    tensor part = {0};
    if (from->is_cut && !cut_part(&how, from->which, found, &part, e))
        return false;
    bundle *in = key_path_make(&from->to, a->contents, a->at, e);
    entry *added = in == NULL ? NULL : bundle_borrow(in, name, found, e);
    if (added == NULL) {
        tensor_free(&part);
        return false;
    }
    tensor *t = &added->tensor;
    *t = from->is_cut ? part : *t;
    added->layout = from->layout != LAYOUT_UNSAID ? from->layout
                    : is_product(name)            ? how.layout
                                                  : LAYOUT_UNSAID;
    if (from->is_stacked && !cut_expert(a, from, added, e))
        return false;
    bool is_gate = strcmp(name, "w3") == 0, is_joined = is_gate || strcmp(name, "w1") == 0;
    if (by->joins_gate && is_joined && from->mapped == 0 && !cut_gate(&how, is_gate, added, e))
        return false;
    /* A table of positions goes in without the rows before that of the first position. */
    size_t first = by->position_row;
    if (strcmp(name, "position_embedding") == 0 && from->mapped == 0 && first > 0 && t->rank == 2) {
        if (t->size[0] <= first)
            return err_at(e, &added->at,
                          "%s has %zu rows, and by the names of %s the first position "
                          "is row %zu, from 0",
                          from->name, t->size[0], by->named.name, first);
        *t = tensor_range(t, 0, first, t->size[0] - first);
    }
    bool lacks_one = a->from->config != NULL && a->from->config->of->gains_lack_one &&
                     (is_gain(from->which) || strcmp(name, "gain") == 0);
    if (lacks_one && from->mapped == 0 && !add_one(t, a->type, e))
        return false;
    bool stays_narrow = false;
    for (size_t i = 0; i < sizeof WIDENED_IN_USE / sizeof WIDENED_IN_USE[0]; i++)
        stays_narrow = stays_narrow || strcmp(WIDENED_IN_USE[i], name) == 0;
    if (added->kind == ENTRY_TENSOR && !stays_narrow)
        tensor_widen(t, a->type, e);
    added->stays = added->kind != ENTRY_TENSOR || tensor_borrows(t);
    return settle(a, &how, from, in, e);
}

/* A layer without its first norm has an order of its own. */
static bool take_order(const applying *a, const weight_source *from, err *e)
{
    const char *order = a->from->by->without_first;
    key_path layer = {.is_in_layer = true, .layer = from->to.layer};
    bundle *in = key_path_make(&layer, a->contents, a->at, e);
    return in != NULL && (bundle_options_decide(a->options, in, NULL, "norm") ||
                          bundle_add_text(in, "norm", order, strlen(order), a->at, e));
}

static bool are_same(const tensor *one, const tensor *other)
{
    size_t at[TENSOR_MAX_RANK] = {0}, count;
    double x[TENSOR_RUN], y[TENSOR_RUN];
    if (!tensor_same_shape(one, other))
        return false;
    do {
        count = tensor_get_run(one, at, x);
        tensor_get_run(other, at, y);
        if (memcmp(x, y, count * sizeof x[0]) != 0)
            return false;
    } while (tensor_next_run(one, at, count));
    return true;
}

/* A file may have the embedding twice. Where it is not the same there, transformers 4 takes the
 * embedding, and 5 what the file has. */
static bool check_tied(const applying *a, const weight_source *from, err *e)
{
    const entry *own = bundle_find(a->read, from->name), *table = NULL;
    const char *logits = bundle_text(a->contents, "logits");
    if (logits != NULL && strcmp(logits, "false") == 0)
        return true;
    for (size_t i = 0; i < a->from->sources && table == NULL; i++) {
        const weight_source *one = &a->from->source[i];
        bool is_table = strcmp(one->to.key->named.name, NAMED_PARTS[EMBEDDING].key) == 0;
        table = is_table && one->name != NULL ? bundle_find(a->read, one->name) : NULL;
    }
    if (table == NULL || are_same(&own->tensor, &table->tensor) ||
        bundle_find(a->contents, from->to.key->named.name) != NULL)
        return true;
    err_at(e, &own->at,
           "%s has other numbers than %s, and tie_word_embeddings says that they are one: versions "
           "of transformers differ",
           own->name, table->name);
    return err_remedy(e, "\"tie_word_embeddings\": false takes it, --map none=%s leaves it out",
                      own->name);
}

static bool apply_source(const applying *a, const weight_source *from, err *e)
{
    if (from->is_tied)
        return check_tied(a, from, e);
    bool is_left = from->name == NULL && is_first_norm(from) && a->from->by->without_first != NULL;
    bool done = is_left ? take_order(a, from, e)
                        : from->name == NULL || !is_wanted(a, from) || apply_one(a, from, e);
    return done || (from->to.is_in_layer && !e->is_memory &&
                    err_within(e, "layer %zu", from->to.layer + 1));
}

/* All that is wanted is there before anything is added; layers are in their order, which that of
 * the names need not be. */
static bool apply_sources(const applying *a, err *e)
{
    const weight_match *m = a->from;
    for (size_t i = 0; i < m->sources; i++) {
        if (m->source[i].name == NULL && is_wanted(a, &m->source[i]))
            return weight_match_refuse_missing(m, &m->source[i], e);
    }
    for (size_t i = 0; i < m->count && !m->is_alone; i++) {
        key_path layer = {.is_in_layer = true, .layer = i};
        if (key_path_make(&layer, a->contents, a->at, e) == NULL)
            return false;
    }
    for (size_t i = 0; i < m->sources; i++) {
        if (!apply_source(a, &m->source[i], e))
            return false;
    }
    return !e->is_set;
}

/* ---- what config.json says ---- */

/* Of one of the parts that stand besides the layers. */
static bool has_source(const weight_match *m, const char *way)
{
    key_path to;
    key_path_read(&to, way, strlen(way));
    for (size_t i = 0; i < m->sources; i++) {
        const key_path *one = &m->source[i].to;
        if (one->key == to.key && one->object == to.object && !one->is_in_layer)
            return true;
    }
    return false;
}

/* The layer that one attention is of: the last number before it. */
static size_t layer_of_attention(const weight_match *m)
{
    size_t at = strlen(m->before), layer = 0, digit = 1;
    while (at > 0 && (m->before[at - 1] < '0' || m->before[at - 1] > '9'))
        at--;
    for (; at > 0 && m->before[at - 1] >= '0' && m->before[at - 1] <= '9'; digit *= 10)
        layer += digit * (size_t)(m->before[--at] - '0');
    return layer;
}

/* Settings that nothing else decides, of the document or of one of its layers. */
static bool add_settings(const applying *a, const bundle *said, bundle *to, err *e)
{
    for (size_t i = 0; i < said->count; i++) {
        const entry *one = &said->entry[i];
        bool is_read =
            !a->from->is_alone || named_find(&KEYS, one->name, strlen(one->name)) != NULL;
        if (is_read && !bundle_options_decide(a->options, to, a->contents, one->name) &&
            bundle_borrow(to, one->name, one, e) == NULL)
            return false;
    }
    return true;
}

/* A setting of an object that has its weights, unless it is said, or `word` is NULL. */
static bool add_word(const applying *a, const char *way, const char *word, err *e)
{
    key_path to;
    key_path_read(&to, way, strlen(way));
    if (word == NULL || key_path_find(&to, a->contents) == NULL)
        return true;
    bundle *in = key_path_make(&to, a->contents, a->at, e);
    return in != NULL && (bundle_find(in, to.key->named.name) != NULL ||
                          bundle_add_text(in, to.key->named.name, word, strlen(word), a->at, e));
}

/* Padding before a sequence moves its rows in models whose positions count what a mask shows, and
 * whose key_bias is not slope times position. */
static bool check_padding(const applying *a, err *e)
{
    const entry *mask = bundle_find(a->contents, "mask");
    const char *says = bundle_text(a->contents, "mask_true");
    bool hides = says != NULL && strcmp(says, "masked") == 0;
    const tensor *t = mask == NULL ? NULL : &mask->tensor;
    const model_config *c = a->from->config;
    bool counts = c->of->counts_shown || bundle_find(&c->settings, "key_bias") != NULL;
    if (!counts || bundle_find(a->contents, "x") != NULL || t == NULL ||
        mask->kind != ENTRY_TENSOR || t->rank != 2)
        return true;
    for (size_t i = 0; i < t->size[0]; i++) {
        if ((tensor_get(t, (size_t[]){i, 0}) != 0) != hides)
            continue;
        err_at(e, &mask->at,
               "mask hides the first row of sequence %zu, and models of %s count positions from "
               "the first row that it shows, which is not computed here",
               i + 1, a->from->config->of->named.name);
        return err_remedy(e, "padding after a sequence moves none of its rows");
    }
    return true;
}

/* From there on modeling_falcon rounds positions to bfloat16, and a slope doesn't say it. */
static bool check_far(const applying *a, err *e)
{
    enum { ROWS_MOST = 257 };
    const entry *x = bundle_find(a->contents, "x"),
                *given = x != NULL ? x : bundle_find(a->contents, "ids");
    const tensor *t = given == NULL || given->kind != ENTRY_TENSOR ? NULL : &given->tensor;
    int axis = t == NULL ? -1 : t->rank - (x != NULL ? 2 : 1);
    size_t rows = axis < 0 ? 0 : t->size[axis];
    if (a->options->generated > 0) /* the last token is no row */
        rows += a->options->generated - 1;
    bool is_by_slopes = bundle_find(&a->from->config->settings, "alibi") != NULL;
    return a->from->config->alibi_times == 0 || !is_by_slopes || axis < 0 || rows <= ROWS_MOST ||
           err_at(e, &given->at,
                  "%s lead to %zu rows, and models of %s round the places of alibi to bfloat16, "
                  "which is not computed here after %d",
                  given->name, rows, a->from->config->of->named.name, ROWS_MOST);
}

/* The file has one layer, and config.json says how often it comes. */
static bool is_repeated(const weight_match *m)
{
    return !m->is_alone && m->config != NULL && m->by->is_one_for_all;
}

static bool apply_depth(const applying *a, err *e)
{
    const weight_match *m = a->from;
    const entry *by = m->config->size[SIZE_LAYERS].by;
    const size_t said = m->config->size[SIZE_LAYERS].is;
    if (!is_repeated(m))
        return m->is_alone || m->is_one || said == 0 || said == m->count ||
               err_at(e, &by->at, "%s is %zu, and the layers in %s are %zu", by->name, said,
                      m->file, m->count);
    if (m->count != 1)
        return err_at(e, &a->at, "it has %zu layers, and models of %s have one for all", m->count,
                      m->by->named.name);
    return said <= 1 || bundle_find(a->contents, "repeat") != NULL ||
           bundle_add_number(a->contents, "repeat", (double)said, a->at, e);
}

static bool apply_config(const applying *a, err *e)
{
    const weight_match *m = a->from;
    const model_config *c = m->config;
    if (c == NULL)
        return true;
    if (!apply_depth(a, e))
        return false;
    /* Each class has a number of its own then. */
    if (bundle_find(&c->settings, "heads") == NULL &&
        bundle_find(heads_of(a, &(key_path){.is_in_layer = !m->is_alone}), "heads") == NULL) {
        err_at(e, &(place){.file = c->file}, "it does not say how many heads there are");
        return err_remedy(e, "num_attention_heads, or another key for it, does; or --heads N");
    }
    size_t alone = layer_of_attention(m);
    if (m->is_alone && alone < c->layers && !add_settings(a, &c->layer[alone], a->contents, e))
        return false;
    for (size_t i = 0; i < c->layers && !m->is_alone; i++) {
        key_path layer = {.is_in_layer = true, .layer = m->is_one ? 0 : i};
        bool is_it = !m->is_one || i == layer_of_attention(m);
        bundle *to = is_it ? key_path_make(&layer, a->contents, a->at, e) : NULL;
        if (is_it && (to == NULL || !add_settings(a, &c->layer[i], to, e)))
            return false;
    }
    /* Of a masked model the logits are its head's; of an encoder and its decoder, the decoder's. */
    bool has_head = has_source(m, NAMED_PARTS[HEAD_W].key),
         has_bias = has_source(m, NAMED_PARTS[UNEMBEDDING].bias),
         has_ids = has_source(m, NAMED_PARTS[UNEMBEDDING].key) ||
                   (c->is_tied && (has_bias || !c->of->shares_head));
    bool has_logits = c->of->head == NULL && has_ids && (has_head || !c->of->is_masked) &&
                      (!c->of->is_of_two || m->cross != NULL);
    const char *logits = has_logits ? "true" : "false";
    return check_far(a, e) && (m->is_alone || check_padding(a, e)) &&
           add_settings(a, &c->settings, a->contents, e) &&
           (m->is_alone || bundle_options_decide(a->options, a->contents, NULL, "logits") ||
            bundle_add_text(a->contents, "logits", logits, strlen(logits), a->at, e));
}

/* A size of config.json that the weights have not. */
static bool check_size(const applying *a, config_size which, const entry *weight, bool of_outputs,
                       size_t in, err *e)
{
    const model_config *c = a->from->config;
    bool is_table = which == SIZE_IDS;
    if (c->size[which].is == 0 || weight == NULL || weight->tensor.rank != 2)
        return true;
    bool of_all = setting_is_out_in(bundle_find(a->contents, "layout"));
    bool is_out_in = !is_table && entry_is_out_in(weight, of_all);
    size_t has = weight->tensor.size[is_out_in != of_outputs] / in;
    return has == c->size[which].is ||
           err_at(e, &c->size[which].by->at, "%s is %zu, and by %s the weights in %s have %zu",
                  c->size[which].by->name, c->size[which].is, weight->name, a->from->file, has);
}

/* Where no key says how wide a head is: what turns is made for that. */
static bool check_head(const applying *a, const entry *wq, size_t heads, err *e)
{
    const model_config *c = a->from->config;
    bool is_said = c->size[SIZE_HEAD].is > 0 || c->size[SIZE_TURNED].is > 0;
    if (is_said || c->of->rope == NULL || c->head_width == 0 || heads == 0 || wq == NULL ||
        wq->tensor.rank != 2)
        return true;
    bool is_out_in = entry_is_out_in(wq, setting_is_out_in(bundle_find(a->contents, "layout")));
    size_t has = wq->tensor.size[is_out_in ? 0 : 1] / heads;
    if (has == c->head_width)
        return true;
    err_at(e, &a->at,
           "by config.json a head is %zu wide, the width by the heads, and by %s the "
           "weights have %zu",
           c->head_width, wq->name, has);
    return err_remedy(e, "head_dim in config.json says how wide it is");
}

static bool check_experts(const applying *a, err *e)
{
    const model_config *c = a->from->config;
    size_t said = c->size[SIZE_EXPERTS].is, has = a->from->experts;
    return said == 0 || said == has || a->from->count <= c->plain ||
           err_at(e, &c->size[SIZE_EXPERTS].by->at, "%s is %zu, and each layer in %s has %zu",
                  c->size[SIZE_EXPERTS].by->name, said, a->from->file, has);
}

/* What config.json says of latents, and of heads that are made of them. */
static bool check_latents(const applying *a, const bundle *layer, err *e)
{
    static const struct {
        const char *key;
        config_size sum[2]; /* of which its outputs are one, or the sum */
        bool is_by_head;
    } LATENTS[] = {
        {"wkv_down", {SIZE_LATENT, SIZE_TURNED}, false},
        {"wq_down", {SIZE_Q_LATENT}, false},
        {"wq", {SIZE_UNTURNED, SIZE_TURNED}, true},
        {"wk", {SIZE_UNTURNED}, true},
        {"wv", {SIZE_VALUE}, true},
    };
    const model_config *c = a->from->config;
    bool of_all = setting_is_out_in(bundle_find(a->contents, "layout"));
    const entry *wkv = bundle_find(layer, "wkv_down");
    size_t heads = count_of(heads_of(a, &(key_path){.is_in_layer = !a->from->is_alone}), "heads");
    if (c->size[SIZE_LATENT].is == 0 || heads == 0)
        return true;
    if (wkv != NULL && c->size[SIZE_Q_LATENT].is == 0 && bundle_find(layer, "wq_down") != NULL)
        return err_at(e, &wkv->at, "q_lora_rank is null, and the queries in %s have a latent",
                      a->from->file);
    for (size_t i = 0; i < sizeof LATENTS / sizeof LATENTS[0]; i++) {
        const entry *weight = bundle_find(layer, LATENTS[i].key);
        config_size first = LATENTS[i].sum[0], second = LATENTS[i].sum[1];
        size_t said = c->size[first].is + (second == SIZE_LAYERS ? 0 : c->size[second].is);
        if (weight == NULL || said == 0)
            continue;
        const tensor *t = &weight->tensor;
        size_t has = t->size[entry_is_out_in(weight, of_all) ? t->rank - 2 : t->rank - 1];
        if (LATENTS[i].is_by_head && t->rank == 2)
            has /= heads;
        if (has != said)
            return err_at(
                e, &c->size[first].by->at, "%s%s%s is %zu, and by the weights in %s it is %zu",
                c->size[first].by->name, second == SIZE_LAYERS ? "" : " + ",
                second == SIZE_LAYERS ? "" : c->size[second].by->name, said, a->from->file, has);
    }
    return true;
}

static bool check_sizes(const applying *a, err *e)
{
    const key_path first = {.is_in_layer = !a->from->is_alone};
    const bundle *layer = key_path_find(&first, a->contents);
    size_t heads = count_of(heads_of(a, &first), "heads");
    if (a->from->config == NULL || layer == NULL)
        return true;
    size_t mixed = a->from->config->plain; /* the first layer with experts */
    const key_path expert = match_path(a->from, mixed, "experts.0", "w1");
    const bundle *of_expert = a->from->experts > 0 ? key_path_find(&expert, a->contents) : NULL;
    const entry *wq = bundle_find(layer, "wq"), *down = bundle_find(layer, "wq_down"),
                *w1 = bundle_find(layer, "w1"),
                *of_one = of_expert == NULL ? NULL : bundle_find(of_expert, "w1");
    return check_experts(a, e) &&
           check_size(a, SIZE_WIDTH, down != NULL ? down : wq, false, 1, e) &&
           check_size(a, SIZE_HEAD, wq, true, heads == 0 ? 1 : heads, e) &&
           check_head(a, wq, heads, e) && check_size(a, SIZE_HIDDEN, w1, true, 1, e) &&
           check_size(a, SIZE_OF_EXPERT, of_one, true, 1, e) && check_latents(a, layer, e) &&
           check_size(a, SIZE_IDS, bundle_find(a->contents, "embedding"), false, 1, e);
}

/* ---- what the names imply ---- */

/* Settings, unless they are given, and the eps of all norms that don't say their own. */
static bool apply_settings(const applying *a, text *note, err *e)
{
    const char *join = "; ", *of_head = a->from->by->head_activation;
    const model_config *c = a->from->config;
    of_head = of_head == NULL && c != NULL ? c->of->head_activation : of_head;
    const char *said = of_head == NULL || c == NULL ? NULL : bundle_text(&c->given, of_head);
    of_head = said != NULL ? said : of_head;
    if (!add_word(a, "head.activation", of_head, e) ||
        !add_word(a, "embed.before", a->from->by->embeds_before, e))
        return false;
    for (size_t i = 0; i < IMPLIED_SETTINGS; i++) {
        const char *name = IMPLIED_KEYS[i], *value = a->from->by->implied[i];
        if (value == NULL || bundle_options_decide(a->options, a->contents, NULL, name))
            continue;
        if (!bundle_add_text(a->contents, name, value, strlen(value), a->at, e))
            return false;
        text_add_format(note, "%s%s %s", join, name, value);
        join = ", ";
    }
    /* A norm without a gain is there by its object alone. */
    key_path last;
    key_path_read(&last, "ln_f.gain", strlen("ln_f.gain"));
    if (a->from->by->ends_bare && !bundle_options_decide(a->options, a->contents, NULL, "ln_f") &&
        key_path_make(&last, a->contents, a->at, e) == NULL)
        return false;
    double eps = a->from->by->eps;
    if (eps <= 0 || bundle_options_decide(a->options, a->contents, NULL, "norm_eps"))
        return true;
    text_add_format(note, ", norm_eps %g", eps);
    return bundle_add_number(a->contents, "norm_eps", eps, a->at, e);
}

/* ---- what was taken for what ---- */

/* A name within its layer. */
static const char *name_within(const weight_match *m, const weight_source *from)
{
    size_t before = strlen(m->before) + (m->is_one ? 0 : (size_t)m->digits + strlen(m->after));
    bool is_inside = (m->is_alone || from->to.is_in_layer) && from->mapped == 0;
    return is_inside ? from->name + before : from->name;
}

static bool is_bias(const key_path *p)
{
    const char *name = p->key->named.name;
    return strcmp(name, "bias") == 0 || (name[0] == 'b' && strlen(name) == 2);
}

/* "wq, wk, wv from attn.c_attn.weight, wo from …, with biases": of the first layer, and next to the
 * layers. */
static void add_layer_sources(const applying *a, text *out)
{
    const weight_match *m = a->from;
    const char *last = NULL, *join = ": ";
    size_t biases = 0;
    for (size_t i = 0; i <= m->sources; i++) {
        const weight_source *from = i < m->sources ? &m->source[i] : NULL;
        bool is_said = from != NULL && from->name != NULL && !from->is_tied &&
                       from->to.layer == 0 && from->to.item == 0 && !leaves_out(a, from);
        biases += is_said && is_bias(&from->to);
        if (from != NULL && (!is_said || is_bias(&from->to)))
            continue;
        const char *name = from == NULL ? NULL : name_within(m, from);
        if (last != NULL && (name == NULL || strcmp(name, last) != 0))
            text_add_format(out, " from %s", last);
        if (from != NULL) {
            text_add_string(out, join);
            /* "cross.wq" of the first layer, or "ln_f". */
            key_path within = from->to;
            within.is_in_layer = false;
            if (strcmp(from->to.key->named.name, "gain") == 0)
                key_path_write_object(out, &within);
            else
                key_path_write(out, &within);
        }
        last = name;
        join = ", ";
    }
    text_add_string(out, biases > 0 ? ", with biases" : ", no biases");
}

/* "Wq, Wk, Wv from c_attn.weight, Wo from c_proj.weight, with bo, q_gain from q_norm.weight": of
 * one attention, and what is used of what may stand besides weights. */
static void add_attention_sources(const applying *a, text *out)
{
    const weight_match *m = a->from;
    const char *join = ": ";
    text biases = {0}, rest = {0};
    for (size_t i = 0; i < m->sources; i++) {
        const weight_source *from = &m->source[i];
        const char *next = i + 1 < m->sources ? from[1].name : NULL;
        input which = from->which;
        if (from->name == NULL || which == INPUT_COUNT)
            continue;
        const char *label = input_label(which), *within = name_within(m, from);
        if (which >= INPUT_WQ && which <= INPUT_WO) {
            text_add_format(out, "%s%s", join, label);
            if (from->name != next || which == INPUT_WO)
                text_add_format(out, " from %s", within);
            join = ", ";
        } else if (which >= INPUT_BQ && which <= INPUT_BO) {
            text_add_format(&biases, "%s%s", biases.length == 0 ? ", with " : ", ", label);
        } else if (convention_is_beside(which) &&
                   bundle_find(a->contents, input_key(which)) != NULL) {
            text_add_format(&rest, ", %s", label);
            if (strcmp(within, label) != 0)
                text_add_format(&rest, " from %s", within);
        }
    }
    text_add_string(out, biases.length == 0 ? ", no biases" : text_string(&biases));
    text_add_string(out, text_string(&rest));
    text_close(&biases, out);
    text_close(&rest, out);
}

/* Whose names, where they are, and what each is. */
static void tell_names(const applying *a, const cutting *how, text *note)
{
    const weight_match *m = a->from;
    text_add_format(note, "%s: names of %s%s", m->file,
                    m->is_alone ? m->attention->named.name : m->by->named.name,
                    m->is_one && *m->before == '\0' ? "" : " in ");
    match_write_place(note, m);
    if (!m->is_alone)
        text_add_format(note, ", %zu layer%s%s", m->count, m->count == 1 ? "" : "s",
                        m->is_one        ? " alone"
                        : is_repeated(m) ? " for all"
                                         : "");
    text_add_format(note, ", %s%s", layout_name(how->layout),
                    how->layout_is_given ? " as --layout says" : "");
    if (m->is_alone)
        add_attention_sources(a, note);
    else
        add_layer_sources(a, note);
}

/* A setting of models of these names that neither an option nor the document decides. */
static bool is_open(const applying *a, const char *setting)
{
    const key_path first = {.is_in_layer = !a->from->is_alone};
    return !bundle_options_decide(a->options, key_path_find(&first, a->contents), a->contents,
                                  setting);
}

/* What gains imply (says_norm: the document said it before), and what models of these names compute
 * that files of names and numbers don't say. */
static void tell_hints(const applying *a, bool says_norm, text *note)
{
    const weight_match *m = a->from;
    const layer_convention *by = m->by;
    const convention *of = m->attention;
    const key_path first = {.is_in_layer = !m->is_alone};
    const char *norm = bundle_text(key_path_find(&first, a->contents), "qk_norm");
    if (norm != NULL && !(m->is_alone && says_norm))
        text_add_format(note, "%s qk_norm %s", m->is_alone ? ";" : ",", norm);
    bool may_be_one = m->is_alone && cut_columns(bundle_find(a->contents, "wq"), a->contents) <= 1;
    if (bundle_find(heads_of(a, &first), "heads") == NULL && !may_be_one)
        text_add_string(note, "; one head, unless --heads says how many");
    if (m->is_alone && of->is_causal && is_open(a, "causal"))
        text_add_format(note, "; models of %s are causal: --causal", of->named.name);
    if (m->is_alone && of->scale != NULL && is_open(a, "scale"))
        text_add_format(note, "; models of %s have another scale: --scale %s", of->named.name,
                        of->scale);
    bool has_relative = bundle_find(a->contents, "relative_bias") != NULL;
    if (by->open != NULL && is_open(a, by->open) && !has_relative)
        text_add_format(note, "; %s", by->hint);
    /* A table that is given is taken from its first row, by any convention. */
    key_path table;
    key_path_read(&table, "position_embedding", strlen("position_embedding"));
    bool is_by_name =
        by->position_row > 0 && by->part[POSITIONS] != NULL && !match_is_mapped(a->from, &table);
    if (by->position_row > 0 && !is_by_name &&
        bundle_find(a->contents, "position_embedding") != NULL)
        text_add_format(note,
                        "; position 0 is row 0 of position_embedding, and in models of %s it may "
                        "be row %zu of their table",
                        by->named.name, by->position_row);
}

/* ---- a document under a document ---- */

static void merge(const bundle *from, const bundle_options *w, bundle *to, err *e)
{
    for (size_t i = 0; i < from->count; i++) {
        const entry *one = &from->entry[i];
        entry *there = bundle_find(to, one->name);
        if (there == NULL && !(w != NULL && bundle_options_remove(w, one->name)))
            bundle_borrow(to, one->name, one, e);
        else if (there != NULL && there->kind == ENTRY_BUNDLE && one->kind == ENTRY_BUNDLE)
            merge(one->bundle, NULL, there->bundle, e);
    }
}

/* ---- the whole ---- */

bool weights_apply(weight_match *m, const bundle_options *w, const bundle *read, dtype type,
                   bundle *contents, text *note, err *e)
{
    applying a = {m, w, read, type, contents, {.file = m->file}};
    if (m->is_document) {
        merge(read, w, contents, e);
        return !e->is_set;
    }
    bool says_norm = bundle_find(contents, "qk_norm") != NULL;
    /* Of conventions that share their names, whose it is: of attention, unless the layout is
     * said, and then of the layers. */
    const tensor *joint = NULL;
    for (size_t i = 0; i < m->sources && joint == NULL && w->layout == NULL; i++) {
        const weight_source *from = &m->source[i];
        if (from->is_cut && from->name != NULL && from->which <= INPUT_WV)
            joint = bundle_tensor(read, from->name);
    }
    const convention *by = joint == NULL ? m->attention : cut_settle(m->attention, joint);
    if (by != m->attention && !m->is_alone) {
        const char *name = by->named.name;
        m->by = (const layer_convention *)(const void *)named_find(&LAYER_CONVENTIONS, name,
                                                                   strlen(name));
    }
    m->attention = by;
    if (m->config == NULL || m->config->of->names == NULL)
        m->by = layer_convention_settle(m->by, m->before, rows_of(&a, "position_embedding"),
                                        rows_of(&a, "segment_embedding"));
    /* Layers are the document's, or there are some here, and as many. */
    const entry *layers = bundle_find(contents, "layers");
    if (!m->is_alone && layers == NULL && m->count == 0)
        return weight_match_refuse(m, "", e);
    if (!m->is_alone && layers != NULL && m->count > 0 && layers->bundle->count != m->count)
        return err_at(e, &layers->at, "%zu layer%s here, and %zu in %s", layers->bundle->count,
                      layers->bundle->count == 1 ? "" : "s", m->count, m->file);
    if (!apply_config(&a, e) || !refused_check(m, w, contents, e) || !apply_sources(&a, e) ||
        (!m->is_alone && !leftovers_check(m, e)) || !check_sizes(&a, e))
        return false;
    if (weight_match_is_own(m))
        return true;
    cutting how = cutting_of(&a, &(key_path){0});
    tell_names(&a, &how, note);
    bool done = apply_settings(&a, note, e);
    if (m->config != NULL) {
        text_add_format(note, "; %s says ", m->config->file);
        model_config_describe(note, m->config, contents, false);
    }
    tell_hints(&a, says_norm, note);
    return done;
}
