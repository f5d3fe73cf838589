#include "attn/engine/positions.h"

#include "attn/spec/angle.h"
#include "attn/engine/norms.h"
#include "base/mem.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- sinusoidal positions ---- */

static const double BASE = 10000;

double sinusoid_frequency(size_t i, size_t width)
{
    return angle_frequency(BASE, i, width);
}

bool sinusoid_add_rows(const tensor *x, double first, const kernels *with, tensor *sums, err *e)
{
    size_t width = x->size[2], waves = (width + 1) / 2;
    double *frequency = mem_alloc(waves, sizeof frequency[0], e);
    if (frequency == NULL)
        return false;
    for (size_t i = 0; i < waves; i++)
        frequency[i] = sinusoid_frequency(i, width);
    for (size_t i = 0; i < x->size[1] * width; i++) {
        size_t row = i / width, column = i % width; /* an odd width ends with a sine */
        double cosine, sine;
        with->angles(first + (double)row, &frequency[column / 2], 1, &cosine, &sine);
        double wave = column % 2 == 0 ? sine : cosine;
        for (size_t batch = 0; batch < x->size[0]; batch++) {
            size_t index[] = {batch, row, column};
            tensor_set(sums, index, tensor_get(x, index) + wave);
        }
    }
    mem_free(frequency);
    return true;
}

bool sinusoid_add(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    tensor *x = &with->made->x;
    *x = placed_at(with->at, id);
    if (p->asked->places == NULL)
        return sinusoid_add_rows(&p->q.rows, (double)visible_position(p, 0, 0), p->with, x, e);
    for (size_t i = 0; i < p->n_q; i++) {
        tensor row = tensor_range(&p->q.rows, 1, i, 1), to = tensor_range(x, 1, i, 1);
        if (!sinusoid_add_rows(&row, (double)visible_position(p, 0, i), p->with, &to, e))
            return false;
    }
    return true;
}

/* ---- one length ---- */

/* How many norms a row of all heads has: one a head, or one of all. */
static size_t norms_of_row(const plan *p, size_t heads)
{
    return p->asked->norms_together ? 1 : heads;
}

/* What the number'th norm of row i spans. Heads that one spans lie side by side. */
static tensor normed_row(const plan *p, const tensor *all, size_t batch, size_t number, size_t i)
{
    tensor rows = plan_of_head(all, batch, number), row = tensor_at(&rows, i);
    size_t heads = all->size[1] / norms_of_row(p, all->size[1]);
    assert(heads == 1 || all->stride[1] == (ptrdiff_t)row.size[0]);
    row.size[0] *= heads;
    return row;
}

bool normalize_heads(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    const projection *role = plan_role(p, id);
    bool is_query = id == STAGE_Q_NORM;
    const tensor *gain = is_query ? &p->q_gain : &p->k_gain;
    tensor *rows = is_query ? &with->made->q : &with->made->k, out = projected_place(with, id);
    size_t norms = norms_of_row(p, role->heads);
    for (size_t unit = 0; unit < p->batches * norms; unit++) {
        size_t batch = unit / norms, number = unit % norms;
        const void *by = gain->data == NULL ? NULL : tensor_at(gain, number).data;
        for (size_t i = 0; i < rows->size[2]; i++) {
            tensor from = normed_row(p, rows, batch, number, i),
                   to = normed_row(p, &out, batch, number, i);
            bool is_in_range =
                p->with->row_rms_norm(from.data, from.size[0], by, p->asked->qk_eps, to.data);
            if (!is_in_range && !p->asked->allow_nonfinite)
                return err_set(e, "the squares of %s[row %zu] add up to more than float64 holds",
                               input_label(role->given_as), i + 1);
        }
    }
    *rows = out;
    return projected_check_range(p, stage_row(id)->key.named.name, rows, e);
}

/* ---- rotary positions ---- */

/* ROWS are what a thread takes at a time; the angles of CHUNK pairs are at hand at once. */
enum { ROWS = 16, CHUNK = 64 };

/* Queries or keys, b × heads × n × width, and what becomes of them. */
typedef struct turned {
    tensor from, to;
    size_t rows;  /* of the sequence: what is appended, zeros, stands at no position */
    size_t first; /* number of a head that is turned */
    double (*position)(const plan *p, size_t batch, size_t row);
} turned;

typedef struct turning {
    const plan *plan;
    const double *frequency; /* of each pair */
    bool is_back;            /* by the angles below 0 */
    turned of[2];
    atomic_size_t next_row;
} turning;

rope_pair rope_pair_of(const plan *p, size_t pair)
{
    if (p->asked->rope.is_interleaved)
        return (rope_pair){2 * pair, 2 * pair + 1};
    return (rope_pair){pair, pair + p->rope_width / 2};
}

