/* selfattn info: what is in files. */
#include "attn/spec/keys.h"

#include "attn/spec/stage.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/in/cli_inputs.h"
#include "cli/in/matrix_file.h"
#include "cli/in/model_files.h"
#include "cli/info/facts.h"
#include "cli/info/info_file.h"
#include "cli/line/options_parse.h"
#include "cli/out/said.h"
#include "io/stored_matrix.h"
#include "kernels/kernels.h"
#include "model/stack_keys.h"

#include <string.h>

/* ---- reading ---- */

/* From so many bytes on the numbers of a matrix with a name are read only where it is asked for:
 * they may be more than memory holds, and the header says all the rest. */
static const size_t LARGE_FILE = (size_t)1 << 30;

static bool read_facts(info_file *to, const source *s, const options *o, err *e)
{
    to->bytes = s->length;
    to->format = input_format_of(o, s->bytes, s->length, to->file, e);
    if (to->format == NULL)
        return false;
    place at = {.file = to->file, .line = 1};
    if (to->format->is_json && !(to->format->holds & HOLDS_STREAM))
        return facts_of_json(&to->root, s->bytes, s->length, at, to->only, e);
    bundle all = {0};
    bool done = true;
    if (to->format->is_json) {
        /* A stream's documents are told together: what is in how many of them. */
        jsonl_lines lines = jsonl_lines_of(s->bytes, s->length);
        to->root.kind = FACT_OBJECT;
        for (; done && jsonl_next(&lines); to->documents++) {
            fact one = {0};
            at.line = lines.number;
            done = facts_of_json(&one, lines.line, lines.length, at, NULL, e) &&
                   facts_join(&to->root, &all, &one, e);
            fact_free(&one);
        }
    } else {
        read_options how = read_options_of(o, s->file, DTYPE_F64);
        how.kind = KEY_EXPECTED;
        how.map = s->map;
        how.type_is_fixed = how.keeps_types = how.allow_nonfinite = true;
        how.any_rank = how.keeps_unread = true;
        const bool is_large = s->length >= LARGE_FILE;
        const char *looks_at = !is_large ? NULL : to->only != NULL ? to->only : "";
        unseen later = {0}; /* which stays unseen */
        if (is_large) {
            how.kind = KEY_MATRIX;
            how.keeps_narrow = how.keeps_bits = true;
            how.allow_nonfinite = false;
            how.later = &later;
        }
        done = to->format->read(s->bytes, s->length, &how, &all, e) &&
               facts_of_bundle(&to->root, &all, looks_at, e);
        unseen_free(&later);
    }
    bundle_free(&all);
    return done;
}

/* Keeps of FILE:NAME only the entry of that name, of any kind. */
static bool keep_only(fact *root, const char *file, const char *name, err *e)
{
    text_list others = {0};
    size_t kept = 0;
    bool done = true;
    for (size_t i = 0; done && i < root->insides; i++) {
        fact *one = &root->inside[i];
        if (strcmp(text_string(&one->name), name) == 0) {
            const fact first = root->inside[0];
            root->inside[0] = *one;
            *one = first;
            kept = 1;
        } else if (one->name.length > 0) {
            done = text_list_add(&others, text_string(&one->name), one->name.length, e);
        }
    }
    for (size_t i = kept; kept > 0 && i < root->insides; i++)
        fact_free(&root->inside[i]);
    root->insides = kept > 0 ? kept : root->insides;
    done = done && (kept > 0 || matrix_file_refuse(file, name, &others, e));
    text_list_free(&others);
    return done;
}

/* ---- what it is for ---- */

/* Whether every name is a row of the tables or a remark, and at least one is a row. */
static bool all_names_in(const fact *object, const key_tables *tables, const char *also)
{
    size_t found = 0;
    for (size_t i = 0; i < object->insides; i++) {
        const text *name = &object->inside[i].name;
        bool is_row = key_find(tables, text_string(name), name->length) != NULL;
        bool is_remark = name->length > 0 && name->data[0] == '_';
        if (!is_row && !is_remark && strcmp(text_string(name), also) != 0)
            return false;
        found += is_row;
    }
    return object->kind == FACT_OBJECT && found > 0;
}

