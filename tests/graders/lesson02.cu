/* Grader of exercise 02: negative, as lessons/lesson02_memory/exercise.cu describes it.
 *
 * Pictures of many shapes; then calls that fail on purpose, one after the other; and after each call the books: whatever
 * was allocated must have been freed. For this the grader stands between the student's code and four calls. */
#include "tests/graders/grader.h"

cudaError_t negative(const float *in, float *out, int rows, int cols);

// ---------------------------------------------------------------- the calls, watched

enum { GRADER_LIVE = 64 };

static struct grader_books {
    bool on;
    int pitched;             /* calls of cudaMallocPitch */
    int copies;              /* calls of cudaMemcpy2D */
    bool fail_allocation;    /* let the next cudaMallocPitch fail */
    int fail_copy;           /* let that cudaMemcpy2D fail, counted from 1; 0: none */
    bool failed;             /* a call was made to fail */
    void *live[GRADER_LIVE]; /* allocated, not yet freed */
} grader_book;

static void grader_book_allocation(void *pointer) {
    for (int i = 0; i < GRADER_LIVE; i++) {
        if (!grader_book.live[i]) {
            grader_book.live[i] = pointer;
            return;
        }
    }
    grader_fail("api_error", "more than %d allocations are alive at once.", GRADER_LIVE);
}

/* The two calls whose C++ overloads keep GRADER_NEXT from naming their type. */
typedef cudaError_t (*grader_malloc)(void **, size_t);
typedef cudaError_t (*grader_malloc_pitch)(void **, size_t *, size_t, size_t);

static cudaError_t grader_real_malloc_pitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    return ((grader_malloc_pitch)dlsym(RTLD_NEXT, "cudaMallocPitch"))(pointer, pitch, width, height);
}

/* The pitch is wider than asked for, by a different amount for each width, so that nobody can guess it. */
extern "C" cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    if (!grader_book.on) {
        return grader_real_malloc_pitch(pointer, pitch, width, height);
    }
    grader_book.pitched++;
    if (grader_book.fail_allocation) {
        grader_book.failed = true;
        return cudaErrorMemoryAllocation;
    }
    cudaError_t error = grader_real_malloc_pitch(pointer, pitch, width + 600 + width % 7 * 512, height);
    if (error == cudaSuccess) {
        grader_book_allocation(*pointer);
    }
    return error;
}

/* Under other names in the source: the toolkit defines these two for the device as well. */
extern "C" cudaError_t grader_cuda_malloc(void **pointer, size_t bytes) __asm__("cudaMalloc");
extern "C" cudaError_t grader_cuda_free(void *pointer) __asm__("cudaFree");

extern "C" cudaError_t grader_cuda_malloc(void **pointer, size_t bytes) {
    cudaError_t error = ((grader_malloc)dlsym(RTLD_NEXT, "cudaMalloc"))(pointer, bytes);
    if (grader_book.on && error == cudaSuccess) {
        grader_book_allocation(*pointer);
    }
    return error;
}

extern "C" cudaError_t grader_cuda_free(void *pointer) {
    for (int i = 0; grader_book.on && pointer && i < GRADER_LIVE; i++) {
        if (grader_book.live[i] == pointer) {
            grader_book.live[i] = NULL;
        }
    }
    return GRADER_NEXT(cudaFree)(pointer);
}

extern "C" cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                    size_t height, enum cudaMemcpyKind kind) {
    if (grader_book.on && ++grader_book.copies == grader_book.fail_copy) {
        grader_book.failed = true;
        return cudaErrorInvalidValue;
    }
    return GRADER_NEXT(cudaMemcpy2D)(to, to_pitch, from, from_pitch, width, height, kind);
}

/* Calls the student's function with the books open. */
static cudaError_t grader_call(const float *in, float *out, int rows, int cols, bool fail_allocation, int fail_copy) {
    grader_book = grader_books{};
    grader_book.fail_allocation = fail_allocation;
    grader_book.fail_copy = fail_copy;
    grader_watch(0);
    grader_book.on = true;
    cudaError_t error = negative(in, out, rows, cols);
    grader_book.on = false;
    return error;
}

static void grader_check_books(void) {
    for (int i = 0; i < GRADER_LIVE; i++) {
        if (grader_book.live[i]) {
            grader_fail("api_error",
                        "device memory was allocated and not freed: cudaFree has to be reached on every way "
                        "out of the function.");
        }
    }
}

// ---------------------------------------------------------------- pictures

/* Host arrays of exactly n floats: `slack` more stand behind `out`, to see whether somebody writes there. */
struct grader_picture {
    int rows, cols;
    size_t n, slack;
    float *in, *kept, *out, *expected;
};

