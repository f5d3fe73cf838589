#include "model/stages.h"

#include "model/stack.h"
#include "model/stack_keys.h"

#include <stdio.h>
#include <string.h>

/* ---- patterns ---- */

/* Of several * only the last one has to be tried at other places: what stands before it has matched
 * as early as it can. */
bool stage_name_matches(const char *pattern, const char *name)
{
    const char *behind_star = NULL, *from = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            behind_star = ++pattern;
            from = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (behind_star != NULL) {
            pattern = behind_star;
            name = ++from;
        } else {
            return false;
        }
    }
    pattern += strspn(pattern, "*");
    return *pattern == '\0';
}

/* ---- names ---- */

/* Names are as long as the deepest stage's, with room to spare for a layer's number. */
static void append(char to[STAGE_NAME], const char *more)
{
    size_t length = strlen(to);
    snprintf(to + length, STAGE_NAME - length, "%s", more);
}

stage_way stage_way_on(const stage_way *way, const char *step)
{
    stage_way on = *way;
    append(on.text, step);
    append(on.text, ".");
    return on;
}

stage_way stage_way_of_layer(size_t number)
{
    stage_way way = {.text = ""};
    snprintf(way.text, sizeof way.text, "layer.%zu.", number);
    return way;
}

void stage_name_in_full(const stage_way *way, const char *name, char out[STAGE_NAME])
{
    memcpy(out, way->text, STAGE_NAME);
    append(out, name);
}

bool stage_is_gradient(const char *name, char of[STAGE_NAME])
{
    static const char END[] = "_grad";
    size_t length = strlen(name), end = sizeof END - 1;
    bool is_one = length > end && strcmp(name + length - end, END) == 0;
    if (of != NULL)
        snprintf(of, STAGE_NAME, "%.*s", is_one ? (int)(length - end) : 0, name);
    return is_one;
}

/* ---- what is wanted ---- */

keeper keeper_of(const text_list *names)
{
    keeper k = {.wanted = names};
    for (size_t i = 0; i < names->count && !k.has_patterns; i++)
        k.has_patterns = strchr(names->item[i], '*') != NULL;
    return k;
}

keeper keeper_within(const keeper *k, const char *step)
{
    keeper within = *k;
    within.way = stage_way_on(&k->way, step);
    return within;
}

keeper keeper_of_layer(const keeper *k, size_t number)
{
    keeper of_layer = *k;
    of_layer.way = stage_way_of_layer(number);
    return of_layer;
}

/* The name under which it is kept. Returns whether another layer has it. */
static bool kept_name(const keeper *k, const char *name, char full[STAGE_NAME])
{
    stage_name_in_full(&k->way, name, full);
    return k->gains != NULL && stack_own_gradient(k->gains->of, full);
}

bool keeper_adds_up(const keeper *k, const char *name)
{
    char full[STAGE_NAME];
    return kept_name(k, name, full);
}

bool keeper_wants(const keeper *k, const char *name)
{
    char full[STAGE_NAME];
    kept_name(k, name, full);
    if (!k->has_patterns)
        return text_list_find(k->wanted, full) != NULL;
    for (size_t i = 0; i < k->wanted->count; i++) {
        if (stage_name_matches(k->wanted->item[i], full))
            return true;
    }
    return false;
}

bool keeper_keep(const keeper *k, const char *name, const tensor *rows, const char *axes, err *e)
{
    char full[STAGE_NAME];
    size_t batches = k->batches == 0 ? 1 : k->batches;
    size_t size[] = {batches, rows->size[0] / batches, rows->size[1]};
    tensor copy;
    bool is_wanted = keeper_wants(k, name);
    if (k->change == NULL && !is_wanted)
        return true;
    stage_name_in_full(&k->way, name, full);
    const bool goes_on = k->change == NULL || k->change(k->context, full, rows);
    if (!is_wanted)
        return goes_on;
    if (!tensor_new_copy(&copy, rows, e))
        return false;
    if (k->batches > 0)
        tensor_own(&copy, rows->type, 3, size, copy.data);
    if (!bundle_add_tensor(k->result, full, &copy, (place){0}, e))
        return false;
    bundle_find(k->result, full)->axes = k->batches > 0 ? axes : axes + 1;
    return goes_on;
}

/* Adds what the layers after this one gave, if any did. */
static bool add_up(const keeper *k, const char *full, tensor *of, err *e)
{
    const way_back *by = k->gains->by;
    const tensor *sum = bundle_tensor(&k->gains->sum, full);
    if (sum == NULL)
        return true;
    if (k->gains->of->slip == STACK_GAINS_LAST_TIME)
        tensor_copy(sum, of);
    else if (k->gains->of->slip != STACK_GAINS_FIRST_TIME)
        by->with->add(sum->data, tensor_count(of), of->data, 1, of->data);
    bundle_remove(&k->gains->sum, full);
    return gradient_check_range(by, &(keeper){0}, full, of, e);
}

bool keeper_take(const keeper *k, const char *name, tensor *of, const char *axes, err *e)
{
    char full[STAGE_NAME];
    bundle *to = kept_name(k, name, full) ? &k->gains->sum : k->result;
    if (!keeper_wants(k, name))
        return true;
    if ((k->gains != NULL && !add_up(k, full, of, e)) ||
        !bundle_add_tensor(to, full, of, (place){0}, e))
        return false;
    bundle_find(to, full)->axes = axes;
    return true;
}

