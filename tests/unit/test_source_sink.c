/* Reading whole inputs, and output files that appear whole or not at all. */
#include "io/sink.h"
#include "io/source.h"

#include "said.h"
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH = 512 };
static char folder[PATH]; /* of this run alone; every test leaves it empty */

static const char *path_of(const char *name)
{
    static char path[2][2 * PATH];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void put_file(const char *name, const char *content, mode_t mode)
{
    int descriptor = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (descriptor < 0 || write(descriptor, content, strlen(content)) < 0)
        perror(name);
    fchmod(descriptor, mode);
    close(descriptor);
}

static bool file_holds(const char *name, const char *content)
{
    source s;
    err e = {0};
    if (!source_open(&s, path_of(name), &e))
        return false;
    bool same = s.length == strlen(content) && memcmp(s.bytes, content, s.length + 1) == 0;
    source_close(&s);
    return same;
}

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *files = opendir(folder);
    for (struct dirent *file = readdir(files); file != NULL; file = readdir(files))
        count += strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0;
    closedir(files);
    return count;
}

static bool write_through(const char *file, const char *content, err *e)
{
    sink s;
    *e = (err){0};
    if (!sink_open(&s, file, e))
        return false;
    text_add_string(sink_text(&s), content);
    return sink_spill(&s, e) && sink_close(&s, e);
}

/* "PATH: cannot be written: reason" */
static void check_refused(unit *u, const char *file, const char *reason)
{
    char wanted[3 * PATH];
    err e;
    snprintf(wanted, sizeof wanted, "%s: cannot be written: %s", file, reason);
    CHECK(u, !write_through(file, "new", &e));
    CHECK_TEXT(u, said(&e), wanted);
}

static void check_unreadable(unit *u, const char *file, const char *reason)
{
    char wanted[3 * PATH];
    source s;
    err e = {0};
    snprintf(wanted, sizeof wanted, "%s: cannot be read: %s", file, reason);
    CHECK(u, !source_open(&s, file, &e));
    CHECK_TEXT(u, said(&e), wanted);
}

static void reads_files(unit *u)
{
    source s;
    err e = {0};
    put_file("a", "hello", 0600);
    put_file("b", "", 0600);
    CHECK(u, file_holds("a", "hello"));
    CHECK(u, file_holds("b", ""));
    CHECK(u, source_open(&s, "/proc/self/status", &e)); /* says that it has 0 bytes */
    CHECK(u, s.length > 100 && strstr(s.bytes, "VmPeak") != NULL);
    source_close(&s);
    CHECK(u, s.bytes == NULL);
    unlink(path_of("a"));
    unlink(path_of("b"));
    check_unreadable(u, path_of("missing"), "No such file or directory");
    check_unreadable(u, folder, "Is a directory");
}

static bool ended_well(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return false;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
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
    return ended_well(child);
}

static bool reading_is_denied(void)
{
    source s;
    err e = {0};
    return !source_open(&s, path_of("secret"), &e) &&
           strstr(said(&e), "/secret: cannot be read: Permission denied");
}

static bool writing_is_denied(void)
{
    err e;
    return !write_through(path_of("readonly"), "new", &e) &&
           strstr(said(&e), "/readonly: cannot be written: Permission denied");
}

static bool folder_is_denied(void)
{
    err e;
    return !write_through(path_of("open"), "new", &e) &&
           strstr(said(&e), "/open: cannot be written: Permission denied | it is made anew beside "
                            "the old one, so its folder must be writable too");
}

static void heeds_permissions(unit *u)
{
    chmod(folder, 0777);
    put_file("secret", "s", 0);
    put_file("readonly", "old", 0444);
    CHECK(u, as_nobody(reading_is_denied));
    CHECK(u, as_nobody(writing_is_denied)); /* though renaming over it is allowed there */
    CHECK(u, file_holds("readonly", "old"));
    put_file("open", "old", 0666);
    chmod(folder, 0555); /* for root this is as good as 0777 */
    CHECK(u, as_nobody(folder_is_denied));
    CHECK(u, file_holds("open", "old"));
    chmod(folder, 0700);
    unlink(path_of("open"));
    unlink(path_of("secret"));
    unlink(path_of("readonly"));
}

static mode_t mode_of(const char *name)
{
    struct stat status;
    return lstat(path_of(name), &status) == 0 ? status.st_mode & (S_IFMT | 07777) : 0;
}

