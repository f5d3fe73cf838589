/* A document that is computed: one attention (work_attention.c), the layers of an encoder or a
 * decoder, or the steps of a generation (work_layers.c).
 *
 * A kind of work is a row of functions: they plan it, keep stages, run it and make its trace.
 * Commands call these, and do not ask which kind it is. */
#ifndef SELFATTN_CLI_RUN_WORK_H
#define SELFATTN_CLI_RUN_WORK_H

#include "attn/engine/run.h"
#include "attn/engine/streamed_stage.h"
#include "cli/in/document.h"
#include "model/generation.h"
#include "trace/stack_trace.h"
#include "why/why.h"

typedef struct work work;

/* Wanted stages that are too large for memory: their rows are computed as writers of text come to
 * them. */
typedef struct streamed_stages {
    stage_id id[STAGE_COUNT];
    streamed_stage *stage[STAGE_COUNT];
    size_t count;
    size_t part;        /* so many bytes of a stage are made at a time */
    streamed_rows rows; /* for the writers */
} streamed_stages;

typedef struct solution {
    problem problem;
    plan plan;
    chosen_rows chosen; /* where some rows are computed alone: their problem borrows from it */
    kept_stages wanted;
    run_report report;
    bool is_begun; /* all was checked, and it may be run again with other numbers */
    streamed_stages streamed;
} solution;

typedef struct stack_solution {
    stack stack;
    bundle all;   /* the stages of all rows, where only some rows of them are written */
    size_t house; /* bytes that the trace will take at least; 0: no trace will be made */
} stack_solution;

typedef struct generation_solution {
    generation of;
    kept_generation *kept;         /* all stages of all steps, for a trace; NULL: not kept */
    double *number;                /* the random number of each step */
    struct decoded_whole *decoded; /* all rows decoded at once, for a picture; or NULL */
} generation_solution;

/* What a trace is made for: a picture, the formulas of its stages, or the steps that options ask
 * for. */
typedef enum shown_for { FOR_PICTURE, FOR_FORMULAS, FOR_STEPS } shown_for;

/* What --focus may choose from. */
typedef struct work_limits {
    size_t rows, heads, batches;
    bool sees_last;   /* the last row sees the most, and is taken unless another is asked for */
    bool has_default; /* a note says how to ask for another row than the default */
} work_limits;

/* A function may be NULL only where its comment says so. */
typedef struct work_kind {
    text_list emitted;   /* stages that are written by default; none: tokens are */
    const char *said[2]; /* the commands that compute it: for an encoder, for a decoder */
    bool (*plan)(work *w, err *e);
    /* The names of the matrices that learn, of which NAME_grad is a stage: none where no gradients
     * are asked for. NULL: it has none. */
    bool (*parameters)(const work *w, text_list *names, err *e);
    bool (*list)(work *w, err *e); /* for work_list */
    /* Keeps a stage, or all that a name with * means; refuses a stage that is not made. With
     * by_rows, the rows of a stage that is too large to keep may be computed while they are
     * written. */
    bool (*want)(work *w, const char *name, bool by_rows, err *e);
    /* The bytes of all stages that these names mean; SIZE_MAX where they are more than a size can
     * say. */
    bool (*bytes)(const work *w, const text_list *names, size_t *bytes, err *e);
    /* The type and shape that a stage will have; false where they aren't known before it is
     * computed. NULL: they never are. */
    bool (*shape)(const work *w, const char *name, tensor *like);
    /* Refuses what is too large to be written by default. NULL: nothing is. */
    bool (*check_emitted)(const work *w, err *e);
    double (*operations)(const work *w);
    bool (*has_heads)(const work *w);
    work_limits (*limits)(const work *w);
    /* For --header: a line for each input. */
    bool (*inputs)(const work *w, text_list *lines, err *e);
    /* What --why asks of it, but for claims and threads. */
    why_question (*question)(const work *w);
    /* The attention that it is. NULL: it is layers. */
    const plan *(*attention)(const work *w);
    /* The layers that names of its stages lead through: layer.0.attention.weights. NULL: it is an
     * attention. */
    const stack *(*layers)(const work *w);
    /* The generation that goes on step by step. NULL: it is not one. */
    const generation *(*generation)(const work *w);
    /* Refuses more memory than --max-memory, computes, and says the notes. */
    bool (*run)(work *w, env *world, err *e);
    /* Runs a small one of many, by one thread, in room that is set for it; nothing is said. It may
     * be called again once other numbers have come into the document's matrices. NULL: it can't
     * be. */
    bool (*run_in)(work *w, run_room *in, crew *alone, err *e);
    /* Whether planning it, or running it so, gave something to note. NULL: `run` says all. */
    bool (*has_notes)(const work *w);
    /* Like `run`; and makes w->made, its trace. */
    bool (*show)(work *w, shown_for use, env *world, err *e);
    /* After a run: makes the trace of an entry of its batch, without steps. NULL: it has no
     * batch. */
    bool (*trace_entry)(const work *w, trace_focus of, trace *to, err *e);
    void (*free)(work *w);
} work_kind;

