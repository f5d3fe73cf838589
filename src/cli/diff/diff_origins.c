#include "cli/diff/diff_report.h"

#include "cli/command.h"
#include "cli/line/options_parse.h"
#include "io/number_read.h"
#include "io/number_write.h"

#include <stdio.h>
#include <string.h>

/* ---- the settings that it was made with ---- */

/* Adds "--scale=2", "--causal" or "--no-round": spelled the same however it was written. */
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

/* Reads the settings among the arguments in a header. Other options name files, whose numbers the
 * hashes cover, or say how a result is written. Arguments that this version does not know are no
 * error; then *is_understood is false. */
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

/* What is said of an input. */
enum { INPUT_SHAPE, INPUT_TYPE, INPUT_HASH };

/* "x, 2 x 2, f32, hash 93b2be02cd2882a0". Lines of another form are not ours. */
static bool read_input(origin *to, const char *line, err *e)
{
    int name = 0, shape = 0, shape_end = 0, type = 0, type_end = 0, hash = 0;
    sscanf(line, "%*[^,]%n, %n%*[^,]%n, %n%*[^,]%n, hash %n", &name, &shape, &shape_end, &type,
           &type_end, &hash);
    /* If a name comes twice, the first line counts. */
    if (hash == 0 || bundle_find_bytes(&to->inputs, line, (size_t)name) != NULL)
        return true;
    entry *added = bundle_add(&to->inputs, line, (size_t)name, (place){0}, e);
    if (added == NULL)
        return false;
    added->kind = ENTRY_LIST;
    return text_list_add(&added->list, line + shape, (size_t)(shape_end - shape), e) &&
           text_list_add(&added->list, line + type, (size_t)(type_end - type), e) &&
           text_list_add(&added->list, line + hash, strlen(line + hash), e);
}

/* ---- what differs ---- */

/* Whether both have the input, and the same is said of it. */
static bool is_same(const text_list *a, const text_list *b, int which)
{
    return a != NULL && b != NULL && strcmp(a->item[which], b->item[which]) == 0;
}

/* The types differ, so the same text may have become other numbers: 0.3 differs between float32 and
 * float64. */
static bool is_untold(const text_list *a, const text_list *b)
{
    return is_same(a, b, INPUT_SHAPE) && !is_same(a, b, INPUT_HASH) && !is_same(a, b, INPUT_TYPE);
}

/* ---- what is told ---- */

/* Digits of a hash, enough to tell two apart. */
enum { SHORT_HASH = 8 };

static void tell_side(teller *t, const char *side, const char *file, const text_list *in,
                      bool shows_shape)
{
    bool is_cut = in != NULL && !shows_shape;
    tell_words(t, "%s %.*s", file, is_cut ? SHORT_HASH : -1,
               in == NULL ? "none" : in->item[shows_shape ? INPUT_SHAPE : INPUT_HASH]);
    if (in == NULL) {
        tell_number(t, side, DTYPE_F64, tensor_hole());
        return;
    }
    tell_open(t, side, "{");
    tell_text(t, "shape", NULL, in->item[INPUT_SHAPE]);
    tell_text(t, "hash", NULL, in->item[INPUT_HASH]);
    tell_close(t, "}");
}

void diff_origins_tell(const diff_origins *o, teller *t)
{
    if (!o->are_known)
        return;
    tell_open(t, "different_inputs", "{");
    for (int from = 0; from < 2; from++) {
        for (size_t i = 0; i < o->of[from].inputs.count; i++) {
            const char *name = o->of[from].inputs.entry[i].name;
            const text_list *a = bundle_list(&o->of[0].inputs, name);
            const text_list *b = bundle_list(&o->of[1].inputs, name);
            bool is_told = from == 1 && a != NULL, is_shaped = is_same(a, b, INPUT_SHAPE);
            if (is_told || (is_shaped && is_same(a, b, INPUT_HASH)) || is_untold(a, b))
                continue;
            /* "made from different inputs: wq (a.json 93b2be02, b.json 311dfbd4)" */
            bool shows_shape = a != NULL && b != NULL && !is_shaped;
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
    if (t->is_json)
        return;
    text *out = t->out;
    /* "inputs were read as f32 in a.json, as f64 in b.json; whether they …: x, wq" */
    text_add_string(out, o->untold.count > 0 ? "inputs were read" : "");
    for (int side = 0; side < 2 && o->untold.count > 0; side++)
        text_add_format(out, "%s as %s in %s", side == 0 ? "" : ",",
                        bundle_list(&o->of[side].inputs, o->untold.item[0])->item[INPUT_TYPE],
                        o->name[side]);
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

/* ---- both ---- */

bool diff_origins_read(diff_origins *o, const diff_file file[2], err *e)
{
    text_list settings[2] = {{0}, {0}};
    const bundle *inputs = &o->of[0].inputs;
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
    if (done && are_understood[0] && are_understood[1]) {
        /* Where inputs are of one type in both, it makes no difference who asked for it. */
        bool skips_type = inputs->count > 0;
        for (size_t i = 0; i < inputs->count && skips_type; i++) {
            const entry *a = &inputs->entry[i];
            skips_type = is_same(&a->list, bundle_list(&o->of[1].inputs, a->name), INPUT_TYPE);
        }
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < settings[side].count && done; i++) {
                const char *item = settings[side].item[i];
                bool is_told = text_list_find(&settings[1 - side], item) == NULL &&
                               !(skips_type && after(item, "--dtype=") != NULL);
                done = !is_told || text_list_add(&o->of[side].options, item, strlen(item), e);
            }
        }
    }
    for (size_t i = 0; i < inputs->count && done; i++) {
        const entry *a = &inputs->entry[i];
        if (is_untold(&a->list, bundle_list(&o->of[1].inputs, a->name)))
            done = text_list_add(&o->untold, a->name, strlen(a->name), e);
    }
    o->are_known = done && o->of[0].version != NULL && o->of[1].version != NULL;
    text_list_free(&settings[0]);
    text_list_free(&settings[1]);
    return done;
}

void diff_origins_free(diff_origins *o)
{
    for (int side = 0; side < 2; side++) {
        bundle_free(&o->of[side].inputs);
        text_list_free(&o->of[side].options);
    }
    text_list_free(&o->untold);
    *o = (diff_origins){0};
}
