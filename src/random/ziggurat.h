/* Normal numbers by the ziggurat of 256 layers, in the form and with the bits that NumPy's
 * default_rng gives them (Marsaglia and Tsang, "The ziggurat method for generating random
 * variables", 2000; Doornik, "An improved ziggurat method to generate normal random samples",
 * 2005). */
#ifndef SELFATTN_RANDOM_ZIGGURAT_H
#define SELFATTN_RANDOM_ZIGGURAT_H

#include "random/pcg64.h"

enum { ZIGGURAT_LAYERS = 256 };

/* Layer i reaches to x = 2⁵²·width[i], and lies below the curve up to inside[i]·width[i]. */
typedef struct ziggurat {
    uint64_t inside[ZIGGURAT_LAYERS];
    double width[ZIGGURAT_LAYERS];
    double height[ZIGGURAT_LAYERS]; /* e^(−x²/2) */
} ziggurat;

/* From the layers' equal areas. NumPy's own tables were rounded on another way: these are as near
 * as 10⁻¹³ of them, which no float32 made from them shows. */
void ziggurat_build(ziggurat *z);

double ziggurat_normal(const ziggurat *z, pcg64 *p);

#endif
