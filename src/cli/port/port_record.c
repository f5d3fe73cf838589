/* A golden pack: what a right model makes of some ids, in a file that a port's tests compare with
 * from then on, without the model and without its weights. */
#include "cli/port/port.h"

#include "cli/out/outputs.h"
#include "cli/out/said.h"
#include "io/sink.h"

/* Where mistakes show, of which layers have few enough that a pack stays small: scores, gates and
 * the rows between follow from these and from the weights. */
static const char *const RECORDED[] = {"embedded",
                                       "ln_e",
                                       "embed.output",
                                       "layer.*.attention.weights",
                                       "layer.*.attention.output",
                                       "layer.*.ffn.output",
                                       "layer.*.output",
                                       "output",
                                       "logits"};

static bool is_recorded(const char *name)
{
    for (size_t i = 0; i < sizeof RECORDED / sizeof RECORDED[0]; i++) {
        if (stage_name_matches(RECORDED[i], name))
            return true;
    }
    return false;
}

const format *port_record_format(const options *o, err *e)
{
    const format *as = format_by_ending(o->record);
    const unsigned all = HOLDS_MATRICES | HOLDS_TYPES;
    if (as != NULL && (as->holds & all) == all)
        return as;
    err_option(e, "record", "%s is not named .safetensors or .npz, which a pack is written as",
               o->record);
    return NULL;
}

/* In float32, as ports have it. */
static bool add_narrow(bundle *to, const char *name, const tensor *t, err *e)
{
    tensor narrow;
    if (!tensor_new(&narrow, DTYPE_F32, t->rank, t->size, e))
        return false;
    tensor_copy(t, &narrow);
    return bundle_add_tensor(to, name, &narrow, (place){0}, e);
}

bool port_record(const port *p, const options *o, err *e)
{
    work *w = p->model;
    const format *as = port_record_format(o, e);
    bundle pack = {0};
    bool done = as != NULL && work_list(w, e);
    for (size_t i = 0; i < w->there.count && done; i++)
        done = !is_recorded(w->there.item[i]) || w->kind->want(w, w->there.item[i], false, e);
    done = done && w->kind->run(w, p->world, e);
    const tensor *ids = bundle_tensor(&w->document->contents, "ids");
    done = done && (ids == NULL || add_narrow(&pack, "ids", ids, e));
    for (size_t i = 0; i < w->stages.count && done; i++)
        done = add_narrow(&pack, w->stages.entry[i].name, &w->stages.entry[i].tensor, e);
    sink to;
    if (done && sink_open(&to, o->record, e)) {
        const write_options how = output_how(o, as);
        done = sink_end(&to, as->write(&pack, &how, &to, e), e);
    }
    done = done && !e->is_set;
    if (done)
        note_say(p->world, o, NULL, "recorded: %zu matrices in %s", pack.count, o->record);
    bundle_free(&pack);
    return done;
}
