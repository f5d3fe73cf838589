/* Where two results come from, as --header wrote it into them: whether that differs. */
#ifndef SELFATTN_CLI_DIFF_DIFF_ORIGINS_H
#define SELFATTN_CLI_DIFF_DIFF_ORIGINS_H

#include "cli/diff/diff_files.h"
#include "cli/tell.h"

/* An input of a result: a key, or in layers the way to it, "layers.0.wq". */
typedef struct origin_input {
    char *name, *shape, *type, *hash;
} origin_input;

typedef struct origin {
    const char *version; /* borrowed from the file's header; NULL: it has none */
    origin_input *in;
    size_t inputs, capacity;
    bundle names;      /* an entry for each input, in their order, which finds it */
    text_list options; /* that only this one was made with, of those that change numbers */
} origin;

typedef struct diff_origins {
    const char *name[2];
    origin of[2];
    bool are_known;   /* of both; else nothing can be said */
    text_list untold; /* inputs that were read as different types, with other hashes for that */
} diff_origins;

bool diff_origins_read(diff_origins *o, const diff_file file[2], err *e);
void diff_origins_free(diff_origins *o);

/* Where the origins are known: in words a line a difference, "made from different inputs: wq …"; to
 * a machine members of diff's object. */
void diff_origins_tell(const diff_origins *o, teller *t);

#endif
