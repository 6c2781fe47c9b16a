/* Profiles for people: advice first, then the numbers in ncu's sections, then line by line. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/host_place.h"
#include "check/source.h"
#include "profile/host_calls.h"
#include "profile/metrics.h"
#include "profile/occupancy_limits.h"
#include "profile/output.h"
#include "profile/reports.h"
#include "profile/rules.h"

#define NEEDS_GPU  "n/a (needs a GPU)"
#define WIDTH      110
#define SOURCE     52
#define SHOW_RULES 8

/* 1234567 as 1,234,567, in one of a few buffers that take turns. */
static const char *grouped(uint64_t n) {
    static char buffers[8][32];
    static unsigned turn;
    char plain[24], *out = buffers[turn++ % 8], *at = out;
    int length = snprintf(plain, sizeof plain, "%" PRIu64, n);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *at++ = ',';
        *at++ = plain[i];
    }
    *at = '\0';
    return out;
}

/* Prose with a margin, broken between words. */
static void put_words(FILE *out, const char *margin, const char *first, const char *prose) {
    size_t begin = strlen(margin) + strlen(first), column = begin;
    fprintf(out, "%s%s", margin, first);
    while (*prose) {
        size_t n = strcspn(prose, " ");
        if (column > begin && column + 1 + n > WIDTH) {
            fprintf(out, "\n%s%*s", margin, (int)strlen(first), "");
            column = begin;
        }
        column += (size_t)fprintf(out, "%s%.*s", column > begin ? " " : "", (int)n, prose);
        prose += n + (prose[n] == ' ');
    }
    putc('\n', out);
}

static void put_section(FILE *out, const char *name) {
    fprintf(out, "\n  %s\n  ", name);
    for (size_t i = 0; i < strlen(name); i++)
        putc('-', out);
    putc('\n', out);
}

static void put_value(FILE *out, const char *label, const char *unit, const char *format, ...) {
    va_list arguments;
    fprintf(out, "    %-46s %-10s ", label, unit);
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    putc('\n', out);
}

static double ratio(uint64_t a, uint64_t b) {
    return b ? (double)a / (double)b : 0;
}

/* ---- sections, in ncu's order ---- */

/* "line 68: (called in line 145) " */
static void put_rule_place(char *out, size_t size, const struct rule *r) {
    if (r->line)
        snprintf(out, size, "line %u: ", r->line);
    size_t length = strlen(out);
    if (*r->called)
        snprintf(out + length, size - length, "(called in line%s %s) ", strchr(r->called, ',') ? "s" : "", r->called);
}

static void put_rules(FILE *out, const struct launch_profile *p, const struct occupancy *o) {
    static struct rule rules[MOST_RULES];
    size_t count = rules_of(p, o, rules);
    fprintf(out, "\n  What stands out\n  ---------------\n");
    if (!count && launch_is_demonstration(p))
        fprintf(out, "    Nothing: this launch is too small to judge (few threads, few instructions).\n");
    else if (!count)
        fprintf(out, "    Nothing: memory, banks, branches and barriers are used about as well as possible.\n");
    for (size_t i = 0; i < count && i < SHOW_RULES; i++) {
        char where[80] = "", first[48];
        put_rule_place(where, sizeof where, &rules[i]);
        snprintf(first, sizeof first, "%zu. ", i + 1);
        char what[RULE_TEXT + 80];
        snprintf(what, sizeof what, "%s%s", where, rules[i].what);
        put_words(out, "    ", first, what);
        size_t same = 0;
        while (strcmp(rules[same].remedy, rules[i].remedy) != 0)
            same++;
        if (same < i)
            fprintf(out, "       -> as for %zu.\n", same + 1);
        else
            put_words(out, "       ", "-> ", rules[i].remedy);
    }
    if (count > SHOW_RULES)
        fprintf(out, "    and %zu more (EMULATOR_PROFILE=json has all)\n", count - SHOW_RULES);
}

