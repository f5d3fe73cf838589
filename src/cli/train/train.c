/* selfattn train: steps of plain descent, and the document that they lead to. Each step computes
 * the document anew with the numbers that the step before left in it, as a run would. */
#include "attn/spec/setting.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/in/matrix_file.h"
#include "cli/line/options_parse.h"
#include "cli/out/outputs.h"
#include "cli/out/said.h"
#include "cli/tell.h"
#include "model/gradient.h"
#include "model/stack.h"

#include <math.h>
#include <string.h>

typedef struct trainer {
    options given; /* the command's, but that notes are said once */
    env *world;
    input_file file; /* of the document, */
    bool has_file;   /* where one is named */
    bundle kept;     /* all that it holds, as it stands there */
    document_reader documents;
    weights_input weights;
    document one;
    text_list names, gradients; /* of what learns, and of the stages that say how */
    entry **learner;            /* and where it is in the document; owned */
    text rows, csv;             /* the losses, for a person and for a program */
} trainer;

/* ---- the document ---- */

/* Reads it twice from the same bytes: as it is computed, and as it stands, to be written again. */
static bool read_document(trainer *t, err *e)
{
    static const char *const STANDARD_INPUT[] = {"-"};
    const options *o = &t->given;
    bool has_options_only = input_keys_has_input(o) || o->bundle != NULL, is_there = true;
    const char *file = o->operands > 0 ? o->operand[0] : STANDARD_INPUT[0];
    t->has_file = o->operands > 0 || (!has_options_only && !t->world->stdin_is_terminal);
    if (!document_reader_open(&t->documents, o, &t->weights, t->world, DTYPE_F32, e) ||
        (t->has_file && !input_file_open_one(&t->file, file, false, o, e)))
        return false;
    t->documents.read = t->has_file ? &t->file.bytes : NULL;
    if (!document_reader_next(&t->documents, &t->one, &is_there, e))
        return false;
    if (!is_there)
        return err_at(e, &(place){.file = t->file.name}, "no document is in it");
    if (!document_reader_look(&t->documents, &t->one, e))
        return document_blame(&t->one, e);
    if (!t->has_file || !t->file.format->is_json || !input_file_next(&t->file))
        return true;
    read_options how = input_file_how(&t->file, o, DTYPE_F64);
    how.kind = KEY_EXPECTED;
    how.type_is_fixed = how.allow_nonfinite = true;
    how.keeps_all = how.any_rank = how.takes_truths = how.keeps_json = true;
    if (!input_file_read(&t->file, &how, &t->kept, e))
        return false;
    if (bundle_find(&t->kept, "") != NULL) /* a list alone, which is x */
        bundle_free(&t->kept);
    return true;
}

/* A copy in the document's layout, whose numbers may change. */
static bool own_matrix(entry *of, bool is_out_in, err *e)
{
    tensor from = entry_is_out_in(of, is_out_in) == is_out_in || of->tensor.rank < 2
                      ? tensor_view_of(&of->tensor)
                      : tensor_transposed(&of->tensor);
    tensor own;
    if (!tensor_new_copy(&own, &from, e))
        return false;
    tensor_free(&of->tensor);
    of->tensor = own;
    of->layout = LAYOUT_UNSAID;
    of->stays = false;
    return true;
}

/* What a document has no place for: that some matrices are kept in another layout than its own.
 * Objects, as layers are, may have a layout of their own. What learns is marked. */
static bool own_matrices(const bundle *in, bool is_out_in, err *e)
{
    const entry *layout = bundle_find(in, "layout");
    bool done = true;
    if (layout != NULL)
        is_out_in = setting_is_out_in(layout);
    for (size_t i = 0; i < in->count && done; i++) {
        entry *one = &in->entry[i];
        bool is_kept = one->layout == LAYOUT_UNSAID && !one->is_marked;
        if (one->kind == ENTRY_BUNDLE)
            done = own_matrices(one->bundle, is_out_in, e);
        else
            done = one->kind != ENTRY_TENSOR || is_kept || own_matrix(one, is_out_in, e);
    }
    return done;
}

/* What options and a bundle gave goes over what the file has, and so does what learnt. */
static bool complete(const trainer *t, const bundle *from, bundle *to, err *e)
{
    bool done = true;
    for (size_t i = 0; i < from->count && done; i++) {
        entry *one = &from->entry[i], *there = bundle_find(to, one->name);
        /* The type is what the command computes in, unless somebody said it. */
        if (strcmp(one->name, "dtype") == 0 && input_keys_value(&t->given, "dtype") == NULL)
            continue;
        if (there == NULL || one->is_marked)
            done = bundle_take(to, one->name, one, e);
        else if (one->kind == ENTRY_BUNDLE && there->kind == ENTRY_BUNDLE)
            done = complete(t, one->bundle, there->bundle, e);
    }
    return done;
}

