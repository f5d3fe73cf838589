#include "cli/convert/convert_check.h"

#include "cli/out/note.h"
#include "cli/out/report.h"
#include "io/csv.h"
#include "io/holds.h"

/* An entry as messages call it. */
static const char *name_of(const entry *one)
{
    return one->name[0] == '\0' ? "the matrix" : one->name;
}

static void say_lost(const entry *one, const char *what, const format *f, const env *world)
{
    err said = {0};
    err_at(&said, &one->at, "%s would be lost: %s has no place for %s", name_of(one), f->title,
           what);
    report_error(world, &said);
}

/* Tells of each entry that has no place: how many there are. */
static size_t tell_lost(const bundle *b, const format *f, const options *o, const env *world)
{
    size_t lost = 0;
    for (size_t i = 0; i < b->count; i++) {
        const entry *one = &b->entry[i];
        const char *what = format_lacks(f, b, one);
        if (what != NULL && !o->force)
            say_lost(one, what, f, world);
        else if (what != NULL)
            note_say(world, o, NULL, "%s is left out: %s has no place for %s", name_of(one),
                     f->title, what);
        lost += what != NULL;
    }
    return lost;
}

/* One that the format has no place for is left out; without a format, one that was not read. */
static bool is_left_out(const bundle *b, const format *f, const entry *one)
{
    return f == NULL ? one->kind == ENTRY_UNREAD : format_lacks(f, b, one) != NULL;
}

/* What stays is moved to another bundle, which takes the place of this one: taken out one by one,
 * each that is left out would move all those after it. */
static bool leave_out(bundle *b, const format *f, err *e)
{
    bundle stay = {0};
    bool done = true;
    for (size_t i = 0; i < b->count && done; i++) {
        entry *one = &b->entry[i];
        done = is_left_out(b, f, one) || bundle_take(&stay, one->name, one, e);
    }
    bundle_free(b);
    *b = stay;
    return done;
}

bool convert_leave_unread(bundle *b, const options *o, const env *world, err *e)
{
    size_t unread = 0;
    for (size_t i = 0; i < b->count; i++) {
        const entry *one = &b->entry[i];
        if (one->kind != ENTRY_UNREAD)
            continue;
        unread++;
        note_say(world, o, NULL, "%s is left out: %s", name_of(one), one->text);
    }
    return unread == 0 || leave_out(b, NULL, e);
}

static bool refuse_lost(size_t lost, const bundle *b, const format *f, const char *in,
                        const char *out, err *e)
{
    place at = {.file = out};
    if (b->count == 1)
        err_at(e, &at, "nothing is written: the only entry of %s would be lost", in);
    else
        err_at(e, &at, "nothing is written: %zu of the %zu entries of %s would be lost", lost,
               b->count, in);
    if (f->holds & HOLDS_MATRICES)
        return err_remedy(e,
                          "JSON holds them; --force leaves them out, FILE:NAME takes one matrix");
    return err_remedy(e, "FILE:NAME takes one matrix, --force leaves the others out");
}

static bool check_one_matrix(const bundle *b, const format *f, size_t lost, const char *in,
                             const char *out, err *e)
{
    if (f->holds & HOLDS_MATRICES || b->count == 1)
        return true;
    place at = {.file = out};
    if (b->count == 0 && lost > 0)
        return err_at(e, &at, "%s holds one matrix, and nothing is left of %s", f->title, in);
    if (b->count == 0)
        return err_at(e, &at, "%s holds one matrix, and %s has none", f->title, in);
    text names = {0};
    for (size_t i = 0; i < b->count; i++)
        text_add_format(&names, "%s%s", i == 0 ? "" : ", ", name_of(&b->entry[i]));
    if (text_ok(&names, e))
        err_at(e, &at, "%s holds one matrix, and %s has %zu: %s", f->title, in, b->count,
               text_string(&names));
    text_free(&names);
    return err_remedy(e, "FILE:NAME takes one of them");
}

/* "bq, bk and bv …": the names of all that change alike, in one note. */
static bool note_changes(const bundle *b, const format *f, held_change change, const char *what,
                         const options *o, const env *world, err *e)
{
    text names = {0};
    for (size_t i = 0; i < b->count; i++) {
        if (format_changes(f, &b->entry[i]) == change)
            text_add_format(&names, "%s%s", names.length == 0 ? "" : ", ", name_of(&b->entry[i]));
    }
    bool done = text_ok(&names, e);
    if (done && names.length > 0)
        note_say(world, o, NULL, "%s %s: %s", f->title, what, text_string(&names));
    text_free(&names);
    return done;
}

/* Cells of text: labels, or where a table has none, the names of its matrices. */
static void note_formulas(const bundle *b, const format *f, const options *o, const env *world)
{
    bool has_labels = (f->holds & HOLDS_LABELS) != 0;
    const char *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++) {
        const entry *one = &b->entry[i];
        bool is_list = one->kind == ENTRY_LIST, is_cell = csv_is_labels(one) == has_labels;
        for (size_t j = 0; is_cell && j < (is_list ? one->list.count : 1); j++) {
            const char *cell = !has_labels ? one->name : is_list ? one->list.item[j] : one->text;
            if (!csv_is_formula(cell))
                continue;
            first = count++ == 0 ? cell : first;
        }
    }
    if (count > 0)
        note_say(world, o, NULL,
                 "%zu cell%s of text begin%s with = + - or @, first '%s', which a spreadsheet may "
                 "take for a formula; --csv-safe puts an apostrophe in front",
                 count, count == 1 ? "" : "s", count == 1 ? "s" : "", first);
}

bool convert_check(bundle *b, const format *f, const char *in, const char *out, const options *o,
                   const env *world, err *e)
{
    size_t lost = tell_lost(b, f, o, world);
    if (lost > 0 && !o->force)
        return refuse_lost(lost, b, f, in, out, e);
    if (lost > 0 && !leave_out(b, f, e))
        return false;
    if (!check_one_matrix(b, f, lost, in, out, e))
        return false;
    static const struct {
        held_change change;
        const char *what;
    } CHANGES[] = {{HELD_AS_ROW, "reads vectors and numbers back as matrices of one row"},
                   {HELD_AS_DIGITS, "reads true and false back as 1 and 0"},
                   {HELD_WIDER, "keeps as f32 or f64 what was of other types"},
                   {HELD_NAMELESS, "keeps no name"}};
    for (size_t i = 0; i < sizeof CHANGES / sizeof CHANGES[0]; i++) {
        if (!note_changes(b, f, CHANGES[i].change, CHANGES[i].what, o, world, e))
            return false;
    }
    if (f->has_delimiter && !o->csv_safe)
        note_formulas(b, f, o, world);
    return true;
}
