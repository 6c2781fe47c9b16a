/* See rules.h. A rule examines one line or the launch, and adds its findings. Thresholds are where a person would look
 * twice: anything within a quarter of the best is not reported. */
#include "profile/rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "profile/patterns.h"

#define FEW_THREADS      128 /* in a grid that does little: a demonstration */
#define FEW_INSTRUCTIONS 1000

#define WORTH    1.25 /* this many times the ideal is worth a finding */
#define FEW_PART 0.02 /* less of the launch's traffic is not */

struct advising {
    const struct launch_profile *p;
    const struct occupancy *o;
    struct rule *rules;
    size_t count;
};

static struct rule *add_rule(struct advising *t, const char *id, const struct line_profile *line, double weight) {
    static struct rule nowhere;
    if (t->count == MOST_RULES)
        return &nowhere;
    struct rule *r = &t->rules[t->count++];
    *r = (struct rule){.weight = weight, .id = id};
    if (line) {
        r->file = line->file;
        r->line = line->line;
        strcpy(r->called, line->called);
    }
    return r;
}

static void __attribute__((format(printf, 2, 3))) say(char *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to, RULE_TEXT, format, arguments);
    va_end(arguments);
}

static double ratio(uint64_t a, uint64_t b) {
    return b ? (double)a / (double)b : 0;
}

/* ---- address patterns ---- */

/* The distance that all neighbouring active lanes have, or -1 when they differ. */
static int64_t common_distance(const struct access_example *e) {
    int64_t distance = -1;
    for (int l = 0; l + 1 < WARP_SIZE; l++) {
        if (!(e->mask >> l & 1) || !(e->mask >> (l + 1) & 1))
            continue;
        int64_t now = llabs((long long)(e->addresses[l + 1] - e->addresses[l]));
        if (distance >= 0 && now != distance)
            return -1;
        distance = now;
    }
    return distance;
}

/* Lanes 0 to n-1 in a row, then a jump: the warp covers several rows of a block. 0 when that is not so. */
static unsigned run_length(const struct access_example *e) {
    if (e->mask != FULL_MASK)
        return 0;
    unsigned n = 1;
    uint64_t step = e->addresses[1] - e->addresses[0];
    while (n < WARP_SIZE && e->addresses[n] - e->addresses[n - 1] == step)
        n++;
    if (n < 2 || n == WARP_SIZE || WARP_SIZE % n)
        return 0;
    for (unsigned l = 0; l < WARP_SIZE; l++)
        if (l % n && e->addresses[l] - e->addresses[l - 1] != step)
            return 0;
    return n;
}

void describe_addresses(const struct access_example *e, const char *verb, char *out, size_t size) {
    int64_t distance = e ? common_distance(e) : -1;
    unsigned run = e ? run_length(e) : 0;
    if (!e)
        snprintf(out, size, "threads %s at different distances", verb);
    else if (distance == 0)
        snprintf(out, size, "all threads %s the same address", verb);
    else if (distance > 0 && distance == e->bytes)
        snprintf(out, size, "neighbouring threads %s neighbouring addresses", verb);
    else if (distance > 0)
        snprintf(out, size, "neighbouring threads %s addresses %lld bytes apart", verb, (long long)distance);
    else if (run && e->addresses[1] == e->addresses[0])
        snprintf(out, size, "every %u threads %s the same address", run, verb);
    else if (run)
        snprintf(out, size, "every %u threads %s addresses %lld bytes apart, followed by a jump", run, verb,
                 (long long)llabs((long long)(e->addresses[1] - e->addresses[0])));
    else
        snprintf(out, size, "threads %s at irregular distances", verb);
}

/* ---- global memory ---- */

static const char *const access_verbs[] = {"read",  "write", "update", "update", "read",
                                           "write", "read",  "write",  "update"};
static const char *const access_nouns[] = {"global load",   "global store", "global atomic",
                                           "global atomic", "local load",   "local store",
                                           "shared load",   "shared store", "shared atomic"};

