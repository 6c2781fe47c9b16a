/* mov: a register's lanes to another's. Decode handles the kind of source (a constant, a symbol's address, a special
 * register, the parts of a vector); here it is always a register, by its width. */
#define LANE_FAMILY
#include "ops/lanes.h"

struct wide {
    uint64_t part[2];
};

UNARY(mov_16, uint16_t, uint16_t, a[l])
UNARY(mov_32, uint32_t, uint32_t, a[l])
UNARY(mov_64, uint64_t, uint64_t, a[l])

WARP_OPERATION(mov_128) {
    const struct wide *a = REG(const struct wide, 1);
    struct wide *d = REG(struct wide, 0);
    for (int l = 0; l < WARP_SIZE; l++)
        d[l] = LANE_ON(w->mask) ? a[l] : d[l];
    return in + 1;
}

OPERATION(mov_pred) {
    WRITE_PRED(0, PRED(1));
    return in + 1;
}

#define ROW(type, r, bits) {"mov." #type, r r, mov_##bits, 0, 0},

/* clang-format off */
const struct form forms_move[] = {
    ROW(pred, "p", pred)
    ROW(b16, "h", 16) ROW(u16, "h", 16) ROW(s16, "h", 16)
    ROW(b32, "w", 32) ROW(u32, "w", 32) ROW(s32, "w", 32) ROW(f32, "w", 32)
    ROW(b64, "l", 64) ROW(u64, "l", 64) ROW(s64, "l", 64) ROW(f64, "l", 64)
    ROW(b128, "q", 128)
    {0},
};
/* clang-format on */