static bool complete_document(trainer *t, err *e)
{
    for (size_t i = 0; i < t->given.given_count; i++)
        bundle_remove(&t->kept, t->given.given[i].row->key);
    return complete(t, &t->one.contents, &t->kept, e);
}

/* ---- what learns ---- */

static bool add_name(trainer *t, const char *name, err *e)
{
    const gradient_name gradient = gradient_of(name);
    return text_list_add(&t->names, name, strlen(name), e) &&
           text_list_add(&t->gradients, gradient.text, strlen(gradient.text), e);
}

/* False where memory for the answer runs out. */
static bool has_stage(work *w, const char *name, bool *is_there, err *e)
{
    err refused = {0};
    *is_there = w->kind->want(w, name, false, &refused);
    if (refused.is_memory)
        *e = refused;
    return !refused.is_memory;
}

/* Slopes of alibi that the document does not list there: those by the rule follow from the number
 * of heads, and others are of all layers. False, with the error set, where they are such. */
static bool check_slopes(const work *w, const char *name, const char *gradient, err *e)
{
    stage_id id;
    bool is_alone = w->kind->attention != NULL;
    const plan *p =
        is_alone ? w->kind->attention(w) : stack_plan_of(w->kind->layers(w), gradient, &id);
    text list = {0};
    if (p == NULL || !p->asked->has_alibi)
        return true;
    for (size_t head = 0; head < p->heads; head++) {
        text_add_string(&list, head == 0 ? "" : ", ");
        report_number_as(&list, tensor_get(&p->slopes, &head), p->type == DTYPE_F32);
    }
    if (p->asked->slopes == NULL)
        err_option(e, "only", "%s follow from the number of heads, and do not learn", name);
    else
        err_option(e, "only", "%s are those of all layers, and do not learn", name);
    err_remedy(e, "a list would: \"alibi\": [%s]%s", text_string(&list),
               is_alone ? "" : " in that layer");
    text_free(&list);
    return false;
}

/* What stands beside the layers is added to the scores of all: each layer has its own gradient. */
static bool check_shared(const trainer *t, const work *w, const char *name, err *e)
{
    const char *dot = strrchr(name, '.'), *last = dot == NULL ? name : dot + 1;
    const gradient_name gradient = gradient_of(last);
    const named *row = named_find(&STAGES, gradient.text, strlen(gradient.text));
    bool is_added = row != NULL &&
                    (stage_row(stage_of(row))->of_setting != 0 || stage_of(row) == STAGE_BIAS_GRAD);
    if (w->kind->attention != NULL || !is_added || bundle_find(&t->one.contents, last) == NULL)
        return true;
    err_option(e, "only", "%s is that of all layers, and does not learn", name);
    return err_remedy(e, "in a layer it would, as layer.0.attention.%s", last);
}

/* Refuses the last name that was added where it is not of a matrix that has a gradient. */
static bool check_name(const trainer *t, work *w, const text_list *usual, err *e)
{
    const char *name = t->names.item[t->names.count - 1],
               *gradient = t->gradients.item[t->gradients.count - 1], *last = strrchr(name, '.');
    const entry *of = stack_parameter(&t->one.contents, name);
    bool has_gradient = false, are_slopes = strcmp(last == NULL ? name : last + 1, "slopes") == 0;
    if (of != NULL && of->kind == ENTRY_TENSOR && !has_stage(w, gradient, &has_gradient, e))
        return false;
    if (has_gradient)
        return true;
    if ((are_slopes && !check_slopes(w, name, gradient, e)) || !check_shared(t, w, name, e))
        return false;
    text others = {0};
    for (size_t i = 0; i < usual->count; i++)
        text_add_format(&others, "%s%s", i > 0 ? ", " : "", usual->item[i]);
    err_option(e, "only", "there is no matrix %s here that could learn", name);
    if (usual->count > 0)
        err_remedy(e, "these do by default: %s", text_string(&others));
    text_free(&others);
    return false;
}

