#include "trace/choice_rooms.h"

#include "trace/derivation.h"

#include <string.h>

/* An unembedding of more numbers is not for a page, which would carry all of them in every step. */
enum { MOST_IN_PAGE = 1 << 16 };

static trace_labels label_ids(const choice_shown *of)
{
    return (trace_labels){of->ids, NULL};
}

static trace_map *map_row(floors *f, const choice_shown *of, const char *name, const tensor *row)
{
    trace_map *map = map_add(&f->b, name, f->b.step->id, row);
    map->rows = (trace_labels){of->last, NULL};
    map->columns = label_ids(of);
    map->is_of_queries = true;
    map->id_name = of->next->item[0];
    return map;
}

/* ---- logits ---- */

static const char *name_of_weights(builder *b, const generation *g)
{
    return g->tied_to != NULL ? build_text(b, "%sᵀ", g->tied_to) : "unembedding";
}

static const char *why_these_weights(builder *b, const generation *g)
{
    return g->tied_to == NULL ? ""
                              : build_text(b,
                                           " There is no unembedding, so that the %s's rows, which "
                                           "%s look up, are what the row is compared with.",
                                           g->tied_to, g->words.data != NULL ? "words" : "ids");
}

static const char *name_all_ids(builder *b, size_t ids)
{
    return ids == 1 ? "the only id" : build_text(b, "each of the %zu ids", ids);
}

/* "logits[cat]" */
static trace_item *line_of_id(builder *b, const choice_shown *of, operation op, const char *name)
{
    const char *chosen = of->next->item[0], *left = build_text(b, "%s[%s]", name, chosen);
    trace_item *line = build_line(b, op, left, NULL);
    build_word(line, left, strlen(name) + 1, strlen(chosen));
    return line;
}

static void tell_logits(floors *f, const choice_shown *of, const tensor *logits)
{
    const generation *g = of->of;
    builder *b = &f->b;
    const char *weights = name_of_weights(b, g);
    build_sentence(b,
                   "Only the last row of the output goes on: its product with %s is a logit for "
                   "%s: the greater, the likelier to come next.%s",
                   weights, name_all_ids(b, logits->size[1]), why_these_weights(b, g));
    derivation_row_formula(b, "logits", 'i');
    derivation_line(b, "logits", 0, g->next);
    derivation_matrix(b, "logits", 1);
}

/* Of the stack's output. */
static trace_origin last_of_output(const floors *f)
{
    const trace *room = floors_room(f, f->out->parts, "", "output");
    const trace_map *output = room == NULL ? NULL : map_named(room, "output");
    return output == NULL ? (trace_origin){0}
                          : (trace_origin){PART_BELOW, room, output, output->name};
}

static void map_logits(floors *f, const choice_shown *of, const tensor *last, const tensor *logits)
{
    const generation *g = of->of;
    builder *b = &f->b;
    trace_map *row = map_add(b, "output.last", FLOOR_LOGITS, last);
    row->rows = (trace_labels){of->last, NULL};
    row->letters = "the last row of the output";
    row->operand[0] = last_of_output(f);
    trace_map *weights = map_add(b, "unembedding", FLOOR_LOGITS, &g->unembedding);
    weights->columns = label_ids(of);
    weights->letters = g->tied_to != NULL ? build_text(b, "the %s, turned", g->tied_to) : NULL;
    weights->is_beyond_page = tensor_count(&g->unembedding) > MOST_IN_PAGE;
    trace_map *bias = map_add(b, "unembedding_bias", FLOOR_LOGITS, &g->bias);
    bias->columns = weights->columns;
    bias->id_name = weights->id_name = of->next->item[0];
    trace_origin of_row = map_from(b, PART_ROW, "output.last"),
                 of_weights = map_from(b, PART_COLUMN_J, "unembedding");
    of_row.name = build_text(b, "output[%zu]", g->stack.rows);
    of_weights.name = name_of_weights(b, g);
    map_say(b, map_row(f, of, "logits", logits), OP_DOT,
            (trace_origin[4]){of_row, of_weights, map_from(b, PART_OF_COLUMN, "unembedding_bias")});
}

static bool add_logits(floors *f, const choice_shown *of)
{
    if (!floors_begin(f, FLOOR_LOGITS, "logits"))
        return false;
    tensor output = floors_rows(f, "output").values, logits = floors_rows(f, "logits").values;
    tensor last = tensor_range(&output, 0, of->of->stack.rows - 1, 1);
    map_logits(f, of, &last, &logits);
    if (floors_tells(f) && !f->b.failed)
        tell_logits(f, of, &logits);
    return floors_end(f);
}

/* ---- probabilities ---- */

