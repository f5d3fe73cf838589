/* selfattn diff: two results compared, stage by stage in the order of the pipeline. */
#include "attn/compare.h"
#include "cli/command.h"
#include "cli/matrix_file.h"
#include "cli/report.h"
#include "io/sink.h"

#include <string.h>

static bool read_result(bundle *to, const char *file, const options *o, err *e)
{
    read_options how = read_options_of(o, file, DTYPE_F64);
    how.kind = KEY_EXPECTED;
    how.allow_nonfinite = true;
    return input_read(o, file, &how, to, e) != NULL;
}

/* A result as messages call it. */
static const char *result_name(const options *o, size_t index)
{
    return strcmp(o->operand[index], "-") == 0 ? "standard input" : o->operand[index];
}

static void note_missing(const bundle *in, const bundle *from, const char *file, const options *o,
                         const env *world)
{
    for (size_t i = 0; i < in->count && !o->quiet; i++) {
        const entry *one = &in->entry[i];
        bool is_matrix = one->kind == ENTRY_TENSOR && one->tensor.rank > 0;
        if (is_matrix && bundle_tensor(from, one->name) == NULL)
            fprintf(world->err, "selfattn: note: %s has no %s\n", file,
                    one->name[0] == '\0' ? "matrix without a name" : one->name);
    }
}

static bool compare_entry(const bundle *a, const bundle *b, const char *name, double tol,
                          comparison *c, err *e)
{
    const entry *wanted = bundle_find(a, name), *got = bundle_find(b, name);
    if (wanted == NULL || got == NULL || wanted->kind != ENTRY_TENSOR || got->kind != ENTRY_TENSOR)
        return true;
    return compare_stage(c, name[0] == '\0' ? "matrix" : wanted->name, wanted, got, tol, NULL, e);
}

/* Stages in their order, then what else both have. */
static bool compare_results(const bundle *a, const bundle *b, double tol, comparison *c, err *e)
{
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        if (!compare_entry(a, b, stage_row(id)->key.named.name, tol, c, e))
            return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        const char *name = a->entry[i].name;
        bool is_stage = named_find(&STAGES, name, strlen(name)) != NULL;
        if (!is_stage && !compare_entry(a, b, name, tol, c, e))
            return false;
    }
    return true;
}

static bool write_difference(const comparison *c, const options *o, err *e)
{
    sink out;
    if (!sink_open(&out, "-", e))
        return false;
    report_element(sink_text(&out), &c->first, result_name(o, 0), result_name(o, 1));
    if (c->different > 1)
        text_add_format(sink_text(&out), ", and %zu more", c->different - 1);
    text_add_string(sink_text(&out), "\n");
    return sink_close(&out, e);
}

static int diff_results(const bundle *a, const bundle *b, const options *o, const env *world,
                        err *e)
{
    comparison c = {0};
    note_missing(a, b, result_name(o, 1), o, world);
    note_missing(b, a, result_name(o, 0), o, world);
    if (!compare_results(a, b, o->has_tol ? o->tol : 0, &c, e))
        return EXIT_WRONG;
    if (c.stages == 0) {
        err_set(e, "%s and %s have no stage in common", result_name(o, 0), result_name(o, 1));
        return EXIT_WRONG;
    }
    if (c.different == 0)
        return EXIT_DONE;
    return write_difference(&c, o, e) ? EXIT_DIFFER : EXIT_WRONG;
}

int command_diff(const options *o, env *world, err *e)
{
    bundle a = {0}, b = {0};
    int status = EXIT_WRONG;
    if (o->operands != 2)
        err_set(e, "diff takes two results, %zu %s named", o->operands,
                o->operands == 1 ? "is" : "are");
    else if (strcmp(o->operand[0], "-") == 0 && strcmp(o->operand[1], "-") == 0)
        err_set(e, "standard input is named 2 times, it can be read once");
    else if (read_result(&a, o->operand[0], o, e) && read_result(&b, o->operand[1], o, e))
        status = diff_results(&a, &b, o, world, e);
    bundle_free(&a);
    bundle_free(&b);
    return status;
}
