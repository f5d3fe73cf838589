/* JSON (RFC 8259), as the table of formats knows it. Reading goes in two steps: a strict scan of
 * the whole text (json_scan.h), then values by the kinds that their keys have. */
#include "io/json_read.h"

#include "base/mem.h"
#include "io/format.h"
#include "io/json_matrix.h"
#include "io/json_scan.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- texts like the one before ---- */

/* Adds a place, in the order of the text; false where there are too many. */
static bool add_place(json_again_place *all, size_t *count, const json_again_place *one)
{
    size_t at = *count;
    if (*count == JSON_AGAIN_MOST)
        return false;
    for (; at > 0 && all[at - 1].at > one->at; at--)
        all[at] = all[at - 1];
    all[at] = *one;
    *count += 1;
    return true;
}

/* Remembers a text that was read, the lists in it whose numbers entries of the bundle took, and the
 * strings that were noted. If memory runs out, nothing is remembered. */
static void json_again_set(json_again *a, const char *bytes, const char *end,
                           const json_lists *lists, const bundle *read)
{
    /* What may differ in the next text: lists that an entry took, and strings that were noted. */
    json_again_place all[JSON_AGAIN_MOST];
    size_t count = 0;
    bool done = true;
    for (size_t i = 0; done && i < lists->count; i++) {
        const json_list *list = &lists->list[i];
        const entry *taker = read->entry, *last = taker + read->count;
        while (taker < last && (taker->kind != ENTRY_TENSOR || taker->tensor.data != list->data))
            taker++;
        if (list->values.data != NULL || taker == last)
            continue; /* counts as text between the others */
        json_again_place one = {list->at, list->end, {.numbers = tensor_view_of(&taker->tensor)}};
        int length = snprintf(one.value.name, JSON_AGAIN_NAME, "%s", taker->name);
        done = length < JSON_AGAIN_NAME && add_place(all, &count, &one);
    }
    for (size_t i = 0; done && i < a->texts; i++)
        done = add_place(all, &count, &a->text[i]);
    json_again_forget(a);
    for (size_t i = 0; done && i < count; i++) {
        done = all[i].at >= bytes; /* else the text has changed */
        text_add(&a->between, bytes, done ? (size_t)(all[i].at - bytes) : 0);
        a->value[a->values] = all[i].value;
        a->value[a->values++].end = a->between.length;
        bytes = all[i].end;
    }
    text_add(&a->between, bytes, (size_t)(end - bytes));
    a->is_set = done && !a->between.failed;
}

/* Passes the bytes of the old text from `from` to `to`, which lie between matrices; false where
 * they differ. */
static bool pass(const json_again *a, size_t from, size_t to, const char **at, const char *end)
{
    size_t length = to - from;
    if ((size_t)(end - *at) < length || memcmp(*at, text_string(&a->between) + from, length) != 0)
        return false;
    *at += length;
    return true;
}

static bool again_read_matrix(json_again *a, const tensor *to, const char **at, const char *end)
{
    tensor values = {0};
    const char *after;
    err ignored; /* the usual reader, which goes next, reports it */
    err_clear(&ignored);
    if (!json_list_read(&a->lists, *at, end, to->type, &values, &after, &ignored) || after == NULL)
        return false;
    bool is_alike = tensor_same_shape(&values, to);
    if (is_alike)
        memcpy(to->data, values.data, tensor_count(to) * dtype_size(to->type));
    tensor_free(&values);
    *at = after;
    return is_alike;
}

static bool again_read_text(entry *to, const char **at, const char *end)
{
    const char *first = *at + 1, *after = first;
    if (*at == end || **at != '"')
        return false;
    while (after < end && json_is_plain(*after))
        after++;
    *at = after + 1;
    if (after == end || *after != '"' || to == NULL)
        return false;
    assert(to->kind == ENTRY_TEXT && !to->borrows);
    err ignored;
    err_clear(&ignored);
    char *copy = mem_copy_text(first, (size_t)(after - first), &ignored);
    if (copy != NULL) {
        mem_free(to->text);
        to->text = copy;
    }
    return copy != NULL;
}

