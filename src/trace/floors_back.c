/* The rooms of the way back through a stack, in the order in which it goes (model/stack_back.c):
 * from a loss of the output, part by part, to what went in. */
#include "trace/floors.h"

#include "model/embed.h"
#include "model/experts.h"
#include "model/gradient.h"
#include "model/stack_run.h"
#include "trace/build.h"
#include "trace/derivation.h"
#include "trace/nodes.h"

#include <string.h>

coming coming_of(const trace_room *room, const trace_map *map)
{
    return (coming){.op = OP_COPY, .of = {{PART_CELL, room, map, map->name}}};
}

static const char *grad_of(floors *f, const char *name)
{
    return build_text(&f->b, "%s", gradient_of(name).text);
}

bool floors_begin_back(floors *f, step_id step, const char *name)
{
    const trace_room *there = floors_room(f, f->out->rooms, f->way.text, name);
    bool tells = floors_begin(f, step, gradient_of(name).text);
    f->b.room->there = there;
    return tells;
}

/* ---- maps ---- */

static void take_rows(floors *f, trace_map *map)
{
    map->rows = f->labels;
    map->is_of_queries = true;
}

/* A stage that what comes back becomes, and goes on as. */
static void add_coming(floors *f, const char *name, coming *back)
{
    floor_rows rows = floors_rows(f, name);
    floors_map_rows(f, &rows)->function = back->function;
    map_say_origins(&f->b, rows.map, back->op, back->of);
    *back = coming_of(f->b.room, rows.map);
}

/* Numbers of the trace's own, in float64: of each row one or more. */
static trace_map *add_worked_rows(floors *f, const char *name, size_t columns)
{
    trace_map *made = map_add_made(&f->b, name, f->b.step->id, 1, f->stack->rows, columns);
    take_rows(f, made);
    made->is_column = columns == 1;
    return made;
}

static void say_and_fill(floors *f, trace_map *map, operation op,
                         const trace_origin of[TRACE_OPERANDS])
{
    map_say_origins(&f->b, map, op, of);
    if (map->values.data != NULL)
        derivation_fill(&f->b, map);
}

/* Whether a parameter here gains of several entries, or layers. */
static bool is_of_several(const floors *f)
{
    return f->stack->batches > 1 || floors_shared(f).layers > 1;
}

/* What a parameter gains: of several what the one in focus adds, which no stage holds. It lies as
 * the parameter is used, which may be turned. */
static void add_gain_of(floors *f, const char *name, const tensor *view, const tensor *given,
                        operation op, const trace_origin of[TRACE_OPERANDS])
{
    builder *b = &f->b;
    const char *grad = grad_of(f, name);
    if (view->data == NULL)
        return;
    tensor values = floors_rows(f, grad).values;
    bool is_part = is_of_several(f);
    if (is_part)
        values = build_numbers_new(b, grad, values.type, values.rank, values.size);
    if (values.data != NULL && values.rank == 2)
        values = tensor_seen_as(&values, view, given);
    trace_map *map =
        map_add(b, is_part ? build_text(b, "%s_part", grad) : grad, b->step->id, &values);
    map_say_origins(b, map, op, of);
    if (is_part && map->values.data != NULL)
        derivation_fill(b, map);
}

static void add_bias_gain(floors *f, const char *name, const tensor *bias, const char *grad)
{
    add_gain_of(f, name, bias, bias, OP_ADD_UP,
                (trace_origin[TRACE_OPERANDS]){map_from(&f->b, PART_COLUMN_J, grad)});
}

/* Of a matrix that rows were multiplied by: what it took times what came of it. */
static void add_weight_gain(floors *f, const entry *given, const char *name, const tensor *view,
                            trace_origin taken, const char *grad)
{
    taken.part = PART_COLUMN_I;
    add_gain_of(f, name, view, &given->tensor, OP_DOT,
                (trace_origin[TRACE_OPERANDS]){taken, map_from(&f->b, PART_COLUMN_J, grad)});
}

/* ---- what is said ---- */

/* Its formula, its first number in the row, and all. */
static void show(floors *f, const char *name, size_t row)
{
    builder *b = &f->b;
    const trace_map *map = map_named(b->room, name);
    if (map == NULL)
        return;
    size_t at = map->is_of_queries ? row : 0;
    derivation_formula(b, name, "");
    derivation_line(b, name, at, 0);
    derivation_matrix(b, name, map->is_of_queries ? at + 1 : 0);
}

static void show_gain_of(floors *f, const char *name)
{
    const char *grad = grad_of(f, name);
    bool is_part = is_of_several(f);
    const shared_gains shared = floors_shared(f);
    show(f, is_part ? build_text(&f->b, "%s_part", grad) : grad, 0);
    if (map_named(f->b.room, is_part ? build_text(&f->b, "%s_part", grad) : grad) != NULL)
        build_part_of_all(&f->b, grad, f->stack->batches, &shared);
}

/* ---- the loss ---- */

/* So many logits are worked out one by one; and an unembedding of so many numbers is in a page. */
enum { MOST_LOGITS = 1 << 18, MOST_IN_PAGE = 1 << 16 };

/* Of the entry in focus. */
static size_t label_of(const floors *f, size_t row)
{
    return f->stack->goal.label[f->focus.batch * f->stack->rows + row];
}

/* The word of each id, or "id 5". */
static trace_labels name_ids(floors *f, size_t ids)
{
    builder *b = &f->b;
    for (size_t id = 0; id < ids && !b->failed; id++) {
        const char *word = stack_word_of_id(f->stack, id);
        build_name(b, &b->room->keys, word != NULL ? word : build_text(b, "id %zu", id));
    }
    return (trace_labels){&b->room->keys, NULL};
}

/* What no operation of the trace makes, but a kernel: the greatest of each row's logits, its
 * exponentials and their sum; and which id is the row's label. */
