/* Grader of exercise 07, a moving maximum: moving_max, as lessons/lesson07_shared_memory/exercise.cu describes it.
 *
 * Many sizes, seeds and radii, shorter and longer than a block; windows that stick out at the ends, all values negative,
 * infinities, addresses that are not aligned, elements past the end, the input unharmed, a stream of the caller's, no
 * waiting, and, on the emulator, how much is read from global memory. */
#include <math.h>

#include "tests/graders/grader.h"

void moving_max(const float *x, float *y, int n, int radius, cudaStream_t stream);

// ---------------------------------------------------------------- the reference

/* The largest of the elements from .. to that exist. */
static float grader_largest(const float *x, int n, long long from, long long to) {
    float largest = -INFINITY;
    for (long long j = from < 0 ? 0 : from; j <= to && j < n; j++) {
        largest = x[j] > largest ? x[j] : largest;
    }
    return largest;
}

static void grader_moving_max(const float *x, float *y, int n, int radius) {
    for (int i = 0; i < n; i++) {
        y[i] = grader_largest(x, n, (long long)i - radius, (long long)i + radius);
    }
}

// ---------------------------------------------------------------- one call

enum grader_kind { GRADER_MIXED, GRADER_NEGATIVE, GRADER_SPECIAL };

/* One call of the student's function. `slack` elements behind the end are not its business. */
struct grader_job {
    int n, radius;
    enum grader_kind kind;
    int offset, slack;
    uint64_t seed;
    cudaStream_t stream;
};

struct grader_arrays {
    float *input, *expected, *found; // host
    float *x, *y;                    // device, `offset` floats into their allocations
    size_t bytes, allocated;
};

static void grader_fill(const struct grader_job *job, float *x) {
    static const float special[] = {-INFINITY, -5.0f, -INFINITY, -0.0f, -7.0f, -1e-45f, INFINITY};
    verify_random(x, job->n, -6.0f, job->kind == GRADER_NEGATIVE ? -1.0f : 6.0f, job->seed);
    for (int i = 0; job->kind == GRADER_SPECIAL && i < job->n; i++) {
        x[i] = special[i * 5 % 67 % 6 + (i % 199 == 198)];
    }
}

