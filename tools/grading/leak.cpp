/* leak.cpp - device memory that a function keeps. Memory kept once, for later calls, is a workspace; memory kept by each call is a leak. */
#include "tools/grading/checks.h"

/* A call that did not free its memory: its function, its runner, and the size of its arrays. */
struct kept {
    std::string symbol;
    unsigned process;
    uint64_t bytes;
};

static uint64_t bytes_of(const struct job *job) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < job->arrays; i++) {
        bytes += job->array[i].bytes;
    }
    return bytes;
}

void checks_leak(const struct result *r) {
    static std::vector<struct kept> earlier;
    const struct kept now = {r->call.job.symbol, process_number(), bytes_of(&r->call.job)};
    if (!r->answer.alive) {
        return;
    }
    for (const struct kept &k : earlier) {
        if (k.symbol == now.symbol && k.process == now.process && k.bytes >= now.bytes) {
            judge_fail("api_error",
                       "%s allocated memory and did not free it, in this call and in an earlier one: it uses more "
                       "memory with each call.\n          Free it in the stream after the kernel that uses it "
                       "(cudaFreeAsync), or keep and reuse it.",
                       r->call.function->name);
        }
    }
    earlier.push_back(now);
}