static struct grader_picture grader_draw(int rows, int cols, uint64_t seed) {
    struct grader_picture p = {};
    p.rows = rows;
    p.cols = cols;
    p.n = (size_t)rows * cols;
    p.slack = 64;
    p.in = (float *)verify_host_alloc(p.n * sizeof(float));
    p.kept = (float *)verify_host_alloc(p.n * sizeof(float));
    p.out = (float *)verify_host_alloc((p.n + p.slack) * sizeof(float));
    p.expected = (float *)verify_host_alloc(p.n * sizeof(float));
    verify_random(p.in, p.n, 0.0f, 1.0f, seed);
    verify_random(p.kept, p.n, 0.0f, 1.0f, seed);
    for (size_t i = 0; i < p.n; i++) {
        p.expected[i] = 1.0f - p.in[i];
    }
    verify_poison_host(p.out, (p.n + p.slack) * sizeof(float));
    return p;
}

static void grader_discard(struct grader_picture *p) {
    free(p->in);
    free(p->kept);
    free(p->out);
    free(p->expected);
}

static const char *grader_remark(const struct grader_picture *p, long long bad) {
    static char text[200];
    float found = p->out[bad];
    int row = (int)(bad / p->cols), col = (int)(bad % p->cols);
    const char *reason = "";
    if (verify_is_poison(found)) {
        reason = ": do both copies have the whole width, in bytes, and all rows?";
    } else if (found == p->in[bad]) {
        reason = ": that is the input, unchanged. Does every column have a thread?";
    } else if (row > 0) {
        reason = ": row 0 was right. Does every address count the pitch in bytes?";
    }
    snprintf(text, sizeof text, "that is row %d, column %d%s", row, col, reason);
    return text;
}

static void grader_check_picture(const struct grader_picture *p) {
    long long bad = grader_first_bad(p->out, p->expected, p->n, 0, 0);
    if (bad >= 0) {
        grader_reject(p->out, p->expected, p->n, bad, grader_remark(p, bad));
    }
    if (!grader_all_poison(p->out + p->n, p->slack)) {
        grader_fail("out_of_bounds", "memory behind out was written: how long is a row on the host?");
    }
    if (memcmp(p->in, p->kept, p->n * sizeof(float)) != 0) {
        grader_fail("wrong_result", "the input was changed.");
    }
    if (p->n && !grader_book.pitched) {
        grader_fail("wrong_result", "the result is right, but the picture was not in memory from cudaMallocPitch.");
    }
}

// ---------------------------------------------------------------- the checks

static void grader_shape(int rows, int cols, uint64_t seed) {
    grader_doing("negative, %d rows of %d columns, seed %llu", rows, cols, (unsigned long long)seed);
    struct grader_picture p = grader_draw(rows, cols, seed);
    cudaError_t error = grader_call(p.in, p.out, rows, cols, false, 0);
    if (error != cudaSuccess) {
        printf("  negative returned %s\n", cudaGetErrorName(error));
        grader_cuda_failed(error);
    }
    grader_collect("negative", true);
    grader_check_picture(&p);
    grader_check_books();
    grader_discard(&p);
}

/* Lets a call fail and looks whether its error comes back. Who does without that call has nothing to report. */
static void grader_failure(const char *call, cudaError_t expected, bool fail_allocation, int fail_copy) {
    grader_doing("negative, 20 rows of 30 columns, and %s", call);
    struct grader_picture p = grader_draw(20, 30, 7);
    cudaError_t error = grader_call(p.in, p.out, 20, 30, fail_allocation, fail_copy);
    expected = grader_book.failed ? expected : cudaSuccess;
    if (error != expected) {
        grader_fail("api_error", "it returned %s, where %s was expected.", cudaGetErrorName(error),
                    cudaGetErrorName(expected));
    }
    grader_check_books();
    grader_collect("negative", true);
    grader_discard(&p);
}

static void grade(void) {
    static const int shapes[][2] = {{20, 30},  {1, 1},     {1, 1000}, {31, 33}, {33, 31}, {129, 128},
                                    {7, 1025}, {300, 257}, {1025, 3}, {0, 5},   {5, 0},   {0, 0}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (uint64_t seed = 1; seed <= 2; seed++) {
            grader_shape(shapes[s][0], shapes[s][1], seed);
        }
    }
    grader_passed("pictures of 12 shapes, with pitches of all kinds, and all memory freed");
    grader_failure("cudaMallocPitch fails", cudaErrorMemoryAllocation, true, 0);
    grader_failure("the first cudaMemcpy2D fails", cudaErrorInvalidValue, false, 1);
    grader_failure("the second cudaMemcpy2D fails", cudaErrorInvalidValue, false, 2);
    grader_shape(20, 30, 3); // and after all that it still works
    grader_passed("calls that fail: their error is returned, and all memory freed");
}

int main(void) {
    return grader_main("02", grade);
}

#include EXERCISE
