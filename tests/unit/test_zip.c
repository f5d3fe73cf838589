/* Zips: one small one by hand, damaged at each field that matters; members next to each other;
 * zip64; streams that lie. Offsets and fields are those of APPNOTE.TXT 4.3. */
#include "io/zip.h"

#include "base/mem.h"
#include "io/format.h"
#include "io/stored_matrix.h"
#include "said.h"
#include "unit.h"
#include "written.h"

#include <string.h>
#include <zlib.h>

/* One stored member "a" of 5 bytes: its header at 0, its bytes at 64, the directory's entry at 69,
 * the end record at 116. */
enum { DATA = 64, ENTRY = 69, END = 116, LENGTH = 138 };
static const char HELLO[] = "hello";
static const uint32_t HELLO_CRC = 0x3610a686; /* RFC 1952's CRC-32 */

static text zip_of(size_t members, uint64_t most)
{
    err e = {0};
    sink out;
    sink_open_memory(&out);
    zip_writer w = zip_writer_of(&out);
    w.most = most;
    for (size_t i = 0; i < members; i++) {
        char name[16];
        snprintf(name, sizeof name, i < 3 ? "%c" : "%c%zu", (char)('a' + i % 3), i);
        zip_writer_add(&w, name, 5, HELLO_CRC);
        text_add_string(sink_text(&out), HELLO);
    }
    zip_writer_close(&w, &e);
    return sink_take(&out);
}

/* The members' names and bytes, "a=hello b=hello", or the error. */
static const char *opened(const char *bytes, size_t length, size_t most, text *out)
{
    zip z;
    err e = {0};
    text unpacked = {0};
    text_clear(out);
    bool done = zip_open(&z, "f", bytes, length, &e);
    for (size_t i = 0; done && i < z.count; i++) {
        const char *member = zip_unpack(&z, &z.member[i], most, &unpacked, &e);
        done = member != NULL;
        if (done) {
            text_add_string(out, i == 0 ? "" : " ");
            text_add(out, z.member[i].name, z.member[i].name_length);
            text_add_string(out, "=");
            text_add(out, member, z.member[i].size);
        }
    }
    text_free(&unpacked);
    zip_close(&z);
    return done ? text_string(out) : said(&e);
}

static void test_written(unit *u)
{
    text out = {0}, none = zip_of(0, 100), one = zip_of(1, 1000), three = zip_of(3, 1000);
    CHECK(u, npz_probe(none.data, none.length) && npz_probe(one.data, one.length));
    CHECK(u, !npz_probe("PK\x01\x02", 4) && !npz_probe("PK", 2));
    CHECK(u, one.length == LENGTH && memcmp(one.data + DATA, HELLO, 5) == 0);
    CHECK_TEXT(u, opened(none.data, none.length, 0, &out), "");
    CHECK_TEXT(u, opened(one.data, one.length, 0, &out), "a=hello");
    CHECK_TEXT(u, opened(three.data, three.length, 0, &out), "a=hello b=hello c=hello");
    text_free(&none);
    text_free(&one);
    text_free(&three);
    text_free(&out);
}

/* The usual end record counts to 65,534. */
static void test_many(unit *u)
{
    enum { MANY = 65535 };
    zip z;
    err e = {0};
    text many = zip_of(MANY, 1 << 30);
    CHECK(u, memcmp(many.data + many.length - 22 + 8, "\xff\xff\xff\xff", 4) == 0);
    CHECK(u, zip_open(&z, "f", many.data, many.length, &e) && z.count == MANY &&
                 zip_find(&z, "a65532", 6) == &z.member[65532]);
    zip_close(&z);
    text_free(&many);
}

/* A limit of 100 makes the second offset, and of 4 each size, too large for the usual fields. */
static void test_zip64(unit *u)
{
    text out = {0}, near = zip_of(1, 1000);
    memset(near.data + ENTRY + 24, 0xff, 4); /* the size */
    CHECK_TEXT(u, opened(near.data, near.length, 0, &out),
               "f: byte 69: 'a' needs a zip64 field, and has none");
    text_free(&near);
    for (uint64_t most = 0; most < 300; most += 4) {
        text far = zip_of(3, most);
        CHECK_TEXT(u, opened(far.data, far.length, 0, &out), "a=hello b=hello c=hello");
        text_free(&far);
    }
    text none = zip_of(0, 1000); /* which has no room for what it points to */
    memset(none.data + 8, 0xff, 4);
    CHECK_TEXT(u, opened(none.data, none.length, 0, &out),
               "f: byte 0: the zip's sizes need a zip64 record, and none is there");
    text_free(&none);
    text far = zip_of(2, 4);
    char *extra = memchr(far.data + 133, 'P', 100);
    CHECK(u, memcmp(extra, "PK\1\2", 4) == 0 && memcmp(extra + 47, "\1\0\x10\0", 4) == 0);
    extra[49] = 8; /* one number, where two are needed */
    CHECK_TEXT(u, opened(far.data, far.length, 0, &out),
               "f: byte 133: 'a' needs a zip64 field, and has none");
    extra[49] = 0x10;
    CHECK(u, memcmp(far.data + 18, "\xff\xff\xff\xff\xff\xff\xff\xff", 8) == 0);
    far.data[far.length - 22 - 20] ^= 1; /* the locator's signature */
    CHECK_TEXT(u, opened(far.data, far.length, 0, &out),
               "f: byte 351: the zip's sizes need a zip64 record, and none is there");
    far.data[far.length - 22 - 20] ^= 1;
    far.data[far.length - 22 - 20 + 8] ^= 1; /* where it says that the record is */
    CHECK_TEXT(u, opened(far.data, far.length, 0, &out),
               "f: byte 351: the zip64 record is not where the zip says, at byte 274");
    text_free(&far);
    text_free(&out);
}

