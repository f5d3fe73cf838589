#include "cli/check/errata.h"

#include "attn/spec/setting.h"
#include "base/mem.h"
#include "cli/out/stage_names.h"
#include "model/stages.h"
#include "io/number_write.h"
#include "compare/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(const entry *record, const char *name, double *value, err *e)
{
    const tensor *number = bundle_tensor(record->bundle, name);
    if (number == NULL)
        return err_at(e, &record->at, "this erratum has no number \"%s\"", name);
    *value = tensor_get(number, NULL);
    return true;
}

static const named KEY_ROWS[] = {{"stage", NULL},   {"batch", NULL}, {"head", NULL},
                                 {"row", NULL},     {"col", NULL},   {"published", NULL},
                                 {"computed", NULL}};
static const named_table KEYS_OF_ERRATUM = NAMED_TABLE("key of an erratum", KEY_ROWS);

static bool read_erratum(const entry *record, const text_list *of_stack, erratum *to, err *e)
{
    static const char *const INDICES[] = {"batch", "head", "row", "col"};
    *to = (erratum){.record = record};
    for (size_t i = 0; i < record->bundle->count; i++) {
        const entry *one = &record->bundle->entry[i];
        size_t length = strlen(one->name);
        if (named_find(&KEYS_OF_ERRATUM, one->name, length) != NULL)
            continue;
        const named *near = named_nearest(&KEYS_OF_ERRATUM, one->name, length);
        err_at(e, &one->at, "unknown key \"%s\" of an erratum", one->name);
        return near != NULL && err_remedy(e, "did you mean \"%s\"?", near->name);
    }
    const entry *given = bundle_find(record->bundle, "stage");
    if (given == NULL || given->kind != ENTRY_TEXT)
        return err_at(e, &record->at, "this erratum names no stage");
    to->at.stage = given->text;
    if (!stage_names_have(of_stack, given->text)) {
        err_at(e, &given->at, "this erratum's stage is \"%s\", which is not a stage", given->text);
        return stage_names_suggest(of_stack, given->text, "", e);
    }
    /* Indices are from 0; batch and head only where the stage has them. */
    for (size_t i = 0; i < sizeof INDICES / sizeof INDICES[0]; i++) {
        double value = 0;
        if (i < 2 && bundle_find(record->bundle, INDICES[i]) == NULL)
            continue;
        if (!read_number(record, INDICES[i], &value, e))
            return false;
        if (!(value >= 0 && value <= SETTING_MOST_COUNT && value == floor(value)))
            return err_at(e, &record->at,
                          "this erratum's %s is %g, it must be a whole number from 0", INDICES[i],
                          value);
        to->at.index[to->at.rank++] = (size_t)value;
    }
    return read_number(record, "published", &to->at.wanted, e) &&
           read_number(record, "computed", &to->at.got, e);
}

/* By stage, number of axes, index. */
static int by_place(const void *first, const void *second)
{
    const element *a = &(*(const erratum *const *)first)->at;
    const element *b = &(*(const erratum *const *)second)->at;
    int order = strcmp(a->stage, b->stage);
    if (order == 0)
        order = a->rank - b->rank;
    for (int axis = 0; order == 0 && axis < a->rank; axis++)
        order = (a->index[axis] > b->index[axis]) - (a->index[axis] < b->index[axis]);
    return order;
}

/* Of two for one place, the first of the document comes first. */
static int by_place_and_order(const void *first, const void *second)
{
    const erratum *a = *(const erratum *const *)first, *b = *(const erratum *const *)second;
    int order = by_place(first, second);
    return order != 0 ? order : (a > b) - (a < b);
}

static void sort_by_place(errata *all)
{
    for (size_t i = 0; i < all->count; i++)
        all->by_place[i] = &all->one[i];
    if (all->count > 0) /* else the array may be NULL */
        qsort(all->by_place, all->count, sizeof all->by_place[0], by_place_and_order);
}

bool errata_read(errata *all, const bundle *contents, const text_list *of_stack, err *e)
{
    const entry *given = bundle_find(contents, "errata");
    *all = (errata){0};
    if (given == NULL)
        return true;
    all->one = mem_alloc_zeroed(given->bundle->count, sizeof all->one[0], e);
    all->by_place = mem_alloc(given->bundle->count, sizeof all->by_place[0], e);
    if (all->one == NULL || all->by_place == NULL)
        return false;
    for (size_t i = 0; i < given->bundle->count; i++) {
        erratum *one = &all->one[all->count++];
        if (!read_erratum(&given->bundle->entry[i], of_stack, one, e))
            return false;
    }
    sort_by_place(all);
    for (size_t i = 1; i < all->count; i++) {
        erratum *const *pair = &all->by_place[i - 1];
        if (by_place(&pair[0], &pair[1]) == 0)
            return err_at(e, &pair[1]->record->at,
                          "this erratum is about the same number of %s as the one in line %zu",
                          pair[1]->at.stage, pair[0]->record->at.line);
    }
    return true;
}

