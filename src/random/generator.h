/* The table of generators: where random numbers come from, by a seed.
 *
 * `own` is the project's: number i of a matrix is a function of seed, matrix and i alone, so that
 * it does not matter who draws it, or what was drawn before. The others are other libraries' own
 * sequences, in which each number depends on all that were drawn before it.
 *
 * own: the block of numbers 2i and 2i + 1 is philox(counter = (i's low and high 32 bits, the
 * matrix, 0), key = the seed's low and high 32 bits); its words make two of 64 bits, a and b, the
 * earlier word below the later. As uniform numbers these are their upper 53 bits (24 for float32)
 * times 2⁻⁵³ (2⁻²⁴). As normal numbers they are r·cos 2πv and r·sin 2πv with r = √(−2 ln u), where
 * u = (1 + a's upper 53 bits)·2⁻⁵³ and v = b's upper 53 bits·2⁻⁵³ (Box and Muller, "A note on the
 * generation of random normal deviates", 1958). */
#ifndef SELFATTN_RANDOM_GENERATOR_H
#define SELFATTN_RANDOM_GENERATOR_H

#include "base/named.h"
#include "random/sequences.h"
#include "tensor/tensor.h"

typedef enum law_kind {
    LAW_UNIFORM,  /* from `a` up to `b` */
    LAW_WHOLE,    /* whole numbers from `a` to `b`: the next ones below uniform numbers */
    LAW_HALVES,   /* the same of halves */
    LAW_NORMAL,   /* of mean `a` and standard deviation `b` */
    LAW_CONSTANT, /* `a` */
    LAW_COUNT,    /* 0, 1, 2, … */
    LAW_COSINE,   /* cos 0, cos 1, cos 2, … */
    LAW_SPENT     /* 0; but uniform numbers are drawn, and thrown away */
} law_kind;

/* What the numbers of one matrix are. */
typedef struct law {
    law_kind kind;
    double a, b;
} law;

/* The numbers of one matrix, drawn a run at a time. */
typedef struct draw {
    law law;
    uint32_t matrix; /* its number: own gives each matrix numbers of its own */
    dtype type;      /* that they are rounded to */
    size_t total;    /* how many there are in all */
} draw;

typedef struct generator generator;

typedef struct stream {
    const generator *from;
    uint64_t seed;
    mersenne twister;
    pcg64 pcg;
    ziggurat layers;
    bool has_spare; /* of two normal numbers that were made at once, the second */
    double spare;
} stream;

/* Runs begin at a multiple of this; only a matrix's last one may be of another length, and then is
 * the longer by less than this. */
enum { DRAW_RUN = 16 };

struct generator {
    named named;
    uint64_t most_seed;
    bool is_indexed;    /* runs may be drawn in any order, by several threads */
    bool has_f64;       /* float64 is what the library has, … */
    bool normal_is_f32; /* … but normal numbers are known to the last bit as float32 only */
    void (*begin)(stream *s);
    /* Numbers first, first + 1, … of the matrix: of LAW_NORMAL, else of LAW_UNIFORM. */
    void (*fill)(stream *s, const draw *d, size_t first, size_t count, double *out);
    /* The same as elements of d->type, where that is quicker; or NULL. */
    void (*elements)(const stream *s, const draw *d, size_t first, size_t count, void *out);
};

extern const named_table GENERATORS;

/* Whether all its numbers are multiples of one. */
bool law_has_steps(law_kind kind);
/* No number that is met while one of such a law is drawn is greater, whatever the generator. */
double law_reach(const law *l);

stream stream_begin(const generator *from, uint64_t seed);
/* Any law's numbers first, first + 1, …, rounded to d->type. Runs come in order, unless the
 * generator is indexed. */
void stream_draw(stream *s, const draw *d, size_t first, size_t count, double *out);

/* Numbers of a matrix as elements in memory, drawn by several threads where the generator lets
 * them: a run's numbers do not depend on who draws it. Elements first, first + 1, … of d->type to
 * `out`; in runs as stream_draw says. */
void fill_elements(stream *s, const draw *d, size_t first, size_t count, void *out, size_t threads);

#endif