static void fill_softmax(floors *f, const tensor *logits, const tensor *const made[4])
{
    const kernels *in64 = f->stack->isa->table(DTYPE_F64);
    size_t ids = logits->size[1];
    tensor most = *made[0], each = *made[1], total = *made[2], labelled = *made[3];
    for (size_t row = 0; row < logits->size[0]; row++) {
        double *of_id = (double *)(void *)each.data + row * ids, greatest;
        row_total all;
        for (size_t id = 0; id < ids; id++)
            of_id[id] = tensor_get(logits, (size_t[]){row, id});
        in64->row_max(of_id, ids, &greatest);
        in64->row_exponent(of_id, ids, &greatest, of_id, &all, NULL);
        tensor_set(&most, (size_t[]){0, row, 0}, greatest);
        tensor_set(&total, (size_t[]){0, row, 0}, all.sum + all.rest);
        for (size_t id = 0; id < ids; id++)
            tensor_set(&labelled, (size_t[]){0, row, id}, id == label_of(f, row));
    }
}

/* The loss of logits, up to what comes back to them. */
static void add_softmax_loss(floors *f, const floor_rows *logits, const char *number)
{
    builder *b = &f->b;
    const stack *s = f->stack;
    size_t ids = logits->values.size[1];
    trace_labels columns = logits->map->columns;
    trace_map *labelled = add_worked_rows(f, "labelled", ids);
    trace_map *counted = add_worked_rows(f, "counted", 1);
    trace_map *most = add_worked_rows(f, "most", 1);
    trace_map *each = add_worked_rows(f, "exponentials", ids);
    trace_map *total = add_worked_rows(f, "total", 1);
    labelled->columns = each->columns = columns;
    labelled->letters = "1 where j is the label of row i, else 0";
    map_say(b, most, OP_MAX, (map_operand[TRACE_OPERANDS]){{PART_ROW_I, "logits"}});
    map_say(b, each, OP_EXPONENTIAL,
            (map_operand[TRACE_OPERANDS]){{PART_CELL, "logits"}, {PART_OF_ROW, "most"}});
    map_say(b, total, OP_WIDE_SUM, (map_operand[TRACE_OPERANDS]){{PART_ROW_I, "exponentials"}});
    if (b->failed)
        return;
    fill_softmax(
        f, &logits->values,
        (const tensor *const[]){&most->values, &each->values, &total->values, &labelled->values});
    say_and_fill(f, counted, OP_TOTAL,
                 (trace_origin[TRACE_OPERANDS]){map_from(b, PART_ROW_I, "labelled")});
    say_and_fill(f, add_worked_rows(f, "label_logit", 1), OP_DOT,
                 (trace_origin[TRACE_OPERANDS]){map_from(b, PART_ROW_I, "labelled"),
                                                map_from(b, PART_ROW_I, "logits")});
    say_and_fill(f, add_worked_rows(f, "row_loss", 1), OP_ROW_LOSS,
                 (trace_origin[TRACE_OPERANDS]){
                     map_from(b, PART_OF_ROW, "most"), map_from(b, PART_OF_ROW, "total"),
                     map_from(b, PART_OF_ROW, "label_logit"), map_from(b, PART_OF_ROW, "counted")});
    map_add_number(b, "labels", FLOOR_LOSS, (double)s->goal.labels)->letters =
        "how many rows have a label";
    tensor values = s->batches > 1 ? build_numbers_new(b, number, s->type, 0, NULL)
                                   : floors_rows(f, "loss").values;
    trace_map *made = map_add(b, number, FLOOR_LOSS, &values);
    made->is_number = true;
    map_say(b, made, OP_LOSS_MEAN,
            (map_operand[TRACE_OPERANDS]){{PART_WHOLE, "row_loss"}, {PART_NUMBER, "labels"}});
    if (s->batches > 1 && made->values.data != NULL)
        derivation_fill(b, made);
}

static void show_logits_loss(floors *f, const char *number, bool is_worked)
{
    static const char *const OF_ROW[] = {"most", "exponentials", "total", "label_logit",
                                         "row_loss"};
    builder *b = &f->b;
    const stack *s = f->stack;
    const unembedding *u = &s->goal.to_ids;
    size_t row = f->focus.row, label = label_of(f, row), ids = u->weight.size[1];
    build_sentence(b,
                   "Each row of the %s makes a logit for each of the %zu ids: the greater, the "
                   "likelier it is.%s",
                   s->has_head ? HEAD : "output", ids,
                   u->tied_to == NULL
                       ? ""
                       : build_text(b,
                                    " There is no unembedding, so that the rows of the %s are what "
                                    "it is compared with.",
                                    u->tied_to));
    show(f, "logits.product", row);
    if (u->scale != 1) {
        build_sentence(b,
                       "A factor makes these numbers larger, or smaller: the larger they are, the "
                       "further apart are their shares.");
        show(f, "logits.times", row);
    }
    if (u->softcap > 0)
        build_sentence(b, "A cap keeps them between −C and C: the nearer one is to it, the less it "
                          "can grow.");
    show(f, "logits", row);
    build_sentence(b,
                   "From here the way goes back. A gradient says how much the loss grows with a "
                   "number: by so much for each 1 that the number grows, while all others stay.");
    if (!is_worked) {
        build_sentence(b,
                       "The loss is worked out of up to %d logits; here are %zu, and loss and "
                       "logits_grad are shown as they came.",
                       MOST_LOGITS, s->rows * ids);
    } else {
        build_sentence(b,
                       label == NO_LABEL
                           ? "The exponentials of a row over their sum are probabilities. A row's "
                             "loss is how far the logarithm of its label's is below 0. Row %zu has "
                             "no label, and does not count."
                           : "The exponentials of a row over their sum are probabilities. A row's "
                             "loss is how far the logarithm of its label's is below 0. Row %zu "
                             "should lead to %s.",
                       row + 1, label == NO_LABEL ? "" : b->room->keys.item[label]);
        for (size_t i = 0; i < sizeof OF_ROW / sizeof OF_ROW[0]; i++) {
            derivation_formula(b, OF_ROW[i], "");
            derivation_line(b, OF_ROW[i], row, 0);
        }
        derivation_matrix(b, "row_loss", row + 1);
        build_sentence(b, "The loss is the mean over the rows that have a label.");
        derivation_line(b, number, 0, 0);
        build_part_of_all(b, map_name_of(STAGE_LOSS), s->batches, NULL);
        build_sentence(b, "So a logit gains its probability, and the label's 1 less: what the "
                          "label is to gain, all others are to lose.");
    }
    show(f, "logits_grad", row);
    if (u->softcap > 0)
        build_sentence(b,
                       "Back through the cap, the less comes to a number the nearer its logit is "
                       "to it.");
    show(f, "logits.times_grad", row);
    if (u->scale != 1)
        build_sentence(b, "Back through the factor, each is multiplied by it.");
    show(f, "logits.product_grad", row);
    show_gain_of(f, "unembedding");
    show_gain_of(f, "unembedding_bias");
    build_sentence(b, "Each number of the %s went into all logits of its row.",
                   s->has_head ? HEAD : "output");
    show(f, "output_grad", row);
}

