/* measure.h - lesson 19's problem in fp8 with its verification, and the tables: times on a GPU, counts on the emulator.
 *
 * e4m3 is a number of 8 bits: a sign, 4 bits of an exponent, 3 of a fraction. Here A and B are +-(1 + f / 8) * 2^e with e
 * from -3 to -1, all of them normal numbers between 0.125 and 0.94; B is N x K.
 *
 * How far may a result in fp8 be off? A Hopper tensor core adds the 32 products of an instruction to a sum whose last bits
 * it cuts off: it keeps about 13 bits behind the leading one. The sum is at most about sqrt(K) here, so each of the K / 32
 * additions cuts off 2^-13 of that at most. Rounding to bfloat16 comes on top, as in gelu_layer.h.
 */
#ifndef LESSON19_MEASURE_H
#define LESSON19_MEASURE_H

// ---------------------------------------------------------------- fp8

struct fp8_problem {
    struct layer layer; // A and B point to bytes
    int step;           // the reference has rows 0, step, 2 * step, ...
    float *A, *B, *expected, *found;
};

/* n random e4m3: here as floats, on the device as bytes. */
static float *fp8_random(size_t n, uint64_t seed, const bf16 **device) {
    float *x = (float *)verify_host_alloc(n * sizeof(float));
    uint8_t *bits = (uint8_t *)verify_host_alloc(n);
    verify_random(x, n, 0, 47.99f, seed);
    for (size_t i = 0; i < n; i++) {
        int number = (int)x[i], fraction = number % 8, exponent = number / 8 % 3, sign = number / 24;
        bits[i] = (uint8_t)(sign << 7 | (exponent + 4) << 3 | fraction); // the exponent's 0 is stored as 7
        x[i] = (float)ldexp((sign ? -1 : 1) * (8 + fraction), exponent - 6);
    }
    CUDA_CHECK(cudaMalloc((void **)device, n));
    CUDA_CHECK(cudaMemcpy((void *)*device, bits, n, cudaMemcpyHostToDevice));
    free(bits);
    return x;
}

static struct fp8_problem fp8_create(int M, int N, int K, uint64_t seed) {
    struct fp8_problem p = {};
    struct layer *l = &p.layer;
    l->M = M, l->N = N, l->K = K;
    p.step = (double)M * N * K > 4e8 ? LAYER_SAMPLE : 1;
    p.A = fp8_random((size_t)M * K, seed, &l->A);
    p.B = fp8_random((size_t)N * K, seed + 1000, &l->B);
    p.expected = (float *)verify_host_alloc((size_t)M * N * sizeof(float));
    p.found = (float *)verify_host_alloc((size_t)M * N * sizeof(float));
    for (size_t i = 0; i < (size_t)M; i += p.step) {
        for (size_t j = 0; j < (size_t)N; j++) {
            double sum = 0;
            for (int k = 0; k < K; k++) {
                sum += (double)p.A[i * K + k] * p.B[j * K + k];
            }
            p.expected[i * N + j] = (float)sum;
        }
    }
    l->C = (bf16 *)verify_alloc((size_t)M * N * sizeof(bf16));
    return p;
}

static void fp8_free(struct fp8_problem *p) {
    verify_free("C", p->layer.C, (size_t)p->layer.M * p->layer.N * sizeof(bf16));
    CUDA_CHECK(cudaFree((void *)p->layer.A));
    CUDA_CHECK(cudaFree((void *)p->layer.B));
    free(p->A);
    free(p->B);
    free(p->expected);
    free(p->found);
}

