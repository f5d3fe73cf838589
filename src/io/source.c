#include "io/source.h"

#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* From here on a file is mapped; below it, a read is cheaper than the faults of a few pages. */
enum { MAP_LEAST = 1 << 17 };

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

static mapping *map_file(int descriptor)
{
    struct stat status;
    bool is_large = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                    status.st_size >= MAP_LEAST && lseek(descriptor, 0, SEEK_CUR) == 0;
    return is_large ? mapping_new(descriptor, (size_t)status.st_size) : NULL;
}

static bool read_file(source *s, int descriptor, err *e)
{
    text all = {0};
    if (!read_all(descriptor, s->file, &all, e)) {
        text_free(&all);
        return false;
    }
    text_added(&all, 0); /* the NUL behind an empty file */
    s->bytes = s->read = all.data;
    s->length = all.length;
    return true;
}

bool source_open(source *s, const char *file, err *e)
{
    *s = (source){.file = file};
    bool standard = strcmp(file, "-") == 0;
    int descriptor = standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return fail(file, e);
    s->map = map_file(descriptor);
    bool done = true;
    if (s->map != NULL) {
        s->bytes = s->map->bytes;
        s->length = s->map->length;
    } else {
        done = read_file(s, descriptor, e);
    }
    if (!standard)
        close(descriptor); /* nothing was written, so nothing can be lost here */
    return done;
}

void source_close(source *s)
{
    mem_free(s->read);
    mapping_release(s->map);
    *s = (source){0};
}
