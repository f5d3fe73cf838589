#include "bench/work.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const work *const WORKS[] = {
    &WORK_CORE,    &WORK_LAYER, &WORK_MEMORY,  &WORK_PRODUCT,        &WORK_OPENBLAS, &WORK_ONEDNN,
    &WORK_PEAK,    &WORK_FILL,  &WORK_COMMAND, &WORK_COMMAND_MEMORY, &WORK_DECODE,   &WORK_READ,
    &WORK_ENCODER, &WORK_TOKEN, &WORK_MODEL,   &WORK_MODEL_TOKEN};

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* A linear congruential generator (Numerical Recipes, 2nd edition, 7.1), of which the rivals'
 * scripts have the same: what they multiply is alike in size, and that is enough. */
void fill_random(float *out, size_t count, float scale, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        out[i] = ((float)(seed >> 8 & 0xffff) / 32768.0f - 1) * sqrtf(3) * scale;
    }
}

void bench_must(bool done, const err *e)
{
    if (!done) {
        fprintf(stderr, "bench: %s\n", e->what);
        exit(1);
    }
}

void *bench_alloc(size_t count, size_t size)
{
    err e = {0};
    void *block = mem_alloc(count, size, &e);
    bench_must(block != NULL, &e);
    return block;
}

const work *work_find(const char *name)
{
    for (size_t i = 0; i < sizeof WORKS / sizeof WORKS[0]; i++) {
        if (strcmp(WORKS[i]->name, name) == 0)
            return WORKS[i];
    }
    return NULL;
}

int work_serve(const words *w)
{
    char line[32];
    const work *which = work_find(w->word[0]);
    void *state = which == NULL ? NULL : which->prepare(w);
    if (state == NULL) {
        fprintf(stderr, "bench: %s can't be measured here\n", w->word[0]);
        return 1;
    }
    puts("ready");
    while (fflush(stdout) == 0 && fgets(line, sizeof line, stdin) != NULL) {
        long times = atol(line);
        double least = INFINITY;
        for (long i = 0; i < times; i++)
            least = fmin(least, which->run(state));
        printf("%.9g\n", least);
    }
    return 0;
}
