/* The colours of shares (numbers from 0 to 1), the same on the page of a trace and in pictures:
 * eight steps, in eighths of 1, and none for 0. */
#ifndef SELFATTN_RENDER_SHARE_COLOR_H
#define SELFATTN_RENDER_SHARE_COLOR_H

#include "render/heat_map.h"

enum { COLOR_STEPS = 8 };

/* 0 for 0 and for what is not a finite number, else from 1 to COLOR_STEPS, in eighths of `most`. */
int color_step(double value, double most);

/* A step's colour on white: page.css lays the same over its ground. */
heat_color share_color(int step);

/* What is written on these colours, and what is quieter on white. */
#define PICTURE_INK "#16181d"
#define PICTURE_QUIET "#51565f"

#endif
