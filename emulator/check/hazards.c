/* Collecting the findings of a launch, and wording them when it has ended. */
#include "check/hazards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/allocation_watch.h"
#include "check/copy_report.h"
#include "check/follow.h"
#include "check/host_memory.h"
#include "check/finding_json.h"
#include "check/report_parts.h"
#include "check/symbols.h"
#include "base/cache.h"
#include "base/text.h"
#include "isa/instruction.h"
#include "ptx/opcode.h"

/* ---- collecting ---- */

struct hazard_thread hazard_thread_at(const struct launch *l, uint64_t block, uint32_t warp, uint32_t lane) {
    const uint32_t *grid = l->config.grid, *size = l->config.block;
    uint32_t thread = warp * WARP_SIZE + lane;
    return (struct hazard_thread){
        {(uint32_t)(block % grid[0]), (uint32_t)(block / grid[0] % grid[1]), (uint32_t)(block / grid[0] / grid[1])},
        {thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]}};
}

struct hazard_thread hazard_thread(const struct warp *w, int lane) {
    return hazard_thread_at(w->launch, w->block->index, w->index, (uint32_t)lane);
}

static struct source_position position(const struct kernel *kernel, const struct insn *in) {
    return kernel && in ? own_line(kernel, insn_position(kernel, in)) : (struct source_position){0};
}

static bool same_place(const struct source_position *a, const struct insn *in, const struct source_position *b,
                       const struct insn *other) {
    return a->line && b->line ? a->line == b->line && a->file == b->file : in == other;
}

static bool same_kind(const struct hazard *a, const struct hazard *b) {
    return a->kind == b->kind && a->relation == b->relation && a->warning == b->warning && a->space == b->space;
}

/* Are both hazards between the same two accesses? By line, if lines are known. */
static bool same_pair(const struct hazard *a, const struct hazard *b) {
    return a->kernel == b->kernel && a->kernel_then == b->kernel_then && a->write == b->write &&
           a->write_then == b->write_then && same_place(&a->at, a->now, &b->at, b->now) &&
           same_place(&a->at_then, a->then, &b->at_then, b->then);
}

/* Are both between the same two accesses, in opposite orders? */
static bool swapped_pair(const struct hazard *a, const struct hazard *b) {
    return a->kernel == b->kernel_then && a->kernel_then == b->kernel && a->write == b->write_then &&
           a->write_then == b->write && same_place(&a->at, a->now, &b->at_then, b->then) &&
           same_place(&a->at_then, a->then, &b->at, b->now);
}

static void replace(struct hazard *old, const struct hazard *new) {
    uint64_t count = old->count;
    *old = *new;
    old->count = count;
}

/* The entry that a hazard belongs to. Of both orders, the read of what was written is reported. */
static struct hazard *find_entry(struct hazards *all, const struct hazard *h) {
    for (unsigned i = 0; i < all->count; i++) {
        struct hazard *known = &all->items[i];
        if (!same_kind(known, h))
            continue;
        if (same_pair(known, h))
            return known;
        if (!swapped_pair(known, h))
            continue;
        if (known->write && !h->write)
            replace(known, h);
        return known;
    }
    return NULL;
}

void hazards_note(struct hazards *all, const struct hazard *h) {
    struct hazard new = *h;
    pthread_mutex_lock(&all->lock);
    new.at = position(h->kernel, h->now);
    new.at_then = position(h->kernel_then, h->then);
    new.at_use = position(h->kernel, h->used);
    struct hazard *known = find_entry(all, &new);
    if (!known && all->count < MAX_HAZARDS) {
        known = &all->items[all->count++];
        replace(known, &new);
    }
    if (known)
        known->count++;
    else
        all->left_out++;
    pthread_mutex_unlock(&all->lock);
}

/* ---- findings that recur in a later launch ---- */

#define MOST_KNOWN 1024

static uint64_t hash_text(uint64_t hash, const char *text) {
    return text ? cache_hash(hash, text, strlen(text) + 1) : cache_hash(hash, "", 1);
}

static uint64_t hash_side(uint64_t hash, const struct kernel *k, const struct insn *in,
                          const struct source_position *at, bool write) {
    uint64_t numbers[] = {at->line, write, at->line || !in ? 0 : in->index};
    return cache_hash(hash_text(hash_text(hash, k ? k->name : NULL), at->file), numbers, sizeof numbers);
}

/* By names and lines, since the kernel's module may be loaded again; without lines, by the numbers of instructions. */
static uint64_t hash_hazard(const struct hazard *h) {
    uint64_t kind[] = {h->kind, h->relation, h->warning, h->space, h->kind == HAZARD_REGISTERS ? h->asked : 0};
    uint64_t hash = cache_hash(CACHE_START, kind, sizeof kind);
    return hash_side(hash_side(hash, h->kernel, h->now, &h->at, h->write), h->kernel_then, h->then, &h->at_then,
                     h->write_then);
}

