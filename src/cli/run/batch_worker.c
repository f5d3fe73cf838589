#include "cli/run/batch_worker.h"

bool batch_worker_open(batch_worker *w, document_reader *all, const options *o, const outputs *to,
                       err *e)
{
    *w = (batch_worker){.documents = all, .given = *o, .is_quiet = o->quiet};
    w->given.threads = 1;
    w->given.has_threads = w->given.quiet = true;
    w->packed_weights.most = document_reader_packed_most(all, o->threads);
    crew_open(&w->alone, 1);
    w->room = outputs_open_memory(&w->to, to, e) ? run_room_new(e) : NULL;
    return w->room != NULL;
}

static void free_last(batch_worker *w)
{
    if (!w->has_last)
        return;
    run_room_clear(w->room);
    work_free(&w->solved);
    document_free(&w->last);
    w->has_last = false;
}

void batch_worker_close(batch_worker *w)
{
    free_last(w);
    run_room_free(w->room);
    packed_weights_free(&w->packed_weights);
    json_again_free(&w->again);
    crew_close(&w->alone);
    outputs_free_memory(&w->to);
}

static bool is_silent(const batch_worker *w)
{
    return w->is_quiet || !solution_has_notes(&w->solved.of.attention);
}

/* Layers are done by all threads together. */
static bool plan_last(batch_worker *w)
{
    w->last.packed_weights = &w->packed_weights;
    return work_plan(&w->solved, &w->last, NULL, &w->given, &w->bad) &&
           work_is_attention(&w->solved) && solution_is_small(&w->solved.of.attention) &&
           is_silent(w) && outputs_want(&w->to, &w->solved, &w->bad);
}

static bool run_last(batch_worker *w)
{
    solution *s = &w->solved.of.attention;
    return solution_run_in(s, w->room, &w->alone, &w->given, &w->bad) && is_silent(w) &&
           outputs_write(&w->to, &w->solved, &w->bad);
}

/* What is too large to be done here was read for those who do it. */
static bool do_new(batch_worker *w, const document_line *line, document *read)
{
    free_last(w);
    w->has_last = document_reader_try_line(w->documents, line, &w->last, &w->again, &w->bad);
    if (!w->has_last)
        document_free(&w->last);
    if (w->has_last && plan_last(w) && run_last(w))
        return true;
    if (w->has_last && !w->bad.is_set) {
        *read = w->last;
        w->last = (document){0};
    }
    return false;
}

bool batch_worker_do(batch_worker *w, const document_line *line, document *read)
{
    *read = (document){0};
    bool is_alike =
        w->has_last && document_reader_try_again(w->documents, line, &w->last, &w->again);
    if (is_alike ? run_last(w) : do_new(w, line, read))
        return true;
    free_last(w);
    err_clear(&w->bad);
    return false;
}
