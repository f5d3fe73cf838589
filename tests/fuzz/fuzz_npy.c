/* Any bytes as NPY: what is read is written, and comes back to the same bits, in place or not. */
#include "fuzz/claims.h"

static void check_there_and_back(const format *f, const bundle *first, const read_options *how)
{
    text written = written_as(f, first, '\0');
    read_options again = *how;
    again.keeps_types = true;
    bundle second = read_again(f, &written, &again);
    claim(second.count == 1 && same_entries(&first->entry[0], &second.entry[0]),
          "values come back to the same bits");
    text_free(&written);
    bundle_free(&second);
}

static void check(const char *bytes, size_t length, const read_options *how)
{
    const format *f = format_by_name("npy");
    bundle first = {0};
    if (read_any(f, bytes, length, how, &first))
        check_there_and_back(f, &first, how);
    bundle_free(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    mapping map = {.users = 1, .bytes = (const char *)data, .length = length};
    const read_options how[] = {
        {.file = "fuzz", .kind = KEY_MATRIX, .type = DTYPE_F32},
        {.file = "fuzz", .kind = KEY_MATRIX, .type = DTYPE_F32, .map = &map},
        {.file = "fuzz", .kind = KEY_EXPECTED, .type = DTYPE_F64, .allow_nonfinite = true},
        {.file = "fuzz", .kind = KEY_MASK, .map = &map},
        {.file = "fuzz", .kind = KEY_BIAS, .type = DTYPE_F64, .map = &map, .keeps_types = true}};
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++)
        check((const char *)data, length, &how[i]);
    claim(map.users == 1, "every user of the file let go of it");
    return 0;
}
