#define _DEFAULT_SOURCE /* flock */
#include "io/source.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "io/format.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
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

static bool read_file(source *s, int descriptor, size_t most, err *e)
{
    /* A regular file's size and one byte more, so that the read after the last byte finds room
     * to say "end of file". Only a hint: files under /proc say 0, and a file may grow while it
     * is read. */
    struct stat status;
    bool is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    size_t wanted = is_file && status.st_size > 0 ? (size_t)status.st_size + 1 : READ_BLOCK;
    text all = {0};
    bool done = true, is_checked = is_file;
    for (bool ends = false; done && !ends;) {
        done = descriptor_read(descriptor, s->file, wanted, &all, &ends, e) &&
               source_check_length(s->file, all.length, is_file ? SIZE_MAX : most, e);
        if (done && !is_checked && all.length >= READ_BLOCK) {
            is_checked = true;
            done = format_check_block(all.data, all.length, descriptor_name(s->file), e);
        }
        size_t left = all.capacity - all.length - 1; /* the last one is the NUL's */
        wanted = left > 0 ? left : READ_BLOCK;
    }
    if (!done) {
        text_free(&all);
        return false;
    }
    s->bytes = s->read = all.data;
    s->length = all.length;
    return true;
}

bool source_check_length(const char *file, size_t length, size_t most, err *e)
{
    place at = {.file = descriptor_name(file)};
    if (length <= most || length <= READ_BLOCK)
        return true;
    err_at(e, &at, "the input is longer than the %zu bytes of memory that may be used", most);
    return err_remedy(e, "raise --max-memory; a file is mapped, and takes none");
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
    struct stat before, now;
    bool is_file = fstat(descriptor, &before) == 0 && S_ISREG(before.st_mode), done = true;
    if (is_file && before.st_size >= MAP_LEAST && lseek(descriptor, 0, SEEK_CUR) == 0)
        s->map = mapping_new(descriptor, (size_t)before.st_size, descriptor_name(file));
    if (s->map != NULL) {
        s->bytes = s->map->bytes;
        s->length = s->map->length;
    } else if (!read_file(s, descriptor, most, e)) {
        done = false;
    } else if (is_file && fstat(descriptor, &now) == 0 && !file_is_unwritten(&before, &now)) {
        /* One that can't be looked at has not changed as far as we know. */
        done = err_at(e, &(place){.file = descriptor_name(file)}, "was changed while it was read");
        source_close(s);
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

/* ---- a file that is to be replaced ---- */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool old_file_is_unchanged(const struct stat *before, const struct stat *now)
{
    return is_same_file(before, now) && file_is_unwritten(before, now) &&
           before->st_mode == now->st_mode && before->st_uid == now->st_uid &&
           before->st_gid == now->st_gid && before->st_nlink == now->st_nlink;
}

/* Of a file of that size. The clock of files ticks some hundred times a second, so two changes may
 * bear one time. */
static bool holds_the_same(const old_file *o)
{
    char block[1 << 14];
    size_t at = 0;
    while (at < o->read.length) {
        ssize_t got = pread(o->descriptor, block, sizeof block, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        size_t left = o->read.length - at;
        errno = got < 0 ? errno : ESTALE;
        if (got <= 0 || (size_t)got > left || memcmp(block, o->read.bytes + at, (size_t)got) != 0)
            return false;
        at += (size_t)got;
    }
    return true;
}

bool old_file_check(const old_file *o, const char *path, err *e)
{
    place at = {.file = o->read.file};
    struct stat there, now;
    bool is_known = stat(path, &there) == 0 && fstat(o->descriptor, &now) == 0;
    errno = is_known ? ESTALE : errno;
    if (is_known && is_same_file(&there, &now) && old_file_is_unchanged(&o->seen, &now) &&
        (size_t)now.st_size == o->read.length && holds_the_same(o))
        return true;
    if (errno != ESTALE && errno != ENOENT)
        return err_at(e, &at, "cannot be read: %s", strerror(errno));
    err_at(e, &at, "was changed by another program meanwhile");
    return err_remedy(e, "it is left as that one wrote it; run the command again");
}

bool old_file_open(old_file *o, const char *file, err *e)
{
    place at = {.file = file};
    *o = (old_file){.read.file = file, .descriptor = descriptor_open(file, e)};
    bool done = o->descriptor >= 0;
    if (done && flock(o->descriptor, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        err_at(e, &at, "is locked by another program");
        done = err_remedy(e, "run the command again once that one has ended");
    }
    if (done && fstat(o->descriptor, &o->seen) < 0)
        done = err_at(e, &at, "cannot be read: %s", strerror(errno));
    done = done && read_file(&o->read, o->descriptor, SIZE_MAX, e) && old_file_check(o, file, e);
    if (!done)
        old_file_close(o);
    return done;
}

void old_file_close(old_file *o)
{
    if (o->read.file != NULL && o->descriptor >= 0)
        close(o->descriptor);
    source_close(&o->read);
    *o = (old_file){0};
}
