/* sweep.cu - verifies and times the candidates of part.cu on four kinds of bytes, beside CUB and plain reading.
 *
 *     ./sweep [BYTES]          2^28 without a number; on the emulator few, and nothing is timed
 *     ./sweep BYTES WORDS      only launches those whose names begin so, once on each kind: for ncu
 *
 * Each candidate is verified on small and odd sizes, at odd addresses, and after its timing. A time is the median of
 * RUNS, with the L2 cache filled with other data before each. After all have had their turn, the fastest on the worst of the
 * four are timed again, in turns with CUB and in another order each round.
 */
#include <cub/device/device_histogram.cuh>

#include "../../../../common/turns.h"

#include "sweep.h"

struct candidate candidates[CANDIDATES];
int candidate_count;

enum { KINDS = 4, RUNS = 11, FINALISTS = 20 };
static const char *const kinds[KINDS] = {"uniform", "one value", "Zipf", "sorted"};
static float times[CANDIDATES][KINDS];

static unsigned *counts, *scratch;
static unsigned char *input[KINDS];
static int multiprocessors;

// ---------------------------------------------------------------- inputs

static void fill_uniform(unsigned char *x, size_t n) {
    uint64_t state = 88172645463325252ull;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t bits = verify_next(&state);
        memcpy(x + i, &bits, n - i < 8 ? n - i : 8);
    }
}

static void fill_zipf(unsigned char *x, size_t n) {
    static unsigned char of[65536];
    double sum = 0, before = 0;
    for (int k = 1; k <= BINS; k++) {
        sum += 1.0 / k;
    }
    for (int k = 1; k <= BINS; k++) {
        double to = before + 65536.0 / k / sum;
        for (int i = (int)before; i < (int)to && i < 65536; i++) {
            of[i] = (unsigned char)(k * 167); /* not in the order of the values */
        }
        before = to;
    }
    of[65535] = of[65534];
    uint64_t state = 1234567;
    for (size_t i = 0; i < n; i += 4) {
        uint64_t bits = verify_next(&state);
        for (size_t k = i; k < i + 4 && k < n; k++, bits >>= 16) {
            x[k] = of[bits & 65535];
        }
    }
}

static void fill(int kind, unsigned char *x, size_t n) {
    if (kind == 0) {
        fill_uniform(x, n);
    } else if (kind == 1) {
        memset(x, 77, n);
    } else if (kind == 2) {
        fill_zipf(x, n);
    } else {
        for (size_t i = 0; i < n; i++) {
            x[i] = (unsigned char)(i * 256.0 / n);
        }
    }
}

// ---------------------------------------------------------------- a launch

struct sweep_job {
    const struct candidate *candidate; /* NULL: CUB */
    const unsigned char *x;
    size_t n;
    unsigned *counts;
    void *temporary;
    size_t temporary_bytes;
    int grid; /* 0: blocks on all multiprocessors */
};

static void sweep_launch(void *a_job, cudaStream_t stream) {
    struct sweep_job *job = (struct sweep_job *)a_job;
    const struct candidate *c = job->candidate;
    if (!c) {
        CUDA_CHECK(cub::DeviceHistogram::HistogramEven(job->temporary, job->temporary_bytes, job->x, (int *)job->counts,
                                                       BINS + 1, 0, (int)BINS, (int)job->n, stream));
        return;
    }
    if (c->merge == 0) {
        CUDA_CHECK(cudaMemsetAsync(job->counts, 0, BINS * sizeof(unsigned), stream));
    }
    int grid = job->grid ? job->grid : c->blocks * multiprocessors;
    c->kernel<<<grid, c->threads, c->shared, stream>>>(job->x, job->n, job->counts, scratch);
    CUDA_CHECK_LAUNCH();
}

static bool right(const unsigned *expected) {
    unsigned found[BINS];
    CUDA_CHECK(cudaMemcpy(found, counts, sizeof found, cudaMemcpyDeviceToHost));
    return memcmp(found, expected, sizeof found) == 0;
}

static void count_on_host(const unsigned char *x, size_t n, unsigned *expected) {
    static unsigned part[4][BINS];
    memset(part, 0, sizeof part);
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            part[k][x[i + k]]++;
        }
    }
    for (; i < n; i++) {
        part[0][x[i]]++;
    }
    for (int b = 0; b < BINS; b++) {
        expected[b] = part[0][b] + part[1][b] + part[2][b] + part[3][b];
    }
}

// ---------------------------------------------------------------- verify all on small sizes

