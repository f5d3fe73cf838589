/* trace_numbers [--digits N] [--f64] [--full] [--focus ROW HEAD BATCH] [--alter] DOCUMENT STAGES
 * [TRACE]: accounts for every number of a trace by the stages that the same run emitted and the
 * document that it read, and prints each line that it can't. With --alter it changes one digit of
 * the trace after the other, and prints each change that it does not notice. Without a TRACE it
 * prints the numbers of queries, heads and batches. */
#include "checks.h"

#include "base/mem.h"
#include "io/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 8192 };

/* A trace as lines, and what is found wrong in it. */
typedef struct page {
    const char *line[MOST_LINES];
    size_t count;
    bool says; /* prints what is wrong */
    const char *file;
    size_t wrong;
} page;

static void say_wrong(page *p, const reader *r, const char *line)
{
    if (!r->failed)
        return;
    p->wrong++;
    if (p->says)
        printf("FAIL %s: %s\n    %s\n", p->file, r->why, line);
}

static size_t indent_of(const char *line)
{
    return strspn(line, " ");
}

/* The lines with single spaces in between, without their indents. */
static const char *join(const char *const *line, size_t count)
{
    static char joined[LONGEST_LINE];
    size_t length = 0;
    joined[0] = '\0';
    for (size_t i = 0; i < count && length < sizeof joined; i++)
        length += (size_t)snprintf(joined + length, sizeof joined - length, "%s%s",
                                   i > 0 ? " " : "", line[i] + indent_of(line[i]));
    return joined;
}

/* Worked lines and formulas: each begins at the indent of the first, and may go on further in. */
static void check_items(page *on, const truth *t, progress *at, const paragraph *p)
{
    for (size_t i = 0, end; i < p->count; i = end) {
        end = i + 1;
        while (end < p->count && indent_of(p->line[end]) > indent_of(p->line[i]))
            end++;
        const char *joined = join(p->line + i, end - i);
        reader r = {.of = t, .at = joined};
        if (is_worked_line(joined))
            check_worked_line(&r, at);
        else
            check_prose(&r, joined);
        say_wrong(on, &r, p->line[i]);
    }
}

static void check_paragraph(page *on, const truth *t, progress *at, const paragraph *p)
{
    static char matrix[64]; /* the last one's name, for its further parts */
    reader r = {.of = t, .at = ""};
    if (isdigit((unsigned char)*p->line[0]) && strstr(p->line[0], "──") != NULL)
        check_heading(&r, at, p->line[0]);
    else if (indent_of(p->line[0]) < 4 && strncmp(p->line[0], "  → ", 4) != 0)
        check_prose(&r, join(p->line, p->count));
    else if (is_table(p))
        check_table(&r, p);
    else if (is_product(p))
        check_product(&r, p);
    else if (is_stack(p))
        check_stack_products(&r, p);
    else if (is_next_part(p) || is_matrix(p))
        check_matrix(&r, at, p, matrix);
    else {
        check_items(on, t, at, p);
        return;
    }
    say_wrong(on, &r, p->line[0]);
}

static bool is_heading(const char *line)
{
    return isdigit((unsigned char)*line) && strstr(line, "──") != NULL;
}

static void check_page(page *on, const truth *t)
{
    progress at = {0};
    size_t i = 0;
    while (i < on->count && !is_heading(on->line[i]))
        i++;
    reader r = {.of = t};
    check_preamble(&r, join(on->line, i));
    say_wrong(on, &r, on->count > 0 ? on->line[0] : "");
    while (i < on->count) {
        paragraph p = {.line = on->line + i};
        while (i + p.count < on->count && *p.line[p.count] != '\0')
            p.count++;
        if (p.count > 0)
            check_paragraph(on, t, &at, &p);
        i += p.count > 0 ? p.count : 1;
    }
    if (at.steps == 0) {
        on->wrong++;
        printf("FAIL %s: there is no step in it\n", on->file);
    }
}

static void cut_lines(page *p, char *bytes)
{
    p->count = 0;
    for (char *at = bytes; *at != '\0' && p->count < MOST_LINES;) {
        char *end = at + strcspn(at, "\n");
        p->line[p->count++] = at;
        at = *end == '\0' ? end : end + 1;
        *end = '\0';
    }
}

/* ---- proving that it can fail ---- */

