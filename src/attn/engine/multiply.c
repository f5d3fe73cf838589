#include "attn/engine/multiply.h"

#include "base/mem.h"

#include <stdatomic.h>
#include <string.h>

/* A whole number of register tiles; few enough that a block's rows of a stay in a second-level
 * cache. */
enum { BLOCK_ROWS = 48 };

/* What is packed at a time, however large b is: more would be no faster. */
static const size_t PACKED_MOST = (size_t)16 << 20;

/* What is read once for each piece of columns stays in a third-level cache. */
static const size_t REREAD_MOST = (size_t)4 << 20;

/* Pieces of columns for each thread, that none waits long for the last one. */
enum { PIECES_A_THREAD = 4 };

/* Packed columns of weights that are 16 deep: a small product costs less than having memory. */
enum { SMALL_BYTES = 4096 };

/* A product is cut by rows of a, whose b is packed before; or, where a is small, by columns of b,
 * each of which its worker packs for itself, unless all are, and finds in its own cache; or, where
 * a is one row, by columns of b as it is: so a token that is decoded costs one reading of the
 * weights, by all threads. Packing b is cut by its columns too. */
typedef enum cut { BY_ROWS, BY_COLUMNS, OF_ONE_ROW, PACKING } cut;

typedef struct product_job {
    const kernels *with;
    const tensor *a, *b;
    const char *bias;     /* numbers as c's, one a column; NULL: none */
    packed_weights *kept; /* where b stays packed; NULL: nowhere */
    packed whole;         /* b; no data where it is not packed, or column by column */
    cut cut;
    tensor *c;
    bool goes_on;     /* chains begin at c; cut by rows alone */
    size_t step, end; /* of the rows or columns */
    atomic_size_t next;
    atomic_bool lacks_memory;
    atomic_bool *is_finite; /* whether c is; may be NULL */
} product_job;

/* What belongs to a product's elements while they are in the cache. */
static void finish(const product_job *j, tensor *c, size_t first_column)
{
    if (j->bias != NULL)
        j->with->add_to_rows(c, j->bias + first_column * dtype_size(c->type));
    if (j->is_finite != NULL && !j->with->is_finite(c))
        atomic_store(j->is_finite, false);
}

/* These rows and columns of c; b has the columns alone. */
static void multiply_block(const product_job *j, const packed *b, size_t row, size_t rows,
                           size_t column, size_t columns)
{
    tensor a = tensor_range(j->a, 0, row, rows), all = tensor_range(j->c, 0, row, rows);
    tensor c = tensor_range(&all, 1, column, columns);
    j->with->product(&a, b, j->goes_on ? &(product_band){.goes_on = true} : NULL, &c);
    finish(j, &c, column);
}

static void take_pieces(product_job *j, packed *room)
{
    size_t first;
    while ((first = atomic_fetch_add(&j->next, j->step)) < j->end) {
        size_t count = j->end - first < j->step ? j->end - first : j->step;
        if (j->cut == BY_ROWS) {
            multiply_block(j, &j->whole, first, count, 0, j->c->size[1]);
            continue;
        }
        tensor columns = tensor_range(j->b, 1, first, count);
        if (j->cut == OF_ONE_ROW) {
            tensor c = tensor_range(j->c, 1, first, count);
            j->with->row_product(j->a->data, &columns, c.data);
            finish(j, &c, first);
            continue;
        }
        /* `first` is a multiple of PACKED_STEP. */
        size_t depth = j->b->size[0], rows = j->a->size[0], some;
        packed b = {.depth = depth, .columns = count};
        if (j->whole.data != NULL) {
            b.data = (char *)j->whole.data + j->with->packed_bytes(depth, first);
        } else {
            j->with->pack(&columns, room);
            b = *room;
        }
        if (j->cut == PACKING) {
            j->with->pack(&columns, &b);
            continue;
        }
        /* A block of rows at a time, which is still in the cache when the bias comes. */
        for (size_t row = 0; row < rows; row += some) {
            some = rows - row < BLOCK_ROWS ? rows - row : BLOCK_ROWS;
            multiply_block(j, &b, row, some, first, count);
        }
    }
}

