#include "cli/in/cli_inputs.h"

#include "attn/spec/keys.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/in/map_patterns.h"
#include "cli/line/options_parse.h"
#include "cli/out/said.h"
#include "io/number_read.h"
#include "io/slips.h"
#include "model/attention.h"
#include "model/stack_keys.h"
#include "model/stack_run.h"
#include "tensor/bundle.h"
#include "weights/apply.h"
#include "weights/match.h"
#include "weights/sources.h"

#include <string.h>

/* ---- --bundle: whose it is ---- */

/* Whether the bundle is for one attention or for layers: the document says it, or else the bundle
 * or --prefix. */
static bundle_for kind_for(const weights_input *b, const bundle *contents)
{
    if (b->is_for != FOR_EITHER)
        return b->is_for;
    bool is_of_layers =
        text_list_find(&b->names, "layers") != NULL || strstr(b->options.prefix, "{}") != NULL;
    /* It has a key, or expects a stage by its way ("layer.0.attention.weights"), that one attention
     * doesn't have: the layers themselves may be still to come. */
    for (size_t i = 0; i < contents->count && !is_of_layers; i++) {
        const char *name = contents->entry[i].name;
        is_of_layers = named_find(&KEYS, name, strlen(name)) == NULL;
    }
    const entry *expected = bundle_find(contents, "expected");
    for (size_t i = 0; expected != NULL && i < expected->bundle->count && !is_of_layers; i++)
        is_of_layers = strchr(expected->bundle->entry[i].name, '.') != NULL;
    return is_of_layers ? FOR_LAYERS : FOR_ATTENTION;
}

/* ---- reading it ---- */

/* All names, and no numbers but those of formats that can't pass over them. */
static bool read_names(weights_input *b, const options *o, err *e)
{
    static const key ONLY_TYPE[] = {{{"dtype", ""}, KEY_SETTING}};
    static const named_table TABLE = NAMED_TABLE("key", ONLY_TYPE);
    bundle rest = {0};
    bool done = text_list_index(&b->names, e);
    for (size_t i = 0; done && i < b->files.parts; i++) {
        const source *s = &b->files.part[i];
        read_options how = read_options_of(o, s->file, DTYPE_F32);
        how.keys = &TABLE;
        how.skips_unknown = how.type_is_fixed = true;
        how.skipped = &b->names;
        done = b->files.format->read(s->bytes, s->length, &how, &rest, e);
    }
    for (size_t i = 0; done && i < rest.count; i++)
        done = text_list_add(&b->names, rest.entry[i].name, strlen(rest.entry[i].name), e);
    const char *word = bundle_text(&rest, "dtype");
    if (done && word != NULL)
        done = (b->type_word = mem_copy_text(word, strlen(word), e)) != NULL;
    bundle_free(&rest);
    return done && model_files_check(&b->files, &b->names, e);
}

/* Something in it has a name, which may be that of a weight. */
static bool check_names(const weights_input *b, const options *o, err *e)
{
    place at = {.file = descriptor_name(o->bundle)};
    bool has_names = false, is_index = bundle_index_is(&b->names), done = true;
    for (size_t i = 0; i < b->names.count; i++)
        has_names = has_names || *b->names.item[i] != '\0';
    if (has_names && !is_index)
        return true;
    /* Reads everything, for the error of a file without names: the reader's own, or that it has
     * none. */
    bundle all = {0};
    read_options how = read_options_of(o, o->bundle, DTYPE_F32);
    if (is_index || b->names.count == 0)
        done =
            b->files.format->read(b->files.part[0].bytes, b->files.part[0].length, &how, &all, e);
    if (done && is_index) {
        bool is_of_layers = b->is_for == FOR_LAYERS || strstr(b->options.prefix, "{}") != NULL;
        bundle_index_refuse(&all, at.file, &b->options, is_of_layers, e);
    } else if (done) {
        err_at(e, &at, "it has no names by which weights could be found");
        err_remedy(e, "--wq FILE and its like take a matrix without a name");
    }
    bundle_free(&all);
    return false;
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
    bool done = true;
    for (size_t i = 0; done && i < b->files.parts; i++) {
        const source *s = &b->files.part[i];
        read_options how = read_options_of(o, s->file, type);
        how.keys = &table;
        how.document_keys = use->match.is_document ? &STACK_DOCUMENT : NULL;
        how.map = s->map;
        how.keeps_narrow = b->keeps_narrow;
        how.later = &b->unseen;
        how.skips_unknown = how.type_is_fixed = true;
        done = b->files.format->read(s->bytes, s->length, &how, &use->read[is_wide], e);
    }
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
    for (size_t i = 0; i < 2; i++) {
        weight_match_free(&b->use[i].match);
        model_config_free(&b->use[i].config);
    }
    text_list_free(&b->names);
    text_list_free(&b->options.removed);
    text_list_free(&b->map);
    mem_free(b->type_word);
    unseen_free(&b->unseen);
    model_files_close(&b->files);
    *b = (weights_input){0};
}

