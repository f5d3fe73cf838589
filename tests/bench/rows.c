#include "bench/rows.h"

#include <string.h>

/* ---- who ---- */

#define ORT_IS "npm install --ignore-scripts onnxruntime-node (NODE_PATH); python3-onnx"

static const rival RIVALS[] = {
    {"own", "selfattn", "@", ""},
    {"ort", "ONNX Runtime", "node tests/bench/ort.js", ORT_IS},
    {"openblas", "OpenBLAS", "@ blas library=libopenblas.so.0", "libopenblas0-pthread"},
};

const rival *rival_of(const char *entry)
{
    for (size_t i = 0; i < sizeof RIVALS / sizeof RIVALS[0]; i++) {
        size_t length = strlen(RIVALS[i].name);
        if (strncmp(entry, RIVALS[i].name, length) == 0 && entry[length] == ' ')
            return &RIVALS[i];
    }
    return NULL;
}

/* ---- numbers of a round ---- */

/* The first as a part of the second. */
static double part(const double *ms)
{
    return ms[0] / ms[1];
}

/* The first less the third, as a part of the second. */
static double part_beyond(const double *ms)
{
    return (ms[0] - ms[2]) / ms[1];
}

/* How much faster the second is than the first, as a part of how much faster the fourth is than the
 * third. */
static double gain_of_gain(const double *ms)
{
    return ms[0] / ms[1] / (ms[2] / ms[3]);
}

static double itself(const double *measured)
{
    return measured[0];
}

/* ---- what ---- */

#define SPEED(bar, goal) NULL, NULL, 0, false, (bar), (goal)
#define AT_LEAST(bar, goal) false, (bar), (goal)
#define AT_MOST(bar, goal) true, (bar), (goal)

#define C2048 "n=2048 heads=8 d=64"
#define WITH_MHA                                                                                   \
    {                                                                                              \
        "own core", "ort mha"                                                                      \
    }
#define WITH_GQA                                                                                   \
    {                                                                                              \
        "own core causal=yes", "ort gqa causal=yes"                                                \
    }

const row ROWS[] = {
    {"core 2048 x 8 x 64", C2048, WITH_MHA, SPEED(1.1, 1.25)},
    {"core 512 x 8 x 64", "n=512 heads=8 d=64", WITH_MHA, SPEED(1.0, 1.2)},
    {"core 8192 x 8 x 64", "n=8192 heads=8 d=64", WITH_MHA, SPEED(1.0, 1.2)},
    {"core 16384 x 1 x 64", "n=16384 heads=1 d=64", WITH_MHA, SPEED(1.0, 1.2)},
    {"core 2048 x 16 x 128", "n=2048 heads=16 d=128", WITH_MHA, SPEED(1.0, 1.2)},
    {"causal 2048 x 8 x 64", C2048, WITH_GQA, SPEED(1.6, 2)},
    {"causal 512 x 8 x 64", "n=512 heads=8 d=64", WITH_GQA, SPEED(1.6, 2)},
    {"causal 8192 x 8 x 64", "n=8192 heads=8 d=64", WITH_GQA, SPEED(1.6, 2)},
    {"causal 2048, of full",
     C2048,
     {"own core causal=yes", "own core"},
     part,
     "its own full core",
     0,
     AT_MOST(0.6, 0.55)},
    {"layer 512 x 8 heads", "n=512 width=512 heads=8", {"own layer", "ort layer"}, SPEED(1.1, 1.3)},
    {"layer 2048 x 8 heads",
     "n=2048 width=512 heads=8",
     {"own layer", "ort layer"},
     SPEED(1.1, 1.3)},
    {"product 1024", "m=1024", {"own product", "openblas sgemm"}, SPEED(0.95, 1.05)},
    {"product 512", "m=512", {"own product", "openblas sgemm"}, SPEED(0.9, 1.05)},
    {"sharp core 2048",
     C2048,
     {"own core sharp=50", "own core"},
     part,
     "its own normal core",
     0,
     AT_MOST(1.2, 1.05)},
    {"weights 2048",
     C2048,
     {"own core emit=weights", "own core", "own fill"},
     part_beyond,
     "output only + writing",
     0,
     AT_MOST(1.25, 1.1)},
    {"avx2 core 2048",
     C2048,
     {"own peak core isa=avx2", "own core isa=avx2", "own peak core isa=avx512",
      "own core isa=avx512"},
     gain_of_gain,
     "share of AVX-512",
     0,
     AT_LEAST(0.8, 1)},
    {"2 threads core 2048",
     C2048,
     {"own core threads=1", "own core", "own peak core threads=1", "own peak core"},
     gain_of_gain,
     "gain of bare FMA",
     2,
     AT_LEAST(0.95, 1)},
    {"memory MB, 16384 x 1",
     "n=16384 heads=1 d=64",
     {"own memory"},
     itself,
     "beyond in and out",
     0,
     AT_MOST(64, 16)},
    {"memory MB, 16384 x 8",
     "n=16384 heads=8 d=64",
     {"own memory"},
     itself,
     "beyond in and out",
     0,
     AT_MOST(64, 16)},
};

const size_t ROW_COUNT = sizeof ROWS / sizeof ROWS[0];
