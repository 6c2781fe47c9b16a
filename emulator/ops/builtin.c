/* Functions that kernels call and that no PTX defines: vprintf, __assertfail, malloc, free, cudaGraphSetConditional. */
#include <stdio.h>
#include <string.h>

#include "machine/observer.h"
#include "machine/block_cluster.h"
#include "machine/condition.h"
#include "machine/device_printf.h"
#include "machine/code.h"
#include "machine/grid.h"
#include "memory/memory.h"
#include "ops/call.h"

/* Argument i of a builtin's call, for a lane. */
static uint64_t argument(const struct warp *w, const struct call_site *site, unsigned i, int l) {
    uint64_t value = 0;
    const struct argument *a = &site->arguments[i];
    memcpy(&value, w->regs + a->from + (size_t)l * a->bytes, sizeof value);
    return value;
}

static void set_result(struct warp *w, const struct call_site *site, int l, uint64_t value) {
    if (site->result_count)
        memcpy(w->regs + site->results[0].to + (size_t)l * site->results[0].bytes, &value, sizeof value);
}

/* Bytes that a generic address points to, as far as they are readable; NULL if none. */
static const uint8_t *readable(const struct warp *w, int lane, uint64_t address, size_t *bytes) {
    uint64_t window = address >> WINDOW_SHIFT, offset = address & (((uint64_t)1 << WINDOW_SHIFT) - 1);
    uint32_t at;
    const struct block *owner = window == 1 ? cluster_find(w->block, (uint32_t)offset, 1, &at) : NULL;
    if (owner) {
        *bytes = w->launch->shared_bytes - at;
        return owner->shared + at;
    }
    if (window == 2 && offset < w->launch->local_bytes) {
        *bytes = w->launch->local_bytes - offset;
        return w->local + (size_t)lane * w->launch->local_bytes + offset;
    }
    const struct allocation *a = window ? NULL : memory_find(address);
    if (!a || address - a->base >= a->limit)
        return NULL;
    *bytes = a->limit - (address - a->base);
    return a->host + (address - a->base);
}

/* A zero-terminated string in device memory; NULL if it has no end. */
static const char *device_string(const struct warp *w, int lane, uint64_t address) {
    size_t bytes = 0;
    const uint8_t *at = readable(w, lane, address, &bytes);
    return at && memchr(at, 0, bytes) ? (const char *)at : NULL;
}

struct printing {
    const struct warp *warp;
    const struct insn *in;
    int lane;
    uint64_t list; /* the address of the arguments */
};

static void note_argument(void *context, size_t at, size_t size) {
    const struct printing *c = context;
    if (c->warp->block->watch)
        observer.argument_printed(c->warp, c->in, c->lane, c->list + at, size);
}

static const char *find_string(void *context, uint64_t address) {
    const struct printing *c = context;
    const char *s = device_string(c->warp, c->lane, address);
    if (c->warp->launch->watch)
        observer.memory_read(c->warp, c->in, c->lane, address, s ? (uint32_t)strlen(s) + 1 : 1);
    return s;
}

static const struct insn *op_vprintf(struct warp *w, const struct insn *in) {
    const struct call_site *site = in->extra;
    for (int l = 0; l < WARP_SIZE; l++) {
        if (!LANE_ON(w->mask))
            continue;
        const char *format = device_string(w, l, argument(w, site, 0, l));
        size_t bytes = 0;
        uint64_t list = argument(w, site, 1, l);
        const uint8_t *values = list ? readable(w, l, list, &bytes) : NULL;
        struct printing context = {w, in, l, list};
        struct printf_reader reader = {find_string, note_argument, &context};
        int printed = format ? device_printf(format, values, bytes, &reader) : -1;
        set_result(w, site, l, (uint32_t)printed);
    }
    return in + 1;
}

/* __assertfail(message, file, line, function, char size) */
static const struct insn *op_assertfail(struct warp *w, const struct insn *in) {
    const struct call_site *site = in->extra;
    int lane = first_lane(w->mask);
    const char *message = device_string(w, lane, argument(w, site, 0, lane));
    const char *file = device_string(w, lane, argument(w, site, 1, lane));
    const char *function = device_string(w, lane, argument(w, site, 3, lane));
    const uint32_t *block = w->block->ctaid;
    uint32_t tid[3];
    char detail[600];
    lane_thread_index(w, lane, tid);
    snprintf(detail, sizeof detail, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
             file ? file : "?", (unsigned)argument(w, site, 2, lane), function ? function : "?", block[0], block[1],
             block[2], tid[0], tid[1], tid[2], message ? message : "?");
    int error = report_insn(w, in, FINDING_ASSERT, w->mask, detail, "An assert() in the kernel failed.");
    return warp_fault(w, error);
}

static const struct insn *op_malloc(struct warp *w, const struct insn *in) {
    const struct call_site *site = in->extra;
    for (int l = 0; l < WARP_SIZE; l++)
        if (LANE_ON(w->mask)) {
            uint64_t bytes = argument(w, site, 0, l);
            struct allocation *a =
                bytes ? memory_allocate(bytes, 16, MEMORY_DEVICE, w->launch->config.device, NULL) : NULL;
            set_result(w, site, l, a ? a->base : 0);
        }
    return in + 1;
}

static const struct insn *op_free(struct warp *w, const struct insn *in) {
    const struct call_site *site = in->extra;
    for (int l = 0; l < WARP_SIZE; l++) {
        uint64_t address = LANE_ON(w->mask) ? argument(w, site, 0, l) : 0;
        if (address && memory_free(address) != MEMORY_FREED) {
            int error = report_insn(w, in, FINDING_USE_AFTER_FREE, 1u << l, "Invalid free in device code.",
                                    "free() takes a pointer that malloc() returned and that has not been freed.");
            return warp_fault(w, error);
        }
    }
    return in + 1;
}

/* cudaGraphSetConditional(handle, value): for a conditional node that follows, or has this kernel in its body. */
static const struct insn *op_set_conditional(struct warp *w, const struct insn *in) {
    const struct call_site *site = in->extra;
    for (int l = 0; l < WARP_SIZE; l++)
        if (LANE_ON(w->mask))
            condition_set(argument(w, site, 0, l), (uint32_t)argument(w, site, 1, l));
    return in + 1;
}

handler_fn builtin_find(const char *name) {
    static const struct {
        const char *name;
        handler_fn handler;
    } builtins[] = {{"vprintf", op_vprintf},
                    {"__assertfail", op_assertfail},
                    {"malloc", op_malloc},
                    {"free", op_free},
                    {"cudaGraphSetConditional", op_set_conditional}};
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(name, builtins[i].name) == 0)
            return builtins[i].handler;
    return NULL;
}