bool json_again_read(json_again *a, const char *bytes, size_t length, bundle *to)
{
    const char *at = bytes, *end = bytes + length;
    size_t passed = 0;
    bool is_alike = a->is_set;
    for (size_t i = 0; is_alike && i < a->values; i++) {
        const json_again_value *next = &a->value[i];
        is_alike = pass(a, passed, next->end, &at, end) &&
                   (next->is_text ? again_read_text(bundle_find(to, next->name), &at, end)
                                  : again_read_matrix(a, &next->numbers, &at, end));
        passed = next->end;
    }
    is_alike = is_alike && pass(a, passed, a->between.length, &at, end) && at == end;
    if (!is_alike)
        json_again_forget(a);
    return is_alike;
}

void json_again_forget(json_again *a)
{
    if (a->between.failed)
        text_free(&a->between);
    text_clear(&a->between);
    a->values = a->texts = 0;
    a->is_set = false;
}

void json_again_free(json_again *a)
{
    text_free(&a->between);
    json_lists_free(&a->lists);
    *a = (json_again){0};
}

/* ---- reading ---- */

typedef struct json_reader {
    json_text text;
    const read_options *how;
    dtype type;   /* of matrices: the document's own, or the caller's */
    size_t depth; /* of the objects that are open */
} json_reader;

/* ---- values in which there are no names ---- */

static bool is_truth(const char *at)
{
    return *at == 't' || *at == 'f';
}

/* The first value that is not a list, or NULL where a list is empty. */
static const char *first_element(json_reader *r, const char *at)
{
    while (at != NULL && *at == '[')
        at = json_first(&r->text, at);
    return at;
}

static key_kind kind_of(const char *element, key_kind kind)
{
    return element != NULL && is_truth(element) && kind != KEY_MASK ? KEY_TRUTHS : kind;
}

static bool read_matrix(json_reader *r, key_kind kind, const char *at, entry *to, err *e)
{
    if (r->how->takes_truths)
        kind = kind_of(first_element(r, at), kind);
    bool is_wide = kind == KEY_EXPECTED && !r->how->types_expected;
    json_matrix_rules rules = {.kind = kind,
                               .type = is_wide ? DTYPE_F64 : r->type,
                               .allow_nonfinite = r->how->allow_nonfinite,
                               .most_rank = read_most_rank(r->how, kind)};
    double nonfinite;
    bool is_number = *at == '"' && json_nonfinite_read(&r->text, at, &nonfinite);
    if (*at != '{' && (*at != '"' || is_number)) {
        to->kind = ENTRY_TENSOR;
        return json_matrix_read(&r->text, at, &rules, &to->tensor, e);
    }
    char found[JSON_FOUND];
    place where = json_place(&r->text, at);
    bool has_name = to->name[0] != '\0';
    err_at(e, &where, "expected a matrix%s%s%s, '[', found %s", has_name ? " for \"" : "",
           has_name ? to->name : "", has_name ? "\"" : "", json_found(&r->text, at, found));
    /* "x.csv": a text with an ending, in a document's place for a matrix. */
    bool is_document = r->how->document_keys != NULL || r->how->keys != NULL;
    if (kind != KEY_EXPECTED && is_document && *at == '"' &&
        memchr(at, '.', (size_t)(json_value_end(&r->text, at) - at)) != NULL)
        return err_remedy(
            e, "a document holds its matrices; options name files, such as --input and --bundle");
    return false;
}

static bool read_number(json_reader *r, const char *at, entry *to, err *e)
{
    to->kind = ENTRY_TENSOR;
    return tensor_new(&to->tensor, DTYPE_F64, 0, NULL, e) &&
           json_number_read(&r->text, at, to->tensor.data, e);
}

static bool read_text(json_reader *r, const char *at, entry *to, err *e)
{
    if (*at != '"')
        return json_expected(&r->text, at, "a text in double quotes", e);
    to->kind = ENTRY_TEXT;
    to->text = json_string_read(&r->text, at, 0, e);
    return to->text != NULL;
}

/* What is in double quotes and no number is a word. */
static bool read_filled(json_reader *r, const char *at, entry *to, err *e)
{
    double nonfinite;
    return *at == '"' && !json_nonfinite_read(&r->text, at, &nonfinite)
               ? read_text(r, at, to, e)
               : read_matrix(r, KEY_MATRIX, at, to, e);
}

