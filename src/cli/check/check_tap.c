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

void tap_add(text *out, tap_count *counted, const checked_file *one)
{
    for (const char *line = text_string(&one->lines); *line != '\0';) {
        size_t length = strcspn(line, "\n");
        add_line(out, counted, line, length);
        line += length + (line[length] == '\n');
    }
    if (!one->bad.is_set)
        return;
    text bad = {0};
    text_add_format(&bad, "FAIL  %s%s%s", one->bad.where, one->bad.where[0] == '\0' ? "" : ": ",
                    one->bad.what);
    add_line(out, counted, text_string(&bad), bad.length);
    out->failed = out->failed || bad.failed;
    text_free(&bad);
}

void tap_end(text *out, const tap_count *counted)
{
    text_add_format(out, "1..%zu\n", counted->tests);
}
