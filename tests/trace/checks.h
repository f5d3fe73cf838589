/* The checks, one for each kind of paragraph of a trace. Each fails its reader, or says nothing. */
#ifndef SELFATTN_TESTS_TRACE_CHECKS_H
#define SELFATTN_TESTS_TRACE_CHECKS_H

#include "reader.h"

enum { LONGEST_LINE = 1 << 16 };

/* Lines without an empty one between them. */
typedef struct paragraph {
    const char *const *line;
    size_t count;
} paragraph;

/* What is known of the page above. */
typedef struct progress {
    char step[32];
    size_t steps;
    char line[32]; /* "scores", the last worked line's left side */
    size_t key;
    char matrix[32]; /* "scores", the last matrix of one head */
    size_t head;
} progress;

/* check_lines.c and those of lines.h: a worked line, its parts joined by single spaces. */
bool is_worked_line(const char *line);
void check_worked_line(reader *r, progress *p);

/* check_matrices.c: `name` is the last matrix's, for its next part. */
bool is_matrix(const paragraph *p);
bool is_next_part(const paragraph *p);
void check_matrix(reader *r, progress *at, const paragraph *p, char name[64]);

/* check_products.c */
bool is_product(const paragraph *p);
bool is_stack(const paragraph *p);
void check_product(reader *r, const paragraph *p);
void check_stack_products(reader *r, const paragraph *p);

/* check_words.c: every digit in sentences and formulas (joined by single spaces), in tables, and in
 * headings. The title and the notes above the first step are the document's own. */
void check_prose(reader *r, const char *joined);
bool is_table(const paragraph *p);
void check_table(reader *r, const paragraph *p);
void check_preamble(reader *r, const char *joined);
void check_heading(reader *r, progress *p, const char *line);

#endif