static void work(void *context, size_t worker)
{
    (void)worker;
    product_job *j = context;
    float_mode mode;
    packed room = {0};
    _Alignas(MEM_ALIGN) char small[SMALL_BYTES];
    float_mode_set(&mode);
    bool packs = j->cut == BY_COLUMNS && j->whole.data == NULL;
    if (packs) {
        size_t bytes = j->with->packed_bytes(j->b->size[0], j->step);
        err ignored; /* who started the workers reports it */
        err_clear(&ignored);
        room.data = bytes <= SMALL_BYTES ? small : mem_alloc(bytes, 1, &ignored);
    }
    if (packs && room.data == NULL)
        atomic_store(&j->lacks_memory, true);
    else
        take_pieces(j, &room);
    if (room.data != small)
        mem_free(room.data);
    float_mode_restore(&mode);
}

static bool is_cut_by_columns(size_t rows, size_t depth, size_t columns, size_t threads)
{
    size_t pieces = (columns + PACKED_STEP - 1) / PACKED_STEP;
    return rows <= BLOCK_ROWS ||
           (depth <= REREAD_MOST / sizeof(float) / rows && pieces >= PIECES_A_THREAD * threads);
}

/* Reading an element of b from memory takes as long as so many multiply-adds with one that is
 * packed: with few rows of a that is most of the work. */
static const double READING_COST = 10;

static size_t threads_for(size_t rows, size_t depth, size_t columns, size_t threads)
{
    bool by_columns = is_cut_by_columns(rows, depth, columns, threads);
    size_t pieces = by_columns ? (columns + PACKED_STEP - 1) / PACKED_STEP : threads;
    size_t most = threads < pieces ? threads : pieces;
    return threads_worth(most, ((double)rows + READING_COST) * (double)depth * (double)columns);
}

/* Whole steps of columns. */
static size_t columns_at_once(const kernels *with, size_t depth, size_t columns)
{
    size_t step = with->packed_bytes(depth, PACKED_STEP);
    if (with->packed_bytes(depth, columns) <= PACKED_MOST)
        return columns;
    return step > PACKED_MOST ? PACKED_STEP : PACKED_MOST / step * PACKED_STEP;
}

size_t multiply_memory(const kernels *with, size_t rows, size_t depth, size_t columns,
                       size_t threads)
{
    if (!is_cut_by_columns(rows, depth, columns, threads))
        return with->packed_bytes(depth, columns_at_once(with, depth, columns));
    return threads_for(rows, depth, columns, threads) * with->packed_bytes(depth, PACKED_STEP);
}

static void run_job(product_job *j, cut how, size_t step, size_t end, size_t threads, crew *by)
{
    j->cut = how;
    j->step = step;
    j->end = end;
    atomic_store(&j->next, 0);
    crew_run(by, threads, work, j);
}

static bool multiply_range(const product_job *whole, size_t first, size_t count, size_t threads,
                           crew *by, err *e)
{
    tensor b = tensor_range(whole->b, 1, first, count), c = tensor_range(whole->c, 1, first, count);
    product_job part = {.with = whole->with,
                        .a = whole->a,
                        .b = &b,
                        .c = &c,
                        .goes_on = whole->goes_on,
                        .is_finite = whole->is_finite};
    if (whole->bias != NULL)
        part.bias = whole->bias + first * dtype_size(c.type);
    part.whole = (packed){mem_alloc(part.with->packed_bytes(b.size[0], b.size[1]), 1, e),
                          .depth = b.size[0], .columns = b.size[1]};
    if (part.whole.data == NULL)
        return false;
    run_job(&part, PACKING, PACKED_STEP, count, threads, by);
    run_job(&part, BY_ROWS, BLOCK_ROWS, whole->a->size[0], threads, by);
    mem_free(part.whole.data);
    return true;
}

static bool multiply_by_rows(const product_job *j, size_t threads, crew *by, err *e)
{
    size_t columns = j->b->size[1], step = columns_at_once(j->with, j->b->size[0], columns);
    for (size_t first = 0; first < columns; first += step) {
        size_t left = columns - first;
        if (!multiply_range(j, first, left < step ? left : step, threads, by, e))
            return false;
    }
    return true;
}

