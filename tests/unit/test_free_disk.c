/* Free disk of made-up file systems: what statvfs says is told, and asked of the right place; and
 * what is refused for it. */
#include "scratch.h"
#include "unit.h"

#include "cli/command.h"
#include "io/sink.h"

#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static struct statvfs made_up;
static char asked[64]; /* for what; "": for nothing */

extern int __wrap_statvfs(const char *file, struct statvfs *disk);
extern int __wrap_fstatvfs(int descriptor, struct statvfs *disk);

static int say(const char *file, struct statvfs *disk)
{
    snprintf(asked, sizeof asked, "%s", file);
    *disk = made_up;
    errno = EIO;
    return made_up.f_bsize == 0 ? -1 : 0;
}

int __wrap_statvfs(const char *file, struct statvfs *disk)
{
    return say(file, disk);
}

int __wrap_fstatvfs(int descriptor, struct statvfs *disk)
{
    return say(descriptor == STDOUT_FILENO ? "standard output" : "another", disk);
}

static bool ask(const char *file, uint64_t *bytes)
{
    asked[0] = '\0';
    *bytes = 0;
    return free_disk(file, bytes);
}

static void test_places(unit *u)
{
    uint64_t bytes;
    made_up = (struct statvfs){
        .f_bsize = 4096, .f_frsize = 512, .f_blocks = 9, .f_bfree = 8, .f_bavail = 7};
    CHECK(u, ask("/no/such/folder/new.npy", &bytes) && bytes == 7 * 512);
    CHECK_TEXT(u, asked, "/no/such/folder/");
    CHECK(u, ask("/new.npy", &bytes));
    CHECK_TEXT(u, asked, "/");
    CHECK(u, ask("no such file.npy", &bytes));
    CHECK_TEXT(u, asked, ".");
    CHECK(u, ask("/proc/self/status", &bytes)); /* a regular file */
    CHECK_TEXT(u, asked, "/proc/self/status");
    CHECK(u, !ask("/dev/null", &bytes));
    CHECK_TEXT(u, asked, "");
}

static void test_unknown(unit *u)
{
    uint64_t bytes;
    made_up = (struct statvfs){.f_bsize = 4096, .f_frsize = 4096};
    CHECK(u, !ask("/new.npy", &bytes)); /* no blocks at all */
    made_up = (struct statvfs){.f_blocks = 9};
    CHECK(u, !ask("/new.npy", &bytes));
    CHECK_TEXT(u, asked, "/");
}

static void test_standard_output(unit *u)
{
    uint64_t bytes;
    int own = dup(STDOUT_FILENO), ends[2] = {-1, -1};
    FILE *file = tmpfile();
    made_up = (struct statvfs){.f_bsize = 1, .f_frsize = 1, .f_blocks = 9, .f_bavail = 5};
    fflush(stdout);
    bool is_ready = own >= 0 && file != NULL && pipe(ends) == 0;
    bool to_file = is_ready && dup2(fileno(file), STDOUT_FILENO) >= 0 && ask("-", &bytes);
    bool is_standard = strcmp(asked, "standard output") == 0;
    bool to_pipe = is_ready && dup2(ends[1], STDOUT_FILENO) >= 0 && ask("-", &bytes);
    if (own >= 0)
        dup2(own, STDOUT_FILENO);
    CHECK(u, is_ready && to_file && is_standard && !to_pipe);
    close(own);
    close(ends[0]);
    close(ends[1]);
    if (file != NULL)
        fclose(file);
}

/* A byte for true or false, of a file with holes, becomes a number of text, which takes two. */
static void test_convert(unit *u)
{
    char from[SCRATCH_PATH], to[SCRATCH_PATH], wanted[2 * SCRATCH_PATH], got[2 * SCRATCH_PATH] = "";
    char *words[] = {"selfattn", "convert", "--quiet", from, to};
    env world = {.err = tmpfile(), .width = 100, .processors = 1, .free_memory = (size_t)1 << 30};
    if (!CHECK(u, world.err != NULL) || !scratch_open(u))
        return;
    snprintf(from, sizeof from, "%s", scratch_path("from.npy"));
    snprintf(to, sizeof to, "%s", scratch_path("to.csv"));
    FILE *file = fopen(from, "w");
    fwrite("\x93NUMPY\1\0\x76", 1, 10, file);
    fprintf(file, "%-117s\n", "{'descr': '|b1', 'fortran_order': False, 'shape': (1000, 9000)}");
    fclose(file);
    CHECK(u, truncate(from, 128 + 9000000) == 0);
    made_up =
        (struct statvfs){.f_bsize = 1, .f_frsize = 1, .f_blocks = 1 << 28, .f_bavail = 179999999};
    CHECK(u, cli_main(5, words, &world) == EXIT_WRONG && access(to, F_OK) < 0);
    snprintf(
        wanted, sizeof wanted,
        "selfattn: %s: the data would be 18000000 bytes or more, over a tenth of the 179999999 "
        "that are free there\n  FILE:NAME takes one matrix, or name a file on another disk; "
        "--force writes it all the same\n",
        to);
    rewind(world.err);
    CHECK(u, fread(got, 1, sizeof got - 1, world.err) > 0);
    CHECK_TEXT(u, got, wanted);
    made_up.f_bavail = 180000000;
    CHECK(u, cli_main(5, words, &world) == EXIT_DONE && access(to, F_OK) == 0);
    fclose(world.err);
    unlink(from);
    unlink(to);
    scratch_close(u);
}

UNIT(free_disk)
{
    test_places(u);
    test_unknown(u);
    test_standard_output(u);
    test_convert(u);
}
