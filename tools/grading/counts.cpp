/* counts.cpp - the emulator's counters of a run, by array and by launch, and the limits that graders set for them. */
#include "tools/grading/checks.h"

#include <algorithm>

enum { SECTOR = 32 };

bool judge_counted(const struct result *r) {
    return r->answer.has_counters != 0;
}

const struct emulatorArrayCounters *judge_counts_of(const struct result *r, struct handle array) {
    return &r->answer.array[array.array].counted;
}

static double sectors_read(const struct emulatorArrayCounters *c) {
    uint64_t bytes = c->bulk_load_bytes + c->copied_from_bytes;
    return (double)(c->load_sectors + c->atomic_sectors + c->texture_sectors + c->surface_load_sectors) +
           (double)bytes / SECTOR;
}

static double sectors_written(const struct emulatorArrayCounters *c) {
    uint64_t bytes = c->bulk_store_bytes + c->copied_to_bytes;
    return (double)(c->store_sectors + c->atomic_sectors + c->surface_store_sectors) + (double)bytes / SECTOR;
}

double judge_sectors_of(const struct result *r, struct handle array) {
    return sectors_read(judge_counts_of(r, array));
}

double judge_sectors_written_of(const struct result *r, struct handle array) {
    return sectors_written(judge_counts_of(r, array));
}

double judge_bytes_read_of(const struct result *r, struct handle array) {
    const struct emulatorArrayCounters *c = judge_counts_of(r, array);
    return (double)(c->load_bytes + c->atomic_bytes + c->bulk_load_bytes + c->copied_from_bytes) +
           SECTOR * (double)(c->texture_sectors + c->surface_load_sectors);
}

double judge_sectors_elsewhere(const struct result *r) {
    double sum = 0;
    for (const struct emulatorArrayCounters *c : {&r->answer.elsewhere, &r->answer.of_host}) {
        sum += sectors_read(c) - (double)c->poll_sectors + sectors_written(c) - (double)c->atomic_sectors;
    }
    return sum;
}

const struct launch *judge_main_launch(const struct result *r) {
    const struct launch *most = &r->answer.launch[0];
    for (const struct launch &l : r->launches) {
        bool more = l.input_bytes + l.output_bytes > most->input_bytes + most->output_bytes;
        most = more ? &l : most;
    }
    return most;
}

/* ---- limits on one array ---- */

static void judge_times(const struct result *r, struct handle array, double sectors, struct between limits,
                        const char *done, const char *advice) {
    const struct array_facts *facts = &r->call.arrays[array.array];
    double whole = std::max(1.0, (double)facts->bytes / SECTOR), times = sectors / whole;
    if (!judge_counted(r) || facts->bytes == 0) {
        return;
    }
    /* the first and the last sector belong to the array only in part */
    if (sectors > limits.most * whole + 2 * limits.most || sectors < limits.least * whole - 2) {
        judge_fail("access_limit",
                   "the result is right, but of %s %.0f sectors of 32 bytes were %s, and %.0f hold it: %.2f times "
                   "(limit: %.2f to %.2f).%s\n          %s",
                   facts->name, sectors, done, whole, times, limits.least, limits.most, judge_launch_text(r).c_str(),
                   advice);
    }
}

void judge_reads(const struct result *r, struct handle array, struct between limits, const char *advice) {
    judge_times(r, array, judge_sectors_of(r, array), limits, "read", advice);
}

void judge_writes(const struct result *r, struct handle array, struct between limits, const char *advice) {
    judge_times(r, array, judge_sectors_written_of(r, array), limits, "written", advice);
}

/* ---- parallelism ---- */

/* Bytes of all inputs, or of all results. */
static uint64_t bytes_of(const struct result *r, bool output) {
    uint64_t sum = 0;
    for (size_t i = 0; i < r->call.arrays.size(); i++) {
        const struct array_order *order = &r->call.job.array[i];
        sum += (output ? order->output : order->input) ? r->call.arrays[i].bytes : 0;
    }
    return sum;
}

struct share {
    uint64_t threads, blocks, bytes, most_bytes; /* the last: of one block */
};

static struct share share_of(const struct launch *l, bool output) {
    if (output) {
        return {l->output_threads, l->output_blocks, l->output_bytes, l->most_output_bytes};
    }
    return {l->input_threads, l->input_blocks, l->input_bytes, l->most_input_bytes};
}

