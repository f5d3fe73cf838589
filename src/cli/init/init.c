/* selfattn init: inputs and weights from a seed. */
#include "base/mem.h"
#include "cli/command.h"
#include "cli/in/matrix_file.h"
#include "cli/init/init_plan.h"
#include "cli/line/options.h"
#include "cli/out/output_file.h"
#include "io/stored_matrix.h"
#include "io/format.h"
#include "io/number_write.h"
#include "model/keys.h"

#include <string.h>

/* ---- the command line that makes a document again: its "source" ---- */

static void add_option(text *out, const char *name, const char *value)
{
    text_add_format(out, " --%s ", name);
    shell_word_add(out, value);
}

static void init_command_add_list(text *out, const char *name, const text_list *list)
{
    text joined = {0};
    for (size_t i = 0; i < list->count; i++)
        text_add_format(&joined, "%s%s", i == 0 ? "" : ",", list->item[i]);
    if (list->count > 0)
        add_option(out, name, text_string(&joined));
    text_close(&joined, out);
}

static void init_command_write(const init_plan *p, const options *o, const format *to, text *out)
{
    text_add_string(out, "selfattn init");
    const entry *tokens = bundle_find(&p->settings, "tokens");
    if (tokens != NULL)
        init_command_add_list(out, "tokens", &tokens->list);
    else
        text_add_format(out, " --tokens %zu", p->extent[EXTENT_TOKENS]);
    text_add_format(out, " --width %zu", p->extent[EXTENT_WIDTH]);
    if (o->head_width > 0)
        text_add_format(out, " --head-width %zu", o->head_width);
    for (size_t i = 0; i < p->settings.count; i++) {
        const entry *one = &p->settings.entry[i];
        if (one != tokens)
            add_option(out, one->at.file, input_keys_value(o, one->name));
    }
    text_add_format(out, " --rng %s --seed %zu --dist %s", p->generator->named.name, o->seed,
                    init_dist(o));
    for (size_t i = 0; i < o->dist_of.count; i++)
        add_option(out, "dist-of", o->dist_of.item[i]);
    for (size_t i = 0; i < KNOBS; i++) {
        char number[NUMBER_TEXT];
        if (!o->knobs.is_set[i])
            continue;
        number_write_f64(o->knobs.value[i], number);
        add_option(out, KNOB_OPTIONS[i], number);
    }
    if (o->fan != NULL)
        add_option(out, "fan", o->fan);
    init_command_add_list(out, "draw", &o->draw);
    init_command_add_list(out, "exercise", &o->exercise);
    if (o->biases)
        text_add_string(out, " --biases");
    if (o->has_digits && to->is_json)
        text_add_format(out, " --digits %zu", o->digits);
}

/* ---- a variant of an exercise, of the same structure and other numbers ---- */

static bool init_variant_check_format(const format *to, err *e)
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

/* All matrices of a document, of its layers, and of a vocab, words with their numbers. Masks, lists
 * and settings are structure. */
static bool shuffle_members(shuffle *s, bundle *b, const key_tables *keys, err *e)
{
    bool done = true;
    for (size_t i = 0; i < b->count && done; i++) {
        entry *one = &b->entry[i];
        const key *row = key_find(keys, one->name, strlen(one->name));
        key_kind kind = row == NULL ? KEY_TEXT : row->kind;
        bool is_bundle = one->kind == ENTRY_BUNDLE, is_each = kind == KEY_OBJECTS;
        const key_tables *members =
            kind == KEY_OBJECT || is_each ? ((const object_key *)(const void *)row)->members : NULL;
        if (one->kind == ENTRY_TENSOR && kind == KEY_MATRIX)
            done = shuffle_tensor(s, &one->tensor, e);
        else if (is_bundle && kind == KEY_OBJECT)
            done = shuffle_members(s, one->bundle, members, e);
        size_t items = is_bundle && (is_each || kind == KEY_VOCAB) ? one->bundle->count : 0;
        for (size_t j = 0; j < items && done; j++) {
            entry *item = &one->bundle->entry[j];
            if (item->kind == ENTRY_BUNDLE && is_each)
                done = shuffle_members(s, item->bundle, members, e);
            else if (item->kind == ENTRY_TENSOR && !is_each)
                done = shuffle_tensor(s, &item->tensor, e);
        }
    }
    return done;
}

/* ---- the document ---- */

static bool add_text(bundle *b, const char *name, const text *value, err *e)
{
    return text_ok(value, e) &&
           bundle_add_text(b, name, text_string(value), value->length, (place){0}, e);
}

