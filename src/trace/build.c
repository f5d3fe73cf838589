#include "trace/build.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "trace/nodes.h"

#include <assert.h>
#include <string.h>

enum { HEADS = 4 };

static const char *keep_format(builder *b, const char *format, va_list args)
{
    text_list *all = &b->room->words;
    text words = {0};
    text_add_arguments(&words, format, args);
    b->failed = b->failed || !text_ok(&words, b->e) ||
                !text_list_add(all, text_string(&words), words.length, b->e);
    text_free(&words);
    return b->failed ? "" : all->item[all->count - 1];
}

const char *build_text(builder *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *words = keep_format(b, format, args);
    va_end(args);
    return words;
}

void build_unshown_step(builder *b, step_id id, const char *name)
{
    b->spare_step = (trace_step){.id = id, .name = name};
    b->step = &b->spare_step;
}

void build_step(builder *b, step_id id, const char *name)
{
    trace *t = b->trace;
    trace_room *room = b->room;
    build_unshown_step(b, id, name);
    if (b->failed)
        return;
    b->failed = true;
    trace_step **own =
        mem_grow(room->step, room->steps, &room->steps_capacity, sizeof own[0], b->e);
    if (own == NULL)
        return;
    room->step = own;
    const trace_step **all = mem_grow(t->step, t->steps, &t->steps_capacity, sizeof all[0], b->e);
    if (all == NULL)
        return;
    t->step = all;
    trace_step *added = mem_alloc(1, sizeof *added, b->e);
    if (added == NULL)
        return;
    *added = b->spare_step;
    b->step = room->step[room->steps++] = added;
    t->step[t->steps++] = added;
    b->failed = false;
}

trace_item *build_item(builder *b, trace_kind kind)
{
    trace_step *step = b->step;
    trace_item **all = b->waits ? &step->waiting : &step->item;
    size_t *count = b->waits ? &step->waits : &step->count;
    size_t *capacity = b->waits ? &step->waiting_capacity : &step->capacity;
    trace_item *items = b->failed ? NULL : mem_grow(*all, *count, capacity, sizeof items[0], b->e);
    if (items == NULL) {
        b->failed = true;
        return &b->spare_item;
    }
    *all = items;
    trace_item *added = &items[(*count)++];
    *added = (trace_item){
        .kind = kind, .holds = b->holds, .waits = b->waits, .before = step->count, .head = b->head};
    return added;
}

void build_while(builder *b, trace_while holds, bool is_so)
{
    b->holds = holds;
    b->waits = !is_so;
}

void build_always(builder *b)
{
    build_while(b, TRACE_ALWAYS, true);
}

void build_begin_head(builder *b, size_t head)
{
    b->head = b->plan->has_heads ? head + 1 : 0;
}

static trace_item *add_words(builder *b, trace_kind kind, const char *format, va_list args)
{
    const char *words = keep_format(b, format, args);
    trace_item *item = build_item(b, kind);
    item->text = words;
    return item;
}

trace_item *build_sentence(builder *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    trace_item *item = add_words(b, TRACE_SENTENCE, format, args);
    va_end(args);
    return item;
}

trace_item *build_formula(builder *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    trace_item *item = add_words(b, TRACE_FORMULA, format, args);
    va_end(args);
    return item;
}

trace_item *build_line(builder *b, operation op, const char *left, const char *letters)
{
    trace_item *line = build_item(b, TRACE_LINE);
    line->op = op;
    line->left = left;
    line->letters = letters;
    line->words = 0; /* of a spare one there may be some */
    return line;
}

void build_word(trace_item *line, const char *in, size_t at, size_t bytes)
{
    assert(line->words < TRACE_WORDS);
    line->word[line->words++] = (trace_word){in, at, bytes};
}

static bool is_of_kv_heads(const plan *p, stage_id id)
{
    const projection *role = plan_role(p, id);
    return role != NULL && role != &p->q;
}

