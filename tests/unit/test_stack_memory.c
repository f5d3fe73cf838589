/* What stack_memory says is what stack_run then takes: no more, so that --max-memory holds, and not
 * much less, so that nothing is refused that would fit. */
#include "attn/spec/keys.h"
#include "heap.h"
#include "io/format.h"
#include "model/stack_keys.h"
#include "model/stack.h"
#include "model/stack_run.h"
#include "unit.h"

/* Next to tensors there are names, places, and what the allocator adds to each block. */
enum { ALLOWANCE = 64 * 1024 };

/* Layers of a width, with feed-forward parts of so many hidden numbers where there are any. */
static const struct row {
    const char *name;
    size_t rows, width, hidden, layers, threads;
    bool goes_on;       /* with cross-attention too, to as many rows of a memory */
    const char *chosen; /* rows that go through the last layer alone; NULL: all */
    const char *emit[3];
    size_t experts; /* in the place of a feed-forward part, with a shared one, two for each row */
    bool has_loss;
} ROWS[] = {
    {"output only", 200, 64, 256, 2, 1, false, NULL, {"output"}, 0, false},
    {"threads", 200, 64, 256, 2, 3, false, NULL, {"output"}, 0, false},
    {"a wide feed-forward part", 60, 128, 1024, 1, 2, false, NULL, {"output"}, 0, false},
    {"all stages", 100, 64, 128, 3, 1, false, NULL, {"*"}, 0, false},
    {"stages of a feed-forward part",
     200,
     64,
     256,
     3,
     2,
     false,
     NULL,
     {"*.ffn.*", "*_sum"},
     0,
     false},
    {"weights of one layer",
     200,
     64,
     0,
     3,
     1,
     false,
     NULL,
     {"layer.1.attention.weights"},
     0,
     false},
    {"means", 300, 32, 0, 3, 1, false, NULL, {"*.mean_weights"}, 0, false},
    {"rollout", 300, 32, 0, 3, 2, false, NULL, {"rollout"}, 0, false},
    {"rollout and all norms",
     300,
     32,
     64,
     2,
     1,
     false,
     NULL,
     {"rollout", "*.ln1", "*.ln2"},
     0,
     false},
    {"caches", 300, 64, 0, 4, 1, true, NULL, {"output"}, 0, false},
    {"caches, and a memory's values", 300, 64, 0, 2, 1, true, NULL, {"*.cross.v"}, 0, false},
    {"caches, and means over a memory",
     300,
     64,
     0,
     2,
     1,
     true,
     NULL,
     {"*.cross.mean_weights"},
     0,
     false},
    {"rows chosen, output only", 200, 64, 256, 2, 1, false, "1", {"output"}, 0, false},
    {"rows chosen of one layer", 300, 32, 1024, 1, 1, false, "7,100:110", {"layer.*"}, 0, false},
    {"rows chosen, threads", 200, 64, 256, 2, 3, false, "-20:", {"layer.1.*"}, 0, false},
    {"experts", 300, 64, 128, 2, 1, false, NULL, {"output"}, 4, false},
    {"stages of experts", 300, 64, 128, 2, 2, false, NULL, {"*.ffn.*"}, 4, false},
    {"back through experts", 300, 64, 128, 2, 1, false, NULL, {"embedded_grad"}, 4, true},
    {"stages back through experts", 300, 64, 128, 2, 2, false, NULL, {"*.ffn.*_grad"}, 4, true},
};

/* ---- documents ---- */

static void add_matrix(text *out, const char *name, size_t rows, size_t columns)
{
    text_add_format(out, "\"%s\": [", name);
    for (size_t i = 0; i < rows; i++) {
        text_add_string(out, i == 0 ? "[" : ", [");
        for (size_t j = 0; j < columns; j++)
            text_add_string(out, j == 0 ? "0.01" : ", 0.01");
        text_add_string(out, "]");
    }
    text_add_string(out, "]");
}