static bool init_variant(const options *o, err *e)
{
    static const char *const OF_RESULTS[] = {"expected", "tol", "errata"};
    const generator *own = (const generator *)(const void *)named_row(&GENERATORS, 0);
    const char *file = o->operand[0], *drawn = drawing(o);
    place at = {.file = descriptor_name(file)};
    const format *to = output_format_or(o, output_data_file(o), "json");
    if (drawn != NULL)
        return err_set(e, "--%s is about numbers that are drawn, and %s has its own", drawn,
                       at.file);
    if (!init_variant_check_format(to, e))
        return false;
    read_options how = read_options_of(o, file, DTYPE_F64);
    how.kind = KEY_EXPECTED;
    how.type_is_fixed = how.keeps_all = how.any_rank = how.takes_truths = how.keeps_json = true;
    shuffle s = {.from = stream_begin(own, o->seed)};
    bundle b = {0};
    const format *from = input_read(o, file, &how, &b, e);
    bool done = from != NULL &&
                (from->is_json || err_at(e, &at, "a variant is made of a JSON document")) &&
                shuffle_members(&s, &b, &STACK_DOCUMENT, e);
    if (done && s.matrices == 0)
        done = err_at(e, &at, "there is no matrix in it that could have other numbers");
    for (size_t i = 0; i < sizeof OF_RESULTS / sizeof OF_RESULTS[0]; i++)
        bundle_remove(&b, OF_RESULTS[i]);
    /* What its page is called and saves answers for, and what makes it again. */
    const char *old_name = bundle_text(&b, "name"), *old_title = bundle_text(&b, "title");
    text name = {0}, title = {0}, made_by = {0};
    bundle made = {0};
    text_add_format(&name, "%s-%zu", old_name == NULL ? "exercise" : old_name, o->seed);
    text_add_format(&title, "%s, variant %zu", old_title == NULL ? "Exercise" : old_title, o->seed);
    text_add_format(&made_by, "selfattn init --seed %zu", o->seed);
    init_command_add_list(&made_by, "exercise", &o->exercise);
    text_add_string(&made_by, " ");
    shell_word_add(&made_by, file);
    done = done && add_text(&made, "name", &name, e) && add_text(&made, "title", &title, e) &&
           add_text(&made, "source", &made_by, e) &&
           bundle_add_list(&made, "exercise", &o->exercise, (place){0}, e);
    for (size_t i = 0; i < made.count && done; i++)
        done = bundle_take(&b, made.entry[i].name, &made.entry[i], e);
    const write_options written = output_how(o, to);
    sink out;
    done = done && sink_open(&out, output_data_file(o), e) &&
           sink_end(&out, to->write(&b, &written, &out, e), e);
    text_free(&name);
    text_free(&title);
    text_free(&made_by);
    bundle_free(&made);
    bundle_free(&b);
    return done;
}

/* So many elements are drawn before they are written, where there is no need to hold all. */
enum { WINDOW = 1 << 20 };

typedef struct maker {
    const options *o;
    const init_plan *plan;
    stream stream;
    text command;
    const format *to;
    bundle kept; /* of the settings, those that the format holds */
    sink sink;
} maker;

/* ---- a matrix of any size ---- */

/* One matrix, whose elements go out as they are drawn. */
static bool write_as_drawn(maker *m, err *e)
{
    const making *only = &m->plan->made[0];
    const draw *d = &only->draw;
    if (m->plan->count > 1) {
        err_set(e, "%s holds one matrix, and %zu are drawn", m->to->title, m->plan->count);
        return err_remedy(e, "--draw names one of them; NPZ holds all");
    }
    tensor shape;
    bool done = true;
    void *window = mem_alloc(WINDOW + DRAW_RUN, dtype_size(m->plan->type), e);
    if (window == NULL)
        return false;
    tensor_own(&shape, m->plan->type, only->rank, only->size, window);
    m->to->write_head(sink_text(&m->sink), &shape);
    /* A window is a multiple of DRAW_RUN, and the last one takes up a rest that is shorter. */
    for (size_t first = 0, count; first < d->total && done; first += count) {
        size_t left = d->total - first;
        count = left < WINDOW + DRAW_RUN ? left : WINDOW;
        fill_elements(&m->stream, d, first, count, window, m->o->threads);
        tensor drawn;
        tensor_own(&drawn, d->type, 1, &count, window);
        done = element_bytes_write(&drawn, &m->sink, e);
    }
    mem_free(window);
    return done;
}

/* ---- all of them ---- */

/* What a document is called, and where it comes from. One of an older distribution has no
 * title, and the bytes that it always had. */
