#include "weights/bundle_names.h"

#include "attn/keys.h"
#include "base/mem.h"
#include "weights/cut.h"
#include "weights/bundle_refusal.h"
#include "weights/bundle_unfinished.h"
#include "weights/names.h"

#include <string.h>

/* ---- names ---- */

static bool is_taken(const bundle_names *found, const char *name)
{
    for (size_t i = 0; i < KEYS.count; i++) {
        if (found->from[i].name == name)
            return true;
    }
    return false;
}

/* A name taken for one key may be meant for another; `only_left` leaves the taken ones out. */
static void suggest_nearest(const bundle_names *found, const char *wanted, bool only_left,
                            const char *instead, err *e)
{
    nearest_names nearest = {.wanted = wanted};
    for (size_t i = 0; i < found->names->count; i++) {
        if (!only_left || !is_taken(found, found->names->item[i]))
            nearest_names_look(&nearest, found->names->item[i]);
    }
    nearest_names_suggest(&nearest, instead, e);
}

/* ---- sources ---- */

static size_t key_index(const char *key_name, size_t length)
{
    const named *row = named_find(&KEYS, key_name, length);
    size_t index = 0;
    while (index < KEYS.count && named_row(&KEYS, index) != row)
        index++;
    return index;
}

/* The document's own names: whatever stands behind exactly this. */
static void take_own_names(bundle_names *found)
{
    size_t length = strlen(found->layer.name);
    for (size_t i = 0; i < found->names->count; i++) {
        const char *name = found->names->item[i];
        if (strncmp(name, found->layer.name, length) != 0)
            continue;
        size_t index = key_index(name + length, strlen(name + length));
        if (index < KEYS.count)
            found->from[index].name = name;
    }
}

static void take_name(bundle_names *found, input which)
{
    const bundle_layer *of = &found->layer;
    size_t index = key_index(input_key(which), strlen(input_key(which)));
    found->from[index].name =
        bundle_layer_name(found->names, of->by, of->name, strlen(of->name), which);
}

static void take_names(bundle_names *found)
{
    for (input which = INPUT_WQ; which <= INPUT_BO; which++)
        take_name(found, which);
    for (size_t i = 0; i < CONVENTION_BESIDE; i++)
        take_name(found, CONVENTION_INPUTS[i]);
}

/* One NAME=KEY of --map. */
static bool take_mapped(bundle_names *found, const char *pair, err *e)
{
    place at = {.file = "map", .is_option = true};
    size_t length = strcspn(pair, "=");
    const char *wanted = pair + length + 1, *name = text_list_find(found->names, wanted);
    size_t index = key_index(pair, length);
    if (index == KEYS.count) {
        const named *near = named_nearest(&KEYS, pair, length);
        err_at(e, &at, "a document has no key '%.*s'", (int)length, pair);
        return near == NULL ? err_remedy(e, "selfattn help keys lists them")
                            : err_remedy(e, "did you mean '%s'?", near->name);
    }
    if (name == NULL) {
        err_at(e, &at, "'%s' is not in %s", wanted, found->file);
        suggest_nearest(found, wanted, false, "", e);
        return false;
    }
    found->from[index] = (bundle_source){name, true};
    return true;
}

static bool take_all_mapped(bundle_names *found, const text_list *pairs, err *e)
{
    for (size_t i = 0; i < pairs->count; i++) {
        if (!take_mapped(found, pairs->item[i], e))
            return false;
    }
    return true;
}

const bundle_source *bundle_source_of(const bundle_names *found, input which)
{
    return &found->from[key_index(input_key(which), strlen(input_key(which)))];
}

/* ---- what is wrong ---- */

static bool has_any(const bundle_names *found)
{
    for (size_t i = 0; i < KEYS.count; i++) {
        if (found->from[i].name != NULL)
            return true;
    }
    return false;
}

static bool refuse_nothing(const bundle_names *found, const char *prefix, err *e)
{
    enum { SHOWN = 6 };
    text list = {0};
    place at = {.file = found->file};
    if (!bundle_unfinished_check_all(&found->index, found->file, prefix, e))
        return false;
    for (size_t i = 0; i < found->names->count && i < SHOWN; i++)
        text_add_format(&list, "%s%s", i == 0 ? "" : ", ", found->names->item[i]);
    const char *more = found->names->count > SHOWN ? ", …" : "";
    if (*prefix == '\0')
        err_at(e, &at, "no name in it is known as that of a weight: %s%s", text_string(&list),
               more);
    else
        err_at(e, &at, "no name behind the prefix '%s' is known as that of a weight: %s%s", prefix,
               text_string(&list), more);
    text_free(&list);
    return err_remedy(e, "--map wq=NAME says which is Wq; selfattn help bundles lists what is "
                         "known");
}

/* The name that is these bytes of the layer's name and then `tail`, or NULL. */
static const char *find_behind(const bundle_names *found, size_t length, const char *tail)
{
    size_t at;
    for (size_t i = 0; i < found->names->count; i++) {
        const char *name = found->names->item[i];
        if (convention_name_ends(name, tail, &at) && at == length &&
            memcmp(name, found->layer.name, length) == 0)
            return name;
    }
    return NULL;
}

/* The name that is refused, of the layer or of one that it shares it with; NULL: there is none. */
static const char *find_refused(const bundle_names *found, const refusal *refused)
{
    const char *layer = found->layer.name;
    size_t at;
    if (convention_excepts(refused, layer))
        return NULL;
    for (size_t i = 0; i < found->names->count && refused->is_shared; i++) {
        const char *name = found->names->item[i];
        if (convention_name_ends(name, refused->name, &at) &&
            convention_layers_alike(name, at, layer))
            return name;
    }
    return find_behind(found, strlen(layer), refused->name);
}