/* All but the logits are made here, each out of those before it. */
static void map_probabilities(floors *f, const choice_shown *of)
{
    const generation *g = of->of;
    builder *b = &f->b;
    const trace *before = &f->out->part[f->out->parts - 2];
    trace_origin logits = {PART_OF_COLUMN, before, map_named(before, "logits"), "logits"};
    tensor tempered = floors_rows(f, "tempered").values,
           exponentials = floors_rows(f, "exponentials").values;
    map_add_number(b, "temperature", FLOOR_PROBABILITIES, g->how.temperature);
    map_say(b, map_row(f, of, "tempered", &tempered), OP_DIVIDE,
            (trace_origin[4]){logits, map_from(b, PART_NUMBER, "temperature")});
    map_say(b, map_add_number(b, "most", FLOOR_PROBABILITIES, g->most), OP_MAX,
            (trace_origin[4]){map_from(b, PART_ROW, "tempered")});
    map_say(b, map_row(f, of, "exponentials", &exponentials), OP_EXP,
            (trace_origin[4]){map_from(b, PART_OF_COLUMN, "tempered"),
                              map_from(b, PART_NUMBER, "most")});
    map_say(b, map_add_number(b, "total", FLOOR_PROBABILITIES, g->total), OP_SUM,
            (trace_origin[4]){map_from(b, PART_ROW, "exponentials")});
    const trace_map *made =
        map_add_made(b, "probabilities", FLOOR_PROBABILITIES, 1, 1, tempered.size[1]);
    trace_map *shares = map_row(f, of, "probabilities", &made->values);
    for (size_t id = 0; id < tempered.size[1] && !b->failed; id++)
        tensor_set(&shares->values, (size_t[]){0, 0, id},
                   tensor_get(&exponentials, (size_t[]){0, id}) / g->total);
    shares->is_share = true;
    map_say(b, shares, OP_DIVIDE,
            (trace_origin[4]){map_from(b, PART_OF_COLUMN, "exponentials"),
                              map_from(b, PART_NUMBER, "total")});
}

static void tell_probabilities(builder *b, size_t id)
{
    build_sentence(b, "The logits over the temperature become probabilities by a softmax, in "
                      "float64: the higher the temperature, the more alike they are.");
    for (size_t i = 0; i < b->trace->maps; i++) {
        if (b->trace->map[i].has_origin)
            derivation_line(b, b->trace->map[i].name, 0, id);
    }
    derivation_matrix(b, "probabilities", 1);
}

static bool add_probabilities(floors *f, const choice_shown *of)
{
    if (!floors_begin(f, FLOOR_PROBABILITIES, "probabilities"))
        return false;
    map_probabilities(f, of);
    if (floors_tells(f))
        tell_probabilities(&f->b, of->of->next);
    return floors_end(f);
}

/* ---- the choice ---- */

/* "cat, id 5", where ids have words. */
static const char *name_chosen(floors *f, const choice_shown *of)
{
    const entry *vocab = bundle_find(of->of->stack.document, "vocab");
    const char *name = of->next->item[0];
    return vocab == NULL ? name : build_text(&f->b, "%s, id %zu", name, of->of->next);
}

static void tell_greatest(floors *f, const choice_shown *of, const tensor *logits)
{
    builder *b = &f->b;
    build_sentence(b,
                   "The greatest logit is that of %s, counted from 0; of equals it would be "
                   "the first.",
                   name_chosen(f, of));
    trace_item *line = line_of_id(b, of, OP_MAX, "logits");
    line->a = tensor_at(logits, 0);
    line->result = build_element(logits, 0, of->of->next);
}

/* The sum of exponentials up to the id is the first above the number's share of the total. */
static void tell_drawn(floors *f, const choice_shown *of)
{
    static const char UP_TO[] = "sum up to ";
    const generation *g = of->of;
    builder *b = &f->b;
    size_t id = g->next;
    tensor exponentials = floors_rows(f, "exponentials").values, row = tensor_at(&exponentials, 0);
    double number = g->how.number[g->step - 1], sum = 0;
    for (size_t i = 0; i <= id; i++)
        sum += tensor_get(&row, &i);
    build_sentence(b,
                   "A number from 0 up to 1 is drawn, and is a part of the total. Exponentials "
                   "are added up from id 0 on: the first at which they come to more than this "
                   "part is that of %s. So each id is chosen with its probability.",
                   name_chosen(f, of));
    trace_item *line = build_line(b, OP_TIMES, "part", "drawn·total");
    line->a = build_number(b, "drawn", number);
    line->b = build_number(b, "total", g->total);
    line->result = build_number(b, "part", number * g->total);
    const char *left = build_text(b, "%s%s", UP_TO, of->next->item[0]);
    line = build_line(b, OP_SUM, left, NULL);
    build_word(line, left, strlen(UP_TO), strlen(of->next->item[0]));
    line->a = tensor_range(&row, 0, 0, id + 1);
    line->result = build_number(b, "sum", sum);
}

static bool add_choice(floors *f, const choice_shown *of)
{
    const generation *g = of->of;
    if (!floors_begin(f, FLOOR_CHOICE, "choice"))
        return false;
    tensor logits = floors_rows(f, "logits").values;
    if (floors_tells(f)) {
        if (g->how.temperature > 0)
            tell_drawn(f, of);
        else
            tell_greatest(f, of, &logits);
        build_sentence(&f->b, generation_is_done(g) ? "It is written, and is the last one."
                                                    : "It is written, and its row goes in next.");
    }
    trace_map *map = map_add_number(&f->b, "choice", FLOOR_CHOICE, (double)g->next);
    map->rows = (trace_labels){of->next, NULL};
    map->letters = "the id that is chosen";
    if (g->how.temperature > 0)
        map_add_number(&f->b, "drawn", FLOOR_CHOICE, g->how.number[g->step - 1])->letters =
            "the number that was drawn";
    return floors_end(f);
}

bool choice_rooms(floors *f, const choice_shown *of)
{
    f->floor = "choice";
    f->focus.row = 0;
    return add_logits(f, of) && (of->of->how.temperature == 0 || add_probabilities(f, of)) &&
           add_choice(f, of);
}
