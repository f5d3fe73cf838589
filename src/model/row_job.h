/* What is done to rows that don't know of each other, split over a crew. */
#ifndef SELFATTN_MODEL_ROW_JOB_H
#define SELFATTN_MODEL_ROW_JOB_H

#include "model/stack.h"

#include <stdatomic.h>

/* What a number of a row costs next to a multiply-add of a product. */
static const double SUM_COST = 8, ACTIVATION_COST = 8, NORM_COST = 16;

typedef struct row_job row_job;

/* Does something to `count` rows from `first` on. */
typedef void row_work(row_job *j, size_t first, size_t count);

/* out, of a, and of b where its data is there; all contiguous, and of one shape. */
struct row_job {
    row_work *work;
    const kernels *with;
    const kernels *in64; /* of a way back */
    const norm *norm;
    const activation *activation;
    const tensor *a, *b;
    tensor *out;
    atomic_size_t next;
    atomic_bool is_out_of_range;
};

row_work rows_add;      /* a + b */
row_work rows_activate; /* the activation of a, times b where there is one */
row_work rows_norm;     /* the norm of each row of a */
row_work rows_times;    /* a · b */
/* What a is as the gate of an activation with a limit: 1 + a, from −limit to limit; and back, b
 * being the gradient of that: 0 where a is beyond. */
row_work rows_open, rows_open_back;
/* The way back: b is the gradient of what the activation, or the norm, made of a. */
row_work rows_activate_back, rows_norm_back;

/* Each number times a factor, one rounding; nothing where it is 1. */
void rows_scale(const kernels *with, tensor *rows, double factor);
void rows_run(row_job *j, double cost, crew *by);

/* out = the norm of each row of x, which may be the same. False where the squares of a row are
 * beyond float64, unless that is allowed. */
bool rows_norm_all(const norm *n, const kernels *with, const tensor *x, tensor *out,
                   bool allow_nonfinite, crew *by, err *e);

char *row_at(const tensor *rows, size_t row);

#endif
