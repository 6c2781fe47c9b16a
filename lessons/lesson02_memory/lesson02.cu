/* Lesson 02: memory on both sides, and the errors that a CUDA call returns.
 *
 *     make lesson02 run                     all versions on several sizes, verified, then measured (or counted)
 *     make lesson02 run V=2 SIZE=1000000    one version, one size
 *
 * You will learn where data can live, which side may dereference which pointer, how bytes get from one side to the other, and the
 * four kinds of error: returned by the call, left behind by a launch, reported late, and never going away again.
 *
 * errors.h, next to this file, provokes the errors. Here the job is trivial, x = FACTOR * x, so that only the memory
 * differs. A version is a whole round trip: host, device, host.
 *
 *     scale1   pageable: malloc on the host, cudaMalloc on the device, cudaMemcpy there and back
 *     scale2   pinned: the host arrays come from cudaMallocHost, everything else stays
 *     scale3   managed: one array that both sides may use, and no cudaMemcpy
 *     scale4   a matrix, row after row without gaps; one block for each row
 *     scale5   pitched: cudaMallocPitch starts every row at an aligned address, cudaMemcpy2D copies the rows
 *     scale6   managed memory, prefetched to the side that will need the pages
 */
#include <string.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"
#include "errors.h"

enum { BLOCK = 256 }; // threads in a block

static const float FACTOR = 3.0f;

// ---------------------------------------------------------------- the reference

static void scale_cpu(const float *in, float *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        out[i] = FACTOR * in[i];
    }
}

// ---------------------------------------------------------------- the kernels

/* x[n], float. Any memory that the device may use: the kernel does not depend on how it was allocated. */
static __global__ void scale_kernel(float *x, int n, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= factor;
    }
}

/* x[rows][cols], float; from the start of a row to the start of the next it is `pitch` bytes. Grid: a block per row. */
static __global__ void scale_rows_kernel(float *x, size_t pitch, int cols, float factor) {
    float *row = (float *)((char *)x + blockIdx.x * pitch); // the pitch counts bytes, so add it to a char pointer
    for (int col = threadIdx.x; col < cols; col += blockDim.x) {
        row[col] *= factor;
    }
}

// ---------------------------------------------------------------- the versions

/* What a version works with. It creates the arrays, takes `in` to `out` by way of the device, and frees them. */
struct buffers {
    int rows, cols;
    size_t bytes;    // of the data: rows * cols floats
    size_t room;     // of an allocation: at least one float, since not every call can allocate 0 bytes
    float *in, *out; // on the host
    float *x;        // what the kernel works on
    size_t pitch;    // of x, in bytes
};

static void launch_scale(const struct buffers *b) {
    int n = b->rows * b->cols;
    if (n == 0) {
        return; // a grid of 0 blocks is an error, an empty array is not
    }
    scale_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(b->x, n, FACTOR);
    CUDA_CHECK_LAUNCH();
}

static void launch_scale_rows(const struct buffers *b) {
    if (b->rows == 0) {
        return;
    }
    scale_rows_kernel<<<b->rows, BLOCK>>>(b->x, b->pitch, b->cols, FACTOR);
    CUDA_CHECK_LAUNCH();
}

/* Version 1: ordinary host memory. The operating system may move or swap its pages, so the GPU cannot fetch from it
 * directly: the driver copies piece by piece through a pinned buffer. */
static void create1(struct buffers *b) {
    b->in = (float *)verify_host_alloc(b->room); // malloc, and a check that it worked
    b->out = (float *)verify_host_alloc(b->room);
    CUDA_CHECK(cudaMalloc((void **)&b->x, b->room));
}

static void run1(struct buffers *b) {
    CUDA_CHECK(cudaMemcpy(b->x, b->in, b->bytes, cudaMemcpyHostToDevice));
    launch_scale(b);
    CUDA_CHECK(cudaMemcpy(b->out, b->x, b->bytes, cudaMemcpyDeviceToHost)); // waits for the kernel first
}

static void free1(struct buffers *b) {
    free(b->in);
    free(b->out);
    CUDA_CHECK(cudaFree(b->x));
}

