/* What check and diff say, a line a document; and an error, on standard error. */
#ifndef SELFATTN_CLI_OUT_REPORT_H
#define SELFATTN_CLI_OUT_REPORT_H

#include "attn/engine/compare.h"
#include "cli/in/document.h"
#include "cli/line/env.h"

void report_error(const env *world, const err *e);

/* The shortest that reads back; of a hole, that it is none. */
void report_number(text *out, double value);
/* The same of float32, where it is one. */
void report_number_as(text *out, double value, bool is_f32);
/* Differences are read by their size: three digits say it. */
void report_rough(text *out, double value);

/* The name of a document, or its file's. */
void report_name(text *out, const document *one);
/* "golden.jsonl:3 (the name)": its file, the line of a stream, and the name where it has one. */
void report_document(text *out, const document *one);

/* "weights[query 1, key 2]: expected 0.5, computed 0.46831, apart by 3.17e-02" */
void report_numbers(text *out, const element *one, const char *wanted_name, const char *got_name);

/* The same, and " (tol 5e-06)". */
void report_element(text *out, const element *one, const char *wanted_name, const char *got_name);

#endif