static void verify_small(bool *good) {
    const size_t sizes[] = {0, 1, 15, 16, 17, 1000, 1025, 100003, 1000003};
    const int some = device_is_emulator() ? 8 : 9, first = device_is_emulator() ? 4 : 0;
    unsigned char *host = (unsigned char *)verify_host_alloc(1000003 + 16), *x;
    CUDA_CHECK(cudaMalloc((void **)&x, 1000003 + 16));
    for (int c = 0; c < candidate_count; c++) {
        good[c] = true;
    }
    for (int kind = 0; kind < KINDS; kind++) {
        fill(kind, host, 1000003 + 16);
        CUDA_CHECK(cudaMemcpy(x, host, 1000003 + 16, cudaMemcpyHostToDevice));
        for (int s = first; s < some; s++) {
            int offset = (int)((s + kind) % 4 * 5 % 16);
            unsigned expected[BINS];
            count_on_host(host + offset, sizes[s], expected);
            for (int c = 0; c < candidate_count; c++) {
                if (!candidates[c].counts || !good[c]) {
                    continue;
                }
                int grid = s == 7 && kind % 2 == 1 ? 1 : 0; /* one block: counters of 8 bits go past 255 */
                struct sweep_job job = {&candidates[c], x + offset, sizes[s], counts, NULL, 0, grid};
                verify_poison_device(counts, BINS * sizeof *counts);
                sweep_launch(&job, 0);
                if (!right(expected)) {
                    printf("WRONG: %s, %s, n = %zu, offset %d\n", candidates[c].name, kinds[kind], sizes[s], offset);
                    good[c] = false;
                }
            }
        }
    }
    CUDA_CHECK(cudaFree(x));
    free(host);
}

// ---------------------------------------------------------------- time all

static float median_of(struct turns *turns, struct turns_row *row, int runs) {
    float ms[RUNS];
    for (int r = -1; r < runs; r++) {
        float once = turns_once(turns, row);
        if (r >= 0) {
            ms[r] = once;
        }
    }
    qsort(ms, runs, sizeof ms[0], bench_order);
    return ms[runs / 2];
}

static float worst_of(int c, const float *cub) {
    float worst = 1e9f;
    for (int k = 0; k < KINDS; k++) {
        float ratio = cub[k] / times[c][k];
        worst = ratio < worst ? ratio : worst;
    }
    return worst;
}

static const float *ranking_cub;

static int by_worst(const void *a, const void *b) {
    float x = worst_of(*(const int *)a, ranking_cub), y = worst_of(*(const int *)b, ranking_cub);
    return (x < y) - (x > y);
}

static void print_row(const char *name, const float *ms, double n, float worst) {
    printf("%-68s", name);
    for (int k = 0; k < KINDS; k++) {
        printf("  %8.4f", ms[k]);
        record_print(" %7.0f", name, kinds[k], "GB/s", n / ms[k] / 1e6);
    }
    printf("  %6.3f\n", worst);
}

static void sweep(size_t n, bool *good, int *order, float *cub) {
    struct turns turns = turns_start();
    unsigned expected[KINDS][BINS];
    unsigned char *host = (unsigned char *)verify_host_alloc(n);
    for (int kind = 0; kind < KINDS; kind++) {
        fill(kind, host, n);
        count_on_host(host, n, expected[kind]);
        CUDA_CHECK(cudaMalloc((void **)&input[kind], n));
        CUDA_CHECK(cudaMemcpy(input[kind], host, n, cudaMemcpyHostToDevice));
    }
    free(host);
    for (int kind = 0; kind < KINDS; kind++) {
        struct sweep_job job = {NULL, input[kind], n, counts, NULL, 0, 0};
        sweep_launch(&job, 0);
        CUDA_CHECK(cudaMalloc(&job.temporary, job.temporary_bytes));
        struct turns_row row = {"", sweep_launch, &job};
        cub[kind] = median_of(&turns, &row, RUNS);
        printf("CUB on %s: %s\n", kinds[kind], right(expected[kind]) ? "right" : "WRONG");
        CUDA_CHECK(cudaFree(job.temporary));
        for (int c = 0; c < candidate_count; c++) {
            if (!good[c]) {
                continue;
            }
            struct sweep_job mine = {&candidates[c], input[kind], n, counts, NULL, 0, 0};
            struct turns_row its = {"", sweep_launch, &mine};
            times[c][kind] = median_of(&turns, &its, RUNS);
            if (candidates[c].counts && !right(expected[kind])) {
                printf("WRONG: %s, %s, n = %zu\n", candidates[c].name, kinds[kind], n);
                good[c] = false;
            }
        }
    }
    int ranked = 0;
    for (int c = 0; c < candidate_count; c++) {
        if (good[c]) {
            order[ranked++] = c;
        }
    }
    ranking_cub = cub;
    qsort(order, ranked, sizeof order[0], by_worst);
    printf("\nn = %zu, ms and GB/s; the last column: the smallest of the four ratios CUB's time / its time\n%-68s", n,
           "candidate");
    for (int k = 0; k < KINDS; k++) {
        printf("  %16s", kinds[k]);
    }
    printf("\n");
    record_part("tuning n=%zu", n);
    print_row("CUB", cub, (double)n, 1.0f);
    for (int r = 0; r < ranked; r++) {
        print_row(candidates[order[r]].name, times[order[r]], (double)n, worst_of(order[r], cub));
    }
    for (int r = ranked; r < FINALISTS; r++) {
        order[r] = -1;
    }
    turns_end(&turns);
}