static void put_global(FILE *out, const struct counts *c) {
    static const char *const labels[] = {"Global Load",      "Global Store", "Global Atomic",
                                         "Global Reduction", "Local Load",   "Local Store"};
    fprintf(out, "    %-18s %14s %14s %12s %8s %14s %6s\n", "", "Requests", "Sectors", "Sectors/Req", "Ideal",
            "Bytes Moved", "Used");
    for (unsigned kind = KIND_GLOBAL_LOAD; kind <= KIND_LOCAL_STORE; kind++) {
        struct access_counts n = counts_of_kind(c, kind);
        if (n.requests)
            fprintf(out, "    %-18s %14s %14s %12.2f %8.2f %14s %5.0f%%\n", labels[kind], grouped(n.requests),
                    grouped(n.units), ratio(n.units, n.requests), ratio(n.ideal, n.requests), grouped(32 * n.units),
                    100 * ratio(n.used, 32 * n.units));
        else if (kind <= KIND_GLOBAL_STORE)
            fprintf(out, "    %-18s %14s\n", labels[kind], "0");
    }
}

/* In the columns of the table above. */
static void put_textures(FILE *out, const struct counts *c) {
    static const struct {
        const char *label;
        enum count requests, sectors;
    } ways[] = {{"Texture Fetch", COUNT_TEXTURE_REQUESTS, COUNT_TEXTURE_SECTORS},
                {"Surface Load", COUNT_SURFACE_LOAD_REQUESTS, COUNT_SURFACE_LOAD_SECTORS},
                {"Surface Store", COUNT_SURFACE_STORE_REQUESTS, COUNT_SURFACE_STORE_SECTORS}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        uint64_t requests = c->n[ways[i].requests], sectors = c->n[ways[i].sectors];
        if (!requests)
            continue;
        fprintf(out, "    %-18s %14s ", ways[i].label, grouped(requests));
        if (i == 0 && c->n[COUNT_TEXTURE_UNKNOWN])
            fprintf(out, "%14s   for this kind of filter (needs a GPU)\n", "n/a");
        else
            fprintf(out, "%14s %12.2f %8s %14s\n", grouped(sectors), ratio(sectors, requests), "",
                    grouped(32 * sectors));
    }
}

static void put_shared(FILE *out, const struct counts *c) {
    static const char *const labels[] = {"Shared Load", "Shared Store", "Shared Atomic"};
    bool any = false;
    for (unsigned kind = KIND_SHARED_LOAD; kind < KINDS_OF_ACCESS; kind++) {
        struct access_counts n = counts_of_kind(c, kind);
        if (n.requests && !any)
            fprintf(out, "    %-18s %14s %14s %12s %8s %14s\n", "", "Requests", "Wavefronts", "per Request", "Ideal",
                    "Bank Conflicts");
        any |= n.requests != 0;
        if (n.requests)
            fprintf(out, "    %-18s %14s %14s %12.2f %8.2f %14s\n", labels[kind - KIND_SHARED_LOAD],
                    grouped(n.requests), grouped(n.units), ratio(n.units, n.requests), ratio(n.ideal, n.requests),
                    grouped(n.conflicts));
    }
}

static void put_bulk(FILE *out, const uint64_t *n) {
    if (n[COUNT_BULK_LOADS])
        put_value(out, "Bulk loads into shared memory", "", "%s, %s bytes read, %s bytes filled",
                  grouped(n[COUNT_BULK_LOADS]), grouped(n[COUNT_BULK_LOADED]), grouped(n[COUNT_BULK_FILLED]));
    if (n[COUNT_MULTICASTS])
        put_value(out, "Of these by multicast", "", "%s, %s bytes read once, %s delivered",
                  grouped(n[COUNT_MULTICASTS]), grouped(n[COUNT_MULTICAST_READ]), grouped(n[COUNT_MULTICAST_FILLED]));
    if (n[COUNT_BULK_STORES])
        put_value(out, "Bulk stores from shared to global memory", "", "%s, %s bytes", grouped(n[COUNT_BULK_STORES]),
                  grouped(n[COUNT_BULK_STORED] - n[COUNT_BULK_REDUCED]));
    if (n[COUNT_BULK_REDUCTIONS])
        put_value(out, "Bulk reductions from shared to global memory", "", "%s, %s bytes",
                  grouped(n[COUNT_BULK_REDUCTIONS]), grouped(n[COUNT_BULK_REDUCED]));
    if (n[COUNT_BULK_BETWEEN])
        put_value(out, "Bulk copies between shared memories", "", "%s, %s bytes", grouped(n[COUNT_BULK_BETWEEN]),
                  grouped(n[COUNT_BULK_BETWEEN_BYTES]));
}

