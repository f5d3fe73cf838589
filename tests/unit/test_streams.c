/* Standard input and output as source and sink, and system calls that signals interrupt. */
#include "io/sink.h"
#include "io/source.h"

#include "child.h"
#include "said.h"
#include "scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

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
    int saved = swap_in(STDOUT_FILENO, open(scratch_path("out"), O_WRONLY | O_CREAT, 0600));
    bool done = scratch_write("-", "to ", &e) && scratch_write("-", "standard output", &e);
    swap_back(STDOUT_FILENO, saved);
    CHECK(u, done && scratch_holds("out", "to standard output"));
    unlink(scratch_path("out"));

    saved = swap_in(STDOUT_FILENO, open("/dev/full", O_WRONLY));
    scratch_write("-", "x", &full);
    swap_back(STDOUT_FILENO, saved);
    CHECK_TEXT(u, said(&full), "standard output: cannot be written: No space left on device");

    saved = swap_in(STDOUT_FILENO, -1);
    scratch_write("-", "x", &closed);
    swap_back(STDOUT_FILENO, saved);
    CHECK_TEXT(u, said(&closed), "standard output: cannot be written: Bad file descriptor");

    CHECK(u, pipe(ends) == 0 && close(ends[0]) == 0);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    saved = swap_in(STDOUT_FILENO, ends[1]);
    scratch_write("-", "x", &broken);
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
    bool opened = sink_open(&s, scratch_path("f"), &e);
    bool taken = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
    bool done = opened && sink_close(&s, &e);
    swap_back(STDOUT_FILENO, saved);
    CHECK(u, opened && !taken && done);
    unlink(scratch_path("f"));
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

/* Text: what begins as no format does is refused before it ends. */
static char stream_byte(size_t index)
{
    return (char)(' ' + index * 31 / 7 % 95);
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
    CHECK(u, child_ended_well(reader));
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
    bool done = source_open(&s, "-", SIZE_MAX, &e);
    swap_back(STDIN_FILENO, saved);
    CHECK(u, child_ended_well(writer));
    size_t same = 0;
    while (done && same < s.length && s.bytes[same] == stream_byte(same))
        same++;
    if (CHECK(u, done))
        CHECK(u, same == STREAM && s.length == STREAM && s.bytes[STREAM] == '\0');
    source_close(&s);
    saved = swap_in(STDIN_FILENO, -1);
    bool opened = source_open(&s, "-", SIZE_MAX, &e);
    swap_back(STDIN_FILENO, saved);
    CHECK(u, !opened);
    CHECK_TEXT(u, said(&e), "standard input: cannot be read: Bad file descriptor");
}

UNIT(streams)
{
    if (!scratch_open(u))
        return;
    writes_to_standard_output(u);
    keeps_off_standard_output(u);
    survives_interrupted_writes(u);
    survives_interrupted_reads(u);
    scratch_close(u);
}
