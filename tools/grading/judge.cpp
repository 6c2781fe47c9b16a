/* judge.cpp - a call as a job, and the criteria applied to every call. The order of the checks and main() are in
 * checks.cpp, results in wrong_numbers.cpp, advice in first_steps.cpp; README.md lists what the other files decide. */
#include "tools/grading/grader.h"

#include <sys/wait.h>

#include "tools/grading/checks.h"
#include "tools/grading/report.h"
#include "tools/grading/show.h"

// ---------------------------------------------------------------- describing a call

struct call judge_call(const struct function *function) {
    struct call call = {};
    call.function = function;
    call.given.resize(ARRAYS_MAX);
    call.job.count = 1;
    snprintf(call.job.symbol, sizeof call.job.symbol, "%s", function->symbol.c_str());
    return call;
}

static struct array_order *add_array(struct call *call, const char *name, decltype(array_facts::role) role, size_t size,
                                     struct place place) {
    if (call->arrays.size() == ARRAYS_MAX) {
        fprintf(stderr, "grader: more than %d arrays\n", ARRAYS_MAX);
        exit(2);
    }
    struct array_order *order = &call->job.array[call->job.arrays++];
    call->arrays.push_back({name, role, size, place, 0, 0, blob()});
    order->bytes = place.offset + size + place.slack;
    order->wanted = 1;
    order->input = role == array_facts::INPUT || role == array_facts::BOTH;
    order->output = role == array_facts::OUTPUT || role == array_facts::BOTH;
    return order;
}

static struct handle last(const struct call *call) {
    return {call->job.arrays - 1, call->arrays.back().place.offset};
}

static blob poison(size_t bytes) {
    blob content(bytes);
    verify_poison_host(content.data(), bytes);
    return content;
}

/* Content in the middle, poison before and after it. */
static void give(struct call *call, struct array_order *order, const void *content) {
    struct array_facts *facts = &call->arrays.back();
    blob *given = &call->given[call->job.arrays - 1];
    *given = poison(order->bytes);
    if (facts->bytes) {
        memcpy(given->data() + facts->place.offset, content, facts->bytes);
    }
    order->given = 1;
    facts->before = *given;
}

struct handle judge_input(struct call *call, const char *name, const void *content, size_t size, struct place place) {
    give(call, add_array(call, name, array_facts::INPUT, size, place), content);
    return last(call);
}

struct handle judge_output(struct call *call, const char *name, size_t size, struct place place) {
    struct array_order *order = add_array(call, name, array_facts::OUTPUT, size, place);
    order->ask_from = place.offset;
    order->ask_bytes = size;
    call->arrays.back().before = poison(order->bytes);
    return last(call);
}

struct handle judge_in_out(struct call *call, const char *name, const void *content, size_t size, struct place place) {
    struct array_order *order = add_array(call, name, array_facts::BOTH, size, place);
    give(call, order, content);
    order->ask_from = place.offset;
    order->ask_bytes = size;
    return last(call);
}

struct handle judge_host_input(struct call *call, const char *name, const void *content, size_t size) {
    struct handle array = judge_input(call, name, content, size);
    call->job.array[array.array].home = ON_HOST;
    return array;
}

struct handle judge_host_output(struct call *call, const char *name, size_t size, struct place place) {
    struct handle array = judge_output(call, name, size, place);
    call->job.array[array.array].home = ON_HOST;
    return array;
}

struct handle judge_pinned_input(struct call *call, const char *name, const void *content, size_t size) {
    struct handle array = judge_input(call, name, content, size);
    call->job.array[array.array].home = ON_HOST_PINNED;
    return array;
}

struct handle judge_pinned_output(struct call *call, const char *name, size_t size, struct place place) {
    struct handle array = judge_output(call, name, size, place);
    call->job.array[array.array].home = ON_HOST_PINNED;
    return array;
}

struct handle judge_kept(struct call *call, const char *name, const void *content, size_t size) {
    struct array_order *order = add_array(call, name, array_facts::OTHER, size, {});
    order->kept = 1;
    if (content) {
        give(call, order, content);
    }
    return last(call);
}

void judge_rows(struct call *call, struct handle array, size_t row, size_t pitch) {
    struct array_order *order = &call->job.array[array.array];
    struct array_facts *facts = &call->arrays[array.array];
    order->ask_row = facts->row = row;
    order->ask_pitch = facts->pitch = pitch;
}

