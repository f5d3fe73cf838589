#include "cli/diff/diff_report.h"

#include "base/mem.h"
#include "cli/command.h"
#include "io/number_read.h"
#include "io/number_write.h"

#include <string.h>

/* ---- the settings that it was made with ---- */

/* "--scale=2", "--causal" or "--no-round": each once, whatever the way of writing it. */
static bool add_setting(text_list *to, const given_key *one, err *e)
{
    text line = {0};
    const char *value = one->value;
    text_add_format(&line, "--%s%s", value == NULL ? "no-" : "", one->row->named.name);
    if (value != NULL && !(one->row->value_is_optional && strcmp(value, "true") == 0)) {
        const char *separator = "=", *end;
        do {
            end = value + strcspn(value, ",");
            text_add_string(&line, separator);
            /* A word as it is, a number as its shortest decimal: "=1,0" of "1.0,0". */
            char shortest[NUMBER_TEXT];
            double number;
            if (number_read_json(value, end, &number))
                text_add(&line, shortest, number_write_f64(number, shortest));
            else
                text_add(&line, value, (size_t)(end - value));
            separator = ",";
            value = end + 1;
        } while (*end != '\0');
    }
    bool done = text_ok(&line, e) && text_list_add(to, text_string(&line), line.length, e);
    text_free(&line);
    return done;
}

/* Of the arguments that a header says. Other options name files, whose numbers are in the hashes,
 * or say how a result is written. Arguments that this version does not take are not error:
 * `is_understood` is false then. */
static bool read_settings(text_list *to, const char *arguments, bool *is_understood, err *e)
{
    static const char PROGRAM[] = "selfattn";
    text_list words = {0};
    options o = {0};
    err refused = {0};
    int taken;
    bool done = text_list_add(&words, PROGRAM, strlen(PROGRAM), e) &&
                shell_words_read(&words, arguments, e);
    if (done) {
        const command *by = command_named((int)words.count, words.item, &taken);
        *is_understood = options_parse(&o, (int)words.count - taken, words.item + taken, by->groups,
                                       by->named.name, &refused);
        if (refused.is_memory)
            *e = refused;
        done = !refused.is_memory;
    }
    for (size_t i = 0; done && *is_understood && i < o.given_count; i++)
        done = o.given[i].row->kind != OPTION_KEY_VALUE || add_setting(to, &o.given[i], e);
    options_free(&o);
    text_list_free(&words);
    return done;
}

/* ---- the lines of a header ---- */

static const char *after(const char *line, const char *start)
{
    size_t length = strlen(start);
    return strncmp(line, start, length) == 0 ? line + length : NULL;
}

/* NULL where it has none of this name. */
static const origin_input *find_input(const origin *in, const char *name)
{
    const entry *found = bundle_find(&in->names, name);
    return found == NULL ? NULL : &in->in[found - in->names.entry];
}

static void free_input(origin_input *in)
{
    mem_free(in->name);
    mem_free(in->shape);
    mem_free(in->type);
    mem_free(in->hash);
}

/* "x, 2 x 2, f32, hash 93b2be02cd2882a0". What is written otherwise was not written by us. */
static bool read_input(origin *to, const char *line, err *e)
{
    size_t name = strcspn(line, ",");
    const char *hash = strstr(line, ", hash ");
    if (hash == NULL || name == 0 || line + name == hash)
        return true;
    const char *shape = line + name + strlen(", "), *digits = hash + strlen(", hash ");
    size_t length = strcspn(shape, ",");
    const char *type = shape + length == hash ? hash : shape + length + strlen(", ");
    origin_input made = {.name = mem_copy_text(line, name, e),
                         .shape = mem_copy_text(shape, length, e),
                         .type = mem_copy_text(type, (size_t)(hash - type), e),
                         .hash = mem_copy_text(digits, strlen(digits), e)};
    /* The name becomes the list's; of two that are the same, the first one counts. */
    bool is_known = made.name != NULL && find_input(to, made.name) != NULL;
    bool is_whole =
        made.name != NULL && made.shape != NULL && made.type != NULL && made.hash != NULL;
    origin_input *larger = is_whole && !is_known
                               ? mem_grow(to->in, to->inputs, &to->capacity, sizeof larger[0], e)
                               : NULL;
    if (larger != NULL)
        to->in = larger;
    if (larger == NULL ||
        bundle_add(&to->names, made.name, strlen(made.name), (place){0}, e) == NULL) {
        free_input(&made);
        return is_known;
    }
    to->in[to->inputs++] = made;
    return true;
}

