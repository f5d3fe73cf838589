#include "bench/rows.h"

#include <string.h>

/* ---- who ---- */

#define ORT "npm's onnxruntime-node; python3-onnx"

static const rival RIVALS[] = {
    {"own", "selfattn", "@", ""},
    {"ort", "ONNX Runtime", "node tests/bench/ort.js", ORT},
    {"onednn", "oneDNN", "@_onednn", "libdnnl-dev, g++"},
    {"numpy", "numpy", "/usr/bin/python3 tests/bench/arrays.py numpy", "python3-numpy"},
    {"numpy_command", "Python, numpy", "@ command by=numpy", "python3-numpy"},
    {"torch", "PyTorch", "/usr/bin/python3 tests/bench/arrays.py torch", "python3-torch"},
    {"openblas", "OpenBLAS", "@ openblas", "libopenblas0-pthread, AVX-512"},
    {"dnnl_sgemm", "oneDNN sgemm", "@ onednn", "libdnnl2"},
};

/* The word that an entry begins with. */
const rival *rival_of(const char *entry)
{
    for (size_t i = 0; i < sizeof RIVALS / sizeof RIVALS[0]; i++) {
        size_t length = strlen(RIVALS[i].name);
        if (strcspn(entry, " ") == length && strncmp(entry, RIVALS[i].name, length) == 0)
            return &RIVALS[i];
    }
    return NULL;
}

/* ---- numbers of a round ---- */

static double itself(const double *measured)
{
    return measured[0];
}

/* The first as a part of the second. */
static double part(const double *ms)
{
    return ms[0] / ms[1];
}

/* The first as a part of the second and the third. A difference of two would be little next to what
 * a busy machine adds to either. */
static double part_of_both(const double *ms)
{
    return ms[0] / (ms[1] + ms[2]);
}

/* MB, less an output of 1 GB. */
static double beyond_a_gigabyte(const double *megabytes)
{
    return megabytes[0] - 1024;
}

/* The same of what a window of 256 of 16,384 keys is of the second. */
static double part_of_window(const double *ms)
{
    return ms[0] / (ms[1] * 256 / 16384);
}

/* How near the first comes to the second. */
static double share(const double *ms)
{
    return ms[1] / ms[0];
}

/* How many times as fast as the second the first is, against how many times as fast as the fourth
 * the third is. */
static double gain_of_gain(const double *ms)
{
    return ms[1] / ms[0] / (ms[3] / ms[2]);
}

/* ---- what ---- */

#define C512 "n=512 heads=8 d=64"
#define C2048 "n=2048 heads=8 d=64"
#define L(n) "n=" #n " width=512 heads=8"
#define E(n) L(n) " hidden=2048"
#define GPT2 "layers=12 width=768 heads=12 vocab=50257 folder=build/gpt2"
#define CORES                                                                                      \
    {                                                                                              \
        "own core", "ort mha", "ort split", "torch core"                                           \
    }
#define CAUSAL                                                                                     \
    {                                                                                              \
        "own core", "ort gqa"                                                                      \
    }
#define PRODUCTS                                                                                   \
    {                                                                                              \
        "own product", "dnnl_sgemm", "openblas core=SkylakeX", "openblas"                          \
    }

#define LEAST(b, g) .bar = (b), .goal = (g)
#define MOST(b, g) .at_most = true, .bar = (b), .goal = (g)

