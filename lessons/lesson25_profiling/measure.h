/* measure.h - what lesson 25 does with its versions: a recording to work on, the CPU's results to compare with, and
 * the table of times or counts. */
#ifndef LESSONS_LESSON25_PROFILING_MEASURE_H
#define LESSONS_LESSON25_PROFILING_MEASURE_H

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/turns.h"
#include "../../common/verify.h"

/* NVTX: names for what nsys draws. Header only; nothing happens while no tool listens. */
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
static inline void range_begin(const char *name) {
    nvtxRangePushA(name);
}
static inline void range_end(void) {
    nvtxRangePop();
}
#else
static inline void range_begin(const char *) {}
static inline void range_end(void) {}
#endif

enum { CHANNELS = 32, FRAMES = 8 };
enum { ROUNDS = 6 };            // of a curve
enum { SAMPLES_MAX = 1 << 21 }; // of a channel in a frame: all elements of a recording fit an int

/* All arrays but `level` are on the device. A frame has samples * CHANNELS elements. */
struct recording {
    int samples;
    const float *x, *offset, *gain; // x: FRAMES frames, the channels of a moment side by side; offset, gain: by channel
    float *between[2];              // a frame each, for what one kernel leaves to the next
    float *y;                       // FRAMES frames, the samples of a channel side by side
    float *energy;                  // FRAMES x CHANNELS
    float *level;                   // the same on the host, in pinned memory
};

struct version {
    const char *name;
    void (*launch)(const struct recording *r, cudaStream_t stream);
};

static float shape_cpu(float v, int channel); // the lesson's

static inline size_t elements_of(const struct recording *r) {
    return (size_t)r->samples * CHANNELS;
}

static inline const float *frame_of(const struct recording *r, const float *frames, int f) {
    return frames + f * elements_of(r);
}

static inline float *frame_of(const struct recording *r, float *frames, int f) {
    return frames + f * elements_of(r);
}

// ---------------------------------------------------------------- a problem

struct problem {
    struct recording recording;
    float *x, *offset, *gain;           // on the device, as they may be filled
    float *expected, *energies, *found; // host: y, energy; room for what came back
};

static float *device_floats(size_t n) {
    float *p = NULL;
    CUDA_CHECK(cudaMalloc((void **)&p, n * sizeof(float)));
    return p;
}

static void upload(float *to, const float *from, size_t n) {
    CUDA_CHECK(cudaMemcpy(to, from, n * sizeof(float), cudaMemcpyHostToDevice));
}

static void compute_on_cpu(struct problem *p, const float *x, const float *offset, const float *gain) {
    int samples = p->recording.samples;
    for (int f = 0; f < FRAMES; f++) {
        for (int c = 0; c < CHANNELS; c++) {
            double energy = 0;
            for (int s = 0; s < samples; s++) {
                size_t frame = f * elements_of(&p->recording);
                float v = shape_cpu((x[frame + (size_t)s * CHANNELS + c] - offset[c]) * gain[c], c);
                p->expected[frame + (size_t)c * samples + s] = v;
                energy += (double)v * v;
            }
            p->energies[f * CHANNELS + c] = (float)energy;
        }
    }
}

static struct problem problem_create(int samples, uint64_t seed) {
    struct problem p = {};
    struct recording *r = &p.recording;
    r->samples = samples;
    size_t n = elements_of(r) * FRAMES;
    float offset[CHANNELS], gain[CHANNELS], *x = (float *)verify_host_alloc(n * sizeof(float));
    p.expected = (float *)verify_host_alloc(n * sizeof(float));
    p.found = (float *)verify_host_alloc(n * sizeof(float));
    p.energies = (float *)verify_host_alloc(FRAMES * CHANNELS * sizeof(float));
    verify_random(x, n, -1.0f, 1.0f, seed);
    verify_random(offset, CHANNELS, -0.1f, 0.1f, seed + 1);
    verify_random(gain, CHANNELS, 0.5f, 1.5f, seed + 2);
    compute_on_cpu(&p, x, offset, gain);
    r->x = p.x = device_floats(n);
    r->offset = p.offset = device_floats(CHANNELS);
    r->gain = p.gain = device_floats(CHANNELS);
    r->between[0] = device_floats(n / FRAMES);
    r->between[1] = device_floats(n / FRAMES);
    r->y = device_floats(n);
    r->energy = device_floats(FRAMES * CHANNELS);
    CUDA_CHECK(cudaMallocHost((void **)&r->level, FRAMES * CHANNELS * sizeof(float)));
    upload(p.x, x, n);
    upload(p.offset, offset, CHANNELS);
    upload(p.gain, gain, CHANNELS);
    free(x);
    return p;
}

static void problem_free(struct problem *p) {
    struct recording *r = &p->recording;
    float *const arrays[] = {p->x, p->offset, p->gain, r->between[0], r->between[1], r->y, r->energy};
    for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
        CUDA_CHECK(cudaFree(arrays[a]));
    }
    CUDA_CHECK(cudaFreeHost(r->level));
    free(p->expected);
    free(p->energies);
    free(p->found);
}

static void problem_poison(struct problem *p) {
    struct recording *r = &p->recording;
    size_t frame = elements_of(r) * sizeof(float);
    verify_poison_device(r->y, FRAMES * frame);
    verify_poison_device(r->between[0], frame);
    verify_poison_device(r->between[1], frame);
    verify_poison_device(r->energy, FRAMES * CHANNELS * sizeof(float));
    verify_poison_host(r->level, FRAMES * CHANNELS * sizeof(float));
}

