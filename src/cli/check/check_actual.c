#include "cli/check/check_actual.h"

#include "cli/check/check_answers.h"
#include "cli/in/map_patterns.h"
#include "cli/out/said.h"
#include "cli/out/stage_names.h"
#include "model/stack_keys.h"
#include "weights/names.h"

#include <string.h>

/* The stage that a matrix without a name counts as. */
static const char UNNAMED[] = "output";

/* ---- --map ---- */

/* One NAME=KEY; the parser has refused what has no =. */
typedef struct name_pair {
    const char *name, *key;
    size_t length; /* of NAME */
} name_pair;

/* A key, or the way to one: layers.0.w1. */
static bool is_of_document(const name_pair *of)
{
    return key_find(&STACK_DOCUMENT, of->name, strcspn(of->name, ".=")) != NULL;
}

/* Of an attention or of a stack. */
static bool may_be_stage(const name_pair *of)
{
    bool is_way = memchr(of->name, '.', of->length) != NULL;
    return named_find(&STAGES, of->name, of->length) != NULL ||
           (stack_may_have_stage(of->name, of->length) && !(is_way && is_of_document(of)));
}

/* NAME and KEY stand in the order that --map has for a bundle. */
static bool suggest_turned(const name_pair *of, err *e)
{
    name_pair turned = {of->key, of->name, strlen(of->key)};
    bool is_turned = may_be_stage(&turned);
    if (is_turned)
        err_remedy(e, "did you mean --map %s=%.*s? The stage comes first", of->key, (int)of->length,
                   of->name);
    return is_turned;
}

/* A pair is about the result where NAME is a stage and KEY is among its names, else about the
 * bundle; one that is about neither is refused. */
static bool add_pair(check_map *m, const name_pair *of, const options *o, const text_list *names,
                     const char *file, err *e)
{
    place at = place_of_option("map");
    bool is_stage = may_be_stage(of);
    if (is_stage && text_list_find(names, of->key) != NULL) {
        /* A name is compared with one stage only, and a stage with one name. */
        const entry *there = bundle_find_bytes(&m->key, of->name, of->length);
        const entry *matrix = bundle_find(&m->stage, of->key);
        if (there != NULL)
            return err_at(e, &at, "%s=%s and %s are about the same stage", there->name, there->text,
                          of->name);
        if (matrix != NULL)
            return err_at(e, &at, "%s=%s and %s are about the same matrix", matrix->text,
                          matrix->name, of->name);
        return bundle_add_text(&m->stage, of->key, of->name, of->length, at, e) &&
               bundle_add_text(&m->key, m->stage.entry[m->stage.count - 1].text, of->key,
                               strlen(of->key), at, e);
    }
    if (o->bundle != NULL && (!is_stage || is_of_document(of)))
        return text_list_add(&m->of_bundle, of->name, strlen(of->name), e);
    if (!is_stage) {
        const char *near = stage_names_nearest(NULL, of->name, of->length);
        err_option(e, "map", "there is no stage \"%.*s\"", (int)of->length, of->name);
        if (suggest_turned(of, e))
            return false;
        return near == NULL ? err_remedy(e, "selfattn help stages lists them")
                            : err_remedy(e, "did you mean \"%s\"?", near);
    }
    nearest_names near = {.wanted = of->key};
    err_option(e, "map", "%s has no \"%s\"", file, of->key);
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->item[i];
        if (strncmp(name, of->name, of->length) == 0 && name[of->length] == '\0' &&
            suggest_turned(of, e))
            return false;
        nearest_names_look(&near, name);
    }
    nearest_names_suggest(&near, "selfattn info lists what it has", e);
    return false;
}

bool check_map_gives(const check_map *m, const char *name)
{
    return bundle_find(&m->key, name) != NULL;
}

/* ---- names ---- */

/* The stage that NAME of FILE:NAME means: the whole name for layers and steps, else the part after
 * its last dot, as in expected.weights; NULL: none. */
static const char *stage_said(const char *name)
{
    static const char *const OF_STACK[] = {"layer.", "step.", "ffn."};
    for (size_t i = 0; i < sizeof OF_STACK / sizeof OF_STACK[0]; i++) {
        if (strncmp(name, OF_STACK[i], strlen(OF_STACK[i])) == 0)
            return name;
    }
    const char *dot = strrchr(name, '.'), *last = dot == NULL ? name : dot + 1;
    if (stage_called(name) != NULL)
        return name;
    return stage_called(last) != NULL || stack_may_have_stage(last, strlen(last)) ? last : NULL;
}

