/* What happened in a run, as data: steps that hold sentences, formulas, worked lines and matrices.
 *
 * Computing does not know how this is printed, printing does not compute: every number here is an
 * element of a stage or of an input, a size, or a statistic that says so, held as a view; a
 * renderer only lays them out. */
#ifndef SELFATTN_TRACE_TRACE_H
#define SELFATTN_TRACE_TRACE_H

#include "attn/plan/plan.h"
#include "attn/spec/operation.h"
#include "base/named.h"
#include "trace/operand.h"

/* The steps of a trace in their order: names for `--trace=STEP,…` and what each is about. */

typedef enum step_id {
    STEP_INPUTS,
    STEP_PARAMETERS,
    STEP_DIMENSIONS,
    STEP_POSITIONS,
    STEP_PROJECTIONS,
    STEP_NORMALIZE,
    STEP_ROPE,
    STEP_CACHE,
    STEP_SCORES,
    STEP_SCALE,
    STEP_CAP,
    STEP_MASK,
    STEP_SOFTMAX,
    STEP_STATISTICS,
    STEP_ROUND,
    STEP_WEIGHTED,
    STEP_SUM,
    STEP_CONCAT,
    STEP_JOIN,
    /* Backward, from the output to the inputs. */
    STEP_LOSS,
    STEP_JOIN_BACK,
    STEP_SUM_BACK,
    STEP_SOFTMAX_BACK,
    STEP_MASK_BACK,
    STEP_CAP_BACK,
    STEP_SCALE_BACK,
    STEP_SCORES_BACK,
    STEP_CACHE_BACK,
    STEP_ROPE_BACK,
    STEP_NORMALIZE_BACK,
    STEP_PROJECTIONS_BACK,
    STEP_COUNT,
    /* Between the attentions of a stack. */
    FLOOR_EMBEDDED = STEP_COUNT,
    FLOOR_EMBED,
    FLOOR_LAYER,
    FLOOR_NORM,
    FLOOR_RESIDUAL,
    FLOOR_FEED_FORWARD,
    FLOOR_ROLLOUT,
    FLOOR_OUTPUT,
    FLOOR_HEAD,
    /* Backward, from the output to what went in. */
    FLOOR_LOSS,
    FLOOR_HEAD_BACK,
    FLOOR_LAYER_BACK,
    FLOOR_NORM_BACK,
    FLOOR_RESIDUAL_BACK,
    FLOOR_FEED_FORWARD_BACK,
    FLOOR_EMBED_BACK,
    FLOOR_EMBEDDED_BACK,
    /* Of a generation, above all layers. */
    FLOOR_LOGITS,
    FLOOR_PROBABILITIES,
    FLOOR_CHOICE
} step_id;

/* What is asked for in a trace: one that is not named is left out where it does nothing. */
typedef enum step_wish { STEP_UNWANTED, STEP_IF_IT_WORKS, STEP_WANTED } step_wish;

typedef struct step_row {
    named named;
    /* The stages that it makes, which stand for it in --trace: "row_max exp row_sum weights". */
    const char *stages;
} step_row;

extern const named_table STEPS;  /* rows of `step_row`, at their step_id, before STEP_COUNT */
extern const named_table FLOORS; /* the rows after it */

/* Of any of them. */
const step_row *step_of(step_id id);

/* The step of this name, or the one that makes the stage of this name; NULL where there is
 * neither. */
const step_row *step_find(const char *name, size_t length);

struct activation;
struct trace_room;
struct trace_map;

typedef enum trace_kind {
    TRACE_SENTENCE,    /* text: one plain sentence, what happens and why; what an option would
                          change stands at its end, after "; --": a page has no options */
    TRACE_FORMULA,     /* text: the formula in letters */
    TRACE_LINE,        /* left = letters = a op b = result: the formula with this run's numbers */
    TRACE_ROW_PRODUCT, /* a (1 × n) · b (n × m) = result (1 × m), named left, letters, text; of all
                          rows of a small run a (r × n) and result (r × m) */
    TRACE_STACK,       /* the rows of a (n × m), labelled by `rows`, summed: result (1 × m) */
    TRACE_MATRIX,      /* a, named text, rows and columns labelled */
    TRACE_TABLE        /* cells: `columns_count` a row, the first row is the heading */
} trace_kind;

