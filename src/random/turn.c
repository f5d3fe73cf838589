#include "random/turn.h"

#include "kernels/turn.h"

#include <math.h>

/* 1/2π as the sum of two */
static const double TURN_HIGH = 0x1.45f306dc9c883p-3, TURN_LOW = -0x1.6b01ec5417056p-57;

double turn_cosine(double i)
{
    double turns = i * TURN_HIGH, lost = fma(i, TURN_HIGH, -turns) + i * TURN_LOW;
    double u = (turns - floor(turns)) + lost, sine, cosine;
    u -= floor(u);
    turn_part(u, &sine, &cosine);
    return cosine;
}