/* Version 2: pinned host memory stays where it is, so the GPU fetches it by itself. The round trip is run1. */
static void create2(struct buffers *b) {
    CUDA_CHECK(cudaMallocHost((void **)&b->in, b->room));
    CUDA_CHECK(cudaMallocHost((void **)&b->out, b->room));
    CUDA_CHECK(cudaMalloc((void **)&b->x, b->room));
}

static void free2(struct buffers *b) {
    CUDA_CHECK(cudaFreeHost(b->in)); // not free: every kind of memory has its own way back
    CUDA_CHECK(cudaFreeHost(b->out));
    CUDA_CHECK(cudaFree(b->x));
}

/* Version 3: managed memory. One pointer for both sides; pages migrate to the side that accesses them. No copy is needed,
 * but the host must wait for the kernel before it reads the array. */
static void create3(struct buffers *b) {
    b->in = (float *)verify_host_alloc(b->room);
    b->out = (float *)verify_host_alloc(b->room);
    CUDA_CHECK(cudaMallocManaged((void **)&b->x, b->room));
}

static void run3(struct buffers *b) {
    memcpy(b->x, b->in, b->bytes); // the plain memcpy of C: host code may follow this pointer
    launch_scale(b);
    CUDA_CHECK(cudaDeviceSynchronize());
    memcpy(b->out, b->x, b->bytes);
}

/* Version 4: the same bytes seen as a matrix. Rows follow each other without gaps, so the pitch is the width of a row,
 * and with an odd number of columns most rows start at an odd address. */
static void create4(struct buffers *b) {
    create2(b);
    b->pitch = b->cols * sizeof(float);
}

static void run4(struct buffers *b) {
    CUDA_CHECK(cudaMemcpy(b->x, b->in, b->bytes, cudaMemcpyHostToDevice));
    launch_scale_rows(b);
    CUDA_CHECK(cudaMemcpy(b->out, b->x, b->bytes, cudaMemcpyDeviceToHost));
}

/* Version 5: CUDA chooses the pitch, so that every row starts at an aligned address. On the host the rows are still
 * packed, so the two sides have different pitches; cudaMemcpy2D takes both. Widths and pitches are in bytes. */
static void create5(struct buffers *b) {
    CUDA_CHECK(cudaMallocHost((void **)&b->in, b->room));
    CUDA_CHECK(cudaMallocHost((void **)&b->out, b->room));
    CUDA_CHECK(cudaMallocPitch((void **)&b->x, &b->pitch, b->cols * sizeof(float), b->rows ? b->rows : 1));
}

static void run5(struct buffers *b) {
    size_t width = b->cols * sizeof(float);
    CUDA_CHECK(cudaMemcpy2D(b->x, b->pitch, b->in, width, width, b->rows, cudaMemcpyHostToDevice));
    launch_scale_rows(b);
    CUDA_CHECK(cudaMemcpy2D(b->out, width, b->x, b->pitch, width, b->rows, cudaMemcpyDeviceToHost));
}

/* Version 6: version 3, and two calls that prefetch the pages, all at once, instead of one by one on first access.
 * They are queued like a kernel. CUDA 13 changed how the location is passed. */
static void prefetch(const struct buffers *b, int to_device) {
#if CUDART_VERSION >= 13000
    struct cudaMemLocation place = {};
    place.type = to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost; // of devices the one with id 0
    CUDA_CHECK(cudaMemPrefetchAsync(b->x, b->room, place, 0, 0));
#else
    CUDA_CHECK(cudaMemPrefetchAsync(b->x, b->room, to_device ? 0 : cudaCpuDeviceId, 0));
#endif
}