/* The labels of rows or columns: names where there are any, else letter[1], letter[2], …; a letter
 * with an open bracket goes on in it: weighted[2,1], weighted[2,2], … */
typedef struct trace_labels {
    const text_list *names; /* NULL: numbered */
    const char *letter;     /* "q", "weighted[2"; NULL: plain numbers */
} trace_labels;

/* A word of the user's files inside a line's left side or letters: no mathematics. */
typedef struct trace_word {
    const char *in; /* which of the two */
    size_t at, bytes;
} trace_word;

enum { TRACE_WORDS = 3 };

/* What of a step is said only while something is so, of the query and head in focus. */
typedef enum trace_while {
    TRACE_ALWAYS,
    TRACE_WHILE_SEEN,   /* the query sees a key, */
    TRACE_WHILE_UNSEEN, /* or none */
    TRACE_WHILE_MORE,   /* more scores are masked than have a line */
    TRACE_WHILE_TOP,    /* so many keys have a weight, */
    TRACE_WHILE_STRONG, /* at least one has, */
    TRACE_WHILE_WEAK,   /* or none of those that the query sees */
    TRACE_WHILE_SURE,   /* one key has nearly all of the weight */
} trace_while;

typedef struct trace_item {
    trace_kind kind;
    trace_while holds;
    bool waits;    /* it does not hold in this run: */
    size_t before; /* it would stand before the step's item of this number */
    const char *text, *left, *letters;
    trace_word word[TRACE_WORDS]; /* of a line, in their order */
    size_t words;
    int decimals; /* that OP_ROUND leaves */
    operation op;
    size_t column;                /* of its cell, from 1, where the operation asks for it */
    tensor a, b, c, d, e, result; /* views; no data: not there */
    tensor inner; /* of a line whose operation has one inside: what that comes to, term by term */
    trace_labels rows, columns;
    bool has_ids; /* its columns are ids, which count from 0 */
    size_t focus; /* the row that is spelled out, from 1; 0 = none */
    size_t head;  /* whose numbers they are, from 1; 0 = of none, or of all */
    /* A line that works out a cell of a map, or NULL: head, row and column, from 0; a sentence that
     * counts what a clip cuts to make the map. */
    const struct trace_room *room;
    const struct trace_map *map;
    size_t cell[3];
    text_list cells;
    size_t columns_count;
    const char *columns_hold; /* of a table: 'm' mathematics, 'w' words, below the heading */
    bool is_about_heads;      /* a sentence: where the heads are that are not shown */
    bool leads; /* a sentence: the items after it are work, which an exercise leaves to others */
    bool is_of_focus; /* may not hold of another query, head or entry, whatever they are
                               * called */
} trace_item;

typedef struct trace_step {
    step_id id;
    const char *name; /* the row's, or of a stack "layer 1, attention: " and the row's */
    trace_item *item;
    size_t count, capacity;
    /* What is not so in this run: a page whose numbers can be changed shows it once it is. */
    trace_item *waiting;
    size_t waits, waiting_capacity;
} trace_step;

enum { TRACE_OPERANDS = 5 };

