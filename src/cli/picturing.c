#include "cli/picturing.h"

#include "cli/tracing.h"
#include "render/weights_svg.h"
#include "render/weights_terminal.h"

#include <string.h>

static bool is_svg(const outputs *to)
{
    return strcmp(to->picture.file, "-") != 0;
}

bool picturing_want(solution *s, const options *o, const outputs *to, err *e)
{
    const stage_id weights = STAGE_WEIGHTS;
    trace_focus focus;
    if (is_svg(to) && (to->picture.results > 0 || to->documents->files > 1))
        return err_set(e, "SVG holds the picture of one document, and there are more");
    return tracing_find_focus(s, o, &focus, e) && solution_want(s, &weights, 1, e);
}

bool picturing_draw(const solution *s, const options *o, const env *world, const outputs *to,
                    text *out, err *e)
{
    const step_wish no_step[STEP_COUNT] = {STEP_UNWANTED};
    trace_focus focus;
    trace t = {0};
    bool is_terminal = world->stdout_is_terminal && !is_svg(to);
    render_options how = {.width = is_terminal ? world->width : 100,
                          .digits = option_digits(o),
                          .color = output_uses_color(o, world, to->picture.file)};
    bool done = tracing_find_focus(s, o, &focus, e) &&
                trace_make(&t, &s->plan, &s->stages, focus, false, no_step, e) &&
                (is_svg(to) ? weights_svg(&t, &how, out, e) : weights_terminal(&t, &how, out, e));
    trace_free(&t);
    return done;
}
