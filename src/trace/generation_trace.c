#include "trace/build.h"

#include "base/mem.h"
#include "model/embed.h"
#include "trace/derivation.h"
#include "trace/floors.h"
#include "trace/nodes.h"

#include <stdio.h>
#include <string.h>

/* ---- the rooms above the layers: how the last row of the output becomes the next id ---- */

/* An unembedding of more numbers is not for a page, which would carry all of them in every step. */
enum { MOST_IN_PAGE = 1 << 16 };
/* The rows of all ids stand in it once. */
enum { MOST_ROWS = 1 << 17 };

static trace_map *map_row(floors *f, const kept_generation *t, const char *name, const tensor *row)
{
    const kept_step *k = &t->step[t->steps - 1];
    trace_map *map = map_add(&f->b, name, f->b.step->id, row);
    map->rows = (trace_labels){&k->last, NULL};
    map->columns = (trace_labels){&t->choices.ids, NULL};
    map->is_of_queries = true;
    map->id_name = k->next.item[0];
    return map;
}

/* ---- logits ---- */

/* What logits are before a factor, or a softcap, as the run makes it: numbers that no stage has. */
static trace_map *map_before(floors *f, const kept_generation *t, const char *name, double scale,
                             const tensor *last)
{
    builder *b = &f->b;
    unembedding without = t->of->unembedding;
    const stack *s = &t->of->stack;
    const size_t size[] = {1, without.weight.size[1]};
    tensor numbers =
        build_numbers_new(b, build_text(b, "the numbers of %s", name), s->type, 2, size);
    static const text_list NOTHING = {0};
    const keeper unkept = keeper_of(&NOTHING);
    crew alone;
    without.scale = scale;
    without.softcap = 0;
    crew_open(&alone, 1);
    b->failed = b->failed || !unembedding_run(&without, s->isa->table(s->type), last, &numbers,
                                              &unkept, &alone, f->e);
    crew_close(&alone);
    return map_row(f, t, name, &numbers);
}

static void add_logits(floors *f, const kept_generation *t)
{
    const generation *g = t->of;
    const kept_step *k = &t->step[t->steps - 1];
    builder *b = &f->b;
    bool tells = floors_begin(f, FLOOR_LOGITS, "logits");
    const char *taken = g->stack.has_head ? head_made_name(&g->stack.head) : "output";
    tensor output = floors_rows(f, taken).values, logits = floors_rows(f, "logits").values;
    tensor last = tensor_range(&output, 0, g->stack.rows - 1, 1);
    const char *name = g->unembedding.tied_to != NULL ? build_text(b, "%sᵀ", g->unembedding.tied_to)
                                                      : "unembedding";
    trace_map *row = map_add(b, "output.last", FLOOR_LOGITS, &last);
    row->rows = (trace_labels){&k->last, NULL};
    const char *of = g->stack.has_head ? HEAD : "output";
    row->letters = build_text(b, "the last row of the %s", of);
    /* Of the stack's output, or what its head made of that. */
    const trace_room *room =
        floors_room(f, f->out->rooms, "", strcmp(taken, HEAD_NORM_NAME) == 0 ? taken : of);
    const trace_map *whole = room == NULL ? NULL : map_named(room, taken);
    if (whole != NULL)
        row->operand[0] = (trace_origin){PART_BELOW, room, whole, whole->name};
    trace_map *weights = map_add(b, "unembedding", FLOOR_LOGITS, &g->unembedding.weight);
    weights->columns = (trace_labels){&t->choices.ids, NULL};
    weights->letters = g->unembedding.tied_to != NULL
                           ? build_text(b, "the %s, turned", g->unembedding.tied_to)
                           : NULL;
    weights->is_beyond_page = tensor_count(&g->unembedding.weight) > MOST_IN_PAGE;
    trace_map *bias = map_add(b, "unembedding_bias", FLOOR_LOGITS, &g->unembedding.bias);
    bias->columns = weights->columns;
    bias->id_name = weights->id_name = k->next.item[0];
    trace_origin of_row = map_from(b, PART_ROW, "output.last"),
                 of_weights = map_from(b, PART_COLUMN_J, "unembedding");
    of_row.name = build_text(b, "%s[%zu]", taken, g->stack.rows);
    of_weights.name = name;
    const trace_origin product[TRACE_OPERANDS] = {of_row, of_weights,
                                                  map_from(b, PART_OF_COLUMN, "unembedding_bias")};
    bool is_scaled = g->unembedding.scale != 1, is_capped = g->unembedding.softcap > 0;
    trace_map *before = NULL, *made;
    if (is_scaled || is_capped) {
        before = map_before(f, t, "logits.product", 1, &last);
        map_say_origins(b, before, OP_DOT, product);
    }
    if (is_scaled) {
        map_add_number(b, "logits_scale", FLOOR_LOGITS, g->unembedding.scale);
        made = is_capped ? map_before(f, t, "logits.times", g->unembedding.scale, &last)
                         : map_row(f, t, "logits", &logits);
        map_say_origins(b, made, OP_TIMES,
                        (trace_origin[TRACE_OPERANDS]){map_from(b, PART_OF_COLUMN, before->name),
                                                       map_from(b, PART_NUMBER, "logits_scale")});
        before = made;
    }
    if (is_capped) {
        map_add_number(b, "logits_softcap", FLOOR_LOGITS, g->unembedding.softcap);
        map_say_origins(b, map_row(f, t, "logits", &logits), OP_CAP,
                        (trace_origin[TRACE_OPERANDS]){map_from(b, PART_OF_COLUMN, before->name),
                                                       map_from(b, PART_NUMBER, "logits_softcap")});
    }
    if (before == NULL)
        map_say_origins(b, map_row(f, t, "logits", &logits), OP_DOT, product);
    if (!tells)
        return;
    build_sentence(b,
                   "Only the last row of the %s goes on: its product with %s%s is a logit for "
                   "%s: the greater, the likelier to come next.%s",
                   of, name,
                   is_scaled && is_capped ? ", times a factor and capped,"
                   : is_scaled            ? ", times a factor,"
                   : is_capped            ? ", capped,"
                                          : "",
                   logits.size[1] == 1 ? "the only id"
                                       : build_text(b, "each of the %zu ids", logits.size[1]),
                   g->unembedding.tied_to == NULL
                       ? ""
                       : build_text(b,
                                    " There is no unembedding, so that the %s's rows, which "
                                    "%s look up, are what the row is compared with.",
                                    g->unembedding.tied_to,
                                    g->unembedding.words.data != NULL ? "words" : "ids"));
    derivation_row_formula(b, "logits", 'i');
    derivation_line(b, "logits", 0, g->next);
    derivation_matrix(b, "logits", 1);
}

