/* Numbers of large matrices: without their points they are whole numbers, and a row of those is
 * written to base 92, each with as many digits as the row's largest one needs. A row that is wider
 * than a person looks at stays text. */
#include "base/mem.h"
#include "render/brackets.h"
#include "render/html_parts.h"
#include "render/number_text.h"

/* What stands in a JSON string and in a script as it is: ASCII without ", < and \\. */
static const char DIGITS[] = " !#$%&'()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`"
                             "abcdefghijklmnopqrstuvwxyz{|}~";
enum { BASE = sizeof DIGITS - 1, MOST_COLUMNS = 1024 };

static size_t count_places(uint64_t whole)
{
    size_t places = 1;
    for (; whole >= BASE; whole /= BASE)
        places++;
    return places;
}

static void add_whole(text *out, const uint64_t *whole, size_t count, size_t places)
{
    char *end = text_room(out, count * places);
    if (end == NULL)
        return;
    for (size_t j = 0; j < count; j++) {
        uint64_t rest = whole[j];
        for (size_t i = places; i-- > 0; rest /= BASE)
            end[i] = DIGITS[rest % BASE];
        end += places;
    }
    text_added(out, count * places);
}

void html_pack_bits(text *out, uint32_t bits)
{
    const uint64_t whole = bits;
    enum { PLACES = 5 };
    add_whole(out, &whole, 1, PLACES);
}

/* The sign goes into the last bit. */
bool html_pack_row(text *out, const tensor *matrix, size_t row, int digits)
{
    uint64_t whole[MOST_COLUMNS], units;
    size_t columns = matrix->size[1], most = 1;
    for (size_t j = 0; j < columns; j++) {
        double value = matrix_at(matrix, row, j);
        if (columns > MOST_COLUMNS || !number_text_units(value, digits, &units))
            return false;
        whole[j] = 2 * units + (value < 0 && units > 0);
        most = size_larger(most, count_places(whole[j]));
    }
    text_add_format(out, "#%zu", most);
    add_whole(out, whole, columns, most);
    return true;
}
