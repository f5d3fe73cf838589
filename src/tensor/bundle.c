#include "tensor/bundle.h"

#include "base/fnv.h"
#include "base/mem.h"

#include <string.h>

static uint64_t name_hash(const char *name, size_t length)
{
    uint64_t hash = FNV_OF_NOTHING;
    for (size_t i = 0; i < length; i++)
        hash = fnv_step(hash, (uint8_t)name[i]);
    return hash;
}

/* One of 64 bits. Most names that are looked for are not there, and their bit is not set; two
 * characters show it, before anybody counts them all. */
static uint64_t mark_of(char first, char second)
{
    return (uint64_t)1 << (7 * (unsigned char)first + (unsigned char)second) % 64;
}

static uint64_t name_mark(const char *name, size_t length)
{
    return mark_of(length < 1 ? '\0' : name[0], length < 2 ? '\0' : name[1]);
}

static bool has_name(const entry *one, const char *name, size_t length)
{
    return strlen(one->name) == length && memcmp(one->name, name, length) == 0;
}

/* The slot that holds the name, or the free one where it would go. Each name has a step of its own:
 * a file full of names that share a slot is easily made, and with steps of 1 each would pass all
 * those before it (40,000 of them took ten seconds). An odd step comes by every slot. */
static size_t slot_of(const bundle *b, const char *name, size_t length)
{
    uint64_t hash = name_hash(name, length);
    size_t slot = (size_t)(hash ^ hash >> 32) & (b->slots - 1), step = (size_t)(hash >> 40) | 1;
    while (b->slot[slot] != 0) {
        if (has_name(&b->entry[b->slot[slot] - 1], name, length))
            break;
        slot = (slot + step) & (b->slots - 1);
    }
    return slot;
}

/* Few names are found as soon without a table, and most bundles hold few. */
enum { FEW = 8 };

static void index_all(bundle *b)
{
    if (b->slots == 0)
        return;
    memset(b->slot, 0, b->slots * sizeof b->slot[0]);
    for (size_t i = 0; i < b->count; i++)
        b->slot[slot_of(b, b->entry[i].name, strlen(b->entry[i].name))] = i + 1;
}

/* Keeps at least half of the slots free, so that a search ends soon. */
static bool index_reserve(bundle *b, err *e)
{
    if (b->count < FEW || b->slots >= 2 * (b->count + 1))
        return true;
    size_t slots = b->slots == 0 ? 4 * FEW : 2 * b->slots;
    size_t *slot = mem_alloc(slots, sizeof slot[0], e);
    if (slot == NULL)
        return false;
    mem_free(b->slot);
    b->slot = slot;
    b->slots = slots;
    index_all(b);
    return true;
}

entry *bundle_add(bundle *b, const char *name, size_t length, place at, err *e)
{
    if (!index_reserve(b, e))
        return NULL;
    entry *entries = mem_grow(b->entry, b->count, &b->capacity, sizeof entries[0], e);
    if (entries == NULL)
        return NULL;
    b->entry = entries;
    char *copy = mem_copy_text(name, length, e);
    if (copy == NULL)
        return NULL;
    entry *added = &b->entry[b->count];
    *added = (entry){.name = copy, .at = at};
    b->count++;
    if (b->slots > 0)
        b->slot[slot_of(b, name, length)] = b->count;
    b->marks |= name_mark(name, length);
    return added;
}

bool bundle_add_tensor(bundle *b, const char *name, tensor *t, place at, err *e)
{
    entry *added = bundle_add(b, name, strlen(name), at, e);
    if (added == NULL) {
        tensor_free(t);
        return false;
    }
    added->kind = ENTRY_TENSOR;
    added->tensor = *t;
    *t = (tensor){0};
    return true;
}

bool bundle_add_copy(bundle *b, const char *name, const tensor *of, place at, err *e)
{
    tensor copy;
    return of->data == NULL ||
           (tensor_new_copy(&copy, of, e) && bundle_add_tensor(b, name, &copy, at, e));
}

bool bundle_add_number(bundle *b, const char *name, double value, place at, err *e)
{
    tensor number;
    if (!tensor_new(&number, DTYPE_F64, 0, NULL, e))
        return false;
    *(double *)number.data = value;
    return bundle_add_tensor(b, name, &number, at, e);
}

bool bundle_add_text(bundle *b, const char *name, const char *value, size_t length, place at,
                     err *e)
{
    char *copy = mem_copy_text(value, length, e);
    if (copy == NULL)
        return false;
    entry *added = bundle_add(b, name, strlen(name), at, e);
    if (added == NULL) {
        mem_free(copy);
        return false;
    }
    added->kind = ENTRY_TEXT;
    added->text = copy;
    return true;
}

static entry *find_among_few(const bundle *b, const char *name, size_t length)
{
    for (size_t i = 0; i < b->count; i++) {
        if (has_name(&b->entry[i], name, length))
            return &b->entry[i];
    }
    return NULL;
}

