#include "ref/subject.h"
#include "why/plants.h"

#include <stdlib.h>

void plant_compute_rest(const ref_problem *p, ref_result *r)
{
    double *found = ref_found_weights(r);
    ref_compute_rounded(p, found, r);
    free(found);
    ref_compute_output(p, r);
}

static bool is_accepted(const ref_problem *p)
{
    subject s;
    kept_stages none = {0};
    bool is_run = subject_run(&s, p, &(subject_way){.threads = 1, .wants = &none});
    subject_free(&s);
    return is_run;
}

bool plant_make(const plant *which, planting *of)
{
    of->with = which->with;
    if (which->change != NULL && !which->change(of))
        return false;
    of->with = which->with;
    of->p->mistake = which->mistake;
    bool changes_numbers = which->weights != NULL || which->last != NULL;
    if ((changes_numbers && of->p->round_decimals >= 0) || !is_accepted(of->p))
        return false;
    ref_compute_weights(of->p, of->r);
    if (which->weights != NULL && !which->weights(of))
        return false;
    plant_compute_rest(of->p, of->r);
    return which->last == NULL || which->last(of);
}
