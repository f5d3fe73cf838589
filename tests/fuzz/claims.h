/* What the fuzz targets share: a claim that must hold for any input, and when two bundles are
 * the same. All of it is in this header, so that a target stays one file. */
#ifndef SELFATTN_TESTS_FUZZ_CLAIMS_H
#define SELFATTN_TESTS_FUZZ_CLAIMS_H

#include "io/format.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* libFuzzer keeps the input of a program that ends like this. */
static inline void claim(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* All that a target can do with an input, which takes long, rather than a part that the input
 * picks: run.sh wants it for the corpus. */
static inline bool does_all_of_each(void)
{
    return getenv("FUZZ_ALL_OF_EACH") != NULL;
}

/* A failure has a message; a success has none. */
static inline void claim_error_fits(bool done, const err *e)
{
    if (e->is_set)
        claim(e->what[0] != '\0' && strchr(e->what, '\n') == NULL, "a message is one line");
    claim(done != e->is_set, "what fails says why, and what succeeds says nothing");
}

static inline bool same_tensors(const tensor *a, const tensor *b)
{
    return a->type == b->type && tensor_same_shape(a, b) &&
           memcmp(a->data, b->data, tensor_count(a) * dtype_size(a->type)) == 0;
}

static inline bool same_lists(const text_list *a, const text_list *b)
{
    size_t i = 0;
    while (i < a->count && i < b->count && strcmp(a->item[i], b->item[i]) == 0)
        i++;
    return i == a->count && i == b->count;
}

/* The same kind and the same bits; bundles in a bundle are not looked into. */
static inline bool same_entries(const entry *a, const entry *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == ENTRY_TENSOR)
        return same_tensors(&a->tensor, &b->tensor);
    if (a->kind == ENTRY_TEXT || a->kind == ENTRY_JSON || a->kind == ENTRY_UNREAD)
        return strcmp(a->text, b->text) == 0;
    return a->kind != ENTRY_LIST || same_lists(&a->list, &b->list);
}

static inline void claim_same(const bundle *a, const bundle *b)
{
    claim(a->count == b->count, "as many entries come back");
    for (size_t i = 0; i < a->count; i++) {
        claim(strcmp(a->entry[i].name, b->entry[i].name) == 0, "names come back in their order");
        claim(same_entries(&a->entry[i], &b->entry[i]), "values come back to the same bits");
    }
}

/* Any bytes: whether they can be read. */
static inline bool read_any(const format *f, const char *bytes, size_t length,
                            const read_options *how, bundle *to)
{
    err e = {0};
    bool done = f->read(bytes, length, how, to, &e);
    claim_error_fits(done, &e);
    claim(done || to->count == 0, "what can't be read leaves nothing behind");
    claim(done || strncmp(e.where, how->file, strlen(how->file)) == 0, "an error has a place");
    return done;
}

/* Written by this format; the text is to be freed. */
static inline text written_as(const format *f, const bundle *b, char delimiter)
{
    err e = {0};
    sink to;
    write_options how = {.digits = -1, .delimiter = delimiter};
    sink_open_memory(&to);
    bool done = f->write(b, &how, &to, &e);
    if (!done)
        fprintf(stderr, "%s\n", e.what);
    claim(done, "what was read can be written");
    claim_error_fits(done, &e);
    text copy = *sink_text(&to);
    *sink_text(&to) = (text){0};
    sink_discard(&to);
    return copy;
}

static inline bundle read_again(const format *f, const text *from, const read_options *how)
{
    err e = {0};
    bundle b = {0};
    bool done = f->read(text_string(from), from->length, how, &b, &e);
    if (!done)
        fprintf(stderr, "%s: %s\n%s\n", e.where, e.what, text_string(from));
    claim(done, "what was written can be read");
    return b;
}

static inline void claim_written_again(const format *f, const bundle *b, char delimiter,
                                       const text *before)
{
    text again = written_as(f, b, delimiter);
    claim(before->length == again.length &&
              memcmp(text_string(before), text_string(&again), again.length) == 0,
          "what is written twice is the same");
    text_free(&again);
}

/* Reads with `after` and spaces after the text, which mean nothing: the last numbers of a text
 * are read by other code than those before. */
static inline void check_read_alike(const format *f, const char *bytes, size_t length,
                                    const char *after, const read_options *how)
{
    bundle alone = {0}, followed = {0};
    err e = {0}, e_followed = {0};
    text longer = {0};
    text_add(&longer, bytes, length);
    text_add_string(&longer, after);
    text_add_repeated(&longer, " ", 200);
    bool done = f->read(bytes, length, how, &alone, &e);
    claim(f->read(text_string(&longer), longer.length, how, &followed, &e_followed) == done &&
              alone.count == followed.count,
          "a text is read with spaces after it as without");
    for (size_t i = 0; i < alone.count; i++)
        claim(same_entries(&alone.entry[i], &followed.entry[i]),
              "values are the same with spaces after the text");
    text_free(&longer);
    bundle_free(&alone);
    bundle_free(&followed);
}

#endif
