#include "ops/tensor_replace.h"

#include <string.h>

#include "machine/finding.h"
#include "machine/tensor_map.h"
#include "ops/load_store.h"

/* ---- tensormap.replace ---- */

/* PTX numbers the types in another order than the driver. */
static uint8_t type_of(uint64_t number) {
    static const uint8_t types[] = {TENSOR_U8,   TENSOR_U16,  TENSOR_U32,     TENSOR_S32,     TENSOR_U64,
                                    TENSOR_S64,  TENSOR_F16,  TENSOR_F32,     TENSOR_F32_FTZ, TENSOR_F64,
                                    TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ};
    return number < sizeof types ? types[number] : 0xff;
}

static uint16_t narrow(uint64_t x, uint16_t most) {
    return x < most ? (uint16_t)x : most;
}

static void set(struct tensor_map *m, enum tensor_field field, unsigned i, uint64_t value) {
    switch (field) {
    case TENSOR_FIELD_ADDRESS:
        m->address = value;
        break;
    case TENSOR_FIELD_RANK: /* is given as the rank - 1 */
        m->rank = (uint8_t)narrow(value + 1, 0xff);
        break;
    case TENSOR_FIELD_BOX:
        m->box[i] = narrow(value, 0xffff);
        break;
    case TENSOR_FIELD_SIZE:
        m->last[i] = (uint32_t)value - 1;
        break;
    case TENSOR_FIELD_STRIDE: /* counts pieces of 16 bytes: an H200 drops the rest */
        m->stride[i] = value & ~(uint64_t)15;
        break;
    case TENSOR_FIELD_STEP:
        m->step[i] = (uint8_t)narrow(value, 0xff);
        break;
    case TENSOR_FIELD_TYPE:
        m->type = type_of(value);
        break;
    case TENSOR_FIELD_INTERLEAVE:
        m->interleave = (uint8_t)narrow(value, 0xff);
        break;
    case TENSOR_FIELD_SWIZZLE:
        m->swizzle = (uint8_t)narrow(value, 0xff);
        break;
    case TENSOR_FIELD_FILL:
        m->fill_nan = value != 0;
        break;
    default: /* pieces of 16 bytes are all that compute capability 9.0 swizzles */
        break;
    }
}

static bool is_zero(const struct tensor_map *m) {
    static const struct tensor_map zero;
    return memcmp(m, &zero, sizeof zero) == 0;
}

/* A kernel that sets all fields itself starts from zeros. */
const struct insn *op_tensor_replace(struct warp *w, const struct insn *in) {
    const uint64_t *value = REG(uint64_t, 0);
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        struct tensor_map map;
        uint8_t *host = access_lane_host(w, in, access_address(w, in, l), sizeof map, l);
        if (!host)
            return NULL;
        memcpy(&map, host, sizeof map);
        if (!tensor_map_is_sealed(&map) && !is_zero(&map)) {
            report_insn(w, in, FINDING_LAUNCH_FAILURE, 1u << l,
                        "tensormap.replace expects a tensor map or 128 zeros at its address, and found neither.",
                        "First copy a map created with cuTensorMapEncodeTiled() there, all its 128 bytes.");
            return warp_fault(w, 719);
        }
        set(&map, (enum tensor_field)(in->kind & 0xff), in->kind >> 8, value[l]);
        tensor_map_seal(&map);
        memcpy(host, &map, sizeof map);
    }
    return in + 1;
}

/* ---- tensormap.cp_fenceproxy: by all lanes of a warp, which have the same addresses ---- */

const struct insn *op_tensor_map_read(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!warp_sync_ready(w, in, w->live, &next))
        return next;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint8_t *host = access_lane_host(w, in, access_address(w, in, l), TENSOR_MAP_BYTES, l);
        if (!host)
            return NULL;
        REG(uint64_t, 0)[l] = (uint64_t)(uintptr_t)host;
    }
    return in + 1;
}

const struct insn *op_tensor_map_write(struct warp *w, const struct insn *in) {
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint8_t *host = access_lane_host(w, in, access_address(w, in, l), TENSOR_MAP_BYTES, l);
        if (!host)
            return NULL;
        memcpy(host, (const uint8_t *)(uintptr_t)REG(uint64_t, 0)[l], TENSOR_MAP_BYTES);
    }
    return in + 1;
}
