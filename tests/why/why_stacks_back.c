#include "ref/ref_random.h"
#include "ref/ref_stack_back.h"
#include "why/why_stacks_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In one layer alone one of so many is planted: how they come there is the same for all. */
enum { STACKS_MOST = 3000, SEED = 10, SHOWN_WAYS = 3, ALONE = 5 };

/* Of so many stacks the layers come several times. */
enum { REPEATED_OF = 4 };

/* Gradients in proportion to the greatest that are this small are what rounding leaves of sums that
 * cancel: keys' biases, which move no weight. */
static const double LEAST = 1e-9;

/* ---- conditions ---- */

static bool whole(stack_planting *of)
{
    return of->is_whole;
}

static bool not_seed(stack_planting *of)
{
    return !ref_word_is(of->s->order, "seed");
}

/* Else nothing but its row is left out of a norm that has no mean. */
static bool has_means(stack_planting *of)
{
    const ref_stack *s = of->s;
    bool is_any = of->is_whole && !ref_word_is(s->norm_kind, "rms");
    for (size_t i = of->first; i < of->end; i++) {
        const char *own = s->layer[i].norm_kind;
        is_any = is_any || !ref_word_is(own == NULL ? s->norm_kind : own, "rms");
    }
    return is_any;
}

static bool has_logits(stack_planting *of)
{
    return of->is_whole && of->s->labels.at != NULL;
}

static bool caps_logits(stack_planting *of)
{
    return has_logits(of) && of->s->logits_softcap > 0;
}

static bool scales_logits(stack_planting *of)
{
    return has_logits(of) && of->s->logits_scale != 0;
}

static bool is_mean(stack_planting *of)
{
    return of->is_whole && ref_word_is(of->s->loss, "mean");
}

static bool is_sum(stack_planting *of)
{
    return of->is_whole && ref_word_is(of->s->loss, "sum");
}

static bool has_batch(stack_planting *of)
{
    return of->is_whole && of->s->x.rank == 3 && of->s->x.size[0] > 1;
}

static bool is_repeated(stack_planting *of)
{
    return of->is_whole && of->s->times > 1;
}

/* clang-format off */
static const stack_plant PLANTED[] = {
    {"norm-back-mean-missing", "back norm mean", NULL, 0},
    {"norm-back-row-missing", "back norm row", NULL, 0},
    {"norm-back-constant", "back norm constant", has_means, 0},
    {"norm-back-multiplied", "back norm times", NULL, 0},
    {"norm-back-gain-missing", "back norm gain", NULL, 0},
    {"norm-back-gain-late", "back norm gain late", NULL, 0},
    {"norm-not-gone-back", "back norm passed", NULL, 0},
    {"norm-back-eps-missing", "back norm eps", NULL, 0},
    {"norm-back-rms", "back norm rms", NULL, 0},
    {"norm-back-layer", "back norm layer", NULL, 0},
    {"norm-back-pre", "back pre", not_seed, 0},
    {"norm-back-post", "back post", not_seed, 0},
    {"gain-grads-of-x", "back gain x", NULL, 0},
    {"gain-grads-of-output", "back gain y", NULL, 0},
    {"norm-grads-last", "back norms last row", whole, 0},
    {"norm-grads-batch-first", "back norms first entry", has_batch, 0},
    {"norm-grads-batch-last", "back norms last entry", has_batch, 0},
    {"norm-grads-averaged", "back norms mean", NULL, 0},
    {"norm-grads-missing", "back norms nothing", NULL, 0},
    {"slope-missing", "back slope none", NULL, 0},
    {"slope-relu", "back slope relu", NULL, 0},
    {"slope-gelu", "back slope gelu", NULL, 0},
    {"slope-gelu_tanh", "back slope gelu_tanh", NULL, 0},
    {"slope-silu", "back slope silu", NULL, 0},
    {"slope-at-activated", "back slope at activated", NULL, 0},
    {"slope-at-grad", "back slope at grad", NULL, 0},
    {"gate-back-missing", "back ungated", NULL, 0},
    {"gate-grad-of-hidden", "back gate of hidden", NULL, 0},
    {"gate-back-forgotten", "back x without gate", NULL, 0},
    {"gate-back-alone", "back x of gate", NULL, 0},
    {"gate-back-swapped", "back gate swapped", NULL, 0},
    {"w2-grad-of-hidden", "back w2 of hidden", NULL, 0},
    {"ffn-grads-batch-first", "back weights first entry", has_batch, 0},
    {"ffn-grads-batch-last", "back weights last entry", has_batch, 0},
    {"ffn-grads-averaged", "back weights mean", NULL, 0},
    {"ffn-bias-grads-last", "back biases last row", whole, 0},
    {"ffn-bias-grads-averaged", "back biases mean", NULL, 0},
    {"ffn-bias-grads-missing", "back biases nothing", NULL, 0},
    {"residual-attention-stops", "back residual attention", NULL, 0},
    {"residual-cross-stops", "back residual cross", NULL, 0},
    {"residual-ffn-stops", "back residual ffn", NULL, 0},
    {"residuals-stop", "back residual", NULL, 0},
    {"residuals-back-twice", "back residual twice", not_seed, 0},
    {"residuals-back-normed", "back residual normed", not_seed, 0},
    {"attention-stops", "back stops attention", NULL, 0},
    {"cross-stops", "back stops cross", NULL, 0},
    {"ffn-stops", "back stops ffn", NULL, 0},
    {"memory-grad-overwritten", "back memory overwritten", whole, 0},
    {"repeat-grads-overwritten", "back first time", is_repeated, 0},
    {"repeat-grads-of-last", "back last time", is_repeated, 0},
    {"embedding-grad-overwritten", "back overwritten", whole, 0},
    {"embedding-grad-of-logits", "back embedding of logits", has_logits, 0},
    {"embedding-grad-of-ids", "back embedding of ids", has_logits, 0},
    {"table-grads-batch-first", "back tables first entry", has_batch, 0},
    {"table-grads-batch-last", "back tables last entry", has_batch, 0},
    {"unembedding-grad-unnormed", "back unnormed", has_logits, 0},
    {"labels-summed", "back labels sum", has_logits, 0},
    {"labels-of-all-rows", "back labels rows", has_logits, 0},
    {"labels-of-batch", "back labels batch", has_logits, 0},
    {"labels-next", "back labels next", has_logits, 0},
    {"labels-before", "back labels before", has_logits, 0},
    {"back-logits-softcap-missing", "back cap of logits", caps_logits, 0},
    {"back-logits-scale-missing", "back factor of logits", scales_logits, 0},
    {"label-not-taken-off", "back no label", has_logits, 0},
    {"unlabelled-rows-gain", "back all rows", has_logits, 0},
    {"output-summed", "back sum", is_mean, 0},
    {"output-averaged", "back mean", is_sum, 0},
    {"gradients-negated", "back negated", whole, 0},
    {"gradients-twice", "back twice", whole, 0},
    {"all-parameter-grads-twice", "back parameters twice", NULL, 0},
};
/* clang-format on */

