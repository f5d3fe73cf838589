#include "why/why_stacks.h"

#include "ref/ref_random.h"
#include "ref/ref_select.h"
#include "ref/stack_subject.h"
#include "why/plants.h"
#include "why/why_stacks_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACKS_MOST = 300, LARGE = 80, SEED = 9 };

/* Attention's mistakes are planted in so many stacks, and in one layer one in so many of them: how
 * they come into a stack is the same for all. */
enum { ATTENTIONS_MOST = 40, ALONE = 5 };

/* The reference follows no errors (ref_stack.h); norms make them larger. */
static const double TOLERANCE = 1e-9;

const char *trial_name(const trial *t)
{
    return t->of_stack != NULL ? t->of_stack->name : t->of_attention->name;
}

/* ---- the reference's numbers ---- */

/* So that every number is as exact as float64 is. One of five has experts. */
static void random_stack(ref_stack *s, uint64_t number)
{
    ref_random_stack(s, SEED, number);
    if (number % 5 == 3)
        ref_stack_mix(s, SEED, number);
    s->is_float32 = false;
}

static bool keeps_shape(const ref_result *a, const ref_result *b)
{
    return a->stage[REF_STAGE_OUTPUT].count == b->stage[REF_STAGE_OUTPUT].count;
}

static bool attend(void *context, const ref_problem *p, size_t number, bool is_cross, ref_result *r)
{
    trial *t = context;
    if ((t->only > 0 && t->only != number) || !(is_cross ? t->cross : t->self))
        return false;
    ref_problem copy = ref_problem_copy(p);
    ref_result right = {0};
    *r = (ref_result){0};
    ref_compute_weights(p, &right);
    plant_compute_rest(p, &right);
    planting of = {p, &right, &copy, r, t->of_attention->with};
    bool is_made = plant_make(t->of_attention, &of) && keeps_shape(r, &right);
    t->meant++;
    t->made += is_made;
    if (!is_made)
        ref_result_free(r);
    ref_result_free(&right);
    ref_problem_free(&copy);
    return is_made;
}

/* A mistake that only some attentions let be made, by this arithmetic, is left out. */
static bool make(trial *t, ref_stack *s, ref_stack_result *wrong)
{
    size_t first = t->only == 0 ? 0 : t->only - 1, end = t->only == 0 ? s->layers : t->only;
    s->mistake_in = t->only;
    if (t->of_stack != NULL) {
        stack_planting of = {s, t->only == 0, first, end, t->of_stack->with};
        s->mistake = t->of_stack->mistake;
        if (t->of_stack->change != NULL && !t->of_stack->change(&of))
            return false;
    } else {
        s->attend = attend;
        s->context = t;
    }
    ref_stack_compute(s, wrong);
    return t->of_stack != NULL || (t->made > 0 && t->made == t->meant);
}

/* ---- what is shown of them ---- */

static bool ends_in(const char *name, const char *after)
{
    size_t length = strlen(name), least = strlen(after);
    return length >= least && strcmp(name + length - least, after) == 0;
}

/* Of attention, the stages that the plants make. */
static bool is_shown(const char *name, size_t how)
{
    static const char *const OF_ATTENTION[] = {".scores",   ".scaled",  ".masked", ".weights",
                                               ".attended", ".context", ".output"};
    char last[16];
    bool is_of_attention = strstr(name, "attention.") != NULL || strstr(name, "cross.") != NULL;
    if (strcmp(name, "output") == 0)
        return true;
    if (how < 2 || strcmp(name, "rollout") == 0)
        return how == 1 && sscanf(name, "layer.%*u.%15s", last) == 1 && strcmp(last, "output") == 0;
    for (size_t i = 0; i < sizeof OF_ATTENTION / sizeof OF_ATTENTION[0]; i++) {
        if (is_of_attention && ends_in(name, OF_ATTENTION[i]))
            return true;
    }
    return !is_of_attention;
}

static const ref_stack_stage *stage_named(const ref_stack_result *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->stage[i].name, name) == 0)
            return &r->stage[i];
    }
    return NULL;
}

double stack_stage_greatest(const ref_stack_stage *s)
{
    double greatest = 0;
    for (size_t i = 0; i < s->count; i++) {
        double size = (double)fabsl(s->at[i]);
        greatest = isfinite(size) && size > greatest ? size : greatest;
    }
    return greatest;
}

static bool show(bundle *numbers, const ref_stack_stage *one, const ref_stack_stage *right)
{
    tensor t;
    err e = {0};
    if (one->rank != right->rank ||
        memcmp(one->size, right->size, (size_t)one->rank * sizeof one->size[0]) != 0 ||
        !tensor_new(&t, DTYPE_F64, one->rank, one->size, &e))
        return false;
    for (size_t i = 0; i < one->count; i++)
        ((double *)t.data)[i] = (double)one->at[i];
    return bundle_add_tensor(numbers, one->name, &t, (place){0}, &e);
}

static bool differ(long double a, long double b, double tol)
{
    if (a == b || (isnan(a) && isnan(b)))
        return false;
    return !(fabsl(a - b) <= tol);
}

