/* A file that is to be replaced: what others do to it meanwhile is seen. */
#include "io/source.h"

#include "scratch.h"
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_seen(unit *u, void (*change)(void))
{
    char path[SCRATCH_PATH];
    err e = {0};
    old_file old;
    snprintf(path, sizeof path, "%s", scratch_path("old"));
    scratch_put("old", "before", 0600);
    CHECK(u, old_file_open(&old, path, &e) && old_file_check(&old, path, &e));
    change();
    bool is_same = old_file_check(&old, path, &e);
    old_file_close(&old);
    CHECK_TEXT(u, e.what, "was changed by another program meanwhile");
    CHECK_TEXT(u, e.remedy, "it stays as that program wrote it; run the command again");
    return !is_same;
}

static void write_as_long(void)
{
    scratch_put("old", "after", 0600);
}

static void write_longer(void)
{
    scratch_put("old", "before and after", 0600);
}

static void replace(void)
{
    scratch_put("new", "before", 0600);
    (void)!rename(scratch_path("new"), scratch_path("old"));
}

static void take_away(void)
{
    unlink(scratch_path("old"));
}

static void change_mode(void)
{
    chmod(scratch_path("old"), 0640);
}

static void change_owner(void)
{
    (void)!chown(scratch_path("old"), 65533, (gid_t)-1);
}

static void change_group(void)
{
    (void)!chown(scratch_path("old"), (uid_t)-1, 65532);
}

static void give_another_name(void)
{
    (void)!link(scratch_path("old"), scratch_path("other"));
}

/* Its numbers may be another file's on another system of files; and of what was read, some may not
 * be there any more, though nothing says that it was written. */
static void is_known_by_all(unit *u)
{
    char path[SCRATCH_PATH];
    err e = {0};
    old_file old;
    snprintf(path, sizeof path, "%s", scratch_path("old"));
    scratch_put("old", "before", 0600);
    CHECK(u, old_file_open(&old, path, &e));
    struct stat other = old.seen;
    CHECK(u, old_file_is_unchanged(&old.seen, &other));
    other.st_dev++;
    CHECK(u, !old_file_is_unchanged(&old.seen, &other));
    old.read.length--;
    CHECK(u, !old_file_check(&old, path, &e));
    old_file_close(&old);
}

UNIT(old_file)
{
    if (!scratch_open(u))
        return;
    is_known_by_all(u);
    CHECK(u, is_seen(u, write_as_long));
    CHECK(u, is_seen(u, write_longer));
    CHECK(u, is_seen(u, replace));
    CHECK(u, is_seen(u, take_away));
    CHECK(u, is_seen(u, change_mode));
    CHECK(u, is_seen(u, give_another_name));
    unlink(scratch_path("other"));
    if (getuid() == 0) {
        CHECK(u, is_seen(u, change_owner));
        unlink(scratch_path("old"));
        CHECK(u, is_seen(u, change_group));
    }
    unlink(scratch_path("old"));
    scratch_close(u);
}
