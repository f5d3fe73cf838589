/* What happened in a run, as data: steps that hold sentences, formulas, worked lines and matrices.
 *
 * Computing does not know how this is printed, printing does not compute: every number here is an
 * element of a stage or of an input, a size, or a statistic that says so, held as a view; a
 * renderer only lays them out. */
#ifndef SELFATTN_TRACE_TRACE_H
#define SELFATTN_TRACE_TRACE_H

#include "attn/run.h"
#include "trace/step.h"

/* How the numbers of a worked line make its result. a, b, c are vectors (rank 1) or numbers (rank
 * 0). */
typedef enum operation {
    OP_DOT,          /* Σ a_p·b_p, + c where c has data */
    OP_ADDITIVE,     /* Σ c_p·tanh(a_p + b_p + d_p) */
    OP_TIMES,        /* a·b; b and the result may be vectors */
    OP_CAP,          /* b·tanh(a / b) */
    OP_PLUS,         /* a + b, b only where it has data, − c·d where c has */
    OP_EXP,          /* exp(a − b) */
    OP_SUM,          /* a_1 + a_2 + …, + c where c has data */
    OP_MAX,          /* max(a_1, a_2, …), c too where it has data */
    OP_DIVIDE,       /* a / b */
    OP_PLUS_LOG,     /* a + ln(b) */
    OP_ENTROPY,      /* −(a_1·ln(a_1) + a_2·ln(a_2) + …), 0 for an a_p of 0 */
    OP_ROUND,        /* a, rounded by hand */
    OP_VARIANCE,     /* mean of (a − mean of a)² over all elements of a (any rank) */
    OP_INVERSE_ROOT, /* 1/√a */
    OP_HIDE          /* a becomes −inf: not allowed */
} operation;

typedef enum trace_kind {
    TRACE_SENTENCE,    /* text: one plain sentence, what happens and why */
    TRACE_FORMULA,     /* text: the formula in letters */
    TRACE_LINE,        /* left = letters = a op b = result: the formula with this run's numbers */
    TRACE_ROW_PRODUCT, /* a (1 × n) · b (n × m) = result (1 × m), named left, letters, text */
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

typedef struct trace_item {
    trace_kind kind;
    const char *text, *left, *letters;
    operation op;
    tensor a, b, c, d, result; /* views; no data: not there */
    trace_labels rows, columns;
    size_t focus; /* the row that is spelled out, from 1; 0 = none */
    text_list cells;
    size_t columns_count;
} trace_item;

typedef struct trace_step {
    const step_row *row;
    trace_item *item;
    size_t count, capacity;
} trace_step;

/* What a cell [i,j] takes of another matrix. Heads side by side (slices) are cut, and of several
 * key/value heads the one that goes with the cell's head is meant. */
typedef enum trace_part {
    PART_NONE,
    PART_ROW_I,     /* row i */
    PART_ROW_J,     /* row j */
    PART_COLUMN_J,  /* column j */
    PART_CELL,      /* [i,j] */
    PART_OF_ROW,    /* the number of row i: [i,1] */
    PART_OF_COLUMN, /* the number of column j: [1,j] */
    PART_NUMBER     /* the only one */
} trace_part;

typedef struct trace_origin {
    trace_part part;
    size_t map; /* index in trace.map */
} trace_origin;

/* A matrix of all heads, and where its cells come from. */
typedef struct trace_map {
    const char *name;
    step_id step;
    tensor values; /* heads × rows × columns */
    size_t slices; /* heads that lie side by side in the columns */
    trace_labels rows, columns;
    bool is_share;       /* its numbers are between 0 and 1 */
    const char *letters; /* "q[i]·k[j]", or NULL: it comes from outside */
    bool has_origin;     /* else it has letters at most */
    operation op;
    trace_origin a, b, c;
} trace_map;

enum { TRACE_MAPS = 48 };

typedef struct trace {
    const char *name, *title, *notes; /* of the document, or NULL */
    trace_step step[STEP_COUNT];
    size_t steps;
    trace_map map[TRACE_MAPS];
    size_t maps;
    text_list words;   /* what items' texts point to */
    text_list keys;    /* names of the keys and of what is appended to them; empty: the problem's */
    bundle statistics; /* numbers that no stage holds */
} trace;

typedef struct trace_focus {
    size_t batch, head, row; /* from 0 */
} trace_focus;

/* The stages that the steps need, so that the run keeps them. */
void trace_wants(const plan *p, trace_focus focus, wanted *w);

/* The steps of `asked` (by step_id; NULL: all that do something) out of a run whose stages are in
 * `result`. Everything is borrowed from plan, document and result, which must outlive the trace. */
bool trace_make(trace *t, const plan *p, const bundle *result, trace_focus focus, bool is_full,
                const bool *asked, err *e);
void trace_free(trace *t);

#endif
