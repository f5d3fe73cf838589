#include "random/cosine.h"

#include "kernels/sine.h"

#include <math.h>

/* 1/2π as the sum of two */
static const double TURN_HIGH = 0x1.45f306dc9c883p-3, TURN_LOW = -0x1.6b01ec5417056p-57;

double cosine_of_whole(double i)
{
    double turns = i * TURN_HIGH, lost = fma(i, TURN_HIGH, -turns) + i * TURN_LOW;
    double u = (turns - floor(turns)) + lost, sine, cosine;
    u -= floor(u);
    sine_and_cosine_of_turn(u, &sine, &cosine);
    return cosine;
}
