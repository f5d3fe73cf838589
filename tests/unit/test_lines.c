/* Lines of a stream: cut at newlines and nothing else, in the memory of one line and one block. */
#include "io/source.h"

#include "said.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ANY_LENGTH = 1 << 30 };

/* What a stream is read from, and its name: a file that has no other any more, or a pipe. */
typedef struct stream {
    FILE *file;
    char name[32];
} stream;

static stream stream_of(FILE *file)
{
    stream s = {.file = file};
    if (file != NULL) {
        fflush(file);
        snprintf(s.name, sizeof s.name, "/dev/fd/%d", fileno(file));
    }
    return s;
}

static stream stream_holding(const char *bytes, size_t length)
{
    FILE *file = tmpfile();
    if (file != NULL)
        fwrite(bytes, 1, length, file);
    return stream_of(file);
}

/* Few enough bytes for a pipe to take them all at once. */
static stream pipe_holding(const char *bytes, size_t length)
{
    int ends[2];
    if (pipe(ends) != 0)
        return (stream){0};
    ssize_t written = write(ends[1], bytes, length);
    close(ends[1]);
    return stream_of(written == (ssize_t)length ? fdopen(ends[0], "r") : NULL);
}

/* All lines as "1[a]2[b]", errors as "3!what!". */
static const char *cut(line_source *l)
{
    static text out;
    text_clear(&out);
    for (;;) {
        err e = {0};
        size_t length;
        const char *line = lines_next(l, &length, &e);
        if (line == NULL && !e.is_set)
            return text_string(&out);
        if (line == NULL) {
            text_add_format(&out, "%zu!%s!", l->number, e.what);
            continue;
        }
        text_add_format(&out, "%zu[", l->number);
        text_add(&out, line, length);
        text_add_string(&out, "]");
    }
}

static void check_cut(unit *u, const char *bytes, size_t length, size_t most, const char *wanted)
{
    stream in[] = {stream_holding(bytes, length), pipe_holding(bytes, length)};
    for (size_t i = 0; i < 2; i++) {
        line_source l;
        err e = {0};
        if (CHECK(u, lines_open(&l, in[i].name, most, &e)))
            CHECK_TEXT(u, cut(&l), wanted);
        lines_close(&l);
        fclose(in[i].file);
    }
}

