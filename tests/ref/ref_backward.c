#include "ref/ref_backward.h"

#include "ref/ref_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what it begins with ---- */

/* Of element i of the output. */
static ref_number begun(const ref_problem *p, const ref_stage *output, size_t i)
{
    const precision *type = ref_precision(p);
    if (p->in[REF_OUTPUT_GRAD].at != NULL)
        return number_exact(p->in[REF_OUTPUT_GRAD].at[i]);
    if (ref_word_is(p->loss, "square"))
        return number_add(type, output->at[i], number_exact(-p->in[REF_TARGET].at[i]));
    if (ref_word_is(p->loss, "mean"))
        return number_rounded(type, 1 / (long double)output->count, 2);
    return number_exact(p->loss != NULL ? 1 : 0);
}

static ref_number loss_of(const ref_problem *p, const ref_stage *output)
{
    const precision *wide = &FLOAT64;
    ref_number sum = number_exact(0);
    for (size_t i = 0; i < output->count; i++) {
        ref_number one = output->at[i];
        if (ref_word_is(p->loss, "square")) {
            one = number_add(wide, one, number_exact(-p->in[REF_TARGET].at[i]));
            one = number_multiply(wide, number_multiply(wide, one, one), number_exact(0.5L));
        }
        sum = number_add(wide, sum, one);
    }
    if (ref_word_is(p->loss, "mean"))
        sum = number_divide(wide, sum, number_exact((long double)output->count));
    return sum;
}

static void begin(const ref_problem *p, ref_result *r)
{
    const ref_stage *output = &r->stage[REF_STAGE_OUTPUT];
    if (p->loss != NULL) {
        ref_number *loss = ref_stage_new(r, REF_STAGE_LOSS, "loss", "", 1);
        r->stage[REF_STAGE_LOSS].rank = 0;
        *loss = number_add(ref_precision(p), loss_of(p, output), number_exact(0));
    }
    ref_stage *grad = &r->stage[REF_STAGE_OUTPUT_GRAD];
    *grad = *output;
    grad->name = "output_grad";
    grad->at = ref_alloc(grad->count, sizeof grad->at[0]);
    for (size_t i = 0; i < grad->count; i++)
        grad->at[i] = begun(p, output, i);
}

/* ---- heads apart ---- */

/* A stage of rows, heads side by side, or apart where `given` is: b × heads × n × width. */
static ref_number *apart_of(const ref_sizes *s, const ref_array *given, const ref_stage *kept,
                            size_t heads, size_t n, size_t width)
{
    bool is_apart = given->at != NULL && given->rank == 4;
    ref_number *all = ref_alloc(kept->count, sizeof all[0]);
    for (size_t at = 0; at < s->b * heads * n * width; at++) {
        size_t column = at % width, i = at / width % n, head = at / width / n % heads,
               b = at / width / n / heads;
        all[at] = kept->at[is_apart ? at : ((b * n + i) * heads + head) * width + column];
    }
    return all;
}

/* attended_grad = output_grad·Woᵀ of each head */
static void compute_attended(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    const ref_stage *output = &r->stage[REF_STAGE_OUTPUT_GRAD];
    size_t count = s->b * s->h * s->n_q * s->d_v;
    ref_number *to = ref_stage_new(r, REF_STAGE_ATTENDED_GRAD, "attended_grad", "bhq", s->d_v);
    if (p->in[REF_WO].at == NULL) {
        ref_number *all = apart_of(s, &p->in[REF_Q], output, s->h, s->n_q, s->d_v);
        memcpy(to, all, count * sizeof all[0]);
        free(all);
    }
    for (size_t at = 0; at < count && p->in[REF_WO].at != NULL; at++) {
        size_t column = at % s->d_v, i = at / s->d_v % s->n_q, head = at / s->d_v / s->n_q % s->h,
               b = at / s->d_v / s->n_q / s->h;
        const ref_number *row = output->at + (b * s->n_q + i) * s->m_out;
        to[at] = number_exact(0);
        for (size_t o = 0; o < s->m_out; o++)
            to[at] = number_chain(ref_precision(p), to[at], row[o],
                                  ref_wo_element(p, s, head, column, o));
    }
    ref_keep_stage(r, &p->in[REF_Q], REF_STAGE_CONTEXT_GRAD, "context_grad", 'q', s->d_v, to);
}

