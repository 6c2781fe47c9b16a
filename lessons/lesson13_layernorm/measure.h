/* measure.h - what lesson 13 does with its versions: verify each on many shapes, see how exact they are, count what they ask for on the
 * emulator, and time them on a GPU in turns with a copy that moves the same number of bytes.
 *
 *     frame<float> lesson = frame_of<float>("layernorm", versions, VERSIONS);      for lesson.h
 *     lesson.verify_size = verify_both;                       float and bf16, at aligned addresses and at others
 *     lesson.measure_size = measure_both;                     times or counts
 *     compare_errors(versions, first, last, seed);            how far off is y when the mean is large?
 *     compare_repeats(versions, first, last, seed);           are the column sums the same each time?
 *
 * Row r of a large matrix is row r % PERIOD again, so that the reference computes only PERIOD rows; what is looked at of a large result are
 * its first rows, its last ones and some between, and all column sums.
 */
#ifndef LESSONS_LESSON13_LAYERNORM_MEASURE_H
#define LESSONS_LESSON13_LAYERNORM_MEASURE_H

#include <cuda_bf16.h>
#include <stdint.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/lesson.h"
#include "../../common/turns.h"
#include "../../common/verify.h"

typedef __nv_bfloat16 bf16;

enum { PERIOD = 257, ROWS_MAX = 16 };
enum { PARTIAL_BLOCKS_PER_SM = 32 }; // room in `partial` for the sums of so many blocks of each multiprocessor
#define EPSILON 1e-5f                // added to the variance, so that nothing is divided by 0

struct shape {
    int rows, cols;
};

/* The arrays of one call, on the device. x, residual, sum, y, dy, dx: rows x cols; gamma, beta, dgamma, dbeta: cols; mean, rstd: rows. */
template <class number> struct arrays {
    int rows, cols;
    const number *x, *residual, *dy;
    number *sum, *y, *dx;
    const float *gamma, *beta;
    float *mean, *rstd; // backward finds here what forward has left
    float *dgamma, *dbeta;
    float *partial; // for 2 * cols floats of each block
};

/* What a version computes. ADD: sum = x + residual, and y of that. RMS: y without mean and beta. */
enum kind { FORWARD, RMS, ADD, BACKWARD, KINDS };

struct version {
    const char *name;
    enum kind kind;
    void (*launch)(const struct arrays<float> *a, cudaStream_t stream);
    void (*launch_bf16)(const struct arrays<bf16> *a, cudaStream_t stream); // NULL: only for float
};

static void launch_version(const struct version *v, const struct arrays<float> *a, cudaStream_t stream) {
    v->launch(a, stream);
}

static void launch_version(const struct version *v, const struct arrays<bf16> *a, cudaStream_t stream) {
    v->launch_bf16(a, stream);
}

template <class number> bool is_for(const struct version *v) {
    return sizeof(number) == sizeof(float) || v->launch_bf16;
}

// The lesson's references, in double. `times[r]` says how often row r stands in the matrix.
static void layernorm_cpu(const float *x, const float *gamma, const float *beta, float *y, float *mean, float *rstd,
                          struct shape shape, bool rms);
static void backward_cpu(const float *dy, const float *x, const float *gamma, const float *mean, const float *rstd,
                         float *dx, double *dgamma, double *dbeta, const int *times, struct shape shape);

// ---------------------------------------------------------------- which shapes

struct shapes {
    int small, large;
    struct shape verified[11], measured[4];
};

/* The program's own, or with SIZE=n rows of n numbers. */
static struct shapes shapes_of(const struct options *options) {
    int cols = (int)options->size, rows = cols > 0 ? 70 : 0; // of no columns there is no mean
    if (options->size >= 0) {
        return {2, cols > 0, {{min(rows, 3), cols}, {rows, cols}}, {{device_is_emulator() ? 128 : 32768, cols}}};
    }
    struct shapes all = {11, 4, {}, {{32768, 8192}, {32768, 4096}, {32768, 1024}, {262144, 1024}}};
    const struct shape verified[] = {{0, 5},     {1, 1},     {3, 31},   {5, 33},   {2, 1000}, {7, 1025},
                                     {100, 104}, {37, 1024}, {3, 4096}, {2, 8192}, {2, 17000}};
    memcpy(all.verified, verified, sizeof verified);
    if (device_is_emulator()) {
        all.large = 1, all.measured[0] = {128, 4096};
    }
    return all;
}

