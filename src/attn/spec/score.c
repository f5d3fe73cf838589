#include "attn/spec/score.h"

/* scores = q′·k′ᵀ */
static void compare_by_product(const kernels *with, const score_parameters *of, const tensor *q,
                               const compared_keys *k, tensor *scores)
{
    (void)of;
    with->product(q, &k->turned, &(product_band){.columns = k->seen}, scores);
}

/* scores = q′·kᵀ + bs, q′ = q·Ws */
static void compare_general(const kernels *with, const score_parameters *of, const tensor *q,
                            const compared_keys *k, tensor *scores)
{
    compare_by_product(with, of, q, k, scores);
    for (size_t i = 0; of->shift.data != NULL && i < scores->size[0]; i++) {
        tensor row = tensor_at(scores, i);
        with->add(row.data, row.size[0], of->shift.data, 0, row.data);
    }
}

/* scores = va·tanh(q′ + k′ + ba) */
static void compare_additive(const kernels *with, const score_parameters *of, const tensor *q,
                             const compared_keys *k, tensor *scores)
{
    with->additive(q, &k->rows, of->vector.data, of->shift.data, scores);
}

static const score ROWS[] = {
    {.named = {"scaled", "q·k, divided by √d_k unless --scale says otherwise"},
     .formula = "q[i]·k[j]",
     .order = "a chain of q and k",
     .is_scaled = true,
     .is_product = true,
     .back = BACK_BY_PRODUCT,
     .made_by = OP_DOT,
     .compare = compare_by_product},
    {.named = {"dot", "q·k as it is"},
     .formula = "q[i]·k[j]",
     .order = "a chain of q and k",
     .is_product = true,
     .back = BACK_BY_PRODUCT,
     .made_by = OP_DOT,
     .compare = compare_by_product},
    {.named = {"general", "q·Ws·kᵀ + bs, a learned form between query and key"},
     .formula = "q[i]·Ws·k[j]ᵀ + bs",
     .order = "q·Ws, a chain of that and k, + bs",
     .is_product = true,
     .back = BACK_BY_PRODUCT,
     .made_by = OP_DOT,
     .for_query = "ws",
     .shift = "bs",
     .shift_is_one = true,
     .compare = compare_general},
    {.named = {"additive", "va·tanh(q·Wa + k·Ua + ba), also called concat"},
     .formula = "va·tanh(q[i]·Wa + k[j]·Ua + ba)",
     .order = "q·Wa, k·Ua, their sum, + ba, tanh, and a chain with va",
     .back = BACK_BY_TANH,
     .made_by = OP_ADDITIVE,
     .for_query = "wa",
     .for_key = "ua",
     .vector = "va",
     .shift = "ba",
     .compare = compare_additive},
};

/* After those who proposed them, and as lectures call them. */
static const synonym SYNONYMS[] = {
    {"bahdanau", "additive"}, {"concat", "additive"},        {"luong", "general"},
    {"bilinear", "general"},  {"multiplicative", "general"}, {"scaled_dot_product", "scaled"},
    {"scaled_dot", "scaled"}, {"dot_product", "dot"},        {NULL, NULL},
};

const named_table SCORES = NAMED_TABLE_ALSO("score function", ROWS, SYNONYMS);

const score *score_default(void)
{
    return &ROWS[0];
}

/* ---- operations, of which scores are made ---- */

static const operation_row OPERATION_ROWS[] = {
#define OPERATION(id, name, help, ...) [id] = {{name, help}, __VA_ARGS__},
#include "attn/spec/operation_list.h"
#undef OPERATION
};

const named_table OPERATIONS = NAMED_TABLE("operation", OPERATION_ROWS);

const operation_row *operation_of(operation op)
{
    return &OPERATION_ROWS[op];
}
