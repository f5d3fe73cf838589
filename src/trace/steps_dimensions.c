/* The step that lists every size, what each matrix is made of, and what that costs: seed 002's
 * dimension analysis and its equations in matrices, seed 000's count of operations. */
#include "trace/build.h"

#include "trace/derivation.h"
#include "trace/nodes.h"

#include <string.h>

/* One sequence attends to itself: one letter n does for queries and keys. */
static bool is_one_sequence(const plan *p)
{
    return p->q.rows.data != NULL && p->k.rows.data != NULL && p->q.rows_as == p->k.rows_as &&
           p->appended == 0 && p->past == 0;
}

/* The output is as wide as the inputs, as the context, or has a letter of its own. */
static char output_letter(const plan *p)
{
    bool is_as_wide = p->q.rows.data != NULL && p->width_out == p->q.rows.size[2];
    return p->wo.data == NULL ? 'C' : is_as_wide ? 'm' : 'O';
}

/* The first of q, k and v that is made of rows; NULL where all are given. */
static const projection *first_made(const plan *p)
{
    return p->q.rows.data != NULL   ? &p->q
           : p->k.rows.data != NULL ? &p->k
           : p->v.rows.data != NULL ? &p->v
                                    : NULL;
}

/* Rows of xk or xv that are not as wide as x have a letter of their own. */
static const char *rows_letter(const plan *p, const projection *r)
{
    size_t width = r->rows.size[2];
    if (width == first_made(p)->rows.size[2])
        return "m";
    bool is_as_keys = p->k.rows.data != NULL && width == p->k.rows.size[2];
    return is_as_keys ? "m_k" : "m_v";
}

/* True for keys or values out of rows that have a letter of their own. */
static bool has_letter(const plan *p, const projection *r, const char *letter)
{
    return r->rows.data != NULL && strcmp(rows_letter(p, r), letter) == 0;
}

/* What is compared is as wide as a key, where only queries are turned into it (or the other way
 * round), else it has a width of its own. */
static const char *compared_letter(const plan *p)
{
    bool turns_keys = p->of_score.for_key.data != NULL;
    if (p->of_score.for_query.data != NULL && turns_keys)
        return "c";
    return turns_keys && p->q.width != p->k.width ? "d_q" : "d_k";
}

static void list_letters(builder *b, trace_item *item)
{
    const plan *p = b->plan;
    const projection *first = first_made(p);
    bool is_one = is_one_sequence(p), differ = p->q.width != p->k.width;
    const char *per_head = p->has_heads ? ", per head" : "";
    const struct {
        const char *letter, *means;
        size_t size;
        bool is_here;
    } letters[] = {
        {"n", "inputs: queries, keys and values", p->n_q, is_one},
        {"n_q", "queries", p->n_q, !is_one},
        {"n_new", "keys and values that are new", p->k.n, !is_one && p->past > 0},
        {"n_k", "keys and values", p->n_k, !is_one},
        {"n_x", "of them, those of the sequence", plan_own_keys(p), p->appended > 0},
        {"m", "width of an input", first == NULL ? 0 : first->rows.size[2], first != NULL},
        {"m_k", "width of a row of xk", p->k.rows.size[2], has_letter(p, &p->k, "m_k")},
        {"m_v", "width of a row of xv", p->v.rows.size[2], has_letter(p, &p->v, "m_v")},
        {"b", "sequences in the batch", p->batches, p->has_batch},
        {"h", "heads", p->heads, p->has_heads},
        {"g", "key/value heads", p->kv_heads, p->kv_heads != p->heads},
        {"d_q", build_text(b, "width of a query%s", per_head), p->q.width, differ},
        {"d_k", build_text(b, "width of %sa key%s", differ ? "" : "a query and of ", per_head),
         p->k.width, true},
        {"d_v", build_text(b, "width of a value%s", per_head), p->v.width, true},
        {"r_q", "width of the queries' latent", p->q_latent.width, p->q_latent.width > 0},
        {"r_kv", "width of the latent of keys and values", p->kv_latent.width,
         p->kv_latent.width > 0},
        {"w_kv", "the same with the numbers that keys share", p->kv_latent.width + p->k.shared,
         p->k.shared > 0},
        {"d_w", build_text(b, "of a key's numbers, those before the shared ones%s", per_head),
         p->k.width - p->k.shared, p->k.shared > 0},
        {"c", "width in which they are compared", p->compared_width,
         strcmp(compared_letter(p), "c") == 0},
        {"d_o", "width of the output", p->width_out, output_letter(p) == 'O'},
    };
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        const char *size = build_text(b, "%zu", letters[i].size);
        if (letters[i].is_here)
            build_cells(b, item, (const char *[]){letters[i].letter, letters[i].means, size});
    }
}

