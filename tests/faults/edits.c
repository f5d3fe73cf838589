/* A file, and another program that writes into it while the program has it: before each of its
 * calls to the world outside in turn, and at moments drawn from a seed, which may be between two of
 * them, once or twice in a run.
 *
 * Of a document that is updated, what that one wrote is there afterwards, whole, with the new
 * numbers in it or, where the program refuses it, as it was written. Of an input, the result is
 * that of the file before an edit or after one, or an error. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "faults/faults.h"

#include "cli/line/env.h"
#include "io/format.h"
#include "io/sink.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { LEAST_EDITS = 1000 };

static const fault NO_FAULT = {.call = CALL_NONE};

/* ---- the editor ---- */

typedef enum change { CHANGED, GROWN, CUT, WHOLE_AGAIN } change;

typedef struct step {
    change change;
    enum { IN_PLACE, EMPTIED, BY_RENAME } how;
} step;

typedef struct way {
    const char *name;
    size_t steps;
    step step[2];
} way;

static const way WAYS[] = {
    {"in place", 1, {{CHANGED, IN_PLACE}}},
    {"growing", 1, {{GROWN, IN_PLACE}}},
    {"cutting short", 1, {{CUT, EMPTIED}}},
    {"by rename", 1, {{CHANGED, BY_RENAME}}},
    {"cutting short, and whole again", 2, {{CUT, EMPTIED}, {WHOLE_AGAIN, IN_PLACE}}},
    {"twice by rename", 2, {{CHANGED, BY_RENAME}, {GROWN, BY_RENAME}}},
    {"in place, and by rename", 2, {{CHANGED, IN_PLACE}, {GROWN, BY_RENAME}}},
};
enum { WAY_COUNT = sizeof WAYS / sizeof WAYS[0] };

static struct {
    char file[64];
    void (*change)(change, text *content);
    const way *way;
    size_t gap;   /* calls from the first step to the second */
    size_t *done; /* steps: shared with the child that does them */
} editor;

static void put(const char *name, int flags, const text *content)
{
    int file = open(name, O_WRONLY | O_CREAT | flags, 0600);
    if (file < 0 || write(file, text_string(content), content->length) < (ssize_t)content->length)
        abort();
    close(file);
}

static void do_step(const step *s)
{
    static const char NEW[] = "shared/new";
    static text content; /* is in the editor's memory after it was read */
    if (*editor.done == 0)
        child_read_file(editor.file, &content);
    editor.change(s->change, &content);
    put(s->how == BY_RENAME ? NEW : editor.file, s->how == IN_PLACE ? 0 : O_TRUNC, &content);
    if (s->how == BY_RENAME && rename(NEW, editor.file) < 0)
        abort();
    ++*editor.done;
}

/* In the child, before the first call that is meant, and all that follow. */
static void edit(void)
{
    static size_t calls;
    bool is_second = calls == editor.gap && editor.way->steps > 1;
    if (calls == 0 || is_second)
        do_step(&editor.way->step[is_second]);
    calls++;
}

/* What the steps make of a content. */
static void apply(size_t steps, text *content)
{
    for (size_t i = 0; i < steps; i++)
        editor.change(editor.way->step[i].change, content);
}

static void become(text *content, const text *other)
{
    text_clear(content);
    text_add(content, text_string(other), other->length);
}

static void cut(text *content)
{
    content->length /= 2;
    content->data[content->length] = '\0';
}

/* ---- moments ---- */

typedef struct moment {
    call call;
    size_t n, gap;
    bool no_exchange;
} moment;

/* Before a call, or where memory is asked for between two. */
static moment draw_moment(const tally *calls, uint64_t *state)
{
    moment m = {.call = faults_random(state) % 2 == 0 ? CALL_ANY : CALL_ALLOCATION};
    m.n = 1 + faults_random(state) % calls->calls[m.call];
    m.gap = 1 + faults_random(state) % (calls->calls[m.call] - m.n + 1);
    return m;
}

static void run_edited(const command_line *what, const way *by, const moment *at, outcome *got)
{
    fault f = {.call = at->call,
               .effect = EFFECT_EDITS,
               .n = at->n,
               .persists = by->steps > 1,
               .edit = edit,
               .no_exchange = at->no_exchange};
    editor.way = by;
    editor.gap = at->gap;
    *editor.done = 0;
    child_run(what, &f, got);
}

