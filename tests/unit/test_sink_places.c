/* Where an output file may lie: links, folders that are none, names that are too long, and what
 * permissions say. */
#include "io/source.h"

#include "child.h"
#include "said.h"
#include "io/sink.h"
#include "scratch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static void follows_links(unit *u)
{
    err e;
    mkdir(scratch_path("sub"), 0700);
    scratch_put("sub/real", "old", 0600);
    CHECK(u, symlink("sub/real", scratch_path("link")) == 0);
    CHECK(u, symlink(scratch_path("link"), scratch_path("absolute")) == 0);
    CHECK(u, symlink("sub/coming", scratch_path("dangling")) == 0);
    CHECK(u, symlink("loop", scratch_path("loop")) == 0);
    CHECK(u, scratch_write(scratch_path("absolute"), "new", &e));
    CHECK(u,
          scratch_mode("absolute") == (S_IFLNK | 0777) && scratch_mode("link") == (S_IFLNK | 0777));
    CHECK(u, scratch_holds("sub/real", "new"));
    CHECK(u, scratch_write(scratch_path("dangling"), "made", &e));
    CHECK(u, scratch_mode("dangling") == (S_IFLNK | 0777) && scratch_holds("sub/coming", "made"));
    scratch_refuses(u, scratch_path("loop"), "Too many levels of symbolic links");
    static const char *const NAMES[] = {"link", "absolute", "dangling",
                                        "loop", "sub/real", "sub/coming"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        unlink(scratch_path(NAMES[i]));
    CHECK(u, rmdir(scratch_path("sub")) == 0);
}

static void refuses_places(unit *u)
{
    err e;
    char path[5000], *before = getcwd(NULL, 0);
    scratch_refuses(u, scratch_path("no/such"), "No such file or directory");
    scratch_refuses(u, scratch_folder(), "Is a directory");
    scratch_put("file", "old", 0600);
    scratch_refuses(u, scratch_path("file/below"), "Not a directory");
    unlink(scratch_path("file"));
    scratch_refuses(u, "/dev/full", "No space left on device");
    /* The longest name that a folder allows, and one more. */
    memset(path, 'n', sizeof path);
    path[256] = '\0';
    scratch_refuses(u, path, "File name too long");
    path[255] = '\0';
    CHECK(u, chdir(scratch_folder()) == 0);
    CHECK(u, scratch_write(path, "new", &e) && unlink(path) == 0);
    CHECK(u, chdir(before) == 0);
    path[255] = path[256] = 'n';
    path[4999] = '\0';
    CHECK(u, !scratch_write(path, "new", &e));
    CHECK(u, strstr(said(&e), "cannot be written: File name too long") != NULL);
    CHECK(u, scratch_count() == 0);
    free(before);
}

/* `begin`, and then slashes (as good as one) up to an "f" that makes it `length` bytes. */
static void fill_path(char *path, const char *begin, size_t length)
{
    size_t begun = strlen(begin);
    memcpy(path, begin, begun);
    memset(path + begun, '/', length - begun);
    path[length - 1] = 'f';
    path[length] = '\0';
}

/* What a killed run left is removed with the next file; what only has such a name stays. */
static void sweeps_up(unit *u)
{
    err e;
    scratch_put(".selfattn-0123456789abcdef.tmp", "left", 0600);
    CHECK(u, symlink("nowhere", scratch_path(".selfattn-fedcba9876543210.tmp")) == 0);
    scratch_put(".selfattn-0123456789abcdef.txt", "another", 0600);
    /* One that somebody writes is locked. */
    scratch_put(".selfattn-0000000000000001.tmp", "held", 0600);
    int held = open(scratch_path(".selfattn-0000000000000001.tmp"), O_RDONLY);
    CHECK(u, held >= 0 && flock(held, LOCK_EX) == 0);
    if (getuid() == 0) {
        scratch_put(".selfattn-0000000000000002.tmp", "another's", 0600);
        CHECK(u, chown(scratch_path(".selfattn-0000000000000002.tmp"), 65533, (gid_t)-1) == 0);
    }
    CHECK(u, scratch_write(scratch_path("new"), "new", &e));
    CHECK(u, scratch_mode(".selfattn-0123456789abcdef.tmp") == 0);
    CHECK(u, scratch_mode(".selfattn-fedcba9876543210.tmp") == (S_IFLNK | 0777));
    CHECK(u, scratch_holds(".selfattn-0123456789abcdef.txt", "another"));
    CHECK(u, scratch_holds(".selfattn-0000000000000001.tmp", "held"));
    CHECK(u, getuid() != 0 || scratch_holds(".selfattn-0000000000000002.tmp", "another's"));
    close(held);
    unlink(scratch_path(".selfattn-0123456789abcdef.txt"));
    unlink(scratch_path(".selfattn-0000000000000001.tmp"));
    unlink(scratch_path(".selfattn-0000000000000002.tmp"));
    unlink(scratch_path(".selfattn-fedcba9876543210.tmp"));
    unlink(scratch_path("new"));
    CHECK(u, scratch_count() == 0);
}

/* A path may have 4095 bytes: the target does, its neighbour would not; a link's text does, beside
 * its folder it would not. */
static void refuses_long_paths(unit *u)
{
    char path[4096];
    err e;
    fill_path(path, scratch_folder(), 4090);
    CHECK(u, !scratch_write(path, "new", &e));
    CHECK(u, strstr(said(&e), "//") != NULL &&
                 strstr(e.what, "cannot be written: File name too long") != NULL);
    fill_path(path, ".", 4090);
    CHECK(u, symlink(path, scratch_path("link")) == 0);
    scratch_refuses(u, scratch_path("link"), "File name too long");
    unlink(scratch_path("link"));
    CHECK(u, scratch_count() == 0);
}

/* Runs `work` as a user without rights in a process of its own; tests of permissions mean nothing
 * to root. */
static bool as_nobody(bool (*work)(void))
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        bool ready = getuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
        _exit(ready && work() ? 0 : 1);
    }
    return child_ended_well(child);
}

