#define _GNU_SOURCE /* O_PATH, syscall */
#include "cli/line/options.h"

#if !defined __linux__ || defined NO_SANDBOX

void sandbox_enter(const options *o, const char *written)
{
    (void)o, (void)written;
}

#else

#include "io/sink.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
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

enum {
    READ = READ_FILE | READ_FOLDER,
    WRITE = READ | WRITE_FILE | REMOVE_FILE | MAKE_FOLDER | MAKE_FILE,
    OF_ONE_FILE = READ_FILE | WRITE_FILE /* of these, what may be said of what is not a folder */
};

struct rule {
    uint64_t rights;
    int32_t path;
} __attribute__((packed));

static bool allow(int rules, const char *path, unsigned rights)
{
    struct stat status = {0};
    struct rule rule = {rights, open(path, O_PATH | O_CLOEXEC)};
    if (rule.path < 0)
        return false;
    fstat(rule.path, &status);
    if (!S_ISDIR(status.st_mode))
        rule.rights &= OF_ONE_FILE;
    syscall(ADD_RULE, rules, BELOW_PATH, &rule, 0);
    close(rule.path);
    return true;
}

/* A file is made anew in its folder, a folder in the one around it; a device is written itself. */
static void allow_output(int rules, const char *file)
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
static void allow_input(int rules, const char *file)
{
    char path[SINK_PATH];
    const char *slash = strrchr(file, '/');
    if (!allow(rules, file, READ) &&
        snprintf(path, sizeof path, "%.*s.", slash == NULL ? 0 : (int)(slash - file) + 1, file) <
            SINK_PATH)
        allow(rules, path, READ_FOLDER);
    for (const char *at = file; (at = strchr(at, ':')) != NULL; at++) {
        if (snprintf(path, sizeof path, "%.*s", (int)(at - file), file) < SINK_PATH)
            allow(rules, path, READ);
    }
}

/* A file, or a folder, in which links may lead out of it. A path that is cut short begins a name
 * in the folder, which is allowed already. */
static void allow_all_of(int rules, const char *file, file_use use)
{
    void (*allow_it)(int, const char *) = use == FILE_WRITTEN ? allow_output : allow_input;
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

static void shut_files(const options *o, const char *written)
{
    long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
    uint64_t handled = version >= 3 ? ALL | TRUNCATE : ALL;
    int rules = (int)syscall(CREATE_RULESET, &handled, sizeof handled, 0);
    if (rules < 0)
        return;
    if (o->all != NULL)
        allow_output(rules, "/dev/null"); /* where its data go */
    if (written != NULL)
        allow_output(rules, written);
    for (size_t i = 0; i < OPTIONS.count; i++) {
        const option_row *row = option_row_at(i);
        const char *file = option_file(o, row);
        const text_list *several = option_list(o, row);
        if (file != NULL)
            allow_all_of(rules, file, row->file);
        for (size_t j = 0; row->file != FILE_NONE && several != NULL && j < several->count; j++) {
            const char *said = several->item[j];
            allow_all_of(rules, row->kind == OPTION_PAIR ? strchr(said, '=') + 1 : said, row->file);
        }
    }
    for (size_t i = 0; i < o->given_count; i++) {
        const char *file = given_key_file(&o->given[i]);
        if (file != NULL)
            allow_input(rules, file);
    }
    for (size_t i = 0; i < o->operands; i++)
        allow_all_of(rules, o->operand[i], o->update ? FILE_WRITTEN : FILE_READ);
    syscall(RESTRICT_SELF, rules, 0);
    close(rules);
}

/* ---- system calls (Linux: Documentation/userspace-api/seccomp_filter.rst) ---- */

/* Which machine's calls the kernel takes them for (linux/audit.h): a process may call by another's
 * numbers. 0: nothing is shut there. */
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

/* io_uring would make the calls for us that are refused here. */
static const uint32_t REFUSED[] = {
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
#ifdef SYS_socket
    SYS_socket,
    SYS_socketpair,
#endif
#ifdef SYS_socketcall
    SYS_socketcall,
#endif
    425, /* io_uring_setup */
    438, /* pidfd_getfd */
};

struct step {
    uint16_t code;
    uint8_t if_true, if_false; /* steps to pass over */
    uint32_t number;
};

struct filter {
    uint16_t count;
    const struct step *step;
};

enum { LOAD = 0x20, IS_EQUAL = 0x15, IS_AT_LEAST = 0x35, END = 0x06 };
enum { CALL = 0, CALLED_MACHINE = 4 }; /* where they lie in what is looked at */
enum { PASS = 0x7fff0000, REFUSE = 0x00050000 | EPERM };

/* The calls of x32, which x86-64 takes too, are numbered from here; no other number is as large. */
enum { X32 = 0x40000000 };

/* All threads, and without slowing branches and loads down, as kernels before 5.16 would. */
enum { SET_FILTER = 1, ALL_THREADS = 1, LEAVE_SPEED = 4 };

static void shut_calls(void)
{
    enum { COUNT = sizeof REFUSED / sizeof REFUSED[0] };
    struct step step[COUNT + 7] = {
        {LOAD, 0, 0, CALLED_MACHINE}, {IS_EQUAL, 1, 0, (uint32_t)MACHINE}, {END, 0, 0, REFUSE},
        {LOAD, 0, 0, CALL},           {IS_AT_LEAST, COUNT + 1, 0, X32},
    };
    for (int i = 0; i < COUNT; i++)
        step[5 + i] = (struct step){IS_EQUAL, (uint8_t)(COUNT - i), 0, REFUSED[i]};
    step[COUNT + 5] = (struct step){END, 0, 0, PASS};
    step[COUNT + 6] = (struct step){END, 0, 0, REFUSE};
    if (MACHINE != 0)
        syscall(SYS_seccomp, SET_FILTER, ALL_THREADS | LEAVE_SPEED,
                &(struct filter){COUNT + 7, step});
}

void sandbox_enter(const options *o, const char *written)
{
    int reason = errno;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); /* without it the kernel refuses the rest */
    shut_files(o, written);
    shut_calls();
    errno = reason;
}

#endif
