/* What fills the slots of src/text/schema.json: the keys of documents, and the words that they and
 * traces may have. */
#include "attn/spec/keys.h"
#include "attn/spec/operation.h"
#include "attn/spec/score.h"
#include "attn/spec/setting.h"
#include "cli/help/help.h"
#include "cli/help/texts.h"
#include "io/json_write.h"
#include "model/keys.h"
#include "model/parts.h"
#include "render/renderer.h"
#include "trace/nodes.h"
#include "trace/step.h"

#include <stdio.h>
#include <string.h>

/* What a key of this kind is, unless a definition has the key's own name. */
static const char *const DEFINITIONS[] = {
    [KEY_MATRIX] = "matrix",
    [KEY_BIAS] = "matrix",
    [KEY_MASK] = "mask",
    [KEY_TRUTHS] = "mask",
    [KEY_EXPECTED] = "number or null",
    [KEY_SETTING] = "setting",
    [KEY_NUMBERS] = "numbers",
    [KEY_SETTINGS] = "numbers",
    [KEY_TEXT] = "text",
    [KEY_LIST] = "list",
    [KEY_STEPS] = "list",
    [KEY_VOCAB] = "vocab",
    [KEY_STAGES] = "stages",
    [KEY_TOL] = "tolerance",
    [KEY_RECORDS] = "records",
    [KEY_OBJECT] = "gain and bias",
    [KEY_OBJECTS] = "layers",
};

static bool is_defined(const char *name)
{
    char line[64];
    snprintf(line, sizeof line, "\n    \"%s\": {", name);
    return strstr(SCHEMA_PAGE, line) != NULL;
}

/* A truth is written as such, or as a text. */
static void write_words(text *out, const named_table *words)
{
    for (size_t i = 0; i < named_count(words); i++) {
        const char *name = named_row(words, i)->name;
        text_add_string(out, i > 0 ? ", " : "");
        if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
            text_add_format(out, "%s, ", name);
        json_string_write(out, name);
    }
}

static void write_key(text *out, const key *of)
{
    const char *name = of->named.name;
    const option_row *option = option_by_key(name, strlen(name)); /* its words are the key's */
    const named_table *words = is_defined(name) || option == NULL ? NULL : option->choices;
    text_add_format(out, "        \"%s\": {\"description\": ", name);
    json_string_write(out, of->named.help);
    if (words == NULL) {
        const char *defined = is_defined(name) ? name : DEFINITIONS[of->kind];
        text_add_format(out, ", \"$ref\": \"#/$defs/%s\"}", defined);
        return;
    }
    text_add_string(out, ", \"enum\": [");
    write_words(out, words);
    text_add_string(out, "]}");
}

static void write_keys(text *out, const key_tables *in)
{
    bool is_first = true;
    for (size_t i = 0; i < KEY_TABLES && in->table[i] != NULL; i++) {
        for (size_t j = 0; j < named_count(in->table[i]); j++) {
            text_add_string(out, is_first ? "" : ",\n");
            write_key(out, (const key *)(const void *)named_row(in->table[i], j));
            is_first = false;
        }
    }
    text_add_string(out, "\n");
}

static void write_attention_keys(text *out)
{
    write_keys(out, &(key_tables){{&KEYS}});
}

static void write_layer_keys(text *out)
{
    write_keys(out, &(key_tables){{&KEYS, &LAYER_KEYS}});
}

static void write_stack_keys(text *out)
{
    write_keys(out, &STACK_DOCUMENT);
}

static void write_norm_keys(text *out)
{
    write_keys(out, &(key_tables){{&NORM_KEYS}});
}

static void write_parts(text *out)
{
    for (int part = PART_ROW; part <= PART_OF_FOCUS; part++)
        text_add_format(out, "%s\"%s\"", part == PART_ROW ? "" : ", ",
                        map_part_name((trace_part)part));
}

static void write_operations(text *out, const named_table *of)
{
    for (size_t i = 0; i < named_count(of); i++) {
        const named *row = named_row(of, i);
        text_add_format(out, "%s        {\"const\": \"%s\", \"description\": ", i > 0 ? ",\n" : "",
                        row->name);
        json_string_write(out, row->help);
        text_add_string(out, "}");
    }
    text_add_string(out, "\n");
}

static void write_version(text *out)
{
    text_add_format(out, "%d", JSON_TRACE_VERSION);
}

static const slot ROWS[] = {
    {{"keys", NULL}, .write = write_attention_keys},
    {{"keys of a layer", NULL}, .write = write_layer_keys},
    {{"keys of a stack", NULL}, .write = write_stack_keys},
    {{"keys of a norm", NULL}, .write = write_norm_keys},
    {{"scales", NULL}, &SCALE_WORDS, write_words, NULL},
    {{"pairings", NULL}, &PAIRING_WORDS, write_words, NULL},
    {{"types", NULL}, &DTYPE_WORDS, write_words, NULL},
    {{"score functions", NULL}, &SCORES, write_words, NULL},
    {{"orders of norms", NULL}, &NORM_ORDERS, write_words, NULL},
    {{"activations", NULL}, &ACTIVATIONS, write_words, NULL},
    {{"steps", NULL}, &STEPS, write_words, NULL},
    {{"floors", NULL}, &FLOORS, write_words, NULL},
    {{"parts", NULL}, .write = write_parts},
    {{"operations", NULL}, &OPERATIONS, write_operations, NULL},
    {{"version of traces", NULL}, .write = write_version},
};

const named_table SCHEMA_SLOTS = NAMED_TABLE("slot", ROWS);
