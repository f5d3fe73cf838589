#include "attn/spec/spelling.h"

#include <assert.h>
#include <string.h>

spelled spelled_whole(const char *spelling)
{
    return (spelled){spelling, spelling + strlen(spelling)};
}

/* What comes before the sign; what comes after it stays. */
static spelled take_until(spelled *from, char sign)
{
    const char *found = memchr(from->at, sign, (size_t)(from->end - from->at));
    assert(found != NULL);
    spelled before = {from->at, found};
    from->at = found + 1;
    return before;
}

static bool has_sign(spelled in, char sign)
{
    return memchr(in.at, sign, (size_t)(in.end - in.at)) != NULL;
}

static spelled_series series_of(spelled inside)
{
    spelled_series series = {.term = take_until(&inside, ';'), .between = inside};
    if (has_sign(inside, ';')) {
        series.between = take_until(&inside, ';');
        series.zero = inside;
    }
    return series;
}

/* a?there or a?there:absent; nothing where that is not said. */
static spelled choice_of(spelled inside, bool is_there)
{
    spelled absent = {inside.end, inside.end};
    inside.at += strlen("a?");
    if (has_sign(inside, ':')) {
        absent = inside;
        inside = take_until(&absent, ':');
    }
    return is_there ? inside : absent;
}

void spelling_read(const spelling_reader *by, void *to, spelled from)
{
    while (from.at < from.end) {
        char here = *from.at;
        spelled words = {from.at, from.at}, other;
        spelled_series series;
        from.at += strchr("{<[~", here) != NULL;
        switch (here) {
        case '{':
            by->place(to, take_until(&from, '}'));
            break;
        case '<':
            series = series_of(take_until(&from, '>'));
            by->series(to, &series);
            break;
        case '[':
            words = take_until(&from, ']');
            spelling_read(by, to, choice_of(words, by->has(to, *words.at)));
            break;
        case '~':
            words = take_until(&from, '~');
            other = take_until(&from, '~');
            spelling_read(by, to, by->is_first(to) ? words : other);
            break;
        default:
            while (words.end < from.end && strchr("{<[~", *words.end) == NULL)
                words.end++;
            by->text(to, words);
            from.at = words.end;
        }
    }
}