size_t build_shown_head(const builder *b, stage_id id)
{
    return is_of_kv_heads(b->plan, id) ? plan_kv_head(b->plan, b->focus.head) : b->focus.head;
}

stage_id build_queries(const builder *b)
{
    return plan_stand_in(b->plan, STAGE_Q_ROPE);
}

stage_id build_new_keys(const builder *b)
{
    return plan_stand_in(b->plan, STAGE_K_ROPE);
}

stage_id build_keys(const builder *b)
{
    return plan_stand_in(b->plan, STAGE_PRESENT_K);
}

stage_id build_values(const builder *b)
{
    return plan_stand_in(b->plan, STAGE_PRESENT_V);
}

stage_id build_gradient_of(stage_id of)
{
    stage_id id = STAGE_OUTPUT_GRAD;
    while (stage_row(id)->of != of)
        id++;
    return id;
}

const char *build_gradient_name(stage_id of)
{
    return map_name_of(build_gradient_of(of));
}

stage_id build_compared(const builder *b, stage_id id)
{
    if (plan_has_stage(b->plan, id))
        return id;
    return id == STAGE_Q_SCORE ? build_queries(b) : build_keys(b);
}

void build_heads_of_score(const builder *b, tensor *view)
{
    int last = view->rank - 1;
    view->size[0] = view->stride[0] == 0 ? 1 : b->plan->heads;
    view->size[2] = view->size[last];
    view->stride[2] = view->stride[last];
    view->size[1] = view->rank < 3 ? 1 : view->size[1];
    view->rank = 3;
}

stage_id build_result_grad(const builder *b)
{
    const plan *p = b->plan;
    bool is_output = !p->has_heads && p->wo.data == NULL && p->bo.data == NULL;
    return is_output ? STAGE_OUTPUT_GRAD : STAGE_ATTENDED_GRAD;
}

bool build_is_shared(const builder *b, stage_id id)
{
    return b->comes.shared != NULL && b->comes.shared->is_shared[id];
}

bool build_is_part(const builder *b, stage_id id)
{
    return b->plan->batches > 1 || build_is_shared(b, id);
}

const char *build_summed_name(builder *b, stage_id id)
{
    return build_is_part(b, id) ? build_text(b, "%s_part", map_name_of(id)) : map_name_of(id);
}

const char *build_output_name(const builder *b)
{
    const plan *p = b->plan;
    bool is_joined = p->wo.data != NULL || p->bo.data != NULL;
    return map_name_of(is_joined ? STAGE_OUTPUT : p->has_heads ? STAGE_CONTEXT : STAGE_ATTENDED);
}

stage_id build_used_weights(const builder *b)
{
    return plan_stand_in(b->plan, STAGE_ROUNDED);
}

stage_id build_unmasked(const builder *b)
{
    if (plan_has_stage(b->plan, STAGE_CAPPED))
        return STAGE_CAPPED;
    return b->plan->scale == 1 ? STAGE_SCORES : STAGE_SCALED;
}

stage_id build_masked(const builder *b)
{
    return plan_masks(b->plan) ? STAGE_MASKED : build_unmasked(b);
}

tensor build_stage_of_batch(const builder *b, stage_id id)
{
    const tensor *found = bundle_tensor(b->result, map_name_of(id));
    if (found == NULL)
        return (tensor){0};
    tensor full = plan_all_axes(b->plan, id, found);
    return tensor_at(&full, b->focus.batch);
}

tensor build_stage(const builder *b, stage_id id)
{
    const plan *p = b->plan;
    const tensor *found = bundle_tensor(b->result, map_name_of(id));
    if (found == NULL)
        return (tensor){0};
    tensor full = plan_all_axes(p, id, found);
    full = plan_heads_apart(&full, is_of_kv_heads(p, id) ? p->kv_heads : p->heads);
    tensor heads = tensor_at(&full, b->focus.batch);
    return tensor_at(&heads, build_shown_head(b, id));
}

