/* values FORMAT: of each file that standard input names, a line of JSON that says what this program
 * reads there: whether the text is JSON (`scan`), whether the format takes it (`read`, else `why`),
 * and its entries, matrices as the bits of their float64. */
#include "base/float_bits.h"
#include "io/format.h"
#include "io/json_scan.h"
#include "io/json_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_string(text *to, const char *before, const char *string)
{
    text_add_string(to, before);
    json_string_write(to, string);
}

static void add_matrix(text *to, const tensor *t)
{
    const double *value = t->data;
    text_add_string(to, ", \"shape\": [");
    for (int axis = 0; axis < t->rank; axis++)
        text_add_format(to, "%s%zu", axis > 0 ? ", " : "", t->size[axis]);
    text_add_string(to, "], \"bits\": \"");
    for (size_t i = 0; i < tensor_count(t); i++)
        text_add_format(to, "%016" PRIx64, float64_bits(value[i]));
    text_add_string(to, "\"");
}

static void add_entries(text *to, const bundle *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const entry *one = &b->entry[i];
        add_string(to, i > 0 ? ", {\"name\": " : "{\"name\": ", one->name);
        if (one->kind == ENTRY_TENSOR && one->tensor.type == DTYPE_F64)
            add_matrix(to, &one->tensor);
        text_add_string(to, "}");
    }
}

static void add_file(text *to, const format *f, const char *path, const char *bytes, size_t length)
{
    read_options how = {.file = "input",
                        .kind = KEY_EXPECTED,
                        .type = DTYPE_F64,
                        .allow_nonfinite = true,
                        .any_rank = true,
                        .keeps_json = true};
    bundle b = {0};
    err e = {0}, not_json = {0};
    json_text t = json_text_of(bytes, length, "input", 1);
    add_string(to, "{\"file\": ", path);
    text_add_format(to, ", \"scan\": %s", json_scan(&t, NULL, &not_json) ? "true" : "false");
    if (!f->read(bytes, length, &how, &b, &e))
        add_string(to, ", \"why\": ", e.what);
    text_add_format(to, ", \"read\": %s, \"entries\": [", e.is_set ? "false" : "true");
    add_entries(to, &b);
    text_add_string(to, "]}\n");
    bundle_free(&b);
}

/* All of a file, with a NUL after it. */
static char *bytes_of(const char *path, size_t *length)
{
    FILE *from = fopen(path, "rb");
    long size;
    if (from == NULL || fseek(from, 0, SEEK_END) != 0 || (size = ftell(from)) < 0)
        exit(2);
    rewind(from);
    char *bytes = calloc((size_t)size + 1, 1);
    if (bytes == NULL || fread(bytes, 1, (size_t)size, from) != (size_t)size)
        exit(2);
    fclose(from);
    *length = (size_t)size;
    return bytes;
}

int main(int count, char **words)
{
    const format *f = count == 2 ? format_by_name(words[1]) : NULL;
    char path[4096];
    if (f == NULL)
        return 2;
    while (fgets(path, sizeof path, stdin) != NULL) {
        size_t length;
        text line = {0};
        path[strcspn(path, "\n")] = '\0';
        char *bytes = bytes_of(path, &length);
        add_file(&line, f, path, bytes, length);
        if (fputs(text_string(&line), stdout) < 0)
            return 2;
        text_free(&line);
        free(bytes);
    }
    return 0;
}
