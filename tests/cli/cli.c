/* The cases of the command line: `cli [WORD]` runs them all, or those whose claim holds WORD;
 * $TABLES are the names of the tables to take (absent: all), $WITHOUT the claims to leave out, and
 * of the others $CASES_EVERY takes every so many'th.
 *
 * A case is some lines of a table, a blank line between two:
 *     # what is claimed
 *     $ the command; several such lines are one script
 *     > a line of stdout
 *     ! a line of stderr
 *     ? the status; without this line 2 where only stderr is expected, else 0
 * The script is run by sh in an empty folder with a link to testdata, and finds selfattn in PATH.
 * A case that expects nothing fails. */
#include "base/text.h"
#include "left_out.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct written {
    text out, err;
    int status;
} written;

typedef struct test_case {
    text claim, script;
    written want;
    bool asks_for_status;
} test_case;

static char root[PATH_MAX], scratch[PATH_MAX];
static const char *word = "";
static size_t passed, failed, seen;

static void fail(const char *claim, const char *why)
{
    failed++;
    printf("FAIL cli: %s: %s\n", claim, why);
}

static void remove_folder(int parent, const char *name)
{
    int descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
    for (struct dirent *one; folder != NULL && (one = readdir(folder)) != NULL;) {
        bool is_other = strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0;
        if (is_other && unlinkat(descriptor, one->d_name, 0) != 0)
            remove_folder(descriptor, one->d_name);
    }
    if (folder != NULL)
        closedir(folder);
    unlinkat(parent, name, AT_REMOVEDIR);
}

static void remove_scratch(void)
{
    remove_folder(AT_FDCWD, scratch);
}

static void stop(int signal)
{
    remove_scratch();
    _exit(128 + signal);
}

static bool write_file(const char *name, const text *content)
{
    FILE *file = fopen(name, "w");
    if (file == NULL)
        return false;
    bool well = fwrite(text_string(content), 1, content->length, file) == content->length;
    return (fclose(file) == 0) && well;
}

/* What a file holds, which goes. */
static text take_file(const char *name)
{
    text content = {0};
    FILE *file = fopen(name, "r");
    for (size_t length = 1; file != NULL && length > 0;) {
        char *room = text_room(&content, BUFSIZ);
        length = room == NULL ? 0 : fread(room, 1, BUFSIZ, file);
        text_added(&content, length);
    }
    if (file != NULL)
        fclose(file);
    unlink(name);
    return content;
}

static void redirect(int descriptor, const char *name, int flags)
{
    int file = open(name, flags, 0600);
    if (file < 0 || dup2(file, descriptor) < 0)
        _exit(126);
    close(file);
}

/* In the scratch folder: runs `case/cmd`. */
static written run_script(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        redirect(0, "/dev/null", O_RDONLY);
        redirect(1, "out", O_WRONLY | O_CREAT | O_TRUNC);
        redirect(2, "err", O_WRONLY | O_CREAT | O_TRUNC);
        if (chdir("case") == 0)
            execlp("sh", "sh", "./cmd", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return (written){.status = -1};
    return (written){.out = take_file("out"),
                     .err = take_file("err"),
                     .status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status)};
}

static bool is_same(const text *a, const text *b)
{
    return a->length == b->length && memcmp(text_string(a), text_string(b), a->length) == 0;
}

/* Shown line by line, by diff. */
static void show_difference(const char *what, const text *want, const text *got)
{
    if (is_same(want, got))
        return;
    printf("    %s\n", what);
    fflush(stdout);
    if (!write_file("want", want) || !write_file("got", got) ||
        system("diff -au want got | sed '1,2d; s/^/    /' | head -n 40") != 0)
        printf("    they can't be shown\n");
}

static bool make_folder(const text *script)
{
    text testdata = {0};
    text_add_format(&testdata, "%s/testdata", root);
    bool well = mkdir("case", 0700) == 0 && symlink(text_string(&testdata), "case/testdata") == 0 &&
                write_file("case/cmd", script);
    text_free(&testdata);
    return well;
}

