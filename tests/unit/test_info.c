/* What info says of formats that have types: the type as the file names it, and its bytes there. */
#include "cli/info/info_file.h"

#include "cli/info/facts.h"
#include "unit.h"

static void add(bundle *b, const char *name, dtype type, const char *stored, int rank)
{
    err e = {0};
    tensor t;
    const size_t size[] = {2, 3};
    size_t index[TENSOR_MAX_RANK] = {0};
    tensor_new(&t, type, rank, size, &e);
    do
        tensor_set(&t, index, 0.1);
    while (tensor_next(&t, index));
    bundle_add_tensor(b, name, &t, (place){.file = "f"}, &e);
    bundle_find(b, name)->stored = stored;
}

/* float16 has 2 bytes, bfloat16 16 bits, int64 8 bytes, a truth 1. The least number of a float32 is
 * written with the digits of a float32. */
UNIT(info)
{
    static const format ARCHIVE = {.named = {"npz", ""}, .title = "NPZ"};
    bundle b = {0};
    err e = {0}, none = {0};
    info_file f = {.file = "f", .format = &ARCHIVE, .bytes = 1000};
    text out = {0};
    add(&b, "half", DTYPE_F32, "<f2", 2);
    add(&b, "layers.0.self_attn.q_proj.weight", DTYPE_F64, "BF16", 2);
    add(&b, "mask", DTYPE_BOOL, "BOOL", 1);
    add(&b, "count", DTYPE_F64, "<i8", 0);
    CHECK(u, facts_of_bundle(&f.root, &b, NULL, &e));
    info_tell(&(teller){.out = &out}, &f, &none);
    CHECK_TEXT(u, text_string(&out),
               "f: NPZ, 1000 bytes: 3 matrices\n"
               "  name                              shape   type  bytes  min  max  mean\n"
               "  half                              2 x 3   <f2   12     0.1  0.1  0.1\n"
               "  layers.0.self_attn.q_proj.weight  2 x 3   BF16  12     0.1  0.1  0.1\n"
               "  mask                              2 long  BOOL  2      1    1    1\n"
               "  count                             0.1\n");
    text_clear(&out);
    f.root.insides = 1;
    info_tell(&(teller){.out = &out, .is_json = true}, &f, &none);
    CHECK_TEXT(u, text_string(&out),
               "{\"file\": \"f\", \"format\": \"npz\", \"bytes\": 1000, \"kind\": \"object\", "
               "\"entries\": [{\"name\": \"half\", \"kind\": \"matrix\", \"shape\": [2, 3], "
               "\"type\": \"<f2\", \"bytes\": 12, \"min\": 0.1, \"max\": 0.1, "
               "\"mean\": 0.10000000149011612, \"nan\": 0, \"infinite\": 0, \"null\": 0}]}\n");
    f.root.insides = 4;
    CHECK(u, f.root.inside[3].bytes == 8);
    text_free(&out);
    fact_free(&f.root);
    bundle_free(&b);
}
