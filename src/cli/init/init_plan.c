#include "cli/init/init_plan.h"

#include "cli/line/options.h"
#include "cli/init/init_draws.h"
#include "cli/init/init_settings.h"
#include "io/number_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_TOKENS = 6, USUAL_WIDTH = 8, MOST_EXTENT = 1 << 30 };
enum { EXERCISE_TOKENS = 3, EXERCISE_WIDTH = 4 }; /* as many products as fit a page by hand */
static const char USUAL_GENERATOR[] = "own";

/* ---- sizes ---- */

/* A count among the settings, or `otherwise`. */
static bool read_count(const init_plan *p, const char *name, size_t otherwise, size_t *count,
                       err *e)
{
    const entry *found = bundle_find(&p->settings, name);
    *count = otherwise;
    if (found == NULL)
        return true;
    double value = found->kind == ENTRY_TENSOR ? tensor_get(&found->tensor, NULL) : 0;
    if (!(value >= 1 && value <= MOST_EXTENT && value == floor(value)))
        return err_at(e, &found->at, "is not a whole number from 1 to %d", MOST_EXTENT);
    *count = (size_t)value;
    return true;
}

/* A number, perhaps with spaces around it. */
static bool is_number(const char *word)
{
    const char *begin = word + strspn(word, " "), *end = begin + strlen(begin);
    while (end > begin && end[-1] == ' ')
        end--;
    return number_end_csv(begin, end) == end;
}

/* --tokens: names of rows, or their number alone. What is another number alone is a slip, and no
 * name. */
static bool count_tokens(init_plan *p, const options *o, err *e)
{
    entry *rows = bundle_find(&p->settings, "tokens");
    p->extent[EXTENT_TOKENS] = o->exercise.count > 0 ? EXERCISE_TOKENS : USUAL_TOKENS;
    if (rows == NULL)
        return true;
    if (rows->list.count == 0)
        return err_at(e, &rows->at, "names no row");
    p->extent[EXTENT_TOKENS] = rows->list.count;
    const char *first = rows->list.item[0];
    if (rows->list.count != 1 || !is_number(first))
        return true;
    bool is_whole = first[strspn(first, "0123456789")] == '\0';
    unsigned long long count = is_whole ? strtoull(first, NULL, 10) : 0;
    if (count < 1 || count > MOST_EXTENT)
        return err_at(e, &rows->at, "'%s' is not a number of rows from 1 to %d", first,
                      MOST_EXTENT);
    p->extent[EXTENT_TOKENS] = (size_t)count;
    return bundle_remove(&p->settings, "tokens");
}

/* Where nothing says how many query heads there are, they are as many as key/value heads. */
static bool read_heads(const init_plan *p, size_t *heads, size_t *shared, err *e)
{
    const char *said = bundle_find(&p->settings, "heads") == NULL ? "kv_heads" : "heads";
    return read_count(p, said, 1, heads, e) && read_count(p, "kv_heads", *heads, shared, e);
}

static bool check_heads(const init_plan *p, size_t heads, size_t shared, const options *o, err *e)
{
    const char *said = bundle_find(&p->settings, "heads") != NULL ? "heads" : "kv-heads";
    if (heads % shared != 0)
        return err_option(e, said, "%zu is not a multiple of the %zu key/value heads", heads,
                          shared);
    if (o->head_width > 0 || p->extent[EXTENT_WIDTH] % heads == 0)
        return true;
    err_option(e, said, "a width of %zu can't be cut into %zu heads", p->extent[EXTENT_WIDTH],
               heads);
    return err_remedy(e, "--head-width N says how wide each is");
}

static bool find_extents(init_plan *p, const options *o, err *e)
{
    size_t heads, shared;
    size_t usual = o->exercise.count > 0 ? EXERCISE_WIDTH : USUAL_WIDTH;
    p->extent[EXTENT_WIDTH] = o->width > 0 ? o->width : usual;
    if (!count_tokens(p, o, e) || !read_heads(p, &heads, &shared, e) ||
        !check_heads(p, heads, shared, o, e))
        return false;
    size_t head = o->head_width > 0 ? o->head_width : p->extent[EXTENT_WIDTH] / heads;
    p->extent[EXTENT_HEADS] = heads * head; /* each at most 2³⁰ */
    p->extent[EXTENT_SHARED] = shared * head;
    return true;
}

static bool choose_generator(init_plan *p, const options *o, err *e)
{
    const char *name = o->rng == NULL ? USUAL_GENERATOR : o->rng;
    p->generator = (const generator *)(const void *)named_find(&GENERATORS, name, strlen(name));
    return o->seed <= p->generator->most_seed ||
           err_option(e, "seed", "%zu is above %zu, the greatest that %s takes", o->seed,
                      (size_t)p->generator->most_seed, name);
}

bool init_plan_make(init_plan *p, const options *o, const env *world, err *e)
{
    *p = (init_plan){.type = DTYPE_F32};
    if (!input_keys_check_type(o, e) || !init_settings_read(&p->settings, o, world, e) ||
        !find_extents(p, o, e) || !choose_generator(p, o, e))
        return false;
    const char *turned = input_keys_value(o, "layout");
    input_keys_decides_type(o, &p->type);
    p->is_out_in = turned != NULL && strcmp(turned, "out-in") == 0;
    return init_draws_make(p, o, e);
}

void init_plan_free(init_plan *p)
{
    bundle_free(&p->settings);
}
