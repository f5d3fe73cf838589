/* What `diff --format json` says: one object. Indices count from 0. */
#include "cli/diff/diff_report.h"
#include "io/json_write.h"

#include <math.h>

static void add_ulps(text *out, const char *name, uint64_t ulps)
{
    if (ulps == ULPS_INFINITE)
        json_member_number(out, name, (double)INFINITY);
    else
        json_member_count(out, name, (size_t)ulps);
}

static void add_sizes(text *out, const char *name, int count, const size_t *size)
{
    json_member_key(out, name);
    text_add_string(out, "[");
    for (int i = 0; i < count; i++)
        text_add_format(out, "%s%zu", i == 0 ? "" : ", ", size[i]);
    text_add_string(out, "]");
}

static void add_first(text *out, const diff_pair *p)
{
    const element one = diff_first(p);
    double apart = fabs(one.wanted - one.got);
    json_member_key(out, "first");
    text_add_string(out, "{");
    add_sizes(out, "index", one.rank, one.index);
    json_member_number(out, "a", one.wanted);
    json_member_number(out, "b", one.got);
    json_member_number(out, "difference", isnan(apart) ? (double)NAN : apart);
    add_ulps(out, "ulps", ulps_between(p->type, one.wanted, one.got));
    text_add_string(out, "}");
}

static void add_tolerance(text *out, const tolerance *by)
{
    json_member_key(out, "tolerance");
    text_add_string(out, "{");
    json_member_number(out, "atol", by->atol);
    json_member_number(out, "rtol", by->rtol);
    if (by->has_ulps)
        json_member_count(out, "ulps", (size_t)by->ulps);
    text_add_string(out, "}");
}

static void add_measurement(text *out, const measurement *m)
{
    json_member_count(out, "numbers", m->count);
    json_member_count(out, "unequal", m->unequal);
    json_member_count(out, "differ", m->different);
    json_member_number(out, "max_abs", m->most_absolute);
    json_member_number(out, "max_rel", m->most_relative);
    add_ulps(out, "max_ulps", m->most_ulps);
    json_member_number(out, "cosine", m->cosine);
    json_member_number(out, "least_atol", m->least_atol);
    json_member_number(out, "least_rtol", m->least_rtol);
}

static void add_stage(text *out, const diff_pair *p)
{
    text_add_string(out, "{");
    json_member_text(out, "stage", p->name);
    add_sizes(out, "shape", p->view_a.rank, p->view_a.size);
    json_member_text(out, "type", number_type_name(p->type));
    add_tolerance(out, &p->within);
    add_measurement(out, &p->found);
    if (p->found.different > 0)
        add_first(out, p);
    text_add_string(out, "}");
}

void diff_write_json(const diff_result *d, const diff_origins *from, const diff_mistakes *missed,
                     text *out)
{
    text_add_string(out, "{");
    json_member_text(out, "a", d->name_a);
    json_member_text(out, "b", d->name_b);
    json_member_truth(out, "equal", d->first == NULL);
    if (d->first != NULL)
        json_member_text(out, "first_stage", d->first->name);
    json_member_key(out, "stages");
    text_add_string(out, "[");
    for (size_t i = 0; i < d->count; i++) {
        text_add_string(out, i == 0 ? "" : ", ");
        add_stage(out, &d->pair[i]);
    }
    text_add_string(out, "]");
    json_member_list(out, "only_a", &d->only_a);
    json_member_list(out, "only_b", &d->only_b);
    diff_origins_write_json(from, out);
    diff_mistakes_write_json(missed, out);
    text_add_string(out, "}\n");
}