static struct argument *add_argument(struct call *call, enum argument_kind kind) {
    if (call->job.arguments == ARGUMENTS_MAX) {
        fprintf(stderr, "grader: more than %d arguments\n", ARGUMENTS_MAX);
        exit(2);
    }
    struct argument *argument = &call->job.argument[call->job.arguments++];
    argument->kind = kind;
    return argument;
}

void judge_argument(struct call *call, struct handle array) {
    struct argument *argument = add_argument(call, ARGUMENT_ARRAY);
    argument->array = array.array;
    argument->integer = array.from;
}

void judge_argument(struct call *call, int number) {
    add_argument(call, ARGUMENT_INTEGER)->integer = (uint64_t)(int64_t)number;
}

void judge_argument(struct call *call, unsigned long long number) {
    add_argument(call, ARGUMENT_INTEGER)->integer = number;
}

void judge_argument(struct call *call, float number) {
    add_argument(call, ARGUMENT_FLOAT)->real = number;
}

void judge_argument(struct call *call, stream_argument) {
    add_argument(call, ARGUMENT_STREAM);
}

// ---------------------------------------------------------------- execution

static void judge_end(const struct conversation *c, const struct call *call) {
    switch (c->end) {
    case TALK_ANSWERED:
        if (c->answer.ended && c->answer.verdict[0] && strcmp(c->answer.verdict, "none") != 0) {
            judge_fail(c->answer.verdict,
                       "the emulator's report above describes the fault in a kernel. The program exited in %s when a "
                       "CUDA call reported it.",
                       call->function->name);
        }
        if (c->answer.ended) {
            break;
        }
        return;
    case TALK_TIMEOUT:
        judge_fail("timeout",
                   "the program did not terminate: look for an endless loop, or a host call that waits forever.%s%s",
                   call->timeout_advice ? "\n          " : "", call->timeout_advice ? call->timeout_advice : "");
    case TALK_FLOOD:
        judge_fail("crash", "the output was cut after 1 MB: does a printf run in every thread?");
    case TALK_ENDED:
        break;
    }
    if (c->end == TALK_ENDED && (WIFSIGNALED(c->status) || WEXITSTATUS(c->status) > 128)) {
        judge_fail("crash", "%s in %s.", c->why.c_str(), call->function->name);
    }
    judge_fail("crash", "the program exited in %s, before it returned: does it call exit?", call->function->name);
}

static struct result ask(const struct call *call, struct conversation *c) {
    if (show_only()) {
        *c = {};
        checks_pending(+1);
        return show_note(call);
    }
    struct job job = call->job;
    job.token = checks_random();
    *c = process_ask(&job, call->given, call->apart);
    if (!call->quiet) {
        report_foreign(c->printed.data(), c->printed.size());
    }
    checks_pending(+1);
    bool ended = c->end != TALK_ANSWERED || c->answer.ended;
    bool failed = c->end != TALK_ANSWERED ? !WIFEXITED(c->status) || WEXITSTATUS(c->status) : c->answer.status;
    return {*call, c->answer, c->arrays, c->launches, c->harvest, c->printed, c->to_stdout, ended, ended && failed};
}

struct result judge_try(const struct call *call) {
    struct conversation c;
    struct result r = ask(call, &c);
    if (c.end == TALK_TIMEOUT || c.end == TALK_FLOOD) {
        judge_end(&c, call);
    }
    return r;
}

struct result judge_run(const struct call *call) {
    struct conversation c;
    struct result r = ask(call, &c);
    if (c.end == TALK_ANSWERED && c.answer.ended) {
        checks_error(&r);
    }
    judge_end(&c, call);
    checks_call(&r);
    return r;
}

// ---------------------------------------------------------------- everything but the results

static void judge_untouched(const struct result *r, size_t i) {
    const struct array_facts *facts = &r->call.arrays[i];
    const blob &now = r->contents[i], &before = facts->before;
    size_t from = facts->place.offset, to = from + facts->bytes;
    for (size_t b = 0; b < before.size(); b++) {
        bool within = b >= from && b < to;
        bool inside = within && (!facts->pitch || (b - from) % facts->pitch < facts->row);
        if (now[b] == before[b] || (inside && facts->role != array_facts::INPUT)) {
            continue;
        }
        if (inside) {
            judge_fail("wrong_result", "the input %s was modified, at element %zu: write the result to its own array.",
                       facts->name, (b - from) / sizeof(float));
        }
        judge_fail("out_of_bounds",
                   "memory %s %s was written, at byte %lld: does every thread check that its element exists?",
                   within     ? "between the rows of"
                   : b < from ? "before"
                              : "behind",
                   facts->name, (long long)b - (long long)from);
    }
}