enum { COUNT = sizeof PLANTED / sizeof PLANTED[0] };

bool why_stacks_back_plants(const char *name)
{
    size_t i = 0;
    while (i < COUNT && strcmp(PLANTED[i].name, name) != 0)
        i++;
    return i < COUNT;
}

/* ---- what is shown ---- */

static bool is_parameter(const char *name)
{
    static const char *const OTHERS[] = {"x", "memory", "embedded", "output", "logits"};
    static const char *const OWN[] = {"wq",
                                      "wk",
                                      "wv",
                                      "wo",
                                      "bq",
                                      "bk",
                                      "bv",
                                      "bo",
                                      "gain",
                                      "bias",
                                      "w1",
                                      "w2",
                                      "w3",
                                      "b1",
                                      "b2",
                                      "unembedding",
                                      "unembedding_bias",
                                      "embedding",
                                      "position_embedding",
                                      "segment_embedding"};
    const char *last = strrchr(name, '.');
    last = last == NULL ? name : last + 1;
    size_t length = strlen(last) - strlen("_grad");
    bool is_one = false;
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++)
        is_one = is_one || (strlen(OTHERS[i]) == length && strncmp(last, OTHERS[i], length) == 0);
    if (is_one)
        return false;
    for (size_t i = 0; i < sizeof OWN / sizeof OWN[0]; i++)
        is_one = is_one || (strlen(OWN[i]) == length && strncmp(last, OWN[i], length) == 0);
    return is_one;
}

/* What a person has: gradients of parameters; with those of rows that go from part to part; or
 * all. */
static bool is_shown(const char *name, size_t how)
{
    const char *end = strstr(name, "_grad");
    if (end == NULL || end[strlen("_grad")] != '\0')
        return false;
    bool is_of_rows = strchr(name, '.') == NULL || strstr(name, "output_grad") != NULL ||
                      strstr(name, "_sum_grad") != NULL;
    return how == 2 || is_parameter(name) || (how == 1 && is_of_rows);
}

/* ---- trials ---- */

/* The last mistakes are made in what was computed. */
static void scale_all(ref_stack_result *r, const trial *t)
{
    char way[32];
    bool is_negated = strcmp(t->of_stack->mistake, "back negated") == 0,
         is_twice = strcmp(t->of_stack->mistake, "back twice") == 0,
         is_of_parameters = strcmp(t->of_stack->mistake, "back parameters twice") == 0;
    snprintf(way, sizeof way, "layer.%zu.", t->only - 1);
    for (size_t i = 0; i < r->count; i++) {
        const char *name = r->stage[i].name;
        bool is_in = t->only == 0 || strncmp(name, way, strlen(way)) == 0;
        bool is_meant = is_negated || is_twice || (is_of_parameters && is_parameter(name));
        for (size_t j = 0; j < r->stage[i].count && strstr(name, "_grad") != NULL; j++)
            r->stage[i].at[j] *= !is_in || !is_meant ? 1 : is_negated ? -1 : 2;
    }
}