/* What this run calls an axis of a matrix that belongs to the queries, the keys or the values. */
static const char *letter_of(builder *b, const projection *of, char axis)
{
    const plan *p = b->plan;
    bool is_one = is_one_sequence(p), is_query = of == &p->q;
    const char *width = of == &p->v ? "d_v" : is_query && p->q.width != p->k.width ? "d_q" : "d_k";
    const char *heads = is_query || p->kv_heads == p->heads ? "h" : "g";
    switch (axis) {
    case 'q':
    case 'k':
        return is_one ? "n" : axis == 'q' ? "n_q" : "n_k";
    case 'x':
        return "n_x";
    case 'n':
        return p->past > 0 ? "n_new" : letter_of(b, of, 'k');
    case 'h':
        return heads;
    case 'H':
        return "h";
    case 'm':
    case 'M':
    case 'N':
        return rows_letter(p, of);
    case 'd':
        return width;
    case 'e':
        return "d_v";
    case 'c':
        return compared_letter(p);
    case 'Q':
    case 'K':
    case 'V':
        return p->has_heads ? build_text(b, "%s·%s", heads, width) : width;
    case 'r':
        return "r_q";
    case 'R':
        return "r_kv";
    case 'S':
        return p->k.shared > 0 ? "w_kv" : "r_kv";
    case 'p':
        return "d_w";
    case 'P':
        return p->has_heads ? build_text(b, "%s·d_w", heads) : "d_w";
    case 'C':
        return p->has_heads ? "h·d_v" : "d_v";
    case 'O':
        return output_letter(p) == 'C'   ? letter_of(b, of, 'C')
               : output_letter(p) == 'm' ? "m"
                                         : "d_o";
    default:
        return build_text(b, "%c", axis);
    }
}

/* ---- what it is made of ---- */

/* "scores/√d_k + M", of the scores as letters. */
static const char *before_softmax(builder *b, const char *scores)
{
    const plan *p = b->plan;
    scale_kind kind = p->asked->scale_kind;
    const char *scaled = p->scale == 1          ? scores
                         : kind == SCALE_NUMBER ? build_text(b, "scale·%s", scores)
                         : kind == SCALE_EMBED  ? build_text(b, "%s/√m", scores)
                                                : build_text(b, "%s/√d_k", scores);
    const char *capped =
        plan_has_stage(p, STAGE_CAPPED) ? build_text(b, "C·tanh(%s/C)", scaled) : scaled;
    return plan_masks(p) ? build_text(b, "%s + M", capped) : capped;
}

/* A product of two matrices, with what is added to each of its rows. */
static bool is_product(const trace_map *map)
{
    return map != NULL && (map->op == OP_DOT || map->op == OP_DOT_BESIDE);
}

/* "x·Wq + bq", "q·kᵀ", "q·Ws·kᵀ"; "" of what goes in, or is made otherwise. */
static const char *product_letters(builder *b, const trace_map *map)
{
    if (!is_product(map))
        return "";
    const trace_origin *of = map->operand;
    bool has_another = of[0].map->step == STEP_SCORES; /* q·Ws */
    return build_text(b, "%s·%s%s%s%s", has_another ? product_letters(b, of[0].map) : of[0].name,
                      of[1].name, of[1].part.row == AXIS_J ? "ᵀ" : "",
                      of[2].map == NULL ? "" : " + ", of[2].map == NULL ? "" : of[2].name);
}