static void once(size_t n, const char *words) {
    unsigned char *host = (unsigned char *)verify_host_alloc(n), *x;
    CUDA_CHECK(cudaMalloc((void **)&x, n));
    for (int kind = 0; kind < KINDS; kind++) {
        fill(kind, host, n);
        CUDA_CHECK(cudaMemcpy(x, host, n, cudaMemcpyHostToDevice));
        for (int c = 0; c < candidate_count; c++) {
            if (strncmp(candidates[c].name, words, strlen(words)) == 0) {
                struct sweep_job job = {&candidates[c], x, n, counts, NULL, 0, 0};
                printf("%s: %s\n", kinds[kind], candidates[c].name);
                sweep_launch(&job, 0);
                CUDA_CHECK(cudaDeviceSynchronize());
            }
        }
    }
    CUDA_CHECK(cudaFree(x));
    free(host);
}

/* The first of the ranking once more, in turns with CUB. */
static void finals(size_t n, const int *order) {
    for (int kind = 0; kind < KINDS; kind++) {
        struct turns turns = turns_start();
        static struct sweep_job jobs[FINALISTS + 1];
        int count = 0;
        jobs[0] = {NULL, input[kind], n, counts, NULL, 0, 0};
        sweep_launch(&jobs[0], 0);
        CUDA_CHECK(cudaMalloc(&jobs[0].temporary, jobs[0].temporary_bytes));
        turns_add(&turns, "CUB", sweep_launch, &jobs[0], (double)n, 0);
        for (int r = 0; r < FINALISTS && order[r] >= 0; r++) {
            if (candidates[order[r]].counts) {
                count++;
                jobs[count] = {&candidates[order[r]], input[kind], n, counts, NULL, 0, 0};
                turns_add(&turns, candidates[order[r]].name, sweep_launch, &jobs[count], (double)n, 0);
            }
        }
        turns_run(&turns);
        printf("\nfinals, n = %zu, %s\n", n, kinds[kind]);
        record_part("tuning finals n=%zu %s", n, kinds[kind]);
        turns_print(&turns, "% of CUB");
        CUDA_CHECK(cudaFree(jobs[0].temporary));
        turns_end(&turns);
    }
}

int main(int argc, char **argv) {
    static bool good[CANDIDATES];
    static int order[CANDIDATES];
    float cub[KINDS];
    size_t n = argc > 1 ? (size_t)atoll(argv[1]) : (size_t)1 << 28;
    device_print_backend();
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    fill_0();
    fill_1();
    fill_2();
    fill_3();
    fill_4();
    fill_5();
    CUDA_CHECK(cudaMalloc((void **)&counts, BINS * sizeof *counts));
    CUDA_CHECK(cudaMalloc((void **)&scratch, (BINS + 2) * sizeof *scratch));
    CUDA_CHECK(cudaMemset(scratch, 0, (BINS + 2) * sizeof *scratch));
    for (int c = 0; c < candidate_count; c++) {
        int fit = 0;
        CUDA_CHECK(cudaFuncSetAttribute(candidates[c].kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        candidates[c].shared));
        CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, candidates[c].kernel, candidates[c].threads,
                                                                 candidates[c].shared));
        if (fit < candidates[c].blocks) {
            printf("note: %s: only %d blocks fit\n", candidates[c].name, fit);
        }
    }
    if (argc > 2) {
        once(n, argv[2]);
        return 0;
    }
    verify_small(good);
    printf("%d candidates verified on small sizes\n", candidate_count);
    fflush(stdout);
    if (!device_is_emulator()) {
        sweep(n, good, order, cub);
        fflush(stdout);
        finals(n, order);
    }
    return 0;
}
