/* Prints findings. One finding is one block of lines, written at once; the same mistake in the same line is reported
 * once per launch. */
#include "check/report.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/advice.h"
#include "check/allocation_watch.h"
#include "base/checks.h"
#include "check/host_memory.h"
#include "check/managed_watch.h"
#include "check/finding_json.h"
#include "check/report_parts.h"
#include "check/probes.h"
#include "check/source.h"
#include "check/symbols.h"
#include "base/text.h"
#include "check/unused.h"
#include "emulator.h"
#include "machine/block_cluster.h"
#include "memory/mapping.h"
#include "memory/memory.h"
#include "ops/async.h"

#define REMEMBER 256

/* The word for graders. Indexed by enum finding; the earlier is the worse. */
static const char *const words[FINDINGS] = {
    [FINDING_NONE] = "none",
    [FINDING_OUT_OF_BOUNDS] = "out_of_bounds",
    [FINDING_MISALIGNED] = "misaligned",
    [FINDING_USE_AFTER_FREE] = "use_after_free",
    [FINDING_HOST_POINTER] = "host_pointer",
    [FINDING_READ_ONLY] = "out_of_bounds",
    [FINDING_NO_PEER_ACCESS] = "out_of_bounds",
    [FINDING_DIVERGENT_BARRIER] = "divergent_barrier",
    [FINDING_LOST_LANE] = "lost_lane",
    [FINDING_RACE] = "race",
    [FINDING_UNINITIALIZED] = "uninitialized",
    [FINDING_TIMEOUT] = "timeout",
    [FINDING_STACK_OVERFLOW] = "launch_failure",
    [FINDING_TRAP] = "trap",
    [FINDING_ASSERT] = "assert",
    [FINDING_UNSUPPORTED] = "unsupported",
    [FINDING_LAUNCH_FAILURE] = "launch_failure",
    [FINDING_DOUBLE_FREE] = "double_free",
    [FINDING_LEAK] = "leak",
    [FINDING_UNUSED] = "unused",
};

static _Atomic int worst;
static _Atomic unsigned reports;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const char *report_verdict(void) {
    return words[atomic_load(&worst)];
}
unsigned report_count(void) {
    return atomic_load(&reports);
}

/* ---- bookkeeping ---- */

static _Atomic unsigned warnings;

void report_remaining(int device) {
    if (finding_error((enum finding)atomic_load(&worst))) /* after a fault nothing can be freed any more */
        return;
    report_leaks(device);
    report_all_unused(device);
}

/* The summary at the end of the program; with checks on also when nothing was found. */
static void print_summary(void) {
    struct text t = {0};
    if (check_is_on(CHECK_RACE))
        managed_settle(true);
    report_remaining(-1);
    unsigned n = report_count(), w = atomic_load(&warnings);
    text_format(&t, MARK "ERROR SUMMARY: %u error%s", n, n == 1 ? "" : "s");
    if (w)
        text_format(&t, ", %u warning%s", w, w == 1 ? "" : "s");
    text_string(&t, "\n");
    fflush(stdout); /* in a pipe, the program's last output would follow, and begin in the middle of a line */
    text_send(&t);
    if (n && checks_exit_code()) {
        fflush(NULL);
        _exit(checks_exit_code());
    }
}

static void summary_at_exit(void) {
    static bool registered;
    if (!registered)
        atexit(print_summary);
    registered = true;
}

/* Registered early, so that it runs late: what the program itself does at exit may still have findings. */
__attribute__((constructor)) static void summary_with_checks(void) {
    if (checks_on())
        summary_at_exit();
}

/* Async-signal-safe. */
static void note(enum finding finding) {
    int seen = atomic_load(&worst);
    while ((seen == FINDING_NONE || (int)finding < seen) &&
           !atomic_compare_exchange_weak(&worst, &seen, (int)finding)) {
    }
    atomic_fetch_add(&reports, 1);
}

