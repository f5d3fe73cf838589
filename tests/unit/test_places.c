/* Where the stages of a run lie: by what is wanted, what that is made of, and how. */
#include "attn/engine/placed.h"

#include "child.h"
#include "filled.h"
#include "unit.h"

#include <string.h>
#include <unistd.h>

enum { QUERIES = 5, WIDTH = 4 };

/* What a place says, a letter a stage in the order of the pipeline: "." nowhere, i an input's, b in
 * blocks, r the run's, w written where it lies, c in the output's place; upper case where the
 * result has a copy. */
static void homes_of(const stage_places *all, char letters[STAGE_LOSS + 1])
{
    static const char LETTERS[] = {
        [HOME_NONE] = '.', [HOME_INPUT] = 'i', [HOME_BLOCK] = 'b', [HOME_RUN] = 'r'};
    for (stage_id id = 0; id <= STAGE_OUTPUT; id++) {
        const stage_place *one = &all->of[id];
        char letter = one->home == HOME_RESULT ? (one->in == id ? 'w' : 'c') : LETTERS[one->home];
        bool is_copied = one->is_written && one->home != HOME_RESULT;
        letters[id] = is_copied ? (char)(letter - 'a' + 'A') : letter;
    }
    letters[STAGE_LOSS] = '\0';
}

static void check_homes(unit *u, const bundle *document, const char *wanted, const char *homes)
{
    problem asked;
    plan p;
    err e = {0};
    kept_stages w = {0};
    stage_places found;
    char letters[STAGE_LOSS + 1];
    for (const char *name = wanted; *name != '\0'; name += strspn(name, " ")) {
        size_t length = strcspn(name, " ");
        kept_stages_add(&w, stage_of(named_find(&STAGES, name, length)));
        name += length;
    }
    if (!CHECK(u, problem_read(&asked, document, &e) &&
                      plan_make(&p, &asked, isa_best()->table(DTYPE_F32), &e)))
        return;
    places_find(&found, &p, &w);
    homes_of(&found, letters);
    if (!CHECK_TEXT(u, letters, homes))
        printf("  %s\n", wanted);
    plan_free(&p);
    problem_free(&asked);
}

static void add_square(bundle *to, const char *name, size_t rows)
{
    static const double NUMBERS[QUERIES * WIDTH] = {0};
    const size_t size[] = {rows, WIDTH};
    bundle_add_filled(to, name, DTYPE_F32, 2, size, NUMBERS);
}

/* The letters are those of x xk xv x_pos, latents, sums, q k v, norms, rope, present, q_score
 * k_score; scores to masked, row_max to weights, logsumexp to top, rounded, weighted; attended,
 * context, output. */
UNIT_OF(places, "plan stages memory")
{
    bundle projected = {0}, given = {0};
    err e = {0};
    add_square(&projected, "x", QUERIES);
    add_square(&projected, "wq", WIDTH);
    add_square(&projected, "wk", WIDTH);
    CHECK(u, bundle_add_number(&projected, "heads", 2, (place){0}, &e) &&
                 bundle_add_text(&projected, "rope", "true", 4, (place){0}, &e));
    /* Values are the rows of x; the context is the output. */
    check_homes(u, &projected, "",
                "iii........rri..rr....bb.bbbbb....."
                "br.");
    check_homes(u, &projected, "output",
                "iii........rri..rr....bb.bbbbb....."
                "bcw");
    check_homes(u, &projected, "context output",
                "iii........rri..rr....bb.bbbbb....."
                "bww");
    /* What is written lies there, and nothing else moves. */
    check_homes(u, &projected, "x k k_rope v weights entropy",
                "Iii........rwI..rw....bb.bbbbw.w..."
                "br.");
    add_square(&projected, "wo", WIDTH);
    check_homes(u, &projected, "output logsumexp",
                "iii........rri..rr....bb.bbbbbw...."
                "brw");

    add_square(&given, "q", QUERIES);
    add_square(&given, "k", QUERIES);
    add_square(&given, "v", QUERIES);
    CHECK(u, bundle_add_text(&given, "score", "general", 7, (place){0}, &e));
    check_homes(u, &given, "v scores",
                "...........iiI........wb.bbbbb....."
                "br.");
    add_square(&given, "ws", WIDTH);
    add_square(&given, "past_k", 1);
    add_square(&given, "past_v", 1);
    check_homes(u, &given, "present_k weighted",
                "...........iii....wrr.bb.bbbbb...."
                "wbr.");
    /* A row that is appended has no place in the input. */
    bundle appended = {0};
    add_square(&appended, "x", QUERIES);
    CHECK(u, bundle_add_text(&appended, "add_zero", "true", 4, (place){0}, &e));
    check_homes(u, &appended, "v output",
                "iii........irw........bb.bbbbb....."
                "bcw");
    bundle_free(&projected);
    bundle_free(&given);
    bundle_free(&appended);
}

#ifndef NDEBUG
/* Memory that was not given to a stage is never taken for its own: the program stops. */
UNIT(places_too_early)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        static placed nothing;
        fclose(stderr);
        placed_at(&nothing, STAGE_CONTEXT);
        _exit(0);
    }
    CHECK(u, child_status(child) == -1);
}
#endif