static bool read_setting(json_reader *r, const char *at, entry *to, err *e)
{
    if (*at == '"')
        return read_text(r, at, to, e);
    if (*at == '[' || *at == '{')
        return json_expected(&r->text, at, "a number, true, false or a word", e);
    if (!is_truth(at))
        return read_number(r, at, to, e);
    to->kind = ENTRY_TEXT;
    to->text = mem_copy_text(at, (size_t)(json_value_end(&r->text, at) - at), e);
    return to->text != NULL;
}

static bool read_numbers(json_reader *r, const char *at, entry *to, err *e)
{
    static const json_matrix_rules NUMBERS = {.kind = KEY_MATRIX,
                                              .type = DTYPE_F64,
                                              .is_setting = true,
                                              .most_rank = TENSOR_MAX_INPUT_RANK};
    if (*at != '[')
        return read_setting(r, at, to, e);
    to->kind = ENTRY_TENSOR;
    return json_first(&r->text, at) == NULL
               ? tensor_new(&to->tensor, DTYPE_F64, 1, &(size_t){0}, e)
               : json_matrix_read(&r->text, at, &NUMBERS, &to->tensor, e);
}

static bool read_list(json_reader *r, const char *at, entry *to, err *e)
{
    if (*at != '[')
        return json_expected(&r->text, at, "a list of texts", e);
    to->kind = ENTRY_LIST;
    const char *item = json_first(&r->text, at);
    while (item != NULL) {
        if (*item != '"')
            return json_expected(&r->text, item, "a text in double quotes", e);
        char *label = json_string_read(&r->text, item, JSON_MAX_LABEL, e);
        bool added = label != NULL && text_list_add(&to->list, label, strlen(label), e);
        mem_free(label);
        if (!added)
            return false;
        item = json_next(&r->text, item);
    }
    return true;
}

static bool is_texts(json_reader *r, const char *list)
{
    const char *item = json_first(&r->text, list);
    while (item != NULL && *item == '"')
        item = json_next(&r->text, item);
    return item == NULL;
}

static int kind_of_list(json_reader *r, const char *list)
{
    const char *element = json_first(&r->text, list);
    if (element == NULL && r->how->keeps_all)
        return KEY_LIST;
    if (element != NULL && *element == '{')
        return KEY_RECORDS;
    /* A list of nothing but texts. In a result, texts such as "NaN" stand for numbers. */
    if (element != NULL && *element == '"' && is_texts(r, list) &&
        !(r->how->is_result && json_is_numbers(&r->text, list, 1)))
        return KEY_LIST;
    return (int)kind_of(first_element(r, element), r->how->kind);
}

/* ---- objects, and what each of their values is to be ---- */

/* Roughly the bytes that are allocated for each. */
enum {
    ENTRY_ROOM = sizeof(entry) + 64,  /* with its name and a number */
    OBJECT_ROOM = sizeof(bundle) - 16 /* more than a number */
};

/* Further kinds, after those of key.h, which no row of a key table has. */
enum {
    KIND_NUMBER = KEY_OBJECTS + 1,
    KIND_BY_KEY,  /* the key table says it */
    KIND_BY_LOOK, /* the value's look says it, and its members' looks */
    KIND_SKIPPED
};

/* What a value is to be read as: a kind, and for an object the keys of its members. */
typedef struct value_kind {
    int kind;
    const key_tables *members;
} value_kind;

/* How the members of an object are read. Keys that begin with _ are remarks for people, but a
 * vocabulary may have such words. null is skipped where no key asks for a value. */
typedef struct scope {
    int kind;
    bool skips_remarks, skips_null;
    const key_tables *keys; /* KIND_BY_KEY's */
} scope;

static entry *add_entry(json_reader *r, bundle *to, const char *name, const char *at, err *e)
{
    return json_take_room(&r->text, at, ENTRY_ROOM, e)
               ? bundle_add(to, name, strlen(name), json_place(&r->text, at), e)
               : NULL;
}

static bool new_bundle(json_reader *r, const char *at, entry *to, err *e)
{
    to->kind = ENTRY_BUNDLE;
    if (json_take_room(&r->text, at, OBJECT_ROOM, e))
        to->bundle = mem_alloc_zeroed(1, sizeof(bundle), e);
    return to->bundle != NULL;
}

