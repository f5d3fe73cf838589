#include "cli/given_bundle.h"

#include "attn/keys.h"
#include "base/mem.h"
#include "cli/bundle_cut.h"
#include "cli/given.h"
#include "cli/matrix_file.h"
#include "cli/progress.h"

#include <string.h>

/* As messages name it. */
static const char *file_of(const options *o)
{
    return strcmp(o->bundle, "-") == 0 ? "standard input" : o->bundle;
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

/* The names that are used, and nothing else. */
static bool read_used(given_bundle *b, const options *o, dtype type, err *e)
{
    key *rows = mem_alloc(KEYS.count, sizeof rows[0], e);
    named_table table = {"key", NULL, 0, sizeof rows[0]};
    if (rows == NULL)
        return false;
    for (size_t i = 0; i < KEYS.count; i++) {
        const key *own = (const key *)(const void *)named_row(&KEYS, i);
        if (b->found.from[i].name != NULL)
            rows[table.count++] = (key){{b->found.from[i].name, own->named.help}, own->kind};
    }
    table.first = &rows[0].named;
    read_options how = read_options_of(o, o->bundle, type);
    how.keys = &table;
    how.map = b->source.map;
    how.skips_unknown = how.type_is_fixed = true;
    bool done =
        b->format->read(b->source.bytes, b->source.length, &how, &b->read[type == DTYPE_F64], e);
    mem_free(rows);
    b->is_read[type == DTYPE_F64] = done;
    return done;
}

void given_bundle_close(given_bundle *b)
{
    for (size_t i = 0; i < 2; i++)
        bundle_free(&b->read[i]);
    bundle_names_free(&b->found);
    text_list_free(&b->names);
    mem_free(b->type_word);
    source_close(&b->source);
    *b = (given_bundle){0};
}

bool given_bundle_open(given_bundle *b, const options *o, const env *world, err *e)
{
    if (o->bundle == NULL || b->is_open)
        return true;
    b->world = world;
    b->is_open = source_open(&b->source, o->bundle, e) && read_names(b, o, e) &&
                 bundle_names_find(&b->found, &b->names, file_of(o), o, e);
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

static weight_layout layout_of_word(const char *word)
{
    if (word == NULL)
        return LAYOUT_UNSAID;
    return strcmp(word, "out-in") == 0   ? LAYOUT_OUT_IN
           : strcmp(word, "in-out") == 0 ? LAYOUT_IN_OUT
                                         : LAYOUT_UNSAID;
}

/* A setting of the contents as a count; 0 where it is none. */
static size_t count_of(const bundle *contents, const char *name)
{
    const tensor *number = bundle_tensor(contents, name);
    double value = number == NULL || number->rank != 0 ? 0 : tensor_get(number, NULL);
    return value >= 1 && value < 1e9 ? (size_t)value : 0;
}

/* --layout goes over the convention's, and over what the bundle itself says. */
static cutting cutting_of(const given_bundle *b, const options *o, const bundle *read,
                          const bundle *contents)
{
    weight_layout asked = layout_of_word(given_value(o, "layout"));
    cutting how = {.by = b->found.layer.by,
                   .layout = asked,
                   .layout_is_given = asked != LAYOUT_UNSAID,
                   .heads = count_of(contents, "heads"),
                   .kv_heads = count_of(contents, "kv_heads")};
    if (asked == LAYOUT_UNSAID)
        how.layout = convention_is_own(how.by) ? layout_of_word(bundle_text(read, "layout"))
                                               : how.by->layout;
    return how;
}

/* Of conventions that share their names, the one whose layout the sizes have. */
static void settle_convention(given_bundle *b, const options *o, const bundle *read)
{
    const convention *by = b->found.layer.by;
    const bundle_source *from = bundle_source_of(&b->found, INPUT_WQ);
    const tensor *joint = from->name == NULL ? NULL : bundle_tensor(read, from->name);
    cutting how = {.by = by, .layout = by->layout};
    if (by->cut == CUT_APART || joint == NULL || given_value(o, "layout") != NULL ||
        !bundle_cut_contradicts(&how, joint))
        return;
    for (size_t i = 0; i < CONVENTIONS.count; i++) {
        const convention *other = convention_at(i);
        if (other->cut == by->cut && other->layout != by->layout && strcmp(other->q, by->q) == 0 &&
            strcmp(other->out, by->out) == 0)
            b->found.layer.by = other;
    }
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

/* Which names and which layout; where they are the document's own there is nothing to say. */
static bool say_once(given_bundle *b, const options *o, const cutting *how, err *e)
{
    text line = {0};
    if (b->is_said || o->quiet || convention_is_own(how->by))
        return true;
    b->is_said = true;
    const char *layout = how->layout == LAYOUT_OUT_IN ? "out-in" : "in-out";
    text_add_format(&line, "%s: names of %s%s%s, %s%s: ", file_of(o), how->by->named.name,
                    *b->found.layer.name == '\0' ? "" : " in ", b->found.layer.name, layout,
                    how->layout_is_given ? " as --layout says" : "");
    add_sources(b, &line);
    add_biases(b, &line);
    bool done = text_ok(&line, e);
    if (done) {
        err_make_printable(line.data);
        progress_pause(b->world->progress);
        fprintf(b->world->err, "selfattn: note: %s\n", line.data);
        progress_resume(b->world->progress);
    }
    text_free(&line);
    return done;
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

static bool apply_one(const bundle_source *from, const cutting *how, const bundle *read,
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
    return true;
}

bool given_bundle_apply(given_bundle *b, const options *o, dtype type, bundle *contents, err *e)
{
    if (!b->is_open)
        return true;
    if (!b->is_read[type == DTYPE_F64] && !read_used(b, o, type, e))
        return false;
    const bundle *read = &b->read[type == DTYPE_F64];
    settle_convention(b, o, read);
    cutting how = cutting_of(b, o, read, contents);
    if (!check_complete(b, o, contents, e))
        return false;
    for (size_t i = 0; i < KEYS.count; i++) {
        const char *name = named_row(&KEYS, i)->name;
        const bundle_source *from = &b->found.from[i];
        if (from->name != NULL && is_open_to(o, contents, name) &&
            !apply_one(from, &how, read, name, contents, e))
            return false;
    }
    return say_once(b, o, &how, e);
}

bool given_bundle_is_read(const given_bundle *b, dtype type)
{
    return !b->is_open || b->is_read[type == DTYPE_F64];
}