/* True for the first finding of its kind in this line and launch. With the lock held. */
static bool is_news(uint64_t launch, const void *where, uint32_t line, enum finding finding) {
    static struct {
        uint64_t launch;
        const void *where;
        uint32_t line;
        enum finding finding;
    } seen[REMEMBER];
    static unsigned next;
    for (int i = 0; i < REMEMBER; i++)
        if (seen[i].finding == finding && seen[i].launch == launch && seen[i].line == line && seen[i].where == where)
            return false;
    seen[next].launch = launch;
    seen[next].where = where;
    seen[next].line = line;
    seen[next].finding = finding;
    next = (next + 1) % REMEMBER;
    return true;
}

/* Sends the block and counts it. With the lock held, so that blocks do not interleave. */
static void publish(struct text *t, enum finding finding, const struct facts_of_finding *facts) {
    summary_at_exit();
    note(finding);
    json_finding(words[finding], false, facts, t);
    text_send(t);
}

void report_text(struct text *t, enum finding finding, bool warning, const struct facts_of_finding *facts) {
    pthread_mutex_lock(&lock);
    summary_at_exit();
    if (warning)
        atomic_fetch_add(&warnings, 1);
    else
        note(finding);
    json_finding(words[finding], warning, facts, t);
    text_send(t);
    pthread_mutex_unlock(&lock);
}

/* Of an instruction that some lanes executed. */
static void publish_insn(struct text *t, enum finding finding, const struct warp *w, const struct source_position *p,
                         uint32_t lanes) {
    uint32_t tid[3] = {0};
    struct facts_of_finding facts = {.kernel = w->launch->kernel->name, .at = own_line(w->launch->kernel, *p)};
    if (lanes) {
        lane_thread_index(w, first_lane(lanes), tid);
        facts.block = w->block->ctaid;
        facts.thread = tid;
        facts.count = (uint64_t)__builtin_popcount(lanes);
    }
    publish(t, finding, &facts);
}

/* ---- a bad access ---- */

static unsigned access_bytes(const struct access *access) {
    return (unsigned)access->bytes * access->count;
}

static enum ptx_space space_of(const struct access *access, uint64_t address) {
    if (access->space != SPACE_GENERIC)
        return access->space;
    switch (address >> WINDOW_SHIFT) {
    case SHARED_WINDOW >> WINDOW_SHIFT:
        return SPACE_SHARED;
    case LOCAL_WINDOW >> WINDOW_SHIFT:
        return SPACE_LOCAL;
    case PARAM_WINDOW >> WINDOW_SHIFT:
        return SPACE_PARAM;
    default:
        return SPACE_GLOBAL;
    }
}

static bool has_allocations(enum ptx_space space) {
    return space == SPACE_GLOBAL || space == SPACE_CONST;
}

/* Host memory of this process at that address? Queries the system, which does not fault. */
static bool is_host_memory(uint64_t address) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (address >> 47 || address < page || memory_is_reserved(address))
        return false;
    return msync((void *)(uintptr_t)(address / page * page), page, MS_ASYNC) == 0;
}

/* What an address outside all allocations is: freed memory, the host's, or nothing. */
static enum finding outside(const struct allocation *a, uint64_t address) {
    if (a && !memory_is_live(a))
        return FINDING_USE_AFTER_FREE;
    return !a && is_host_memory(address) ? FINDING_HOST_POINTER : FINDING_OUT_OF_BOUNDS;
}

static void classify(struct bad_access *bad) {
    const struct allocation *a = memory_find(bad->address);
    bad->nearest = a ? a : memory_nearest(bad->address);
    switch (bad->finding) {
    case FINDING_OUT_OF_BOUNDS:
    case FINDING_USE_AFTER_FREE:
    case FINDING_HOST_POINTER:
        bad->finding = outside(a, bad->address);
        break;
    case FINDING_MISALIGNED: /* -1, read from memory that holds the fill: that it is odd is irrelevant */
        if (bad->address >= ADVICE_NO_POINTER)
            bad->finding = FINDING_OUT_OF_BOUNDS;
        break;
    default:
        break;
    }
}