/* One test of the suite. */
static bool count(counts *c, const command_line *what, const way *by, const moment *at,
                  const outcome *got, const char *wrong)
{
    c->edits += *editor.done;
    c->passed += wrong == NULL;
    c->failed += wrong != NULL;
    if (wrong != NULL)
        printf("FAIL faults: edits: selfattn %s, written %s before %s %zu and %zu later: %s\n  "
               "status %d, signal %d, %zu edits\n  %s\n",
               what->words, by->name, at->call == CALL_ANY ? "call" : "allocation", at->n, at->gap,
               wrong, got->status, got->signal, *editor.done, text_string(&got->err));
    return wrong == NULL;
}

/* Where a file that is mapped was cut short the program ends at once, with an error. */
static const char *judge_end(const outcome *got)
{
    if (got->signal != 0 || (!got->reports && got->status != EXIT_WRONG))
        return "does not come to its end";
    if (got->strange[0] != '\0' || *child_empty_folder("shared", "") != '\0')
        return "leaves a file behind";
    return got->status == EXIT_WRONG && got->err.length == 0 ? "does not say why" : NULL;
}

/* ---- documents that are updated ---- */

typedef struct updated {
    command_line what;
    const char *name, *content;
    size_t spaces; /* before it */
    bool has_list; /* who may do what with it */
} updated;

#define DOCUMENT "{\"name\": \"mine\", \"x\": [[1]], \"expected\": {\"output\": [[2]]}}\n"

static const updated UPDATED[] = {
    {.what.words = "check --update shared/one.json",
     .name = "shared/one.json",
     .content = DOCUMENT},
    {.what.words = "check --update shared-link.json",
     .name = "shared/one.json",
     .content = DOCUMENT},
    {.what.words = "check --update shared/large.json",
     .name = "shared/large.json",
     .content = DOCUMENT,
     .spaces = 150000},
    {.what.words = "check --update shared/listed.json",
     .name = "shared/listed.json",
     .content = DOCUMENT,
     .has_list = true},
    {.what.words = "check --update shared/lines.jsonl",
     .name = "shared/lines.jsonl",
     .content = "{\"x\": [[1]], \"expected\": {\"output\": [[2]]}}\n\n" DOCUMENT
                "{\"x\": [[3]], \"expected\": {\"output\": [[3]]}}\n"
                "{\"x\": [[4]], \"expected\": {\"output\": [[5.00]]}}\n"},
    {.what.words = "check --update shared/marked.json",
     .name = "shared/marked.json",
     .content = "\xef\xbb\xbf" DOCUMENT},
    {.what.words = "check --update shared/errata.json",
     .name = "shared/errata.json",
     .content = "{\"name\": \"mine\", \"x\": [[1], [3]], \"expected\": {\"x\": [[1], [4]],\n"
                "\"output\": [[2], [2]]}, \"errata\": [{\"stage\": \"x\", \"row\": 1, \"col\": 0,\n"
                "\"published\": 4, \"computed\": 3}]}\n"},
    {.what.words = "check --update shared/layers.json",
     .name = "shared/layers.json",
     .content = "{\"name\": \"mine\", \"x\": [[1]], \"layers\": [{\"wv\": [[2]]}],\n"
                "\"expected\": {\"layer.0.attention_sum\": [[4]]}}\n"},
};
enum { UPDATED_COUNT = sizeof UPDATED / sizeof UPDATED[0] };

static void change_document(change c, text *content)
{
    static text uncut;
    if (c == CUT) {
        become(&uncut, content);
        cut(content);
    } else if (c == GROWN) {
        text_add_string(content, "     \n");
    } else {
        if (c == WHOLE_AGAIN)
            become(content, &uncut);
        char *name = strstr(content->data, "mine");
        if (name != NULL)
            memcpy(name, "ours", 4);
    }
}

static void add_document(const updated *of, text *content)
{
    text_add_repeated(content, " ", of->spaces);
    text_add_string(content, of->content);
}

