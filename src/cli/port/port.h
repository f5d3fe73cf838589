/* What the files of the command port share: a model that is known, and the matrices that
 * another program computed of it.
 *
 * port_names.c finds which stage each matrix is. port_parts.c takes the model apart: what rows
 * begin with, each layer, and what comes after the last one are documents of their own, which begin
 * with the rows that the dump has before them, so that what is wrong or rounded in one is not
 * carried into the next. port_causes.c asks of the first stage that differs which mistake, or which
 * number, gives it, settles that, and goes on. port_report.c says it all. port_record.c writes what
 * the model itself makes.
 *
 * A model that is not computed has a recorded dump of a right run in its place: then it is said
 * where the other one differs first, and no cause is looked for. Of a dump that is right
 * port_shown.c finds which mistakes it would have shown. */
#ifndef SELFATTN_CLI_PORT_PORT_H
#define SELFATTN_CLI_PORT_PORT_H

#include "cli/run/work.h"
#include "model/dump_names.h"
#include "model/stages.h"

/* A part of the model: 0 is what rows begin with, then each layer, then what comes after them. */
typedef size_t port_part;

/* A matrix of the dump, and the stage that it is. */
typedef struct port_stage {
    char name[STAGE_NAME];  /* "layer.3.attention.weights" */
    char alone[STAGE_NAME]; /* the same in the document of its part: "layer.0.attention.weights" */
    const char *kind;       /* of all layers alike: "attention.weights" */
    const char *called;     /* in the dump; borrowed */
    port_part part;
    entry numbers;      /* the dump's, in the shape of the stage */
    double largest;     /* of them, without a sign */
    number_type stored; /* the coarsest type that holds all of its numbers */
    double found;       /* how far it is off, of its greatest number; by what is settled, 0 to 1 */
    double before;      /* the same without what is settled */
    double limit;       /* above which it is wrong */
    bool is_unexplained;
    bool is_rounding;   /* it is off by no more than that, and no cause gives it */
    bool is_unsearched; /* but for what explains others */
} port_stage;

/* How a number is looked for: between two ends; where rows begin to differ; or among the widths
 * that a head has. */
typedef enum port_search { SEARCH_BETWEEN, SEARCH_ROWS, SEARCH_WIDTHS } port_search;

/* A number of the model that is another one in the dump. */
typedef struct port_fit {
    named named;         /* as it is called; its help says what it is */
    const char *setting; /* of a document */
    port_search by;
    double least, most; /* the ends */
    bool is_of_ends;    /* it changes nothing in layers */
} port_fit;

extern const named_table PORT_FITS;

/* What explains a stage: a mistake, or a number. */
typedef struct port_cause {
    const mistake *made;
    const port_fit *fit; /* where made is NULL */
    double value, usual; /* that fits, and the model's (NaN: it has none) */
    port_part first;
    bool *is_in;         /* of each part */
    port_part confirmed; /* a part that was not used, and agrees; 0: there is none */
} port_cause;

typedef struct port {
    const options *given;
    env *world;
    work *model;             /* NULL: it is not computed */
    const stack *layers;     /* of that */
    size_t depth, width;     /* how many layers there are, and numbers in a row of theirs */
    size_t ids;              /* how many tokens it knows, where it is not computed */
    const char *file, *from; /* the dump, and the model */
    const char *reference;   /* the dump that stands in for a model that is not computed, or NULL */
    err refused;             /* why it is not computed */
    bundle dump;
    dump_reading reading; /* of its names */
    text_list unused;     /* names in the dump of which no stage was found */
    port_stage *stage;    /* in the order in which they are made; owned */
    size_t stages, room;
    size_t parts;
    bool begins_unrounded; /* the first layer's rows are those that are computed */
    packed_weights *kept;  /* products of what does not change from one attempt to the next */
    tensor *rows;          /* that each part begins with, where the dump has them not; owned */
    port_cause cause[16];
    size_t causes;
    number_type coarsest;       /* in which the dump rounds */
    double noise;               /* of most matrices */
    const port_stage *first;    /* that is wrong; NULL: none is */
    port_part first_part;       /* in which it went wrong */
    const model_config *config; /* NULL: there is none */
    size_t tried;               /* of a right dump: mistakes that can be made in the model; */
    const named **missed;       /* those of them that this dump would not show; owned */
    size_t missed_count;
} port;

/* Whether a name is that of tokens. */
bool port_name_is_of_ids(const char *name);
/* Of a model of two stacks, whose --prefix says which is meant: whether only the other one's word
 * is in the name. */
bool port_is_of_other(const port *p, const char *name);
/* Reads which stage each of the dump's matrices may be, in the place of what was read before: of
 * some stages there are several. */
bool port_names_find(port *p, err *e);
/* Of several matrices of a stage that was computed, keeps the first that agrees with it, and where
 * none does the nearest. */
bool port_names_settle(port *p, port_part part, err *e);
/* The same of those that the reference has too, and how far they are off. */
bool port_names_pair(port *p, const bundle *reference, err *e);

/* A mistake is made in all layers of a document. */
extern const stack_scope PORT_ALL;

/* A part as a document. */
typedef struct part_document {
    bundle document, layers, layer;
    claim *claim, given[1]; /* of its stages in the dump; the first, owned */
    size_t claims, first;   /* its first stage of all */
    entry rows;
    why_question asked;
} part_document;

/* With these numbers in the place of the model's. To be closed in any case, and not to be moved. */
bool part_open(part_document *d, const port *p, port_part part, const port_cause *const *fits,
               size_t count, err *e);
void part_close(part_document *d);
/* Computes it with what is settled, and writes how far each of its stages is off. Takes the rows
 * that the next part begins with, where the dump lacks them. */
bool part_measure(part_document *d, port *p, port_part part, err *e);
/* How far each of its stages is off with one more mistake, or NULL; infinite where that can't be
 * made. */
bool part_try(const part_document *d, const mistake *one, double *found, err *e);
/* The same of one of its claims, and at least so far where that is above its tolerance. */
double part_try_one(const part_document *d, const mistake *one, size_t index, err *e);
/* Of one of its claims the first row, in any head, that differs by more than its tolerance; as many
 * as there are where none does, or where it can't be computed. */
size_t part_first_row(const part_document *d, size_t index, err *e);

bool port_find_causes(port *p, err *e);
/* Whether all mistakes together, some hundred attempts, are work for more than a second or so. Then
 * no cause is looked for of a stage that had none in another layer. */
bool port_is_large(const port *p);
/* Nothing, where the model is large. */
bool port_find_shown(port *p, err *e);

/* The format of what --record names; NULL, with the error set, where its name says none. */
const format *port_record_format(const options *o, err *e);
/* Computes the whole model, and writes its ids, rows, weights and logits. */
bool port_record(const port *p, const options *o, err *e);

/* Rows of `named`: patterns of causes' names, and where in a port's source each may be. */
extern const named_table PORT_PLACES;
/* Where to look for a cause of this name; NULL: anywhere. */
const char *port_look_at(const char *cause);

void port_report_text(const port *p, text *out);
void port_report_json(const port *p, text *out);
/* "embedding", "layer 3", "end" */
void port_part_write(const port *p, port_part part, text *out);
bool port_agrees(const port_stage *one);

#endif
