#define _GNU_SOURCE /* O_PATH, F_SETSIG, syscall */
#include "cli/line/options.h"

#if !defined __linux__ || defined NO_SANDBOX

int sandbox_enter(const options *o, const char *written)
{
    (void)o, (void)written;
    return 0;
}

#else

#include "base/path.h"
#include "cli/line/options_parse.h"
#include "io/sink.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Numbers of Linux's that its headers here may be too old for, or that are not here at all. */

/* ---- files (Linux: Documentation/userspace-api/landlock.rst) ---- */

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 }; /* on every machine below */
enum { ASK_VERSION = 1, BELOW_PATH = 1 };

enum {
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_FOLDER = 1 << 3,
    REMOVE_FILE = 1 << 5,
    MAKE_FOLDER = 1 << 7,
    MAKE_FILE = 1 << 8,
    ALL = (1 << 13) - 1,
    TRUNCATE = 1 << 14 /* from version 3 */
};

/* What a process of the rules may do to those that have none of them. */
enum { SIGNALS = 1 << 1 /* from version 6 */ };

enum {
    READ = READ_FILE | READ_FOLDER,
    WRITE = READ | WRITE_FILE | REMOVE_FILE | MAKE_FOLDER | MAKE_FILE,
    OF_ONE_FILE = READ_FILE | WRITE_FILE /* of these, what may be said of what is not a folder */
};

struct rule {
    uint64_t rights;
    int32_t path;
} __attribute__((packed));

struct handled {
    uint64_t files, net, scopes;
};

typedef struct ruleset {
    int descriptor;
    int reason; /* why the kernel did not take a rule; 0: it took all */
} ruleset;

/* Returns whether the path exists. A pipe that a shell made lies in no folder: it takes no rule
 * (EBADFD) and needs none. */
static bool allow(ruleset *rules, const char *path, unsigned rights)
{
    struct stat status = {0};
    struct rule rule = {rights, open(path, O_PATH | O_CLOEXEC)};
    if (rule.path < 0)
        return false;
    fstat(rule.path, &status);
    if (!S_ISDIR(status.st_mode))
        rule.rights &= OF_ONE_FILE;
    if (syscall(ADD_RULE, rules->descriptor, BELOW_PATH, &rule, 0) < 0 && errno != EBADFD)
        rules->reason = errno;
    close(rule.path);
    return true;
}

/* A file is made anew in its folder, a folder in the one around it; a device is written itself. */
static void allow_output(ruleset *rules, const char *file)
{
    struct stat status;
    char path[SINK_PATH];
    if (!sink_target(file, path))
        return;
    if (stat(path, &status) < 0 || S_ISREG(status.st_mode)) {
        size_t length = strlen(path);
        while (path[length - 1] == '/') /* of nothing else it is the root, which is there */
            length--;
        while (length > 0 && path[length - 1] != '/')
            length--;
        snprintf(path + length, sizeof path - length, ".");
    }
    allow(rules, path, WRITE);
}

/* FILE, or FILE:NAME. Of one that is not there a neighbour of nearly that name is told. */
static void allow_input(ruleset *rules, const char *file)
{
    char path[SINK_PATH];
    if (!allow(rules, file, READ) &&
        snprintf(path, sizeof path, "%.*s.", (int)path_folder(file), file) < SINK_PATH)
        allow(rules, path, READ_FOLDER);
    for (const char *at = file; (at = strchr(at, ':')) != NULL; at++) {
        if (snprintf(path, sizeof path, "%.*s", (int)(at - file), file) < SINK_PATH)
            allow(rules, path, READ);
    }
}

/* Allows a file, or a folder with all files that its links lead to. A path too long for the buffer
 * is in a folder that is allowed already. */
static void allow_all_of(ruleset *rules, const char *file, file_use use)
{
    void (*allow_it)(ruleset *, const char *) = use == FILE_WRITTEN ? allow_output : allow_input;
    DIR *folder = opendir(file);
    allow_it(rules, file);
    for (struct dirent *one; folder != NULL && (one = readdir(folder)) != NULL;) {
        char path[SINK_PATH];
        snprintf(path, sizeof path, "%s/%s", file, one->d_name);
        if (readlink(path, &(char){0}, 1) > 0)
            allow_it(rules, path);
    }
    if (folder != NULL)
        closedir(folder);
}

