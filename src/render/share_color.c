#include "render/share_color.h"

#include <math.h>

int color_step(double value, double most)
{
    if (!isfinite(value) || value == 0 || most == 0)
        return 0;
    double step = floor(fabs(value) / most * COLOR_STEPS + 0.5);
    return step < 1 ? 1 : step > COLOR_STEPS ? COLOR_STEPS : (int)step;
}

/* --share and the --level of .w1 to .w8, in page.css. */
static const heat_color SHARE = {40, 180, 135};
static const int PERCENT[COLOR_STEPS + 1] = {0, 10, 20, 32, 44, 56, 68, 80, 92};
/* --raised: a cell of 0 is still a cell. */
static const heat_color NOTHING = {244, 245, 247};

static int on_white(int color, int percent)
{
    return 255 - (255 - color) * percent / 100;
}

heat_color share_color(int step)
{
    int percent = PERCENT[step];
    if (step == 0)
        return NOTHING;
    return (heat_color){on_white(SHARE.red, percent), on_white(SHARE.green, percent),
                        on_white(SHARE.blue, percent)};
}
