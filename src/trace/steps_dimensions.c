/* The step that lists every size: seed 002's dimension analysis. */
#include "trace/build.h"

static void letter_row(builder *b, trace_item *item, const char *letter, const char *means,
                       size_t size)
{
    build_cell(b, item, letter);
    build_cell(b, item, means);
    build_cell(b, item, build_text(b, "%zu", size));
}

/* One sequence attends to itself: one letter n does for queries and keys. */
static bool is_one_sequence(const plan *p)
{
    return p->q.rows.data != NULL && p->k.rows.data != NULL && p->q.rows_as == p->k.rows_as;
}

/* The output is as wide as the inputs, as the context, or has a letter of its own. */
static char output_letter(const plan *p)
{
    bool is_as_wide = p->q.rows.data != NULL && p->width_out == p->q.rows.size[2];
    return p->wo.data == NULL ? 'C' : is_as_wide ? 'm' : 'O';
}

static void list_letters(builder *b, trace_item *item)
{
    const plan *p = b->plan;
    if (is_one_sequence(p))
        letter_row(b, item, "n", "inputs: queries, keys and values", p->n_q);
    else {
        letter_row(b, item, "n_q", "queries", p->n_q);
        letter_row(b, item, "n_k", "keys and values", p->n_k);
    }
    if (p->q.rows.data != NULL)
        letter_row(b, item, "m", "width of an input", p->q.rows.size[2]);
    if (p->has_batch)
        letter_row(b, item, "b", "sequences in the batch", p->batches);
    if (p->has_heads)
        letter_row(b, item, "h", "heads", p->heads);
    if (p->kv_heads != p->heads)
        letter_row(b, item, "g", "key/value heads", p->kv_heads);
    letter_row(b, item, "d_k",
               p->has_heads ? "width of a query and of a key, per head"
                            : "width of a query and of a key",
               p->k.width);
    letter_row(b, item, "d_v", p->has_heads ? "width of a value, per head" : "width of a value",
               p->v.width);
    if (output_letter(p) == 'O')
        letter_row(b, item, "d_o", "width of the output", p->width_out);
}

/* "h × n_q × n_k", from letters as a stage's axes have them and with this run's names for them. */
static const char *letters_of(builder *b, const char *axes)
{
    const plan *p = b->plan;
    bool is_one = is_one_sequence(p), has_heads = p->has_heads;
    const char *keys = p->kv_heads != p->heads ? "g" : "h", *join = "";
    text out = {0};
    for (const char *at = axes; *at != '\0'; at++, join = " × ") {
        char letter = *at == 'O' ? output_letter(p) : *at;
        text_add_string(&out, join);
        if (letter == 'q' || letter == 'k')
            text_add_string(&out, is_one ? "n" : letter == 'q' ? "n_q" : "n_k");
        else if (letter == 'Q' || letter == 'C')
            text_add_format(&out, "%s%s", has_heads ? "h·" : "", letter == 'Q' ? "d_k" : "d_v");
        else if (letter == 'K' || letter == 'V')
            text_add_format(&out, "%s%s%s", has_heads ? keys : "", has_heads ? "·" : "",
                            letter == 'K' ? "d_k" : "d_v");
        else if (letter == 'd' || letter == 'e')
            text_add_string(&out, letter == 'd' ? "d_k" : "d_v");
        else if (letter == 'O')
            text_add_string(&out, "d_o");
        else
            text_add(&out, &letter, 1);
    }
    const char *words = build_text(b, "%s", text_string(&out));
    text_free(&out);
    return words;
}

static const char *sizes_of(builder *b, const tensor *t)
{
    text out = {0};
    for (int axis = 0; axis < t->rank; axis++)
        text_add_format(&out, "%s%zu", axis == 0 ? "" : " × ", t->size[axis]);
    const char *words = build_text(b, "%s", text_string(&out));
    text_free(&out);
    return words;
}

static void shape_row(builder *b, trace_item *item, const char *name, const char *axes,
                      const tensor *of)
{
    if (of == NULL || of->data == NULL)
        return;
    build_cell(b, item, name);
    build_cell(b, item, letters_of(b, axes));
    build_cell(b, item, sizes_of(b, of));
}

static void weight_row(builder *b, trace_item *item, input which, const tensor *weight,
                       const char *axes)
{
    shape_row(b, item, input_label(which),
              weight->rank == 3 ? axes[1] == 'V' ? "hme" : "hmd" : axes, weight);
}

/* Seed 002's dimension table: each matrix, its shape in letters, its shape here. */
static void list_shapes(builder *b, trace_item *item)
{
    static const stage_id MADE[] = {STAGE_Q,       STAGE_K,        STAGE_V,       STAGE_SCORES,
                                    STAGE_WEIGHTS, STAGE_ATTENDED, STAGE_CONTEXT, STAGE_OUTPUT};
    const plan *p = b->plan;
    const char of_wo[] = {'C', output_letter(p), '\0'};
    shape_row(b, item, "x",
              p->asked->in[INPUT_X] != NULL && p->asked->in[INPUT_X]->rank == 3 ? "bqm" : "qm",
              p->asked->in[INPUT_X]);
    weight_row(b, item, INPUT_WQ, &p->q.weight, "mQ");
    weight_row(b, item, INPUT_WK, &p->k.weight, "mK");
    weight_row(b, item, INPUT_WV, &p->v.weight, "mV");
    for (size_t i = 0; i < sizeof MADE / sizeof MADE[0]; i++) {
        const char *name = stage_row(MADE[i])->key.named.name;
        shape_row(b, item, name, p->axes[MADE[i]], bundle_tensor(b->result, name));
        if (MADE[i] == STAGE_CONTEXT)
            shape_row(b, item, "Wo", of_wo, &p->wo);
    }
}

void make_dimensions(builder *b)
{
    trace_item *letters, *shapes;
    build_sentence(b, "Every size in this run. A query and a key must be equally wide to be "
                      "compared; a value may have a "
                      "width of its own, and the result follows it.");
    letters = build_table(b, 3);
    build_cell(b, letters, "letter");
    build_cell(b, letters, "what it counts");
    build_cell(b, letters, "here");
    list_letters(b, letters);
    shapes = build_table(b, 3);
    build_cell(b, shapes, "matrix");
    build_cell(b, shapes, "in letters");
    build_cell(b, shapes, "here");
    list_shapes(b, shapes);
}