static void put_memory(FILE *out, const struct counts *c) {
    const uint64_t *n = c->n;
    put_section(out, "Memory Workload Analysis");
    put_value(out, "Memory Throughput, L1/TEX and L2 Hit Rate", "", NEEDS_GPU);
    put_global(out, c);
    put_textures(out, c);
    put_shared(out, c);
    if (n[COUNT_LINES_AGAIN_WARP] + n[COUNT_LINES_AGAIN_BLOCK])
        put_value(
            out, "128-byte lines a block loads, each on average", "times",
            "%.2f (%s again by the same warp, %s by another)",
            ratio(n[COUNT_LINES_FIRST] + n[COUNT_LINES_AGAIN_WARP] + n[COUNT_LINES_AGAIN_BLOCK], n[COUNT_LINES_FIRST]),
            grouped(n[COUNT_LINES_AGAIN_WARP]), grouped(n[COUNT_LINES_AGAIN_BLOCK]));
    uint64_t atomics = n[COUNT_GLOBAL_ATOM_REQUESTS] + n[COUNT_GLOBAL_RED_REQUESTS];
    if (atomics)
        put_value(out, "Global atomics: threads at the busiest address", "thread", "%.2f per request",
                  ratio(n[COUNT_GLOBAL_CONTENTION], atomics));
    if (n[COUNT_SHARED_ATOM_REQUESTS])
        put_value(out, "Shared atomics: threads at the busiest address", "thread", "%.2f per request",
                  ratio(n[COUNT_SHARED_CONTENTION], n[COUNT_SHARED_ATOM_REQUESTS]));
    if (n[COUNT_COPIES])
        put_value(out, "Asynchronous copies to shared memory", "inst", "%s", grouped(n[COUNT_COPIES]));
    if (n[COUNT_COPIES])
        put_value(out, "Wavefronts of their writes", "", "%s", grouped(n[COUNT_COPY_WAVEFRONTS]));
    if (n[COUNT_PRODUCT_WAVEFRONTS])
        put_value(out, "Wavefronts in which wgmma reads", "", "%s", grouped(n[COUNT_PRODUCT_WAVEFRONTS]));
    put_bulk(out, n);
    if (n[COUNT_TEXTURE] + n[COUNT_SURFACE])
        put_value(out, "Texture and surface instructions", "inst", "%s", grouped(n[COUNT_TEXTURE] + n[COUNT_SURFACE]));
}

static void put_warps(FILE *out, const struct counts *c) {
    const uint64_t *n = c->n;
    put_section(out, "Warp State Statistics");
    put_value(out, "Warp Cycles Per Issued Instruction", "cycle", NEEDS_GPU);
    put_value(out, "Avg. Not Predicated Off Threads Per Warp", "thread", "%.2f",
              ratio(n[COUNT_THREAD_INST], n[COUNT_INST]));
    if (n[COUNT_BARRIERS]) {
        put_value(out, "Block barriers: warps arriving", "warp", "%s", grouped(n[COUNT_BARRIERS]));
        put_value(out, "Wait for the last warp, average", "inst", "%.1f",
                  ratio(n[COUNT_BARRIER_WAIT], n[COUNT_BARRIERS]));
    }
}

static void put_instructions(FILE *out, const struct launch_profile *p) {
    const uint64_t *n = p->counts.n;
    put_section(out, "Instruction Statistics");
    put_value(out, "Executed Instructions (PTX), by warps", "inst", "%s", grouped(n[COUNT_INST]));
    put_value(out, "Executed Instructions (PTX), by threads", "inst", "%s", grouped(n[COUNT_THREAD_INST]));
    if (n[COUNT_FLOAT_OPERATIONS])
        put_value(out, "fp32 and fp64 operations (fma: 2)", "flop", "%s", grouped(n[COUNT_FLOAT_OPERATIONS]));
    for (unsigned i = 0; i < CLASS_END; i++)
        if (p->classes.warps[i])
            put_value(out, class_label(i), "%", "%5.1f   %s", 100 * ratio(p->classes.warps[i], n[COUNT_INST]),
                      grouped(p->classes.warps[i]));
    if (p->tensor.count)
        fprintf(out, "    Products on tensor cores (PTX), for each warp or warpgroup:\n");
    for (size_t i = 0; i < p->tensor.count; i++) {
        char label[SHAPE_NAME + 2];
        snprintf(label, sizeof label, "  %s", p->tensor.items[i].name);
        put_value(out, label, tensor_count_unit(&p->tensor.items[i]), "%s", grouped(p->tensor.items[i].count));
    }
}

