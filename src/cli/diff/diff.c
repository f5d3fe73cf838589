/* selfattn diff: two results compared, stage by stage in the order of the pipeline. */
#include "cli/command.h"
#include "cli/diff/diff_report.h"
#include "cli/out/note.h"
#include "cli/out/output_file.h"
#include "io/sink.h"

#include <string.h>

static bool has_matrix(const diff_file *in, const char *name)
{
    const entry *found = bundle_find(&in->contents, name);
    return found != NULL && found->kind == ENTRY_TENSOR;
}

/* What the other has all the same is compared with something else. */
static void note_missing(const text_list *names, const diff_file *own, const diff_file *other,
                         const options *o, const env *world)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->item[i];
        const char *shown = name[0] == '\0' ? "matrix without a name" : name;
        if (has_matrix(other, name))
            note_say(world, o, NULL, "--map leaves the %s of %s without a partner", shown,
                     own->in.name);
        else
            note_say(world, o, NULL, "%s has no %s", other->in.name, shown);
    }
}

static bool write_text(const diff_result *d, const options *o, const env *world, text *out, err *e)
{
    bool is_asked = o->heat_map || (o->picture != NULL && strcmp(o->picture, "-") == 0);
    bool draws = d->first != NULL && (is_asked || (world->stdout_is_terminal && !o->summary));
    size_t width = world->width > 20 ? (size_t)world->width : WIDTH_OF_FILES;
    bool is_colored = output_uses_color(o, world, "-");
    if (o->summary)
        diff_write_summary(d, out);
    else
        diff_write_text(d, out);
    return !draws || diff_write_heat_map(d->first, width, is_colored, out, e);
}

/* All that is said of two results. */
typedef struct both {
    diff_result result;
    diff_origins from;
    diff_mistakes missed; /* by the tolerance */
} both;

/* A note a line; they are taken. */
static bool say_notes(text *notes, const options *o, const env *world, err *e)
{
    bool done = text_ok(notes, e);
    if (done)
        note_say_lines(world, o, text_string(notes));
    text_free(notes);
    return done;
}

static bool find_origins(both *all, const diff_file file[2], const options *o, const env *world,
                         err *e)
{
    text notes = {0};
    if (!diff_origins_read(&all->from, file, e))
        return false;
    diff_origins_tell(&all->from, &(teller){.out = &notes});
    return say_notes(&notes, o, world, e);
}

static bool find_mistakes(both *all, const diff_file *a, const options *o, const env *world, err *e)
{
    text notes = {0};
    if (!diff_mistakes_find(&all->missed, &all->result, a, o, e))
        return false;
    diff_mistakes_write_note(&all->missed, &notes);
    return say_notes(&notes, o, world, e);
}

/* --picture FILE: where nothing differs, the first stage that was compared. */
static bool write_picture(const diff_result *d, const options *o, err *e)
{
    text out = {0};
    if (o->picture == NULL || strcmp(o->picture, "-") == 0)
        return true;
    bool done = diff_write_svg(d->first != NULL ? d->first : d->pair, &out, e);
    return sink_write_text(o->picture, &out, done, e);
}

static bool write_result(const both *all, const options *o, const env *world, err *e)
{
    text out = {0};
    bool done = o->format != NULL || write_text(&all->result, o, world, &out, e);
    if (o->format != NULL)
        diff_write_json(&all->result, &all->from, &all->missed, &out);
    return sink_write_text("-", &out, done, e);
}

static int compare_files(const diff_file file[2], const options *o, const env *world, err *e)
{
    both all = {0};
    diff_result *d = &all.result;
    int status = EXIT_WRONG;
    if (!find_origins(&all, file, o, world, e) || !diff_match(d, file, o, e))
        goto done;
    note_missing(&d->only_a, &file[0], &file[1], o, world);
    note_missing(&d->only_b, &file[1], &file[0], o, world);
    if (d->count == 0) {
        err_set(e, "%s and %s have no stage in common", d->name_a, d->name_b);
        goto done;
    }
    diff_measure(d);
    if (find_mistakes(&all, &file[0], o, world, e) && write_picture(d, o, e) &&
        write_result(&all, o, world, e))
        status = d->first == NULL ? EXIT_DONE : EXIT_DIFFER;
done:
    diff_free(d);
    diff_origins_free(&all.from);
    diff_mistakes_free(&all.missed);
    return status;
}

static bool check_options(const options *o, err *e)
{
    if (o->operands != 2)
        return err_set(e, "diff takes two results, %zu %s named", o->operands,
                       o->operands == 1 ? "is" : "are");
    if (o->format != NULL && !format_by_name(o->format)->is_json)
        return err_set(e, "diff is written as text, or with --format json, not as %s", o->format);
    return (strcmp(o->operand[0], "-") != 0 || strcmp(o->operand[1], "-") != 0) ||
           err_set(e, "standard input is named 2 times, it can be read once");
}

int command_diff(const options *o, env *world, err *e)
{
    diff_file file[2] = {{.contents = {0}}, {.contents = {0}}};
    int status = EXIT_WRONG;
    if (!check_options(o, e))
        return EXIT_WRONG;
    if (diff_files_read(file, o, e))
        status = compare_files(file, o, world, e);
    diff_files_close(file);
    return status;
}