/* The length of the name of what the attention is in: "h.0." of h.0.attn. */
static size_t parent_length(const char *layer)
{
    size_t length = strlen(layer);
    for (length -= length > 0; length > 0 && !name_is_separator(layer[length - 1]); length--)
        continue;
    return length;
}

static bool check_gains(const bundle_names *found, const wishes *w, const bundle *contents, err *e)
{
    const char *sign = found->layer.by->one_more;
    const char *beside =
        sign == NULL ? NULL : find_behind(found, parent_length(found->layer.name), sign);
    if (beside == NULL || !bundle_gains_are_wanted(w, contents, NULL))
        return true;
    for (size_t i = 0; i < CONVENTION_BESIDE; i++) {
        input which = CONVENTION_INPUTS[i];
        const bundle_source *from = bundle_source_of(found, which);
        if (bundle_is_gain(which) && from->name != NULL && !from->is_mapped &&
            !bundle_decides(w, contents, NULL, input_key(which)))
            return bundle_gain_refuse(found->file, from->name, beside, input_key(which), e);
    }
    return true;
}

bool bundle_names_check_refused(const bundle_names *found, const wishes *w, const bundle *contents,
                                err *e)
{
    const refusal *row = found->layer.by->refused;
    for (; row != NULL && row->name != NULL; row++) {
        const char *name = find_refused(found, row);
        bool is_mapped = found->from[key_index(row->key, strlen(row->key))].is_mapped;
        if (name != NULL && !is_mapped && !bundle_decides(w, contents, NULL, row->key))
            return bundle_refuse(found->file, name, row, "", e);
    }
    return check_gains(found, w, contents, e);
}

bool bundle_names_refuse_missing(const bundle_names *found, input which, err *e)
{
    text wanted = {0}, instead = {0};
    place at = {.file = found->file};
    char name[CONVENTION_NAME];
    convention_name(found->layer.by, which, 0, name);
    text_add_format(&wanted, "%s%s", found->layer.name, name);
    text_add_format(&instead, "--map %s=NAME takes another, --no-%s none", input_key(which),
                    input_key(which));
    if (bundle_unfinished_check(&found->index, found->file, text_string(&wanted), e)) {
        err_at(e, &at, "the names are those of %s, but %s for %s is not there",
               found->layer.by->named.name, text_string(&wanted), input_label(which));
        suggest_nearest(found, text_string(&wanted), true, text_string(&instead), e);
    }
    text_free(&wanted);
    text_free(&instead);
    return false;
}

/* What --map names is taken as it is. */
static bool check_finished(const bundle_names *found, err *e)
{
    for (input which = INPUT_WQ; which <= INPUT_WO; which++) {
        const bundle_source *from = bundle_source_of(found, which);
        if (from->name != NULL && !from->is_mapped &&
            !bundle_unfinished_check(&found->index, found->file, from->name, e))
            return false;
    }
    return true;
}

/* ---- the prefix ---- */

/* Behind `to`, with as many zeros before it as some name has there; without any where none has. */
static void spell_number(const name_index *names, const char *number, int digits, text *to)
{
    static const char ZEROS[] = "00000000"; /* no more than a layer's number has digits */
    text one = {0};
    int zeros = 0, most = (int)sizeof ZEROS - 1;
    for (; zeros <= most; zeros++) {
        text_clear(&one);
        text_add_format(&one, "%s%.*s%.*s.", text_string(to), zeros, ZEROS, digits, number);
        if (name_index_first(names, text_string(&one)) < names->count)
            break;
    }
    text_add_format(to, "%.*s%.*s", zeros <= most ? zeros : 0, ZEROS, digits, number);
    text_free(&one);
}

/* As the names spell it: h.3 is h.03 where they have that, and no h.3. */
static bool spell_prefix(const name_index *names, const char *prefix, text *to, err *e)
{
    for (const char *at = prefix; *at != '\0';) {
        size_t digits = strspn(at, "0123456789"), length = digits == 0 ? 1 : digits;
        bool begins = at == prefix || name_is_separator(at[-1]) || at[-1] == '_',
             ends = at[length] == '\0' || name_is_separator(at[length]);
        if (digits > 0 && begins && ends)
            spell_number(names, at, (int)digits, to);
        else
            text_add(to, at, length);
        at += length;
    }
    return text_ok(to, e);
}

/* ---- the whole ---- */

static bool find_names(bundle_names *found, const wishes *w, const char *prefix, err *e)
{
    if (!bundle_layer_find(&found->layer, found->names, found->file, prefix, e))
        return false;
    if (convention_is_own(found->layer.by))
        take_own_names(found);
    else
        take_names(found);
    return take_all_mapped(found, &w->map, e) && check_finished(found, e) &&
           (has_any(found) || refuse_nothing(found, prefix, e));
}

bool bundle_names_find(bundle_names *found, const text_list *names, const char *file,
                       const wishes *w, err *e)
{
    text prefix = {0};
    *found = (bundle_names){.names = names,
                            .file = file,
                            .from = mem_alloc_zeroed(KEYS.count, sizeof found->from[0], e)};
    bool done = found->from != NULL && name_index_make(&found->index, names, e) &&
                spell_prefix(&found->index, w->prefix, &prefix, e) &&
                find_names(found, w, text_string(&prefix), e);
    text_free(&prefix);
    return done;
}

void bundle_names_free(bundle_names *found)
{
    name_index_free(&found->index);
    mem_free(found->layer.name);
    mem_free(found->from);
    *found = (bundle_names){0};
}
