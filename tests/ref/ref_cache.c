/* A cache's keys and values, and the new ones after them. */
#include "ref/ref_parts.h"

#include <stdlib.h>

ref_number ref_given_element(const ref_array *given, size_t heads, size_t b, size_t head, size_t i,
                             size_t column)
{
    size_t n = given->size[given->rank - 2], last = given->size[given->rank - 1];
    if (given->rank == 4)
        return number_exact(given->at[((b * heads + head) * n + i) * last + column]);
    size_t row = given->rank == 3 ? b * n + i : i;
    return number_exact(given->at[row * last + head * (last / heads) + column]);
}

void ref_keep_stage(ref_result *r, const ref_array *layout, ref_stage_id id, const char *name,
                    char rows, size_t width, const ref_number *apart)
{
    const ref_sizes *s = &r->sizes;
    size_t heads = rows == 'q' ? s->h : s->g;
    size_t n = rows == 'q' ? s->n_q : rows == 'n' ? s->n_new + s->n_k - s->own : s->n_k;
    bool keeps_apart = layout->at != NULL && layout->rank == 4;
    char letters[] = {'b', keeps_apart ? (rows == 'q' ? 'h' : 'g') : rows, rows, '\0'};
    if (!keeps_apart)
        letters[2] = '\0';
    ref_number *to = ref_stage_new(r, id, name, letters, keeps_apart ? width : heads * width);
    for (size_t b = 0; b < s->b; b++)
        for (size_t head = 0; head < heads; head++)
            for (size_t i = 0; i < n; i++)
                for (size_t column = 0; column < width; column++, apart++) {
                    size_t unit = b * heads + head;
                    size_t at =
                        keeps_apart ? (unit * n + i) * width : ((b * n + i) * heads + head) * width;
                    to[at + column] = *apart;
                }
}

/* past, then rows: b × g × n_k × width */
static ref_number *join(const ref_sizes *s, const ref_array *past, size_t width,
                        const ref_number *rows)
{
    ref_number *all = ref_alloc(s->b * s->g * s->n_k * width, sizeof all[0]), *to = all;
    for (size_t b = 0; b < s->b; b++)
        for (size_t head = 0; head < s->g; head++)
            for (size_t i = 0; i < s->n_k; i++)
                for (size_t column = 0; column < width; column++)
                    *to++ =
                        i < s->past ? ref_given_element(past, s->g, b, head, i, column) : *rows++;
    return all;
}

void ref_compute_cache(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    if (s->past == 0)
        return;
    ref_number *k = join(s, &p->in[REF_PAST_K], s->d_k, r->k);
    ref_number *v = join(s, &p->in[REF_PAST_V], s->d_v, r->v);
    free(r->k);
    free(r->v);
    r->k = k;
    r->v = v;
    ref_keep_stage(r, &p->in[REF_K], REF_STAGE_PRESENT_K, "present_k", 'k', s->d_k, k);
    ref_keep_stage(r, &p->in[REF_K], REF_STAGE_PRESENT_V, "present_v", 'k', s->d_v, v);
}
