/* One document computed, whatever it is: one attention (work_attention.c), the layers of an encoder
 * or a decoder, or steps of a generation (work_layers.c).
 *
 * A kind of work is a row: how it is read and planned, which of its stages are kept, how it runs
 * and how it is shown. Commands know a work, and none of its kinds. */
#ifndef SELFATTN_CLI_RUN_WORK_H
#define SELFATTN_CLI_RUN_WORK_H

#include "attn/engine/run.h"
#include "attn/engine/streamed_stage.h"
#include "cli/in/document.h"
#include "model/generation.h"
#include "trace/stack_trace.h"
#include "why/why.h"

typedef struct work work;

/* Stages that are too large to be kept: their rows are computed as writers of text come to
 * them. */
typedef struct streamed_stages {
    stage_id id[STAGE_COUNT];
    streamed_stage *stage[STAGE_COUNT];
    size_t count;
    size_t part;        /* bytes of a stage that are made at a time */
    streamed_rows rows; /* for the writers */
} streamed_stages;

typedef struct solution {
    problem problem;
    plan plan;
    chosen_rows chosen; /* where rows are computed alone: what the problem of them borrows from */
    kept_stages wanted;
    run_report report;
    bool is_begun;            /* by work_run_in: all was checked */
    streamed_stages streamed; /* the wanted stages that are computed while they are written */
} solution;

typedef struct stack_solution {
    stack stack;
    bundle all;   /* where stages are written of some rows: those of all rows */
    size_t house; /* bytes, at least, of the trace that will be made; 0: none will */
} stack_solution;

typedef struct generation_solution {
    generation of;
    kept_generation *kept;         /* where it is traced; then the generation keeps all stages */
    double *number;                /* drawn before, one a step */
    struct decoded_whole *decoded; /* for a picture, all rows decoded at once */
} generation_solution;

/* What a trace is made for: a picture, the formulas of its stages, or the steps that options ask
 * for. */
typedef enum shown_for { FOR_PICTURE, FOR_FORMULAS, FOR_STEPS } shown_for;

/* What --focus chooses from. */
typedef struct work_limits {
    size_t rows, heads, batches;
    bool sees_last;   /* the last row sees the most, and is taken unless another is asked for */
    bool has_default; /* then it is said how another is asked for */
} work_limits;

/* Where nothing else is said, every kind has all functions. */
typedef struct work_kind {
    text_list emitted;   /* stages that are written by default; none: tokens are */
    bool has_layers;     /* its stages have their names: layer.0.attention.weights */
    const char *said[2]; /* the commands that say so: of an encoder, of a decoder */
    bool (*plan)(work *w, err *e);
    bool (*list)(work *w, err *e); /* for work_list */
    /* Keeps a stage, or all that a name with * means; one that is not made is an error. With
     * by_rows its rows may be computed while they are written, where they would be too large to be
     * kept. */
    bool (*want)(work *w, const char *name, bool by_rows, err *e);
    /* The bytes of all stages that these names mean; SIZE_MAX where they are more than an address
     * can hold. */
    bool (*bytes)(const work *w, const text_list *names, size_t *bytes, err *e);
    /* The type and sizes of a stage before it is computed, without numbers; false where they aren't
     * known yet. NULL: none are. */
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
    /* What goes on step by step. NULL: nothing does. */
    const generation *(*generation)(const work *w);
    /* Checks the memory against --max-memory, computes, and says the notes. */
    bool (*run)(work *w, env *world, err *e);
    /* Runs a small one of many, by one thread, in room that is set for it; nothing is said. It may
     * be called again once other numbers have come into the document's matrices. NULL: it can't
     * be. */
    bool (*run_in)(work *w, run_room *in, crew *alone, err *e);
    /* Whether planning it, or running it so, gave something to note. NULL: `run` says all. */
    bool (*has_notes)(const work *w);
    /* The same as `run`, and makes its trace. */
    bool (*show)(work *w, shown_for use, env *world, err *e);
    /* Once it has run: the trace of an entry of its batch, without steps. NULL: it has no batch. */
    bool (*trace_entry)(const work *w, trace_focus of, trace *to, err *e);
    void (*free)(work *w);
} work_kind;

struct work {
    const work_kind *kind;
    const document *document;
    const options *given;
    bool is_said;       /* a command's name says the kind, and not the document */
    bool is_decoder;    /* of layers */
    bool wants_weights; /* of the stages that are wanted, some are weights */
    union {
        solution attention;
        stack_solution stack;
        generation_solution generation;
    } of;
    row_choice rows;  /* that are computed, or written, alone; none: all are */
    text_list there;  /* the names that its stages may have, in the order in which they are made */
    text_list wanted; /* of layers: names of those to be kept, in which * stands for anything */
    bundle stages;    /* what was kept, once it has run */
    const streamed_rows *supply; /* who makes those that are computed while they are written; NULL:
                                  * there are none */
    /* Is told of each step of a generation when it is done; NULL: nobody is. */
    bool (*hear)(void *listener, const generation *g, err *e);
    void *listener;
    trace made;
    trace *entry; /* the same of each entry of a batch, where all are shown */
    size_t entries;
    const trace *shown; /* what was made, or will be; NULL: nothing */
    const trace *drawn; /* what its picture is of */
};

extern const work_kind WORK_ATTENTION, WORK_STACK, WORK_GENERATION;

/* Reads and checks everything; nothing is computed. `as` is "encoder" or "decoder", which with
 * --length goes on by itself; NULL: the document says what it is. To be freed in any case, and not
 * to be moved; document and options must outlive it. */
bool work_plan(work *w, const document *one, const char *as, const options *o, err *e);
/* Finds the names of its stages, where that was not done. */
bool work_list(work *w, err *e);
void work_free(work *w);

size_t work_threads(const work *w, const env *world);
/* Whether starting threads for it, or for a step, would cost more than they bring. */
bool work_is_small(const work *w);
/* The rows that are computed, or written, alone; NULL: all are. */
const row_choice *work_rows(const work *w);
/* --header: a line each for the version, the arguments, every input with its shape and a hash of
 * its numbers. */
bool work_header(const work *w, text_list *lines, err *e);
/* Such a line of an input; and of all inputs among a document's entries. `way`: to what these are
 * entries of, with a point after it: "layers.0.wq". Layers count from 0, as everywhere in data. Ids
 * and segments are inputs, as matrices are; a single number is a setting. */
bool header_add_input(text_list *lines, const char *name, const tensor *given, err *e);
bool header_add_entries(text_list *lines, const key_tables *keys, const bundle *of, text *way,
                        err *e);
/* What --why asks of it; without claims. */
why_question work_question(const work *w, const env *world);

/* The row, head and batch of --focus, from 0; those that are not there are an error. */
bool work_focus(const work *w, trace_focus *focus, err *e);
/* What a stage's numbers come from: in the room that the way to it leads to, or NULL. */
const trace_map *trace_map_of(const trace *t, const char *name);
/* Where the renderer takes all entries of a batch, the others are chained to the one in focus. */
bool work_show_entries(work *w, err *e);

/* Refuses a seed that nothing is drawn from. */
bool generation_check_seed(const options *o, err *e);
/* How many steps names like "step.3.logits" are of; 0: they are of none. */
bool named_steps(const bundle *names, size_t *steps, err *e);

#endif
