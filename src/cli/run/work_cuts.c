/* Other numbers of heads, for a page on which they are chosen: the same work once more for each. */
#include "base/mem.h"
#include "cli/out/outputs.h"
#include "cli/run/work.h"

#include <string.h>

/* Pictures of more heads than that can't be told apart at a glance. */
enum { MOST_CUTS = 8 };

struct work_cut {
    document document; /* borrows all from the one that came but for its numbers of heads */
    options given;     /* quiet: what there is to note was said */
    work work;
};

static bool set_count(bundle *of, const char *name, double count, err *e)
{
    bundle_remove(of, name);
    return bundle_add_number(of, name, count, (place){0}, e);
}

/* Heads of keys and values are shared by as many as before. */
static bool cut_document(const document *from, size_t heads, size_t came, document *to, err *e)
{
    const tensor *kv_heads = bundle_tensor(&from->contents, "kv_heads");
    double kv = kv_heads == NULL ? 0 : tensor_get(kv_heads, NULL) * (double)heads / (double)came;
    *to = *from;
    to->contents = (bundle){0};
    return bundle_borrow_all(&to->contents, &from->contents, e) &&
           set_count(&to->contents, "heads", (double)heads, e) &&
           (kv_heads == NULL || set_count(&to->contents, "kv_heads", kv, e));
}

static void free_cut(struct work_cut *one)
{
    work_free(&one->work);
    bundle_free(&one->document.contents);
    *one = (struct work_cut){0};
}

static bool show_cut(struct work_cut *one, const work *w, size_t heads, size_t came, env *world,
                     err *e)
{
    const char *as = !w->is_said ? NULL : w->is_decoder ? "decoder" : "encoder";
    one->given = *w->given;
    one->given.quiet = true;
    if (!cut_document(w->document, heads, came, &one->document, e) ||
        !work_plan(&one->work, &one->document, as, &one->given, e))
        return false;
    one->work.is_cut = true;
    return one->work.kind->show(&one->work, FOR_STEPS, world, e);
}

bool work_show_cuts(work *w, size_t heads, size_t columns, env *world, err *e)
{
    const options *o = w->given;
    const renderer *by = output_renderer(o);
    trace *last = &w->made;
    if (w->is_cut || by->takes_cuts == NULL || output_binding(o) != BOUND_NOT ||
        o->blank.count > 0 || !by->takes_cuts(&w->made))
        return true;
    w->cut = mem_alloc_zeroed(MOST_CUTS, sizeof w->cut[0], e);
    if (w->cut == NULL)
        return false;
    for (size_t other = 1; other <= columns && w->cuts < MOST_CUTS; other++) {
        struct work_cut *one = &w->cut[w->cuts];
        err refused;
        err_clear(&refused);
        if (columns % other > 0 || other == heads)
            continue;
        if (show_cut(one, w, other, heads, world, &refused)) {
            w->cuts++;
            last->next_cut = &one->work.made;
            last = &one->work.made;
            continue;
        }
        free_cut(one);
        if (refused.is_memory) {
            *e = refused;
            return false;
        }
        if (w->cuts_refused == NULL)
            w->cuts_refused = mem_copy_text(refused.what, strlen(refused.what), e);
        if (w->cuts_refused == NULL)
            return false;
    }
    w->made.cuts_refused = w->cuts_refused;
    return true;
}

void work_free_cuts(work *w)
{
    for (size_t i = 0; i < w->cuts; i++)
        free_cut(&w->cut[i]);
    mem_free(w->cut);
    mem_free(w->cuts_refused);
}
