/* The worked lines that check_lines.c knows by what stands left, one function each. */
#ifndef SELFATTN_TESTS_TRACE_LINES_H
#define SELFATTN_TESTS_TRACE_LINES_H

#include "checks.h"

/* "NAME[i,": the focus's row; the column is read and must follow that of the line before. */
size_t line_key(reader *r, progress *p, const char *name);
/* A stage's number in the focus's row. */
double line_element(const reader *r, const char *stage, size_t key);

/* check_positions.c */
void line_squares(reader *r, progress *p);
void line_mean(reader *r, progress *p);
void line_factor(reader *r, progress *p);
void line_unit(reader *r, progress *p);
void line_normalized(reader *r, progress *p);
void line_wave(reader *r, progress *p);
void line_wave_added(reader *r, progress *p);
void line_angle(reader *r, progress *p);
void line_turned(reader *r, progress *p);

/* check_softmax.c */
void line_variance(reader *r, progress *p);
void line_sink(reader *r, progress *p);
void line_exp_of_sink(reader *r, progress *p);
void line_share_of_sink(reader *r, progress *p);
void line_slope(reader *r, progress *p);
void line_masked(reader *r, progress *p);
void line_row_max(reader *r, progress *p);
void line_row_sum(reader *r, progress *p);
void line_exp(reader *r, progress *p);
void line_weights(reader *r, progress *p);
void line_rounded(reader *r, progress *p);
void line_logsumexp(reader *r, progress *p);
void line_entropy(reader *r, progress *p);
void line_top(reader *r, progress *p);

#endif
