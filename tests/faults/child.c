#include "faults/child.h"

#include "cli/command.h"
#include "faults/inputs.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Blocks that are left are counted here, so a sanitizer need not look for them once more at each
 * child's end, which takes as long as all else. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

/* What the child tells at its end. */
typedef struct report {
    tally counted;
    int descriptors;
} report;

static char scratch[] = "/tmp/selfattn-faults-XXXXXX";
/* The child's standard output and error, unlinked files; and the pipe on which
 * it reports. */
static int said_out, said_err, report_from, report_to;

/* ---- the scratch folder ---- */

static void write_file(const char *name, const char *content)
{
    FILE *file = fopen(name, "w");
    if (file == NULL || fputs(content, file) < 0 || fclose(file) != 0) {
        perror(name);
        exit(1);
    }
}

static void copy_file(int home, const copied_file *one)
{
    char content[4096];
    int from = openat(home, one->from, O_RDONLY);
    ssize_t length = from < 0 ? -1 : read(from, content, sizeof content);
    FILE *file = fopen(one->name, "w");
    if (length < 0 || file == NULL || fwrite(content, 1, (size_t)length, file) != (size_t)length ||
        fclose(file) != 0) {
        perror(one->from);
        exit(1);
    }
    close(from);
}

/* A matrix that is mapped, not read: 8 rows of 8192 float32, 0 and 1. */
static void write_large(void)
{
    static const float VALUES[] = {0, 1};
    FILE *file = fopen("large.npy", "w");
    fputs("\x93NUMPY\x01", file);
    fwrite("\0\x76", 1, 3, file);
    fprintf(file, "%-117s\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 8192)}");
    for (size_t i = 0; i < 65536; i++)
        fwrite(&VALUES[i % 3 == 0], sizeof VALUES[0], 1, file);
    fclose(file);
}

/* Enough ones for a product that pays threads. */
static void write_ones(const char *name, int rows, int columns)
{
    FILE *file = fopen(name, "w");
    for (int i = 1; i <= rows * columns; i++)
        fputs(i % columns == 0 ? "1\n" : "1,", file);
    fclose(file);
}

/* A table that several threads read, ten bytes a number; of longer ones in its first row, so that
 * there are more rows than that makes expect. */
static void write_table(const char *name, int count, const char *begin, const char *between,
                        const char *end)
{
    FILE *file = fopen(name, "w");
    fputs(begin, file);
    for (int i = 1; i <= count; i++) {
        const char *after = i == count ? end : i % 200 == 0 ? between : ",";
        fprintf(file, "%.*f%s", i <= 200 ? 17 : 7, i / 1024.0, after);
    }
    fclose(file);
}

/* Keys as wide as none that are multiplied without memory. */
static void write_general(void)
{
    enum { WIDTH = 65 };
    static const struct {
        const char *name;
        int rows;
    } MATRICES[] = {{"q", 2}, {"k", 2}, {"v", 2}, {"ws", WIDTH}};
    FILE *file = fopen("general-wide.json", "w");
    fputs("{\"score\": \"general\"", file);
    for (size_t i = 0; i < sizeof MATRICES / sizeof MATRICES[0]; i++) {
        fprintf(file, ",\n\"%s\": [", MATRICES[i].name);
        for (int j = 0; j < MATRICES[i].rows * WIDTH; j++)
            fprintf(file, "%s%d", j == 0 ? "[" : j % WIDTH == 0 ? "], [" : ", ", j % 3);
        fputs("]]", file);
    }
    fputs("}\n", file);
    fclose(file);
}

