/* What two results are, what differs between them, and the ways of saying it. */
#ifndef SELFATTN_CLI_DIFF_DIFF_REPORT_H
#define SELFATTN_CLI_DIFF_DIFF_REPORT_H

#include "attn/engine/compare.h"
#include "cli/in/matrix_file.h"
#include "cli/tell.h"
#include "compare/measure.h"
#include "why/why.h"

/* ---- the two files, each in any format, with its numbers in the types that it keeps ---- */

typedef struct diff_file {
    input_file in; /* kept open: text may have to be read once more */
    bundle contents;
    text_list header; /* what --header said of it */
} diff_file;

/* ---- which of their matrices belong together, and what differs between them, as data ---- */

typedef struct diff_pair {
    const char *name; /* a's, or that of the side that has one; "matrix" where neither has */
    const entry *of[2];
    tensor view[2];   /* of the same shape; borrowed */
    const char *axes; /* of that shape, where they are known */
    number_type type; /* the coarser of the two: whose ulps are counted */
    tolerance within;
    measurement found;
} diff_pair;

typedef struct diff_result {
    const char *file[2]; /* as messages call them */
    diff_pair *pair;     /* stages in the order of the pipeline, then what else there is */
    size_t count, capacity;
    text_list only[2]; /* names that the other lacks */
    size_t numbers, different, different_pairs;
    const diff_pair *first; /* that differs; NULL: none does */
} diff_result;

/* Matches by name, --map and --ignore, checks shapes and tolerances, and compares. Borrows from the
 * files; to be freed, also when it fails. */
bool diff_match(diff_result *d, const diff_file file[2], const options *o, err *e);
void diff_free(diff_result *d);

/* The type that a file stores; integers, truths and text are exact, so that they are never the
 * coarser one. */
number_type diff_type_of(const entry *one);
/* The stage of this name, STAGE_COUNT where there is none. */
size_t diff_stage_number(const char *name);

/* ---- where two results come from, as --header wrote it into them ---- */

typedef struct origin {
    const char *version; /* borrowed from the file's header; NULL: it has none */
    /* A key, or in layers the way to it, "layers.0.wq": a list of its shape, type and hash. */
    bundle inputs;
    text_list options; /* that only this one was made with, of those that change numbers */
} origin;

typedef struct diff_origins {
    const char *name[2];
    origin of[2];
    bool are_known;   /* of both; else nothing can be said */
    text_list untold; /* inputs that were read as different types, with other hashes for that */
} diff_origins;

bool diff_origins_read(diff_origins *o, const diff_file file[2], err *e);
void diff_origins_free(diff_origins *o);

/* Where the origins are known: in words a line a difference, "made from different inputs: wq …"; to
 * a machine members of diff's object. */
void diff_origins_tell(const diff_origins *o, teller *t);

/* ---- what a tolerance proves: where A carries its inputs, which mistakes pass ---- */

typedef struct diff_mistakes {
    bool are_known; /* a tolerance was asked for, and A's inputs give its numbers, or would, if it
                     * were not too long to try */
    bool is_without_output; /* which A's inputs do not give: there is a Wo, and A has it not */
    missed_by_tolerance found;
} diff_mistakes;

/* A member of diff's object, where they are known. */
void diff_mistakes_tell(const diff_mistakes *m, teller *t);

/* ---- saying it ---- */

/* The first element that differs, then a line a stage; nothing where all are equal. */
void diff_write_text(const diff_result *d, text *out);
/* A line a stage, and one that counts; also where all are equal. */
void diff_write_summary(const diff_result *d, text *out);
/* One line for a machine; its shape is told in the manual, DIFFERENCES. */
void diff_write_json(const diff_result *d, const diff_origins *from, const diff_mistakes *missed,
                     text *out);
/* Where the first stage that differs does so: in at most `width` columns, or as SVG where that is
 * 0. */
bool diff_draw(const diff_pair *p, size_t width, bool color, text *out, err *e);

#endif
