/* A matrix of magnitudes as a picture of characters: what is zero is dark, the rest lies on a scale
 * of logarithms from the least to the greatest.
 *
 * The scale is apart from the drawing, so that other pictures show the same number in the same
 * colour. */
#ifndef SELFATTN_RENDER_HEAT_MAP_H
#define SELFATTN_RENDER_HEAT_MAP_H

#include "base/text.h"

typedef struct heat_scale {
    double least, greatest; /* finite and above 0; both 0 where there is nothing */
} heat_scale;

void heat_scale_add(heat_scale *s, double magnitude);
/* 0 for zero, else from above 0 to 1, which is the greatest, and an infinity. */
double heat_level(const heat_scale *s, double magnitude);

typedef struct heat_color {
    int red, green, blue; /* from 0 to 255 */
} heat_color;

heat_color heat_color_of(double level);

/* The character of a level, and the order to a terminal that sets a colour. */
char heat_shade_of(double level);
enum { HEAT_FOREGROUND = 38, HEAT_BACKGROUND = 48 };
void heat_add_color(text *out, int what, heat_color color);

/* Cells of a picture, row by row. */
typedef struct heat_map {
    size_t rows, columns;
    const double *magnitude;
    heat_scale scale;
    size_t apart;  /* of the columns, at the end: a little away from the others */
    bool is_share; /* from 0 to 1, and shown in a share's colours; the scale is not used */
} heat_map;

/* In colour a character shows two rows (24 bits, U+2580); else each cell is a character of its own.
 * A line below says what the colours or characters stand for. */
void heat_map_add(text *out, const heat_map *map, bool color);

#endif
