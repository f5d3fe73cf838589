/* Why a stage is wrong: what is known from other parts already, a mistake, or a number of the model
 * that is another one there. */
#include "cli/port/port.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers that are fitted ---- */

/* clang-format off */
static const port_fit FITS[] = { /* first what takes a try or two */
    {{"window", "keys before a query that it sees"}, "window", SEARCH_ROWS, 0, 0, false},
    {{"rope_base", "base of the rotary positions"}, "rope", SEARCH_BETWEEN, 10, 1e9, false},
    {{"norm_eps", "eps of the norms"}, "norm_eps", SEARCH_BETWEEN, 1e-13, 1, false},
    {{"scale", "factor of the scores"}, "scale", SEARCH_BETWEEN, 1e-4, 100, false},
    {{"softcap", "cap of the scores"}, "softcap", SEARCH_BETWEEN, 0.1, 1e6, false},
    {{"rope_width", "numbers of a head that are turned"}, "rope_width", SEARCH_WIDTHS, 0, 0, false},
    {{"embedding_scale", "factor of the rows that are looked up"}, "embedding_scale",
     SEARCH_BETWEEN, 1e-3, 1e4, true},
    {{"logits_scale", "factor of the logits"}, "logits_scale", SEARCH_BETWEEN, 1e-4, 1e4, true},
    {{"logits_softcap", "cap of the logits"}, "logits_softcap", SEARCH_BETWEEN, 0.1, 1e6, true},
    {{"residual_scale", "factor of what a part adds"}, "residual_scale", SEARCH_BETWEEN, 1e-3, 1e3,
     false},
};
/* clang-format on */

const named_table PORT_FITS = NAMED_TABLE("number", FITS);

static const double AS_WELL = 1.5; /* what is off by so many times the least is no worse */

enum { SETTLED_MOST = WHY_SETTLED, FITTED_MOST = 4, COARSE = 60, SOON = 14, FINE = 44, NEAR = 8 };

/* What explains a part so far. */
typedef struct settled {
    const mistake *made[SETTLED_MOST];
    size_t count;
    const port_cause *fit[FITTED_MOST + 1];
    size_t fits;
} settled;

typedef struct search {
    port *p;
    port_part part;
    settled by;
    size_t first, index; /* its first stage, and the wrong one among its own */
    port_cause *found;
} search;

static bool open_part(const search *s, part_document *d, const port_cause *more, err *e)
{
    const port_cause *fits[FITTED_MOST + 1];
    size_t count = s->by.fits;
    memcpy(fits, s->by.fit, sizeof fits);
    if (more != NULL)
        fits[count++] = more;
    if (!part_open(d, s->p, s->part, fits, count, e))
        return false;
    d->asked.settled = s->by.made;
    d->asked.settled_count = s->by.count;
    return true;
}

/* A document of the part that asks about the wrong stage, which may be off by this limit. */
static bool open_stage(const search *s, part_document *d, const port_cause *more, double limit,
                       err *e)
{
    if (!open_part(s, d, more, e))
        return false;
    d->claim[s->index].tol = limit * s->p->stage[d->first + s->index].largest;
    return true;
}

/* How far the wrong stage is off with this as well; where that is above the limit, at least so
 * far. */
static double try_cause(const search *s, const port_cause *with, double limit, err *e)
{
    part_document d;
    double found = INFINITY;
    if (open_stage(s, &d, with->made == NULL ? with : NULL, limit, e))
        found = part_try_one(&d, with->made, s->index, e);
    part_close(&d);
    return found;
}

/* Whether all from the wrong stage on agree with this mistake as well. */
static bool explains_all(const search *s, const mistake *made, err *e)
{
    part_document d;
    double *all = mem_alloc(s->p->stages, sizeof all[0], e);
    if (all == NULL)
        return false;
    bool does = open_part(s, &d, NULL, e) && part_try(&d, made, all, e);
    for (size_t i = s->index; i < d.claims; i++)
        does = does && all[i] <= s->p->stage[d.first + i].limit;
    part_close(&d);
    mem_free(all);
    return does;
}

static bool settle(search *s, port_cause *cause)
{
    if (cause == NULL)
        return false;
    bool has_room = cause->made != NULL ? s->by.count < SETTLED_MOST : s->by.fits < FITTED_MOST;
    if (!has_room)
        return false;
    if (cause->made != NULL)
        s->by.made[s->by.count++] = cause->made;
    else
        s->by.fit[s->by.fits++] = cause;
    cause->is_in[s->part] = true;
    s->found = cause;
    return true;
}