static void add_weights(text *out, size_t width)
{
    static const char *const NAMES[] = {"wq", "wk", "wv", "wo"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        text_add_string(out, i == 0 ? "" : ", ");
        add_matrix(out, NAMES[i], width, width);
    }
}

static void add_feed_forward(text *out, const struct row *one)
{
    add_matrix(out, "w1", one->width, one->hidden);
    text_add_string(out, ", ");
    add_matrix(out, "w2", one->hidden, one->width);
}

/* Equal ones, of which each row goes through the first two. */
static void add_experts(text *out, const struct row *one)
{
    add_matrix(out, "router", one->width, one->experts);
    text_add_string(out, ", \"top_experts\": 2, \"experts\": [");
    for (size_t i = 0; i < one->experts; i++) {
        text_add_string(out, i == 0 ? "{" : "}, {");
        add_feed_forward(out, one);
    }
    text_add_string(out, "}], \"shared\": {");
    add_feed_forward(out, one);
    text_add_string(out, "}");
}

static void add_layer(text *out, const struct row *one)
{
    text_add_string(out, "{");
    add_weights(out, one->width);
    if (one->hidden > 0) {
        text_add_string(out, ", ");
        if (one->experts > 0)
            add_experts(out, one);
        else
            add_feed_forward(out, one);
    }
    if (one->goes_on) {
        text_add_string(out, ", \"cross\": {");
        add_weights(out, one->width);
        text_add_string(out, "}");
    }
    text_add_string(out, "}");
}

static void write_document(text *out, const struct row *one)
{
    text_add_string(out, "{\"heads\": 4, \"norm\": \"post\", ");
    add_matrix(out, "x", one->rows, one->width);
    if (one->goes_on) {
        text_add_string(out, ", \"causal\": true, ");
        add_matrix(out, "memory", one->rows, one->width);
    }
    if (one->has_loss)
        text_add_string(out, ", \"loss\": \"sum\"");
    text_add_string(out, ", \"layers\": [");
    for (size_t i = 0; i < one->layers; i++) {
        text_add_string(out, i == 0 ? "" : ", ");
        add_layer(out, one);
    }
    text_add_string(out, "]}");
}

static bool read_document(const struct row *one, bundle *document, err *e)
{
    read_options how = {.file = "test",
                        .keys = &KEYS,
                        .document_keys = &STACK_DOCUMENT,
                        .kind = KEY_MATRIX,
                        .type = DTYPE_F32};
    text written = {0};
    write_document(&written, one);
    bool done = json_read(written.data, written.length, &how, document, e);
    text_free(&written);
    return done;
}

/* ---- the measure ---- */

static bool run(const stack *s, const text_list *emit, size_t threads, size_t *most, err *e)
{
    bundle result = {0};
    run_report report = {0};
    crew by;
    heap_watch();
    crew_open(&by, threads);
    bool done = stack_run(s, emit, &by, &result, &report, e);
    crew_close(&by);
    *most = heap_peak();
    bundle_free(&result);
    return done;
}

/* What is said is the same whatever the instruction set: panels as wide as any has. Narrower ones
 * take less. */
static bool has_widest_panels(const isa *by)
{
    return by->table(DTYPE_F32)->packed_bytes(1, 1) == PACKED_STEP * sizeof(float);
}

