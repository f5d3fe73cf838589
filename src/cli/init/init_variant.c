#include "cli/init/init_variant.h"

#include "base/mem.h"
#include "cli/in/matrix_file.h"
#include "cli/init/init_command.h"
#include "cli/init/init_draws.h"
#include "cli/line/shell_word.h"
#include "cli/out/output_file.h"
#include "io/source.h"
#include "model/keys.h"
#include "random/generator.h"

#include <math.h>
#include <string.h>

/* ---- what can't be asked of a variant ---- */

bool init_variant_check_format(const format *to, err *e)
{
    return to->is_json ||
           err_set(e, "an exercise is a document, and %s has no place for one", to->title);
}

/* The option that says how matrices are drawn, if one is given. */
static const char *drawing(const options *o)
{
    for (size_t i = 0; i < KNOBS; i++) {
        if (o->knobs.is_set[i])
            return KNOB_OPTIONS[i];
    }
    return o->given_count > 0     ? o->given[0].row->named.name
           : o->dist != NULL      ? "dist"
           : o->dist_of.count > 0 ? "dist-of"
           : o->draw.count > 0    ? "draw"
           : o->biases            ? "biases"
           : o->width > 0         ? "width"
           : o->head_width > 0    ? "head-width"
           : o->fan != NULL       ? "fan"
           : o->rng != NULL       ? "rng"
                                  : NULL;
}

static bool check_options(const options *o, const format **to, err *e)
{
    const char *file = o->output == NULL ? "-" : o->output, *other = drawing(o);
    const format *said = output_format_said(o, file);
    *to = said == NULL ? format_by_name("json") : said;
    if (other != NULL)
        return err_set(e, "--%s is about numbers that are drawn, and %s has its own", other,
                       descriptor_name(o->operand[0]));
    return init_variant_check_format(*to, e);
}

/* ---- other numbers ---- */

typedef struct shuffle {
    stream from;
    uint32_t matrices; /* so far */
} shuffle;

/* Fisher and Yates, from the end: each order is as likely. */
static bool shuffle_tensor(shuffle *s, tensor *t, err *e)
{
    size_t count = tensor_count(t), size = dtype_size(t->type);
    draw d = {
        .law = {LAW_UNIFORM, 0, 1}, .matrix = s->matrices++, .type = DTYPE_F64, .total = count};
    double *chance = mem_alloc(count, sizeof chance[0], e);
    char *element = t->data, kept[sizeof(double)];
    if (chance == NULL)
        return false;
    stream_draw(&s->from, &d, 0, count, chance);
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)(chance[i - 1] * (double)i);
        char *here = element + (i - 1) * size, *there = element + other * size;
        memcpy(kept, here, size);
        memmove(here, there, size);
        memcpy(there, kept, size);
    }
    mem_free(chance);
    return true;
}

static bool shuffle_members(shuffle *s, bundle *b, const key_tables *keys, err *e);

/* Of a list of objects, or of words with their numbers. */
static bool shuffle_each(shuffle *s, bundle *b, const key_tables *keys, err *e)
{
    bool done = true;
    for (size_t i = 0; i < b->count && done; i++) {
        entry *one = &b->entry[i];
        if (one->kind == ENTRY_BUNDLE && keys != NULL)
            done = shuffle_members(s, one->bundle, keys, e);
        else if (one->kind == ENTRY_TENSOR && keys == NULL)
            done = shuffle_tensor(s, &one->tensor, e);
    }
    return done;
}

/* Masks, lists and settings are structure. */
static bool shuffle_members(shuffle *s, bundle *b, const key_tables *keys, err *e)
{
    bool done = true;
    for (size_t i = 0; i < b->count && done; i++) {
        entry *one = &b->entry[i];
        const key *row = key_find(keys, one->name, strlen(one->name));
        key_kind kind = row == NULL ? KEY_TEXT : row->kind;
        if (one->kind == ENTRY_TENSOR && kind == KEY_MATRIX)
            done = shuffle_tensor(s, &one->tensor, e);
        else if (one->kind == ENTRY_BUNDLE && kind == KEY_VOCAB)
            done = shuffle_each(s, one->bundle, NULL, e);
        else if (one->kind == ENTRY_BUNDLE && kind == KEY_OBJECT)
            done = shuffle_members(s, one->bundle, ((const object_key *)(const void *)row)->members,
                                   e);
        else if (one->kind == ENTRY_BUNDLE && kind == KEY_OBJECTS)
            done =
                shuffle_each(s, one->bundle, ((const object_key *)(const void *)row)->members, e);
    }
    return done;
}

