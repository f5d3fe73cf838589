#include "io/npy.h"

#include "io/element_bytes.h"
#include "io/npy_header.h"

#include <string.h>

bool npy_probe(const char *bytes, size_t length)
{
    static const char BEGIN[] = "\x93NUMPY";
    return length >= sizeof BEGIN - 1 && memcmp(bytes, BEGIN, sizeof BEGIN - 1) == 0;
}

bool npy_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e)
{
    const place begin = {.file = how->file, .has_byte = true};
    stored_matrix m;
    if (!npy_find_matrix(bytes, length, &begin, &m, e))
        return false;
    entry *only = bundle_add(out, "", 0, m.at, e);
    if (only != NULL && stored_matrix_read(&m, how->kind, how, only, e))
        return true;
    bundle_free(out);
    return false;
}

static bool check_is_one(const bundle *result, err *e)
{
    if (result->count == 1)
        return true;
    text names = {0};
    for (size_t i = 0; i < result->count; i++)
        text_add_format(&names, "%s%s", i == 0 ? "" : ", ", result->entry[i].name);
    err_set(e, "NPY holds one matrix, and there are %zu: %s", result->count, text_string(&names));
    text_free(&names);
    return err_remedy(e, "--emit takes one of them; NPZ holds all");
}

bool npy_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    if (how->header != NULL)
        return err_set(e, "NPY has no place for what --header says");
    if (!element_bytes_check(result, "NPY", e) || !check_is_one(result, e))
        return false;
    const tensor *only = &result->entry[0].tensor;
    npy_header_write(sink_text(out), only);
    return element_bytes_write(only, out, e) && text_ok(sink_text(out), e);
}