/* ---- one byte changed ---- */

static const struct {
    size_t at;
    char byte;
    const char *wanted;
} CHANGES[] = {
    {0, 'p', "f: byte 0: 'a' does not begin here, where the zip's directory says"},
    {6, 1, "f: byte 0: 'a': the method is another one here than in the zip's directory"},
    {8, 8, "f: byte 0: 'a': the method is another one here than in the zip's directory"},
    {14, 0, "f: byte 0: 'a': the checksum is another one here than in the zip's directory"},
    {18, 6, "f: byte 0: 'a': the size is another one here than in the zip's directory"},
    {22, 6, "f: byte 0: 'a': the size is another one here than in the zip's directory"},
    {26, 2, "f: byte 0: 'a' needs 5 bytes, 4 are there"},
    {28, 34, "f: byte 0: 'a' needs 5 bytes, 4 are there"},
    {29, 1, "f: byte 0: 'a' needs 5 bytes, 0 are there"},
    {30, 'b', "f: byte 0: 'a': the name is another one here than in the zip's directory"},
    {DATA, 'H', "f: byte 0: 'a' is damaged: its checksum is f7d18982, the zip says 3610a686"},
    {ENTRY, 'p', "f: byte 69: the zip's directory is damaged: no member's entry begins here"},
    {ENTRY + 20, 6, "f: byte 0: 'a' needs 6 bytes, 5 are there"},
    {ENTRY + 24, 6, "f: byte 0: 'a': the size is another one here than in the zip's directory"},
    {ENTRY + 28, 0, "f: byte 69: a member's name has 0 bytes; 1 to 4096 are read"},
    {ENTRY + 28, 2,
     "f: byte 69: the zip's directory is damaged: 47 bytes are left for an entry of 48"},
    {ENTRY + 42, 50, "f: byte 50: 'a' does not begin here, where the zip's directory says"},
    {ENTRY + 42, 100, "f: byte 100: 'a' does not begin here, where the zip's directory says"},
    {ENTRY + 46, '\xff', "f: byte 69: a member's name is not UTF-8"},
    {ENTRY + 46, '\0', "f: byte 69: a member's name is not UTF-8"},
    {END, 'p',
     "f: byte 138: a zip ends with its directory, and this one has none | "
     "the file may have been cut short"},
    {END + 4, 1, "f: byte 116: the zip is one of several disks, which are not read"},
    {END + 8, 2, "f: byte 116: the zip is one of several disks, which are not read"},
    {END + 12, 10, "f: byte 69: the zip's directory is damaged: no member's entry begins here"},
    {END + 12, 48, "f: byte 116: the directory lies outside the file: 48 bytes at byte 69"},
    {END + 12, 0, "f: byte 116: the zip's directory has 0 members, its end record says 1"},
    {END + 17, 1, "f: byte 116: the directory lies outside the file: 47 bytes at byte 325"},
    {END + 20, 1,
     "f: byte 138: a zip ends with its directory, and this one has none | "
     "the file may have been cut short"},
};

static void test_changes(unit *u)
{
    text out = {0}, good = zip_of(1, 1000);
    for (size_t i = 0; i < sizeof CHANGES / sizeof CHANGES[0]; i++) {
        char was = good.data[CHANGES[i].at];
        good.data[CHANGES[i].at] = CHANGES[i].byte;
        CHECK_TEXT(u, opened(good.data, good.length, 0, &out), CHANGES[i].wanted);
        good.data[CHANGES[i].at] = was;
    }
    text_free(&good);
    text_free(&out);
}

