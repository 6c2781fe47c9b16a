/* share.cpp - is the work shared among the blocks of a grid? */
#include "tools/grading/checks.h"

enum { LONG_BYTES = 65536 * 4 }; /* one block may process shorter arrays */

static uint64_t bytes_of(const struct result *r, bool output) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < r->call.job.arrays; i++) {
        const struct array_order *order = &r->call.job.array[i];
        sum += (output ? order->output : order->input) ? r->call.arrays[i].bytes : 0;
    }
    return sum;
}

static const char *done(bool output) {
    return output ? "wrote" : "read";
}

static void judge_block(const struct result *r, bool output, const char *advice) {
    uint64_t all = bytes_of(r, output), sum = 0, busiest = 0;
    for (const struct launch &l : r->launches) {
        uint64_t most = output ? l.most_output_bytes : l.most_input_bytes;
        if (all >= LONG_BYTES && most > all / 2) {
            judge_fail("access_limit",
                       "the result is right, but a single block of %s %s more than half of %s.%s\n          %s",
                       l.called, done(output), output ? "it" : "the input", judge_launch_text(r).c_str(), advice);
        }
        busiest += most;
        sum += output ? l.output_bytes : l.input_bytes;
    }
    if (all >= LONG_BYTES && busiest > sum / 2) {
        judge_fail("access_limit",
                   "the result is right, but only one block works at a time: together, the busiest blocks of the %zu "
                   "launches %s %.0f%% of %s.%s\n          %s",
                   r->launches.size(), done(output), 100.0 * (double)busiest / (double)sum, output ? "it" : "the input",
                   judge_launch_text(r).c_str(), advice);
    }
}

void judge_shared(const struct result *r, unsigned long long least_threads, const char *advice) {
    if (judge_counted(r)) {
        judge_block(r, true, advice);
        judge_block(r, false, advice);
        judge_parallel(r, least_threads, advice);
    }
}
