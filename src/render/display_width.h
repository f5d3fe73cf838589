/* The columns that a character takes on a terminal, from Unicode's tables. */
#ifndef SELFATTN_RENDER_DISPLAY_WIDTH_H
#define SELFATTN_RENDER_DISPLAY_WIDTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0 for what joins the character before it, 2 for East Asian wide characters and emoji, else 1. */
size_t code_point_columns(uint32_t code);

#endif
