/* Reads a text against what it must say, from left to right. The first difference is kept, and
 * everything after it is passed over, so that a check reads as the line that it expects. */
#ifndef SELFATTN_TESTS_TRACE_READER_H
#define SELFATTN_TESTS_TRACE_READER_H

#include "truth.h"

typedef struct reader {
    const char *at;
    const truth *of;
    bool failed;
    char why[256];
} reader;

/* Says what is wrong, where nothing was before. */
void reader_fail(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

void read_spaces(reader *r);
void read_words(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* True, and passed over, where these words are next. */
bool reader_sees(reader *r, const char *words);
/* A whole number of any value. */
size_t read_count(reader *r);
/* This number at the digits that were asked for. */
void read_number(reader *r, double value);
/* The same, where a negative one stands in parentheses. */
void read_operand(reader *r, double value);
void read_end(reader *r);

#endif
