/* Lesson 04: grids in two and three dimensions, and what a warp touches at once.
 *
 *     make lesson04 run                     all versions on several sizes, verified, then measured (or counted)
 *     make lesson04 run V=3 SIZE=1000       one version, a picture that is 1000 pixels wide
 *
 * You will learn how a picture is stored in memory, how a grid is laid over it, and why it matters which of a thread's
 * indices is x. The work is a box blur: each number becomes the average of the 5 x 5 around it, in each of three
 * colours.
 *
 *     blur_kernel1   a grid in one dimension: x, y and the colour by dividing
 *     blur_kernel2   a grid in three dimensions: x, y and z come with the thread
 *     blur_kernel3   x and y swapped: right, and slow
 *     blur_kernel4   an array of structs: a pixel's three colours are adjacent
 *     blur_kernel5   the same with a struct of 16 bytes, which one instruction loads
 *     blur_kernel6   planes again; a thread makes eight pixels, one below the other
 *
 * At the edges some of the 25 do not exist. Then the nearest that exists counts instead: x and y are clamped.
 *
 * Besides, a small picture is drawn, blurred and written as two PNG files next to the program. Look at them.
 */
// sizes: 0 1 3 31 33 100 257
#include <math.h>
#include <stdint.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/lesson.h"
#include "../../common/verify.h"
#include "picture.h"

enum { RADIUS = 2, SIDE = 2 * RADIUS + 1 }; // the box: 5 x 5
enum { PLANES = 3 };                        // red, green, blue
enum { BLOCK = 256 };                       // threads of a block in one dimension
enum { BLOCK_X = 32, BLOCK_Y = 8 };         // and in two: also 256. A row of the block is a warp
enum { ROWS = 8 };                          // version 6: pixels of a thread
enum { WIDEST = 16000 };                    // an int can number all threads of such a picture

/* The size of a picture in pixels, and the distance from the beginning of a row to that of the next, in pixels, too:
 * the pitch. It is the width or more; the gap between a row's end and the next row is padding. */
struct shape {
    int width, height, pitch;
};

// ---------------------------------------------------------------- the reference

/* One plane, in double precision: first the sums along the rows, then of these the sums along the columns. */
static void blur_plane_cpu(const float *in, float *out, int width, int height) {
    double *sums = (double *)verify_host_alloc((size_t)width * height * sizeof(double));
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double sum = 0;
            for (int k = x - RADIUS; k <= x + RADIUS; k++) {
                sum += in[(size_t)y * width + (k < 0 ? 0 : k < width ? k : width - 1)];
            }
            sums[(size_t)y * width + x] = sum;
        }
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double sum = 0;
            for (int k = y - RADIUS; k <= y + RADIUS; k++) {
                sum += sums[(size_t)(k < 0 ? 0 : k < height ? k : height - 1) * width + x];
            }
            out[(size_t)y * width + x] = (float)(sum / (SIDE * SIDE));
        }
    }
    free(sums);
}

/* in and out: three planes without gaps. */
static void blur_cpu(const float *in, float *out, int width, int height) {
    for (int z = 0; z < PLANES; z++) {
        size_t plane = (size_t)z * width * height;
        blur_plane_cpu(in + plane, out + plane, width, height);
    }
}

// ---------------------------------------------------------------- the versions

/* Versions 1, 2, 3 and 6: in[PLANES][height][pitch] -> out[PLANES][height][pitch], float. That is row-major: x runs
 * fastest, then y, then z. Element (x, y, z) has the index (z * height + y) * pitch + x. */

static __device__ int clamp(int i, int n) {
    return min(max(i, 0), n - 1);
}

static __device__ float average(const float *plane, struct shape s, int x, int y) {
    float sum = 0.0f;
#pragma unroll
    for (int j = -RADIUS; j <= RADIUS; j++) {
        const float *row = plane + (size_t)clamp(y + j, s.height) * s.pitch;
#pragma unroll
        for (int i = -RADIUS; i <= RADIUS; i++) {
            sum += row[clamp(x + i, s.width)];
        }
    }
    return sum / (SIDE * SIDE);
}

