#include "render/sampling.h"

#include "render/brackets.h"

#include <math.h>

static size_t parts(size_t total, size_t size)
{
    return total / size + (total % size > 0);
}

sampling sampling_of(size_t rows, size_t columns, size_t most_rows, size_t most_columns)
{
    sampling s = {.tall = parts(rows, most_rows), .wide = parts(columns, most_columns)};
    s.rows = s.tall == 0 ? 0 : parts(rows, s.tall);
    s.columns = s.wide == 0 ? 0 : parts(columns, s.wide);
    return s;
}

double sampling_at(const sampling *s, const tensor *matrix, size_t row, size_t column)
{
    double found = 0;
    if (s->tall == 1 && s->wide == 1)
        return matrix_at(matrix, row, column);
    for (size_t i = row * s->tall; i < (row + 1) * s->tall && i < matrix->size[0]; i++) {
        for (size_t j = column * s->wide; j < (column + 1) * s->wide && j < matrix->size[1]; j++) {
            double value = matrix_at(matrix, i, j);
            if (isfinite(value) && fabs(value) > fabs(found))
                found = value;
        }
    }
    return found;
}