/* One name, or all of the usual ones that a name with * means. */
static bool choose(trainer *t, work *w, const char *said, const text_list *usual, err *e)
{
    bool is_pattern = strchr(said, '*') != NULL, is_there = false, done = true;
    for (size_t i = 0; i < usual->count && done && is_pattern; i++) {
        bool is_meant = stage_name_matches(said, usual->item[i]);
        is_there = is_there || is_meant;
        if (is_meant && text_list_find(&t->names, usual->item[i]) == NULL)
            done = add_name(t, usual->item[i], e);
    }
    if (!done || is_there || text_list_find(&t->names, said) != NULL)
        return done;
    return add_name(t, said, e) && check_name(t, w, usual, e);
}

/* By default all that a model learns; --only may name inputs, too. */
static bool choose_names(trainer *t, err *e)
{
    const text_list *only = &t->given.only;
    place at = document_place(&t->one);
    text_list usual = {0};
    work w = {0};
    bool has_loss = false;
    bool done = work_plan(&w, &t->one, NULL, &t->given, e) &&
                (w.kind->parameters == NULL || has_stage(&w, "loss", &has_loss, e));
    if (done && !has_loss) {
        done = err_at(e, &at, "there is no loss that could become less");
        err_remedy(e, "\"loss\" in the document or --loss says what it is: sum, mean, or square "
                      "with a target");
    }
    done = done && w.kind->parameters(&w, &usual, e) && text_list_index(&t->names, e);
    const text_list *from = only->count > 0 ? only : &usual;
    for (size_t i = 0; i < from->count && done; i++)
        done = choose(t, &w, from->item[i], &usual, e);
    if (done && from->count == 0) {
        done = err_at(e, &at, "it has no weights and no biases that could learn");
        err_remedy(e, "--only names what does: x, or q, k and v where they are given");
    }
    if (done) {
        t->learner = mem_alloc(t->names.count, sizeof t->learner[0], e);
        done = t->learner != NULL;
    }
    for (size_t i = 0; i < t->names.count && done; i++) {
        t->learner[i] = stack_parameter(&t->one.contents, t->names.item[i]);
        t->learner[i]->is_marked = true;
    }
    text_list_free(&usual);
    work_free(&w);
    return done;
}

/* ---- the steps ---- */

/* number − rate·gradient, one fused multiply-add each. False where one is not finite after it. */
static bool descend(const tensor *gradient, double rate, tensor *matrix)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    bool is_f32 = matrix->type == DTYPE_F32, is_finite = true;
    do {
        double g = tensor_get(gradient, index), number = tensor_get(matrix, index);
        number =
            is_f32 ? (double)fmaf(-(float)rate, (float)g, (float)number) : fma(-rate, g, number);
        tensor_set(matrix, index, number);
        is_finite = is_finite && isfinite(number);
    } while (tensor_next(matrix, index));
    return is_finite;
}

static bool refuse_step(const trainer *t, size_t step, const char *what, err *e)
{
    err_set(e, "after step %zu %s is not finite", step, what);
    return err_remedy(e, "a --rate below %g goes less far each time", t->given.rate);
}

/* Says all losses to a program, and to a person some ten of them. */
static void add_loss(trainer *t, size_t step, double number, bool is_f32)
{
    size_t steps = t->given.train_steps, every = (steps + 9) / 10;
    text_add_format(&t->csv, "%zu,", step);
    report_number_as(&t->csv, number, is_f32);
    text_add_string(&t->csv, "\n");
    if (step < steps && step % every != 0)
        return;
    text_add_format(&t->rows, "%zu\t", step);
    report_number_as(&t->rows, number, is_f32);
    text_add_string(&t->rows, "\t\n");
}

/* The loss after so many steps, and one step more unless these are all. */
static bool take_step(trainer *t, size_t step, err *e)
{
    work w = {0};
    bool is_last = step == t->given.train_steps;
    bool done = work_plan(&w, &t->one, NULL, &t->given, e) && w.kind->want(&w, "loss", false, e);
    for (size_t i = 0; i < t->gradients.count && done && !is_last; i++)
        done = w.kind->want(&w, t->gradients.item[i], false, e);
    done = done && w.kind->run(&w, t->world, e);
    const tensor *made = done ? bundle_tensor(&w.stages, "loss") : NULL;
    if (made != NULL) {
        double value = tensor_get(made, (const size_t[TENSOR_MAX_RANK]){0});
        add_loss(t, step, value, made->type == DTYPE_F32);
        done = isfinite(value) || refuse_step(t, step, "the loss", e);
    }
    for (size_t i = 0; i < t->names.count && done && !is_last; i++) {
        tensor *matrix = &t->learner[i]->tensor;
        done = descend(bundle_tensor(&w.stages, t->gradients.item[i]), t->given.rate, matrix) ||
               refuse_step(t, step + 1, t->names.item[i], e);
    }
    work_free(&w);
    t->given.quiet = true;           /* what was noted holds for all steps */
    t->given.allow_nonfinite = true; /* which a step may make, and then says so */
    return done;
}