entry *bundle_find_bytes(const bundle *b, const char *name, size_t length)
{
    if ((b->marks & name_mark(name, length)) == 0)
        return NULL;
    if (b->slots == 0)
        return find_among_few(b, name, length);
    size_t index = b->slot[slot_of(b, name, length)];
    return index == 0 ? NULL : &b->entry[index - 1];
}

entry *bundle_find(const bundle *b, const char *name)
{
    if ((b->marks & mark_of(name[0], name[0] == '\0' ? '\0' : name[1])) == 0)
        return NULL;
    return bundle_find_bytes(b, name, strlen(name));
}

entry *bundle_find_first(const bundle *b, const char *const *names, size_t count)
{
    entry *found = NULL;
    for (size_t i = 0; i < count && found == NULL; i++)
        found = bundle_find(b, names[i]);
    return found;
}

const tensor *bundle_tensor(const bundle *b, const char *name)
{
    const entry *found = bundle_find(b, name);
    return found != NULL && found->kind == ENTRY_TENSOR ? &found->tensor : NULL;
}

const char *bundle_text(const bundle *b, const char *name)
{
    const entry *found = bundle_find(b, name);
    return found != NULL && found->kind == ENTRY_TEXT ? found->text : NULL;
}

bool bundle_remove(bundle *b, const char *name)
{
    entry *found = bundle_find(b, name);
    if (found == NULL)
        return false;
    entry_free(found);
    size_t after = (size_t)(&b->entry[b->count] - (found + 1));
    memmove(found, found + 1, after * sizeof found[0]);
    b->count--;
    index_all(b);
    return true;
}

entry *bundle_borrow(bundle *to, const char *name, const entry *from, err *e)
{
    entry *added = bundle_add(to, name, strlen(name), from->at, e);
    if (added == NULL)
        return NULL;
    char *own_name = added->name;
    *added = *from;
    added->name = own_name;
    if (from->kind == ENTRY_TENSOR)
        added->tensor = tensor_view_of(&from->tensor);
    added->borrows = true;
    return added;
}

bool bundle_borrow_all(bundle *to, const bundle *from, err *e)
{
    for (size_t i = 0; i < from->count; i++) {
        if (bundle_borrow(to, from->entry[i].name, &from->entry[i], e) == NULL)
            return false;
    }
    return true;
}

void bundle_set_stays(bundle *b)
{
    for (size_t i = 0; i < b->count; i++) {
        b->entry[i].stays = true;
        if (b->entry[i].kind == ENTRY_BUNDLE)
            bundle_set_stays(b->entry[i].bundle);
    }
}

/* What an entry holds goes; its name stays. */
static void empty_entry(entry *one)
{
    char *name = one->name;
    one->name = NULL;
    entry_free(one);
    one->name = name;
}

bool bundle_take(bundle *to, const char *name, entry *from, err *e)
{
    entry *there = bundle_find(to, name);
    if (there == NULL)
        there = bundle_add(to, name, strlen(name), from->at, e);
    if (there == NULL)
        return false;
    empty_entry(there);
    char *kept = there->name, *left = from->name;
    *there = *from;
    there->name = kept;
    *from = (entry){.name = left};
    return true;
}

bool text_list_add(text_list *list, const char *item, size_t length, err *e)
{
    char **items = mem_grow(list->item, list->count, &list->capacity, sizeof items[0], e);
    if (items == NULL)
        return false;
    list->item = items;
    char *copy = mem_copy_text(item, length, e);
    if (copy == NULL)
        return false;
    list->item[list->count++] = copy;
    return true;
}

const char *text_list_find(const text_list *list, const char *item)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->item[i], item) == 0)
            return list->item[i];
    }
    return NULL;
}

void text_list_free(text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        mem_free(list->item[i]);
    mem_free(list->item);
    *list = (text_list){0};
}

bool entry_is_out_in(const entry *weight, bool unsaid)
{
    return weight->layout == LAYOUT_UNSAID ? unsaid : weight->layout == LAYOUT_OUT_IN;
}

static void free_value(entry *one)
{
    if (one->kind == ENTRY_TENSOR)
        tensor_free(&one->tensor);
    else if (one->borrows)
        return;
    else if (one->kind == ENTRY_TEXT || one->kind == ENTRY_JSON || one->kind == ENTRY_UNREAD)
        mem_free(one->text);
    else if (one->kind == ENTRY_LIST)
        text_list_free(&one->list);
    else if (one->bundle != NULL) {
        bundle_free(one->bundle);
        mem_free(one->bundle);
    }
}

static void free_entry(entry *one)
{
    mem_free(one->name);
    free_value(one);
}

void entry_free(entry *one)
{
    free_entry(one);
    *one = (entry){0};
}

void bundle_free(bundle *b)
{
    for (size_t i = 0; i < b->count; i++)
        free_entry(&b->entry[i]);
    mem_free(b->entry);
    mem_free(b->slot);
    *b = (bundle){0};
}