/* Has an earlier launch of the same kernels had the same hazard between the same lines? */
static bool reported_before(const struct hazard *h) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t known[MOST_KNOWN];
    static unsigned count;
    unsigned i = 0;
    if (!h->kernel || h->host_now || !h->now)
        return false;
    uint64_t hash = hash_hazard(h);
    pthread_mutex_lock(&lock);
    while (i < count && known[i] != hash)
        i++;
    bool found = i < count;
    if (!found && count < MOST_KNOWN)
        known[count++] = hash;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Replaces the lines and the advice, which have been printed above. */
static bool put_again(struct text *t, const struct hazard *h) {
    if (h->again)
        text_string(t, MARK "    This is the same as above, in a later launch.\n" MARK "\n");
    return h->again;
}

static void put_who(struct text *t, const struct hazard_thread *who, bool with_block) {
    const uint32_t *n = who->thread, *b = who->block;
    text_format(t, "thread (%u,%u,%u)", n[0], n[1], n[2]);
    if (with_block)
        text_format(t, " of block (%u,%u,%u)", b[0], b[1], b[2]);
}

bool hazard_is_atomic(const struct insn *in) {
    return in && in->flags & INSN_MEMORY && ((const struct access *)in->extra)->kind == ACCESS_ATOMIC;
}

static const char *verb(const struct insn *in, bool write) {
    return hazard_is_atomic(in) ? "updated" : write ? "wrote" : "read";
}

static const char *access_word(const struct insn *in, bool write) {
    return hazard_is_atomic(in) ? "Atomic" : write ? "Write" : "Read";
}

/* " at x.cu:43 (called in line 60)" */
static void put_line(struct text *t, const struct source_position *p, const struct kernel *k, const struct insn *in) {
    char called[CALLED_TEXT];
    if (!p->file || !p->line)
        return;
    text_format(t, " at %s:%u", shown_path(p->file), p->line);
    own_calls(k, in, called);
    if (*called)
        text_format(t, " (called in line%s %s)", strchr(called, ',') ? "s" : "", called);
}

/* A bulk copy or a wgmma: it has pieces of 16 bytes, whatever the elements are. */
static bool is_of_background(const struct insn *in) {
    return in &&
           (in->effect == EFFECT_BULK_READ || in->effect == EFFECT_BULK_WRITE || in->effect == EFFECT_DESCRIPTORS);
}

static void put_what(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    if (h->space == SPACE_SHARED)
        symbol_put_shared(t, h->kernel, h->at.file, h->address, h->bytes, is_of_background(h->now));
    if (h->space == SPACE_SHARED && (h->foreign || h->relation == RELATION_CLUSTER))
        text_format(t, " of block (%u,%u,%u)", h->owner[0], h->owner[1], h->owner[2]);
    else if (h->space == SPACE_SHARED)
        return;
    else if (h->space == SPACE_LOCAL)
        text_format(t, "byte %l of its local memory", h->address);
    else
        symbol_put_global(t, h->allocation, h->address, h->bytes, arg);
}

/* Between the asynchronous proxy and others. */
static const struct async_words {
    const char *title, *missing, *advice;
} async_words[] = {
    [ASYNC_PRODUCTS] = {"Unfinished wgmma", " with a wgmma that may still be in flight",
                        "wgmma reads shared memory asynchronously. Add wgmma.commit_group after it, and "
                        "wgmma.wait_group N (which returns when all but the newest N groups are complete) before the "
                        "barrier or the mbarrier arrival that allows other threads to overwrite the tile."},
    [ASYNC_LOADS] =
        {"Unfinished bulk copy", " with a bulk copy that may still be in flight",
         "The data of a bulk copy is visible once all its bytes have been counted at its mbarrier: wait for that phase "
         "(mbarrier.try_wait in a loop). A __syncthreads() waits for threads, not for copies."},
    [ASYNC_STORES] = {"Unfinished bulk copy", " with a bulk copy that may still be in flight",
                      "A bulk copy reads shared memory asynchronously. Before the memory is overwritten, the thread "
                      "that issued the copy has to commit its group (cp.async.bulk.commit_group) and wait for it "
                      "(cp.async.bulk.wait_group.read 0); a barrier after that orders the writes of other threads."},
    [ASYNC_WRITES] =
        {"Unfinished bulk copy", " with a bulk copy that may still be in flight",
         "A bulk copy writes global memory asynchronously. The thread that issued it has to commit its group "
         "(cp.async.bulk.commit_group) and wait for it with cp.async.bulk.wait_group 0 before other threads read the "
         "data; cp.async.bulk.wait_group.read waits only until the copy has read shared memory."},
    [ASYNC_FENCED] = {"Missing fence.proxy.async", ", with no fence.proxy.async between",
                      "wgmma and bulk copies access shared memory through the async proxy, loads and stores through "
                      "the generic proxy: the threads that stored the data have to execute fence.proxy.async "
                      "(cutlass::arch::fence_view_async_shared(), cuda::ptx::fence_proxy_async) before the barrier "
                      "that precedes the read."},
};

static bool is_store_async(const struct kernel *k, const struct insn *in) {
    const struct ptx_insn *p = k && in ? k->code.sources[in->index] : NULL;
    return p && p->row && p->row->memory == MEMORY_ASYNC_STORE;
}

