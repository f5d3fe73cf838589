#include "tensor/bundle.h"

#include "base/fnv.h"
#include "base/mem.h"

#include <string.h>

/* One of 64 bits, by a name's first two characters. Most names that are looked for are not there,
 * and mostly their bit is not set: so a search ends before the name is hashed. */
static uint64_t mark_of(char first, char second)
{
    return (uint64_t)1 << (7 * (unsigned char)first + (unsigned char)second) % 64;
}

static uint64_t name_mark(const char *name, size_t length)
{
    return mark_of(length < 1 ? '\0' : name[0], length < 2 ? '\0' : name[1]);
}

/* ---- where names are ---- */

/* An array of items of `size` bytes, each of which begins with its name. */
typedef struct named_items {
    const void *item;
    size_t count, size;
} named_items;

static named_items entries_of(const bundle *b)
{
    return (named_items){b->entry, b->count, sizeof b->entry[0]};
}

static named_items texts_of(const text_list *list)
{
    return (named_items){list->item, list->count, sizeof list->item[0]};
}

static const char *name_at(const named_items *all, size_t i)
{
    return *(char *const *)(const void *)((const char *)all->item + i * all->size);
}

static bool is_name(const char *one, const char *name, size_t length)
{
    return strlen(one) == length && memcmp(one, name, length) == 0;
}

/* The slot that holds the name, or the free one where it would go. Each name has a step of its own:
 * a file full of names that share a slot is easily made, and with steps of 1 each name would pass
 * all those before it (40,000 of them took ten seconds). An odd step reaches every slot. */
static size_t *slot_of(const name_slots *index, const named_items *all, const char *name,
                       size_t length)
{
    uint64_t hash = FNV_OF_NOTHING;
    for (size_t i = 0; i < length; i++)
        hash = fnv_step(hash, (uint8_t)name[i]);
    size_t at = (size_t)(hash ^ hash >> 32) & (index->slots - 1), step = (size_t)(hash >> 40) | 1;
    while (index->slot[at] != 0 && !is_name(name_at(all, index->slot[at] - 1), name, length))
        at = (at + step) & (index->slots - 1);
    return &index->slot[at];
}

/* If two items have one name, the first is found. */
static void index_add(name_slots *index, const named_items *all, size_t i)
{
    const char *name = name_at(all, i);
    size_t *slot = slot_of(index, all, name, strlen(name));
    *slot = *slot == 0 ? i + 1 : *slot;
}

static void index_all(name_slots *index, const named_items *all)
{
    if (index->slots == 0)
        return;
    memset(index->slot, 0, index->slots * sizeof index->slot[0]);
    for (size_t i = 0; i < all->count; i++)
        index_add(index, all, i);
}

/* Few names are found as soon without a table, and most bundles hold few. */
enum { FEW = 8 };

/* Makes room for one more name, with at least half of the slots free, so that a search ends
 * soon. */
static bool index_reserve(name_slots *index, const named_items *all, err *e)
{
    size_t slots = index->slots == 0 ? 4 * FEW : index->slots;
    while (slots < 2 * (all->count + 1))
        slots *= 2;
    if (slots == index->slots)
        return true;
    size_t *slot = mem_alloc(slots, sizeof slot[0], e);
    if (slot == NULL)
        return false;
    mem_free(index->slot);
    *index = (name_slots){slot, slots};
    index_all(index, all);
    return true;
}

/* 1 + where the name is; 0: nowhere. */
static size_t place_of(const name_slots *index, const named_items *all, const char *name,
                       size_t length)
{
    if (index->slots > 0)
        return *slot_of(index, all, name, length);
    for (size_t i = 0; i < all->count; i++) {
        if (is_name(name_at(all, i), name, length))
            return i + 1;
    }
    return 0;
}

/* ---- bundles ---- */

entry *bundle_add(bundle *b, const char *name, size_t length, place at, err *e)
{
    named_items all = entries_of(b);
    if (b->count >= FEW && !index_reserve(&b->index, &all, e))
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
    all = entries_of(b);
    if (b->index.slots > 0)
        index_add(&b->index, &all, b->count - 1);
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

bool bundle_add_list(bundle *b, const char *name, const text_list *items, place at, err *e)
{
    entry *added = bundle_add(b, name, strlen(name), at, e);
    if (added == NULL)
        return false;
    added->kind = ENTRY_LIST;
    return text_list_add_all(&added->list, items, e);
}

entry *bundle_find_bytes(const bundle *b, const char *name, size_t length)
{
    if ((b->marks & name_mark(name, length)) == 0)
        return NULL;
    named_items all = entries_of(b);
    size_t found = place_of(&b->index, &all, name, length);
    return found == 0 ? NULL : &b->entry[found - 1];
}

const char *entry_last_axes(const entry *of, int count)
{
    bool are_known = of->axes != NULL && strlen(of->axes) == (size_t)of->tensor.rank;
    return are_known ? of->axes + of->tensor.rank - count : NULL;
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

const text_list *bundle_list(const bundle *b, const char *name)
{
    const entry *found = bundle_find(b, name);
    return found != NULL && found->kind == ENTRY_LIST ? &found->list : NULL;
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
    named_items left = entries_of(b);
    index_all(&b->index, &left);
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

bool bundle_take(bundle *to, const char *name, entry *from, err *e)
{
    entry *there = bundle_find(to, name);
    if (there == NULL)
        there = bundle_add(to, name, strlen(name), from->at, e);
    if (there == NULL)
        return false;
    char *kept = there->name, *left = from->name;
    there->name = NULL; /* frees the value, keeps the name */
    entry_free(there);
    *there = *from;
    there->name = kept;
    *from = (entry){.name = left};
    return true;
}

/* ---- lists ---- */

bool text_list_add(text_list *list, const char *item, size_t length, err *e)
{
    named_items all = texts_of(list);
    if (list->index.slots > 0 && !index_reserve(&list->index, &all, e))
        return false;
    char **items = mem_grow(list->item, list->count, &list->capacity, sizeof items[0], e);
    if (items == NULL)
        return false;
    list->item = items;
    char *copy = mem_copy_text(item, length, e);
    if (copy == NULL)
        return false;
    list->item[list->count++] = copy;
    all = texts_of(list);
    if (list->index.slots > 0)
        index_add(&list->index, &all, list->count - 1);
    return true;
}

bool text_list_add_all(text_list *list, const text_list *more, err *e)
{
    bool done = true;
    for (size_t i = 0; i < more->count && done; i++)
        done = text_list_add(list, more->item[i], strlen(more->item[i]), e);
    return done;
}

bool text_list_index(text_list *list, err *e)
{
    named_items all = texts_of(list);
    return index_reserve(&list->index, &all, e);
}

const char *text_list_find(const text_list *list, const char *item)
{
    named_items all = texts_of(list);
    size_t found = place_of(&list->index, &all, item, strlen(item));
    return found == 0 ? NULL : list->item[found - 1];
}

void text_list_free(text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        mem_free(list->item[i]);
    mem_free(list->item);
    mem_free(list->index.slot);
    *list = (text_list){0};
}

/* ---- entries ---- */

bool entry_is_out_in(const entry *weight, bool unsaid)
{
    return weight->layout == LAYOUT_UNSAID ? unsaid : weight->layout == LAYOUT_OUT_IN;
}

static void free_entry(entry *one)
{
    mem_free(one->name);
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
    mem_free(b->index.slot);
    *b = (bundle){0};
}