static void makes_and_replaces(unit *u)
{
    err e;
    mode_t umask_before = umask(027);
    CHECK(u, write_through(path_of("new"), "first", &e));
    CHECK(u, file_holds("new", "first"));
    CHECK(u, mode_of("new") == (S_IFREG | 0640));
    chmod(path_of("new"), 0755);
    CHECK(u, write_through(path_of("new"), "", &e));
    CHECK(u, file_holds("new", ""));
    CHECK(u, mode_of("new") == (S_IFREG | 0755));
    umask(umask_before);
    CHECK(u, files_in_folder() == 1);
    unlink(path_of("new"));
}

/* Until it is closed, the file is what it was; a bare name lies in the current folder. */
static void appears_whole(unit *u)
{
    sink s;
    err e = {0};
    char *before = getcwd(NULL, 0);
    put_file("old", "old", 0600);
    CHECK(u, chdir(folder) == 0 && sink_open(&s, "old", &e));
    CHECK(u, mode_of(s.temporary) == (S_IFREG | 0600));
    text_add_repeated(sink_text(&s), "x", 1000000);
    CHECK(u, sink_spill(&s, &e) && sink_text(&s)->length == 0); /* that much is written at once */
    text_add_string(sink_text(&s), "y");
    CHECK(u, sink_spill(&s, &e) && sink_text(&s)->length == 1); /* and so little is not */
    CHECK(u, file_holds("old", "old"));
    CHECK(u, files_in_folder() == 2);
    CHECK(u, sink_close(&s, &e));
    CHECK(u, files_in_folder() == 1);
    struct stat status;
    CHECK(u, stat("old", &status) == 0 && status.st_size == 1000001);
    sink_discard(&s);
    CHECK(u, sink_close(&s, &e)); /* closed already: nothing to do */
    CHECK(u, chdir(before) == 0);
    free(before);
    unlink(path_of("old"));
}

static void forgets(unit *u)
{
    sink s;
    err e = {0};
    put_file("old", "old", 0600);
    CHECK(u, sink_open(&s, path_of("old"), &e));
    text_add_repeated(sink_text(&s), "x", 1000000);
    CHECK(u, sink_spill(&s, &e));
    sink_discard(&s);
    CHECK(u, file_holds("old", "old") && files_in_folder() == 1);
    sink_discard(&s);
    sink zeroed = {0};
    int input = fcntl(STDIN_FILENO, F_GETFD);
    sink_discard(&zeroed); /* closes no descriptor 0 */
    CHECK(u, fcntl(STDIN_FILENO, F_GETFD) == input);
    unlink(path_of("old"));
}

