#include "cli/given_bundle.h"

#include "attn/keys.h"
#include "base/mem.h"
#include "cli/bundle_cut.h"
#include "cli/bundle_gains.h"
#include "cli/bundle_index.h"
#include "cli/document_kind.h"
#include "cli/given.h"
#include "cli/matrix_file.h"
#include "cli/narrow_weights.h"
#include "cli/note.h"
#include "model/keys.h"

#include <string.h>

/* As messages name it. */
static const char *file_of(const options *o)
{
    return strcmp(o->bundle, "-") == 0 ? "standard input" : o->bundle;
}

/* ---- whose it is ---- */

/* Where it may be either, the document says it, or else the bundle or --prefix. */
static bundle_for kind_for(const given_bundle *b, const options *o, const bundle *contents)
{
    if (b->is_for != FOR_EITHER)
        return b->is_for;
    bool is_of_layers = document_is_of_layers(contents) ||
                        text_list_find(&b->names, "layers") != NULL ||
                        (o->prefix != NULL && strstr(o->prefix, "{}") != NULL);
    return is_of_layers ? FOR_LAYERS : FOR_ATTENTION;
}

/* ---- reading ---- */

/* All names, and no numbers but those of formats that can't pass over them. */
static bool read_names(given_bundle *b, const options *o, err *e)
{
    static const key ONLY_TYPE[] = {{{"dtype", ""}, KEY_SETTING}};
    static const named_table TABLE = NAMED_TABLE("key", ONLY_TYPE);
    bundle rest = {0};
    read_options how = read_options_of(o, o->bundle, DTYPE_F32);
    how.keys = &TABLE;
    how.skips_unknown = how.type_is_fixed = true;
    how.skipped = &b->names;
    b->format = input_format_of(o, b->source.bytes, b->source.length, how.file, e);
    bool done =
        b->format != NULL && b->format->read(b->source.bytes, b->source.length, &how, &rest, e);
    for (size_t i = 0; i < rest.count && done; i++)
        done = text_list_add(&b->names, rest.entry[i].name, strlen(rest.entry[i].name), e);
    const char *word = bundle_text(&rest, "dtype");
    if (done && word != NULL)
        done = (b->type_word = mem_copy_text(word, strlen(word), e)) != NULL;
    bundle_free(&rest);
    return done;
}

/* Reads all of it, whatever it is. */
static bool read_all(const given_bundle *b, const options *o, bundle *out, err *e)
{
    read_options how = read_options_of(o, o->bundle, DTYPE_F32);
    how.file = file_of(o);
    how.keys = NULL;
    return b->format->read(b->source.bytes, b->source.length, &how, out, e);
}

/* A file without names: what its reader says of it where nothing is passed over, or that it has
 * none. */
static bool refuse_nameless(const given_bundle *b, const options *o, err *e)
{
    place at = {.file = file_of(o)};
    bundle all = {0};
    bool done = b->names.count > 0 || read_all(b, o, &all, e);
    bundle_free(&all);
    if (!done)
        return false;
    err_at(e, &at, "there are no names in it, by which weights could be found");
    return err_remedy(e, "--wq FILE and its like take a matrix without a name");
}

static bool refuse_index(const given_bundle *b, const options *o, err *e)
{
    bundle all = {0};
    bool is_of_layers = b->is_for == FOR_LAYERS || (b->is_for == FOR_EITHER && o->prefix != NULL &&
                                                    strstr(o->prefix, "{}") != NULL);
    if (read_all(b, o, &all, e))
        bundle_index_refuse(&all, file_of(o), o, is_of_layers, e);
    bundle_free(&all);
    return false;
}

/* Something in it has a name, which may be that of a weight. */
static bool check_names(const given_bundle *b, const options *o, err *e)
{
    bool has_names = false;
    for (size_t i = 0; i < b->names.count; i++)
        has_names = has_names || *b->names.item[i] != '\0';
    if (!has_names)
        return refuse_nameless(b, o, e);
    return !bundle_index_is(&b->names) || refuse_index(b, o, e);
}

