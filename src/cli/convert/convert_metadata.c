#include "cli/convert/convert_metadata.h"

#include "cli/out/note.h"
#include "io/safetensors_header.h"

/* The metadata as its reader makes them, or as a person may write them in JSON. */
static entry *find_texts(const bundle *b)
{
    entry *found = bundle_find(b, SAFETENSORS_METADATA);
    if (found == NULL || found->kind != ENTRY_BUNDLE || found->is_list)
        return NULL;
    for (size_t i = 0; i < found->bundle->count; i++) {
        if (found->bundle->entry[i].kind != ENTRY_TEXT)
            return NULL;
    }
    return found;
}

static bool note_left_out(const bundle *texts, const format *f, const char *in, const options *o,
                          const env *world, err *e)
{
    text names = {0};
    for (size_t i = 0; i < texts->count; i++)
        text_add_format(&names, "%s%s", i == 0 ? "" : ", ", texts->entry[i].name);
    bool done = text_ok(&names, e);
    if (done)
        note_say(world, o, NULL, "the metadata of %s are left out, %s has none: %s", in, f->title,
                 text_string(&names));
    text_free(&names);
    return done;
}

static bool move(bundle *from, const char *name, bundle *to, err *e)
{
    return bundle_take(to, name, bundle_find(from, name), e) && bundle_remove(from, name);
}

bool convert_take_metadata(bundle *b, const format *f, const char *in, const options *o,
                           const env *world, bundle *kept, write_options *how, err *e)
{
    const entry *texts = find_texts(b);
    if (f->holds & HOLDS_ALL)
        return true;
    if (!(f->holds & HOLDS_METADATA))
        return texts == NULL || (note_left_out(texts->bundle, f, in, o, world, e) &&
                                 bundle_remove(b, SAFETENSORS_METADATA));
    if (texts != NULL && !move(b, SAFETENSORS_METADATA, kept, e))
        return false;
    if (bundle_text(b, "name") != NULL && !move(b, "name", kept, e))
        return false;
    how->name = bundle_text(kept, "name");
    texts = find_texts(kept);
    how->metadata = texts == NULL ? NULL : texts->bundle;
    return true;
}
