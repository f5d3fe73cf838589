#include "io/json.h"

#include "base/mem.h"
#include "io/json_again.h"
#include "io/json_array.h"
#include "io/json_kept.h"
#include "io/json_lists.h"
#include "io/json_room.h"
#include "io/json_scan.h"
#include "io/json_string.h"
#include "io/json_value.h"
#include "io/json_way.h"

#include <stdio.h>
#include <string.h>

/* About what is allocated for them. */
enum {
    ENTRY_ROOM = sizeof(entry) + 64,  /* with its name and a number */
    OBJECT_ROOM = sizeof(bundle) - 16 /* more than a number */
};

/* Kinds that no row of a key table has, behind those of key.h. */
enum {
    KIND_NUMBER = KEY_OBJECTS + 1,
    KIND_BY_KEY,  /* the key table says it */
    KIND_BY_LOOK, /* the value shows it; its members' too */
    KIND_SKIPPED
};

/* What a value is to be: a kind, and of an object its own keys. */
typedef struct value_kind {
    int kind;
    const key_tables *members;
} value_kind;

/* How the members of an object are read. Keys that begin with _ are remarks for people, but a
 * vocabulary has such words; null stands for nothing where nobody asked for a value. */
typedef struct scope {
    int kind;
    bool skips_remarks, skips_null;
    const key_tables *keys; /* KIND_BY_KEY's */
} scope;

static const scope STAGES = {KEY_EXPECTED, true, true, NULL};
static const scope VOCAB = {KEY_MATRIX, false, false, NULL};
static const scope TOLERANCES = {KIND_NUMBER, true, false, NULL};
static const scope SETTINGS = {KEY_NUMBERS, true, false, NULL};
static const scope RECORD = {KEY_SETTING, true, false, NULL};
static const scope ANYTHING = {KIND_BY_LOOK, false, true, NULL};
static const scope EVERYTHING = {KIND_BY_LOOK, false, false, NULL};

static scope scope_of_keys(const key_tables *keys)
{
    return (scope){KIND_BY_KEY, true, false, keys};
}

static entry *add_entry(json_reader *r, bundle *to, const char *name, const char *at, err *e)
{
    return json_room_take(&r->room, &r->text, at, ENTRY_ROOM, e)
               ? bundle_add(to, name, strlen(name), json_place(&r->text, at), e)
               : NULL;
}

static bool new_bundle(json_reader *r, const char *at, entry *to, err *e)
{
    to->kind = ENTRY_BUNDLE;
    if (json_room_take(&r->room, &r->text, at, OBJECT_ROOM, e))
        to->bundle = mem_alloc_zeroed(1, sizeof(bundle), e);
    return to->bundle != NULL;
}

static bool read_members(json_reader *r, const scope *in, const char *at, bundle *to, err *e);

static bool read_object(json_reader *r, const scope *in, const char *at, entry *to, err *e)
{
    if (*at != '{')
        return json_value_refuse(r, at, "an object, '{'", e);
    return new_bundle(r, at, to, e) && read_members(r, in, at, to->bundle, e);
}

static bool read_record(json_reader *r, const scope *in, size_t number, const char *at, bundle *to,
                        err *e)
{
    char name[24];
    snprintf(name, sizeof name, "%zu", number);
    entry *added = add_entry(r, to, name, at, e);
    return added != NULL && read_object(r, in, at, added, e);
}

static bool read_records(json_reader *r, const scope *in, const char *at, entry *to, err *e)
{
    if (*at != '[')
        return json_value_refuse(r, at, "a list of objects", e);
    if (!new_bundle(r, at, to, e))
        return false;
    to->is_list = true;
    const char *item = json_first(&r->text, at);
    for (size_t number = 1; item != NULL; number++) {
        if (!read_record(r, in, number, item, to->bundle, e))
            return false;
        item = json_next(&r->text, json_value_end(&r->text, item));
    }
    return true;
}

static bool read_by_look(json_reader *r, const char *at, entry *to, err *e);

static bool read_by_keys(json_reader *r, value_kind as, const char *at, entry *to, err *e)
{
    scope in = scope_of_keys(as.members);
    return as.kind == KEY_OBJECTS ? read_records(r, &in, at, to, e)
                                  : read_object(r, &in, at, to, e);
}

static bool read_value(json_reader *r, value_kind as, const char *at, entry *to, err *e)
{
    switch (as.kind) {
    case KEY_SETTING:
        return json_value_read_setting(r, at, to, e);
    case KEY_NUMBERS:
        return json_value_read_numbers(r, at, to, e);
    case KEY_SETTINGS:
        return *at == '{' ? read_object(r, &SETTINGS, at, to, e)
                          : json_value_read_setting(r, at, to, e);
    case KEY_TEXT:
        return json_value_read_text(r, at, to, e);
    case KEY_LIST:
        return json_value_read_list(r, at, to, e);
    case KEY_VOCAB:
        return read_object(r, &VOCAB, at, to, e);
    case KEY_STAGES:
        return read_object(r, &STAGES, at, to, e);
    case KEY_TOL:
        return *at == '{' ? read_object(r, &TOLERANCES, at, to, e)
                          : json_value_read_number(r, at, to, e);
    case KEY_RECORDS:
        return read_records(r, &RECORD, at, to, e);
    case KEY_OBJECT:
    case KEY_OBJECTS:
        return read_by_keys(r, as, at, to, e);
    case KIND_NUMBER:
        return json_value_read_number(r, at, to, e);
    case KIND_BY_LOOK:
        return read_by_look(r, at, to, e);
    default:
        return json_value_read_matrix(r, (key_kind)as.kind, at, to, e);
    }
}