/* ---- scores ---- */

static ref_number dot(const precision *type, const ref_number *a, const ref_number *b, size_t n)
{
    ref_number sum = number_exact(0);
    for (size_t i = 0; i < n; i++)
        sum = number_chain(type, sum, a[i], b[i]);
    return sum;
}

/* grad · (1 − (capped / C)²), in float64 and rounded once */
static ref_number uncapped(const ref_problem *p, ref_number grad, ref_number capped)
{
    const precision *wide = &FLOAT64;
    if (p->softcap == 0 || ref_makes(p, "uncapped"))
        return grad;
    ref_number part = number_divide(wide, capped, number_exact(p->softcap));
    ref_number square = number_multiply(wide, part, part);
    ref_number slope = number_add(wide, number_exact(1), (ref_number){-square.value, square.slip});
    return number_add(ref_precision(p), number_multiply(wide, grad, slope), number_exact(0));
}

static ref_number negative(ref_number a)
{
    return (ref_number){-a.value, a.slip};
}

/* weights_grad, delta, and from masked_grad to scores_grad */
static void compute_scores(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    const precision *type = ref_precision(p);
    const ref_number *grad = r->stage[REF_STAGE_ATTENDED_GRAD].at,
                     *attended = r->stage[REF_STAGE_ATTENDED].at,
                     *weight = r->stage[REF_STAGE_WEIGHTS].at,
                     *capped = r->stage[REF_STAGE_CAPPED].at, scale = ref_scale_of(p, s);
    const double *less = p->in[REF_LOGSUMEXP_GRAD].at;
    ref_number *of_weight = ref_stage_new(r, REF_STAGE_WEIGHTS_GRAD, "weights_grad", "bhq", s->n_k);
    ref_number *delta = ref_stage_new(r, REF_STAGE_DELTA, "delta", "bhq", 1);
    ref_number *masked = ref_stage_new(r, REF_STAGE_MASKED_GRAD, "masked_grad", "bhq", s->n_k);
    ref_number *held = ref_stage_new(r, REF_STAGE_CAPPED_GRAD, "capped_grad", "bhq", s->n_k);
    ref_number *scaled = ref_stage_new(r, REF_STAGE_SCALED_GRAD, "scaled_grad", "bhq", s->n_k);
    ref_number *score = ref_stage_new(r, REF_STAGE_SCORES_GRAD, "scores_grad", "bhq", s->n_k);
    r->stage[REF_STAGE_CAPPED_GRAD].is_not_made = p->softcap == 0;
    for (size_t row = 0; row < s->b * s->h * s->n_q; row++) {
        size_t head = row / s->n_q % s->h, b = row / s->n_q / s->h;
        const ref_number *of_row = grad + row * s->d_v,
                         *v = r->v + (b * s->g + ref_kv_head(p, s, head)) * s->n_k * s->d_v;
        delta[row] = dot(type, of_row, attended + row * s->d_v, s->d_v);
        if (less != NULL)
            delta[row] = number_add(type, delta[row], number_exact(-less[row]));
        for (size_t j = 0; j < s->n_k; j++) {
            size_t at = row * s->n_k + j;
            of_weight[at] = dot(type, of_row, v + j * s->d_v, s->d_v);
            ref_number own = number_add(type, of_weight[at], negative(delta[row]));
            masked[at] =
                number_multiply(type, weight[at], ref_makes(p, "delta") ? of_weight[at] : own);
            held[at] = masked[at];
            scaled[at] = uncapped(p, held[at], capped[at]);
            score[at] = number_multiply(type, scaled[at], scale);
        }
    }
}

/* ---- queries, keys and values ---- */