static bool read_members(json_reader *r, const scope *in, const char *at, bundle *to, err *e);

static bool read_object(json_reader *r, const scope *in, const char *at, entry *to, err *e)
{
    if (*at != '{')
        return json_expected(&r->text, at, "an object, '{'", e);
    return new_bundle(r, at, to, e) && read_members(r, in, at, to->bundle, e);
}

static bool read_records(json_reader *r, const scope *in, const char *at, entry *to, err *e)
{
    if (*at != '[')
        return json_expected(&r->text, at, "a list of objects", e);
    if (!new_bundle(r, at, to, e))
        return false;
    to->is_list = true;
    const char *item = json_first(&r->text, at);
    for (size_t number = 1; item != NULL; number++) {
        char name[24];
        snprintf(name, sizeof name, "%zu", number);
        entry *added = add_entry(r, to->bundle, name, item, e);
        if (added == NULL || !read_object(r, in, item, added, e))
            return false;
        item = json_next(&r->text, item);
    }
    return true;
}

static bool read_by_look(json_reader *r, const char *at, entry *to, err *e);

/* How a kind is read: as an object, as a list of objects, or by `read`. Without an entry it is a
 * matrix. */
typedef struct value_form {
    bool (*read)(json_reader *r, const char *at, entry *to, err *e);
    bool is_object, is_list;
    scope members;
} value_form;

static const value_form FORMS[KIND_SKIPPED] = {
    [KEY_FILLED] = {.read = read_filled},
    [KEY_SETTING] = {.read = read_setting},
    [KEY_NUMBERS] = {.read = read_numbers},
    [KEY_SETTINGS] = {read_setting, .is_object = true, .members = {KEY_NUMBERS, true, false, NULL}},
    [KEY_TEXT] = {.read = read_text},
    [KEY_LIST] = {.read = read_list},
    [KEY_STEPS] = {.read = read_list},
    [KEY_VOCAB] = {.is_object = true, .members = {KEY_MATRIX, false, false, NULL}},
    [KEY_STAGES] = {.is_object = true, .members = {KEY_EXPECTED, true, true, NULL}},
    [KEY_TOL] = {read_number, .is_object = true, .members = {KIND_NUMBER, true, false, NULL}},
    [KEY_RECORDS] = {.is_list = true, .members = {KEY_SETTING, true, false, NULL}},
    [KEY_OBJECT] = {.is_object = true, .members = {KIND_BY_KEY, true, false, NULL}},
    [KEY_OBJECTS] = {.is_list = true, .members = {KIND_BY_KEY, true, false, NULL}},
    [KIND_NUMBER] = {.read = read_number},
    [KIND_BY_LOOK] = {.read = read_by_look},
};

static bool read_value(json_reader *r, value_kind as, const char *at, entry *to, err *e)
{
    const value_form *form = &FORMS[as.kind];
    scope members = form->members;
    members.keys = as.members;
    if (form->read != NULL && (*at != '{' || !form->is_object))
        return form->read(r, at, to, e);
    return form->is_object ? read_object(r, &members, at, to, e)
           : form->is_list ? read_records(r, &members, at, to, e)
                           : read_matrix(r, (key_kind)as.kind, at, to, e);
}

/* After a failure: a value that is not a matrix, and so can't have a bad number, may be kept as
 * JSON text, so that it can be written again. What the entry held is freed. */
static bool keep(json_reader *r, const char *at, entry *to, err *e)
{
    bool may_be_kept =
        r->how->keeps_json && !e->is_memory && !r->text.has_changed && (*at == '[' || *at == '"');
    if (!may_be_kept || json_is_numbers(&r->text, at, read_most_rank(r->how, KEY_MATRIX)))
        return false;
    err_clear(e);
    /* It stands on one line, with one space after commas and colons and none elsewhere, and each
     * number and text as it was. */
    text kept = {0};
    for (const char *end = json_value_end(&r->text, at), *next; at < end; at = next) {
        next = *at == '"' ? json_value_end(&r->text, at) : at + 1;
        if (strchr(" \t\r\n", *at) == NULL)
            text_add(&kept, at, (size_t)(next - at));
        if (*at == ',' || *at == ':')
            text_add_string(&kept, " ");
    }
    if (!text_ok(&kept, e)) {
        text_free(&kept);
        return false;
    }
    entry empty = {.name = to->name, .at = to->at, .kind = ENTRY_JSON, .text = kept.data};
    to->name = NULL;
    entry_free(to);
    *to = empty;
    return true;
}