static bool multiply_all(product_job *j, crew *by, err *e)
{
    size_t rows = j->a->size[0], depth = j->b->size[0], columns = j->b->size[1];
    size_t threads = threads_for(rows, depth, columns, by->most);
    if (rows == 1 && j->a->stride[1] == 1) {
        /* b is read as it lies, its rows in long runs: a piece a thread. */
        size_t each = (columns + threads - 1) / threads;
        run_job(j, OF_ONE_ROW, (each + PACKED_STEP - 1) / PACKED_STEP * PACKED_STEP, columns,
                threads, by);
        return true;
    }
    if (j->kept != NULL && !packed_weights_find(j->kept, j->with, j->b, &j->whole, e))
        return false;
    if (is_cut_by_columns(rows, depth, columns, by->most)) {
        /* Columns are packed by those who compute them. */
        run_job(j, BY_COLUMNS, PACKED_STEP, columns, threads, by);
        return !atomic_load(&j->lacks_memory) ||
               err_no_memory(e, j->with->packed_bytes(depth, PACKED_STEP));
    }
    if (j->whole.data != NULL) {
        run_job(j, BY_ROWS, BLOCK_ROWS, rows, threads, by);
        return true;
    }
    return multiply_by_rows(j, threads, by, e);
}

bool multiply(const kernels *with, const tensor *a, const tensor *b, const tensor *bias, tensor *c,
              crew *by, err *e)
{
    return linear_map_apply(&(linear_map){b, bias, NULL}, with, a, c, NULL, by, e);
}

bool multiply_on(const kernels *with, const tensor *a, const tensor *b, const tensor *c, crew *by,
                 err *e)
{
    tensor to = *c;
    const product_job j = {.with = with, .a = a, .b = b, .c = &to, .goes_on = true};
    return multiply_by_rows(&j, threads_for(a->size[0], b->size[0], b->size[1], by->most), by, e);
}

/* ---- weights that stay ---- */

struct packed_weight {
    const kernels *with;
    tensor of; /* borrowed */
    packed as;
};

bool packed_weights_find(packed_weights *all, const kernels *with, const tensor *weight, packed *as,
                         err *e)
{
    *as = (packed){0};
    for (size_t i = 0; i < all->count; i++) {
        const packed_weight *one = &all->kept[i];
        bool is_it = one->with == with && one->of.data == weight->data &&
                     tensor_same_shape(&one->of, weight) &&
                     memcmp(one->of.stride, weight->stride, 2 * sizeof weight->stride[0]) == 0;
        if (is_it) {
            *as = one->as;
            return true;
        }
    }
    size_t bytes = with->packed_bytes(weight->size[0], weight->size[1]);
    if (bytes > all->most - all->bytes)
        return true;
    packed_weight *grown = mem_grow(all->kept, all->count, &all->room, sizeof grown[0], e);
    if (grown == NULL)
        return false;
    all->kept = grown;
    packed_weight *one = &grown[all->count];
    *one = (packed_weight){with, tensor_view_of(weight), {.data = mem_alloc(bytes, 1, e)}};
    if (one->as.data == NULL)
        return false;
    with->pack(weight, &one->as);
    all->bytes += bytes;
    all->count++;
    *as = one->as;
    return true;
}

void packed_weights_yield(packed_weights *all, size_t left)
{
    if (left < all->most)
        packed_weights_free(all);
}

struct kept_product {
    tensor weight; /* borrowed */
    tensor bias, rows, made;
    size_t asked; /* last */
};

static void free_product(kept_product *one)
{
    tensor_free(&one->bias);
    tensor_free(&one->rows);
    tensor_free(&one->made);
    *one = (kept_product){0};
}

void packed_weights_free(packed_weights *all)
{
    for (size_t i = 0; i < all->count; i++)
        mem_free(all->kept[i].as.data);
    mem_free(all->kept);
    for (size_t i = 0; i < all->products; i++)
        free_product(&all->product[i]);
    mem_free(all->product);
    *all = (packed_weights){0};
}

