#include "cli/diff/diff_report.h"

#include "base/mem.h"
#include "cli/in/matrix_file.h"
#include "io/source.h"

#include <string.h>

bool diff_is_text(const entry *one)
{
    return one->stored == NULL;
}

/* A stream of one result is as good as a file. */
static bool refuse_several(const diff_file *f, err *e)
{
    if (!input_is_several(f->in.format, f->in.bytes.bytes, f->in.bytes.length))
        return true;
    err_at(e, &(place){.file = f->in.name}, "these are several results, and diff compares one");
    return err_remedy(e, "sed -n 2p %s | selfattn diff - OTHER takes the second", f->in.path);
}

static bool open_file(diff_file *f, const char *operand, const options *o, err *e)
{
    if (!input_file_open(&f->in, operand, true, o, e) || !refuse_several(f, e))
        return false;
    f->in.is_stream = false;
    return input_file_next(&f->in);
}

/* A table is read as a whole, and only one matrix of it was asked for. */
static bool leave_only(bundle *b, const char *matrix, err *e)
{
    bundle only = {0};
    entry *found = bundle_find(b, matrix);
    bool done = found == NULL || bundle_take(&only, matrix, found, e);
    bundle_free(b);
    *b = only;
    return done;
}

static bool read_entries(diff_file *f, const options *o, dtype type, bool leaves_unread, err *e)
{
    read_options how = input_file_how(&f->in, o, type);
    how.kind = KEY_EXPECTED;
    how.type_is_fixed = how.types_expected = how.takes_truths = true;
    how.keeps_types = how.keeps_bits = how.allow_nonfinite = how.is_result = true;
    how.keeps_unread = leaves_unread;
    how.header = &f->header;
    text_list_free(&f->header);
    return input_file_read(&f->in, &how, &f->contents, e) &&
           (f->in.matrix == NULL || leave_only(&f->contents, f->in.matrix, e));
}

static bool ignores_unread(const bundle *b, const options *o)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->entry[i].kind == ENTRY_UNREAD &&
            text_list_find(&o->ignore, b->entry[i].name) == NULL)
            return false;
    }
    return true;
}

/* What is ignored need not be readable. */
static bool read_as(diff_file *f, const options *o, dtype type, err *e)
{
    err bad = {0}, other = {0};
    if (read_entries(f, o, type, false, &bad))
        return true;
    bundle_free(&f->contents);
    bool done = o->ignore.count > 0 && !bad.is_memory && read_entries(f, o, type, true, &other) &&
                ignores_unread(&f->contents, o);
    if (!done)
        *e = bad;
    return done;
}

static bool is_f32(const entry *one)
{
    static const char *const NAMES[] = {"F32", "<f4", ">f4", "=f4"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (one->stored != NULL && strcmp(one->stored, NAMES[i]) == 0)
            return true;
    }
    return false;
}

static bool is_all_f32(const bundle *b)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->entry[i].kind == ENTRY_TENSOR && !is_f32(&b->entry[i]))
            return false;
    }
    return b->count > 0;
}

/* What a document expects is its result, as far as it was printed. */
static bool take_expected(bundle *b, err *e)
{
    entry *found = bundle_find(b, "expected");
    bundle *expected = found == NULL || found->kind != ENTRY_BUNDLE ? NULL : found->bundle;
    for (size_t i = 0; expected != NULL && i < expected->count; i++) {
        entry *one = &expected->entry[i];
        if (one->kind != ENTRY_TENSOR || bundle_find(b, one->name) != NULL)
            continue;
        one->has_unprinted = true;
        if (!bundle_take(b, one->name, one, e))
            return false;
    }
    return true;
}

/* Text that float32 can't hold is compared as float64. */
static bool read_text(diff_file *f, const options *o, const bundle *other, err *e)
{
    err narrow = {0};
    if (is_all_f32(other) && read_as(f, o, DTYPE_F32, &narrow))
        return true;
    bundle_free(&f->contents);
    if (narrow.is_memory)
        *e = narrow;
    return !narrow.is_memory && read_as(f, o, DTYPE_F64, e);
}

bool diff_files_read(diff_file file[2], const options *o, err *e)
{
    if (!open_file(&file[0], o->operand[0], o, e) || !open_file(&file[1], o->operand[1], o, e))
        return false;
    bool is_typed[2];
    for (int i = 0; i < 2; i++) {
        is_typed[i] = (file[i].in.format->holds & HOLDS_TYPES) != 0;
        if (is_typed[i] && !read_as(&file[i], o, DTYPE_F64, e))
            return false;
    }
    for (int i = 0; i < 2; i++) {
        if (!is_typed[i] && !(read_text(&file[i], o, &file[1 - i].contents, e) &&
                              take_expected(&file[i].contents, e)))
            return false;
    }
    return true;
}

void diff_files_close(diff_file file[2])
{
    for (int i = 0; i < 2; i++) {
        bundle_free(&file[i].contents);
        text_list_free(&file[i].header);
        input_file_close(&file[i].in);
    }
}
