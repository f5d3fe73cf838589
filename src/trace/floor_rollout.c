/* Attention rollout: what of each row after the layers comes from each row before them (Abnar and
 * Zuidema, Quantifying attention flow in transformers, 2020, section 3):
 *
 *     rollout = A[L]·…·A[1],  A[l] = 0.5·mean_weights[l] + 0.5·I */
#include "trace/derivation.h"
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

/* A1, A2, … */
static const char *map_layer(floors *f, size_t number)
{
    builder *b = &f->b;
    trace_origin cell = {0};
    const char *name = build_text(b, "A%zu", number + 1);
    const trace_map *mean = find_mean(f, number, &cell);
    trace_map *half = add_square(f, name);
    if (mean == NULL)
        return name;
    cell.name = build_text(b, "layer %zu's %s", number + 1, mean->name);
    map_say(b, half, OP_MEAN, (trace_origin[4]){cell, map_from(b, PART_CELL, "I")});
    derivation_fill(b, half);
    return name;
}

static void say_product(floors *f, trace_map *made, const char *last, const char *before)
{
    builder *b = &f->b;
    map_say(b, made, OP_DOT,
            (trace_origin[4]){map_from(b, PART_ROW_I, last), map_from(b, PART_COLUMN_J, before)});
}

/* The product up to this layer, where it is not the last: its name. */
static const char *map_product(floors *f, const char *last, const char *before, size_t number)
{
    const char *name = build_text(&f->b, "rollout%zu", number + 1);
    trace_map *made = add_square(f, name);
    say_product(f, made, last, before);
    derivation_fill(&f->b, made);
    return name;
}

/* The products between the first layer and the last one. */
static void map_products(floors *f, trace_map *rollout)
{
    size_t layers = f->stack->layers;
    trace_map *identity = add_square(f, "I");
    identity->letters = "1 where i = j, else 0: what the residual hands on";
    for (size_t i = 0; i < f->stack->rows && !f->b.failed; i++) {
        for (size_t j = 0; j < f->stack->rows; j++)
            tensor_set(&identity->values, (size_t[]){0, i, j}, i == j);
    }
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

/* Each layer's half, and the products between the first and the last. */
static void show_made(floors *f, const trace_map *rollout)
{
    builder *b = &f->b;
    for (size_t i = 0; i < b->trace->maps; i++) {
        const trace_map *map = &b->trace->map[i];
        if (!map->has_origin || map == rollout)
            continue;
        derivation_show(b, map->name, f->focus.row);
        derivation_matrix(b, map->name, f->focus.row + 1);
    }
    if (f->stack->layers > 1)
        derivation_show(b, rollout->name, f->focus.row);
}

static bool has_products(const stack *s)
{
    return s->layers <= MOST_LAYERS && s->rows <= MOST_ROWS;
}

static void tell_rollout(floors *f, const floor_rows *rollout)
{
    builder *b = &f->b;
    size_t layers = f->stack->layers;
    build_sentence(b, "How much of each row after the layers comes from each row before them, "
                      "where a layer is half its attention and half its residual. "
                      "mean_weights are the mean of a layer's weights over its heads; I is 1 "
                      "where a row meets itself, else 0.");
    build_formula(b, "rollout = %sA1, Al = (mean_weights of layer l + I) / 2",
                  layers == 1   ? ""
                  : layers == 2 ? "A2·"
                                : build_text(b, "A%zu·…·", layers));
    if (has_products(f->stack))
        show_made(f, rollout->map);
    else
        build_sentence(b,
                       "The products are spelled out up to %d layers and %d rows; here are %zu and "
                       "%zu.",
                       MOST_LAYERS, MOST_ROWS, layers, f->stack->rows);
    floors_show(f, rollout);
}

bool floors_rollout(floors *f)
{
    const stack *s = f->stack;
    if (!floors_begin(f, FLOOR_ROLLOUT, "rollout"))
        return false;
    floor_rows rollout = floors_rows(f, "rollout");
    trace_map *map = floors_map_rows(f, &rollout);
    label_square(f, map);
    map->letters = "the product of all layers, the last one first";
    if (has_products(s))
        map_products(f, map);
    if (floors_tells(f))
        tell_rollout(f, &rollout);
    return floors_end(f);
}