tensor build_numbers_new(builder *b, const char *name, dtype type, int rank, const size_t *size)
{
    bundle *kept = &b->room->statistics;
    const char *own = build_text(b, "%zu: %s", kept->count + 1, name);
    tensor made;
    b->failed = b->failed || !tensor_new(&made, type, rank, size, b->e) ||
                !bundle_add_tensor(kept, own, &made, (place){0}, b->e);
    return b->failed ? (tensor){0} : tensor_view_of(&kept->entry[kept->count - 1].tensor);
}

tensor build_joined(builder *b, const char **name)
{
    tensor context = build_stage_of_batch(b, STAGE_CONTEXT);
    *name = map_name_of(STAGE_CONTEXT);
    if (context.rank != 3) /* side by side, or not kept */
        return context;
    if (b->plan->heads == 1)
        return tensor_at(&context, 0);
    *name = "joined";
    const size_t size[] = {context.size[1], context.size[0] * context.size[2]};
    b->joined = build_numbers_new(b, *name, context.type, 2, size);
    if (b->joined.data != NULL) {
        /* Heads × rows × columns as rows × heads·columns. */
        size_t at[TENSOR_MAX_RANK] = {0}, width = context.size[2];
        do
            tensor_set(&b->joined, (size_t[]){at[1], at[0] * width + at[2]},
                       tensor_get(&context, at));
        while (tensor_next(&context, at));
    }
    return b->joined;
}

tensor build_weighted(const builder *b, size_t row)
{
    const tensor *found = bundle_tensor(b->result, map_name_of(STAGE_WEIGHTED));
    if (found->rank == 2)
        return tensor_view_of(found);
    tensor of_batch = build_stage_of_batch(b, STAGE_WEIGHTED);
    tensor of_head = tensor_at(&of_batch, b->focus.head);
    return tensor_at(&of_head, row);
}

tensor build_element(const tensor *matrix, size_t row, size_t column)
{
    tensor of_row = tensor_at(matrix, row);
    return tensor_at(&of_row, column);
}

trace_item *build_matrix(builder *b, const char *name, const tensor *matrix, trace_labels rows,
                         trace_labels columns, size_t focus)
{
    trace_item *item = build_item(b, TRACE_MATRIX);
    item->text = name;
    item->a = tensor_view_of(matrix);
    item->rows = rows;
    item->columns = columns;
    item->focus = focus;
    return item;
}

void build_matrices(builder *b, stage_id id)
{
    const plan *p = b->plan;
    const char *name = map_name_of(id);
    const trace_map *map = map_named(b->room, name);
    size_t focus = b->focus.row + 1, of_step = b->head;
    bool shows_all = b->is_full || p->heads <= HEADS;
    for (size_t head = 0; head < p->heads; head++) {
        if (!shows_all && head != b->focus.head)
            continue;
        tensor one = tensor_at(&map->values, head);
        build_begin_head(b, head);
        build_matrix(
            b, p->has_heads ? build_text(b, "%s, head %zu of %zu", name, head + 1, p->heads) : name,
            &one, map->rows, map->columns, focus);
    }
    b->head = of_step;
    if (!shows_all)
        build_other_heads(b);
}

void build_in_heads(builder *b, const char *name, const tensor *heads, size_t shown,
                    trace_labels rows, trace_labels columns, size_t focus)
{
    size_t of_step = b->head;
    for (size_t head = 0; head < heads->size[0]; head++) {
        if (head != shown && !b->is_full)
            continue;
        tensor one = tensor_at(heads, head);
        build_begin_head(b, head);
        build_matrix(b, build_text(b, "%s%s", name, build_in_head(b, head)), &one, rows, columns,
                     focus);
    }
    b->head = of_step;
}

