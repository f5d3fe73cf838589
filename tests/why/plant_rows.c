/* Mistakes in q, k and v, and in the heads' results: the reference is given what it computed, in
 * another order. */
#include "why/plants.h"

#include <stdlib.h>
#include <string.h>

static void take(planting *of, ref_input which, ref_stage_id id)
{
    const ref_stage *from = &of->right_result->stage[id];
    ref_array *to = &of->p->in[which];
    free(to->at);
    *to = (ref_array){.rank = from->rank, .at = ref_alloc(from->count, sizeof(double))};
    memcpy(to->size, from->size, sizeof to->size);
    for (size_t i = 0; i < from->count; i++)
        to->at[i] = (double)from->at[i].value;
}

/* The problem that begins at q, k and v; not where rows stand after them. */
static bool begin_at_rows(planting *of)
{
    ref_problem *p = of->p;
    ref_sizes s = ref_sizes_of(p);
    double scale = plant_right_scale(p);
    if (s.n_k > s.own)
        return false;
    p->heads = s.has_heads ? s.h : 0;
    p->kv_heads = s.has_heads ? s.g : 0;
    take(of, REF_Q, REF_STAGE_Q);
    take(of, REF_K, REF_STAGE_K);
    take(of, REF_V, REF_STAGE_V);
    for (ref_input which = REF_X; which <= REF_BV; which++) {
        if (which == REF_WO)
            continue;
        free(p->in[which].at);
        p->in[which] = (ref_array){0};
    }
    p->scale = NULL;
    p->scale_is_number = true;
    p->scale_number = scale;
    return true;
}

static bool interleave(ref_array *a, size_t heads)
{
    if (a->at == NULL || heads == 1)
        return true;
    if (a->rank == 4)
        return false;
    size_t all = a->size[a->rank - 1], width = all / heads;
    double *old = a->at;
    a->at = ref_alloc(ref_count_of(a), sizeof old[0]);
    for (size_t i = 0; i < ref_count_of(a); i++) {
        size_t head = i % all / width, column = i % all % width;
        a->at[i] = old[i / all * all + column * heads + head];
    }
    free(old);
    return true;
}

bool plant_interleave(planting *of)
{
    ref_sizes s = ref_sizes_of(of->p);
    ref_array *in = of->p->in;
    return s.h > 1 && begin_at_rows(of) && interleave(&in[REF_Q], s.h) &&
           interleave(&in[REF_K], s.g) && interleave(&in[REF_V], s.g) &&
           interleave(&in[REF_PAST_K], s.g) && interleave(&in[REF_PAST_V], s.g);
}

/* The numbers n × h·d in their order as h × n × d. */
static bool view(ref_array *a, size_t heads)
{
    if (a->rank == 4)
        return false;
    size_t n = a->size[a->rank - 2], all = a->size[a->rank - 1], width = all / heads;
    double *old = a->at;
    a->at = ref_alloc(ref_count_of(a), sizeof old[0]);
    for (size_t at = 0; at < ref_count_of(a); at++) {
        size_t entry = at / (n * all), head = at % (n * all) / (n * width);
        size_t i = at % (n * width) / width, column = at % width;
        a->at[(entry * n + i) * all + head * width + column] = old[at];
    }
    free(old);
    return true;
}

bool plant_view(planting *of)
{
    ref_sizes s = ref_sizes_of(of->p);
    ref_array *in = of->p->in;
    return s.h > 1 && s.past == 0 && begin_at_rows(of) && view(&in[REF_Q], s.h) &&
           view(&in[REF_K], s.g) && view(&in[REF_V], s.g);
}

bool plant_role(planting *of)
{
    ref_sizes s = ref_sizes_of(of->p);
    const struct {
        ref_input in;
        ref_stage_id stage;
        size_t rows, heads, width;
    } roles[] = {{REF_Q, REF_STAGE_Q, s.n_q, s.h, s.d_k},
                 {REF_K, REF_STAGE_K, s.own, s.g, s.d_k},
                 {REF_V, REF_STAGE_V, s.own, s.g, s.d_v}},
      *to = &roles[of->with / 10], *from = &roles[of->with % 10];
    bool is_alike = to->rows == from->rows && to->heads == from->heads && to->width == from->width;
    if (!is_alike || s.past > 0 || !begin_at_rows(of))
        return false;
    take(of, to->in, from->stage);
    return true;
}

/* False where a number lies at a tie. */
static bool keep(planting *of, ref_input which, ref_stage_id id)
{
    ref_array *a = &of->p->in[which];
    const ref_number *from = of->right_result->stage[id].at;
    bool is_sure = true;
    for (size_t i = 0; i < ref_count_of(a); i++) {
        a->at[i] = plant_kept((double)from[i].value, of->with);
        is_sure = is_sure &&
                  plant_kept((double)(from[i].value + from[i].slip), of->with) == a->at[i] &&
                  plant_kept((double)(from[i].value - from[i].slip), of->with) == a->at[i];
    }
    return is_sure;
}

