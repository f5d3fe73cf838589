#include "base/mem.h"
#include "child.h"
#include "unit.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void checks_sizes(unit *u)
{
    size_t result;
    CHECK(u, size_mul(3, 4, &result) && result == 12);
    CHECK(u, !size_mul(SIZE_MAX / 2, 3, &result));
    CHECK(u, size_add(SIZE_MAX - 1, 1, &result) && result == SIZE_MAX);
    CHECK(u, !size_add(SIZE_MAX, 1, &result));
    CHECK(u, size_sum(2, 3) == 5 && size_sum(SIZE_MAX - 1, 2) == SIZE_MAX);
    CHECK(u, size_product(2, 3) == 6 && size_product(SIZE_MAX / 2, 3) == SIZE_MAX);
    CHECK(u, size_product(SIZE_MAX, 0) == 0);
    CHECK(u, size_sum(SIZE_MAX - 8, size_product(3, 3)) == SIZE_MAX);
    CHECK(u, size_sum(SIZE_MAX - 10, size_product(3, 3)) == SIZE_MAX - 1);
}

static void aligns_and_refuses(unit *u)
{
    err e = {0};
    void *none = mem_alloc(0, 8, &e), *zeroed = mem_alloc_zeroed(3, 5, &e);
    static const char ZEROS[15] = {0};
    void *large = mem_alloc(1024, 1, &e), *larger = mem_alloc(5, 333, &e);
    CHECK(u, none != NULL);
    CHECK(u, (uintptr_t)large % MEM_ALIGN == 0 && (uintptr_t)larger % MEM_ALIGN == 0);
    mem_free(large);
    mem_free(larger);
    CHECK(u, zeroed != NULL && memcmp(zeroed, ZEROS, sizeof ZEROS) == 0);
    mem_free(none);
    mem_free(zeroed);
    CHECK(u, mem_alloc(SIZE_MAX / 2, 4, &e) == NULL && e.is_set);
    CHECK_TEXT(
        u, e.what,
        "out of memory: 9223372036854775807 elements of 4 bytes are more than an address can "
        "hold");
    err too_much = {0};
    CHECK(u, mem_alloc(1, SIZE_MAX / 4, &too_much) == NULL);
    CHECK(u, strncmp(too_much.what, "out of memory: ", 15) == 0);
}

static void grows_by_doubling(unit *u)
{
    err e = {0};
    size_t capacity = 0, changes = 0, before = 0;
    int *list = NULL;
    for (size_t i = 0; i < 1000; i++) {
        list = mem_grow(list, i, &capacity, sizeof list[0], &e);
        changes += capacity != before;
        before = capacity;
        list[i] = (int)i;
    }
    bool in_order = true;
    for (int i = 0; i < 1000; i++)
        in_order = in_order && list[i] == i;
    CHECK(u, in_order && changes <= 10);
    mem_free(list);
}

/* One account, of what is there and not of what was. */
static void refuses_beyond_the_limit(unit *u)
{
    enum { LIMIT = 100 << 20, HALF = 60 << 20 };
    err e = {0};
    mem_limit(LIMIT);
    for (int i = 0; i < 10; i++)
        mem_free(mem_alloc(HALF, 1, &e));
    void *half = mem_alloc(HALF, 1, &e);
    CHECK(u, half != NULL && !e.is_set && mem_left() < HALF);
    CHECK(u, mem_alloc(HALF, 1, &e) == NULL && e.is_memory);
    CHECK(u, strncmp(e.what, "out of memory: 62914560 bytes are wanted, 6", 43) == 0);
    CHECK(u, strstr(e.what, "109051904 may be used: 104857600, and 4194304 for the") != NULL);
    CHECK_TEXT(u, e.remedy, "raise --max-memory");
    err_clear(&e);
    CHECK(u, !mem_count_in(HALF, &e) && e.is_set);
    CHECK(u, mem_spare(LIMIT, HALF) == 0 && mem_spare(100, 60) == 40);
    mem_free(half);
    mem_limit(SIZE_MAX);
    CHECK(u, mem_left() > LIMIT);
}

/* A block that is larger than the limit when it grows stays as it is. */
static void grows_within_the_limit(unit *u)
{
    enum { LIMIT = 100 << 20 };
    err e = {0};
    mem_limit(LIMIT);
    char *block = mem_alloc(LIMIT / 2, 1, &e);
    CHECK(u, block != NULL);
    block[0] = 'a';
    CHECK(u, mem_resize(block, 2 * (size_t)LIMIT, 1, &e) == NULL && e.is_memory && block[0] == 'a');
    mem_free(block);
    mem_limit(SIZE_MAX);
}

/* Made smaller, a block gives back what it had, and there is room for another one. The limit is
 * one below which large blocks are mappings of their own; in a process of its own, since they stay
 * so. */
static bool shrinks_within_the_limit(void)
{
    enum { LIMIT = 30 << 20 };
    err e = {0};
    mem_limit(LIMIT);
    char *block = mem_alloc(LIMIT / 2, 1, &e);
    if (block == NULL)
        return false;
    block[0] = 'a';
    size_t left = mem_left();
    block = mem_resize(block, LIMIT / 4, 1, &e);
    char *other = mem_alloc(LIMIT / 5 * 3, 1, &e);
    return block != NULL && block[0] == 'a' && mem_left() < left && other != NULL;
}

static void copies_text(unit *u)
{
    err e = {0};
    char *copy = mem_copy_text("heads and tails", 5, &e);
    CHECK_TEXT(u, copy, "heads");
    mem_free(copy);
}

UNIT(mem)
{
    checks_sizes(u);
    aligns_and_refuses(u);
    grows_by_doubling(u);
    refuses_beyond_the_limit(u);
    grows_within_the_limit(u);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(!shrinks_within_the_limit());
    CHECK(u, child_ended_well(child));
    copies_text(u);
}