/* An address in host memory that was computed from a good pointer is a wild index: which memory it happens to hit is
 * irrelevant. */
static void look_for_base(struct bad_access *bad, const struct warp *w, const struct insn *in) {
    if (bad->finding != FINDING_HOST_POINTER || in->effect != EFFECT_ACCESS)
        return;
    unsigned number = probes_find_parameter(w->launch->kernel, in, arguments_that_lead(w->launch));
    struct pointer_argument base = argument_number(w->launch, number);
    if (!base.number)
        return;
    bad->finding = FINDING_OUT_OF_BOUNDS;
    bad->nearest = memory_find(base.value);
    bad->wild = true;
    bad->argument = base;
}

static uint64_t volume(const uint32_t n[3]) {
    return (uint64_t)n[0] * n[1] * n[2];
}

/* For shared memory: which block owns it. In a launch without clusters it is always the block's own. */
static void describe_target(struct bad_access *bad, const struct block *own) {
    bad->rank = cluster_rank((uint32_t)bad->address);
    bad->foreign = own->launch->cluster_blocks > 1 && bad->rank != own->rank;
    if (own->launch->cluster_blocks > 1)
        bad->address &= CLUSTER_OFFSET_MASK;
    if (bad->foreign && bad->rank < own->launch->cluster_blocks)
        bad->block = cluster_block(own, bad->rank)->ctaid;
}

static struct bad_access describe(const struct warp *w, const struct insn *in, enum finding finding, int lane,
                                  uint64_t address) {
    const struct access *access = in->extra;
    struct bad_access bad = {.finding = finding, .space = space_of(access, address), .address = address};
    const uint32_t *n = w->launch->config.block, *g = w->launch->config.grid;
    bad.bytes = access_bytes(access);
    bad.elements = access->count;
    bad.one_dimension = n[1] * n[2] * g[1] * g[2] == 1;
    bool bulk = in->effect == EFFECT_BULK_READ || in->effect == EFFECT_BULK_WRITE;
    bad.by_tensor_map = bulk && ((const struct bulk *)in->extra)->tensor;
    uint64_t block_threads = volume(w->launch->config.block);
    bad.thread = w->block->index * block_threads + lane_thread(w, lane);
    bad.threads = volume(w->launch->config.grid) * block_threads;
    if (has_allocations(bad.space)) {
        classify(&bad);
        bad.obstacle = mapping_obstacle(memory_find(address), address, bad.bytes, access->kind != ACCESS_LOAD);
        look_for_base(&bad, w, in);
        if (!bad.wild)
            bad.argument = argument_of(w->launch, bad.nearest, bad.address);
    } else {
        if (access->space == SPACE_GENERIC)
            bad.address &= ((uint64_t)1 << WINDOW_SHIFT) - 1;
        bad.space_bytes = bad.space == SPACE_SHARED ? w->launch->shared_bytes : w->launch->local_bytes;
    }
    if (bad.space == SPACE_SHARED)
        describe_target(&bad, w->block);
    return bad;
}

/* The caller has found one bad lane and passes all candidates; these are the ones that are as bad. */
static uint32_t bad_lanes(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                          const uint64_t addresses[WARP_SIZE]) {
    uint32_t bad = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = first_lane(left);
        const struct access *access = in->extra;
        enum ptx_space space = space_of(access, addresses[lane]);
        uint64_t address = addresses[lane], bytes = access_bytes(access);
        bool is_bad = true;
        if (finding == FINDING_MISALIGNED)
            is_bad = address % bytes != 0;
        else if (has_allocations(space))
            is_bad =
                finding == FINDING_READ_ONLY || finding == FINDING_NO_PEER_ACCESS || !memory_translate(address, bytes);
        else if (space == SPACE_SHARED)
            is_bad = !cluster_find(w->block, (uint32_t)address, bytes, &(uint32_t){0});
        else if (space == SPACE_LOCAL)
            is_bad = (address & ~(~(uint64_t)0 << WINDOW_SHIFT)) + bytes > w->launch->local_bytes;
        bad |= (uint32_t)is_bad << lane;
    }
    return bad ? bad : lanes;
}