static bool reading_is_denied(void)
{
    source s;
    err e = {0};
    return !source_open(&s, scratch_path("secret"), SIZE_MAX, &e) &&
           strstr(said(&e), "/secret: cannot be read: Permission denied");
}

static bool writing_is_denied(void)
{
    err e;
    return !scratch_write(scratch_path("readonly"), "new", &e) &&
           strstr(said(&e), "/readonly: cannot be written: Permission denied");
}

static bool folder_is_denied(void)
{
    err e;
    return !scratch_write(scratch_path("open"), "new", &e) &&
           strstr(said(&e), "/open: cannot be written: Permission denied | it is made anew next to "
                            "the old one, so its folder must be writable too");
}

static void heeds_permissions(unit *u)
{
    chmod(scratch_folder(), 0777);
    scratch_put("secret", "s", 0);
    scratch_put("readonly", "old", 0444);
    CHECK(u, as_nobody(reading_is_denied));
    CHECK(u, as_nobody(writing_is_denied)); /* though renaming over it is allowed there */
    CHECK(u, scratch_holds("readonly", "old"));
    scratch_put("open", "old", 0666);
    chmod(scratch_folder(), 0555); /* for root this is as good as 0777 */
    CHECK(u, as_nobody(folder_is_denied));
    CHECK(u, scratch_holds("open", "old"));
    chmod(scratch_folder(), 0700);
    unlink(scratch_path("open"));
    unlink(scratch_path("secret"));
    unlink(scratch_path("readonly"));
}

static bool anybody_may_write(void)
{
    err e;
    return scratch_write(scratch_path("lent"), "new", &e);
}

/* Root keeps all of a file that is somebody else's; somebody else becomes its owner, and no program
 * of root's. */
static void keeps_owners(unit *u)
{
    err e;
    struct stat status;
    if (getuid() != 0)
        return;
    scratch_put("lent", "old", 0600);
    CHECK(u, chown(scratch_path("lent"), 65533, 65532) == 0 &&
                 chmod(scratch_path("lent"), 06771) == 0);
    CHECK(u, scratch_write(scratch_path("lent"), "new", &e));
    CHECK(u, scratch_mode("lent") == (S_IFREG | 06771));
    CHECK(u, stat(scratch_path("lent"), &status) == 0 && status.st_uid == 65533 &&
                 status.st_gid == 65532);
    chmod(scratch_folder(), 0777);
    CHECK(u, chmod(scratch_path("lent"), 06776) == 0 && as_nobody(anybody_may_write));
    CHECK(u, stat(scratch_path("lent"), &status) == 0 && status.st_uid == 65534 &&
                 status.st_gid == 65534);
    CHECK(u, scratch_mode("lent") == (S_IFREG | 0766));
    /* Whose file it is may be another one of the same group. */
    CHECK(u, chown(scratch_path("lent"), 65533, 65534) == 0 &&
                 chmod(scratch_path("lent"), 06660) == 0 && as_nobody(anybody_may_write));
    CHECK(u, scratch_mode("lent") == (S_IFREG | 0660));
    CHECK(u, chown(scratch_path("lent"), 0, 65532) == 0 && chmod(scratch_path("lent"), 0640) == 0 &&
                 scratch_write(scratch_path("lent"), "old", &e));
    CHECK(u, stat(scratch_path("lent"), &status) == 0 && status.st_uid == 0 &&
                 status.st_gid == 65532 && scratch_mode("lent") == (S_IFREG | 0640));
    chmod(scratch_folder(), 0700);
    unlink(scratch_path("lent"));
}

UNIT(sink_places)
{
    if (!scratch_open(u))
        return;
    sweeps_up(u);
    follows_links(u);
    CHECK(u, !sink_shares_file(scratch_path("no/a"), scratch_path("none/a")));
    refuses_places(u);
    refuses_long_paths(u);
    heeds_permissions(u);
    keeps_owners(u);
    scratch_close(u);
}
