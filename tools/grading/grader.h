/* grader.h - how to write a grader: what each lessons/lessonNN_name/grader.cpp includes.
 * A grader is a program that contains the inputs, the expected results and the judgement, but no student code. That code is in a
 * shared object, which a second program, the runner, loads and calls (protocol.h). The two share only a socket. So a grader
 * describes a call, has it executed, and checks the answer:
 *
 *     static const struct function scale = FUNCTION(void, scale, float, const float *, float *, int, cudaStream_t);
 *
 *     static void scale_random(void) {
 *         judge_doing("scale, n = %d, seed %d", n, seed);                      for messages
 *         struct call c = judge_call(&scale);
 *         struct handle x = judge_input(&c, "x", input, n * sizeof(float));    device memory that must stay as it is
 *         struct handle y = judge_output(&c, "y", n * sizeof(float));          poisoned; kernels must write all of it
 *         judge_pass(&c, 2.5f, x, y, n, STREAM);                               the arguments, in their order
 *         struct result r = judge_run(&c);                                     fails by itself on errors, reports and waiting
 *         judge_compare(&r, y, expected, n, 1e-6, 1e-5, remark);               fails with the first element that is wrong
 *         judge_rest(&r);                                                      inputs unharmed, nothing beside, written by kernels
 *     }
 *
 *     int main(int argc, char **argv) {
 *         static const struct check checks[] = {
 *             {"scale", "scale, random input, n = 1 31 1000", scale_random, EVERYWHERE},
 *             {"scale", "scale reads each element once", scale_thrifty, ON_EMULATOR},
 *             {"scale", "scale reports a failed launch", scale_refused, EVERYWHERE},
 *             JUDGE_AGAIN(scale_again),
 *         };
 *         return judge_main(argc, argv, "NN", {&scale}, checks, sizeof checks / sizeof checks[0]);
 *     }
 *
 * - A check has a name, which is in the results in any case: ok, failed or not run. `pass` requires all of them to be ok.
 *   Each has a separate runner, so that a crash or a sticky error hides nothing. The first check of a part (first column) is the
 *   prerequisite of the others: if it fails, they are not run. The parts are independent. The verdict is that of the first failure.
 * - JUDGE_AGAIN is run when all others have passed: it draws sizes and inputs with judge_draw, so no program can be prepared for them.
 *   Let it do each kind of job once. SEED=n repeats a draw.
 * - Each failure ends its check with judge_fail(verdict, ...). Each judge_run must be followed by judge_rest or judge_only_looked.
 * - judge_input copies the content in the caller's stream (STREAM, with judge_own_stream) and the results are fetched in it: work in
 *   another stream that is not joined to it by events is a race, which the emulator detects. Handles are not compared.
 * - On the emulator every run is counted: r.answer.counters, and, by array and by launch, the functions under "counts" below. State limits once, as a
 *   function of the shape, in call.limits, for fixed and drawn runs alike; judge_rest calls it when all else is right:
 *
 *       c.limits = [=](const struct result *r) {
 *           judge_reads(r, x, {0.9, 1.1}, "Read each element once.");    of x alone: scratch, flags and barriers are elsewhere
 *           judge_parallel(r, 4096, "Give each block a piece.");         applied to the launches that do the work
 *       };
 *
 *   A check marked LIMITS_HERE judges them for its whole part. An upper limit on work needs a lower limit as well, unless the result implies it.
 * - judge_rest checks that kernels computed the result: a kernel was the last writer of each of its bytes (on the emulator), and the host did not
 *   transfer as much to the device as half of the result (of 1 KB and more), in any way: otherwise kernels may only have copied it. If a correct
 *   program uploads that much, call judge_allow_upload.
 * - judge_as_capability("7.5") gives the emulated device another compute capability, in checks that are ON_EMULATOR.
 * - The place, struct place{offset, slack}, determines the bytes before (`offset`) and after (`slack`) an array.
 * - A GPU provides no counters, authors or reports. Such checks are ON_EMULATOR; the rest works.
 *
 * Verdicts: pass, wrong_result, nan (NaN where there should be none, or none where there should be), stale_output (elements never
 * written), not_by_kernel (right, but the host or a copy wrote it), out_of_bounds, misaligned, use_after_free, host_pointer, race,
 * divergent_barrier, lost_lane, uninitialized (read of memory that was never written), access_limit (right, but wasteful), launch_error,
 * api_error, timeout, not_implemented (nothing was launched), crash, compile_error.
 */
#ifndef TOOLS_GRADING_GRADER_H
#define TOOLS_GRADING_GRADER_H

#include <functional>
#include <initializer_list>
#include <string>
#include <typeinfo>
#include <vector>

#include "common/verify.h"
#include "tools/grading/process.h"