static bool add_source(const maker *m, bundle *b, err *e)
{
    text name = {0}, title = {0};
    /* "own-scaled-123", or "exercise-123", which the answers to it name. */
    if (m->o->exercise.count > 0)
        text_add_format(&name, "exercise-%zu", m->o->seed);
    else
        text_add_format(&name, "%s-%s-%zu", m->plan->generator->named.name, init_dist(m->o),
                        m->o->seed);
    /* "6 tokens of width 8, drawn from seed 123" */
    size_t tokens = m->plan->extent[EXTENT_TOKENS];
    if (m->o->exercise.count > 0)
        text_add_format(&title, "Exercise, variant %zu", m->o->seed);
    else
        text_add_format(&title, "%zu token%s of width %zu, drawn from seed %zu", tokens,
                        tokens == 1 ? "" : "s", m->plan->extent[EXTENT_WIDTH], m->o->seed);
    bool has_title = m->o->exercise.count > 0 || strcmp(init_dist(m->o), "scaled") == 0;
    bool done = add_text(b, "name", &name, e) && (!has_title || add_text(b, "title", &title, e)) &&
                add_text(b, "source", &m->command, e);
    text_free(&name);
    text_free(&title);
    return done;
}

static bool write_matrices(maker *m, err *e)
{
    bundle b = {0}, metadata = {0};
    write_options how = output_how(m->o, m->to);
    how.names_alone = true;
    const text_list *asked = &m->o->exercise;
    bool holds_all = (m->to->holds & HOLDS_ALL) != 0, done = true;
    if (m->plan->bytes > m->o->max_memory) {
        err_set(e, "%zu bytes of memory are needed for %zu matrices, %zu may be used",
                m->plan->bytes, m->plan->count, m->o->max_memory);
        return err_remedy(e, "a matrix alone, to a .npy, needs none; or raise --max-memory");
    }
    if (holds_all)
        done = add_source(m, &b, e) &&
               (asked->count == 0 || bundle_add_list(&b, "exercise", asked, (place){0}, e));
    if ((m->to->holds & HOLDS_METADATA) && !holds_all) {
        done = add_source(m, &metadata, e);
        how.metadata = &metadata;
    }
    done = done && bundle_borrow_all(&b, &m->kept, e);
    for (size_t i = 0; i < m->plan->count && done; i++) {
        const making *one = &m->plan->made[i];
        tensor t;
        done = tensor_new(&t, one->draw.type, one->rank, one->size, e);
        if (!done)
            break;
        fill_elements(&m->stream, &one->draw, 0, one->draw.total, t.data, m->o->threads);
        done = bundle_add_tensor(&b, one->part->named.name, &t, (place){0}, e);
    }
    done = done && m->to->write(&b, &how, &m->sink, e);
    bundle_free(&b);
    bundle_free(&metadata);
    return done;
}

/* ---- the command ---- */

int command_init(const options *o, env *world, err *e)
{
    init_plan p = {0};
    bool has_template = o->exercise.count > 0 && o->operands > 0;
    size_t most = o->exercise.count > 0;
    if (o->operands > most) {
        err_set(e,
                most == 0 ? "init takes no file, and %s is named"
                          : "init --exercise takes one document, and %s is named too",
                o->operand[most]);
        err_remedy(e, "-o FILE says where the result goes");
        return EXIT_WRONG;
    }
    if (has_template)
        return init_variant(o, e) ? EXIT_DONE : EXIT_WRONG;
    const char *file = output_data_file(o);
    maker m = {.o = o, .plan = &p, .to = output_format_or(o, file, "json")};
    bool done = init_plan_make(&p, o, world, e);
    if (done) {
        size_t bytes = output_format_bytes(m.to, p.bytes / dtype_size(p.type), p.type);
        m.stream = stream_begin(p.generator, o->seed);
        init_command_write(&p, o, m.to, &m.command);
        done = text_ok(&m.command, e) &&
               (o->exercise.count == 0 || init_variant_check_format(m.to, e)) &&
               init_settings_keep(&p.settings, m.to, o, world, &m.kept, e) &&
               output_check_disk(file, "the data", bytes, "draw fewer or smaller matrices", o, e) &&
               sink_open(&m.sink, file, e);
    }
    if (done) {
        bool is_made = m.to->write_head != NULL ? write_as_drawn(&m, e) : write_matrices(&m, e);
        done = sink_end(&m.sink, is_made, e);
    }
    text_free(&m.command);
    bundle_free(&m.kept);
    bundle_free(&p.settings);
    return done ? EXIT_DONE : EXIT_WRONG;
}