/* A matrix of all heads, and where its cells come from. */
typedef struct trace_map {
    const char *name;
    size_t number; /* among those of its room, from 0 */
    step_id step;
    tensor values; /* heads × rows × columns */
    size_t slices; /* heads that lie side by side in the columns */
    trace_labels rows, columns;
    bool is_apart;      /* a matrix a head, also where there is one */
    bool is_of_heads;   /* apart, or a part of each row is a head's */
    bool is_share;      /* its numbers are between 0 and 1 */
    bool is_of_queries; /* a row each */
    bool is_number;     /* the only one */
    bool is_column;     /* one number a row */
    bool is_part;       /* of a gradient: what one of several adds */
    bool is_bare;       /* letters name it without an index: p, where a query stands */
    bool is_row_a_head; /* given so; here all heads are side by side */
    bool is_of_focus;   /* of the head in focus and of one query: */
    size_t query;       /* this one, from 0 */
    /* Of rows that are looked up: "id of i"; else NULL. And what each is called: "id 4". */
    const char *row_letters;
    text_list row_names;
    const char *key;     /* in the document, where its name does not tell; else NULL */
    const char *id_name; /* of columns that are ids: what the one in focus is called; else NULL */
    bool is_beyond_page; /* so large that no page has its numbers */
    const char *letters; /* "q[i]·k[j]", or NULL: it comes from outside */
    const char *done; /* what was done with operand a: "divided by √d_k"; NULL: it has no word */
    bool has_origin;  /* else it has letters at most */
    operation op;
    const struct activation *function; /* of OP_ACTIVATE */
    /* a to e of the operation; without an origin, a: the same numbers where they are made */
    trace_origin operand[TRACE_OPERANDS];
    size_t unpaired, paired; /* columns of a head before those that belong to pairs, and these */
    bool is_interleaved;
    size_t appended;      /* rows at the end that the operation does not make: */
    trace_origin learned; /* the first of them where it has a part, else zeros */
    trace_origin length;  /* how many of the keys are there: later columns are −∞ */
    /* Of one that a rule makes and no operation: of which map it has rows and columns, and by which
     * it is made besides others (page/experts.js). */
    trace_origin follows;
    size_t untouched; /* columns at the end that are a as it is */
    bool is_made;     /* in float64, for the trace only: no stage holds its numbers */
} trace_map;

typedef struct trace_focus {
    size_t batch, head, row; /* from 0 */
    bool is_by_default;      /* nobody chose it: then it is said how one does */
} trace_focus;

/* Where a room is; of one attention, which is a house of one room, all of it is empty. */
typedef struct trace_place {
    const char *floor;       /* "layer 1" */
    const char *name;        /* "attention" */
    const char *way;         /* before the names of its maps: "layer.0.attention." */
    const char *way_in_step; /* the same without a generation's "step.1." */
    const char *more;        /* a stage of the stack that one of its steps makes too, or NULL: */
    step_id more_by;         /* this one, "mean_weights" by the softmax */
} trace_place;

/* How the numbers of a room were computed: what its nodes don't say, and who computes them again
 * must know. */
typedef struct trace_run {
    size_t keys;     /* of the sequence */
    size_t appended; /* keys that are none of the sequence, at the end */
    size_t shared;   /* numbers that the keys of all heads end with */
    int decimals;    /* to which weights are rounded; −1: they are not */
    bool keeps_sum;
    bool is_causal;
    bool scale_is_of_k, scale_is_of_x; /* 1 by the root of the width of a key, or of x */
    size_t rope_width;                 /* numbers of a head that a base turns; 0: none */
    double rope_base;
    double first;     /* where query 1 stands among the keys, from 0 */
    bool ends_at_key; /* the last query stands at the last key that is there, whatever the length */
    tensor seen; /* n_q × 2: the first key that a query sees but for causality and for how many
                       * keys are there, and the end */
    tensor mask; /* h × n_q × n_k; no data: there is none */
    bool mask_true_is_masked;
} trace_run;

/* An attention, or what stands before, between and after the attentions of layers: its steps, and
 * its maps, each of which stays where it is when there are more. */
typedef struct trace_room {
    size_t number; /* among those of its house, from 0 */
    trace_place place;
    /* Of the way back: the room of the way there, whose maps are called by their names here too;
     * else NULL. */
    const struct trace_room *there;
    trace_focus focus; /* that is spelled out in it */
    size_t heads;      /* of its run */
    trace_run run;
    trace_step **step;
    size_t steps, steps_capacity;
    trace_map **map;
    size_t maps, maps_capacity;
    size_t first_map; /* how many maps the rooms before it have */
    text_list words;  /* what items' texts point to */
    /* Names of all keys and of all values, where the problem's are not all of them; else empty. */
    text_list keys, values;
    bundle statistics; /* numbers that no stage holds */
} trace_room;