/* The same in the member's own header and in the directory. */
static const struct {
    size_t at;
    char byte;
    const char *wanted;
} METHODS[] = {
    {0, 1, "f: byte 0: 'a' is encrypted, which is not read"},
    {2, 12,
     "f: byte 0: 'a' is packed by bzip2 (method 12), which is not read | "
     "numpy.savez and numpy.savez_compressed store and deflate"},
    {2, 77,
     "f: byte 0: 'a' is packed by a method without a name (method 77), which is not read | "
     "numpy.savez and numpy.savez_compressed store and deflate"},
    {2, 8, "f: byte 0: 'a' is damaged: its compressed data cannot be unpacked"}, /* "hello" */
    {12, 4, "f: byte 0: 'a' is stored in 4 bytes, the zip says 5"},
};

static void test_methods(unit *u)
{
    text out = {0};
    for (size_t i = 0; i < sizeof METHODS / sizeof METHODS[0]; i++) {
        text one = zip_of(1, 1000);
        one.data[6 + METHODS[i].at] = METHODS[i].byte;
        one.data[ENTRY + 8 + METHODS[i].at] = METHODS[i].byte;
        CHECK_TEXT(u, opened(one.data, one.length, 1000, &out), METHODS[i].wanted);
        text_free(&one);
    }
    text_free(&out);
}

/* Cut anywhere, or any byte of it turned over, it is read as before or refused with a place. */
static void test_damage(unit *u)
{
    text out = {0}, good = zip_of(2, 4);
    size_t wrong = 0;
    for (size_t length = 0; length < good.length; length++) {
        err e = {0};
        char *cut = mem_alloc(length, 1, &e);
        memcpy(cut, good.data, length);
        wrong += strncmp(opened(cut, length, 0, &out), "f: byte ", 8) != 0;
        mem_free(cut);
    }
    for (size_t i = 0; i < good.length; i++) {
        good.data[i] = (char)~good.data[i];
        const char *got = opened(good.data, good.length, 0, &out);
        wrong += strncmp(got, "f: byte ", 8) != 0 && strcmp(got, "a=hello b=hello") != 0;
        good.data[i] = (char)~good.data[i];
    }
    CHECK(u, wrong == 0);
    text_free(&good);
    text_free(&out);
}

/* ---- members next to each other ---- */

static void test_names(unit *u)
{
    err e = {0};
    zip z;
    char name[5000];
    text out = {0}, none = zip_of(0, 100);
    CHECK(u, zip_open(&z, "f", none.data, none.length, &e) && zip_find(&z, "a", 1) == NULL);
    zip_close(&z);
    memset(name, 'n', sizeof name);
    for (size_t length = 4096; length <= 4097; length++) {
        sink to;
        sink_open_memory(&to);
        zip_writer w = zip_writer_of(&to);
        name[length] = '\0';
        zip_writer_add(&w, name, 5, HELLO_CRC);
        text_add_string(sink_text(&to), HELLO);
        zip_writer_close(&w, &e);
        text made = sink_take(&to);
        bool is_read = zip_open(&z, "f", made.data, made.length, &e);
        CHECK(u, is_read == (length == 4096) && (is_read || e.is_set));
        zip_close(&z);
        text_free(&made);
        name[length] = 'n';
    }
    CHECK_TEXT(u, e.what, "a member's name has 4097 bytes; 1 to 4096 are read");
    text_free(&none);
    text_free(&out);
}

static void test_neighbours(unit *u)
{
    text out = {0}, two = zip_of(2, 1000);
    char *second = two.data + 133 + 47; /* its entry in the directory */
    CHECK(u, memcmp(second, "PK\x01\x02", 4) == 0);
    second[46] = 'a';
    two.data[69 + 30] = 'a';
    CHECK_TEXT(u, opened(two.data, two.length, 0, &out), "f: byte 69: two members are called 'a'");
    second[42] = 0;
    CHECK_TEXT(u, opened(two.data, two.length, 0, &out), "f: byte 0: 'a' begins before 'a' ends");
    text_free(&two);
    text_free(&out);
}

/* ---- deflated members ---- */

/* One member "a" of `got` packed bytes, whose header says `size`; perhaps with a descriptor. */
static text packed_as(const char *packed, size_t got, uint32_t crc, uint32_t size, bool describes)
{
    text t = zip_of(1, 1000), made = {0}, field = {0}, directory = {0};
    little_write(&field, crc, 4);
    little_write(&field, got, 4);
    little_write(&field, size, 4);
    t.data[8] = t.data[ENTRY + 10] = 8;
    memcpy(t.data + ENTRY + 16, field.data, field.length);
    t.data[6] = t.data[ENTRY + 8] = describes ? 8 : 0;
    if (!describes)
        memcpy(t.data + 14, field.data, field.length);
    text_add(&made, t.data, DATA);
    text_add(&made, packed, got);
    if (describes)
        text_add(&made, field.data, field.length);
    little_write(&directory, made.length, 4);
    memcpy(t.data + END + 16, directory.data, directory.length);
    text_add(&made, t.data + ENTRY, LENGTH - ENTRY);
    text_free(&directory);
    text_free(&field);
    text_free(&t);
    return made;
}