/* by·k′: of each row of a head's scores the sum of rows of its keys. */
static void gather_queries(const ref_problem *p, const ref_result *r, ref_number *all)
{
    const ref_sizes *s = &r->sizes;
    const ref_number *by = r->stage[REF_STAGE_SCORES_GRAD].at,
                     *keys = r->stage[REF_STAGE_K_SCORE].at;
    for (size_t row = 0; row < s->b * s->h * s->n_q; row++) {
        const ref_number *k = keys + row / s->n_q * s->n_k * s->c;
        for (size_t column = 0; column < s->c; column++)
            for (size_t j = 0; j < s->n_k; j++)
                all[row * s->c + column] = number_chain(ref_precision(p), all[row * s->c + column],
                                                        by[row * s->n_k + j], k[j * s->c + column]);
    }
}

/* What the tanh of a query and a key takes gains, in float64 and rounded once. */
static ref_number unbent(const ref_problem *p, ref_number by, ref_number inner, ref_number va)
{
    const precision *wide = &FLOAT64;
    ref_number bent = number_tanh(ref_precision(p), inner);
    ref_number square = number_multiply(wide, bent, bent);
    ref_number slope = number_add(wide, number_exact(1), (ref_number){-square.value, square.slip});
    return number_add(ref_precision(p), number_multiply(wide, number_multiply(wide, by, va), slope),
                      number_exact(0));
}

/* Of va·tanh(q′ + k′ + ba): both gain the same of each pair. */
static void gather_additive(const ref_problem *p, const ref_result *r, ref_number *q, ref_number *k)
{
    const ref_sizes *s = &r->sizes;
    const precision *type = ref_precision(p);
    const ref_number *by = r->stage[REF_STAGE_SCORES_GRAD].at,
                     *queries = r->stage[REF_STAGE_Q_SCORE].at,
                     *keys = r->stage[REF_STAGE_K_SCORE].at;
    for (size_t at = 0; at < s->b * s->h * s->n_q * s->n_k * s->c; at++) {
        size_t column = at % s->c, pair = at / s->c, row = pair / s->n_k, unit = row / s->n_q;
        size_t of_query = row * s->c + column,
               of_key = (unit * s->n_k + pair % s->n_k) * s->c + column;
        ref_number inner = number_add(type, number_add(type, queries[of_query], keys[of_key]),
                                      ref_vector_element(p, REF_BA, s->c, unit % s->h, column, 0));
        ref_number gained =
            unbent(p, by[pair], inner, ref_vector_element(p, REF_VA, s->c, unit % s->h, column, 1));
        if (by[pair].value == 0 && by[pair].slip == 0)
            continue;
        q[of_query] = number_add(type, q[of_query], gained);
        k[of_key] = number_add(type, k[of_key], gained);
    }
}

/* Rows of `width` numbers from what `heads` of each batch entry's heads made of them: by Wᵀ, heads
 * that share rows in one chain; without W each is the sum of theirs. */
static ref_number *transform_back(const ref_problem *p, const ref_sizes *s, const ref_array *w,
                                  const ref_number *from, size_t heads, size_t n, size_t width)
{
    const precision *type = ref_precision(p);
    ref_number *all = ref_alloc(s->b * heads * n * width, sizeof all[0]);
    for (size_t at = 0; at < s->b * s->h * n * width; at++) {
        size_t column = at % width, i = at / width % n, unit = at / width / n, head = unit % s->h;
        size_t kept = unit / s->h * heads + (heads == s->h ? head : ref_kv_head(p, s, head));
        const ref_number *grad = from + (unit * n + i) * s->c;
        ref_number *to = &all[(kept * n + i) * width + column];
        if (w->at == NULL)
            *to = number_add(type, *to, grad[column]);
        for (size_t c = 0; w->at != NULL && c < s->c; c++)
            *to = number_chain(type, *to, grad[c], ref_transform_element(p, w, head, column, c));
    }
    return all;
}

