/* Runs a program and says how much anonymous memory it had at most: `peak FILE COMMAND…` writes
 * the kilobytes into FILE, and ends as the command does.
 *
 * Such memory becomes less by a few system calls only, and by the end: what is there before each of
 * them is looked at, so no peak is missed, however short. Pages of files that are mapped are none
 * of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/ptrace.h>

static long anonymous_of(pid_t process)
{
    char path[64], line[256];
    long kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *status = fopen(path, "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        sscanf(line, "RssAnon: %ld", &kilobytes);
    if (status != NULL)
        fclose(status);
    return kilobytes;
}

static bool may_give_back(pid_t thread)
{
    static const long CALLS[] = {
        SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_exit_group, SYS_exit,
#ifdef SYS_mmap
        SYS_mmap,
#endif
#ifdef SYS_mmap2 /* mmap, on machines of 32 bits */
        SYS_mmap2,
#endif
    };
    struct ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0 ||
        info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return false;
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
        if (info.entry.nr == (unsigned long long)CALLS[i])
            return true;
    }
    return false;
}

/* The signal that a stopped thread goes on with. */
static int signal_of(int status)
{
    int number = WSTOPSIG(status);
    bool is_ours = number == (SIGTRAP | 0x80) || number == SIGSTOP || status >> 16 != 0;
    return is_ours ? 0 : number;
}

/* Until the process itself ends: its status. */
static int follow(pid_t process, long *most)
{
    int status;
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno != EINTR)
            return EXIT_FAILURE;
        if (thread == process && (WIFEXITED(status) || WIFSIGNALED(status)))
            return status;
        if (thread < 0 || !WIFSTOPPED(status))
            continue;
        if (WSTOPSIG(status) != (SIGTRAP | 0x80) || may_give_back(thread)) {
            long now = anonymous_of(process);
            *most = now > *most ? now : *most;
        }
        ptrace(PTRACE_SYSCALL, thread, NULL, signal_of(status));
    }
}

int main(int argc, char **argv)
{
    long most = 0;
    int status;
    if (argc < 3)
        return EXIT_FAILURE;
    pid_t process = fork();
    if (process == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    waitpid(process, &status, 0);
    if (ptrace(PTRACE_SETOPTIONS, process, NULL,
               PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
                   PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL) != 0) {
        perror("peak");
        return EXIT_FAILURE;
    }
    ptrace(PTRACE_SYSCALL, process, NULL, NULL);
    status = follow(process, &most);
    FILE *to = fopen(argv[1], "w");
    if (to == NULL)
        return EXIT_FAILURE;
    fprintf(to, "%ld\n", most);
    fclose(to);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
