/* grader.h - what all graders share: who watches, which word is the verdict, and how it is told.
 *
 *     // tests/graders/lesson03.cu
 *     #include "tests/graders/grader.h"
 *     void gelu_erf(const float *x, float *y, int n, cudaStream_t stream);     what the exercise promises to define
 *     static void grade(void) { ... grader_passed("random input"); ... }       the first thing that fails ends it
 *     int main(void) { return grader_main("03", grade); }
 *     #include EXERCISE                                                        the student's file, always last
 *
 * Nothing in the student's file can change the checks. It is included last, so its macros reach no line of ours, and a
 * second main does not compile. It runs in a child process: when that crashes, exits or hangs, the parent still
 * says so, and it takes along what the child has started. The last line is `VERDICT: word`, followed by a random text, the
 * nonce, when the caller has put one into descriptor 9; each line about a check begins with it. It is read before any code of
 * the student runs, so a printf cannot forge these lines. The caller refuses files that use names of ours (grader_…). The exit
 * status is 0 for `VERDICT: pass` and for nothing else.
 *
 * Verdicts: pass, wrong_result, nan (NaN where there should be none, or none where there should be), stale_output
 * (elements never written), out_of_bounds, misaligned, use_after_free, host_pointer, race, divergent_barrier, lost_lane,
 * uninitialized (memory read that nobody has written), access_limit (right, but wasteful), launch_error, api_error,
 * timeout, not_implemented (nothing was launched), crash.
 *
 * The grader sees each launch: its own __cudaPushCallConfiguration, which <<<...>>> calls, notes the configuration and
 * hands it on. Calls that wait for the device are noted in the same way.
 */
#ifndef TESTS_GRADERS_GRADER_H
#define TESTS_GRADERS_GRADER_H

#include <dlfcn.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"
#include "common/device.h"
#include "common/verify.h"

// ---------------------------------------------------------------- the verdict

static char grader_nonce[65];
static const char *grader_number;
static int grader_pipe[2];

/* Runs before the constructors of the student's file. The caller has put the nonce into descriptor 9, where it can be read
 * once; a variable of the environment would be seen in /proc. */
__attribute__((constructor(101))) static void grader_take_nonce(void) {
    enum { NONCE_FD = 9 };
    ssize_t length = read(NONCE_FD, grader_nonce, sizeof grader_nonce - 1);
    grader_nonce[length > 0 ? length : 0] = 0;
    grader_nonce[strcspn(grader_nonce, " \n")] = 0;
    close(NONCE_FD);
}

/* Ends the child: the word goes to the parent, past whatever the student does at exit. */
static void grader_end(const char *verdict) {
    fflush(NULL);
    ssize_t sent = write(grader_pipe[1], verdict, strlen(verdict));
    _exit(sent < 0 || strcmp(verdict, "pass") != 0);
}

/* What is being graded now, for messages: "gelu_erf, n = 33, seed 2". */
static char grader_subject[200] = "before the first call";

static void grader_doing(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(grader_subject, sizeof grader_subject, format, arguments);
    va_end(arguments);
}

static void grader_passed(const char *what) {
    printf("%s  ok      %s\n", grader_nonce, what);
    fflush(stdout);
}

/* What to do first about a verdict. */
static const char *grader_next_step(const char *verdict) {
    static const struct {
        const char *verdict, *step;
    } steps[] = {
        {"not_implemented", "open " EXERCISE " and do the TODOs in their order"},
        {"wrong_result", "find the line of your file that does this"},
        {"nan", "follow such an input through your formula by hand"},
        {"stale_output", "find the thread that should have written it (is it launched? does the guard let it pass?)"},
        {"out_of_bounds", "compare the largest index with the length of the array, and look at the guard"},
        {"misaligned", "ask for what alignment the address was promised"},
        {"race", "ask which two threads touch the element that is named above, and what makes one wait for the other"},
        {"uninitialized", "ask who should have written the element that is named above, and when"},
        {"divergent_barrier", "ask of each thread of the block to which barriers it comes, and how often"},
        {"lost_lane", "ask which lanes the mask names, and which of them come to that line"},
        {"timeout", "ask of the loop on that line what makes it end, and in which thread it does not"},
        {"launch_error", "print the grid and the block just before the launch"},
        {"access_limit", "ask which addresses threads 0, 1 and 2 touch in the same instruction"},
    };
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        if (strcmp(steps[s].verdict, verdict) == 0) {
            return steps[s].step;
        }
    }
    return "change your file";
}

