/* Mistakes in the rows that a stack begins with: their positions, and their size. */
#include "why/stack_attempt.h"

#include "model/embed.h"

#include <math.h>
#include <string.h>

enum { POSITIONS_NONE, POSITIONS_TWICE, POSITIONS_HALVES, POSITIONS_SWAPPED };
enum { ROWS_TIMES_ROOT, ROWS_BY_ROOT, ROWS_ALL_TIMES_ROOT };

typedef enum added { ADDED_NOTHING, ADDED_SINUSOIDS, ADDED_LATE } added;

/* What the rows would be, b·n × m, if this were added to them; owned by the caller. */
static bool embed(const stack_attempt *a, added what, tensor *rows)
{
    static const char SINUSOIDAL[] = "sinusoidal";
    const stack *right = a->stack;
    double later = (double)right->first_position + 1;
    bundle document = {0};
    stack other = {.document = &document, .how = right->how, .isa = right->isa};
    bool done = bundle_borrow_all(&document, &a->document, a->e);
    if (done && what == ADDED_LATE) {
        bundle_remove(&document, "offset");
        done = bundle_add_number(&document, "offset", later, (place){0}, a->e);
    } else if (done) {
        bundle_remove(&document, "position_embedding");
        bundle_remove(&document, "positions");
        done = what == ADDED_NOTHING || bundle_add_text(&document, "positions", SINUSOIDAL,
                                                        strlen(SINUSOIDAL), (place){0}, a->e);
    }
    done = done && stack_embed(&other, a->e);
    if (done && right->before > 0) { /* those of a step, where the stack went on */
        tensor_free(&other.embedded);
        other.before = right->before;
        done = stack_embed_ids(&other, right->ids, right->rows, a->e);
    }
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

static bool has_positions(const stack_attempt *a, int with)
{
    bool is_learned = bundle_find(&a->document, "position_embedding") != NULL;
    if (with >= POSITIONS_HALVES)
        return a->stack->adds_sinusoids && !is_learned && a->stack->width % 2 == 0;
    return a->stack->adds_sinusoids || is_learned;
}

/* The right rows are x + p. */
static bool positions(stack_attempt *a)
{
    tensor x, *right, *to = &a->stack->embedded;
    double times = a->with == POSITIONS_NONE ? 0 : a->with == POSITIONS_TWICE ? 2 : 1;
    size_t at[2] = {0}, width = to->size[1];
    if (!a->scope.is_whole || !has_positions(a, a->with))
        return false;
    right = stack_attempt_matrix(a, a->stack->type, 2, to->size);
    if (right == NULL)
        return false;
    tensor_copy(to, right);
    bool done = embed(a, ADDED_NOTHING, &x);
    if (done) {
        do {
            size_t from[] = {at[0],
                             a->with < POSITIONS_HALVES ? at[1] : column_of(at[1], width, a->with)};
            double own = tensor_get(&x, at), p = tensor_get(right, from) - tensor_get(&x, from);
            tensor_set(to, at, own + times * p);
        } while (tensor_next(to, at));
    }
    tensor_free(&x);
    return done;
}

/* x·√m + p, x/√m + p, (x + p)·√m */
static bool scale_rows(stack_attempt *a)
{
    tensor x, *rows = &a->stack->embedded;
    double root = sqrt((double)a->stack->width), factor = a->with == ROWS_BY_ROOT ? 1 / root : root;
    size_t at[2] = {0};
    if (!a->scope.is_whole)
        return false;
    bool done = embed(a, ADDED_NOTHING, &x);
    if (done) {
        do {
            double own = tensor_get(&x, at), all = tensor_get(rows, at);
            tensor_set(rows, at,
                       a->with == ROWS_ALL_TIMES_ROOT ? all * factor : all + (factor - 1) * own);
        } while (tensor_next(rows, at));
    }
    tensor_free(&x);
    return done;
}

/* Sinusoids where there are no positions; or those that are there, later. */
static bool other_positions(stack_attempt *a)
{
    tensor rows;
    if (!a->scope.is_whole || has_positions(a, POSITIONS_NONE) != (a->with == ADDED_LATE))
        return false;
    bool done = embed(a, (added)a->with, &rows);
    if (done)
        tensor_copy(&rows, &a->stack->embedded);
    tensor_free(&rows);
    return done;
}

/* ---- segments ---- */

static bool segments(stack_attempt *a)
{
    bool has_numbers = bundle_remove(&a->document, "segments");
    bool is_changed = a->with == 1 ? has_numbers : bundle_remove(&a->document, "segment_embedding");
    return is_changed && a->scope.is_whole;
}

/* ---- batch and rows ---- */

/* b × n × m, or n × m, as n × b × m. */
static bool give_turned(stack_attempt *a, const char *name, const tensor *rows)
{
    bool has_batch = rows->rank == 3;
    int last = rows->rank - 1;
    tensor turned = {
        .type = rows->type,
        .rank = 3,
        .size = {rows->size[last - 1], has_batch ? rows->size[0] : 1, rows->size[last]},
        .stride = {rows->stride[last - 1], has_batch ? rows->stride[0] : 0, rows->stride[last]},
        .data = rows->data};
    tensor *made = stack_attempt_matrix(a, rows->type, 3, turned.size);
    if (made == NULL)
        return false;
    tensor_copy(&turned, made);
    tensor view = tensor_view_of(made);
    bundle_remove(&a->document, name);
    return bundle_add_tensor(&a->document, name, &view, (place){0}, a->e);
}

/* What the rows were made of goes, positions too. */
static bool turn_batch(stack_attempt *a)
{
    static const char *const OF_ROWS[] = {"tokens",    "vocab",
                                          "ids",       "embedding",
                                          "positions", "position_embedding",
                                          "segments",  "segment_embedding"};
    stack right = {.document = &a->document, .how = a->of->how, .isa = a->of->by};
    bool done = a->scope.is_whole && stack_embed(&right, a->e);
    if (done) {
        size_t size[] = {right.batches, right.rows, right.width};
        tensor rows; /* borrowed */
        a->is_turned = true;
        a->had_batch = right.batches > 0;
        tensor_own(&rows, right.type, a->had_batch ? 3 : 2, a->had_batch ? size : size + 1,
                   right.embedded.data);
        for (size_t i = 0; i < sizeof OF_ROWS / sizeof OF_ROWS[0]; i++)
            bundle_remove(&a->document, OF_ROWS[i]);
        const tensor *memory = bundle_tensor(&a->document, "memory");
        done = (memory == NULL || give_turned(a, "memory", memory)) && give_turned(a, "x", &rows);
    }
    stack_free(&right);
    return done;
}

/* clang-format off */
static const mistake ROW_ROWS[] = {
    {{"positions-missing", "positions are left out"},
     WHOLE(positions, POSITIONS_NONE), .when = STACK_ROWS},
    {{"positions-twice", "positions are added twice"},
     WHOLE(positions, POSITIONS_TWICE), .when = STACK_ROWS},
    {{"positions-late", "positions are counted from 1 more"},
     WHOLE(other_positions, ADDED_LATE), .when = STACK_ROWS},
    {{"positions-added", "sinusoidal positions are added"},
     WHOLE(other_positions, ADDED_SINUSOIDS), .when = STACK_ROWS},
    {{"positions-halves", "sinusoids are all sines and then all cosines"},
     WHOLE(positions, POSITIONS_HALVES), .when = STACK_ROWS},
    {{"positions-swapped", "sines and cosines of positions are exchanged"},
     WHOLE(positions, POSITIONS_SWAPPED), .when = STACK_ROWS},
    {{"segments-missing", "rows of segments are left out"},
     WHOLE(segments, 0), .when = STACK_ASKED},
    {{"segments-first", "all rows are of the first segment"},
     WHOLE(segments, 1), .when = STACK_ASKED},
    {{"embedding-scaled", "rows are multiplied by the root of their width"},
     WHOLE(scale_rows, ROWS_TIMES_ROOT), .when = STACK_ROWS},
    {{"embedding-divided", "rows are divided by the root of their width"},
     WHOLE(scale_rows, ROWS_BY_ROOT), .when = STACK_ROWS},
    {{"batch-turned", "rows are taken for entries of a batch, and those for rows"},
     WHOLE(turn_batch, 0), .when = STACK_ASKED},
    {{"embedding-scaled-late", "rows and positions are multiplied by the root of their width"},
     WHOLE(scale_rows, ROWS_ALL_TIMES_ROOT), .when = STACK_ROWS},
};
/* clang-format on */

const named_table STACK_ROW_MISTAKES = NAMED_TABLE("layer mistake", ROW_ROWS);