static uint64_t all_sectors(const struct counts *c) {
    uint64_t sum = 0;
    for (unsigned kind = 0; kind < KIND_SHARED_LOAD; kind++)
        sum += counts_of_kind(c, kind).units;
    return sum;
}

static const char *coalescing_remedy(const struct access_example *e, unsigned kind) {
    int64_t distance = e ? common_distance(e) : -1;
    if (distance > 0 && distance <= 64 && distance % e->bytes == 0)
        return "the elements that neighbouring threads need are interleaved with others: use a structure of arrays, or "
               "load all fields of an element in each thread at once (float4).";
    if (distance > 0)
        return "let threadIdx.x select the index that is contiguous in memory, so that neighbouring threads access "
               "neighbouring elements; where both orders are needed, transpose a tile in __shared__ memory.";
    if (e && run_length(e))
        return "a warp covers several short rows: make the block's rows 32 threads wide, or move the tile through "
               "__shared__ "
               "memory in full rows.";
    if (kind == KIND_GLOBAL_STORE)
        return "sort or bin the output, or collect it in __shared__ memory and write it from there contiguously.";
    return "if the order is free, assign neighbouring elements to neighbouring threads; if the addresses depend on "
           "data, sort the data or load the block's part into __shared__ memory first.";
}

/* Only the first few bytes hang over into another sector: a shift, not a stride. */
static bool is_shift(const struct access_example *e, const struct access_counts *n) {
    return e && common_distance(e) == e->bytes && n->units <= n->ideal + n->requests;
}

static void rule_uncoalesced(struct advising *t, const struct line_profile *line, enum kind_of_access kind) {
    struct access_counts n = counts_of_kind(&line->counts, kind);
    double part = ratio(n.units - (n.ideal < n.units ? n.ideal : n.units), all_sectors(&t->p->counts));
    const struct access_example *e = line->examples[kind];
    char how[200];
    if (!n.requests || n.units < WORTH * (double)n.ideal || n.units < n.ideal + n.requests / 2 || part < FEW_PART)
        return;
    double found = ratio(n.units, n.requests), possible = ratio(n.ideal, n.requests);
    describe_addresses(e, access_verbs[kind], how, sizeof how);
    struct rule *r = add_rule(t, is_shift(e, &n) ? "misaligned" : "uncoalesced", line, part);
    r->found = found;
    r->possible = possible;
    if (is_shift(e, &n)) {
        say(r->what,
            "%.1f sectors per request, %.4g would do: a warp's first address is %u bytes past a multiple of 32.", found,
            possible, (unsigned)(e->addresses[first_lane(e->mask)] % 32));
        say(r->remedy, "align the rows to 32 bytes (cudaMallocPitch, or padding), or load the row's few extra elements "
                       "once and share them.");
        return;
    }
    say(r->what, "%.1f sectors per request, %.4g would do: %s. Of the bytes moved, %.0f %% are used.", found, possible,
        how, 100 * ratio(n.used, 32 * n.units));
    say(r->remedy, "%s", coalescing_remedy(e, kind));
}

static void rule_contention(struct advising *t, const struct line_profile *line) {
    const uint64_t *n = line->counts.n;
    uint64_t global = n[COUNT_GLOBAL_ATOM_REQUESTS] + n[COUNT_GLOBAL_RED_REQUESTS];
    double most = ratio(n[COUNT_GLOBAL_CONTENTION], global),
           shared = ratio(n[COUNT_SHARED_CONTENTION], n[COUNT_SHARED_ATOM_REQUESTS]);
    if (global && most >= 2) {
        struct rule *r = add_rule(t, "atomic_contention", line, 0.5 + most / 64);
        r->found = most;
        r->possible = 1;
        say(r->what,
            "on average %.1f threads of a warp update the same address in global memory: their atomics are serialized.",
            most);
        say(r->remedy, "reduce within the warp first (__shfl_down_sync, __reduce_add_sync), then within the block in "
                       "__shared__ memory, and execute the atomic in one thread.");
    }
    if (shared >= 3) {
        struct rule *r = add_rule(t, "atomic_contention", line, 0.3 + shared / 64);
        r->found = shared;
        r->possible = 1;
        say(r->what, "on average %.1f threads of a warp update the same address in shared memory.", shared);
        say(r->remedy, "reduce within the warp first, or use a private copy per warp and add the copies at the end.");
    }
}

