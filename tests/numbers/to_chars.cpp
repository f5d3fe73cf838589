extern "C" {
#include "numbers/to_chars.h"
}

#include <charconv>

size_t to_chars_f32(float value, char *out)
{
    return static_cast<size_t>(
        std::to_chars(out, out + 63, value, std::chars_format::scientific).ptr - out);
}

size_t to_chars_f64(double value, char *out)
{
    return static_cast<size_t>(
        std::to_chars(out, out + 63, value, std::chars_format::scientific).ptr - out);
}