static size_t rows_of_keys(const given_bundle *b, key *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < KEYS.count; i++) {
        const key *own = (const key *)(const void *)named_row(&KEYS, i);
        if (b->found.from[i].name != NULL)
            rows[count++] = (key){{b->found.from[i].name, own->named.help}, own->kind};
    }
    return count;
}

/* The names that are used, and nothing else. */
static bool read_used(given_bundle *b, const options *o, bundle_for kind, dtype type, err *e)
{
    bool is_of_layers = kind == FOR_LAYERS, is_wide = type == DTYPE_F64;
    size_t most = is_of_layers ? b->layers.sources.count : KEYS.count;
    key *rows = mem_alloc(most, sizeof rows[0], e);
    named_table table = {"key", NULL, 0, sizeof rows[0]};
    if (rows == NULL)
        return false;
    table.count = is_of_layers ? given_layers_rows(&b->layers, rows) : rows_of_keys(b, rows);
    table.first = &rows[0].named;
    read_options how = read_options_of(o, o->bundle, type);
    how.keys = &table;
    how.document_keys = is_of_layers && b->layers.is_document ? &STACK_DOCUMENT : NULL;
    how.map = b->source.map;
    how.keeps_narrow = b->keeps_narrow;
    how.skips_unknown = how.type_is_fixed = true;
    bool done =
        b->format->read(b->source.bytes, b->source.length, &how, &b->use[kind].read[is_wide], e);
    mem_free(rows);
    if (!done) /* the next document tries again */
        bundle_free(&b->use[kind].read[is_wide]);
    b->use[kind].is_read[is_wide] = done;
    return done;
}

void given_bundle_close(given_bundle *b)
{
    for (size_t i = 0; i < 4; i++)
        bundle_free(&b->use[i / 2].read[i % 2]);
    bundle_names_free(&b->found);
    given_layers_free(&b->layers);
    text_list_free(&b->names);
    mem_free(b->type_word);
    source_close(&b->source);
    *b = (given_bundle){0};
}

static bool find_names(given_bundle *b, const options *o, bundle_for kind, err *e)
{
    bool *is_found = &b->use[kind].is_found;
    if (*is_found)
        return true;
    *is_found = kind == FOR_LAYERS ? given_layers_find(&b->layers, &b->names, file_of(o), o, e)
                                   : bundle_names_find(&b->found, &b->names, file_of(o), o, e);
    if (!*is_found && kind == FOR_LAYERS)
        given_layers_free(&b->layers);
    else if (!*is_found)
        bundle_names_free(&b->found);
    return *is_found;
}

bool given_bundle_open(given_bundle *b, const options *o, const env *world, err *e)
{
    if (o->bundle == NULL || b->is_open)
        return true;
    b->world = world;
    b->is_open = source_open(&b->source, o->bundle, e) && read_names(b, o, e) &&
                 check_names(b, o, e) &&
                 (b->is_for == FOR_EITHER || find_names(b, o, b->is_for, e));
    if (b->is_open)
        return true;
    given_bundle_close(b);
    return false;
}

dtype given_bundle_type(const given_bundle *b, dtype type)
{
    if (b->type_word == NULL)
        return type;
    return strcmp(b->type_word, "f64") == 0 ? DTYPE_F64 : DTYPE_F32;
}

/* ---- how it is read ---- */

static cutting cutting_of(const given_bundle *b, const options *o, const bundle *read,
                          const bundle *contents)
{
    return bundle_cutting(b->found.layer.by, given_value(o, "layout"), read, contents);
}

static void settle_convention(given_bundle *b, const options *o, const bundle *read)
{
    const bundle_source *from = bundle_source_of(&b->found, INPUT_WQ);
    const tensor *joint = from->name == NULL ? NULL : bundle_tensor(read, from->name);
    if (joint != NULL && given_value(o, "layout") == NULL)
        b->found.layer.by = bundle_cut_settle(b->found.layer.by, joint);
}

/* ---- what is said ---- */

/* A name within its layer. */
static const char *name_within(const given_bundle *b, const bundle_source *from)
{
    return from->is_mapped ? from->name : from->name + strlen(b->found.layer.name);
}

