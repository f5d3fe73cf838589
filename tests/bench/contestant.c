#define _GNU_SOURCE /* sched_setaffinity; this bench is for Linux */
#include "bench/contestant.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

size_t processors_here(void)
{
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    return (size_t)CPU_COUNT(&all);
}

static void pin(size_t processors)
{
    cpu_set_t all, few;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&few);
    for (size_t i = 0; i < CPU_SETSIZE && (size_t)CPU_COUNT(&few) < processors; i++) {
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &few);
    }
    sched_setaffinity(0, sizeof few, &few);
}

/* The child's side. A child that is stopped would outlive a driver that was interrupted, but for
 * the signal of its death. */
static void become(const words *command, size_t processors, const char *complaints, int in, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    int log = open(complaints, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (log >= 0)
        dup2(log, STDERR_FILENO);
    pin(processors);
    execvp(command->word[0], command->word);
    perror(command->word[0]);
    _exit(127);
}

static bool answer(contestant *c, char *line, size_t size)
{
    return fgets(line, (int)size, c->from) != NULL;
}

/* Both pipes close themselves in whatever is executed, so that no contestant holds another's. */
bool contestant_start(contestant *c, const words *command, size_t processors,
                      const char *complaints)
{
    int to[2], from[2];
    char line[64];
    *c = (contestant){0};
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        return false;
    c->process = fork();
    if (c->process == 0)
        become(command, processors, complaints, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    c->to = fdopen(to[1], "w");
    c->from = fdopen(from[0], "r");
    if (c->process < 0 || !answer(c, line, sizeof line) || strcmp(line, "ready\n") != 0) {
        contestant_end(c);
        return false;
    }
    kill(c->process, SIGSTOP);
    return true;
}

double contestant_turn(contestant *c, long repetitions)
{
    char line[64];
    kill(c->process, SIGCONT);
    bool done = fprintf(c->to, "%ld\n", repetitions) > 0 && fflush(c->to) == 0 &&
                answer(c, line, sizeof line);
    kill(c->process, SIGSTOP);
    return done ? atof(line) : NAN;
}

void contestant_end(contestant *c)
{
    if (c->to != NULL)
        fclose(c->to);
    if (c->from != NULL)
        fclose(c->from);
    if (c->process > 0) {
        kill(c->process, SIGKILL);
        waitpid(c->process, NULL, 0);
    }
    *c = (contestant){0};
}