/* The words for a hazard of that proxy. st.async is not one of its copies, so it gets the words for a store. */
static const struct async_words *words_of_proxy(const struct hazard *h) {
    static const struct async_words store = {
        "Unfinished st.async", " with a st.async that may still be in flight",
        "The data of st.async is visible once its bytes have been counted at its mbarrier: wait for that phase "
        "(mbarrier.try_wait in a loop). A cluster.sync() waits for threads, not for such stores."};
    return h->kind == HAZARD_ASYNC + ASYNC_LOADS && is_store_async(h->kernel_then, h->then)
               ? &store
               : &async_words[h->kind - HAZARD_ASYNC];
}

bool hazard_is_of_proxy(const struct hazard *h) {
    return h->kind >= HAZARD_ASYNC && h->kind < HAZARD_PLAIN_READ;
}

/* For accesses of the asynchronous proxy to bytes that a bulk copy may not have written yet. */
static const char *advice_on_loads(const struct hazard *h) {
    if (h->now && h->now->effect == EFFECT_BULK_WRITE && h->write_then)
        return "Two bulk copies write the same bytes, and the first may still be in flight when the second starts. If "
               "both belong to one tile, their destinations overlap: a box of R rows with C elements takes R x C "
               "elements, and the next one starts after it. If the second refills a pipeline stage, its thread first "
               "has to wait until the stage has been read: for the phase of the mbarrier at which the consumers "
               "arrive.";
    if (h->now && h->now->effect == EFFECT_DESCRIPTORS)
        return "The data of a bulk copy is visible once all its bytes have been counted at its mbarrier: wait for that "
               "phase (mbarrier.try_wait in a loop). If the kernel waits for this tile, its wgmma reads from a "
               "different one: the start address, the leading and the stride byte offset of a descriptor are in units "
               "of 16 bytes.";
    return NULL;
}

static const char *missing_order(const struct hazard *h) {
    if (h->kind == HAZARD_COPY)
        return " with an asynchronous copy";
    if (hazard_is_of_proxy(h))
        return words_of_proxy(h)->missing;
    if (h->relation <= RELATION_BLOCK && (is_of_background(h->now) || is_of_background(h->then)))
        return ", with no mbarrier or barrier between";
    switch (h->relation) {
    case RELATION_WARP:
        return ", with no __syncwarp() between";
    case RELATION_BLOCK:
        return ", with no __syncthreads() between";
    case RELATION_CLUSTER:
        return ", with no cluster.sync() between";
    case RELATION_GRID:
        return ", and nothing orders the two blocks";
    case RELATION_HOST:
        return ", without waiting for the kernel";
    default:
        if (h->beside)
            return ", with no griddepcontrol.wait between";
        return h->host_now ? ", and nothing orders the copy and the launch" : ", and nothing orders the two launches";
    }
}

/* How it was read, if not by a load. */
static const char *special_read(const struct hazard *h) {
    return h->now->effect == EFFECT_TEXTURE ? "texture" : h->now->effect == EFFECT_SURFACE ? "surface" : NULL;
}

static bool is_volatile(const struct kernel *k, const struct insn *in) {
    const struct ptx_insn *p = k && in ? k->code.sources[in->index] : NULL;
    return p && p->opcode && opcode_has(p->opcode, "volatile");
}