static void measure(unit *u, const struct row *one)
{
    stack_settings how = {.goes_on = one->goes_on};
    text_list emit = {.item = (char **)one->emit};
    const entry said_rows = {.name = "rows", .kind = ENTRY_TEXT, .text = (char *)one->chosen};
    row_choice rows = {0};
    bundle document = {0};
    stack s = {0};
    err e = {0};
    size_t said = 0, most = 0;
    while (emit.count < 3 && one->emit[emit.count] != NULL)
        emit.count++;
    bool done =
        read_document(one, &document, &e) && stack_read(&s, &document, &how, isa_best(), &e) &&
        row_choice_read(&rows, one->chosen == NULL ? NULL : &said_rows, "row", s.rows, &e) &&
        (one->chosen == NULL || stack_narrow(&s, &rows, &emit, &e)) &&
        stack_memory(&s, &emit, one->threads, &said, &e) && run(&s, &emit, one->threads, &most, &e);
    CHECK(u, done);
    bool is_enough = CHECK(u, most <= said + ALLOWANCE);
    /* Of experts what is kept is counted as made too, and a part forth besides one back. */
    size_t nearly = one->experts > 0 ? 2 * most : most * 4 / 3;
    bool is_near = !has_widest_panels(isa_best()) || CHECK(u, said <= nearly);
    if (!done || !is_enough || !is_near)
        printf("  %s: %zu bytes said, %zu taken%s%s\n", one->name, said, most, e.is_set ? ": " : "",
               e.what);
    stack_free(&s);
    row_choice_free(&rows);
    bundle_free(&document);
}

/* ---- beyond an address ---- */

/* As if there were so many rows, and hidden numbers where there are any. */
static void pretend(stack *s, size_t rows, size_t hidden)
{
    s->embedded.size[0] = s->rows = rows;
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            layer_part *p = &s->layer[i].part[j];
            if (p->as->kind == PART_FEED_FORWARD)
                p->feed_forward->hidden = hidden;
            else
                p->attention->plan.n_q = p->attention->plan.n_k = rows;
        }
    }
}

/* A sum that no address can hold is an error, or the most that there is, which no limit allows. */
static void refuses_beyond_an_address(unit *u)
{
    static const struct {
        const char *emit;
        size_t rows, hidden;
        bool goes_on, is_error;
    } CASES[] = {
        {"output", (size_t)1 << 53, 8, false, false},
        {"output", (size_t)1 << 53, (size_t)1 << 11, false, false},
        {"output", (size_t)1 << 53, (size_t)1 << 9, false, false},
        {"*.ln1", (size_t)1 << 54, 8, false, false},
        {"*.attention.q", (size_t)1 << 54, 8, false, false},
        {"output", (size_t)1 << 61, 0, false, true},
        {"*", (size_t)1 << 53, 8, false, true},
        {"layer.0.attention.weights", (size_t)1 << 33, 0, false, true},
        {"output", (size_t)1 << 58, 0, true, true},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct row small = {
            "", 4, 64, CASES[i].hidden > 0 ? 8 : 0, 4, 1, CASES[i].goes_on, NULL, {NULL}, 0, false};
        stack_settings how = {.goes_on = CASES[i].goes_on};
        text_list emit = {.item = (char *[]){(char *)CASES[i].emit}, .count = 1};
        bundle document = {0};
        stack s = {0};
        err e = {0};
        size_t bytes = 0, cached = 0;
        CHECK(u, read_document(&small, &document, &e) &&
                     stack_read(&s, &document, &how, isa_best(), &e));
        pretend(&s, CASES[i].rows, CASES[i].hidden);
        bool done = stack_memory(&s, &emit, 1, &bytes, &e);
        if (!CHECK(u, CASES[i].is_error ? !done && e.is_set : done && bytes == SIZE_MAX))
            printf("  case %zu: %d, %zu bytes %s\n", i, done, bytes, e.what);
        e = (err){0};
        done = stack_stages_memory(&s, &emit, &bytes, &e);
        if (CASES[i].goes_on) {
            CHECK(u, !stack_cache_memory(&s, (size_t)1 << 62, &cached, &e) && e.is_set);
            e = (err){0};
            CHECK(u, stack_cache_memory(&s, (size_t)1 << 53, &cached, &e) && cached == SIZE_MAX);
        }
        stack_free(&s);
        bundle_free(&document);
    }
}

UNIT(stack_memory)
{
    refuses_beyond_an_address(u);
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        measure(u, &ROWS[i]);
}