/* For these contents: a document with memory is a decoder's. */
static bool find_names(weights_input *b, const options *o, bundle_for kind, const bundle *contents,
                       err *e)
{
    bundle_use *use = &b->use[kind];
    if (use->is_found)
        return true;
    bool is_alone = kind == FOR_ATTENTION, is_read;
    bundle_options how = b->options;
    how.as = b->as != NULL || bundle_find(contents, "memory") == NULL ? b->as : "decoder";
    bool done = model_files_config(&b->files, o, is_alone, &use->config, &is_read, e);
    how.config = done && is_read ? &use->config : NULL;
    if (done && b->files.has_config && !is_read)
        note_say(b->world, o, NULL, "%s has no model_type: it is not read",
                 text_string(&b->files.config_path));
    use->is_found = done && weights_match(&use->match, is_alone, &b->names,
                                          descriptor_name(o->bundle), &how, e);
    if (!use->is_found) {
        weight_match_free(&use->match);
        model_config_free(&use->config);
    }
    return use->is_found;
}

bool weights_input_check(const options *o, err *e)
{
    const char *idle = o->map.count > 0 ? "map" : o->prefix != NULL ? "prefix" : NULL;
    return o->bundle != NULL || idle == NULL ||
           err_set(e, "--%s is for the names in a bundle, and --bundle is not given", idle);
}

/* Of what takes more than a moment to be read. */
static void tell_size(const weights_input *b, const options *o)
{
    enum { LARGE = 1 << 30 };
    size_t bytes = model_files_bytes(&b->files), parts = b->files.parts;
    if (bytes >= LARGE)
        note_say(b->world, o, NULL, "%s: %.1f GB of weights in %zu file%s", o->bundle,
                 (double)bytes / 1e9, parts, parts == 1 ? "" : "s");
}

bool weights_input_open(weights_input *b, const options *o, const env *world, err *e)
{
    static const bundle NOTHING;
    if (!weights_input_check(o, e))
        return false;
    if (o->bundle == NULL || b->is_open)
        return true;
    b->world = world;
    b->options = (bundle_options){.prefix = o->prefix == NULL ? "" : o->prefix,
                                  .layout = input_keys_value(o, "layout"),
                                  .generated = o->generated};
    bool done = true;
    for (size_t i = 0; done && i < o->given_count; i++) {
        const char *name = o->given[i].row->key;
        done =
            o->given[i].value != NULL || text_list_add(&b->options.removed, name, strlen(name), e);
    }
    done = done && model_files_open(&b->files, o, e);
    if (done)
        tell_size(b, o);
    done = done && read_names(b, o, e) && map_write_out(&o->map, NULL, &b->names, &b->map, e);
    b->options.map = b->map;
    b->is_open = done && check_names(b, o, e) &&
                 (b->is_for == FOR_EITHER || find_names(b, o, b->is_for, &NOTHING, e));
    if (b->is_open)
        return true;
    weights_input_close(b);
    return false;
}

/* Adds what the bundle holds and `contents` lacks, unless an option removes it. Says the first time
 * what was taken for what. */