/* ---- what only one of them has ---- */

static bool list_rest(text_list *to, const text_list *of, const text_list *other, bool skips_type,
                      err *e)
{
    for (size_t i = 0; i < of->count; i++) {
        const char *item = of->item[i];
        if (skips_type && after(item, "--dtype=") != NULL)
            continue;
        if (text_list_find(other, item) == NULL && text_list_find(to, item) == NULL &&
            !text_list_add(to, item, strlen(item), e))
            return false;
    }
    return true;
}

static bool has_same_shape(const origin_input *a, const origin_input *b)
{
    return a != NULL && b != NULL && strcmp(a->shape, b->shape) == 0;
}

static bool is_same(const origin_input *a, const origin_input *b)
{
    return has_same_shape(a, b) && strcmp(a->hash, b->hash) == 0;
}

/* 0.3 is another number in float32 than in float64. */
static bool is_untold(const origin_input *a, const origin_input *b)
{
    return has_same_shape(a, b) && !is_same(a, b) && strcmp(a->type, b->type) != 0;
}

/* ---- what is told ---- */

/* Enough of a hash to tell two apart. */
enum { SHORT_HASH = 8 };

static void tell_side(teller *t, const char *side, const char *file, const origin_input *in,
                      bool shows_shape)
{
    bool is_cut = in != NULL && !shows_shape;
    tell_words(t, "%s %.*s", file, is_cut ? SHORT_HASH : -1,
               in == NULL    ? "none"
               : shows_shape ? in->shape
                             : in->hash);
    if (in == NULL) {
        tell_number(t, side, DTYPE_F64, tensor_hole());
        return;
    }
    tell_open(t, side, "{");
    tell_text(t, "shape", NULL, in->shape);
    tell_text(t, "hash", NULL, in->hash);
    tell_close(t, "}");
}

/* What only words have. */
static void add_words(text *out, const diff_origins *o)
{
    /* "inputs were read as f32 in a.json, as f64 in b.json; whether they …: x, wq" */
    text_add_string(out, o->untold.count > 0 ? "inputs were read" : "");
    for (int side = 0; side < 2 && o->untold.count > 0; side++)
        text_add_format(out, "%s as %s in %s", side == 0 ? "" : ",",
                        find_input(&o->of[side], o->untold.item[0])->type, o->name[side]);
    for (size_t i = 0; i < o->untold.count; i++)
        text_add_format(out, "%s %s", i == 0 ? "; whether they are the same is not known:" : ",",
                        o->untold.item[i]);
    text_add_string(out, o->untold.count > 0 ? "\n" : "");
    size_t start = out->length;
    for (int side = 0; side < 2; side++) {
        const text_list *only = &o->of[side].options;
        if (only->count == 0)
            continue;
        text_add_format(out, "%s %s by",
                        out->length == start ? "made with different options:" : ";", o->name[side]);
        for (size_t i = 0; i < only->count; i++)
            text_add_format(out, " %s", only->item[i]);
    }
    text_add_string(out, out->length == start ? "" : "\n");
    if (strcmp(o->of[0].version, o->of[1].version) != 0)
        text_add_format(out, "made by different versions: %s by %s, %s by %s\n", o->name[0],
                        o->of[0].version, o->name[1], o->of[1].version);
}

