/* The run in one line of mathematics, softmax(QKᵀ / √d_k)·V, with what it has besides. A symbol is
 * lit while its step is being read (steps.js). */
#include "render/html_parts.h"
#include "trace/nodes.h"

#include <math.h>

/* A symbol of these steps. */
static void add_symbol(text *out, const char *steps, const char *mathematics)
{
    text_add_format(out, "<mrow data-steps=\"%s\">%s</mrow>", steps, mathematics);
}

static bool is_root_of_width(const trace *t)
{
    const trace_map *scale = map_named(t, "scale"), *q = map_named(t, "q");
    if (q == NULL)
        return false;
    double width = (double)(q->values.size[2] / q->slices);
    return fabs(tensor_get(&scale->values, (size_t[]){0, 0, 0}) * sqrt(width) - 1) < 1e-12;
}

/* The scores, compared as the run does. */
static void add_scores(text *out, const trace *t)
{
    static const char Q[] = "<mi>Q</mi>", K[] = "<mi>K</mi>",
                      K_TURNED[] = "<msup><mi>K</mi><mo>⊤</mo></msup>";
    const trace_map *scores = map_named(t, "scores");
    bool is_product = scores->op == OP_DOT, is_general = map_named(t, "Ws") != NULL;
    if (!is_product)
        add_symbol(out, "scores", "<mi>score</mi><mo>(</mo>");
    add_symbol(out, "inputs projections scores", Q);
    if (is_general)
        add_symbol(out, "scores", "<msub><mi>W</mi><mi>S</mi></msub>");
    text_add_string(out, is_product ? "" : "<mo>,</mo>");
    add_symbol(out, "inputs projections scores", is_product ? K_TURNED : K);
    if (!is_product)
        add_symbol(out, "scores", "<mo>)</mo>");
}

static void add_scaled(text *out, const trace *t)
{
    bool is_scaled = map_named(t, "scale") != NULL, is_root = is_scaled && is_root_of_width(t);
    if (is_scaled && !is_root)
        add_symbol(out, "scale", "<mi>s</mi><mo>·</mo>");
    text_add_string(out, is_root ? "<mfrac><mrow>" : "");
    add_scores(out, t);
    if (is_root) {
        text_add_string(out, "</mrow>");
        add_symbol(out, "scale", "<msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt>");
        text_add_string(out, "</mfrac>");
    }
}

void html_add_formula(const html_page *p)
{
    const trace *t = p->trace;
    bool is_capped = map_named(t, "C") != NULL;
    if (map_named(t, "scores") == NULL || map_named(t, "weights") == NULL)
        return;
    text_add_string(p->out, "<p class=whole><math>");
    add_symbol(p->out, "softmax statistics round", "<mi>softmax</mi>");
    text_add_string(p->out, "<mo>(</mo>");
    if (is_capped)
        add_symbol(p->out, "cap", "<mi>cap</mi><mo>(</mo>");
    add_scaled(p->out, t);
    text_add_string(p->out, is_capped ? "<mo>)</mo>" : "");
    if (map_named(t, "masked") != NULL)
        add_symbol(p->out, "mask", "<mo>+</mo><mi>M</mi>");
    text_add_string(p->out, "<mo>)</mo>");
    add_symbol(p->out, "inputs projections weighted sum", "<mi>V</mi>");
    text_add_string(p->out, "</math></p>\n");
}