static const char *advice_on(const struct hazard *h) {
    if (h->kind == HAZARD_COPY)
        return "An asynchronous copy may still be in flight: wait for it (cp.async.wait_group, __pipeline_wait_prior, "
               "pipe.consumer_wait()), then call __syncthreads() before other threads read the data.";
    if (h->kind == HAZARD_ASYNC + ASYNC_LOADS && advice_on_loads(h))
        return advice_on_loads(h);
    if (hazard_is_of_proxy(h))
        return words_of_proxy(h)->advice;
    if (h->kind == HAZARD_PLAIN_READ)
        return "Other threads update this location with atomics at the same time: a plain read may return any of its "
               "intermediate values. If that is intended, use a volatile read or an atomic load; if the final value is "
               "needed, read it in a later kernel.";
    if (h->kind == HAZARD_UNWRITTEN && special_read(h))
        return "These texels were never written, neither by a copy (such as cudaMemcpy2DToArray) nor by a kernel.";
    if (h->kind == HAZARD_UNWRITTEN && h->space == SPACE_SHARED && h->now->effect == EFFECT_DESCRIPTORS)
        return "wgmma reads the memory that its descriptors address, and it was never written. Does a descriptor "
               "address memory beyond its tile? Its start address, its leading and its stride byte offset are in units "
               "of 16 bytes: a distance of 32 bytes is 2 units. If the descriptor is correct, the tile has not been "
               "filled.";
    if (h->kind == HAZARD_UNWRITTEN)
        return h->space == SPACE_GLOBAL ? "These bytes were never written: cudaMalloc does not clear memory. "
                                          "Initialize it with cudaMemset or cudaMemcpy, or write it in a kernel first."
               : h->space == SPACE_SHARED
                   ? h->foreign
                         ? "These bytes of the other block were never written: the initial contents of shared memory "
                           "are undefined. Write every element before the cluster.sync() that precedes the read."
                         : "No thread of this block has written these bytes: the initial contents of shared memory are "
                           "undefined. Write every element before the __syncthreads() that precedes the read."
                   : "The thread reads a local variable or array element that it has not initialized.";
    if (h->relation <= RELATION_BLOCK && (is_of_background(h->now) || is_of_background(h->then)))
        return "One of the two is a bulk copy or a wgmma. Hand the memory over with mbarriers: consumers wait for the "
               "phase in which the copy's bytes arrive, and arrive at a second mbarrier after reading; the producer "
               "waits for that one before it copies to the same memory again.";
    switch (h->relation) {
    case RELATION_WARP:
        if (is_volatile(h->kernel, h->now))
            return "volatile forces a memory access, but does not keep the lanes of a warp in lockstep: put a "
                   "__syncwarp() between the two accesses, and another one before the data that other lanes read is "
                   "overwritten.";
        return "The lanes of a warp need not run in lockstep: put a __syncwarp() between the two accesses, or a "
               "__syncthreads() if other warps are involved as well.";
    case RELATION_BLOCK:
        return "The order of the two accesses is undefined: put a __syncthreads() between them, where every thread of "
               "the block reaches it.";
    case RELATION_CLUSTER:
        return "The blocks of a cluster run at the same time: put a cluster.sync() between the two accesses, where "
               "every thread of the cluster reaches it, or hand the data over with an mbarrier.";
    case RELATION_GRID:
        return "Blocks run in any order and at the same time. Let each block write its own elements, use atomics, or "
               "split the work into two kernels. If a flag signals that the data is ready, call __threadfence() before "
               "setting it and after reading it.";
    case RELATION_HOST:
        return "A kernel launch is asynchronous: call cudaDeviceSynchronize() before the host accesses managed memory "
               "that a kernel uses.";
    default:
        if (h->beside)
            return "The second kernel was launched with programmatic stream serialization: it may start while the "
                   "first one is still running, and sees the first one's writes only after griddepcontrol.wait. Call "
                   "cudaGridDependencySynchronize() before it accesses memory that the first kernel uses.";
        return "Kernels and copies in different streams may run at the same time: use one stream, or order them with "
               "an event and cudaStreamWaitEvent.";
    }
}

static const char *name_of(const struct kernel *k, const struct source_position *p) {
    return p->function && !p->inlined_at ? p->function : k ? k->name : "the host";
}

/* Of a copy or a fill. */
static const char *call_of(const struct hazard *h) {
    return h->submitted.function ? h->submitted.function : SOME_COPY;
}

static void put_launch(struct text *t, const struct kernel *k, const struct submission *s) {
    struct text caller = {0};
    if (!k || !s->known)
        return;
    text_string(t, MARK "    ");
    put_place_words(t, k->name, NULL, 0);
    text_string(t, " was launched");
    put_stream(t, s);
    if (put_host_function(&caller, submission_caller(s))) {
        text_string(t, " by ");
        text_piece(t, caller.bytes, caller.length);
    }
    text_string(t, "\n");
}

/* Where the two launches, or the kernel and the copy, began; of a copy also the owner of its memory. */
static void put_launches(struct text *t, const struct hazard *h) {
    if (h->relation != RELATION_LAUNCHES)
        return;
    put_launch(t, h->kernel_then, &h->submitted_then);
    if (!h->host_now)
        put_launch(t, h->kernel, &h->submitted);
    else if (h->allocation && h->kind == HAZARD_RACE)
        put_owner(t, h->allocation);
}

static void put_race_title(struct text *t, const struct hazard *h) {
    struct text title = {0};
    const char *what = h->kind == HAZARD_COPY  ? "Unfinished copy"
                       : hazard_is_of_proxy(h) ? words_of_proxy(h)->title
                                               : "Race";
    text_format(&title, "%s: %s reported between %s access at ", h->warning ? "Warning" : "Error", what,
                access_word(h->then, h->write_then));
    put_place_words(&title, name_of(h->kernel_then, &h->at_then), h->at_then.file, h->at_then.line);
    title.bytes[title.length] = '\0';
    put_title(t, title.bytes);
    text_format(t, MARK "    and %s access ", access_word(h->now, h->write));
    if (h->relation == RELATION_HOST) {
        text_string(t, "by the host in ");
        put_place_words(t, h->host_function ? h->host_function : "the program", NULL, 0);
    } else if (h->host_now) {
        text_string(t, "by ");
        put_submission(t, call_of(h), &h->submitted);
    } else {
        text_string(t, "at ");
        put_place_words(t, name_of(h->kernel, &h->at), h->at.file, h->at.line);
    }
    text_format(t, " [%g hazard%s]\n", h->count, h->count == 1 ? "" : "s");
}

/* The memory's name in the source; empty if it is not known. */
static void copy_name(const struct hazard *h, const struct pointer_argument *arg, char *out, size_t size) {
    const struct ptx_variable *v = h->space == SPACE_SHARED ? symbol_shared(h->kernel, h->address) : NULL;
    const struct allocation *a = h->space == SPACE_GLOBAL ? h->allocation : NULL;
    out[0] = '\0';
    if (v || (a && a->name))
        symbol_copy_name(v ? v->name : a->name, out, size);
    else if (a)
        snprintf(out, size, "%s", arg->name);
}

