#include "io/source.h"

#include "base/mem.h"
#include "io/descriptor.h"

#include <sys/stat.h>
#include <unistd.h>

/* From here on a file is mapped; below it, a read is cheaper than the faults of a few pages. */
enum { MAP_LEAST = 1 << 17 };

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
    for (bool ends = false; !ends;) {
        if (!descriptor_read(descriptor, file, wanted, all, &ends, e))
            return false;
        size_t left = all->capacity - all->length - 1; /* the last one is the NUL's */
        wanted = left > 0 ? left : READ_BLOCK;
    }
    return true;
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
    s->bytes = s->read = all.data;
    s->length = all.length;
    return true;
}

bool source_open(source *s, const char *file, err *e)
{
    *s = (source){.file = file};
    int descriptor = descriptor_open(file, e);
    if (descriptor < 0)
        return false;
    s->map = map_file(descriptor);
    bool done = true;
    if (s->map != NULL) {
        s->bytes = s->map->bytes;
        s->length = s->map->length;
    } else {
        done = read_file(s, descriptor, e);
    }
    descriptor_close(descriptor, file);
    return done;
}

void source_close(source *s)
{
    mem_free(s->read);
    mapping_release(s->map);
    *s = (source){0};
}
