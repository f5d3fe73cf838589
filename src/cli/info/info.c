/* selfattn info: what is in files. */
#include "attn/spec/keys.h"
#include "attn/spec/stage.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/info/info_file.h"
#include "cli/in/matrix_file.h"
#include "cli/out/report.h"
#include "io/jsonl.h"
#include "io/source.h"
#include "model/keys.h"

#include <string.h>

/* ---- reading ---- */

/* A stream's documents are told together: what is in how many of them. */
static bool read_lines(info_file *to, const source *s, err *e)
{
    jsonl_lines lines = jsonl_lines_of(s->bytes, s->length);
    bundle names = {0};
    bool done = true;
    to->root.kind = FACT_OBJECT;
    for (; done && jsonl_next(&lines); to->documents++) {
        fact one = {0};
        done = facts_of_json(&one, lines.line, lines.length, to->file, lines.number, e) &&
               facts_join(&to->root, &names, &one, e);
        fact_free(&one);
    }
    bundle_free(&names);
    return done;
}

static bool read_bundle(info_file *to, const source *s, read_options how, err *e)
{
    bundle all = {0};
    how.kind = KEY_EXPECTED;
    how.map = s->map;
    how.type_is_fixed = how.keeps_types = how.allow_nonfinite = true;
    how.any_rank = how.keeps_unread = true;
    bool done =
        to->format->read(s->bytes, s->length, &how, &all, e) && facts_of_bundle(&to->root, &all, e);
    bundle_free(&all);
    return done;
}

static bool read_facts(info_file *to, const source *s, const options *o, err *e)
{
    to->bytes = s->length;
    /* A number or a text alone looks like CSV as well; here its ending is believed. */
    const format *f = input_format_of(o, s->bytes, s->length, to->file, e);
    const format *by_ending = format_by_ending(to->file);
    bool is_table = f != NULL && f->is_table;
    bool is_believed = o->input_format == NULL && by_ending != NULL && by_ending->is_json;
    to->format = is_table && is_believed ? by_ending : f;
    if (to->format == NULL)
        return false;
    if (to->format->holds & HOLDS_STREAM)
        return read_lines(to, s, e);
    if (to->format->is_json)
        return facts_of_json_at(&to->root, s->bytes, s->length, to->file, to->only, e);
    return read_bundle(to, s, read_options_of(o, s->file, DTYPE_F64), e);
}

/* Of FILE:NAME the entry of that name is kept, whatever it is. */
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

/* Every name is a row of the tables, or a remark; and one at least is a row. */
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

static info_kind kind_of(const fact *root)
{
    static const key_tables OF_ATTENTION = {{&KEYS}}, OF_RESULT = {{&STAGES}};
    if (all_names_in(root, &OF_ATTENTION, "_"))
        return INFO_DOCUMENT;
    if (fact_inside(root, "layers") != NULL && all_names_in(root, &STACK_DOCUMENT, "_"))
        return INFO_LAYERS;
    return all_names_in(root, &OF_RESULT, "name") ? INFO_RESULT : INFO_ANYTHING;
}

/* Reads it again, as a document. */
static bool read_document(info_file *to, const source *s, const options *o, err *e)
{
    read_options how = read_options_of(o, s->file, DTYPE_F32);
    how.keys = &KEYS;
    how.document_keys = to->kind == INFO_LAYERS ? &STACK_DOCUMENT : NULL;
    how.map = s->map;
    how.allow_nonfinite = true;
    return to->format->read(s->bytes, s->length, &how, &to->contents, e);
}

/* Weights alone are planned for one token of zeros, as wide as they take, and without what belongs
 * to certain tokens. False where there are none of keys and values. */
static bool add_token(info_file *to)
{
    static double zero;
    problem *p = &to->problem;
    const tensor *weight = p->in[INPUT_WK];
    if (weight == NULL || p->in[INPUT_WV] == NULL || weight->rank < 2)
        return false;
    int axis = weight->rank - (p->is_out_in[INPUT_WK] ? 1 : 2);
    to->token =
        (tensor){.type = p->type, .rank = 2, .size = {1, weight->size[axis]}, .data = &zero};
    p->in[INPUT_X] = &to->token;
    p->in[INPUT_MASK] = p->in[INPUT_BIAS] = NULL;
    p->tokens = p->key_tokens = NULL;
    return true;
}