static void put_access_title(struct text *t, const struct access *access, const struct bad_access *bad) {
    static const char *const spaces[] = {
        [SPACE_PARAM] = "__param__",   [SPACE_GLOBAL] = "__global__", [SPACE_CONST] = "__constant__",
        [SPACE_SHARED] = "__shared__", [SPACE_LOCAL] = "__local__",
    };
    static const char *const kinds[] = {[ACCESS_LOAD] = "read", [ACCESS_STORE] = "write", [ACCESS_ATOMIC] = "atomic"};
    struct text title = {0};
    text_format(&title, "Invalid %s %s of size %u bytes", spaces[bad->space], kinds[access->kind], bad->bytes);
    title.bytes[title.length] = '\0';
    put_title(t, title.bytes);
}

static void put_freed(struct text *t, const struct allocation *a) {
    struct text by = {0};
    bool known = a->watch && put_host_function(&by, a->watch->freed_at);
    text_string(t, known ? " (freed by " : " (freed");
    text_piece(t, by.bytes, by.length);
    text_string(t, ")");
}

/* NVIDIA's words for where the nearest allocation is. */
static void put_nearest(struct text *t, const struct bad_access *bad) {
    const struct allocation *a = bad->nearest;
    if (!a)
        return;
    text_string(t, MARK "    and is ");
    if (bad->address < a->base)
        text_format(t, "%g bytes before", a->base - bad->address);
    else if (bad->address - a->base < a->size)
        text_string(t, "inside");
    else
        text_format(t, "%g bytes after", bad->address - a->base - a->size + 1);
    text_format(t, " the %s allocation at %x of size %g bytes", bad->wild ? "pointer's" : "nearest", a->base, a->size);
    if (a->name)
        text_format(t, a->limit ? " (the variable %s)" : " (the variable %s of a library that is closed)", a->name);
    else if (bad->argument.number)
        text_format(t, bad->argument.name[0] ? " (argument %u, %s)" : " (argument %u)", bad->argument.number,
                    bad->argument.name);
    if (!a->name && !memory_is_live(a))
        put_freed(t, a);
    text_string(t, "\n");
}

static const char *verb_of(const struct bad_access *bad) {
    if (bad->obstacle)
        return bad->obstacle;
    switch (bad->finding) {
    case FINDING_MISALIGNED:
        return "misaligned";
    case FINDING_USE_AFTER_FREE:
        return "out of bounds: the memory has been freed";
    case FINDING_READ_ONLY:
        return "a write to read-only memory";
    case FINDING_NO_PEER_ACCESS:
        return "in the memory of another device";
    default:
        return "out of bounds";
    }
}

/* "in the shared memory of block (1,0,0), rank 1 in the cluster, and is 4 bytes after tile" */
static void put_target(struct text *t, const struct kernel *kernel, const struct bad_access *bad) {
    const struct ptx_variable *v = symbol_shared_before(kernel, bad->address);
    if (!bad->block) {
        text_format(t, MARK "    in the shared memory of block rank %u, which does not exist in the cluster\n",
                    bad->rank);
        return;
    }
    text_format(t, MARK "    in the shared memory of block (%u,%u,%u), rank %u in the cluster\n", bad->block[0],
                bad->block[1], bad->block[2], bad->rank);
    if (!v || bad->address + bad->bytes <= bad->space_bytes)
        return;
    text_format(t, MARK "    and is %l bytes after ", bad->address - v->address - v->size + 1);
    symbol_put_variable(t, v);
    text_format(t, ", which has %l bytes\n", v->size);
}

