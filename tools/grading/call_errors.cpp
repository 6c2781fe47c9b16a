/* call_errors.cpp - the criteria applied to every call before its results are checked: CUDA errors, findings of the
 * emulator, waiting, and launches into another stream. */
#include "tools/grading/checks.h"

/* The emulator's most severe finding as a verdict; NULL without a finding. */
static const char *emulator_verdict(const struct result *r) {
    std::string word = r->answer.verdict;
    if (word == "none" || word.empty()) {
        return NULL;
    }
    if (word == "trap" || word == "assert" || word == "launch_failure") {
        return "launch_error";
    }
    return word == "unsupported" ? "api_error" : r->answer.verdict;
}

static const char *error_verdict(int error) {
    switch (error) {
    case cudaErrorIllegalAddress:
        return "out_of_bounds";
    case cudaErrorMisalignedAddress:
        return "misaligned";
    case cudaErrorLaunchTimeout:
        return "timeout";
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorIllegalInstruction:
        return "launch_error";
    default:
        return "api_error";
    }
}

/* The grader's exercise-specific advice about an illegal access. */
static std::string advice(const struct result *r, const char *verdict) {
    bool astray = strcmp(verdict, "out_of_bounds") == 0 || strcmp(verdict, "race") == 0;
    if (strcmp(verdict, "timeout") == 0 && r->call.timeout_advice) {
        return std::string("\n          ") + r->call.timeout_advice;
    }
    return astray && r->call.advice ? std::string("\n          ") + r->call.advice : "";
}

static const struct launch *last_launch(const struct result *r) {
    unsigned count = r->answer.launches < LAUNCHES_MAX ? r->answer.launches : LAUNCHES_MAX;
    return count ? &r->answer.launch[count - 1] : NULL;
}

static bool impossible(const struct launch *l) {
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    return threads == 0 || threads > 1024 || l->block[2] > 64 || l->grid[0] == 0 || l->grid[0] > INT32_MAX ||
           l->grid[1] == 0 || l->grid[1] > 65535 || l->grid[2] == 0 || l->grid[2] > 65535;
}

/* Where a thread arrives at an mbarrier in the wrong phase, chance decides which waits end and which reads and writes have happened by
 * then: other reports, and a wait that never ends, are consequences. */
static void judge_arrivals(const struct result *r, const char *verdict, const char *name) {
    bool arrival = false,
         later = verdict && (strcmp(verdict, "divergent_barrier") == 0 || strcmp(verdict, "race") == 0);
    for (const char *title : {"A thread arrives at an mbarrier whose previous phase may not be complete.",
                              "More threads arrive at an mbarrier than it expects in one phase"}) {
        arrival |= r->printed.find(title) != std::string::npos;
    }
    if (arrival && later) {
        judge_next("list, for each phase of that mbarrier, which threads arrive, and what each of them has waited for");
        judge_fail("race",
                   "%s%sthe report above of a thread that arrives at an mbarrier names the cause; the others may be "
                   "consequences.%s",
                   name, *name ? ": " : "", judge_launch_text(r).c_str());
    }
}

void judge_error(const struct result *r, int error, const char *name) {
    const char *verdict = emulator_verdict(r);
    const struct launch *l = last_launch(r);
    if (verdict && strcmp(verdict, "use_after_free") == 0 && r->call.at_race) {
        r->call.at_race(r);
    }
    judge_arrivals(r, verdict, name);
    if (verdict) {
        judge_fail(verdict, "%s: the report above names the kernel and the line.%s%s", name,
                   judge_launch_text(r).c_str(), advice(r, verdict).c_str());
    }
    if (l && impossible(l)) {
        judge_fail("launch_error",
                   "a launch of %u x %u x %u blocks of %u x %u x %u threads is not possible (%s).\n          A grid "
                   "has at least one block, and at most 2^31 - 1 in x and 65535 in y and in z; a block has 1 to 1024 "
                   "threads, at\n          most 64 in z; if there is nothing to compute, launch nothing.",
                   l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], name);
    }
    judge_fail(error_verdict(error), "%s\n          %s", name, check_advice((cudaError_t)error));
}

/* Was something launched into another stream, with no event that could order it? (The launch of a graph has no grid; its kernels were
 * launched into another stream to be captured.) */
static bool stream_left_out(const struct result *r) {
    bool other = false, graph = false;
    for (const struct launch &l : r->launches) {
        other |= l.other_stream != 0;
        graph |= l.grid[0] == 0;
    }
    return other && !graph && r->answer.calls[CALL_EVENT] == 0;
}

/* The undefined value comes from lanes that do not take part in a shuffle, not from memory. */
static bool only_lanes_missing(const struct result *r) {
    return r->printed.find("Undefined value of a shuffle") != std::string::npos &&
           r->printed.find("Uninitialized ") == std::string::npos;
}

static void judge_reports(const struct result *r) {
    const char *verdict = emulator_verdict(r);
    bool race = verdict ? strcmp(verdict, "race") == 0 : !judge_on_emulator(); /* a GPU does not report races */
    if (race && r->call.job.own_stream && stream_left_out(r)) {
        judge_fail("race",
                   "%s launched a kernel in a stream other than the one it was given, so nothing orders it after the "
                   "copy of its input.\n          Pass the stream: <<<grid, block, 0, stream>>>",
                   r->call.function->name);
    }
    if (verdict && race && r->call.at_race) {
        r->call.at_race(r);
    }
    judge_arrivals(r, verdict, "");
    if (verdict && strcmp(verdict, "uninitialized") == 0 && only_lanes_missing(r)) {
        judge_next(first_step("lost_lane").step.c_str());
        judge_fail(verdict, "the report above names the kernel and the line.%s", judge_launch_text(r).c_str());
    }
    if (verdict) {
        judge_fail(verdict, "the report above names the kernel and the line.%s%s", judge_launch_text(r).c_str(),
                   advice(r, verdict).c_str());
    }
}

void checks_error(const struct result *r) {
    if (r->answer.error_left) {
        judge_error(r, r->answer.error_left, r->answer.error_names[1]);
    }
}

void checks_call(const struct result *r) {
    const struct answer *a = &r->answer;
    checks_error(r);
    if (a->waited[0] && !r->call.may_wait) {
        judge_fail("api_error",
                   "%s called %s, which waits for the device. A launcher queues its work and returns; its caller "
                   "decides when to wait.",
                   r->call.function->name, a->waited);
    }
    if (a->error_later) {
        judge_error(r, a->error_later, a->error_names[2]);
    }
    judge_reports(r); /* errors that a GPU may not detect */
}
