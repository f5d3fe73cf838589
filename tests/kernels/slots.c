#include "kernels/slots.h"

#include "attn/spec/score.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Packed after a fence, as many bytes as packed_bytes promises, aligned as mem_alloc does it. */
static packed pack(const kernels *with, const job *j)
{
    const tensor *b = &j->in[1];
    size_t bytes = with->packed_bytes(b->size[0], b->size[1]);
    size_t whole = (bytes + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
    packed p = {.data = fence_place_last(j->packing, whole)};
    j->packing->bytes = bytes; /* what alignment adds is guard too */
    with->pack(b, &p);
    return p;
}

static void call_product(const kernels *with, job *j)
{
    packed p = pack(with, j);
    with->product(&j->in[0], &p, NULL, &j->out);
}

static void call_product_behind(const kernels *with, job *j)
{
    packed p = pack(with, j);
    size_t rest = p.columns - j->out.size[1], most = PACKED_STEP - PACKED_PART;
    p.skipped = rest < most ? rest / PACKED_PART * PACKED_PART : most;
    with->product(&j->in[0], &p, NULL, &j->out);
}

static void call_pack_at(const kernels *with, job *j)
{
    packed p = pack(with, j);
    memset(p.data, 0, with->packed_bytes(p.depth, p.columns));
    for (size_t i = 0; i < p.columns; i++) {
        tensor column = tensor_range(&j->in[1], 1, i, 1);
        with->pack_at(&column, 0, i, &p);
    }
    with->product(&j->in[0], &p, NULL, &j->out);
}

static void call_row_product(const kernels *with, job *j)
{
    with->row_product(j->in[0].data, &j->in[1], j->out.data);
}

static void call_product_of_nonzero(const kernels *with, job *j)
{
    with->product_of_nonzero(&j->in[0], &j->in[1], &j->out);
}

static void call_add_to_rows(const kernels *with, job *j)
{
    tensor_copy(&j->in[0], &j->out);
    with->add_to_rows(&j->out, j->in[1].data);
}

static void call_is_finite(const kernels *with, job *j)
{
    numbers_put(j->out.type, j->out.data, 0, with->is_finite(&j->in[0]));
}

/* Queries, keys, and the parameters that are vectors; none of what the score has not. */
static void call_score(const kernels *with, job *j)
{
    const score *by = (const score *)(const void *)named_find(&SCORES, j->slot, strlen(j->slot));
    score_parameters of = {0};
    compared_keys keys = {.rows = j->in[1]};
    if (by->vector != NULL)
        of.vector = j->in[2];
    if (by->shift != NULL)
        of.shift = j->in[3];
    if (by->is_product) {
        job turned = {.in = {[1] = tensor_transposed(&j->in[1])}, .packing = j->packing};
        keys.turned = pack(with, &turned);
    }
    by->compare(with, &of, &j->in[0], &keys, &j->out);
}

static void call_scale(const kernels *with, job *j)
{
    double max; /* room for either type */
    with->scale(j->in[0].data, j->in[0].size[1], 0.3, j->out.data, &max);
}

static void call_max_of_scale(const kernels *with, job *j)
{
    size_t n = j->in[0].size[1];
    void *row = malloc((n + 1) * sizeof(double));
    if (row == NULL)
        abort();
    with->scale(j->in[0].data, n, 0.3, row, j->out.data);
    free(row);
}

static void call_fill(const kernels *with, job *j)
{
    with->fill(j->out.data, j->out.size[1], -0.7);
}

static void call_cap(const kernels *with, job *j)
{
    with->cap(j->in[0].data, j->in[0].size[1], 0.7, j->out.data);
}

static void call_add(const kernels *with, job *j)
{
    with->add(j->in[0].data, j->in[0].size[1], j->in[1].data, j->in[1].stride[0], j->out.data);
}

/* The bytes of the second row are the mask. */
static void call_hide(const kernels *with, job *j)
{
    with->hide(j->in[0].data, j->in[0].size[1], j->in[1].data, true, j->out.data);
}

static void call_hide_others(const kernels *with, job *j)
{
    with->hide(j->in[0].data, j->in[0].size[1], j->in[1].data, false, j->out.data);
}

/* Of a matrix whose pairs begin after 2³². */
static const random_place PLACE = {.seed = 0x123456789abcdef0u, .pair = 0xffffffc0u, .matrix = 3};

static void call_draw_uniform(const kernels *with, job *j)
{
    with->draw_uniform(&PLACE, j->out.size[1], -0.3, 0.7, j->out.data);
}

static void call_draw_normal(const kernels *with, job *j)
{
    with->draw_normal(&PLACE, j->out.size[1], 0.1, 3, j->out.data);
}

static void call_recede(const kernels *with, job *j)
{
    with->recede(j->in[0].data, j->in[0].size[1], 0.3, 20, j->out.data);
}

/* One number for all */
static void call_add_one(const kernels *with, job *j)
{
    with->add(j->in[0].data, j->in[0].size[1], j->in[1].data, 0, j->out.data);
}

static void call_weigh(const kernels *with, job *j)
{
    with->weigh(j->in[0].data, j->in[0].stride[0], j->in[0].size[0], -0.3, j->out.data);
}

static void call_times(const kernels *with, job *j)
{
    with->times(j->in[0].data, j->in[0].size[1], j->in[1].data, j->out.data);
}

static void call_relu(const kernels *with, job *j)
{
    with->relu(j->in[0].data, j->in[0].size[1], j->out.data);
}

static void call_gelu(const kernels *with, job *j)
{
    with->gelu(j->in[0].data, j->in[0].size[1], j->out.data);
}

static void call_gelu_tanh(const kernels *with, job *j)
{
    with->gelu_tanh(j->in[0].data, j->in[0].size[1], j->out.data);
}

static void call_silu(const kernels *with, job *j)
{
    with->silu(j->in[0].data, j->in[0].size[1], j->out.data);
}

static void call_row_norm(const kernels *with, job *j)
{
    with->row_norm(j->in[0].data, j->in[0].size[1], j->in[1].data, j->in[2].data, 1e-5,
                   j->out.data);
}

static void call_bare_row_norm(const kernels *with, job *j)
{
    with->row_norm(j->in[0].data, j->in[0].size[1], NULL, NULL, 0, j->out.data);
}

static void call_row_rms_norm(const kernels *with, job *j)
{
    with->row_rms_norm(j->in[0].data, j->in[0].size[1], j->in[1].data, 1e-6, j->out.data);
}

static void call_bare_row_rms_norm(const kernels *with, job *j)
{
    with->row_rms_norm(j->in[0].data, j->in[0].size[1], NULL, 0, j->out.data);
}

static void call_row_max(const kernels *with, job *j)
{
    with->row_max(j->in[0].data, j->in[0].size[1], j->out.data);
}

static void call_row_exponent(const kernels *with, job *j)
{
    double max; /* room for either type */
    row_total total;
    with->row_max(j->in[0].data, j->in[0].size[1], &max);
    with->row_exponent(j->in[0].data, j->in[0].size[1], &max, j->out.data, &total, NULL);
}

/* The total of exponentials that are not looked at, with what is divided next to them. */
static row_total total_of(const kernels *with, const tensor *x, const row_shares *beside)
{
    size_t n = x->size[1];
    double max; /* room for either type */
    row_total total;
    void *row = malloc((n + 1) * sizeof max);
    if (row == NULL)
        abort();
    with->row_max(x->data, n, &max);
    with->row_exponent(x->data, n, &max, row, &total, beside);
    free(row);
    return total;
}

static void call_sum_of_row_exponent(const kernels *with, job *j)
{
    row_total total = total_of(with, &j->in[0], NULL);
    numbers_put(j->out.type, j->out.data, 0, total.sum + total.rest);
}

/* Angles, of frequencies that are numbers of the type, in a block that ends where they do. */
static void angles(const kernels *with, job *j, bool is_sine)
{
    size_t n = j->in[0].size[1];
    double *room = calloc(3 * n + 1, sizeof room[0]);
    if (room == NULL)
        abort();
    for (size_t i = 0; i < n; i++)
        room[i] = fabs(numbers_get(j->in[0].type, j->in[0].data, i));
    with->angles(1000, room, n, room + n, room + 2 * n);
    for (size_t i = 0; i < n; i++)
        numbers_put(j->out.type, j->out.data, i, room[(is_sine ? 2 : 1) * n + i]);
    free(room);
}

static void call_cosines(const kernels *with, job *j)
{
    angles(with, j, false);
}

static void call_sines(const kernels *with, job *j)
{
    angles(with, j, true);
}

/* The first h pairs of n numbers, by sines that are numbers of the type and cosines next to them;
 * an odd number stays behind. */
static void turn(const kernels *with, job *j, bool is_interleaved)
{
    size_t n = j->in[1].size[1], pairs = n / 2;
    double *sine = calloc(2 * pairs + 1, sizeof sine[0]);
    if (sine == NULL)
        abort();
    for (size_t i = 0; i < pairs; i++) {
        sine[i] = numbers_get(j->in[0].type, j->in[0].data, i);
        sine[pairs + i] = 0.75 * sine[i] + 0.1;
    }
    with->turn(j->in[1].data, pairs, is_interleaved ? 2 : 1, is_interleaved ? 1 : pairs,
               sine + pairs, sine, j->out.data);
    free(sine);
}

static void call_turn(const kernels *with, job *j)
{
    turn(with, j, false);
}

static void call_turn_interleaved(const kernels *with, job *j)
{
    turn(with, j, true);
}

/* By the row's last number, for which `sum` has room. */
static row_shares shares_of(const job *j, double *sum)
{
    size_t n = j->in[0].size[1], size = dtype_size(j->in[0].type);
    *sum = 0;
    if (n > 0)
        memcpy(sum, (const char *)j->in[0].data + (n - 1) * size, size);
    return (row_shares){j->in[0].data, n, sum, j->out.data};
}

static void call_row_divide(const kernels *with, job *j)
{
    double sum;
    row_shares of = shares_of(j, &sum);
    with->row_divide(&of);
}

static void call_divide_beside(const kernels *with, job *j)
{
    double sum;
    row_shares of = shares_of(j, &sum);
    total_of(with, &j->in[1], &of);
}

static void call_row_back(const kernels *with, job *j)
{
    with->row_back(j->in[0].data, j->in[0].size[1], j->in[1].data, j->in[2].data, 0.3, j->out.data,
                   j->out.data);
}

/* Before it is scaled. */
static void call_masked_row_back(const kernels *with, job *j)
{
    void *scaled = numbers_room(j->out.size[1]);
    with->row_back(j->in[0].data, j->in[0].size[1], j->in[1].data, j->in[2].data, 0.3, j->out.data,
                   scaled);
    free(scaled);
}

static void call_row_dots(const kernels *with, job *j)
{
    with->row_dots(&j->in[0], &j->in[1], j->out.data);
}

static const slot SLOTS[] = {
    {"product", call_product, NUMBERS_ANY, {"rd", "dn", "", ""}, "rn"},
    /* What a causal block takes: the first columns of a, and of b. */
    {"part of product", call_product, NUMBERS_ANY, {"re", "dn", "", ""}, "rh"},
    /* What a window's block takes. */
    {"product after", call_product_behind, NUMBERS_ANY, {"re", "dn", "", ""}, "rh"},
    {"pack_at", call_pack_at, NUMBERS_ANY, {"rd", "dn", "", ""}, "rn"},
    {"row_product", call_row_product, NUMBERS_ANY, {"d", "dn", "", ""}, "n"},
    {"row_dots", call_row_dots, NUMBERS_ANY, {"rd", "rd", "", ""}, "r"},
    {"product_of_nonzero", call_product_of_nonzero, NUMBERS_ANY, {"rd", "dn", "", ""}, "rn"},
    {"add_to_rows", call_add_to_rows, NUMBERS_ANY, {"rn", "n", "", ""}, "rn"},
    {"is_finite", call_is_finite, NUMBERS_ANY, {"rn", "", "", ""}, "1"},
    {"is_finite of low ones", call_is_finite, NUMBERS_SCORES, {"n", "", "", ""}, "1"},
    {"scale", call_scale, NUMBERS_ANY, {"n", "", "", ""}, "n"},
    {"max of scale", call_max_of_scale, NUMBERS_SCORES, {"n", "", "", ""}, "1"},
    {"fill", call_fill, NUMBERS_ANY, {"", "", "", ""}, "n"},
    {"cap", call_cap, NUMBERS_ANY, {"n", "", "", ""}, "n"},
    {"add", call_add, NUMBERS_ANY, {"n", "n1", "", ""}, "n"},
    {"add one", call_add_one, NUMBERS_ANY, {"n", "1", "", ""}, "n"},
    {"hide", call_hide, NUMBERS_SHARES, {"n", "n", "", ""}, "n"},
    {"hide others", call_hide_others, NUMBERS_SHARES, {"n", "n", "", ""}, "n"},
    {"recede", call_recede, NUMBERS_ANY, {"n", "", "", ""}, "n"},
    {"draw_uniform", call_draw_uniform, NUMBERS_ANY, {"", "", "", ""}, "n"},
    {"draw_normal", call_draw_normal, NUMBERS_ANY, {"", "", "", ""}, "n"},
    {"weigh", call_weigh, NUMBERS_ANY, {"n1", "", "", ""}, "n"},
    {"cosines", call_cosines, NUMBERS_SHARES, {"n", "", "", ""}, "n"},
    {"sines", call_sines, NUMBERS_SHARES, {"n", "", "", ""}, "n"},
    {"turn", call_turn, NUMBERS_ANY, {"h", "n", "", ""}, "n"},
    {"turn interleaved", call_turn_interleaved, NUMBERS_ANY, {"h", "n", "", ""}, "n"},
    {"times", call_times, NUMBERS_ANY, {"n", "n", "", ""}, "n"},
    {"relu", call_relu, NUMBERS_ANY, {"n", "", "", ""}, "n"},
    {"gelu", call_gelu, NUMBERS_ANY, {"n", "", "", ""}, "n"},
    {"gelu of low ones", call_gelu, NUMBERS_SCORES, {"n", "", "", ""}, "n"},
    {"gelu_tanh", call_gelu_tanh, NUMBERS_ANY, {"n", "", "", ""}, "n"},
    {"gelu_tanh of low ones", call_gelu_tanh, NUMBERS_SCORES, {"n", "", "", ""}, "n"},
    {"silu", call_silu, NUMBERS_ANY, {"n", "", "", ""}, "n"},
    {"silu of low ones", call_silu, NUMBERS_SCORES, {"n", "", "", ""}, "n"},
    {"row_norm", call_row_norm, NUMBERS_ANY, {"n", "n", "n", ""}, "n"},
    {"row_norm alone", call_bare_row_norm, NUMBERS_SHARES, {"n", "", "", ""}, "n"},
    {"row_rms_norm", call_row_rms_norm, NUMBERS_ANY, {"n", "n", "", ""}, "n"},
    {"row_rms_norm alone", call_bare_row_rms_norm, NUMBERS_SHARES, {"n", "", "", ""}, "n"},
    {"row_max", call_row_max, NUMBERS_SCORES, {"n", "", "", ""}, "1"},
    {"row_exponent", call_row_exponent, NUMBERS_SCORES, {"n", "", "", ""}, "n"},
    {"sum of row_exponent", call_sum_of_row_exponent, NUMBERS_SCORES, {"n", "", "", ""}, "1"},
    {"row_back", call_row_back, NUMBERS_ANY, {"n", "n", "1", ""}, "n"},
    {"masked of row_back", call_masked_row_back, NUMBERS_ANY, {"n", "n", "1", ""}, "n"},
    {"row_divide", call_row_divide, NUMBERS_SHARES, {"n", "", "", ""}, "n"},
    {"division beside", call_divide_beside, NUMBERS_SHARES, {"n", "n", "", ""}, "n"},
    {"division beside fewer", call_divide_beside, NUMBERS_SHARES, {"n", "h", "", ""}, "n"},
    {"division beside more", call_divide_beside, NUMBERS_SHARES, {"h", "n", "", ""}, "h"},
};

static const size_t OF_KERNELS = sizeof SLOTS / sizeof SLOTS[0];

size_t slot_count(void)
{
    return OF_KERNELS + SCORES.count;
}

slot slot_at(size_t index)
{
    if (index < OF_KERNELS)
        return SLOTS[index];
    const score *of = (const score *)(const void *)named_row(&SCORES, index - OF_KERNELS);
    const char *shift = of->shift == NULL ? "" : of->shift_is_one ? "1" : "d";
    return (slot){.name = of->named.name,
                  .call = call_score,
                  .in = {"rd", "nd", of->vector == NULL ? "" : "d", shift},
                  .out = "rn"};
}

static size_t axis_size(char letter, const sizes *s)
{
    switch (letter) {
    case 'r':
        return s->rows;
    case 'd':
        return s->depth;
    case 'e':
        return s->depth / 2;
    case 'n':
        return s->n;
    case 'h':
        return s->n / 2;
    default:
        return 1;
    }
}

void slot_shape(const char *letters, const sizes *s, size_t shape[2])
{
    bool is_matrix = strlen(letters) == 2;
    shape[0] = letters[0] == '\0' ? 0 : is_matrix ? axis_size(letters[0], s) : 1;
    shape[1] = letters[0] == '\0' ? 0 : axis_size(letters[is_matrix], s);
}
