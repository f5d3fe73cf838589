/* Mistakes in the rows that a stack begins with: their positions, and their size. */
#include "why/stack_attempt.h"

#include "model/embed.h"

#include <math.h>
#include <string.h>

enum { POSITIONS_NONE, POSITIONS_TWICE, POSITIONS_HALVES, POSITIONS_SWAPPED };
enum { ROWS_TIMES_ROOT, ROWS_BY_ROOT, ROWS_ALL_TIMES_ROOT };

static bool set_word(bundle *document, const char *name, const char *word, err *e)
{
    bundle_remove(document, name);
    return bundle_add_text(document, name, word, strlen(word), (place){0}, e);
}

typedef enum added { ADDED_NOTHING, ADDED_SINUSOIDS, ADDED_LATE } added;

static bool change_positions(bundle *document, added what, double first, err *e)
{
    if (what == ADDED_LATE) {
        bundle_remove(document, "offset");
        return bundle_add_number(document, "offset", first + 1, (place){0}, e);
    }
    bundle_remove(document, "position_embedding");
    bundle_remove(document, "positions");
    return what == ADDED_NOTHING || set_word(document, "positions", "sinusoidal", e);
}

/* Those of a step, where the stack went on. */
static bool embed_next(stack *other, const stack *of, err *e)
{
    if (of->before == 0)
        return true;
    tensor_free(&other->embedded);
    other->before = of->before;
    return stack_embed_ids(other, of->ids, of->rows, e);
}

/* What the rows would be, b·n × m, if this were added to them; owned by the caller. */
static bool embed(const stack_attempt *a, added what, tensor *rows, err *e)
{
    bundle document = {0};
    stack other = {.document = &document, .how = a->stack->how, .isa = a->stack->isa};
    bool done = bundle_borrow_all(&document, &a->document, e) &&
                change_positions(&document, what, (double)a->stack->first_position, e) &&
                stack_embed(&other, e) && embed_next(&other, a->stack, e);
    *rows = other.embedded;
    other.embedded = (tensor){0};
    stack_free(&other);
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
        return a->stack->adds_sinusoids && !is_learned && a->stack->width % 2 == 0;
    return a->stack->adds_sinusoids || is_learned;
}

static bool positions(stack_attempt *a, int with, err *e)
{
    tensor x, *right;
    if (!a->scope.is_whole || !has_positions(a, with))
        return false;
    right = stack_attempt_matrix(a, a->stack->type, 2, a->stack->embedded.size, e);
    if (right == NULL)
        return false;
    tensor_copy(&a->stack->embedded, right);
    bool done = embed(a, ADDED_NOTHING, &x, e);
    if (done)
        set_positions(right, &x, with, &a->stack->embedded);
    tensor_free(&x);
    return done;
}