// ---------------------------------------------------------------- numbers of either kind

static void to_number(float value, float *to) {
    *to = value;
}

static void to_number(float value, bf16 *to) {
    *to = __float2bfloat16(value);
}

static float to_float(float value) {
    return value;
}

static float to_float(bf16 value) {
    return __bfloat162float(value);
}

/* An array of `kept` rows on the host, as the floats that the numbers stand for, and on the device, where they are repeated. */
template <class number> struct matrix {
    float *host;
    number *device; // `offset` numbers into its allocation
};

template <class number> number *device_numbers(size_t count, int offset) {
    number *p = NULL;
    CUDA_CHECK(cudaMalloc((void **)&p, (count + offset) * sizeof(number)));
    verify_poison_device(p, (count + offset) * sizeof(number));
    return p + offset;
}

template <class number>
struct matrix<number> matrix_create(struct shape shape, int kept, float middle, int offset, uint64_t seed) {
    size_t cols = shape.cols, some = kept * cols;
    struct matrix<number> m;
    number *numbers = (number *)verify_host_alloc(some * sizeof(number));
    m.host = (float *)verify_host_alloc(some * sizeof(float));
    verify_random(m.host, some, middle - 1.0f, middle + 1.0f, seed);
    for (size_t i = 0; i < some; i++) {
        to_number(m.host[i], &numbers[i]);
        m.host[i] = to_float(numbers[i]);
    }
    m.device = device_numbers<number>(shape.rows * cols, offset);
    for (size_t row = 0; row < (size_t)shape.rows; row += kept) {
        size_t rows = shape.rows - row < (size_t)kept ? shape.rows - row : kept;
        const number *from = row ? m.device : numbers;
        CUDA_CHECK(cudaMemcpy(m.device + row * cols, from, rows * cols * sizeof(number), cudaMemcpyDefault));
    }
    free(numbers);
    return m;
}

// ---------------------------------------------------------------- a problem: inputs and what is expected

template <class number>
struct problem {
    struct shape shape;
    int offset, kept; // rows that differ
    struct matrix<number> x, residual, dy;
    float *gamma, *beta;                          // host
    float *y[KINDS], *mean[KINDS], *rstd[KINDS];  // host, expected, of the kept rows; y[BACKWARD]: dx
    float *sums;                                  // host, expected: dgamma, then dbeta
    float *given_gamma, *given_mean, *given_rstd; // device: gamma and behind it beta; of LayerNorm without residual
};

/* Each expected sum of rows x + residual, rounded as the kernel has to round it. */
template <class number> float *added(const struct problem<number> *p) {
    size_t some = (size_t)p->kept * p->shape.cols;
    float *sum = (float *)verify_host_alloc(some * sizeof(float));
    for (size_t i = 0; i < some; i++) {
        number rounded;
        to_number(p->x.host[i] + p->residual.host[i], &rounded);
        sum[i] = to_float(rounded);
    }
    return sum;
}

