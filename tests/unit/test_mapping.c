/* Files as memory: their bytes, the NUL after, and who may still use them. */
#include "base/mapping.h"
#include "io/source.h"
#include "tensor/tensor.h"

#include "child.h"
#include "said.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char byte_at(size_t i)
{
    return (char)('a' + i % 23);
}

/* A file of `length` bytes, open for reading, that has no name any more. */
static FILE *file_of(size_t length)
{
    FILE *file = tmpfile();
    for (size_t i = 0; file != NULL && i < length; i++)
        putc(byte_at(i), file);
    if (file != NULL)
        fflush(file);
    return file;
}

static bool holds_file(const mapping *m, size_t length)
{
    if (m == NULL || m->length != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (m->bytes[i] != byte_at(i))
            return false;
    }
    return m->bytes[length] == '\0';
}

static void test_bytes(unit *u)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t length[] = {1, page - 1, page, page + 1, 3 * page};
    for (size_t i = 0; i < sizeof length / sizeof length[0]; i++) {
        FILE *file = file_of(length[i]);
        mapping *m = mapping_new(fileno(file), length[i], "some");
        fclose(file);
        CHECK(u, holds_file(m, length[i]));
        mapping_release(m);
    }
    FILE *short_one = file_of(page);
    CHECK(u, mapping_new(fileno(short_one), page + 1, "cut short since it was looked at") == NULL);
    fclose(short_one);
    CHECK(u, mapping_new(-1, page, "none") == NULL);
    CHECK(u, mapping_new(STDIN_FILENO, SIZE_MAX, "longer than an address can say") == NULL);
    mapping_release(NULL);
}

/* A tensor that shares the file outlives its first user. */
static void test_users(unit *u)
{
    enum { LENGTH = 1000 };
    FILE *file = file_of(LENGTH);
    mapping *m = mapping_new(fileno(file), LENGTH, "some");
    fclose(file);
    tensor t = {.type = DTYPE_BOOL, .rank = 1, .size = {LENGTH}, .stride = {1}};
    t.file = mapping_share(m);
    t.data = m->start;
    mapping_release(m);
    CHECK(u, holds_file(t.file, LENGTH));
    tensor view = tensor_view_of(&t);
    tensor_free(&view);
    CHECK(u, holds_file(t.file, LENGTH));
    tensor_free(&t);
    CHECK(u, t.file == NULL);
}

/* Each by its own name until it is released; one more than there is room for has none. */
static void test_names(unit *u)
{
    enum { MANY = 65, LENGTH = 10 };
    mapping *m[MANY];
    char name[16];
    FILE *file = file_of(LENGTH);
    for (size_t i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "a\n%zu", i);
        m[i] = mapping_new(fileno(file), LENGTH, name);
    }
    fclose(file);
    CHECK_TEXT(u, mapping_name_at(m[0]->bytes), "a?0");
    CHECK_TEXT(u, mapping_name_at(m[63]->bytes + LENGTH - 1), "a?63");
    CHECK(u, mapping_name_at(m[63]->bytes + LENGTH) == NULL);
    CHECK(u, mapping_name_at(m[64]->bytes) == NULL && mapping_name_at(name) == NULL);
    const char *bytes = m[5]->bytes;
    mapping_release(m[5]);
    CHECK(u, mapping_name_at(bytes) == NULL);
    for (size_t i = 0; i < MANY; i++)
        mapping_release(i == 5 ? NULL : m[i]);
}

/* Large files are mapped, small ones are read; the bytes are the same. */
static void test_source(unit *u)
{
    const size_t length[] = {100, 1 << 20};
    for (size_t i = 0; i < 2; i++) {
        char name[] = "/tmp/selfattn-mapping-XXXXXX";
        int descriptor = mkstemp(name);
        FILE *file = fdopen(descriptor, "w");
        for (size_t j = 0; j < length[i]; j++)
            putc(byte_at(j), file);
        fclose(file);
        source s;
        err e = {0};
        CHECK(u, source_open(&s, name, SIZE_MAX, &e) && (s.map != NULL) == (i == 1));
        mapping seen = {.bytes = s.bytes, .length = s.length};
        CHECK(u, holds_file(&seen, length[i]));
        source_close(&s);
        unlink(name);
    }
}

/* In a process of its own: what has changed stays so. */
static bool change_is_seen(bool is_released_before)
{
    err e = {0};
    FILE *file = file_of(1000);
    mapping *m = mapping_new(fileno(file), 1000, "some");
    bool done = mapping_check_unchanged(&e);
    putc('x', file);
    fflush(file);
    if (is_released_before)
        mapping_release(m);
    done = done && !mapping_check_unchanged(&e) &&
           strcmp(said(&e), "some: was changed while it was read") == 0;
    if (!is_released_before)
        mapping_release(m);
    fclose(file);
    return done;
}

/* The one that there is no room for a name for. */
static bool change_of_nameless_is_seen(void)
{
    enum { NAMED = 64 };
    mapping *m[NAMED + 1];
    err e = {0};
    FILE *file = file_of(1000), *other = file_of(1000);
    for (size_t i = 0; i < NAMED; i++)
        m[i] = mapping_new(fileno(file), 1000, "named");
    m[NAMED] = mapping_new(fileno(other), 1000, "nameless");
    putc('x', other);
    fflush(other);
    bool done = !mapping_check_unchanged(&e) &&
                strcmp(said(&e), "an input file: was changed while it was read") == 0;
    for (size_t i = 0; i <= NAMED; i++)
        mapping_release(m[i]);
    fclose(file);
    fclose(other);
    return done;
}

static void test_changes(unit *u)
{
    for (int i = 0; i < 3; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            _exit(!(i == 2 ? change_of_nameless_is_seen() : change_is_seen(i == 1)));
        CHECK(u, child_ended_well(child));
    }
}

UNIT(mapping)
{
    test_bytes(u);
    test_users(u);
    test_names(u);
    test_source(u);
    test_changes(u);
}