/* Says what was seen and what to do next, and ends the grading with this verdict. */
static void grader_fail(const char *verdict, const char *format, ...) {
    va_list arguments;
    fflush(stderr);
    printf("%s  failed  %s\n          ", grader_nonce, grader_subject);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n          next: %s, then: make exercise%s\n", grader_next_step(verdict), grader_number);
    grader_end(verdict);
}

/* The emulator's word for the worst thing it has found so far, as a verdict; NULL when it found nothing. */
static const char *grader_emulator_verdict(void) {
    const char *(*ask)(void) = (const char *(*)(void))device_emulator_function("emulatorVerdict");
    const char *word = ask ? ask() : "none";
    if (strcmp(word, "none") == 0) {
        return NULL;
    }
    if (strcmp(word, "trap") == 0 || strcmp(word, "assert") == 0 || strcmp(word, "launch_failure") == 0) {
        return "launch_error";
    }
    return strcmp(word, "unsupported") == 0 ? "api_error" : word;
}

static const char *grader_error_verdict(cudaError_t error) {
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

// ---------------------------------------------------------------- the student's calls, watched

/* What the student's code has launched and waited for since grader_watch. */
static struct grader_calls {
    bool on;
    int launches;
    dim3 grid, block; /* of the last launch */
    cudaStream_t expected;
    bool other_stream;   /* a launch went to a stream that is not `expected` */
    const char *blocked; /* a call that waits for the device, if one was made */
} grader_seen;

static void grader_watch(cudaStream_t expected) {
    grader_seen = grader_calls{};
    grader_seen.on = true;
    grader_seen.expected = expected;
}

/* The last launch in words, on a line of its own: "\n          your launch: …"; "" when there was none. */
static const char *grader_launch_text(void) {
    static char text[160];
    dim3 grid = grader_seen.grid, block = grader_seen.block;
    bool flat = grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1;
    const char *format = flat ? "\n          your launch: %u block%s of %u thread%s"
                              : "\n          your launch: %u x %u x %u blocks of %u x %u x %u threads";
    if (!grader_seen.launches) {
        return "";
    }
    if (flat) {
        snprintf(text, sizeof text, format, grid.x, grid.x == 1 ? "" : "s", block.x, block.x == 1 ? "" : "s");
    } else {
        snprintf(text, sizeof text, format, grid.x, grid.y, grid.z, block.x, block.y, block.z);
    }
    return text;
}

/* Who owns element `index` of a launch in one dimension that gives each thread one element. */
static void grader_owner_text(char *text, size_t size, long long index) {
    long long threads = grader_seen.block.x, all = threads * grader_seen.grid.x;
    *text = 0;
    if (grader_seen.grid.y * grader_seen.grid.z * grader_seen.block.y * grader_seen.block.z != 1 || all == 0) {
        return;
    }
    if (index < all) {
        snprintf(text, size, "; with one thread per element, element %lld belongs to thread %lld of block %lld", index,
                 index % threads, index / threads);
        return;
    }
    snprintf(text, size,
             "; with one thread per element, element %lld belongs to thread %lld of block %lld, which was not launched"
             "\n          (in a grid-stride loop: to thread %lld of block %lld, in its round %lld)",
             index, index % threads, index / threads, index % all % threads, index % all / threads, index / all + 1);
}

static void grader_note_launch(dim3 grid, dim3 block, cudaStream_t stream) {
    if (grader_seen.on) {
        grader_seen.launches++;
        grader_seen.grid = grid;
        grader_seen.block = block;
        grader_seen.other_stream |= stream != grader_seen.expected;
    }
}

#define GRADER_NEXT(name) ((decltype(&name))dlsym(RTLD_NEXT, #name))

/* Under another name in the source: the toolkit declares this function for the device as well. */
extern "C" unsigned grader_push(dim3 grid, dim3 block, size_t shared,
                                struct CUstream_st *stream) __asm__("__cudaPushCallConfiguration");

extern "C" unsigned grader_push(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream) {
    grader_note_launch(grid, block, stream);
    return ((decltype(&grader_push))dlsym(RTLD_NEXT, "__cudaPushCallConfiguration"))(grid, block, shared, stream);
}

/* Watches a call that makes the host wait. */
#define GRADER_BLOCKING(name, parameters, arguments)                                                                   \
    extern "C" cudaError_t name parameters {                                                                           \
        if (grader_seen.on) {                                                                                          \
            grader_seen.blocked = #name;                                                                               \
        }                                                                                                              \
        return GRADER_NEXT(name) arguments;                                                                            \
    }
GRADER_BLOCKING(cudaDeviceSynchronize, (void), ())
GRADER_BLOCKING(cudaStreamSynchronize, (cudaStream_t stream), (stream))
GRADER_BLOCKING(cudaEventSynchronize, (cudaEvent_t event), (event))
GRADER_BLOCKING(cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
                (to, from, bytes, kind))

static bool grader_impossible_launch(void) {
    dim3 grid = grader_seen.grid, block = grader_seen.block;
    unsigned long long threads = (unsigned long long)block.x * block.y * block.z;
    return grader_seen.launches && (threads == 0 || threads > 1024 || grid.x == 0 || grid.y == 0 || grid.z == 0);
}

/* An error in the student's code or in ours. `shown`: check.h has printed its meaning and what to try. */
static void grader_error(cudaError_t error, bool shown) {
    const char *verdict = grader_emulator_verdict();
    dim3 grid = grader_seen.grid, block = grader_seen.block;
    if (!verdict && grader_seen.on && grader_impossible_launch()) {
        grader_fail(
            "launch_error",
            "a launch of %u x %u x %u blocks of %u x %u x %u threads is not possible (%s).\n          A grid has "
            "at least one block, a block 1 to 1024 threads; where there is nothing to do, launch nothing.",
            grid.x, grid.y, grid.z, block.x, block.y, block.z, cudaGetErrorName(error));
    }
    if (verdict) {
        grader_fail(verdict, "%s: the report above names the kernel and the line.%s", cudaGetErrorName(error),
                    grader_launch_text());
    }
    grader_fail(grader_error_verdict(error), "%s: %s%s%s", cudaGetErrorName(error), cudaGetErrorString(error),
                shown ? "; see above." : "\n          ", shown ? "" : check_advice(error));
}

static void grader_cuda_failed(cudaError_t error) {
    grader_error(error, true);
}

/* To be called right after the student's function: collects the error that a launch left behind, waits for the kernel
 * and collects its error as well. `function` must have queued its work in the watched stream without waiting. */
static void grader_collect(const char *function, bool may_wait) {
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        grader_error(error, false);
    }
    grader_seen.on = false;
    if (grader_seen.blocked && !may_wait) {
        grader_fail("api_error", "%s called %s. A launcher queues its work and returns; waiting is up to its caller.",
                    function, grader_seen.blocked);
    }
    if (grader_seen.other_stream) {
        grader_fail(
            "wrong_result",
            "%s launched a kernel in another stream than the one it was given, so the kernel may run before its "
            "input is there.\n          Pass the stream: <<<grid, block, 0, stream>>>",
            function);
    }
    error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        grader_error(error, false);
    }
    if (grader_emulator_verdict()) { // something that a GPU may let pass
        grader_fail(grader_emulator_verdict(), "the report above names the kernel and the line.%s",
                    grader_launch_text());
    }
}

