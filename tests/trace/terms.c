#include "terms.h"

#include <float.h>
#include <math.h>

/* A sum is spelled out up to 16 terms; of more, the first 8 and the last 3. */
enum { MOST_TERMS = 16, FIRST_TERMS = 8, LAST_TERMS = 3 };

double rounding_unit(const reader *r)
{
    return r->of->how.type == DTYPE_F32 ? FLT_EPSILON : DBL_EPSILON;
}

void recomputed(reader *r, double result, double again, double size)
{
    double least = r->of->how.type == DTYPE_F32 ? FLT_MIN : DBL_MIN;
    if (!r->failed && !(fabs(result - again) <= 8 * rounding_unit(r) * size + least))
        reader_fail(r, "the numbers make %.9g, the stage has %.9g", again, result);
}

void read_operand_near(reader *r, double value)
{
    reader then = *r;
    for (int units = -4; units <= 4; units++) {
        then = *r;
        read_operand(&then, value * (1 + units * rounding_unit(r) / 2));
        if (!then.failed)
            break;
    }
    *r = then;
}

/* ---- terms ---- */

static bool leaves_out(const reader *r, size_t count)
{
    return !r->of->how.is_full && count > MOST_TERMS;
}

size_t next_term(reader *r, size_t term, size_t count, const char *between)
{
    term++;
    if (leaves_out(r, count) && term == FIRST_TERMS) {
        read_words(r, "%s…", between);
        term = count - LAST_TERMS;
    }
    if (term < count)
        read_words(r, "%s", between);
    return term;
}

void read_terms_counted(reader *r, size_t count, const char *what)
{
    if (leaves_out(r, count))
        read_words(r, "  (%zu %s)", count, what);
}

void read_vector(reader *r, const tensor *v)
{
    read_words(r, "[");
    for (size_t i = 0; i < v->size[0]; i = next_term(r, i, v->size[0], ", "))
        read_number(r, number_of(v, i));
    read_words(r, "]");
}

void read_dot(reader *r, const tensor *a, const tensor *b, const double *shift, double result)
{
    size_t count = a->size[0];
    double sum = shift == NULL ? 0 : *shift, size = fabs(sum);
    for (size_t i = 0; i < count; i++) {
        sum += number_of(a, i) * number_of(b, i);
        size += fabs(number_of(a, i) * number_of(b, i));
    }
    for (size_t i = 0; i < count; i = next_term(r, i, count, " + ")) {
        read_operand(r, number_of(a, i));
        read_words(r, "·");
        read_operand(r, number_of(b, i));
    }
    if (shift != NULL) {
        read_words(r, " + ");
        read_operand(r, *shift);
    }
    read_words(r, " = ");
    read_number(r, result);
    read_terms_counted(r, count, "terms");
    recomputed(r, result, sum, size * (double)(count + 1));
}

void read_difference(reader *r, const double a[2], const double b[2], double result)
{
    double first = a[0] * b[0], second = a[1] * b[1];
    for (size_t i = 0; i < 2; i++) {
        read_words(r, i == 0 ? "" : " − ");
        read_operand(r, a[i]);
        read_words(r, "·");
        read_operand(r, b[i]);
    }
    read_words(r, " = ");
    read_number(r, result);
    recomputed(r, result, first - second, 3 * (fabs(first) + fabs(second)));
}

tensor row_of(const tensor *matrix, size_t row)
{
    return tensor_at(matrix, row);
}

tensor column_of(const tensor *matrix, size_t column)
{
    tensor turned = tensor_transposed(matrix);
    return tensor_at(&turned, column);
}