template <class number> void expect(struct problem<number> *p) {
    struct shape kept = {p->kept, p->shape.cols};
    size_t some = (size_t)p->kept * p->shape.cols, cols = p->shape.cols;
    for (int k = 0; k < KINDS; k++) {
        p->y[k] = (float *)verify_host_alloc(some * sizeof(float));
        p->mean[k] = (float *)verify_host_alloc(p->kept * sizeof(float));
        p->rstd[k] = (float *)verify_host_alloc(p->kept * sizeof(float));
    }
    float *sum = added(p);
    layernorm_cpu(p->x.host, p->gamma, p->beta, p->y[FORWARD], p->mean[FORWARD], p->rstd[FORWARD], kept, false);
    layernorm_cpu(p->x.host, p->gamma, p->beta, p->y[RMS], p->mean[RMS], p->rstd[RMS], kept, true);
    layernorm_cpu(sum, p->gamma, p->beta, p->y[ADD], p->mean[ADD], p->rstd[ADD], kept, false);
    free(sum);
    int *times = (int *)verify_host_alloc(p->kept * sizeof(int));
    for (int r = 0; r < p->kept; r++) {
        times[r] = (p->shape.rows - r + p->kept - 1) / p->kept;
    }
    double *sums = (double *)verify_host_alloc(2 * cols * sizeof(double));
    backward_cpu(p->dy.host, p->x.host, p->gamma, p->mean[FORWARD], p->rstd[FORWARD], p->y[BACKWARD], sums, sums + cols,
                 times, kept);
    p->sums = (float *)verify_host_alloc(2 * cols * sizeof(float));
    for (size_t c = 0; c < 2 * cols; c++) {
        p->sums[c] = (float)sums[c];
    }
    free(sums);
    free(times);
}

static float *repeated_on_device(const float *values, int kept, int rows) {
    float *device = device_numbers<float>(rows, 0);
    for (int row = 0; row < rows; row += kept) {
        CUDA_CHECK(cudaMemcpy(device + row, values, min(kept, rows - row) * sizeof(float), cudaMemcpyHostToDevice));
    }
    return device;
}

template <class number>
struct problem<number> problem_create(struct shape shape, float middle, int offset, uint64_t seed) {
    struct problem<number> p = {
        shape, offset, min(shape.rows, (int)PERIOD)
    };
    size_t cols = shape.cols;
    p.x = matrix_create<number>(shape, p.kept, middle, offset, seed);
    p.residual = matrix_create<number>(shape, p.kept, 0.0f, offset, seed + 1000);
    p.dy = matrix_create<number>(shape, p.kept, 0.25f, offset, seed + 2000);
    p.gamma = (float *)verify_host_alloc(2 * cols * sizeof(float));
    p.beta = p.gamma + cols;
    verify_random(p.gamma, cols, 0.5f, 1.5f, seed + 3000);
    verify_random(p.beta, cols, -1.0f, 1.0f, seed + 4000);
    expect(&p);
    p.given_gamma = repeated_on_device(p.gamma, 2 * shape.cols, 2 * shape.cols);
    p.given_mean = repeated_on_device(p.mean[FORWARD], p.kept, shape.rows);
    p.given_rstd = repeated_on_device(p.rstd[FORWARD], p.kept, shape.rows);
    return p;
}

template <class number>
void problem_free(struct problem<number> *p) {
    for (struct matrix<number> *m : {&p->x, &p->residual, &p->dy}) {
        CUDA_CHECK(cudaFree(m->device - p->offset));
        free(m->host);
    }
    for (int k = 0; k < KINDS; k++) {
        free(p->y[k]);
        free(p->mean[k]);
        free(p->rstd[k]);
    }
    free(p->gamma);
    free(p->sums);
    CUDA_CHECK(cudaFree(p->given_gamma));
    CUDA_CHECK(cudaFree(p->given_mean));
    CUDA_CHECK(cudaFree(p->given_rstd));
}

// ---------------------------------------------------------------- a version on a problem

/* With results of its own, so that several can take turns. Without a version it is a copy: the plain one of common/bench.h, or cudaMemcpy. */
template <class number> struct job {
    struct problem<number> *problem;
    const struct version *version;
    struct arrays<number> a;
    struct bench_copy copy;
    bool memcpy;
};

/* What has to be moved, in bytes: each array once. */
template <class number> double bytes_of(enum kind kind, struct shape shape) {
    const double arrays[] = {2, 2, 4, 3}, per_row[] = {8, 4, 8, 8}, per_column[] = {8, 4, 8, 12};
    return arrays[kind] * shape.rows * shape.cols * sizeof(number) + per_row[kind] * shape.rows +
           per_column[kind] * shape.cols;
}