static void cuts_at_newlines(unit *u)
{
    static const struct {
        const char *bytes, *wanted;
    } cases[] = {
        {"", ""},
        {"\n", "1[]"},
        {"a\nb\n", "1[a]2[b]"},
        {"a\n\n\nb", "1[a]2[]3[]4[b]"},
        {"a\r\nb\rc\n", "1[a\r]2[b\rc]"},
        {"\xef\xbb\xbf"
         "a\n\xef\xbb\xbf"
         "b\n",
         "1[a]2[\xef\xbb\xbf"
         "b]"},
        {"\xef\xbb\xbf", "1[]"},
        {"\xef\xbb\n", "1[\xef\xbb]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_cut(u, cases[i].bytes, strlen(cases[i].bytes), ANY_LENGTH, cases[i].wanted);
    stream in = stream_holding("a\0b\nc", 5);
    line_source l;
    err e = {0};
    size_t length = 0;
    CHECK(u, lines_open(&l, in.name, ANY_LENGTH, &e));
    const char *line = lines_next(&l, &length, &e);
    CHECK(u, line != NULL && length == 3 && memcmp(line, "a\0b", 3) == 0);
    lines_close(&l);
    fclose(in.file);
}

#define TOO_LONG "!the line is longer than the 3 bytes of memory that may be used!"

static void passes_over_long_lines(unit *u)
{
    check_cut(u, "abc\nabcd\nab\n", 12, 3, "1[abc]2" TOO_LONG "3[ab]");
    check_cut(u, "abcd", 4, 3, "1" TOO_LONG);
    check_cut(u, "abcd\n", 5, 3, "1" TOO_LONG);
    stream in = stream_holding("a\nabcd\n", 7);
    line_source l;
    err e = {0};
    size_t length;
    char wanted[128];
    CHECK(u, lines_open(&l, in.name, 3, &e) && lines_next(&l, &length, &e) != NULL);
    CHECK(u, lines_next(&l, &length, &e) == NULL);
    snprintf(wanted, sizeof wanted, "%s:2:1: %.*s | raise --max-memory", in.name,
             (int)strlen(TOO_LONG) - 2, &TOO_LONG[1]);
    CHECK_TEXT(u, said(&e), wanted);
    lines_close(&l);
    fclose(in.file);
}

/* A file of `count` lines, each of `length` times the letter. */
static stream stream_of_lines(size_t count, size_t length)
{
    FILE *file = tmpfile();
    for (size_t i = 0; file != NULL && i < count; i++) {
        for (size_t at = 0; at < length; at++)
            putc((int)('a' + i % 26), file);
        putc('\n', file);
    }
    return stream_of(file);
}

static bool is_line_of(const char *line, size_t length, size_t wanted, char letter)
{
    if (line == NULL || length != wanted)
        return false;
    while (length > 0 && line[length - 1] == letter)
        length--;
    return length == 0;
}

/* Lines across the blocks' edges come whole, and memory does not grow with the stream. */
static void needs_constant_memory(unit *u)
{
    static const size_t LENGTH[] = {1000, READ_BLOCK - 1, READ_BLOCK, 3 * READ_BLOCK + 5};
    for (size_t i = 0; i < sizeof LENGTH / sizeof LENGTH[0]; i++) {
        size_t count = 10 * READ_BLOCK / LENGTH[i] + 3, same = 0, length;
        stream in = stream_of_lines(count, LENGTH[i]);
        line_source l;
        err e = {0};
        CHECK(u, lines_open(&l, in.name, LENGTH[i], &e));
        for (size_t line = 0; line < count; line++) {
            const char *bytes = lines_next(&l, &length, &e);
            same += is_line_of(bytes, length, LENGTH[i], (char)('a' + line % 26));
        }
        CHECK(u, same == count);
        CHECK(u, lines_next(&l, &length, &e) == NULL && !e.is_set);
        CHECK(u, l.read.capacity <= 2 * (LENGTH[i] + 2 * READ_BLOCK));
        lines_close(&l);
        fclose(in.file);
    }
}

/* A line that is given up is not collected either. */
static void forgets_long_lines(unit *u)
{
    stream in = stream_of_lines(3, 8 * READ_BLOCK);
    line_source l;
    err e = {0};
    CHECK(u, lines_open(&l, in.name, 5, &e));
    for (size_t number = 1; number <= 3; number++) {
        size_t length;
        err of_line = {0};
        CHECK(u, lines_next(&l, &length, &of_line) == NULL && of_line.is_set);
        CHECK(u, l.number == number);
    }
    CHECK(u, l.read.capacity <= 2 * READ_BLOCK + 1);
    CHECK_TEXT(u, cut(&l), "");
    lines_close(&l);
    fclose(in.file);
}

static void knows_what_is_in_memory(unit *u)
{
    int ends[2];
    line_source l;
    err e = {0};
    size_t length;
    if (!CHECK(u, pipe(ends) == 0))
        return;
    stream in = stream_of(fdopen(ends[0], "r"));
    CHECK(u, write(ends[1], "a\nb\nc", 5) == 5 && lines_open(&l, in.name, ANY_LENGTH, &e));
    CHECK(u, !lines_has_next(&l)); /* nobody has looked yet */
    CHECK(u, lines_next(&l, &length, &e) != NULL && lines_has_next(&l));
    CHECK(u, lines_next(&l, &length, &e) != NULL && !lines_has_next(&l));
    close(ends[1]);
    CHECK(u, lines_next(&l, &length, &e) != NULL && length == 1 && lines_has_next(&l));
    lines_close(&l);
    fclose(in.file);
}

static bool source_is(source *s, const char *bytes)
{
    bool same = s->length == strlen(bytes) && memcmp(s->bytes, bytes, s->length + 1) == 0;
    source_close(s);
    return same;
}

/* What was looked at is not lost where the stream is none of lines. */
static void becomes_a_source(unit *u)
{
    static const char BYTES[] = "[1,\n2]\n";
    stream in[] = {stream_holding(BYTES, 7), pipe_holding(BYTES, 7)};
    for (size_t i = 0; i < 2; i++) {
        line_source l;
        source s;
        err e = {0};
        CHECK(u, lines_open(&l, in[i].name, ANY_LENGTH, &e) && lines_peek(&l, &e));
        CHECK(u, lines_can_restart(&l) == (i == 0));
        CHECK(u, lines_become_source(&l, &s, &e) && source_is(&s, BYTES));
        CHECK(u, l.file == NULL);
        fclose(in[i].file);
    }
    stream empty = pipe_holding("", 0);
    line_source l;
    source s;
    err e = {0};
    CHECK(u, lines_open(&l, empty.name, ANY_LENGTH, &e) && lines_become_source(&l, &s, &e));
    CHECK(u, source_is(&s, ""));
    fclose(empty.file);
}

static void restarts(unit *u)
{
    stream in = stream_holding("a\nb\n", 4);
    line_source l;
    err e = {0};
    CHECK(u, lines_open(&l, in.name, ANY_LENGTH, &e) && lines_peek(&l, &e) && lines_peek(&l, &e));
    CHECK(u, l.ends);
    lines_restart(&l);
    CHECK_TEXT(u, cut(&l), "1[a]2[b]");
    lines_close(&l);
    fclose(in.file);
}

/* After what can't be read comes nothing. */
static void ends_at_failures(unit *u)
{
    line_source l;
    err e = {0}, again = {0};
    size_t length;
    CHECK(u, !lines_open(&l, "/no/such/file", ANY_LENGTH, &e));
    CHECK_TEXT(u, said(&e), "/no/such/file: cannot be read: No such file or directory");
    lines_close(&l); /* nothing to do */
    e = (err){0};
    CHECK(u, lines_open(&l, "/", ANY_LENGTH, &e) && lines_next(&l, &length, &e) == NULL);
    CHECK_TEXT(u, said(&e), "/: cannot be read: Is a directory | name a file in it");
    CHECK(u, lines_next(&l, &length, &again) == NULL && !again.is_set);
    lines_close(&l);
    /* in the rest of a line that is passed over, which is longer than a block */
    stream in = stream_of_lines(1, 1 << 20);
    e = (err){0};
    CHECK(u, lines_open(&l, in.name, 3, &e) && lines_next(&l, &length, &e) == NULL);
    int other = open("/", O_RDONLY);
    CHECK(u, strstr(said(&e), "the line is longer") != NULL && dup2(other, l.descriptor) >= 0);
    close(other);
    e = again = (err){0};
    CHECK(u, lines_next(&l, &length, &e) == NULL);
    CHECK(u, strstr(said(&e), "cannot be read: Is a directory") != NULL);
    CHECK(u, lines_next(&l, &length, &again) == NULL && !again.is_set);
    lines_close(&l);
    fclose(in.file);
}

UNIT(lines)
{
    cuts_at_newlines(u);
    passes_over_long_lines(u);
    needs_constant_memory(u);
    forgets_long_lines(u);
    knows_what_is_in_memory(u);
    becomes_a_source(u);
    restarts(u);
    ends_at_failures(u);
}