/* Whether a matrix, or a part of one, is the bundle's. */
static bool lies_in(const bundle *in, const tensor *one)
{
    const char *at = one->data;
    for (size_t i = 0; i < in->count; i++) {
        const entry *from = &in->entry[i];
        const char *first = from->kind == ENTRY_TENSOR ? from->tensor.data : NULL;
        const size_t bytes =
            first == NULL ? 0 : tensor_count(&from->tensor) * dtype_size(from->tensor.type);
        if ((from->kind == ENTRY_BUNDLE && lies_in(from->bundle, one)) ||
            (first != NULL && at >= first && at < first + bytes))
            return true;
    }
    return false;
}

/* All bits, of a matrix whose rows lie in one piece each, or of one row; of none there are none. */
static bool has_same_bits(const tensor *a, const tensor *b)
{
    if (a->data == NULL || b->data == NULL)
        return a->data == b->data;
    if (a->type != b->type || a->rank > 2 || !tensor_same_shape(a, b))
        return false;
    const int last = a->rank - 1;
    const size_t bytes = a->size[last] * dtype_size(a->type);
    bool is_same = a->stride[last] == 1 && b->stride[last] == 1;
    for (size_t i = 0; i < (last == 0 ? 1 : a->size[0]) && is_same; i++)
        is_same = memcmp(last == 0 ? a->data : tensor_at(a, i).data,
                         last == 0 ? b->data : tensor_at(b, i).data, bytes) == 0;
    return is_same;
}

/* That of these rows; NULL: it was not kept, or longer ago. */
static const kept_product *find_product(packed_weights *all, const linear_map *m, const tensor *a,
                                        const tensor *bias, const tensor *c)
{
    all->asked++;
    for (size_t i = 0; i < all->products; i++) {
        kept_product *one = &all->product[i];
        if (one->weight.data != m->weight->data || one->weight.type != m->weight->type ||
            !tensor_same_shape(&one->weight, m->weight) ||
            memcmp(one->weight.stride, m->weight->stride, 2 * sizeof m->weight->stride[0]) != 0 ||
            one->made.type != c->type || !has_same_bits(&one->rows, a) ||
            !has_same_bits(&one->bias, bias))
            continue;
        one->asked = all->asked;
        return one;
    }
    return NULL;
}

/* In the place of the one that was asked for longest ago. */
static bool keep_product(packed_weights *all, const linear_map *m, const tensor *a,
                         const tensor *bias, const tensor *c, err *e)
{
    if (all->product == NULL)
        all->product = mem_alloc_zeroed(all->products_most, sizeof all->product[0], e);
    if (all->product == NULL)
        return false;
    kept_product *oldest = &all->product[0];
    for (size_t i = 1; i < all->products && all->products == all->products_most; i++)
        oldest = all->product[i].asked < oldest->asked ? &all->product[i] : oldest;
    if (all->products < all->products_most)
        oldest = &all->product[all->products++];
    free_product(oldest);
    oldest->weight = tensor_view_of(m->weight);
    oldest->asked = all->asked;
    return tensor_new_copy(&oldest->rows, a, e) && tensor_new_copy(&oldest->made, c, e) &&
           (bias->data == NULL || tensor_new_copy(&oldest->bias, bias, e));
}

bool linear_map_apply(const linear_map *m, const kernels *with, const tensor *a, tensor *c,
                      bool *is_finite, crew *by, err *e)
{
    atomic_bool judged = true;
    const tensor none = {0}, *bias = m->bias == NULL ? &none : m->bias;
    packed_weights *kept = m->kept;
    const bool stays = kept != NULL && kept->products_most > 0 &&
                       (kept->only == NULL || lies_in(kept->only, m->weight));
    const kept_product *known = stays ? find_product(kept, m, a, bias, c) : NULL;
    if (known != NULL) {
        tensor_copy(&known->made, c);
        if (is_finite != NULL)
            *is_finite = *is_finite && with->is_finite(c);
        return true;
    }
    product_job j = {.with = with, .a = a, .b = m->weight, .kept = m->kept, .c = c};
    if (m->bias != NULL)
        j.bias = m->bias->data;
    if (is_finite != NULL)
        j.is_finite = &judged;
    bool done = multiply_all(&j, by, e);
    if (!atomic_load(&judged)) /* as is seen best while c is made */
        *is_finite = false;
    return done && (!stays || keep_product(kept, m, a, bias, c, e));
}
