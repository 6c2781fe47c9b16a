/* share.cpp - is the work shared among the blocks of a grid? */
#include "tools/grading/checks.h"

enum { LONG_BYTES = 65536 * 4 }; /* arrays that are shorter one block may do */

static uint64_t bytes_of(const struct result *r, bool output) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < r->call.job.arrays; i++) {
        const struct array_order *order = &r->call.job.array[i];
        sum += (output ? order->output : order->input) ? r->call.arrays[i].bytes : 0;
    }
    return sum;
}

static void judge_block(const struct result *r, bool output, const char *advice) {
    uint64_t all = bytes_of(r, output);
    for (unsigned i = 0; i < r->answer.launches && i < LAUNCHES_MAX && all >= LONG_BYTES; i++) {
        const struct launch *l = &r->answer.launch[i];
        if ((output ? l->most_output_bytes : l->most_input_bytes) > all / 2) {
            judge_fail("access_limit",
                       "the result is right, but a single block of %s %s more than half of %s.%s\n          %s",
                       l->called, output ? "wrote" : "read", output ? "it" : "the input", judge_launch_text(r).c_str(),
                       advice);
        }
    }
}

void judge_shared(const struct result *r, unsigned long long least_threads, const char *advice) {
    if (judge_counted(r)) {
        judge_block(r, true, advice);
        judge_block(r, false, advice);
        judge_parallel(r, least_threads, advice);
    }
}