/* ---- probabilities ---- */

/* All but the logits are made here, each out of those before it. */
static void add_probabilities(floors *f, const kept_generation *t)
{
    const generation *g = t->of;
    builder *b = &f->b;
    const trace_room *before = f->out->room[f->out->rooms - 1];
    const trace_map *logits = map_named(before, "logits");
    bool tells = floors_begin(f, FLOOR_PROBABILITIES, "probabilities");
    tensor tempered = floors_rows(f, "tempered").values,
           exponentials = floors_rows(f, "exponentials").values;
    map_add_number(b, "temperature", FLOOR_PROBABILITIES, g->how.temperature);
    map_say_origins(b, map_row(f, t, "tempered", &tempered), OP_DIVIDE,
                    (trace_origin[TRACE_OPERANDS]){{PART_OF_COLUMN, before, logits, "logits"},
                                                   map_from(b, PART_NUMBER, "temperature")});
    map_say(b, map_add_number(b, "most", FLOOR_PROBABILITIES, g->most), OP_MAX,
            (map_operand[TRACE_OPERANDS]){{PART_ROW, "tempered"}});
    map_say(b, map_row(f, t, "exponentials", &exponentials), OP_EXP,
            (map_operand[TRACE_OPERANDS]){{PART_OF_COLUMN, "tempered"}, {PART_NUMBER, "most"}});
    map_say(b, map_add_number(b, "total", FLOOR_PROBABILITIES, g->total), OP_SUM,
            (map_operand[TRACE_OPERANDS]){{PART_ROW, "exponentials"}});
    const trace_map *made =
        map_add_made(b, "probabilities", FLOOR_PROBABILITIES, 1, 1, tempered.size[1]);
    trace_map *shares = map_row(f, t, "probabilities", &made->values);
    shares->is_share = true;
    map_say(
        b, shares, OP_DIVIDE,
        (map_operand[TRACE_OPERANDS]){{PART_OF_COLUMN, "exponentials"}, {PART_NUMBER, "total"}});
    derivation_fill(b, shares);
    if (!tells)
        return;
    build_sentence(b, "The logits over the temperature become probabilities by a softmax, in "
                      "float64: the higher the temperature, the more alike they are.");
    for (size_t i = 0; i < b->room->maps; i++) {
        if (b->room->map[i]->has_origin)
            derivation_line(b, b->room->map[i]->name, 0, g->next);
    }
    derivation_matrix(b, "probabilities", 1);
}

/* ---- the choice ---- */