struct work {
    const work_kind *kind;
    const document *document;
    const options *given;
    bool is_said;       /* the command's name says the kind, not the document */
    bool is_decoder;    /* its layers are a decoder's */
    bool wants_weights; /* some of the wanted stages are weights */
    union {
        solution attention;
        stack_solution stack;
        generation_solution generation;
    } of;
    row_choice rows;   /* the rows that are computed, or written; none: all are */
    text_list emitted; /* stages that this one writes by default; none: the kind says them */
    text_list there;   /* the names of its stages, in the order in which they are made */
    text_list wanted;  /* layers: names of the stages to keep, in which * stands for anything */
    bundle stages;     /* the stages that were kept, once it has run */
    const streamed_rows *supply; /* makes rows that are computed while they are written; or NULL */
    /* Called after each step of a generation; NULL: not called. */
    bool (*hear)(void *listener, const generation *g, err *e);
    void *listener;
    trace made;   /* by `show` */
    trace *entry; /* the traces of a batch's entries, where all are shown */
    size_t entries;
    struct work_cut *cut; /* the same work with other numbers of heads, where a page has them */
    size_t cuts;
    bool is_cut;        /* it is one of these */
    char *cuts_refused; /* why there is none, where that is known; owned */
    const trace *shown; /* the trace that was made, or will be; NULL: none */
    const trace *drawn; /* the trace that its picture shows */
};

extern const work_kind WORK_ATTENTION, WORK_STACK, WORK_GENERATION;

/* Reads and checks everything, and computes nothing. `as` is "encoder" or "decoder"; a decoder with
 * --length is a generation; NULL: the document says what it is. The work must be freed also where
 * this fails, and can't be copied; document and options must outlive it. */
bool work_plan(work *w, const document *one, const char *as, const options *o, err *e);
/* Written by default from now on: what the kind says, the loss where there is one, and the
 * gradients of these. */
bool work_emit_gradients(work *w, const text_list *of, bool has_loss, err *e);
/* Fills w->there, unless that was done. */
bool work_list(work *w, err *e);
void work_free(work *w);

size_t work_threads(const work *w, const env *world);
/* Whether starting threads for it, or for a step, would cost more than they save. */
bool work_is_small(const work *w);
/* The rows that are computed, or written; NULL: all are. */
const row_choice *work_rows(const work *w);
/* For --header: adds a line each for the version, the arguments, and every input with its shape and
 * a hash of its numbers. */
bool work_header(const work *w, text_list *lines, err *e);
/* Adds such a line for an input, or for all inputs among a document's entries. `way` leads to the
 * object that has the entries, and ends with a point: "layers.0."; layers count from 0, as
 * everywhere in data. Inputs are matrices, ids and segments; a single number is a setting. */
bool header_add_input(text_list *lines, const char *name, const tensor *given, err *e);
bool header_add_entries(text_list *lines, const key_tables *keys, const bundle *of, text *way,
                        err *e);
/* What --why asks of it, still without claims. */
why_question work_question(const work *w, const env *world);

/* After `show`: chains a trace for each other number of heads that so many columns of q allow,
 * where the renderer takes them. What the program refuses is left out, and of the first such the
 * reason is kept. */
bool work_show_cuts(work *w, size_t heads, size_t columns, env *world, err *e);
void work_free_cuts(work *w);

/* The row, head and batch of --focus, from 0; refuses those that are not there. */
bool work_focus(const work *w, trace_focus *focus, err *e);
/* The map of a stage, in the room that its name leads to; NULL: there is none. */
const trace_map *trace_map_of(const trace *t, const char *name);
/* Makes the traces of the other entries of the batch, and chains them to the one in focus, where
 * the renderer takes them all. */
bool work_show_entries(work *w, err *e);

/* Refuses a --seed where nothing is drawn. */
bool generation_check_seed(const options *o, err *e);
/* How many steps there are in names like "step.3.logits"; 0: in none. */
bool named_steps(const bundle *names, size_t *steps, err *e);

#endif
