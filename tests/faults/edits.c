/* A file that is updated, and somebody else who writes into it before each of the program's calls
 * in turn: what that one wrote is there afterwards, whole, with the new number in it or, where the
 * program refuses it, as it was written. */
#include "faults/faults.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char NAME[] = "shared.json";

/* ---- the editor ---- */

static size_t take(char *content, size_t size)
{
    int file = open(NAME, O_RDONLY);
    ssize_t length = file < 0 ? 0 : read(file, content, size - 1);
    content[length < 0 ? 0 : length] = '\0';
    close(file);
    return strlen(content);
}

static void put(const char *name, int flags, const char *content)
{
    int file = open(name, O_WRONLY | O_CREAT | flags, 0600);
    if (file < 0 || write(file, content, strlen(content)) < 0)
        abort();
    close(file);
}

static void rename_document(char *content)
{
    char *name = strstr(content, "mine");
    if (name != NULL)
        memcpy(name, "ours", 4);
}

static void in_place(char *content)
{
    rename_document(content);
    put(NAME, 0, content);
}

static void growing(char *content)
{
    rename_document(content);
    strcat(content, "     \n");
    put(NAME, 0, content);
}

static void cutting_short(char *content)
{
    content[strlen(content) / 2] = '\0';
    put(NAME, O_TRUNC, content);
}

static void by_rename(char *content)
{
    rename_document(content);
    put("shared.new", O_TRUNC, content);
    if (rename("shared.new", NAME) < 0)
        abort();
}

static const struct {
    const char *name;
    void (*write)(char *content); /* and changes it so */
} WAYS[] = {{"in place", in_place},
            {"growing", growing},
            {"cutting short", cutting_short},
            {"by rename", by_rename}};
enum { WAY_COUNT = sizeof WAYS / sizeof WAYS[0] };

static size_t way;

static void edit(void)
{
    char content[256];
    take(content, sizeof content);
    WAYS[way].write(content);
}

/* ---- what became of it ---- */

/* Whether this is what the editor makes of the text. */
static bool is_edited(const text *content, const char *of)
{
    char wanted[256];
    snprintf(wanted, sizeof wanted, "%s", of);
    WAYS[way].write(wanted);
    unlink(NAME);
    return strcmp(text_string(content), wanted) == 0;
}

static const char *judge_edited(const outcome *clean, const outcome *got)
{
    const output *file = &got->file[0];
    if (got->signal != 0 || !got->reports)
        return "does not come to its end";
    if (got->strange[0] != '\0')
        return "leaves a file behind";
    bool has_both = is_edited(&file->content, text_string(&clean->file[0].content));
    bool has_theirs = is_edited(&file->content, child_old(NAME));
    if (got->status == 0)
        return has_both ? NULL : "says that it recorded, and it is not so";
    if (got->status != 2)
        return "ends with another status than 0 or 2";
    return has_theirs || has_both ? NULL : "loses what the other wrote";
}

static bool edit_before_each(const command_line *what)
{
    static const fault NONE = {.call = CALL_NONE};
    outcome clean, got;
    const char *wrong = NULL;
    size_t refused = 0, calls;
    child_run(what, &NONE, &clean);
    calls = clean.counted.calls[CALL_ANY];
    for (size_t n = 1; wrong == NULL && n <= calls; n++) {
        fault f = {.call = CALL_ANY, .effect = EFFECT_EDITS, .n = n, .edit = edit};
        child_run(what, &f, &got);
        wrong = judge_edited(&clean, &got);
        refused += got.status == 2;
        if (wrong != NULL)
            printf("FAIL faults: edits: selfattn %s, written %s before call %zu: %s\n  %s\n  %s\n",
                   what->words, WAYS[way].name, n, wrong, text_string(&got.err),
                   text_string(&got.file[0].content));
        outcome_free(&got);
    }
    outcome_free(&clean);
    if (wrong == NULL && refused == 0)
        printf("FAIL faults: edits: nothing that is written %s is refused\n", WAYS[way].name);
    return wrong == NULL && refused > 0;
}

void faults_edits(counts *c)
{
    static const command_line UPDATE = {.words = "check --update shared.json",
                                        .outputs = "shared.json"};
    for (way = 0; way < WAY_COUNT; way++) {
        bool holds = edit_before_each(&UPDATE);
        c->passed += holds;
        c->failed += !holds;
    }
}
