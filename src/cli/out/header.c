#include "cli/run/work.h"

#include "base/float_bits.h"
#include "base/fnv.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/line/shell_word.h"
#include "cli/version.h"
#include "model/keys.h"

#include <string.h>

/* FNV-1a over the elements' bits as float64, in C order: the same for any strides and either
 * type. */
static uint64_t hash_of(const tensor *t)
{
    uint64_t hash = FNV_OF_NOTHING;
    size_t index[TENSOR_MAX_RANK] = {0};
    do {
        uint64_t bits = float64_bits(tensor_get(t, index));
        for (int byte = 0; byte < 8; byte++)
            hash = fnv_step(hash, (uint8_t)(bits >> (8 * byte)));
    } while (tensor_next(t, index));
    return hash;
}

static bool add_line(text_list *lines, text *line, err *e)
{
    bool done = text_ok(line, e) && text_list_add(lines, text_string(line), line->length, e);
    text_clear(line);
    return done;
}

/* A line is a line, and a result is UTF-8 whatever a file is called: an argument is shown as a
 * message would, but quoted, so that where it ends is told. */
static bool add_argument(text *line, const char *argument, err *e)
{
    char *shown = mem_copy_text(argument, strlen(argument), e);
    if (shown == NULL)
        return false;
    utf8_make_printable(shown);
    text_add_string(line, " ");
    shell_word_add(line, shown);
    mem_free(shown);
    return true;
}

/* command: what a reader would have to type, or NULL for the default one. */
static bool add_maker(text_list *lines, const char *command, const options *o, err *e)
{
    text line = {0};
    text_add_string(&line, "made by: selfattn " SELFATTN_VERSION);
    bool done = add_line(lines, &line, e);
    text_add_string(&line, "arguments:");
    if (command != NULL)
        text_add_format(&line, " %s", command);
    for (int i = 1; i < o->argc && done; i++)
        done = add_argument(&line, o->argv[i], e);
    done = done && add_line(lines, &line, e);
    text_free(&line);
    return done;
}

static bool add_input(text_list *lines, const char *name, const tensor *given, err *e)
{
    text line = {0};
    char shape[SHAPE_TEXT];
    text_add_format(&line, "input: %s, %s, %s, hash %016llx", name, tensor_shape_text(given, shape),
                    dtype_name(given->type), (unsigned long long)hash_of(given));
    bool done = add_line(lines, &line, e);
    text_free(&line);
    return done;
}

bool header_lines(const solution *s, const options *o, text_list *lines, err *e)
{
    const problem *asked = s->rows.count > 0 ? &s->whole : &s->problem;
    bool done = add_maker(lines, NULL, o, e);
    for (input which = INPUT_X; which < INPUT_COUNT && done; which++) {
        const tensor *given = asked->in[which];
        done = given == NULL || add_input(lines, input_key(which), given, e);
    }
    return done;
}

/* ---- of layers ---- */

/* Ids and segments are inputs, as matrices are; a single number is a setting. */
static bool is_input(const key *as, const entry *one)
{
    bool is_matrix = as->kind == KEY_MATRIX || as->kind == KEY_BIAS || as->kind == KEY_MASK;
    return one->kind == ENTRY_TENSOR &&
           (is_matrix || (as->kind == KEY_NUMBERS && one->tensor.rank > 0));
}

/* `way`: to what these are entries of, with a point after it. Layers count from 0, as everywhere in
 * data. */
static bool add_entries(text_list *lines, const key_tables *keys, const bundle *of, text *way,
                        err *e)
{
    size_t length = way->length;
    bool done = true;
    for (size_t i = 0; i < of->count && done; i++) {
        const entry *one = &of->entry[i];
        const key *as = key_find(keys, one->name, strlen(one->name));
        if (as == NULL)
            continue;
        bool is_object = as->kind == KEY_OBJECT || as->kind == KEY_OBJECTS;
        const key_tables *members =
            is_object ? ((const object_key *)(const void *)as)->members : NULL;
        size_t objects = as->kind == KEY_OBJECTS ? one->bundle->count : 0;
        text_add_format(way, as->kind == KEY_OBJECT ? "%s." : "%s", one->name);
        size_t within = way->length;
        if (as->kind == KEY_OBJECT)
            done = add_entries(lines, members, one->bundle, way, e);
        for (size_t j = 0; j < objects && done; j++) {
            way->length = within;
            text_add_format(way, ".%zu.", j);
            done = add_entries(lines, members, one->bundle->entry[j].bundle, way, e);
        }
        if (is_input(as, one))
            done = text_ok(way, e) && add_input(lines, text_string(way), &one->tensor, e);
        way->length = length;
    }
    return done && text_ok(way, e);
}

/* Words are told by the rows that they become. */
bool header_lines_of_stack(const stack *s, const char *command, const tensor *embedded,
                           const options *o, text_list *lines, err *e)
{
    bool has_words = bundle_find(s->document, "vocab") != NULL;
    text way = {0};
    bool done = add_maker(lines, command, o, e) &&
                add_entries(lines, &STACK_DOCUMENT, s->document, &way, e) &&
                (!has_words || add_input(lines, "embedded", embedded, e));
    text_free(&way);
    return done;
}
