#include "cli/in/weights_input.h"

#include "attn/spec/keys.h"
#include "base/mem.h"
#include "cli/in/matrix_file.h"
#include "cli/line/options.h"
#include "cli/out/note.h"
#include "io/source.h"
#include "model/keys.h"
#include "tensor/bundle.h"
#include "weights/apply.h"
#include "weights/told.h"

#include <string.h>

/* ---- which of two kinds a document is of: one attention, or layers ---- */

/* Whether it has a key, or expects a stage, that one attention doesn't have: the layers themselves
 * may be still to come. */
static bool document_is_of_layers(const bundle *contents)
{
    for (size_t i = 0; i < contents->count; i++) {
        const char *name = contents->entry[i].name;
        if (named_find(&KEYS, name, strlen(name)) == NULL)
            return true;
    }
    /* "layer.0.attention.weights": a way through a stack. */
    const entry *expected = bundle_find(contents, "expected");
    for (size_t i = 0; expected != NULL && i < expected->bundle->count; i++) {
        if (strchr(expected->bundle->entry[i].name, '.') != NULL)
            return true;
    }
    return false;
}

/* ---- the file ---- */

/* As messages name it. */
static const char *file_of(const options *o)
{
    return descriptor_name(o->bundle);
}

/* What the options say of its weights. */
static bool make_options(bundle_options *w, const options *o, err *e)
{
    *w = (bundle_options){.prefix = o->prefix == NULL ? "" : o->prefix,
                          .layout = input_keys_value(o, "layout"),
                          .map = o->map};
    bool done = true;
    for (size_t i = 0; i < o->given_count && done; i++) {
        const char *name = o->given[i].row->key;
        done = o->given[i].value != NULL || text_list_add(&w->removed, name, strlen(name), e);
    }
    return done;
}

/* ---- whose it is ---- */

static bool prefix_is_of_layers(const weights_input *b)
{
    return strstr(b->options.prefix, "{}") != NULL;
}

/* Where it may be either, the document says it, or else the bundle or --prefix. */
static bundle_for kind_for(const weights_input *b, const bundle *contents)
{
    if (b->is_for != FOR_EITHER)
        return b->is_for;
    bool is_of_layers = document_is_of_layers(contents) ||
                        text_list_find(&b->names, "layers") != NULL || prefix_is_of_layers(b);
    return is_of_layers ? FOR_LAYERS : FOR_ATTENTION;
}

/* ---- reading ---- */

/* All names, and no numbers but those of formats that can't pass over them. */
static bool read_names(weights_input *b, const options *o, err *e)
{
    static const key ONLY_TYPE[] = {{{"dtype", ""}, KEY_SETTING}};
    static const named_table TABLE = NAMED_TABLE("key", ONLY_TYPE);
    bundle rest = {0};
    read_options how = read_options_of(o, o->bundle, DTYPE_F32);
    how.keys = &TABLE;
    how.skips_unknown = how.type_is_fixed = true;
    how.skipped = &b->names;
    b->format = input_format_of(o, b->source.bytes, b->source.length, how.file, e);
    bool done = b->format != NULL && text_list_index(&b->names, e) &&
                b->format->read(b->source.bytes, b->source.length, &how, &rest, e);
    for (size_t i = 0; i < rest.count && done; i++)
        done = text_list_add(&b->names, rest.entry[i].name, strlen(rest.entry[i].name), e);
    const char *word = bundle_text(&rest, "dtype");
    if (done && word != NULL)
        done = (b->type_word = mem_copy_text(word, strlen(word), e)) != NULL;
    bundle_free(&rest);
    return done;
}

/* Reads all of it, whatever it is. */
static bool read_all(const weights_input *b, const options *o, bundle *out, err *e)
{
    read_options how = read_options_of(o, o->bundle, DTYPE_F32);
    how.file = file_of(o);
    how.keys = NULL;
    return b->format->read(b->source.bytes, b->source.length, &how, out, e);
}

static bool refuse_index(const weights_input *b, const options *o, err *e)
{
    bundle all = {0};
    bool is_of_layers =
        b->is_for == FOR_LAYERS || (b->is_for == FOR_EITHER && prefix_is_of_layers(b));
    if (read_all(b, o, &all, e))
        bundle_index_refuse(&all, file_of(o), &b->options, is_of_layers, e);
    bundle_free(&all);
    return false;
}

