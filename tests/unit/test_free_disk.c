/* Free disk of made-up file systems: what statvfs says is told, and asked of the right place. */
#include "unit.h"

#include "io/free_disk.h"

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

UNIT(free_disk)
{
    test_places(u);
    test_unknown(u);
    test_standard_output(u);
}