static int fp8_verify(struct fp8_problem *p, const char *name) {
    const struct layer *l = &p->layer;
    char title[120];
    size_t count = (size_t)l->M * l->N;
    double atol = l->K / 32 * sqrt((double)l->K) / (1 << 13) + 1e-6;
    uint16_t *bits = (uint16_t *)verify_host_alloc(count * sizeof(uint16_t));
    snprintf(title, sizeof title, "%s, M x N x K = %d x %d x %d, fp8", name, l->M, l->N, l->K);
    verify_poison_host(bits, count * sizeof(uint16_t));
    CUDA_CHECK(cudaMemcpy(bits, l->C, count * sizeof(uint16_t), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++) {
        p->found[i] = layer_float(bits[i]);
        if (i / l->N % p->step != 0 && !verify_is_poison(p->found[i])) {
            p->expected[i] = p->found[i]; // the reference lacks this row
        }
    }
    free(bits);
    return verify_floats(title, p->found, p->expected, count, atol, 1.001 / 256);
}

static void fp8_verify_shape(int M, int N, int K, uint64_t seed) {
    struct fp8_problem p = fp8_create(M, N, K, seed);
    verify_poison_device(p.layer.C, (size_t)M * N * sizeof(bf16));
    hopper8(p.layer, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    fp8_verify(&p, "hopper_kernel8");
    fp8_free(&p);
}

// ---------------------------------------------------------------- on the emulator: counts

static void print_counts(const char *name, const struct layer *l, int bytes, const struct emulatorCounters *c) {
    printf("%-18s", name);
    bench_cell((double)c->warp_instructions, (double)l->M * l->N * l->K / 2048);
    bench_cell((double)c->bulk_copies, 1);
    bench_cell((double)c->bulk_load_bytes, ((double)l->M * l->K + (double)l->K * l->N) * bytes);
    bench_cell((double)c->global_store_sectors, (double)c->global_store_requests);
    bench_cell((double)c->shared_store_wavefronts, (double)c->shared_store_requests);
    bench_cell((double)c->bulk_store_bytes, (double)l->M * l->N * sizeof(bf16));
    printf("\n");
}

/* mma: 16 x 8 x 16 multiply-adds, as in lesson 18, although a wgmma does 64 x 256 x 16 of them. */
static void print_head(void) {
    printf("\n%-18s  %12s  %12s  %12s  %12s  %12s  %12s\n", "", "instructions", "copies", "A and B", "sectors",
           "wavefronts", "C stored");
    printf("%-18s  %12s  %12s  %12s  %12s  %12s  %12s\n", "version", "per mma", "by TMA", "loaded, times", "per store",
           "per shared", "by TMA, times");
}

static void count_versions(struct problem *p, int first, int last) {
    for (int v = first; v <= last && v < VERSIONS; v++) {
        struct layer_job job = {p->layer, versions[v].launch};
        struct emulatorCounters counters;
        problem_poison(p);
        bench_count(&counters, layer_launch_job, &job);
        print_counts(versions[v].name, &p->layer, sizeof(bf16), &counters);
        problem_verify(p, versions[v].name, 1);
    }
}

// ---------------------------------------------------------------- the tables

/* Version 8 by itself: what it is compared with needs another library (measured/shapes.cu). */
static void measure_fp8(int n, uint64_t seed) {
    struct fp8_problem p = fp8_create(n, n, n, seed);
    struct layer_job job = {p.layer, hopper8};
    verify_poison_device(p.layer.C, (size_t)n * n * sizeof(bf16));
    if (device_is_emulator()) {
        struct emulatorCounters counters;
        bench_count(&counters, layer_launch_job, &job);
        print_counts("hopper_kernel8", &p.layer, 1, &counters);
    } else {
        struct turns turns = turns_start();
        turns_add(&turns, "hopper_kernel8", layer_launch_job, &job, 0, 2.0 * n * n * n);
        printf("\nfp8: tensor cores do twice as much\n");
        turns_run(&turns);
        record_part("fp8");
        layer_print_times(&turns, 0, -1);
        turns_end(&turns);
    }
    fp8_verify(&p, "hopper_kernel8");
    fp8_free(&p);
}

static void measure(int first, int last, int n, uint64_t seed) {
    printf("M = %d, N = %d, K = %d\n", n, n, n);
    if (device_is_emulator()) {
        print_head();
    }
    if (first < VERSIONS) {
        struct problem problem = problem_create(n, n, n, false, seed, layer_cpu);
        if (device_is_emulator()) {
            count_versions(&problem, first, last);
        } else {
            problem_measure_times(&problem, &versions[first], (last < VERSIONS ? last + 1 : VERSIONS) - first);
        }
        problem_free(&problem);
    }
    if (last == FP8 - 1 && n % 16 == 0) {
        measure_fp8(n, seed);
    }
    printf("\n");
}

#endif