/* Something in it has a name, which may be that of a weight. */
static bool check_names(const weights_input *b, const options *o, err *e)
{
    bool has_names = false;
    for (size_t i = 0; i < b->names.count; i++)
        has_names = has_names || *b->names.item[i] != '\0';
    if (!has_names) {
        /* A file without names: what its reader says of it where nothing is passed over, or that
         * it has none. */
        place at = {.file = file_of(o)};
        bundle all = {0};
        bool done = b->names.count > 0 || read_all(b, o, &all, e);
        bundle_free(&all);
        if (!done)
            return false;
        err_at(e, &at, "there are no names in it, by which weights could be found");
        return err_remedy(e, "--wq FILE and its like take a matrix without a name");
    }
    return !bundle_index_is(&b->names) || refuse_index(b, o, e);
}

/* The names that are used, and nothing else. */
static bool read_used(weights_input *b, const options *o, bundle_use *use, dtype type, err *e)
{
    bool is_wide = type == DTYPE_F64;
    key *rows = mem_alloc(use->match.sources, sizeof rows[0], e);
    named_table table = {.what = "key", .row = sizeof rows[0], .is_sorted = true};
    if (rows == NULL)
        return false;
    table.count = weight_match_rows(&use->match, rows);
    table.first = &rows[0].named;
    read_options how = read_options_of(o, o->bundle, type);
    how.keys = &table;
    how.document_keys = use->match.is_document ? &STACK_DOCUMENT : NULL;
    how.map = b->source.map;
    how.keeps_narrow = b->keeps_narrow;
    how.later = &b->unseen;
    how.skips_unknown = how.type_is_fixed = true;
    bool done = b->format->read(b->source.bytes, b->source.length, &how, &use->read[is_wide], e);
    mem_free(rows);
    bundle_set_stays(&use->read[is_wide]);
    if (!done) /* the next document tries again */
        bundle_free(&use->read[is_wide]);
    use->is_read[is_wide] = done;
    return done;
}

void weights_input_close(weights_input *b)
{
    for (size_t i = 0; i < 4; i++)
        bundle_free(&b->use[i / 2].read[i % 2]);
    for (size_t i = 0; i < 2; i++)
        weight_match_free(&b->use[i].match);
    text_list_free(&b->names);
    text_list_free(&b->options.removed);
    mem_free(b->type_word);
    unseen_free(&b->unseen);
    source_close(&b->source);
    *b = (weights_input){0};
}

static bool find_names(weights_input *b, const options *o, bundle_for kind, err *e)
{
    bundle_use *use = &b->use[kind];
    if (use->is_found)
        return true;
    use->is_found =
        weights_match(&use->match, kind == FOR_ATTENTION, &b->names, file_of(o), &b->options, e);
    if (!use->is_found)
        weight_match_free(&use->match);
    return use->is_found;
}

bool weights_input_check(const options *o, err *e)
{
    const char *idle = o->map.count > 0 ? "map" : o->prefix != NULL ? "prefix" : NULL;
    return o->bundle != NULL || idle == NULL ||
           err_set(e, "--%s is for the names in a bundle, and --bundle is not given", idle);
}

bool weights_input_open(weights_input *b, const options *o, const env *world, err *e)
{
    if (!weights_input_check(o, e))
        return false;
    if (o->bundle == NULL || b->is_open)
        return true;
    b->world = world;
    b->is_open = make_options(&b->options, o, e) &&
                 source_open_within(&b->source, o->bundle, o->max_memory, e) &&
                 read_names(b, o, e) && check_names(b, o, e) &&
                 (b->is_for == FOR_EITHER || find_names(b, o, b->is_for, e));
    if (b->is_open)
        return true;
    weights_input_close(b);
    return false;
}

dtype weights_input_type(const weights_input *b, dtype type)
{
    if (b->type_word == NULL)
        return type;
    return strcmp(b->type_word, "f64") == 0 ? DTYPE_F64 : DTYPE_F32;
}

/* ---- applying ---- */

bool weights_input_apply(weights_input *b, const options *o, dtype type, bundle *contents, err *e)
{
    if (!b->is_open)
        return true;
    bundle_for kind = kind_for(b, contents);
    bundle_use *use = &b->use[kind];
    bool is_wide = type == DTYPE_F64;
    text note = {0};
    if (!find_names(b, o, kind, e) || (!use->is_read[is_wide] && !read_used(b, o, use, type, e)))
        return false;
    const bundle *read = &use->read[is_wide];
    bool done = weights_apply(&use->match, &b->options, read, type, contents, &note, e) &&
                text_ok(&note, e);
    if (done && !use->is_said && !o->quiet && note.length > 0) {
        use->is_said = true;
        note_say(b->world, o, NULL, "%s", note.data);
    }
    text_free(&note);
    return done;
}

bool weights_input_is_read(const weights_input *b, dtype type, const bundle *contents)
{
    return !b->is_open || b->use[kind_for(b, contents)].is_read[type == DTYPE_F64];
}
