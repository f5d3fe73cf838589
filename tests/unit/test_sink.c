/* Output files appear whole or not at all. */
#include "io/sink.h"

#include "child.h"
#include "io/temporary.h"
#include "said.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void makes_and_replaces(unit *u)
{
    err e;
    mode_t umask_before = umask(027);
    CHECK(u, scratch_write(scratch_path("new"), "first", &e));
    CHECK(u, scratch_holds("new", "first"));
    CHECK(u, scratch_mode("new") == (S_IFREG | 0640));
    chmod(scratch_path("new"), 0755);
    CHECK(u, scratch_write(scratch_path("new"), "", &e));
    CHECK(u, scratch_holds("new", ""));
    CHECK(u, scratch_mode("new") == (S_IFREG | 0755));
    umask(umask_before);
    CHECK(u, scratch_count() == 1);
    unlink(scratch_path("new"));
}

/* Until it is closed, the file is what it was; a bare name lies in the current folder. */
static void appears_whole(unit *u)
{
    sink s;
    err e = {0};
    char *before = getcwd(NULL, 0);
    scratch_put("old", "old", 0600);
    CHECK(u, chdir(scratch_folder()) == 0 && sink_open(&s, "old", &e));
    CHECK(u, scratch_mode(s.temporary) == (S_IFREG | 0600));
    text_add_repeated(sink_text(&s), "x", 1000000);
    CHECK(u, sink_spill(&s, &e) && sink_text(&s)->length == 0); /* that much is written at once */
    text_add_string(sink_text(&s), "y");
    CHECK(u, sink_spill(&s, &e) && sink_text(&s)->length == 1); /* and so little is not */
    CHECK(u, scratch_holds("old", "old"));
    CHECK(u, scratch_count() == 2);
    CHECK(u, sink_close(&s, &e));
    CHECK(u, scratch_count() == 1);
    struct stat status;
    CHECK(u, stat("old", &status) == 0 && status.st_size == 1000001);
    sink_discard(&s);
    CHECK(u, sink_close(&s, &e)); /* closed already: nothing to do */
    CHECK(u, chdir(before) == 0);
    free(before);
    unlink(scratch_path("old"));
}

static void forgets(unit *u)
{
    sink s;
    err e = {0};
    scratch_put("old", "old", 0600);
    CHECK(u, sink_open(&s, scratch_path("old"), &e));
    text_add_repeated(sink_text(&s), "x", 1000000);
    CHECK(u, sink_spill(&s, &e));
    sink_discard(&s);
    CHECK(u, scratch_holds("old", "old") && scratch_count() == 1);
    sink_discard(&s);
    sink zeroed = {0};
    int input = fcntl(STDIN_FILENO, F_GETFD);
    sink_discard(&zeroed); /* closes no descriptor 0 */
    CHECK(u, fcntl(STDIN_FILENO, F_GETFD) == input);
    unlink(scratch_path("old"));
}

static void limits_open_files(unit *u)
{
    enum { MOST = 32 };
    sink s[MOST], more;
    char name[MOST][SCRATCH_PATH];
    err e = {0};
    for (size_t i = 0; i < MOST; i++) {
        snprintf(name[i], sizeof name[i], "%s/%zu", scratch_folder(), i);
        CHECK(u, sink_open(&s[i], name[i], &e));
    }
    CHECK(u, !sink_open(&more, scratch_path("more"), &e));
    CHECK(u, strstr(said(&e),
                    "/more: is one output file too many: at most 32 are written at once") != NULL);
    sink_discard(&s[7]);
    e = (err){0};
    CHECK(u, sink_open(&more, scratch_path("more"), &e) && sink_close(&more, &e));
    unlink(scratch_path("more"));
    CHECK(u, scratch_count() == MOST - 1);
    for (size_t i = 0; i < MOST; i++)
        sink_discard(&s[i]);
    CHECK(u, scratch_count() == 0);
}