// ---------------------------------------------------------------- counts, on the emulator only

static void grader_count_start(void) {
    ((void (*)(void))device_emulator_function("emulatorCountersStart"))();
}

static struct emulatorCounters grader_count_stop(void) {
    struct emulatorCounters counters = {};
    void *stop = device_emulator_function("emulatorCountersStop");
    ((void (*)(struct emulatorCounters *, size_t))stop)(&counters, sizeof counters);
    return counters;
}

// ---------------------------------------------------------------- results

/* The first element that is wrong, or -1. */
static long long grader_first_bad(const float *found, const float *expected, size_t n, double atol, double rtol) {
    for (size_t i = 0; i < n; i++) {
        if (!verify_close(found[i], expected[i], atol, rtol)) {
            return (long long)i;
        }
    }
    return -1;
}

static bool grader_all_poison(const float *found, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!verify_is_poison(found[i])) {
            return false;
        }
    }
    return true;
}

/* Element `bad` of n is wrong: chooses the verdict, says who owned the element, adds the grader's own remark, ends. */
static void grader_reject(const float *found, const float *expected, size_t n, long long bad, const char *remark) {
    const char *verdict = "wrong_result";
    char owner[400] = "";
    if (grader_seen.launches == 0 && grader_all_poison(found, n)) {
        grader_fail("not_implemented", "no kernel was launched and nothing was written.");
    }
    if (verify_is_poison(found[bad])) {
        verdict = "stale_output";
    } else if (isnan(found[bad]) != isnan(expected[bad])) {
        verdict = "nan";
    }
    if (grader_seen.launches) {
        grader_owner_text(owner, sizeof owner, bad);
    }
    if (verify_is_poison(found[bad])) {
        grader_fail(verdict, "element %lld was never written, expected %.9g%s%s%s%s", bad, expected[bad],
                    grader_launch_text(), owner, *remark ? "\n          " : "", remark);
    }
    grader_fail(verdict, "element %lld: expected %.9g, found %.9g%s%s%s%s", bad, expected[bad], found[bad],
                grader_launch_text(), owner, *remark ? "\n          " : "", remark);
}