static const scope *scope_of_anything(const json_reader *r)
{
    return r->how->keeps_all ? &EVERYTHING : &ANYTHING;
}

/* After a failure: a value that is no matrix, and so has no bad number, may stay what it is. */
static bool keep(json_reader *r, const char *at, entry *to, err *e)
{
    bool may_be_kept =
        r->how->keeps_json && !e->is_memory && !r->text.has_changed && (*at == '[' || *at == '"');
    if (!may_be_kept || json_array_is_numbers(&r->text, at, read_most_rank(r->how, KEY_MATRIX)))
        return false;
    err_clear(e);
    return json_keep(&r->text, at, to, e);
}

static bool read_as_it_looks(json_reader *r, const char *at, entry *to, err *e)
{
    int kind = *at == '[' ? json_value_kind_of_list(r, at) : KEY_SETTING;
    if (*at == '{')
        return read_object(r, scope_of_anything(r), at, to, e);
    if (kind == KEY_RECORDS)
        return read_records(r, scope_of_anything(r), at, to, e);
    if (*at == 'n')
        kind = KEY_EXPECTED;
    else if (json_value_is_truth(at))
        kind = (int)json_value_kind(at, r->how->kind);
    else if (*at != '[' && *at != '"' && r->how->keeps_all)
        kind = (int)r->how->kind; /* a number as the numbers in lists are */
    return read_value(r, (value_kind){kind, NULL}, at, to, e);
}

static bool read_by_look(json_reader *r, const char *at, entry *to, err *e)
{
    json_room before = r->room;
    if (read_as_it_looks(r, at, to, e))
        return true;
    r->room = before; /* what was read of it goes */
    return keep(r, at, to, e);
}

static const char *remedy_elsewhere(const elsewhere *rows, const char *name)
{
    for (; rows != NULL && rows->table != NULL; rows++) {
        if (named_find(rows->table, name, strlen(name)) != NULL)
            return rows->remedy;
    }
    return "keys that begin with _ are skipped";
}

static bool refuse_key(json_reader *r, const key_tables *keys, const char *key_at, const char *name,
                       err *e)
{
    const key_tables *others = r->how->other_keys;
    place at = json_place(&r->text, key_at);
    const named *near = key_nearest(keys, name, strlen(name));
    err_at(e, &at, "unknown key \"%s\"", name);
    if (others != NULL && key_find(others, name, strlen(name)) != NULL)
        return err_remedy(e, "elsewhere in the document it is a key");
    return near == NULL ? err_remedy(e, "%s", remedy_elsewhere(r->how->elsewhere, name))
                        : err_remedy(e, "did you mean \"%s\"?", near->name);
}

static bool find_kind(json_reader *r, const key_tables *keys, const char *key_at, const char *name,
                      value_kind *as, err *e)
{
    const key *row = key_find(keys, name, strlen(name));
    if (row != NULL) {
        bool has_members = row->kind == KEY_OBJECT || row->kind == KEY_OBJECTS;
        *as = (value_kind){(int)row->kind,
                           has_members ? ((const object_key *)(const void *)row)->members : NULL};
        return true;
    }
    if (r->how->skips_unknown) {
        as->kind = KIND_SKIPPED;
        return read_skip(r->how, name, strlen(name), e);
    }
    return refuse_key(r, keys, key_at, name, e);
}

static bool read_named(json_reader *r, value_kind as, const char *name, const char *at, bundle *to,
                       err *e)
{
    if (as.kind == KIND_SKIPPED)
        return true;
    entry *added = add_entry(r, to, name, at, e);
    if (as.kind == KEY_TEXT && to == r->whole && r->how->again != NULL)
        json_again_note(r->how->again, name, at, json_value_end(&r->text, at));
    return added != NULL && read_value(r, as, at, added, e);
}

static bool fail_null(json_reader *r, const char *name, const char *at, err *e)
{
    place where = json_place(&r->text, at);
    return err_at(e, &where, "\"%s\" is null; leave the key out, or give it a value", name);
}

static bool read_member(json_reader *r, const scope *in, const char *key_at, const char *at,
                        bundle *to, err *e)
{
    const char *inside = key_at + 1;
    value_kind as = {in->kind, NULL};
    if (in->skips_remarks && json_next_character(&inside, r->text.end) == '_')
        return true;
    if (in->skips_null && *at == 'n')
        return true;
    char *name = json_string_read(&r->text, key_at, JSON_MAX_LABEL, e);
    bool done = name != NULL &&
                (as.kind != KIND_BY_KEY || find_kind(r, in->keys, key_at, name, &as, e)) &&
                (*at == 'n' && as.kind != KIND_SKIPPED && as.kind != KIND_BY_LOOK
                     ? fail_null(r, name, at, e)
                     : read_named(r, as, name, at, to, e));
    mem_free(name);
    return done;
}

