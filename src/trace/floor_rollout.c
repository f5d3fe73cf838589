/* Attention rollout: what of each row behind the layers comes from each row before them (Abnar and
 * Zuidema, Quantifying attention flow in transformers, 2020, section 3):
 *
 *     rollout = A[L]·…·A[1],  A[l] = 0.5·mean_weights[l] + 0.5·I */
#include "trace/floors.h"

#include <string.h>

/* Of more layers or rows, the products between the first and the last are not made again. */
enum { MOST_LAYERS = 24, MOST_ROWS = 64 };

/* The mean of the weights of a layer's own attention; of one head, its weights. */
static const trace_map *find_mean(const floors *f, size_t number, trace_origin *cell)
{
    size_t layers = 0;
    for (size_t i = f->first_part; i < f->out->parts; i++) {
        const trace *room = &f->out->part[i];
        if (strcmp(room->place.name, "attention") != 0 || layers++ != number)
            continue;
        const trace_map *mean = map_named(room, "mean_weights");
        if (mean == NULL)
            mean = map_named(room, "weights");
        if (mean != NULL)
            *cell = (trace_origin){PART_CELL, room, mean, mean->name};
        return mean;
    }
    return NULL;
}

static void label_square(const floors *f, trace_map *square)
{
    square->rows = square->columns = f->labels;
    square->is_share = square->is_of_queries = true;
}

static trace_map *add_square(floors *f, const char *name)
{
    trace_map *square = map_add_made(&f->b, name, FLOOR_ROLLOUT, 1, f->stack->rows, f->stack->rows);
    label_square(f, square);
    return square;
}

static void map_identity(floors *f)
{
    trace_map *identity = add_square(f, "I");
    identity->letters = "1 where i = j, else 0: what the residual hands on";
    for (size_t i = 0; i < f->stack->rows && !f->b.failed; i++) {
        for (size_t j = 0; j < f->stack->rows; j++)
            tensor_set(&identity->values, (size_t[]){0, i, j}, i == j);
    }
}

/* A1, A2, … */
static const char *map_layer(floors *f, size_t number)
{
    builder *b = &f->b;
    trace_origin cell = {0};
    const char *name = build_text(b, "A%zu", number + 1);
    const trace_map *mean = find_mean(f, number, &cell);
    trace_map *half = add_square(f, name);
    if (mean == NULL || b->failed)
        return name;
    for (size_t i = 0; i < f->stack->rows; i++) {
        for (size_t j = 0; j < f->stack->rows; j++) {
            const size_t at[] = {0, i, j};
            tensor_set(&half->values, at, (tensor_get(&mean->values, at) + (i == j)) / 2);
        }
    }
    cell.name = build_text(b, "layer %zu's %s", number + 1, mean->name);
    map_say(b, half, OP_MEAN, (trace_origin[4]){cell, map_from(b, PART_CELL, "I")});
    return name;
}

static void say_product(floors *f, trace_map *made, const char *last, const char *before)
{
    builder *b = &f->b;
    map_say(b, made, OP_DOT,
            (trace_origin[4]){map_from(b, PART_ROW_I, last), map_from(b, PART_COLUMN_J, before)});
}

static void multiply_maps(trace_map *made, const trace_map *a, const trace_map *b)
{
    size_t n = made->values.size[1];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t p = 0; p < n; p++)
                sum += tensor_get(&a->values, (size_t[]){0, i, p}) *
                       tensor_get(&b->values, (size_t[]){0, p, j});
            tensor_set(&made->values, (size_t[]){0, i, j}, sum);
        }
    }
}

/* The product up to this layer, where it is not the last: its name. */
static const char *map_product(floors *f, const char *last, const char *before, size_t number)
{
    builder *b = &f->b;
    const char *name = build_text(b, "rollout%zu", number + 1);
    trace_map *made = add_square(f, name);
    if (!b->failed)
        multiply_maps(made, map_named(b->trace, last), map_named(b->trace, before));
    say_product(f, made, last, before);
    return name;
}

/* The products between the first layer and the last one. */
static void map_products(floors *f, trace_map *rollout)
{
    size_t layers = f->stack->layers;
    map_identity(f);
    const char *product = map_layer(f, 0);
    for (size_t i = 1; i < layers; i++) {
        const char *half = map_layer(f, i);
        if (i + 1 == layers)
            say_product(f, rollout, half, product);
        else
            product = map_product(f, half, product, i);
    }
    if (layers == 1)
        map_say(&f->b, rollout, OP_COPY, (trace_origin[4]){map_from(&f->b, PART_CELL, "A1")});
}

/* ---- what is told ---- */

/* The numbers of a map that the products go through: A2, rollout2. */
static tensor square_of(floors *f, const char *letters, size_t number)
{
    const trace_map *map = map_named(f->b.trace, build_text(&f->b, "%s%zu", letters, number + 1));
    return map == NULL ? (tensor){0} : tensor_at(&map->values, 0);
}

