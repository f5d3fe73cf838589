/* Which stage a matrix of a dump is: by its shape, by the number in its name that counts layers,
 * and by words in its name. */
#include "cli/port/port.h"

#include "attn/spec/keys.h"
#include "base/mem.h"
#include "compare/measure.h"
#include "model/dump_names.h"
#include "model/embed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Logits, and what they are before a factor and a cap. */
static bool is_of_ids(const char *name)
{
    return strncmp(name, "logits", strlen("logits")) == 0;
}

static void stage_shape(const stack *s, const char *name, int *rank, size_t size[TENSOR_MAX_RANK])
{
    stage_id id;
    const plan *by = stack_plan_of(s, name, &id);
    const char *last = strrchr(name, '.');
    const bool is_inside = strstr(name, "ffn.") != NULL && strcmp(last, ".output") != 0;
    const size_t width = is_of_ids(name) ? s->to_ids.weight.size[1]
                         : is_inside     ? hidden_width(s, name)
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

/* Whether a matrix may be the stage of a model that is not computed, as far as its config.json says
 * how wide it is: rows, logits, and what has a number for each query and key. */
static bool may_have_shape(const port *p, const char *name, const tensor *t)
{
    const char *last = strrchr(name, '.');
    const size_t wide = t->size[t->rank - 1];
    if (is_of_ids(name))
        return wide == p->ids;
    if (stage_is_of_pairs(name))
        return wide == t->size[t->rank - 2] &&
               (wide != p->width || (t->rank > 2 && t->size[t->rank - 3] > 1));
    const bool is_inside = strstr(name, "attention.") != NULL || strstr(name, "ffn.") != NULL;
    return wide == p->width || (is_inside && strcmp(last, ".output") != 0);
}

/* The stage, in full, that a meaning says: of this layer, of the rows before it, or of the ends.
 * False where the model has none such, or a matrix of another shape. */
static bool stage_said(const port *p, const dump_meaning *m, const tensor *t, char out[STAGE_NAME])
{
    const char *said = m->stage;
    const bundle *top = p->layers == NULL ? NULL : &p->model->document->contents;
    if (top != NULL && m->only == ONLY_UNGATED &&
        bundle_find(stack_keys_of_layer(top, m->layer), "w3") != NULL)
        return false;
    if (top != NULL && m->only == ONLY_UNPOSITIONED &&
        (bundle_find(top, "position_embedding") != NULL || p->layers->adds_sinusoids))
        return false;
    if (strcmp(said, "begin") == 0)
        said = top != NULL ? stack_begin_name(p->layers) : "embedded";
    const stage_way way = m->is_of_layer ? stage_way_of_layer(m->layer) : (stage_way){.text = ""};
    stage_name_in_full(&way, said, out);
    return top == NULL
               ? may_have_shape(p, out, t)
               : text_list_find(&p->model->there, out) != NULL && has_shape(p->layers, out, t);
}

static bool find_stage(const port *p, const dump_index *names, const char *name, const tensor *t,
                       char out[STAGE_NAME])
{
    const stage_way top = {.text = ""};
    dump_name read;
    dump_meaning one;
    const bool is_own = p->layers == NULL ? stage_stands(name).is_known
                                          : text_list_find(&p->model->there, name) != NULL;
    if (is_own) {
        stage_name_in_full(&top, name, out);
        /* Small entropies are all cancellation, and nothing is made of them. */
        return strstr(name, ".entropy") == NULL &&
               (p->layers == NULL ? may_have_shape(p, out, t) : has_shape(p->layers, out, t));
    }
    dump_name_read(&read, names, p->depth, name);
    while (dump_name_next(&read, &one)) {
        if (stage_said(p, &one, t, out))
            return true;
    }
    return false;
}

/* ---- all of them ---- */

bool port_name_is_of_ids(const char *name)
{
    const char *last = strrchr(name, '.');
    return strstr(last == NULL ? name : last + 1, "ids") != NULL;
}

typedef struct stage_text {
    char name[STAGE_NAME];
} stage_text;

/* "attention.weights" of "layer.3.attention.weights". */
static const char *stage_kind(const char *name)
{
    size_t number;
    return stack_stage_layer(name, &number) ? strchr(name + strlen("layer."), '.') + 1 : name;
}

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

static bool take(port *p, const char *called, const tensor *t, int rank, const size_t *size,
                 const char *name, err *e)
{
    port_stage *all = mem_grow(p->stage, p->stages, &p->room, sizeof all[0], e);
    size_t number = 0;
    if (all == NULL)
        return false;
    p->stage = all;
    port_stage *one = &all[p->stages];
    *one = (port_stage){.called = called, .stored = stored_in(t)};
    snprintf(one->name, STAGE_NAME, "%s", name);
    one->numbers.kind = ENTRY_TENSOR;
    one->largest = tensor_greatest(t);
    tensor_own(&one->numbers.tensor, t->type, rank, size, t->data);
    one->numbers.tensor.owns = false;
    p->stages++;
    bool is_of_layer = stack_stage_layer(name, &number);
    bool begins = strcmp(name, "embedded") == 0 || strcmp(name, "ln_e") == 0 ||
                  strcmp(name, "embed.output") == 0;
    one->part = is_of_layer ? number + 1 : begins ? 0 : p->depth + 1;
    const stage_way way = stage_way_of_layer(0);
    if (is_of_layer)
        stage_name_in_full(&way, stage_kind(name), one->alone);
    else
        snprintf(one->alone, STAGE_NAME, "%s", name);
    return true;
}

static size_t find_meant(const stage_text *meant, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(meant[i].name, name) != 0)
        i++;
    return i;
}

