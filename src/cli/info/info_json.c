/* What `info --format json` says: an object a file, a line each. */
#include "cli/info/info_file.h"
#include "io/json_write.h"
#include "io/number_write.h"

#include <math.h>

/* Infinities are texts, as everywhere in our JSON; what is not there is null. */
static void add_number(text *out, const char *name, double value, dtype type)
{
    char digits[NUMBER_TEXT];
    json_member_key(out, name);
    if (isnan(value))
        text_add_string(out, "null");
    else if (isinf(value))
        text_add_string(out, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    else if (type == DTYPE_F32)
        text_add(out, digits, number_write_f32((float)value, digits));
    else
        text_add(out, digits, number_write_f64(value, digits));
}

static void add_shape(text *out, const fact *f)
{
    json_member_key(out, "shape");
    text_add_string(out, "[");
    for (int axis = 0; axis < f->rank; axis++)
        text_add_format(out, "%s%zu", axis == 0 ? "" : ", ", f->size[axis]);
    text_add_string(out, "]");
}

static void add_statistics(text *out, const fact *f)
{
    const statistics *of = &f->numbers;
    bool is_empty = of->finite == 0;
    add_number(out, "min", is_empty ? NAN : of->least, f->type);
    add_number(out, "max", is_empty ? NAN : of->greatest, f->type);
    add_number(out, "mean", statistics_mean(of), DTYPE_F64);
    json_member_count(out, "nan", of->nan);
    json_member_count(out, "infinite", of->infinite);
    json_member_count(out, "null", of->holes);
}

static void add_matrix(text *out, const fact *f)
{
    if (!f->varies)
        add_shape(out, f);
    json_member_text(out, "type",
                     f->stored != NULL       ? f->stored
                     : f->type == DTYPE_BOOL ? "bool"
                                             : "number");
    if (f->stored != NULL)
        json_member_count(out, "bytes", fact_stored_bytes(f));
    add_statistics(out, f);
}

static void add_array(text *out, const fact *f)
{
    json_member_count(out, "count", f->count);
    json_member_count(out, "depth", f->depth);
    json_member_count(out, "numbers", f->numbers.finite);
    json_member_count(out, "texts", f->texts);
    json_member_count(out, "truths", f->truths);
    json_member_count(out, "nulls", f->nulls);
    json_member_count(out, "objects", f->objects);
    json_member_key(out, "ragged");
    text_add_string(out, f->is_ragged ? "true" : "false");
}

/* A number that is none is a text, and so is one too large for float64. */
static void add_value(text *out, const fact *f)
{
    if (f->kind == FACT_TRUTH) {
        json_member_key(out, "value");
        text_add_string(out, text_string(&f->shown));
    } else if (f->kind == FACT_NUMBER && f->numbers.finite == 1) {
        add_number(out, "value", f->numbers.least, f->type);
    } else {
        json_member_text(out, "value", text_string(&f->shown));
    }
}

static void add_entries(text *out, const fact *object, bool is_stream);

static void add_fact(text *out, const fact *f, bool is_stream)
{
    json_member_text(out, "kind", fact_kind_name(f->kind));
    if (is_stream)
        json_member_count(out, "documents", f->lines);
    if (is_stream) {
        json_member_key(out, "varies");
        text_add_string(out, f->varies ? "true" : "false");
    }
    bool has_value = f->kind == FACT_TEXT || f->kind == FACT_NUMBER || f->kind == FACT_TRUTH;
    if (has_value && !f->varies)
        add_value(out, f);
    if (f->kind == FACT_MATRIX)
        add_matrix(out, f);
    if (f->kind == FACT_ARRAY)
        add_array(out, f);
    if (f->kind == FACT_UNREAD)
        json_member_text(out, "error", text_string(&f->shown));
    if (f->kind == FACT_LIST)
        json_member_count(out, "count", f->count);
    if (f->kind == FACT_OBJECT)
        add_entries(out, f, false);
}

static void add_entries(text *out, const fact *object, bool is_stream)
{
    json_member_key(out, "entries");
    text_add_string(out, "[");
    for (size_t i = 0; i < object->insides; i++) {
        text_add_string(out, i == 0 ? "{" : ", {");
        json_member_text(out, "name", text_string(&object->inside[i].name));
        add_fact(out, &object->inside[i], is_stream);
        text_add_string(out, "}");
    }
    text_add_string(out, "]");
}

static void add_notes(text *out, const text_list *notes)
{
    json_member_key(out, "notes");
    text_add_string(out, "[");
    for (size_t i = 0; i < notes->count; i++) {
        text_add_string(out, i == 0 ? "" : ", ");
        json_string_write(out, notes->item[i]);
    }
    text_add_string(out, "]");
}

static void add_heads(text *out, const attention_facts *of)
{
    json_member_text(out, "sharing", of->sharing);
    json_member_count(out, "heads", of->heads);
    json_member_count(out, "kv_heads", of->kv_heads);
}

static void add_widths(text *out, const attention_facts *of)
{
    json_member_count(out, "d_k", of->key_width);
    json_member_count(out, "d_v", of->value_width);
}

static void add_sizes(text *out, const attention_facts *of)
{
    add_heads(out, of);
    if (of->has_inputs) {
        json_member_count(out, "batches", of->batches);
        json_member_count(out, "queries", of->queries);
        json_member_count(out, "keys", of->keys);
    }
    add_widths(out, of);
    json_member_text(out, "dtype", dtype_name(of->type));
    json_member_count(out, "cache_bytes_per_token", of->cache_bytes);
    json_member_text(out, "causal", of->causal);
    json_member_text(out, "score", of->score);
    add_number(out, "scale", of->scale, DTYPE_F64);
    add_notes(out, &of->notes);
}

/* "doc.json:3:1: what is wrong" */
static void add_error(text *out, const err *error)
{
    text said = {0};
    text_add_format(&said, "%s%s%s", error->where, error->where[0] == '\0' ? "" : ": ",
                    error->what);
    json_member_text(out, "error", text_string(&said));
    out->failed = out->failed || said.failed;
    text_free(&said);
}

static void add_attention(text *out, const attention_facts *of)
{
    json_member_key(out, "attention");
    text_add_string(out, "{");
    if (of->trouble.is_set)
        add_error(out, &of->trouble);
    else
        add_sizes(out, of);
    text_add_string(out, "}");
}

static void add_part(text *out, const part_facts *p)
{
    json_member_key(out, part_name(p->kind));
    text_add_string(out, "{");
    if (p->kind == PART_FEED_FORWARD) {
        json_member_count(out, "hidden", p->hidden);
        json_member_text(out, "activation", p->activation);
    } else {
        add_heads(out, &p->attention);
        add_widths(out, &p->attention);
    }
    text_add_string(out, "}");
}

static void add_layers(text *out, const stack_facts *of)
{
    json_member_key(out, "layers");
    text_add_string(out, "[");
    for (size_t i = 0; i < of->layers; i++) {
        const layer_facts *l = &of->layer[i];
        text_add_string(out, i == 0 ? "{" : ", {");
        json_member_text(out, "norm", l->norm);
        for (size_t j = 0; j < l->parts; j++)
            add_part(out, &l->part[j]);
        text_add_string(out, "}");
    }
    text_add_string(out, "]");
}

static void add_stack_sizes(text *out, const stack_facts *of)
{
    if (of->batches > 0)
        json_member_count(out, "batches", of->batches);
    json_member_count(out, "rows", of->rows);
    json_member_count(out, "width", of->width);
    json_member_text(out, "dtype", dtype_name(of->type));
    json_member_count(out, "cache_bytes_per_token", of->cache_bytes);
    add_layers(out, of);
    if (of->has_end)
        add_part(out, &of->end);
}

static void add_stack(text *out, const stack_facts *of)
{
    json_member_key(out, "stack");
    text_add_string(out, "{");
    if (of->trouble.is_set)
        add_error(out, &of->trouble);
    else
        add_stack_sizes(out, of);
    text_add_string(out, "}");
}

void info_write_json(text *out, const info_file *of, const err *error)
{
    static const char *const KINDS[] = {
        [INFO_DOCUMENT] = "document", [INFO_LAYERS] = "layers", [INFO_RESULT] = "result"};
    text_add_string(out, "{");
    json_member_text(out, "file", of->file);
    if (error->is_set) {
        add_error(out, error);
    } else {
        json_member_text(out, "format", of->format->named.name);
        json_member_count(out, "bytes", of->bytes);
        if (of->documents > 0)
            json_member_count(out, "documents", of->documents);
        if (of->kind != INFO_ANYTHING)
            json_member_text(out, "is", KINDS[of->kind]);
        if (of->documents > 0)
            add_entries(out, &of->root, true);
        else
            add_fact(out, &of->root, false);
        if (of->has_attention)
            add_attention(out, &of->attention);
        if (of->has_stack)
            add_stack(out, &of->stack);
    }
    text_add_string(out, "}\n");
}
