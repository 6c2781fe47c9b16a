/* Lesson 04, "Coalesced" and "Structs of arrays": what a warp's request moves, pattern by pattern, verified and timed
 * (or counted) as the versions are.
 *
 * record.list has it built and run. SIZE (rounded up to a power of two) and SEED as in the lesson.
 *
 * First n floats are copied. Each is loaded once, and the stores are coalesced; only which thread loads which float
 * changes. Then n particles of 8 floats: one of these is wanted, or six; from an array of structs, a struct of arrays,
 * or an array of float4 pairs.
 */
#include "../../../common/bench.h"
#include "../../../common/check.h"
#include "../../../common/device.h"
#include "../../../common/verify.h"

enum { BLOCK = 256 };
static const float STEP = 0.125f; // of time

static int blocks_for(int n) {
    return (n + BLOCK - 1) / BLOCK;
}

// ---------------------------------------------------------------- strides

/* Which float thread i loads if lanes are 2^apart floats apart and n is 2^size: 0, 8, 16, ..., then 1, 9, 17, ... */
static __host__ __device__ int element_of(int i, int apart, int size) {
    int rounds = size - apart; // as a power of two, like the others
    return (i & ((1 << rounds) - 1)) << apart | i >> rounds;
}

/* x[2^size + shift] -> y[2^size] */
static __global__ void fetch_kernel(const float *x, float *y, int apart, int shift, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 << size) {
        y[i] = x[element_of(i, apart, size) + shift];
    }
}

struct fetch {
    const char *name;
    int apart, shift; // 2^apart floats from lane to lane; `shift` floats past an aligned address
    int size;
    const float *x;
    float *y;
};

static void fetch_launch(void *job, cudaStream_t stream) {
    const struct fetch *f = (const struct fetch *)job;
    fetch_kernel<<<blocks_for(1 << f->size), BLOCK, 0, stream>>>(f->x, f->y, f->apart, f->shift, f->size);
    CUDA_CHECK_LAUNCH();
}

static void measure_strides(int size, uint64_t seed) {
    struct fetch all[] = {
        {"stride1", 0, 0}, {"misaligned", 0, 1}, {"stride2", 1, 0}, {"stride8", 3, 0}, {"stride32", 5, 0}};
    size_t n = (size_t)1 << size, bytes = n * sizeof(float), more = bytes + sizeof(float);
    float *x = (float *)verify_host_alloc(more), *found = (float *)verify_host_alloc(bytes);
    float *expected = (float *)verify_host_alloc(bytes);
    float *dev_x = (float *)verify_alloc(more), *dev_y = (float *)verify_alloc(bytes);
    verify_random(x, n + 1, -1.0f, 1.0f, seed);
    CUDA_CHECK(cudaMemcpy(dev_x, x, more, cudaMemcpyHostToDevice));
    struct bench bench = bench_start(2.0 * bytes);
    for (struct fetch &f : all) {
        f.size = size, f.x = dev_x, f.y = dev_y;
        verify_poison_device(dev_y, bytes);
        bench_run(&bench, f.name, fetch_launch, &f, n, 2.0 * bytes, 0);
        CUDA_CHECK(cudaMemcpy(found, dev_y, bytes, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < n; i++) {
            expected[i] = x[element_of((int)i, f.apart, size) + f.shift];
        }
        verify_floats_exact(f.name, found, expected, n);
    }
    printf("n = %zu\n", n);
    record_part("loads");
    bench_finish(&bench);
    verify_free("x", dev_x, more);
    verify_free("y", dev_y, bytes);
    free(x);
    free(found);
    free(expected);
}

// ---------------------------------------------------------------- particles

/* 32 bytes, which is a sector. */
struct particle {
    float x, y, z, mass, vx, vy, vz, charge;
};
enum { FIELDS = 8, MASS = 3, VELOCITY = 4 }; // in the struct of arrays: field f of particle i is number f * n + i

static __global__ void weigh_structs_kernel(const struct particle *p, float *weight, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        weight[i] = 9.81f * p[i].mass;
    }
}

static __global__ void weigh_arrays_kernel(const float *p, float *weight, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        weight[i] = 9.81f * p[(size_t)MASS * n + i];
    }
}

static __global__ void move_structs_kernel(const struct particle *p, struct particle *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        q[i].x = p[i].x + STEP * p[i].vx;
        q[i].y = p[i].y + STEP * p[i].vy;
        q[i].z = p[i].z + STEP * p[i].vz;
    }
}

static __global__ void move_arrays_kernel(const float *p, float *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
#pragma unroll
        for (int f = 0; f < 3; f++) {
            q[(size_t)f * n + i] = p[(size_t)f * n + i] + STEP * p[(size_t)(VELOCITY + f) * n + i];
        }
    }
}

/* Particle i is the float4 number 2 i, which is its place and its mass, and number 2 i + 1. */
static __global__ void move_vectors_kernel(const float4 *p, float4 *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 place = p[2 * (size_t)i], v = p[2 * (size_t)i + 1];
        q[2 * (size_t)i] = make_float4(place.x + STEP * v.x, place.y + STEP * v.y, place.z + STEP * v.z, place.w);
    }
}