/* Linux's acl(5), as its attribute has it: the owner reads and writes, user 1 reads. */
static const char LIST_NAME[] = "system.posix_acl_access";
static const char LIST[] = "\2\0\0\0"
                           "\1\0\6\0\xff\xff\xff\xff"
                           "\2\0\4\0\1\0\0\0"
                           "\4\0\0\0\xff\xff\xff\xff"
                           "\x10\0\4\0\xff\xff\xff\xff"
                           "\x20\0\0\0\xff\xff\xff\xff";

/* False where the file system has no such lists. */
static bool put_document(const updated *of)
{
    text content = {0};
    add_document(of, &content);
    put(of->name, O_TRUNC, &content);
    text_free(&content);
    return of->has_list && setxattr(of->name, LIST_NAME, LIST, sizeof LIST - 1, 0) == 0;
}

static bool has_list(const updated *of)
{
    char value[sizeof LIST];
    ssize_t length = getxattr(of->name, LIST_NAME, value, sizeof value);
    return length == sizeof LIST - 1 && memcmp(value, LIST, sizeof LIST - 1) == 0;
}

static bool is_renamed(const way *by, size_t steps)
{
    bool is = false;
    for (size_t i = 0; i < steps; i++)
        is = is || by->step[i].how == BY_RENAME;
    return is;
}

static const char *judge_update(const updated *of, const text *clean, const outcome *got,
                                bool was_listed)
{
    text theirs = {0}, both = {0}, found = {0};
    add_document(of, &theirs);
    apply(*editor.done, &theirs);
    become(&both, clean);
    apply(*editor.done, &both);
    child_read_file(of->name, &found);
    bool has_both = judge_same_text(&found, &both), has_theirs = judge_same_text(&found, &theirs);
    bool keeps_list = !was_listed || has_list(of) || is_renamed(editor.way, *editor.done);
    unlink(of->name);
    const char *wrong = judge_end(got);
    bool may_be_theirs = *editor.done > 1; /* who wrote over it what was in mind */
    if (wrong == NULL && got->status == EXIT_DONE && !has_both && !may_be_theirs)
        wrong = "says that it recorded, and it is not so";
    if (wrong == NULL && got->status != EXIT_DONE && got->status != EXIT_WRONG)
        wrong = "ends with another status than 0 or 2";
    if (wrong == NULL && !has_both && !has_theirs)
        wrong = "loses what the other wrote";
    if (wrong == NULL && !keeps_list)
        wrong = "loses the access list";
    text_free(&theirs);
    text_free(&both);
    text_free(&found);
    return wrong;
}

static bool try_update(const updated *of, const text *clean, const way *by, const moment *at,
                       size_t *refused, counts *c)
{
    outcome got;
    bool was_listed = put_document(of);
    run_edited(&of->what, by, at, &got);
    bool holds = count(c, &of->what, by, at, &got, judge_update(of, clean, &got, was_listed));
    *refused += got.status == EXIT_WRONG;
    outcome_free(&got);
    return holds;
}

static void try_all(const updated *of, const text *clean, const way *by, const moment *at,
                    size_t count, counts *c)
{
    size_t refused = 0;
    bool holds = true;
    for (size_t i = 0; holds && i < count; i++)
        holds = try_update(of, clean, by, &at[i], &refused, c);
    bool is_vain = holds && refused == 0;
    if (is_vain)
        printf("FAIL faults: edits: selfattn %s: nothing that is written %s is refused\n",
               of->what.words, by->name);
    c->failed += is_vain;
}

enum { MOST_MOMENTS = 256, LAST = 12, GAPS = 4 };

/* Once before each call; or twice around the end, where the file is replaced. */
static size_t list_moments(size_t calls, size_t steps, moment *at)
{
    size_t count = 0;
    for (size_t n = 1; n <= calls && steps == 1 && count < MOST_MOMENTS; n++)
        at[count++] = (moment){.call = CALL_ANY, .n = n, .gap = 1};
    for (size_t n = calls - LAST; n <= calls && steps > 1; n++) {
        for (size_t gap = 1; gap <= GAPS; gap++)
            at[count++] = (moment){.call = CALL_ANY, .n = n, .gap = gap};
    }
    return count;
}

