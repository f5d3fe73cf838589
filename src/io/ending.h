/* What the end of a file's name says of its format. */
#ifndef SELFATTN_IO_ENDING_H
#define SELFATTN_IO_ENDING_H

#include <stdbool.h>

/* Whether the name ends in one of ".csv .txt", capitals or not, and has something before it. */
bool ending_is_of(const char *endings, const char *file);

#endif