// ---------------------------------------------------------------- functions of the exercise

struct function {
    const char *name, *prototype;
    std::string symbol; /* the mangled C++ name: name and parameters */
};

/* A function type that returns nothing is spelled F v PARAMETERS E, and a function _Z LENGTH NAME PARAMETERS. */
template <class... Parameters> std::string judge_symbol(const char *name) {
    std::string type = typeid(void(Parameters...)).name();
    return "_Z" + std::to_string(strlen(name)) + name + type.substr(2, type.size() - 3);
}

#define FUNCTION(result, name, ...)                                                                                    \
    { #name, #result " " #name "(" #__VA_ARGS__ ")", judge_symbol < __VA_ARGS__>(#name) }

// ---------------------------------------------------------------- checks

enum where { EVERYWHERE, ON_EMULATOR };

/* Where the limits of a part's calls are judged: each in its own check, at once; or all of them, for the part's checks up to this one, in this one,
 * so that a check of results passes as soon as the results are right. */
enum judged { AT_ONCE, LIMITS_HERE };

struct check {
    const char *part, *name;
    void (*run)(void);
    enum where where;
    enum judged limits;
};

#define JUDGE_AGAIN(run)                                                                                               \
    { NULL, "again in a new process, with sizes and inputs drawn at random", run, EVERYWHERE, AT_ONCE }

int judge_main(int argc, char **argv, const char *number, std::initializer_list<const struct function *> functions,
               const struct check *checks, size_t count);

bool judge_on_emulator(void);

/* In this check memory that was never written may be read: only the results decide, and new memory holds NaN. For data that a program may leave
 * unwritten because no result depends on it. A fresh runner. */
void judge_allow_unwritten(void);

/* Further calls of this check run on a device that has this compute capability, "8.6": a fresh runner. Only on the emulator.
 * `quiet`: the emulator explains no errors. */
void judge_as_capability(const char *capability, bool quiet = false);

/* The current subject of the grading, for messages: "gelu_erf, n = 33, seed 2". */
void judge_doing(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A measured value, shown after the name of the check when it passes. */
void judge_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

[[noreturn]] void judge_fail(const char *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The student's next step for the judge_fail that follows, where the verdict's default first step (first_steps.cpp) would mislead. */
void judge_next(const char *step);

/* A remark for the student that does not fail the check: kernels that compute in double precision. */
void judge_remark_doubles(void);

/* The resource usage that ptxas reports for a student's kernel for compute capability 9.0, by the name in its launch (struct launch). */
struct machine_code {
    int registers;                 /* of a thread */
    int shared;                    /* bytes of a block that the kernel declares */
    int spill_stores, spill_loads; /* bytes of a thread's registers that were spilled */
    int frame; /* bytes of a thread in local memory: spills, and arrays whose indices are not constant */
};

struct machine_code judge_ptxas(const char *kernel);

/* The PTX of a student's kernel and of all functions that it may call; if there is PTX for several compute capabilities, the version that a
 * device of this one loads, 86 for 8.6. */
std::string judge_ptx(const char *kernel, int capability = 0);

/* A number from low to high, from a generator that is seeded when the previous check has ended. */
int judge_draw(int low, int high);

// ---------------------------------------------------------------- a call

struct place {
    size_t offset, slack; /* bytes before and after the array that the function must not touch */
};

struct handle {
    unsigned array;
    size_t from; /* offset in bytes from its beginning */
};

struct stream_argument {};
static const stream_argument STREAM;

/* The purpose of an array, and its position in its allocation. */
struct array_facts {
    const char *name;
    enum { INPUT, OUTPUT, BOTH, OTHER } role;
    size_t bytes;
    struct place place;
    size_t row, pitch; /* only the first `row` bytes of every `pitch` belong to it; pitch 0: all do */
    blob before;       /* its content at the call */
};

struct call {
    const struct function *function;
    struct job job;
    std::vector<blob> given;
    std::vector<struct array_facts> arrays;
    bool may_wait;      /* the function may wait for the device */
    bool quiet;         /* output printed in the call is kept in result.printed, not shown */
    unsigned shown;     /* judge_show; 0: it was not called */
    bool apart;         /* judge_stdout */
    bool counted;       /* judge_count: the call is about counts, so it is one to show */
    bool frees;         /* memory that the function allocates must not grow from call to call; judge_rest checks */
    const char *advice; /* printed after an illegal access; NULL: none */
    const char *timeout_advice; /* printed when a kernel did not end; NULL: none */
    /* Called first when the emulator has found a race or a use of freed memory, to recognize one that follows from another mistake: it may
     * judge_fail. */
    std::function<void(const struct result *)> at_race;
    /* Called by judge_rest in every counted run, when all else is right: it may judge_fail. */
    std::function<void(const struct result *)> limits;
    uint64_t upload; /* bytes that the host may transfer to the device besides the arguments, see judge_allow_upload */
};

struct result {
    struct call call;
    struct answer answer;
    std::vector<blob> contents;
    std::vector<struct launch> launches; /* on the emulator all of them, in order; else the first LAUNCHES_MAX */
    blob harvest;
    std::string printed;
    uint64_t to_stdout;      /* bytes of it that were written to stdout, after judge_stdout */
    bool ended, ended_badly; /* the process ended in the call, with a nonzero exit status (only after judge_try) */
};

struct call judge_call(const struct function *function);
struct handle judge_input(struct call *call, const char *name, const void *content, size_t size,
                          struct place place = {});
struct handle judge_output(struct call *call, const char *name, size_t size, struct place place = {});
struct handle judge_in_out(struct call *call, const char *name, const void *content, size_t size,
                           struct place place = {});
/* Only the first `row` bytes of every `pitch` belong to the array: kernels must write these, if it holds results, and
 * nothing may write the others. */
void judge_rows(struct call *call, struct handle array, size_t row, size_t pitch);
struct handle judge_host_input(struct call *call, const char *name, const void *content, size_t size);
struct handle judge_host_output(struct call *call, const char *name, size_t size, struct place place = {});
/* Pinned memory of the host. As with device memory, the input arrives and the output is fetched in the caller's stream: work that is
 * not joined to that stream is a race. On the emulator the output must be a kernel's work that was copied here. */
struct handle judge_pinned_input(struct call *call, const char *name, const void *content, size_t size);
struct handle judge_pinned_output(struct call *call, const char *name, size_t size, struct place place = {});
/* Memory that keeps its content from job to job of one runner; `content` NULL: unchanged, or poisoned at first. */
struct handle judge_kept(struct call *call, const char *name, const void *content, size_t size);

void judge_argument(struct call *call, struct handle array);
void judge_argument(struct call *call, int number);
void judge_argument(struct call *call, unsigned long long number);
void judge_argument(struct call *call, float number);
void judge_argument(struct call *call, stream_argument);

template <class... Arguments> void judge_pass(struct call *call, Arguments... arguments) {
    (judge_argument(call, arguments), ...);
}

static inline void judge_own_stream(struct call *call) {
    call->job.own_stream = 1;
}

/* On the emulator: the blocks of a launch take turns at their barriers, in any order. For blocks that wait for each other. */
static inline void judge_mix(struct call *call) {
    call->job.mixed = 1;
}

/* Every run is counted anyway, on the emulator. */
static inline void judge_count(struct call *call) {
    call->job.count = 1;
    call->counted = true;
}

/* The current device is not device 0, and the other devices report this compute capability, 86 for 8.6. The emulator has to emulate
 * several devices (EMULATOR_DEVICES). */
static inline void judge_on_device(struct call *call, int device, int others) {
    call->job.device = (uint32_t)device;
    call->job.others = (uint32_t)others;
}

/* Counts the function's output on stdout, in result.to_stdout: the judge does so, at the other end of that pipe. */
static inline void judge_stdout(struct call *call) {
    call->apart = true;
}

/* Pinned inputs arrive in the caller's stream, this many milliseconds after the function has returned (1 or more): until then each holds
 * the complement of its bits, and work that does not wait computes with that. */
static inline void judge_late(struct call *call, int milliseconds) {
    call->job.late_ms = (uint32_t)milliseconds;
}

/* The function is called a second time, directly after the first. */
static inline void judge_twice(struct call *call) {
    call->job.again = 1;
}

/* On a GPU: result.answer.call_ms, the median of `turns` calls, and copy_ms, that of copies of this many bytes, alternating with them. A limit is
 * a multiple of the copy's time, never a time. */
static inline void judge_time(struct call *call, int turns, size_t copy_bytes) {
    call->job.turns = (uint32_t)turns;
    call->job.copy_bytes = copy_bytes;
}

/* The call that make exercise08 profile, view and sanitize make, this many times in a row. The default is the largest of the calls with
 * judge_count, or else the largest: it should take a few seconds on the emulator. */
static inline void judge_show(struct call *call, unsigned times = 1) {
    call->shown = times;
}

/* Sectors of 32 bytes that kernels read in global memory, in any way except by atomics, which have separate counters. */
double judge_sectors_read(const struct emulatorCounters *counters);

// ---------------------------------------------------------------- counts

/* Has the emulator counted this run? The functions below check it first, and do nothing on a GPU. */
bool judge_counted(const struct result *r);

/* All accesses to an array, of every kind: see emulator.h. */
const struct emulatorArrayCounters *judge_counts_of(const struct result *r, struct handle array);
/* Sectors of 32 bytes of this array that were read or written: loads and stores, atomics (as both), textures and surfaces, bulk copies, and
 * copies from device to device. */
double judge_sectors_of(const struct result *r, struct handle array);
double judge_sectors_written_of(const struct result *r, struct handle array);
/* Bytes of it that threads loaded (for textures and surfaces those of the sectors), regardless of the access pattern: how often each
 * element was read. */
double judge_bytes_read_of(const struct result *r, struct handle array);
/* Reads and writes outside of all arrays, in memory that the student's code allocated. Polling is excluded: volatile, relaxed and acquire loads,
 * and atomics. */
double judge_sectors_elsewhere(const struct result *r);

/* Of several launches the one that read and wrote most of the arrays; the first, if nothing was counted. */
const struct launch *judge_main_launch(const struct result *r);

/* Fails unless the number of sectors read, or written, is within these multiples of the array's. `advice` ends the message. */
struct between {
    double least, most;
};
void judge_reads(const struct result *r, struct handle array, struct between limits, const char *advice);
void judge_writes(const struct result *r, struct handle array, struct between limits, const char *advice);

/* Fails when more than an eighth of the results was written, or of the inputs read, in launches in which fewer threads did that, or one block
 * did more than half of it. Idle threads do not count, wherever they are. Does not apply if a thread would have
 * fewer than four elements. */
void judge_parallel(const struct result *r, unsigned long long least_threads, const char *advice);

/* The same, and if results or inputs have 256 KB or more, a single block may neither write nor read more than half of them; nor may the busiest
 * blocks of several launches together do more than half of the work: then one block works at a time. */
void judge_shared(const struct result *r, unsigned long long least_threads, const char *advice);

/* The host may transfer this many more bytes to the device: a table, pointers. */
void judge_allow_upload(struct call *call, size_t bytes);

/* Has the call executed. The common failures end the check here: a crash, no end, an error, a report of the emulator, waiting. */
struct result judge_run(const struct call *call);

/* Has the call executed, and accepts any outcome. */
struct result judge_try(const struct call *call);

/* The content of an array after the call, and how many of its bytes were requested. */
template <class Type> const Type *judge_content(const struct result *r, struct handle array) {
    return (const Type *)(r->contents[array.array].data() + r->call.arrays[array.array].place.offset);
}

/* As printf, to a string: for remarks. */
std::string judge_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Explains why an element may be wrong, from its index and the value found. */
typedef std::function<std::string(long long bad)> judge_remark;

/* Which thread writes element i, if each thread has one element: thread i by default; MIRRORED: the thread at the other end; NOBODY_KNOWS:
 * unknown. */
enum owner { THREAD_OF_INDEX, THREAD_OF_MIRROR, NOBODY_KNOWS };

void judge_compare(const struct result *r, struct handle array, const float *expected, size_t n, double atol,
                   double rtol, const judge_remark &remark, enum owner owner = THREAD_OF_INDEX);

/* The same, bit for bit: -0.0 differs from 0.0, and one NaN from another. */
void judge_compare_bits(const struct result *r, struct handle array, const float *expected, size_t n,
                        const judge_remark &remark, enum owner owner = THREAD_OF_INDEX);

/* Ends the check because element `bad` is wrong. */
[[noreturn]] void judge_reject(const struct result *r, const float *found, const float *expected, size_t n,
                               long long bad, const std::string &remark, enum owner owner = THREAD_OF_INDEX);

/* Everything but the results: inputs unchanged, nothing written outside the arrays, results written by kernels. */
void judge_rest(const struct result *r);
/* The part of judge_rest that checks whether kernels computed the results, and what else was written. A grader that checks something else before
 * judge_rest, such as the number of launches, calls this first: if no kernel did the work, that is the failure to report. */
void judge_work(const struct result *r);
void judge_only_looked(const struct result *r);

/* "\n          your launch: 4 blocks of 256 threads", or all launches with their kernels' names; "" without a launch. */
std::string judge_launch_text(const struct result *r);
std::string judge_owner_text(const struct result *r, long long index, size_t n, enum owner owner);

/* The call printed something other than the emulator's reports. */
bool judge_printed(const struct result *r);

/* Ends the check because of a CUDA error: with the emulator's report, an impossible launch, or the meaning of the error. */
[[noreturn]] void judge_error(const struct result *r, int error, const char *name);

bool judge_all_poison(const float *found, size_t n);
long long judge_first_bad(const float *found, const float *expected, size_t n, double atol, double rtol);

// ---------------------------------------------------------------- checks that every exercise has

/* The call, with a launch that is refused: the function has to report it, by printing or by ending the program. */
void judge_refused_launch(struct call call);

/* The call, while its stream is busy with other work: the function must return anyway. */
void judge_busy_stream(struct call call);

#endif