static int unlinked_file(const char *name)
{
    int descriptor = open(name, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
    unlink(name);
    return descriptor;
}

const char *child_empty_folder(const char *name, const char *beginning)
{
    static char last[256];
    DIR *folder = opendir(name);
    last[0] = '\0';
    for (struct dirent *one; folder != NULL && (one = readdir(folder)) != NULL;) {
        bool is_file = strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0;
        if (!is_file || strncmp(one->d_name, beginning, strlen(beginning)) != 0)
            continue;
        snprintf(last, sizeof last, "%s", one->d_name);
        unlinkat(dirfd(folder), one->d_name, 0);
    }
    if (folder != NULL)
        closedir(folder);
    return last;
}

bool child_set_up(void)
{
    int home = open(".", O_RDONLY);
    if (!inject_set_up() || home < 0 || mkdtemp(scratch) == NULL || chdir(scratch) != 0 ||
        mkdir("folder", 0700) != 0 || mkdir("pages", 0700) != 0 || mkdir("shared", 0700) != 0)
        return false;
    for (size_t i = 0; i < INPUT_FILE_COUNT; i++)
        write_file(INPUT_FILES[i].name, INPUT_FILES[i].content);
    for (size_t i = 0; i < COPIED_FILE_COUNT; i++)
        copy_file(home, &COPIED_FILES[i]);
    close(home);
    write_large();
    write_ones("wide.csv", 40, 230);
    write_ones("square.csv", 230, 230);
    write_general();
    write_table("table.csv", 60000, "", "\n", "\n");
    write_table("table.json", 120000, "{\"x\": [[", "],[", "]]}\n");
    int ends[2];
    if (symlink("out.json", "link.json") != 0 ||
        symlink("shared/one.json", "shared-link.json") != 0 || pipe(ends) != 0)
        return false;
    report_from = ends[0];
    report_to = ends[1];
    fcntl(report_from, F_SETFL, O_NONBLOCK);
    said_out = unlinked_file("said_out");
    said_err = unlinked_file("said_err");
    return said_out >= 0 && said_err >= 0;
}

void child_tear_down(void)
{
    for (size_t i = 0; i < INPUT_FILE_COUNT; i++)
        unlink(INPUT_FILES[i].name);
    for (size_t i = 0; i < COPIED_FILE_COUNT; i++)
        unlink(COPIED_FILES[i].name);
    unlink("link.json");
    unlink("shared-link.json");
    unlink("large.csv");
    unlink("large.npy");
    unlink("wide.csv");
    unlink("square.csv");
    unlink("table.csv");
    unlink("table.json");
    unlink("general-wide.json");
    rmdir("folder");
    child_empty_folder("pages", "");
    rmdir("pages");
    rmdir("shared");
    if (chdir("/") == 0)
        rmdir(scratch);
}

static bool is_input(const char *name)
{
    static const char *const OTHERS[] = {".",
                                         "..",
                                         "folder",
                                         "pages",
                                         "shared",
                                         "link.json",
                                         "shared-link.json",
                                         "large.csv",
                                         "large.npy",
                                         "wide.csv",
                                         "square.csv",
                                         "table.csv",
                                         "table.json",
                                         "general-wide.json"};
    bool is_one = false;
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++)
        is_one = is_one || strcmp(OTHERS[i], name) == 0;
    for (size_t i = 0; i < INPUT_FILE_COUNT; i++)
        is_one = is_one || strcmp(INPUT_FILES[i].name, name) == 0;
    for (size_t i = 0; i < COPIED_FILE_COUNT; i++)
        is_one = is_one || strcmp(COPIED_FILES[i].name, name) == 0;
    return is_one;
}

/* ---- outputs ---- */

/* The next word of a string, with spaces between; false after the last. */
static bool next_word(const char **at, char *word, size_t size)
{
    *at += strspn(*at, " ");
    size_t length = strcspn(*at, " ");
    snprintf(word, size, "%.*s", (int)length, *at);
    *at += length;
    return length > 0;
}

static void name_outputs(const command_line *what, outcome *got)
{
    const char *at = what->outputs == NULL ? "" : what->outputs;
    *got = (outcome){.status = -1};
    while (got->files < MAX_OUTPUTS &&
           next_word(&at, got->file[got->files].name, sizeof got->file[0].name))
        got->files++;
}

const char *child_old(const char *name)
{
    for (size_t i = 0; i < INPUT_FILE_COUNT; i++) {
        if (strcmp(INPUT_FILES[i].name, name) == 0)
            return INPUT_FILES[i].content;
    }
    return "what was there before\n";
}

static void put_old_outputs(const command_line *what)
{
    outcome wanted;
    name_outputs(what, &wanted);
    for (size_t i = 0; i < wanted.files; i++) {
        const char *name = wanted.file[i].name;
        if (strncmp(name, "new", 3) == 0)
            unlink(name);
        else {
            write_file(name, child_old(name));
            setxattr(name, "user.note", "kept", 4, 0); /* where the file system can */
        }
    }
}