static port_cause *add_cause(search *s, const port_cause *like, err *e)
{
    port *p = s->p;
    if (p->causes == sizeof p->cause / sizeof p->cause[0])
        return NULL;
    port_cause *one = &p->cause[p->causes];
    *one = *like;
    one->first = s->part;
    one->is_in = mem_alloc_zeroed(p->parts, sizeof one->is_in[0], e);
    if (one->is_in == NULL)
        return NULL;
    p->causes++;
    return one;
}

/* ---- the three ways ---- */

/* What explained another part. */
static bool find_known(search *s, double limit, err *e)
{
    for (size_t i = 0; i < s->p->causes; i++) {
        port_cause *one = &s->p->cause[i];
        if (!one->is_in[s->part] && try_cause(s, one, limit, e) <= limit) {
            one->confirmed = one->confirmed == 0 ? s->part : one->confirmed;
            return settle(s, one);
        }
    }
    return false;
}

/* The first mistake that gives the stage, or of several one that gives those after it too. */
static bool find_mistake(search *s, double limit, err *e)
{
    part_document d;
    why_answers answers = {0};
    port_cause best = {0};
    bool is_found = false, is_whole = false;
    if (!open_stage(s, &d, NULL, limit, e)) {
        part_close(&d);
        return false;
    }
    claim *all = d.claim;
    claim before[1 + STAGE_COUNT];
    /* Those before it are given, and it is asked about alone. */
    size_t given = 0;
    if (d.asked.given.count > 0)
        before[given++] = d.given[0];
    for (size_t i = 0; i < s->index && given < sizeof before / sizeof before[0]; i++)
        before[given++] = all[i];
    claim asked = all[s->index];
    d.asked.given = (claims){.claim = before, .count = given};
    d.asked.claims = (claims){.claim = &asked, .count = 1};
    why_find(&answers, &d.asked, e);
    for (size_t i = 0; i < answers.count; i++) {
        const why_answer *one = &answers.answer[i];
        /* Those that make the same of this stage may differ in what follows. */
        for (size_t j = 0; j <= one->same_count && !is_whole && !e->is_set; j++) {
            const named *row = j == 0 ? one->made[0].row : one->same[j - 1].row;
            port_cause cause = {
                .made = (const mistake *)(const void *)row, .value = NAN, .usual = NAN};
            bool is_rounding = cause.made->is_of_digits && s->p->coarsest >= NUMBER_F16;
            if (one->together > 1 || is_rounding || !(one->error <= limit))
                continue;
            is_whole = explains_all(s, cause.made, e);
            if (!is_found || is_whole)
                best = cause;
            is_found = true;
        }
    }
    part_close(&d);
    return is_found && settle(s, add_cause(s, &best, e));
}

/* ---- fits ---- */

static size_t layer_of(const search *s)
{
    const size_t layers = s->p->layers->layers;
    return s->part == 0 ? 0 : s->part > layers ? layers - 1 : s->part - 1;
}

static double model_has(const search *s, const port_fit *f)
{
    const bundle *top = &s->p->model->document->contents;
    const bundle *own = stack_keys_of_layer(top, layer_of(s));
    const tensor *said = bundle_tensor(own, f->setting);
    said = said == NULL ? bundle_tensor(top, f->setting) : said;
    return said == NULL || said->rank > 1 ? NAN : tensor_get(said, (size_t[]){0});
}

static double error_at(const search *s, port_cause *c, double value, double limit, err *e)
{
    c->value = value;
    return try_cause(s, c, limit, e);
}

/* The value that fits best, between the ends that are coarsely found, by the golden section. Around
 * a value that is the dump's the difference falls as its distance does, to a hundredth and less
 * SOON; where it does not, there is none. */
static double narrow(const search *s, port_cause *c, double low, double high, double limit, err *e)
{
    const double golden = (sqrt(5) - 1) / 2;
    double a = log(low), b = log(high);
    double x = b - golden * (b - a), y = a + golden * (b - a);
    double at_x = error_at(s, c, exp(x), limit, e), at_y = error_at(s, c, exp(y), limit, e);
    const double begun = fmax(at_x, at_y);
    for (size_t i = 0; i < FINE && !e->is_set; i++) {
        if (i == SOON && fmin(at_x, at_y) > begun / 8)
            break;
        if (at_x < at_y) {
            b = y;
            y = x;
            at_y = at_x;
            x = b - golden * (b - a);
            at_x = error_at(s, c, exp(x), limit, e);
        } else {
            a = x;
            x = y;
            at_x = at_y;
            y = a + golden * (b - a);
            at_y = error_at(s, c, exp(y), limit, e);
        }
    }
    return exp((a + b) / 2);
}

/* Of float32, where nothing is coarser. */
static double limit_of_float(const port *p)
{
    return 8 * p->noise;
}