static void follows_links(unit *u)
{
    err e;
    mkdir(path_of("sub"), 0700);
    put_file("sub/real", "old", 0600);
    CHECK(u, symlink("sub/real", path_of("link")) == 0);
    CHECK(u, symlink(path_of("link"), path_of("absolute")) == 0);
    CHECK(u, symlink("sub/coming", path_of("dangling")) == 0);
    CHECK(u, symlink("loop", path_of("loop")) == 0);
    CHECK(u, write_through(path_of("absolute"), "new", &e));
    CHECK(u, mode_of("absolute") == (S_IFLNK | 0777) && mode_of("link") == (S_IFLNK | 0777));
    CHECK(u, file_holds("sub/real", "new"));
    CHECK(u, write_through(path_of("dangling"), "made", &e));
    CHECK(u, mode_of("dangling") == (S_IFLNK | 0777) && file_holds("sub/coming", "made"));
    check_refused(u, path_of("loop"), "Too many levels of symbolic links");
    static const char *const NAMES[] = {"link", "absolute", "dangling",
                                        "loop", "sub/real", "sub/coming"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        unlink(path_of(NAMES[i]));
    CHECK(u, rmdir(path_of("sub")) == 0);
}

static void refuses_places(unit *u)
{
    err e;
    char path[5000], *before = getcwd(NULL, 0);
    check_refused(u, path_of("no/such"), "No such file or directory");
    check_refused(u, folder, "Is a directory");
    put_file("file", "old", 0600);
    check_refused(u, path_of("file/below"), "Not a directory");
    unlink(path_of("file"));
    check_refused(u, "/dev/full", "No space left on device");
    /* The longest name that a folder allows, and one more. */
    memset(path, 'n', sizeof path);
    path[256] = '\0';
    check_refused(u, path, "File name too long");
    path[255] = '\0';
    CHECK(u, chdir(folder) == 0);
    CHECK(u, write_through(path, "new", &e) && unlink(path) == 0);
    CHECK(u, chdir(before) == 0);
    path[255] = path[256] = 'n';
    path[4999] = '\0';
    CHECK(u, !write_through(path, "new", &e));
    CHECK(u, strstr(said(&e), "cannot be written: File name too long") != NULL);
    CHECK(u, files_in_folder() == 0);
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

/* A path may have 4095 bytes: the target does, its neighbour would not; a link's text does, beside
 * its folder it would not. */
static void refuses_long_paths(unit *u)
{
    char path[4096];
    err e;
    fill_path(path, folder, 4090);
    CHECK(u, !write_through(path, "new", &e));
    CHECK(u, strstr(said(&e), "//") != NULL &&
                 strstr(e.what, "cannot be written: File name too long") != NULL);
    fill_path(path, ".", 4090);
    CHECK(u, symlink(path, path_of("link")) == 0);
    check_refused(u, path_of("link"), "File name too long");
    unlink(path_of("link"));
    CHECK(u, files_in_folder() == 0);
}

static void limits_open_files(unit *u)
{
    enum { MOST = 32 };
    sink s[MOST], more;
    char name[MOST][2 * PATH];
    err e = {0};
    for (size_t i = 0; i < MOST; i++) {
        snprintf(name[i], sizeof name[i], "%s/%zu", folder, i);
        CHECK(u, sink_open(&s[i], name[i], &e));
    }
    CHECK(u, !sink_open(&more, path_of("more"), &e));
    CHECK(u, strstr(said(&e),
                    "/more: is one output file too many: at most 32 are written at once") != NULL);
    sink_discard(&s[7]);
    e = (err){0};
    CHECK(u, sink_open(&more, path_of("more"), &e) && sink_close(&more, &e));
    unlink(path_of("more"));
    CHECK(u, files_in_folder() == MOST - 1);
    sink_remove_temporaries();
    CHECK(u, files_in_folder() == 0);
    CHECK(u, !sink_close(&s[0], &e)); /* what a signal took away is not put in place */
    CHECK(u, strstr(said(&e), "/0: cannot be written: No such file or directory") != NULL);
    for (size_t i = 1; i < MOST; i++)
        sink_discard(&s[i]);
    CHECK(u, files_in_folder() == 0);
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
    CHECK(u, sink_open(&s, path_of("f"), &e));
    text_add_string(sink_text(&s), "abc");
    sink_text(&s)->failed = true;
    CHECK(u, !sink_spill(&s, &e) && !sink_close(&s, &e));
    CHECK_TEXT(u, said(&e), "out of memory: 3 bytes could not be had");
    CHECK(u, files_in_folder() == 0);
}

/* Puts another descriptor in the place of 0 or 1, and back. */
static int swap_in(int standard, int descriptor)
{
    fflush(stdout);
    int saved = fcntl(standard, F_DUPFD_CLOEXEC, 10);
    if (descriptor >= 0) {
        dup2(descriptor, standard);
        close(descriptor);
    } else
        close(standard);
    return saved;
}

static void swap_back(int standard, int saved)
{
    dup2(saved, standard);
    close(saved);
}

static void writes_to_standard_output(unit *u)
{
    err e, full, closed, broken;
    int ends[2];
    int saved = swap_in(STDOUT_FILENO, open(path_of("out"), O_WRONLY | O_CREAT, 0600));
    bool done = write_through("-", "to ", &e) && write_through("-", "standard output", &e);
    swap_back(STDOUT_FILENO, saved);
    CHECK(u, done && file_holds("out", "to standard output"));
    unlink(path_of("out"));

    saved = swap_in(STDOUT_FILENO, open("/dev/full", O_WRONLY));
    write_through("-", "x", &full);
    swap_back(STDOUT_FILENO, saved);
    CHECK_TEXT(u, said(&full), "standard output: cannot be written: No space left on device");

    saved = swap_in(STDOUT_FILENO, -1);
    write_through("-", "x", &closed);
    swap_back(STDOUT_FILENO, saved);
    CHECK_TEXT(u, said(&closed), "standard output: cannot be written: Bad file descriptor");

    CHECK(u, pipe(ends) == 0 && close(ends[0]) == 0);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    saved = swap_in(STDOUT_FILENO, ends[1]);
    write_through("-", "x", &broken);
    swap_back(STDOUT_FILENO, saved);
    signal(SIGPIPE, before);
    CHECK_TEXT(u, said(&broken), "standard output: cannot be written: Broken pipe");
}

/* With standard output closed, a file gets its number, and what is printed would land in it. */
static void keeps_off_standard_output(unit *u)
{
    sink s;
    err e = {0};
    int saved = swap_in(STDOUT_FILENO, -1);
    bool opened = sink_open(&s, path_of("f"), &e);
    bool taken = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
    bool done = opened && sink_close(&s, &e);
    swap_back(STDOUT_FILENO, saved);
    CHECK(u, opened && !taken && done);
    unlink(path_of("f"));
}

static void ring(int signal_number)
{
    (void)signal_number;
}

/* From here on SIGUSR1 interrupts system calls (there is no SA_RESTART). The process at the other
 * end of the pipe sends one with every block, so that some come while this one waits. */
static void be_interruptible(void)
{
    struct sigaction action = {.sa_handler = ring};
    sigaction(SIGUSR1, &action, NULL);
}

enum { STREAM = 3000000 };

static char stream_byte(size_t index)
{
    return (char)(index * 31 / 7);
}

/* A process that reads the pipe in small blocks; its status says whether all bytes came. */
static pid_t start_reader(int input, int other)
{
    fflush(stdout);
    pid_t child = fork();
    if (child != 0)
        return child;
    close(other);
    char block[4096];
    size_t total = 0, wrong = 0;
    for (ssize_t got = 1; got > 0; total += (size_t)(got > 0 ? got : 0)) {
        kill(getppid(), SIGUSR1);
        got = read(input, block, sizeof block);
        for (ssize_t i = 0; i < got; i++)
            wrong += block[i] != stream_byte(total + (size_t)i);
    }
    _exit(total == STREAM && wrong == 0 ? 0 : 1);
}

static void survives_interrupted_writes(unit *u)
{
    int ends[2];
    err e = {0};
    sink s;
    be_interruptible();
    CHECK(u, pipe(ends) == 0);
    pid_t reader = start_reader(ends[0], ends[1]);
    close(ends[0]);
    int saved = swap_in(STDOUT_FILENO, ends[1]);
    bool done = sink_open(&s, "-", &e);
    for (size_t i = 0; i < STREAM && done; i++) {
        char byte = stream_byte(i);
        text_add(sink_text(&s), &byte, 1);
        done = sink_spill(&s, &e);
    }
    done = sink_close(&s, &e) && done;
    swap_back(STDOUT_FILENO, saved);
    CHECK(u, done);
    CHECK(u, ended_well(reader));
}

static pid_t start_writer(int output, int other)
{
    fflush(stdout);
    pid_t child = fork();
    if (child != 0)
        return child;
    close(other);
    char block[5000];
    for (size_t total = 0; total < STREAM; total += sizeof block) {
        for (size_t i = 0; i < sizeof block; i++)
            block[i] = stream_byte(total + i);
        kill(getppid(), SIGUSR1);
        if (write(output, block, sizeof block) != sizeof block)
            _exit(1);
    }
    _exit(0);
}

static void survives_interrupted_reads(unit *u)
{
    int ends[2];
    source s;
    err e = {0};
    be_interruptible();
    CHECK(u, pipe(ends) == 0);
    pid_t writer = start_writer(ends[1], ends[0]);
    close(ends[1]);
    int saved = swap_in(STDIN_FILENO, ends[0]);
    bool done = source_open(&s, "-", &e);
    swap_back(STDIN_FILENO, saved);
    CHECK(u, ended_well(writer));
    size_t same = 0;
    while (done && same < s.length && s.bytes[same] == stream_byte(same))
        same++;
    if (CHECK(u, done))
        CHECK(u, same == STREAM && s.length == STREAM && s.bytes[STREAM] == '\0');
    source_close(&s);
    saved = swap_in(STDIN_FILENO, -1);
    bool opened = source_open(&s, "-", &e);
    swap_back(STDIN_FILENO, saved);
    CHECK(u, !opened);
    CHECK_TEXT(u, said(&e), "standard input: cannot be read: Bad file descriptor");
}

void test_source_sink(unit *u)
{
    const char *scratch = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.400s/selfattn-unit-XXXXXX",
             scratch == NULL ? "/tmp" : scratch);
    if (!CHECK(u, mkdtemp(folder) != NULL))
        return;
    reads_files(u);
    heeds_permissions(u);
    makes_and_replaces(u);
    appears_whole(u);
    forgets(u);
    follows_links(u);
    refuses_places(u);
    refuses_long_paths(u);
    limits_open_files(u);
    writes_to_memory(u);
    refuses_lost_text(u);
    writes_to_standard_output(u);
    keeps_off_standard_output(u);
    survives_interrupted_writes(u);
    survives_interrupted_reads(u);
    CHECK(u, rmdir(folder) == 0);
}