static void read_descriptor(int descriptor, text *to)
{
    ssize_t got;
    lseek(descriptor, 0, SEEK_SET);
    do {
        char *room = text_room(to, 1 << 16);
        got = room == NULL ? 0 : read(descriptor, room, 1 << 16);
        text_added(to, got > 0 ? (size_t)got : 0);
    } while (got > 0);
}

bool child_read_file(const char *name, text *content)
{
    int descriptor = open(name, O_RDONLY);
    if (descriptor < 0)
        return false;
    read_descriptor(descriptor, content);
    close(descriptor);
    return true;
}

/* Outputs have been taken away: what is left and no input is strange. */
static void find_strange(outcome *got)
{
    DIR *folder = opendir(".");
    if (folder == NULL)
        return;
    for (struct dirent *one = readdir(folder); one != NULL; one = readdir(folder)) {
        if (is_input(one->d_name))
            continue;
        snprintf(got->strange, sizeof got->strange, "%s", one->d_name);
        unlink(one->d_name);
    }
    closedir(folder);
    const char *temporary = child_empty_folder("pages", ".selfattn-");
    if (*temporary != '\0')
        snprintf(got->strange, sizeof got->strange, "%s", temporary);
}

/* ---- the child ---- */

static int count_descriptors(void)
{
    struct pollfd each[64];
    int count = 0;
    for (int descriptor = 0; descriptor < 64; descriptor++)
        each[descriptor] = (struct pollfd){.fd = descriptor};
    poll(each, 64, 0);
    for (int descriptor = 0; descriptor < 64; descriptor++)
        count += (each[descriptor].revents & POLLNVAL) == 0;
    return count;
}

static void redirect(const char *input)
{
    int from = open(input == NULL ? "/dev/null" : input, O_RDONLY);
    dup2(from, STDIN_FILENO);
    close(from);
    dup2(said_out, STDOUT_FILENO);
    dup2(said_err, STDERR_FILENO);
}

static void run_in_child(const command_line *what, const fault *f)
{
    static char program[] = "selfattn";
    static char word[MAX_WORDS][128];
    char *argv[MAX_WORDS + 2] = {program};
    const char *at = what->words, *input = NULL;
    int argc = 1;
    for (int i = 0; i < MAX_WORDS && next_word(&at, word[i], sizeof word[0]); i++) {
        if (word[i][0] == '<')
            input = word[i] + 1;
        else
            argv[argc++] = word[i];
    }
    env world = {.err = stderr, .width = 100, .processors = 2, .free_memory = (size_t)1 << 30};
    redirect(input);
    int before = count_descriptors();
    inject_arm(f);
    int status = (what->run == NULL ? cli_main : what->run)(argc, argv, &world);
    report r = {.counted = inject_disarm()};
    r.descriptors = count_descriptors() - before;
    if (write(report_to, &r, sizeof r) != sizeof r)
        status = 99;
    exit(status); /* not _exit: the sanitizer looks for leaks, and coverage is
                   written, at exit */
}

int child_start(const command_line *what, const fault *f)
{
    put_old_outputs(what);
    if (ftruncate(said_out, 0) != 0 || ftruncate(said_err, 0) != 0)
        return -1;
    fflush(stdout); /* what waits in it would be written by both */
    pid_t process = fork();
    if (process == 0)
        run_in_child(what, f);
    return (int)process;
}

void child_wait(const command_line *what, int process, outcome *got)
{
    int status;
    report r;
    name_outputs(what, got);
    if (process < 0 || waitpid((pid_t)process, &status, 0) != (pid_t)process)
        return;
    got->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    got->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    got->reports = read(report_from, &r, sizeof r) == sizeof r;
    if (got->reports) {
        got->counted = r.counted;
        got->descriptors = r.descriptors;
    }
    read_descriptor(said_out, &got->out);
    read_descriptor(said_err, &got->err);
    for (size_t i = 0; i < got->files; i++) {
        output *one = &got->file[i];
        one->is_there = child_read_file(one->name, &one->content);
        unlink(one->name);
    }
    find_strange(got);
}

void child_run(const command_line *what, const fault *f, outcome *got)
{
    child_wait(what, child_start(what, f), got);
}

void outcome_free(outcome *got)
{
    text_free(&got->out);
    text_free(&got->err);
    for (size_t i = 0; i < got->files; i++)
        text_free(&got->file[i].content);
}
