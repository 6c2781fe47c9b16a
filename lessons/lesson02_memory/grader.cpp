/* Grader of exercise 02: negative, as lessons/lesson02_memory/exercise.cu describes it.
 *
 * Pictures of many shapes; then calls that fail on purpose, one after the other, the launch among them; and after each call the books:
 * whatever was allocated must have been freed. The result lies in the host's memory, so what is looked at is what was copied there: it
 * must hold every element of the result, written by a kernel. */
#include "tools/grading/grader.h"

#include <algorithm>

static const struct function negative_function = FUNCTION(cudaError_t, negative, const float *, float *, int, int);

// ---------------------------------------------------------------- pictures

struct picture {
    int rows, cols;
    std::vector<float> in, expected;
};

static struct picture draw(int rows, int cols, uint64_t seed) {
    struct picture p = {rows, cols, std::vector<float>((size_t)rows * cols), std::vector<float>((size_t)rows * cols)};
    verify_random(p.in.data(), p.in.size(), 0.0f, 1.0f, seed);
    for (size_t i = 0; i < p.in.size(); i++) {
        p.expected[i] = 1.0f - p.in[i];
    }
    return p;
}

/* Host arrays of exactly rows * cols floats. Behind `out` stand more, to see whether somebody writes there. */
static struct call make_call(const struct picture *p, struct handle *out) {
    struct call c = judge_call(&negative_function);
    size_t size = p->in.size() * sizeof(float);
    struct handle in = judge_host_input(&c, "in", p->in.data(), size);
    *out = judge_host_output(&c, "out", size, {0, 64 * sizeof(float)});
    judge_pass(&c, in, *out, p->rows, p->cols);
    c.job.wide_pitch = 1;
    c.job.harvest = 1;
    c.may_wait = true;
    c.advice = "Does the row's address use the pitch in bytes? (float *)((char *)x + row * pitch); x + row * pitch is "
               "four times as far.";
    return c;
}

static std::string remark(const struct picture *p, const float *found, long long bad) {
    char text[300];
    int row = (int)(bad / p->cols), col = (int)(bad % p->cols);
    const char *reason = "";
    if (verify_is_poison(found[bad])) {
        reason = ": do both copies have the whole width, in bytes, and all rows?";
    } else if (found[bad] == p->in[bad]) {
        reason = ": that is the input, unchanged. Does every column have a thread?";
    } else if (row > 0) {
        reason = ": row 0 was right. Does every address count the pitch in bytes?";
    }
    snprintf(text, sizeof text, "that is row %d, column %d%s", row, col, reason);
    return text;
}

// ---------------------------------------------------------------- what is judged

static void judge_books(const struct result *r) {
    if (r->answer.alive) {
        judge_fail("api_error",
                   "device memory was allocated and not freed: call cudaFree on every return path of the function.");
    }
}

/* Every element of the result must be among what kernels wrote and a copy brought to the host. */
static void judge_kernels_work(const struct result *r, const struct picture *p) {
    std::vector<float> brought(r->harvest.size() / sizeof(float)), wanted = p->expected;
    memcpy(brought.data(), r->harvest.data(), brought.size() * sizeof(float));
    std::sort(brought.begin(), brought.end());
    std::sort(wanted.begin(), wanted.end());
    if (!std::includes(brought.begin(), brought.end(), wanted.begin(), wanted.end())) {
        judge_fail(r->answer.launches ? "not_by_kernel" : "not_implemented",
                   "the result is right, but it was not written by a kernel to memory of cudaMallocPitch and copied to "
                   "the host:\n          compute it on the device, in that memory.");
    }
}

static void judge_picture(const struct result *r, struct handle out, const struct picture *p) {
    const float *found = judge_content<float>(r, out);
    judge_compare(
        r, out, p->expected.data(), p->expected.size(), 0, 0, [&](long long bad) { return remark(p, found, bad); },
        NOBODY_KNOWS);
    judge_rest(r);
    if (!p->in.empty() && !r->answer.calls[CALL_MALLOC_PITCH]) {
        judge_fail("wrong_result", "the result is right, but the picture was not in memory from cudaMallocPitch.");
    }
    judge_kernels_work(r, p);
    judge_books(r);
}

/* A grid has 65535 blocks in y at most. The pitch is CUDA's own there: a wider one takes hundreds of megabytes. */
static const int many_rows = 66000;

