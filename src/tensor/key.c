#include "tensor/key.h"

const key *key_find(const key_tables *in, const char *name, size_t length)
{
    const named *found = NULL;
    for (size_t i = 0; i < KEY_TABLES && in->table[i] != NULL && found == NULL; i++)
        found = named_find(in->table[i], name, length);
    return (const key *)(const void *)found;
}

const named *key_nearest(const key_tables *in, const char *name, size_t length)
{
    const named *near = NULL;
    for (size_t i = 0; i < KEY_TABLES && in->table[i] != NULL && near == NULL; i++)
        near = named_by_synonym(in->table[i], name, length);
    if (near != NULL)
        return near;
    for (size_t i = 0; i < KEY_TABLES && in->table[i] != NULL; i++)
        near = named_nearer(near, named_nearest(in->table[i], name, length), name, length);
    return near;
}
