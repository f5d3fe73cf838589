#include "io/source.h"

#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is asked of one read(2) where the size is not known: four times a pipe's buffer. */
enum { READ_BLOCK = 1 << 18 };

static bool fail(const char *file, err *e)
{
    const char *name = strcmp(file, "-") == 0 ? "standard input" : file;
    return err_at(e, &(place){.file = name}, "cannot be read: %s", strerror(errno));
}

/* A regular file's size and one byte more, so that the read behind the last byte finds room to say
 * "end of file". Only a hint: files under /proc say 0, and a file may grow while it is read. */
static size_t size_hint(int descriptor)
{
    struct stat status;
    bool known = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    return known ? (size_t)status.st_size + 1 : READ_BLOCK;
}

static bool read_all(int descriptor, const char *file, text *all, err *e)
{
    size_t wanted = size_hint(descriptor);
    for (;;) {
        char *room = text_room(all, wanted);
        if (room == NULL)
            return text_ok(all, e);
        ssize_t got = read(descriptor, room, wanted);
        if (got == 0)
            return true;
        if (got > 0)
            text_added(all, (size_t)got);
        else if (errno != EINTR)
            return fail(file, e);
        size_t left = all->capacity - all->length - 1; /* the last one is the NUL's */
        wanted = left > 0 ? left : READ_BLOCK;
    }
}

bool source_open(source *s, const char *file, err *e)
{
    *s = (source){.file = file};
    bool standard = strcmp(file, "-") == 0;
    int descriptor = standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return fail(file, e);
    text all = {0};
    bool done = read_all(descriptor, file, &all, e);
    if (!standard)
        close(descriptor); /* nothing was written, so nothing can be lost here */
    if (!done) {
        text_free(&all);
        return false;
    }
    text_added(&all, 0); /* the NUL behind an empty file */
    s->bytes = all.data;
    s->length = all.length;
    return true;
}

void source_close(source *s)
{
    mem_free(s->bytes);
    *s = (source){0};
}
