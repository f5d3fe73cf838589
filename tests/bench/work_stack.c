/* Layers: an encoder layer from rows to rows, as encode computes a line of a stream, whose weights
 * are packed already, as its rivals' may be; and one token through decoder layers after those that
 * came before, as generate computes it. */
#include "bench/work.h"
#include "bench/work_stack.h"
#include "model/stack_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct layers {
    bundle document;
    stack stack;
    size_t past; /* tokens before the one that is decoded; 0: an encoder */
    packed_weights kept;
    crew by;
} layers;

static void must(bool done, const err *e)
{
    if (!done) {
        fprintf(stderr, "bench: %s\n", e->what);
        exit(1);
    }
}

/* ---- documents ---- */

static void add_numbers(bundle *to, const char *name, int rank, const size_t *size, float scale,
                        unsigned seed)
{
    err e = {0};
    tensor t;
    must(tensor_new(&t, DTYPE_F32, rank, size, &e), &e);
    fill_random(t.data, tensor_count(&t), scale, seed);
    must(bundle_add_tensor(to, name, &t, (place){0}, &e), &e);
}

/* With the seeds of numbers_alike.py, from 2 on. */
static void write_weights(bundle *to, const words *w, unsigned number)
{
    size_t width = words_number(w, "width", 512), hidden = words_number(w, "hidden", 2048);
    bool is_out_in = words_are(w, "layout", "out-in");
    const size_t square[] = {width, width}, narrow[] = {width}, wide[] = {hidden},
                 out_in[] = {hidden, width}, in_out[] = {width, hidden};
    const size_t *in = is_out_in ? out_in : in_out, *out = is_out_in ? in_out : out_in;
    const float side = 1 / sqrtf((float)width), other = 1 / sqrtf((float)hidden);
    const struct {
        const char *name;
        int rank;
        const size_t *size;
        float scale;
    } ROWS[] = {{"wq", 2, square, side}, {"wk", 2, square, side}, {"wv", 2, square, side},
                {"wo", 2, square, side}, {"bq", 1, narrow, 0.1f}, {"bk", 1, narrow, 0.1f},
                {"bv", 1, narrow, 0.1f}, {"bo", 1, narrow, 0.1f}, {"w1", 2, in, side},
                {"b1", 1, wide, 0.1f},   {"w2", 2, out, other},   {"b2", 1, narrow, 0.1f}};
    enum { COUNT = sizeof ROWS / sizeof ROWS[0] };
    for (unsigned i = 0; i < COUNT; i++)
        add_numbers(to, ROWS[i].name, ROWS[i].rank, ROWS[i].size, ROWS[i].scale,
                    number * COUNT + i + 2);
}

static bundle *new_bundle(bundle *in, const char *name)
{
    err e = {0};
    entry *added = bundle_add(in, name, strlen(name), (place){0}, &e);
    must(added != NULL, &e);
    added->kind = ENTRY_BUNDLE;
    added->bundle = bench_alloc(1, sizeof *added->bundle);
    *added->bundle = (bundle){0};
    return added->bundle;
}

static void write_layers(bundle *to, const words *w)
{
    bundle *all = new_bundle(to, "layers");
    err e = {0};
    char number[24];
    for (size_t i = 0; i < words_number(w, "layers", 1); i++) {
        snprintf(number, sizeof number, "%zu", i + 1);
        write_weights(new_bundle(all, number), w, (unsigned)i);
    }
    double heads = (double)words_number(w, "heads", 8);
    must(bundle_add_number(to, "heads", heads, (place){0}, &e), &e);
    if (words_are(w, "layout", "out-in"))
        must(bundle_add_text(to, "layout", "out-in", 6, (place){0}, &e), &e);
}

/* ---- an encoder ---- */

static void run_stack(layers *l, err *e)
{
    static char *const OUTPUT[] = {"output"};
    const text_list emit = {.item = (char **)OUTPUT, .count = 1};
    bundle result = {0};
    run_report report = {0};
    must(stack_run(&l->stack, &emit, &l->by, &result, &report, e), e);
    bundle_free(&result);
}

static layers *new_layers(const words *w, size_t past)
{
    layers *l = bench_alloc(1, sizeof *l);
    *l = (layers){.past = past};
    write_layers(&l->document, w);
    crew_open(&l->by, words_number(w, "threads", 1));
    return l;
}

static bool begin(layers *l, const words *w, const stack_settings *how)
{
    err e = {0};
    const isa *by = isa_by_name(words_value(w, "isa", "auto"), &e);
    if (by != NULL)
        must(stack_read(&l->stack, &l->document, how, by, &e), &e);
    return by != NULL;
}

static void *prepare_encoder(const words *w)
{
    layers *l = new_layers(w, 0);
    const size_t size[] = {words_number(w, "n", 512), words_number(w, "width", 512)};
    add_numbers(&l->document, "x", 2, size, 1, 1);
    bundle_set_stays(&l->document);
    l->kept.most = SIZE_MAX;
    return begin(l, w, &(stack_settings){.packed_weights = &l->kept}) ? l : NULL;
}

static double run_encoder(void *state)
{
    err e = {0};
    double before = now_ms();
    run_stack(state, &e);
    return now_ms() - before;
}

static double encoder_operations(const words *w)
{
    double n = (double)words_number(w, "n", 512), width = (double)words_number(w, "width", 512);
    double hidden = (double)words_number(w, "hidden", 2048);
    return 2 * n * n * width + 4 * n * width * width + 2 * n * width * hidden;
}

/* ---- a token ---- */

enum { PAST = 16 };

/* The prompt is one token, PAST times. */
static void *prepare_token(const words *w)
{
    err e = {0};
    layers *l = new_layers(w, PAST);
    const size_t size[] = {1, words_number(w, "width", 768)}, count = PAST;
    tensor ids;
    add_numbers(&l->document, "embedding", 2, size, 1, 1);
    must(tensor_new(&ids, DTYPE_F64, 1, &count, &e), &e);
    memset(ids.data, 0, PAST * sizeof(double));
    must(bundle_add_tensor(&l->document, "ids", &ids, (place){0}, &e), &e);
    must(bundle_add_text(&l->document, "norm", "pre", 3, (place){0}, &e), &e);
    if (!begin(l, w, &(stack_settings){.is_decoder = true, .goes_on = true}))
        return NULL;
    run_stack(l, &e);
    return l;
}

void forget_rows(stack *s, size_t past)
{
    for (size_t i = 0; i < s->parts; i++) {
        if (s->part[i].attention != NULL)
            s->part[i].attention->cache.rows = past;
    }
    s->before = past - s->rows;
}

static double run_token(void *state)
{
    layers *l = state;
    err e = {0};
    const size_t id = 0;
    double before = now_ms();
    must(stack_go_on(&l->stack, &id, 1, &e), &e);
    run_stack(l, &e);
    double taken = now_ms() - before;
    forget_rows(&l->stack, l->past);
    return taken;
}

const work WORK_ENCODER = {"encoder", prepare_encoder, run_encoder, encoder_operations};
const work WORK_TOKEN = {"token", prepare_token, run_token, NULL};
