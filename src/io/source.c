#define _DEFAULT_SOURCE /* flock */
#include "io/source.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "base/path.h"
#include "base/utf8.h"
#include "io/format.h"
#include "io/json_scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* ---- open for reading ---- */

const char *descriptor_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

/* Suggests the name in the folder that is nearest in spelling; of two as near, the first by
 * letters. */
static void suggest_neighbour(const char *file, err *e)
{
    const char *name = path_name(file);
    nearest near = nearest_to(name, strlen(name), spelling_reach(strcspn(name, ".")));
    text folder = {0}, best = {0};
    text_add(&folder, file, (size_t)(name - file));
    DIR *listed = opendir(name == file ? "." : text_string(&folder));
    near.by_letters = true; /* a folder has no order */
    for (struct dirent *one; listed != NULL && (one = readdir(listed)) != NULL;) {
        bool is_dots = one->d_name[strspn(one->d_name, ".")] == '\0'; /* the folder itself */
        if (is_dots || !nearest_is_nearer(&near, one->d_name))
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
    bool is_folder = errno == EISDIR;
    err_at(e, &(place){.file = descriptor_name(file)}, "cannot be read: %s", strerror(errno));
    return is_folder && err_remedy(e, "name a file in it");
}

static int descriptor_open(const char *file, err *e)
{
    int descriptor =
        strcmp(file, "-") == 0 ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) {
        bool is_absent = errno == ENOENT;
        fail(file, e);
        if (is_absent)
            suggest_neighbour(file, e);
    }
    return descriptor;
}

/* Adds what one read gives of `wanted` bytes; *ends is set at the end of the input. */
static bool descriptor_read(int descriptor, const char *file, size_t wanted, text *to, bool *ends,
                            err *e)
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

/* Whether it is a regular file, which has a size, and can be mapped. */
static bool is_regular(int descriptor, struct stat *status)
{
    return fstat(descriptor, status) == 0 && S_ISREG(status->st_mode);
}

/* Standard input stays open. */
static void descriptor_close(int descriptor, const char *file)
{
    if (strcmp(file, "-") != 0)
        close(descriptor); /* nothing was written, so a failure loses nothing */
}

/* ---- all bytes ---- */

/* Files of this size and more are mapped; for smaller ones a read costs less than a few page
 * faults. */
enum { MAP_LEAST = 1 << 17 };

/* Refuses an input of which more than `most` bytes were read. A first block is always allowed. */
static bool check_length(const char *file, size_t length, size_t most, err *e)
{
    place at = {.file = descriptor_name(file)};
    if (length <= most || length <= READ_BLOCK)
        return true;
    err_at(e, &at, "the input is longer than the %zu bytes of memory that may be used", most);
    return err_remedy(e, "raise --max-memory; a file is mapped, and takes none");
}

static bool read_file(source *s, int descriptor, size_t most, err *e)
{
    /* A regular file's size and one byte more, so that the read after the last byte finds room
     * to say "end of file". Only a hint: files under /proc say 0, and a file may grow while it
     * is read. */
    struct stat status;
    bool is_file = is_regular(descriptor, &status);
    size_t wanted = is_file && status.st_size > 0 ? (size_t)status.st_size + 1 : READ_BLOCK;
    text all = {0};
    bool done = true, is_checked = is_file;
    for (bool ends = false; done && !ends;) {
        done = descriptor_read(descriptor, s->file, wanted, &all, &ends, e) &&
               check_length(s->file, all.length, is_file ? SIZE_MAX : most, e);
        if (done && !is_checked && all.length >= READ_BLOCK) {
            is_checked = true;
            done = format_check_block(all.data, all.length, descriptor_name(s->file), e);
        }
        size_t left = all.capacity - all.length - 1; /* the last one is the NUL's */
        wanted = left > 0 ? left : READ_BLOCK;
    }
    if (!done)
        text_free(&all);
    s->bytes = s->read = all.data;
    s->length = all.length;
    return done;
}

