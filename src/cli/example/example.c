/* selfattn example: the built-in documents. */
#include "base/mem.h"
#include "cli/example/examples.h"
#include "io/sink.h"
#include "render/renderer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- --all DIR: every built-in document with its page and its picture ---- */

static const example *example_at(size_t index)
{
    return (const example *)(const void *)named_row(&EXAMPLES, index);
}

/* DIR/NAME.ENDING; its text is the caller's to free. */
static bool make_path(text *path, const char *dir, const char *name, const char *ending, err *e)
{
    text_clear(path);
    text_add_format(path, "%s/%s.%s", dir, name, ending);
    return text_ok(path, e);
}

/* What is written of an example; a picture is of the weights of one attention, and layers have
 * many. */
enum { DOCUMENT, PAGE, PICTURE, FILES };
static const char *const ENDINGS[FILES] = {"json", "html", "svg"};

static int files_of(const example *one)
{
    return one->run == command_run ? FILES : PICTURE;
}

/* ---- before anything is written ---- */

static bool check_free(text *path, const char *dir, const char *name, const char *ending, err *e)
{
    struct stat found;
    if (!make_path(path, dir, name, ending, e))
        return false;
    if (lstat(text_string(path), &found) != 0)
        return true;
    err_set(e, "%s is there already, and nothing was written", text_string(path));
    return err_remedy(e, "--force replaces it, and all others that are there");
}

/* ---- one example ---- */

enum { STEPS_OF_GENERATION = 5 };

static bool write_example(const options *o, env *world, const example *one, err *e)
{
    text path[FILES] = {{0}}, document = {0};
    bool done = true;
    text_add_string(&document, one->text);
    for (int i = 0; i < FILES && done; i++)
        done = make_path(&path[i], o->all, one->named.name, ENDINGS[i], e);
    done = done && sink_write_text(text_string(&path[DOCUMENT]), &document, true, e);
    /* As the command line would: --trace-output PAGE --trace-format html --picture SVG
     * -o /dev/null. */
    const char *operand = text_string(&path[DOCUMENT]);
    options run = {.operand = &operand,
                   .operands = 1,
                   .trace = true,
                   .trace_format = "html",
                   .trace_output = text_string(&path[PAGE]),
                   .picture = files_of(one) > PICTURE ? text_string(&path[PICTURE]) : NULL,
                   .output = "/dev/null",
                   .generated = one->run == command_generate ? STEPS_OF_GENERATION : 0,
                   .max_memory = o->max_memory,
                   .quiet = true};
    done = done && one->run(&run, world, e) == EXIT_DONE;
    for (int i = 0; i < FILES; i++)
        text_free(&path[i]);
    text_free(&document);
    return done;
}

/* Nothing is written where a file is there already, unless --force says so. */
static bool example_write_all(const options *o, env *world, err *e)
{
    struct stat found;
    if (o->operands > 0)
        return err_set(e, "--all writes all examples, and \"%s\" names one", o->operand[0]);
    if (!o->force) {
        text path = {0};
        bool are_free = check_free(&path, o->all, "index", "html", e);
        for (size_t i = 0; i < EXAMPLES.count; i++) {
            const example *one = example_at(i);
            for (int j = 0; j < files_of(one) && are_free; j++)
                are_free = check_free(&path, o->all, one->named.name, ENDINGS[j], e);
        }
        text_free(&path);
        if (!are_free)
            return false;
    }
    bool is_new = mkdir(o->all, 0777) == 0;
    if (!is_new && errno != EEXIST)
        return err_set(e, "%s: cannot be made: %s", o->all, strerror(errno));
    if (!is_new && (stat(o->all, &found) != 0 || !S_ISDIR(found.st_mode)))
        return err_set(e, "%s is not a directory, and --all writes into one", o->all);
    html_index_row *row = mem_alloc(EXAMPLES.count, sizeof row[0], e);
    bool done = row != NULL;
    for (size_t i = 0; i < EXAMPLES.count && done; i++) {
        const example *one = example_at(i);
        row[i] =
            (html_index_row){one->named.name, one->named.help, one->notes, files_of(one) > PICTURE};
        done = write_example(o, world, one, e);
    }
    text path = {0}, index = {0};
    if (done)
        html_add_index(&index, row, EXAMPLES.count);
    done = done && make_path(&path, o->all, "index", "html", e);
    done = sink_write_text(text_string(&path), &index, done, e);
    text_free(&path);
    mem_free(row);
    return done;
}

int command_example(const options *o, env *world, err *e)
{
    text out = {0};
    if (o->operands > 1) {
        err_set(e, "example takes one name, %zu are given", o->operands);
        return EXIT_WRONG;
    }
    if (o->all != NULL)
        return example_write_all(o, world, e) ? EXIT_DONE : EXIT_WRONG;
    if (o->operands == 1) {
        const char *name = o->operand[0];
        size_t length = strlen(name);
        const named *found = named_find(&EXAMPLES, name, length);
        if (found == NULL)
            found = named_by_synonym(&EXAMPLES, name, length);
        if (found == NULL) {
            const named *near = named_nearest(&EXAMPLES, name, length);
            err_set(e, "there is no example \"%s\"", name);
            if (near != NULL)
                err_remedy(e, "did you mean %s?", near->name);
            else
                err_remedy(e, "selfattn example lists them");
            return EXIT_WRONG;
        }
        text_add_string(&out, ((const example *)(const void *)found)->text);
    }
    for (size_t i = 0; i < EXAMPLES.count && o->operands == 0; i++) {
        const named *one = named_row(&EXAMPLES, i);
        text_add_format(&out, "%-28s %s\n", one->name, one->help);
    }
    return sink_write_text("-", &out, true, e) ? EXIT_DONE : EXIT_WRONG;
}