static void shape(int rows, int cols, uint64_t seed) {
    struct handle out;
    judge_doing("negative, %d rows of %d columns, seed %llu", rows, cols, (unsigned long long)seed);
    struct picture p = draw(rows, cols, seed);
    struct call c = make_call(&p, &out);
    c.job.wide_pitch = rows < many_rows;
    struct result r = judge_run(&c);
    if (r.answer.returned) {
        judge_error(&r, r.answer.returned, r.answer.error_names[0]);
    }
    judge_picture(&r, out, &p);
}

/* Lets a call fail and looks whether its error comes back. Who does without that call has nothing to report. True if it was made. */
static bool failure(const char *call, const char *what, unsigned which) {
    struct handle out;
    judge_doing("negative, 20 rows of 30 columns, and %s fails", what);
    struct picture p = draw(20, 30, 7);
    struct call c = make_call(&p, &out);
    snprintf(c.job.fail_call, sizeof c.job.fail_call, "%s", call);
    c.job.fail_number = which;
    c.quiet = true;
    struct result r = judge_try(&c);
    judge_only_looked(&r);
    if (r.ended) {
        judge_fail("api_error", "it exited the program; it has to return the error.");
    }
    if (r.answer.returned != r.answer.error_failed) {
        judge_fail("api_error", "%s failed; negative returned %s, where %s was expected%s.", r.answer.failed_call,
                   r.answer.error_names[0], r.answer.error_names[3],
                   strcmp(r.answer.failed_call, "launch") == 0
                       ? ": a launch returns nothing; call cudaGetLastError() right after it for its error"
                       : "");
    }
    if (judge_printed(&r)) {
        judge_fail("api_error", "%s failed, and negative printed something: the error is returned, and no more.",
                   r.answer.failed_call);
    }
    judge_books(&r);
    return r.answer.error_failed != 0;
}

// ---------------------------------------------------------------- the checks

static void shapes(void) {
    static const int all[][2] = {{20, 30},  {1, 1},     {1, 1000}, {31, 33}, {33, 31}, {129, 128},
                                 {7, 1025}, {300, 257}, {1025, 3}, {0, 5},   {5, 0},   {0, 0}};
    for (const int *size : all) {
        shape(size[0], size[1], 1);
        shape(size[0], size[1], 2);
    }
    shape(many_rows, 1, 3);
    shape(1, 70000, 3);
}

static void first_allocation_fails(void) {
    if (!failure("cudaMallocPitch", "cudaMallocPitch", 1)) {
        judge_fail("not_implemented", "cudaMallocPitch was not called.");
    }
}

static void allocation_fails(void) {
    failure("cudaMallocPitch", "cudaMallocPitch", 1);
    shape(20, 30, 3); // and after that it still works
}

static void launch_fails(void) {
    process_start(true);
    failure("launch", "the launch", 1);
}

static void copies_fail(void) {
    failure("cudaMemcpy2D", "the first cudaMemcpy2D", 1);
    failure("cudaMemcpy2D", "the second cudaMemcpy2D", 2);
    shape(20, 30, 3);
}

/* Whatever else is called, one call after the other. */
static void others_fail(void) {
    process_start(true);
    for (unsigned number = 1; failure("*", judge_print("CUDA call %u", number).c_str(), number); number++) {
    }
}

static void again(void) {
    shape(judge_draw(2, 40), judge_draw(2, 40), (uint64_t)judge_draw(10, 1000000));
    shape(judge_draw(40, 200), judge_draw(129, 400), (uint64_t)judge_draw(10, 1000000));
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"negative", "pictures of 14 shapes, with pitches of all kinds, and all memory freed", shapes, EVERYWHERE},
        {"allocation", "cudaMallocPitch fails: its error is returned", first_allocation_fails, EVERYWHERE},
        {"negative", "an allocation that fails: its error is returned", allocation_fails, EVERYWHERE},
        {"negative", "a launch that fails: its error is returned, and all memory freed", launch_fails, EVERYWHERE},
        {"negative", "copies that fail: their errors are returned, and all memory freed", copies_fail, EVERYWHERE},
        {"negative", "any call that fails: its error is returned, and nothing printed", others_fail, EVERYWHERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "02", {&negative_function}, checks, sizeof checks / sizeof checks[0]);
}
