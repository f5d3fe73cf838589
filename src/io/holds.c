#include "io/holds.h"

#include "io/csv.h"

#include <string.h>

static const char *kind_name(const entry *one)
{
    switch (one->kind) {
    case ENTRY_TEXT:
        return "a text";
    case ENTRY_LIST:
        return "a list of texts";
    case ENTRY_JSON:
        return one->text[0] == '"' ? "a text" : "a list that is not a matrix";
    default:
        return one->is_list ? "a list of objects" : "an object";
    }
}

/* A number under a name is a setting; one without is all that its file is. */
static const char *number_lacks(const format *f, const entry *one)
{
    bool is_held = f->holds & HOLDS_VECTORS;
    if (tensor_has_hole(&one->tensor) && !(is_held && f->holds & HOLDS_HOLES))
        return "null";
    if (is_held || one->name[0] == '\0')
        return NULL;
    return one->tensor.type == DTYPE_BOOL ? "true or false" : "a number";
}

static const char *tensor_lacks(const format *f, const entry *one)
{
    if (one->tensor.rank == 0)
        return number_lacks(f, one);
    return !(f->holds & HOLDS_HOLES) && tensor_has_hole(&one->tensor) ? "a matrix with holes (null)"
                                                                      : NULL;
}

/* A corner stands above row labels and next to column labels. */
static bool has_corner(const bundle *b)
{
    return bundle_find(b, "rows") != NULL && bundle_find(b, "columns") != NULL;
}

const char *format_lacks(const format *f, const bundle *b, const entry *one)
{
    if (one->kind == ENTRY_TENSOR)
        return tensor_lacks(f, one);
    bool is_label = csv_is_labels(one) && (one->kind == ENTRY_LIST || has_corner(b));
    bool is_held = f->holds & HOLDS_ALL || (f->holds & HOLDS_LABELS && is_label);
    return is_held ? NULL : kind_name(one);
}

/* The types in which matrices are written, as NPY and as safetensors name them. */
static bool is_written(const char *stored)
{
    static const char *const NAMES[] = {"f4", "f8", "b1", "F32", "F64", "BOOL"};
    const char *name = stored + strspn(stored, "<>|=");
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strcmp(name, NAMES[i]) == 0)
            return true;
    }
    return false;
}

held_change format_changes(const format *f, const entry *one)
{
    if (one->kind != ENTRY_TENSOR)
        return HELD_AS_IT_IS;
    if (one->tensor.rank < 2 && !(f->holds & HOLDS_VECTORS))
        return HELD_AS_ROW;
    if (one->tensor.type == DTYPE_BOOL && !(f->holds & HOLDS_TRUTH))
        return HELD_AS_DIGITS;
    if (f->holds & HOLDS_TYPES && one->stored != NULL && !is_written(one->stored))
        return HELD_WIDER;
    return one->name[0] != '\0' && !(f->holds & HOLDS_MATRICES) ? HELD_NAMELESS : HELD_AS_IT_IS;
}
