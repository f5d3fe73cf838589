#include "cli/diff/diff_report.h"

#include "attn/spec/keys.h"
#include "attn/spec/stage.h"
#include "io/json_write.h"
#include "why/mistake.h"

/* ---- the problem ---- */

/* What a result carries of its problem. Where it is a document that is all; else settings are not
 * in it, and are found by trying which of the usual ones give its numbers. */
static bool read_inputs(bundle *inputs, problem *p, const diff_file *a, const options *o, err *e)
{
    err refused = {0};
    read_options how = read_options_of(o, a->in.name, DTYPE_F64);
    how.kind = KEY_MATRIX;
    how.keys = &KEYS;
    how.type_is_fixed = how.skips_unknown = how.allow_nonfinite = true;
    bool done = a->in.format->read(a->in.bytes.bytes, a->in.bytes.length, &how, inputs, &refused) &&
                problem_read(p, inputs, &refused);
    p->type = DTYPE_F64;
    if (refused.is_memory)
        *e = refused;
    return done && problem_has_inputs(p);
}

/* How many heads the stages have where nothing says it: those with weights have an axis of them. */
static void find_heads(problem *p, const bundle *stages)
{
    const tensor *rows = p->in[INPUT_Q] != NULL ? p->in[INPUT_Q] : p->in[INPUT_X];
    const tensor *keys = p->in[INPUT_K];
    if (p->heads > 0 || rows == NULL || rows->rank > 3 || p->in[INPUT_WQ] != NULL)
        return;
    for (stage_id id = STAGE_SCORES; id <= STAGE_ATTENDED; id++) {
        const tensor *made = bundle_tensor(stages, stage_row(id)->key.named.name);
        if (made != NULL && id != STAGE_WEIGHTED && made->rank == rows->rank + 1)
            p->heads = made->size[made->rank - 3];
    }
    size_t width = rows->size[rows->rank - 1];
    if (p->heads == 0 || keys == NULL || width % p->heads != 0 || width == 0)
        return;
    size_t kv_heads = keys->size[keys->rank - 1] / (width / p->heads);
    if (kv_heads != p->heads)
        p->kv_heads = kv_heads;
}

static void forget(problem *p, input first, input last)
{
    for (input which = first; which <= last; which++)
        p->in[which] = NULL;
}

/* Which of rows and projections are where they come from. */
enum { FROM_ALL, FROM_ROWS, FROM_PROJECTIONS, FROM_COUNT };

/* ---- trying ---- */

/* With these inputs, and each of the settings that a result does not say. */
static bool try_settings(diff_mistakes *m, missed_question *q, const problem *from, err *e)
{
    static const causal CAUSALS[] = {CAUSAL_NONE, CAUSAL_UPPER_LEFT, CAUSAL_LOWER_RIGHT};
    static const scale_kind SCALES[] = {SCALE_DEFAULT, SCALE_NONE};
    bool says_causal = bundle_find(from->document, "causal") != NULL;
    bool says_scale = bundle_find(from->document, "scale") != NULL;
    for (size_t i = 0; i < (says_scale ? 1 : 2); i++) {
        for (size_t j = 0; j < (says_causal ? 1 : 3); j++) {
            problem asked = *from;
            if (!says_causal)
                asked.causal = CAUSALS[j];
            if (!says_scale)
                asked.scale_kind = SCALES[i];
            missed_free(&m->found);
            q->problem = &asked;
            if (!missed_find(&m->found, q, e))
                return false;
            if (!m->found.is_other)
                return true;
        }
    }
    return true;
}

/* With these of what A carries. */
static bool try_inputs(diff_mistakes *m, const problem *given, const bundle *stages,
                       missed_question *q, err *e)
{
    for (int from = FROM_ALL; from < FROM_COUNT; from++) {
        problem asked = *given;
        if (from != FROM_ALL && (asked.in[INPUT_X] == NULL || asked.in[INPUT_Q] == NULL))
            continue;
        if (from == FROM_ROWS)
            forget(&asked, INPUT_Q, INPUT_V);
        if (from == FROM_PROJECTIONS) {
            forget(&asked, INPUT_X, INPUT_WV);
            forget(&asked, INPUT_BQ, INPUT_BV);
        }
        find_heads(&asked, stages);
        if (!try_settings(m, q, &asked, e))
            return false;
        m->are_known = !m->found.is_other;
        if (m->are_known)
            return true;
    }
    return true;
}

bool diff_mistakes_find(diff_mistakes *m, const diff_result *d, const diff_file *a,
                        const options *o, err *e)
{
    const bundle *made = &a->contents;
    const tensor *rows = bundle_tensor(made, "q");
    /* Any may be all that a result has of its inputs; vocab comes with tokens. */
    bool has_inputs =
        bundle_tensor(made, "x") != NULL || bundle_find(made, "vocab") != NULL ||
        (rows != NULL && bundle_tensor(made, "k") != NULL && bundle_tensor(made, "v") != NULL);
    bool is_asked = false;
    *m = (diff_mistakes){0};
    for (size_t i = 0; i < d->count && !is_asked; i++) {
        const tolerance *within = &d->pair[i].within;
        is_asked = within->atol > 0 || within->rtol > 0 || within->ulps > 0;
    }
    if (!is_asked || a->in.matrix != NULL || !has_inputs)
        return true;
    bundle inputs = {0};
    problem given = {0};
    missed_question q = {.threads = 1};
    size_t asked = 0;
    const isa *by = isa_by_name(o->isa, e);
    bool done = by != NULL;
    if (done && read_inputs(&inputs, &given, a, o, e)) {
        q.with = by->table(DTYPE_F64);
        for (size_t i = 0; i < d->count; i++) {
            const diff_pair *p = &d->pair[i];
            size_t id = diff_stage_number(p->name);
            if (id < STAGE_Q || id == STAGE_COUNT) /* rows are what is computed from */
                continue;
            q.claim[id] = (claim){p->name, p->of[0], p->within.atol};
            q.within[id] = p->within;
            q.type[id] = p->type;
            asked++;
        }
        done = asked == 0 || try_inputs(m, &given, made, &q, e);
        /* A result without its Wo may still say where all but its output comes from. */
        if (done && !m->are_known && q.claim[STAGE_OUTPUT].numbers != NULL &&
            given.in[INPUT_WO] == NULL) {
            m->is_without_output = true;
            q.claim[STAGE_OUTPUT].numbers = NULL;
            done = asked == 1 || try_inputs(m, &given, made, &q, e);
        }
    }
    problem_free(&given);
    bundle_free(&inputs);
    return done && !e->is_set;
}

/* ---- saying it ---- */

void diff_mistakes_write_note(const diff_mistakes *m, const char *name, text *out)
{
    const char *but = m->is_without_output ? ", but for its output, whose Wo is not there" : "";
    missed_write_stand_ins(&m->found, name, out);
    if (m->are_known)
        missed_write_mistakes(&m->found, name, but, out);
}

void diff_mistakes_tell(const diff_mistakes *m, teller *t)
{
    const missed_by_tolerance *found = &m->found;
    if (!m->are_known)
        return;
    tell_open(t, "mistakes", "{");
    tell_count(t, "tried", NULL, found->tried);
    tell_open(t, "pass", "[");
    for (size_t i = 0; i < found->count; i++) {
        tell_open(t, NULL, "");
        json_string_write(t->out, found->made[i]->named.name);
    }
    tell_close(t, "]");
    tell_truth(t, "too_large", found->operations > OVERLOOKED_OPERATIONS);
    tell_truth(t, "without_output", m->is_without_output);
    tell_close(t, "}");
}