/* "Wq, Wk, Wv from c_attn.weight, Wo from c_proj.weight". */
static void add_sources(const given_bundle *b, text *out)
{
    size_t said = 0;
    for (input which = INPUT_WQ; which <= INPUT_WO; which++) {
        const bundle_source *from = bundle_source_of(&b->found, which);
        const char *next = which == INPUT_WO ? NULL : bundle_source_of(&b->found, which + 1)->name;
        if (from->name == NULL)
            continue;
        text_add_format(out, "%s%s", said++ == 0 ? "" : ", ", input_label(which));
        if (from->name != next)
            text_add_format(out, " from %s", name_within(b, from));
    }
}

static void add_biases(const given_bundle *b, text *out)
{
    size_t biases = 0;
    for (input which = INPUT_BQ; which <= INPUT_BO; which++) {
        if (bundle_source_of(&b->found, which)->name != NULL)
            text_add_format(out, "%s%s", biases++ == 0 ? ", with " : ", ", input_label(which));
    }
    text_add_string(out, biases == 0 ? ", no biases" : "");
}

/* ", q_gain from q_norm.weight, bias_k": what is used of what may stand beside weights. */
static void add_beside(const given_bundle *b, const bundle *contents, text *out)
{
    for (size_t i = 0; i < CONVENTION_BESIDE; i++) {
        input which = CONVENTION_INPUTS[i];
        const bundle_source *from = bundle_source_of(&b->found, which);
        if (from->name == NULL || bundle_find(contents, input_key(which)) == NULL)
            continue;
        text_add_format(out, ", %s", input_label(which));
        if (strcmp(name_within(b, from), input_label(which)) != 0)
            text_add_format(out, " from %s", name_within(b, from));
    }
}

/* Once, and nothing where there is nothing to say. */
static bool say_once(given_bundle *b, const options *o, bundle_use *use, text *line, err *e)
{
    if (use->is_said || o->quiet || line->length == 0)
        return text_ok(line, e);
    use->is_said = true;
    if (!text_ok(line, e))
        return false;
    note_say(b->world, o, NULL, "%s", line->data);
    return true;
}

/* What models of these names compute, where nobody says it: the numbers of a bundle are the same by
 * whatever names, so that it is only told. */
static void add_hints(const given_bundle *b, const options *o, const bundle *contents, text *out)
{
    const convention *by = b->found.layer.by;
    if (by->is_causal && bundle_find(contents, "causal") == NULL && !given_removes(o, "causal"))
        text_add_format(out, "; models of %s are causal: --causal", by->named.name);
    if (by->scale != NULL && bundle_find(contents, "scale") == NULL && !given_removes(o, "scale"))
        text_add_format(out, "; models of %s have another scale: --scale %s", by->named.name,
                        by->scale);
}

/* Which names and which layout; where they are the document's own there is nothing to say. */
static void write_note(const given_bundle *b, const options *o, const cutting *how,
                       const bundle *contents, text *line)
{
    if (convention_is_own(how->by))
        return;
    const char *layout = how->layout == LAYOUT_OUT_IN ? "out-in" : "in-out";
    text_add_format(line, "%s: names of %s%s%s, %s%s: ", file_of(o), how->by->named.name,
                    *b->found.layer.name == '\0' ? "" : " in ", b->found.layer.name, layout,
                    how->layout_is_given ? " as --layout says" : "");
    add_sources(b, line);
    add_biases(b, line);
    add_beside(b, contents, line);
}

/* ---- applying ---- */

static bool is_open_to(const options *o, const bundle *contents, const char *key_name)
{
    return bundle_find(contents, key_name) == NULL && !given_removes(o, key_name);
}

/* What q, k or v given directly makes needless. */
static bool is_needed(const options *o, const bundle *contents, input weight)
{
    static const struct {
        input weight, instead;
    } ROWS[] = {{INPUT_WQ, INPUT_Q}, {INPUT_WK, INPUT_K}, {INPUT_WV, INPUT_V}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (ROWS[i].weight == weight && bundle_find(contents, input_key(ROWS[i].instead)) != NULL)
            return false;
    }
    return is_open_to(o, contents, input_key(weight));
}

