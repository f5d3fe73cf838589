/* compare [COUNT [SEED[:NUMBER]]]: random problems, each computed by the program and by the
 * reference, stage by stage, and in other ways that must not change a bit. Unless a seed is given
 * they are the same ones each time, so that a run that fails fails again; a problem that fails is
 * named so that it can be computed again, alone: `compare 1 SEED:NUMBER`. compare --self-test: the
 * reference makes each of its planted mistakes, which must be noticed; without arguments that comes
 * first, too. With REF_BREAK=MISTAKE in the environment the reference makes that mistake in the
 * random problems. compare stacks [COUNT [SEED[:NUMBER]]]: random stacks of layers alone, which
 * come after the problems otherwise; a stack that is tried alone and fails is printed. */
#include "ref/compare_stacks.h"
#include "ref/compare_stages.h"
#include "ref/gradients.h"
#include "ref/properties.h"
#include "ref/ref_random.h"
#include "ref/verdict.h"
#include "ref/words_seen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_DEFAULT = 2500, STACKS_DEFAULT = 200, WRONG = 2560 };

typedef struct tally {
    size_t passed, failed;
} tally;

static void count(tally *t, bool is_right)
{
    *(is_right ? &t->passed : &t->failed) += 1;
}

/* ---- random problems ---- */

/* Problems `first` to `first + count` of a seed. */
typedef struct series {
    uint64_t seed, first, count;
} series;

static void try_problem(const ref_problem *p, const char *where, tally *t)
{
    char wrong[WRONG], words[REF_DESCRIPTION];
    size_t told = verdict_told();
    bool is_right = compare_stages(p, wrong, sizeof wrong);
    count(t, is_right);
    if (is_right) {
        properties_try(p, where, &t->passed, &t->failed);
        if (gradients_exist(p))
            gradients_try(p, where, &t->passed, &t->failed);
    } else {
        verdict_tell(where, "stages", wrong);
    }
    if (verdict_told() > told)
        printf("  %s\n", ref_describe(p, words));
}

static void run_series(const series *s, tally *t)
{
    static words_seen seen;
    for (uint64_t i = s->first; i < s->first + s->count; i++) {
        ref_problem p;
        char where[64], words[REF_DESCRIPTION];
        snprintf(where, sizeof where, "compare 1 %" PRIu64 ":%" PRIu64, s->seed, i);
        ref_random_problem(&p, s->seed, i);
        p.mistake = getenv("REF_BREAK");
        words_seen_add(&seen, ref_describe(&p, words));
        try_problem(&p, where, t);
        ref_problem_free(&p);
    }
    if (s->count >= COUNT_DEFAULT)
        count(t, words_seen_all(&seen));
    printf("compare: %" PRIu64 " random problems of seed %" PRIu64 ", %zu pairs of %zu options\n",
           s->count, s->seed, words_seen_pairs(&seen), seen.count);
}

static series series_of(int argc, char **argv, uint64_t count)
{
    series s = {.seed = 1, .count = count};
    char *rest = "";
    if (argc > 1)
        s.count = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        s.seed = strtoull(argv[2], &rest, 10);
    if (*rest == ':')
        s.first = strtoull(rest + 1, NULL, 10);
    return s;
}

/* ---- planted mistakes ---- */

/* Computes problem `index` of a seed that never changes; true where the mistake was noticed. */
static bool notices(const char *mistake, uint64_t index, bool is_shown)
{
    ref_problem p;
    char wrong[WRONG];
    ref_random_problem(&p, 1, index);
    p.mistake = mistake;
    bool is_noticed = !compare_stages(&p, wrong, sizeof wrong) ||
                      (gradients_exist(&p) && !gradients_are_right(&p, wrong, sizeof wrong));
    if (is_noticed && is_shown)
        printf("%s: problem %" PRIu64 ": %s\n", mistake, index, wrong);
    ref_problem_free(&p);
    return is_noticed;
}

static void self_test(bool is_shown, tally *t)
{
    for (size_t i = 0; i < REF_MISTAKE_COUNT; i++) {
        uint64_t index = 0;
        while (index < COUNT_DEFAULT && !notices(REF_MISTAKES[i], index, is_shown))
            index++;
        count(t, index < COUNT_DEFAULT);
        if (index == COUNT_DEFAULT)
            printf("FAIL compare: nobody notices the mistake %s\n", REF_MISTAKES[i]);
    }
}

int main(int argc, char **argv)
{
    tally t = {0};
    if (!number_is_wide()) {
        printf("skipped: compare: long double is not a wider than double here\n");
        printf("0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "stacks") == 0) {
        series s = series_of(argc - 1, argv + 1, STACKS_DEFAULT);
        compare_stacks(s.seed, s.first, s.count, &t.passed, &t.failed);
        verdict_tell_rest();
        printf("%zu passed, %zu failed\n", t.passed, t.failed);
        return t.failed > 0;
    }
    bool is_self_test = argc > 1 && strcmp(argv[1], "--self-test") == 0;
    if (is_self_test || argc == 1) {
        self_test(is_self_test, &t);
        compare_stacks_self_test(STACKS_DEFAULT, &t.passed, &t.failed);
    }
    if (!is_self_test) {
        series s = series_of(argc, argv, COUNT_DEFAULT);
        run_series(&s, &t);
        if (argc == 1)
            compare_stacks(s.seed, 0, STACKS_DEFAULT, &t.passed, &t.failed);
    }
    verdict_tell_rest();
    printf("%zu passed, %zu failed\n", t.passed, t.failed);
    return t.failed > 0;
}
