/* check at work. The way of the data: files are checked, several at once where --jobs says so, and
 * what came of each is written in order (check.c); of each its documents one after the other, each
 * computed and compared with what it expects but for its errata, and explained (check_document.c,
 * errata.c); or with another program's result (check_actual.c), or with a person's answers
 * (check_answers.c); or what differs is recorded (check_update.c). */
#ifndef SELFATTN_CLI_CHECK_CHECKER_H
#define SELFATTN_CLI_CHECK_CHECKER_H

#include "attn/engine/compare.h"
#include "attn/spec/row_choice.h"
#include "cli/in/matrix_file.h"
#include "cli/out/outputs.h"
#include "cli/run/work.h"
#include "io/number_write.h"

/* ---- --actual and --answers: another program's result, or a person's, which a document is
 * compared with; or, in JSON Lines, a result a document, in their order ---- */

/* --map of check, which speaks of two files: what a stage is called in another program's result,
 * and what a key of the document is called in --bundle's file. */
typedef struct check_map {
    bundle key;          /* of a stage its name in the result, as a text */
    bundle stage;        /* the stage of a name in the result, in the same order */
    text_list of_bundle; /* NAME=KEY */
} check_map;

/* Whether a pair says what this stage is called. */
bool check_map_gives(const check_map *m, const char *name);

typedef struct actual_result {
    const options *given;
    input_file in; /* a result, or a result a line */
    check_map map;
    bool has_result;     /* there is one at hand */
    size_t documents;    /* that were come to */
    bundle wide, narrow; /* text read as float64; and as float32, where that was asked for */
    bool has_wide;
} actual_result;

/* Opens it, and reads it where it is one result; nothing where none is named. To be closed, also
 * when this fails. */
bool check_actual_open(actual_result *a, const options *o, const env *world, err *e);
void check_actual_close(actual_result *a);

/* Another document is come to, the first one or the next: the result at hand is its own. */
void check_actual_step(actual_result *a);
/* Refuses a document, which is at this place, that has no result. */
bool check_actual_has(const actual_result *a, place at, err *e);
/* After the last document: refuses a stream of more results. */
bool check_actual_finish(actual_result *a, err *e);

/* The numbers of the result at hand for who computes in this type: text as float32, straight from
 * its decimals, for float32, unless that can't hold them. */
bool check_actual_numbers(actual_result *a, dtype type, const bundle **numbers, err *e);
/* The error of one in which there is nothing to check. */
bool check_actual_refuse_stageless(const actual_result *a, err *e);
/* For an error about it as a whole. */
place check_actual_place(const actual_result *a);

/* ---- errata of a document: cells whose published number is known to be wrong, each {stage,
 * batch?, head?, row, col, published, computed}, counted from 0 ---- */

typedef struct erratum {
    const entry *record;
    element at; /* indices batch?, head?, row, col: as many as are given; what was published is
                 * `wanted`, what is computed `got` */
    /* The published number differs, and what is computed is what the erratum says. */
    bool is_confirmed;
    /* The same, but the tolerance calls both numbers equal. */
    bool is_within_tolerance;
} erratum;

typedef struct errata {
    erratum *one;
    erratum **by_place; /* the same, sorted: a document may have as many as it has numbers */
    size_t count;
    size_t within_tolerance; /* of them */
} errata;

/* `of_stack`: the stages that there are; NULL: those of one attention. */
bool errata_read(errata *all, const bundle *contents, const text_list *of_stack, err *e);
/* Leaves those of other rows out, and counts the rows of the others among the chosen ones, which
 * must outlive them. */
void errata_choose(errata *all, const row_choice *rows);

void errata_free(errata *all);

/* Refuses an erratum of what is not expected, and one outside of its stage. */
bool errata_check(const errata *all, const bundle *expected, const bundle *computed, err *e);

/* For known_elements: whether the document names the element, rightly or not; and whether it is an
 * erratum, which is thereby confirmed. */
bool errata_lists(void *context, const element *one);
bool errata_knows(void *context, const element *one);

/* Once all was compared, and what is expected has the shapes that were computed: finds the errata
 * that the tolerance passes over. */
void errata_settle(errata *all, const bundle *expected, const bundle *computed);

/* ---- the state of the command ---- */

/* What came of one file. */
typedef struct checked_file {
    /* "ok    …", "FAIL  …" and "why: …", a line each; and, as standard error has it, the error of
     * each document that could not be checked and was passed over, since more are after it. */
    text lines;
    char *said; /* notes for standard error, where they had to wait; or NULL */
    size_t failed, passed_over;
    bool is_taken_back; /* errors alone stand: what the lines say was not recorded */
    bool saw_layers;    /* in a document */
    err bad;            /* that ended the file */
} checked_file;

