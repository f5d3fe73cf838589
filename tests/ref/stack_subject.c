#include "ref/stack_subject.h"

#include "attn/spec/keys.h"
#include "base/text.h"
#include "io/format.h"
#include "model/stack_keys.h"
#include "model/stack_run.h"

static bool read_document(stack_subject *one, const ref_stack *s, size_t batch, size_t rows)
{
    read_options how = {.file = "stack",
                        .keys = &KEYS,
                        .document_keys = &STACK_DOCUMENT,
                        .kind = KEY_MATRIX,
                        .type = s->is_float32 ? DTYPE_F32 : DTYPE_F64};
    text written = {0};
    stack_document(s, batch, rows, &written);
    bool done = text_ok(&written, &one->failure) && json_read(text_string(&written), written.length,
                                                              &how, &one->document, &one->failure);
    text_free(&written);
    return done;
}

static bool run(stack_subject *one, const stack_way *way)
{
    char *alone[] = {(char *)way->emits};
    text_list emit = {.item = alone, .count = 1};
    const text_list *wanted = way->emits == NULL ? &one->names : &emit;
    run_report report;
    crew by;
    if (way->chosen != NULL && !stack_narrow(&one->stack, way->chosen, wanted, &one->failure))
        return false;
    crew_open(&by, way->threads == 0 ? 1 : way->threads);
    bool done = stack_run(&one->stack, wanted, &by, &one->result, &report, &one->failure);
    crew_close(&by);
    return done;
}

bool stack_subject_open(stack_subject *one, const ref_stack *s, size_t batch, const stack_way *way)
{
    stack_settings how = {.is_decoder = s->is_decoder, .goes_on = way->rows > 0};
    const isa *by = way->by == NULL ? isa_best() : way->by;
    *one = (stack_subject){0};
    return (way->document != NULL || read_document(one, s, batch, way->rows)) &&
           stack_read(&one->stack, way->document != NULL ? way->document : &one->document, &how, by,
                      &one->failure) &&
           stack_stage_names(&one->stack, &one->names, &one->failure) && run(one, way);
}

bool stack_subject_go_on(stack_subject *one, const ref_stack *s, size_t rows, const stack_way *way)
{
    const size_t *ids = s->ids + one->stack.before + one->stack.rows;
    bundle_free(&one->result);
    one->result = (bundle){0};
    return stack_go_on(&one->stack, ids, rows, &one->failure) && run(one, way);
}

void stack_subject_free(stack_subject *one)
{
    text_list_free(&one->names);
    bundle_free(&one->result);
    stack_free(&one->stack);
    bundle_free(&one->document);
}