static bool plan_attention(info_file *to, err *e)
{
    problem *p = &to->problem;
    if (!problem_read(p, &to->contents, e))
        return false;
    to->has_inputs = problem_has_inputs(p);
    to->is_asked = to->has_inputs || add_token(to);
    return !to->is_asked || plan_make(&to->plan, p, isa_best()->table(p->type), e);
}

static bool plan_stack(info_file *to, err *e)
{
    stack_settings how = {.allow_nonfinite = true};
    return stack_find_kind(&to->contents, NULL, &how.is_decoder, e) &&
           stack_read(&to->stack, &to->contents, &how, isa_best(), e);
}

/* What is wrong then is told, and no error: it is well-formed. But without memory nobody knows. */
static bool find_asked(info_file *to, const source *s, const options *o, err *e)
{
    err *bad = &to->trouble;
    to->is_asked = to->kind == INFO_DOCUMENT || to->kind == INFO_LAYERS;
    if (!to->is_asked)
        return true;
    bool is_planned = read_document(to, s, o, bad) &&
                      (to->kind == INFO_LAYERS ? plan_stack(to, bad) : plan_attention(to, bad));
    if (!is_planned && bad->is_memory)
        *e = *bad;
    return !e->is_set;
}

static bool read_file(info_file *to, const char *file, const options *o, err *e)
{
    source s;
    if (!source_open_within(&s, file, o->max_memory, e))
        return false;
    bool done = read_facts(to, &s, o, e) &&
                (to->only == NULL || keep_only(&to->root, to->file, to->only, e));
    to->kind = done && to->only == NULL ? kind_of(&to->root) : INFO_ANYTHING;
    if (done && to->documents == 0)
        done = find_asked(to, &s, o, e);
    source_close(&s);
    return done;
}

/* ---- the command ---- */

/* False where the file is bad, which is said at once: the others are looked at all the same. */
static bool tell_file(const char *file, bool is_first, const options *o, const env *world,
                      sink *out)
{
    info_file one = {0};
    err wrong = {0};
    char *path = matrix_file_split(file, &one.only, &wrong);
    one.file = descriptor_name(path == NULL ? file : path);
    bool done = path != NULL && read_file(&one, path, o, &wrong);
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
    mem_free(path);
    return done;
}

static bool check_options(const options *o, const env *world, err *e)
{
    if (o->format != NULL && !format_by_name(o->format)->is_json)
        return err_set(e, "info is written as text, or with --format json, not as %s", o->format);
    if (o->operands == 0 && world->stdin_is_terminal)
        return err_set(e, "info takes files, and none is named");
    size_t standard = 0;
    for (size_t i = 0; i < o->operands; i++)
        standard += strcmp(o->operand[i], "-") == 0;
    return standard <= 1 ||
           err_set(e, "standard input is named %zu times, it can be read once", standard);
}

int command_info(const options *o, env *world, err *e)
{
    static const char *const STANDARD_INPUT[] = {"-"};
    const char *const *file = o->operands == 0 ? STANDARD_INPUT : (const char *const *)o->operand;
    size_t files = o->operands == 0 ? 1 : o->operands, told = 0, bad = 0;
    sink out;
    if (!check_options(o, world, e) || !sink_open(&out, "-", e))
        return EXIT_WRONG;
    bool done = true;
    for (size_t i = 0; i < files && done; i++) {
        bool is_well = tell_file(file[i], told == 0, o, world, &out);
        told += is_well;
        bad += !is_well;
        done = text_ok(sink_text(&out), e) && sink_flush(&out, e);
    }
    if (!done) {
        sink_discard(&out);
        return EXIT_WRONG;
    }
    return sink_close(&out, e) && bad == 0 ? EXIT_DONE : EXIT_WRONG;
}