/* The rows that the unembedding takes. */
static const char *name_of_taken(const stack *s)
{
    return s->has_head ? head_made_name(&s->head) : "output";
}

/* A stage as wide as logits, of others that are. */
static floor_rows add_of_logits(floors *f, const char *name, operation op,
                                const map_operand of[TRACE_OPERANDS], trace_labels columns)
{
    floor_rows rows = floors_rows(f, name);
    trace_map *map = floors_map_rows(f, &rows);
    map->columns = columns;
    map_say(&f->b, map, op, of);
    return rows;
}

/* The product, then a factor and a cap, where there are such: each changes what is there. */
static floor_rows add_logits(floors *f, const unembedding *u, trace_labels columns)
{
    builder *b = &f->b;
    const char *made = unembedding_product(u), *factor = "logits_scale", *cap = "logits_softcap";
    floor_rows rows =
        add_of_logits(f, made, OP_DOT,
                      (map_operand[TRACE_OPERANDS]){{PART_ROW_I, name_of_taken(f->stack)},
                                                    {PART_COLUMN_J, "unembedding"},
                                                    {PART_OF_COLUMN, "unembedding_bias"}},
                      columns);
    if (u->scale != 1) {
        map_add_number(b, factor, FLOOR_LOSS, u->scale);
        rows = add_of_logits(
            f, u->softcap > 0 ? "logits.times" : "logits", OP_TIMES,
            (map_operand[TRACE_OPERANDS]){{PART_CELL, made}, {PART_NUMBER, factor}}, columns);
        made = rows.name;
    }
    if (u->softcap > 0) {
        map_add_number(b, cap, FLOOR_LOSS, u->softcap);
        rows = add_of_logits(f, "logits", OP_CAP,
                             (map_operand[TRACE_OPERANDS]){{PART_CELL, made}, {PART_NUMBER, cap}},
                             columns);
    }
    return rows;
}

/* And back, to the gradient of the product, whose name it gives. */
static const char *add_logits_back(floors *f, const unembedding *u, trace_labels columns)
{
    const char *made = "logits_grad", *last = grad_of(f, unembedding_product(u));
    if (u->softcap > 0)
        made = add_of_logits(f, u->scale != 1 ? grad_of(f, "logits.times") : last, OP_CAP_BACK,
                             (map_operand[TRACE_OPERANDS]){{PART_CELL, made},
                                                           {PART_CELL, "logits"},
                                                           {PART_NUMBER, "logits_softcap"}},
                             columns)
                   .name;
    if (u->scale != 1)
        add_of_logits(
            f, last, OP_TIMES,
            (map_operand[TRACE_OPERANDS]){{PART_CELL, made}, {PART_NUMBER, "logits_scale"}},
            columns);
    return last;
}

/* A loss of logits that the output makes, or a head of it. */
static void add_logits_loss(floors *f, coming *back)
{
    builder *b = &f->b;
    const stack *s = f->stack;
    const unembedding *u = &s->goal.to_ids;
    const char *taken = name_of_taken(s);
    const trace_room *there =
        floors_room(f, f->out->rooms, "", s->has_head && !s->head.has_norm ? HEAD : taken);
    bool tells = floors_begin(f, FLOOR_LOSS, "loss"), is_part = s->batches > 1;
    const char *number = is_part ? "loss_part" : "loss";
    size_t ids = u->weight.size[1];
    bool is_worked = ids <= MOST_LOGITS / s->rows;
    const trace_labels columns = is_worked ? name_ids(f, ids) : NUMBERED;
    b->room->there = there;
    trace_map *weight = map_add(b, "unembedding", FLOOR_LOSS, &u->weight);
    weight->columns = columns;
    weight->letters = u->tied_to == NULL ? NULL : build_text(b, "the %s, turned", u->tied_to);
    weight->is_beyond_page = tensor_count(&u->weight) > MOST_IN_PAGE;
    map_add(b, "unembedding_bias", FLOOR_LOSS, &u->bias)->columns = columns;
    floor_rows logits = add_logits(f, u, columns);
    if (is_worked)
        add_softmax_loss(f, &logits, number);
    floor_rows grad = floors_rows(f, "logits_grad");
    trace_map *of_logits = floors_map_rows(f, &grad);
    of_logits->columns = columns;
    if (is_worked)
        map_say(b, of_logits, OP_LABEL_BACK,
                (map_operand[TRACE_OPERANDS]){{PART_CELL, "exponentials"},
                                              {PART_OF_ROW, "total"},
                                              {PART_CELL, "labelled"},
                                              {PART_OF_ROW, "counted"},
                                              {PART_NUMBER, "labels"}});
    const char *last = add_logits_back(f, u, columns);
    if (u->tied_to == NULL)
        add_weight_gain(f, bundle_find(s->document, "unembedding"), "unembedding", &u->weight,
                        map_from(b, PART_CELL, taken), last);
    add_bias_gain(f, "unembedding_bias", &u->bias, last);
    *back = (coming){.op = OP_DOT,
                     .of = {map_from(b, PART_ROW_I, last), map_from(b, PART_ROW_J, "unembedding")}};
    if (!s->has_head)
        add_coming(f, "output_grad", back);
    if (tells && !b->failed)
        show_logits_loss(f, number, is_worked);
}

