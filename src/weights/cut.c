#include "weights/cut.h"

#include "attn/spec/setting.h"

#include <string.h>

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
    return joint->rank == 2 && joint->size[1 - along] == parts * joint->size[along];
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

/* Part 0, 1 or 2 of what lies side by side along an axis. */
static bool cut_share(const cutting *how, size_t part, int along, const entry *from, tensor *out,
                      err *e)
{
    bool is_grouped = how->by->cut == CUT_BY_HEADS && how->heads > 0 && how->kv_heads > 0;
    size_t q = is_grouped ? how->heads : how->by->cut == CUT_HALVES ? 0 : 1;
    size_t kv = is_grouped ? how->kv_heads : 1;
    size_t total = from->tensor.size[along], parts = q + 2 * kv, one = total / parts;
    if (total % parts != 0 || one == 0)
        return err_at(e, &from->at, "%s holds %zu outputs, which can't be cut as %zu + %zu + %zu",
                      from->name, total, q, kv, kv);
    size_t first = part == 0 ? 0 : q + (part - 1) * kv;
    *out = tensor_range(&from->tensor, along, first * one, (part == 0 ? q : kv) * one);
    return true;
}

/* ---- head by head ---- */

/* The width of a head's part, where `total` outputs are heads × (Wq, Wk, Wv) of it. */
static bool find_width(const cutting *how, const entry *from, size_t total, size_t *width, err *e)
{
    if (how->heads == 0) {
        err_at(e, &from->at, "%s lies head by head, and the number of heads is not known",
               from->name);
        return err_remedy(e, "--heads N says it");
    }
    *width = total / 3 / how->heads;
    return (*width > 0 && *width * 3 * how->heads == total) ||
           err_at(e, &from->at, "%s holds %zu outputs, which are not 3 for each of %zu heads",
                  from->name, total, how->heads);
}

/* One matrix a head: h × d × m, or in-out h × m × d. */
static bool cut_heads(const cutting *how, size_t part, const entry *from, tensor *out, err *e)
{
    const tensor *joint = &from->tensor;
    int along = output_axis(how);
    size_t width = 0, total = joint->size[along];
    char shape[SHAPE_TEXT];
    if (total != 3 * joint->size[1 - along])
        return err_at(e, &from->at, "%s is %s, which is not 3 outputs an input: not head by head",
                      from->name, tensor_shape_text(joint, shape));
    if (!find_width(how, from, total, &width, e))
        return false;
    tensor first = tensor_range(joint, along, part * width, width);
    *out = first;
    out->rank = 3;
    out->size[0] = how->heads;
    out->stride[0] = joint->stride[along] * (ptrdiff_t)(3 * width);
    for (int axis = 0; axis < 2; axis++) {
        out->size[axis + 1] = first.size[axis];
        out->stride[axis + 1] = first.stride[axis];
    }
    return true;
}

/* A bias has to be one vector without holes. */
static bool copy_heads(const cutting *how, size_t part, const entry *from, tensor *out, err *e)
{
    size_t width = 0;
    if (!find_width(how, from, from->tensor.size[0], &width, e))
        return false;
    size_t size = how->heads * width;
    if (!tensor_new(out, from->tensor.type, 1, &size, e))
        return false;
    for (size_t head = 0; head < how->heads; head++) {
        tensor one = tensor_range(&from->tensor, 0, (3 * head + part) * width, width);
        tensor into = tensor_range(out, 0, head * width, width);
        tensor_copy(&one, &into);
    }
    return true;
}

/* ---- the whole ---- */

bool cut_part(const cutting *how, input which, const entry *from, tensor *out, err *e)
{
    static const char *const HELD[] = {"Wq, Wk and Wv", "bq, bk and bv", "Wk and Wv", "bk and bv"};
    const convention *by = how->by;
    bool is_bias = which >= INPUT_BQ, is_half = by->cut == CUT_HALVES;
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
    if (by->cut == CUT_HEAD_BY_HEAD)
        return is_bias ? copy_heads(how, part, from, out, e) : cut_heads(how, part, from, out, e);
    return cut_share(how, part, is_bias ? 0 : output_axis(how), from, out, e);
}

/* ---- how it is read ---- */

static weight_layout layout_of_word(const char *word)
{
    if (word == NULL)
        return LAYOUT_UNSAID;
    return strcmp(word, "out-in") == 0   ? LAYOUT_OUT_IN
           : strcmp(word, "in-out") == 0 ? LAYOUT_IN_OUT
                                         : LAYOUT_UNSAID;
}