static void weigh_structs(const float *p, float *q, int n, cudaStream_t stream) {
    weigh_structs_kernel<<<blocks_for(n), BLOCK, 0, stream>>>((const struct particle *)p, q, n);
}

static void weigh_arrays(const float *p, float *q, int n, cudaStream_t stream) {
    weigh_arrays_kernel<<<blocks_for(n), BLOCK, 0, stream>>>(p, q, n);
}

static void move_structs(const float *p, float *q, int n, cudaStream_t stream) {
    move_structs_kernel<<<blocks_for(n), BLOCK, 0, stream>>>((const struct particle *)p, (struct particle *)q, n);
}

static void move_arrays(const float *p, float *q, int n, cudaStream_t stream) {
    move_arrays_kernel<<<blocks_for(n), BLOCK, 0, stream>>>(p, q, n);
}

static void move_vectors(const float *p, float *q, int n, cudaStream_t stream) {
    move_vectors_kernel<<<blocks_for(n), BLOCK, 0, stream>>>((const float4 *)p, (float4 *)q, n);
}

struct particles {
    const char *name;
    void (*launch)(const float *p, float *q, int n, cudaStream_t stream);
    int wanted, made; // numbers of a particle that are read, and that are written
    bool arrays;      // the layout
    int n;
    float *p, *q;
};

static void particles_launch(void *job, cudaStream_t stream) {
    const struct particles *m = (const struct particles *)job;
    m->launch(m->p, m->q, m->n, stream);
    CUDA_CHECK_LAUNCH();
}

/* Where field f of particle i is, in either layout. */
static size_t place_of(const struct particles *m, int i, int f) {
    return m->arrays ? (size_t)f * m->n + i : (size_t)i * FIELDS + f;
}

/* given[i][FIELDS] holds the particles; `laid_out` is room for as many numbers. */
static void particles_prepare(const struct particles *m, const float *given, float *laid_out) {
    size_t bytes = (size_t)m->n * FIELDS * sizeof(float);
    for (int i = 0; i < m->n; i++) {
        for (int f = 0; f < FIELDS; f++) {
            laid_out[place_of(m, i, f)] = given[(size_t)i * FIELDS + f];
        }
    }
    CUDA_CHECK(cudaMemcpy(m->p, laid_out, bytes, cudaMemcpyHostToDevice));
    verify_poison_device(m->q, bytes);
}

static void particles_verify(const struct particles *m, const float *given, float *fetched) {
    size_t n = (size_t)m->n * m->made, k = 0;
    float *found = (float *)verify_host_alloc(n * sizeof(float)),
          *expected = (float *)verify_host_alloc(n * sizeof(float));
    CUDA_CHECK(cudaMemcpy(fetched, m->q, (size_t)m->n * FIELDS * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < m->n; i++) {
        const float *from = given + (size_t)i * FIELDS;
        for (int f = 0; f < m->made; f++, k++) {
            found[k] = m->made == 1 ? fetched[i] : fetched[place_of(m, i, f)];
            expected[k] = m->made == 1 ? 9.81f * from[MASS] : from[f] + STEP * from[VELOCITY + f];
        }
    }
    verify_floats(m->name, found, expected, n, 1e-6, 1e-6);
    free(found);
    free(expected);
}

static void measure_particles(int n, uint64_t seed) {
    struct particles all[] = {{"weigh_structs", weigh_structs, 1, 1, false},
                              {"weigh_arrays", weigh_arrays, 1, 1, true},
                              {"move_structs", move_structs, 6, 3, false},
                              {"move_arrays", move_arrays, 6, 3, true},
                              {"move_vectors", move_vectors, 6, 3, false}};
    size_t numbers = (size_t)n * FIELDS, bytes = numbers * sizeof(float);
    float *given = (float *)verify_host_alloc(bytes), *laid_out = (float *)verify_host_alloc(bytes);
    float *p = (float *)verify_alloc(bytes), *q = (float *)verify_alloc(bytes);
    verify_random(given, numbers, -1.0f, 1.0f, seed);
    struct bench bench = bench_start(8.0 * n * sizeof(float));
    for (struct particles &m : all) {
        m.n = n, m.p = p, m.q = q;
        particles_prepare(&m, given, laid_out);
        bench_run(&bench, m.name, particles_launch, &m, n, (m.wanted + m.made) * sizeof(float) * (double)n, 0);
        particles_verify(&m, given, laid_out);
    }
    printf("particles = %d\n", n);
    record_part("particles");
    bench_finish(&bench);
    verify_free("p", p, bytes);
    verify_free("q", q, bytes);
    free(given);
    free(laid_out);
}

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, 0);
    int size = device_is_emulator() ? 16 : 27;
    if (options.size > 0) {
        for (size = 8; 1 << size < options.size && size < 28; size++) {
        }
    }
    device_print_backend();
    measure_strides(size, options.seed);
    measure_particles(1 << size >> 2, options.seed);
    return verify_finish("patterns");
}
