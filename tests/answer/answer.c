/* answer [--each] [--isa NAME] [--threads N] [--mode MODE] [--only-output] [--every N]: computes
 * the problems and prints one hash of all results; with --each before it a line for each stage of
 * each problem. Two builds, machines or ways of computing agree where these lines do. NAME may be
 * `plain`: scalar kernels that call the C library's fma. The modes are WAYS in ways.c. --every N
 * takes each N-th problem.
 *
 * answer --isas lists this architecture's instruction sets, answer --self-test proves that the hash
 * notices a single bit, and that the problems have every option. Status 77: this machine lacks the
 * instruction set. */
#include "answer/problems.h"
#include "answer/ways.h"
#include "ref/words_seen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const kernels kernels_scalar_f32, kernels_scalar_f64;

enum { STATUS_NOT_HERE = 77 };

typedef struct options {
    bool each, only_output;
    const char *isa;
    size_t threads, every;
    const way *way;
} options;

static bool is_plain(const options *o)
{
    return strcmp(o->isa, "plain") == 0;
}

static const kernels *kernels_of(const options *o, bool is_float32)
{
    err e = {0};
    if (is_plain(o))
        return is_float32 ? &kernels_scalar_f32 : &kernels_scalar_f64;
    return isa_by_name(o->isa, &e)->table(is_float32 ? DTYPE_F32 : DTYPE_F64);
}

/* The hash of all, this problem's stages after those before it. */
static uint64_t add_trial(uint64_t all, const trial *t, size_t number, bool each)
{
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (!t->has[id])
            continue;
        all = hash_bits(all, t->hash[id]);
        if (each)
            printf("%zu %s %016" PRIx64 "\n", number, stage_row(id)->key.named.name, t->hash[id]);
    }
    return all;
}

static bool run_problem(const options *o, size_t number, uint64_t *all)
{
    ref_problem p;
    problem_make(&p, number);
    trial t = {.problem = &p,
               .allows_nonfinite = problem_is_nonfinite(number),
               .wants_output_only = o->only_output,
               .threads = o->threads,
               .with = kernels_of(o, p.is_float32)};
    bool done = o->way->compute(&t);
    if (done)
        *all = add_trial(*all, &t, number, o->each);
    else
        fprintf(stderr, "answer: problem %zu: %s\n", number, t.failure.what);
    ref_problem_free(&p);
    return done;
}

static int run_all(const options *o)
{
    uint64_t all = HASH_START;
    for (size_t number = 0; number < problems_count(); number += o->every) {
        if (!run_problem(o, number, &all))
            return 1;
    }
    printf("all %016" PRIx64 "\n", all);
    return 0;
}

/* Those of this architecture, also where this machine lacks one. */
static int list_isas(void)
{
    for (size_t i = 0; i < ISAS.count; i++) {
        const isa *one = (const isa *)(const void *)named_row(&ISAS, i);
        if (one->table(DTYPE_F32) != NULL)
            puts(one->named.name);
    }
    return 0;
}

/* Says which option no problem has. */
static bool problems_have_every_option(void)
{
    static words_seen seen;
    for (size_t number = 0; number < problems_count(); number++) {
        ref_problem p;
        char words[REF_DESCRIPTION];
        problem_make(&p, number);
        words_seen_add(&seen, ref_describe(&p, words));
        ref_problem_free(&p);
    }
    return words_seen_all(&seen);
}

static int self_test(void)
{
    bool is_well = hash_notices(DTYPE_F32) && hash_notices(DTYPE_F64);
    puts(is_well ? "the hash notices each bit" : "the hash overlooks a bit");
    return is_well && problems_have_every_option() ? 0 : 1;
}

/* False for an option that there is not. */
static bool read_option(options *o, const char *name, const char *value)
{
    if (value == NULL)
        return false;
    if (strcmp(name, "--isa") == 0)
        o->isa = value;
    else if (strcmp(name, "--threads") == 0)
        o->threads = strtoul(value, NULL, 10);
    else if (strcmp(name, "--every") == 0)
        o->every = strtoul(value, NULL, 10);
    else if (strcmp(name, "--mode") == 0)
        o->way = (const way *)(const void *)named_find(&WAYS, value, strlen(value));
    else
        return false;
    return o->way != NULL && o->every > 0;
}

static bool read_options(options *o, int argc, char **argv)
{
    *o = (options){.isa = "auto", .threads = 1, .every = 1};
    o->way = (const way *)(const void *)named_row(&WAYS, 0);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--each") == 0)
            o->each = true;
        else if (strcmp(argv[i], "--only-output") == 0)
            o->only_output = true;
        else if (!read_option(o, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return true;
}

int main(int argc, char **argv)
{
    options o;
    err e = {0};
    if (argc == 2 && strcmp(argv[1], "--isas") == 0)
        return list_isas();
    if (argc == 2 && strcmp(argv[1], "--self-test") == 0)
        return self_test();
    if (!read_options(&o, argc, argv)) {
        fprintf(stderr, "answer: see the top of tests/answer/answer.c\n");
        return 2;
    }
    if (!is_plain(&o) && isa_by_name(o.isa, &e) == NULL) {
        fprintf(stderr, "answer: %s\n", e.what);
        return STATUS_NOT_HERE;
    }
    return run_all(&o);
}
