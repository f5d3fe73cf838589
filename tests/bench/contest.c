#include "bench/contest.h"

#include "bench/contestant.h"
#include "bench/work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A turn is long against the whims of clock and scheduler; a row is short against the patience of
 * who waits, but has enough rounds for a median. */
static const double TURN_MS = 60, ROW_MS = 4000;
enum { ROUNDS_LEAST = 5 };

/* The entries in their order; the bare multiply-adds of the first one stand after them. */
typedef struct players {
    contestant who[ENTRIES_MOST + 1];
    bool is_here[ENTRIES_MOST + 1];
    long repetitions[ENTRIES_MOST + 1];
    size_t count;
} players;

/* ---- commands ---- */

static const char *behind_first_word(const char *line)
{
    const char *blank = strchr(line, ' ');
    return blank == NULL ? "" : blank + 1;
}

/* An entry may have threads of its own; its processors are as many. */
static bool start(contestant *c, const char *command, const char *entry, const row *r,
                  size_t threads, const contest_place *at)
{
    bool is_own = command[0] == '@';
    words w = {0};
    char line[WORDS_BYTES];
    snprintf(line, sizeof line, "%s%s %s %s threads=%zu", is_own ? at->self : "", command + is_own,
             behind_first_word(entry), r->words, threads);
    words_add(&w, line);
    return contestant_start(c, &w, words_number(&w, "threads", 1), at->complaints);
}

/* The work that an entry of our own names, where it is one of multiply-adds. */
static bool has_peak(const char *entry)
{
    words w = {0};
    words_add(&w, entry);
    const work *of = w.count < 2 ? NULL : work_find(w.word[1]);
    return of != NULL && of->multiply_adds != NULL;
}

static void start_all(players *p, const row *r, size_t threads, const contest_place *at)
{
    for (p->count = 0; p->count < ENTRIES_MOST && r->entry[p->count] != NULL; p->count++) {
        const char *entry = r->entry[p->count];
        p->is_here[p->count] =
            start(&p->who[p->count], rival_of(entry)->command, entry, r, threads, at);
    }
    if (has_peak(r->entry[0]))
        p->is_here[p->count] = start(&p->who[p->count], "@ peak", r->entry[0], r, threads, at);
}

/* ---- rounds ---- */

/* How often each repeats its work in a turn, and how many rounds there will be. The first turn is
 * never counted: it touches memory for the first time. */
static size_t warm_up(players *p)
{
    double round = 0;
    for (size_t i = 0; i <= p->count; i++) {
        if (!p->is_here[i])
            continue;
        contestant_turn(&p->who[i], 1);
        double once = contestant_turn(&p->who[i], 1);
        p->repetitions[i] = once > 0 && once < TURN_MS ? (long)(TURN_MS / once) + 1 : 1;
        round += once * (double)p->repetitions[i];
    }
    double rounds = ROW_MS / round;
    return rounds > ROUNDS_MOST    ? ROUNDS_MOST
           : rounds < ROUNDS_LEAST ? ROUNDS_LEAST
                                   : (size_t)rounds;
}

static double turn(players *p, size_t i)
{
    if (!p->is_here[i])
        return NAN;
    return contestant_turn(&p->who[i], p->repetitions[i]);
}

void contest_hold(contest *c, const row *r, size_t threads, const contest_place *at)
{
    players p = {0};
    start_all(&p, r, threads, at);
    *c = (contest){.entries = p.count, .rounds = warm_up(&p), .has_peak = p.is_here[p.count]};
    for (size_t i = 0; i < p.count; i++)
        c->is_here[i] = p.is_here[i];
    for (size_t round = 0; round < c->rounds; round++) {
        for (size_t i = 0; i < p.count; i++)
            c->measured[round][i] = turn(&p, i);
        c->peak[round] = turn(&p, p.count);
    }
    for (size_t i = 0; i <= p.count; i++)
        contestant_end(&p.who[i]);
}