static void add_choice(floors *f, const kept_generation *t)
{
    const generation *g = t->of;
    const kept_step *k = &t->step[t->steps - 1];
    builder *b = &f->b;
    const char *chosen = k->next.item[0];
    bool is_drawn = g->how.temperature > 0, tells = floors_begin(f, FLOOR_CHOICE, "choice");
    tensor logits = floors_rows(f, "logits").values;
    /* "cat, id 5", where ids have words. */
    bool has_words = bundle_find(g->stack.document, "vocab") != NULL;
    const char *name = has_words ? build_text(b, "%s, id %zu", chosen, g->next) : chosen;
    if (tells && is_drawn) {
        /* The sum of exponentials up to the id is the first above the number's share of the
         * total. */
        tensor exponentials = floors_rows(f, "exponentials").values,
               row = tensor_at(&exponentials, 0);
        double number = g->how.number[g->step - 1], sum = 0;
        for (size_t i = 0; i <= g->next; i++)
            sum += tensor_get(&row, &i);
        build_sentence(b,
                       "A number from 0 up to 1 is drawn, and is a part of the total. Exponentials "
                       "are added up from id 0 on: the first at which they come to more than this "
                       "part is that of %s. So each id is chosen with its probability.",
                       name);
        trace_item *line = build_line(b, OP_TIMES, "part", "drawn·total");
        line->a = build_number(b, "drawn", number);
        line->b = build_number(b, "total", g->total);
        line->result = build_number(b, "part", number * g->total);
        const char *left = build_text(b, "sum up to %s", chosen);
        line = build_line(b, OP_SUM, left, NULL);
        build_word(line, left, strlen("sum up to "), strlen(chosen));
        line->a = tensor_range(&row, 0, 0, g->next + 1);
        line->result = build_number(b, "sum", sum);
    } else if (tells) {
        build_sentence(b,
                       "The greatest logit is that of %s, counted from 0; of equals it would "
                       "be the first.",
                       name);
        const char *left = build_text(b, "logits[%s]", chosen);
        trace_item *line = build_line(b, OP_MAX, left, NULL);
        build_word(line, left, strlen("logits["), strlen(chosen));
        line->a = tensor_at(&logits, 0);
        line->result = build_element(&logits, 0, g->next);
    }
    if (tells)
        build_sentence(b, generation_is_done(g) ? "It is written, and is the last one."
                                                : "It is written, and its row goes in next.");
    trace_map *map = map_add_number(b, "choice", FLOOR_CHOICE, (double)g->next);
    map->rows = (trace_labels){&k->next, NULL};
    map->letters = "the id that is chosen";
    if (is_drawn)
        map_add_number(b, "drawn", FLOOR_CHOICE, g->how.number[g->step - 1])->letters =
            "the number that was drawn";
}

/* ---- the generation ---- */

enum { NAME_DIGITS = 32 };

/* ---- names ---- */

/* The word of the vocab, or "id 5". */
static const char *name_of_id(const generation *g, size_t id, const char *before,
                              char digits[NAME_DIGITS])
{
    const char *word = stack_word_of_id(&g->stack, id);
    snprintf(digits, NAME_DIGITS, "%s%zu", before, id);
    return word != NULL ? word : digits;
}

static const char *name_of_row(const generation *g, size_t row, char digits[NAME_DIGITS])
{
    const text_list *tokens = bundle_list(g->stack.document, "tokens");
    const tensor *ids = bundle_tensor(g->stack.document, "ids");
    if (tokens != NULL)
        return tokens->item[row];
    if (ids != NULL)
        return name_of_id(g, (size_t)stack_id_given(ids, row), "id ", digits);
    snprintf(digits, NAME_DIGITS, "row %zu", row + 1);
    return digits;
}

static bool add_name(kept_generation *t, const char *name, err *e)
{
    char *copy = mem_copy_text(name, strlen(name), e);
    if (copy != NULL)
        t->name[t->names++] = copy;
    return copy != NULL;
}

static text_list names_from(const kept_generation *t, size_t first, size_t count)
{
    return (text_list){.item = t->name + first, .count = count};
}

/* ---- what the trace borrows ---- */

/* b × heads × room × width of a cache, of which so many rows are there: as rows, heads side by
 * side. */
static bool keep_present(bundle *result, const stage_way *way, const char *name, const tensor *of,
                         size_t rows, err *e)
{
    char full[STAGE_NAME];
    const size_t size[] = {1, rows, of->size[1] * of->size[3]};
    tensor present, from = tensor_range(of, 2, 0, rows);
    if (!tensor_new(&present, of->type, 3, size, e))
        return false;
    tensor apart = plan_split_heads(&present, of->size[1]);
    tensor_copy(&from, &apart);
    tensor_own(&present, of->type, 2, size + 1, present.data);
    stage_name_in_full(way, name, full);
    return bundle_add_tensor(result, full, &present, (place){0}, e);
}