static bool notices(page *p, const truth *t, const char *bytes, size_t length, char *room)
{
    memcpy(room, bytes, length + 1);
    p->wrong = 0;
    cut_lines(p, room);
    check_page(p, t);
    return p->wrong > 0;
}

/* Where the line begins and ends that holds a byte, in the trace as it was. */
static void say_unnoticed(const char *file, const char *bytes, size_t at, char now)
{
    size_t first = at, end = at + strcspn(bytes + at, "\n");
    while (first > 0 && bytes[first - 1] != '\n')
        first--;
    printf("FAIL %s: '%c' in place of '%c' is not noticed at column %zu of\n    %.*s\n", file, now,
           bytes[at], at - first + 1, (int)(end - first), bytes + first);
}

/* Every digit becomes another one, every sign of a number goes: each must be found wrong. */
static size_t alter_all(page *p, const truth *t, char *bytes, size_t length, size_t *changes)
{
    char *room = malloc(length + 1), *altered = malloc(length + 1);
    size_t unnoticed = 0;
    if (room == NULL || altered == NULL)
        exit(2);
    memcpy(altered, bytes, length + 1);
    p->says = false;
    for (size_t i = 0; i < length; i++) {
        bool is_digit = isdigit((unsigned char)bytes[i]);
        bool is_sign = bytes[i] == '-' && isdigit((unsigned char)bytes[i + 1]);
        if (!is_digit && !is_sign)
            continue;
        altered[i] = is_sign ? ' ' : (char)('0' + (bytes[i] - '0' + 1) % 10);
        if (!notices(p, t, altered, length, room)) {
            unnoticed++;
            say_unnoticed(p->file, bytes, i, altered[i]);
        }
        altered[i] = bytes[i];
        ++*changes;
    }
    free(room);
    free(altered);
    return unnoticed;
}

/* ---- the command line ---- */

static size_t index_of(const char *word)
{
    return (size_t)strtoul(word, NULL, 10) - 1;
}

static int fail_usage(const char *why)
{
    fprintf(stderr, "trace_numbers: %s\n", why);
    return 2;
}

/* What the options say; the index of the first word that is none, 0 where one is unknown. */
static int read_options_of(int argc, char **argv, asked *how, bool *alters)
{
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--f64") == 0)
            how->type = DTYPE_F64;
        else if (strcmp(argv[i], "--full") == 0)
            how->is_full = true;
        else if (strcmp(argv[i], "--alter") == 0)
            *alters = true;
        else if (strcmp(argv[i], "--digits") == 0 && i + 1 < argc)
            how->digits = atoi(argv[++i]);
        else if (strcmp(argv[i], "--focus") == 0 && i + 3 < argc) {
            how->row = index_of(argv[++i]);
            how->head = index_of(argv[++i]);
            how->batch = index_of(argv[++i]);
        } else
            return 0;
    }
    return i;
}

static bool check_trace(const truth *t, const char *file, bool alters, err *e)
{
    static page p;
    source trace;
    size_t changes = 0, wrong;
    if (!source_open(&trace, file, e))
        return false;
    char *bytes = mem_copy_text(trace.bytes, trace.length, e); /* where lines are cut */
    if (bytes == NULL)
        return false;
    p.file = file;
    p.says = !alters;
    if (alters) {
        wrong = alter_all(&p, t, bytes, trace.length, &changes);
        printf("%zu changes\n", changes);
    } else {
        cut_lines(&p, bytes);
        check_page(&p, t);
        wrong = p.wrong;
    }
    mem_free(bytes);
    source_close(&trace);
    return wrong == 0;
}

int main(int argc, char **argv)
{
    asked how = {.type = DTYPE_F32, .digits = -1, .row = ROW_BY_DEFAULT};
    bool alters = false;
    int first = read_options_of(argc, argv, &how, &alters);
    if (first == 0 || argc - first < 2 || argc - first > 3)
        return fail_usage("[OPTION]... DOCUMENT STAGES [TRACE]");
    err e = {0};
    truth t;
    if (!truth_open(&t, argv[first], argv[first + 1], &how, &e))
        return fail_usage(e.what);
    bool is_right = true;
    if (argc - first == 2)
        printf("%zu %zu %zu\n", t.n_q, t.heads, t.batches);
    else
        is_right = check_trace(&t, argv[first + 2], alters, &e);
    truth_close(&t);
    return e.is_set ? fail_usage(e.what) : !is_right;
}
