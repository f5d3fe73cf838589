#include "cli/check/check_actual.h"

#include "base/mem.h"
#include "cli/check/check_page.h"
#include "cli/check/checker.h"
#include "cli/matrix_file.h"
#include "cli/note.h"
#include "cli/stage_names.h"
#include "io/descriptor.h"
#include "model/stack.h"

#include <string.h>

/* What a matrix without a name is. */
static const char UNNAMED[] = "output";

/* ---- names ---- */

static bool is_stage_alone(const char *name)
{
    return strchr(name, '.') == NULL &&
           (stage_names_have(NULL, name) || stack_may_have_stage(name, strlen(name)));
}

static bool is_of_stack(const char *name)
{
    static const char *const BEGINS[] = {"layer.", "step.", "ffn."};
    for (size_t i = 0; i < sizeof BEGINS / sizeof BEGINS[0]; i++) {
        if (strncmp(name, BEGINS[i], strlen(BEGINS[i])) == 0)
            return true;
    }
    return false;
}

/* The stage that NAME of FILE:NAME says: of layers and steps all of it, else what is behind its
 * last dot, as in a JSON document's expected.weights; NULL: none. */
static const char *stage_said(const char *name)
{
    const char *last = strrchr(name, '.');
    if (is_of_stack(name))
        return name;
    last = last == NULL ? name : last + 1;
    return is_stage_alone(last) ? last : NULL;
}

/* The stage that an entry is, if it is one; NULL: none, or --map says that another one is. */
static const char *meaning_of(const actual_result *a, const entry *one)
{
    const char *called = one->name[0] == '\0' ? UNNAMED : one->name;
    const char *mapped = check_map_stage(&a->map, called);
    if (a->matrix != NULL && strcmp(one->name, a->matrix) != 0)
        return NULL;
    if (mapped != NULL)
        return mapped;
    const char *said = a->matrix == NULL ? called : stage_said(called);
    said = said == NULL ? UNNAMED : said;
    return check_map_gives(&a->map, said) ? NULL : said;
}

/* Moves the matrices of a result, of which the document knows the stages, and the command that a
 * page of answers names. */
static bool take_matrices(const actual_result *a, bundle *to, bundle *from, err *e)
{
    for (size_t i = 0; i < from->count; i++) {
        entry *one = &from->entry[i];
        const char *meant = meaning_of(a, one);
        bool is_taken = one->kind == ENTRY_TENSOR || strcmp(one->name, CHECK_COMMAND) == 0;
        if (meant != NULL && is_taken && !bundle_take(to, meant, one, e))
            return false;
    }
    return true;
}

/* ---- reading ---- */

/* As messages name it. */
static const char *name_of(const options *o)
{
    return descriptor_name(check_actual_file(o));
}

static read_options options_of(const actual_result *a, dtype type)
{
    read_options how = read_options_of(a->given, check_actual_file(a->given), type);
    how.kind = KEY_EXPECTED;
    how.map = a->bytes.map;
    how.type_is_fixed = how.types_expected = how.allow_nonfinite = how.is_result = true;
    return how;
}

static bool read_as(const actual_result *a, dtype type, bundle *to, err *e)
{
    read_options how = options_of(a, type);
    bundle all = {0};
    bool done =
        (a->matrix != NULL ? matrix_file_read_only(a->format, &a->bytes, a->matrix, how, &all, e)
                           : a->format->read(a->bytes.bytes, a->bytes.length, &how, &all, e)) &&
        (a->given->answers == NULL || check_page(&all, e)) && take_matrices(a, to, &all, e);
    bundle_free(&all);
    return done;
}

/* All names in the file, and no numbers but those of formats that can't pass over them. */
static bool list_names(const actual_result *a, text_list *names, err *e)
{
    static const named_table NOTHING = {.what = "key"};
    read_options how = options_of(a, DTYPE_F64);
    bundle unnamed = {0};
    how.keys = &NOTHING;
    how.skips_unknown = true;
    how.skipped = names;
    bool done = a->format->read(a->bytes.bytes, a->bytes.length, &how, &unnamed, e);
    if (done && (unnamed.count > 0 || text_list_find(names, "") != NULL))
        done = text_list_add(names, UNNAMED, strlen(UNNAMED), e);
    bundle_free(&unnamed);
    return done;
}

static bool split_map(actual_result *a, err *e)
{
    text_list names = {0};
    bool done = a->given->map.count == 0 || a->given->answers != NULL ||
                ((a->matrix != NULL ? text_list_add(&names, a->matrix, strlen(a->matrix), e)
                                    : list_names(a, &names, e)) &&
                 check_map_split(&a->map, a->given, &names, name_of(a->given), e));
    text_list_free(&names);
    return done;
}

const char *check_actual_file(const options *o)
{
    return o->answers != NULL ? o->answers : o->actual;
}

/* FILE of answers is a page's whole. */
static bool open_file(actual_result *a, const char *file, err *e)
{
    a->path = a->given->answers != NULL ? mem_copy_text(file, strlen(file), e)
                                        : matrix_file_split(file, &a->matrix, e);
    if (a->path != NULL)
        a->format = input_open(a->given, a->path, name_of(a->given), &a->bytes, e);
    return a->format != NULL;
}

/* Where NAME of FILE:NAME is no stage, somebody may have meant another than the output. */
static void note_meaning(const actual_result *a, const env *world)
{
    bool is_said = a->matrix == NULL || check_map_stage(&a->map, a->matrix) != NULL ||
                   stage_said(a->matrix) != NULL;
    if (!is_said)
        note_say(world, a->given, NULL, "%s is taken for the %s; --map STAGE=%s says another stage",
                 name_of(a->given), UNNAMED, a->matrix);
}

bool check_actual_read(actual_result *a, const options *o, const env *world, err *e)
{
    const char *file = check_actual_file(o);
    *a = (actual_result){.given = o};
    if (file == NULL)
        return true;
    if (!open_file(a, file, e) || !split_map(a, e) || !read_as(a, DTYPE_F64, &a->wide, e))
        return false;
    note_meaning(a, world);
    return a->wide.count > 0 || check_refuse_stageless(o, name_of(o), e);
}

void check_actual_close(actual_result *a)
{
    bundle_free(&a->wide);
    bundle_free(&a->narrow);
    check_map_free(&a->map);
    source_close(&a->bytes);
    mem_free(a->path);
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