/* x·√m + p, x/√m + p, (x + p)·√m */
static bool scale_rows(stack_attempt *a, int with, err *e)
{
    tensor x, *rows = &a->stack->embedded;
    double root = sqrt((double)a->stack->width), factor = with == ROWS_BY_ROOT ? 1 / root : root;
    size_t at[2] = {0};
    if (!a->scope.is_whole)
        return false;
    bool done = embed(a, ADDED_NOTHING, &x, e);
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

/* Sinusoids where there are no positions; or those that are there, later. */
static bool other_positions(stack_attempt *a, int with, err *e)
{
    tensor rows;
    if (!a->scope.is_whole || has_positions(a, POSITIONS_NONE) != (with == ADDED_LATE))
        return false;
    bool done = embed(a, (added)with, &rows, e);
    if (done)
        tensor_copy(&rows, &a->stack->embedded);
    tensor_free(&rows);
    return done;
}

/* ---- segments ---- */

static bool segments(stack_attempt *a, int with, err *e)
{
    (void)e;
    bool has_numbers = bundle_remove(&a->document, "segments");
    bool is_changed = with == 1 ? has_numbers : bundle_remove(&a->document, "segment_embedding");
    return is_changed && a->scope.is_whole;
}

/* ---- batch and rows ---- */

/* b × n × m, or n × m, as n × b × m. */
static tensor *turn(stack_attempt *a, const tensor *rows, err *e)
{
    tensor turned = tensor_view_of(rows);
    size_t batches = rows->rank == 3 ? rows->size[0] : 1;
    int last = rows->rank - 1;
    turned.rank = 3;
    turned.size[0] = rows->size[last - 1];
    turned.stride[0] = rows->stride[last - 1];
    turned.size[1] = batches;
    turned.stride[1] = rows->rank == 3 ? rows->stride[0] : 0;
    turned.size[2] = rows->size[last];
    turned.stride[2] = rows->stride[last];
    tensor *made = stack_attempt_matrix(a, rows->type, 3, turned.size, e);
    if (made != NULL)
        tensor_copy(&turned, made);
    return made;
}

static bool give_turned(stack_attempt *a, const char *name, const tensor *rows, err *e)
{
    tensor *turned = turn(a, rows, e);
    if (turned == NULL)
        return false;
    tensor view = tensor_view_of(turned);
    bundle_remove(&a->document, name);
    return bundle_add_tensor(&a->document, name, &view, (place){0}, e);
}

/* What the rows were made of goes, positions too. */
static bool ask_turned(stack_attempt *a, const stack *right, err *e)
{
    static const char *const OF_ROWS[] = {"tokens",    "vocab",
                                          "ids",       "embedding",
                                          "positions", "position_embedding",
                                          "segments",  "segment_embedding"};
    size_t size[] = {right->batches, right->rows, right->width};
    tensor rows; /* borrowed */
    a->is_turned = true;
    a->had_batch = right->batches > 0;
    tensor_own(&rows, right->type, a->had_batch ? 3 : 2, a->had_batch ? size : size + 1,
               right->embedded.data);
    for (size_t i = 0; i < sizeof OF_ROWS / sizeof OF_ROWS[0]; i++)
        bundle_remove(&a->document, OF_ROWS[i]);
    const tensor *memory = bundle_tensor(&a->document, "memory");
    return (memory == NULL || give_turned(a, "memory", memory, e)) && give_turned(a, "x", &rows, e);
}

static bool turn_batch(stack_attempt *a, int with, err *e)
{
    stack right = {.document = &a->document, .how = a->of->how, .isa = a->of->by};
    (void)with;
    bool done = a->scope.is_whole && stack_embed(&right, e) && ask_turned(a, &right, e);
    stack_free(&right);
    return done;
}

/* clang-format off */
static const stack_mistake ROW_ROWS[] = {
    {{"positions-missing", "positions are left out"},
     WHOLE(positions, POSITIONS_NONE), .at = STACK_ROWS},
    {{"positions-twice", "positions are added twice"},
     WHOLE(positions, POSITIONS_TWICE), .at = STACK_ROWS},
    {{"positions-late", "positions are counted from 1 more"},
     WHOLE(other_positions, ADDED_LATE), .at = STACK_ROWS},
    {{"positions-added", "sinusoidal positions are added"},
     WHOLE(other_positions, ADDED_SINUSOIDS), .at = STACK_ROWS},
    {{"positions-halves", "sinusoids are all sines and then all cosines"},
     WHOLE(positions, POSITIONS_HALVES), .at = STACK_ROWS},
    {{"positions-swapped", "sines and cosines of positions are exchanged"},
     WHOLE(positions, POSITIONS_SWAPPED), .at = STACK_ROWS},
    {{"segments-missing", "rows of segments are left out"}, WHOLE(segments, 0), .at = STACK_ASKED},
    {{"segments-first", "all rows are of the first segment"},
     WHOLE(segments, 1), .at = STACK_ASKED},
    {{"embedding-scaled", "rows are multiplied by the root of their width"},
     WHOLE(scale_rows, ROWS_TIMES_ROOT), .at = STACK_ROWS},
    {{"embedding-divided", "rows are divided by the root of their width"},
     WHOLE(scale_rows, ROWS_BY_ROOT), .at = STACK_ROWS},
    {{"batch-turned", "rows are taken for entries of a batch, and those for rows"},
     WHOLE(turn_batch, 0), .at = STACK_ASKED},
    {{"embedding-scaled-late", "rows and positions are multiplied by the root of their width"},
     WHOLE(scale_rows, ROWS_ALL_TIMES_ROOT), .at = STACK_ROWS},
};
/* clang-format on */

const named_table STACK_ROW_MISTAKES = NAMED_TABLE("layer mistake", ROW_ROWS);