/* What a handler does before a signal ends the program; the rest is what other threads still do. */
static void check_ending(unit *u)
{
    sink s[4];
    old_file old;
    char path_of_old[SCRATCH_PATH];
    err e = {0};
    scratch_put("old", "old", 0600);
    snprintf(path_of_old, sizeof path_of_old, "%s", scratch_path("old"));
    CHECK(u, old_file_open(&old, path_of_old, &e) && sink_open(&s[3], path_of_old, &e));
    s[3].over = &old;
    unlink(path_of_old);
    CHECK(u, sink_open(&s[0], scratch_path("a"), &e) && sink_open(&s[1], scratch_path("b"), &e));
    CHECK(u, scratch_count() == 3);
    temporary_remove_all();
    CHECK(u, scratch_count() == 0);
    CHECK(u, !sink_close(&s[0], &e)); /* what was taken away is not put in place */
    CHECK(u, strstr(said(&e), "/a: cannot be written: No such file or directory") != NULL);
    sink_discard(&s[1]);
    e = (err){0};
    CHECK(u, !sink_close(&s[3], &e)); /* nothing is exchanged for what it replaces */
    CHECK(u, strstr(said(&e), "/old: cannot be written: Interrupted system call") != NULL);
    old_file_close(&old);
    sigset_t before;
    char *path = temporary_take();
    CHECK(u, !temporary_hold(path, &before) && errno == EINTR); /* nothing is put in place */
    temporary_release(path);
    e = (err){0};
    CHECK(u, !sink_open(&s[2], scratch_path("c"), &e)); /* nobody would remove it */
    CHECK(u, strstr(said(&e), "/c: cannot be written: Interrupted system call") != NULL);
    CHECK(u, scratch_count() == 0);
}

static void *remove_all(void *ignored)
{
    temporary_remove_all();
    return ignored;
}

/* A thread that puts its file in place is waited for, as long as it may take. */
static void check_waiting(unit *u)
{
    sigset_t before;
    pthread_t handler;
    char *path = temporary_take();
    int file = temporary_create(path, scratch_path("a"), 0600);
    CHECK(u, file >= 0 && temporary_hold(path, &before));
    CHECK(u, pthread_create(&handler, NULL, remove_all, NULL) == 0);
    poll(NULL, 0, 20);
    CHECK(u, scratch_count() == 1);
    temporary_let_go(path, &before);
    pthread_join(handler, NULL);
    CHECK(u, scratch_count() == 0);
    close(file);
}

static size_t waits;
static bool is_quick; /* no time passes while something is waited for */

extern int __wrap_poll(struct pollfd *of, nfds_t count, int milliseconds);
extern int __real_poll(struct pollfd *of, nfds_t count, int milliseconds);

int __wrap_poll(struct pollfd *of, nfds_t count, int milliseconds)
{
    waits++;
    return is_quick ? 0 : __real_poll(of, count, milliseconds);
}

/* What takes longer than a second is not waited for, and its file may be another's by then. */
static void check_waiting_ends(unit *u)
{
    sigset_t before;
    char *path = temporary_take();
    int file = temporary_create(path, scratch_path("a"), 0600);
    CHECK(u, file >= 0 && temporary_hold(path, &before));
    is_quick = true;
    temporary_remove_all();
    CHECK(u, waits == 1000 && scratch_count() == 1);
    temporary_let_go(path, &before);
    close(file);
    CHECK(u, unlink(path) == 0);
}

/* In a process of its own: no file can be written after it. */
static void ends_without_temporaries(unit *u, void (*check)(unit *u))
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        unit own = {.test = u->test}; /* the counts that are shared stay as they are */
        check(&own);
        _exit(own.failed > 0);
    }
    CHECK(u, child_ended_well(child));
}

static void writes_to_memory(unit *u)
{
    sink s;
    err e = {0};
    sink_open_memory(&s);
    text_add_repeated(sink_text(&s), "abcdefgh", 100000);
    CHECK(u, sink_spill(&s, &e) && sink_close(&s, &e));
    CHECK(u, sink_text(&s)->length == 800000);
    sink_text(&s)->failed = true;
    CHECK(u, !sink_spill(&s, &e) && !sink_close(&s, &e));
    CHECK_TEXT(u, said(&e), "out of memory: 800000 bytes could not be had");
    sink_discard(&s);
    CHECK(u, s.pending.data == NULL);
}

/* A writer that found no memory for its text must not leave a file with a hole in it. */
static void refuses_lost_text(unit *u)
{
    sink s;
    err e = {0};
    CHECK(u, sink_open(&s, scratch_path("f"), &e));
    text_add_string(sink_text(&s), "abc");
    sink_text(&s)->failed = true;
    CHECK(u, !sink_spill(&s, &e) && !sink_close(&s, &e));
    CHECK_TEXT(u, said(&e), "out of memory: 3 bytes could not be had");
    CHECK(u, scratch_count() == 0);
}

UNIT(sink)
{
    if (!scratch_open(u))
        return;
    makes_and_replaces(u);
    appears_whole(u);
    forgets(u);
    limits_open_files(u);
    ends_without_temporaries(u, check_ending);
    ends_without_temporaries(u, check_waiting);
    ends_without_temporaries(u, check_waiting_ends);
    writes_to_memory(u);
    refuses_lost_text(u);
    scratch_close(u);
}