static char *element(const tensor *rows, size_t batch, size_t head, size_t row, size_t column)
{
    ptrdiff_t at = rows->stride[0] * (ptrdiff_t)batch + rows->stride[1] * (ptrdiff_t)head +
                   rows->stride[2] * (ptrdiff_t)row + (ptrdiff_t)column;
    return (char *)rows->data + at * (ptrdiff_t)dtype_size(rows->type);
}

/* So many numbers of each head as they are. */
static void copy_columns(const turned *one, size_t row, size_t first, size_t count)
{
    size_t heads = one->from.size[1], units = one->from.size[0] * heads;
    for (size_t unit = 0; count > 0 && unit < units; unit++)
        memcpy(element(&one->to, unit / heads, unit % heads, row, first),
               element(&one->from, unit / heads, unit % heads, row, first),
               count * dtype_size(one->from.type));
}

/* What stands before and after the pairs stays as it is, and a row that is appended does as a
 * whole. */
static void copy_rest(const turning *t, const turned *one, size_t row)
{
    size_t width = row < one->rows ? t->plan->rope_width : 0, first = width == 0 ? 0 : one->first;
    copy_columns(one, row, 0, first);
    copy_columns(one, row, first + width, one->from.size[3] - first - width);
}

/* Queries and keys of this number mostly stand at the same position in all batch entries: its
 * angles serve all, and all heads. */
static void turn_chunk(const turning *t, size_t row, size_t first)
{
    const plan *p = t->plan;
    size_t pairs = p->rope_width / 2, count = pairs - first < CHUNK ? pairs - first : CHUNK;
    size_t step = p->asked->rope.is_interleaved ? 2 : 1;
    rope_pair at = rope_pair_of(p, first), zero = rope_pair_of(p, 0);
    double known = NAN, cosine[CHUNK], sine[CHUNK]; /* NAN: positions may be below 0 */
    const double times = p->asked->rope.attention_factor;
    for (size_t i = 0; i < 2 * p->batches; i++) {
        const turned *one = &t->of[i % 2];
        if (row >= one->rows)
            continue;
        double position = one->position(p, i / 2, row);
        if (position != known)
            p->with->angles(position, t->frequency + first, count, cosine, sine);
        for (size_t pair = 0; position != known && pair < count; pair++) {
            cosine[pair] *= times;
            sine[pair] *= t->is_back ? -times : times;
        }
        known = position;
        for (size_t head = 0; head < one->from.size[1]; head++)
            p->with->turn(element(&one->from, i / 2, head, row, one->first + at.first), count, step,
                          zero.second - zero.first, cosine, sine,
                          element(&one->to, i / 2, head, row, one->first + at.first));
    }
}

static size_t rows_of(const turning *t)
{
    return size_larger(t->of[0].from.size[2], t->of[1].from.size[2]);
}

static void work(void *context, size_t worker)
{
    (void)worker;
    turning *t = context;
    float_mode mode;
    float_mode_set(&mode);
    size_t rows = rows_of(t), begin;
    while ((begin = atomic_fetch_add(&t->next_row, ROWS)) < rows) {
        for (size_t row = begin; row < rows && row < begin + ROWS; row++) {
            for (size_t first = 0; first < t->plan->rope_width / 2; first += CHUNK)
                turn_chunk(t, row, first);
            for (size_t i = 0; i < 2; i++) {
                if (row < t->of[i].from.size[2])
                    copy_rest(t, &t->of[i], row);
            }
        }
    }
    float_mode_restore(&mode);
}

double rope_longer(const plan *p)
{
    const rope_settings *asked = &p->asked->rope;
    size_t rows = plan_own_keys(p);
    return asked->factor > 0 && rows > asked->length
               ? asked->factor * (double)rows / (double)asked->length - (asked->factor - 1)
               : 1;
}

double rope_frequency(const plan *p, size_t pair)
{
    const rope_settings *asked = &p->asked->rope;
    if (asked->frequencies != NULL)
        return tensor_get(&asked->frequencies->tensor, &pair);
    /* A base that is longer^(width / (width − 2)) times as large. */
    double of_base = angle_frequency(asked->base, pair, p->rope_width), longer = rope_longer(p);
    return longer > 1 && pair > 0 ? of_base * angle_frequency(longer, pair, p->rope_width - 2)
                                  : of_base;
}

/* An angle costs some 30 multiply-adds, a number that is turned 4. */
static bool turn_rows(turning *t, const size_t *size, crew *by, err *e)
{
    const plan *p = t->plan;
    size_t pairs = p->rope_width / 2;
    double *frequency = mem_alloc(pairs, sizeof frequency[0], e);
    if (frequency == NULL)
        return false;
    for (size_t pair = 0; pair < pairs; pair++)
        frequency[pair] = rope_frequency(p, pair);
    t->frequency = frequency;
    double each = (double)p->rope_width * (15 + 8 * (double)(size[0] * size[1]));
    crew_run(by, threads_worth(by->most, (double)rows_of(t) * each), work, t);
    mem_free(frequency);
    return true;
}

