#include "cli/info/facts.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "cli/out/said.h"
#include "io/json_scan.h"
#include "io/number_read.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A new fact inside another; NULL with the error set. It moves when the next is added. */
static fact *fact_add(fact *to, const char *name, size_t length, err *e)
{
    fact *larger = mem_grow(to->inside, to->insides, &to->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return NULL;
    to->inside = larger;
    fact *added = &to->inside[to->insides++];
    *added = (fact){.lines = 1};
    text_add(&added->name, name, length);
    return text_ok(&added->name, e) ? added : NULL;
}

void fact_free(fact *f)
{
    for (size_t i = 0; i < f->insides; i++)
        fact_free(&f->inside[i]);
    mem_free(f->inside);
    text_free(&f->name);
    text_free(&f->shown);
    *f = (fact){0};
}

/* ---- what is shown ---- */

enum { SHOWN_MOST = 60 }; /* bytes: a line of the table has no more room */

static bool fact_has_room(const fact *to)
{
    static const char END[] = ", …";
    size_t length = to->shown.length, end = sizeof END - 1;
    return length < end || strcmp(to->shown.data + length - end, END) != 0;
}

/* Adds one of a list's texts in quotes, or … where there is no room for more. */
static void fact_show_item(fact *to, const char *words, size_t length)
{
    if (!fact_has_room(to))
        return;
    text_add_string(&to->shown, to->shown.length == 0 ? "" : ", ");
    if (to->shown.length > SHOWN_MOST) {
        text_add_string(&to->shown, "…");
        return;
    }
    size_t shown = utf8_cut(words, length, SHOWN_MOST);
    text_add_string(&to->shown, "\"");
    text_add(&to->shown, words, shown);
    text_add_string(&to->shown, shown == length ? "\"" : "…\"");
}

/* ---- of a bundle ---- */

static void add_tensor(fact *out, const entry *one, const char *looks_at)
{
    const tensor *t = &one->tensor;
    out->kind = FACT_MATRIX;
    out->stored = one->stored;
    if (one->stored != NULL) {
        /* NPY's "<f4" counts bytes, safetensors' "BF16" bits; BOOL is a byte. */
        bool counts_bytes = strchr("<>|=", one->stored[0]) != NULL;
        size_t number = strtoul(one->stored + strcspn(one->stored, "0123456789"), NULL, 10);
        out->bytes = tensor_count(t) * (number == 0 ? 1 : counts_bytes ? number : number / 8);
    }
    out->type = dtype_is_narrower(t->type, DTYPE_F32) ? DTYPE_F32 : t->type;
    out->rank = t->rank;
    memcpy(out->size, t->size, sizeof out->size);
    out->is_unlooked =
        looks_at != NULL && one->stored != NULL && t->rank > 0 && strcmp(one->name, looks_at) != 0;
    if (!out->is_unlooked)
        statistics_add_tensor(&out->numbers, t);
    if (t->rank > 0)
        return;
    double value = tensor_get(t, NULL);
    out->kind = t->type == DTYPE_BOOL ? FACT_TRUTH : FACT_NUMBER;
    if (t->type == DTYPE_BOOL)
        text_add_string(&out->shown, value != 0 ? "true" : "false");
    else
        report_number_as(&out->shown, value, t->type == DTYPE_F32);
}

bool facts_of_bundle(fact *out, const bundle *of, const char *looks_at, err *e)
{
    out->kind = FACT_OBJECT;
    out->count = of->count;
    for (size_t i = 0; i < of->count; i++) {
        const entry *one = &of->entry[i];
        fact *added = fact_add(out, one->name, strlen(one->name), e);
        if (added == NULL)
            return false;
        assert(one->kind != ENTRY_BUNDLE && one->kind != ENTRY_JSON); /* those are JSON's */
        if (one->kind == ENTRY_TENSOR) {
            add_tensor(added, one, looks_at);
        } else if (one->kind == ENTRY_LIST) {
            added->kind = FACT_LIST;
            added->count = one->list.count;
            for (size_t j = 0; j < one->list.count; j++)
                fact_show_item(added, one->list.item[j], strlen(one->list.item[j]));
        } else {
            added->kind = one->kind == ENTRY_TEXT ? FACT_TEXT : FACT_UNREAD;
            text_add_string(&added->shown, one->text);
        }
        if (!text_ok(&added->shown, e))
            return false;
    }
    return true;
}

/* ---- of several documents ---- */

bool facts_join(fact *to, bundle *names, fact *after, err *e)
{
    for (size_t i = 0; i < after->insides; i++) {
        fact *from = &after->inside[i];
        const char *name = text_string(&from->name);
        const entry *found = bundle_find_bytes(names, name, from->name.length);
        if (found != NULL) {
            fact *known = &to->inside[found - names->entry];
            /* Drops a shape, text or number that differs between documents. */
            bool is_same = known->kind == from->kind && known->rank == from->rank &&
                           memcmp(known->size, from->size, sizeof known->size) == 0 &&
                           known->count == from->count &&
                           strcmp(text_string(&known->shown), text_string(&from->shown)) == 0;
            known->varies = known->varies || !is_same;
            if (known->kind == from->kind)
                statistics_join(&known->numbers, &from->numbers);
            else
                known->numbers = (statistics){0};
            known->lines += from->lines;
            continue;
        }
        fact *added = fact_add(to, "", 0, e);
        if (added == NULL || bundle_add(names, name, from->name.length, (place){0}, e) == NULL)
            return false;
        /* The fact may have moved; it is kept without its members. */
        text_free(&added->name);
        *added = *from;
        added->inside = NULL;
        added->insides = added->capacity = 0;
        from->name = from->shown = (text){0};
    }
    to->count = to->insides;
    return true;
}

/* ---- of any JSON text, taken while it is scanned: neither a tree nor a matrix is made ---- */

enum { FACT_ROOM = sizeof(fact) + 64 }; /* with its name and a value that is shown */

/* The list that is looked at, with all lists in it: their sizes by depth, as far as they are the
 * same for all of one depth. */
typedef struct list_look {
    fact *of;
    size_t outside; /* lists and objects that it is in */
    size_t size[JSON_MAX_DEPTH + 1];
    bool is_known[JSON_MAX_DEPTH + 1];
    size_t leaf_depth, nonfinite_texts;
    statistics truth; /* true as 1, false as 0 */
} list_look;

/* Where the scan is: in objects whose facts are open, or in a list. An object in a list is counted,
 * and its contents are passed over. */
typedef struct walk {
    json_text text;
    fact *open[JSON_MAX_DEPTH + 1]; /* the fact that the next value is, at each depth */
    list_look look;                 /* of: NULL outside of lists */
    size_t passed;                  /* depth of the object that is passed over, from 1; 0: none */
} walk;

/* The string at `at`, escapes resolved. */
static void add_string(text *to, const char *at, const char *end)
{
    bool ignored = false;
    char *room = text_room(to, (size_t)(end - at));
    if (room != NULL)
        text_added(to, json_string_resolve(at, end, room, &ignored));
}

/* A number too large for float64 counts as infinite. */
static double number_of(const char *at, const char *end)
{
    double value;
    return number_read_f64(at, end, &value) ? value : HUGE_VAL;
}

/* ---- lists ---- */

/* A value that is not a list, and the number of lists around it. */
static void look_at_leaf(list_look *look, const char *at, const char *end, size_t depth)
{
    fact *of = look->of;
    text words = {0};
    double value;
    if (look->leaf_depth == 0)
        look->leaf_depth = depth;
    of->is_ragged = of->is_ragged || depth != look->leaf_depth;
    switch (*at) {
    case '"':
        of->texts++;
        if (end - at > 2 && number_read_nonfinite(at + 1, end - 1, &value)) {
            look->nonfinite_texts++;
            statistics_add(&of->numbers, value);
        }
        if (fact_has_room(of)) {
            add_string(&words, at, end);
            fact_show_item(of, text_string(&words), words.length);
            text_close(&words, &of->shown);
        }
        break;
    case '{':
        of->objects++;
        break;
    case 't':
    case 'f':
        of->truths++;
        statistics_add(&look->truth, *at == 't');
        break;
    case 'n':
        of->nulls++;
        break;
    default:
        statistics_add(&of->numbers, number_of(at, end));
    }
}

static void name_list(const list_look *look)
{
    fact *f = look->of;
    /* A matrix is of numbers, of which some may be written as texts and some be left out; or of
     * true and false. */
    size_t numbers =
        f->numbers.finite + f->numbers.nan + f->numbers.infinite - look->nonfinite_texts;
    bool is_all_truth = f->truths > 0 && f->truths + numbers + f->texts + f->nulls == f->truths;
    bool is_no_list = f->depth > 1 || f->nulls > 0; /* of nothing but texts, be they "NaN" */
    bool is_all_numbers = (numbers > 0 || (look->nonfinite_texts > 0 && is_no_list)) &&
                          f->texts == look->nonfinite_texts && f->truths == 0;
    f->count = look->size[1];
    f->is_ragged = f->is_ragged || (look->leaf_depth > 0 && f->depth != look->leaf_depth);
    if ((is_all_truth || is_all_numbers) && f->objects == 0 && !f->is_ragged &&
        f->depth <= TENSOR_MAX_RANK) {
        f->kind = FACT_MATRIX;
        f->type = f->truths > 0 ? DTYPE_BOOL : DTYPE_F64;
        f->rank = (int)f->depth;
        if (f->truths > 0)
            f->numbers = look->truth;
        f->numbers.holes = f->nulls;
        memcpy(f->size, look->size + 1, sizeof f->size[0] * f->depth);
    } else {
        f->kind = f->texts > 0 && f->texts == f->count && f->depth == 1 ? FACT_LIST : FACT_ARRAY;
    }
    if (f->kind != FACT_LIST)
        text_clear(&f->shown);
}

/* ---- what the scan meets ---- */

static bool open_value(void *to, const char *at, size_t depth, bool in_list, const char **after,
                       err *e)
{
    walk *w = to;
    (void)in_list, (void)after, (void)e;
    if (w->passed > 0)
        return true;
    if (w->look.of != NULL && *at == '{') {
        look_at_leaf(&w->look, at, at + 1, depth - w->look.outside);
        w->passed = depth + 1;
    } else if (*at == '{') {
        w->open[depth]->kind = FACT_OBJECT;
    } else if (w->look.of == NULL) {
        w->look = (list_look){.of = w->open[depth], .outside = depth};
    }
    return true;
}

static bool close_value(void *to, const char *bracket, size_t depth, size_t count, err *e)
{
    walk *w = to;
    fact *of = w->look.of;
    if (w->passed > 0) {
        w->passed = w->passed == depth + 1 ? 0 : w->passed;
    } else if (*bracket == '}') {
        w->open[depth]->count = count;
    } else {
        /* A list of `count` entries ends, which is so many lists deep, itself counted. */
        list_look *look = &w->look;
        size_t deep = depth - look->outside + 1;
        of->is_ragged = of->is_ragged || (look->is_known[deep] && look->size[deep] != count);
        look->is_known[deep] = true;
        look->size[deep] = count;
        of->depth = deep > of->depth ? deep : of->depth;
        if (depth > look->outside)
            return true;
        name_list(&w->look);
        w->look.of = NULL;
        return text_ok(&of->shown, e);
    }
    return true;
}

static bool add_key(void *to, const char *at, const char *end, size_t depth, err *e)
{
    walk *w = to;
    if (w->passed > 0)
        return true;
    if (!json_take_room(&w->text, at, FACT_ROOM, e))
        return false;
    fact *added = fact_add(w->open[depth - 1], "", 0, e);
    w->open[depth] = added;
    if (added != NULL)
        add_string(&added->name, at, end);
    return added != NULL && text_ok(&added->name, e);
}

static bool add_value(void *to, const char *at, const char *end, size_t depth, err *e)
{
    walk *w = to;
    fact *of = w->open[depth];
    if (w->passed > 0)
        return true;
    if (w->look.of != NULL) {
        look_at_leaf(&w->look, at, end, depth - w->look.outside);
        return true;
    }
    of->type = DTYPE_F64;
    of->kind = *at == '"'                ? FACT_TEXT
               : json_begins_number(*at) ? FACT_NUMBER
               : *at == 'n'              ? FACT_NULL
                                         : FACT_TRUTH;
    if (of->kind == FACT_NUMBER)
        statistics_add(&of->numbers, number_of(at, end));
    if (of->kind == FACT_TEXT)
        add_string(&of->shown, at, end);
    else
        text_add(&of->shown, at, (size_t)(end - at));
    return text_ok(&of->shown, e);
}

bool facts_of_json(fact *out, const char *bytes, size_t length, place where, const char *way,
                   err *e)
{
    walk w = {.text = json_text_of(bytes, length, where.file, where.line), .open = {out}};
    const json_visitor visitor = {&w, open_value, close_value, add_key, add_value};
    if (way == NULL)
        return json_scan(&w.text, &visitor, e);
    const char *at = json_scan(&w.text, NULL, e) ? json_whole(&w.text) : NULL;
    const char *one = at == NULL ? NULL : json_way_find(&w.text, at, way);
    if (one != NULL) {
        out->kind = FACT_OBJECT;
        out->count = 1;
        w.open[0] = fact_add(out, way, strlen(way), e);
        at = w.open[0] == NULL ? NULL : one;
    }
    bool done = at != NULL && json_visit(&w.text, at, &visitor, e);
    return json_check_unchanged(&w.text, e) && done;
}
