/* Terminals: no line of a trace is wider than they are, from 40 columns on, and what commands do
 * otherwise there. */
#include "cli/command.h"
#include "render/display.h"

#include "scratch.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { LEAST = 40, MOST = 120, WORDS_MOST = 12 };

/* Where lines go to, and what came there. */
static char page[SCRATCH_PATH], lines[1 << 18];

/* From which width on: labels are up to 16 columns wide, so that one next to a row and one above a
 * column need 43. */
static const struct {
    const char *document;
    int least;
} TRACED[] = {
    {"testdata/seeds/001-walkthrough.json", LEAST},
    {"testdata/seeds/003-multi-head.json", LEAST},
    {"testdata/examples/asad-two-heads-wo.json", LEAST},
    {"testdata/positions/rope.json", LEAST},
    {"testdata/variants/soft-cap.json", LEAST},
    {"tests/trace/documents/cached-heads.json", LEAST},
    {"tests/trace/documents/positions-batch.json", LEAST},
    {"tests/trace/documents/labels.json", 43},
};

static size_t widest_line(void)
{
    size_t widest = 0;
    for (const char *line = lines, *end = lines + strlen(lines); line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t bytes = (size_t)((newline == NULL ? end : newline) - line);
        size_t columns = display_columns(line, bytes);
        widest = columns > widest ? columns : widest;
        line += bytes + 1;
    }
    return widest;
}

/* selfattn with these words on a terminal so wide, whose lines go into the page. */
static int run_on_terminal(int width, char **words, int count)
{
    char *argv[WORDS_MOST + 1] = {0};
    memcpy(argv, words, (size_t)count * sizeof words[0]);
    FILE *notes = fopen(page, "a");
    env world = {.err = notes,
                 .stdin_is_terminal = true,
                 .stdout_is_terminal = true,
                 .no_color = true,
                 .width = width,
                 .processors = 1,
                 .free_memory = (size_t)1 << 30};
    fflush(stdout);
    int saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    int file = open(page, O_WRONLY | O_TRUNC | O_APPEND);
    dup2(file, STDOUT_FILENO);
    close(file);
    int status = cli_main(count, argv, &world);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    fclose(notes);
    FILE *in = fopen(page, "r");
    lines[in == NULL ? 0 : fread(lines, 1, sizeof lines - 1, in)] = '\0';
    if (in != NULL)
        fclose(in);
    return status;
}

static void check_trace(unit *u, const char *document, int least)
{
    int step = unit_long_double_is_wide() ? 1 : 16; /* valgrind is slow */
    char *words[] = {"selfattn", "--quiet", "--trace", (char *)document};
    for (int width = least; width <= MOST; width += step) {
        int status = run_on_terminal(width, words, 4);
        size_t widest = widest_line();
        if (!CHECK(u, status == EXIT_DONE && widest > 30 && widest <= (size_t)width))
            printf("  %s at %d columns: a line of %zu\n", document, width, widest);
    }
}

/* 16 columns, which no product shows whole. */
static void check_wide(unit *u)
{
    char *words[] = {"selfattn", "init",    "--quiet", "--tokens", "12", "--width",
                     "16",       "--heads", "2",       "--seed",   "3"};
    CHECK(u, run_on_terminal(80, words, (int)(sizeof words / sizeof words[0])) == EXIT_DONE);
    char document[SCRATCH_PATH];
    snprintf(document, sizeof document, "%s", scratch_path("wide.json"));
    CHECK(u, rename(page, document) == 0);
    check_trace(u, document, LEAST);
    unlink(document);
}

/* What differs is drawn there, unless nothing but counts was asked for; nothing is read there. */
UNIT(terminal)
{
    if (!scratch_open(u))
        return;
    char a[SCRATCH_PATH], b[SCRATCH_PATH];
    char *words[] = {"selfattn", "diff", a, b}, *counts[] = {"selfattn", "diff", "--summary", a, b};
    char *nothing[] = {"selfattn", "check"};
    snprintf(page, sizeof page, "%s", scratch_path("page"));
    snprintf(a, sizeof a, "%s", scratch_path("a.csv"));
    snprintf(b, sizeof b, "%s", scratch_path("b.csv"));
    scratch_put("a.csv", "1,2\n", 0600);
    scratch_put("b.csv", "1,3\n", 0600);
    CHECK(u, run_on_terminal(60, words, 4) == EXIT_DIFFER && strstr(lines, "\n| @|\n") != NULL);
    CHECK(u, run_on_terminal(60, counts, 5) == EXIT_DIFFER && strstr(lines, "| @|") == NULL);
    CHECK(u, run_on_terminal(60, nothing, 2) == EXIT_WRONG &&
                 strcmp(lines, "selfattn: check: name the documents or folders to check\n") == 0);
    unlink(page);
    unlink(a);
    unlink(b);
    scratch_close(u);
}

UNIT(trace_width)
{
    if (access(TRACED[0].document, R_OK) != 0 || !scratch_open(u)) {
        unit_skip(u, "testdata: the tests run elsewhere");
        return;
    }
    snprintf(page, sizeof page, "%s", scratch_path("page"));
    check_wide(u);
    for (size_t i = 0; i < sizeof TRACED / sizeof TRACED[0]; i++)
        check_trace(u, TRACED[i].document, TRACED[i].least);
    unlink(page);
    scratch_close(u);
}