const row ROWS[] = {
    {"core 2048 x 8 x 64",
     C2048,
     {"own core", "ort mha", "onednn core", "numpy core", "torch core"},
     LEAST(1.1, 1.25)},
    {"core 512 x 8 x 64",
     C512,
     {"own core", "ort mha", "ort split", "ort attention", "onednn core", "torch core"},
     LEAST(1, 1.2)},
    {"core 8192 x 8 x 64", "n=8192 heads=8 d=64", CORES, LEAST(1, 1.2)},
    {"core 16384 x 1 x 64", "n=16384 heads=1 d=64", CORES, LEAST(1, 1.2)},
    {"core 2048 x 16 x 128", "n=2048 heads=16 d=128", CORES, LEAST(1, 1.2)},
    {"causal 2048 x 8 x 64", C2048 " causal=yes", CAUSAL, LEAST(1.6, 2)},
    {"causal 512 x 8 x 64",
     C512 " causal=yes",
     {"own core", "ort gqa", "ort mha", "ort attention"},
     LEAST(1.6, 2)},
    {"causal 8192 x 8 x 64", "n=8192 heads=8 d=64 causal=yes", CAUSAL, LEAST(1.6, 2)},
    {"causal 2048 / full",
     C2048,
     {"own core causal=yes", "own core"},
     part,
     "its own full core",
     MOST(0.6, 0.55)},
    {"back 2048 x 8 x 64",
     C2048 " back=yes",
     {"own core", "torch core", "onednn core"},
     LEAST(1, 1.5)},
    {"back, causal 2048", C2048 " back=yes causal=yes", {"own core", "torch core"}, LEAST(1, 1.5)},
    {"back and forth 2048",
     C2048,
     {"own core back=yes", "own core"},
     part,
     "its own forward",
     MOST(3.5, 3.3)},
    {"the same, causal",
     C2048 " causal=yes",
     {"own core back=yes", "own core"},
     part,
     "its own forward",
     MOST(3.5, 3.3)},
    {"back and forth 16384",
     "n=16384 heads=1 d=64 back=yes",
     {"own core", "own core back=no"},
     part,
     "its own forward",
     MOST(3.5, 3.3)},
    {"back, layer 2048", L(2048) " back=yes", {"own layer", "torch layer"}, LEAST(1, 1.5)},
    {"layer, back and forth",
     L(2048),
     {"own layer back=yes", "own layer"},
     part,
     "its own forward",
     MOST(3.5, 3.3)},
    {"layer 512 x 8 heads", L(512), {"own layer", "ort layer"}, LEAST(1.1, 1.3)},
    {"layer 2048 x 8 heads", L(2048), {"own layer", "ort layer"}, LEAST(1.1, 1.3)},
    {"product 1024", "m=1024", PRODUCTS, LEAST(0.95, 1.05)},
    {"product 512", "m=512", PRODUCTS, LEAST(0.9, 1.05)},
    {"sharp core 2048",
     C2048,
     {"own core sharp=50", "own core"},
     part,
     "its own normal core",
     MOST(1.2, 1.05)},
    {"weights 2048",
     C2048,
     {"own core emit=weights", "own core", "own fill"},
     part_of_both,
     "output only + writing",
     MOST(1.14, 1.05)},
    {"avx2 core 2048",
     C2048,
     {"own core isa=avx2", "own peak core isa=avx2", "own core isa=avx512",
      "own peak core isa=avx512"},
     gain_of_gain,
     "the share of AVX-512",
     LEAST(0.8, 1)},
    {"2 threads core 2048",
     C2048,
     {"own core", "own core threads=1", "own peak core", "own peak core threads=1"},
     gain_of_gain,
     "the gain of bare FMA",
     .threads = 2,
     LEAST(0.95, 1)},
    {"csv 4096 x 512",
     "what=csv n=4096 width=512 heads=8",
     {"own command", "numpy_command"},
     LEAST(12, 20)},
    {"json 4096 x 512",
     "what=json n=4096 width=512 heads=8",
     {"own command", "numpy_command"},
     LEAST(12, 20)},
    {"weights text 8 x 1024",
     "what=weights n=1024 width=512 heads=8",
     {"own command", "numpy_command"},
     LEAST(15, 15)},
    {"memory MB, the text",
     "what=weights n=4096 width=512 heads=8",
     {"own command_memory"},
     itself,
     "anonymous",
     MOST(256, 64)},
    {"walkthrough",
     "what=walkthrough",
     {"own command", "own command by=bare"},
     part,
     "a bare process",
     .threads = 1,
     MOST(3, 2)},
    {"jsonl 20000 x 6 x 8",
     "what=jsonl n=6 width=8 documents=20000",
     {"own command", "numpy_command"},
     LEAST(20, 20)},
    {"jsonl, weights once",
     "what=bundle-jsonl n=6 width=8 documents=20000",
     {"own command", "numpy_command"},
     LEAST(20, 20)},
    {"memory MB, npy of 1 GB",
     "what=npy b=1024 n=256 width=1024",
     {"own command_memory"},
     beyond_a_gigabyte,
     "anonymous",
     MOST(64, 16)},
    {"gqa 2048 x 32 on 8 x 128", "n=2048 heads=32 kv_heads=8 d=128 causal=yes", CAUSAL,
     LEAST(1.4, 2)},
    {"window 256 of 16384",
     "n=16384 heads=1 d=64",
     {"own core window=256", "own core"},
     part_of_window,
     "its part of the full core",
     MOST(1.5, 1.25)},
    {"bias of rank 4, 2048",
     C2048,
     {"own core bias=yes", "own core", "own read d=1024"},
     part_of_both,
     "without, + reading it",
     MOST(1.32, 1.13)},
    {"mask of rank 4, 2048",
     C2048,
     {"own core mask=yes", "own core", "own read d=256"},
     part_of_both,
     "without, + reading it",
     MOST(1.33, 1.14)},
    {"rope, layer 2048",
     L(2048),
     {"own layer rope=yes", "own layer"},
     part,
     "without",
     MOST(1.03, 1.015)},
    {"additive 512 x 512 x 64",
     "n=512 heads=1 d=64 score=additive",
     {"own core", "numpy additive"},
     LEAST(10, 20)},
    {"decode 131072 x 8 x 64",
     "n=131072 heads=8 d=64",
     {"own decode", "own read"},
     share,
     "reading the same bytes",
     LEAST(0.7, 0.9)},
    {"encoder layer 512", E(512), {"own encoder", "ort encoder"}, LEAST(1.1, 1.3)},
    {"encoder layer 2048", E(2048), {"own encoder", "ort encoder"}, LEAST(1.1, 1.3)},
    {"encoder 512, PyTorch", E(512), {"own encoder", "torch encoder"}, LEAST(1.5, 2)},
    {"encoder 2048, PyTorch", E(2048), {"own encoder", "torch encoder"}, LEAST(1.5, 2)},
    {"token, 12 layers x 768",
     "layers=12 width=768 heads=12 hidden=3072",
     {"own token", "own read n=4608 d=768"}, /* as many bytes as the layers' weights */
     share,
     "reading the weights",
     LEAST(0.7, 0.9)},
    {"token, the same out-in",
     "layers=12 width=768 heads=12 hidden=3072 layout=out-in",
     {"own token", "own read n=4608 d=768"},
     share,
     "reading the weights",
     LEAST(0.7, 0.9)},
    {"gpt-2, 512 rows", GPT2 " n=512", {"own model", "ort gpt2"}, LEAST(1, 1.2)},
    {"gpt-2, a token", GPT2 " n=128", {"own model_token", "ort gpt2_token"}, LEAST(1, 1.2)},
    {"gpt-2, a token's weights",
     GPT2 " n=128",
     {"own model_token", "own read n=80424 d=768 kv_heads=1"}, /* as many bytes as its weights */
     share,
     "reading the weights",
     LEAST(0.7, 0.9)},
    {"memory MB, 16384 x 1",
     "n=16384 heads=1 d=64",
     {"own memory"},
     itself,
     "beyond in and out",
     MOST(64, 16)},
    {"memory MB, back 16384",
     "n=16384 heads=1 d=64 back=yes",
     {"own memory"},
     itself,
     "beyond in and out",
     MOST(64, 40)},
    {"memory MB, 16384 x 8",
     "n=16384 heads=8 d=64",
     {"own memory"},
     itself,
     "beyond in and out",
     MOST(64, 16)},
};

const size_t ROW_COUNT = sizeof ROWS / sizeof ROWS[0];
