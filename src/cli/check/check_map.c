#include "cli/check/check_map.h"

#include "attn/keys.h"
#include "attn/stage.h"
#include "cli/stage_names.h"
#include "model/keys.h"
#include "model/stack.h"
#include "weights/names.h"

#include <string.h>

/* One NAME=KEY; the parser has refused what has no =. */
typedef struct pair {
    const char *name, *key;
    size_t length; /* of NAME */
} pair;

static pair pair_of(const char *given)
{
    const char *equals = strchr(given, '=');
    return (pair){given, equals + 1, (size_t)(equals - given)};
}

/* ---- whose a pair is ---- */

/* A key, or the way to one: layers.0.w1. */
static bool is_of_document(const pair *of)
{
    return key_find(&STACK_DOCUMENT, of->name, strcspn(of->name, ".=")) != NULL;
}

/* Of an attention or of a stack. */
static bool may_be_stage(const pair *of)
{
    bool is_way = memchr(of->name, '.', of->length) != NULL;
    return named_find(&STAGES, of->name, of->length) != NULL ||
           (stack_may_have_stage(of->name, of->length) && !(is_way && is_of_document(of)));
}

static bool refuse_stage(const pair *of, err *e)
{
    place at = place_of_option("map");
    const char *near = stage_names_nearest(NULL, of->name, of->length);
    err_at(e, &at, "there is no stage \"%.*s\"", (int)of->length, of->name);
    return near == NULL ? err_remedy(e, "selfattn help stages lists them")
                        : err_remedy(e, "did you mean \"%s\"?", near);
}

static bool refuse_key(const pair *of, const text_list *names, const char *file, err *e)
{
    place at = place_of_option("map");
    nearest_names near = {.wanted = of->key};
    for (size_t i = 0; i < names->count; i++)
        nearest_names_look(&near, names->item[i]);
    err_at(e, &at, "%s has no \"%s\"", file, of->key);
    nearest_names_suggest(&near, "selfattn info lists what it has", e);
    return false;
}

/* Of one name only one stage is compared, and a stage with one. */
static bool take_pair(check_map *m, const pair *of, err *e)
{
    place at = place_of_option("map");
    const entry *there = bundle_find_bytes(&m->key, of->name, of->length);
    const entry *matrix = bundle_find(&m->stage, of->key);
    if (there != NULL)
        return err_at(e, &at, "%s=%s and %s are about the same stage", there->name, there->text,
                      of->name);
    if (matrix != NULL)
        return err_at(e, &at, "%s=%s and %s are about the same matrix", matrix->text, matrix->name,
                      of->name);
    return bundle_add_text(&m->stage, of->key, of->name, of->length, at, e) &&
           bundle_add_text(&m->key, m->stage.entry[m->stage.count - 1].text, of->key,
                           strlen(of->key), at, e);
}

static bool add_pair(check_map *m, const pair *of, const options *o, const text_list *names,
                     const char *file, err *e)
{
    bool is_stage = may_be_stage(of);
    if (is_stage && text_list_find(names, of->key) != NULL)
        return take_pair(m, of, e);
    if (o->bundle != NULL && (!is_stage || is_of_document(of)))
        return text_list_add(&m->of_bundle, of->name, strlen(of->name), e);
    return is_stage ? refuse_key(of, names, file, e) : refuse_stage(of, e);
}

bool check_map_split(check_map *m, const options *o, const text_list *names, const char *file,
                     err *e)
{
    for (size_t i = 0; i < o->map.count; i++) {
        pair of = pair_of(o->map.item[i]);
        if (!add_pair(m, &of, o, names, file, e))
            return false;
    }
    return true;
}

void check_map_free(check_map *m)
{
    bundle_free(&m->stage);
    bundle_free(&m->key);
    text_list_free(&m->of_bundle);
}

const char *check_map_stage(const check_map *m, const char *called)
{
    return bundle_text(&m->stage, called);
}

bool check_map_gives(const check_map *m, const char *name)
{
    return bundle_find(&m->key, name) != NULL;
}