static void rule_local(struct advising *t, const struct line_profile *line) {
    const uint64_t *n = line->counts.n;
    uint64_t requests = n[COUNT_LOCAL_LOAD_REQUESTS] + n[COUNT_LOCAL_STORE_REQUESTS];
    uint64_t sectors = n[COUNT_LOCAL_LOAD_SECTORS] + n[COUNT_LOCAL_STORE_SECTORS];
    double part = ratio(sectors, all_sectors(&t->p->counts));
    if (!requests || part < FEW_PART || !t->p->counts.n[COUNT_LOCAL_LOAD_REQUESTS])
        return; /* memory that is only written there holds the arguments of a printf */
    struct rule *r = add_rule(t, "local_memory", line, part);
    r->found = (double)requests;
    say(r->what,
        "%llu requests for local memory, %.0f %% of the kernel's sectors: a thread's array is indexed by a variable, "
        "or its address is taken.",
        (unsigned long long)requests, 100 * part);
    say(r->remedy, "make the indices constants (#pragma unroll), so that the array is kept in registers, or keep it in "
                   "__shared__ memory.");
}

static void rule_reuse(struct advising *t, const struct line_profile *line) {
    const uint64_t *n = line->counts.n;
    uint64_t first = n[COUNT_LINES_FIRST], others = n[COUNT_LINES_AGAIN_BLOCK], own = n[COUNT_LINES_AGAIN_WARP];
    double times = ratio(first + others + own, first);
    double part = ratio(n[COUNT_GLOBAL_LOAD_SECTORS], all_sectors(&t->p->counts));
    double blocks = (double)t->p->grid[0] * t->p->grid[1] * t->p->grid[2];
    double wanted =
        ratio(n[COUNT_GLOBAL_LOAD_BYTES], 128 * first); /* times that each byte of those lines is requested */
    if (times < 4 || wanted < 4 || part < 0.1 || (double)first < 8 * blocks)
        return; /* few lines, or lines that several warps share the bytes of: caches are made for that */
    struct rule *r = add_rule(t, "reuse", line, part * 0.5);
    r->found = times;
    r->possible = 1;
    say(r->what,
        "a block loads each 128-byte line %.1f times here (%.0f %% of the repetitions by another warp): the caches "
        "have to deliver it each time.",
        times, 100 * ratio(others, others + own));
    say(r->remedy, "load a tile into __shared__ memory once, synchronize, and read it from there%s.",
        own > others ? "; or keep the values in registers" : "");
}

/* ---- shared memory ---- */

static uint64_t all_wavefronts(const struct counts *c) {
    return c->n[COUNT_SHARED_LOAD_WAVEFRONTS] + c->n[COUNT_SHARED_STORE_WAVEFRONTS] +
           c->n[COUNT_SHARED_ATOM_WAVEFRONTS];
}

static void rule_conflicts(struct advising *t, const struct line_profile *line, enum kind_of_access kind) {
    struct access_counts n = counts_of_kind(&line->counts, kind);
    double part = ratio(n.conflicts, all_wavefronts(&t->p->counts));
    const struct access_example *e = line->examples[kind];
    char how[200];
    if (!n.requests || n.units < WORTH * (double)n.ideal || part < FEW_PART)
        return;
    if (kind == KIND_SHARED_ATOM &&
        ratio(line->counts.n[COUNT_SHARED_CONTENTION], n.requests) >= 0.75 * ratio(n.units, n.requests))
        return; /* that is contention, not a matter of banks */
    struct rule *r = add_rule(t, "bank_conflicts", line, part);
    r->found = ratio(n.units, n.requests);
    r->possible = ratio(n.ideal, n.requests);
    int64_t distance = e ? common_distance(e) : -1;
    describe_addresses(e, access_verbs[kind], how, sizeof how);
    say(r->what, "%.1f wavefronts per %s, %.4g would do: %s%s.", r->found, access_nouns[kind], r->possible, how,
        distance > 0 && distance % 128 == 0 ? ", all in the same bank" : ", and different words of one bank collide");
    if (distance > 0 && distance % 128 == 0)
        say(r->remedy, "pad the row by one element (tile[32][33]), or store element x of row y at x ^ y: then a column "
                       "is spread over 32 different banks.");
    else if (distance > 4)
        say(r->remedy, "let neighbouring threads access neighbouring words: a stride of an even number of words uses "
                       "only some of the 32 banks, an odd one uses all.");
    else
        say(r->remedy, "find the lanes that conflict in a bank (make ... view LINE=%u), and pad or reorder the array.",
            line->line);
}