/* Which stage each of the dump's matrices may be; empty: none. NULL with the error set. To be freed
 * by mem_free. */
static stage_text *read_names(const port *p, const bundle *dump, text_list *unused, err *e)
{
    stage_text *meant = mem_alloc_zeroed(dump->count, sizeof meant[0], e);
    dump_index names;
    bool is_open = dump_index_open(&names, dump, e);
    names.reading = p->reading;
    for (size_t i = 0; is_open && i < dump->count && meant != NULL && !e->is_set; i++) {
        const entry *one = &dump->entry[i];
        if (one->kind == ENTRY_TENSOR && one->tensor.rank >= 2 && !port_is_of_other(p, one->name) &&
            find_stage(p, &names, one->name, &one->tensor, meant[i].name))
            continue;
        meant[i].name[0] = '\0';
        if (unused != NULL && !port_name_is_of_ids(one->name))
            text_list_add(unused, one->name, strlen(one->name), e);
    }
    dump_index_close(&names);
    if (e->is_set) {
        mem_free(meant);
        return NULL;
    }
    return meant;
}

/* Pointers into what moved while it grew. */
static void set_kinds(port *p)
{
    for (size_t i = 0; i < p->stages; i++)
        p->stage[i].kind = stage_kind(p->stage[i].name);
}

/* In the order in which stages are made. */
bool port_names_find(port *p, err *e)
{
    const text_list *there = &p->model->there;
    p->stages = 0;
    text_list_free(&p->unused);
    stage_text *meant = read_names(p, &p->dump, &p->unused, e);
    bool done = meant != NULL;
    for (size_t i = 0; i < there->count && done; i++) {
        const char *name = there->item[i];
        int rank;
        size_t size[TENSOR_MAX_RANK];
        for (size_t j = 0; j < p->dump.count && done; j++) {
            const entry *one = &p->dump.entry[j];
            if (strcmp(meant[j].name, name) != 0)
                continue;
            stage_shape(p->layers, name, &rank, size);
            done = take(p, one->name, &one->tensor, rank, size, name, e);
        }
    }
    set_kinds(p);
    mem_free(meant);
    return done;
}

/* The first that agrees, or what is nearest: of a dump in float16 none agrees as float32 does. */
static size_t find_best(const port *p, size_t from, size_t end)
{
    size_t best = from;
    for (size_t i = from; i < end; i++) {
        if (port_agrees(&p->stage[i]))
            return i;
        best = p->stage[i].found < p->stage[best].found ? i : best;
    }
    return best;
}

bool port_names_settle(port *p, port_part part, err *e)
{
    size_t kept = 0;
    for (size_t i = 0, end; i < p->stages; i = end) {
        for (end = i + 1; end < p->stages && strcmp(p->stage[end].name, p->stage[i].name) == 0;)
            end++;
        const bool is_settled = p->stage[i].part == part;
        const size_t best = find_best(p, i, end);
        for (size_t j = i; j < end; j++) {
            port_stage *one = &p->stage[j];
            if (!is_settled || j == best)
                p->stage[kept++] = *one;
            else if (!text_list_add(&p->unused, one->called, strlen(one->called), e))
                return false;
        }
    }
    p->stages = kept;
    set_kinds(p);
    return true;
}

static int by_standing(const void *a, const void *b)
{
    const stage_standing x = stage_stands(((const port_stage *)a)->name),
                         y = stage_stands(((const port_stage *)b)->name);
    return stage_standings_compare(&x, &y);
}

/* How far the reference's rows are from the dump's, of the reference's greatest number. */
static double distance(const tensor *dump, const tensor *reference)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    double most = 0, apart = 0;
    do {
        const double x = tensor_get(dump, at), y = tensor_get(reference, at);
        const bool is_same = x == y || (isnan(x) && isnan(y));
        if (!is_same && !(isfinite(x) && isfinite(y)))
            return INFINITY;
        apart = is_same ? apart : fmax(apart, fabs(x - y));
        most = isfinite(y) ? fmax(most, fabs(y)) : most;
    } while (tensor_next(dump, at));
    return apart == 0 ? 0 : apart / most;
}

bool port_names_pair(port *p, const bundle *reference, err *e)
{
    stage_text *ours = read_names(p, reference, NULL, e),
               *meant = ours == NULL ? NULL : read_names(p, &p->dump, &p->unused, e);
    bool done = meant != NULL;
    for (size_t i = 0; i < p->dump.count && done; i++) {
        const entry *one = &p->dump.entry[i];
        const size_t j = find_meant(ours, reference->count, meant[i].name);
        tensor dump, other;
        if (meant[i].name[0] == '\0')
            continue;
        if (j == reference->count || find_meant(meant, i, meant[i].name) < i ||
            !measure_align(&one->tensor, &reference->entry[j].tensor, &dump, &other)) {
            done = text_list_add(&p->unused, one->name, strlen(one->name), e);
            continue;
        }
        done = take(p, one->name, &one->tensor, dump.rank, dump.size, meant[i].name, e);
        if (done) {
            p->stage[p->stages - 1].found = distance(&dump, &other);
            const number_type stored = stored_in(&other);
            if (stored > p->stage[p->stages - 1].stored)
                p->stage[p->stages - 1].stored = stored;
        }
    }
    if (p->stages > 0)
        qsort(p->stage, p->stages, sizeof p->stage[0], by_standing);
    set_kinds(p);
    mem_free(ours);
    mem_free(meant);
    return done;
}