void floors_loss(floors *f, coming *back)
{
    builder *b = &f->b;
    const stack *s = f->stack;
    const loss *by = &s->goal.of;
    if (goal_has_logits(&s->goal)) {
        add_logits_loss(f, back);
        return;
    }
    const trace_room *there = floors_room(f, f->out->rooms, "", "output");
    bool tells = floors_begin(f, FLOOR_LOSS, "loss");
    b->room->there = there;
    const loss_said of = {.kind = by->kind,
                          .is_given = by->given.data != NULL,
                          .is_ones = by->is_ones,
                          .batches = s->batches,
                          .count = (double)tensor_count(&s->part_grad),
                          .output = "output",
                          .number = s->batches > 1 ? "loss_part" : "loss",
                          .step = FLOOR_LOSS};
    if (by->kind == LOSS_SQUARE) {
        tensor target =
            s->batches > 0 ? tensor_at(&by->target, f->focus.batch) : tensor_view_of(&by->target);
        take_rows(f, map_add(b, "target", FLOOR_LOSS, &target));
    }
    tensor number = {0};
    if (by->kind != LOSS_NONE && s->batches > 1)
        number = build_numbers_new(b, of.number, s->type, 0, NULL);
    else if (by->kind != LOSS_NONE)
        number = floors_rows(f, "loss").values;
    map_make_loss(b, &of, &number);
    floor_rows grad = floors_rows(f, "output_grad");
    map_say_loss_grad(b, &of, floors_map_rows(f, &grad));
    *back = coming_of(b->room, grad.map);
    if (tells)
        loss_show(b, &of);
}

/* ---- norms ---- */

void floors_norm_back(floors *f, const norm *n, const char *name, coming *back)
{
    builder *b = &f->b;
    bool tells = floors_begin_back(f, FLOOR_NORM_BACK, name);
    size_t width = floors_rows(f, gradient_of(name).text).values.size[1];
    const char *grad = grad_of(f, name), *eps = build_text(b, "%s.eps", name),
               *gain = build_text(b, "%s.gain", name), *bias = build_text(b, "%s.bias", name),
               *middle = build_text(b, "%s.middle", name), *apart = build_text(b, "%s.apart", name),
               *turned = build_text(b, "%s.back", name), *count = build_text(b, "%s.width", name),
               *mean = build_text(b, "%s.back_mean", name),
               *rows = build_text(b, "%s.rows_grad", name);
    /* What the norm there was given: its first map that is made says it. */
    const trace_room *there = b->room->there;
    trace_origin given = {0};
    for (size_t i = 0; there != NULL && i < there->maps && given.map == NULL; i++)
        given = there->map[i]->operand[0];
    if (b->failed)
        return;
    given.part = PART_CELL;
    add_coming(f, grad, back);
    if (!n->is_rms) {
        trace_origin row = given, first = given;
        row.part = PART_ROW_I;
        first.part = PART_OF_ROW;
        say_and_fill(f, add_worked_rows(f, middle, 1), OP_MIDDLE,
                     (trace_origin[TRACE_OPERANDS]){row, first});
        say_and_fill(f, add_worked_rows(f, apart, width), OP_MINUS,
                     (trace_origin[TRACE_OPERANDS]){given, map_from(b, PART_OF_ROW, middle)});
        given = map_from(b, PART_CELL, apart);
    }
    const norm_back_said of = {.before = build_text(b, "%s.", name),
                               .step = b->step->id,
                               .heads = 1,
                               .rows = f->stack->rows,
                               .width = width,
                               .labels = f->labels,
                               .of = given,
                               .back = map_from(b, PART_CELL, grad),
                               .eps = map_from(b, PART_NUMBER, eps),
                               .gain = map_from(b, PART_OF_COLUMN, gain)};
    const coming made = map_make_norm_back(b, &of);
    say_and_fill(f,
                 n->is_rms ? floors_made_rows(f, rows, width) : add_worked_rows(f, turned, width),
                 made.op, made.of);
    if (!n->is_rms) {
        map_add_number(b, count, b->step->id, (double)width)->letters = "how wide a row is";
        say_and_fill(f, add_worked_rows(f, mean, 1), OP_SHARES,
                     (trace_origin[TRACE_OPERANDS]){map_from(b, PART_ROW_I, turned),
                                                    map_from(b, PART_NUMBER, count)});
        say_and_fill(f, floors_made_rows(f, rows, width), OP_NORM_CENTER,
                     (trace_origin[TRACE_OPERANDS]){map_from(b, PART_CELL, turned),
                                                    map_from(b, PART_OF_ROW, mean)});
    }
    if (n->gain.data != NULL)
        add_gain_of(f, gain, &n->gain, &n->gain, OP_TOTAL,
                    (trace_origin[TRACE_OPERANDS]){
                        map_from(b, PART_COLUMN_J, map_make_gain_terms(b, &of))});
    add_bias_gain(f, bias, &n->bias, grad);
    *back = coming_of(b->room, map_there(b, rows));
    if (!tells)
        return;
    build_sentence(b, n->is_rms
                          ? "A row was divided by its root mean square: to grow along itself "
                            "changes nothing, and that share of its gradient is taken off."
                          : "A row was moved to mean 0 and divided by its root: to grow along "
                            "what it is away from its mean changes nothing, nor does it to move "
                            "as a whole, and both shares of its gradient are taken off.");
    for (size_t i = 0; i <= map_there(b, rows)->number; i++) {
        const trace_map *map = b->room->map[i];
        if (!map->has_origin)
            continue;
        derivation_formula(b, map->name, "");
        derivation_line(b, map->name, f->focus.row, 0);
    }
    derivation_matrix(b, rows, f->focus.row + 1);
    if (n->gain.data != NULL)
        derivation_formula(b, build_text(b, "%sgain_terms", of.before), "");
    show_gain_of(f, gain);
    show_gain_of(f, bias);
}

