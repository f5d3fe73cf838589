/* selfattn init: inputs and weights from a seed. */
#include "base/mem.h"
#include "cli/command.h"
#include "cli/init/init_command.h"
#include "cli/init/init_draws.h"
#include "cli/init/init_settings.h"
#include "cli/init/init_variant.h"
#include "cli/out/output_file.h"
#include "io/format.h"
#include "random/generator.h"

#include <string.h>

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

/* A window is a multiple of DRAW_RUN, and the last one takes up a rest that is shorter. */
static bool stream_elements(maker *m, const draw *d, void *window, err *e)
{
    for (size_t first = 0; first < d->total;) {
        size_t left = d->total - first, count = left < WINDOW + DRAW_RUN ? left : WINDOW;
        fill_elements(&m->stream, d, first, count, window, m->o->threads);
        text_add(sink_text(&m->sink), window, count * dtype_size(d->type));
        if (!sink_spill(&m->sink, e))
            return false;
        first += count;
    }
    return true;
}

/* One matrix, whose elements go out as they are drawn. */
static bool write_as_drawn(maker *m, err *e)
{
    const making *only = &m->plan->made[0];
    if (m->plan->count > 1) {
        err_set(e, "%s holds one matrix, and %zu are drawn", m->to->title, m->plan->count);
        return err_remedy(e, "--draw names one of them; NPZ holds all");
    }
    tensor shape;
    void *window = mem_alloc(WINDOW + DRAW_RUN, dtype_size(m->plan->type), e);
    if (window == NULL)
        return false;
    tensor_own(&shape, m->plan->type, only->rank, only->size, window);
    m->to->write_head(sink_text(&m->sink), &shape);
    bool done = stream_elements(m, &only->draw, window, e);
    mem_free(window);
    return done;
}

/* ---- all of them ---- */

static bool check_memory(const maker *m, err *e)
{
    if (m->plan->bytes <= m->o->max_memory)
        return true;
    err_set(e, "%zu bytes of memory are needed for %zu matrices, %zu may be used", m->plan->bytes,
            m->plan->count, m->o->max_memory);
    return err_remedy(e, "a matrix alone, to a .npy, needs none; or raise --max-memory");
}

static bool add_matrices(maker *m, bundle *b, err *e)
{
    for (size_t i = 0; i < m->plan->count; i++) {
        const making *one = &m->plan->made[i];
        tensor t;
        if (!tensor_new(&t, one->draw.type, one->rank, one->size, e))
            return false;
        fill_elements(&m->stream, &one->draw, 0, one->draw.total, t.data, m->o->threads);
        if (!bundle_add_tensor(b, one->part->named.name, &t, (place){0}, e))
            return false;
    }
    return true;
}

static bool add_text(bundle *b, const char *name, const text *value, err *e)
{
    return text_ok(value, e) &&
           bundle_add_text(b, name, text_string(value), value->length, (place){0}, e);
}

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
    write_options how = {.digits = option_digits(m->o),
                         .single_line = (m->to->holds & HOLDS_STREAM) != 0,
                         .names_alone = true,
                         .threads = m->o->threads};
    const text_list *asked = &m->o->exercise;
    bool holds_all = (m->to->holds & HOLDS_ALL) != 0, done = check_memory(m, e);
    if (done && holds_all)
        done = add_source(m, &b, e) &&
               (asked->count == 0 || bundle_add_list(&b, "exercise", asked, (place){0}, e));
    if (done && (m->to->holds & HOLDS_METADATA) && !holds_all) {
        done = add_source(m, &metadata, e);
        how.metadata = &metadata;
    }
    done = done && bundle_borrow_all(&b, &m->kept, e) && add_matrices(m, &b, e) &&
           m->to->write(&b, &how, &m->sink, e);
    bundle_free(&b);
    bundle_free(&metadata);
    return done;
}

/* ---- the command ---- */

static const char *output_of(const options *o)
{
    return o->output == NULL ? "-" : o->output;
}

static const format *find_format(const options *o)
{
    const format *said = output_format_said(o, output_of(o));
    return said == NULL ? format_by_name("json") : said;
}

static bool write_whole(maker *m, err *e)
{
    const char *file = output_of(m->o);
    size_t count = m->plan->bytes / dtype_size(m->plan->type),
           bytes = output_format_bytes(m->to, count, m->plan->type);
    if (!output_check_disk(file, "the data", bytes, "draw fewer or smaller matrices", m->o, e) ||
        !sink_open(&m->sink, file, e))
        return false;
    if (m->to->write_head != NULL ? write_as_drawn(m, e) : write_matrices(m, e))
        return sink_close(&m->sink, e);
    sink_discard(&m->sink);
    return false;
}

static bool make(const init_plan *p, const options *o, const env *world, err *e)
{
    maker m = {.o = o, .plan = p, .to = find_format(o)};
    m.stream = stream_begin(p->generator, o->seed);
    init_command_write(p, o, m.to, &m.command);
    bool done = text_ok(&m.command, e) &&
                (o->exercise.count == 0 || init_variant_check_format(m.to, e)) &&
                init_settings_keep(&p->settings, m.to, o, world, &m.kept, e) && write_whole(&m, e);
    text_free(&m.command);
    bundle_free(&m.kept);
    return done;
}

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
    bool done = init_plan_make(&p, o, world, e) && make(&p, o, world, e);
    init_plan_free(&p);
    return done ? EXIT_DONE : EXIT_WRONG;
}
