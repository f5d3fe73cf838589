/* A large matrix as fewer squares, each of which stands for some of its rows and columns. */
#ifndef SELFATTN_RENDER_SAMPLING_H
#define SELFATTN_RENDER_SAMPLING_H

#include "tensor/tensor.h"

typedef struct sampling {
    size_t rows, columns; /* of squares */
    size_t tall, wide;    /* how many rows and columns of the matrix are one square */
} sampling;

/* As few rows and columns in a square as make no more than so many squares. */
sampling sampling_of(size_t rows, size_t columns, size_t most_rows, size_t most_columns);

/* The finite number of the greatest magnitude in a square; a square of one number is that, whatever
 * it is. */
double sampling_at(const sampling *s, const tensor *matrix, size_t row, size_t column);

#endif