/* "thread (5,0,0) read tile[37] at x.cu:43 while thread (37,0,0) wrote it at x.cu:41, with no __syncthreads()
 * between" */
static void put_race_sentence(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    struct text s = {0};
    bool blocks = h->relation >= RELATION_CLUSTER;
    if (h->relation == RELATION_HOST)
        text_string(&s, "the host");
    else if (h->host_now)
        text_string(&s, call_of(h));
    else
        put_who(&s, &h->who, blocks);
    text_format(&s, " %s ", verb(h->now, h->write));
    put_what(&s, h, arg);
    put_line(&s, &h->at, h->kernel, h->now);
    text_string(&s, " while ");
    put_who(&s, &h->who_then, blocks);
    text_format(&s, " %s it", verb(h->then, h->write_then));
    put_line(&s, &h->at_then, h->kernel_then, h->then);
    text_string(&s, missing_order(h));
    text_format(&s, " (%u byte%s", h->bytes, h->bytes == 1 ? "" : "s");
    if (!blocks)
        text_format(&s, ", block (%u,%u,%u)", h->who.block[0], h->who.block[1], h->who.block[2]);
    text_string(&s, ").");
    s.bytes[s.length] = '\0';
    put_prose(t, MARK "    ", s.bytes);
}

static void put_race_lines(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    char name[100];
    copy_name(h, arg, name, sizeof name);
    struct access_shown now = {name, h->write}, then = {h->kernel == h->kernel_then ? name : NULL, h->write_then};
    bool swap = h->at_then.line && h->at.line && h->at_then.line < h->at.line;
    bool one = h->at_then.line == h->at.line && h->at_then.file == h->at.file && h->at_then.column == h->at.column;
    bool shown = swap ? put_access_line(t, h->at_then, then) : put_access_line(t, h->at, now);
    if (!one)
        shown |= swap ? put_access_line(t, h->at, now) : put_access_line(t, h->at_then, then);
    if (shown)
        text_string(t, MARK "\n");
}

static void put_race(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    put_race_title(t, h);
    put_race_sentence(t, h, arg);
    put_launches(t, h);
    if (put_again(t, h))
        return;
    text_string(t, MARK "\n");
    put_race_lines(t, h, arg);
    put_advice(t, advice_on(h));
}

/* Where the value is used, if on another line than the read. */
static void put_use(struct text *t, const struct hazard *h) {
    if (!h->used || same_place(&h->at, h->now, &h->at_use, h->used))
        return;
    text_string(t, MARK "    and used at ");
    put_place_words(t, name_of(h->kernel, &h->at_use), h->at_use.file, h->at_use.line);
    text_format(t, ": %s\n", follow_use_words(h->use));
}

static void put_reader(struct text *t, const struct hazard *h) {
    text_string(t, MARK "    by ");
    put_who(t, &h->who, false);
    text_format(t, " in block (%u,%u,%u)\n", h->who.block[0], h->who.block[1], h->who.block[2]);
}

static void put_lines(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    char name[100];
    bool other = h->used && !same_place(&h->at, h->now, &h->at_use, h->used);
    text_string(t, MARK "\n");
    copy_name(h, arg, name, sizeof name);
    bool shown = put_access_line(t, h->at, (struct access_shown){name, false});
    if (other)
        shown |= put_source_line(t, h->at_use);
    if (shown)
        text_string(t, MARK "\n");
}

/* "thread (0,0,0) of block (1,0,0) read tile[37] of block (0,0,0) at x.cu:43, and that block may have exited before" */
static void put_exit(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    struct text title = {0}, s = {0};
    text_format(&title, "Error: Race reported between %s access at ", access_word(h->now, h->write));
    put_place_words(&title, name_of(h->kernel, &h->at), h->at.file, h->at.line);
    title.bytes[title.length] = '\0';
    put_title(t, title.bytes);
    text_format(t, MARK "    and the end of block (%u,%u,%u) [%g hazard%s]\n", h->owner[0], h->owner[1], h->owner[2],
                h->count, h->count == 1 ? "" : "s");
    put_who(&s, &h->who, true);
    text_format(&s, " %s ", verb(h->now, h->write));
    put_what(&s, h, arg);
    put_line(&s, &h->at, h->kernel, h->now);
    text_string(&s, ", and that block may have exited already.");
    s.bytes[s.length] = '\0';
    put_prose(t, MARK "    ", s.bytes);
    if (put_again(t, h))
        return;
    put_lines(t, h, arg);
    put_advice(
        t, "The lifetime of a block's shared memory ends when the block exits: all blocks of the cluster have to reach "
           "a cluster.sync() after the last access to another block's shared memory, before any of them returns.");
}

/* "thread (0,0,0) of block (1,0,0) wrote p[3] at x.cu:43, and nothing orders this after the cudaMallocAsync of this
 * memory in another stream" */