/* A power of ten, or a number of few digits, that fits as well is what was written there. */
static double rounded(const search *s, port_cause *c, double value, double limit, err *e)
{
    const double power = pow(10, round(log10(value)));
    if (error_at(s, c, power, limit, e) <= limit)
        return power;
    for (int digits = 0; digits < 6; digits++) {
        char digits_of[32];
        snprintf(digits_of, sizeof digits_of, "%.*e", digits, value);
        double short_one = strtod(digits_of, NULL);
        if (error_at(s, c, short_one, limit, e) <= limit)
            return short_one;
    }
    return value;
}

static bool fit_between(const search *s, port_cause *c, double limit, err *e)
{
    const port_fit *f = c->fit;
    double best = INFINITY, at = 0;
    /* A number that the stage is not made of leaves it as it is. */
    const double low = error_at(s, c, f->least, limit, e), high = error_at(s, c, f->most, limit, e);
    if (low == high && error_at(s, c, sqrt(f->least * f->most), limit, e) == low)
        return false;
    const double step = pow(f->most / f->least, 1.0 / COARSE);
    for (size_t i = 0; i <= COARSE && !e->is_set; i++) {
        double value = f->least * pow(step, (double)i), found = error_at(s, c, value, limit, e);
        at = found < best ? value : at;
        best = found < best ? found : best;
    }
    if (!isfinite(best))
        return false;
    const double value = narrow(s, c, at / step, at * step, limit, e),
                 left = error_at(s, c, value, limit, e);
    if (!(left <= limit))
        return false;
    /* What rounding hides is a wide range of numbers, of which the rounder is not the likelier. */
    const double as_well = fmin(limit, fmax(AS_WELL * left, limit_of_float(s->p)));
    c->value = rounded(s, c, value, as_well, e);
    return true;
}

/* Where every key before a query is seen, the first row that differs is that of the first query
 * from which the dump hides one. A key of next to no weight may have hidden before without being
 * noticed. */
static bool fit_to_rows(const search *s, port_cause *c, double limit, err *e)
{
    part_document d;
    const size_t rows = s->p->layers->rows;
    c->value = (double)rows;
    size_t first = open_stage(s, &d, c, limit, e) ? part_first_row(&d, s->index, e) : rows;
    part_close(&d);
    for (size_t i = 1; first < rows && i <= first && i <= NEAR && !e->is_set; i++) {
        if (error_at(s, c, (double)(first - i), limit, e) <= limit)
            return true;
    }
    return false;
}

/* Pairs of a head's numbers are turned. */
static bool fit_to_widths(const search *s, port_cause *c, double limit, err *e)
{
    const layer_part *part = &s->p->layers->layer[layer_of(s)].part[0];
    const size_t most = part->attention == NULL ? 0 : part->attention->plan.q.width;
    for (size_t width = 2; width <= most && !e->is_set; width += 2) {
        if (error_at(s, c, (double)width, limit, e) <= limit)
            return true;
    }
    return false;
}

static bool fit_number(const search *s, const port_fit *f, double limit, port_cause *c, err *e)
{
    static bool (*const WAYS[])(const search *, port_cause *, double,
                                err *) = {[SEARCH_BETWEEN] = fit_between,
                                          [SEARCH_ROWS] = fit_to_rows,
                                          [SEARCH_WIDTHS] = fit_to_widths};
    const bool is_end = s->part == 0 || s->part > s->p->layers->layers;
    const bundle *top = &s->p->model->document->contents;
    *c = (port_cause){.fit = f, .usual = model_has(s, f)};
    if ((f->is_of_ends && !is_end && s->part != s->p->layers->layers) || (!f->is_of_ends && is_end))
        return false;
    if (strncmp(f->setting, "rope", 4) == 0 && isnan(c->usual) && bundle_find(top, "rope") == NULL)
        return false;
    return WAYS[f->by](s, c, limit, e);
}

static bool find_fit(search *s, double limit, err *e)
{
    for (size_t i = 0; i < PORT_FITS.count && !e->is_set; i++) {
        port_cause one;
        if (!fit_number(s, &FITS[i], limit, &one, e))
            continue;
        return settle(s, add_cause(s, &one, e));
    }
    return false;
}

/* ---- a part, and all of them ---- */

static bool measure_again(search *s, err *e)
{
    part_document d;
    bool done = open_part(s, &d, NULL, e) &&
                ((d.claims == 0 && d.claim[0].name == NULL) || part_measure(&d, s->p, s->part, e));
    part_close(&d);
    return done;
}

/* Where the dump lacks the last layer's rows, what comes after it is asked alone first: what it
 * explains is not the layer's. */