/* 0, or why it could not be done. */
static int shut_files(const options *o, const char *written)
{
    long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
    struct handled handled = {.files = version >= 3 ? ALL | TRUNCATE : ALL,
                              .scopes = version >= 6 ? SIGNALS : 0};
    /* A version that does not know a field takes it as long as it is 0. */
    ruleset rules = {.descriptor = (int)syscall(CREATE_RULESET, &handled, sizeof handled, 0)};
    if (rules.descriptor < 0)
        return 0;
    if (o->all != NULL)
        allow_output(&rules, "/dev/null"); /* where its data go */
    if (written != NULL)
        allow_output(&rules, written);
    for (size_t i = 0; i < OPTIONS.count; i++) {
        const option_row *row = option_row_at(i);
        const char *file = option_file(o, row);
        const text_list *several = option_list(o, row);
        if (file != NULL)
            allow_all_of(&rules, file, row->file);
        for (size_t j = 0; row->file != FILE_NONE && several != NULL && j < several->count; j++) {
            const char *said = several->item[j];
            allow_all_of(&rules, row->kind == OPTION_PAIR ? strchr(said, '=') + 1 : said,
                         row->file);
        }
    }
    if (o->bundle != NULL) { /* next to a file of weights its model's config.json is read */
        char path[SINK_PATH];
        const char *slash = strrchr(o->bundle, '/');
        int folder = slash == NULL ? 0 : (int)(slash + 1 - o->bundle);
        if (snprintf(path, sizeof path, "%.*sconfig.json", folder, o->bundle) < SINK_PATH)
            allow(&rules, path, READ);
    }
    for (size_t i = 0; i < o->given_count; i++) {
        const char *file = given_key_file(&o->given[i]);
        if (file != NULL)
            allow_input(&rules, file);
    }
    for (size_t i = 0; i < o->operands; i++)
        allow_all_of(&rules, o->operand[i], o->update ? FILE_WRITTEN : FILE_READ);
    if (rules.reason == 0)
        syscall(RESTRICT_SELF, rules.descriptor, 0);
    close(rules.descriptor);
    return rules.reason;
}

/* ---- system calls (Linux: Documentation/userspace-api/seccomp_filter.rst) ---- */

/* The machine whose numbers the calls have (linux/audit.h), since a process may also use another
 * machine's. 0: no calls are shut. */
#if defined __x86_64__ && !defined __ILP32__
enum { MACHINE = (int)0xc000003e };
#elif defined __aarch64__ && !defined __ILP32__ && !defined __AARCH64EB__
enum { MACHINE = (int)0xc00000b7 };
#elif defined __riscv && __riscv_xlen == 64
enum { MACHINE = (int)0xc00000f3 };
#elif defined __powerpc64__ && defined __LITTLE_ENDIAN__
enum { MACHINE = (int)0xc0000015 };
#elif defined __s390x__
enum { MACHINE = (int)0x80000016 };
#elif defined __i386__
enum { MACHINE = 0x40000003 };
#elif defined __arm__ && defined __ARM_EABI__ && !defined __ARMEB__
enum { MACHINE = 0x40000028 };
#else
enum { MACHINE = 0 };
#endif

/* What is refused with any arguments. Some are not on all machines; newer numbers are the same
 * on all, and some headers have none for them. */
static const uint32_t REFUSED[] = {
    /* other programs, and looks into them */
    SYS_execve, SYS_execveat,
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, 438, /* pidfd_getfd */
    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, 424,              /* pidfd_send_signal */
    SYS_setpriority, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_ioprio_set,
    SYS_migrate_pages, SYS_move_pages, 440, /* process_madvise */
                                            /* memory and messages that others share */
#ifdef SYS_ipc
    SYS_ipc,
#endif
#ifdef SYS_shmget
    SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget,
#endif
    SYS_mq_open,
#ifdef SYS_socket
    SYS_socket, SYS_socketpair,
#endif
#ifdef SYS_socketcall
    SYS_socketcall,
#endif
    /* another view of files */
    SYS_chroot, SYS_pivot_root, SYS_unshare, SYS_setns,
/* what files are, by their names: what is opened may be changed */
#ifdef SYS_chmod
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utimes, SYS_futimesat,
#endif
#ifdef SYS_chown32
    SYS_chown32, SYS_lchown32,
#endif
#ifdef SYS_utime
    SYS_utime,
#endif
    SYS_fchmodat, 452, /* fchmodat2 */
    SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_removexattr, SYS_lremovexattr,
    463, /* setxattrat */
    466, /* removexattrat */
    469, /* file_setattr */
    /* all of these calls, made for us */
    425, /* io_uring_setup */
};

/* What is refused unless, or if, a word of an argument is, or has, this. */
typedef struct asked {
    uint32_t call;
    int argument;
    uint32_t value;
    enum { IS, HAS, IS_NOT, HIGH_IS } test;
} asked;

/* clone3 has its flags in memory, where no filter sees them; the C library then
 * calls clone. */
enum { CLONE_3 = 435, UTIMENSAT_64 = 412, THREAD = 0x10000 };

#ifdef __s390x__
enum { CLONE_FLAGS = 1 };
#else
enum { CLONE_FLAGS = 0 };
#endif