/* ---- what is written ---- */

static bool show(trainer *t, outputs *to, err *e)
{
    work w = {0};
    text picture = {0};
    bool done = work_plan(&w, &t->one, NULL, &t->given, e) && outputs_want(to, &w, e) &&
                w.kind->show(&w, to->traces ? FOR_STEPS : FOR_PICTURE, t->world, e) &&
                (!to->draws || outputs_draw(to, w.drawn, t->world, &picture, e)) &&
                outputs_open(to, e) && outputs_write(to, &w, &picture, t->world, e);
    text_free(&picture);
    work_free(&w);
    return done;
}

/* All files are open before the first of them takes its place; where it is not `done`, none
 * does. */
static bool write_all(trainer *t, const options *o, const format *as, outputs *shown, bool done,
                      err *e)
{
    const write_options how = output_how(o, as);
    sink whole, losses;
    bool is_open = done && complete_document(t, e) && text_ok(&t->csv, e) && text_ok(&t->rows, e) &&
                   sink_open(&whole, output_data_file(o), e);
    bool has_losses = is_open && o->losses != NULL && sink_open(&losses, o->losses, e);
    done = is_open && has_losses == (o->losses != NULL) && as->write(&t->kept, &how, &whole, e);
    done = outputs_close(shown, done, e);
    if (has_losses) {
        text_add_string(sink_text(&losses), "step,loss\n");
        done = sink_end(&losses, done && sink_add(&losses, &t->csv, e), e);
    }
    return is_open && sink_end(&whole, done, e);
}

/* A table for a person, where no file takes the losses. */
static bool say_losses(const trainer *t, const options *o, err *e)
{
    text table = {0};
    if (o->losses != NULL || o->quiet)
        return true;
    tell_table(&table, "step\tloss\t\n", &t->rows, "rr", 0);
    bool done = text_ok(&table, e);
    if (done)
        env_say(t->world, text_string(&table), table.length);
    text_free(&table);
    return done;
}

/* ---- the command ---- */

/* A file of its own for each, and standard output for one of them. */
static bool check_files(const options *o, const outputs *shown, const format *as, err *e)
{
    const char *files[] = {output_data_file(o), shown->trace.file, shown->picture.file};
    if (o->operands > 1)
        return err_set(e, "train takes one document, and %s is named too", o->operand[1]);
    if (!as->is_json)
        return err_set(e, "what is trained is a document, and %s has no place for one", as->title);
    if (shown->count == 0) {
        err_set(e, "the document goes to standard output, and what is shown would go there too");
        return err_remedy(e, "-o FILE takes the document");
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0] && o->losses != NULL; i++) {
        if (files[i] != NULL && sink_shares_file(o->losses, files[i]))
            return err_set(e, "the losses and another output both go to %s", o->losses);
    }
    return true;
}

int command_train(const options *o, env *world, err *e)
{
    static const double USUAL_RATE = 0.1;
    trainer t = {.given = *o, .world = world, .weights = {.is_for = FOR_EITHER}};
    const format *as = output_format_or(o, output_data_file(o), "json");
    outputs shown = {0};
    if (!o->has_rate)
        t.given.rate = USUAL_RATE;
    if (!o->has_train_steps)
        t.given.train_steps = 1;
    bool done = outputs_plan(&shown, o, e) && check_files(o, &shown, as, e);
    /* The document goes where a run's data would. */
    for (size_t i = 0; i < shown.count; i++)
        text_list_free(&shown.output[i].stages);
    shown.count = 0;
    shown.documents = &t.documents;
    done = done && read_document(&t, e) && choose_names(&t, e) &&
           own_matrices(&t.one.contents, false, e);
    for (size_t step = 0; step <= t.given.train_steps && done; step++)
        done = take_step(&t, step, e);
    if (done && (shown.traces || shown.draws))
        done = show(&t, &shown, e);
    if (!done && t.one.contents.count > 0)
        document_blame(&t.one, e);
    done = write_all(&t, o, as, &shown, done, e) && say_losses(&t, o, e);
    mem_free(t.learner);
    bundle_free(&t.kept);
    document_free(&t.one);
    document_reader_close(&t.documents);
    weights_input_close(&t.weights);
    input_file_close(&t.file);
    text_list_free(&t.names);
    text_list_free(&t.gradients);
    text_free(&t.rows);
    text_free(&t.csv);
    return done ? EXIT_DONE : EXIT_WRONG;
}