// ---------------------------------------------------------------- the parent

/* TIMEOUT limits a kernel, and the emulator stops one that exceeds it; on a GPU we must, before our caller does. */
static int grader_limit(void) {
    const char *text = getenv("TIMEOUT");
    int seconds = text && atoi(text) > 4 ? atoi(text) : 60;
    return device_is_emulator() ? seconds + 8 : seconds - 2;
}

static void grader_child(void (*grade)(void)) {
    close(grader_pipe[0]);
    setpgid(0, 0);                    // so that the parent can end what we start
    prctl(PR_SET_PDEATHSIG, SIGKILL); // and nobody outlives the parent
    unsetenv("CUDA_LAUNCH_BLOCKING"); // CUDA_CHECK_LAUNCH would wait, and we could not tell who did
    *check_hook() = grader_cuda_failed;
    grade();
    printf("%s  passed\n", grader_nonce);
    grader_end("pass");
}

static const char grader_no_answer[] = "timeout";

/* The word the child sends, waiting `seconds` for it: grader_no_answer when none came, "" when the child ended without one. */
static const char *grader_listen(int seconds) {
    static char word[33];
    struct pollfd end = {grader_pipe[0], POLLIN, 0};
    if (poll(&end, 1, seconds * 1000) == 0) {
        return grader_no_answer;
    }
    ssize_t length = read(grader_pipe[0], word, sizeof word - 1);
    word[length > 0 ? length : 0] = 0;
    return word;
}

static int grader_tell(const char *verdict) {
    printf("VERDICT: %s%s%s\n", verdict, *grader_nonce ? " " : "", grader_nonce);
    fflush(stdout);
    _exit(strcmp(verdict, "pass") != 0); // no code of the student's file runs after the verdict
}

static int grader_main(const char *number, void (*grade)(void)) {
    int status = 0;
    grader_number = number;
    printf("%sgrading %s\n", grader_nonce, EXERCISE);
    fflush(stdout);
    pid_t child = pipe(grader_pipe) == 0 ? fork() : -1;
    if (child < 0) {
        perror("grader");
        return grader_tell("crash");
    }
    if (child == 0) {
        grader_child(grade);
    }
    close(grader_pipe[1]);
    const char *verdict = grader_listen(grader_limit());
    if (verdict == grader_no_answer) {
        printf("%s  failed  the program did not end: look for a loop that never ends.\n", grader_nonce);
        kill(child, SIGKILL);
    }
    waitpid(child, &status, 0);
    kill(-child, SIGKILL); // what the student's code may have started
    if (*verdict == 0) {
        if (WIFSIGNALED(status)) {
            printf("%s  failed  the host code crashed (%s).\n", grader_nonce, strsignal(WTERMSIG(status)));
        } else {
            printf("%s  failed  the program ended before the grader had finished: does your code call exit?\n",
                   grader_nonce);
        }
        verdict = "crash";
    }
    return grader_tell(verdict);
}

#endif
