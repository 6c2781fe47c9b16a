#include "ops/stack.h"

#include "machine/finding.h"
#include "machine/grid.h"

static uint64_t value(const struct warp *w, const struct insn *in, int k, int lane) {
    return in->kind == 64 ? REG(uint64_t, k)[lane] : REG(uint32_t, k)[lane];
}

static void set_value(const struct warp *w, const struct insn *in, int lane, uint32_t x) {
    if (in->kind == 64)
        REG(uint64_t, 0)[lane] = x;
    else
        REG(uint32_t, 0)[lane] = x;
}

static const struct insn *overflow(struct warp *w, const struct insn *in, int lane) {
    int error = report_insn(w, in, FINDING_STACK_OVERFLOW, 1u << lane, "Stack overflow",
                            "alloca requests more bytes than a thread's stack has.");
    return warp_fault(w, error);
}

const struct insn *op_alloca(struct warp *w, const struct insn *in) {
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint64_t bytes = value(w, in, 1, l), align = (uint64_t)in->imm;
        uint64_t begin = (w->local_sp[l] + align - 1) & ~(align - 1);
        if (bytes > w->launch->local_bytes || begin + bytes > w->launch->local_bytes)
            return overflow(w, in, l);
        w->local_sp[l] = (uint32_t)(begin + bytes);
        set_value(w, in, l, (uint32_t)begin);
    }
    return in + 1;
}

const struct insn *op_stack_save(struct warp *w, const struct insn *in) {
    for (uint32_t rest = w->mask; rest; rest &= rest - 1)
        set_value(w, in, first_lane(rest), w->local_sp[first_lane(rest)]);
    return in + 1;
}

const struct insn *op_stack_restore(struct warp *w, const struct insn *in) {
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint64_t end = value(w, in, 0, l);
        if (end > w->local_sp[l])
            return overflow(w, in, l);
        w->local_sp[l] = (uint32_t)end;
    }
    return in + 1;
}