/* ---- sums ---- */

coming floors_sum_back(floors *f, double scale, const char *name, coming *back)
{
    bool tells = floors_begin_back(f, FLOOR_RESIDUAL_BACK, name);
    const char *grad = grad_of(f, name);
    add_coming(f, grad, back);
    const coming around = *back;
    if (scale != 1) {
        trace_origin factor = map_from(&f->b, PART_NUMBER, floors_factor(f, grad, scale));
        *back = (coming){.op = OP_TIMES, .of = {back->of[0], factor}};
    }
    if (!tells)
        return around;
    build_sentence(&f->b,
                   "What comes back to a sum goes to both that were added%s: to the part, and "
                   "around it. So the rows below learn also where the part itself lets nothing "
                   "through.",
                   scale == 1 ? ", as it is" : ", to the part times residual_scale");
    show(f, grad, f->focus.row);
    return around;
}

/* ---- feed-forward parts ---- */

void floors_feed_forward_back(floors *f, const feed_forward *by, const bundle *own, coming *back)
{
    static const char OUTPUT[] = "ffn.output_grad", ACTIVATED[] = "ffn.activated_grad",
                      OPENED[] = "ffn.opened", OPENED_GRAD[] = "ffn.opened_grad",
                      GATE[] = "ffn.gate_grad", HIDDEN[] = "ffn.hidden_grad",
                      ROWS[] = "ffn.rows_grad", BY_HIDDEN[] = "ffn.rows_grad_by_hidden";
    builder *b = &f->b;
    bool tells = floors_begin_back(f, FLOOR_FEED_FORWARD_BACK, "ffn"),
         has_gate = by->w3.data != NULL;
    size_t width = by->width;
    if (b->failed)
        return;
    const trace_origin x = map_there(b, "ffn.hidden")->operand[0];
    add_coming(f, OUTPUT, back);
    add_bias_gain(f, "b2", &by->b2, OUTPUT);
    add_weight_gain(f, bundle_find(own, "w2"), "w2", &by->w2,
                    map_from(b, PART_CELL, "ffn.activated"), OUTPUT);
    *back = (coming){.op = OP_DOT,
                     .of = {map_from(b, PART_ROW_I, OUTPUT), map_from(b, PART_ROW_J, "w2")}};
    add_coming(f, ACTIVATED, back);
    if (has_gate) {
        /* What the gate let through, without it. */
        trace_map *opened = floors_made_rows(f, OPENED, by->hidden);
        const tensor *hidden = &map_there(b, "ffn.hidden")->values;
        opened->function = by->by;
        map_say(b, opened, OP_ACTIVATE, (map_operand[TRACE_OPERANDS]){{PART_CELL, "ffn.hidden"}});
        tensor dense;
        if (b->failed || !tensor_new_copy(&dense, hidden, f->e)) {
            b->failed = true;
            return;
        }
        by->by->apply(f->stack->isa->table(f->stack->type), dense.data, tensor_count(&dense),
                      opened->values.data);
        tensor_free(&dense);
        *back = (coming){.op = OP_TIMES,
                         .of = {map_from(b, PART_CELL, OPENED), map_from(b, PART_CELL, ACTIVATED)}};
        add_coming(f, GATE, back);
        add_weight_gain(f, bundle_find(own, "w3"), "w3", &by->w3, x, GATE);
        add_bias_gain(f, "b3", &by->b3, GATE);
        say_and_fill(f, floors_made_rows(f, OPENED_GRAD, by->hidden), OP_TIMES,
                     (trace_origin[TRACE_OPERANDS]){map_from(b, PART_CELL, ACTIVATED),
                                                    map_from(b, PART_CELL, "ffn.gate")});
    }
    *back = (coming){.op = OP_ACTIVATE_BACK,
                     .of = {map_from(b, PART_CELL, "ffn.hidden"),
                            map_from(b, PART_CELL, has_gate ? OPENED_GRAD : ACTIVATED)},
                     .function = by->by};
    add_coming(f, HIDDEN, back);
    add_weight_gain(f, bundle_find(own, "w1"), "w1", &by->w1, x, HIDDEN);
    add_bias_gain(f, "b1", &by->b1, HIDDEN);
    say_and_fill(f, floors_made_rows(f, has_gate ? BY_HIDDEN : ROWS, width), OP_DOT,
                 (trace_origin[TRACE_OPERANDS]){map_from(b, PART_ROW_I, HIDDEN),
                                                map_from(b, PART_ROW_J, "w1")});
    if (has_gate)
        say_and_fill(f, floors_made_rows(f, ROWS, width), OP_GO_ON,
                     (trace_origin[TRACE_OPERANDS]){map_from(b, PART_ROW_I, GATE),
                                                    map_from(b, PART_ROW_J, "w3"),
                                                    map_from(b, PART_CELL, BY_HIDDEN)});
    *back = coming_of(b->room, map_there(b, ROWS));
    if (!tells)
        return;
    derivation_formula(b, OUTPUT, "");
    build_sentence(b, "Each number that was activated went into all numbers of its row, by a row "
                      "of w2: by the same row its gradient comes back.");
    show(f, ACTIVATED, f->focus.row);
    show_gain_of(f, "w2");
    show_gain_of(f, "b2");
    if (has_gate) {
        build_sentence(b, "A product's gradient goes to each factor times the other one: to the "
                          "gate times what it let through, and to that times the gate.");
        show(f, OPENED, f->focus.row);
        show(f, GATE, f->focus.row);
        show(f, OPENED_GRAD, f->focus.row);
    }
    build_sentence(b, "Through %s comes as much as its slope lets through.", by->by->named.name);
    show(f, HIDDEN, f->focus.row);
    build_sentence(b, "A weight gains of every row that it was used on: the number that it took, "
                      "times the gradient of what came of it.");
    show_gain_of(f, "w1");
    show_gain_of(f, "b1");
    show_gain_of(f, "w3");
    show_gain_of(f, "b3");
    build_sentence(b, "And the rows that went in gain by all hidden numbers.");
    if (has_gate)
        show(f, BY_HIDDEN, f->focus.row);
    show(f, ROWS, f->focus.row);
}

