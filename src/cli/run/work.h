/* One document computed, whatever it is: one attention, the layers of an encoder or a decoder, or
 * steps of a generation.
 *
 * A kind of work is a row: how it is read and planned, which of its stages are kept, how it runs
 * and what made it. Commands know a work, and none of its kinds. */
#ifndef SELFATTN_CLI_RUN_WORK_H
#define SELFATTN_CLI_RUN_WORK_H

#include "cli/line/options.h"
#include "cli/run/solve.h"
#include "model/stack.h"
#include "trace/stack_trace.h"
#include "why/why.h"

typedef struct work_kind work_kind;

/* What a trace is made for: a picture, the formulas of its stages, or the steps that options ask
 * for. */
typedef enum shown_for { FOR_PICTURE, FOR_FORMULAS, FOR_STEPS } shown_for;

typedef union work_trace {
    trace attention;
    stack_trace stack;
} work_trace;

typedef struct work {
    const work_kind *kind;
    const document *document;
    bool is_said;       /* a command's name says the kind, and not the document */
    bool is_decoder;    /* of layers */
    bool wants_weights; /* of the stages that are wanted, some are weights */
    union {
        solution attention;
        stack_solution stack;
        generation_solution generation;
    } of;
    work_trace made;
    work_trace *entry; /* the same of each entry of a batch, where all are shown */
    size_t entries;
    const trace *shown; /* what was made; NULL: nothing */
    const trace *drawn; /* what its picture is of */
    bundle *stages;     /* what was kept, once it has run */
} work;

struct work_kind {
    text_list emitted; /* stages that are written where nobody says which; none: tokens are */
    bool (*plan)(work *w, const options *o, err *e);
    /* Adds the names that its stages may have, in the order in which they are made. */
    bool (*names)(work *w, text_list *names, err *e);
    /* Keeps a stage, or all that a name with * means; one that is not made is an error. With
     * by_rows its rows may be computed while they are written, where they would be too large to be
     * kept. */
    bool (*want)(work *w, const char *name, bool by_rows, err *e);
    bool (*has_heads)(const work *w);
    /* The bytes of all stages that these names mean; SIZE_MAX where they are more than an address
     * can hold. */
    bool (*bytes)(const work *w, const text_list *names, size_t *bytes, err *e);
    /* Checks the memory against --max-memory, computes, and says the notes. */
    bool (*run)(work *w, const options *o, env *world, err *e);
    /* The same, and makes its trace. */
    bool (*show)(work *w, shown_for use, const options *o, env *world, err *e);
    bool (*header)(const work *w, const options *o, text_list *lines, err *e);
    /* What --why asks of it; without claims. */
    why_question (*question)(const work *w, const options *o, const env *world);
    void (*free)(work *w);
};

/* Reads and checks everything; nothing is computed. `as` is "encoder" or "decoder", which with
 * --length goes on by itself; NULL: the document says what it is. To be freed in any case, and not
 * to be moved; the document must outlive it. */
bool work_plan(work *w, const document *one, const char *as, const options *o, err *e);

bool work_is_attention(const work *w);
/* Whether starting threads for it, or for a step, would cost more than they bring. */
bool work_is_small(const work *w);
/* The rows that are computed, or written, alone; NULL: all are. */
const row_choice *work_rows(const work *w);
/* Who makes the stages that are computed while they are written; NULL: there are none. */
const streamed_rows *work_supply(const work *w);
void work_free(work *w);

#endif
