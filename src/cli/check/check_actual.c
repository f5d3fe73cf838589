#include "cli/check/check_actual.h"

#include "cli/check/check_page.h"
#include "cli/check/checker.h"
#include "cli/matrix_file.h"
#include "io/descriptor.h"

#include <string.h>

/* Moves the matrices of a result, of which the document knows the stages, and the command that a
 * page of answers names. A matrix without a name is the output. */
static bool take_matrices(bundle *to, bundle *from, err *e)
{
    for (size_t i = 0; i < from->count; i++) {
        entry *one = &from->entry[i];
        const char *name = one->name[0] == '\0' ? "output" : one->name;
        bool is_taken = one->kind == ENTRY_TENSOR || strcmp(name, CHECK_COMMAND) == 0;
        if (is_taken && !bundle_take(to, name, one, e))
            return false;
    }
    return true;
}

static bool read_as(const actual_result *a, dtype type, bundle *to, err *e)
{
    const options *o = a->given;
    read_options how = read_options_of(o, check_actual_file(o), type);
    bundle all = {0};
    how.kind = KEY_EXPECTED;
    how.map = a->bytes.map;
    how.type_is_fixed = how.types_expected = how.allow_nonfinite = how.is_result = true;
    bool done = a->format->read(a->bytes.bytes, a->bytes.length, &how, &all, e) &&
                (o->answers == NULL || check_page(&all, e)) && take_matrices(to, &all, e);
    bundle_free(&all);
    return done;
}

const char *check_actual_file(const options *o)
{
    return o->answers != NULL ? o->answers : o->actual;
}

bool check_actual_read(actual_result *a, const options *o, err *e)
{
    const char *file = check_actual_file(o);
    *a = (actual_result){.given = o};
    if (file == NULL)
        return true;
    const char *name = descriptor_name(file);
    a->format = input_open(o, file, name, &a->bytes, e);
    return a->format != NULL && read_as(a, DTYPE_F64, &a->wide, e) &&
           (a->wide.count > 0 || check_refuse_stageless(name, e));
}

void check_actual_close(actual_result *a)
{
    bundle_free(&a->wide);
    bundle_free(&a->narrow);
    source_close(&a->bytes);
}

/* Answers are marked by the digits that were asked for, whatever was computed in. */
bool check_actual_numbers(actual_result *a, dtype type, const bundle **numbers, err *e)
{
    err too_large = {0};
    bool may_narrow =
        type == DTYPE_F32 && a->given->answers == NULL && (a->format->holds & HOLDS_TYPES) == 0;
    if (may_narrow && !a->has_narrow) {
        a->has_narrow = read_as(a, DTYPE_F32, &a->narrow, &too_large);
        if (too_large.is_memory)
            *e = too_large;
    }
    *numbers = may_narrow && a->has_narrow ? &a->narrow : &a->wide;
    return !too_large.is_memory;
}