/* Launches with too few threads may do one eighth of the work: the end of a reduction, the remainder in a last block. */
static void judge_way(const struct result *r, bool output, uint64_t least, const char *advice) {
    uint64_t all = bytes_of(r, output), poor = 0;
    const struct launch *worst = NULL;
    if (all < 4 * least * sizeof(float)) {
        return;
    }
    for (const struct launch &l : r->launches) {
        struct share share = share_of(&l, output);
        bool enough = share.threads >= least && (share.blocks < 2 || share.most_bytes <= share.bytes / 2);
        poor += enough ? 0 : share.bytes;
        worst = !enough && (!worst || share.bytes > share_of(worst, output).bytes) ? &l : worst;
    }
    if (!worst || poor <= all / 8) {
        return;
    }
    struct share share = share_of(worst, output);
    judge_fail(
        "access_limit",
        "the result is right, but in %s %llu thread%s in %llu block%s %s (at least %llu threads, and no block more "
        "than half).%s\n          %s",
        worst->called, (unsigned long long)share.threads, share.threads == 1 ? "" : "s",
        (unsigned long long)share.blocks, share.blocks == 1 ? "" : "s", output ? "wrote the result" : "read the input",
        (unsigned long long)least, judge_launch_text(r).c_str(), advice);
}

void judge_parallel(const struct result *r, unsigned long long least_threads, const char *advice) {
    if (!judge_counted(r)) {
        return;
    }
    if (r->answer.launches > r->launches.size()) {
        judge_fail("access_limit",
                   "the result is right, but it took %u launches; no more than %zu are counted.\n          %s",
                   r->answer.launches, r->launches.size(), advice);
    }
    judge_way(r, true, least_threads, advice);
    judge_way(r, false, least_threads, advice);
}

/* ---- was it a kernel's work? ---- */

void judge_allow_upload(struct call *call, size_t bytes) {
    call->upload += bytes;
}

enum { LEAST_RESULT = 1024 }; /* bytes: below, a table or a few pointers are as large as the result */

/* For a small result, the source of the host's reads shows what it was computed from. */
static bool came_by_the_host(const struct result *r, uint64_t result, uint64_t allowed) {
    const struct emulatorHostBytes *h = &r->answer.host;
    const struct emulatorArrayCounters *there = &r->answer.of_host;
    bool on_device = true;
    for (size_t i = 0; i < r->call.arrays.size(); i++) {
        on_device = on_device && r->call.job.array[i].home == ON_DEVICE;
    }
    uint64_t told = h->copied_out + there->store_bytes + there->atomic_bytes + there->bulk_store_bytes;
    return on_device && result && told && h->copied_in + h->read_there + h->filled >= allowed + result / 2;
}

/* A kernel wrote all of the result. Did it compute it, or only copy it? A result computed on the host must have been transferred to the device,
 * and all transfers other than the arguments are counted. (An input in host memory may be transferred in any way.) */
void checks_carried(const struct result *r) {
    const struct emulatorHostBytes *h = &r->answer.host;
    uint64_t handed = h->copied_in + h->read_there + h->parameters + h->filled, allowed = r->call.upload, result = 0;
    for (size_t i = 0; i < r->call.arrays.size(); i++) {
        const struct array_order *order = &r->call.job.array[i];
        allowed += order->home != ON_DEVICE && order->given ? order->bytes : 0;
        result += order->output ? r->call.arrays[i].bytes : 0;
    }
    bool carried = result < LEAST_RESULT ? came_by_the_host(r, result, allowed) : handed >= allowed + result / 2;
    if (!judge_counted(r) || !carried) {
        return;
    }
    judge_fail(
        "not_by_kernel",
        "the result is right, but a kernel may only have copied it: in the call the host passed %llu bytes to the "
        "device (%llu copied, %llu read by kernels in the host's memory, %llu in parameters, %llu by fills), and the "
        "result has %llu.%s\n          The result has to be computed on the device, from the arguments.",
        (unsigned long long)handed, (unsigned long long)h->copied_in, (unsigned long long)h->read_there,
        (unsigned long long)h->parameters, (unsigned long long)h->filled, (unsigned long long)result,
        judge_launch_text(r).c_str());
}