static bool read_all_members(json_reader *r, const scope *in, const char *at, bundle *to, err *e)
{
    const char *key_at = json_first(&r->text, at);
    while (key_at != NULL) {
        const char *value = json_member(&r->text, key_at);
        if (!read_member(r, in, key_at, value, to, e))
            return false;
        key_at = json_next(&r->text, json_value_end(&r->text, value));
    }
    return true;
}

/* The scan lets no more objects be in each other, nor do these come together otherwise. */
static bool read_members(json_reader *r, const scope *in, const char *at, bundle *to, err *e)
{
    if (r->depth == JSON_MAX_DEPTH)
        return json_fail_changed(&r->text, e);
    r->depth++;
    bool done = read_all_members(r, in, at, to, e);
    r->depth--;
    return done;
}

/* The matrices' type has to be known before the first of them is read, and "dtype" may come last.
 * What else it may say is for others to refuse. */
static void find_type(json_reader *r, const char *object)
{
    for (const char *at = json_first(&r->text, object); at != NULL;) {
        const char *value = json_member(&r->text, at);
        if (json_string_is(&r->text, at, "dtype") && json_string_is(&r->text, value, "f32"))
            r->type = DTYPE_F32;
        if (json_string_is(&r->text, at, "dtype") && json_string_is(&r->text, value, "f64"))
            r->type = DTYPE_F64;
        at = json_next(&r->text, json_value_end(&r->text, value));
    }
}

static const char *find_header(json_reader *r, const char *object)
{
    for (const char *at = json_first(&r->text, object); at != NULL;) {
        const char *value = json_member(&r->text, at);
        if (json_string_is(&r->text, at, "_header") && *value == '[' &&
            json_value_is_texts(r, value))
            return value;
        at = json_next(&r->text, json_value_end(&r->text, value));
    }
    return NULL;
}

/* What made the result: a remark for all others. */
static bool read_header(json_reader *r, const char *object, err *e)
{
    const char *list = r->how->header == NULL ? NULL : find_header(r, object);
    const char *item = list == NULL ? NULL : json_first(&r->text, list);
    bool done = true;
    while (done && item != NULL) {
        char *line = json_string_read(&r->text, item, 0, e);
        done = line != NULL && read_header_line(r->how, line, strlen(line), e);
        mem_free(line);
        item = json_next(&r->text, json_value_end(&r->text, item));
    }
    return done;
}

static bool read_bare_list(json_reader *r, const char *at, bundle *to, err *e)
{
    entry *only = add_entry(r, to, "", at, e);
    value_kind as = {(int)r->how->kind, NULL};
    return only != NULL && (read_value(r, as, at, only, e) || keep(r, at, only, e));
}

/* What is wanted alone and is no member of the document may be deeper in it. */
static bool read_deeper(json_reader *r, const char *at, bundle *to, err *e)
{
    const char *value =
        r->how->only == NULL || to->count > 0 ? NULL : json_way_find(&r->text, at, r->how->only);
    return value == NULL ||
           read_named(r, (value_kind){(int)r->how->kind, NULL}, r->how->only, value, to, e);
}

static bool read_whole(json_reader *r, const char *at, bundle *to, err *e)
{
    if (*at == '[')
        return read_bare_list(r, at, to, e);
    if (*at != '{')
        return json_value_refuse(r, at, "a document, '{', or a matrix, '['", e);
    if (!r->how->type_is_fixed)
        find_type(r, at);
    key_tables only = {{r->how->keys}};
    scope document = scope_of_keys(r->how->document_keys == NULL ? &only : r->how->document_keys);
    return read_header(r, at, e) &&
           read_members(r, r->how->keys == NULL ? scope_of_anything(r) : &document, at, to, e) &&
           read_deeper(r, at, to, e);
}

bool json_probe(const char *bytes, size_t length)
{
    json_text t = json_text_of(bytes, length, "", 0);
    const char *first = json_skip_space(&t, t.bytes);
    return first < t.end && (*first == '{' || *first == '[');
}

bool json_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e)
{
    json_reader r = {.how = how, .type = how->type, .whole = out};
    json_lists lists = {.type = how->type, .threads = how->threads};
    r.text = json_text_of(bytes, length, how->file, how->first_line);
    r.text.lists = &lists;
    const char *at = json_scan(&r.text, e) ? json_whole(&r.text) : NULL;
    bool done = at != NULL && read_whole(&r, at, out, e);
    done = json_check_unchanged(&r.text, e) && done;
    if (done && how->again != NULL)
        json_again_set(how->again, r.text.bytes, r.text.end, &lists, out);
    json_lists_free(&lists);
    if (!done)
        bundle_free(out);
    return done;
}