static bool is_finite(const shown *s)
{
    bool is_all = true;
    for (size_t i = 0; i < s->numbers.count; i++) {
        const tensor *one = &s->numbers.entry[i].tensor;
        for (size_t j = 0; j < tensor_count(one); j++)
            is_all = is_all && isfinite(((const double *)one->data)[j]);
    }
    return is_all;
}

static void try_trial(const trial *t, const stack_subject *of, const ref_stack *right_stack,
                      const ref_stack_result *right, uint64_t number, bool says, tally *to)
{
    ref_stack s = *right_stack;
    ref_stack_result wrong;
    shown shown_wrong, shown_right;
    double greatest = 0;
    stack_planting one = {&s, t->only == 0, t->only == 0 ? 0 : t->only - 1,
                          t->only == 0 ? s.layers : t->only, t->of_stack->with};
    s.mistake = t->of_stack->mistake;
    s.mistake_in = t->only;
    if (t->of_stack->change != NULL && !t->of_stack->change(&one))
        return;
    ref_stack_compute_back(&s, &wrong);
    scale_all(&wrong, t);
    for (size_t i = 0; i < right->count; i++) {
        if (is_shown(right->stage[i].name, 2))
            greatest = fmax(greatest, stack_stage_greatest(&right->stage[i]));
    }
    show_all(&shown_wrong, &wrong, right, is_shown, number % SHOWN_WAYS, LEAST * greatest);
    show_all(&shown_right, right, right, is_shown, number % SHOWN_WAYS, LEAST * greatest);
    if (shown_wrong.is_changed && is_finite(&shown_wrong))
        judge(t, of, &shown_wrong, &shown_right, number, false, says, to);
    hide(&shown_wrong);
    hide(&shown_right);
    ref_stack_result_free(&wrong);
}

/* Each row, in the whole and in one layer. */
static trial trial_at(size_t index, const ref_stack *s, uint64_t number)
{
    return (trial){.of_stack = &PLANTED[index / 2],
                   .only = index % 2 == 0 ? 0 : 1 + number % s->layers};
}

static bool is_left(size_t index, const char *only, const tally *so_far, size_t count)
{
    bool is_asked_for = why_asks_for(PLANTED[index / 2].name, only);
    size_t most = is_seldom(&so_far[index]) ? 8 * count : count;
    return is_asked_for && so_far[index].tried < most;
}

static void try_stack(uint64_t number, const char *only, size_t count, tally *tallies)
{
    ref_stack s;
    ref_stack_result right;
    stack_subject of;
    dice d = {number};
    ref_random_stack(&s, SEED, number);
    s.is_float32 = false;
    s.times = number % REPEATED_OF == 1 ? 2 + number / REPEATED_OF % (REF_TIMES_MOST - 1) : 0;
    bool has_batches = s.memory.at == NULL || s.memory.rank == s.x.rank;
    if (stack_is_small(&s) && has_batches) {
        ref_random_goal(&s, &d);
        ref_stack_compute_back(&s, &right);
        bool is_open = stack_subject_open(&of, &s, SIZE_MAX, &(stack_way){0});
        for (size_t i = 0; is_open && i < 2 * COUNT; i++) {
            trial t = trial_at(i, &s, number);
            bool is_alone = s.layers > 1 && s.times == 0 && (only != NULL || i / 2 % ALONE == 0);
            if ((i % 2 == 0 || is_alone) && is_left(i, only, tallies, count))
                try_trial(&t, &of, &s, &right, number, only != NULL, &tallies[i]);
        }
        stack_subject_free(&of);
        ref_stack_result_free(&right);
        ref_goal_free(&s);
    }
    ref_stack_free(&s);
}

void why_stacks_back(size_t count, const char *only, tally *to)
{
    tally *tallies = ref_alloc(2 * COUNT, sizeof tallies[0]);
    bool is_any_left = true;
    for (uint64_t number = 0; number < STACKS_MOST && is_any_left; number++) {
        try_stack(number, only, count, tallies);
        is_any_left = false;
        for (size_t i = 0; i < 2 * COUNT; i += 2)
            is_any_left = is_any_left || is_left(i, only, tallies, count);
    }
    for (size_t i = 0; i < 2 * COUNT; i++) {
        const tally *one = &tallies[i];
        if (!why_asks_for(PLANTED[i / 2].name, only))
            continue;
        if (only != NULL || one->found < one->tried || one->claimed > 0)
            printf("%s, going back in %s: %zu of %zu found, %zu claimed of right numbers\n",
                   PLANTED[i / 2].name, i % 2 == 0 ? "all layers" : "one layer", one->found,
                   one->tried, one->claimed);
        to->tried += one->tried;
        to->found += one->found;
        to->claimed += one->claimed;
        to->never += i % 2 == 0 && one->tried + tallies[i + 1].tried == 0;
        to->seldom += is_seldom(one);
    }
    free(tallies);
}