static bool find_any(search *s, double limit, err *e)
{
    port *p = s->p;
    const port_part end = p->parts - 1;
    search after = *s;
    const port_stage *one = &p->stage[s->first + s->index];
    bool is_joined = s->part < end && one->part == end;
    if (find_known(s, limit, e))
        return true;
    if (is_joined) {
        part_document d;
        bool done = part_open(&d, p, end, NULL, 0, e);
        after.part = end;
        after.index = s->first + s->index - d.first;
        after.by = (settled){.count = 0};
        part_close(&d);
        if (!done)
            return false;
        if (find_mistake(&after, limit, e) || find_fit(&after, limit, e)) {
            const settled own = s->by;
            s->found = after.found;
            s->by = own;
            if (after.found->made != NULL && own.count < SETTLED_MOST)
                s->by.made[s->by.count++] = after.found->made;
            else if (own.fits < FITTED_MOST)
                s->by.fit[s->by.fits++] = after.found;
            return true;
        }
    }
    if (one->is_unsearched)
        return false;
    if (find_mistake(s, limit, e))
        return true;
    /* A second one next to what is known: both show in this stage. */
    const settled own = s->by;
    const size_t known = p->causes;
    for (size_t i = 0; i < known && !e->is_set; i++) {
        if (p->cause[i].is_in[s->part] || !settle(s, &p->cause[i]))
            continue;
        if (find_known(s, limit, e) || find_mistake(s, limit, e) || find_fit(s, limit, e))
            return true;
        p->cause[i].is_in[s->part] = false;
        s->by = own;
    }
    return find_fit(s, limit, e);
}

enum { COARSE_ROUNDINGS = 8 }; /* so many roundings of the greatest number are no difference */

static double coarse_limit(const port *p)
{
    return p->coarsest == NUMBER_BF16  ? COARSE_ROUNDINGS * 0x1p-8
           : p->coarsest == NUMBER_F16 ? COARSE_ROUNDINGS * 0x1p-11
                                       : 0;
}

static bool is_wrong(const port_stage *one)
{
    return !one->is_unexplained && !(one->found <= one->limit);
}

bool port_agrees(const port_stage *one)
{
    return one->found <= one->limit;
}

/* Whether no cause was found of the same stage of another layer. */
static bool was_in_vain(const port *p, const port_stage *of)
{
    bool was = false;
    for (const port_stage *one = p->stage; one < of; one++)
        was =
            was || ((one->is_unexplained || one->is_rounding) && strcmp(one->kind, of->kind) == 0);
    return was;
}

/* A stage may be off because the dump rounds to bfloat16 or float16. That is taken to be so where
 * no cause gives the stage exactly, and it is off by no more than such rounding. */
static bool search_part(port *p, port_part part, err *e)
{
    search s = {.p = p, .part = part};
    part_document d;
    bool done = part_open(&d, p, part, NULL, 0, e);
    const size_t first = d.first, count = d.claims;
    part_close(&d);
    s.first = first;
    for (size_t i = 0; i < p->causes; i++) { /* those that were found with the part before it */
        if (p->cause[i].is_in[part])
            settle(&s, &p->cause[i]);
    }
    if (p->causes > 0) /* the rows that it begins with may be computed, and other ones now */
        done = done && measure_again(&s, e);
    for (size_t i = 0; done && i < count && !e->is_set;) {
        port_stage *one = &p->stage[first + i];
        if (!is_wrong(one)) {
            i++;
            continue;
        }
        s.index = i;
        const double coarse = coarse_limit(p);
        /* In a large model what one rounding leaves is not asked about. */
        if (port_is_large(p) && one->found <= coarse / COARSE_ROUNDINGS) {
            one->limit = coarse;
            one->is_rounding = true;
            continue;
        }
        one->is_unsearched = part + 1 < p->parts && port_is_large(p) && was_in_vain(p, one);
        bool is_found = find_any(&s, one->limit, e);
        if (!is_found && one->found <= coarse) {
            one->limit = coarse;
            one->is_rounding = true;
            continue;
        }
        if (!is_found && coarse > 0) {
            is_found = find_any(&s, coarse, e);
            one->limit = is_found ? coarse : one->limit;
        }
        if (p->first == NULL) {
            p->first = one;
            const port_part end = p->parts - 1; /* which goes on from rows that the dump has */
            bool is_at_end = i > 0 && one[-1].part == end && one->part == end;
            p->first_part = is_at_end || (is_found && s.found->is_in[end]) ? end : part;
        }
        if (!is_found) {
            one->is_unexplained = true;
            i++;
            continue;
        }
        done = measure_again(&s, e);
    }
    return done && !e->is_set;
}

bool port_find_causes(port *p, err *e)
{
    for (port_part part = 0; part < p->parts; part++) {
        if (!search_part(p, part, e))
            return false;
    }
    return true;
}
