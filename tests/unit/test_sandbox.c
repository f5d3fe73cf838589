/* Breaking out: what a hole in the program would be used for, tried from inside. */
#define _GNU_SOURCE /* syscall */
#include "cli/line/env.h"
#include "cli/line/options.h"

#include "child.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Paths: of an input, an output and their folder, and of a file elsewhere and its folder. */
static char input[SCRATCH_PATH], output[SCRATCH_PATH], other[SCRATCH_PATH], folder[64];

enum { NOT_HERE = 77 };

static int shut(bool (*is_shut)(void))
{
    char *words[] = {"selfattn", "-o", output, input};
    options o;
    err e = {0};
    int landlock = (int)syscall(444, NULL, 0, 1);
    if (!options_parse(&o, 4, words, GROUP_OUTPUT | GROUP_INPUT, "run", &e))
        return 1;
    sandbox_enter(&o, NULL);
    options_free(&o);
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 || prctl(PR_GET_SECCOMP) != 2 || landlock < 1)
        return NOT_HERE;
    return is_shut() ? 0 : 1;
}

/* In a process of its own, since there is no way back. */
static void check_shut(unit *u, bool (*is_shut)(void), const char *what)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(shut(is_shut));
    int status = child_status(child);
    if (status == NOT_HERE)
        unit_skip(u, "this system can't shut a process in");
    else
        unit_check(u, status == 0, __FILE__, __LINE__, what);
}

static bool is_refused(int result, int reason)
{
    return result < 0 && errno == reason;
}

static bool reads_and_writes(void)
{
    err e = {0};
    int in = open(input, O_RDONLY);
    return in >= 0 && scratch_write(output, "new", &e) && scratch_write(output, "newer", &e);
}

static bool opens_no_other(void)
{
    char path[SCRATCH_PATH + 8];
    snprintf(path, sizeof path, "%s/new", folder);
    return is_refused(open(other, O_RDONLY), EACCES) && is_refused(open(other, O_WRONLY), EACCES) &&
           is_refused(open(path, O_WRONLY | O_CREAT, 0600), EACCES) &&
           is_refused(open(folder, O_RDONLY), EACCES) && is_refused(unlink(other), EACCES) &&
           is_refused(rename(output, path), EACCES) &&
           is_refused(open("/etc/passwd", O_RDONLY), EACCES) &&
           is_refused(open("/proc/self/mem", O_RDWR), EACCES);
}

static void *try_from_thread(void *is_shut)
{
    *(bool *)is_shut = opens_no_other() && is_refused(socket(AF_INET, SOCK_STREAM, 0), EPERM);
    return NULL;
}

static bool threads_are_shut_in(void)
{
    bool is_shut = false;
    pthread_t thread;
    return pthread_create(&thread, NULL, try_from_thread, &is_shut) == 0 &&
           pthread_join(thread, NULL) == 0 && is_shut;
}

static bool starts_nothing(void)
{
    char *words[] = {"true", NULL};
    return is_refused(execv("/bin/true", words), EPERM) &&
           is_refused((int)syscall(SYS_execveat, AT_FDCWD, "/bin/true", words, NULL, 0), EPERM);
}

static bool connects_to_nothing(void)
{
    int pair[2];
    return is_refused(socket(AF_INET, SOCK_STREAM, 0), EPERM) &&
           is_refused(socket(AF_UNIX, SOCK_STREAM, 0), EPERM) &&
           is_refused(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), EPERM) &&
           is_refused((int)syscall(425, 8, NULL), EPERM); /* io_uring_setup */
}

static bool looks_into_nothing(void)
{
    return is_refused((int)ptrace(PTRACE_ATTACH, getppid(), NULL, NULL), EPERM) &&
           is_refused((int)syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0), EPERM);
}

UNIT(sandbox)
{
    char template[] = "/tmp/selfattn-other-XXXXXX";
    if (!scratch_open(u) || !CHECK(u, mkdtemp(template) != NULL))
        return;
    snprintf(folder, sizeof folder, "%s", template);
    snprintf(other, sizeof other, "%s/secret", folder);
    snprintf(input, sizeof input, "%s", scratch_path("in.json"));
    snprintf(output, sizeof output, "%s", scratch_path("out.json"));
    scratch_put("in.json", "{}", 0600);
    FILE *secret = fopen(other, "w");
    CHECK(u, secret != NULL && fclose(secret) == 0);
    check_shut(u, reads_and_writes, "what is named is read and written");
    check_shut(u, opens_no_other, "no other file is opened");
    check_shut(u, threads_are_shut_in, "nor by a thread that is started later");
    check_shut(u, starts_nothing, "no program is started");
    check_shut(u, connects_to_nothing, "there are no sockets");
    check_shut(u, looks_into_nothing, "no other process is looked into");
    CHECK(u, open(other, O_RDONLY) >= 0); /* the hole was in the children alone */
    unlink(other);
    rmdir(folder);
    unlink(input);
    unlink(output);
    scratch_close(u);
}
