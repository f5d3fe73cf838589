/* Any bytes as a safetensors file, as they are and with a header's length that fits: what is read
 * in place is what is read into a copy, and what is written comes back to the same bits. */
#include "attn/spec/keys.h"
#include "fuzz/claims.h"

static bool read_once(const char *bytes, size_t length, const read_options *how, bundle *to)
{
    err e = {0};
    bool done = format_by_name("safetensors")->read(bytes, length, how, to, &e);
    claim_error_fits(done, &e);
    claim(done || to->count == 0, "what can't be read leaves nothing behind");
    claim(done || strncmp(e.where, "fuzz: byte ", 11) == 0, "an error has its byte");
    return done;
}

static void check_there_and_back(bundle *first, const read_options *how)
{
    const format *f = format_by_name("safetensors");
    const entry *name = bundle_find(first, "name");
    if (name != NULL && name->kind == ENTRY_TEXT)
        bundle_remove(first, "name"); /* it is the document's, and a result has none */
    if (bundle_find(first, "") != NULL)
        return; /* it gets a name where it is written */
    text written = written_as(f, first, '\0');
    bundle second = read_again(f, &written, how);
    claim_same(first, &second);
    claim_written_again(f, &second, '\0', &written);
    text_free(&written);
    bundle_free(&second);
}

static void check_file(const char *bytes, size_t length, const read_options *how)
{
    mapping map = {.users = 1, .bytes = bytes, .length = length};
    read_options mapped = *how;
    mapped.map = &map;
    bundle copied = {0}, in_place = {0};
    bool done = read_once(bytes, length, how, &copied);
    claim(done == read_once(bytes, length, &mapped, &in_place), "a mapped file is read alike");
    claim_same(&copied, &in_place);
    if (done && how->keys == NULL && how->allow_nonfinite)
        check_there_and_back(&in_place, how);
    bundle_free(&in_place);
    bundle_free(&copied);
    claim(map.users == 1, "who used the file gave it back");
}

static void check_all(const char *bytes, size_t length)
{
    const read_options how[] = {
        {.file = "fuzz", .kind = KEY_MATRIX, .type = DTYPE_F32},
        {.file = "fuzz", .kind = KEY_EXPECTED, .keeps_types = true, .allow_nonfinite = true},
        {.file = "fuzz", .kind = KEY_MASK, .type = DTYPE_F32},
        {.file = "fuzz", .kind = KEY_EXPECTED, .keeps_types = true, .keeps_unread = true},
        {.file = "fuzz", .keys = &KEYS, .type = DTYPE_F64},
        {.file = "fuzz", .keys = &KEYS, .type = DTYPE_F32, .skips_unknown = true}};
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++)
        check_file(bytes, length, &how[i]);
    (void)format_by_name("safetensors")->probe(bytes, length);
}

/* The header ends with the last bracket. */
static void mend_length(char *bytes, size_t length)
{
    size_t end = length;
    while (end > 8 && bytes[end - 1] != '}')
        end--;
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (char)((end - 8) >> 8 * i & 255);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    char *bytes = malloc(length + 1); /* aligned, as a mapped file is */
    claim(bytes != NULL, "there is memory");
    memcpy(bytes, data, length);
    check_all(bytes, length);
    if (length > 8) {
        mend_length(bytes, length);
        check_all(bytes, length);
    }
    free(bytes);
    return 0;
}