bool rope_turn_both(const projecting *with, stage_id id, err *e)
{
    static const stage_id IDS[] = {STAGE_Q_ROPE, STAGE_K_ROPE};
    const plan *p = with->plan;
    tensor *const rows[] = {&with->made->q, &with->made->k};
    if (id == STAGE_K_ROPE && places_make(&with->at->where, STAGE_Q_ROPE))
        return true; /* with the queries */
    turning t = {.plan = p};
    for (size_t i = 0; i < 2; i++) {
        if (!places_make(&with->at->where, IDS[i]))
            continue;
        t.of[i] = (turned){.from = tensor_view_of(rows[i]),
                           .to = projected_place(with, IDS[i]),
                           .rows = plan_role(p, IDS[i])->n,
                           .first = plan_rope_first(p, plan_role(p, IDS[i])),
                           .position = i == 0 ? plan_query_position : plan_key_position};
    }
    if (!turn_rows(&t, rows[id == STAGE_K_ROPE]->size, with->by, e))
        return false;
    for (size_t i = 0; i < 2; i++) {
        if (t.of[i].to.data == NULL)
            continue;
        *rows[i] = t.of[i].to;
        if (!projected_check_range(p, stage_row(IDS[i])->key.named.name, rows[i], e))
            return false;
    }
    return true;
}

/* ---- the way back ---- */

bool rope_turn_back(const projecting *with, stage_id id, const tensor *from, const tensor *to,
                    err *e)
{
    const projection *role = plan_role(with->plan, id);
    bool is_query = role == &with->plan->q;
    turning t = {.plan = with->plan, .is_back = true};
    t.of[is_query ? 0 : 1] =
        (turned){.from = tensor_view_of(from),
                 .to = tensor_view_of(to),
                 .rows = role->n,
                 .first = plan_rope_first(with->plan, role),
                 .position = is_query ? plan_query_position : plan_key_position};
    return turn_rows(&t, from->size, with->by, e);
}

/* Of one norm; no data: there are none. */
static tensor gain_of_norm(const tensor *gains, size_t number)
{
    return gains->data == NULL ? (tensor){0} : tensor_at(gains, number);
}

void normalize_back(const plan *p, stage_id id, const tensor *x, const tensor *from,
                    const tensor *to)
{
    const tensor *gains = plan_role(p, id) == &p->q ? &p->q_gain : &p->k_gain;
    norm by = {.is_rms = true, .eps = p->asked->qk_eps};
    size_t norms = norms_of_row(p, x->size[1]), rows = x->size[2];
    for (size_t n = 0; n < x->size[0] * norms * rows; n++) {
        size_t batch = n / rows / norms, number = n / rows % norms;
        tensor at = normed_row(p, x, batch, number, n % rows),
               dy = normed_row(p, from, batch, number, n % rows),
               dx = normed_row(p, to, batch, number, n % rows);
        by.gain = gain_of_norm(gains, number);
        norm_back(&by, &at, &dy, &dx);
    }
}

bool normalize_gain_back(const plan *p, stage_id id, const tensor *x, const tensor *from,
                         const tensor *gain, err *e)
{
    const tensor *of = plan_role(p, id) == &p->q ? &p->q_gain : &p->k_gain;
    const norm by = {.is_rms = true, .eps = p->asked->qk_eps};
    size_t norms = norms_of_row(p, x->size[1]), rows = x->size[2], width = of->size[1];
    size_t apart = of->stride[0] == 0 ? 0 : width, count = apart == 0 ? width : norms * width;
    double *sum = mem_alloc_zeroed(count, sizeof sum[0], e);
    if (sum == NULL)
        return false;
    for (size_t n = 0; n < x->size[0] * norms * rows; n++) {
        size_t batch = n / rows / norms, number = n / rows % norms;
        tensor at = normed_row(p, x, batch, number, n % rows),
               dy = normed_row(p, from, batch, number, n % rows);
        norm_gain_back(&by, &at, &dy, sum + number * apart);
    }
    tensor flat = tensor_flat(gain);
    for (size_t i = 0; i < count; i++)
        tensor_set(&flat, &i, sum[i]);
    mem_free(sum);
    return true;
}

size_t positions_memory(const plan *p)
{
    size_t waves = p->asked->adds_positions ? (p->q.rows.size[2] + 1) / 2 : 0;
    return (waves + p->rope_width / 2) * sizeof(double);
}
