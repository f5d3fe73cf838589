#include "faults/judge.h"

#include <stdio.h>
#include <string.h>

bool judge_same_text(const text *a, const text *b)
{
    return a->length == b->length && memcmp(text_string(a), text_string(b), a->length) == 0;
}

static bool begins_with(const text *all, const text *first)
{
    return first->length <= all->length &&
           memcmp(text_string(all), text_string(first), first->length) == 0;
}

/* ---- files ---- */

static bool is_old(const output *one)
{
    bool was_there = strncmp(one->name, "new", 3) != 0;
    return one->is_there == was_there &&
           (!was_there || strcmp(text_string(&one->content), child_old(one->name)) == 0);
}

static bool is_new(const output *clean, const output *one)
{
    return one->is_there && judge_same_text(&clean->content, &one->content);
}

static size_t count_new(const outcome *clean, const outcome *got)
{
    size_t count = 0;
    for (size_t i = 0; i < got->files; i++)
        count += is_new(&clean->file[i], &got->file[i]);
    return count;
}

const char *judge_files(const outcome *clean, const outcome *got, bool may_leave_temporary)
{
    if (got->strange[0] != '\0' &&
        !(may_leave_temporary && strncmp(got->strange, ".selfattn-", 10) == 0))
        return "leaves a file behind that nobody asked for";
    for (size_t i = 0; i < got->files; i++) {
        if (!is_old(&got->file[i]) && !is_new(&clean->file[i], &got->file[i]))
            return "leaves a file that is neither the old one nor the new one";
    }
    return NULL;
}

/* ---- what is said ---- */

/* How many errors there are, each with its remedy; SIZE_MAX where anything else
 * is said that is not a note. */
static size_t count_errors(const text *said)
{
    size_t errors = 0;
    bool may_be_remedy = false;
    for (const char *line = text_string(said); *line != '\0';) {
        size_t length = strcspn(line, "\n");
        bool is_note = strncmp(line, "selfattn: note: ", 16) == 0;
        bool is_error = !is_note && strncmp(line, "selfattn: ", 10) == 0;
        if (!is_note && !is_error && !(may_be_remedy && strncmp(line, "  ", 2) == 0))
            return (size_t)-1;
        errors += is_error;
        may_be_remedy = is_error;
        line += length + (line[length] == '\n');
    }
    return errors;
}

static bool says_reason(const fault_kind *kind, const text *said)
{
    bool is_memory = kind->call == CALL_ALLOCATION || kind->call == CALL_RESERVE;
    const char *reason = is_memory ? "out of memory" : strerror(kind->reason);
    return strstr(text_string(said), reason) != NULL;
}

/* Every line of what a run said stands in what it says without a failure. */
static bool says_no_more(const text *clean, const text *got)
{
    const char *line = text_string(got);
    while (*line != '\0') {
        size_t length = strcspn(line, "\n") + 1;
        char wanted[512];
        snprintf(wanted, sizeof wanted, "%.*s", (int)length, line);
        if (strstr(text_string(clean), wanted) == NULL)
            return false;
        line += strnlen(line, length);
    }
    return true;
}

/* ---- the whole ---- */

static const char *judge_end(const outcome *got)
{
    if (got->signal != 0)
        return "is ended by a signal";
    if (!got->reports)
        return "ends before its end";
    if (got->counted.blocks != 0)
        return "leaks memory";
    return got->descriptors != 0 ? "leaks a descriptor" : NULL;
}

/* What was said without a failure, and after it at most one note of this kind. */
static bool says_the_same(const fault_kind *kind, const text *clean, const text *got)
{
    if (kind->note == NULL || !begins_with(got, clean))
        return judge_same_text(clean, got);
    const char *more = text_string(got) + clean->length, *end = strchr(more, '\n');
    bool is_note = strncmp(more, "selfattn: note: ", 16) == 0 && strstr(more, kind->note) != NULL &&
                   end != NULL && end[1] == '\0';
    return more[0] == '\0' || is_note;
}

static bool is_same(const fault_kind *kind, const outcome *clean, const outcome *got)
{
    return got->status == clean->status && judge_same_text(&clean->out, &got->out) &&
           says_the_same(kind, &clean->err, &got->err) &&
           count_new(clean, got) == count_new(clean, clean);
}

static const char *judge_output(const command_line *what, const fault_kind *kind,
                                const outcome *clean, const outcome *got)
{
    if (what->tells_errors)
        return NULL;
    if (what->documents > 1)
        return says_no_more(&clean->out, &got->out) ? NULL : "says what it does not say else";
    if (!begins_with(&clean->out, &got->out))
        return "writes something else to standard output";
    bool is_whole_lines = got->out.length == 0 || got->out.data[got->out.length - 1] == '\n';
    if (got->out.length > 0 && !kind->after_output && !(what->streams && is_whole_lines))
        return "writes to standard output before it has failed";
    bool is_only_file = got->files == 1 && clean->out.length == 0;
    return is_only_file && count_new(clean, got) > 0 ? "fails, but has replaced the file" : NULL;
}

static const char *judge_failure(const command_line *what, const fault_kind *kind,
                                 const outcome *clean, const outcome *got)
{
    size_t errors = count_errors(&got->err), most = what->documents > 1 ? what->documents : 1;
    if (got->status == clean->status && clean->status != EXIT_WRONG)
        return "does not notice";
    if (got->status != EXIT_WRONG)
        return "ends with another status than 2";
    if (errors == 0 || errors > most)
        return "does not say one error";
    if (clean->status != EXIT_WRONG && !kind->may_go_on && !says_reason(kind, &got->err))
        return "does not say why";
    return judge_output(what, kind, clean, got);
}

const char *judge(const command_line *what, const fault_kind *kind, const outcome *clean,
                  const outcome *got)
{
    const char *wrong = judge_end(got);
    if (wrong == NULL)
        wrong = judge_files(clean, got, false);
    bool maps = clean->counted.calls[CALL_MMAP] > 0; /* a file; and reads it where it can't */
    bool may_go_on = kind->may_go_on || kind->must_go_on || maps || what->tries_again;
    if (wrong != NULL || (may_go_on && is_same(kind, clean, got)))
        return wrong;
    return kind->must_go_on ? "does not go on" : judge_failure(what, kind, clean, got);
}

const char *judge_clean(const command_line *what, const outcome *clean)
{
    const char *wrong = judge_end(clean);
    size_t errors = count_errors(&clean->err);
    if (wrong == NULL && clean->strange[0] != '\0')
        wrong = "leaves a file behind that nobody asked for";
    if (wrong == NULL && (clean->status == EXIT_WRONG) != what->is_refused)
        wrong = what->is_refused ? "is not refused" : "is refused";
    if (wrong == NULL && clean->status == EXIT_WRONG && errors == 0)
        wrong = "does not say one error";
    if (wrong == NULL && clean->status != EXIT_WRONG && errors > 0)
        wrong = "says an error, and its status is another";
    for (size_t i = 0; wrong == NULL && i < clean->files; i++) {
        if (is_old(&clean->file[i]))
            wrong = "does not write its file";
    }
    return wrong;
}