/* byᵀ·rows, of each key the sum over the queries of a head, then over the heads that share it. */
static ref_number *gather_keys(const ref_problem *p, const ref_sizes *s, const ref_number *by,
                               const ref_number *rows, size_t width)
{
    const precision *type = ref_precision(p);
    ref_number *all = ref_alloc(s->b * s->g * s->n_k * width, sizeof all[0]);
    for (size_t at = 0; at < s->b * s->h * s->n_k * width; at++) {
        size_t column = at % width, j = at / width % s->n_k, unit = at / width / s->n_k,
               head = unit % s->h, kept = unit / s->h * s->g + ref_kv_head(p, s, head);
        ref_number sum = number_exact(0);
        for (size_t i = 0; i < s->n_q; i++)
            sum = number_chain(type, sum, by[(unit * s->n_q + i) * s->n_k + j],
                               rows[(unit * s->n_q + i) * width + column]);
        ref_number *to = &all[(kept * s->n_k + j) * width + column];
        bool is_first = head == 0 || ref_kv_head(p, s, head - 1) != ref_kv_head(p, s, head);
        *to = is_first || ref_makes(p, "shared") ? sum : number_add(type, *to, sum);
    }
    return all;
}

/* The rows after those of the cache, to their front. */
static void leave_past(const ref_sizes *s, ref_number *rows, size_t width)
{
    size_t n = (s->n_k - s->past) * width;
    for (size_t unit = 0; unit < s->b * s->g; unit++)
        memmove(rows + unit * n, rows + (unit * s->n_k + s->past) * width, n * sizeof rows[0]);
}

/* Through the forms of queries and keys, the last one first. */
static void go_back(const ref_problem *p, ref_result *r, ref_number *q, ref_number *k)
{
    const ref_sizes *s = &r->sizes;
    const ref_array *of_q = &p->in[REF_Q], *of_k = &p->in[REF_K];
    size_t n = s->n_k - s->past;
    if (p->has_rope) {
        ref_keep_stage(r, of_q, REF_STAGE_Q_ROPE_GRAD, "q_rope_grad", 'q', s->d_q, q);
        ref_keep_stage(r, of_k, REF_STAGE_K_ROPE_GRAD, "k_rope_grad", 'n', s->d_k, k);
        ref_turn_back(p, s, q, k);
    }
    if (p->normalizes) {
        ref_keep_stage(r, of_q, REF_STAGE_Q_NORM_GRAD, "q_norm_grad", 'q', s->d_q, q);
        ref_keep_stage(r, of_k, REF_STAGE_K_NORM_GRAD, "k_norm_grad", 'n', s->d_k, k);
        ref_number *x = apart_of(s, of_q, &r->stage[REF_STAGE_Q], s->h, s->n_q, s->d_q);
        ref_number *xk = apart_of(s, of_k, &r->stage[REF_STAGE_K], s->g, n, s->d_k);
        ref_normalize_back(p, s, x, REF_Q_GAIN, s->n_q, s->d_q, q);
        ref_normalize_back(p, s, xk, REF_K_GAIN, n, s->d_k, k);
        free(x);
        free(xk);
    }
    ref_keep_stage(r, of_q, REF_STAGE_Q_GRAD, "q_grad", 'q', s->d_q, q);
    ref_keep_stage(r, of_k, REF_STAGE_K_GRAD, "k_grad", 'n', s->d_k, k);
}

/* What was cut gains nothing; a number at the clip may have been on either side of it. */
static void go_back_clipped(const ref_problem *p, ref_result *r, ref_stage_id id, const char *name,
                            const char *letters, ref_stage_id of, ref_stage_id made)
{
    const ref_stage *sums = &r->stage[of], *grad = &r->stage[made];
    if (sums->at == NULL)
        return;
    size_t width = sums->size[sums->rank - 1], n = sums->size[sums->rank - 2],
           all = grad->size[grad->rank - 2];
    ref_number *to = ref_stage_new(r, id, name, letters, width);
    for (size_t at = 0; at < sums->count; at++) {
        size_t row = at / width;
        ref_number gained = grad->at[(row / n * all + row % n) * width + at % width];
        long double beyond = fabsl(sums->at[at].value) - (long double)p->clip;
        to[at] = beyond > 0 && !ref_makes(p, "unclipped") ? number_exact(0) : gained;
        if (fabsl(beyond) <= sums->at[at].slip)
            to[at].slip += fabsl(gained.value) + gained.slip;
    }
}

/* ---- latents ---- */

/* One of q, k, v: the gradient of its product, rows of the sequence alone. */
typedef struct taker {
    ref_input weight;
    ref_stage_id grad, unclipped;
    size_t heads, width, own; /* of a head's numbers the product's */
} taker;

