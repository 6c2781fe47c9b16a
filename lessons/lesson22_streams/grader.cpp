/* Grader of exercise 22, a pipeline over chunks: mix_all, as lessons/lesson22_streams/exercise.cu says.
 *
 * x and y are pinned. x gets its content in the caller's stream, after mix_all has returned, and holds something else until then; y is
 * fetched in that stream. Then: no waiting, overlap, chunks, device memory, what is left behind.
 *
 * Neither order nor overlap is a matter of time here. The runner sees each operation, each event that is recorded, and each wait, so it can
 * tell which copies are not ordered between what the caller's stream held before the call and what follows in it, and how long the longest
 * chain is in which each operation has to wait for the one before (tools/grading/steps.h). What kernels do to x and y themselves shows in
 * the results, and the emulator finds the race. */
#include "tools/grading/grader.h"

static const struct function mix_all = FUNCTION(void, mix_all, const int *, int *, int, int, cudaStream_t);

enum { CHUNK = 4096, SLOTS = 3, SPARE_STEPS = 4 };
enum { LATE_MS = 30 }; // in which work that waits for nothing is done

struct one {
    int n, rounds;
    uint64_t seed;
};

static int chunks(int n) {
    return (n + CHUNK - 1) / CHUNK;
}

static std::vector<int> make_input(const struct one *job) {
    std::vector<int> x(job->n);
    uint64_t state = (job->seed + 1) * 0x9E3779B97F4A7C15ULL;
    for (int &element : x) {
        element = (int)(verify_next(&state) >> 40);
    }
    return x;
}

static int mixed(int x, int rounds) {
    uint32_t bits = (uint32_t)x;
    for (int r = 0; r < rounds; r++) {
        bits = (bits ^ (bits >> 16)) * 0x7feb352du;
        bits = (bits ^ (bits >> 15)) * 0x846ca68bu;
    }
    return (int)bits;
}

// ---------------------------------------------------------------- what went wrong

/* Ends the check if a copy is not ordered as it has to be. */
static void look_at_order(const struct result *r) {
    const struct answer *a = &r->answer;
    if (a->early >= 0) {
        judge_fail("race",
                   "a copy %s %s in a stream that does not wait for the earlier work in `stream`.\n          Record an "
                   "event in `stream` first, and make every stream that accesses x or y wait for it.",
                   a->early == 0 ? "reads" : "writes", r->call.arrays[a->early].name);
    }
    if (a->untaken) {
        judge_fail("race", "a copy uses device memory in a stream that does not wait for its cudaMallocAsync.\n        "
                           "  The memory is allocated in stream order: record the event after the allocation, or "
                           "allocate in the stream that uses it.");
    }
    if (a->freed_early) {
        judge_fail("race", "cudaFreeAsync frees memory in a stream that does not wait for the last copy from or to "
                           "it.\n          Free it after the join, or in the stream that used it last.");
    }
    if (a->left >= 0) {
        judge_fail(
            "race",
            "`stream` does not wait for a copy that %s %s, so later work in `stream` may run before the copy.\n        "
            "  Record an event after the last copy of each worker, and make `stream` wait for each of them.",
            a->left == 0 ? "reads" : "writes", r->call.arrays[a->left].name);
    }
}

/* The verdict for element i that is wrong. */
[[noreturn]] static void reject(const struct result *r, const struct one *job, const std::vector<int> &x, const int *y,
                                int i) {
    std::string place = judge_print("\n          it is element %d of chunk %d; there are %d chunks", i % CHUNK,
                                    i / CHUNK, chunks(job->n));
    if (r->answer.launches == 0) {
        judge_fail("not_implemented", "no kernel was launched and nothing was written.");
    }
    if (verify_is_poison_word((uint32_t)y[i])) {
        judge_fail("stale_output", "element %d was never written%s.", i, place.c_str());
    }
    if (y[i] == mixed(~x[i], job->rounds)) {
        judge_fail("race",
                   "element %d is mixed from the contents of x before the work in `stream` completed%s\n          Does "
                   "every operation that reads x wait for `stream`?",
                   i, place.c_str());
    }
    std::string remark;
    for (int other = i % CHUNK; other < job->n && remark.empty(); other += CHUNK) {
        if (other != i && y[i] == mixed(x[other], job->rounds)) {
            remark = judge_print("\n          it is the result of element %d, in chunk %d: whose slot was that?", other,
                                 other / CHUNK);
        }
    }
    if (remark.empty() && y[i] == x[i]) {
        remark = "\n          it is x itself, not mixed: has the kernel run between the two copies?";
    }
    judge_fail("wrong_result", "element %d: expected %d, found %d%s%s", i, mixed(x[i], job->rounds), y[i],
               place.c_str(), remark.c_str());
}

