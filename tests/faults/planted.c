/* Programs that do each thing wrong that the suite is there to see: each has to
 * be found out. */
#include "faults/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int complain(env *world)
{
    fprintf(world->err, "selfattn: out of memory\n");
    return EXIT_WRONG;
}

static void say(const char *what)
{
    if (write(STDOUT_FILENO, what, strlen(what)) < 0)
        perror("write");
}

static int uses_what_is_not_there(int argc, char **argv, env *world)
{
    (void)argv;
    (void)world;
    volatile char *block = malloc((size_t)argc);
    block[0] = 'x';
    free((void *)block);
    return EXIT_DONE;
}

static int goes_on(int argc, char **argv, env *world)
{
    (void)argv;
    (void)world;
    void *volatile block = malloc((size_t)argc); /* volatile: else no compiler need allocate */
    say(block == NULL ? "0\n" : "1\n");
    free(block);
    return EXIT_DONE;
}

static int goes_on_the_same(int argc, char **argv, env *world)
{
    (void)argv;
    (void)world;
    void *volatile block = malloc((size_t)argc);
    free(block);
    return EXIT_DONE;
}

static int leaks(int argc, char **argv, env *world)
{
    (void)argv;
    static void *volatile first;
    first = malloc((size_t)argc);
    void *volatile second = first == NULL ? NULL : malloc((size_t)argc);
    if (second == NULL)
        return complain(world);
    free(first);
    free(second);
    return EXIT_DONE;
}

static int leaks_a_descriptor(int argc, char **argv, env *world)
{
    (void)argc;
    (void)argv;
    char byte;
    int descriptor = open("words.txt", O_RDONLY);
    if (descriptor < 0 || read(descriptor, &byte, 1) != 1) {
        fprintf(world->err, "selfattn: words.txt: %s\n", strerror(errno));
        return EXIT_WRONG;
    }
    close(descriptor);
    return EXIT_DONE;
}

static int says_nothing(int argc, char **argv, env *world)
{
    (void)argv;
    (void)world;
    void *volatile block = malloc((size_t)argc);
    free(block);
    return block == NULL ? EXIT_WRONG : EXIT_DONE;
}

static int says_it_twice(int argc, char **argv, env *world)
{
    int status = says_nothing(argc, argv, world);
    if (status != EXIT_DONE)
        complain(world);
    return status == EXIT_DONE ? EXIT_DONE : complain(world);
}

static int says_something_else(int argc, char **argv, env *world)
{
    int status = says_nothing(argc, argv, world);
    if (status != EXIT_DONE)
        fprintf(world->err, "selfattn: something is wrong\n");
    return status;
}

static int has_another_status(int argc, char **argv, env *world)
{
    return says_nothing(argc, argv, world) == EXIT_DONE ? EXIT_DONE : complain(world) + 1;
}

static int writes_too_early(int argc, char **argv, env *world)
{
    say("result\n");
    return says_nothing(argc, argv, world) == EXIT_DONE ? EXIT_DONE : complain(world);
}

static int tears_its_file(int argc, char **argv, env *world)
{
    (void)argc;
    (void)argv;
    int descriptor = open("out.json", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool done = descriptor >= 0 && write(descriptor, "1", 1) == 1 && write(descriptor, "2", 1) == 1;
    if (!done)
        fprintf(world->err, "selfattn: out.json: %s\n", strerror(errno));
    close(descriptor);
    return done ? EXIT_DONE : EXIT_WRONG;
}

static int leaves_its_temporary(int argc, char **argv, env *world)
{
    (void)argc;
    (void)argv;
    int descriptor = open("temporary", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool done = descriptor >= 0 && write(descriptor, "1", 1) == 1;
    close(descriptor);
    done = done && rename("temporary", "out.json") == 0;
    if (!done)
        fprintf(world->err, "selfattn: out.json: %s\n", strerror(errno));
    return done ? EXIT_DONE : EXIT_WRONG;
}

static const fault_kind ALLOCATION = {"allocation", CALL_ALLOCATION, EFFECT_FAILS, ENOMEM,
                                      .may_go_on = false};
static const fault_kind READ = {"read", CALL_READ, EFFECT_FAILS, EIO, .may_go_on = false};
static const fault_kind WRITE = {"write", CALL_WRITE, EFFECT_FAILS, ENOSPC, .after_output = true};
static const fault_kind SHORT_WRITE = {"short write", CALL_WRITE, EFFECT_SHORT, .must_go_on = true};

static const struct {
    command_line what;
    const fault_kind *kind;
    const char *wrong; /* what has to be found; NULL: any of two, by the sanitizer
                        or the signal */
} PLANTED[] = {
    {{"uses", NULL, 0, false, .run = uses_what_is_not_there}, &ALLOCATION, NULL},
    {{"goes on", NULL, 0, false, .run = goes_on}, &ALLOCATION, "does not notice"},
    {{"goes on the same", NULL, 0, false, .run = goes_on_the_same}, &ALLOCATION, "does not notice"},
    {{"leaks", NULL, 0, false, .run = leaks}, &ALLOCATION, "leaks memory"},
    {{"descriptor", NULL, 0, false, .run = leaks_a_descriptor}, &READ, "leaks a descriptor"},
    {{"says nothing", NULL, 0, false, .run = says_nothing}, &ALLOCATION, "does not say one error"},
    {{"says it twice", NULL, 0, false, .run = says_it_twice},
     &ALLOCATION,
     "does not say one error"},
    {{"says else", NULL, 0, false, .run = says_something_else}, &ALLOCATION, "does not say why"},
    {{"status", NULL, 0, false, .run = has_another_status},
     &ALLOCATION,
     "ends with another status than 2"},
    {{"early", NULL, 0, false, .run = writes_too_early},
     &ALLOCATION,
     "writes to standard output before it has failed"},
    {{"tears", "out.json", 0, false, .run = tears_its_file},
     &WRITE,
     "leaves a file that is neither the old one nor the new one"},
    {{"temporary", "out.json", 0, false, .run = leaves_its_temporary},
     &WRITE,
     "leaves a file behind that nobody asked for"},
    {{"short", NULL, 0, false, .run = writes_too_early}, &SHORT_WRITE, "does not go on"},
};

/* One that is found out is a test passed. */
static bool is_found_out(const command_line *what, const fault_kind *kind, const char *expected)
{
    static const fault NONE = {.call = CALL_NONE};
    outcome clean, got;
    fault f;
    child_run(what, &NONE, &clean);
    bool is_well = judge_clean(what, &clean) == NULL;
    const char *wrong = faults_try(what, kind, false, &clean, &f, &got);
    bool is_found = wrong != NULL && (expected == NULL || strcmp(wrong, expected) == 0);
    if (!is_well || !is_found)
        printf("FAIL faults: planted: %s: %s\n", what->words,
               !is_well        ? "fails without a fault"
               : wrong == NULL ? "nothing is found"
                               : wrong);
    outcome_free(&clean);
    outcome_free(&got);
    return is_well && is_found;
}

void faults_planted(counts *c)
{
    for (size_t i = 0; i < sizeof PLANTED / sizeof PLANTED[0]; i++) {
        bool is_found = is_found_out(&PLANTED[i].what, PLANTED[i].kind, PLANTED[i].wrong);
        c->passed += is_found;
        c->failed += !is_found;
    }
}
