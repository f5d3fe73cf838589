/* Members of a JSON object that is being written for a machine: each puts its own comma, and
 * nothing behind an opening bracket. */
#ifndef SELFATTN_IO_JSON_MEMBER_H
#define SELFATTN_IO_JSON_MEMBER_H

#include "base/text.h"
#include "tensor/bundle.h"

/* "NAME": , where the value is still to be written. */
void json_member_key(text *out, const char *name);
void json_member_text(text *out, const char *name, const char *value);
void json_member_count(text *out, const char *name, size_t value);
void json_member_truth(text *out, const char *name, bool value);
/* The shortest float64; infinities and NaN are texts, as everywhere in our JSON. */
void json_member_number(text *out, const char *name, double value);
void json_member_list(text *out, const char *name, const text_list *list);

#endif