template <class number> struct job<number> job_create(struct problem<number> *p, const struct version *version) {
    struct job<number> job = {
        p, version
    };
    struct arrays<number> *a = &job.a;
    int rows = p->shape.rows, cols = p->shape.cols;
    size_t count = (size_t)rows * cols;
    bool backward = version->kind == BACKWARD;
    a->rows = rows, a->cols = cols;
    a->x = p->x.device, a->residual = p->residual.device, a->dy = p->dy.device;
    a->gamma = p->given_gamma, a->beta = p->given_gamma + cols;
    a->y = device_numbers<number>(count, p->offset), a->dx = a->y;
    a->sum = version->kind == ADD ? device_numbers<number>(count, p->offset) : NULL;
    a->mean = backward ? p->given_mean : device_numbers<float>(rows, 0);
    a->rstd = backward ? p->given_rstd : device_numbers<float>(rows, 0);
    if (backward) {
        a->dgamma = device_numbers<float>(2 * (size_t)cols, 0);
        a->dbeta = a->dgamma + cols;
        size_t blocks = min(rows, multiprocessors() * PARTIAL_BLOCKS_PER_SM);
        a->partial = device_numbers<float>(2 * cols * blocks, 0);
    }
    return job;
}

template <class number>
struct job<number> copy_create(struct problem<number> *p, double bytes, bool memcpy) {
    struct job<number> job = {
        p, NULL
    };
    job.memcpy = memcpy;
    job.copy.n = (size_t)(bytes / 2 / sizeof(float4)) + 1;
    CUDA_CHECK(cudaMalloc((void **)&job.copy.from, job.copy.n * sizeof(float4)));
    CUDA_CHECK(cudaMalloc((void **)&job.copy.to, job.copy.n * sizeof(float4)));
    CUDA_CHECK(cudaMemset(job.copy.from, 0, job.copy.n * sizeof(float4)));
    return job;
}

template <class number>
void job_free(struct job<number> *job) {
    struct arrays<number> *a = &job->a;
    CUDA_CHECK(cudaFree(job->copy.from));
    CUDA_CHECK(cudaFree(job->copy.to));
    if (!job->version) {
        return;
    }
    CUDA_CHECK(cudaFree(a->y - job->problem->offset));
    if (a->sum) {
        CUDA_CHECK(cudaFree(a->sum - job->problem->offset));
    }
    CUDA_CHECK(cudaFree(a->dgamma));
    CUDA_CHECK(cudaFree(a->partial));
    if (job->version->kind != BACKWARD) {
        CUDA_CHECK(cudaFree(a->mean));
        CUDA_CHECK(cudaFree(a->rstd));
    }
}

template <class number> void job_launch(void *a_job, cudaStream_t stream) {
    struct job<number> *mine = (struct job<number> *)a_job;
    if (mine->version) {
        launch_version(mine->version, &mine->a, stream);
    } else if (mine->memcpy) {
        bench_launch_memcpy(&mine->copy, stream);
    } else {
        bench_launch_copy(&mine->copy, stream);
    }
}

template <class number> const char *job_name(const struct job<number> *job) {
    return job->version ? job->version->name : job->memcpy ? "cudaMemcpy" : "copy kernel";
}

