#include "io/json_row.h"

#include "io/number_row.h"
#include "io/number_write.h"

#include <math.h>

static void write_nonfinite(text *out, double value)
{
    if (tensor_is_hole(value))
        text_add_string(out, "null");
    else if (isnan(value))
        text_add_string(out, "\"NaN\"");
    else
        text_add_string(out, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

/* A finite number, in its own type's shortest form or with the decimals asked for. */
static void write_finite(text *out, dtype type, double value, int digits)
{
    char *room = text_room(out, NUMBER_FIXED_TEXT);
    if (room == NULL)
        return;
    if (digits >= 0)
        text_added(out, number_write_fixed(value, digits, room));
    else if (type == DTYPE_F32)
        text_added(out, number_write_f32((float)value, room));
    else
        text_added(out, number_write_f64(value, room));
}

void json_element_write(text *out, dtype type, double value, int digits)
{
    if (type == DTYPE_BOOL)
        text_add_string(out, value != 0 ? "true" : "false");
    else if (isfinite(value))
        write_finite(out, type, value, digits);
    else
        write_nonfinite(out, value);
}

void json_row_write(text *out, const tensor *row, int digits)
{
    bool is_usual = row->type != DTYPE_BOOL && digits < 0;
    text_add_string(out, "[");
    for (size_t i = 0; i < row->size[0]; i++) {
        if (is_usual)
            i = number_row_write(out, row, i, ", ");
        if (i == row->size[0])
            break;
        if (i > 0)
            text_add_string(out, ", ");
        json_element_write(out, row->type, tensor_get(row, &i), digits);
    }
    text_add_string(out, "]");
}
