/* What io/number_read.h makes of a number's text. */
#ifndef SELFATTN_TESTS_NUMBERS_IN_LIST_H
#define SELFATTN_TESTS_NUMBERS_IN_LIST_H

#include <stdbool.h>

/* True where the text reads as this value in a list, or is not of the form that lists know. */
bool in_list_f32(const char *text, float wanted);
bool in_list_f64(const char *text, double wanted);

#endif
