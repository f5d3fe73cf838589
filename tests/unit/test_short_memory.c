/* Readers that find no memory, at each allocation in turn: they say so, and nothing else. */
#include "attn/spec/keys.h"

#include "heap.h"
#include "io/format.h"
#include "io/json_read.h"
#include "io/json_scan.h"
#include "io/stored_matrix.h"
#include "unit.h"

#include <string.h>

/* As often as there are allocations. Gives how many there are. */
static size_t fails_well(unit *u, bool (*read)(err *e))
{
    size_t number = 0;
    bool is_well = true, was_missing = true;
    for (; is_well && was_missing; number++) {
        err e = {0};
        heap_lacks(number);
        bool done = read(&e);
        was_missing = heap_lacked();
        is_well = was_missing ? !done && e.is_memory : done && !e.is_set;
    }
    if (!CHECK(u, is_well))
        fprintf(stderr, "at allocation %zu\n", number - 1);
    return number - 1;
}

/* The metadata of a file that says what made it, in several lines. */
static bool read_safetensors(err *e)
{
    static const char HEADER[] =
        "{\"__metadata__\":{\"name\":\"n\",\"header\":\"made by: x\\narguments: y\"},"
        "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}";
    char file[8 + sizeof HEADER] = {(char)(sizeof HEADER - 1)};
    text_list lines = {0};
    read_options how = {.file = "f", .type = DTYPE_F32, .header = &lines, .keeps_all = true};
    bundle b = {0};
    memcpy(file + 8, HEADER, sizeof HEADER);
    bool done = safetensors_read(file, sizeof file, &how, &b, e);
    done = done && lines.count == 2 && strcmp(lines.item[1], "arguments: y") == 0;
    bundle_free(&b);
    text_list_free(&lines);
    return done;
}

/* Elements in Fortran order that are not the tensor's type. */
static bool read_fortran(err *e)
{
    static const float NUMBERS[] = {1, 2, 3, 4};
    const stored_matrix m = {.type = ELEMENT_F32,
                             .axes = 2,
                             .rank = 2,
                             .size = {2, 2},
                             .is_fortran = true,
                             .bytes = (const char *)NUMBERS};
    read_options how = {.file = "f", .type = DTYPE_F64};
    entry to = {0};
    bool done = stored_matrix_read(&m, KEY_MATRIX, &how, &to, e);
    done = done && tensor_get(&to.tensor, (size_t[]){0, 1}) == 3;
    entry_free(&to);
    return done;
}

/* A text that is like the one before is read anew instead, and what it holds is there, or not. */
static void again_gives_up(unit *u)
{
    static const char TEXT[] = "{\"name\": \"a\", \"x\": [[1, 2]]}";
    read_options how = {.file = "t", .kind = KEY_MATRIX, .type = DTYPE_F32, .keys = &KEYS};
    bool was_missing = true;
    size_t number = 0;
    for (; was_missing; number++) {
        json_again again = {0};
        bundle b = {0};
        err e = {0};
        how.again = &again;
        CHECK(u, json_read(TEXT, sizeof TEXT - 1, &how, &b, &e) && again.is_set);
        heap_lacks(number);
        bool done = json_again_read(&again, TEXT, sizeof TEXT - 1, &b);
        was_missing = heap_lacked();
        CHECK(u, done != was_missing && again.is_set == done);
        CHECK_TEXT(u, bundle_text(&b, "name"), "a");
        bundle_free(&b);
        json_again_free(&again);
    }
    CHECK(u, number > 2); /* the name, and the numbers */
}

UNIT(short_memory)
{
    CHECK(u, fails_well(u, read_safetensors) > 8);
    CHECK(u, fails_well(u, read_fortran) == 2);
    again_gives_up(u);
}
