/* Where rows stand: what sinusoidal and rotary positions ask of a problem, and how many numbers of
 * a head are turned. */
#include "attn/plan/plan_parts.h"
#include "attn/spec/angle.h"
#include "attn/spec/setting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- sinusoidal and rotary positions alike ---- */

/* Lower-right would put the queries elsewhere in each batch entry, and keys, which are made of the
 * same rows, not. */
static bool check_alignment(const problem *asked, err *e)
{
    const tensor *lengths = asked->key_lengths;
    place at = problem_place(asked, "key_lengths");
    size_t first = 0;
    if (asked->causal != CAUSAL_LOWER_RIGHT || lengths == NULL)
        return true;
    err_at(e, &at, "key_lengths with lower-right place queries by batch entry, positions by row");
    for (size_t i = 1; i < tensor_count(lengths); i++) {
        if (tensor_get(lengths, &i) != tensor_get(lengths, &first))
            return false;
    }
    /* Then one offset is every entry's. */
    return err_remedy(e, "upper-left with an offset places them for both");
}

static bool check_last(const plan *p, const char *what, const char *from, err *e)
{
    place at = problem_place(p->asked, p->asked->has_offset ? "offset" : from);
    double last = (double)visible_position(p, 0, p->n_q - 1);
    return last <= ANGLE_POSITION_MOST ||
           err_at(e, &at, "the last query's position is %.0f, %s knows positions to %.0f", last,
                  what, ANGLE_POSITION_MOST);
}

bool plan_find_positions(plan *p, err *e)
{
    place at = problem_place(p->asked, "positions");
    if (!p->asked->adds_positions)
        return true;
    if (p->q.rows.data == NULL)
        return err_at(e, &at, "positions are added to the x that queries are made of, and there %s",
                      p->asked->in[INPUT_X] == NULL ? "is none" : "is a q in its place");
    return check_alignment(p->asked, e) && check_last(p, "a sinusoid", "positions", e);
}

/* ---- rotary positions ---- */

static const char *const PARTS[] = {"rope_pairing", "rope_width", "rope_positions"};

tensor plan_of_batch(const entry *of, size_t batch)
{
    return of->tensor.rank == 2 ? tensor_at(&of->tensor, batch) : tensor_view_of(&of->tensor);
}

/* rope's own positions, or the key that says the same. */
static const char *name_of(const entry *of)
{
    return strcmp(of->name, "positions") == 0 ? "rope.positions" : of->name;
}

static bool check_lists(const plan *p, const entry *of, err *e)
{
    char shape[SHAPE_TEXT];
    if (of->tensor.rank != 1 && of->tensor.rank != 2)
        return err_at(e, &of->at, "%s is %s, it must be a list, or a list for each batch entry",
                      name_of(of), tensor_shape_text(&of->tensor, shape));
    size_t lists = of->tensor.size[0];
    return of->tensor.rank == 1 || lists == p->batches ||
           err_at(e, &of->at, "%s has %zu list%s, and the batch %zu entr%s", name_of(of), lists,
                  lists == 1 ? "" : "s", p->batches, p->batches == 1 ? "y" : "ies");
}

bool plan_check_places(const plan *p, err *e)
{
    const entry *of = p->asked->places;
    if (of == NULL)
        return true;
    if (!check_lists(p, of, e))
        return false;
    size_t count = of->tensor.size[of->tensor.rank - 1];
    if (count != p->n_q)
        return err_at(e, &of->at, "offset has %zu number%s, and there %s %zu quer%s", count,
                      count == 1 ? "" : "s", p->n_q == 1 ? "is" : "are", p->n_q,
                      p->n_q == 1 ? "y" : "ies");
    size_t lists = tensor_count(&of->tensor) / count;
    for (size_t i = 0; i < lists * count; i++) {
        tensor all = plan_of_batch(of, i / count);
        size_t query = i % count, before = query == 0 ? 0 : query - 1;
        double number = tensor_get(&all, &query);
        if (!(fabs(number) <= SETTING_MOST_COUNT && number == floor(number)))
            return err_at(e, &of->at, "offset[%zu] is %g, it must be a whole number", query + 1,
                          number);
        if (number < tensor_get(&all, &before))
            return err_at(e, &of->at, "offset[%zu] is %g, before %g, the place of the query before",
                          query + 1, number, tensor_get(&all, &before));
    }
    return true;
}