/* Reads the file again, as a document, and plans it. A mistake in it is shown and is not an error,
 * since the file is well-formed. Running out of memory is one. */
static bool find_asked(info_file *to, const source *s, const options *o, err *e)
{
    static double zero;
    err *bad = &to->trouble;
    problem *p = &to->problem;
    bool is_stack = to->kind == INFO_LAYERS;
    to->is_asked = to->kind == INFO_DOCUMENT || is_stack;
    if (!to->is_asked)
        return true;
    read_options how = read_options_of(o, s->file, DTYPE_F32);
    how.keys = &KEYS;
    how.document_keys = is_stack ? &STACK_DOCUMENT : NULL;
    how.map = s->map;
    how.allow_nonfinite = true;
    bool done = to->format->read(s->bytes, s->length, &how, &to->contents, bad);
    if (done && is_stack) {
        stack_settings settings = {.allow_nonfinite = true};
        done = stack_find_kind(&to->contents, NULL, &settings.is_decoder, bad) &&
               stack_read(&to->stack, &to->contents, &settings, isa_best(), bad);
    } else if (done && problem_read(p, &to->contents, bad)) {
        const tensor *weight = p->in[INPUT_WK];
        to->has_inputs = problem_has_inputs(p);
        to->is_asked =
            to->has_inputs || (weight != NULL && p->in[INPUT_WV] != NULL && weight->rank >= 2);
        if (to->is_asked && !to->has_inputs) {
            /* Weights alone are planned for one token of zeros, as wide as they take, and without
             * what belongs to certain tokens. */
            size_t width = weight->size[weight->rank - (p->is_out_in[INPUT_WK] ? 1 : 2)];
            to->token = (tensor){.type = p->type, .rank = 2, .size = {1, width}, .data = &zero};
            p->in[INPUT_X] = &to->token;
            p->in[INPUT_MASK] = p->in[INPUT_BIAS] = NULL;
            p->tokens = p->key_tokens = NULL;
        }
        if (to->is_asked)
            plan_make(&to->plan, p, isa_best()->table(p->type), bad);
    }
    if (bad->is_memory)
        *e = *bad;
    return !e->is_set;
}

/* ---- a model ---- */

static bool add_zeros(bundle *to, const char *name, size_t width, err *e)
{
    const size_t size[] = {1, width};
    tensor row;
    if (!tensor_new(&row, DTYPE_F32, 2, size, e))
        return false;
    memset(row.data, 0, tensor_bytes(row.type, row.rank, row.size));
    return bundle_add_tensor(to, name, &row, (place){0}, e);
}

/* An id, or of a model whose rows nothing here makes, a row. */
static bool add_row(bundle *to, const model_config *by, err *e)
{
    const size_t width = by->size[SIZE_WIDTH].is;
    if (by->of == NULL || by->of->x_of == NULL || by->of->is_of_two || width == 0)
        return bundle_add_number(to, "ids", 0, (place){0}, e);
    return add_zeros(to, "x", width, e);
}

/* A row for cross-attention to look at, as wide as those of the decoder. */
static bool add_memory(bundle *to, err *e)
{
    const entry *layers = bundle_find(to, "layers");
    const tensor *table = bundle_tensor(to, "embedding");
    return layers == NULL || table == NULL ||
           bundle_find(layers->bundle->entry[0].bundle, "cross") == NULL ||
           add_zeros(to, "memory", table->size[1], e);
}

/* Of a folder, of two stacks the decoder: its weights are found and planned for one row, which
 * borrows from them. Why it can't be computed is shown, and is not an error. */
static bool find_model(info_file *to, weights_input *weights, const options *asked,
                       const env *world, err *e)
{
    const stack_settings settings = {.is_decoder = true};
    cli_inputs from_options = {0};
    err *bad = &to->trouble;
    bool is_all_tables;
    to->kind = INFO_MODEL;
    to->is_asked = true;
    model_files files; /* which are told also where something in them is refused */
    if (model_files_open(&files, asked, bad)) {
        to->bytes = model_files_bytes(&files);
        to->files = files.parts;
    }
    model_files_close(&files);
    bool done = !bad->is_set && weights_input_open(weights, asked, world, bad);
    done =
        done && cli_inputs_open(&from_options, asked, world, bad) &&
        add_row(&to->contents, &weights->use[FOR_LAYERS].config, bad) &&
        cli_inputs_apply(&from_options, weights, DTYPE_F32, &to->contents, &is_all_tables, bad) &&
        add_memory(&to->contents, bad);
    if (done)
        model_config_describe(&to->says, &weights->use[FOR_LAYERS].config, &to->contents, true);
    if (done && bundle_find(&to->contents, "memory") != NULL)
        text_add_string(&to->says, ", after an encoder: --memory-ids");
    done = done && stack_read(&to->stack, &to->contents, &settings, isa_best(), bad);
    cli_inputs_close(&from_options);
    if (bad->is_memory)
        *e = *bad;
    return !e->is_set && text_ok(&to->says, e);
}

