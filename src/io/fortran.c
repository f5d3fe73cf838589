#include "io/fortran.h"

#include <string.h>

typedef struct transposition {
    const char *from;
    char *to;
    size_t rows, columns;
    size_t from_step; /* elements from one column to the next; rows are neighbours there */
    size_t to_step;   /* elements from one row to the next */
} transposition;

/* By squares whose lines, read and written, stay in a first-level cache. Called with a constant
 * size, so that each copy is one move. */
static inline void transpose(const transposition *t, size_t element)
{
    enum { SIDE = 16 };
    for (size_t row = 0; row < t->rows; row += SIDE) {
        size_t last_row = t->rows - row < SIDE ? t->rows : row + SIDE;
        for (size_t column = 0; column < t->columns; column += SIDE) {
            size_t last = t->columns - column < SIDE ? t->columns : column + SIDE;
            for (size_t i = row; i < last_row; i++) {
                for (size_t k = column; k < last; k++)
                    memcpy(t->to + (i * t->to_step + k) * element,
                           t->from + (k * t->from_step + i) * element, element);
            }
        }
    }
}

/* The first axis and the last are transposed, for each index of those between. */
void fortran_reorder(const char *from, tensor *to)
{
    size_t element = dtype_size(to->type), step[TENSOR_MAX_RANK], index[TENSOR_MAX_RANK] = {0};
    int last = to->rank - 1;
    step[0] = 1;
    for (int axis = 1; axis <= last; axis++)
        step[axis] = step[axis - 1] * to->size[axis - 1];
    transposition t = {.rows = to->size[0],
                       .columns = to->size[last],
                       .from_step = step[last],
                       .to_step = (size_t)to->stride[0]};
    tensor between = tensor_at(to, 0);
    between.rank--;
    do {
        size_t skip_from = 0, skip_to = 0;
        for (int axis = 0; axis < between.rank; axis++) {
            skip_from += index[axis] * step[axis + 1];
            skip_to += index[axis] * (size_t)between.stride[axis];
        }
        t.from = from + skip_from * element;
        t.to = (char *)to->data + skip_to * element;
        if (element == 4)
            transpose(&t, 4);
        else if (element == 8)
            transpose(&t, 8);
        else
            transpose(&t, 1);
    } while (tensor_next(&between, index));
}
