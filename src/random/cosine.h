/* The cosine of a whole number, the project's own: the same bits everywhere. */
#ifndef SELFATTN_RANDOM_COSINE_H
#define SELFATTN_RANDOM_COSINE_H

/* cos i, 0 ≤ i < 2⁵³, within 2⁻⁵¹. */
double cosine_of_whole(double i);

#endif