/* ---- control ---- */

static void rule_divergence(struct advising *t, const struct line_profile *line) {
    const uint64_t *n = line->counts.n;
    double part = ratio(n[COUNT_DIVERGENT], n[COUNT_BRANCHES]);
    double cost = ratio(t->p->counts.n[COUNT_INST] * WARP_SIZE - t->p->counts.n[COUNT_THREAD_INST],
                        t->p->counts.n[COUNT_INST] * WARP_SIZE);
    cost *= ratio(n[COUNT_DIVERGENT], t->p->counts.n[COUNT_DIVERGENT]);
    if (part < 0.1 || cost < 0.04)
        return;
    struct rule *r = add_rule(t, "divergence", line, cost);
    r->found = 100 * part;
    say(r->what,
        "threads of one warp diverge at %.0f %% of the branches, and both sides are then executed one after the other: "
        "in the kernel, %.1f of 32 threads are active on average.",
        100 * part, ratio(t->p->counts.n[COUNT_THREAD_INST], t->p->counts.n[COUNT_INST]));
    say(r->remedy, "make the condition the same for all 32 threads of a warp (compare threadIdx.x / 32, not %%), sort "
                   "the work by length, or compute both values and select one.");
}

static void rule_barriers(struct advising *t, const struct line_profile *line) {
    const uint64_t *n = line->counts.n;
    double wait = ratio(n[COUNT_BARRIER_WAIT], n[COUNT_BARRIERS]),
           all = ratio(n[COUNT_BARRIER_WAIT], t->p->counts.n[COUNT_INST]);
    if (all < 0.2 || t->p->counts.n[COUNT_POLLS] > t->p->counts.n[COUNT_BARRIERS])
        return; /* warps that poll execute instructions for as long as another block or device makes them wait */
    struct rule *r = add_rule(t, "barrier_wait", line, all * 0.5);
    r->found = wait;
    say(r->what,
        "unequal work before this barrier: on average, each warp waits while the last one executes %.0f more "
        "instructions.",
        wait);
    say(r->remedy, "distribute the work over all warps of the block; if one warp finishes alone, its last steps need "
                   "__syncwarp() instead of __syncthreads().");
}

/* ---- the launch as a whole ---- */

static void rule_blocks(struct advising *t) {
    const struct launch_profile *p = t->p;
    uint64_t threads = (uint64_t)p->block[0] * p->block[1] * p->block[2];
    uint64_t blocks = (uint64_t)p->grid[0] * p->grid[1] * p->grid[2];
    if (threads % WARP_SIZE) {
        struct rule *r = add_rule(t, "partial_warp", NULL, 0.3);
        r->found = (double)(threads % WARP_SIZE);
        r->possible = WARP_SIZE;
        say(r->what, "a block of %llu thread%s: its last warp has %llu of 32 threads, and costs as much as a full one.",
            (unsigned long long)threads, threads == 1 ? "" : "s", (unsigned long long)(threads % WARP_SIZE));
        say(r->remedy, "make the number of threads in a block a multiple of 32.");
    }
    if (blocks < LIMIT_SMS) {
        struct rule *r = add_rule(t, "small_grid", NULL, 0.1);
        r->found = (double)blocks;
        r->possible = LIMIT_SMS;
        say(r->what, "%llu block%s for the %d SMs of an H200: the other SMs are idle.", (unsigned long long)blocks,
            blocks == 1 ? "" : "s", LIMIT_SMS);
        say(r->remedy, "use smaller blocks, or do more work in one launch. For a small problem this is expected.");
    }
}

