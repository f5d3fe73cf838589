/* Writing JSON: the layout, and the ways in which values are not plain numbers. */
#include "io/format.h"

#include "base/mem.h"
#include "filled.h"
#include "said.h"
#include "unit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *no_block(size_t size)
{
    (void)size;
    return NULL;
}

static const write_options SHORTEST = {.digits = -1};
static const place NOWHERE = {.file = "f"};

static bundle *add_bundle(bundle *b, const char *name)
{
    err e = {0};
    bundle empty = {0};
    entry *added = bundle_add(b, name, strlen(name), NOWHERE, &e);
    added->kind = ENTRY_BUNDLE;
    added->bundle = mem_alloc(1, sizeof empty, &e);
    *added->bundle = empty;
    return added->bundle;
}

static void check_written(unit *u, const bundle *b, write_options how, const char *wanted)
{
    sink out;
    err e = {0};
    sink_open_memory(&out);
    CHECK(u, json_write(b, &how, &out, &e) && sink_close(&out, &e));
    CHECK_TEXT(u, text_string(sink_text(&out)), wanted);
    sink_discard(&out);
}

static void matrices(unit *u)
{
    static const size_t TWO[] = {2, 2}, DEEP[] = {2, 1, 2};
    static const double NUMBERS[] = {0.1, 0.2, -3, 1e-7};
    bundle b = {0};
    bundle_add_filled(&b, "weights", DTYPE_F32, 2, TWO, NUMBERS);
    bundle_add_filled(&b, "heads", DTYPE_F64, 3, DEEP, NUMBERS);
    bundle_add_filled(&b, "row", DTYPE_F32, 1, TWO, NUMBERS);
    bundle_add_filled(&b, "number", DTYPE_F64, 0, NULL, NUMBERS);
    check_written(u, &b, SHORTEST,
                  "{\n"
                  "  \"weights\": [\n"
                  "    [0.1, 0.2],\n"
                  "    [-3, 1e-7]\n"
                  "  ],\n"
                  "  \"heads\": [\n"
                  "    [\n"
                  "      [0.1, 0.2]\n"
                  "    ],\n"
                  "    [\n"
                  "      [-3, 1e-7]\n"
                  "    ]\n"
                  "  ],\n"
                  "  \"row\": [0.1, 0.2],\n"
                  "  \"number\": 0.1\n"
                  "}\n");
    write_options how = {.digits = 2, .single_line = true, .name = "a \"b\""};
    check_written(
        u, &b, how,
        "{\"name\": \"a \\\"b\\\"\", \"weights\": [[0.10, 0.20], [-3.00, 0.00]], "
        "\"heads\": [[[0.10, 0.20]], [[-3.00, 0.00]]], \"row\": [0.10, 0.20], \"number\": 0.10}\n");
    bundle_free(&b);
}

/* A transposed and a broadcast view. */
static void strides(unit *u)
{
    static float numbers[] = {1, 2, 3, 4, 5, 6};
    tensor t = {.type = DTYPE_F32, .rank = 2, .size = {2, 3}, .stride = {3, 1}, .data = numbers};
    tensor turned = tensor_transposed(&t), repeated = t;
    repeated.stride[0] = 0;
    bundle b = {0};
    err e = {0};
    bundle_add_tensor(&b, "turned", &turned, NOWHERE, &e);
    bundle_add_tensor(&b, "repeated", &repeated, NOWHERE, &e);
    write_options how = {.digits = -1, .single_line = true};
    check_written(u, &b, how,
                  "{\"turned\": [[1, 4], [2, 5], [3, 6]], \"repeated\": [[1, 2, 3], [1, 2, 3]]}\n");
    bundle_free(&b);
}

static void no_plain_numbers(unit *u)
{
    static const size_t FIVE[] = {5}, TWO[] = {2};
    const double values[] = {NAN, HUGE_VAL, -HUGE_VAL, tensor_hole(), -0.0};
    static const double TRUTH[] = {1, 0};
    bundle b = {0};
    bundle_add_filled(&b, "f64", DTYPE_F64, 1, FIVE, values);
    bundle_add_filled(&b, "f32", DTYPE_F32, 1, FIVE, values);
    bundle_add_filled(&b, "mask", DTYPE_BOOL, 1, TWO, TRUTH);
    check_written(u, &b, SHORTEST,
                  "{\n"
                  "  \"f64\": [\"NaN\", \"Infinity\", \"-Infinity\", null, -0],\n"
                  "  \"f32\": [\"NaN\", \"Infinity\", \"-Infinity\", null, -0],\n"
                  "  \"mask\": [true, false]\n"
                  "}\n");
    bundle_free(&b);
}