static void put_access(struct text *t, const struct warp *w, const struct insn *in, const struct bad_access *bad,
                       const struct source_position *p, uint32_t lanes) {
    const struct kernel *kernel = w->launch->kernel;
    struct text advice = {0};
    put_access_title(t, in->extra, bad);
    put_place(t, "at ", p->function ? p->function : kernel->name, p->file, p->line);
    put_thread(t, w, first_lane(lanes));
    text_format(t, MARK "    Access to %x is %s\n", bad->address, verb_of(bad));
    if (has_allocations(bad->space))
        put_nearest(t, bad);
    if (bad->foreign)
        put_target(t, kernel, bad);
    put_callers(t, kernel, p->inlined_at);
    put_others(t, (unsigned)__builtin_popcount(lanes) - 1);
    put_access_source(
        t, kernel, *p,
        (struct access_shown){bad->argument.name, ((const struct access *)in->extra)->kind != ACCESS_LOAD});
    advise(&advice, bad);
    advice.bytes[advice.length < sizeof advice.bytes ? advice.length : sizeof advice.bytes - 1] = '\0';
    put_advice(t, advice.bytes);
}

enum finding report_found_access(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                                 const uint64_t addresses[WARP_SIZE]) {
    const struct kernel *kernel = w->launch->kernel;
    lanes = bad_lanes(w, in, finding, lanes, addresses);
    int lane = first_lane(lanes);
    struct bad_access bad = describe(w, in, finding, lane, addresses[lane]);
    bad.lanes = (unsigned)__builtin_popcount(lanes);
    struct source_position p = insn_position(kernel, in);
    pthread_mutex_lock(&lock);
    if (is_news(w->launch->id, p.line ? (const void *)kernel : in, p.line, bad.finding)) {
        struct text t = {0};
        put_access(&t, w, in, &bad, &p, lanes);
        publish_insn(&t, bad.finding, w, &p, lanes);
    }
    pthread_mutex_unlock(&lock);
    return bad.finding;
}

/* ---- everything else ---- */

/* "while thread (32,0,0) and 31 others of its warp wait at kernel(int *) in file.cu:12" */
static void put_other_side(struct text *t, const struct report_side *other, const struct source_position *p) {
    const struct kernel *kernel = other->warp->launch->kernel;
    uint32_t tid[3];
    unsigned more = (unsigned)__builtin_popcount(other->lanes) - 1;
    lane_thread_index(other->warp, first_lane(other->lanes), tid);
    text_format(t, MARK "    while thread (%u,%u,%u)", tid[0], tid[1], tid[2]);
    if (more)
        text_format(t, " and %u other%s of its warp", more, more == 1 ? "" : "s");
    text_string(t, more ? " wait at " : " waits at ");
    put_place_words(t, p->function ? p->function : kernel->name, p->file, p->line);
    text_string(t, "\n");
    put_callers(t, kernel, p->inlined_at);
}

/* Both lines, the upper one first. */
static void put_two_sources(struct text *t, const struct kernel *kernel, struct source_position a,
                            struct source_position b) {
    a = own_line(kernel, a);
    b = own_line(kernel, b);
    bool swap = b.line < a.line, one = a.line == b.line && a.file == b.file;
    text_string(t, MARK "\n");
    bool shown = put_source_line(t, swap ? b : a);
    if (!one)
        shown |= put_source_line(t, swap ? a : b);
    if (shown)
        text_string(t, MARK "\n");
}

/* A trap that is written in the source is the program's own, and no compiler's. */
static const char *advice_of(enum finding finding, const struct source_position *p, const char *advice) {
    char line[300];
    uint32_t indent;
    if (finding != FINDING_TRAP || !p->file || !source_line(p->file, p->line, line, sizeof line, &indent) ||
        (!strstr(line, "__trap") && !strstr(line, "\"trap") && !strstr(line, "_trap(")))
        return advice;
    return "This trap is in the program's source: it stops the kernel deliberately on an error. Check the condition "
           "under which the line is reached.";
}