/* ---- axes ---- */

/* What is made outside of attention, in a stack or in each of its layers, with the axes that it has
 * where there is a batch. */
typedef struct rows_stage {
    named named; /* its help: the axes */
    bool is_of_stack, is_of_layer;
} rows_stage;

static const rows_stage ROWS_STAGES[] = {
    {{"embed.output", "bqm"}, true, false},
    {{"embedded", "bqm"}, true, false},
    {{"ln_e", "bqm"}, true, false},
    {{"rollout", "bqk"}, true, false},
    {{"ln_f", "bqm"}, true, false},
    {{"ln1", "bqm"}, false, true},
    {{"ln2", "bqm"}, false, true},
    {{"ln3", "bqm"}, false, true},
    {{"ln4", "bqm"}, false, true},
    {{"attention_sum", "bqm"}, false, true},
    {{"cross_sum", "bqm"}, false, true},
    {{"ffn_sum", "bqm"}, false, true},
    {{"ffn.hidden", "bqO"}, true, true},
    {{"ffn.gate", "bqO"}, true, true},
    {{"ffn.activated", "bqO"}, true, true},
    {{"ffn.router", "bqO"}, false, true},
    {{"ffn.scores", "bqO"}, false, true},
    {{"ffn.choice", "bqO"}, false, true},
    {{"ffn.routing", "bqO"}, false, true},
    {{"ffn.experts", "bqO"}, false, true},
    {{"ffn.shared", "bqO"}, false, true},
    {{"ffn.shared_gate", "bqO"}, false, true}, /* these two have gradients alone */
    {{"ffn.x", "bqm"}, false, true},
    {{"ffn.output", "bqO"}, true, true},
    {{"logits.product", "bqO"}, true, false}, /* these two where a factor or a cap follows */
    {{"logits.times", "bqO"}, true, false},
    {{"logits", "bqO"}, true, false},
    {{"head.hidden", "bqO"}, true, false},
    {{"head.activated", "bqO"}, true, false},
    {{"head.norm", "bqO"}, true, false},
    {{"output", "bqm"}, false, true}, /* a stack's has the name of attention's */
};

/* Without the end of a gradient's name. */
static size_t length_of_own(const char *name, size_t length)
{
    static const char GRADIENT[] = "_grad";
    size_t end = sizeof GRADIENT - 1;
    bool is_gradient = length > end && memcmp(name + length - end, GRADIENT, end) == 0;
    return is_gradient ? length - end : length;
}

/* A gradient has the axes of what it is of. */
static const rows_stage *find_rows(const char *name, size_t length)
{
    static const named_table TABLE = NAMED_TABLE("stage", ROWS_STAGES);
    return (const rows_stage *)(const void *)named_find(&TABLE, name, length_of_own(name, length));
}

/* What a layer or a part makes has its name before a dot; a matrix at the top has a gradient. */
bool stack_may_have_stage(const char *name, size_t length)
{
    const rows_stage *found = find_rows(name, length);
    size_t own = length_of_own(name, length);
    const key *of =
        own == length ? NULL : (const key *)(const void *)named_find(&STACK_KEYS, name, own);
    return memchr(name, '.', length) != NULL || (found != NULL && found->is_of_stack) ||
           (of != NULL && of->kind == KEY_MATRIX);
}

const char *stack_axes_of(const char *name)
{
    static const char LAYER[] = "layer.";
    size_t word = sizeof LAYER - 1;
    const char *own = name; /* what is after "layer.0.", where that is before it */
    if (strncmp(name, LAYER, word) == 0) {
        size_t digits = strspn(name + word, "0123456789");
        own += digits > 0 && name[word + digits] == '.' ? word + digits + 1 : 0;
    }
    const rows_stage *found = find_rows(own, strlen(own));
    bool is_one = found != NULL && (own == name ? found->is_of_stack : found->is_of_layer);
    return is_one ? found->named.help : stage_axes_of(name);
}

void stack_find_axes(entry *one)
{
    const char *axes = stack_axes_of(one->name);
    if (*axes == '\0' || one->axes != NULL || one->kind != ENTRY_TENSOR)
        return;
    for (size_t missing = strlen(axes); missing > (size_t)one->tensor.rank; missing--) {
        if (*axes != 'b' && *axes != 'h')
            return;
        axes++;
    }
    if (strlen(axes) == (size_t)one->tensor.rank)
        one->axes = axes;
}

bool stack_choose_rows(const row_choice *rows, const bundle *from, bundle *to, err *e)
{
    for (size_t i = 0; i < from->count; i++) {
        const entry *one = &from->entry[i];
        const char *queries = strchr(stack_axes_of(one->name), 'q');
        /* Leading axes may lack. */
        int axis = queries == NULL ? -1 : one->tensor.rank - (int)strlen(queries);
        if (axis < 0 || one->tensor.size[axis] != rows->of) {
            if (bundle_borrow(to, one->name, one, e) == NULL)
                return false;
            continue;
        }
        tensor part, copy;
        if (!row_choice_take(rows, &one->tensor, axis, &part, e))
            return false;
        bool is_made = tensor_new_copy(&copy, &part, e);
        tensor_free(&part);
        if (!is_made || !bundle_add_tensor(to, one->name, &copy, one->at, e))
            return false;
        entry *added = bundle_find(to, one->name);
        added->axes = one->axes;
        added->stored = one->stored;
        added->has_unprinted = one->has_unprinted;
    }
    return true;
}