static void put_lifetime(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    struct text title = {0}, s = {0};
    bool freed = h->kind == HAZARD_FREED;
    text_format(&title, "Error: Use %s reported in %s access at ", freed ? "after free" : "before allocation",
                access_word(h->then, h->write_then));
    put_place_words(&title, name_of(h->kernel_then, &h->at_then), h->at_then.file, h->at_then.line);
    title.bytes[title.length] = '\0';
    put_title(t, title.bytes);
    put_who(&s, &h->who_then, true);
    text_format(&s, " %s ", verb(h->then, h->write_then));
    put_what(&s, h, arg);
    put_line(&s, &h->at_then, h->kernel_then, h->then);
    text_format(&s, ", and nothing orders this %s of this memory in another stream.",
                freed ? "before the cudaFreeAsync" : "after the cudaMallocAsync");
    s.bytes[s.length] = '\0';
    put_prose(t, MARK "    ", s.bytes);
    put_launches(t, h);
    text_string(t, MARK "    ");
    put_submission(t, freed ? "cudaFreeAsync" : "cudaMallocAsync", &h->submitted);
    text_string(t, "\n");
    text_string(t, MARK "\n");
    if (put_access_line(t, h->at_then, (struct access_shown){NULL, h->write_then}))
        text_string(t, MARK "\n");
    put_advice(t, freed ? "cudaFreeAsync frees the memory in stream order, and this kernel runs in another stream: "
                          "record an event after the kernel (cudaEventRecord), and make the stream of the "
                          "cudaFreeAsync wait for it (cudaStreamWaitEvent)."
                        : "cudaMallocAsync allocates memory in stream order, and this kernel runs in another stream: "
                          "record an event after the call (cudaEventRecord), and make the kernel's stream wait for it "
                          "(cudaStreamWaitEvent).");
}

/* A shuffle from a lane that does not take part. */
static void put_nobody(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    struct text s = {0};
    text_format(&s, "%s: Undefined value of a shuffle: its lane reads from lane %u, which does not participate",
                h->warning ? "Warning" : "Error", h->asked);
    s.bytes[s.length] = '\0';
    put_title(t, s.bytes);
    put_place(t, "at ", name_of(h->kernel, &h->at), h->at.file, h->at.line);
    put_reader(t, h);
    put_use(t, h);
    if (h->count > 1)
        text_format(t, MARK "    and %g more such value%s\n", h->count - 1, h->count == 2 ? "" : "s");
    put_lines(t, h, arg);
    put_advice(t,
               "A shuffle returns a defined value only if the source lane executes it and is named in the mask; "
               "otherwise the result is undefined (0 on many GPUs). Execute it in all lanes, outside of the if, with a "
               "neutral value in lanes without an element; or use the result only where the source lane participates.");
}

static void put_setmaxnreg(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    put_title(t, "Error: Wrong use of setmaxnreg reported.");
    put_place(t, "at ", name_of(h->kernel, &h->at), h->at.file, h->at.line);
    put_reader(t, h);
    switch ((enum register_mistake)h->use) {
    case REGISTERS_OF_SOME_LANES:
        text_format(t, MARK "    %u lanes of the warp do not execute it\n", h->asked);
        break;
    case REGISTERS_OF_SOME_WARPS:
        text_string(t, MARK "    and not all four warps of its warpgroup execute it\n");
        break;
    case REGISTERS_THE_OTHER_WAY:
        text_format(t, MARK "    A thread already has %u registers\n", h->asked);
        break;
    case REGISTERS_TOO_MANY:
        text_format(
            t,
            MARK
            "    All warps together request %g registers more than the block has, which started with %u per thread\n",
            (uint64_t)h->bytes, h->asked);
        break;
    }
    put_lines(t, h, arg);
    put_advice(t,
               h->use == REGISTERS_TOO_MANY
                   ? "A setmaxnreg.inc blocks until the block has this many free registers: on a GPU it never returns. "
                     "Release more registers in the other warps with setmaxnreg.dec, or request fewer; "
                     "__launch_bounds__ determines how many the block has."
               : h->use == REGISTERS_THE_OTHER_WAY
                   ? "A setmaxnreg.dec has to lower the number of registers, and a setmaxnreg.inc has to raise it: "
                     "otherwise the behaviour is undefined. __launch_bounds__ determines how many a thread starts with."
                   : "All threads of the four warps of a warpgroup have to execute the same setmaxnreg; otherwise the "
                     "behaviour is undefined. Branch on threadIdx.x / 128.");
}

static void put_skipped_sync(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    put_title(t, h->warning ? "Warning: Barrier error detected. Divergent thread(s) in warp."
                            : "Barrier error detected. Divergent thread(s) in warp.");
    put_place(t, "at ", name_of(h->kernel, &h->at), h->at.file, h->at.line);
    put_reader(t, h);
    text_format(t, MARK "    Its mask names lane %u, which skips it and executes ", h->asked);
    put_place_words(t, name_of(h->kernel, &h->at_use), h->at_use.file, h->at_use.line);
    text_string(t, "\n");
    put_lines(t, h, arg);
    put_advice(t, "Every lane named in the mask of a *_sync function has to execute it, unless it has exited; "
                  "otherwise the result is undefined. Move the call out of the if, or pass a mask of the lanes that "
                  "reach it, computed with __ballot_sync before the if.");
}

