/* selfattn check: compute documents, and compare with what they expect. */
#include "attn/compare.h"
#include "cli/check_files.h"
#include "cli/command.h"
#include "cli/document.h"
#include "cli/errata.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/solve.h"
#include "cli/tolerances.h"
#include "io/sink.h"

#include <string.h>

/* Published numbers come from a calculator: float64, and this where a document has no tol. */
static const double DEFAULT_TOL = 1e-9;

typedef struct checker {
    const options *given;
    env *world;
    sink out;
    size_t failed;
} checker;

/* The tolerance of a stage: --tol, else the document's one or the stage's, else the default. */
static double tol_of(const checker *c, const bundle *contents, const char *name)
{
    const entry *tol = bundle_find(contents, "tol");
    const tensor *number = NULL;
    double given;
    if (tolerance_given(c->given, name, &given))
        return given;
    if (tol != NULL)
        number = tol->kind == ENTRY_BUNDLE ? bundle_tensor(tol->bundle, name) : &tol->tensor;
    if (c->given->has_tol)
        return c->given->tol;
    return number == NULL ? DEFAULT_TOL : tensor_get(number, NULL);
}

static bool check_stage_names(const bundle *expected, err *e)
{
    for (size_t i = 0; i < expected->count; i++) {
        const entry *one = &expected->entry[i];
        if (named_find(&STAGES, one->name, strlen(one->name)) != NULL)
            continue;
        err_at(e, &one->at, "there is no stage \"%s\"", one->name);
        const named *near = named_nearest(&STAGES, one->name, strlen(one->name));
        return near == NULL ? err_remedy(e, "selfattn help stages lists them")
                            : err_remedy(e, "did you mean \"%s\"?", near->name);
    }
    return true;
}

/* A tolerance is from 0; one a stage is for stages that there are. */
static bool check_tolerances(const bundle *contents, err *e)
{
    const entry *tol = bundle_find(contents, "tol");
    if (tol == NULL)
        return true;
    bool is_one = tol->kind != ENTRY_BUNDLE;
    size_t count = is_one ? 1 : tol->bundle->count;
    for (size_t i = 0; i < count; i++) {
        const entry *one = is_one ? tol : &tol->bundle->entry[i];
        double value = tensor_get(&one->tensor, NULL);
        if (!(value >= 0))
            return err_at(e, &one->at, "the tolerance is %g, it must be a number from 0", value);
    }
    return is_one || check_stage_names(tol->bundle, e);
}

static bool want_expected(solution *s, const bundle *expected, const bundle *errata_stages, err *e)
{
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        const stage *row = stage_row(id);
        const entry *needed = bundle_find(expected, row->key.named.name);
        if (needed == NULL)
            needed = bundle_find(errata_stages, row->key.named.name);
        if (needed != NULL && !plan_has_stage(&s->plan, id))
            return err_at(e, &needed->at, "%s is not made by this document: it needs %s",
                          needed->name, row->made_by);
        if (needed != NULL && !solution_want(s, &id, 1, e))
            return false;
    }
    return true;
}

static bool compare_all(checker *c, const bundle *contents, const bundle *expected,
                        const solution *s, errata *known, comparison *of, err *e)
{
    known_elements by = {errata_knows, known};
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        const char *name = stage_row(id)->key.named.name;
        const entry *published = bundle_find(expected, name);
        double tol = tol_of(c, contents, name);
        if (published != NULL &&
            !compare_stage(of, name, published, bundle_find(&s->stages, name), tol, &by, e))
            return false;
    }
    return true;
}

/* Solves and compares. Without inputs there is nothing to compute (a document of tokens alone), and
 * that is no failure. */
static bool check_document(checker *c, const document *one, err *e)
{
    const entry *expected = bundle_find(&one->contents, "expected");
    solution s = {0};
    comparison of = {0};
    errata known = {0};
    problem probe;
    bool has_inputs = problem_read(&probe, &one->contents, e) && problem_has_inputs(&probe);
    problem_free(&probe);
    if (e->is_set)
        return false;
    place at = document_place(one);
    bool has_expected = expected != NULL && expected->bundle->count > 0;
    if (!has_expected && has_inputs)
        return err_at(e, &at, "there is no \"expected\" to compare with");
    bool done = true;
    if (has_inputs) {
        done = check_stage_names(expected->bundle, e) && check_tolerances(&one->contents, e) &&
               errata_read(&known, &one->contents, e) && solution_plan(&s, one, c->given, e) &&
               want_expected(&s, expected->bundle, &known.stages, e) &&
               solution_run(&s, c->given, c->world, e) &&
               compare_all(c, &one->contents, expected->bundle, &s, &known, &of, e);
    }
    if (done)
        c->failed += !report_check(sink_text(&c->out), one, &of, &known);
    errata_free(&known);
    solution_free(&s);
    return done;
}

static bool check_file(checker *c, const char *file, err *e)
{
    options one_file = *c->given;
    one_file.operand = &file;
    one_file.operands = 1;
    documents all;
    document one;
    given_bundle none = {0}; /* check takes no --bundle */
    bool is_there = false, done = documents_open(&all, &one_file, &none, c->world, DTYPE_F64, e);
    while (done && (done = documents_next(&all, &one, &is_there, e)) && is_there) {
        done = check_document(c, &one, e);
        progress_document_done(c->world->progress);
        document_free(&one);
    }
    documents_close(&all);
    return done;
}

int command_check(const options *o, env *world, err *e)
{
    checker c = {.given = o, .world = world};
    text_list files = {0};
    bool is_wrong = false;
    progress shown;
    progress_start(&shown, o, world);
    bool done =
        tolerances_check(o, NULL, e) && check_files_list(o, &files, e) && sink_open(&c.out, "-", e);
    for (size_t i = 0; i < files.count && done; i++) {
        err of_file = {0};
        if (!check_file(&c, files.item[i], &of_file)) {
            is_wrong = true;
            report_error(world, &of_file);
        }
        progress_pause(world->progress);
        done = sink_spill(&c.out, e); /* no file's fault, and the end of all */
        progress_resume(world->progress);
    }
    progress_stop(world);
    text_list_free(&files);
    done = done && sink_close(&c.out, e);
    sink_discard(&c.out);
    if (!done)
        return EXIT_WRONG;
    return is_wrong ? EXIT_WRONG : c.failed > 0 ? EXIT_DIFFER : EXIT_DONE;
}
