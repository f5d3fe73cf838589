/* Whole commands, from their start to their end: this program, a rival's, or a bare process; and
 * the most anonymous memory that one has. files.py makes what they read, once, in a folder next to
 * this program, which is where they run. */
#define _GNU_SOURCE /* realpath and usleep; this bench is for Linux */
#include "bench/work.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What may be asked for as what=NAME. */
typedef struct command_row {
    const char *name;
    const char *own; /* the arguments of selfattn */
} command_row;

#define LAYER(kind) "-x x." kind " --wq wq." kind " --wk wk." kind " --wv wv." kind " --wo wo." kind
static const command_row COMMAND_ROWS[] = {
    {"csv", LAYER("csv") " --heads 8 --emit output -o own.csv"},
    {"json", "--emit output --heads 8 -o own.json layer.json"},
    {"weights", "-x x.npy --heads 8 --emit weights --format csv"},
    {"walkthrough", "run --trace seed.json"},
    {"jsonl", "--format jsonl documents.jsonl"},
    {"bundle-jsonl", "--format jsonl --bundle weights.json rows.jsonl"},
    {"npy", "-x x.npy --emit output -o own.npy"},
};

typedef struct command_state {
    words line;
    char program[PATH_MAX], script[PATH_MAX];
} command_state;

/* The process with its stdout at /dev/null, or the end of the bench. */
static pid_t start(command_state *s)
{
    pid_t process;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&process, s->line.word[0], &files, NULL, s->line.word, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed == 0)
        return process;
    fprintf(stderr, "bench: %s: %s\n", s->line.word[0], strerror(failed));
    exit(1);
}

static void finish(pid_t process)
{
    int status;
    waitpid(process, &status, 0);
    if (status == 0)
        return;
    fprintf(stderr, "bench: a command ends with status %d\n", status);
    exit(1);
}

/* Makes the files in a folder of their own, and goes there. */
static bool enter(command_state *s, const char *what, const words *w)
{
    char folder[PATH_MAX + 32], self[PATH_MAX] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 ||
        realpath("tests/bench/files.py", s->script) == NULL)
        return false;
    snprintf(s->program, sizeof s->program, "%.4000s/selfattn", dirname(self));
    snprintf(folder, sizeof folder, "%.4000s/bench_files", self);
    mkdir(folder, 0777);
    snprintf(folder, sizeof folder, "%.4000s/bench_files/%.40s-%zu", self, what,
             words_number(w, "n", 0));
    mkdir(folder, 0777);
    if (chdir(folder) != 0)
        return false;
    if (access("made", F_OK) == 0)
        return true;
    words_add(&s->line, "/usr/bin/python3");
    words_add(&s->line, s->script);
    words_add(&s->line, "make");
    for (size_t i = 1; i < w->count; i++)
        words_add(&s->line, w->word[i]);
    finish(start(s));
    return access("made", F_OK) == 0;
}

/* Whose command it is: by=own, by=numpy, by=bare. */
static bool set_command(command_state *s, const char *what, const words *w)
{
    const char *by = words_value(w, "by", "own");
    s->line.count = 0;
    memset(s->line.bytes, 0, sizeof s->line.bytes);
    if (strcmp(by, "bare") == 0) {
        words_add(&s->line, "/bin/true");
        return true;
    }
    if (strcmp(by, "numpy") == 0) {
        words_add(&s->line, "/usr/bin/python3");
        words_add(&s->line, s->script);
        words_add(&s->line, "run");
        for (size_t i = 1; i < w->count; i++)
            words_add(&s->line, w->word[i]);
        return true;
    }
    words_add(&s->line, s->program);
    for (size_t i = 0; i < sizeof COMMAND_ROWS / sizeof COMMAND_ROWS[0]; i++) {
        if (strcmp(COMMAND_ROWS[i].name, what) == 0)
            words_add(&s->line, COMMAND_ROWS[i].own);
    }
    return s->line.count > 1;
}

static void *prepare(const words *w)
{
    const char *what = words_value(w, "what", "");
    command_state *s = bench_alloc(1, sizeof *s);
    memset(s, 0, sizeof *s);
    return enter(s, what, w) && set_command(s, what, w) ? s : NULL;
}

static double run(void *state)
{
    double before = now_ms();
    finish(start(state));
    return now_ms() - before;
}

/* Anonymous memory now, in MB; 0 when the process has ended. */
static double anonymous_of(pid_t process)
{
    char path[64], line[128];
    double kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *status = fopen(path, "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "RssAnon: %lf", &kilobytes) == 1)
            break;
    }
    if (status != NULL)
        fclose(status);
    return kilobytes / 1024;
}

/* The greatest of what is seen every millisecond. */
static double run_memory(void *state)
{
    double most = 0;
    pid_t process = start(state), ended = 0;
    while (ended == 0) {
        most = fmax(most, anonymous_of(process));
        usleep(1000);
        ended = waitpid(process, NULL, WNOHANG);
    }
    return most;
}

const work WORK_COMMAND = {"command", prepare, run, NULL};
const work WORK_COMMAND_MEMORY = {"command_memory", prepare, run_memory, NULL};