/* A setting as a count; 0 where it is none. */
static size_t count_of(const bundle *settings, const char *name)
{
    const tensor *number = bundle_tensor(settings, name);
    double value = number == NULL || number->rank != 0 ? 0 : tensor_get(number, NULL);
    return value >= 1 && value < 1e9 ? (size_t)value : 0;
}

cutting cut_how(const convention *by, const char *layout, const bundle *read,
                const bundle *settings)
{
    weight_layout asked = layout_of_word(layout);
    cutting how = {.by = by,
                   .layout = asked,
                   .layout_is_given = asked != LAYOUT_UNSAID,
                   .heads = count_of(settings, "heads"),
                   .kv_heads = count_of(settings, "kv_heads")};
    if (asked == LAYOUT_UNSAID)
        how.layout =
            convention_is_own(by) ? layout_of_word(bundle_text(read, "layout")) : by->layout;
    return how;
}

const convention *cut_settle(const convention *by, const tensor *joint)
{
    cutting how = {.by = by, .layout = by->layout};
    if (!convention_is_joint(by) || !contradicts(&how, joint))
        return by;
    for (size_t i = 0; i < CONVENTIONS.count; i++) {
        const convention *other = convention_at(i);
        if (other->cut == by->cut && other->layout != by->layout && strcmp(other->q, by->q) == 0 &&
            strcmp(other->out, by->out) == 0)
            return other;
    }
    return by;
}

/* ---- heads ---- */

size_t cut_columns(const entry *weight, const bundle *top)
{
    bool of_all = setting_is_out_in(bundle_find(top, "layout"));
    bool is_out_in = weight != NULL && entry_is_out_in(weight, of_all);
    bool is_matrix = weight != NULL && weight->kind == ENTRY_TENSOR && weight->tensor.rank == 2;
    return is_matrix ? weight->tensor.size[is_out_in ? 0 : 1] : 0;
}

bool cut_check_heads(const cutting *how, const char *name, input which, const bundle *in,
                     const bundle *top, err *e)
{
    if (which != INPUT_WK || how->heads <= 1 || how->kv_heads > 0)
        return true;
    const entry *keys = bundle_find(in, input_key(INPUT_WK));
    size_t q = cut_columns(bundle_find(in, input_key(INPUT_WQ)), top);
    size_t k = cut_columns(keys, top), width = q / how->heads;
    bool is_some = width > 0 && q % how->heads == 0 && k > 0 && k < q && k % width == 0;
    if (!is_some || how->heads % (k / width) != 0)
        return true;
    err_at(e, &keys->at,
           "%s has %zu columns, and Wq %zu: for %zu heads of queries there are %zu of keys", name,
           k, q, how->heads, k / width);
    return err_remedy(e, "--kv-heads %zu says so", k / width);
}

/* ---- gains ---- */

static const char SETTING[] = "qk_norm";

bool input_is_gain(input which)
{
    return which == INPUT_Q_GAIN || which == INPUT_K_GAIN;
}

bool gains_are_wanted(const bundle_options *w, const bundle *in, const bundle *top)
{
    const bundle *said = in != NULL && bundle_find(in, SETTING) != NULL ? in : top;
    const char *word = said == NULL ? NULL : bundle_text(said, SETTING);
    return !bundle_options_remove(w, SETTING) && (word == NULL || strcmp(word, "none") != 0);
}

bool gain_settle(const cutting *how, const char *name, bool is_mapped, input which, bundle *in,
                 const bundle *top, err *e)
{
    static const char RMS[] = "rms";
    if (!input_is_gain(which) || how->by->q_gain == NULL)
        return true;
    /* The norm has to be each head's own. Of other lengths the plan says what is wrong. */
    bool is_query = which == INPUT_Q_GAIN;
    const entry *gain = bundle_find(in, input_key(which));
    const entry *weight = bundle_find(in, input_key(is_query ? INPUT_WQ : INPUT_WK));
    size_t heads = is_query || how->kv_heads == 0 ? how->heads : how->kv_heads;
    size_t count = gain->kind == ENTRY_TENSOR ? tensor_count(&gain->tensor) : 0;
    if (!is_mapped && heads > 1 && count == cut_columns(weight, top)) {
        err_at(e, &gain->at,
               "%s has a number for each column of all %zu heads: a norm over all of them, as in "
               "OLMo 2, where here each head has its own",
               name, heads);
        return err_remedy(e,
                          "--map takes it for gains all the same, --no-qk-norm leaves norms out");
    }
    return bundle_find(in, SETTING) != NULL || bundle_find(top, SETTING) != NULL ||
           bundle_add_text(in, SETTING, RMS, strlen(RMS), gain->at, e);
}