void errata_choose(errata *all, const row_choice *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        erratum one = all->one[i];
        bool is_of_queries = strchr(stack_axes_of(one.at.stage), 'q') != NULL;
        size_t *row = &one.at.index[one.at.rank - 2], at = 0;
        while (is_of_queries && at < rows->count && rows->row[at] != *row)
            at++;
        if (at == rows->count)
            continue;
        *row = is_of_queries ? at : *row;
        one.at.rows = rows->row;
        all->one[kept++] = one;
    }
    all->count = kept;
    sort_by_place(all);
}

bool errata_check(const errata *all, const bundle *expected, const bundle *computed, err *e)
{
    static const char *const NAMES[] = {"col", "row", "head", "batch"};
    for (size_t i = 0; i < all->count; i++) {
        const element *one = &all->one[i].at;
        const place *at = &all->one[i].record->at;
        const tensor *said = bundle_tensor(expected, one->stage);
        tensor a, b;
        if (said == NULL)
            return err_at(e, at, "this erratum is about %s, which is not in \"expected\"",
                          one->stage);
        if (!measure_align(said, bundle_tensor(computed, one->stage), &a, &b))
            continue; /* comparing refuses them */
        /* From the last axis on; batch and head are there where the stage has them. */
        for (int axis = 0; axis < one->rank && axis < a.rank; axis++) {
            size_t index = one->index[one->rank - 1 - axis], size = a.size[a.rank - 1 - axis];
            if (index >= size)
                return err_at(e, at, "this erratum's %s is %zu, and %s has %zu, from 0",
                              NAMES[axis], index, one->stage, size);
        }
        char shape[SHAPE_TEXT];
        if (one->rank != a.rank)
            return err_at(e, at, "this erratum has %d indices, and %s is %s", one->rank, one->stage,
                          tensor_shape_text(&a, shape));
    }
    return true;
}

void errata_free(errata *all)
{
    mem_free(all->one);
    mem_free(all->by_place);
    *all = (errata){0};
}

/* Half a unit of the last digit of the number as it is written: 16.6048 stands for 16.60475 to
 * 16.60485. */
static double half_last_digit(double value)
{
    char digits[NUMBER_TEXT];
    number_write_f64(value, digits);
    const char *dot = strchr(digits, '.'), *exponent = strchr(digits, 'e');
    size_t decimals = dot == NULL ? 0 : strspn(dot + 1, "0123456789");
    double unit = exponent == NULL ? 1 : pow(10, floor(log10(fabs(value))));
    return 0.5000001 * unit * pow(10, -(double)decimals);
}

/* The first erratum for this place, or NULL. */
static erratum *find(const errata *all, const element *at)
{
    erratum wanted = {.at = *at}, *sought = &wanted;
    erratum **found = all->count == 0 ? NULL /* the array may be NULL */
                                      : bsearch(&sought, all->by_place, all->count,
                                                sizeof all->by_place[0], by_place);
    return found == NULL ? NULL : *found;
}

static bool is_as_said(double value, double said)
{
    return fabs(value - said) <= half_last_digit(said);
}

void errata_settle(errata *all, const bundle *expected, const bundle *computed)
{
    all->within_tolerance = 0;
    for (size_t i = 0; i < all->count; i++) {
        erratum *one = &all->one[i];
        const element *at = &one->at;
        tensor a, b;
        measure_align(bundle_tensor(expected, at->stage), bundle_tensor(computed, at->stage), &a,
                      &b);
        /* A tolerance may take in both what is published and what is right. */
        one->is_within_tolerance =
            !one->is_confirmed && is_as_said(tensor_get(&a, at->index), at->wanted) &&
            is_as_said(tensor_get(&b, at->index), at->got) && !is_as_said(at->wanted, at->got);
        all->within_tolerance += one->is_within_tolerance;
    }
}

bool errata_lists(void *context, const element *one)
{
    return find(context, one) != NULL;
}

bool errata_knows(void *context, const element *one)
{
    errata *all = context;
    erratum *known = find(all, one);
    if (known == NULL)
        return false;
    const element *at = &known->at;
    double slack = fmax(one->tol, half_last_digit(at->got));
    double published = one->is_f32 ? (double)(float)at->wanted : at->wanted;
    known->is_confirmed =
        fabs(one->got - at->got) <= slack && fabs(published - one->wanted) <= one->tol;
    return known->is_confirmed;
}
