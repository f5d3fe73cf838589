#include "model/activation.h"

static void relu(const kernels *with, const void *x, size_t n, void *out)
{
    with->relu(x, n, out);
}

static void gelu(const kernels *with, const void *x, size_t n, void *out)
{
    with->gelu(x, n, out);
}

static void gelu_tanh(const kernels *with, const void *x, size_t n, void *out)
{
    with->gelu_tanh(x, n, out);
}

static void silu(const kernels *with, const void *x, size_t n, void *out)
{
    with->silu(x, n, out);
}

static const activation ROWS[] = {
    {{"relu", "max(x, 0)"}, "max({a}, 0)", relu},
    {{"gelu", "x·Φ(x), Φ the normal distribution"}, "{(a)}·Φ({a})", gelu},
    {{"gelu_tanh", "x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))"},
     "{(a)} / 2·(1\n + tanh(√(2/π)·({a}\n + 0.044715·{(a)}³)))",
     gelu_tanh},
    {{"silu", "x/(1 + exp(−x))"}, "{(a)}\n / (1 + exp(−{(a)}))", silu},
};

/* As configurations of published models call them. */
static const synonym SYNONYMS[] = {
    {"swish", "silu"},
    {"gelu_new", "gelu_tanh"},
    {"gelu_fast", "gelu_tanh"},
    {"gelu_pytorch_tanh", "gelu_tanh"},
    {NULL, NULL},
};

const named_table ACTIVATIONS = NAMED_TABLE_ALSO("activation", ROWS, SYNONYMS);