void show_all(shown *to, const ref_stack_result *wrong, const ref_stack_result *right,
              shown_stage *is_seen, size_t how, double least)
{
    *to = (shown){.claim = ref_alloc(wrong->count, sizeof to->claim[0])};
    for (size_t i = 0; i < wrong->count; i++) {
        const ref_stack_stage *one = &wrong->stage[i], *other = stage_named(right, one->name);
        if (!is_seen(one->name, how) || other == NULL || stack_stage_greatest(other) <= least ||
            !show(&to->numbers, one, other))
            continue;
        double tol = TOLERANCE * fmax(stack_stage_greatest(one), stack_stage_greatest(other));
        to->claim[to->count++] = (claim){.name = one->name, .tol = tol};
        for (size_t j = 0; j < one->count; j++)
            to->is_changed = to->is_changed || differ(one->at[j], other->at[j], tol);
    }
    for (size_t i = 0; i < to->count; i++)
        to->claim[i].numbers = bundle_find(&to->numbers, to->claim[i].name);
}

void hide(shown *s)
{
    bundle_free(&s->numbers);
    free(s->claim);
}

/* ---- asking ---- */

static why_question question_of(const stack_subject *of, const shown *numbers)
{
    return (why_question){.document = &of->document,
                          .how = of->stack.how,
                          .by = of->stack.isa,
                          .threads = 1,
                          .claims = {numbers->claim, numbers->count, NULL}};
}

static bool ask(why_answers *found, const stack_subject *of, const shown *numbers)
{
    err e = {0};
    const why_question question = question_of(of, numbers);
    return why_find(found, &question, &e);
}

static bool can_go_on(const why_question *of)
{
    err e = {0};
    generation g;
    bool can = generation_open(&g, of->document, &of->how, of->steps, of->by, &e);
    generation_close(&g);
    return can;
}

/* A generation's first step has the numbers of one pass. False where there is no generation. */
static bool ask_of_step(why_answers *found, const stack_subject *of, const shown *numbers)
{
    static const generation_settings ONE_STEP = {.steps = 1};
    err e = {0};
    why_question question = question_of(of, numbers);
    question.how.goes_on = true;
    question.steps = &ONE_STEP;
    if (!can_go_on(&question))
        return false;
    claim *of_step = ref_alloc(numbers->count, sizeof of_step[0]);
    char(*name)[2 * STAGE_NAME] = ref_alloc(numbers->count, sizeof name[0]);
    for (size_t i = 0; i < numbers->count; i++) {
        of_step[i] = numbers->claim[i];
        snprintf(name[i], sizeof name[i], "step.0.%s", of_step[i].name);
        of_step[i].name = name[i];
    }
    question.claims.claim = of_step;
    bool done = why_find(found, &question, &e);
    free(name);
    free(of_step);
    return done;
}

/* In that layer, or everywhere where this makes no difference. */
static bool is_there(const trial *t, const made_mistake *made)
{
    char way[32];
    snprintf(way, sizeof way, "layer.%zu", t->only - 1);
    return strcmp(made->row->name, trial_name(t)) == 0 &&
           (t->only == 0 || strncmp(made->where, "layer.", 6) != 0 ||
            strncmp(made->where, way, strlen(way)) == 0);
}

static bool is_among_first_two(const trial *t, const why_answers *found)
{
    bool is_named = false;
    for (size_t i = 0; i < found->count && i < 2; i++) {
        const why_answer *answer = &found->answer[i];
        is_named = is_named || (answer->together == 1 && is_there(t, &answer->made[0]));
        for (size_t j = 0; j < answer->same_count; j++)
            is_named = is_named || is_there(t, &answer->same[j]);
    }
    return is_named;
}

static void say_missed(const trial *t, const why_answers *found, uint64_t number)
{
    printf("  missed: %s in stack %llu, layer %zu of 0 to\n", trial_name(t),
           (unsigned long long)number, t->only);
    for (size_t i = 0; i < found->count; i++)
        printf("    %s in %s, %d digits, error %.3g\n", found->answer[i].made[0].row->name,
               found->answer[i].made[0].where, found->answer[i].digits, found->answer[i].error);
}

/* Every other stack; and a prompt is one sequence, whatever it is taken for. */
static bool is_asked_of_step(const trial *t, uint64_t number)
{
    return number % 2 == 0 && strcmp(trial_name(t), "batch-turned") != 0;
}

void judge(const trial *t, const stack_subject *of, const shown *wrong, const shown *right,
           uint64_t number, bool has_steps, bool says, tally *to)
{
    why_answers found;
    to->tried++;
    bool is_found = ask(&found, of, wrong) && is_among_first_two(t, &found);
    if (is_found && has_steps && is_asked_of_step(t, number) && ask_of_step(&found, of, wrong)) {
        to->of_steps++;
        is_found = is_among_first_two(t, &found);
    }
    to->found += is_found;
    if (!is_found && says)
        say_missed(t, &found, number);
    to->claimed += !ask(&found, of, right) || found.count > 0;
}

