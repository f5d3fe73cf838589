#include "numbers/in_list.h"

#include "io/number_parts.h"
#include "io/number_read.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 64, BEHIND = 128 };

/* Whether the text was taken whole, and as one number. */
static bool read_one(const char *text, dtype type, void *value)
{
    char list[LONGEST + BEHIND];
    size_t length = strlen(text);
    if (length > LONGEST)
        return false;
    memcpy(list, text, length);
    memset(list + length, ',', sizeof list - length);
    number_list l = {.at = list, .end = list + sizeof list, .delimiter = ',', .due = true};
    bool taken = number_list_read(&l, type, value, 1) == 1;
    return taken && l.at == list + length + 1;
}

bool in_list_f32(const char *text, float wanted)
{
    float got;
    if (!read_one(text, DTYPE_F32, &got) || float32_bits(got) == float32_bits(wanted))
        return true;
    printf("  %s reads as float32 %a in a list, not %a\n", text, (double)got, (double)wanted);
    return false;
}

bool in_list_f64(const char *text, double wanted)
{
    double got;
    if (!read_one(text, DTYPE_F64, &got) || float64_bits(got) == float64_bits(wanted))
        return true;
    printf("  %s reads as float64 %a in a list, not %a\n", text, got, wanted);
    return false;
}
