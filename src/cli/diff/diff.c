/* selfattn diff: two results compared, stage by stage in the order of the pipeline. */
#include "cli/diff/diff_report.h"

#include "attn/spec/keys.h"
#include "attn/spec/stage.h"
#include "cli/command.h"
#include "cli/line/options_parse.h"
#include "cli/out/outputs.h"
#include "cli/out/said.h"
#include "io/json_write.h"
#include "io/sink.h"
#include "kernels/kernels.h"
#include "model/dump_names.h"
#include "why/mistake.h"
#include "why/ranking.h"

#include <string.h>

/* ---- what a tolerance proves: the problem that A was made of ---- */

/* Reads what a result carries of its problem. A document carries all of it. Other results lack the
 * settings, which are found by trying which of the usual ones give the numbers. */
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
    return done && (p->in[INPUT_X] != NULL || p->in[INPUT_Q] != NULL);
}

/* Finds the number of heads if nothing says it: weights have an axis of them. */
static void find_heads(problem *p, const bundle *stages)
{
    const tensor *rows = p->in[INPUT_Q] != NULL ? p->in[INPUT_Q] : p->in[INPUT_X];
    const tensor *keys = p->in[INPUT_K];
    if (p->heads > 0 || rows->rank > 3 || p->in[INPUT_WQ] != NULL)
        return;
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        const stage *row = stage_row(id);
        const tensor *made = bundle_tensor(stages, row->key.named.name);
        bool is_of_heads = strlen(row->axes) == 4 && row->axes[1] == 'h';
        if (made != NULL && is_of_heads && made->rank == rows->rank + 1)
            p->heads = made->size[made->rank - 3];
    }
    if (keys != NULL)
        p->kv_heads = keys->size[keys->rank - 1] * p->heads / rows->size[rows->rank - 1];
}

static void forget(problem *p, input first, input last)
{
    for (input which = first; which <= last; which++)
        p->in[which] = NULL;
}

/* Whether numbers come from rows, projections or both. */
enum { FROM_ALL, FROM_ROWS, FROM_PROJECTIONS, FROM_COUNT };

/* ---- trying what gives its numbers ---- */

/* Tries all inputs that A carries, or some of them, with each of the settings that a result does
 * not say. */
static bool try_inputs(diff_mistakes *m, const problem *given, const bundle *stages,
                       missed_question *q, err *e)
{
    static const causal CAUSALS[] = {CAUSAL_NONE, CAUSAL_UPPER_LEFT, CAUSAL_LOWER_RIGHT};
    static const scale_kind SCALES[] = {SCALE_DEFAULT, SCALE_NONE};
    bool says_causal = bundle_find(given->document, "causal") != NULL;
    bool says_scale = bundle_find(given->document, "scale") != NULL;
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
        q->problem = &asked;
        for (size_t i = 0; i < (says_scale ? 1 : 2); i++) {
            for (size_t j = 0; j < (says_causal ? 1 : 3); j++) {
                asked.causal = says_causal ? asked.causal : CAUSALS[j];
                asked.scale_kind = says_scale ? asked.scale_kind : SCALES[i];
                missed_free(&m->found);
                if (!missed_find(&m->found, q, e))
                    return false;
                m->are_known = !m->found.is_other;
                if (m->are_known)
                    return true;
            }
        }
    }
    return true;
}