/* A cache grows, and moves; a trace has the keys and values that a step found and left. */
static bool keep_caches(const stack *s, bundle *result, err *e)
{
    for (size_t i = 0; i < s->parts; i++) {
        const attention *a = s->part[i].attention;
        if (s->part[i].as->kind != PART_ATTENTION || a->plan.past == 0)
            continue;
        stage_way of_layer = stage_way_of_layer(s->part[i].layer);
        stage_way way = stage_way_on(&of_layer, part_name(PART_ATTENTION));
        if (!keep_present(result, &way, "present_k", &a->cache.k, a->plan.n_k, e) ||
            !keep_present(result, &way, "present_v", &a->cache.v, a->plan.n_k, e))
            return false;
    }
    return true;
}

/* ---- the house ---- */

size_t generation_trace_least(const generation *g)
{
    return size_product(stack_trace_least(&g->stack), g->how.steps);
}

/* What goes in of each id, as stack_go_on puts it there. */
static bool keep_rows(kept_generation *t, err *e)
{
    const generation *g = t->of;
    const size_t size[] = {g->logits.size[1], g->stack.table_width};
    t->choices.first = g->stack.rows;
    t->choices.stops = g->stop != SIZE_MAX;
    t->made->type = g->stack.type;
    t->made->choices = &t->choices;
    if (size_product(size[0], size[1]) > MOST_ROWS)
        return true;
    if (!tensor_new(&t->choices.rows, g->stack.type, 2, size, e))
        return false;
    for (size_t id = 0; id < size[0]; id++) {
        tensor room, to = tensor_at(&t->choices.rows, id);
        stack_take_row(&g->stack, stack_row_of_id(&g->stack, id, &room), &to);
    }
    return true;
}

bool generation_trace_begin(kept_generation *t, trace *made, generation *g,
                            const generation_trace_settings *how, err *e)
{
    size_t steps = g->how.steps;
    char digits[NAME_DIGITS];
    *t = (kept_generation){.made = made, .how = *how, .of = g};
    *made = trace_begin(g->stack.document, how->focus);
    t->name = mem_alloc_zeroed(g->stack.rows + steps, sizeof t->name[0], e);
    t->step = t->name == NULL ? NULL : mem_alloc_zeroed(steps, sizeof t->step[0], e);
    bool done = t->step != NULL;
    for (size_t i = 0; done && i < g->stack.rows; i++)
        done = add_name(t, name_of_row(g, i, digits), e);
    for (size_t id = 0; done && id < g->logits.size[1]; id++) {
        const char *name = name_of_id(g, id, "", digits);
        done = text_list_add(&t->choices.ids, name, strlen(name), e);
    }
    return done && keep_rows(t, e);
}

bool generation_trace_add(kept_generation *t, err *e)
{
    generation *g = t->of;
    kept_step *k = &t->step[t->steps++];
    size_t before = g->stack.before, rows = g->stack.rows;
    char step[48], way[32], digits[NAME_DIGITS];
    snprintf(step, sizeof step, "step %zu, ", t->steps);
    snprintf(way, sizeof way, "step.%zu.", t->steps - 1);
    k->result = g->made;
    g->made = (bundle){0};
    if (!add_name(t, name_of_id(g, g->next, "id ", digits), e))
        return false;
    k->rows = names_from(t, before, rows);
    k->keys = names_from(t, 0, before + rows);
    k->last = names_from(t, before + rows - 1, 1);
    k->next = names_from(t, before + rows, 1);
    if (!keep_caches(&g->stack, &k->result, e) ||
        !bundle_add_copy(&k->result, "logits", &g->logits, (place){0}, e) ||
        !bundle_add_copy(&k->result, "tempered", &g->tempered, (place){0}, e) ||
        !bundle_add_copy(&k->result, "exponentials", &g->exponentials, (place){0}, e))
        return false;
    floors f = {.out = t->made,
                .stack = &g->stack,
                .result = &k->result,
                .focus = t->how.focus,
                .is_full = t->how.is_full,
                .asked = t->how.asked,
                .e = e,
                .step = step,
                .step_way = way,
                .keys = &k->keys,
                .place = "",
                .labels = {&k->rows, NULL}};
    floor_rows made;
    if (before > 0)
        f.focus.row = 0;
    floors_of_stack(&f, &made);
    if (f.b.failed)
        return false;
    /* Above all layers the result has logits, and with a temperature tempered and exponentials:
     * 1 × ids each. */
    f.floor = "choice";
    f.focus.row = 0;
    add_logits(&f, t);
    if (g->how.temperature != 0)
        add_probabilities(&f, t);
    add_choice(&f, t);
    return !f.b.failed;
}

void kept_generation_free(kept_generation *t)
{
    for (size_t i = 0; i < t->steps; i++)
        bundle_free(&t->step[i].result);
    for (size_t i = 0; i < t->names; i++)
        mem_free(t->name[i]);
    mem_free(t->name);
    mem_free(t->step);
    text_list_free(&t->choices.ids);
    tensor_free(&t->choices.rows);
    *t = (kept_generation){0};
}
