/* Matrices as pictures: a square for each number, or for some rows and columns of a large matrix,
 * in the colours of shares, or on a logarithmic scale on which zero is dark.
 *
 * Pictures in characters are drawn here, those in SVG by svg.c. Both, and the page, take squares
 * and colours from here, so that the same number has the same colour everywhere. */
#ifndef SELFATTN_RENDER_HEAT_MAP_H
#define SELFATTN_RENDER_HEAT_MAP_H

#include "render/renderer.h"

/* ---- squares ---- */

typedef struct sampling {
    size_t rows, columns; /* of squares */
    size_t tall, wide;    /* rows and columns of the matrix that one square stands for */
} sampling;

/* The smallest squares that are no more than so many. */
sampling sampling_of(size_t rows, size_t columns, size_t most_rows, size_t most_columns);

/* The finite number of the greatest magnitude in a square; in a square of one number that number,
 * whatever it is. */
double sampling_at(const sampling *s, const tensor *matrix, size_t row, size_t column);

/* ---- a scale ---- */

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

/* The numbers that a legend shows: 0, and the scale's ends if it has any. Returns how many. */
enum { HEAT_SAMPLES = 3 };
size_t heat_samples(const heat_scale *s, double sample[HEAT_SAMPLES]);

/* ---- colours of shares ---- */

/* The colours of shares (numbers from 0 to 1), the same on the page of a trace and in pictures:
 * eight steps, in eighths of 1, and none for 0. */
enum { COLOR_STEPS = 8 };

/* 0 for 0 and for what is not a finite number, else from 1 to COLOR_STEPS, in eighths of `most`. */
int color_step(double value, double most);

/* A step's colour on white: page.css lays the same over its ground. Of numbers with a sign, steps
 * of negative ones are below 0, and each sign has a colour of its own. */
heat_color share_color(int step);
heat_color sign_color(int step);
int sign_step(double value, double most);

/* ---- what is drawn of a run ---- */

/* The matrices of a room that are drawn: its weights, or of gradients those that are chosen. */
bool picture_takes(const render_options *how, const trace_room *room, const trace_map *map);
/* The greatest magnitude of its numbers, and as many decimals as show three digits of it. */
double picture_greatest(const trace_map *map, int *digits);

/* ---- a picture ---- */

typedef struct heat_map {
    size_t rows, columns;
    const double *magnitude; /* of each cell, row by row; borrowed */
    heat_scale scale;
    size_t apart;  /* so many columns at the end stand a little away from the others */
    bool is_share; /* magnitudes are from 0 to 1, in the colours of shares; no scale is used, */
    double most;   /* or from −this to it, in those of signs; 0: they are not */
} heat_map;

/* In colour a character shows two rows (24 bits, U+2580); else each cell is a character of its own.
 * A line below says what the colours or characters stand for. */
void heat_map_add(text *out, const heat_map *map, bool color);

/* The same in SVG, with cells up to 24 pixels wide, and its scale below. */
void heat_map_add_svg(text *out, const heat_map *map, const char *title);

/* ---- sums of keys ---- */

/* A picture may have a last column, in which it adds up the weights of chosen keys: how much a
 * query gives to them together. A word chooses keys: a name, which means every key of that name, a
 * number from 1, or a range, as for --rows. */

/* Refuses a word that chooses no key in any attention of the trace. */
bool key_sums_check(const text_list *words, const trace *t, err *e);

/* Which keys of one attention's weights are chosen, a truth for each key, which the caller frees;
 * NULL where none is. False where memory is missing. */
bool key_sums_find(bool **is_chosen, const text_list *words, const trace_map *weights, err *e);

/* The greatest sum among the rows of a row of squares. */
double key_sums_at(const bool *is_chosen, const sampling *by, const tensor *head, size_t row);

/* "Σ is the sum of these keys: cat, 3:8", or nothing where there are no words. */
void key_sums_explain(const text_list *words, text *out);

#endif