/* Version 1: lesson 03's grid, a thread for each number. Two divisions compute x, y and z of number i. */
static __global__ void blur_kernel1(const float *in, float *out, struct shape s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PLANES * s.height * s.width) {
        int x = i % s.width, y = i / s.width % s.height, z = i / s.width / s.height;
        size_t plane = (size_t)z * s.height * s.pitch;
        out[plane + (size_t)y * s.pitch + x] = average(in + plane, s, x, y);
    }
}

/* Version 2: the grid has the picture's shape. Blocks of 32 x 8 threads cover each plane, and z is the plane. The
 * last blocks extend past the right and bottom edges, so the guard tests x and y. */
static __global__ void blur_kernel2(const float *in, float *out, struct shape s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x < s.width && y < s.height) {
        size_t plane = (size_t)z * s.height * s.pitch;
        out[plane + (size_t)y * s.pitch + x] = average(in + plane, s, x, y);
    }
}

/* Version 3: only the first two lines differ. Neighbouring threads now have pixels one below the other. */
static __global__ void blur_kernel3(const float *in, float *out, struct shape s) {
    int x = blockIdx.y * blockDim.y + threadIdx.y;
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    int z = blockIdx.z;
    if (x < s.width && y < s.height) {
        size_t plane = (size_t)z * s.height * s.pitch;
        out[plane + (size_t)y * s.pitch + x] = average(in + plane, s, x, y);
    }
}

/* Version 4: in[height][pitch] -> out[height][pitch], struct pixel. An array of structs, where versions 1 to 3 have, in
 * effect, a struct of arrays. The grid has two dimensions, and a thread makes all three colours of its pixel. */
struct pixel {
    float red, green, blue;
};

static __global__ void blur_kernel4(const struct pixel *in, struct pixel *out, struct shape s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < s.width && y < s.height) {
        struct pixel sum = {};
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++) {
            const struct pixel *row = in + (size_t)clamp(y + j, s.height) * s.pitch;
#pragma unroll
            for (int i = -RADIUS; i <= RADIUS; i++) {
                struct pixel p = row[clamp(x + i, s.width)];
                sum.red += p.red, sum.green += p.green, sum.blue += p.blue;
            }
        }
        const float n = SIDE * SIDE;
        out[(size_t)y * s.pitch + x] = {sum.red / n, sum.green / n, sum.blue / n};
    }
}

/* Version 5: in[height][pitch] -> out[height][pitch], float4, of which the last number is not used. 16 bytes at an
 * address that is a multiple of 16 are one load. */
static __global__ void blur_kernel5(const float4 *in, float4 *out, struct shape s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < s.width && y < s.height) {
        struct pixel sum = {};
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++) {
            const float4 *row = in + (size_t)clamp(y + j, s.height) * s.pitch;
#pragma unroll
            for (int i = -RADIUS; i <= RADIUS; i++) {
                float4 p = row[clamp(x + i, s.width)];
                sum.red += p.x, sum.green += p.y, sum.blue += p.z;
            }
        }
        const float n = SIDE * SIDE;
        out[(size_t)y * s.pitch + x] = make_float4(sum.red / n, sum.green / n, sum.blue / n, 0.0f);
    }
}

/* Version 6: planes again. Vertically adjacent pixels need nearly the same rows, so a thread makes eight of
 * them. It adds up the five numbers of a row once, and adds that to the up to five pixels whose box has the row. The
 * loops are unrolled, so that the sums stay in registers. */
