/* Checks of the headers in common themselves: a comparison that lets something wrong through would make every lesson pass.
 *
 *     headers_test               prints `ok NAME` or `not ok NAME: why`
 *     headers_test fail-call     makes a CUDA call that fails, to see what check.h prints
 *     headers_test fail-launch   makes a launch that fails
 *     headers_test fail-kernel   says what check.h says of a kernel that has stopped
 *     headers_test nothing       compares nothing and asks for the verdict
 *     headers_test options ...   reads options as a lesson with three versions does, and prints them
 */
#include "common/bench.h"
#include "common/check.h"
#include "common/device.h"
#include "common/gemm.h"
#include "common/verify.h"

static void tell(const char *name, int good) {
    if (good) {
        printf("ok %s\n", name);
    } else {
        printf("not ok %s: see the line of headers_test.cu with this name\n", name);
    }
}

static float poison(void) {
    float x;
    verify_poison_host(&x, sizeof x);
    return x;
}

static void test_comparison(void) {
    static const struct {
        const char *name;
        float found, expected;
        double atol, rtol;
        int close, same;
    } cases[] = {
        {"equal numbers", 1.5f, 1.5f, 0, 0, 1, 1},
        {"inside the absolute tolerance", 1.25f, 1.0f, 0.25, 0, 1, 0},
        {"outside the absolute tolerance", 1.26f, 1.0f, 0.25, 0, 0, 0},
        {"inside the relative tolerance", -110.0f, -100.0f, 0, 0.1001, 1, 0},
        {"outside the relative tolerance", -111.0f, -100.0f, 0, 0.1001, 0, 0},
        {"the tolerance is relative to what is expected", 1000.0f, 1.0f, 0, 0.5, 0, 0},
        {"NaN found, a number expected", NAN, 1.0f, 1e30, 1e30, 0, 0},
        {"NaN expected, a number found", 1.0f, NAN, 1e30, 1e30, 0, 0},
        {"NaN expected and found", NAN, -NAN, 0, 0, 1, 1},
        {"infinity expected and found", INFINITY, INFINITY, 0, 0, 1, 1},
        {"the wrong infinity", -INFINITY, INFINITY, 1e30, 1e30, 0, 0},
        {"infinity found, a number expected", INFINITY, 3e38f, 1e30, 1, 0, 0},
        {"infinity expected, a number found", 3e38f, INFINITY, 1e30, 1, 0, 0},
        {"zeros of both signs", -0.0f, 0.0f, 0, 0, 1, 0},
        {"the smallest number is not zero", 1e-45f, 0.0f, 0, 1, 0, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        float found[2] = {7.0f, cases[c].found}, expected[2] = {7.0f, cases[c].expected};
        int close = verify_floats(cases[c].name, found, expected, 2, cases[c].atol, cases[c].rtol);
        int same = verify_floats_exact(cases[c].name, found, expected, 2);
        tell(cases[c].name, close == cases[c].close && same == cases[c].same);
    }
}

/* What a GPU makes of NaN where a sign is changed: all ones. */
static float minus_nan(void) {
    uint32_t bits = 0xFFFFFFFF;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* On the device, whatever the number of bytes is. */
static void test_poison_everywhere(size_t bytes) {
    unsigned char *x, found[9001], piece[2];
    size_t wrong = 0;
    verify_poison_host(piece, sizeof piece);
    CUDA_CHECK(cudaMalloc((void **)&x, sizeof found));
    CUDA_CHECK(cudaMemset(x, 0, sizeof found));
    verify_poison_device(x, bytes);
    CUDA_CHECK(cudaMemcpy(found, x, sizeof found, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(x));
    for (size_t i = 0; i < sizeof found; i++) {
        wrong += found[i] != (i < bytes ? piece[i % 2] : 0);
    }
    tell("poison fills what it should, and no byte more", wrong == 0);
}

static void test_poison(void) {
    float found = poison(), expected = NAN, device = 0, minus = minus_nan();
    uint32_t word = verify_bits(found), half = word & 0xFFFF0000u;
    float *x;
    tell("a result that is minus NaN is no poison", isnan(minus) && !verify_is_poison(minus) &&
                                                        verify_floats("minus NaN", &minus, &expected, 1, 0, 0) &&
                                                        verify_floats_exact("minus NaN", &minus, &expected, 1));
    memcpy(&device, &half, sizeof device);
    tell("a bfloat16's poison is NaN and known", isnan(device) && verify_is_poison(device));
    tell("poison is known in a word, and -1 is none", verify_is_poison_word(word) && !verify_is_poison_word(~0u));
    for (size_t bytes : {0, 1, 2, 3, 4096, 4097, 8192, 9001}) {
        test_poison_everywhere(bytes);
    }
    tell("poison is NaN", isnan(found) && verify_is_poison(found) && !verify_is_poison(NAN));
    tell("poison does not pass for an expected NaN",
         !verify_floats("poison", &found, &expected, 1, 0, 0) && !verify_floats_exact("poison", &found, &expected, 1));
    CUDA_CHECK(cudaMalloc((void **)&x, sizeof *x));
    verify_poison_device(x, sizeof *x);
    CUDA_CHECK(cudaMemcpy(&device, x, sizeof *x, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(x));
    tell("poison on the device", verify_is_poison(device));
}

static void test_ints(void) {
    const int a[3] = {1, 2, 3}, b[3] = {1, 2, 4};
    tell("equal ints", verify_ints("ints", a, a, 3));
    tell("different ints", !verify_ints("ints", a, b, 3));
    tell("only n ints count", verify_ints("ints", a, b, 2));
}

static void test_random(void) {
    float a[1000], b[1000];
    int inside = 1, different = 0;
    verify_random(a, 1000, -2.0f, 3.0f, 5);
    verify_random(b, 1000, -2.0f, 3.0f, 5);
    tell("the same seed gives the same numbers", memcmp(a, b, sizeof a) == 0);
    verify_random(b, 1000, -2.0f, 3.0f, 6);
    for (int i = 0; i < 1000; i++) {
        inside &= a[i] >= -2.0f && a[i] <= 3.0f;
        different += a[i] != b[i];
    }
    tell("another seed gives other numbers", different > 990);
    tell("the numbers stay in their range", inside);
    verify_random(a, 1000, 0.0f, 1.0f, UINT64_MAX); // the seed whose state would be zero
    tell("no seed gives only zeros", a[0] != a[1]);
}

/* Damages one byte at `offset` from the start of a guarded buffer of 100 bytes, and asks whether it is found. */
static int damage_is_found(long long offset) {
    char *buffer = (char *)verify_alloc(100);
    long long found = 0;
    CUDA_CHECK(cudaMemset(buffer + offset, 0, 1));
    int damaged = verify_guard_damaged(buffer, 100, &found);
    verify_free("canary", buffer, 100);
    return damaged && found == offset;
}

static void test_canaries(void) {
    long long found;
    setenv("VERIFY_CANARIES", "1", 1);
    char *buffer = (char *)verify_alloc(100);
    CUDA_CHECK(cudaMemset(buffer, 0, 100));
    tell("writing the whole buffer harms no canary", !verify_guard_damaged(buffer, 100, &found));
    tell("an unharmed buffer is freed without complaint", verify_free("canary", buffer, 100));
    tell("a byte before the buffer", damage_is_found(-1));
    tell("a byte behind the buffer", damage_is_found(100));
    tell("the last byte of the zone behind it", damage_is_found(100 + VERIFY_GUARD - 1));
    unsetenv("VERIFY_CANARIES");
}

static void product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C, int step) {
    for (int i = 0; i < M; i += step) {
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < K; k++) {
                sum += (double)A[i * K + k] * B[k * N + j];
            }
            C[i * N + j] = (float)(alpha * sum + (beta != 0 ? beta * (double)C[i * N + j] : 0));
        }
    }
}

/* Is a product believed whose element `bad` is off by `error` (NaN: was never written)? */
static int product_passes(struct gemm *g, const float *right, size_t bad, float error) {
    float element = isnan(error) ? poison() : right[bad] + error;
    CUDA_CHECK(cudaMemcpy(g->C, right, g->bytes_C, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(g->C + bad, &element, sizeof element, cudaMemcpyHostToDevice));
    return gemm_verify(g, "product");
}

static void test_gemm(void) {
    const int M = 260, N = 40, K = 50, last = M * N - 1;
    const float tolerance = (K + 8) * FLT_EPSILON, missing = 0.05f;
    struct gemm g = gemm_create(M, N, K, 1.5f, -0.5f, 3, product);
    float *right = (float *)verify_host_alloc(g.bytes_C);
    memcpy(right, g.expected, g.bytes_C);
    tell("a right product", product_passes(&g, right, 0, 0));
    tell("a product inside the tolerance", product_passes(&g, right, last, 0.5f * tolerance));
    tell("a product outside the tolerance", !product_passes(&g, right, last, 2 * tolerance));
    g.step = GEMM_SAMPLE; // as if it were a large one
    gemm_checksums(&g);
    tell("a right product, by its checksums", product_passes(&g, right, 0, 0));
    tell("a wrong element in a row that has a checksum only", !product_passes(&g, right, last, missing));
    tell("an infinity in such a row",
         !product_passes(&g, right, last, INFINITY) && !product_passes(&g, right, 5 * N, -INFINITY));
    tell("an unwritten element in such a row", !product_passes(&g, right, last, NAN));
    tell("a wrong element in a row that was computed", !product_passes(&g, right, GEMM_SAMPLE * N, 2 * tolerance));
    free(right);
    gemm_free(&g);
}

static __global__ void fill_kernel(float *C, int n, float value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        C[i] = value;
    }
}

static int launches;

static void launch_right(int M, int N, int, float, const float *, const float *, float, float *C, cudaStream_t stream) {
    fill_kernel<<<(M * N + 255) / 256, 256, 0, stream>>>(C, M * N, 0.0f);
}

/* Right in every launch but the last one that is timed. */
static void launch_once_wrong(int M, int N, int, float, const float *, const float *, float, float *C,
                              cudaStream_t stream) {
    float value = ++launches == BENCH_WARMUP + BENCH_RUNS ? 1.0f : 0.0f;
    fill_kernel<<<(M * N + 255) / 256, 256, 0, stream>>>(C, M * N, value);
}

/* What was timed is what is verified: with K = 0 and beta = 0, each element has to be 0. */
static void test_timed_output(void) {
    const struct gemm_version versions[] = {{"right", launch_right}, {"wrong once", launch_once_wrong}};
    struct gemm g = gemm_create(8, 4, 0, 1.0f, 0.0f, 3, product);
    long long failures = verify_tally()->failures;
    gemm_measure_times(&g, versions, 1);
    tell("a version that is right when it is timed", verify_tally()->failures == failures);
    gemm_measure_times(&g, &versions[1], 1);
    tell("a version that is wrong in the last timed run", verify_tally()->failures == failures + 1);
    gemm_free(&g);
}

/* Each round runs every row once, and none has always the same one before it. */
static void test_turns(void) {
    enum { ROWS = 11, ROUNDS = BENCH_WARMUP + BENCH_RUNS };
    int order[ROWS], before[ROWS][ROWS] = {}, complete = 1, most = 0;
    uint64_t state = 1;
    for (int r = 0; r < ROWS; r++) {
        order[r] = r;
    }
    for (int round = 0; round < ROUNDS; round++) {
        int seen = 0;
        turns_shuffle(order, ROWS, &state);
        for (int r = 0; r < ROWS; r++) {
            seen |= 1 << order[r];
            most = r > 0 && ++before[order[r]][order[r - 1]] > most ? before[order[r]][order[r - 1]] : most;
        }
        complete &= seen == (1 << ROWS) - 1;
    }
    tell("each round of turns.h runs every row once", complete);
    tell("no row of turns.h always runs behind the same one", most <= ROUNDS / 2);
}

static __global__ void store_kernel(int *x) {
    x[threadIdx.x] = 1;
}

static void fail_launch(void) {
    int *x;
    CUDA_CHECK(cudaMalloc((void **)&x, 4096 * sizeof *x));
    store_kernel<<<1, 4096>>>(x);
    CUDA_CHECK_LAUNCH();
}

int main(int argc, char **argv) {
    const char *job = argc > 1 ? argv[1] : "";
    if (strcmp(job, "fail-call") == 0) {
        CUDA_CHECK(cudaSetDevice(4711));
    } else if (strcmp(job, "fail-launch") == 0) {
        fail_launch();
    } else if (strcmp(job, "fail-kernel") == 0) {
        check_fail(cudaErrorLaunchFailure, "a kernel", __FILE__, __LINE__);
    } else if (strcmp(job, "nothing") == 0) {
        return verify_finish("nothing");
    } else if (strcmp(job, "options") == 0) {
        struct options options = options_read(argc - 1, argv + 1, 3);
        printf("size %lld seed %llu version %d\n", options.size, (unsigned long long)options.seed, options.version);
    } else {
        device_print_backend();
        test_comparison();
        test_poison();
        test_ints();
        test_random();
        test_canaries();
        test_gemm();
        test_turns();
        test_timed_output();
        tell("failures are remembered", verify_finish("all of these") == CHECK_EXIT_FAIL);
    }
    return 0;
}