static size_t draw_moments(const tally *calls, uint64_t *state, moment *at)
{
    enum { DRAWN = 5 };
    for (size_t i = 0; i < DRAWN; i++)
        at[i] = draw_moment(calls, state);
    return DRAWN;
}

/* What was taken out and is another's goes back by a rename. */
static void edit_without_exchange(const updated *of, const text *recorded, counts *c)
{
    static const moment BEFORE = {CALL_EXCHANGE, 1, 1, .no_exchange = true};
    for (size_t i = 0; i < WAY_COUNT; i++) {
        if (WAYS[i].steps == 1)
            try_all(of, recorded, &WAYS[i], &BEFORE, 1, c);
    }
}

/* Nor by a rename: what was taken out stays where it is, and the message says where. */
static void edit_without_a_way_back(const updated *of, counts *c)
{
    static const way BY = {"by rename", 1, {{CHANGED, BY_RENAME}}};
    static const moment AT = {.call = CALL_EXCHANGE, .n = 1, .gap = 1};
    fault f = {.call = CALL_EXCHANGE, .effect = EFFECT_EDITS, .n = 1, .edit = edit};
    text theirs = {0}, found = {0};
    outcome got;
    f.no_exchange = f.no_rename = true;
    editor.way = &BY;
    editor.gap = AT.gap;
    *editor.done = 0;
    put_document(of);
    child_run(&of->what, &f, &got);
    add_document(of, &theirs);
    apply(1, &theirs);
    const char *why = strstr(text_string(&got.err), "was changed by another program meanwhile, "
                                                    "which can't go back: Invalid argument");
    const char *told = strstr(text_string(&got.err), "what that one wrote is ");
    char path[300] = "";
    bool is_told = why != NULL && told != NULL &&
                   sscanf(told, "what that one wrote is %299s", path) == 1 &&
                   child_read_file(path, &found) && judge_same_text(&found, &theirs);
    child_empty_folder("shared", "");
    count(c, &of->what, &BY, &AT, &got,
          is_told && got.status == EXIT_WRONG ? NULL : "does not say where the other's file is");
    text_free(&theirs);
    text_free(&found);
    outcome_free(&got);
}

static void sweep(void)
{
    child_empty_folder("shared", ".selfattn-");
}

/* Another run takes the new file for one that was left, before it is locked, and removes it. */
static void sweep_before_locks(const updated *of, const text *recorded, const tally *calls,
                               counts *c)
{
    for (size_t n = 1; n <= calls->calls[CALL_LOCK]; n++) {
        const fault f = {.call = CALL_LOCK, .effect = EFFECT_EDITS, .n = n, .edit = sweep};
        const moment at = {.call = CALL_ANY, .n = n};
        outcome got;
        *editor.done = 0;
        editor.way = &WAYS[0];
        put_document(of);
        child_run(&of->what, &f, &got);
        count(c, &of->what, editor.way, &at, &got, judge_update(of, recorded, &got, false));
        outcome_free(&got);
    }
}

/* Another run writes into the folder, in a process of its own, and so removes what was left there;
 * a run looks through a folder once, unless it was in another since. */
static void write_next_to_it(void)
{
    static const char *const FILES[] = {"other", "shared/other"};
    pid_t process = fork();
    for (size_t i = 0; process == 0 && i < 2; i++) {
        sink to;
        err e = {0};
        if (!sink_open(&to, FILES[i], &e))
            _exit(1);
        sink_discard(&to);
    }
    if (process == 0)
        _exit(0);
    int status;
    if (waitpid(process, &status, 0) != process || status != 0)
        abort();
}

static void be_killed(void)
{
    raise(SIGKILL);
}

/* The editor saves at the last moment, just before files are exchanged, and some calls later the
 * world does worse. */
static size_t calls_later;
static void (*then)(void);

static void edit_at_the_exchange(void)
{
    static size_t calls;
    if (calls == 0)
        do_step(&editor.way->step[0]);
    else if (calls == calls_later)
        then();
    calls++;
}