static bool check_complete(const given_bundle *b, const options *o, const bundle *contents, err *e)
{
    if (convention_is_own(b->found.layer.by))
        return true;
    for (input which = INPUT_WQ; which <= INPUT_WO; which++) {
        if (bundle_source_of(&b->found, which)->name == NULL && is_needed(o, contents, which))
            return bundle_names_refuse_missing(&b->found, which, e);
    }
    return true;
}

static bool is_weight_or_bias(input which)
{
    return which >= INPUT_WQ && which <= INPUT_BO;
}

/* Gains that a layer has are no gains where queries and keys are to stay as they are. */
static bool is_idle(const bundle_source *from, const options *o, const char *key_name,
                    const bundle *contents)
{
    return !from->is_mapped && bundle_is_gain(input_of_key(key_name)) &&
           !bundle_gains_are_wanted(o, contents, NULL);
}

static bool apply_one(const bundle_source *from, const cutting *how, const bundle *read, dtype type,
                      const char *key_name, bundle *contents, err *e)
{
    const entry *found = bundle_find(read, from->name);
    input which = input_of_key(key_name);
    tensor part = {0};
    if (found == NULL)
        return true;
    bool is_cut = is_weight_or_bias(which) && !from->is_mapped && !convention_is_own(how->by);
    if (is_cut && !bundle_cut(how, which, found, &part, e))
        return false;
    entry *added = bundle_borrow(contents, key_name, found, e);
    if (added == NULL) {
        tensor_free(&part);
        return false;
    }
    added->tensor = is_cut ? part : added->tensor;
    added->layout = how->layout;
    if (added->kind == ENTRY_TENSOR && !narrow_weights_settle(key_name, type, &added->tensor, e))
        return false;
    return bundle_gain_settle(how, from->name, from->is_mapped, which, contents, contents, e);
}

static bool apply_keys(given_bundle *b, const options *o, const bundle *read, dtype type,
                       bundle *contents, text *note, err *e)
{
    settle_convention(b, o, read);
    cutting how = cutting_of(b, o, read, contents);
    if (!bundle_names_check_refused(&b->found, o, contents, e) ||
        !check_complete(b, o, contents, e))
        return false;
    bool says_norm = bundle_find(contents, "qk_norm") != NULL;
    for (size_t i = 0; i < KEYS.count; i++) {
        const char *name = named_row(&KEYS, i)->name;
        const bundle_source *from = &b->found.from[i];
        if (from->name != NULL && is_open_to(o, contents, name) &&
            !is_idle(from, o, name, contents) &&
            !apply_one(from, &how, read, type, name, contents, e))
            return false;
    }
    if (!b->use[FOR_ATTENTION].is_said && !o->quiet)
        write_note(b, o, &how, contents, note);
    if (note->length > 0 && !says_norm && bundle_find(contents, "qk_norm") != NULL)
        text_add_string(note, "; qk_norm rms");
    if (note->length > 0)
        add_hints(b, o, contents, note);
    return true;
}

bool given_bundle_apply(given_bundle *b, const options *o, dtype type, bundle *contents, err *e)
{
    if (!b->is_open)
        return true;
    bundle_for kind = kind_for(b, o, contents);
    bundle_use *use = &b->use[kind];
    bool is_wide = type == DTYPE_F64;
    text note = {0};
    if (!find_names(b, o, kind, e) || (!use->is_read[is_wide] && !read_used(b, o, kind, type, e)))
        return false;
    const bundle *read = &use->read[is_wide];
    bool done = kind == FOR_LAYERS
                    ? given_layers_apply(&b->layers, o, read, type, contents, &note, e)
                    : apply_keys(b, o, read, type, contents, &note, e);
    done = done && say_once(b, o, use, &note, e);
    text_free(&note);
    return done;
}

bool given_bundle_is_read(const given_bundle *b, const options *o, dtype type,
                          const bundle *contents)
{
    return !b->is_open || b->use[kind_for(b, o, contents)].is_read[type == DTYPE_F64];
}