static void try_trial(trial *t, const stack_subject *of, const ref_stack_result *right,
                      uint64_t number, bool says, tally *to)
{
    ref_stack s;
    ref_stack_result wrong = {0};
    shown shown_wrong, shown_right;
    random_stack(&s, number);
    if (make(t, &s, &wrong)) {
        show_all(&shown_wrong, &wrong, right, is_shown, number % 3, -1);
        show_all(&shown_right, right, right, is_shown, number % 3, -1);
        if (shown_wrong.is_changed)
            judge(t, of, &shown_wrong, &shown_right, number, true, says, to);
        hide(&shown_wrong);
        hide(&shown_right);
    }
    ref_stack_result_free(&wrong);
    ref_stack_free(&s);
}

/* ---- all ---- */

/* Each row of both tables, in the whole stack and in one layer: 4 of them, by trial. */
typedef struct tallies {
    tally *at;
    size_t rows;
} tallies;

static trial trial_at(size_t index, const ref_stack *s, uint64_t number)
{
    size_t row = index / 2, kind = number / 3 % 3;
    bool is_own = row < STACK_PLANT_COUNT;
    return (trial){.of_stack = is_own ? &STACK_PLANTS[row] : NULL,
                   .of_attention = is_own ? NULL : &PLANTS[row - STACK_PLANT_COUNT],
                   .only = index % 2 == 0 ? 0 : 1 + number % s->layers,
                   .self = kind != 2,
                   .cross = kind != 1};
}

static bool is_left(const trial *t, const char *only, const tally *so_far, size_t count)
{
    return so_far->tried < count && why_asks_for(trial_name(t), only);
}

static void try_stack(const ref_stack *s, uint64_t number, const char *only, size_t count,
                      tallies *to)
{
    stack_subject of;
    ref_stack_result right;
    ref_stack_compute(s, &right);
    bool is_open = stack_subject_open(&of, s, SIZE_MAX, &(stack_way){0});
    for (size_t i = 0; is_open && i < 2 * to->rows; i++) {
        trial t = trial_at(i, s, number);
        bool is_asked_for = t.of_stack != NULL || (number < ATTENTIONS_MOST * count &&
                                                   (t.only == 0 || i / 2 % ALONE == 0));
        if ((i % 2 == 0 || s->layers > 1) && is_asked_for && is_left(&t, only, &to->at[i], count))
            try_trial(&t, &of, &right, number, only != NULL, &to->at[i]);
    }
    stack_subject_free(&of);
    ref_stack_result_free(&right);
}

/* Of the layer mistakes: of attention's no more is asked than these bring. */
static bool is_any_left(const tallies *of, const char *only, size_t count)
{
    ref_stack none = {.layers = 1};
    for (size_t i = 0; i < STACK_PLANT_COUNT; i++) {
        trial t = trial_at(2 * i, &none, 0);
        tally both = of->at[2 * i];
        both.tried += of->at[2 * i + 1].tried;
        if (is_left(&t, only, &both, count))
            return true;
    }
    return false;
}

bool stack_is_small(const ref_stack *s)
{
    return ref_count_of(&s->x) <= LARGE;
}

static void add_up(const tallies *of, const char *only, tally *to)
{
    ref_stack none = {.layers = 1};
    for (size_t i = 0; i < 2 * of->rows; i++) {
        const tally *one = &of->at[i];
        trial t = trial_at(i, &none, 0);
        if (!why_asks_for(trial_name(&t), only))
            continue;
        to->tried += one->tried;
        to->found += one->found;
        to->claimed += one->claimed;
        to->of_steps += one->of_steps;
        if (i % 2 == 1) {
            const tally *all = &of->at[i - 1],
                        both = {.tried = one->tried + all->tried, .found = one->found + all->found};
            to->never += only == NULL && i / 2 < STACK_PLANT_COUNT && both.tried == 0;
            to->seldom += both.tried > 1 && is_seldom(&both); /* one by chance says nothing */
        }
        if (only != NULL || one->found < one->tried || one->claimed > 0)
            printf("%s in %s: %zu of %zu found, %zu claimed of right numbers\n", trial_name(&t),
                   i % 2 == 0 ? "all layers" : "one layer", one->found, one->tried, one->claimed);
    }
}

bool why_stacks_plants(const char *name)
{
    size_t i = 0;
    while (i < STACK_PLANT_COUNT && strcmp(STACK_PLANTS[i].name, name) != 0)
        i++;
    return i < STACK_PLANT_COUNT || why_stacks_back_plants(name);
}

void why_stacks(size_t count, const char *only, tally *to)
{
    tallies all = {.rows = STACK_PLANT_COUNT + PLANT_COUNT};
    all.at = ref_alloc(2 * all.rows, sizeof all.at[0]);
    for (uint64_t number = 0; number < STACKS_MOST * count && is_any_left(&all, only, count);
         number++) {
        ref_stack s;
        random_stack(&s, number);
        if (stack_is_small(&s))
            try_stack(&s, number, only, count, &all);
        ref_stack_free(&s);
    }
    add_up(&all, only, to);
    free(all.at);
}