static void look_at_y(const struct result *r, struct handle y, const struct one *job, const std::vector<int> &x) {
    const int *found = judge_content<int>(r, y);
    for (int i = 0; i < job->n; i++) {
        if (found[i] != mixed(x[i], job->rounds)) {
            reject(r, job, x, found, i);
        }
    }
}

static void look_at_what_is_left(const struct result *r) {
    if (r->answer.objects) {
        judge_fail(
            "api_error",
            "%u streams, events or graphs were made in the call and not destroyed.\n          To destroy them is "
            "no waiting: their work is still done.",
            r->answer.objects);
    }
    if (r->answer.alive) {
        judge_fail("api_error",
                   "%u allocations of the call were not freed: cudaFreeAsync does it in the stream's order.",
                   r->answer.alive);
    }
}

static void look_at_memory(const struct result *r) {
    size_t limit = 2 * SLOTS * CHUNK * sizeof(int);
    if (r->answer.device_bytes > limit) {
        judge_fail(
            "access_limit",
            "the call had %zu bytes of device memory at a time; %d slots for a chunk in and a chunk out are %zu.",
            (size_t)r->answer.device_bytes, SLOTS, limit);
    }
    if (r->answer.pageable) {
        judge_fail("access_limit",
                   "%u asynchronous copies were from or to pageable memory. For those, a GPU's driver waits or makes "
                   "an extra copy.\n          x and y are pinned: copy from and to them.",
                   r->answer.pageable);
    }
}

/* A copy moves a chunk at most, and so does a kernel: there are as many of them as chunks, or more. A graph is one launch on a GPU. */
static void look_at_chunks(const struct result *r, int n, int calls) {
    bool graph = r->answer.launches && r->answer.launch[0].grid[0] == 0;
    if (r->answer.largest_copy > CHUNK * sizeof(int)) {
        judge_fail("access_limit",
                   "the result is right, but %zu bytes of x or y were copied in one call; a chunk has %zu.",
                   (size_t)r->answer.largest_copy, CHUNK * sizeof(int));
    }
    if (!graph && (int)r->answer.launches < calls * chunks(n)) {
        judge_fail("access_limit",
                   "the result is right, but there were %u launches for %d chunks: launch one kernel per chunk, so "
                   "that the next chunk\n          can be copied at the same time.",
                   r->answer.launches, calls * chunks(n));
    }
}

/* The same of kernels that read x and write y themselves. */
static void look_at_kernels(const struct result *r) {
    for (const struct launch &l : r->launches) {
        uint64_t bytes = l.input_bytes > l.output_bytes ? l.input_bytes : l.output_bytes;
        if (judge_counted(r) && bytes > CHUNK * sizeof(int)) {
            judge_fail("access_limit",
                       "the result is right, but a launch of %s handles %zu bytes of x or y; a chunk has %zu.",
                       l.called, (size_t)bytes, CHUNK * sizeof(int));
        }
    }
}

/* Chunks overlap, however many they are. */
static void look_at_steps(const struct result *r, int n, int calls) {
    unsigned limit = (unsigned)(calls * (chunks(n) + SPARE_STEPS));
    if (r->answer.steps > limit) {
        judge_fail("access_limit",
                   "the result is right, but of the %u operations %u form one dependent chain (limit %u).\n          "
                   "While one chunk is computed, the next one can be copied in, and the previous one out: use separate "
                   "streams\n          and separate slots.",
                   r->answer.operations, r->answer.steps, limit);
    }
}