/* What the weights of the chosen experts gain, and so their scores: what the scores do, or of those
 * that have none, what weights do before they are multiplied by a factor. */
static trace_origin route_back(floors *f, const expert_mix *by)
{
    builder *b = &f->b;
    floor_rows weights = floors_rows(f, "ffn.routing_grad");
    trace_map *chosen = floors_chosen(f, "ffn.chosen_routing_grad", by->top, &weights);
    chosen->follows = (trace_origin){0};
    map_say(b, chosen, OP_WIDE_DOT,
            (map_operand[TRACE_OPERANDS]){{PART_ROW_I, "ffn.output_grad"},
                                          {PART_ROW_I, "ffn.experts"}});
    floors_ruled(f, &weights, "what a chosen expert's weight gains, else 0",
                 map_from(b, PART_CELL, "ffn.routing"));
    trace_origin g = map_from(b, PART_CELL, weights.name), factor = {0};
    if (by->scale != 1)
        factor = map_from(b, PART_NUMBER, "routing_scale");
    bool has_scores = by->by->kind != ROUTED_BY_LOGITS;
    if (by->scale != 1 && (by->renormalizes || !has_scores)) {
        trace_map *unscaled = add_worked_rows(f, "ffn.weights_grad", by->count);
        say_and_fill(f, unscaled, OP_TIMES, (trace_origin[TRACE_OPERANDS]){g, factor});
        g = map_from(b, PART_CELL, unscaled->name);
    }
    if (!has_scores)
        return g;
    floor_rows scores = floors_rows(f, "ffn.scores_grad");
    trace_origin row = g, of[TRACE_OPERANDS] = {g};
    operation op = by->scale == 1 ? OP_COPY : OP_ROUTE;
    row.part = PART_ROW_I;
    of[3] = factor;
    if (by->renormalizes) {
        static const char SHARE[] = "ffn.scores_share";
        op = OP_ROUTE_BACK;
        of[2] = map_from(b, PART_OF_ROW, "ffn.chosen_sum");
        say_and_fill(
            f, add_worked_rows(f, SHARE, 1), OP_SHARE_BACK,
            (trace_origin[TRACE_OPERANDS]){row, map_from(b, PART_ROW_I, "ffn.scores"), of[2]});
        of[1] = map_from(b, PART_OF_ROW, SHARE);
        of[3] = map_from(b, PART_CELL, "ffn.chosen");
    }
    map_say_origins(b, floors_map_rows(f, &scores), op, of);
    return map_from(b, PART_CELL, scores.name);
}

/* What the router's logits gain. */
static void router_back(floors *f, const expert_mix *by, trace_origin scores_grad)
{
    builder *b = &f->b;
    floor_rows logits = floors_rows(f, "ffn.router_grad");
    const char *scores = by->by->kind == ROUTED_BY_LOGITS ? "ffn.shares" : "ffn.scores";
    if (by->by->kind == ROUTED_BY_SIGMOID) {
        map_say_origins(
            b, floors_map_rows(f, &logits), OP_SIGMOID_BACK,
            (trace_origin[TRACE_OPERANDS]){scores_grad, map_from(b, PART_CELL, scores)});
        return;
    }
    const char *share = "ffn.router_share";
    trace_origin row = scores_grad;
    row.part = PART_ROW_I;
    say_and_fill(f, add_worked_rows(f, share, 1), OP_DOT_LESS,
                 (trace_origin[TRACE_OPERANDS]){row, map_from(b, PART_ROW_I, scores)});
    map_say_origins(b, floors_map_rows(f, &logits), OP_ROUTER_BACK,
                    (trace_origin[TRACE_OPERANDS]){map_from(b, PART_CELL, scores), scores_grad,
                                                   map_from(b, PART_OF_ROW, share)});
}

/* What of several sequences, or layers, the one in focus adds to all that experts gain: the way
 * back of its rows alone. */
static bool run_part_back(floors *f, const expert_mix *by, const bundle *own, bundle *parts)
{
    static const char *const ALL[] = {"*_grad"};
    static const text_list NOTHING = {0};
    const text_list wanted = {.item = (char **)(uintptr_t)ALL, .count = 1};
    const row_span gained[GAINERS] = {{0}};
    const builder *b = &f->b;
    const stack *s = f->stack;
    const tensor x = tensor_at(&map_there(b, "ffn.router")->operand[0].map->values, 0),
                 back = tensor_at(&map_there(b, "ffn.output_grad")->values, 0);
    keeper keep = keeper_of(&wanted), nothing = keeper_of(&NOTHING);
    tensor rows = {0}, grad = {0};
    crew alone;
    const way_back way = {.with = s->isa->table(s->type),
                          .in64 = s->isa->table(DTYPE_F64),
                          .by = &alone,
                          .type = s->type,
                          .allow_nonfinite = true,
                          .gained = gained};
    keep.result = parts;
    crew_open(&alone, 1);
    bool done = tensor_new_copy(&rows, &x, f->e) && tensor_new_copy(&grad, &back, f->e) &&
                expert_mix_back(by, &way, own, &rows, &grad, &keep, &nothing, f->e);
    crew_close(&alone);
    tensor_free(&rows);
    tensor_free(&grad);
    return done;
}