static const char *author_text(const std::string &author) {
    return author == "copy"     ? "a copy (such as cudaMemcpy) wrote it"
           : author == "memset" ? "cudaMemset wrote it"
           : author == "host"   ? "the host wrote it"
                                : "it was not written in this call";
}

static void judge_authors(const struct result *r, size_t i) {
    const struct array_report *report = &r->answer.array[i];
    const struct array_facts *facts = &r->call.arrays[i];
    if (report->not_by_kernels < 0 || (size_t)report->not_by_kernels >= r->call.job.array[i].ask_bytes) {
        return;
    }
    judge_fail(r->answer.launches ? "not_by_kernel" : "not_implemented",
               "element %lld of %s is right, but no kernel wrote it: %s.\n          The result has to be computed on "
               "the device%s",
               (long long)report->not_by_kernels / (long long)sizeof(float), facts->name, author_text(report->author),
               r->answer.launches ? "." : ", and no kernel was launched.");
}

void judge_work(const struct result *r) {
    if (show_only()) {
        return;
    }
    for (size_t i = 0; i < r->call.arrays.size(); i++) {
        const struct array_facts *facts = &r->call.arrays[i];
        if (r->answer.array[i].damaged != INT64_MIN) {
            judge_fail("out_of_bounds",
                       "memory outside %s was written, at byte %lld: does every thread check that its element exists?",
                       facts->name, (long long)r->answer.array[i].damaged - (long long)facts->place.offset);
        }
        if (r->call.job.array[i].wanted && !facts->before.empty() && facts->role != array_facts::OTHER) {
            judge_untouched(r, i);
        }
    }
    for (size_t i = 0; i < r->call.arrays.size(); i++) {
        judge_authors(r, i);
    }
    checks_carried(r);
}

void judge_rest(const struct result *r) {
    checks_pending(-1);
    judge_work(r);
    if (show_only()) {
        return;
    }
    if (r->call.frees) {
        checks_leak(r);
    }
    if (r->call.limits && judge_counted(r)) {
        checks_limits(r);
    }
}

double judge_sectors_read(const struct emulatorCounters *c) {
    return (double)(c->global_load_sectors + c->texture_sectors + c->surface_load_sectors) + c->bulk_load_bytes / 32.0;
}

void judge_as_capability(const char *capability, bool quiet) {
    show_skip();
    process_start(quiet, capability);
}

void judge_allow_unwritten(void) {
    setenv("EMULATOR_CHECK", CHECKS_BUT_INITCHECK, 1);
    process_start();
}

void judge_only_looked(const struct result *) {
    checks_pending(-1);
}

// ---------------------------------------------------------------- checks that every exercise has

/* The emulator's reports are not the function's output: without its kernel, the results are memory that was never written. */
bool judge_printed(const struct result *r) {
    const std::string &printed = r->printed;
    for (size_t at = 0, end; at < printed.size(); at = end + 1) {
        end = printed.find('\n', at);
        end = end == std::string::npos ? printed.size() : end;
        if (end > at && printed.compare(at, 9, "=========") != 0) {
            return true;
        }
    }
    return false;
}

void judge_refused_launch(struct call call) {
    snprintf(call.job.fail_call, sizeof call.job.fail_call, "launch");
    call.job.fail_number = 1;
    call.quiet = true;
    process_start(true);
    struct result r = judge_try(&call);
    judge_only_looked(&r);
    bool told = r.ended ? r.ended_badly : judge_printed(&r);
    if (!r.answer.error_failed && !(r.ended && r.answer.token == 0)) {
        judge_fail("not_implemented", "no kernel was launched.");
    }
    if (!told) {
        judge_fail("api_error",
                   "a launch failed (the grader injected %s), and %s did not report it.\n          A launch returns "
                   "nothing; query its error with CUDA_CHECK_LAUNCH() right after it, which reports it.",
                   r.answer.error_names[3], call.function->name);
    }
}

void judge_busy_stream(struct call call) {
    if (!judge_on_emulator()) { /* a GPU loads a kernel at its first launch, and may then wait for all streams */
        struct result loaded = judge_run(&call);
        judge_only_looked(&loaded);
    }
    call.job.busy = 1;
    struct result r = judge_run(&call);
    if (r.answer.waited_busy) {
        judge_fail("api_error",
                   "%s returned only after all earlier work in its stream had completed.\n          A launcher queues "
                   "its work and returns; its caller decides when to wait.",
                   call.function->name);
    }
    judge_rest(&r);
}