static struct call make_call(const struct one *job, const std::vector<int> &x, struct handle *y) {
    struct call c = judge_call(&mix_all);
    struct handle input = judge_pinned_input(&c, "x", x.data(), x.size() * sizeof(int));
    *y = judge_pinned_output(&c, "y", x.size() * sizeof(int));
    judge_own_stream(&c);
    judge_pass(&c, input, *y, job->n, job->rounds, STREAM);
    c.advice = "Which two operations touch that memory, in which streams, and which event is between them?";
    c.at_race = look_at_order;
    judge_late(&c, LATE_MS);
    return c;
}

static struct result run(const struct one job, bool twice = false) {
    struct handle y;
    judge_doing("mix_all, n = %d, rounds = %d, seed %llu%s", job.n, job.rounds, (unsigned long long)job.seed,
                twice ? ", called twice" : "");
    std::vector<int> x = make_input(&job);
    struct call c = make_call(&job, x, &y);
    if (twice) {
        judge_twice(&c);
    }
    struct result r = judge_run(&c);
    look_at_order(&r);
    look_at_y(&r, y, &job, x);
    look_at_memory(&r);
    look_at_chunks(&r, job.n, twice ? 2 : 1);
    look_at_kernels(&r);
    look_at_what_is_left(&r);
    judge_rest(&r);
    look_at_steps(&r, job.n, twice ? 2 : 1);
    return r;
}

// ---------------------------------------------------------------- the checks

static void many_sizes(void) {
    static const int sizes[] = {2 * CHUNK + 1000, 1,      33, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK,
                                3 * CHUNK + 1,    100003, 0};
    uint64_t seed = 1;
    for (int n : sizes) {
        run({n, 2, seed++});
    }
    run({7 * CHUNK + 5, 5, seed});
}

static void called_twice(void) {
    run({8 * CHUNK + 77, 3, 20}, true);
    run({CHUNK / 2, 1, 21}, true);
}

/* Nothing has to overlap here. */
static void one_chunk(void) {
    for (int n : {33, 1, CHUNK - 1, (int)CHUNK}) {
        run({n, 2, 35});
    }
}

static void refused(void) {
    const struct one job = {CHUNK, 1, 30};
    struct handle y;
    judge_doing("mix_all, n = %d, and its launch fails", job.n);
    judge_refused_launch(make_call(&job, make_input(&job), &y));
}

static void busy(void) {
    const struct one job = {5 * CHUNK, 1, 31};
    struct handle y;
    run(job);
    judge_doing("mix_all, n = %d, in a stream that is busy", job.n);
    judge_busy_stream(make_call(&job, make_input(&job), &y));
}

static void overlap_at(int n, uint64_t seed) {
    struct result r = run({n, 2, seed});
    judge_note("%u operations in %u steps (limit %d)", r.answer.operations, r.answer.steps, chunks(n) + SPARE_STEPS);
}

static void overlap(void) {
    overlap_at(20 * CHUNK + 1, 40);
}

static void again(void) {
    run({judge_draw(1, 3 * CHUNK), judge_draw(1, 9), (uint64_t)judge_draw(100, 1000000)});
    run({judge_draw(4 * CHUNK, 12 * CHUNK), judge_draw(1, 9), (uint64_t)judge_draw(100, 1000000)}, true);
    overlap_at(judge_draw(15, 25) * CHUNK + judge_draw(0, CHUNK), (uint64_t)judge_draw(100, 1000000));
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"mix_all", "y for n from 0 to 100003, between earlier and later work in the stream", many_sizes, EVERYWHERE},
        {"one chunk", "y of one chunk: n = 1, 33, 4095 and 4096", one_chunk, EVERYWHERE},
        {"mix_all", "called twice in succession", called_twice, EVERYWHERE},
        {"mix_all", "a failed launch is reported", refused, EVERYWHERE},
        {"mix_all", "it returns without waiting", busy, EVERYWHERE},
        {"mix_all", "chunks overlap", overlap, EVERYWHERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "22", {&mix_all}, checks, sizeof checks / sizeof checks[0]);
}