static bool read_by_look(json_reader *r, const char *at, entry *to, err *e)
{
    const scope anything = {KIND_BY_LOOK, false, !r->how->keeps_all, NULL};
    size_t before = r->text.names;
    int kind = *at == '[' ? kind_of_list(r, at) : KEY_SETTING;
    if (*at == 'n')
        kind = KEY_EXPECTED;
    else if (is_truth(at))
        kind = (int)kind_of(at, r->how->kind);
    else if (*at != '[' && *at != '"' && r->how->keeps_all)
        kind = (int)r->how->kind; /* a number as the numbers in lists are */
    if (*at == '{'            ? read_object(r, &anything, at, to, e)
        : kind == KEY_RECORDS ? read_records(r, &anything, at, to, e)
                              : read_value(r, (value_kind){kind, NULL}, at, to, e))
        return true;
    r->text.names = before; /* what was read of it is freed */
    return keep(r, at, to, e);
}

static bool find_kind(json_reader *r, const key_tables *keys, const char *key_at, const char *name,
                      value_kind *as, err *e)
{
    size_t length = strlen(name);
    const key *row = key_find(keys, name, length);
    if (row != NULL) {
        bool has_members = row->kind == KEY_OBJECT || row->kind == KEY_OBJECTS;
        *as = (value_kind){(int)row->kind,
                           has_members ? ((const object_key *)(const void *)row)->members : NULL};
        return true;
    }
    if (r->how->skips_unknown) {
        as->kind = KIND_SKIPPED;
        return read_skip(r->how, name, length, e);
    }
    const key_tables *others = r->how->other_keys;
    place at = json_place(&r->text, key_at);
    const named *near = key_nearest(keys, name, length);
    err_at(e, &at, "unknown key \"%s\"", name);
    if (others != NULL && key_find(others, name, length) != NULL)
        return err_remedy(e, "elsewhere in the document it is a key");
    if (near != NULL)
        return err_remedy(e, "did you mean \"%s\"?", near->name);
    for (const elsewhere *one = r->how->elsewhere; one != NULL && one->table != NULL; one++) {
        if (named_find(one->table, name, length) != NULL)
            return err_remedy(e, "%s", one->remedy);
    }
    return err_remedy(e, "keys that begin with _ are skipped");
}

static bool read_named(json_reader *r, value_kind as, const char *name, const char *at, bundle *to,
                       err *e)
{
    if (as.kind == KIND_SKIPPED)
        return true;
    entry *added = add_entry(r, to, name, at, e);
    json_again *again = as.kind == KEY_TEXT ? r->how->again : NULL;
    if (again != NULL) { /* the document's own keys of texts: few, with short names */
        json_again_place *noted = &again->text[again->texts++];
        assert(again->texts <= JSON_AGAIN_TEXTS && strlen(name) < JSON_AGAIN_NAME);
        *noted = (json_again_place){at, json_value_end(&r->text, at), {.is_text = true}};
        strcpy(noted->value.name, name);
    }
    return added != NULL && read_value(r, as, at, added, e);
}

