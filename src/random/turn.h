/* Sine and cosine of a part of a full turn, the project's own: the same operations everywhere, so
 * the same bits. */
#ifndef SELFATTN_RANDOM_TURN_H
#define SELFATTN_RANDOM_TURN_H

/* sin 2πu and cos 2πu, u from 0 to 1, each within 2⁻⁵¹. */
void turn_part(double u, double *sine, double *cosine);

/* cos i for a whole number, 0 ≤ i < 2⁵³, within 2⁻⁵¹. */
double turn_cosine(double i);

#endif
