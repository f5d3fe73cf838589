#include "cli/in/document.h"

#include "io/format.h"

#include <string.h>

/* What each line says for itself. */
static const char *const OF_LINE[] = {"x",        "xk",       "xv",     "q",
                                      "k",        "v",        "tokens", "name",
                                      "title",    "source",   "notes",  "rope_positions",
                                      "exercise", "expected", "tol",    "errata"};
enum { OF_LINE_COUNT = sizeof OF_LINE / sizeof OF_LINE[0] };

static bool is_of_line(const char *name)
{
    for (size_t i = 0; i < OF_LINE_COUNT; i++) {
        if (strcmp(OF_LINE[i], name) == 0)
            return true;
    }
    return false;
}

bool kv_session_check(const options *o, err *e)
{
    if (o->input_format != NULL && !(format_by_name(o->input_format)->holds & HOLDS_STREAM))
        return err_set(e, "--stream reads JSON Lines, and --input-format is %s", o->input_format);
    if (o->trace || o->trace_format != NULL || o->trace_output != NULL) {
        err_set(e, "--trace shows where every number comes from, and in a stream keys and values "
                   "come from lines before");
        return err_remedy(e, "--past-k and --past-v make one step of a document, to be traced");
    }
    if (o->picture != NULL)
        return err_set(e, "--picture draws the weights of one document, and a stream has more "
                          "lines than one");
    /* An option's matrix or list is there for every line again. */
    for (size_t i = 0; i < OF_LINE_COUNT; i++) {
        const option_row *row = option_by_key(OF_LINE[i], strlen(OF_LINE[i]));
        if (input_keys_value(o, OF_LINE[i]) != NULL)
            return err_set(e, "--stream reads %s line by line, and --%s gives it once", OF_LINE[i],
                           row->named.name);
    }
    return true;
}

static bool check_own(const bundle *contents, err *e)
{
    for (size_t i = 0; i < contents->count; i++) {
        const entry *one = &contents->entry[i];
        if (!is_of_line(one->name))
            return err_at(e, &one->at,
                          "%s is for all rows of a stream, and the first line has said what is",
                          one->name);
    }
    return true;
}

bool kv_session_share(const kv_session *s, bundle *contents, err *e)
{
    if (!s->has_shared)
        return true;
    return check_own(contents, e) && bundle_borrow_all(contents, &s->shared, e);
}

void kv_session_keep(kv_session *s, bundle *contents)
{
    if (s->has_shared)
        return;
    s->has_shared = true;
    s->shared = *contents;
    *contents = (bundle){0};
    for (size_t i = 0; i < OF_LINE_COUNT; i++)
        bundle_remove(&s->shared, OF_LINE[i]);
    bundle_set_stays(&s->shared);
}

void kv_session_close(kv_session *s)
{
    bundle_free(&s->shared);
    kv_cache_free(&s->cache);
    *s = (kv_session){0};
}