void build_other_heads(builder *b)
{
    if (b->is_full || b->plan->heads == 1)
        return;
    trace_item *rest = build_item(b, TRACE_SENTENCE);
    rest->text = b->plan->heads == 2
                     ? "The other head is left out; --full and --focus head=H show it."
                     : build_text(b,
                                  "The other %zu heads are left out; --full shows them, "
                                  "--focus head=H another one.",
                                  b->plan->heads - 1);
    rest->is_about_heads = true;
}

trace_item *build_table(builder *b, const char *columns_hold)
{
    trace_item *item = build_item(b, TRACE_TABLE);
    item->columns_count = strlen(columns_hold);
    item->columns_hold = columns_hold;
    return item;
}

void build_name(builder *b, text_list *names, const char *name)
{
    if (!b->failed && !text_list_add(names, name, strlen(name), b->e))
        b->failed = true;
}

void build_cells(builder *b, trace_item *table, const char *const words[])
{
    for (size_t i = 0; i < table->columns_count; i++)
        build_name(b, &table->cells, words[i]);
}

tensor build_number(builder *b, const char *name, double value)
{
    tensor kept = build_numbers_new(b, name, DTYPE_F64, 0, NULL);
    if (kept.data != NULL)
        tensor_set(&kept, NULL, value);
    return kept;
}

const char *build_in_head(builder *b, size_t head)
{
    return b->plan->has_heads ? build_text(b, " in head %zu", head + 1) : "";
}

const char *build_head_name(builder *b)
{
    return build_in_head(b, b->focus.head);
}

void build_sharing(builder *b)
{
    const plan *p = b->plan;
    size_t group = p->heads / p->kv_heads, head = b->focus.head, own = plan_kv_head(p, head),
           first = own * group;
    if (group == 2)
        build_sentence(b, "Head %zu shares key/value head %zu with head %zu.", head + 1, own + 1,
                       head == first ? first + 2 : first + 1)
            ->is_of_focus = true;
    else if (group > 2)
        build_sentence(b, "Head %zu shares key/value head %zu with the others of heads %zu to %zu.",
                       head + 1, own + 1, first + 1, first + group)
            ->is_of_focus = true;
}

const char *build_and(builder *b, const char *const *name, size_t count)
{
    const char *all = "";
    for (size_t i = 0; i < count; i++)
        all = build_text(b, "%s%s%s", all, i == 0 ? "" : i + 1 < count ? ", " : " and ", name[i]);
    return all;
}

const char *build_plural(size_t count)
{
    return count == 1 ? "" : "s";
}

size_t build_lines(const builder *b)
{
    size_t keys = b->plan->n_k;
    return b->is_full || keys <= TRACE_LINES ? keys : TRACE_LINES;
}

void build_rest(builder *b)
{
    if (build_lines(b) < b->plan->n_k)
        build_sentence(b, "… and so on for all %zu keys; --full spells them out.", b->plan->n_k);
}

void build_repeat(builder *b, void show(builder *b))
{
    size_t first = b->step->count, in_focus = b->focus.row;
    for (size_t i = 0; b->shows_all_rows && i < b->plan->n_q; i++) {
        if (i == in_focus)
            continue;
        b->focus.row = i;
        build_sentence(b, "The same for %s%s:", build_query_name(b), build_head_name(b))->leads =
            true;
        show(b);
    }
    b->focus.row = in_focus;
    for (size_t i = first; i < b->step->count; i++)
        b->step->item[i].is_of_focus = true;
}

void build_same_for_all(builder *b)
{
    bool has_queries = b->plan->n_q > 1, has_heads = b->plan->heads > 1;
    const char *of_batch =
        b->plan->batches > 1 ? build_text(b, " of sequence %zu", b->focus.batch + 1) : "";
    if (has_queries || has_heads)
        build_sentence(b, "For every %s%s%s%s:", has_queries ? "query" : "",
                       has_queries && has_heads ? " and every " : "", has_heads ? "head" : "",
                       of_batch);
}

void build_entry(builder *b, size_t batches)
{
    if (batches > 1)
        build_sentence(b,
                       "There are %zu such sequences in the batch, and this is number %zu; "
                       "--focus batch=B takes another.",
                       batches, b->focus.batch + 1);
}