static size_t multiplications(const builder *b, const trace_map *map)
{
    operand_cells of;
    if (!is_product(map))
        return 0;
    derivation_operand(&(map_cell){.room = b->room, .map = map}, &map->operand[0], &of);
    size_t beside = map->op == OP_DOT_BESIDE ? map->slices * b->room->run.shared : 0;
    return tensor_count(&map->values) / map->values.size[2] * (map->values.size[2] - beside) *
           of.count;
}

/* "[head 1, …, head 4]" */
static const char *heads_side_by_side(builder *b)
{
    size_t heads = b->plan->heads;
    return heads == 1 ? "head 1"
                      : build_text(b, "[head 1, %shead %zu]", heads > 2 ? "…, " : "", heads);
}

/* Of axes "hqk" "h × n_q × n_k", of a shape "2 × 3 × 4". */
static void shape_row(builder *b, trace_item *item, const char *name, const projection *of,
                      const char *axes, const tensor *shape)
{
    if (shape == NULL || shape->data == NULL)
        return;
    const trace_map *map = map_named(b->room, name);
    const bool is_clipped = map != NULL && map->op == OP_CLIP;
    map = is_clipped ? map->operand[0].map : map;
    const char *made = product_letters(b, map), *letters = "", *sizes = "";
    size_t count = multiplications(b, map);
    if (is_clipped && count > 0)
        made = build_text(b, "%s, clipped", made);
    if (strcmp(name, map_name_of(STAGE_WEIGHTS)) == 0)
        made = build_text(b, "softmax(%s)", before_softmax(b, "scores"));
    else if (strcmp(name, map_name_of(STAGE_CONTEXT)) == 0)
        made = b->plan->has_heads ? heads_side_by_side(b) : map_name_of(STAGE_ATTENDED);
    else if (strcmp(name, map_name_of(STAGE_OUTPUT)) == 0 && count == 0)
        made = build_text(b, "context%s", b->plan->bo.data == NULL ? "" : " + bo");
    for (const char *at = axes; *at != '\0'; at++)
        letters = build_text(b, "%s%s%s", letters, at == axes ? "" : " × ", letter_of(b, of, *at));
    for (int axis = 0; axis < shape->rank; axis++)
        sizes = build_text(b, "%s%s%zu", sizes, axis == 0 ? "" : " × ", shape->size[axis]);
    const char *products = count == 0 ? "" : build_text(b, "%zu", count);
    build_cells(b, item, (const char *[]){name, letters, sizes, made, products});
}

/* Ws, Wa, Ua: from the width of a query or a key to the one in which they are compared. Ws makes a
 * query as wide as a key. */
static void list_transform(builder *b, trace_item *item, const char *name, const projection *of,
                           const tensor *of_heads)
{
    if (of_heads->data == NULL)
        return;
    bool is_one_a_head = of_heads->stride[0] != 0;
    tensor shape = is_one_a_head ? *of_heads : tensor_at(of_heads, 0);
    shape_row(b, item, input_label(input_of_key(name)), of, is_one_a_head ? "Hdc" : "dc", &shape);
}