static void run6(struct buffers *b) {
    int possible = 0; // not where only one side at a time may use managed memory, as on Windows
    CUDA_CHECK(cudaDeviceGetAttribute(&possible, cudaDevAttrConcurrentManagedAccess, 0));
    memcpy(b->x, b->in, b->bytes);
    if (possible) {
        prefetch(b, 1);
    }
    launch_scale(b);
    if (possible) {
        prefetch(b, 0);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    memcpy(b->out, b->x, b->bytes);
}

static const struct version {
    const char *name;
    void (*create)(struct buffers *b);
    void (*run)(struct buffers *b);
    void (*release)(struct buffers *b);
} versions[] = {
    {"scale1 pageable", create1, run1, free1}, {"scale2 pinned", create2, run1, free2},
    {"scale3 managed", create3, run3, free1},  {"scale4 packed", create4, run4, free2},
    {"scale5 pitched", create5, run5, free2},  {"scale6 prefetch", create3, run6, free1},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

// ---------------------------------------------------------------- verify and measure

static void show_device(void) {
    struct cudaDeviceProp device;
    size_t available = 0, total = 0;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    CUDA_CHECK(cudaMemGetInfo(&available, &total));
    printf("\ndevice 0: %s\n", device.name);
    printf("    %-36s %d.%d\n", "compute capability", device.major, device.minor);
    printf("    %-36s %d\n", "multiprocessors", device.multiProcessorCount);
    printf("    %-36s %.1f of %.1f GiB\n", "device memory available", available / 1073741824.0, total / 1073741824.0);
    printf("    %-36s %.1f MiB\n", "L2 cache", device.l2CacheSize / 1048576.0);
    printf("    %-36s %.0f KiB\n", "shared memory for a block", device.sharedMemPerBlock / 1024.0);
    printf("    %-36s %d\n", "threads in a block, at most", device.maxThreadsPerBlock);
    printf("    %-36s %s\n", "managed memory", device.managedMemory ? "yes" : "no");
}

/* A matrix of n elements: as many rows as divide n, up to 1000. */
static struct buffers shape_for(int n) {
    struct buffers b = {};
    b.rows = n < 1000 ? n : 1000;
    while (b.rows > 0 && n % b.rows) {
        b.rows--;
    }
    b.cols = b.rows ? n / b.rows : 1;
    b.bytes = (size_t)n * sizeof(float);
    b.room = n ? b.bytes : sizeof(float);
    return b;
}

struct job {
    const struct version *version;
    struct buffers *buffers;
};

/* A round trip uses the default stream, which waits for `stream` and makes it wait, so its events enclose all of it. */
static void bench_round_trip(void *job, cudaStream_t stream) {
    const struct job *j = (const struct job *)job;
    (void)stream;
    j->version->run(j->buffers);
}

/* One version on n elements: create, run (measured, if there is a `bench`) with poisoned output, compare, free. */
static void verify_version(const struct version *version, int n, uint64_t seed, struct bench *bench) {
    struct buffers b = shape_for(n);
    struct job job = {version, &b};
    float *expected = (float *)verify_host_alloc(b.room);
    version->create(&b);
    verify_random(b.in, n, -1.0f, 1.0f, seed);
    scale_cpu(b.in, expected, n);
    verify_poison_host(b.out, b.bytes);
    if (bench) {
        bench_run(bench, version->name, bench_round_trip, &job, n, 2.0 * b.bytes, n);
    } else {
        version->run(&b);
    }
    verify_floats_exact(version->name, b.out, expected, n);
    version->release(&b);
    free(expected);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--error") == 0) {
        return run_demonstration(argv[2]);
    }
    struct options options = options_read(argc, argv, VERSIONS);
    device_print_backend();
    if (!options.version && options.size < 0) {
        show_device();
        show_errors();
    }

    // The last one is the table's. Its rows have an odd number of columns, as versions 4 and 5 need to differ.
    int sizes[] = {1, 31, 33, 1000, 1025, device_is_emulator() ? 1000 * 1001 : 1000 * 30001};
    int first = 0, last = sizeof sizes / sizeof sizes[0] - 1;
    if (options.size >= 0) {
        sizes[last] = (int)options.size;
        first = last;
    }
    int first_version = options.version ? options.version - 1 : 0;
    int last_version = options.version ? options.version - 1 : VERSIONS - 1;
    for (int s = first; s <= last; s++) {
        for (int v = first_version; v <= last_version; v++) {
            verify_version(&versions[v], sizes[s], options.seed + s, NULL);
        }
    }
    if (verify_tally()->failures || sizes[last] == 0) {
        return verify_finish("scale"); // no table: how fast a wrong version is does not matter
    }

    struct bench bench = bench_start(2.0 * sizes[last] * sizeof(float));
    for (int v = first_version; v <= last_version; v++) {
        verify_version(&versions[v], sizes[last], options.seed, &bench);
    }
    struct buffers shape = shape_for(sizes[last]);
    printf("\nn = %d, as a matrix %d x %d; a row of the table is a round trip\n", sizes[last], shape.rows, shape.cols);
    bench_finish(&bench);
    return verify_finish("scale");
}