bool build_has_one_bias(const builder *b)
{
    return b->plan->n_q > 1 && b->plan->bias.stride[2] == 0;
}

size_t build_bucket(const builder *b, size_t i, size_t j)
{
    return (size_t)tensor_get(&b->plan->bucket, (size_t[]){b->focus.batch, i, j});
}

size_t build_key_row(const builder *b)
{
    return b->focus.row < b->plan->k.n ? b->focus.row : 0;
}

/* ---- names ---- */

/* Of a label in a sentence, bytes; next to it the table has all of it. */
enum { LONGEST_NAME = 80 };

/* What the new keys are called where they are made of what the queries are made of: else there may
 * be more of them than names. */
static const text_list *names_of_self(const builder *b)
{
    const problem *asked = b->plan->asked;
    bool is_self =
        asked->in[INPUT_Q] == NULL && asked->in[INPUT_XK] == NULL && asked->in[INPUT_K] == NULL;
    return is_self ? asked->tokens : NULL;
}

/* Where they have names, or some of them have (build_name_keys). */
static const text_list *names_of_keys(const builder *b)
{
    if (b->room->keys.count > 0)
        return &b->room->keys;
    const text_list *own = b->plan->asked->key_tokens;
    return own != NULL ? own : names_of_self(b);
}

/* Those of the sequence after so many that have none, then those that are appended. */
static void name_rows(builder *b, text_list *names, size_t unnamed, const text_list *own,
                      const char *learned)
{
    const plan *p = b->plan;
    for (size_t j = 0; j < plan_own_keys(p); j++)
        build_name(b, names, j < unnamed || own == NULL ? "" : own->item[j - unnamed]);
    if (p->bias_k.data != NULL)
        build_name(b, names, learned);
    if (p->asked->adds_zero)
        build_name(b, names, "zero");
}

void build_name_keys(builder *b)
{
    const plan *p = b->plan;
    const text_list *names = names_of_keys(b);
    size_t unnamed = p->asked->key_tokens == NULL ? p->past : 0;
    if (p->appended == 0 && (names == NULL || unnamed == 0))
        return;
    text_list *keys = &b->room->keys, *values = &b->room->values;
    name_rows(b, keys, unnamed, names, input_key(INPUT_BIAS_K));
    name_rows(b, values, unnamed, names, input_key(INPUT_BIAS_V));
}

trace_labels build_query_labels(const builder *b, const char *letter)
{
    return (trace_labels){b->plan->asked->tokens, letter};
}

trace_labels build_key_labels(const builder *b, const char *letter)
{
    return (trace_labels){names_of_keys(b), letter};
}

trace_labels build_value_labels(const builder *b, const char *letter)
{
    return (trace_labels){b->room->values.count > 0 ? &b->room->values : names_of_keys(b), letter};
}

trace_labels build_column_labels(const builder *b)
{
    stage_id keys = b->plan->past > 0 ? STAGE_PRESENT_K : STAGE_K;
    return build_key_labels(b, map_name_of(keys));
}

trace_labels build_new_labels(const builder *b, trace_labels of_all)
{
    return b->plan->past == 0 ? of_all : (trace_labels){names_of_self(b), of_all.letter};
}

static const char *name_of(builder *b, const text_list *names, const char *what, size_t index)
{
    if (names == NULL || *names->item[index] == '\0')
        return build_text(b, "%s %zu", what, index + 1);
    const char *name = names->item[index];
    int shown = (int)utf8_cut(name, strlen(name), LONGEST_NAME);
    return build_text(b, "%s %zu (%.*s)", what, index + 1, shown, name);
}

const char *build_query_name(builder *b)
{
    return name_of(b, b->plan->asked->tokens, "query", b->focus.row);
}

const char *build_key_name(builder *b, size_t j)
{
    return name_of(b, names_of_keys(b), "key", j);
}