static void put_launch(FILE *out, const struct launch_profile *p, const struct occupancy *o) {
    put_section(out, "Launch Statistics");
    put_value(out, "Grid Size", "", "%u x %u x %u", p->grid[0], p->grid[1], p->grid[2]);
    put_value(out, "Block Size", "", "%u x %u x %u", p->block[0], p->block[1], p->block[2]);
    if (o->registers_known)
        put_value(out, "Registers Per Thread", "register", "%u (sm_%u, %s)", o->registers.count, o->registers.arch,
                  o->registers.from_program ? "from the program" : "from ptxas");
    else
        put_value(out, "Registers Per Thread", "register", "n/a (needs ptxas, or machine code in the program)");
    if (o->registers_known && o->registers.spill_stores > 0)
        put_value(out, "Registers that did not fit: stored, loaded", "byte", "%ld, %ld", o->registers.spill_stores,
                  o->registers.spill_loads);
    put_value(out, "Static Shared Memory Per Block", "byte", "%s", grouped(p->static_shared));
    put_value(out, "Dynamic Shared Memory Per Block", "byte", "%s", grouped(p->dynamic_shared));
    put_value(out, "Local Memory Per Thread", "byte", "%s", grouped(p->local_bytes));
    put_value(out, "Waves Per SM (of an H200)", "", "%.2f", o->waves);
}

static void put_occupancy(FILE *out, const struct occupancy *o) {
    static const char *const limiters[] = {[LIMIT_BY_BLOCKS] = "number of blocks",
                                           [LIMIT_BY_REGISTERS] = "registers",
                                           [LIMIT_BY_SHARED] = "shared memory",
                                           [LIMIT_BY_WARPS] = "warps (block size)"};
    put_section(out, "Occupancy (compute capability " OCCUPANCY_CAPABILITY ")");
    put_value(out, "Block Limit SM", "block", "%u", o->limits[LIMIT_BY_BLOCKS]);
    if (o->registers_known)
        put_value(out, "Block Limit Registers", "block", "%u", o->limits[LIMIT_BY_REGISTERS]);
    else
        put_value(out, "Block Limit Registers", "block", "n/a");
    put_value(out, "Block Limit Shared Mem", "block", "%u", o->limits[LIMIT_BY_SHARED]);
    put_value(out, "Block Limit Warps", "block", "%u", o->limits[LIMIT_BY_WARPS]);
    put_value(out, "Theoretical Active Warps per SM", "warp", "%u", o->warps);
    put_value(out, "Theoretical Occupancy", "%", "%.2f%s, limited by: %s", o->percent,
              o->registers_known ? "" : " or less (registers unknown)", limiters[o->limiter]);
    put_value(out, "Achieved Occupancy", "%", NEEDS_GPU);
}

/* ---- line by line ---- */

static void put_kind(FILE *out, const struct counts *c, enum kind_of_access kind) {
    static const char *const names[] = {"global load", "global store", "global atomic", "global red.",  "local load",
                                        "local store", "shared load",  "shared store",  "shared atomic"};
    struct access_counts n = counts_of_kind(c, kind);
    fprintf(out, "  %-13s %11s %6.1f %6.1f", names[kind], grouped(n.requests), ratio(n.units, n.requests),
            ratio(n.ideal, n.requests));
}

/* A row for each kind of memory access; the first has the line's instructions and its source. */
static void put_line(FILE *out, const struct line_profile *line) {
    const uint64_t *n = line->counts.n;
    char source[SOURCE + 1] = "", called[CALLED_TEXT + 16] = "";
    if (*line->called)
        snprintf(called, sizeof called, "  <- line%s %s", strchr(line->called, ',') ? "s" : "", line->called);
    bool first = true;
    if (line->file)
        source_line(line->file, line->line, source, sizeof source, &(uint32_t){0});
    for (enum kind_of_access kind = 0; kind <= KINDS_OF_ACCESS; kind++) {
        if (kind == KINDS_OF_ACCESS ? !first : !counts_of_kind(&line->counts, kind).requests)
            continue;
        if (first)
            fprintf(out, "  %5u %13s %5.1f %9s", line->line, grouped(n[COUNT_INST]),
                    ratio(n[COUNT_THREAD_INST], n[COUNT_INST]), n[COUNT_DIVERGENT] ? grouped(n[COUNT_DIVERGENT]) : "");
        else
            fprintf(out, "  %35s", "");
        if (kind < KINDS_OF_ACCESS)
            put_kind(out, &line->counts, kind);
        if (first)
            fprintf(out, "%*s  %.*s%s", kind < KINDS_OF_ACCESS ? 0 : 41, "", (int)(SOURCE - strlen(called)), source,
                    called);
        putc('\n', out);
        first = false;
    }
}

