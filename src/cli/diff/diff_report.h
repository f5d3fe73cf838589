/* diff as data and as words: two results, what differs between them, and how it is said. */
#ifndef SELFATTN_CLI_DIFF_DIFF_REPORT_H
#define SELFATTN_CLI_DIFF_DIFF_REPORT_H

#include "attn/engine/compare.h"
#include "cli/in/matrix_file.h"
#include "cli/tell.h"
#include "compare/measure.h"
#include "why/why.h"

/* ---- the two files, each in any format, with its numbers in the types that it keeps ---- */

typedef struct diff_file {
    input_file in; /* kept open, since text may have to be read again */
    bundle contents;
    text_list header; /* the lines that --header wrote into it */
} diff_file;

/* ---- which of their matrices belong together, and what differs between them, as data ---- */

typedef struct diff_pair {
    const char *name; /* A's name, else B's; "matrix" where neither has one */
    const entry *of[2];
    tensor view[2];   /* of the same shape; borrowed */
    const char *axes; /* of that shape; NULL: not known */
    number_type type; /* the coarser of the two, whose ulps are counted */
    tolerance within;
    measurement found;
} diff_pair;

typedef struct diff_result {
    const char *file[2]; /* as messages call them */
    diff_pair *pair;     /* stages in the order of the pipeline, then what else there is */
    size_t count, capacity;
    text_list only[2]; /* names that the other lacks */
    size_t numbers, different, different_pairs;
    const diff_pair *first; /* the first pair that differs; NULL: none does */
} diff_result;

/* Matches by name, --map and --ignore, checks shapes and tolerances, and compares. The result
 * borrows from the files, and must be freed also where this fails. */
bool diff_match(diff_result *d, const diff_file file[2], const options *o, err *e);
void diff_free(diff_result *d);
/* As --map and --ignore call it. */
const char *diff_called(const char *name);

/* The type that a file stores. Integers, truths and text are exact, so never the coarser type. */
number_type diff_type_of(const entry *one);

/* ---- where two results come from, as --header wrote it into them ---- */

typedef struct origin {
    const char *version; /* borrowed from the file's header; NULL: it has none */
    /* A key, or in layers the way to it, "layers.0.wq": a list of its shape, type and hash. */
    bundle inputs;
    text_list options; /* options that change numbers, and that only this one was made with */
} origin;

typedef struct diff_origins {
    const char *name[2];
    origin of[2];
    bool are_known;   /* both have a header */
    text_list untold; /* inputs that were read as different types, whose hashes can't be compared */
} diff_origins;

bool diff_origins_read(diff_origins *o, const diff_file file[2], err *e);
void diff_origins_free(diff_origins *o);

/* Tells them, if they are known: in words a line for each difference, "made from different inputs:
 * wq …"; in JSON members of diff's object. */
void diff_origins_tell(const diff_origins *o, teller *t);

/* ---- what a tolerance proves: which mistakes would pass, where A carries its inputs ---- */

typedef struct diff_mistakes {
    bool are_known; /* there is a tolerance, and A's inputs give its numbers, or the work would be
                     * too long to try */
    bool is_without_output; /* A's inputs do not give the output: it needs a Wo, which A lacks */
    missed_by_tolerance found;
} diff_mistakes;

/* Adds a member to diff's object, if they are known. */
void diff_mistakes_tell(const diff_mistakes *m, teller *t);

/* ---- saying it ---- */

/* The first element that differs, then a line a stage; nothing where all are equal. */
void diff_write_text(const diff_result *d, text *out);
/* A line a stage, and one that counts; also where all are equal. */
void diff_write_summary(const diff_result *d, text *out);
/* One line for a machine; its shape is told in the manual, DIFFERENCES. */
void diff_write_json(const diff_result *d, const diff_origins *from, const diff_mistakes *missed,
                     text *out);
/* Draws where a pair differs, in at most `width` columns, or as SVG with a width of 0. */
bool diff_draw(const diff_pair *p, size_t width, bool color, text *out, err *e);

#endif