bool plant_kept_rows(planting *of)
{
    if (!begin_at_rows(of))
        return false;
    return keep(of, REF_Q, REF_STAGE_Q) && keep(of, REF_K, REF_STAGE_K) &&
           keep(of, REF_V, REF_STAGE_V);
}

/* ---- the heads' results ---- */

void plant_output(planting *of)
{
    const ref_sizes *s = &of->r->sizes;
    const ref_array *wo = &of->p->in[REF_WO], *bo = &of->p->in[REF_BO];
    const ref_number *context = of->r->stage[REF_STAGE_CONTEXT].at;
    ref_stage *output = &of->r->stage[REF_STAGE_OUTPUT];
    size_t all = s->h * s->d_v, width = wo->at == NULL ? all : s->m_out;
    bool is_out_in = ref_word_is(of->p->layout, "out-in");
    for (size_t i = 0; i < output->count; i++) {
        size_t row = i / width, column = i % width;
        long double sum = wo->at == NULL ? context[i].value : 0;
        for (size_t c = 0; wo->at != NULL && c < all; c++)
            sum += context[row * all + c].value *
                   (long double)wo->at[is_out_in ? column * all + c : c * width + column];
        output->at[i].value = sum + (bo->at == NULL ? 0 : (long double)bo->at[column]);
    }
}

static bool keeps_apart(const ref_problem *p)
{
    return p->in[REF_Q].at != NULL && p->in[REF_Q].rank == 4;
}

bool plant_join(planting *of)
{
    const ref_sizes *s = &of->r->sizes;
    const ref_number *attended = of->r->stage[REF_STAGE_ATTENDED].at;
    ref_number *context = of->r->stage[REF_STAGE_CONTEXT].at;
    size_t all = s->h * s->d_v, of_entry = s->n_q * all;
    if (s->h == 1 || keeps_apart(of->right))
        return false;
    for (size_t at = 0; at < s->b * of_entry; at++) {
        size_t head = at % of_entry / (s->n_q * s->d_v), i = at / s->d_v % s->n_q,
               column = at % s->d_v, entry = at / of_entry;
        size_t to = of->with == JOINS_INTERLEAVED ? i * all + column * s->h + head
                    : of->with == JOINS_REVERSED  ? i * all + (s->h - 1 - head) * s->d_v + column
                                                  : at % of_entry;
        context[entry * of_entry + to] = attended[at];
    }
    plant_output(of);
    return true;
}

/* What lies in its order as n × h × d, in h × n × d. */
static void turn_layout(ref_array *a)
{
    if (a->rank != 4)
        return;
    size_t heads = a->size[1], n = a->size[2], width = a->size[3], of_entry = heads * n * width;
    double *old = a->at;
    a->at = ref_alloc(ref_count_of(a), sizeof old[0]);
    for (size_t at = 0; at < ref_count_of(a); at++) {
        size_t i = at % of_entry / (heads * width), head = at / width % heads;
        a->at[at / of_entry * of_entry + (head * n + i) * width + at % width] = old[at];
    }
    free(old);
}

bool plant_read_layout(planting *of)
{
    ref_sizes s = ref_sizes_of(of->p);
    ref_array *in = of->p->in;
    if (s.h == 1 || s.past > 0 || !keeps_apart(of->p) || !begin_at_rows(of))
        return false;
    turn_layout(&in[REF_Q]);
    turn_layout(&in[REF_K]);
    turn_layout(&in[REF_V]);
    return true;
}

bool plant_write_layout(planting *of)
{
    const ref_sizes *s = &of->r->sizes;
    const ref_number *attended = of->r->stage[REF_STAGE_ATTENDED].at;
    ref_number *context = of->r->stage[REF_STAGE_CONTEXT].at;
    ref_stage *output = &of->r->stage[REF_STAGE_OUTPUT];
    size_t of_entry = s->h * s->n_q * s->d_v;
    if (s->h == 1 || !keeps_apart(of->right) || of->p->in[REF_WO].at != NULL ||
        of->p->in[REF_BO].at != NULL)
        return false;
    for (size_t at = 0; at < s->b * of_entry; at++) {
        size_t head = at % of_entry / (s->n_q * s->d_v), i = at / s->d_v % s->n_q;
        size_t to = (i * s->h + head) * s->d_v + at % s->d_v;
        context[at / of_entry * of_entry + to] = attended[at];
    }
    for (size_t at = 0; at < output->count; at++)
        output->at[at] = context[at];
    return true;
}

bool plant_residual(planting *of)
{
    const ref_array *x = &of->right->in[REF_X];
    ref_stage *output = &of->r->stage[REF_STAGE_OUTPUT];
    if (of->right->in[REF_Q].at != NULL || output->rank < 2 || keeps_apart(of->right) ||
        x->size[x->rank - 1] != output->size[output->rank - 1])
        return false;
    for (size_t i = 0; i < output->count; i++)
        output->at[i].value += (long double)x->at[i % ref_count_of(x)];
    return true;
}
