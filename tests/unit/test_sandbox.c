/* Breaking out: what a hole in the program would be used for, tried from inside. */
#define _GNU_SOURCE /* syscall */
#include "cli/command.h"

#include "child.h"
#include "cli/line/env.h"
#include "cli/line/options.h"
#include "cli/line/options_parse.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

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

/* In a process of its own, since there is no way back. False where that can't be done. */
static bool check_shut(unit *u, bool (*is_shut)(void), const char *what)
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
    return status != NOT_HERE;
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

static bool changes_its_own(void)
{
    int file = open(output, O_RDWR);
    const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 2}};
    struct stat now;
    return file >= 0 && fchmod(file, 0640) == 0 && fchown(file, getuid(), getgid()) == 0 &&
           futimens(file, times) == 0 && fstat(file, &now) == 0 && now.st_mtime == 2 &&
           (now.st_mode & 0777) == 0640 && raise(SIGURG) == 0 && kill(getpid(), SIGURG) == 0 &&
           getrlimit(RLIMIT_STACK, &(struct rlimit){0}) == 0;
}

/* ---- each call that reaches out of the process, tried alone ---- */

static pid_t target; /* another process of the same user, which waits */
static int target_file, terminal;

/* Each gives what the call gave. */
static long try_chmod(void)
{
    return chmod(other, 0777);
}
static long try_fchmodat(void)
{
    return fchmodat(AT_FDCWD, other, 0777, 0);
}
static long try_fchmodat2(void)
{
    return syscall(452, AT_FDCWD, other, 0777, 0);
}
static long try_chown(void)
{
    return chown(other, getuid(), (gid_t)-1);
}
static long try_lchown(void)
{
    return lchown(other, getuid(), (gid_t)-1);
}
static long try_fchownat(void)
{
    return fchownat(AT_FDCWD, other, getuid(), (gid_t)-1, 0);
}
static long try_utime(void)
{
    return utime(other, NULL);
}
static long try_utimes(void)
{
    return utimes(other, NULL);
}
static long try_utimensat(void)
{
    return utimensat(AT_FDCWD, other, NULL, 0);
}
static long try_setxattr(void)
{
    return setxattr(other, "user.a", "b", 1, 0);
}
static long try_lsetxattr(void)
{
    return lsetxattr(other, "user.a", "b", 1, 0);
}
static long try_removexattr(void)
{
    return removexattr(other, "user.a");
}
static long try_lremovexattr(void)
{
    return lremovexattr(other, "user.a");
}
static long try_kill(void)
{
    return kill(target, SIGURG);
}
static long try_tkill(void)
{
    return syscall(SYS_tkill, target, SIGURG);
}
static long try_tgkill(void)
{
    return syscall(SYS_tgkill, target, target, SIGURG);
}
static long try_pidfd_signal(void)
{
    return syscall(424, target_file, SIGURG, NULL, 0);
}
static long try_owner(void)
{
    return fcntl(STDERR_FILENO, F_SETOWN, target);
}
static long try_signal_of_owner(void)
{
    return fcntl(STDERR_FILENO, F_SETSIG, 0);
}
static long try_prlimit(void)
{
    return syscall(SYS_prlimit64, target, RLIMIT_CORE, NULL, NULL);
}
static long try_priority(void)
{
    return setpriority(PRIO_PROCESS, (id_t)target, 1);
}
static long try_typing(void)
{
    return ioctl(terminal, TIOCSTI, "x");
}
static long try_unshare(void)
{
    return unshare(CLONE_FS);
}
static long try_chroot(void)
{
    return chroot("/");
}

static long try_queue(void)
{
    siginfo_t what = {.si_signo = SIGURG, .si_code = SI_QUEUE};
    return syscall(SYS_rt_sigqueueinfo, target, SIGURG, &what);
}

static long try_thread_queue(void)
{
    siginfo_t what = {.si_signo = SIGURG, .si_code = SI_QUEUE};
    return syscall(SYS_rt_tgsigqueueinfo, target, target, SIGURG, &what);
}

static long try_affinity(void)
{
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    return sched_setaffinity(target, sizeof all, &all);
}

static long try_scheduler(void)
{
    return sched_setscheduler(target, SCHED_BATCH, &(struct sched_param){0});
}

static long end_child(pid_t child)
{
    if (child == 0)
        _exit(0);
    return child < 0 ? -1 : child_status(child);
}