/* ---- the document ---- */

static bool set_text(bundle *b, const char *name, const text *value, err *e)
{
    bundle made = {0};
    bool done = text_ok(value, e) &&
                bundle_add_text(&made, name, text_string(value), value->length, (place){0}, e) &&
                bundle_take(b, name, &made.entry[0], e);
    bundle_free(&made);
    return done;
}

static bool set_exercise(bundle *b, const text_list *steps, err *e)
{
    bundle made = {0};
    bool done = bundle_add_list(&made, "exercise", steps, (place){0}, e) &&
                bundle_take(b, "exercise", &made.entry[0], e);
    bundle_free(&made);
    return done;
}

/* What its page is called and saves answers for, and what makes it again. */
static bool set_words(bundle *b, const options *o, err *e)
{
    const char *old_name = bundle_text(b, "name"), *old_title = bundle_text(b, "title");
    text name = {0}, title = {0}, command = {0};
    text_add_format(&name, "%s-%zu", old_name == NULL ? "exercise" : old_name, o->seed);
    text_add_format(&title, "%s, variant %zu", old_title == NULL ? "Exercise" : old_title, o->seed);
    text_add_format(&command, "selfattn init --seed %zu", o->seed);
    init_command_add_list(&command, "exercise", &o->exercise);
    text_add_string(&command, " ");
    shell_word_add(&command, o->operand[0]);
    bool done = set_text(b, "name", &name, e) && set_text(b, "title", &title, e) &&
                set_text(b, "source", &command, e) && set_exercise(b, &o->exercise, e);
    text_free(&name);
    text_free(&title);
    text_free(&command);
    return done;
}

static bool read_template(const options *o, bundle *to, err *e)
{
    read_options how = read_options_of(o, o->operand[0], DTYPE_F64);
    how.kind = KEY_EXPECTED;
    how.type_is_fixed = how.keeps_all = how.any_rank = how.takes_truths = how.keeps_json = true;
    const format *from = input_read(o, o->operand[0], &how, to, e);
    place at = {.file = descriptor_name(o->operand[0])};
    return from != NULL &&
           (from->is_json || err_at(e, &at, "a variant is made of a JSON document"));
}

static bool write(const bundle *b, const format *to, const options *o, err *e)
{
    const write_options how = {.digits = option_digits(o),
                               .single_line = (to->holds & HOLDS_STREAM) != 0};
    sink out = {0};
    bool done = sink_open(&out, o->output == NULL ? "-" : o->output, e) &&
                to->write(b, &how, &out, e) && sink_close(&out, e);
    sink_discard(&out);
    return done;
}

bool init_variant(const options *o, err *e)
{
    static const char *const OF_RESULTS[] = {"expected", "tol", "errata"};
    const generator *own = (const generator *)(const void *)named_row(&GENERATORS, 0);
    shuffle s = {.from = stream_begin(own, o->seed)};
    place at = {.file = descriptor_name(o->operand[0])};
    const format *to;
    bundle b = {0};
    bool done = check_options(o, &to, e) && read_template(o, &b, e) &&
                shuffle_members(&s, &b, &STACK_DOCUMENT, e);
    if (done && s.matrices == 0)
        done = err_at(e, &at, "there is no matrix in it that could have other numbers");
    for (size_t i = 0; i < sizeof OF_RESULTS / sizeof OF_RESULTS[0]; i++)
        bundle_remove(&b, OF_RESULTS[i]);
    done = done && set_words(&b, o, e) && write(&b, to, o, e);
    bundle_free(&b);
    return done;
}
