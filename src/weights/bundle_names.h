/* Which names of a bundle are which keys of a document: by a convention's row and a layer's name,
 * found or said by --prefix, and by --map. Numbers are not looked at. */
#ifndef SELFATTN_WEIGHTS_BUNDLE_NAMES_H
#define SELFATTN_WEIGHTS_BUNDLE_NAMES_H

#include "weights/bundle_layer.h"
#include "weights/names.h"
#include "weights/wishes.h"

typedef struct bundle_source {
    const char *name; /* in the bundle, borrowed from the list of names; NULL: nothing is there */
    bool is_mapped;   /* --map says so */
} bundle_source;

typedef struct bundle_names {
    const text_list *names; /* all that are there */
    name_index index;       /* the same, in their order */
    const char *file;       /* as messages name it */
    bundle_layer layer;
    bundle_source *from; /* of each row of KEYS */
} bundle_names;

/* False with the error set where no names of weights or several layers are found, where --map names
 * what is not there, or where what is found are no weights yet. `names` and `file` must outlive the
 * result, which is to be freed in any case. */
bool bundle_names_find(bundle_names *found, const text_list *names, const char *file,
                       const wishes *w, err *e);
void bundle_names_free(bundle_names *found);

const bundle_source *bundle_source_of(const bundle_names *found, input which);

/* False with the error set where something beside the weights would change the result, and neither
 * --map nor an option nor the document says what is done about it. */
bool bundle_names_check_refused(const bundle_names *found, const wishes *w, const bundle *contents,
                                err *e);

/* Refuses a layer that has no such weight, with the names that are nearest. */
bool bundle_names_refuse_missing(const bundle_names *found, input which, err *e);

#endif
