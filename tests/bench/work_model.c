/* A model in a folder (gpt2.py), computed as decode and generate do: the logits of all rows of a
 * prompt, and those of the token after it. The last row of them stays next to the model, so that a
 * rival with the same numbers sees whether it computes the same (ort.js). */
#include "bench/work.h"
#include "bench/work_stack.h"
#include "cli/in/document.h"
#include "cli/line/options_parse.h"
#include "model/generation.h"
#include "model/stack_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct model {
    options asked;
    env world;
    weights_input weights;
    document_reader documents;
    document prompt; /* the model, and ids */
    size_t rows;     /* of the prompt */
    stack all;       /* of these, */
    generation next; /* or the token after them, */
    size_t chosen;   /* which is this */
    packed_weights kept;
    crew by;
    bundle made; /* the last logits of all rows */
} model;

static const isa *instructions(const words *w)
{
    err e = {0};
    return isa_by_name(words_value(w, "isa", "auto"), &e);
}

/* ---- the model ---- */

/* Ids far from one another, which are ort.js's too. */
static void add_ids(model *m, size_t vocab)
{
    err e = {0};
    tensor ids;
    bench_must(tensor_new(&ids, DTYPE_F64, 1, &m->rows, &e), &e);
    for (size_t i = 0; i < m->rows; i++)
        ((double *)ids.data)[i] = (double)((i + 1) * 7919 % vocab);
    bench_must(bundle_add_tensor(&m->prompt.contents, "ids", &ids, (place){0}, &e), &e);
}

/* Makes it where it is not there yet. */
static bool make_folder(const words *w)
{
    char line[WORDS_BYTES + 64] = "/usr/bin/python3 tests/bench/gpt2.py folder";
    for (size_t i = 1; i < w->count; i++) {
        strcat(line, " ");
        strcat(line, w->word[i]);
    }
    return system(line) == 0;
}

static model *open_model(const words *w)
{
    static char name[] = "selfattn", option[] = "--model", folder[WORDS_BYTES];
    static char *argument[] = {name, option, folder, NULL};
    model *m = bench_alloc(1, sizeof *m);
    bool is_there;
    err e = {0};
    strcpy(folder, words_value(w, "folder", "."));
    if (!make_folder(w))
        return NULL;
    *m = (model){.weights = {.is_for = FOR_LAYERS, .as = "decoder", .keeps_narrow = true},
                 .rows = words_number(w, "n", 512),
                 .kept = {.most = SIZE_MAX}};
    env_open(&m->world);
    bench_must(options_parse(&m->asked, 3, argument, GROUP_INPUT, "decode", &e), &e);
    m->asked.max_memory = SIZE_MAX;
    m->asked.quiet = true;
    bench_must(
        document_reader_open(&m->documents, &m->asked, &m->weights, &m->world, DTYPE_F32, &e) &&
            document_reader_next(&m->documents, &m->prompt, &is_there, &e) &&
            document_reader_look(&m->documents, &m->prompt, &e),
        &e);
    add_ids(m, words_number(w, "vocab", 1));
    crew_open(&m->by, words_number(w, "threads", 1));
    return m;
}

/* The last row of logits, as raw float32 in FOLDER/NAME. */
static void leave(const tensor *logits, const words *w, const char *name)
{
    char path[WORDS_BYTES + 16];
    const tensor last = tensor_at(logits, logits->size[0] - 1);
    snprintf(path, sizeof path, "%s/%s", words_value(w, "folder", "."), name);
    FILE *to = fopen(path, "wb");
    if (to == NULL || fwrite(last.data, sizeof(float), last.size[0], to) != last.size[0] ||
        fclose(to) != 0) {
        fprintf(stderr, "bench: %s can't be written\n", path);
        exit(1);
    }
}

/* ---- all rows ---- */

static double run_rows(void *state)
{
    static char *LOGITS[] = {"logits"};
    static const text_list EMIT = {.item = LOGITS, .count = 1};
    model *m = state;
    run_report report = {0};
    err e = {0};
    bundle_free(&m->made);
    double before = now_ms();
    bench_must(stack_run(&m->all, &EMIT, &m->by, &m->made, &report, &e), &e);
    return now_ms() - before;
}

static void *prepare_rows(const words *w)
{
    err e = {0};
    model *m = open_model(w);
    const isa *by = instructions(w);
    if (m == NULL || by == NULL)
        return NULL;
    const stack_settings how = {.is_decoder = true, .packed_weights = &m->kept};
    bench_must(bundle_add_text(&m->prompt.contents, "logits", "true", 4, (place){0}, &e) &&
                   stack_read(&m->all, &m->prompt.contents, &how, by, &e),
               &e);
    run_rows(m);
    leave(&bundle_find(&m->made, "logits")->tensor, w, "rows.f32");
    return m;
}

/* ---- a token ---- */

static double run_token(void *state)
{
    model *m = state;
    err e = {0};
    double before = now_ms();
    bench_must(generation_step(&m->next, &m->by, &e), &e);
    double taken = now_ms() - before;
    forget_rows(&m->next.stack, m->rows);
    m->next.step = 1;
    m->next.next = m->chosen;
    return taken;
}

static void *prepare_token(const words *w)
{
    err e = {0};
    model *m = open_model(w);
    const isa *by = instructions(w);
    if (m == NULL || by == NULL)
        return NULL;
    const stack_settings how = {.is_decoder = true, .goes_on = true};
    bench_must(generation_open(&m->next, &m->prompt.contents, &how,
                               &(generation_settings){.steps = 2}, by, &e) &&
                   generation_step(&m->next, &m->by, &e),
               &e);
    m->chosen = m->next.next;
    run_token(m);
    leave(&m->next.logits, w, "token.f32");
    return m;
}

const work WORK_MODEL = {"model", prepare_rows, run_rows, NULL};
const work WORK_MODEL_TOKEN = {"model_token", prepare_token, run_token, NULL};
