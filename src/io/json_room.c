#include "io/json_room.h"

enum { FREE = 3 << 20, TIMES = 30 };

bool json_room_take(json_room *room, json_text *t, const char *at, size_t bytes, err *e)
{
    size_t length = (size_t)(t->end - t->bytes);
    room->taken += bytes;
    if (room->taken <= FREE || (room->taken - FREE) / TIMES <= length)
        return true;
    place where = json_place(t, at);
    err_at(e, &where, "too many names and objects for %zu bytes of text: they take %zu MB here",
           length, room->taken >> 20);
    return err_remedy(e, "numbers in lists take a few bytes each, and need no names");
}
