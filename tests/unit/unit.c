/* Runs the unit tests: all of them, or those whose name holds the first argument. */
#include "unit.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One row a test, one file a test: tests/unit/test_NAME.c defines test_NAME. */
#define UNIT_TESTS(ROW)                                                                            \
    ROW(csv_read)                                                                                  \
    ROW(csv_record)                                                                                \
    ROW(csv_write)                                                                                 \
    ROW(cut_off)                                                                                   \
    ROW(distribution)                                                                              \
    ROW(err)                                                                                       \
    ROW(fence)                                                                                     \
    ROW(formats)                                                                                   \
    ROW(free_memory)                                                                               \
    ROW(heat_map)                                                                                  \
    ROW(help)                                                                                      \
    ROW(in_order)                                                                                  \
    ROW(info)                                                                                      \
    ROW(json_again)                                                                                \
    ROW(json_changed)                                                                              \
    ROW(json_read)                                                                                 \
    ROW(json_scan)                                                                                 \
    ROW(json_write)                                                                                \
    ROW(jsonl)                                                                                     \
    ROW(kernel_accuracy)                                                                           \
    ROW(kernel_activate)                                                                           \
    ROW(kernel_norm)                                                                               \
    ROW(kernel_order)                                                                              \
    ROW(kernels)                                                                                   \
    ROW(limits)                                                                                    \
    ROW(kv_cache)                                                                                  \
    ROW(lines)                                                                                     \
    ROW(mapping)                                                                                   \
    ROW(measure)                                                                                   \
    ROW(mem)                                                                                       \
    ROW(memory)                                                                                    \
    ROW(reader_memory)                                                                             \
    ROW(stack_memory)                                                                              \
    ROW(statistics)                                                                                \
    ROW(tensor)                                                                                    \
    ROW(angle)                                                                                     \
    ROW(bundle)                                                                                    \
    ROW(named)                                                                                     \
    ROW(named_tables)                                                                              \
    ROW(narrow)                                                                                    \
    ROW(nearest)                                                                                   \
    ROW(npy)                                                                                       \
    ROW(npz)                                                                                       \
    ROW(number_list)                                                                               \
    ROW(number_read)                                                                               \
    ROW(number_write)                                                                              \
    ROW(options)                                                                                   \
    ROW(peers)                                                                                     \
    ROW(pow10)                                                                                     \
    ROW(random)                                                                                    \
    ROW(random_recorded)                                                                           \
    ROW(rounding)                                                                                  \
    ROW(render_display)                                                                            \
    ROW(render_line)                                                                               \
    ROW(render_markup)                                                                             \
    ROW(render_matrix)                                                                             \
    ROW(render_number)                                                                             \
    ROW(render_text)                                                                               \
    ROW(row_stage)                                                                                 \
    ROW(rows_read)                                                                                 \
    ROW(rows_text)                                                                                 \
    ROW(packed_weights)                                                                            \
    ROW(run_again)                                                                                 \
    ROW(safetensors)                                                                               \
    ROW(sha256)                                                                                    \
    ROW(share_color)                                                                               \
    ROW(schedule)                                                                                  \
    ROW(sink)                                                                                      \
    ROW(sink_places)                                                                               \
    ROW(source)                                                                                    \
    ROW(streams)                                                                                   \
    ROW(stored_matrix)                                                                             \
    ROW(text)                                                                                      \
    ROW(threads)                                                                                   \
    ROW(tidy)                                                                                      \
    ROW(trace_width)                                                                               \
    ROW(ulps)                                                                                      \
    ROW(zip)

#define DECLARE(name) void test_##name(unit *u);
UNIT_TESTS(DECLARE)

static const struct {
    const char *name;
    void (*run)(unit *u);
} TESTS[] = {
#define LIST(name) {#name, test_##name},
    UNIT_TESTS(LIST)};

bool unit_check(unit *u, bool holds, const char *file, int line, const char *claim)
{
    if (holds)
        u->passed++;
    else {
        u->failed++;
        printf("FAIL unit %s: %s:%d: %s\n", u->test, file, line, claim);
    }
    return holds;
}

bool unit_check_text(unit *u, const char *got, const char *wanted, const char *file, int line)
{
    bool same = got != NULL && strcmp(got, wanted) == 0;
    if (!unit_check(u, same, file, line, "the text is as wanted"))
        printf("  got:    %s\n  wanted: %s\n", got == NULL ? "(null)" : got, wanted);
    return same;
}

void unit_skip(unit *u, const char *what)
{
    u->skipped++;
    printf("skipped: unit %s: %s\n", u->test, what);
}

FILE *unit_open_shared(unit *u, const char *name)
{
    char path[4096];
    const char *shared = getenv("SELFATTN_SHARED");
    snprintf(path, sizeof path, "%s/testdata/%s", shared == NULL ? "../shared" : shared, name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        unit_skip(u, path);
    return file;
}

bool unit_long_double_is_wide(void)
{
    volatile long double one = 1, next = one + LDBL_EPSILON;
    return LDBL_MANT_DIG >= 64 && next > one;
}

uint64_t unit_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* $UNIT_WITHOUT names tests that would take too long, with a space around each. */
static bool is_left_out(const char *name)
{
    const char *without = getenv("UNIT_WITHOUT");
    char word[64];
    snprintf(word, sizeof word, " %s ", name);
    return without != NULL && strstr(without, word) != NULL;
}

int main(int argc, char **argv)
{
    unit u = {0};
    for (size_t i = 0; i < sizeof TESTS / sizeof TESTS[0]; i++) {
        if (argc > 1 && strstr(TESTS[i].name, argv[1]) == NULL)
            continue;
        u.test = TESTS[i].name;
        if (is_left_out(u.test))
            unit_skip(&u, "it takes too long here");
        else
            TESTS[i].run(&u);
    }
    printf("%zu passed, %zu failed, %zu skipped\n", u.passed, u.failed, u.skipped);
    return u.failed > 0;
}