static ref_number taker_grad(const ref_result *r, const taker *of, size_t b, size_t i,
                             size_t column)
{
    const ref_stage *sums = &r->stage[of->unclipped],
                    *grad = sums->at != NULL ? sums : &r->stage[of->grad];
    size_t all = grad->size[grad->rank - 2];
    return grad->at[(b * all + i) * of->heads * of->width + column];
}

/* grad·Wᵀ at one column of what the weight takes */
static ref_number brought(const ref_problem *p, const ref_result *r, const taker *of, size_t b,
                          size_t i, size_t row)
{
    const ref_array *w = &p->in[of->weight];
    ref_number sum = number_exact(0);
    for (size_t head = 0; head < of->heads; head++)
        for (size_t c = 0; c < of->own; c++)
            sum = number_chain(ref_precision(p), sum, taker_grad(r, of, b, i, head * of->width + c),
                               number_exact(w->at[ref_weight_index(p, w, head, of->own, row, c)]));
    return sum;
}

static void go_back_latent(const ref_problem *p, ref_result *r, bool is_query)
{
    const ref_sizes *s = &r->sizes;
    const precision *type = ref_precision(p);
    const taker takers[] = {
        {REF_WQ, REF_STAGE_Q_GRAD, REF_STAGE_Q_SUM_GRAD, s->h, s->d_q, s->d_q},
        {REF_WK, REF_STAGE_K_GRAD, REF_STAGE_K_SUM_GRAD, s->g, s->d_k, s->d_k - s->shared},
        {REF_WV, REF_STAGE_V_GRAD, REF_STAGE_V_SUM_GRAD, s->g, s->d_v, s->d_v},
    };
    const ref_array *in = &p->in[is_query ? REF_WQ_DOWN : REF_WKV_DOWN], *gain = &in[2];
    const ref_stage *latent = &r->stage[is_query ? REF_STAGE_Q_LATENT : REF_STAGE_KV_LATENT];
    if (in->at == NULL)
        return;
    size_t whole = latent->size[latent->rank - 1], shared = is_query ? 0 : s->shared,
           width = whole - shared, n = is_query ? s->n_q : s->n_new;
    ref_stage_id norm_id = is_query ? REF_STAGE_Q_LATENT_NORM_GRAD : REF_STAGE_KV_LATENT_NORM_GRAD;
    ref_number *normed =
        ref_stage_new(r, norm_id, is_query ? "q_latent_norm_grad" : "kv_latent_norm_grad",
                      is_query ? "bq" : "br", width);
    r->stage[norm_id].is_not_made = gain->at == NULL;
    ref_number *to =
        ref_stage_new(r, is_query ? REF_STAGE_Q_LATENT_GRAD : REF_STAGE_KV_LATENT_GRAD,
                      is_query ? "q_latent_grad" : "kv_latent_grad", is_query ? "bq" : "br", whole);
    for (size_t row = 0; row < s->b * n; row++) {
        size_t b = row / n, i = row % n;
        ref_number *own = to + row * whole;
        for (size_t c = 0; c < width; c++) {
            bool is_missed = !is_query && ref_makes(p, "latent of values");
            own[c] =
                is_missed ? number_exact(0) : brought(p, r, &takers[is_query ? 0 : 1], b, i, c);
            if (!is_query && !ref_makes(p, "latent of keys"))
                own[c] = number_add(type, own[c], brought(p, r, &takers[2], b, i, c));
            normed[row * width + c] = own[c];
        }
        if (gain->at != NULL && !ref_makes(p, is_query ? "q norm passed" : "kv norm passed"))
            ref_normalize_row_back(p, latent->at + row * whole, width,
                                   p->has_latent_eps ? p->latent_eps : 1e-6, gain->at, own);
        for (size_t c = 0; c < shared * s->g; c++) {
            size_t head = c / shared, column = c % shared;
            if ((head > 0 && ref_makes(p, "shared first")) ||
                (head + 1 < s->g && ref_makes(p, "shared last")))
                continue;
            own[width + column] = number_add(
                type, own[width + column],
                taker_grad(r, &takers[1], b, i, head * s->d_k + s->d_k - shared + column));
        }
        for (size_t c = width; c < whole && ref_makes(p, "shared mean"); c++)
            own[c] = number_divide(type, own[c], number_exact((double)s->g));
    }
}