static long try_fork(void)
{
    return end_child(fork());
}
static long try_clone(void)
{
    return end_child((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

static long try_shared_memory(void)
{
    int id = shmget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    return id < 0 ? -1 : shmctl(id, IPC_RMID, NULL);
}

static const struct {
    const char *name;
    long (*call)(void);
    bool is_roots;
} ATTEMPTS[] = {
    {"chmod", try_chmod, false},
    {"fchmodat", try_fchmodat, false},
    {"fchmodat2", try_fchmodat2, false},
    {"chown", try_chown, false},
    {"lchown", try_lchown, false},
    {"fchownat", try_fchownat, false},
    {"utime", try_utime, false},
    {"utimes", try_utimes, false},
    {"utimensat", try_utimensat, false},
    {"setxattr", try_setxattr, false},
    {"lsetxattr", try_lsetxattr, false},
    {"removexattr", try_removexattr, false},
    {"lremovexattr", try_lremovexattr, false},
    {"kill", try_kill, false},
    {"tkill", try_tkill, false},
    {"tgkill", try_tgkill, false},
    {"rt_sigqueueinfo", try_queue, false},
    {"rt_tgsigqueueinfo", try_thread_queue, false},
    {"pidfd_send_signal", try_pidfd_signal, false},
    {"F_SETOWN", try_owner, false},
    {"F_SETSIG", try_signal_of_owner, false},
    {"prlimit", try_prlimit, false},
    {"setpriority", try_priority, false},
    {"sched_setaffinity", try_affinity, false},
    {"sched_setscheduler", try_scheduler, false},
    {"TIOCSTI", try_typing, true},
    {"fork", try_fork, false},
    {"clone", try_clone, false},
    {"unshare", try_unshare, false},
    {"chroot", try_chroot, true},
    {"shmget", try_shared_memory, false},
};

static long (*attempt)(void);

static bool is_attempt_refused(void)
{
    errno = 0;
    return attempt() < 0 && errno == EPERM;
}

static void become(uid_t user)
{
    if (user != getuid() && (setgroups(0, NULL) < 0 || setgid(user) < 0 || setuid(user) < 0))
        _exit(1);
}

static int try_in_child(uid_t user, bool is_shut_in)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        become(user);
        _exit(is_shut_in ? shut(is_attempt_refused) : is_attempt_refused());
    }
    return child_status(child);
}

/* What is refused inside is done outside: else an attempt would show nothing. */
static void check_attempts(unit *u, uid_t user)
{
    target = fork();
    if (target == 0) {
        become(user);
        for (;;)
            pause();
    }
    target_file = (int)syscall(434, target, 0); /* pidfd_open */
    terminal = posix_openpt(O_RDWR | O_NOCTTY);
    for (size_t i = 0; i < sizeof ATTEMPTS / sizeof ATTEMPTS[0]; i++) {
        char claim[80];
        if (ATTEMPTS[i].is_roots && user != 0)
            continue;
        attempt = ATTEMPTS[i].call;
        snprintf(claim, sizeof claim, "user %u: %s is refused", (unsigned)user, ATTEMPTS[i].name);
        unit_check(u, try_in_child(user, true) == 0, __FILE__, __LINE__, claim);
        snprintf(claim, sizeof claim, "user %u: %s is not, outside", (unsigned)user,
                 ATTEMPTS[i].name);
        unit_check(u, try_in_child(user, false) == 0, __FILE__, __LINE__, claim);
    }
    kill(target, SIGKILL);
    waitpid(target, NULL, 0);
    close(target_file);
    close(terminal);
}

/* ---- a kernel that takes no rules ---- */

/* A call by this number fails as one that the kernel does not know. */
static bool take_away(unsigned number)
{
    struct {
        uint16_t code;
        uint8_t if_true, if_false;
        uint32_t k;
    } step[] = {{0x20, 0, 0, 0},
                {0x15, 0, 1, number},
                {0x06, 0, 0, 0x00050000 | ENOSYS},
                {0x06, 0, 0, 0x7fff0000}};
    struct {
        uint16_t count;
        const void *step;
    } filter = {4, step};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, 2, &filter, 0, 0) == 0;
}

static bool says_that_it_is_open(void)
{
    char *words[] = {"selfattn", "run", "-o", output, input, NULL};
    char *said = NULL;
    size_t length = 0;
    env world;
    env_open(&world);
    world.err = open_memstream(&said, &length);
    int status = cli_main(5, words, &world);
    fclose(world.err);
    return status == EXIT_DONE && open(other, O_RDONLY) >= 0 &&
           strcmp(said,
                  "selfattn: note: the system can't restrict which files are opened (Landlock: "
                  "Function not implemented)\n") == 0;
}

static void check_without_rules(unit *u)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(!take_away(445) || !says_that_it_is_open());
    CHECK(u, child_status(child) == 0);
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
    bool is_here = check_shut(u, reads_and_writes, "what is named is read and written");
    check_shut(u, opens_no_other, "no other file is opened");
    check_shut(u, threads_are_shut_in, "nor by a thread that is started later");
    check_shut(u, starts_nothing, "no program is started");
    check_shut(u, connects_to_nothing, "there are no sockets");
    check_shut(u, looks_into_nothing, "no other process is looked into");
    check_shut(u, changes_its_own, "what is opened has its mode, owner and times set");
    if (is_here)
        check_attempts(u, getuid());
    if (is_here && getuid() == 0) {
        enum { ANOTHER = 65534 };
        CHECK(u, chown(folder, ANOTHER, ANOTHER) == 0 && chown(other, ANOTHER, ANOTHER) == 0);
        check_attempts(u, ANOTHER);
    }
    scratch_put("in.json", "{\"x\": [[1]]}", 0600);
    if (is_here)
        check_without_rules(u);
    CHECK(u, open(other, O_RDONLY) >= 0); /* the hole was in the children alone */
    unlink(other);
    rmdir(folder);
    unlink(input);
    unlink(output);
    scratch_close(u);
}
