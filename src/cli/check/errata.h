/* Errata of a document: cells whose published number is known to be wrong, each {stage, batch?,
 * head?, row, col, published, computed}, counted from 0. */
#ifndef SELFATTN_CLI_CHECK_ERRATA_H
#define SELFATTN_CLI_CHECK_ERRATA_H

#include "attn/engine/compare.h"
#include "attn/spec/row_choice.h"
#include "tensor/bundle.h"

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

#endif