static void texts(unit *u)
{
    static const size_t ONE[] = {1};
    static const double NUMBER[] = {0.5};
    bundle b = {0};
    err e = {0};
    bundle_add_text(&b, "name", "old", 3, NOWHERE, &e);
    entry *tokens = bundle_add(&b, "tokens", 6, NOWHERE, &e);
    tokens->kind = ENTRY_LIST;
    text_list_add(&tokens->list, "the", 3, &e);
    text_list_add(&tokens->list, "é\n\x01\"\\", 6, &e);
    bundle_add_filled(add_bundle(&b, "expected"), "q\t", DTYPE_F64, 1, ONE, NUMBER);
    bundle *tol = add_bundle(&b, "tol");
    bundle_add_filled(tol, "q", DTYPE_F64, 0, NULL, NUMBER);
    bundle_add_text(tol, "why", "so", 2, NOWHERE, &e);
    bundle *errata = add_bundle(&b, "errata");
    bundle_find(&b, "errata")->is_list = true;
    bundle_add_text(add_bundle(errata, "1"), "stage", "q", 1, NOWHERE, &e);
    add_bundle(errata, "2");
    bundle_add_text(add_bundle(add_bundle(&b, "no_list"), "1"), "a", "b", 1, NOWHERE, &e);
    bundle_add_filled(add_bundle(add_bundle(&b, "deep"), "1"), "q", DTYPE_F64, 1, ONE, NUMBER);
    bundle_find(&b, "deep")->is_list = true;
    write_options how = {.digits = -1, .name = "new"};
    check_written(u, &b, how,
                  "{\n"
                  "  \"name\": \"new\",\n"
                  "  \"tokens\": [\"the\", \"é\\n\\u0001\\\"\\\\\"],\n"
                  "  \"expected\": {\n"
                  "    \"q\\t\": [0.5]\n"
                  "  },\n"
                  "  \"tol\": {\"q\": 0.5, \"why\": \"so\"},\n"
                  "  \"errata\": [\n"
                  "    {\"stage\": \"q\"},\n"
                  "    {}\n"
                  "  ],\n"
                  "  \"no_list\": {\n"
                  "    \"1\": {\"a\": \"b\"}\n"
                  "  },\n"
                  "  \"deep\": [\n"
                  "    {\n"
                  "      \"q\": [0.5]\n"
                  "    }\n"
                  "  ]\n"
                  "}\n");
    how.name = NULL;
    bundle_remove(&b, "errata");
    bundle_remove(&b, "no_list");
    bundle_remove(&b, "deep");
    bundle_remove(&b, "expected");
    how.single_line = true;
    check_written(u, &b, how,
                  "{\"name\": \"old\", \"tokens\": [\"the\", \"é\\n\\u0001\\\"\\\\\"], "
                  "\"tol\": {\"q\": 0.5, \"why\": \"so\"}}\n");
    bundle_free(&b);
}

static void without_names(unit *u)
{
    static const size_t TWO[] = {2, 1};
    static const double NUMBERS[] = {1, 2};
    bundle b = {0};
    check_written(u, &b, SHORTEST, "{}\n");
    write_options how = {.digits = -1, .name = "n"};
    check_written(u, &b, how, "{\n  \"name\": \"n\"\n}\n");
    bundle_add_filled(&b, "", DTYPE_F32, 2, TWO, NUMBERS);
    check_written(u, &b, SHORTEST, "[\n  [1],\n  [2]\n]\n");
    check_written(u, &b, how, "{\n  \"name\": \"n\",\n  \"\": [\n    [1],\n    [2]\n  ]\n}\n");
    bundle_free(&b);
    bundle_add_filled(&b, "", DTYPE_F32, 0, NULL, NUMBERS);
    check_written(u, &b, SHORTEST, "{\n  \"\": 1\n}\n");
    bundle_free(&b);
}

/* The text is lost, and what would be written has a hole: the sink says so. */
static void no_memory(unit *u)
{
    cJSON_Hooks none = {.malloc_fn = no_block, .free_fn = free};
    write_options how = {.digits = -1, .name = "n"};
    bundle b = {0};
    err e = {0};
    sink out;
    sink_open_memory(&out);
    cJSON_InitHooks(&none);
    CHECK(u, !json_write(&b, &how, &out, &e));
    cJSON_InitHooks(NULL);
    CHECK_TEXT(u, said(&e), "out of memory: 4 bytes could not be had"); /* {, newline, spaces */
    sink_discard(&out);
}

/* A disk that fills up is noticed while writing, wherever the writer is. */
static void full_disk(unit *u)
{
    static float zero;
    tensor large = {.type = DTYPE_F32, .rank = 3, .size = {10, 100, 1000}, .data = &zero};
    tensor wide = {.type = DTYPE_F32, .rank = 1, .size = {500000}, .data = &zero};
    bundle b = {0};
    err e = {0};
    bundle_add_tensor(add_bundle(&b, "deep"), "large", &large, NOWHERE, &e);
    bundle_add_tensor(&b, "wide", &wide, NOWHERE, &e);
    for (int round = 0; round < 2; round++) {
        sink out;
        e = (err){0};
        CHECK(u, sink_open(&out, "/dev/full", &e));
        CHECK(u, !json_write(&b, &SHORTEST, &out, &e));
        CHECK_TEXT(u, said(&e), "/dev/full: cannot be written: No space left on device");
        sink_discard(&out);
        bundle_remove(&b, "deep");
    }
    bundle_free(&b);
}

UNIT(json_write)
{
    matrices(u);
    strides(u);
    no_plain_numbers(u);
    texts(u);
    without_names(u);
    no_memory(u);
    full_disk(u);
}