void diff_origins_tell(const diff_origins *o, teller *t)
{
    if (!o->are_known)
        return;
    tell_open(t, "different_inputs", "{");
    for (int from = 0; from < 2; from++) {
        for (size_t i = 0; i < o->of[from].inputs; i++) {
            const char *name = o->of[from].in[i].name;
            const origin_input *a = find_input(&o->of[0], name);
            const origin_input *b = find_input(&o->of[1], name);
            bool is_told = from == 1 && a != NULL;
            if (is_told || is_same(a, b) || is_untold(a, b))
                continue;
            /* "made from different inputs: wq (a.json 93b2be02, b.json 311dfbd4)" */
            bool shows_shape = a != NULL && b != NULL && strcmp(a->shape, b->shape) != 0;
            tell_words(t, "made from different inputs: %s (", name);
            tell_open(t, name, "{");
            tell_side(t, "a", o->name[0], a, shows_shape);
            tell_words(t, ", ");
            tell_side(t, "b", o->name[1], b, shows_shape);
            tell_close(t, "}");
            tell_words(t, ")\n");
        }
    }
    tell_close(t, "}");
    tell_list(t, "untold_inputs", &o->untold);
    tell_list(t, "only_options_a", &o->of[0].options);
    tell_list(t, "only_options_b", &o->of[1].options);
    tell_text(t, "version_a", NULL, o->of[0].version);
    tell_text(t, "version_b", NULL, o->of[1].version);
    if (!t->is_json)
        add_words(t->out, o);
}

/* ---- both ---- */

bool diff_origins_read(diff_origins *o, const diff_file file[2], err *e)
{
    text_list settings[2] = {{0}, {0}};
    bool done = true, are_understood[2] = {false, false};
    *o = (diff_origins){.name = {file[0].in.name, file[1].in.name}};
    for (int side = 0; side < 2; side++) {
        const text_list *header = &file[side].header;
        for (size_t i = 0; i < header->count && done; i++) {
            const char *line = header->item[i], *rest;
            if ((rest = after(line, "made by: selfattn ")) != NULL)
                o->of[side].version = rest;
            else if ((rest = after(line, "arguments:")) != NULL)
                done = read_settings(&settings[side], rest, &are_understood[side], e);
            else if ((rest = after(line, "input: ")) != NULL)
                done = read_input(&o->of[side], rest, e);
        }
    }
    o->are_known = done && o->of[0].version != NULL && o->of[1].version != NULL;
    if (done && are_understood[0] && are_understood[1]) {
        /* Where inputs are of one type in both, it makes no difference who asked for it. */
        bool skips_type = o->of[0].inputs > 0;
        for (size_t i = 0; i < o->of[0].inputs; i++) {
            const origin_input *a = &o->of[0].in[i], *b = find_input(&o->of[1], a->name);
            skips_type = skips_type && b != NULL && strcmp(a->type, b->type) == 0;
        }
        done = list_rest(&o->of[0].options, &settings[0], &settings[1], skips_type, e) &&
               list_rest(&o->of[1].options, &settings[1], &settings[0], skips_type, e);
    }
    for (size_t i = 0; i < o->of[0].inputs && done; i++) {
        const origin_input *a = &o->of[0].in[i];
        if (is_untold(a, find_input(&o->of[1], a->name)))
            done = text_list_add(&o->untold, a->name, strlen(a->name), e);
    }
    text_list_free(&settings[0]);
    text_list_free(&settings[1]);
    return done;
}

void diff_origins_free(diff_origins *o)
{
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < o->of[side].inputs; i++)
            free_input(&o->of[side].in[i]);
        mem_free(o->of[side].in);
        bundle_free(&o->of[side].names);
        text_list_free(&o->of[side].options);
    }
    text_list_free(&o->untold);
    *o = (diff_origins){0};
}
