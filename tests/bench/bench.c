/* bench [WORD]: prints the table of rows.c, or those rows that have the word in their names.
 * bench WORK NAME=VALUE ...: one contestant, which that table's contests start.
 *
 * Ratios are what this is for: the times of one run can't be compared with those of another. */
#include "base/mem.h"
#include "bench/contestant.h"
#include "bench/report.h"
#include "bench/work.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void measure(const row *r, size_t threads, const contest_place *at)
{
    contest c;
    contest_hold(&c, r, threads, at);
    report_row(r, &c, threads);
}

static int print_table(const char *word, const contest_place *at)
{
    size_t most = processors_here() < 2 ? 1 : 2, found = 0;
    report_head();
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strstr(ROWS[i].name, word) == NULL)
            continue;
        found++;
        for (size_t threads = 1; threads <= most; threads++) {
            if (ROWS[i].threads == 0 || ROWS[i].threads == threads)
                measure(&ROWS[i], threads, at);
        }
    }
    if (found == 0)
        fprintf(stderr, "bench: no row has \"%s\" in its name\n", word);
    return found == 0;
}

/* From one repetition to the next, as rivals do: ONNX Runtime's arena gives nothing back. glibc
 * would map blocks above 32 MB anew each time, and the kernel clear them. */
static void keep_memory(void)
{
    mem_keep_pages();
#if defined(M_MMAP_MAX)
    mallopt(M_MMAP_MAX, 0);
#endif
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        words w = {0};
        for (int i = 1; i < argc; i++)
            words_add(&w, argv[i]);
        keep_memory();
        return work_serve(&w);
    }
    char complaints[256];
    snprintf(complaints, sizeof complaints, "%s.log", argv[0]);
    signal(SIGPIPE, SIG_IGN);
    remove(complaints);
    return print_table(argc > 1 ? argv[1] : "", &(contest_place){argv[0], complaints});
}
