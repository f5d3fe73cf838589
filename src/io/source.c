#include "io/source.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "io/format.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- open for reading ---- */

const char *descriptor_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

/* The name in its folder that is nearest in spelling, and of two as near the first by letters. */
static void suggest_neighbour(const char *file, err *e)
{
    const char *slash = strrchr(file, '/'), *name = slash == NULL ? file : slash + 1;
    nearest near = nearest_to(name, strlen(name), spelling_reach(strcspn(name, ".")));
    text folder = {0}, best = {0};
    text_add(&folder, file, (size_t)(name - file));
    DIR *listed = opendir(slash == NULL ? "." : text_string(&folder));
    near.by_letters = true; /* a folder has no order */
    for (struct dirent *one; listed != NULL && (one = readdir(listed)) != NULL;) {
        if (!nearest_is_nearer(&near, one->d_name))
            continue;
        text_clear(&best);
        text_add_string(&best, one->d_name);
        near.found = text_string(&best);
    }
    if (best.length > 0)
        err_remedy(e, "did you mean %s%s?", text_string(&folder), text_string(&best));
    if (listed != NULL)
        closedir(listed);
    text_free(&folder);
    text_free(&best);
}

static bool fail(const char *file, err *e)
{
    int reason = errno;
    err_at(e, &(place){.file = descriptor_name(file)}, "cannot be read: %s", strerror(reason));
    if (reason == EISDIR)
        err_remedy(e, "name a file in it");
    return false;
}

int descriptor_open(const char *file, err *e)
{
    bool is_standard = strcmp(file, "-") == 0;
    int descriptor = is_standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) {
        bool is_absent = errno == ENOENT;
        fail(file, e);
        if (is_absent)
            suggest_neighbour(file, e);
    }
    return descriptor;
}

bool descriptor_read(int descriptor, const char *file, size_t wanted, text *to, bool *ends, err *e)
{
    char *room = text_room(to, wanted);
    if (room == NULL)
        return text_ok(to, e);
    ssize_t got;
    do
        got = read(descriptor, room, wanted);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return fail(file, e);
    text_added(to, (size_t)got);
    *ends = got == 0;
    return true;
}

bool descriptor_is_file(int descriptor)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

void descriptor_close(int descriptor, const char *file)
{
    if (strcmp(file, "-") != 0)
        close(descriptor); /* nothing was written, so nothing can be lost here */
}

/* ---- all bytes ---- */

/* From here on a file is mapped; below it, a read is cheaper than the faults of a few pages. */
enum { MAP_LEAST = 1 << 17 };

static bool read_all(int descriptor, const char *file, size_t most, text *all, err *e)
{
    /* A regular file's size and one byte more, so that the read after the last byte finds room
     * to say "end of file". Only a hint: files under /proc say 0, and a file may grow while it
     * is read. */
    struct stat status;
    bool known = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    size_t wanted = known ? (size_t)status.st_size + 1 : READ_BLOCK;
    bool is_checked = descriptor_is_file(descriptor);
    for (bool ends = false; !ends;) {
        if (!descriptor_read(descriptor, file, wanted, all, &ends, e) ||
            !source_check_length(file, all->length, most, e))
            return false;
        if (!is_checked && all->length >= READ_BLOCK) {
            is_checked = true;
            if (!format_check_block(all->data, all->length, descriptor_name(file), e))
                return false;
        }
        size_t left = all->capacity - all->length - 1; /* the last one is the NUL's */
        wanted = left > 0 ? left : READ_BLOCK;
    }
    return true;
}

static bool read_file(source *s, int descriptor, size_t most, err *e)
{
    text all = {0};
    if (!read_all(descriptor, s->file, descriptor_is_file(descriptor) ? SIZE_MAX : most, &all, e)) {
        text_free(&all);
        return false;
    }
    s->bytes = s->read = all.data;
    s->length = all.length;
    return true;
}

/* A file that can't be looked at has not changed as far as we know. */
static bool read_unchanged(source *s, int descriptor, size_t most, err *e)
{
    struct stat before, now;
    bool is_file = fstat(descriptor, &before) == 0 && S_ISREG(before.st_mode);
    if (!read_file(s, descriptor, most, e))
        return false;
    if (!is_file || fstat(descriptor, &now) < 0 || file_is_unwritten(&before, &now))
        return true;
    err_at(e, &(place){.file = descriptor_name(s->file)}, "was changed while it was read");
    source_close(s);
    return false;
}

bool source_check_length(const char *file, size_t length, size_t most, err *e)
{
    place at = {.file = descriptor_name(file)};
    if (length <= most || length <= READ_BLOCK)
        return true;
    err_at(e, &at, "the input is longer than the %zu bytes of memory that may be used", most);
    return err_remedy(e, "raise --max-memory; a file is mapped, and takes none");
}

bool source_read(source *s, const char *file, int descriptor, err *e)
{
    *s = (source){.file = file};
    return read_file(s, descriptor, SIZE_MAX, e);
}

bool source_open(source *s, const char *file, err *e)
{
    return source_open_within(s, file, SIZE_MAX, e);
}

bool source_open_within(source *s, const char *file, size_t most, err *e)
{
    *s = (source){.file = file};
    int descriptor = descriptor_open(file, e);
    if (descriptor < 0)
        return false;
    struct stat status;
    bool is_large = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                    status.st_size >= MAP_LEAST && lseek(descriptor, 0, SEEK_CUR) == 0;
    s->map =
        is_large ? mapping_new(descriptor, (size_t)status.st_size, descriptor_name(file)) : NULL;
    bool done = true;
    if (s->map != NULL) {
        s->bytes = s->map->bytes;
        s->length = s->map->length;
    } else {
        done = read_unchanged(s, descriptor, most, e);
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