/* The mistakes that are found must be freed in any case. */
static bool diff_mistakes_find(diff_mistakes *m, const diff_result *d, const diff_file *a,
                               const options *o, err *e)
{
    const bundle *made = &a->contents;
    const tensor *rows = bundle_tensor(made, "q");
    /* A result may have any one of these as its only input; vocab comes with tokens. */
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
    bool done = true;
    if (read_inputs(&inputs, &given, a, o, e)) {
        q.with = isa_best()->table(DTYPE_F64);
        for (size_t i = 0; i < d->count; i++) {
            const diff_pair *p = &d->pair[i];
            stage_id id = (stage_id)stage_number(p->name);
            /* Rows are what is computed from. */
            if (id == STAGE_COUNT || stage_row(id)->by == STAGE_IS_ROWS)
                continue;
            q.claim[id] = (claim){.name = p->name, .numbers = p->of[0], .tol = p->within.atol};
            q.within[id] = p->within;
            q.type[id] = p->type;
            asked++;
        }
        done = asked == 0 || try_inputs(m, &given, made, &q, e);
        /* If a result lacks its Wo, all stages except its output may still be explained. */
        if (done && !m->are_known && asked > 1 && q.claim[STAGE_OUTPUT].numbers != NULL &&
            given.in[INPUT_WO] == NULL) {
            m->is_without_output = true;
            q.claim[STAGE_OUTPUT].numbers = NULL;
            done = try_inputs(m, &given, made, &q, e);
        }
    }
    problem_free(&given);
    bundle_free(&inputs);
    return done && !e->is_set;
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

/* ---- the two files ---- */

static bool open_file(diff_file *f, const char *operand, const options *o, err *e)
{
    if (!input_file_open(&f->in, operand, true, o, e))
        return false;
    if (input_is_several(f->in.format, f->in.bytes.bytes, f->in.bytes.length)) {
        err_at(e, &(place){.file = f->in.name}, "these are several results, and diff compares one");
        return err_remedy(e, "sed -n 2p %s | selfattn diff - OTHER takes the second", f->in.path);
    }
    f->in.is_stream = false; /* a stream of one result is read as a file */
    return input_file_next(&f->in);
}

static bool read_entries(diff_file *f, const options *o, dtype type, bool leaves_unread, err *e)
{
    read_options how = input_file_how(&f->in, o, type);
    how.kind = KEY_EXPECTED;
    how.type_is_fixed = how.types_expected = how.takes_truths = true;
    how.keeps_types = how.keeps_bits = how.allow_nonfinite = how.is_result = true;
    how.keeps_unread = leaves_unread;
    how.header = &f->header;
    text_list_free(&f->header);
    if (!input_file_read(&f->in, &how, &f->contents, e))
        return false;
    if (f->in.matrix == NULL)
        return true;
    /* A table is read as a whole, and only one matrix of it was asked for. */
    bundle only = {0};
    bool done = bundle_take(&only, f->in.matrix, bundle_find(&f->contents, f->in.matrix), e);
    bundle_free(&f->contents);
    f->contents = only;
    return done;
}

/* Ignored matrices need not be readable. */
static bool read_as(diff_file *f, const options *o, dtype type, err *e)
{
    err bad = {0}, other = {0};
    if (read_entries(f, o, type, false, &bad))
        return true;
    bundle_free(&f->contents);
    bool done = o->ignore.count > 0 && !bad.is_memory && read_entries(f, o, type, true, &other);
    for (size_t i = 0; i < f->contents.count && done; i++) {
        const entry *one = &f->contents.entry[i];
        done = one->kind != ENTRY_UNREAD || text_list_find(&o->ignore, one->name) != NULL;
    }
    if (!done)
        *e = bad;
    return done;
}

/* Text that float32 can't hold is compared as float64. */
static bool read_text(diff_file *f, const options *o, const bundle *other, err *e)
{
    err narrow = {0};
    bool is_narrow = other->count > 0;
    for (size_t i = 0; i < other->count && is_narrow; i++)
        is_narrow =
            other->entry[i].kind != ENTRY_TENSOR || diff_type_of(&other->entry[i]) == NUMBER_F32;
    bool done = is_narrow && read_as(f, o, DTYPE_F32, &narrow);
    if (!done) {
        bundle_free(&f->contents);
        if (narrow.is_memory)
            *e = narrow;
        done = !narrow.is_memory && read_as(f, o, DTYPE_F64, e);
    }
    /* What a document expects is its result, as far as it was printed. */
    const entry *found = bundle_find(&f->contents, "expected");
    const bundle *expected = found == NULL || found->kind != ENTRY_BUNDLE ? NULL : found->bundle;
    for (size_t i = 0; expected != NULL && i < expected->count && done; i++) {
        entry *one = &expected->entry[i];
        if (one->kind != ENTRY_TENSOR || bundle_find(&f->contents, one->name) != NULL)
            continue;
        one->has_unprinted = true;
        done = bundle_take(&f->contents, one->name, one, e);
    }
    return done;
}

/* Reads both. Text has no types of its own: next to a file whose matrices are all float32 it is
 * read as float32, straight from its decimals, so that a number and its text are equal; else as
 * float64. */
static bool read_files(diff_file file[2], const options *o, err *e)
{
    if (!open_file(&file[0], o->operand[0], o, e) || !open_file(&file[1], o->operand[1], o, e))
        return false;
    bool is_typed[2];
    for (int i = 0; i < 2; i++) {
        is_typed[i] = (file[i].in.format->holds & HOLDS_TYPES) != 0;
        if (is_typed[i] && !read_as(&file[i], o, DTYPE_F64, e))
            return false;
    }
    for (int i = 0; i < 2; i++) {
        if (!is_typed[i] && !read_text(&file[i], o, &file[1 - i].contents, e))
            return false;
    }
    return true;
}

/* ---- what is said of them ---- */

/* If the other file has the matrix after all, it is compared with something else there. */
static void note_missing(const diff_result *d, const diff_file file[2], int side, const options *o,
                         const env *world)
{
    for (size_t i = 0; i < d->only[side].count; i++) {
        const char *name = d->only[side].item[i];
        const char *shown = name[0] == '\0' ? "matrix without a name" : name;
        if (bundle_tensor(&file[1 - side].contents, name) != NULL)
            note_say(world, o, NULL, "--map leaves the %s of %s without a partner", shown,
                     d->file[side]);
        else
            note_say(world, o, NULL, "%s has no %s", d->file[1 - side], shown);
    }
}

static int compare_files(const diff_file file[2], const options *o, const env *world, err *e)
{
    diff_result d = {0};
    diff_origins from = {0};
    diff_mistakes missed = {0};
    text notes = {0}, out = {0};
    bool draws_to_stdout = o->picture != NULL && strcmp(o->picture, "-") == 0;
    int status = EXIT_WRONG;
    bool is_whole = diff_origins_read(&from, file, e);
    diff_origins_tell(&from, &(teller){.out = &notes}); /* nothing, where they are not known */
    if (!is_whole || !note_say_lines(world, o, &notes, e) || !diff_match(&d, file, o, e))
        goto done;
    if (d.count == 0) { /* one remedy, and not a note for each of their names */
        err_set(e, "%s and %s have no stage in common", d.file[0], d.file[1]);
        if (d.only[0].count > 0 && d.only[1].count > 0)
            err_remedy(e,
                       "%s has %s, %s has %s: --map A=B says what is the same, with {} for the "
                       "numbers of layers",
                       d.file[0], diff_called(d.only[0].item[0]), d.file[1],
                       diff_called(d.only[1].item[0]));
        goto done;
    }
    note_missing(&d, file, 0, o, world);
    note_missing(&d, file, 1, o, world);
    if (!diff_mistakes_find(&missed, &d, &file[0], o, e))
        goto done;
    missed_write_stand_ins(&missed.found, d.file[0], &notes);
    if (missed.are_known)
        missed_write_mistakes(
            &missed.found, d.file[0],
            missed.is_without_output ? ", but for its output, whose Wo is not there" : "", &notes);
    if (!note_say_lines(world, o, &notes, e))
        goto done;
    /* --picture FILE: where nothing differs, the first stage that was compared. */
    const diff_pair *drawn = d.first != NULL ? d.first : d.pair;
    if (o->picture != NULL && !draws_to_stdout &&
        !sink_write_text(o->picture, &out, diff_draw(drawn, 0, false, &out, e), e))
        goto done;
    if (o->format != NULL) {
        diff_write_json(&d, &from, &missed, &out);
    } else {
        bool is_asked = o->heat_map || draws_to_stdout;
        bool draws = d.first != NULL && (is_asked || (world->stdout_is_terminal && !o->summary));
        size_t width = world->width > 20 ? (size_t)world->width : WIDTH_OF_FILES;
        if (o->summary)
            diff_write_summary(&d, &out);
        else
            diff_write_text(&d, &out);
        is_whole = !draws || diff_draw(d.first, width, output_uses_color(o, world, "-"), &out, e);
    }
    if (sink_write_text("-", &out, is_whole, e))
        status = d.first == NULL ? EXIT_DONE : EXIT_DIFFER;
done:
    diff_free(&d);
    diff_origins_free(&from);
    missed_free(&missed.found);
    return status;
}

int command_diff(const options *o, env *world, err *e)
{
    diff_file file[2] = {{.contents = {0}}, {.contents = {0}}};
    int status = EXIT_WRONG;
    if (o->operands != 2)
        err_set(e, "diff takes two results, %zu %s named", o->operands,
                o->operands == 1 ? "is" : "are");
    else if (o->format != NULL && !format_by_name(o->format)->is_json)
        err_set(e, "diff is written as text, or with --format json, not as %s", o->format);
    else if (input_keys_check_standard_input(o, (const char *const *)o->operand, 2, e) &&
             read_files(file, o, e))
        status = compare_files(file, o, world, e);
    for (int i = 0; i < 2; i++) {
        bundle_free(&file[i].contents);
        text_list_free(&file[i].header);
        input_file_close(&file[i].in);
    }
    return status;
}
