/* Mistakes in the rows that a stack begins with: their positions, and their size. */
#include "why/stack_blunders.h"

#include "model/embed.h"

#include <math.h>
#include <string.h>

/* What the rows would be, b·n × m, with no positions or with sinusoids alone; owned by the
 * caller. */
static bool embed(const stack_attempt *a, bool has_sinusoids, tensor *rows, err *e)
{
    static const char *const OF_POSITIONS[] = {"position_embedding", "positions"};
    static const char SINUSOIDAL[] = "sinusoidal";
    bundle document = {0};
    stack bare = {.document = &document, .how = a->stack.how, .isa = a->stack.isa};
    bool done = true;
    for (size_t i = 0; i < a->document.count && done; i++)
        done =
            bundle_borrow(&document, a->document.entry[i].name, &a->document.entry[i], e) != NULL;
    for (size_t i = 0; i < 2; i++)
        bundle_remove(&document, OF_POSITIONS[i]);
    if (done && has_sinusoids)
        done = bundle_add_text(&document, OF_POSITIONS[1], SINUSOIDAL, strlen(SINUSOIDAL),
                               (place){0}, e);
    done = done && stack_embed(&bare, e);
    *rows = bare.embedded;
    bare.embedded = (tensor){0};
    stack_free(&bare);
    bundle_free(&document);
    return done;
}

/* Sines and cosines by turns become sines and then cosines; or each takes the other's place. */
static size_t column_of(size_t column, size_t width, int with)
{
    if (with == POSITIONS_HALVES)
        return column < width / 2 ? 2 * column : 2 * (column - width / 2) + 1;
    return column % 2 == 0 ? column + 1 : column - 1;
}

/* The right rows are x + p. */
static void set_positions(const tensor *right, const tensor *x, int with, tensor *to)
{
    size_t at[2] = {0}, width = right->size[1];
    do {
        size_t from[] = {at[0], with < POSITIONS_HALVES ? at[1] : column_of(at[1], width, with)};
        double own = tensor_get(x, at), p = tensor_get(right, from) - tensor_get(x, from);
        tensor_set(to, at,
                   own + (with == POSITIONS_NONE    ? 0
                          : with == POSITIONS_TWICE ? 2
                                                    : 1) *
                             p);
    } while (tensor_next(to, at));
}

static bool has_positions(const stack_attempt *a, int with)
{
    bool is_learned = bundle_find(&a->document, "position_embedding") != NULL;
    if (with >= POSITIONS_HALVES)
        return a->stack.adds_sinusoids && !is_learned && a->stack.width % 2 == 0;
    return a->stack.adds_sinusoids || is_learned;
}

bool stack_blunder_positions(stack_attempt *a, int with, err *e)
{
    tensor x, *right;
    if (!a->scope.is_whole || !has_positions(a, with))
        return false;
    right = stack_attempt_matrix(a, 2, a->stack.embedded.size, e);
    if (right == NULL)
        return false;
    tensor_copy(&a->stack.embedded, right);
    bool done = embed(a, false, &x, e);
    if (done)
        set_positions(right, &x, with, &a->stack.embedded);
    tensor_free(&x);
    return done;
}

/* x·√m + p, x/√m + p, (x + p)·√m */
bool stack_blunder_scale_rows(stack_attempt *a, int with, err *e)
{
    tensor x, *rows = &a->stack.embedded;
    double root = sqrt((double)a->stack.width), factor = with == ROWS_BY_ROOT ? 1 / root : root;
    size_t at[2] = {0};
    if (!a->scope.is_whole)
        return false;
    bool done = embed(a, false, &x, e);
    if (done) {
        do {
            double own = tensor_get(&x, at), all = tensor_get(rows, at);
            tensor_set(rows, at,
                       with == ROWS_ALL_TIMES_ROOT ? all * factor : all + (factor - 1) * own);
        } while (tensor_next(rows, at));
    }
    tensor_free(&x);
    return done;
}

bool stack_blunder_add_sinusoids(stack_attempt *a, int with, err *e)
{
    tensor rows;
    (void)with;
    if (!a->scope.is_whole || has_positions(a, POSITIONS_NONE))
        return false;
    bool done = embed(a, true, &rows, e);
    if (done)
        tensor_copy(&rows, &a->stack.embedded);
    tensor_free(&rows);
    return done;
}
