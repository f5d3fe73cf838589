/* Reading of safetensors (declared in io/safetensors.h). */
#include "base/mem.h"
#include "io/json_scan.h"
#include "io/safetensors.h"
#include "io/safetensors_header.h"

#include <string.h>

static bool check_is_read(safetensors_header *h, const safetensors_tensor *t, key_kind kind,
                          const read_options *how, err *e)
{
    char found[JSON_FOUND];
    place at = json_place(&h->text, t->dtype);
    if (!t->is_known_type) {
        err_at(e, &at, "elements of type %s are not read", json_found(&h->text, t->dtype, found));
        return err_remedy(e, "F64, F32, F16, BF16, I8 to I64, U8 to U64 and BOOL are");
    }
    at = json_place(&h->text, t->shape);
    return stored_matrix_check_axes(&t->matrix, kind, how, &at, e);
}

static bool read_named(safetensors_header *h, const safetensors_tensor *t, const char *name,
                       const read_options *how, bundle *to, err *e)
{
    place at = json_place(&h->text, t->record);
    key_kind kind;
    bool is_wanted;
    if (!stored_matrix_find_kind(how, "safetensors", name, &at, &kind, &is_wanted, e))
        return false;
    if (!is_wanted)
        return true;
    entry *added = bundle_add(to, name, strlen(name), at, e);
    if (added == NULL)
        return false;
    if (check_is_read(h, t, kind, how, e))
        return stored_matrix_read(&t->matrix, kind, how, added, e) || read_leaves(how, added, e);
    return how->keeps_unread ? read_leaves(how, added, e) : err_within(e, "%s", name);
}

static bool read_tensor(safetensors_header *h, const safetensors_tensor *t, const read_options *how,
                        bundle *to, err *e)
{
    char *name = json_string_read(&h->text, t->name, JSON_MAX_LABEL, e);
    bool done = name != NULL && read_named(h, t, name, how, to, e);
    mem_free(name);
    return done;
}

/* ---- the document's name, and other metadata ---- */

static const char *find_text(safetensors_header *h, const char *name)
{
    const char *at = h->metadata == NULL ? NULL : json_first(&h->text, h->metadata);
    while (at != NULL && !json_string_is(&h->text, at, name))
        at = json_next(&h->text, json_member(&h->text, at));
    return at == NULL ? NULL : json_member(&h->text, at);
}

static bool wants_name(const read_options *how)
{
    const named *row = how->keys == NULL ? NULL : named_find(how->keys, "name", 4);
    return how->keys == NULL || (row != NULL && ((const key *)(const void *)row)->kind == KEY_TEXT);
}

static bool add_text(safetensors_header *h, const char *name, const char *at, bundle *to, err *e)
{
    char *value = json_string_read(&h->text, at, 0, e);
    bool done = value != NULL &&
                bundle_add_text(to, name, value, strlen(value), json_place(&h->text, at), e);
    mem_free(value);
    return done;
}

static bool read_name(safetensors_header *h, const read_options *how, bundle *to, err *e)
{
    const char *at = find_text(h, "name");
    return at == NULL || !wants_name(how) || bundle_find(to, "name") != NULL ||
           add_text(h, "name", at, to, e);
}

/* The text whose key is at `key`, unless it is the name that was read. */
static bool read_metadata_text(safetensors_header *h, const char *text_key, bool has_name,
                               bundle *to, err *e)
{
    if (has_name && json_string_is(&h->text, text_key, "name"))
        return true;
    char *name = json_string_read(&h->text, text_key, JSON_MAX_LABEL, e);
    bool done = name != NULL && add_text(h, name, json_member(&h->text, text_key), to, e);
    mem_free(name);
    return done;
}

/* What is there besides the name, as an object, where nothing is to be passed over. */
static bool read_metadata(safetensors_header *h, const read_options *how, bundle *to, err *e)
{
    const char *at = h->metadata == NULL ? NULL : json_first(&h->text, h->metadata);
    if (!how->keeps_all || how->keys != NULL || at == NULL)
        return true;
    bool has_name = bundle_text(to, "name") != NULL;
    entry *added = bundle_add(to, SAFETENSORS_METADATA, strlen(SAFETENSORS_METADATA),
                              json_place(&h->text, h->metadata), e);
    if (added == NULL)
        return false;
    added->kind = ENTRY_BUNDLE;
    added->bundle = mem_alloc_zeroed(1, sizeof *added->bundle, e);
    bool done = added->bundle != NULL;
    for (; done && at != NULL; at = json_next(&h->text, json_member(&h->text, at)))
        done = read_metadata_text(h, at, has_name, added->bundle, e);
    if (done && added->bundle->count == 0)
        bundle_remove(to, SAFETENSORS_METADATA);
    return done;
}

/* What made the result: a text of lines. */
static bool read_made_by(safetensors_header *h, const read_options *how, err *e)
{
    const char *at = how->header == NULL ? NULL : find_text(h, "header");
    char *all = at == NULL ? NULL : json_string_read(&h->text, at, 0, e);
    bool done = at == NULL || all != NULL;
    for (const char *line = all; done && line != NULL;) {
        size_t length = strcspn(line, "\n");
        done = read_header_line(how, line, length, e);
        line = line[length] == '\n' ? line + length + 1 : NULL;
    }
    mem_free(all);
    return done;
}

/* ---- the whole ---- */

bool safetensors_probe(const char *bytes, size_t length)
{
    return length > SAFETENSORS_LENGTH_BYTES && bytes[SAFETENSORS_LENGTH_BYTES] == '{' &&
           safetensors_header_length(bytes) <= SAFETENSORS_MAX_HEADER;
}

bool safetensors_read(const char *bytes, size_t length, const read_options *how, bundle *out,
                      err *e)
{
    safetensors_header h;
    bool done = safetensors_header_read(&h, bytes, length, how->file, e);
    for (size_t i = 0; done && i < h.count; i++)
        done = read_tensor(&h, &h.tensor[i], how, out, e);
    done = done && read_name(&h, how, out, e) && read_metadata(&h, how, out, e) &&
           read_made_by(&h, how, e);
    done = json_check_unchanged(&h.text, e) && done;
    safetensors_header_free(&h);
    if (!done)
        bundle_free(out);
    return done;
}