void ref_compute_gradients(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    begin(p, r);
    compute_attended(p, r);
    compute_scores(p, r);
    const ref_array *wq = &p->in[p->in[REF_WA].at != NULL ? REF_WA : REF_WS], *wk = &p->in[REF_UA];
    ref_number *q_score = ref_stage_new(r, REF_STAGE_Q_SCORE_GRAD, "q_score_grad", "bhq", s->c),
               *k_score = ref_stage_new(r, REF_STAGE_K_SCORE_GRAD, "k_score_grad", "bhk", s->c), *k;
    r->stage[REF_STAGE_Q_SCORE_GRAD].is_not_made = wq->at == NULL;
    r->stage[REF_STAGE_K_SCORE_GRAD].is_not_made = wk->at == NULL;
    if (ref_word_is(p->score, "additive")) {
        gather_additive(p, r, q_score, k_score);
        k = transform_back(p, s, wk, k_score, s->g, s->n_k, s->d_k);
    } else {
        gather_queries(p, r, q_score);
        k = gather_keys(p, s, r->stage[REF_STAGE_SCORES_GRAD].at, r->stage[REF_STAGE_Q_SCORE].at,
                        s->d_k);
    }
    ref_number *q = transform_back(p, s, wq, q_score, s->h, s->n_q, s->d_q);
    ref_number *v = gather_keys(p, s, r->stage[REF_STAGE_WEIGHTS].at,
                                r->stage[REF_STAGE_ATTENDED_GRAD].at, s->d_v);
    if (s->past > 0) {
        const ref_array *of_k = &p->in[REF_K];
        ref_keep_stage(r, of_k, REF_STAGE_PRESENT_K_GRAD, "present_k_grad", 'k', s->d_k, k);
        ref_keep_stage(r, of_k, REF_STAGE_PRESENT_V_GRAD, "present_v_grad", 'k', s->d_v, v);
        leave_past(s, k, s->d_k);
        leave_past(s, v, s->d_v);
    }
    go_back(p, r, q, k);
    ref_keep_stage(r, &p->in[REF_V], REF_STAGE_V_GRAD, "v_grad", 'n', s->d_v, v);
    go_back_clipped(p, r, REF_STAGE_Q_SUM_GRAD, "q_sum_grad", "bq", REF_STAGE_Q_SUM,
                    REF_STAGE_Q_GRAD);
    go_back_clipped(p, r, REF_STAGE_K_SUM_GRAD, "k_sum_grad", "br", REF_STAGE_K_SUM,
                    REF_STAGE_K_GRAD);
    go_back_clipped(p, r, REF_STAGE_V_SUM_GRAD, "v_sum_grad", "br", REF_STAGE_V_SUM,
                    REF_STAGE_V_GRAD);
    go_back_latent(p, r, true);
    go_back_latent(p, r, false);
    free(q);
    free(k);
    free(v);
}

/* ---- what they are gradients of ---- */

long double ref_loss_of(const ref_problem *p)
{
    ref_result r;
    ref_compute_weights(p, &r);
    ref_compute_output(p, &r);
    const ref_stage *output = &r.stage[REF_STAGE_OUTPUT], *sums = &r.stage[REF_STAGE_ROW_SUM];
    const double *of_output = p->in[REF_OUTPUT_GRAD].at, *of_sum = p->in[REF_LOGSUMEXP_GRAD].at;
    long double loss = p->loss != NULL ? loss_of(p, output).value : 0;
    for (size_t i = 0; of_output != NULL && i < output->count; i++)
        loss += (long double)of_output[i] * output->at[i].value;
    for (size_t row = 0; of_sum != NULL && row < sums->count; row++) {
        if (sums->at[row].value > 0)
            loss += (long double)of_sum[row] *
                    (r.stage[REF_STAGE_ROW_MAX].at[row].value + logl(sums->at[row].value));
    }
    ref_result_free(&r);
    return loss;
}