/* Rows first .. first + rows of a result, as floats, and what they should be. A bf16 has 8 bits: half of the last one is at most 1/256 of the number. */
template <class number>
void verify_rows(const char *name, const number *device, const float *expected, size_t first, size_t rows,
                 const struct problem<number> *p) {
    size_t cols = p->shape.cols, some = rows * cols;
    number *numbers = (number *)verify_host_alloc(some * sizeof(number));
    float *found = (float *)verify_host_alloc(some * sizeof(float));
    float *wanted = (float *)verify_host_alloc(some * sizeof(float));
    verify_poison_host(numbers, some * sizeof(number));
    CUDA_CHECK(cudaMemcpy(numbers, device + first * cols, some * sizeof(number), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < some; i++) {
        found[i] = to_float(numbers[i]);
        wanted[i] = expected[(first + i / cols) % p->kept * cols + i % cols];
    }
    verify_floats(name, found, wanted, some, 2e-5, sizeof(number) == sizeof(float) ? 1e-5 : 1.0 / 256);
    free(numbers);
    free(found);
    free(wanted);
}

/* All of a small result; of a large one the first rows, the last ones and some between. */
template <class number>
void verify_matrix(const char *name, const number *device, const float *expected, const struct problem<number> *p) {
    size_t rows = p->shape.rows, kept = p->kept;
    verify_rows(name, device, expected, 0, kept, p);
    if (rows > kept) {
        verify_rows(name, device, expected, rows - kept, kept, p);
        verify_rows(name, device, expected, rows / 2, kept < rows - rows / 2 ? kept : rows - rows / 2, p);
    }
}

static void verify_per_row(const char *name, const float *device, const float *expected, int rows, int kept) {
    float *found = (float *)verify_host_alloc(rows * sizeof(float));
    float *wanted = (float *)verify_host_alloc(rows * sizeof(float));
    verify_poison_host(found, rows * sizeof(float));
    CUDA_CHECK(cudaMemcpy(found, device, rows * sizeof(float), cudaMemcpyDeviceToHost));
    for (int r = 0; r < rows; r++) {
        wanted[r] = expected[r % kept];
    }
    float largest = 0;
    for (int r = 0; r < rows; r++) {
        largest = fmaxf(largest, wanted[r]);
    }
    // 1 / sqrt(v) moves by 1 / sqrt(v)^3 / 2 times what v does, and v, of numbers up to 2, is rounded by 10^-7 or so.
    verify_floats(name, found, wanted, rows, 2e-6 + 2e-7 * largest * largest * largest, 1e-5);
    free(found);
    free(wanted);
}

/* With atomics a column sum is rounded once for each row, by at most 2^-24 of what it has become: 6e-8 of its size. The bound is a sixth of
 * what that may add up to; that nothing is missing is seen where there are few rows. */
template <class number> void verify_sums(const char *name, const struct job<number> *job) {
    const struct problem<number> *p = job->problem;
    size_t count = 2 * (size_t)p->shape.cols;
    float *found = (float *)verify_host_alloc(count * sizeof(float));
    verify_poison_host(found, count * sizeof(float));
    CUDA_CHECK(cudaMemcpy(found, job->a.dgamma, count * sizeof(float), cudaMemcpyDeviceToHost));
    verify_floats(name, found, p->sums, count, 1e-5 + 8e-6 * p->shape.rows, 1e-5 + 1e-8 * p->shape.rows);
    free(found);
}

template <class number> void job_verify(const struct job<number> *job) {
    if (!job->version) {
        return;
    }
    const struct problem<number> *p = job->problem;
    enum kind kind = job->version->kind;
    const char *name = job->version->name;
    verify_matrix(name, job->a.y, p->y[kind], p);
    if (kind == BACKWARD) {
        verify_sums(name, job);
        return;
    }
    if (kind != RMS) {
        verify_per_row(name, job->a.mean, p->mean[kind], p->shape.rows, p->kept);
    }
    verify_per_row(name, job->a.rstd, p->rstd[kind], p->shape.rows, p->kept);
    if (kind == ADD) {
        float *sum = added(p);
        verify_matrix(name, job->a.sum, sum, p);
        free(sum);
    }
}

// ---------------------------------------------------------------- how exact?

/* The largest error of y, for rows of 4096 numbers around `middle`; the reference has computed with the same floats. */
static double largest_error(const struct version *version, float middle, uint64_t seed) {
    const struct shape shape = {8, 4096};
    const size_t count = (size_t)shape.rows * shape.cols;
    struct problem<float> p = problem_create<float>(shape, middle, 0, seed);
    struct job<float> job = job_create(&p, version);
    float *found = (float *)verify_host_alloc(count * sizeof(float));
    double worst = 0;
    job_launch<float>(&job, 0);
    CUDA_CHECK(cudaMemcpy(found, job.a.y, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++) {
        double error = fabs((double)found[i] - p.y[version->kind][i]);
        worst = error <= worst || isnan(worst) ? worst : error; // a NaN is the worst, and stays
    }
    free(found);
    job_free(&job);
    problem_free(&p);
    return worst;
}

static void compare_errors(const struct version *versions, int first, int last, uint64_t seed) {
    const float middles[] = {0, 10, 100, 1000, 10000};
    int v = first;
    while (v <= last && versions[v].kind != FORWARD) {
        v++;
    }
    if (v > last) {
        printf("\n");
        return; // a heading without rows says nothing
    }
    printf("\nlargest error of y, for numbers from m - 1 to m + 1 with\n%-20s", "");
    for (float middle : middles) {
        printf("  %10s%-5.0f", "m = ", middle);
    }
    printf("\n");
    for (; v <= last; v++) {
        if (versions[v].kind == FORWARD) {
            printf("%-20s", versions[v].name);
            for (float middle : middles) {
                char column[32];
                snprintf(column, sizeof column, "error, m = %.0f", middle);
                record_print("  %15.2e", versions[v].name, column, "", largest_error(&versions[v], middle, seed));
            }
            printf("\n");
        }
    }
    printf("\n");
}

/* The same backward pass, again and again: how many different column sums are there? */
static void compare_repeats(const struct version *versions, int first, int last, uint64_t seed) {
    enum { REPEATS = 8 };
    struct problem<float> p = problem_create<float>({1000, 1024}, 0.5f, 0, seed);
    const size_t bytes = 2 * (size_t)p.shape.cols * sizeof(float);
    for (int v = first; v <= last; v++) {
        if (versions[v].kind == BACKWARD) {
            struct job<float> job = job_create(&p, &versions[v]);
            char *found = (char *)verify_host_alloc(REPEATS * bytes);
            int different = 0;
            for (int r = 0; r < REPEATS; r++) {
                int same = 0;
                job_launch<float>(&job, 0);
                CUDA_CHECK(cudaMemcpy(found + r * bytes, job.a.dgamma, bytes, cudaMemcpyDeviceToHost));
                while (memcmp(found + same * bytes, found + r * bytes, bytes) != 0) {
                    same++;
                }
                different += same == r;
            }
            printf("%-20s  %d times the same column sums: %d different result%s\n", versions[v].name, REPEATS,
                   different, different == 1 ? "" : "s");
            record_row(versions[v].name, "different results", different, "");
            free(found);
            job_free(&job);
        }
    }
    problem_free(&p);
    printf("\n");
}

// ---------------------------------------------------------------- the tables

template <class number> void count_on_emulator(struct job<number> *jobs, int count, const struct problem<number> *p) {
    struct bench bench = bench_start(0);
    double elements = (double)p->shape.rows * p->shape.cols;
    for (int j = 0; j < count; j++) {
        bench_run(&bench, job_name(&jobs[j]), job_launch<number>, &jobs[j], elements, 0, 0);
    }
    printf("\n%-22s  %12s  %12s  %12s  %12s  %12s\n", "", "launches", "arrays read", "arrays", "barriers", "global");
    printf("%-22s  %12s  %12s  %12s  %12s  %12s\n", "version", "", "", "written", "per row", "atomics");
    for (int r = 0; r < bench.rows; r++) {
        const struct emulatorCounters *c = &bench.row[r].counters;
        double array = elements * sizeof(number) / 32; // sectors
        printf("%-22s  %12llu  %12.2f  %12.2f  %12.2f  %12llu\n", bench.row[r].name, (unsigned long long)c->launches,
               c->global_load_sectors / array, c->global_store_sectors / array, c->barriers / (double)p->shape.rows,
               (unsigned long long)c->global_atomic_requests);
    }
    bench_finish(&bench);
}

template <class number> void time_on_gpu(struct job<number> *jobs, int count, double bytes) {
    struct turns turns = turns_start();
    for (int j = 0; j < count; j++) {
        turns_add(&turns, job_name(&jobs[j]), job_launch<number>, &jobs[j], bytes, 0);
    }
    turns_run(&turns);
    turns_print(&turns, "% of copy");
    turns_end(&turns);
}

/* The versions that compute the same thing, and copies of as many bytes. */
template <class number>
void measure_kind(struct problem<number> *p, const struct version *versions, int first, int last, enum kind kind) {
    static const char *const titles[] = {"forward", "RMSNorm", "residual added, then forward", "backward"};
    static const char *const parts[] = {"forward", "RMSNorm", "residual", "backward"};
    const char *type = sizeof(number) == sizeof(float) ? "float" : "bf16";
    struct job<number> jobs[ROWS_MAX];
    double bytes = bytes_of<number>(kind, p->shape);
    int count = 0;
    for (int v = first; v <= last; v++) {
        if (versions[v].kind == kind && is_for<number>(&versions[v])) {
            if (count == 0) {
                jobs[count++] = copy_create(p, bytes, false);
                jobs[count++] = copy_create(p, bytes, true);
            }
            jobs[count++] = job_create(p, &versions[v]);
        }
    }
    if (count) {
        printf("%s, %s, %d x %d: %.1f MB to move\n", titles[kind], type, p->shape.rows, p->shape.cols, bytes / 1e6);
        record_part("%s %s %d x %d", parts[kind], type, p->shape.rows, p->shape.cols);
        time_on_gpu(jobs, count, bytes);
    }
    for (int j = 0; j < count; j++) { // what was timed must be right as well
        job_verify(&jobs[j]);
        job_free(&jobs[j]);
    }
}

template <class number>
void measure_versions(const struct version *versions, int first, int last, struct shape shape, uint64_t seed) {
    struct problem<number> p = problem_create<number>(shape, 0.5f, 0, seed);
    if (!device_is_emulator()) {
        for (int kind = 0; kind < KINDS; kind++) {
            measure_kind(&p, versions, first, last, (enum kind)kind);
        }
    } else {
        struct job<number> jobs[ROWS_MAX];
        int count = 0;
        for (int v = first; v <= last; v++) {
            if (is_for<number>(&versions[v])) {
                jobs[count++] = job_create(&p, &versions[v]);
            }
        }
        printf("%d x %d, %s\n", shape.rows, shape.cols, sizeof(number) == sizeof(float) ? "float" : "bf16");
        count_on_emulator(jobs, count, &p);
        for (int j = 0; j < count; j++) {
            job_verify(&jobs[j]);
            job_free(&jobs[j]);
        }
    }
    problem_free(&p);
}

// ---------------------------------------------------------------- for lesson.h

template <class number> using frame = lesson<shape, problem<number>, version, job<number>>;

template <class number> frame<number> frame_of(const char *what, const struct version *versions, int count) {
    frame<number> lesson = {what, versions, count};
    lesson.kinds = 2; // at aligned addresses and at others
    lesson.create = [](struct shape shape, int kind, uint64_t seed) {
        return problem_create<number>(shape, 0.5f, kind, seed);
    };
    lesson.free = problem_free<number>;
    lesson.is_for = [](const struct version *v, const struct problem<number> *) { return is_for<number>(v); };
    lesson.begin = job_create<number>, lesson.launch = job_launch<number>, lesson.end = job_free<number>;
    lesson.verify = [](struct job<number> *job) { job_verify(job); };
    return lesson;
}

static void verify_both(const struct version *versions, int first, int last, struct shape shape, uint64_t seed) {
    frame<float> floats = frame_of<float>("layernorm", versions, last + 1);
    frame<bf16> bf16s = frame_of<bf16>("layernorm", versions, last + 1);
    lesson_verify(&floats, first, last, shape, seed);
    lesson_verify(&bf16s, first, last, shape, seed);
}

static void measure_both(const struct version *versions, int first, int last, struct shape shape, uint64_t seed) {
    measure_versions<float>(versions, first, last, shape, seed);
    measure_versions<bf16>(versions, first, last, shape, seed);
}

#endif
