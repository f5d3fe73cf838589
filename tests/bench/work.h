/* The works that this program measures in its own process: selfattn's core, the bare
 * multiply-adds, a BLAS, …  Each is prepared once and then repeated as often as it is asked to. */
#ifndef SELFATTN_TESTS_BENCH_WORK_H
#define SELFATTN_TESTS_BENCH_WORK_H

#include "base/err.h"
#include "bench/words.h"

typedef struct work {
    const char *name;
    /* What `run` needs, or NULL where the work can't be done here. It lives as long as the
     * process. */
    void *(*prepare)(const words *w);
    /* One repetition: its milliseconds, or what else the work measures. */
    double (*run)(void *state);
    /* Multiply-adds of one repetition; NULL where the work is something else. */
    double (*multiply_adds)(const words *w);
} work;

/* NULL where there is none of this name. */
const work *work_find(const char *name);

/* Says "ready" on stdout, and then answers each line N on stdin with the least of N repetitions:
 * what the driver expects of every contestant (contestant.h). Returns an exit status. */
int work_serve(const words *w);

double now_ms(void);

/* `count` floats spread evenly over ±√3·scale, so that with a scale of 1 their variance is 1. */
void fill_random(float *out, size_t count, float scale, unsigned seed);

/* Memory that is never freed, or the end of the process. */
void *bench_alloc(size_t count, size_t size);

/* Ends the process with this error where something was not done. */
void bench_must(bool done, const err *e);

/* The rows of the table. */
extern const work WORK_CORE, WORK_LAYER, WORK_MEMORY, WORK_PRODUCT, WORK_OPENBLAS, WORK_ONEDNN,
    WORK_PEAK, WORK_FILL, WORK_COMMAND, WORK_COMMAND_MEMORY, WORK_DECODE, WORK_READ, WORK_ENCODER,
    WORK_TOKEN, WORK_MODEL, WORK_MODEL_TOKEN;

#endif
