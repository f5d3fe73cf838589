/* Reading whole inputs. */
#include "io/source.h"

#include "said.h"
#include "scratch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void check_unreadable(unit *u, const char *file, const char *reason)
{
    char wanted[2 * SCRATCH_PATH];
    source s;
    err e = {0};
    snprintf(wanted, sizeof wanted, "%s: cannot be read: %s", file, reason);
    CHECK(u, !source_open(&s, file, SIZE_MAX, &e));
    CHECK_TEXT(u, said(&e), wanted);
}

static void reads_files(unit *u)
{
    source s;
    err e = {0};
    scratch_put("a", "hello", 0600);
    scratch_put("b", "", 0600);
    CHECK(u, scratch_holds("a", "hello"));
    CHECK(u, scratch_holds("b", ""));
    CHECK(u, source_open(&s, "/proc/self/status", SIZE_MAX, &e)); /* says that it has 0 bytes */
    CHECK(u, s.length > 100 && strstr(s.bytes, "VmPeak") != NULL);
    source_close(&s);
    CHECK(u, s.bytes == NULL);
    unlink(scratch_path("a"));
    unlink(scratch_path("b"));
    check_unreadable(u, scratch_path("missing"), "No such file or directory");
    check_unreadable(u, scratch_folder(), "Is a directory | name a file in it");
}

/* ---- a file that is written to between two reads ---- */

static bool is_written_to;

extern ssize_t __real_read(int descriptor, void *to, size_t size);
extern ssize_t __wrap_read(int descriptor, void *to, size_t size);

ssize_t __wrap_read(int descriptor, void *to, size_t size)
{
    ssize_t got = __real_read(descriptor, to, size);
    if (is_written_to) {
        is_written_to = false;
        scratch_put("a", "hello, all of you", 0600);
    }
    return got;
}

static void refuses_a_changed_file(unit *u)
{
    source s;
    err e = {0};
    char path[SCRATCH_PATH], wanted[2 * SCRATCH_PATH];
    snprintf(path, sizeof path, "%s", scratch_path("a"));
    snprintf(wanted, sizeof wanted, "%s: was changed while it was read", path);
    scratch_put("a", "hello", 0600);
    is_written_to = true;
    CHECK(u, !source_open(&s, path, SIZE_MAX, &e));
    CHECK_TEXT(u, said(&e), wanted);
    unlink(path);
}

UNIT(source)
{
    if (!scratch_open(u))
        return;
    reads_files(u);
    refuses_a_changed_file(u);
    scratch_close(u);
}
