/* Whole numbers of many limbs: by hand, about 2³², where a limb ends. */
#include "io/number_parts.h"
#include "unit.h"

UNIT(decimal_big)
{
    big below, at, above;
    big_set(&below, 0xffffffffu);
    big_set(&at, 0x100000000u);
    big_set(&above, 1);
    big_shift_left(&above, 32);
    CHECK(u, big_compare(&below, &at) < 0 && big_compare(&at, &below) > 0);
    CHECK(u, big_compare(&at, &above) == 0);
    big_times_plus(&above, 1, 1);
    CHECK(u, big_compare(&at, &above) < 0 && big_compare(&above, &at) > 0);
    big_times_plus(&below, 1, 1);
    CHECK(u, big_compare(&at, &below) == 0);
}
