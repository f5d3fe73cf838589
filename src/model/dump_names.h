/* Which stages of layers a name in another program's dump may mean, and the order in which stages
 * are made, which need not be that of a file.
 *
 * A name is read by the number in it that counts layers, and by words in it: `blk.3.attn_out`,
 * `model.layers.3.self_attn`, `attentions.3`. Which of the stages that it may mean it is, the shape
 * of its matrix decides, which is known where the model is. */
#ifndef SELFATTN_MODEL_DUMP_NAMES_H
#define SELFATTN_MODEL_DUMP_NAMES_H

#include "model/stages.h"

/* Models of which a meaning may be. */
typedef enum dump_only { ONLY_ANY, ONLY_UNGATED, ONLY_UNPOSITIONED, ONLY_COUNT } dump_only;

enum { DUMP_PATTERN = 256 };

/* What the rows of layers are where their names leave it open, which numbers decide then. */
typedef enum dump_reading {
    READ_AS_COUNTED,
    READ_ENDS_NORMED,   /* the last layer's are those after the last norm */
    READ_FROM_1,        /* layers count from 1, and the last one is not there */
    READ_ENDS_UNNORMED, /* a list that begins with the embedding ends before the last norm */
    READ_HEAD_ALONE,    /* a head's are the product alone, before a factor and a cap */
    READING_COUNT
} dump_reading;

typedef struct numbered_name {
    char pattern[DUMP_PATTERN]; /* in lower case, with # in the place of the number */
    bool has_number;
    size_t number;
} numbered_name;

typedef struct dump_name {
    numbered_name of;
    dump_reading reading;
    size_t layers, first, row;
    bool is_of_layer, begins_list,
        counts_other; /* its number may count something else, as batches */
} dump_name;

typedef struct dump_meaning {
    const char *stage; /* "attention.weights"; "begin" is the rows before the first layer */
    bool is_of_layer;
    bool is_by_shape; /* no word in the name says it: it is where no other stage has its shape */
    size_t layer;
    dump_only only;
} dump_meaning;

/* What is known of all names of one pattern. */
typedef struct name_group {
    size_t count, least, most;
} name_group;

/* All names of a dump, by their patterns: a dump may have thousands. */
typedef struct dump_index {
    const bundle *dump; /* borrowed */
    dump_reading reading;
    bundle patterns;
    name_group *group; /* of each of them */
    size_t room;
} dump_index;

/* To be closed in any case. */
bool dump_index_open(dump_index *x, const bundle *dump, err *e);
void dump_index_close(dump_index *x);

/* How many layers the names of a dump count; 0: they count none. */
size_t dump_count_layers(const dump_index *x);

/* Begins to read a name of the dump, which has so many layers. */
void dump_name_read(dump_name *n, const dump_index *x, size_t layers, const char *name);
/* The next stage that it may mean, the likeliest first; false: there is none. */
bool dump_name_next(dump_name *n, dump_meaning *to);

/* Where a stage stands among all: before the layers, in one of them, or after them; its layer, its
 * part there, and its number in that part. */
typedef struct stage_standing {
    size_t group, layer, part, made;
    bool is_known; /* it is one of layers, or around them, by its name */
} stage_standing;

stage_standing stage_stands(const char *name);
int stage_standings_compare(const stage_standing *a, const stage_standing *b);
/* Whether it has a number for each query and key: "attention.weights". */
bool stage_is_of_pairs(const char *name);
/* An attention's stage of this name, STAGE_COUNT where there is none. */
size_t stage_number(const char *name);
/* The same of a part, which may be "ffn.", in its order. */
size_t stage_number_in(const char *part, const char *name);

#endif