static __global__ void blur_kernel6(const float *in, float *out, struct shape s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int first = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS; // the topmost of the eight
    size_t plane = (size_t)blockIdx.z * s.height * s.pitch;
    if (x < s.width && first < s.height) {
        float sum[ROWS] = {};
#pragma unroll
        for (int j = -RADIUS; j < ROWS + RADIUS; j++) {
            const float *row = in + plane + (size_t)clamp(first + j, s.height) * s.pitch;
            float of_row = 0.0f;
#pragma unroll
            for (int i = -RADIUS; i <= RADIUS; i++) {
                of_row += row[clamp(x + i, s.width)];
            }
#pragma unroll
            for (int k = 0; k < ROWS; k++) {
                if (k - RADIUS <= j && j <= k + RADIUS) {
                    sum[k] += of_row;
                }
            }
        }
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            if (first + k < s.height) {
                out[plane + (size_t)(first + k) * s.pitch + x] = sum[k] / (SIDE * SIDE);
            }
        }
    }
}

// ---------------------------------------------------------------- the launchers

/* As in lesson 03: queued in `stream`, no waiting. in and out are device memory with the shapes of the version; a
 * picture may have no pixels. */

static bool empty(struct shape s) {
    return s.width == 0 || s.height == 0;
}

static void blur1(const float *in, float *out, struct shape s, cudaStream_t stream) {
    if (empty(s)) {
        return;
    }
    blur_kernel1<<<ceil_div(PLANES * s.height * s.width, BLOCK), BLOCK, 0, stream>>>(in, out, s);
    CUDA_CHECK_LAUNCH();
}

static void blur2(const float *in, float *out, struct shape s, cudaStream_t stream) {
    if (empty(s)) {
        return;
    }
    dim3 block(BLOCK_X, BLOCK_Y);
    dim3 grid(ceil_div(s.width, BLOCK_X), ceil_div(s.height, BLOCK_Y), PLANES);
    blur_kernel2<<<grid, block, 0, stream>>>(in, out, s);
    CUDA_CHECK_LAUNCH();
}

static void blur3(const float *in, float *out, struct shape s, cudaStream_t stream) {
    if (empty(s)) {
        return;
    }
    dim3 block(BLOCK_X, BLOCK_Y);
    dim3 grid(ceil_div(s.height, BLOCK_X), ceil_div(s.width, BLOCK_Y), PLANES); // of the height, the width
    blur_kernel3<<<grid, block, 0, stream>>>(in, out, s);
    CUDA_CHECK_LAUNCH();
}

static void blur4(const float *in, float *out, struct shape s, cudaStream_t stream) {
    if (empty(s)) {
        return;
    }
    dim3 block(BLOCK_X, BLOCK_Y);
    dim3 grid(ceil_div(s.width, BLOCK_X), ceil_div(s.height, BLOCK_Y));
    blur_kernel4<<<grid, block, 0, stream>>>((const struct pixel *)in, (struct pixel *)out, s);
    CUDA_CHECK_LAUNCH();
}

static void blur5(const float *in, float *out, struct shape s, cudaStream_t stream) {
    if (empty(s)) {
        return;
    }
    dim3 block(BLOCK_X, BLOCK_Y);
    dim3 grid(ceil_div(s.width, BLOCK_X), ceil_div(s.height, BLOCK_Y));
    blur_kernel5<<<grid, block, 0, stream>>>((const float4 *)in, (float4 *)out, s);
    CUDA_CHECK_LAUNCH();
}

static void blur6(const float *in, float *out, struct shape s, cudaStream_t stream) {
    if (empty(s)) {
        return;
    }
    dim3 block(BLOCK_X, BLOCK_Y);
    dim3 grid(ceil_div(s.width, BLOCK_X), ceil_div(s.height, BLOCK_Y * ROWS), PLANES);
    blur_kernel6<<<grid, block, 0, stream>>>(in, out, s);
    CUDA_CHECK_LAUNCH();
}

/* The layout of a version's pictures: three planes, or pixels of three or four numbers. */
enum layout { IN_PLANES = 0, IN_THREES = 3, IN_FOURS = 4 };

