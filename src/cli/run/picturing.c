#include "cli/run/picturing.h"

#include "render/weights_svg.h"
#include "render/weights_terminal.h"

#include <string.h>

static bool is_svg(const outputs *to)
{
    return strcmp(to->picture.file, "-") != 0;
}

bool picturing_check(const outputs *to, err *e)
{
    return !is_svg(to) || (to->picture.results == 0 && to->documents->files <= 1) ||
           err_set(e, "SVG holds the picture of one document, and there are more");
}

bool picturing_draw(const trace *of, const options *o, const env *world, const outputs *to,
                    text *out, err *e)
{
    render_options how = {.width = is_svg(to) ? WIDTH_OF_FILES : world->width,
                          .digits = option_digits(o),
                          .color = output_uses_color(o, world, to->picture.file)};
    return is_svg(to) ? weights_svg(of, &how, out, e) : weights_terminal(of, &how, out, e);
}