void report_found(const struct warp *w, const struct insn *in, enum finding finding, uint32_t lanes,
                  const struct report_side *other, const char *detail, const char *advice) {
    const struct kernel *kernel = w->launch->kernel;
    struct source_position p = insn_position(kernel, in), q = {0};
    pthread_mutex_lock(&lock);
    if (is_news(w->launch->id, p.line ? (const void *)kernel : in, p.line, finding)) {
        struct text t = {0};
        put_title(&t, detail);
        put_place(&t, "at ", p.function ? p.function : kernel->name, p.file, p.line);
        if (lanes)
            put_thread(&t, w, first_lane(lanes));
        put_callers(&t, kernel, p.inlined_at);
        if (lanes)
            put_others(&t, (unsigned)__builtin_popcount(lanes) - 1);
        if (other) {
            q = insn_position(kernel, other->in);
            put_other_side(&t, other, &q);
        }
        if (other && p.line)
            put_two_sources(&t, kernel, p, q);
        else
            put_source(&t, kernel, p);
        put_advice(&t, advice_of(finding, &p, advice));
        publish_insn(&t, finding, w, &p, lanes);
    }
    pthread_mutex_unlock(&lock);
}

void report_found_in_launch(const char *kernel_name, enum finding finding, const char *detail, const char *advice) {
    struct text t = {0};
    pthread_mutex_lock(&lock);
    put_title(&t, detail);
    if (kernel_name)
        put_place(&t, "in kernel ", kernel_name, NULL, 0);
    put_advice(&t, advice);
    publish(&t, finding, &(struct facts_of_finding){.kernel = kernel_name});
    pthread_mutex_unlock(&lock);
}

/* ---- the host ---- */

static const char *made_by(enum memory_kind kind) {
    switch (kind) {
    case MEMORY_DEVICE:
        return "cudaMalloc";
    case MEMORY_MANAGED:
        return "cudaMallocManaged";
    case MEMORY_PINNED:
        return "cudaMallocHost";
    case MEMORY_REGISTERED:
        return "cudaHostRegister";
    case MEMORY_VARIABLE:
        return "a __device__ variable";
    default:
        return "a __constant__ variable";
    }
}

static void put_host_nearest(struct text *t, uint64_t address, const struct allocation *inside) {
    const struct allocation *a = inside ? inside : memory_nearest(address);
    if (!a)
        return;
    struct bad_access bad = {.address = address, .nearest = a};
    put_nearest(t, &bad);
    text_format(t, MARK "    made by %s (allocation number %l of this program)\n", made_by(a->kind), a->id);
}

void report_host_fault(uint64_t address, bool write, const char *function) {
    const struct allocation *a = memory_find(address);
    bool device = memory_is_device_range(address);
    struct text t = {0};
    put_title(&t, device ? "Host code followed a device pointer" : "Host code used pinned or managed memory wrongly");
    if (function)
        put_place(&t, "in ", function, NULL, 0);
    text_format(&t, MARK "    %s to %x\n", write ? "Write" : "Read", address);
    put_host_nearest(&t, address, a);
    text_string(&t, MARK "\n");
    if (!device)
        put_advice(&t, a ? "This memory has been freed: use it only before cudaFreeHost or cudaFree."
                         : "The address is outside the allocation: compare the index with its size.");
    else if (write)
        put_advice(&t, "The host cannot write device memory. Fill a host array and copy it: cudaMemcpy(device, host, "
                       "bytes, cudaMemcpyHostToDevice).");
    else
        put_advice(&t, "The host cannot read device memory. Copy it first: cudaMemcpy(host, device, bytes, "
                       "cudaMemcpyDeviceToHost).");
    note(FINDING_HOST_POINTER);
    text_send(&t);
}