static const char *limiter_remedy(enum occupancy_limit limiter) {
    switch (limiter) {
    case LIMIT_BY_REGISTERS:
        return "keep fewer values live, or use __launch_bounds__; more registers per thread may still be worth it.";
    case LIMIT_BY_SHARED:
        return "use less __shared__ memory per block, or more threads that share it.";
    case LIMIT_BY_BLOCKS:
        return "use larger blocks: an SM holds at most 32 of them, whatever their size.";
    default:
        return "use a block size that divides 2048.";
    }
}

/* Nothing is reported for a kernel that uses wgmma: a warpgroup's products and the copies for them continue in the
 * background, so that few warps, with many registers each, hide their latency. */
static void rule_occupancy(struct advising *t) {
    static const char *const names[] = {[LIMIT_BY_BLOCKS] = "the number of blocks",
                                        [LIMIT_BY_REGISTERS] = "registers",
                                        [LIMIT_BY_SHARED] = "shared memory",
                                        [LIMIT_BY_WARPS] = "the block's size"};
    const struct occupancy *o = t->o;
    if (o->percent >= 50 || t->p->counts.n[COUNT_PRODUCT_WAVEFRONTS])
        return;
    struct rule *r = add_rule(t, "occupancy", NULL, 0.2);
    r->found = o->percent;
    r->possible = 100;
    say(r->what, "theoretical occupancy is %.0f %%: %u blocks of %u warps fit on an SM, limited by %s.", o->percent,
        o->blocks, o->blocks ? o->warps / o->blocks : 0, names[o->limiter]);
    say(r->remedy, "%s", limiter_remedy(o->limiter));
}

/* An array with variable indices is stored in local memory, too, and has a separate rule. */
static void rule_spills(struct advising *t) {
    const struct kernel_registers *r = &t->o->registers;
    if (!t->o->registers_known || r->spill_stores <= 0)
        return;
    struct rule *rule = add_rule(t, "spills", NULL, 0.4 + (double)r->spill_stores / 1e3);
    rule->found = (double)r->spill_stores;
    say(rule->what,
        "ptxas has spilled registers: with %u registers, each thread stores %ld and loads %ld extra bytes in local "
        "memory.",
        r->count, r->spill_stores, r->spill_loads);
    say(rule->remedy, "allow more registers (fewer threads or fewer blocks in __launch_bounds__, a larger "
                      "-maxrregcount), or keep fewer values live: more resident warps seldom pay for spills.");
}

/* To read at an H200's full speed, by Little's law: 4282 GB/s x 0.53 us over 132 SMs (both measured). */
#define NEEDED_IN_FLIGHT 17e3
#define MANY_LOADS       8 /* of one warp, one after the other: so few warps are a choice, not a small problem */
#define COMPUTES         8 /* operations per byte: such a kernel does not wait for memory */

/* Polling loads read no data, and their number depends on the length of the wait. */
static uint64_t data_requests(const struct counts *c) {
    return c->n[COUNT_GLOBAL_LOAD_REQUESTS] - c->n[COUNT_POLLS];
}

static uint64_t data_sectors(const struct counts *c) {
    return c->n[COUNT_GLOBAL_LOAD_SECTORS] - c->n[COUNT_POLL_SECTORS];
}

static const struct line_profile *line_that_loads_most(const struct launch_profile *p) {
    const struct line_profile *most = NULL;
    for (size_t i = 0; i < p->line_count; i++)
        if (!most || data_sectors(&p->lines[i].counts) > data_sectors(&most->counts))
            most = &p->lines[i];
    return most;
}

