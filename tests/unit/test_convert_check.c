/* What convert says of formats that hold less than others: one matrix, no holes, no empty sizes. */
#include "cli/convert_check.h"

#include "said.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static const format ONE_MATRIX = {.title = "NPY",
                                  .holds = HOLDS_VECTORS | HOLDS_TRUTH | HOLDS_EMPTY};
static const format MATRICES = {
    .title = "NPZ", .holds = HOLDS_MATRICES | HOLDS_VECTORS | HOLDS_TRUTH | HOLDS_EMPTY};
static const format TEXT = {.title = "JSON", .holds = HOLDS_MATRICES | HOLDS_VECTORS | HOLDS_ALL};
static const format UNKNOWN = {.title = "?"};

static void add(bundle *b, const char *name, int rank, size_t rows, double value)
{
    err e = {0};
    tensor t;
    const size_t size[] = {rows, 1};
    tensor_new(&t, DTYPE_F64, rank, size, &e);
    for (size_t i = 0; i < tensor_count(&t); i++)
        ((double *)t.data)[i] = value;
    bundle_add_tensor(b, name, &t, (place){.file = "in", .line = 1, .column = 2}, &e);
}

/* What is printed, and the error behind it: "printed|error", with the lines joined by "; ". */
static void check(unit *u, bundle *b, const format *f, options o, const char *wanted)
{
    char *printed;
    size_t length;
    err e = {0};
    env world = {.err = open_memstream(&printed, &length)};
    bool fits = convert_check(b, f, "in", "out", &o, &world, &e);
    fclose(world.err);
    text got = {0};
    for (char *line = strtok(printed, "\n"); line != NULL; line = strtok(NULL, "\n"))
        text_add_format(&got, "%s; ", line);
    text_add_format(&got, "%s", fits ? "fits" : said(&e));
    CHECK_TEXT(u, text_string(&got), wanted);
    text_free(&got);
    free(printed);
    bundle_free(b);
}

void test_convert_check(unit *u)
{
    bundle b = {0};
    err e = {0};
    add(&b, "", 2, 3, 1);
    check(u, &b, &ONE_MATRIX, (options){0}, "fits");
    add(&b, "wq", 1, 3, 1);
    check(u, &b, &ONE_MATRIX, (options){0}, "selfattn: note: NPY keeps no name: wq; fits");
    add(&b, "wq", 2, 3, 1);
    add(&b, "wk", 2, 3, 1);
    check(u, &b, &ONE_MATRIX, (options){0},
          "out: NPY holds one matrix, and in has 2: wq, wk | FILE:NAME takes one of them");
    add(&b, "wq", 2, 3, 1);
    bundle_add_text(&b, "t", "x", 1, (place){0}, &e);
    check(u, &b, &ONE_MATRIX, (options){0},
          "selfattn: t would be lost: NPY has no place for a text; "
          "out: nothing is written: 1 of the 2 entries of in would be lost | "
          "FILE:NAME takes one matrix, --force leaves the others out");
    add(&b, "wq", 2, 3, 1);
    bundle_add_text(&b, "t", "x", 1, (place){0}, &e);
    check(u, &b, &ONE_MATRIX, (options){.force = true, .quiet = true}, "fits");
    add(&b, "heads", 0, 1, 2);
    add(&b, "empty", 2, 0, 0);
    check(u, &b, &MATRICES, (options){0}, "fits");
    add(&b, "null", 0, 1, tensor_hole());
    add(&b, "m", 2, 2, tensor_hole());
    check(u, &b, &MATRICES, (options){0},
          "selfattn: in:1:2: null would be lost: NPZ has no place for null; "
          "selfattn: in:1:2: m would be lost: NPZ has no place for a matrix with holes (null); "
          "out: nothing is written: 2 of the 2 entries of in would be lost | "
          "JSON holds them; --force leaves them out, FILE:NAME takes one matrix");
    add(&b, "m", 2, 0, 0);
    check(u, &b, &TEXT, (options){0},
          "selfattn: in:1:2: m would be lost: JSON has no place for a matrix without elements; "
          "out: nothing is written: 1 of the 1 entries of in would be lost | "
          "--force leaves them out");
    add(&b, "m", 2, 0, 0);
    check(u, &b, &TEXT, (options){.force = true},
          "selfattn: note: m is left out: JSON has no place for a matrix without elements; fits");
    add(&b, "m", 2, 0, 0);
    add(&b, "n", 1, 2, tensor_hole());
    check(u, &b, &UNKNOWN, (options){0}, "fits");
}