static void put_lines(FILE *out, const struct launch_profile *p) {
    const uint64_t *n = p->counts.n;
    const char *file = NULL;
    put_section(out, "Source Counters");
    put_value(out, "Branch Instructions (conditional)", "", "%s", grouped(n[COUNT_BRANCHES]));
    put_value(out, "Divergent Branches", "", "%s", grouped(n[COUNT_DIVERGENT]));
    if (n[COUNT_BRANCHES])
        put_value(out, "Branch Efficiency", "%", "%.2f", 100 - 100 * ratio(n[COUNT_DIVERGENT], n[COUNT_BRANCHES]));
    for (size_t i = 0; i < p->line_count; i++) {
        const struct line_profile *line = &p->lines[i];
        if (!i || line->file != file) {
            fprintf(out, "\n    %s\n",
                    line->file ? source_short_path(line->file) : "(compile with -lineinfo to see lines)");
            fprintf(out, "  %5s %13s %5s %9s  %-13s %11s %6s\n", "", "instructions", "of 32", "divergent", "way to", "",
                    "units");
            fprintf(out, "  %5s %13s %5s %9s  %-13s %11s %6s %6s  %s\n", "line", "of warps", "act.", "branches",
                    "memory", "requests", "/req", "ideal", "(units: sectors; shared: wavefronts)");
        }
        file = line->file;
        if (line->calls < 2)
            put_line(out, line);
        for (size_t k = 0; line->calls > 1 && k < line->calls; k++)
            put_line(out, &p->calls[line->first_call + k]);
    }
}

/* ---- which launches ---- */

static bool same_kernel(const struct launch_profile *a, const struct launch_profile *b) {
    return strcmp(a->kernel, b->kernel) == 0;
}

static void put_head(FILE *out, const struct launch_profile *p, unsigned launches) {
    fprintf(out, "\n%s\n", p->name);
    for (size_t i = 0; i < strlen(p->name) && i < WIDTH; i++)
        putc('=', out);
    fprintf(out, "\n  grid (%u, %u, %u), block (%u, %u, %u)", p->grid[0], p->grid[1], p->grid[2], p->block[0],
            p->block[1], p->block[2]);
    if (launches > 1)
        fprintf(out, "; the largest of %u launches", launches);
    putc('\n', out);
}

#define BRIEF_RULES 2

/* The most notable finding, without its advice. */
static void put_brief(FILE *out, const struct launch_profile *p, unsigned launches) {
    static struct rule rules[MOST_RULES];
    struct occupancy o = occupancy_of(p);
    size_t count = rules_of(p, &o, rules);
    put_head(out, p, launches);
    for (size_t i = 0; i < count && i < BRIEF_RULES; i++) {
        char what[RULE_TEXT + 80] = "";
        put_rule_place(what, sizeof what, &rules[i]);
        snprintf(what + strlen(what), sizeof what - strlen(what), "%s", rules[i].what);
        put_words(out, "    ", i ? "2. " : "1. ", what);
    }
    if (count > BRIEF_RULES)
        fprintf(out, "    and %zu more\n", count - BRIEF_RULES);
    if (!count)
        fprintf(out, "    %s\n", launch_is_demonstration(p) ? "a demonstration" : "nothing stands out");
}

static void put_one(FILE *out, const struct launch_profile *p, unsigned launches) {
    struct occupancy o = occupancy_of(p);
    put_head(out, p, launches);
    put_rules(out, p, &o);
    put_section(out, "GPU Speed Of Light Throughput, Compute Workload Analysis, Scheduler Statistics");
    put_value(out, "Duration, cycles, throughput", "", NEEDS_GPU);
    put_memory(out, &p->counts);
    put_warps(out, &p->counts);
    put_instructions(out, p);
    put_launch(out, p, &o);
    put_occupancy(out, &o);
    put_lines(out, p);
}

/* Is it the first launch of its kernel? */
static bool is_first(const struct launch_profile *launches, const struct launch_profile *p) {
    while (launches != p && !same_kernel(launches, p))
        launches = launches->next;
    return launches == p;
}

