#include "cli/given_bundle.h"

#include "attn/keys.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/matrix_file.h"

#include <string.h>

/* The keys under which the bundle has what the document calls otherwise: rows[i] is KEYS's row
 * i. */
typedef struct renamed_keys {
    key *row;
    size_t count;
    text_list names; /* what the rows' names point to */
} renamed_keys;

/* The bundle's KEY for a document's name by `--map NAME=KEY`, or NULL. */
static const char *mapped(const options *o, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = o->map.count; i-- > 0;) {
        const char *pair = o->map.item[i];
        if (strncmp(pair, name, length) == 0 && pair[length] == '=')
            return pair + length + 1;
    }
    return NULL;
}

static bool name_in_bundle(const options *o, const char *name, text_list *names, err *e)
{
    const char *other = mapped(o, name);
    text full = {0};
    text_add_string(&full, other != NULL || o->prefix == NULL ? "" : o->prefix);
    text_add_string(&full, other != NULL ? other : name);
    bool done = text_ok(&full, e) && text_list_add(names, text_string(&full), full.length, e);
    text_free(&full);
    return done;
}

static bool rename_keys(const options *o, renamed_keys *keys, err *e)
{
    *keys = (renamed_keys){.row = mem_alloc(KEYS.count, sizeof keys->row[0], e)};
    if (keys->row == NULL)
        return false;
    for (size_t i = 0; i < KEYS.count; i++) {
        const key *own = (const key *)(const void *)named_row(&KEYS, i);
        if (!name_in_bundle(o, own->named.name, &keys->names, e))
            return false;
        keys->row[i] = (key){{keys->names.item[i], own->named.help}, own->kind};
        keys->count++;
    }
    return true;
}

static void renamed_keys_free(renamed_keys *keys)
{
    mem_free(keys->row);
    text_list_free(&keys->names);
}

/* Moves what was read from the bundle's names to the document's. */
static bool take_entries(const renamed_keys *keys, const bundle *from, bundle *contents, err *e)
{
    for (size_t i = 0; i < keys->count; i++) {
        entry *found = bundle_find(from, keys->row[i].named.name);
        if (found != NULL && !bundle_take(contents, named_row(&KEYS, i)->name, found, e))
            return false;
    }
    return true;
}

bool given_apply_bundle(const options *o, dtype type, bundle *contents, err *e)
{
    renamed_keys keys;
    bundle found = {0};
    bool done = rename_keys(o, &keys, e);
    if (done) {
        const named_table rows = {"key", &keys.row[0].named, keys.count, sizeof keys.row[0]};
        read_options how = read_options_of(o, o->bundle, type);
        how.keys = &rows;
        how.skips_unknown = how.type_is_fixed = true;
        done = input_read(o, o->bundle, &how, &found, e) != NULL &&
               take_entries(&keys, &found, contents, e);
    }
    bundle_free(&found);
    renamed_keys_free(&keys);
    return done;
}
