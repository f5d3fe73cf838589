/* The colours of pictures are those of the page's style sheet, and squares of a large matrix cover
 * it. */
#include "render/heat_map.h"

#include "render/html.h"
#include "render_parts.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number after `words` in the page's style. */
static double in_style(const char *words)
{
    const char *at = strstr(PAGE_STYLE, words);
    return at == NULL ? -1 : strtod(at + strlen(words), NULL);
}

static void test_page_levels(unit *u)
{
    for (int step = 1; step <= COLOR_STEPS; step++) {
        char rule[] = ".w0 { --level: ";
        rule[2] = (char)('0' + step);
        double level = in_style(rule), red = in_style("--share: ");
        heat_color color = share_color(step);
        CHECK(u, level > 0 && red > 0);
        CHECK(u, fabs(color.red - (255 - (255 - red) * level)) <= 1);
    }
    CHECK(u, strstr(PAGE_STYLE, "--share: 40 180 135;") != NULL);
    CHECK(u, share_color(8).green == 186 && share_color(8).blue == 145); /* 0.92 of 75, of 120 */
}

static void test_steps(unit *u)
{
    CHECK(u, color_step(0, 1) == 0 && color_step(1e-9, 1) == 1 && color_step(1, 1) == 8);
    CHECK(u, color_step(0.5, 1) == 4 && color_step(-0.5, 1) == 4 && color_step(3, 1) == 8);
    CHECK(u, color_step((double)NAN, 1) == 0 && color_step(1, 0) == 0);
}

static void test_squares(unit *u)
{
    const double values[] = {1, -5, 2, 3, 4, (double)INFINITY};
    tensor matrix = part_matrix(2, 3, values);
    sampling s = sampling_of(2, 3, 1, 2);
    CHECK(u, s.rows == 1 && s.columns == 2 && s.tall == 2 && s.wide == 2);
    CHECK(u, sampling_at(&s, &matrix, 0, 0) == -5);
    CHECK(u, sampling_at(&s, &matrix, 0, 1) == 2); /* the last square is not full */
    s = sampling_of(2, 3, 2, 3);
    CHECK(u, isinf(sampling_at(&s, &matrix, 1, 2)));
    s = sampling_of(0, 3, 64, 64);
    CHECK(u, s.rows == 0 && s.columns == 3);
}

UNIT(share_color)
{
    test_page_levels(u);
    test_steps(u);
    test_squares(u);
}