/* The curves end with a few roundings. An energy adds up at most 2^21 squares, in whatever order. */
static void problem_verify(struct problem *p, const char *name) {
    size_t n = elements_of(&p->recording) * FRAMES;
    verify_poison_host(p->found, n * sizeof(float));
    if (n) {
        CUDA_CHECK(cudaMemcpy(p->found, p->recording.y, n * sizeof(float), cudaMemcpyDeviceToHost));
    }
    verify_floats(name, p->found, p->expected, n, 1e-6, 1e-5);
    verify_floats(name, p->recording.level, p->energies, FRAMES * CHANNELS, 1e-6, 1e-3);
}

static void verify_version(struct problem *p, const struct version *version) {
    problem_poison(p);
    range_begin(version->name);
    version->launch(&p->recording, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    range_end();
    problem_verify(p, version->name);
}

static void verify_versions(const struct version *versions, int first, int last, int samples, uint64_t seed) {
    struct problem p = problem_create(samples, seed);
    for (int v = first; v <= last; v++) {
        verify_version(&p, &versions[v]);
    }
    problem_free(&p);
}

// ---------------------------------------------------------------- the tables

/* A profile is of one size, and of nothing else. */
static bool profiled(void) {
    const char *profile = getenv("EMULATOR_PROFILE"), *view = getenv("EMULATOR_VIEW");
    return (profile && *profile) || (view && *view) || getenv("ONE_SIZE");
}

struct job {
    struct problem *problem;
    const struct version *version;
};

static void job_launch(void *a_job, cudaStream_t stream) {
    struct job *job = (struct job *)a_job;
    job->version->launch(&job->problem->recording, stream);
}

static void count_one(struct problem *p, const struct version *version) {
    struct emulatorCounters c;
    const struct job job = {p, version};
    problem_poison(p);
    bench_count(&c, job_launch, (void *)&job);
    printf("%-10s", version->name);
    bench_cell((double)c.thread_instructions, (double)elements_of(&p->recording) * FRAMES);
    bench_cell((double)c.global_load_sectors, (double)c.global_load_requests);
    bench_cell((double)c.global_store_sectors, (double)c.global_store_requests);
    bench_cell((double)(c.shared_load_wavefronts + c.shared_store_wavefronts),
               (double)(c.shared_load_requests + c.shared_store_requests));
    printf("  %12llu", (unsigned long long)c.divergent_branches);
    bench_cell((double)c.global_loads_together, (double)c.global_load_requests);
    bench_cell(32.0 * (double)(c.global_load_sectors + c.global_store_sectors),
               (double)elements_of(&p->recording) * FRAMES);
    printf("  %10llu\n", (unsigned long long)c.host_waits);
    problem_verify(p, version->name);
}

static void count_versions(struct problem *p, const struct version *versions, int first, int last) {
    printf("\n%-10s  %12s  %12s  %12s  %12s  %12s  %12s  %12s  %10s\n", "", "instructions", "sectors", "sectors",
           "wavefronts", "divergent", "loads in", "bytes moved", "waits of");
    printf("%-10s  %12s  %12s  %12s  %12s  %12s  %12s  %12s  %10s\n", "version", "per element", "per load", "per store",
           "per shared", "branches", "flight", "per element", "the host");
    for (int v = first; v <= last; v++) {
        count_one(p, &versions[v]);
    }
    printf("\n");
}

/* The job reads each element once and writes it once. The copy kernel, which does as much, is the limit. */
static void copy_launch(void *a_job, cudaStream_t stream) {
    const struct recording *r = &((struct job *)a_job)->problem->recording;
    size_t n = elements_of(r) * FRAMES / 4;
    bench_copy_kernel<<<(unsigned)((n + BENCH_BLOCK - 1) / BENCH_BLOCK), BENCH_BLOCK, 0, stream>>>((const float4 *)r->x,
                                                                                                   (float4 *)r->y, n);
    CUDA_CHECK_LAUNCH();
}

static void time_versions(struct problem *p, const struct version *versions, int first, int last) {
    double bytes = 2.0 * elements_of(&p->recording) * FRAMES * sizeof(float);
    struct job jobs[BENCH_ROWS] = {{p, NULL}};
    struct turns turns = turns_start();
    turns_add(&turns, "copy kernel", copy_launch, &jobs[0], bytes, 0);
    for (int v = first; v <= last; v++) {
        jobs[v + 1].problem = p;
        jobs[v + 1].version = &versions[v];
        turns_add(&turns, versions[v].name, job_launch, &jobs[v + 1], bytes, 0);
    }
    turns_run(&turns);
    turns_print(&turns, "% of copy");
    turns_end(&turns);
    for (int v = first; v <= last; v++) { // what was timed must be right as well
        verify_version(p, &versions[v]);
    }
}

static void measure_versions(const struct version *versions, int first, int last, int samples, uint64_t seed) {
    struct problem p = problem_create(samples, seed);
    printf("%d frames of %d samples in %d channels\n", FRAMES, samples, CHANNELS);
    if (profiled()) {
        for (int v = first; v <= last; v++) {
            verify_version(&p, &versions[v]);
        }
    } else if (device_is_emulator()) {
        count_versions(&p, versions, first, last);
    } else {
        time_versions(&p, versions, first, last);
    }
    problem_free(&p);
}

#endif
