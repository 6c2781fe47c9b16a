/* Cutting and joining extents. A list is changed in a copy with room for what splitting adds. */
#include "check/extents.h"

#include <string.h>

/* The copy: each extent may be split in two, and one may be added. */
struct longer {
    struct extent items[2 * MOST_WRITES + 1];
    unsigned count;
};

static void add_part(struct longer *l, struct extent e, int first, int last) {
    if (first > last)
        return;
    e.first = (uint16_t)first;
    e.last = (uint16_t)last;
    l->items[l->count++] = e;
}

static bool store(struct extent *list, uint8_t *count, unsigned most, const struct longer *l) {
    if (l->count > most)
        return false;
    memcpy(list, l->items, l->count * sizeof *list);
    *count = (uint8_t)l->count;
    return true;
}

/* Adds the extents of a list without the bytes of `gone`. */
static void add_rest(struct longer *l, const struct extent *list, unsigned count, const struct extent *gone) {
    for (const struct extent *e = list; e < list + count; e++) {
        /* What is left of it before `gone`, and after. Both may be empty, which add_part() drops: an extent inside of
         * `gone` vanishes, one around it becomes two. */
        add_part(l, *e, e->first, e->last < gone->first ? e->last : gone->first - 1);
        add_part(l, *e, e->first > gone->last ? e->first : gone->last + 1, e->last);
    }
}

bool extents_remove(struct extent *list, uint8_t *count, unsigned most, const struct extent *old) {
    struct longer l = {.count = 0};
    add_rest(&l, list, *count, old);
    return store(list, count, most, &l);
}

/* Joins `new` with all alike extents that it touches, which are removed from the list. */
static struct extent join_alike(struct extent *list, unsigned *count, struct extent new) {
    for (unsigned i = 0; i < *count;) {
        struct extent *e = &list[i];
        if (!extent_is_alike(e, &new) || e->first > new.last + 1 || new.first > e->last + 1) {
            i++;
            continue;
        }
        new.first = e->first < new.first ? e->first : new.first;
        new.last = e->last > new.last ? e->last : new.last;
        /* `new` has grown, but entries before this one are not looked at again: at worst two alike extents stay
         * apart. */
        *e = list[--*count];
    }
    return new;
}

bool extents_put(struct extent *list, uint8_t *count, unsigned most, const struct extent *new) {
    struct longer l = {.count = 0};
    add_rest(&l, list, *count, new);
    struct extent joined = join_alike(l.items, &l.count, *new);
    add_part(&l, joined, joined.first, joined.last);
    return store(list, count, most, &l);
}

struct full_record extents_record(const struct extent *list, unsigned count, unsigned byte) {
    for (const struct extent *e = list; e < list + count; e++)
        if (byte >= e->first && byte <= e->last) {
            struct full_record m = e->record;
            m.record.packed += byte >> e->shift;
            return m;
        }
    return (struct full_record){0};
}
