/* The ways of saying what differs between two results. */
#ifndef SELFATTN_CLI_DIFF_DIFF_REPORT_H
#define SELFATTN_CLI_DIFF_DIFF_REPORT_H

#include "cli/diff/diff_mistakes.h"
#include "cli/diff/diff_origins.h"
#include "cli/diff/diff_pairs.h"

/* The first element that differs, then a line a stage; nothing where all are equal. */
void diff_write_text(const diff_result *d, text *out);
/* A line a stage, and one that counts; also where all are equal. */
void diff_write_summary(const diff_result *d, text *out);
/* One line for a machine; its shape is told in the manual, DIFFERENCES. */
void diff_write_json(const diff_result *d, const diff_origins *from, const diff_mistakes *missed,
                     text *out);
/* Where the first stage that differs does so, in at most `width` columns. */
bool diff_write_heat_map(const diff_pair *p, size_t width, bool color, text *out, err *e);
/* The same as SVG. */
bool diff_write_svg(const diff_pair *p, text *out, err *e);

#endif