/* Whether a file of the folder is so; removes all. */
static bool is_in_folder(const text *content)
{
    bool is = false;
    DIR *folder = opendir("shared");
    for (struct dirent *one; (one = readdir(folder)) != NULL;) {
        char path[300];
        text found = {0};
        snprintf(path, sizeof path, "shared/%s", one->d_name);
        is = (one->d_type == DT_REG && child_read_file(path, &found) &&
              judge_same_text(&found, content)) ||
             is;
        text_free(&found);
    }
    closedir(folder);
    child_empty_folder("shared", "");
    return is;
}

/* What the other wrote is in a file, whoever writes into the folder while or after it lies next to
 * its place. */
static void lose_at_the_exchange(const updated *of, const text *recorded, counts *c)
{
    static const way BY = {"by rename", 1, {{CHANGED, BY_RENAME}}};
    fault f = {.call = CALL_EXCHANGE, .effect = EFFECT_EDITS, .n = 1};
    f.edit = edit_at_the_exchange;
    f.goes_on = true;
    editor.way = &BY;
    for (calls_later = 1; calls_later <= LAST; calls_later++) {
        const moment at = {.call = CALL_ANY, .gap = calls_later};
        for (int i = 0; i < 2; i++) {
            outcome got;
            text theirs = {0};
            then = i == 0 ? write_next_to_it : be_killed;
            *editor.done = 0;
            put_document(of);
            child_run(&of->what, &f, &got);
            write_next_to_it();
            add_document(of, &theirs);
            apply(1, &theirs);
            if (got.signal == SIGKILL)
                count(c, &of->what, &BY, &at, &got,
                      is_in_folder(&theirs) ? NULL : "loses what the other wrote, and is killed");
            else
                count(c, &of->what, &BY, &at, &got, judge_update(of, recorded, &got, false));
            text_free(&theirs);
            outcome_free(&got);
        }
    }
}

static void edit_document(const updated *of, bool is_every, uint64_t *state, counts *c)
{
    outcome clean;
    text recorded = {0};
    snprintf(editor.file, sizeof editor.file, "%s", of->name);
    editor.change = change_document;
    put_document(of);
    child_run(&of->what, &NO_FAULT, &clean);
    if (clean.status != EXIT_DONE)
        abort();
    child_read_file(of->name, &recorded);
    for (size_t i = 0; i < WAY_COUNT; i++) {
        moment at[MOST_MOMENTS];
        size_t count = is_every ? list_moments(clean.counted.calls[CALL_ANY], WAYS[i].steps, at)
                                : draw_moments(&clean.counted, state, at);
        try_all(of, &recorded, &WAYS[i], at, count, c);
    }
    if (is_every) {
        edit_without_exchange(of, &recorded, c);
        edit_without_a_way_back(of, c);
        sweep_before_locks(of, &recorded, &clean.counted, c);
        lose_at_the_exchange(of, &recorded, c);
    }
    text_free(&recorded);
    outcome_free(&clean);
}

/* ---- inputs ---- */

static text changed, grown; /* of the input at hand */

static void change_input(change c, text *content)
{
    if (c == CUT)
        cut(content);
    else
        become(content, c == GROWN ? &grown : &changed);
}

/* Rows of one digit, in the format of the file that the editor has. */
static void make_version(char digit, size_t rows, size_t columns, text *version)
{
    char words[128];
    command_line convert = {.words = words};
    outcome got;
    text table = {0};
    for (size_t i = 1; i <= rows * columns; i++)
        text_add_format(&table, "%c%c", digit, i % columns == 0 ? '\n' : ',');
    put("shared/from.csv", O_TRUNC, &table);
    snprintf(words, sizeof words, "convert --dtype f32 shared/from.csv %s", editor.file);
    child_run(&convert, &NO_FAULT, &got);
    text_clear(version);
    if (got.status != EXIT_DONE || !child_read_file(editor.file, version))
        abort();
    child_empty_folder("shared", "");
    outcome_free(&got);
    text_free(&table);
}

/* What a run came to, with what it wrote into a file. */
static void take_result(outcome *got)
{
    child_read_file("shared/out.csv", &got->out);
    unlink("shared/out.csv");
    unlink("shared/old");
    unlink(editor.file);
}