static const struct version {
    const char *name;
    void (*launch)(const float *in, float *out, struct shape s, cudaStream_t stream);
    enum layout layout;
} versions[] = {
    {"blur_kernel1", blur1, IN_PLANES}, {"blur_kernel2", blur2, IN_PLANES}, {"blur_kernel3", blur3, IN_PLANES},
    {"blur_kernel4", blur4, IN_THREES}, {"blur_kernel5", blur5, IN_FOURS},  {"blur_kernel6", blur6, IN_PLANES},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

// ---------------------------------------------------------------- verify and measure

/* A picture and what becomes of it. `input`, `expected` and `found` are planes without gaps, on the host; in and out
 * are on the device, and have the layout of the version, as `laid_out` has it on the host. */
struct problem {
    struct shape shape;
    size_t numbers; // of the picture
    float *input, *expected, *found, *laid_out;
    float *in, *out;
    const struct version *version;
};

/* Bytes of the picture in the version's layout. */
static size_t bytes_of(const struct problem *p) {
    enum layout layout = p->version->layout;
    return (size_t)p->shape.height * p->shape.pitch * (layout == IN_PLANES ? (int)PLANES : (int)layout) * sizeof(float);
}

static size_t index_in(enum layout layout, struct shape s, int x, int y, int z) {
    return layout == IN_PLANES ? ((size_t)z * s.height + y) * s.pitch + x : ((size_t)y * s.pitch + x) * layout + z;
}

static struct problem problem_create(struct shape s, const float *input) {
    struct problem p = {};
    p.shape = s;
    p.numbers = (size_t)PLANES * s.width * s.height;
    p.input = (float *)verify_host_alloc(p.numbers * sizeof(float));
    p.expected = (float *)verify_host_alloc(p.numbers * sizeof(float));
    p.found = (float *)verify_host_alloc(p.numbers * sizeof(float));
    memcpy(p.input, input, p.numbers * sizeof(float));
    blur_cpu(p.input, p.expected, s.width, s.height);
    return p;
}

/* The arrays that depend on the version. */
static void problem_clear(struct problem *p) {
    if (p->version) {
        verify_free("in", p->in, bytes_of(p));
        verify_free("out", p->out, bytes_of(p));
        free(p->laid_out);
    }
}

static void problem_free(struct problem *p) {
    problem_clear(p);
    free(p->input);
    free(p->expected);
    free(p->found);
}

/* Gives the input the version's layout. The padding between the rows is NaN, so that reading it shows in the result. */
static void problem_reset(struct problem *p, const struct version *version) {
    problem_clear(p);
    p->version = version;
    size_t bytes = bytes_of(p), k = 0;
    p->laid_out = (float *)verify_host_alloc(bytes);
    p->in = (float *)verify_alloc(bytes);
    p->out = (float *)verify_alloc(bytes);
    verify_poison_host(p->laid_out, bytes);
    for (int z = 0; z < PLANES; z++) {
        for (int y = 0; y < p->shape.height; y++) {
            for (int x = 0; x < p->shape.width; x++) {
                p->laid_out[index_in(version->layout, p->shape, x, y, z)] = p->input[k++];
            }
        }
    }
    CUDA_CHECK(cudaMemcpy(p->in, p->laid_out, bytes, cudaMemcpyHostToDevice));
}

static void problem_launch(void *job, cudaStream_t stream) {
    struct problem *p = (struct problem *)job;
    p->version->launch(p->in, p->out, p->shape, stream);
}

/* Brings the result back as planes without gaps. Returns how many numbers between the rows were written. */
static size_t problem_fetch(struct problem *p) {
    size_t bytes = bytes_of(p), k = 0, strays = 0;
    verify_poison_host(p->laid_out, bytes);
    CUDA_CHECK(cudaMemcpy(p->laid_out, p->out, bytes, cudaMemcpyDeviceToHost));
    for (int z = 0; z < PLANES; z++) {
        for (int y = 0; y < p->shape.height; y++) {
            for (int x = 0; x < p->shape.pitch; x++) {
                float number = p->laid_out[index_in(p->version->layout, p->shape, x, y, z)];
                if (x < p->shape.width) {
                    p->found[k++] = number;
                } else {
                    strays += !verify_is_poison(number);
                }
            }
        }
    }
    return strays;
}

/* An average of 25 numbers of 0 to 1, added up in another order than the reference's. */
static void problem_verify(struct problem *p) {
    size_t strays = problem_fetch(p);
    if (strays) {
        printf("%s: %zu numbers between the rows were written\n", p->version->name, strays);
        verify_tally()->failures++;
    }
    if (!verify_floats(p->version->name, p->found, p->expected, p->numbers, 2e-6, 0)) {
        printf("    (the picture is %d x %d x %d, so index 1 is x = 1)\n", p->shape.width, p->shape.height, PLANES);
    }
}

static struct problem problem_random(struct shape s, uint64_t seed) {
    size_t numbers = (size_t)PLANES * s.width * s.height;
    float *input = (float *)verify_host_alloc(numbers * sizeof(float));
    verify_random(input, numbers, 0.0f, 1.0f, seed);
    struct problem p = problem_create(s, input);
    free(input);
    return p;
}

/* A picture is 8 wide and 5 high, rounded up. */
static struct shape shape_of_size(int size, int gap) {
    return {size, (5 * size + 7) / 8, size + gap};
}

/* Versions first .. last on one size, with no gap between the rows, and with one. */
static void verify_versions(int first, int last, int size, uint64_t seed) {
    for (int gap = 0; gap <= 3; gap += 3) {
        struct problem p = problem_random(shape_of_size(size, gap), seed);
        for (int v = first; v <= last; v++) {
            problem_reset(&p, &versions[v]);
            problem_launch(&p, 0);
            CUDA_CHECK(cudaDeviceSynchronize());
            problem_verify(&p);
        }
        problem_free(&p);
    }
}

/* The table. A blur needs to read each number of the picture, and to write each. */
static void measure_versions(int first, int last, int size, uint64_t seed) {
    struct problem p = problem_random(shape_of_size(size, 0), seed);
    double bytes = 2.0 * p.numbers * sizeof(float);
    struct bench bench = bench_start(bytes);
    for (int v = first; v <= last; v++) {
        problem_reset(&p, &versions[v]);
        bench_run(&bench, versions[v].name, problem_launch, &p, p.numbers, bytes, 0);
        problem_verify(&p); // again: the timed result must be right as well
    }
    printf("n = %zu (%d x %d pixels of %d numbers)\n", p.numbers, p.shape.width, p.shape.height, PLANES);
    bench_finish(&bench);
    problem_free(&p);
}

/* Draws a picture, lets a version blur it, and writes both, whether the version is right or not: look at it. */
static void show_picture(const struct version *version, const char *program) {
    struct shape s = {192, 120, 200};
    float *drawn = (float *)verify_host_alloc((size_t)PLANES * s.width * s.height * sizeof(float));
    picture_draw(drawn, s.width, s.height);
    struct problem p = problem_create(s, drawn);
    problem_reset(&p, version);
    problem_launch(&p, 0);
    problem_fetch(&p);
    picture_write(program, "before", p.input, s.width, s.height);
    picture_write(program, "after", p.found, s.width, s.height);
    problem_free(&p);
    free(drawn);
}

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, VERSIONS);
    int first = options.version ? options.version - 1 : 0;
    int last = options.version ? options.version - 1 : VERSIONS - 1;
    int table_size = device_is_emulator() ? 512 : 5120;
    if (options.size > WIDEST) {
        options_usage_error(argv[0], "SIZE is the width of a picture, and at most 16000", "SIZE");
    }
    device_print_backend();

    if (options.size >= 0) {
        table_size = (int)options.size;
        verify_versions(first, last, table_size, options.seed);
    } else {
        const int sizes[] = {0, 1, 3, 31, 33, 100, 257};
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            verify_versions(first, last, sizes[s], options.seed);
        }
    }
    show_picture(&versions[first], argv[0]);
    if (table_size > 0 && verify_tally()->failures == 0) { // how fast a wrong kernel is does not matter
        measure_versions(first, last, table_size, options.seed);
    }
    return verify_finish("blur");
}