bool source_open(source *s, const char *file, size_t most, err *e)
{
    *s = (source){.file = file};
    int descriptor = descriptor_open(file, e);
    if (descriptor < 0)
        return false;
    struct stat before, now;
    bool is_file = is_regular(descriptor, &before), done = true;
    if (is_file && before.st_size >= MAP_LEAST && before.st_size == (off_t)(size_t)before.st_size &&
        lseek(descriptor, 0, SEEK_CUR) == 0)
        s->map = mapping_new(descriptor, (size_t)before.st_size, descriptor_name(file));
    if (s->map != NULL) {
        s->bytes = s->map->bytes;
        s->length = s->map->length;
    } else if (!read_file(s, descriptor, most, e)) {
        done = false;
    } else if (is_file && fstat(descriptor, &now) == 0 && !file_is_unwritten(&before, &now)) {
        /* A file whose state can't be read counts as unchanged. */
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

/* Whether a file of the same size has the same bytes: the clock of files ticks some hundred times a
 * second, so a second change may have the same time. */
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
        now.st_size == (off_t)o->read.length && holds_the_same(o))
        return true;
    if (errno != ESTALE && errno != ENOENT)
        return err_at(e, &at, "cannot be read: %s", strerror(errno));
    err_at(e, &at, "was changed by another program meanwhile");
    return err_remedy(e, "it stays as that program wrote it; run the command again");
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

/* ---- lines ---- */

static void forget(line_source *l)
{
    text_clear(&l->read);
    l->next = 0;
}

/* Moves the rest of the buffer to its front, then reads as much as there is room for. If that
 * fails, the line that was begun is lost; if memory did not run out, so is all that follows. */
static bool read_more(line_source *l, err *e)
{
    size_t left = l->read.length - l->next;
    if (l->next > 0)
        memmove(l->read.data, l->read.data + l->next, left);
    l->read.length = left;
    l->next = 0;
    if (l->from != NULL) {
        text_add(&l->read, l->from->bytes, l->from->length);
        l->ends = true;
        return text_ok(&l->read, e);
    }
    size_t room = l->read.capacity > left + READ_BLOCK ? l->read.capacity - left - 1 : READ_BLOCK;
    bool done = descriptor_read(l->descriptor, l->file, room, &l->read, &l->ends, e);
    if (done && !l->is_checked && l->read.length >= READ_BLOCK) { /* the input may never end */
        l->is_checked = true;
        done = is_regular(l->descriptor, &(struct stat){0}) ||
               format_check_block(l->read.data, l->read.length, descriptor_name(l->file), e);
    }
    if (done)
        return true;
    l->skips = l->read.failed;
    l->ends = !l->skips;
    forget(l);
    return false;
}

/* Passes the rest of a line whose beginning was given up. */
static bool skip_rest(line_source *l, err *e)
{
    for (;;) {
        size_t left = l->read.length - l->next;
        char *newline = left == 0 ? NULL : memchr(l->read.data + l->next, '\n', left);
        l->skips = newline == NULL && !l->ends;
        if (newline != NULL)
            l->next = (size_t)(newline - l->read.data) + 1;
        else
            forget(l);
        if (!l->skips)
            return true;
        if (!read_more(l, e))
            return false;
    }
}

static const char *hand_out(line_source *l, size_t *length, bool ends)
{
    const char *line = l->read.data + l->next;
    l->next += *length + !ends;
    size_t mark = l->number == 1 ? utf8_mark(line, *length) : 0;
    *length -= mark;
    return line + mark;
}

const char *lines_next(line_source *l, size_t *length, err *e)
{
    if (l->skips && !skip_rest(l, e))
        return NULL;
    l->number++;
    place at = {.file = descriptor_name(l->file), .line = l->number, .column = 1};
    for (size_t seen = 0;;) { /* until all of it is in memory, or there is no more */
        size_t left = l->read.length - l->next;
        const char *start = left == 0 ? NULL : l->read.data + l->next;
        const char *newline = left == seen ? NULL : memchr(start + seen, '\n', left - seen);
        *length = newline == NULL ? left : (size_t)(newline - start);
        if (*length > l->most) {
            l->skips = true;
            err_at(e, &at, "the line is longer than the %zu bytes of memory that may be used",
                   l->most);
            err_remedy(e, "raise --max-memory");
            return NULL;
        }
        if (newline != NULL || l->ends)
            return newline == NULL && *length == 0 ? NULL : hand_out(l, length, newline == NULL);
        seen = left;
        if (!read_more(l, e)) {
            err_place(e, &at);
            return NULL;
        }
    }
}

const char *lines_take(line_source *l, size_t *length)
{
    size_t left = l->read.length - l->next;
    const char *start = left == 0 ? NULL : l->read.data + l->next;
    const char *newline = left == 0 || l->skips ? NULL : memchr(start, '\n', left);
    if (newline == NULL || (size_t)(newline - start) > l->most)
        return NULL;
    *length = (size_t)(newline - start);
    l->number++;
    return hand_out(l, length, false);
}

bool lines_has_next(const line_source *l)
{
    size_t left = l->read.length - l->next;
    return l->ends || (left > 0 && memchr(l->read.data + l->next, '\n', left) != NULL);
}

bool lines_peek(line_source *l, err *e)
{
    return read_more(l, e) && (l->from != NULL || is_regular(l->descriptor, &(struct stat){0}) ||
                               check_length(l->file, l->read.length, l->most, e));
}

bool lines_can_restart(const line_source *l)
{
    return is_regular(l->descriptor, &(struct stat){0}) &&
           lseek(l->descriptor, 0, SEEK_CUR) == (off_t)l->read.length;
}

void lines_restart(line_source *l)
{
    lseek(l->descriptor, 0, SEEK_SET);
    forget(l);
    l->ends = false;
}

bool lines_become_source(line_source *l, source *whole, err *e)
{
    const char *file = l->file;
    if (!l->ends && lines_can_restart(l)) {
        lines_restart(l); /* standard input stays open, and is read from here */
        lines_close(l);
        return source_open(whole, file, SIZE_MAX, e);
    }
    while (!l->ends) {
        if (!lines_peek(l, e))
            return false;
    }
    *whole = (source){
        .file = file, .bytes = l->read.data, .read = l->read.data, .length = l->read.length};
    l->read = (text){0};
    lines_close(l);
    return true;
}

bool lines_open(line_source *l, const char *file, size_t most, err *e)
{
    *l = (line_source){.most = most};
    l->descriptor = descriptor_open(file, e);
    if (l->descriptor < 0)
        return false;
    l->file = file;
    return true;
}

void lines_open_read(line_source *l, const source *from, size_t most)
{
    *l = (line_source){.file = from->file, .descriptor = -1, .from = from, .most = most};
}

void lines_close(line_source *l)
{
    if (l->file != NULL && l->from == NULL)
        descriptor_close(l->descriptor, l->file);
    text_free(&l->read);
    *l = (line_source){0};
}

/* ---- JSON Lines ---- */

jsonl_look jsonl_look_at(const char *bytes, size_t length)
{
    json_text t = json_text_of(bytes, length, "", 0);
    const char *first = json_space_end(t.bytes, t.end);
    bool is_half_a_mark = length < 3 && memcmp(bytes, "\xef\xbb", length) == 0;
    if (first == t.end || is_half_a_mark)
        return JSONL_MAY_BE;
    if (*first != '{')
        return JSONL_IS_NOT;
    const char *newline = memchr(first, '\n', (size_t)(t.end - first));
    if (newline == NULL)
        return JSONL_MAY_BE;
    const char *last = newline;
    while (last[-1] == ' ' || last[-1] == '\r' || last[-1] == '\t')
        last--;
    const char *below = json_space_end(newline, t.end);
    if (last[-1] == '}' && below == t.end)
        return JSONL_MAY_BE;
    return last[-1] == '}' && *below == '{' ? JSONL_IS : JSONL_IS_NOT;
}

bool jsonl_probe(const char *bytes, size_t length)
{
    return jsonl_look_at(bytes, length) == JSONL_IS;
}

jsonl_lines jsonl_lines_of(const char *bytes, size_t length)
{
    return (jsonl_lines){.next = bytes + utf8_mark(bytes, length), .end = bytes + length};
}

bool jsonl_is_blank(const char *line, size_t length)
{
    return json_space_end(line, line + length) == line + length;
}

bool jsonl_next(jsonl_lines *l)
{
    while (l->next < l->end) {
        const char *newline = memchr(l->next, '\n', (size_t)(l->end - l->next));
        l->line = l->next;
        l->next = newline == NULL ? l->end : newline + 1;
        l->length = (size_t)(l->next - l->line) - (newline != NULL);
        l->number++;
        if (!jsonl_is_blank(l->line, l->length))
            return true;
    }
    return false;
}