/* One position a row for queries and keys alike, or those of the queries and then of the keys. */
static bool check_positions(const plan *p, err *e)
{
    const entry *of = p->asked->rope.positions;
    if (of == NULL)
        return check_last(p, "rope", "rope", e);
    if (!check_lists(p, of, e))
        return false;
    bool has_lists = of->tensor.rank == 2;
    size_t lists = has_lists ? of->tensor.size[0] : 1, count = of->tensor.size[of->tensor.rank - 1];
    bool is_shared = p->n_q == p->k.n && count == p->n_q;
    if (!is_shared && count != p->n_q + p->k.n) {
        err_at(e, &of->at, "%s has %zu number%s, and there are %zu quer%s and %zu new key%s",
               name_of(of), count, count == 1 ? "" : "s", p->n_q, p->n_q == 1 ? "y" : "ies", p->k.n,
               p->k.n == 1 ? "" : "s");
        return err_remedy(e, "the queries' positions come first, then the keys'; equal ones once");
    }
    for (size_t i = 0; i < lists * count; i++) {
        size_t batch = i / count, row = i % count;
        tensor all = plan_of_batch(of, batch);
        double number = tensor_get(&all, &row);
        char batch_name[32] = "";
        if (number >= 0 && number <= ANGLE_POSITION_MOST && number == floor(number))
            continue;
        if (has_lists)
            snprintf(batch_name, sizeof batch_name, "batch %zu, ", batch + 1);
        return err_at(e, &of->at, "%s[%s%zu] is %.10g, it must be a whole number from 0 to %.0f",
                      name_of(of), batch_name, row + 1, number, ANGLE_POSITION_MOST);
    }
    return true;
}

bool plan_find_rope(plan *p, err *e)
{
    const bundle *document = p->asked->document;
    const rope_settings *rope = &p->asked->rope;
    const entry *given = bundle_find(document, "rope");
    if (!rope->is_asked)
        return plan_refuse_parts(p->asked, PARTS, sizeof PARTS / sizeof PARTS[0],
                                 "there is no rope",
                                 "--rope turns queries and keys by their positions", e);
    /* rope's own parts, and the keys that say the same. An option goes over what a document
     * says. */
    bool has_parts = given != NULL && given->kind == ENTRY_BUNDLE;
    for (size_t i = 0; has_parts && i < sizeof PARTS / sizeof PARTS[0]; i++) {
        const entry *own = bundle_find(document, PARTS[i]);
        const char *part = strchr(PARTS[i], '_') + 1;
        if (own != NULL && !own->at.is_option && bundle_find(given->bundle, part) != NULL)
            return err_at(e, &own->at, "%s is given next to the %s of rope itself", PARTS[i], part);
    }
    bool is_own = bundle_find(document, "rope_width") != NULL;
    place at = problem_place(p->asked, is_own ? "rope_width" : "rope");
    size_t least = p->q.width < p->k.width ? p->q.width : p->k.width;
    p->rope_width = rope->has_width ? rope->width : p->k.width;
    if (p->rope_width > least)
        return err_at(e, &at, "rope turns %zu numbers of a head, and a %s has %zu", p->rope_width,
                      p->q.width < p->k.width ? "query" : "key", least);
    if (p->rope_width % 2 != 0) {
        err_at(e, &at, "rope turns pairs of numbers, and its width is %zu", p->rope_width);
        return err_remedy(e, "--rope-width says how many numbers of a head are turned");
    }
    return check_positions(p, e);
}

double plan_query_position(const plan *p, size_t batch, size_t query)
{
    const entry *of = p->asked->rope.positions;
    if (of == NULL)
        return (double)visible_position(p, batch, query);
    tensor all = plan_of_batch(of, batch);
    return tensor_get(&all, &query);
}

double plan_key_position(const plan *p, size_t batch, size_t index)
{
    const entry *of = p->asked->rope.positions;
    if (of == NULL)
        return (double)(p->past + index);
    tensor all = plan_of_batch(of, batch);
    index += all.size[0] == p->k.n && p->n_q == p->k.n ? 0 : p->n_q;
    return tensor_get(&all, &index);
}