static bool weights_input_apply(weights_input *b, const options *o, dtype type, bundle *contents,
                                err *e)
{
    if (!b->is_open)
        return true;
    bundle_for kind = kind_for(b, contents);
    bundle_use *use = &b->use[kind];
    bool is_wide = type == DTYPE_F64;
    text note = {0};
    if (!find_names(b, o, kind, contents, e) ||
        (!use->is_read[is_wide] && !read_used(b, o, use, type, e)))
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

/* ---- options' matrices, settings and lists ---- */

static key_kind kind_of_key(const char *name)
{
    return key_find(&STACK_DOCUMENT, name, strlen(name))->kind;
}

/* A setting: a number where all of it is one, a list where its key takes lists, else a word. */
static bool apply_value(const char *value, const char *name, bundle *contents, place at, err *e)
{
    size_t length = strlen(value), count = 1, read = 0;
    const char *end = value + length, *next = value;
    double number;
    tensor numbers;
    if (number_read_json(value, end, &number))
        return bundle_add_number(contents, name, number, at, e);
    if (kind_of_key(name) != KEY_NUMBERS)
        return bundle_add_text(contents, name, value, length, at, e);
    for (const char *comma = value; (comma = strchr(comma, ',')) != NULL; comma++)
        count++;
    if (!tensor_new(&numbers, DTYPE_F64, 1, &count, e))
        return false;
    for (; read < count; read++) {
        const char *stop = next + strcspn(next, ",");
        if (!number_read_json(next, stop, (double *)numbers.data + read))
            break;
        next = stop + 1;
    }
    if (read == count)
        return bundle_add_tensor(contents, name, &numbers, at, e);
    tensor_free(&numbers);
    return bundle_add_text(contents, name, value, length, at, e);
}

/* Adds items between separators; the newline at a file's end is not one. Items must be UTF-8, since
 * JSON and terminals take nothing else. */
static bool add_items(text_list *list, const char *items, size_t length, char separator,
                      const place *at, err *e)
{
    bool ends_a_line = separator == '\n' && length > 0 && items[length - 1] == '\n';
    const char *end = items + length - ends_a_line;
    while (length > 0) {
        const char *stop = memchr(items, separator, (size_t)(end - items));
        stop = stop == NULL ? end : stop;
        size_t size = (size_t)(stop - items);
        if (separator == '\n' && size > 0 && items[size - 1] == '\r')
            size--;
        const char *bad = utf8_find_invalid(items, items + size);
        if (bad != NULL)
            return err_at(e, at, "byte 0x%02x of item %zu is not UTF-8", (unsigned char)*bad,
                          list->count + 1);
        if (!text_list_add(list, items, size, e))
            return false;
        if (stop == end)
            break;
        items = stop + 1;
    }
    return true;
}

/* Words with commas between, or @FILE with one a line. */
static bool read_list(text_list *list, const options *o, const char *value, place at, err *e)
{
    source s;
    if (value[0] != '@')
        return add_items(list, value, strlen(value), ',', &at, e);
    if (!source_open(&s, value + 1, o->max_memory, e))
        return false;
    const char *nul = memchr(s.bytes, '\0', s.length);
    bool done = nul == NULL && add_items(list, s.bytes, s.length, '\n', &at, e);
    if (nul != NULL) {
        /* An item would end there. */
        err_at(e,
               &(place){.file = descriptor_name(s.file),
                        .has_byte = true,
                        .byte = (size_t)(nul - s.bytes)},
               "a NUL byte stands here, which text doesn't have");
        encoding_remedy(e);
    }
    source_close(&s);
    return done;
}

bool cli_inputs_add_labels(bundle *contents, const char *of, const text_list *labels, place at,
                           err *e)
{
    bool is_query = strcmp(of, "x") == 0 || strcmp(of, "q") == 0;
    bool is_key = strcmp(of, "xk") == 0 || strcmp(of, "k") == 0;
    const char *name = is_query ? "tokens" : "key_tokens";
    bool is_wanted = (is_query || is_key) && bundle_find(contents, name) == NULL;
    return !is_wanted || bundle_add_list(contents, name, labels, at, e);
}

static bool apply_file(cli_input *file, const cli_inputs *g, const char *value, const char *name,
                       dtype type, bundle *contents, err *e)
{
    if (!file->is_read) {
        read_options how = read_options_of(g->options, value, type);
        how.kind = kind_of_key(name) == KEY_FILLED ? KEY_MATRIX : kind_of_key(name);
        how.later = g->later;
        how.type_is_fixed = true;
        if (!matrix_file_read(&file->matrix, value, &how, g->options, e))
            return false;
        /* A file of several matrices is read before it is known what each is wanted for. */
        const entry *read = file->matrix.matrix;
        if (read->tensor.type == DTYPE_BOOL && how.kind != KEY_MASK)
            return err_at(e, &read->at, "'%s' is of true and false, where numbers are wanted",
                          read->name);
        file->is_read = true;
        if (file->matrix.format->is_table)
            note_index_header(g->world, g->options, read);
    }
    const entry *rows = bundle_find(&file->matrix.contents, "rows"), *of = file->matrix.matrix;
    tensor view = tensor_view_of(&of->tensor);
    if (!bundle_add_tensor(contents, name, &view, of->at, e))
        return false;
    bundle_find(contents, name)->stays = true;
    return rows == NULL || cli_inputs_add_labels(contents, name, &rows->list, rows->at, e);
}

static bool apply_one(cli_inputs *g, size_t index, dtype type, bundle *contents,
                      bool *is_all_tables, err *e)
{
    const given_key *one = &g->options->given[index];
    cli_input *file = &g->file[index + (type == DTYPE_F64 ? g->options->given_count : 0)];
    const char *name = one->row->key;
    place at = place_of_option(one->row->named.name);
    bundle_remove(contents, name);
    if (one->value == NULL)
        return true;
    switch (one->row->kind) {
    case OPTION_KEY_FILE:
        if (given_key_file(one) == NULL) /* a word that stands for a matrix */
            return apply_value(one->value, name, contents, at, e);
        if (!apply_file(file, g, one->value, name, type, contents, e))
            return one->row->choices != NULL &&
                   err_remedy(e, "FILE is a file, or the word %s", one->row->choices->first->name);
        *is_all_tables = *is_all_tables && file->matrix.format->is_table;
        return true;
    case OPTION_KEY_LIST:
        file->is_read = file->is_read || read_list(&file->list, g->options, one->value, at, e);
        if (!file->is_read) /* the next document tries again */
            text_list_free(&file->list);
        return file->is_read && bundle_add_list(contents, name, &file->list, at, e);
    default:
        return apply_value(one->value, name, contents, at, e);
    }
}

/* The type in which the matrices were read, for those who read the settings later. */
static bool say_type(bundle *contents, dtype type, err *e)
{
    const char *word = dtype_name(type);
    return bundle_find(contents, "dtype") != NULL ||
           bundle_add_text(contents, "dtype", word, strlen(word), (place){0}, e);
}

/* ---- memory that an encoder makes ---- */

/* What a document has of the encoder's rows, and what that is to the encoder. */
static const struct {
    const char *name, *of_encoder;
} ENCODER_ROWS[] = {{"memory_ids", "ids"}, {"memory_x", "x"}};

enum { ENCODER_KEYS = sizeof ENCODER_ROWS / sizeof ENCODER_ROWS[0] };

/* Settings that an encoder has in common with its decoder. */
static const char *const ALIKE[] = {"heads",      "kv_heads", "norm",  "norm_kind", "norm_eps",
                                    "activation", "scale",    "dtype", "round"};

const entry *encoder_rows(const bundle *contents)
{
    const char *names[ENCODER_KEYS];
    for (size_t i = 0; i < ENCODER_KEYS; i++)
        names[i] = ENCODER_ROWS[i].name;
    return bundle_find_first(contents, names, ENCODER_KEYS);
}

static bool encoder_document(const bundle *contents, bundle *to, err *e)
{
    for (size_t i = 0; i < ENCODER_KEYS; i++) {
        const entry *given = bundle_find(contents, ENCODER_ROWS[i].name);
        if (given != NULL && bundle_borrow(to, ENCODER_ROWS[i].of_encoder, given, e) == NULL)
            return false;
    }
    for (size_t i = 0; i < sizeof ALIKE / sizeof ALIKE[0]; i++) {
        const entry *given = bundle_find(contents, ALIKE[i]);
        if (given != NULL && bundle_borrow(to, ALIKE[i], given, e) == NULL)
            return false;
    }
    return memory_mask_borrow(to, contents, e);
}

/* The encoder's output alone. */
static bool run_encoder(const cli_inputs *g, const bundle *of_encoder, bundle *made, err *e)
{
    static char *OUTPUT[] = {"output"};
    static const text_list EMIT = {.item = OUTPUT, .count = 1};
    const options *o = g->options;
    const stack_settings how = {.allow_nonfinite = o->allow_nonfinite};
    const isa *by = isa_by_name(o->isa, e);
    stack s = {0};
    crew all;
    run_report report = {0};
    size_t bytes, threads;
    bool done = by != NULL && stack_read(&s, of_encoder, &how, by, e);
    threads = done && !o->has_threads ? threads_worth(g->world->processors, stack_operations(&s))
                                      : o->threads;
    done = done && stack_memory(&s, &EMIT, threads, &bytes, e) &&
           stack_check_memory(&s, bytes, o->max_memory, "", e);
    if (done) {
        crew_open(&all, threads);
        done = stack_run(&s, &EMIT, &all, made, &report, e);
        crew_close(&all);
    }
    stack_free(&s);
    return done;
}

/* Memory is what the bundle's encoder makes of the rows that the document has for it. */
static bool make_memory(cli_inputs *g, dtype type, bundle *contents, err *e)
{
    const entry *rows = encoder_rows(contents), *given = bundle_find(contents, "memory");
    bundle of_encoder = {0}, made = {0};
    if (rows == NULL)
        return true;
    if (given != NULL)
        return err_at(e, &given->at, "memory is given, and %s too, which it would be made of",
                      rows->name);
    if (g->options->bundle == NULL) {
        err_at(e, &rows->at, "%s is for the encoder of a bundle, and --bundle is not given",
               rows->name);
        return err_remedy(e, "--model FOLDER and --bundle FILE take an encoder and its decoder");
    }
    options own = *g->options; /* where the decoder is, the encoder is not */
    own.prefix = NULL;
    own.map = (text_list){0};
    g->encoder.is_for = FOR_LAYERS;
    g->encoder.as = "encoder";
    bool done = weights_input_open(&g->encoder, &own, g->world, e) &&
                encoder_document(contents, &of_encoder, e) &&
                weights_input_apply(&g->encoder, &own, type, &of_encoder, e) &&
                say_type(&of_encoder, type, e) && unseen_look(&g->encoder.unseen, e) &&
                run_encoder(g, &of_encoder, &made, e);
    if (!done)
        err_within(e, "the encoder, for %s", rows->name);
    const place at = rows->at;
    done = done && bundle_take(contents, "memory", bundle_find(&made, "output"), e);
    if (done)
        bundle_find(contents, "memory")->at = at;
    for (size_t i = 0; i < ENCODER_KEYS; i++)
        bundle_remove(contents, ENCODER_ROWS[i].name);
    bundle_free(&of_encoder);
    bundle_free(&made);
    return done;
}

/* ---- all of it ---- */

/* The type that matrices are read in: --dtype's, else the document's own, else the command's. */
static dtype type_of(const options *o, const bundle *contents, dtype type)
{
    type = type_of_word(bundle_text(contents, "dtype"), type);
    input_keys_decides_type(o, &type);
    return type;
}

bool cli_inputs_open(cli_inputs *g, const options *o, const env *world, err *e)
{
    *g = (cli_inputs){.options = o, .world = world};
    g->file = mem_alloc_zeroed(2 * o->given_count, sizeof g->file[0], e);
    return g->file != NULL;
}

void cli_inputs_close(cli_inputs *g)
{
    for (size_t i = 0; g->file != NULL && i < 2 * g->options->given_count; i++) {
        matrix_file_free(&g->file[i].matrix);
        text_list_free(&g->file[i].list);
    }
    mem_free(g->file);
    weights_input_close(&g->encoder);
    *g = (cli_inputs){0};
}

bool cli_inputs_is_read(const cli_inputs *g, const weights_input *weights, dtype type,
                        const bundle *contents)
{
    const options *o = g->options;
    const cli_input *file = g->file;
    type = type_of(o, contents, type);
    file += type == DTYPE_F64 ? o->given_count : 0;
    for (size_t i = 0; i < o->given_count; i++) {
        const given_key *one = &o->given[i];
        bool is_list = one->row->kind == OPTION_KEY_LIST && one->value != NULL;
        if ((is_list || given_key_file(one) != NULL) && !file[i].is_read)
            return false;
    }
    return !weights->is_open ||
           weights->use[kind_for(weights, contents)].is_read[type == DTYPE_F64];
}

bool cli_inputs_apply(cli_inputs *g, weights_input *weights, dtype type, bundle *contents,
                      bool *is_all_tables, err *e)
{
    const options *o = g->options;
    type = type_of(o, contents, type);
    *is_all_tables = input_keys_has_input(o) && o->bundle == NULL;
    for (size_t i = 0; i < o->given_count; i++) {
        if (!apply_one(g, i, type, contents, is_all_tables, e))
            return false;
    }
    return make_memory(g, type, contents, e) &&
           weights_input_apply(weights, o, type, contents, e) && say_type(contents, type, e);
}