/* What the steps of a generation choose from, for a page on which another word is chosen. */
typedef struct trace_choices {
    tensor rows;   /* what goes in of each id; no data: too many for a page */
    text_list ids; /* their names */
    size_t first;  /* which row of the sequence the first chosen one is */
    bool stops;    /* one of them is the last one wherever it is chosen */
} trace_choices;

/* A house of rooms, whatever it is of: one attention is one room; a stack has rooms by floors, and
 * a generation those of each of its steps. */
typedef struct trace {
    const char *name, *title, *notes; /* of the document, or NULL */
    const text_list *exercise;        /* the same: steps that its page leaves empty */
    const bundle *document;           /* whose nodes these are; NULL: of a generation's steps */
    const trace_choices *choices;     /* of these; NULL: nothing is chosen */
    const char *command;              /* "encode" or "decode" of a stack, which look alike; NULL:
                                       * the names of its stages tell what it is of */
    dtype type;                       /* that it is computed in */
    trace_focus focus;                /* that is spelled out */
    size_t batch;                     /* the entry that is shown, from 1; 0: there is no batch */
    size_t batches;                   /* its entries */
    const struct trace *next_entry;   /* traces without steps of all entries, the first one's first,
                                       * where somebody made them; else NULL */
    const struct trace *next_cut;     /* of the same document with other numbers of heads, one after
                                       * the other, where somebody made them; else NULL */
    const char *cuts_refused;         /* why there is none, where one was tried; else NULL */
    trace_room **room;                /* each stays where it is when there are more */
    size_t rooms, rooms_capacity;
    const trace_step **step; /* those of all rooms, one after the other; borrowed */
    size_t steps, steps_capacity;
} trace;

/* Whether its rooms stand on floors. */
bool trace_has_floors(const trace *t);

/* Rows that are all shown, unless one was asked for: more of them take a page each. */
enum { TRACE_FEW = 4 };

/* Lines of one row that are spelled out, where not all are. */
enum { TRACE_LINES = 6 };

/* The stages that the steps need, so that the run keeps them. */
void trace_wants(const plan *p, trace_focus focus, kept_stages *w);

/* A house without rooms, of what the document says about itself. To be freed in any case. */
trace trace_begin(const bundle *document, trace_focus focus);
/* A new room, empty, after the others; NULL with the error set where there is no memory. */
trace_room *trace_add_room(trace *t, err *e);
/* The steps of `wish` (by step_id; NULL: all that do something) out of a run whose stages are in
 * `result`. Everything is borrowed from plan, document and result, which must outlive the trace. */
bool trace_make(trace *t, const plan *p, const bundle *result, trace_focus focus, bool is_full,
                const step_wish *wish, err *e);
void trace_free(trace *t);

/* Where every number of a run comes from: the matrices of all heads, and for each what operation
 * makes a cell out of which parts of which others. Steps spell out one row; with this a page can
 * spell out any cell, all the way back to the inputs, without computing anything. */

/* Where a matrix lies in a map: in which head, from which row and column on. */
typedef struct map_place {
    size_t head, row, column;
    bool is_turned; /* the matrix has the map's rows as columns */
    size_t cut;     /* it has all of the map's numbers, in the same order, but rows of so many: a
                     * row for each head's vector; 0: it has the map's rows */
} map_place;

/* The map that holds this matrix or vector, by its very numbers: one of which it is a head, or else
 * one of which it is a part, or whose rows are cut otherwise; NULL where none does. */
const trace_map *map_of(const trace_room *room, const tensor *matrix, map_place *at);

/* Whether the room shows the step. */
bool room_has_step(const trace_room *room, step_id step);

/* The map of this name, or NULL. */
const trace_map *map_named(const trace_room *room, const char *name);

/* Its number among all maps of the house. */
size_t map_index(const trace_room *room, const trace_map *map);

typedef struct map_cell {
    const trace_room *room;
    const trace_map *map; /* of the room */
    size_t head, row, column;
} map_cell;

double map_number(const map_cell *cell);

/* Numbers of a head that belong together. */
typedef struct map_pair {
    size_t index, partner; /* the column of the other one */
    bool is_first;
} map_pair;

/* Of a column that is of one. */
map_pair map_pair_of(const trace_map *map, size_t column);

#endif