static void run_case(const test_case *c)
{
    const char *claim = c->claim.length == 0 ? "a case without a claim" : text_string(&c->claim);
    const written *want = &c->want;
    if (strstr(claim, word) == NULL || is_left_out(claim) || !is_in_turn(seen++, "CASES_EVERY"))
        return;
    const char *wrong = c->script.length == 0 ? "it has no command"
                        : want->out.length + want->err.length == 0 && !c->asks_for_status
                            ? "it expects nothing"
                        : make_folder(&c->script) ? NULL
                                                  : "its folder can't be made";
    if (wrong != NULL) {
        fail(claim, wrong);
        return;
    }
    written got = run_script();
    int status = c->asks_for_status ? want->status : want->out.length == 0 ? 2 : 0;
    if (got.status == status && is_same(&want->out, &got.out) && is_same(&want->err, &got.err)) {
        passed++;
    } else {
        fail(claim, "what came out (+) is not what must (-)");
        show_difference("stdout", &want->out, &got.out);
        show_difference("stderr", &want->err, &got.err);
        if (got.status != status)
            printf("    status %d, not %d\n", got.status, status);
    }
    text_free(&got.out);
    text_free(&got.err);
    remove_folder(AT_FDCWD, "case");
}

static void add_line(text *to, const char *line)
{
    text_add_string(to, line);
    text_add_string(to, "\n");
}

/* A blank line, or the table's end. */
static void end_case(test_case *c)
{
    if (c->script.length + c->want.out.length + c->want.err.length > 0 || c->asks_for_status)
        run_case(c);
    text_free(&c->claim);
    text_free(&c->script);
    text_free(&c->want.out);
    text_free(&c->want.err);
    *c = (test_case){0};
}

static void run_table(const char *path)
{
    FILE *table = fopen(path, "r");
    if (table == NULL)
        fail(path, "it can't be read");
    test_case c = {0};
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; table != NULL && (length = getline(&line, &room, table)) > 0;) {
        if (line[length - 1] == '\n')
            line[--length] = '\0';
        const char *rest = length < 2 ? "" : line + 1 + (line[1] == ' ');
        switch (line[0]) {
        case '\0':
            end_case(&c);
            break;
        case '#':
            text_clear(&c.claim);
            text_add_string(&c.claim, rest);
            break;
        case '$':
            add_line(&c.script, rest);
            break;
        case '>':
            add_line(&c.want.out, rest);
            break;
        case '!':
            add_line(&c.want.err, rest);
            break;
        case '?':
            c.asks_for_status = true;
            c.want.status = atoi(rest);
            break;
        default:
            fail(line, "a line that begins with none of # $ > ! ?");
        }
    }
    end_case(&c);
    free(line);
    if (table != NULL)
        fclose(table);
}

/* Programs are found where they were built, and what they print is the same for everybody. */
static bool set_environment(void)
{
    const char *build = getenv("BUILD");
    text path = {0};
    text_add_format(&path, "%s/%s:%s", root, build == NULL ? "build/release" : build,
                    getenv("PATH"));
    bool well = setenv("PATH", text_string(&path), 1) == 0 && setenv("LC_ALL", "C", 1) == 0;
    text_free(&path);
    static const char *const NOBODYS[] = {"NO_COLOR", "COLUMNS", "TERM", "CASE", "BUILD"};
    for (size_t i = 0; i < sizeof NOBODYS / sizeof NOBODYS[0]; i++)
        unsetenv(NOBODYS[i]);
    return well;
}

static void run_tables(const char *names)
{
    text pattern = {0};
    glob_t tables = {0};
    if (names == NULL) {
        text_add_format(&pattern, "%s/tests/cli/*.txt", root);
        glob(text_string(&pattern), 0, NULL, &tables);
    }
    for (; names != NULL && *names != '\0'; names += strspn(names, " ")) {
        size_t length = strcspn(names, " ");
        text_clear(&pattern);
        text_add_format(&pattern, "%s/tests/cli/%.*s.txt", root, (int)length, names);
        glob(text_string(&pattern), GLOB_NOCHECK | (tables.gl_pathc > 0 ? GLOB_APPEND : 0), NULL,
             &tables);
        names += length;
    }
    for (size_t i = 0; i < tables.gl_pathc; i++)
        run_table(tables.gl_pathv[i]);
    globfree(&tables);
    text_free(&pattern);
}

int main(int argc, char **argv)
{
    word = argc > 1 ? argv[1] : "";
    const char *temporary = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/selfattn-cli-XXXXXX",
             temporary == NULL ? "/tmp" : temporary);
    if (getcwd(root, sizeof root) == NULL || !set_environment() || mkdtemp(scratch) == NULL ||
        chdir(scratch) != 0) {
        perror("cli: the scratch folder");
        return 1;
    }
    atexit(remove_scratch);
    struct sigaction ends = {.sa_handler = stop};
    sigaction(SIGINT, &ends, NULL);
    sigaction(SIGTERM, &ends, NULL);
    sigaction(SIGHUP, &ends, NULL);
    run_tables(getenv("TABLES"));
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed > 0;
}
