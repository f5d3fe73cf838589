/* A program of the coverage variant counts into a file that all its processes share,
 * PROGRAM.counters next to it. So what a process reached counts however it ended (a signal, _exit,
 * exec), and thousands of them need not write, each at its end, a file for each source.
 *
 * With $WRITE_COVERAGE a program does nothing but write the counts as gcov reads them. Steps are
 * atomic (-fprofile-update), since gcov derives some counts from others. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern char coverage_begin[], coverage_end[]; /* counters.ld */
void __gcov_dump(void);

/* Instead of libgcov's, which writes at each end of a process. */
void __wrap___gcov_exit(void);
void __wrap___gcov_exit(void)
{
}

/* After gcov's own constructors, before the program's, which may have counted nothing yet. */
__attribute__((constructor(101))) static void share_counters(void)
{
    char path[4096];
    size_t size = (size_t)(coverage_end - coverage_begin);
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof ".counters");
    snprintf(path + (length < 0 ? 0 : length), sizeof ".counters", ".counters");
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || ftruncate(file, (off_t)size) != 0 ||
        mmap(coverage_begin, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
            MAP_FAILED) {
        perror(path);
        abort();
    }
    close(file);
    if (getenv("WRITE_COVERAGE") != NULL) {
        __gcov_dump();
        _exit(0);
    }
}