/* Moves the matrices of a result, of which the document knows the stages, and what a page of
 * answers says of itself. */
static bool take_matrices(const actual_result *a, bundle *to, bundle *from, err *e)
{
    for (size_t i = 0; i < from->count; i++) {
        entry *one = &from->entry[i];
        const char *called = one->name[0] == '\0' ? UNNAMED : one->name;
        bool is_taken =
            one->kind == ENTRY_TENSOR || (one->kind == ENTRY_TEXT && check_page_saves(one->name));
        if (!is_taken || (a->in.matrix != NULL && strcmp(one->name, a->in.matrix) != 0))
            continue;
        /* The stage that it is, unless --map says that another one is. */
        const char *mapped = bundle_text(&a->map.stage, called);
        const char *said = a->in.matrix == NULL ? called : stage_said(called);
        said = said == NULL ? UNNAMED : said;
        if (mapped == NULL && check_map_gives(&a->map, said))
            continue;
        if (!bundle_take(to, mapped != NULL ? mapped : said, one, e))
            return false;
    }
    /* A name that --map has may be missing in some lines of a stream. */
    place at = check_actual_place(a);
    for (size_t i = 0; i < a->map.key.count; i++) {
        const entry *pair = &a->map.key.entry[i];
        if (bundle_find(to, pair->name) == NULL)
            return err_at(e, &at, "there is no matrix \"%s\" in this result, which --map calls %s",
                          pair->text, pair->name);
    }
    return true;
}

/* ---- reading ---- */

place check_actual_place(const actual_result *a)
{
    return (place){.file = a->in.name,
                   .line = a->in.is_stream ? a->in.lines.number : 0,
                   .column = a->in.is_stream};
}

static read_options options_of(const actual_result *a, dtype type)
{
    read_options how = input_file_how(&a->in, a->given, type);
    how.kind = KEY_EXPECTED;
    how.type_is_fixed = how.types_expected = how.allow_nonfinite = how.is_result = true;
    return how;
}

static bool read_as(const actual_result *a, dtype type, bundle *to, err *e)
{
    read_options how = options_of(a, type);
    bundle all = {0};
    bool done = input_file_read(&a->in, &how, &all, e) &&
                (a->given->answers.count == 0 || check_page(&all, e)) &&
                take_matrices(a, to, &all, e);
    bundle_free(&all);
    return done;
}

/* All names in the first result, and no numbers but those of formats that can't pass over them. */
static bool list_names(const actual_result *a, text_list *names, err *e)
{
    static const named_table NOTHING = {.what = "key"};
    read_options how = options_of(a, DTYPE_F64);
    bundle unnamed = {0};
    how.keys = &NOTHING;
    how.skips_unknown = true;
    how.skipped = names;
    bool done = text_list_index(names, e) &&
                a->in.format->read(a->in.lines.line, a->in.lines.length, &how, &unnamed, e);
    if (done && (unnamed.count > 0 || text_list_find(names, "") != NULL))
        done = text_list_add(names, UNNAMED, strlen(UNNAMED), e);
    bundle_free(&unnamed);
    return done;
}

bool check_actual_refuse_stageless(const actual_result *a, err *e)
{
    place at = check_actual_place(a);
    text_list names = {0};
    text there = {0};
    err ignored = {0};
    err_at(e, &at, "there is no stage in this %s", at.line > 0 ? "line" : "file");
    if (a->given->answers.count > 0)
        return err_remedy(e, "selfattn help stages lists them");
    if (a->in.matrix == NULL)
        list_names(a, &names, &ignored);
    for (size_t i = 0; i < names.count; i++)
        text_add_format(&there, "%s%s", i == 0 ? "it has " : ", ", names.item[i]);
    err_remedy(e, "%s%s--map STAGE=NAME says what a matrix is; selfattn help stages lists them",
               text_string(&there), there.length > 0 ? "; " : "");
    text_free(&there);
    text_list_free(&names);
    return false;
}

static bool read_wide(actual_result *a, err *e)
{
    a->has_wide = a->has_wide || read_as(a, DTYPE_F64, &a->wide, e);
    return a->has_wide && (a->wide.count > 0 || check_actual_refuse_stageless(a, e));
}