/* The marks of a class (check --answers): a row a file of answers, a column a question that any of
 * them was asked: 1 right, 0 wrong, a hole where nothing was answered or asked. */
typedef struct check_marks {
    text_list question, file;
    text_list error;            /* of each file, empty where it was marked */
    struct marked_file *marked; /* as many as files, and the one at hand; owned */
    size_t capacity;
} check_marks;

/* A piece of the text that becomes another number. */
typedef struct edit {
    const char *at;
    size_t length;
    char becomes[NUMBER_FIXED_TEXT];
} edit;

/* What a file is to become: numbers in it are replaced, and all other bytes stay. */
typedef struct file_update {
    old_file old;     /* what is edited */
    const char *line; /* of that the line that was looked for last */
    size_t number;    /* of the line, from 1 */
    edit *edit;
    size_t count, capacity;
} file_update;

typedef struct checker {
    const options *given;
    env *world;
    weights_input weights;      /* of --bundle */
    document_reader *documents; /* of the file that is checked */
    actual_result *actual;      /* of --actual; NULL: what the documents expect */
    check_marks *marks;         /* of --answers */
    checked_file file;          /* so far */
    file_update update;         /* of --update: the file that is checked */
} checker;

/* Stages of a document by their names, next to what somebody says of them. */
typedef struct named_stages {
    const document *document;
    const text_list *there; /* the names of all, in the order in which they are made */
    const bundle *numbers;  /* what is said of them */
    const bundle *computed;
    const row_choice *rows; /* that both are of; NULL: all */
    errata *known;          /* numbers that are known to be wrong */
} named_stages;

/* ---- shapes (check_shapes.c), which are looked at before anything is computed ---- */

/* Gives the numbers of one attention's stages the axes that the stages have here, where they have
 * those of other programs: a result's heads may be apart, and what is one number a row may lack its
 * last axis. Borrows the others. */
bool check_shapes_lay(const checker *c, const work *w, const bundle *numbers, bundle *laid, err *e);
/* Refuses numbers that can't be compared with what will be computed. */
bool check_shapes(const checker *c, const named_stages *of, const work *w, err *e);
/* Adds to the error of a shape which stage has it, where that is likely to be meant. Returns
 * false. */
bool check_shapes_suggest(const checker *c, const named_stages *of, const work *w, err *e);

/* ---- a document ---- */

/* Adds its lines. False, with the error set, where it can't be computed or compared. */
bool check_document(checker *c, document *one, err *e);

/* The tolerance of a stage: --tol, else the document's one or the stage's, else the default. */
double check_tolerance(const checker *c, const named_stages *of, const char *name);

/* ---- --update: numbers that differ are written into the file, and nothing else in it changes ----
 */

/* Begins a file. Refuses what can't be written into: standard input, a pipe. */
bool check_update_open(checker *c, const char *file, err *e);
/* Each in the decimals of its stage, in the place of the number that stood there, but for elements
 * that are known; adds a line that says how many there were. */
bool check_update(checker *c, const named_stages *of, err *e);
/* Writes the file once, when all its documents were checked. All of what differs in a file is
 * recorded or, where some of it could not be checked, nothing: then no line may say otherwise. */
void check_update_end(checker *c, bool is_checked, err *e);

/* ---- --answers: an exercise (--blank) is marked, as its page does ---- */

/* What the page of an exercise saves besides its answers, under names that begin with _: the name
 * of the document that it is of, the command that it was made by, the entry of a batch that it
 * shows, and of each stage of which it asks for a part only, which cells these are. */
#define CHECK_COMMAND "_command"
#define CHECK_DOCUMENT "_document"
#define CHECK_BATCH "_batch"
#define CHECK_ASKED "_asked."

/* Whether only a page saves something under this name. */
bool check_page_saves(const char *name);
/* Refuses what no page saves: a document that has no name, another command, an entry that is not a
 * number from 1, cells of no answers. */
bool check_page(const bundle *answers, err *e);

/* Adds a line of how many are right, and one for each that is not, with the formula that the trace
 * has for it; never the number. What counts is what the document asks for, or --blank: an answer
 * that lacks is empty. Where neither says anything, it is what the file has. */
bool check_answers(checker *c, const named_stages *of, const trace *made, err *e);

/* A file that could not be marked has a row too, with its error. */
bool check_marks_add_bad(check_marks *m, const char *file, const char *error, err *e);
/* Refuses a format that has no place for the names of files and questions. */
bool check_marks_check(const options *o, err *e);
/* Writes the table where --output and --format say, with two columns more, how many were right, and
 * of how many; and where a file could not be marked, a third one that says why. Nothing where there
 * is no file. */
bool check_marks_write(check_marks *m, const options *o, err *e);
void check_marks_free(check_marks *m);

#endif