/* Seed 002's dimension table: each matrix, its shape in letters, its shape here. */
static void list_shapes(builder *b, trace_item *item)
{
    static const stage_id MADE[] = {
        STAGE_X_POS,  STAGE_Q_LATENT,  STAGE_KV_LATENT, STAGE_Q,       STAGE_K,
        STAGE_V,      STAGE_PRESENT_K, STAGE_PRESENT_V, STAGE_Q_SCORE, STAGE_K_SCORE,
        STAGE_SCORES, STAGE_WEIGHTS,   STAGE_ATTENDED,  STAGE_CONTEXT, STAGE_OUTPUT};
    static const input ROWS[] = {INPUT_X, INPUT_XK, INPUT_XV};
    static const char *const AXES[] = {"mQ", "mK", "mV"};
    const plan *p = b->plan;
    const projection *made[] = {&p->q, &p->k, &p->v};
    /* Rows that go in, each once. */
    for (size_t i = 0; i < 3; i++) {
        size_t user = 0;
        while (user < 3 && (made[user]->rows.data == NULL || made[user]->rows_as != ROWS[i]))
            user++;
        if (user == 3)
            continue;
        const tensor *given = p->asked->in[ROWS[i]];
        const char axes[] = {'b', user == 0 ? 'q' : p->appended > 0 ? 'x' : 'n', 'm', '\0'};
        shape_row(b, item, input_key(ROWS[i]), made[user], given->rank == 3 ? axes : axes + 1,
                  given);
    }
    shape_row(b, item, input_label(INPUT_WQ_DOWN), &p->q, "mr", &p->q_latent.weight);
    shape_row(b, item, input_label(INPUT_WKV_DOWN), &p->k, "mS", &p->kv_latent.weight);
    for (size_t i = 0; i < 3; i++) {
        bool is_3d = made[i]->weight.rank == 3,
             is_second = plan_latent(p, made[i])->weight.data != NULL;
        const char *width = made[i]->shared > 0 ? (is_3d ? "p" : "P") : is_3d ? "d" : AXES[i] + 1;
        const char *axes = build_text(b, "%s%s%s", is_3d ? "h" : "",
                                      !is_second ? "m"
                                      : i == 0   ? "r"
                                                 : "R",
                                      width);
        shape_row(b, item, input_label(made[i]->weight_as), made[i], axes, &made[i]->weight);
    }
    list_transform(b, item, p->asked->score->for_query, &p->q, &p->of_score.for_query);
    list_transform(b, item, p->asked->score->for_key, &p->k, &p->of_score.for_key);
    for (size_t i = 0; i < sizeof MADE / sizeof MADE[0]; i++) {
        const char *name = map_name_of(MADE[i]);
        const projection *role = plan_role(p, MADE[i]), *of = role == NULL ? &p->q : role;
        if (MADE[i] == STAGE_OUTPUT)
            shape_row(b, item, "Wo", of, "CO", &p->wo);
        /* n counts the new keys: those that no cache's go before. */
        const char *axes = p->axes[MADE[i]], *at = strchr(axes, 'k');
        bool is_new = (role != NULL || MADE[i] == STAGE_KV_LATENT) && MADE[i] != STAGE_PRESENT_K &&
                      MADE[i] != STAGE_PRESENT_V;
        if (at != NULL && is_new)
            axes = build_text(b, "%.*sn%s", (int)(at - axes), axes, at + 1);
        shape_row(b, item, name, of, axes, bundle_tensor(b->result, name));
    }
}

void make_dimensions(builder *b)
{
    const plan *p = b->plan;
    trace_item *letters, *shapes;
    size_t all = 0;
    build_sentence(b,
                   "Every size in this run. %s; a value may have a width of its own, and the "
                   "result follows it.",
                   p->q.width != p->k.width
                       ? "A query and a key of different widths are made equally wide to be "
                         "compared"
                       : "A query and a key must be equally wide to be compared");
    letters = build_table(b, "mww");
    build_cells(b, letters, (const char *[]){"letter", "what it counts", "here"});
    list_letters(b, letters);
    shapes = build_table(b, "mmwmw");
    build_cells(b, shapes,
                (const char *[]){"matrix", "in letters", "here", "made of", "multiplications"});
    list_shapes(b, shapes);
    /* Of the way there, which the table has. */
    for (size_t i = 0; i < b->room->maps; i++)
        all += b->room->map[i]->step < STEP_LOSS ? multiplications(b, b->room->map[i]) : 0;
    build_sentence(b, "The products of matrices take %zu multiplications%s. In one line%s:", all,
                   p->batches > 1 ? " a sequence" : "",
                   plan_masks(p) ? ", with M what the step mask adds" : "");
    /* softmax(q·kᵀ/√d_k)·v, of heads side by side. */
    const trace_map *scores = map_named(b->room, map_name_of(STAGE_SCORES));
    bool is_product_alone = is_product(scores) && scores->operand[2].map == NULL;
    const char *compared = is_product_alone ? product_letters(b, scores) : "scores";
    const char *head =
        build_text(b, "softmax(%s)·%s", before_softmax(b, compared), map_name_of(build_values(b)));
    const char *wo = p->wo.data == NULL ? "" : "·Wo", *bo = p->bo.data == NULL ? "" : " + bo";
    if (p->has_heads)
        build_formula(b, "output = %s%s%s, each head = %s", heads_side_by_side(b), wo, bo, head);
    else
        build_formula(b, "output = %s%s%s", head, wo, bo);
}
