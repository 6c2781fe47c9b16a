/* Recording block 0 of a launch while it runs. */
#include "profile/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/out_of_memory.h"
#include "check/symbols.h"
#include "machine/block_cluster.h"
#include "memory/memory.h"

#define MOST_ELEMENTS ((uint64_t)1 << 20)

struct trace *trace_new(void) {
    return zeroed(1, sizeof(struct trace));
}

void trace_free(struct trace *t) {
    if (!t)
        return;
    for (int i = 0; i < WARP_SIZE; i++)
        free(t->warps[i].steps);
    while (t->heats) {
        struct heat *h = t->heats;
        t->heats = h->next;
        free(h->loads);
        free(h->stores);
        free(h);
    }
    free(t);
}

void trace_instruction(struct trace *t, const struct warp *w, const struct insn *in) {
    struct trace_warp *now = &t->warps[w->index & (WARP_SIZE - 1)];
    if (!now->steps)
        now->steps = zeroed(TRACE_STEPS, sizeof *now->steps);
    for (int i = 0; i < 1 + in->folded; i++) /* those that decode folds away are instructions, too */
        if (now->count < TRACE_STEPS)
            now->steps[now->count++] = (struct trace_step){in->index, w->mask};
        else
            now->cut = true;
}

/* ---- buffers ---- */

/* Which of the kernel's parameters points into it: "argument 2". */
static void name_argument(const struct warp *w, const struct allocation *a, char *out, size_t size) {
    const struct kernel *k = w->launch->kernel;
    if (a->name) {
        demangle(a->name, out, size);
        return;
    }
    for (uint32_t i = 0; i < k->param_count; i++) {
        uint64_t value;
        if (k->params[i].size != sizeof value)
            continue;
        memcpy(&value, w->launch->params + k->params[i].offset, sizeof value);
        if (value - a->base < a->size) {
            snprintf(out, size, "argument %u", i + 1);
            return;
        }
    }
    snprintf(out, size, "a buffer of %llu bytes", (unsigned long long)a->size);
}

static struct heat *add_heat(struct trace *t, uint64_t base, uint64_t size, uint32_t element, bool shared) {
    struct heat *h = zeroed(1, sizeof *h);
    uint64_t elements = (size + element - 1) / element;
    h->base = base;
    h->element = element;
    h->elements = (uint32_t)(elements < MOST_ELEMENTS ? elements : MOST_ELEMENTS);
    h->loads = zeroed(h->elements, sizeof *h->loads);
    h->stores = zeroed(h->elements, sizeof *h->stores);
    h->shared = shared;
    struct heat **end = &t->heats;
    while (*end)
        end = &(*end)->next;
    *end = h;
    return h;
}

static struct heat *find_heat(const struct trace *t, uint64_t address, bool shared) {
    for (struct heat *h = t->heats; h; h = h->next)
        if (h->shared == shared && address - h->base < (uint64_t)h->elements * h->element)
            return h;
    return NULL;
}

/* A shared variable by its own name, without that of its function; a buffer without a name is all of the memory. */
static struct heat *shared_heat(struct trace *t, const struct warp *w, const struct access *a, uint64_t offset) {
    char name[600];
    const struct ptx_variable *v = symbol_shared(w->launch->kernel, offset);
    uint64_t base = v ? v->address : 0, size = v && v->size ? v->size : w->launch->shared_bytes - base;
    struct heat *h = add_heat(t, base, size, a->bytes, true);
    h->pitch = v ? symbol_row_bytes(w->launch->kernel, v) : 0;
    const char *readable = v ? demangle(v->name, name, sizeof name) : "shared memory", *last = readable;
    for (const char *at = readable; (at = strstr(at, "::")); at += 2)
        last = at + 2;
    snprintf(h->name, sizeof h->name, v ? "%s (shared)" : "%s", last);
    return h;
}

static struct heat *heat_of(struct trace *t, const struct warp *w, const struct access *a, uint64_t address,
                            bool shared) {
    struct heat *h = find_heat(t, address, shared);
    if (h)
        return h;
    if (shared)
        return shared_heat(t, w, a, address);
    const struct allocation *found = memory_find(address);
    if (!found || address - found->base >= MOST_ELEMENTS * a->bytes)
        return NULL;
    h = add_heat(t, found->base, found->size, a->bytes, false);
    h->pitch = found->pitch;
    name_argument(w, found, h->name, sizeof h->name);
    return h;
}

void trace_access(struct trace *t, const struct warp *w, const struct access *a, const uint64_t *addresses,
                  uint32_t mask, unsigned bytes) {
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t address = addresses[first_lane(left)], window = address >> WINDOW_SHIFT;
        bool shared =
            a->space == SPACE_SHARED || (a->space == SPACE_GENERIC && window == SHARED_WINDOW >> WINDOW_SHIFT);
        bool other = shared && cluster_rank((uint32_t)address) != w->block->rank; /* another block's */
        if (a->space == SPACE_LOCAL || (window && !shared) || other)
            continue;
        if (shared)
            address &= w->launch->cluster_blocks > 1 ? CLUSTER_OFFSET_MASK : UINT32_MAX;
        struct heat *h = heat_of(t, w, a, address, shared);
        for (unsigned i = 0; h && i < bytes; i += h->element) {
            uint64_t element = (address + i - h->base) / h->element;
            if (element >= h->elements)
                break;
            h->loads[element] += a->kind != ACCESS_STORE;
            h->stores[element] += a->kind != ACCESS_LOAD;
        }
    }
}