/* ---- the command ---- */

/* False if the file is bad, which is reported at once; the others are still shown. */
static bool tell_file(const char *file, bool is_first, const options *o, const env *world,
                      sink *out)
{
    static const key_tables OF_ATTENTION = {{&KEYS}}, OF_RESULT = {{&STAGES}};
    info_file one = {0};
    const fact *root = &one.root;
    err wrong = {0};
    source s;
    char *path = matrix_file_split(file, &one.only, &wrong);
    one.file = descriptor_name(path == NULL ? file : path);
    weights_input weights = {.is_for = FOR_LAYERS, .as = "decoder", .keeps_narrow = true};
    const options asked = {
        .bundle = path, .model = path, .quiet = true, .max_memory = o->max_memory};
    bool is_folder = path != NULL && path_is_model(path);
    bool done = path != NULL && !is_folder && source_open(&s, path, o->max_memory, &wrong);
    if (is_folder) {
        done = find_model(&one, &weights, &asked, world, &wrong);
    } else if (done) {
        bool has_layers = false;
        done = read_facts(&one, &s, o, &wrong) &&
               (one.only == NULL || keep_only(&one.root, one.file, one.only, &wrong));
        for (size_t i = 0; i < root->insides; i++)
            has_layers |= strcmp(text_string(&root->inside[i].name), "layers") == 0;
        if (!done || one.only != NULL)
            one.kind = INFO_ANYTHING;
        else if (all_names_in(root, &OF_ATTENTION, "_"))
            one.kind = INFO_DOCUMENT;
        else if (has_layers && all_names_in(root, &STACK_DOCUMENT, "_"))
            one.kind = INFO_LAYERS;
        else if (all_names_in(root, &OF_RESULT, "name"))
            one.kind = INFO_RESULT;
        if (done && one.documents == 0)
            done = find_asked(&one, &s, o, &wrong);
        source_close(&s);
    }
    teller to = {sink_text(out), o->format != NULL};
    if (done && !is_first)
        tell_words(&to, "\n");
    if (done || to.is_json)
        info_tell(&to, &one, &wrong);
    if (!done)
        report_error(world, &wrong);
    fact_free(&one.root);
    plan_free(&one.plan);
    problem_free(&one.problem);
    stack_free(&one.stack);
    bundle_free(&one.contents);
    text_free(&one.says);
    weights_input_close(&weights);
    mem_free(path);
    return done;
}

int command_info(const options *o, env *world, err *e)
{
    static const char *const STANDARD_INPUT[] = {"-"};
    const char *const *file = o->operands == 0 ? STANDARD_INPUT : (const char *const *)o->operand;
    size_t files = o->operands == 0 ? 1 : o->operands, told = 0, bad = 0;
    sink out;
    bool done = false;
    if (o->format != NULL && !format_by_name(o->format)->is_json)
        err_set(e, "info is written as text, or with --format json, not as %s", o->format);
    else if (o->operands == 0 && world->stdin_is_terminal)
        err_set(e, "info takes files, and none is named");
    else
        done = input_keys_check_standard_input(o, file, files, e) && sink_open(&out, "-", e);
    if (!done)
        return EXIT_WRONG;
    for (size_t i = 0; i < files && done; i++) {
        bool is_well = tell_file(file[i], told == 0, o, world, &out);
        told += is_well;
        bad += !is_well;
        done = text_ok(sink_text(&out), e) && sink_flush(&out, e);
    }
    return sink_end(&out, done, e) && bad == 0 ? EXIT_DONE : EXIT_WRONG;
}
