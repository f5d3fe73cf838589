/* selfattn example: the built-in documents. */
#include "base/mem.h"
#include "cli/example/examples.h"
#include "io/sink.h"
#include "render/renderer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- --all DIR: every built-in document with its page and its picture ---- */

static const example *example_at(size_t index)
{
    return (const example *)(const void *)named_row(&EXAMPLES, index);
}

/* DIR/NAME.ENDING. A DIR that is too long for it can't be made. */
enum { PATH_ROOM = SINK_PATH + 64 };
static void make_path(char path[PATH_ROOM], const char *dir, const char *name, const char *ending)
{
    snprintf(path, PATH_ROOM, "%s/%s.%s", dir, name, ending);
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

static bool check_free(const char *dir, const char *name, const char *ending, err *e)
{
    struct stat found;
    char path[PATH_ROOM];
    make_path(path, dir, name, ending);
    if (lstat(path, &found) != 0)
        return true;
    err_set(e, "%s is there already, and nothing was written", path);
    return err_remedy(e, "--force replaces it, and all others that are there");
}

/* ---- one example ---- */

enum { STEPS_OF_GENERATION = 5 };

static bool write_example(const options *o, env *world, const example *one, err *e)
{
    char path[FILES][PATH_ROOM];
    text document = {0};
    for (int i = 0; i < FILES; i++)
        make_path(path[i], o->all, one->named.name, ENDINGS[i]);
    text_add_string(&document, one->text);
    /* As the command line would: --trace-output PAGE --trace-format html --picture SVG
     * -o /dev/null. */
    const char *operand = path[DOCUMENT];
    options run = {.operand = &operand,
                   .operands = 1,
                   .trace = true,
                   .trace_format = "html",
                   .trace_output = path[PAGE],
                   .picture = files_of(one) > PICTURE ? path[PICTURE] : NULL,
                   .output = "/dev/null",
                   .generated = one->run == command_generate ? STEPS_OF_GENERATION : 0,
                   .max_memory = o->max_memory,
                   .quiet = true};
    return sink_write_text(operand, &document, true, e) && one->run(&run, world, e) == EXIT_DONE;
}

/* Nothing is written where a file is there already, unless --force says so. */
static bool example_write_all(const options *o, env *world, err *e)
{
    struct stat found;
    if (o->operands > 0)
        return err_set(e, "--all writes all examples, and \"%s\" names one", o->operand[0]);
    if (!o->force) {
        bool are_free = check_free(o->all, "index", "html", e);
        for (size_t i = 0; i < EXAMPLES.count; i++) {
            const example *one = example_at(i);
            for (int j = 0; j < files_of(one) && are_free; j++)
                are_free = check_free(o->all, one->named.name, ENDINGS[j], e);
        }
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
    char path[PATH_ROOM];
    text index = {0};
    if (done)
        html_add_index(&index, row, EXAMPLES.count);
    make_path(path, o->all, "index", "html");
    done = sink_write_text(path, &index, done, e);
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