unsigned profile_kernels(const struct launch_profile *launches) {
    unsigned kernels = 0;
    for (const struct launch_profile *p = launches; p; p = p->next)
        kernels += is_first(launches, p);
    return kernels;
}

#define MANY_WAITS 8 /* in a row: fewer are no loop */

/* "cudaMemcpy in run_rounds", or the call alone where its caller has no name. */
static const char *call_text(const char *call, uintptr_t caller, char *out, size_t size) {
    char function[120];
    struct host_place place;
    const char *symbol = caller && host_place_find(caller, &place) && place.function[0] ? place.function : NULL;
    snprintf(out, size, "%s%s%s", call, symbol ? " in " : "",
             symbol ? demangle_function(symbol, function, sizeof function) : "");
    return out;
}

static void put_chain(FILE *out, const struct host_chain *chain) {
    char call[200], what[RULE_TEXT];
    snprintf(
        what, sizeof what,
        "the host waits for the device %" PRIu64
        " times in a row (%s), after %.1f launches on average, and then launches more: meanwhile the device is idle.",
        chain->waits, call_text(chain->name, chain->caller, call, sizeof call), ratio(chain->launches, chain->waits));
    put_words(out, "    ", "1. ", what);
    put_words(out, "       ", "-> ",
              "queue all launches, and synchronize once after the last: a stream keeps their order. Keep data that the "
              "next kernel needs on the device; collect results there, and copy them at the end.");
}

static void put_rounds(FILE *out, const struct host_rounds *r, const char *number) {
    char call[200], kernel[200], what[RULE_TEXT];
    snprintf(what, sizeof what,
             "%" PRIu64 " times in a row the host copies in, launches %s and copies out (%s), and waits for each copy: "
             "copies and kernels never overlap.",
             r->rounds, demangle_function(r->kernel, kernel, sizeof kernel),
             call_text(r->name, r->caller, call, sizeof call));
    put_words(out, "    ", number, what);
    put_words(out, "       ", "-> ",
              "use pinned memory (cudaMallocHost) and cudaMemcpyAsync in two or three streams, so that one part is "
              "copied while the kernel works on another.");
}

/* The host's findings precede those of its kernels, unless a single kernel is selected. */
static void put_host(FILE *out) {
    const struct host_chain chain = host_calls_longest_chain();
    const struct host_rounds rounds = host_calls_most_rounds();
    bool waits = chain.waits >= MANY_WAITS, copies = rounds.rounds >= MANY_WAITS;
    if ((!waits && !copies) || output_one_kernel())
        return;
    fprintf(out, "\nThe host\n========\n");
    if (waits)
        put_chain(out, &chain);
    if (copies)
        put_rounds(out, &rounds, waits ? "2. " : "1. ");
}

static bool any_uncompared(const struct launch_profile *launches) {
    for (const struct launch_profile *p = launches; p; p = p->next)
        if (p->tensor.count || p->counts.n[COUNT_BULK_COPIES])
            return true;
    return false;
}

void profile_text(FILE *out, const struct launch_profile *launches) {
    put_host(out);
    bool brief = output_brief() && profile_kernels(launches) > BRIEF_KERNELS;
    for (const struct launch_profile *p = launches; p; p = p->next) {
        const struct launch_profile *largest = p;
        unsigned count = 1;
        if (!is_first(launches, p))
            continue;
        for (const struct launch_profile *q = p->next; q; q = q->next) {
            if (!same_kernel(p, q))
                continue;
            count++;
            if (q->counts.n[COUNT_INST] > largest->counts.n[COUNT_INST])
                largest = q;
        }
        (brief ? put_brief : put_one)(out, largest, count);
    }
    if (!launches) {
        output_no_kernel(out);
        return;
    }
    if (brief)
        fprintf(out, "\nThis is a summary: %s shows one kernel with advice, all its numbers, and its lines.\n",
                output_brief());
    fprintf(out,
            "\nCounted on the emulator in PTX instructions. Requests, sectors, wavefronts and bank conflicts are what "
            "ncu counts\non an H200 for the same instructions; instruction counts are not: a GPU executes SASS.\n");
    if (any_uncompared(launches))
        fprintf(out, "Products by shape and the bytes of bulk copies follow from PTX, and were not compared with a "
                     "GPU's counters.\n");
}
