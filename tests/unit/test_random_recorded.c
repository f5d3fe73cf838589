/* Numbers that NumPy and PyTorch drew (testdata/random/record.py), bit for bit. */
#include "unit.h"

#include "base/float_bits.h"
#include "base/mem.h"
#include "random/generator.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 16, MOST_LISTED = 20 };

typedef struct recorded {
    char rng[MOST_NAME], law_name[MOST_NAME], type[MOST_NAME];
    draw what;
    uint64_t seed;
} recorded;

static bool read_case(FILE *in, recorded *r)
{
    r->what = (draw){0};
    if (fscanf(in, "%15s %15s %lf %lf %15s %" SCNu64 " %zu", r->rng, r->law_name, &r->what.law.a,
               &r->what.law.b, r->type, &r->seed, &r->what.total) != 7)
        return false;
    r->what.law.kind = strcmp(r->law_name, "normal") == 0 ? LAW_NORMAL : LAW_UNIFORM;
    r->what.type = strcmp(r->type, "f64") == 0 ? DTYPE_F64 : DTYPE_F32;
    return true;
}

/* FNV-1a of the elements' bytes, the lowest first. */
static uint64_t hash_of(const recorded *r, const double *value)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < r->what.total; i++) {
        bool is_narrow = r->what.type == DTYPE_F32;
        uint64_t bits = is_narrow ? float32_bits((float)value[i]) : float64_bits(value[i]);
        for (int j = 0; j < (is_narrow ? 4 : 8); j++)
            hash = (hash ^ (bits >> 8 * j & 0xff)) * 0x100000001b3u;
    }
    return hash;
}

static bool agrees(FILE *in, const recorded *r, const double *value)
{
    uint64_t hash;
    if (r->what.total > MOST_LISTED)
        return fscanf(in, " hash %" SCNx64, &hash) == 1 && hash == hash_of(r, value);
    bool same = true;
    for (size_t i = 0; i < r->what.total; i++) {
        double wanted;
        same = fscanf(in, "%la", &wanted) == 1 && memcmp(&wanted, &value[i], 8) == 0 && same;
    }
    return same;
}

/* In runs of a length of our own choosing: it must not matter. */
static void draw_all(const recorded *r, double *out)
{
    enum { RUN = 3 * DRAW_RUN };
    const named *row = named_find(&GENERATORS, r->rng, strlen(r->rng));
    stream s = stream_begin((const generator *)(const void *)row, r->seed);
    for (size_t first = 0, left = r->what.total; left > 0;) {
        size_t count = left < RUN + DRAW_RUN ? left : RUN;
        stream_draw(&s, &r->what, first, count, out + first);
        first += count;
        left -= count;
    }
}

UNIT(random_recorded)
{
    static const char FILE_NAME[] = "testdata/random/recorded.txt";
    FILE *in = fopen(FILE_NAME, "r");
    recorded r;
    err e = {0};
    if (!CHECK(u, in != NULL))
        return;
    if (fscanf(in, "#%*[^\n]") == EOF)
        CHECK(u, false);
    size_t cases = 0;
    while (read_case(in, &r)) {
        double *value = mem_alloc(r.what.total, sizeof value[0], &e);
        if (!CHECK(u, value != NULL))
            break;
        draw_all(&r, value);
        if (!CHECK(u, agrees(in, &r, value)))
            fprintf(stderr, "  %s %s %g %g %s %" PRIu64 " %zu\n", r.rng, r.law_name, r.what.law.a,
                    r.what.law.b, r.type, r.seed, r.what.total);
        mem_free(value);
        cases++;
    }
    CHECK(u, cases == 512 && feof(in));
    fclose(in);
}
