#include "cli/init/init_draws.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

const char *const KNOB_OPTIONS[KNOBS] = {"low", "high", "mean", "std", "gain", "value"};

/* Where somebody says how far gaussian numbers spread, that is what is meant. */
const char *init_dist(const options *o)
{
    bool is_gaussian = o->knobs.is_set[KNOB_MEAN] || o->knobs.is_set[KNOB_STD];
    return o->dist != NULL         ? o->dist
           : o->exercise.count > 0 ? "halves"
           : is_gaussian           ? "gaussian"
                                   : "scaled";
}

static const distribution *dist_named(const char *name, size_t length)
{
    return (const distribution *)(const void *)named_find(&DISTRIBUTIONS, name, length);
}

/* --dist-of NAME=DIST: the last one that names this part, or NULL. */
static const char *own_dist(const part *of, const options *o)
{
    const char *found = NULL;
    size_t length = strlen(of->named.name);
    for (size_t i = 0; i < o->dist_of.count; i++) {
        const char *pair = o->dist_of.item[i];
        if (strncmp(pair, of->named.name, length) == 0 && pair[length] == '=')
            found = pair + length + 1;
    }
    return found;
}

static const distribution *common_dist(const options *o)
{
    const char *name = init_dist(o);
    return dist_named(name, strlen(name));
}

static const distribution *dist_of(const part *of, const options *o)
{
    const char *own = own_dist(of, o), *instead = common_dist(o)->instead[of->role];
    const char *name = own != NULL ? own : instead;
    return name == NULL ? common_dist(o) : dist_named(name, strlen(name));
}

static bool is_made(const init_plan *p, const part *of)
{
    size_t i = 0;
    while (i < p->count && p->made[i].part != of)
        i++;
    return i < p->count;
}

static void add_making(init_plan *p, const part *of)
{
    p->made[p->count++] = (making){.part = of};
}

/* What is drawn unless --draw says otherwise; each once. */
static void add_usual(init_plan *p, const part *of, const options *o)
{
    bool is_missed = of->role == ROLE_JOIN && o->exercise.count > 0; /* Wo is one product more */
    if (of->is_usual && !is_missed && (!part_is_bias(of) || o->biases) && !is_made(p, of))
        add_making(p, of);
}

static bool choose_parts(init_plan *p, const options *o, err *e)
{
    for (size_t i = 0; i < o->draw.count; i++) {
        const part *of = part_find(o->draw.item[i], strlen(o->draw.item[i]));
        if (is_made(p, of))
            return err_option(e, "draw", "%s is drawn twice", of->named.name);
        add_making(p, of);
    }
    if (o->draw.count == 0) {
        for (const char *name = common_dist(o)->first; name != NULL; name = strchr(name, ',')) {
            name += *name == ',';
            add_usual(p, part_find(name, strcspn(name, ",")), o);
        }
    }
    for (size_t i = 0; i < PARTS.count && o->draw.count == 0; i++)
        add_usual(p, (const part *)(const void *)named_row(&PARTS, i), o);
    for (size_t i = 0; i < o->dist_of.count; i++) {
        const char *pair = o->dist_of.item[i], *name = strchr(pair, '=') + 1;
        const part *of = part_find(pair, (size_t)(name - 1 - pair));
        if (dist_named(name, strlen(name)) == NULL) {
            err_option(e, "dist-of", "there is no distribution '%.200s'", name);
            return err_remedy(e, "selfattn help distributions lists them");
        }
        if (!is_made(p, of))
            return err_option(e, "dist-of", "%s is not drawn", of->named.name);
    }
    return true;
}

/* A matrix of weights is in × out, or with out-in as nn.Linear has it; a bias is one row of out. */
static bool shape_making(init_plan *p, making *m, err *e)
{
    size_t in = p->extent[m->part->in], out = p->extent[m->part->out], bytes = dtype_size(p->type);
    bool is_turned = p->is_out_in && m->part->role != ROLE_ROWS;
    m->rank = part_is_bias(m->part) ? 1 : 2;
    m->size[0] = is_turned || m->rank == 1 ? out : in;
    m->size[1] = is_turned ? in : out;
    return (sizes_count(m->rank, m->size, &m->draw.total) &&
            size_add_product(&p->bytes, m->draw.total, bytes)) ||
           err_set(e, "%s of %zu x %zu is larger than can be counted", m->part->named.name,
                   m->size[0], m->size[1]);
}

static bool is_known_in_f64(const generator *g, law_kind kind)
{
    bool is_uniform = kind == LAW_UNIFORM || law_has_steps(kind);
    return !(is_uniform && !g->has_f64) && !(kind == LAW_NORMAL && g->normal_is_f32);
}

static bool check_law(const init_plan *p, const making *m, err *e)
{
    const law *l = &m->draw.law;
    const place low = place_of_option("low"), rng = place_of_option("rng");
    if ((l->kind == LAW_UNIFORM && !(l->a < l->b)) || (law_has_steps(l->kind) && !(l->a <= l->b)))
        return err_at(e, &low, "%g is not below the %g where %s ends", l->a, l->b,
                      m->dist->named.name);
    if (p->type == DTYPE_F32 || is_known_in_f64(p->generator, l->kind)) {
        /* An infinity among the numbers is what run refuses. */
        double reach = law_reach(&m->draw.law);
        bool is_f32 = p->type == DTYPE_F32;
        if (isfinite(is_f32 ? (float)reach : reach))
            return true;
        err_set(e, "%s may reach %g as %s, beyond the range of %s", m->part->named.name, reach,
                m->dist->named.name, is_f32 ? "float32" : "float64");
        if (is_f32 && is_known_in_f64(p->generator, m->draw.law.kind))
            err_remedy(e, "--dtype f64 has more range");
        return false;
    }
    err_at(e, &rng, "%s's %s numbers are known to the last bit in float32 only",
           p->generator->named.name, l->kind == LAW_NORMAL ? "normal" : "uniform");
    return err_remedy(e, "leave --dtype out here, and give it to run");
}

static bool describe_makings(init_plan *p, const options *o, err *e)
{
    knobs told = o->knobs;
    told.by_fan_out = o->fan != NULL && strcmp(o->fan, "out") == 0;
    for (size_t i = 0; i < p->count; i++) {
        making *m = &p->made[i];
        const fan of = {p->extent[m->part->in], p->extent[m->part->out]};
        m->dist = dist_of(m->part, o);
        m->draw = (draw){.matrix = part_place(m->part), .type = p->type};
        m->draw.law = m->dist->law_of(&of, &told);
        if (!shape_making(p, m, e) || !check_law(p, m, e))
            return false;
    }
    return true;
}

/* What is said of the distribution has to mean something to one that is drawn from. */
static bool check_knobs(const init_plan *p, const options *o, err *e)
{
    unsigned taken = 0;
    bool takes_fan = false;
    for (size_t i = 0; i < p->count; i++) {
        taken |= p->made[i].dist->takes;
        takes_fan = takes_fan || p->made[i].dist->takes_fan;
    }
    for (size_t i = 0; i < KNOBS; i++) {
        if (o->knobs.is_set[i] && (taken >> i & 1) == 0)
            return err_option(e, KNOB_OPTIONS[i], "%s takes none", p->made[0].dist->named.name);
    }
    return o->fan == NULL || takes_fan ||
           err_option(e, "fan", "only kaiming distributions take it");
}

bool init_draws_make(init_plan *p, const options *o, err *e)
{
    return choose_parts(p, o, e) && describe_makings(p, o, e) && check_knobs(p, o, e);
}