/* What an expert's matrices gain, out of the run, or of several sequences or layers out of `parts`;
 * in the order in which they are used. */
static void add_expert_gains(floors *f, const char *of, const feed_forward *by, const bundle *own,
                             const bundle *parts)
{
    builder *b = &f->b;
    const bool is_part = is_of_several(f);
    const floor_weights all = floors_weights(by);
    for (size_t i = 0; i < FLOOR_WEIGHTS; i++) {
        const char *called = all.one[i].key, *name = build_text(b, "%s.%s", of, called),
                   *grad = grad_of(f, name);
        const tensor *as_used = all.one[i].numbers, *made = bundle_tensor(parts, grad);
        if (as_used->data == NULL || b->failed)
            continue;
        tensor values = is_part ? build_numbers_new(b, grad, made->type, made->rank, made->size)
                                : floors_rows(f, grad).values;
        if (values.data == NULL)
            continue;
        if (is_part)
            tensor_copy(made, &values);
        if (values.rank == 2)
            values = tensor_seen_as(&values, as_used, bundle_tensor(own, called));
        trace_map *map =
            map_add(b, is_part ? build_text(b, "%s_part", grad) : grad, b->step->id, &values);
        map->letters = "what it gains of the rows that have chosen it";
        map->follows = map_from(b, PART_CELL, name);
    }
}

void floors_experts_back(floors *f, const expert_mix *by, const bundle *own, coming *back)
{
    static const char OUTPUT[] = "ffn.output_grad", ROUTER[] = "ffn.router_grad",
                      GATE[] = "ffn.shared_gate_grad";
    builder *b = &f->b;
    bool tells = floors_begin_back(f, FLOOR_FEED_FORWARD_BACK, "ffn");
    floor_rows experts = floors_rows(f, "ffn.experts_grad"), rows = floors_rows(f, "ffn.x_grad");
    if (b->failed)
        return;
    const trace_origin x = map_there(b, "ffn.router")->operand[0];
    add_coming(f, OUTPUT, back);
    trace_map *map = floors_map_rows(f, &experts);
    map->slices = by->top;
    map_say(
        b, map, OP_SCALE_BACK,
        (map_operand[TRACE_OPERANDS]){{PART_CELL, OUTPUT}, {PART_OF_ROW, "ffn.chosen_routing"}});
    router_back(f, by, route_back(f, by));
    add_weight_gain(f, bundle_find(own, "router"), "router", &by->router, x, ROUTER);
    add_bias_gain(f, "router_bias", &by->router_bias, ROUTER);
    if (by->shared_gate.data != NULL) {
        floor_rows gate = floors_rows(f, GATE);
        floors_ruled(f, &gate, "what row i of shared_gate's product gains",
                     map_from(b, PART_ROW_I, OUTPUT))
            ->is_column = true;
        add_weight_gain(f, bundle_find(own, "shared_gate"), "shared_gate", &by->shared_gate, x,
                        GATE);
    }
    bundle parts = {0};
    b->failed = b->failed || (is_of_several(f) && !run_part_back(f, by, own, &parts));
    for (size_t i = 0; i < by->count; i++)
        add_expert_gains(f, build_text(b, "experts.%zu", i), &by->expert[i],
                         expert_given(bundle_find(own, "experts")->bundle, i)->bundle, &parts);
    if (by->has_shared)
        add_expert_gains(f, "shared", &by->shared, bundle_find(own, "shared")->bundle, &parts);
    bundle_free(&parts);
    floors_ruled(f, &rows, "what comes back to row i by all that it went through",
                 map_from(b, PART_CELL, OUTPUT));
    *back = coming_of(b->room, rows.map);
    if (!tells || b->failed)
        return;
    show(f, OUTPUT, f->focus.row);
    build_sentence(b, "Of what comes back, each chosen expert gains its weight's share, side by "
                      "side in the order of their numbers, and a weight gains what its expert "
                      "made, times what comes back.");
    show(f, experts.name, f->focus.row);
    show(f, "ffn.chosen_routing_grad", f->focus.row);
    derivation_matrix(b, "ffn.routing_grad", f->focus.row + 1);
    build_sentence(b, "The choice gives nothing back: an expert that is not chosen gains nothing. "
                      "The router learns by the weights of the chosen ones alone.");
    show(f, "ffn.scores_share", f->focus.row);
    show(f, "ffn.scores_grad", f->focus.row);
    show(f, "ffn.router_share", f->focus.row);
    show(f, ROUTER, f->focus.row);
    show_gain_of(f, "router");
    show_gain_of(f, "router_bias");
    if (by->shared_gate.data != NULL) {
        build_sentence(b, "The gate gains what the shared expert made, times what comes back, as "
                          "much as the sigmoid's slope lets through.");
        derivation_matrix(b, GATE, f->focus.row + 1);
        show_gain_of(f, "shared_gate");
    }
    build_sentence(b,
                   "The rows that went in gain by the chosen experts%s and by the router. What "
                   "the experts' weights gain is not shown here; -- --emit has it.",
                   by->has_shared ? ", by the shared one" : "");
    derivation_matrix(b, rows.name, f->focus.row + 1);
}