/* ---- registers of wgmma ---- */

static void put_two_lines(struct text *t, const struct hazard *h) {
    bool two = h->at_then.line && !same_place(&h->at, h->now, &h->at_then, h->then);
    bool swap = two && h->at_then.line < h->at.line;
    text_string(t, MARK "\n");
    bool shown = put_source_line(t, swap ? h->at_then : h->at);
    if (two)
        shown |= put_source_line(t, swap ? h->at : h->at_then);
    if (shown)
        text_string(t, MARK "\n");
}

static void put_registers(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    struct text title = {0}, s = {0};
    (void)arg;
    text_string(&title, "Error: Unfinished wgmma reported between wgmma at ");
    put_place_words(&title, name_of(h->kernel, &h->at_then), h->at_then.file, h->at_then.line);
    title.bytes[title.length] = '\0';
    put_title(t, title.bytes);
    text_format(t, MARK "    and %s access to its registers at ", h->write ? "Write" : "Read");
    put_place_words(t, name_of(h->kernel, &h->at), h->at.file, h->at.line);
    text_format(t, " [%g hazard%s]\n", h->count, h->count == 1 ? "" : "s");
    put_who(&s, &h->who, true);
    text_format(&s, " %s a register", h->write ? "writes" : "reads");
    put_line(&s, &h->at, h->kernel, h->now);
    text_string(&s, " while the wgmma");
    put_line(&s, &h->at_then, h->kernel, h->then);
    text_format(&s, " may still use it: %s.",
                h->asked ? "its group has not been committed" : "its group has not been waited for");
    s.bytes[s.length] = '\0';
    put_prose(t, MARK "    ", s.bytes);
    if (put_again(t, h))
        return;
    put_two_lines(t, h);
    put_advice(
        t, h->asked ? "A wgmma belongs to no group before wgmma.commit_group: put one after the last wgmma of the "
                      "group, and wgmma.wait_group 0 before its registers are used."
                    : "wgmma writes its accumulators and reads A's registers asynchronously: put wgmma.wait_group N "
                      "between the two, where N is the number of newer groups that may still be in flight (0: none).");
}

static void put_no_fence(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    struct text title = {0}, s = {0};
    (void)arg;
    text_string(&title, "Error: Missing wgmma.fence before wgmma at ");
    put_place_words(&title, name_of(h->kernel, &h->at), h->at.file, h->at.line);
    title.bytes[title.length] = '\0';
    put_title(t, title.bytes);
    put_who(&s, &h->who, true);
    if (h->then) {
        text_format(&s, " %s a register of it", h->write_then ? "wrote" : "read");
        put_line(&s, &h->at_then, h->kernel, h->then);
        text_string(&s, ", and has executed no wgmma.fence since.");
    } else {
        text_string(&s, " has executed no wgmma.fence before its first wgmma");
        put_line(&s, &h->at, h->kernel, h->now);
        text_string(&s, ".");
    }
    s.bytes[s.length] = '\0';
    put_prose(t, MARK "    ", s.bytes);
    if (put_again(t, h))
        return;
    put_two_lines(t, h);
    put_advice(t, "wgmma reads and writes registers asynchronously: wgmma.fence has to order earlier accesses to these "
                  "registers before the wgmma. Put wgmma.fence.sync.aligned before the first wgmma of a group "
                  "(warpgroup_arrive() in CUTLASS).");
}

/* The last partial copy may have been meant to copy more. */
static bool put_copied_part(struct text *t, const struct hazard *h) {
    const struct allocation_watch *w = h->allocation ? h->allocation->watch : NULL;
    const struct part_copied *part = w ? &w->part : NULL;
    struct text s = {0};
    if (h->space != SPACE_GLOBAL || special_read(h) || !part || !part->function)
        return false;
    if (part->pitch)
        text_format(&s,
                    "%s wrote only %g bytes of each row of this memory (%g rows, which start every %g bytes), and the "
                    "byte that is read was never written: compare its width, which is in bytes, and both pitches with "
                    "what the kernel reads.",
                    part->function, part->width, part->height, part->pitch);
    else
        text_format(&s,
                    "%s wrote only %g of the %g bytes of this memory, and the byte that is read was never written: its "
                    "size is in bytes, n * sizeof(element). cudaMalloc does not clear memory.",
                    part->function, part->width * part->height, h->allocation->size);
    s.bytes[s.length < sizeof s.bytes ? s.length : sizeof s.bytes - 1] = '\0';
    put_advice(t, s.bytes);
    return true;
}