static struct grader_arrays grader_allocate(const struct grader_job *job) {
    struct grader_arrays a = {};
    a.bytes = (size_t)job->n * sizeof(float);
    a.allocated = (size_t)(job->offset + job->n + job->slack) * sizeof(float);
    a.input = (float *)verify_host_alloc(a.bytes);
    a.expected = (float *)verify_host_alloc(a.bytes);
    a.found = (float *)verify_host_alloc(a.allocated);
    grader_fill(job, a.input);
    grader_moving_max(a.input, a.expected, job->n, job->radius);
    a.x = (float *)verify_alloc(a.allocated) + job->offset;
    a.y = (float *)verify_alloc(a.allocated) + job->offset;
    CUDA_CHECK(cudaMemcpy(a.x, a.input, a.bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaDeviceSynchronize()); // the caller's stream does not wait for a cudaMemset
    return a;
}

static void grader_release(const struct grader_job *job, struct grader_arrays *a) {
    bool intact = verify_free("y", a->y - job->offset, a->allocated) != 0;
    intact &= verify_free("x", a->x - job->offset, a->allocated) != 0;
    if (!intact) {
        grader_fail("out_of_bounds", "memory outside the arrays was written: does every thread check i < n?");
    }
    free(a->input);
    free(a->expected);
    free(a->found);
}

/* A hint for the mistakes that are easy to recognise: what would have led to the value that was found? */
static const char *grader_remark(const struct grader_job *job, const struct grader_arrays *a, long long bad) {
    const float *x = a->input;
    float found = a->found[bad];
    int n = job->n, r = job->radius;
    static char text[200];
    snprintf(text, sizeof text, "its window is x[%lld] ... x[%lld]%s", bad - r, bad + r,
             bad < r || bad + r >= n ? ", and what of that does not exist does not count" : "");
    if (verify_is_poison(found)) {
        return "";
    }
    if (found == 0 && a->expected[bad] < 0) {
        return "all x are negative here: what stands in the tile where x does not exist?";
    }
    if (isnan(found)) {
        return "no x is NaN: it is what the tile holds before anybody has written there";
    }
    if (found > a->expected[bad]) {
        return "that is larger than all elements of the window: where does the window begin and end in the tile?";
    }
    if (r > 0 && found == grader_largest(x, n, bad, bad + r)) {
        return "that is the largest from the middle of the window on: where in the tile does the window begin?";
    }
    if (r > 0 && found == grader_largest(x, n, bad - r, bad)) {
        return "that is the largest up to the middle of the window: where in the tile does the window end?";
    }
    if (r > 0 && found == grader_largest(x, n, bad - r, bad + r - 1)) {
        return "the last element of the window is left out: it has 2 * radius + 1 elements";
    }
    return text;
}

static void grader_check_output(const struct grader_job *job, struct grader_arrays *a) {
    verify_poison_host(a->found, a->allocated);
    CUDA_CHECK(cudaMemcpy(a->found, a->y, a->allocated - job->offset * sizeof(float), cudaMemcpyDeviceToHost));
    long long bad = grader_first_bad(a->found, a->expected, job->n, 0, 0);
    if (bad >= 0) {
        grader_reject(a->found, a->expected, job->n, bad, grader_remark(job, a, bad));
    }
    if (!grader_all_poison(a->found + job->n, job->slack)) {
        grader_fail("out_of_bounds", "elements of y behind the first n = %d were written.", job->n);
    }
}

static void grader_check_input(const struct grader_job *, struct grader_arrays *a) {
    CUDA_CHECK(cudaMemcpy(a->found, a->x, a->bytes, cudaMemcpyDeviceToHost));
    if (memcmp(a->found, a->input, a->bytes) != 0) {
        grader_fail("wrong_result", "the input array was changed: the result belongs into y.");
    }
}

static void grader_run(const struct grader_job *job) {
    static const char *const kinds[] = {"", ", all negative", ", infinities and -0.0"};
    grader_doing("moving_max, n = %d, radius = %d, seed %llu%s%s%s", job->n, job->radius, (unsigned long long)job->seed,
                 kinds[job->kind], job->offset ? ", arrays that are not 16-byte aligned" : "",
                 job->stream ? ", in a stream" : "");
    struct grader_arrays a = grader_allocate(job);
    grader_watch(job->stream);
    moving_max(a.x, a.y, job->n, job->radius, job->stream);
    grader_collect("moving_max", false);
    grader_check_output(job, &a);
    grader_check_input(job, &a);
    grader_release(job, &a);
}

// ---------------------------------------------------------------- the checks

static void grader_random(void) {
    static const int sizes[] = {1000, 1, 31, 33, 257, 1025, 0, 20011};
    static const int radii[] = {2, 16, 0, 1};
    for (int s = 0; s < 8; s++) {
        for (int r = 0; r < 4; r++) {
            enum grader_kind kind = (s + r) % 2 ? GRADER_NEGATIVE : GRADER_MIXED;
            struct grader_job job = {sizes[s], radii[r], kind, 0, 0, (uint64_t)(s + 10 * r + 1), 0};
            grader_run(&job);
        }
    }
    grader_passed("radius 0 1 2 16, n = 0 1 31 33 257 1000 1025 20011");
}

/* Halos about as long as a block, and longer; windows longer than the array. */
static void grader_radii(void) {
    static const int radii[] = {100, 127, 128, 129, 255, 257, 513, 1000};
    for (int r = 0; r < 8; r++) {
        struct grader_job job = {2500, radii[r], r % 2 ? GRADER_NEGATIVE : GRADER_MIXED, 0, 0, (uint64_t)(r + 100), 0};
        grader_run(&job);
    }
    const struct grader_job far[] = {{900, 4096, GRADER_NEGATIVE, 0, 0, 120, 0}, {3, 4095, GRADER_MIXED, 0, 0, 121, 0}};
    grader_run(&far[0]);
    grader_run(&far[1]);
    grader_passed("radius 100 to 4096, longer than a block and longer than the array");
}

static void grader_contract(cudaStream_t stream) {
    const struct grader_job jobs[] = {
        {1000, 3, GRADER_SPECIAL, 0, 0, 4, 0},     {1003, 5, GRADER_NEGATIVE, 1, 0, 5, 0},
        {1003, 40, GRADER_SPECIAL, 3, 0, 6, 0},    {517, 9, GRADER_MIXED, 0, 700, 8, 0},
        {20001, 7, GRADER_MIXED, 0, 0, 9, stream},
    };
    for (int j = 0; j < 5; j++) {
        grader_run(&jobs[j]);
    }
    grader_passed("infinities and -0.0, any address, nothing past the end, in a stream");
}

/* The point of the tile: a window of 65 elements for each output, and yet each element is read about once. */
static void grader_thrifty(void) {
    struct grader_job job = {65536, 32, GRADER_MIXED, 0, 0, 10, 0};
    struct grader_arrays a = grader_allocate(&job);
    const double needed = a.bytes / 32, limit = 2;
    char done[120];
    grader_doing("moving_max, n = %d, radius = %d, memory accesses", job.n, job.radius);
    grader_count_start();
    grader_watch(0);
    moving_max(a.x, a.y, job.n, job.radius, 0);
    grader_collect("moving_max", false);
    struct emulatorCounters counters = grader_count_stop();
    double times = counters.global_load_sectors / needed;
    if (times > limit) {
        grader_fail("access_limit",
                    "the result is right, but every sector of 32 bytes was read %.1f times (limit %.1f).\n"
                    "          Let the block load each element that it needs once, neighbouring threads neighbouring "
                    "elements,\n          and read the windows in shared memory.",
                    times, limit);
    }
    grader_release(&job, &a);
    snprintf(done, sizeof done, "each sector is read %.2f times (limit %.1f)", times, limit);
    grader_passed(done);
}

static void grade(void) {
    cudaStream_t stream;
    grader_random();
    grader_radii();
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    grader_contract(stream);
    if (device_is_emulator()) {
        grader_thrifty();
    }
    CUDA_CHECK(cudaStreamDestroy(stream));
}

int main(void) {
    return grader_main("07", grade);
}

#include EXERCISE