void floors_head_back(floors *f, const logits_head *by, const bundle *own, coming *back)
{
    static const char ACTIVATED[] = "head.activated_grad", HIDDEN[] = "head.hidden_grad";
    builder *b = &f->b;
    bool tells = floors_begin_back(f, FLOOR_HEAD_BACK, HEAD);
    if (b->failed)
        return;
    const trace_origin x = map_there(b, "head.hidden")->operand[0];
    if (by->by != NULL) {
        add_coming(f, ACTIVATED, back);
        *back = (coming){
            .op = OP_ACTIVATE_BACK,
            .of = {map_from(b, PART_CELL, "head.hidden"), map_from(b, PART_CELL, ACTIVATED)},
            .function = by->by};
    }
    add_coming(f, HIDDEN, back);
    add_weight_gain(f, bundle_find(own, "w"), "head.w", &by->w, x, HIDDEN);
    add_bias_gain(f, "head.b", &by->b, HIDDEN);
    *back = (coming){.op = OP_DOT,
                     .of = {map_from(b, PART_ROW_I, HIDDEN), map_from(b, PART_ROW_J, "head.w")}};
    add_coming(f, "output_grad", back);
    if (!tells)
        return;
    if (by->by != NULL) {
        show(f, ACTIVATED, f->focus.row);
        build_sentence(b, "Through %s comes as much as its slope lets through.",
                       by->by->named.name);
    }
    show(f, HIDDEN, f->focus.row);
    show_gain_of(f, "head.w");
    show_gain_of(f, "head.b");
    build_sentence(b, "And the rows of the output gain by all numbers of the head.");
    show(f, "output_grad", f->focus.row);
}

/* What embed.w and embed.b gain, and what their rows do. */
static void add_product_back(floors *f, coming *back)
{
    static const char OUTPUT[] = "embed.output_grad";
    builder *b = &f->b;
    const embed_product *p = &f->stack->product;
    const bundle *own = bundle_find(f->stack->document, EMBED)->bundle;
    add_coming(f, OUTPUT, back);
    add_weight_gain(f, bundle_find(own, "w"), "embed.w", &p->w,
                    map_there(b, "embed.output")->operand[0], OUTPUT);
    add_bias_gain(f, "embed.b", &p->b, OUTPUT);
    *back = (coming){.op = OP_DOT,
                     .of = {map_from(b, PART_ROW_I, OUTPUT), map_from(b, PART_ROW_J, "embed.w")}};
}

static void show_product_back(floors *f)
{
    show(f, "embed.output_grad", f->focus.row);
    show_gain_of(f, "embed.w");
    show_gain_of(f, "embed.b");
    build_sentence(&f->b, "And the rows that the product was given gain by all that it made of "
                          "them.");
}

void floors_embed_back(floors *f, coming *back)
{
    bool tells = floors_begin_back(f, FLOOR_EMBED_BACK, EMBED);
    if (f->b.failed)
        return;
    add_product_back(f, back);
    if (tells)
        show_product_back(f);
}

/* ---- a layer's ends ---- */

void floors_layer_output_back(floors *f, size_t number, coming *back)
{
    static const char GRAD[] = "output_grad";
    builder *b = &f->b;
    bool tells = floors_begin_back(f, FLOOR_LAYER_BACK, "output");
    add_coming(f, GRAD, back);
    if (!tells)
        return;
    build_sentence(b,
                   "Back through layer %zu of %zu: output_grad is what comes back to the rows that "
                   "it made, which %s.",
                   number + 1, f->stack->layers,
                   number + 1 == f->stack->layers ? "came out of all layers"
                                                  : "went into the layer above");
    derivation_matrix(b, GRAD, f->focus.row + 1);
}

void floors_layer_x_back(floors *f, coming *back)
{
    static const char GRAD[] = "x_grad";
    builder *b = &f->b;
    bool tells = floors_begin_back(f, FLOOR_LAYER_BACK, "x");
    trace_map *made = floors_made_rows(f, GRAD, f->stack->width);
    say_and_fill(f, made, back->op, back->of);
    *back = coming_of(b->room, made);
    if (!tells)
        return;
    build_sentence(b, "The rows that the layer was given gain by all that was made of them.");
    show(f, GRAD, f->focus.row);
}

/* ---- what went in ---- */

void floors_embedded_back(floors *f, coming *back, const coming *memory)
{
    static const char GRAD[] = "embedded_grad", MEMORY[] = "memory_grad";
    builder *b = &f->b;
    const stack *s = f->stack;
    bool tells = floors_begin_back(f, FLOOR_EMBEDDED_BACK, "embedded");
    const bundle *top = s->document;
    add_coming(f, GRAD, back);
    coming copy = *back;
    if (s->product.is_of_looked_up && !b->failed)
        add_product_back(f, &copy);
    if (bundle_find(top, "x") != NULL)
        add_coming(f, "x_grad", &copy);
    if (memory->of[0].map != NULL) {
        tensor numbers = floors_rows(f, MEMORY).values;
        trace_map *made = map_add(b, MEMORY, b->step->id, &numbers);
        made->rows = memory->of[0].map->rows;
        map_say_origins(b, made, memory->op, memory->of);
    }
    if (!tells || b->failed)
        return;
    build_sentence(b, "The way back ends at the rows that went into the first layer.");
    show(f, GRAD, f->focus.row);
    if (s->product.is_of_looked_up)
        show_product_back(f);
    show(f, "x_grad", f->focus.row);
    if (map_named(b->room, MEMORY) != NULL)
        build_sentence(b, "And at the memory, which gained of every layer that looks at it.");
    derivation_matrix(b, MEMORY, 0);
    static const char *const TABLES[] = {"embedding", "segment_embedding", "position_embedding"};
    const char *left[sizeof TABLES / sizeof TABLES[0]];
    size_t count = 0;
    for (size_t i = 0; i < sizeof TABLES / sizeof TABLES[0]; i++) {
        const char *grad = grad_of(f, TABLES[i]);
        if (bundle_tensor(f->result, grad) != NULL)
            left[count++] = grad;
    }
    if (count > 0)
        build_sentence(
            b,
            "A row of a table gains what all rows do that it was looked up for: %s add%s "
            "that up, and %s not shown here; -- --emit has %s.",
            build_and(b, left, count), count == 1 ? "s" : "", count == 1 ? "is" : "are",
            count == 1 ? "it" : "them");
}