/* Deflated by zlib; with so many bytes after it, or (negative) missing. */
static text deflated(const char *bytes, size_t length, uint32_t size, int more, bool describes)
{
    static char packed[1 << 16];
    z_stream s = {.next_in = (Bytef *)(uintptr_t)bytes, .next_out = (Bytef *)packed};
    deflateInit2(&s, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
    s.avail_in = (uInt)length;
    s.avail_out = sizeof packed;
    deflate(&s, Z_FINISH);
    size_t got = sizeof packed - s.avail_out + (size_t)more;
    deflateEnd(&s);
    return packed_as(packed, got, (uint32_t)crc32(0, (const Bytef *)bytes, (uInt)length), size,
                     describes);
}

/* Not made smaller: blocks of at most 65,535 bytes as they are (RFC 1951, 3.2.4). */
static text undeflated(const char *bytes, size_t length)
{
    text packed = {0};
    for (size_t at = 0; at < length; at += 65535) {
        size_t left = length - at, n = left < 65535 ? left : 65535;
        const char head[] = {n == left, (char)n, (char)(n >> 8), (char)~n, (char)(~n >> 8)};
        text_add(&packed, head, sizeof head);
        text_add(&packed, bytes + at, n);
    }
    text made =
        packed_as(packed.data, packed.length,
                  (uint32_t)crc32(0, (const Bytef *)bytes, (uInt)length), (uint32_t)length, false);
    text_free(&packed);
    return made;
}

static void check_deflated(unit *u, text made, size_t most, const char *wanted)
{
    text out = {0};
    CHECK_TEXT(u, opened(made.data, made.length, most, &out), wanted);
    text_free(&made);
    text_free(&out);
}

static void test_deflated(unit *u)
{
    enum { ZEROS = 1000000 };
    err e = {0};
    text many = {0};
    text_add_repeated(&many, "ab", 40);
    check_deflated(u, deflated("hello", 5, 5, 0, false), 5, "a=hello");
    check_deflated(u, deflated("", 0, 0, 0, false), 5, "a=");
    check_deflated(u, deflated("hello", 5, 5, 0, true), 5, "a=hello");
    check_deflated(u, deflated("hello", 5, 4, 0, false), 5,
                   "f: byte 0: 'a' unpacks to more than the 4 bytes that the zip says");
    check_deflated(u, deflated("hello", 5, 6, 0, false), 6,
                   "f: byte 0: 'a' unpacks to 5 bytes, the zip says 6");
    check_deflated(u, deflated("hello", 5, 5, 0, false), 4,
                   "f: byte 0: 'a' unpacks to 5 bytes, 4 may be used | "
                   "--max-memory raises the limit");
    check_deflated(u, deflated(many.data, many.length, 80, -1, false), 80,
                   "f: byte 0: 'a' ends in the middle of its packed bytes");
    check_deflated(u, deflated("hello", 5, 5, 2, false), 5,
                   "f: byte 0: 'a' has 2 bytes left after its packed data");
    text wrong = deflated("hello", 5, 5, 0, true);
    wrong.data[DATA + 7]++; /* the descriptor's checksum; "hello" deflates to 7 bytes */
    check_deflated(u, wrong, 5,
                   "f: byte 0: 'a': the size after it is another one here than in the zip's "
                   "directory");
    char *zeros = mem_alloc_zeroed(ZEROS, 1, &e);
    /* a bomb: a thousandfold */
    check_deflated(u, deflated(zeros, ZEROS, 10, 0, false), 10,
                   "f: byte 0: 'a' unpacks to more than the 10 bytes that the zip says");
    mem_free(zeros);
    text_free(&many);
}

/* More than zlib is given at once, and more than is asked of it at once. */
static void test_large(unit *u)
{
    enum { SIZE = 34 << 20 };
    err e = {0};
    char *zeros = mem_alloc_zeroed(SIZE, 1, &e);
    for (int i = 0; i < 2; i++) {
        zip z;
        text unpacked = {0};
        text made = i == 0 ? deflated(zeros, SIZE, SIZE, 0, false) : undeflated(zeros, SIZE);
        CHECK(u, zip_open(&z, "f", made.data, made.length, &e));
        const char *member = zip_unpack(&z, &z.member[0], SIZE, &unpacked, &e);
        CHECK(u, member != NULL && memcmp(member, zeros, SIZE) == 0);
        text_free(&unpacked);
        zip_close(&z);
        text_free(&made);
    }
    mem_free(zeros);
}

UNIT(zip)
{
    test_large(u);
    test_many(u);
    test_written(u);
    test_zip64(u);
    test_changes(u);
    test_methods(u);
    test_damage(u);
    test_names(u);
    test_neighbours(u);
    test_deflated(u);
}
