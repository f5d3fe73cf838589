#include "model/norm.h"

#include "attn/spec/setting.h"
#include "model/rows.h"

#include <math.h>
#include <stdatomic.h>

static const named KINDS[] = {
    {"layer", "(x − mean) / √(variance + eps) · gain + bias: LayerNorm"},
    {"rms", "x / √(mean of squares + eps) · gain: RMSNorm"},
};

static const synonym SYNONYMS[] = {
    {"layernorm", "layer"}, {"layer_norm", "layer"}, {"rmsnorm", "rms"}, {"rms_norm", "rms"},
    {NULL, NULL},
};

const named_table NORM_KINDS = NAMED_TABLE_ALSO("norm kind", KINDS, SYNONYMS);

static const double DEFAULT_EPS = 1e-5;

/* It stays what it is where nothing is given. */
static bool read_eps(const entry *given, double *eps, err *e)
{
    return given == NULL || setting_number(given, 0, eps, e);
}

bool norm_read(norm *n, const entry *from, const entry *eps, bool is_rms, size_t width, err *e)
{
    *n = (norm){.is_rms = is_rms, .eps = DEFAULT_EPS};
    if (!read_eps(eps, &n->eps, e))
        return false;
    if (from == NULL)
        return true;
    if (!vector_read(from->bundle, "gain", from->name, width, &n->gain, e) ||
        !vector_read(from->bundle, "bias", from->name, width, &n->bias, e) ||
        !read_eps(bundle_find(from->bundle, "eps"), &n->eps, e))
        return false;
    return !is_rms || n->bias.data == NULL ||
           err_at(e, &bundle_find(from->bundle, "bias")->at,
                  "%s has a bias, and an RMSNorm adds none", from->name);
}

typedef struct job {
    const norm *by;
    const kernels *with;
    const tensor *x;
    tensor *out;
    atomic_bool *is_in_range;
} job;

/* What inside of the root is eps outside: (√v + eps)² = v + 2·eps·√v + eps². */
static double eps_inside(const job *j, size_t row)
{
    size_t width = j->x->size[1];
    double mean = 0, squares = 0;
    for (size_t i = 0; i < width && !j->by->is_rms; i++)
        mean += tensor_get(j->x, (size_t[]){row, i}) / (double)width;
    for (size_t i = 0; i < width; i++) {
        double part = tensor_get(j->x, (size_t[]){row, i}) - mean;
        squares += part * part;
    }
    return j->by->eps * (2 * sqrt(squares / (double)width) + j->by->eps);
}

static void norm_some(const void *context, size_t first, size_t count)
{
    const job *j = context;
    const norm *by = j->by;
    size_t width = j->x->size[1], bytes = width * dtype_size(j->x->type);
    for (size_t i = first; i < first + count; i++) {
        const char *from = (const char *)j->x->data + i * bytes;
        char *to = (char *)j->out->data + i * bytes;
        double eps = by->eps_is_outside ? eps_inside(j, i) : by->eps;
        if (!(by->is_rms ? j->with->row_rms_norm(from, width, by->gain.data, eps, to)
                         : j->with->row_norm(from, width, by->gain.data, by->bias.data, eps, to)))
            atomic_store(j->is_in_range, false);
    }
}

/* What a number of a row costs next to a multiply-add of a product. */
static const double NORM_COST = 16;

bool norm_rows(const norm *n, const kernels *with, const tensor *x, tensor *out, crew *by)
{
    atomic_bool is_in_range = true;
    job j = {.by = n, .with = with, .x = x, .out = out, .is_in_range = &is_in_range};
    rows_run(by, x->size[0], NORM_COST * (double)x->size[1], norm_some, &j);
    return atomic_load(&is_in_range);
}
