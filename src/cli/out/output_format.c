#include "cli/out/output_format.h"

#include "base/mem.h"

#include <stdint.h>

const format *output_format_said(const options *o, const char *file)
{
    return o->format != NULL ? format_by_name(o->format) : format_by_ending(file);
}

const format *output_format_written(const options *o, const char *file)
{
    const format *own = format_by_ending(file);
    return own != NULL ? own : output_format_said(o, o->output == NULL ? "-" : o->output);
}

size_t output_format_bytes(const format *f, size_t count, dtype type)
{
    bool is_binary = (f->holds & HOLDS_TYPES) != 0;
    size_t bytes;
    return size_mul(count, is_binary ? dtype_size(type) : 2, &bytes) ? bytes : SIZE_MAX;
}