/* Answers are marked by the digits that were asked for, whatever was computed in. */
bool check_actual_numbers(actual_result *a, dtype type, const bundle **numbers, err *e)
{
    err too_large = {0};
    bool may_narrow = type == DTYPE_F32 && a->given->answers.count == 0 &&
                      (a->in.format->holds & HOLDS_TYPES) == 0;
    if (!read_wide(a, e))
        return false;
    bool is_narrow = may_narrow && read_as(a, DTYPE_F32, &a->narrow, &too_large);
    *numbers = is_narrow ? &a->narrow : &a->wide;
    if (too_large.is_memory)
        *e = too_large;
    return !too_large.is_memory;
}

/* ---- opening ---- */

bool check_actual_open(actual_result *a, const options *o, const env *world, err *e)
{
    const char *file = o->answers.count > 0 ? o->answers.item[0] : o->actual;
    *a = (actual_result){.given = o};
    if (file == NULL)
        return true;
    /* An exercise is one document, and FILE is all that its page saved. */
    if (o->answers.count > 0 ? !input_file_open_one(&a->in, file, false, o, e)
                             : !input_file_open(&a->in, file, true, o, e))
        return false;
    a->has_result = input_file_next(&a->in);
    /* --map speaks of the names of the first result. */
    if (a->has_result && o->map.count > 0 && o->answers.count == 0) {
        text_list names = {0};
        bool done = a->in.matrix != NULL
                        ? text_list_add(&names, a->in.matrix, strlen(a->in.matrix), e)
                        : list_names(a, &names, e);
        done = done && map_write_out(&o->map, NULL, &names, &a->map.pairs, e);
        for (size_t i = 0; done && i < a->map.pairs.count; i++) {
            const char *pair = a->map.pairs.item[i], *equals = strchr(pair, '=');
            name_pair of = {pair, equals + 1, (size_t)(equals - pair)};
            done = add_pair(&a->map, &of, o, &names, a->in.name, e);
        }
        text_list_free(&names);
        if (!done)
            return false;
    }
    if (!a->in.is_stream && !read_wide(a, e))
        return false;
    /* Where NAME of FILE:NAME is not a stage, the output may not be what was meant. */
    if (a->in.matrix != NULL && bundle_text(&a->map.stage, a->in.matrix) == NULL &&
        stage_said(a->in.matrix) == NULL)
        note_say(world, a->given, NULL, "%s is taken for the %s; --map STAGE=%s says another stage",
                 a->in.name, UNNAMED, a->in.matrix);
    return true;
}

static void forget_numbers(actual_result *a)
{
    bundle_free(&a->wide);
    bundle_free(&a->narrow);
    a->has_wide = false;
}

void check_actual_close(actual_result *a)
{
    forget_numbers(a);
    bundle_free(&a->map.stage);
    bundle_free(&a->map.key);
    text_list_free(&a->map.of_bundle);
    text_list_free(&a->map.pairs);
    input_file_close(&a->in);
}

/* ---- a result a document ---- */

void check_actual_step(actual_result *a)
{
    if (a->documents++ == 0)
        return;
    forget_numbers(a);
    a->has_result = input_file_next(&a->in);
}

static size_t count_lines(const actual_result *a)
{
    jsonl_lines all = jsonl_lines_of(a->in.bytes.bytes, a->in.bytes.length);
    size_t count = 0;
    while (jsonl_next(&all))
        count++;
    return count;
}

bool check_actual_has(const actual_result *a, place at, err *e)
{
    if (a->has_result)
        return true;
    if (a->in.is_stream) {
        size_t count = count_lines(a);
        err_at(e, &at, "this is document %zu, and %s has %zu result%s", a->documents, a->in.name,
               count, count == 1 ? "" : "s");
        return err_remedy(e, "each line is the result of one document");
    }
    err_at(e, &at, "--%s is one document's result, and this is another document",
           a->given->answers.count > 0 ? "answers" : "actual");
    return a->given->answers.count == 0 &&
           err_remedy(e, "a .jsonl has a result a line, for each document one");
}

bool check_actual_finish(actual_result *a, err *e)
{
    size_t count = a->in.is_stream ? count_lines(a) : 0;
    if (count <= a->documents)
        return true;
    err_at(e, &(place){.file = a->in.name}, "there are %zu results, and %zu document%s", count,
           a->documents, a->documents == 1 ? "" : "s");
    return err_remedy(e, "each line is the result of one document");
}
