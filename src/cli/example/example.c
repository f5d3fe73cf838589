/* selfattn example: the built-in documents. */
#include "cli/command.h"
#include "cli/example/example_all.h"
#include "cli/example/examples.h"
#include "io/sink.h"

#include <string.h>

static void list_examples(text *out)
{
    for (size_t i = 0; i < EXAMPLES.count; i++) {
        const named *one = named_row(&EXAMPLES, i);
        text_add_format(out, "%-28s %s\n", one->name, one->help);
    }
}

static const example *find_example(const char *name, err *e)
{
    const named *found = named_find(&EXAMPLES, name, strlen(name));
    if (found != NULL)
        return (const example *)(const void *)found;
    err_set(e, "there is no example \"%s\"", name);
    const named *near = named_nearest(&EXAMPLES, name, strlen(name));
    if (near != NULL)
        err_remedy(e, "did you mean %s?", near->name);
    else
        err_remedy(e, "selfattn example lists them");
    return NULL;
}

int command_example(const options *o, env *world, err *e)
{
    sink out;
    const example *one = NULL;
    if (o->operands > 1) {
        err_set(e, "example takes one name, %zu are given", o->operands);
        return EXIT_WRONG;
    }
    if (o->all != NULL)
        return example_write_all(o, world, e) ? EXIT_DONE : EXIT_WRONG;
    if ((o->operands == 1 && (one = find_example(o->operand[0], e)) == NULL) ||
        !sink_open(&out, "-", e))
        return EXIT_WRONG;
    if (one != NULL)
        text_add_string(sink_text(&out), one->text);
    else
        list_examples(sink_text(&out));
    return sink_close(&out, e) ? EXIT_DONE : EXIT_WRONG;
}