/* Recursion is bounded: the scan has limited how deep objects are nested. */
static bool read_members(json_reader *r, const scope *in, const char *at, bundle *to, err *e)
{
    if (r->depth == JSON_MAX_DEPTH)
        return json_fail_changed(&r->text, e);
    bool done = true;
    r->depth++;
    for (const char *key_at = json_first(&r->text, at); done && key_at != NULL;) {
        const char *value = json_member(&r->text, key_at);
        value_kind as = {in->kind, NULL};
        bool is_null = *value == 'n';
        /* A result may stand under "expected" as it was written, with its name. */
        bool is_name =
            in->kind == KEY_EXPECTED && *value == '"' && json_string_is(&r->text, key_at, "name");
        bool is_skipped = (in->skips_remarks && json_string_begins(&r->text, key_at, "_")) ||
                          (in->skips_null && is_null) || is_name;
        char *name = is_skipped ? NULL : json_string_read(&r->text, key_at, JSON_MAX_LABEL, e);
        if (name != NULL) {
            done = as.kind != KIND_BY_KEY || find_kind(r, in->keys, key_at, name, &as, e);
            if (done && is_null && as.kind != KIND_SKIPPED && as.kind != KIND_BY_LOOK) {
                place where = json_place(&r->text, value);
                done = err_at(e, &where, "\"%s\" is null; leave the key out, or give it a value",
                              name);
            }
            done = done && read_named(r, as, name, value, to, e);
        }
        done = done && (is_skipped || name != NULL);
        mem_free(name);
        key_at = done ? json_next(&r->text, value) : NULL;
    }
    r->depth--;
    return done;
}

static bool read_whole(json_reader *r, const char *at, bundle *to, err *e)
{
    if (*at == '[') {
        entry *only = add_entry(r, to, "", at, e);
        value_kind as = {(int)r->how->kind, NULL};
        return only != NULL && (read_value(r, as, at, only, e) || keep(r, at, only, e));
    }
    if (*at != '{')
        return json_expected(&r->text, at, "a document, '{', or a matrix, '['", e);
    if (!r->how->type_is_fixed) {
        /* The matrices' type has to be known before the first of them is read, and "dtype" may come
         * last. Other words are refused later. */
        const char *type = json_way_find(&r->text, at, "dtype");
        if (type != NULL && json_string_is(&r->text, type, "f32"))
            r->type = DTYPE_F32;
        if (type != NULL && json_string_is(&r->text, type, "f64"))
            r->type = DTYPE_F64;
    }
    key_tables only = {{r->how->keys}};
    const key_tables *keys = r->how->document_keys == NULL ? &only : r->how->document_keys;
    scope document = {KIND_BY_KEY, true, false, keys};
    if (r->how->keys == NULL)
        document = (scope){KIND_BY_LOOK, false, !r->how->keeps_all, NULL};
    /* What made the result: a remark for all others. */
    const char *made_by = r->how->header == NULL ? NULL : json_way_find(&r->text, at, "_header");
    if (made_by != NULL && *made_by == '[' && is_texts(r, made_by)) {
        const char *item = json_first(&r->text, made_by);
        for (; item != NULL; item = json_next(&r->text, item)) {
            char *line = json_string_read(&r->text, item, 0, e);
            bool done = line != NULL && read_header_line(r->how, line, strlen(line), e);
            mem_free(line);
            if (!done)
                return false;
        }
    }
    if (!read_members(r, &document, at, to, e))
        return false;
    /* A matrix that is wanted alone may be deeper in the document, if it is not a member. */
    const char *value =
        r->how->only == NULL || to->count > 0 ? NULL : json_way_find(&r->text, at, r->how->only);
    return value == NULL ||
           read_named(r, (value_kind){(int)r->how->kind, NULL}, r->how->only, value, to, e);
}

bool json_probe(const char *bytes, size_t length)
{
    json_text t = json_text_of(bytes, length, "", 0);
    const char *first = json_space_end(t.bytes, t.end);
    return first < t.end && (*first == '{' || *first == '[');
}

bool json_may_be(const char *bytes, size_t length)
{
    json_text t = json_text_of(bytes, length, "", 0);
    err ignored = {0};
    return json_probe(bytes, length) || json_scan(&t, NULL, &ignored);
}

bool json_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e)
{
    json_reader r = {.how = how, .type = how->type};
    json_lists lists = {.type = how->type, .threads = how->threads};
    const json_visitor reader = {.to = &lists, .open = json_lists_open};
    r.text = json_text_of(bytes, length, how->file, how->first_line);
    r.text.lists = &lists;
    lists.end = r.text.end;
    const char *at = json_scan(&r.text, &reader, e) ? json_whole(&r.text) : NULL;
    bool done = at != NULL && read_whole(&r, at, out, e);
    done = json_check_unchanged(&r.text, e) && done;
    if (done && how->again != NULL)
        json_again_set(how->again, r.text.bytes, r.text.end, &lists, out);
    json_lists_free(&lists);
    return read_end(out, done);
}
