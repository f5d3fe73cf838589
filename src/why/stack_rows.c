/* Mistakes in the rows that a stack begins with: their positions, and their size. */
#include "why/mistake.h"

#include "model/embed.h"
#include "why/stack_attempt.h"

#include <math.h>
#include <string.h>

enum {
    POSITIONS_NONE,
    POSITIONS_TWICE,
    POSITIONS_HALVES,
    POSITIONS_SWAPPED,
    ROWS_TIMES_ROOT,
    ROWS_BY_ROOT,
    ROWS_ALL_TIMES_ROOT
};

typedef enum added { ADDED_NOTHING, ADDED_SINUSOIDS, ADDED_LATE } added;

/* What the rows would be, b·n × m, if this were added to them; owned by the caller. */
static bool embed(const stack_attempt *a, added what, tensor *rows)
{
    static const char SINUSOIDAL[] = "sinusoidal";
    const stack *right = a->stack;
    double later = (double)right->first_position + 1;
    bundle document = {0};
    stack other = {.document = &document, .how = right->how, .isa = right->isa};
    bundle_borrow_all(&document, &a->document, a->e);
    if (what == ADDED_LATE) {
        bundle_remove(&document, "offset");
        bundle_add_number(&document, "offset", later, (place){0}, a->e);
    } else {
        bundle_remove(&document, "position_embedding");
        bundle_remove(&document, "positions");
    }
    if (what == ADDED_SINUSOIDS)
        bundle_add_text(&document, "positions", SINUSOIDAL, strlen(SINUSOIDAL), (place){0}, a->e);
    bool done = !a->e->is_set && stack_embed(&other, a->e);
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

static bool has_positions(const stack_attempt *a, int with)
{
    bool is_learned = bundle_find(&a->document, "position_embedding") != NULL;
    if (with >= POSITIONS_HALVES)
        return a->stack->adds_sinusoids && !is_learned && a->stack->embedded.size[1] % 2 == 0;
    return a->stack->adds_sinusoids || is_learned;
}

/* The right rows are x + p. Sines and cosines by turns become sines and then cosines; or each takes
 * the other's place. Or rows are scaled: x·√m + p, x/√m + p, (x + p)·√m. */
static bool positions(stack_attempt *a)
{
    tensor x, right = {0}, *to = &a->stack->embedded;
    bool is_scaled = a->with >= ROWS_TIMES_ROOT;
    double times = a->with == POSITIONS_NONE ? 0 : a->with == POSITIONS_TWICE ? 2 : 1;
    double root = sqrt((double)a->stack->embedded.size[1]),
           factor = a->with == ROWS_BY_ROOT ? 1 / root : root;
    size_t at[2] = {0}, width = to->size[1];
    if (!a->scope.is_whole || (!is_scaled && !has_positions(a, a->with)))
        return false;
    embed(a, ADDED_NOTHING, &x);
    tensor_new_copy(&right, to, a->e);
    if (!a->e->is_set) {
        do {
            size_t column = at[1], half = width / 2,
                   halves = column < half ? 2 * column : 2 * (column - half) + 1,
                   swapped = column % 2 == 0 ? column + 1 : column - 1;
            size_t from[] = {at[0], a->with == POSITIONS_HALVES    ? halves
                                    : a->with == POSITIONS_SWAPPED ? swapped
                                                                   : column};
            double own = tensor_get(&x, at), all = tensor_get(&right, at),
                   p = tensor_get(&right, from) - tensor_get(&x, from);
            tensor_set(to, at,
                       a->with == ROWS_ALL_TIMES_ROOT ? all * factor
                       : is_scaled                    ? all + (factor - 1) * own
                                                      : own + times * p);
        } while (tensor_next(to, at));
    }
    tensor_free(&x);
    tensor_free(&right);
    return !a->e->is_set;
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

/* ---- the factor ---- */

static bool leave_scale(stack_attempt *a)
{
    return bundle_remove(&a->document, "embedding_scale") && a->scope.is_whole;
}

/* ---- batch and rows ---- */

/* b × n × m, or n × m, as n × b × m. */
static void give_turned(stack_attempt *a, const char *name, const tensor *rows)
{
    bool has_batch = rows->rank == 3;
    int last = rows->rank - 1;
    tensor turned = {
        .type = rows->type,
        .rank = 3,
        .size = {rows->size[last - 1], has_batch ? rows->size[0] : 1, rows->size[last]},
        .stride = {rows->stride[last - 1], has_batch ? rows->stride[0] : 0, rows->stride[last]},
        .data = rows->data};
    tensor made = {0};
    tensor_new_copy(&made, &turned, a->e);
    bundle_remove(&a->document, name);
    bundle_add_tensor(&a->document, name, &made, (place){0}, a->e);
}

/* What the rows were made of goes, positions too. No claim has the shape of what is made then, to
 * stand in its place: beside stages that are made of such claims it is no attempt. */
static bool turn_batch(stack_attempt *a)
{
    static const char *const OF_ROWS[] = {"tokens",    "vocab",
                                          "ids",       "embedding",
                                          "positions", "position_embedding",
                                          "segments",  "segment_embedding"};
    stack right = {.document = &a->document, .how = a->of->how, .isa = a->of->by};
    bool done = a->scope.is_whole && !a->of->goes_by_claims && stack_embed(&right, a->e);
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
        if (memory != NULL)
            give_turned(a, "memory", memory);
        give_turned(a, "x", &rows);
        done = !a->e->is_set;
    }
    stack_free(&right);
    return done;
}

/* clang-format off */
#define ROWS(make, taken) WHOLE(make, taken), .when = STACK_ROWS
#define ASKED(make, taken) WHOLE(make, taken), .when = STACK_ASKED

static const mistake ROW_ROWS[] = {
    {{"positions-missing", "positions are left out"}, ROWS(positions, POSITIONS_NONE)},
    {{"positions-twice", "positions are added twice"}, ROWS(positions, POSITIONS_TWICE)},
    {{"positions-late", "positions are counted from 1 more"}, ROWS(other_positions, ADDED_LATE)},
    {{"positions-added", "sinusoidal positions are added"}, ROWS(other_positions, ADDED_SINUSOIDS)},
    {{"positions-halves", "sinusoids are all sines and then all cosines"},
     ROWS(positions, POSITIONS_HALVES)},
    {{"positions-swapped", "sines and cosines of positions are exchanged"},
     ROWS(positions, POSITIONS_SWAPPED)},
    {{"segments-missing", "rows of segments are left out"}, ASKED(segments, 0)},
    {{"segments-first", "all rows are of the first segment"}, ASKED(segments, 1)},
    {{"embedding-scale-missing", "rows are looked up without embedding_scale"},
     ASKED(leave_scale, 0)},
    {{"embedding-scaled", "rows are multiplied by the root of their width"},
     ROWS(positions, ROWS_TIMES_ROOT)},
    {{"embedding-divided", "rows are divided by the root of their width"},
     ROWS(positions, ROWS_BY_ROOT)},
    {{"batch-turned", "rows are taken for entries of a batch, and those for rows"},
     ASKED(turn_batch, 0)},
    {{"embedding-scaled-late", "rows and positions are multiplied by the root of their width"},
     ROWS(positions, ROWS_ALL_TIMES_ROOT)},
};
/* clang-format on */

const named_table STACK_ROW_MISTAKES = NAMED_TABLE("layer mistake", ROW_ROWS);