static void put_unwritten(struct text *t, const struct hazard *h, const struct pointer_argument *arg) {
    char called[CALLED_TEXT];
    static const char *const spaces[] = {
        [SPACE_GLOBAL] = "__global__", [SPACE_SHARED] = "__shared__", [SPACE_LOCAL] = "__local__"};
    struct text s = {0};
    text_format(&s, "Uninitialized %s memory read of size %u bytes",
                special_read(h) ? special_read(h) : spaces[h->space], h->bytes);
    s.bytes[s.length] = '\0';
    put_title(t, s.bytes);
    put_place(t, "at ", name_of(h->kernel, &h->at), h->at.file, h->at.line);
    own_calls(h->kernel, h->now, called);
    if (*called)
        text_format(t, MARK "    called in line%s %s\n", strchr(called, ',') ? "s" : "", called);
    put_reader(t, h);
    text_format(t, MARK "    Access to %x: ", h->address);
    put_what(t, h, arg);
    text_string(t, "\n");
    put_use(t, h);
    if (h->count > 1)
        text_format(t, MARK "    and %g more such read%s\n", h->count - 1, h->count == 2 ? "" : "s");
    put_lines(t, h, arg);
    if (!put_copied_part(t, h))
        put_advice(t, advice_on(h));
}

static const struct {
    void (*put)(struct text *t, const struct hazard *h, const struct pointer_argument *arg);
    enum finding finding;
} kinds[] = {
    [HAZARD_RACE] = {put_race, FINDING_RACE},
    [HAZARD_COPY] = {put_race, FINDING_RACE},
    [HAZARD_ASYNC + ASYNC_PRODUCTS] = {put_race, FINDING_RACE},
    [HAZARD_ASYNC + ASYNC_LOADS] = {put_race, FINDING_RACE},
    [HAZARD_ASYNC + ASYNC_STORES] = {put_race, FINDING_RACE},
    [HAZARD_ASYNC + ASYNC_WRITES] = {put_race, FINDING_RACE},
    [HAZARD_UNFENCED] = {put_race, FINDING_RACE},
    [HAZARD_PLAIN_READ] = {put_race, FINDING_RACE},
    [HAZARD_EXIT] = {put_exit, FINDING_RACE},
    [HAZARD_ALLOCATED] = {put_lifetime, FINDING_RACE},
    [HAZARD_FREED] = {put_lifetime, FINDING_RACE},
    [HAZARD_UNWRITTEN] = {put_unwritten, FINDING_UNINITIALIZED},
    [HAZARD_REGISTERS] = {put_registers, FINDING_RACE},
    [HAZARD_NO_FENCE] = {put_no_fence, FINDING_RACE},
    [HAZARD_NOBODY] = {put_nobody, FINDING_UNINITIALIZED},
    [HAZARD_SETMAXNREG] = {put_setmaxnreg, FINDING_DIVERGENT_BARRIER},
    [HAZARD_SKIPPED_SYNC] = {put_skipped_sync, FINDING_LOST_LANE},
};

/* A race may make a read happen too early, before anything is written: then only the race is reported. */
static bool follows_from_race(const struct hazards *all, const struct hazard *h) {
    for (unsigned i = 0; h->kind == HAZARD_UNWRITTEN && i < all->count; i++) {
        const struct hazard *r = &all->items[i];
        if (r->kind >= HAZARD_UNWRITTEN || r->space != h->space)
            continue;
        if ((!r->write && r->kernel == h->kernel && same_place(&r->at, r->now, &h->at, h->now)) ||
            (!r->write_then && r->kernel_then == h->kernel && same_place(&r->at_then, r->then, &h->at, h->now)))
            return true;
    }
    return false;
}

/* A race that is an error between warps is not reported again as a warning within one. */
static bool is_told_anyway(const struct hazards *all, const struct hazard *h) {
    for (unsigned i = 0; h->warning && i < all->count; i++)
        if (!all->items[i].warning && all->items[i].kind == h->kind &&
            (same_pair(&all->items[i], h) || swapped_pair(&all->items[i], h)))
            return true;
    return false;
}

void hazards_report(struct hazards *all) {
    for (unsigned i = 0; i < all->count; i++) {
        struct hazard *h = &all->items[i];
        struct text t = {0};
        bool race = h->kind < HAZARD_UNWRITTEN || h->kind == HAZARD_REGISTERS || h->kind == HAZARD_NO_FENCE;
        if (follows_from_race(all, h) || is_told_anyway(all, h))
            continue;
        h->again = race && reported_before(h);
        struct host_place place;
        if (h->host_now)
            h->at = host_position(submission_caller(&h->submitted), &place);
        struct pointer_argument arg = {0};
        if (h->space == SPACE_GLOBAL && h->relation != RELATION_HOST)
            arg = argument_of(all->launch, h->allocation, h->address);
        kinds[h->kind].put(&t, h, &arg);
        report_text(&t, kinds[h->kind].finding, h->warning,
                    &(struct facts_of_finding){.kernel = h->kernel ? h->kernel->name : NULL,
                                               .at = h->at,
                                               .other = race ? h->at_then : h->at_use,
                                               .block = h->who.block,
                                               .thread = h->who.thread,
                                               .count = h->count});
    }
    if (all->left_out) {
        struct text t = {0};
        text_format(&t, MARK "    and %g hazards in other lines\n" MARK "\n", all->left_out);
        text_send(&t);
    }
    all->count = 0;
    all->left_out = 0;
}