static void show_square(floors *f, const char *name, const tensor *square)
{
    build_matrix(&f->b, name, square, f->labels, f->labels, f->focus.row + 1);
}

/* A[2][1,1] = 0.5·mean_weights[2][1,1] + 0.5·I[1,1], with this run's numbers. */
static void show_layer(floors *f, size_t number)
{
    builder *b = &f->b;
    size_t row = f->focus.row, l = number + 1;
    trace_origin cell = {0};
    const trace_map *mean = find_mean(f, number, &cell);
    tensor half = square_of(f, "A", number);
    if (mean == NULL || half.data == NULL)
        return;
    tensor means = tensor_at(&mean->values, 0), of_row = build_row(&means, row);
    const char *left = build_text(b, "A[%zu][%zu,1]", l, row + 1);
    trace_item *line = build_line(
        b, OP_DOT, left,
        build_text(b, "0.5·mean_weights[%zu][%zu,1] + 0.5·I[%zu,1]", l, row + 1, row + 1));
    line->a = build_numbers_of(b, build_text(b, "half of %s", left), 1, (double[]){0.5});
    line->b = tensor_range(&of_row, 0, 0, 1);
    line->c = build_number(b, build_text(b, "residual of %s", left), row == 0 ? 0.5 : 0);
    line->result = build_element(&half, row, 0);
    show_square(f, build_text(b, "A[%zu]", l), &half);
}

/* R[2][1,1] = A[2][1]·A[1][·,1]; before the second layer R is A. */
static void show_product(floors *f, const char *made_name, size_t number, const tensor *made)
{
    builder *b = &f->b;
    size_t row = f->focus.row;
    bool is_of_first = number == 1;
    tensor half = square_of(f, "A", number),
           before = square_of(f, is_of_first ? "A" : "rollout", number - 1);
    if (half.data == NULL || before.data == NULL)
        return;
    trace_item *line = build_line(b, OP_DOT, build_text(b, "%s[%zu,1]", made_name, row + 1),
                                  build_text(b, "A[%zu][%zu]·%c[%zu][·,1]", number + 1, row + 1,
                                             is_of_first ? 'A' : 'R', number));
    line->a = build_row(&half, row);
    line->b = build_column(&before, 0);
    line->result = build_element(made, row, 0);
}

/* The products between the first and the last. */
static void show_products(floors *f)
{
    size_t layers = f->stack->layers;
    if (layers > 2)
        build_formula(&f->b, "R[1] = A[1], R[l] = A[l]·R[l−1], rollout = R[%zu]", layers);
    for (size_t i = 1; i + 1 < layers; i++) {
        tensor made = square_of(f, "rollout", i);
        const char *name = build_text(&f->b, "R[%zu]", i + 1);
        if (made.data == NULL)
            return;
        show_product(f, name, i, &made);
        show_square(f, name, &made);
    }
}

static bool has_products(const stack *s)
{
    return s->layers <= MOST_LAYERS && s->rows <= MOST_ROWS;
}

static void tell_rollout(floors *f, const floor_rows *rollout)
{
    builder *b = &f->b;
    size_t layers = f->stack->layers;
    build_sentence(b, "How much of each row behind the layers comes from each row before them, "
                      "where a layer is half its attention and half its residual. "
                      "mean_weights[l] is the mean of layer l's weights over its heads; I is 1 "
                      "where a row meets itself, else 0.");
    build_formula(b, "rollout = %sA[1], A[l] = 0.5·mean_weights[l] + 0.5·I",
                  layers == 1   ? ""
                  : layers == 2 ? "A[2]·"
                                : build_text(b, "A[%zu]·…·", layers));
    if (has_products(f->stack)) {
        for (size_t i = 0; i < layers; i++)
            show_layer(f, i);
        show_products(f);
        if (layers > 1)
            show_product(f, rollout->name, layers - 1, &rollout->values);
    } else {
        build_sentence(b,
                       "The products are spelled out up to %d layers and %d rows; here are %zu and "
                       "%zu.",
                       MOST_LAYERS, MOST_ROWS, layers, f->stack->rows);
    }
    show_square(f, rollout->name, &rollout->values);
}

bool floors_rollout(floors *f)
{
    const stack *s = f->stack;
    if (!floors_begin(f, FLOOR_ROLLOUT, "rollout"))
        return false;
    floor_rows rollout = floors_rows(f, "rollout");
    trace_map *map = floors_map_rows(f, &rollout);
    label_square(f, map);
    map->letters = "A[L]·…·A[1]";
    if (has_products(s))
        map_products(f, map);
    if (floors_tells(f))
        tell_rollout(f, &rollout);
    floors_end(f);
    return !f->b.failed;
}
