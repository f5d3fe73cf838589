#include "render_parts.h"

#include <stdint.h>

/* The renderer only reads; a tensor knows no const. */
static void *unconst(const double *values)
{
    return (void *)(uintptr_t)values;
}

tensor part_number(const double *value)
{
    return (tensor){.type = DTYPE_F64, .data = unconst(value)};
}

tensor part_vector(size_t count, const double *values)
{
    return (tensor){
        .type = DTYPE_F64, .rank = 1, .size = {count}, .stride = {1}, .data = unconst(values)};
}

tensor part_matrix(size_t rows, size_t columns, const double *values)
{
    return (tensor){.type = DTYPE_F64,
                    .rank = 2,
                    .size = {rows, columns},
                    .stride = {(ptrdiff_t)columns, 1},
                    .data = unconst(values)};
}

render_options part_options(void)
{
    return (render_options){.width = 100, .digits = -1};
}

size_t part_longest_line(const text *out)
{
    size_t longest = 0, columns = 0;
    for (const char *p = text_string(out); *p != '\0'; p++) {
        columns = *p == '\n' ? 0 : columns + (((unsigned char)*p & 0xc0) != 0x80);
        longest = columns > longest ? columns : longest;
    }
    return longest;
}
