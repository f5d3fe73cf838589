#include "cli/check/check_tap.h"

#include <string.h>

/* What the lines of check begin with, and what TAP has for it. */
static const struct {
    const char *begins, *becomes;
    bool is_test;
} LINES[] = {{"ok    ", "ok", true}, {"FAIL  ", "not ok", true}, {"", "# ", false}};

/* A # would begin a directive. */
static void add_description(text *out, const char *words, size_t length)
{
    for (size_t i = 0; i < length; i++)
        text_add_format(out, words[i] == '#' || words[i] == '\\' ? "\\%c" : "%c", words[i]);
}

static void add_line(text *out, tap_count *counted, const char *line, size_t length)
{
    size_t row = 0;
    while (strncmp(line, LINES[row].begins, strlen(LINES[row].begins)) != 0)
        row++;
    size_t skipped = strlen(LINES[row].begins);
    text_add_string(out, LINES[row].becomes);
    if (LINES[row].is_test) {
        text_add_format(out, " %zu - ", ++counted->tests);
        add_description(out, line + skipped, length - skipped);
    } else {
        text_add(out, line, length);
    }
    text_add_string(out, "\n");
}

void tap_begin(text *out)
{
    text_add_string(out, "TAP version 13\n");
}

static void add_lines(text *out, tap_count *counted, const char *lines, size_t length)
{
    for (const char *line = lines, *end = lines + length; line < end;) {
        size_t of_line = strcspn(line, "\n");
        add_line(out, counted, line, of_line);
        line += of_line + (line[of_line] == '\n');
    }
}

/* What standard error has of it, without the remedy. */
static void add_error(text *out, tap_count *counted, const char *said)
{
    const char *where = strchr(said, ' ') + 1;
    text bad = {0};
    text_add_format(&bad, "FAIL  %.*s", (int)strcspn(where, "\n"), where);
    add_line(out, counted, text_string(&bad), bad.length);
    out->failed = out->failed || bad.failed;
    text_free(&bad);
}

void tap_add(text *out, tap_count *counted, const checked_file *one)
{
    const char *lines = text_string(&one->lines);
    size_t at = 0;
    for (size_t i = 0; i < one->passed_over.count; i++) {
        const checked_error *error = &one->passed_over.one[i];
        add_lines(out, counted, lines + at, error->behind - at);
        add_error(out, counted, error->said);
        at = error->behind;
    }
    add_lines(out, counted, lines + at, one->lines.length - at);
    char last[ERR_TEXT];
    if (one->bad.is_set)
        add_error(out, counted, err_text(&one->bad, last));
}

void tap_end(text *out, const tap_count *counted)
{
    text_add_format(out, "1..%zu\n", counted->tests);
}