static void put_inputs(const text *old, const text *content)
{
    /* Of another time than an edit, since the clock of files ticks some hundred times a second. */
    static const struct timespec LONG_AGO[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    put("shared/old", O_TRUNC, old);
    put(editor.file, O_TRUNC, content);
    utimensat(AT_FDCWD, editor.file, LONG_AGO, 0);
}

static bool is_result_of(const command_line *what, const text *old, const text *content,
                         const outcome *got)
{
    outcome clean;
    put_inputs(old, content);
    child_run(what, &NO_FAULT, &clean);
    take_result(&clean);
    bool is_same = got->status == clean.status && judge_same_text(&got->out, &clean.out);
    outcome_free(&clean);
    return is_same;
}

static const char *judge_input(const command_line *what, const text *content, const outcome *clean,
                               const outcome *got)
{
    const char *wrong = judge_end(got);
    bool is_known = got->status == EXIT_WRONG ||
                    (got->status == clean->status && judge_same_text(&got->out, &clean->out));
    for (size_t i = 1; wrong == NULL && !is_known && i <= *editor.done; i++) {
        text after = {0};
        become(&after, content);
        apply(i, &after);
        is_known = is_result_of(what, content, &after, got);
        text_free(&after);
    }
    return wrong != NULL ? wrong : is_known ? NULL : "gives the result of no file that was there";
}

static void edit_input(const command_line *what, const text *content, size_t moments,
                       uint64_t *state, counts *c)
{
    outcome clean, got;
    bool holds = true;
    put_inputs(content, content);
    child_run(what, &NO_FAULT, &clean);
    take_result(&clean);
    if (clean.status == EXIT_WRONG)
        abort();
    for (size_t i = 0; holds && i < moments; i++) {
        const way *by = &WAYS[faults_random(state) % WAY_COUNT];
        moment at = draw_moment(&clean.counted, state);
        put_inputs(content, content);
        run_edited(what, by, &at, &got);
        take_result(&got);
        holds = count(c, what, by, &at, &got, judge_input(what, content, &clean, &got));
        outcome_free(&got);
    }
    outcome_free(&clean);
}

/* By each command that reads files: of so many rows; 0 are as many as make 128 KB, which are
 * mapped. */
static void edit_inputs(const format *as, size_t rows, size_t columns, size_t moments,
                        uint64_t *state, counts *c)
{
    enum { MAPPED = 1 << 17 };
    static const struct {
        const char *before, *after;
    } COMMANDS[] = {{"run --quiet --emit output -x ", ""},
                    {"convert --quiet ", " shared/out.csv"},
                    {"info ", ""},
                    {"diff shared/old ", ""}};
    text content = {0};
    snprintf(editor.file, sizeof editor.file, "shared/in.%s", as->named.name);
    editor.change = change_input;
    if (rows == 0) {
        make_version('7', 1, columns, &content);
        rows = MAPPED / content.length + 1;
    }
    make_version('7', rows, columns, &content);
    make_version('9', rows, columns, &changed);
    make_version('9', rows + 1, columns, &grown);
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        char words[128];
        command_line what = {.words = words};
        snprintf(words, sizeof words, "%s%s%s", COMMANDS[i].before, editor.file, COMMANDS[i].after);
        edit_input(&what, &content, moments, state, c);
    }
    text_free(&content);
    text_free(&changed);
    text_free(&grown);
}

void faults_edits(counts *c)
{
    const size_t drawn = RUNS_ARE_SLOW ? 1 : 6;
    uint64_t state = 1;
    editor.done =
        mmap(NULL, sizeof *editor.done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (editor.done == MAP_FAILED)
        abort();
    for (size_t i = 0; i < UPDATED_COUNT; i++)
        edit_document(&UPDATED[i], i == 0, &state, c);
    for (size_t i = 0; i < FORMATS.count; i++) {
        const format *as = (const format *)(const void *)named_row(&FORMATS, i);
        edit_inputs(as, 0, 4096, drawn, &state, c);
        edit_inputs(as, 3, 2, drawn, &state, c);
    }
    bool are_many = c->edits >= LEAST_EDITS || RUNS_ARE_SLOW;
    if (!are_many)
        printf("FAIL faults: edits: %zu are too few\n", c->edits);
    c->failed += !are_many;
}