/* Warps that an SM has at a time, for these loads. */
static double warps_at_once(const struct advising *t, double together) {
    const struct launch_profile *p = t->p;
    double threads = (double)p->block[0] * p->block[1] * p->block[2];
    double warps = (double)p->grid[0] * p->grid[1] * p->grid[2] * ceil(threads / WARP_SIZE);
    double each = ceil(warps / LIMIT_SMS);
    bool chosen = (double)data_requests(&p->counts) >= MANY_LOADS * together * warps;
    return chosen && each < t->o->warps ? each : t->o->warps;
}

/* Where most loads are asynchronous copies, nothing is reported: the kernel's waits determine how many are in
 * flight. */
static void rule_in_flight(struct advising *t) {
    const uint64_t *n = t->p->counts.n;
    double sectors = (double)data_sectors(&t->p->counts), requests = (double)data_requests(&t->p->counts);
    if (!requests || 2 * (double)n[COUNT_COPIES] > requests ||
        (double)n[COUNT_FLOAT_OPERATIONS] > COMPUTES * 32 * sectors)
        return;
    double bytes = 32 * sectors / requests, together = ratio(n[COUNT_LOADS_TOGETHER], data_requests(&t->p->counts));
    double warps = warps_at_once(t, together), in_flight = warps * bytes * together;
    if (in_flight > 0.4 * NEEDED_IN_FLIGHT || sectors < 0.1 * (double)all_sectors(&t->p->counts))
        return;
    struct rule *r = add_rule(t, "bytes_in_flight", line_that_loads_most(t->p), 0.7 - in_flight / NEEDED_IN_FLIGHT);
    r->found = in_flight;
    r->possible = NEEDED_IN_FLIGHT;
    say(r->what,
        "too few bytes in flight: %.0f warp%s on an SM, each with %.1f independent loads of %.0f bytes: %.1f kB; full "
        "bandwidth on an H200 needs about %.0f kB.",
        warps, warps == 1 ? "" : "s", together, bytes, in_flight / 1e3, NEEDED_IN_FLIGHT / 1e3);
    say(r->remedy, "load several elements before the first one is used (an unrolled loop, float4, const __restrict__), "
                   "or run more warps: a larger grid, less __shared__ memory per block.");
}

static int heavier(const void *a, const void *b) {
    const struct rule *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
                                  : (x->line > y->line) - (x->line < y->line);
}

static void rule_line(struct advising *t, const struct line_profile *line) {
    rule_uncoalesced(t, line, KIND_GLOBAL_LOAD);
    rule_uncoalesced(t, line, KIND_GLOBAL_STORE);
    for (enum kind_of_access kind = KIND_SHARED_LOAD; kind < KINDS_OF_ACCESS; kind++)
        rule_conflicts(t, line, kind);
    rule_contention(t, line);
    rule_local(t, line);
    rule_reuse(t, line);
    rule_divergence(t, line);
    rule_barriers(t, line);
}

#define MOST_CALLS 8 /* of a line that are listed separately: more of them are too small a share each */

bool launch_is_demonstration(const struct launch_profile *p) {
    uint64_t threads = (uint64_t)p->block[0] * p->block[1] * p->block[2];
    return threads * p->grid[0] * p->grid[1] * p->grid[2] <= FEW_THREADS && p->counts.n[COUNT_INST] < FEW_INSTRUCTIONS;
}

size_t rules_of(const struct launch_profile *p, const struct occupancy *o, struct rule out[MOST_RULES]) {
    struct advising t = {p, o, out, 0};
    for (size_t i = 0; i < p->line_count; i++) {
        const struct line_profile *line = &p->lines[i];
        bool apart = line->calls > 1 && line->calls <= MOST_CALLS;
        for (size_t k = 0; apart && k < line->calls; k++)
            rule_line(&t, &p->calls[line->first_call + k]);
        if (!apart)
            rule_line(&t, line);
    }
    if (!launch_is_demonstration(p)) {
        rule_blocks(&t);
        rule_occupancy(&t);
        rule_spills(&t);
        rule_in_flight(&t);
    }
    qsort(out, t.count, sizeof *out, heavier);
    return t.count;
}