struct step {
    uint16_t code;
    uint8_t if_true, if_false; /* steps to pass over */
    uint32_t number;
};

struct filter {
    uint16_t count;
    const struct step *step;
};

enum { LOAD = 0x20, IS_EQUAL = 0x15, IS_AT_LEAST = 0x35, HAS_BIT = 0x45, END = 0x06 };
enum { CALL = 0, CALLED_MACHINE = 4, ARGUMENTS = 16 }; /* where they lie in what is looked at */
enum { PASS = 0x7fff0000, REFUSE = 0x00050000 | EPERM, UNKNOWN = 0x00050000 | ENOSYS };

/* The calls of x32, which x86-64 takes too, are numbered from here; no other number is as large. */
enum { X32 = 0x40000000 };

/* All threads, and without slowing branches and loads down, as kernels before 5.16 would. */
enum { SET_FILTER = 1, ALL_THREADS = 1, LEAVE_SPEED = 4 };

/* An argument has 64 bits on every machine, in its order of bytes. */
static uint32_t word_of(const asked *a)
{
    bool is_first = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != (a->test == HIGH_IS);
    return ARGUMENTS + 8 * (uint32_t)a->argument + (is_first ? 0 : 4);
}

static void shut_calls(void)
{
    const uint32_t self = (uint32_t)getpid();
    /* A thread, and none that is a process; signals, limits and processors of this process alone;
     * no signal that an open file sends for us; times of a file that is open (futimens); and
     * nothing typed into a terminal. */
    const asked ASKED[] = {
        {SYS_clone, CLONE_FLAGS, THREAD, HAS},
        {SYS_kill, 0, self, IS},
        {SYS_tgkill, 0, self, IS},
        {SYS_tkill, 0, self, IS},
        {SYS_prlimit64, 0, 0, IS},
        {SYS_sched_setaffinity, 0, 0, IS},
        {SYS_utimensat, 1, 0, IS},
        {SYS_utimensat, 1, 0, HIGH_IS},
        {UTIMENSAT_64, 1, 0, IS},
        {SYS_fcntl, 1, F_SETOWN, IS_NOT},
        {SYS_fcntl, 1, F_SETOWN_EX, IS_NOT},
        {SYS_fcntl, 1, F_SETSIG, IS_NOT},
#ifdef SYS_fcntl64
        {SYS_fcntl64, 1, F_SETOWN, IS_NOT},
        {SYS_fcntl64, 1, F_SETOWN_EX, IS_NOT},
        {SYS_fcntl64, 1, F_SETSIG, IS_NOT},
#endif
        {SYS_ioctl, 1, TIOCSTI, IS_NOT},
        {SYS_ioctl, 1, TIOCLINUX, IS_NOT},
    };
    enum { COUNT = sizeof REFUSED / sizeof REFUSED[0], MOST = sizeof ASKED / sizeof ASKED[0] };
    struct step step[5 + COUNT + 2 + 2 + 5 * MOST + 1] = {
        {LOAD, 0, 0, CALLED_MACHINE}, {IS_EQUAL, 1, 0, (uint32_t)MACHINE}, {END, 0, 0, REFUSE},
        {LOAD, 0, 0, CALL},           {IS_AT_LEAST, COUNT, 0, X32},
    };
    struct step *to = step + 5;
    for (int i = 0; i < COUNT; i++)
        *to++ = (struct step){IS_EQUAL, (uint8_t)(COUNT - 1 - i), i == COUNT - 1, REFUSED[i]};
    *to++ = (struct step){END, 0, 0, REFUSE};
    *to++ = (struct step){IS_EQUAL, 0, 1, CLONE_3};
    *to++ = (struct step){END, 0, 0, UNKNOWN};
    for (int i = 0; i < MOST; i++) {
        const asked *a = &ASKED[i];
        uint16_t code = a->test == HAS ? HAS_BIT : IS_EQUAL;
        bool passes = a->test != IS_NOT;
        *to++ = (struct step){LOAD, 0, 0, CALL};
        *to++ = (struct step){IS_EQUAL, 0, 3, a->call};
        *to++ = (struct step){LOAD, 0, 0, word_of(a)};
        *to++ = (struct step){code, passes, !passes, a->value};
        *to++ = (struct step){END, 0, 0, REFUSE};
    }
    *to++ = (struct step){END, 0, 0, PASS};
    if (MACHINE != 0)
        syscall(SYS_seccomp, SET_FILTER, ALL_THREADS | LEAVE_SPEED,
                &(struct filter){(uint16_t)(to - step), step});
}

int sandbox_enter(const options *o, const char *written)
{
    int before = errno;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); /* without it the kernel refuses the rest */
    int reason = shut_files(o, written);
    shut_calls();
    errno = before;
    return reason;
}

#endif
