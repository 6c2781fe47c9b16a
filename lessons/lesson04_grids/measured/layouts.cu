/* Lesson 04, "Structs and arrays": the layout alone. In the lesson's version 2 a thread makes a number, in version 4
 * three, so that two things change at once. Here is the kernel in between: planes, and a thread makes the three colours
 * of its pixel. All verified and timed (or counted) as the versions are.
 *
 * record.list has it built and run. SIZE and SEED as in the lesson.
 */
#define main lesson04_main
#include "../lesson04.cu"
#undef main

/* in[PLANES][height][pitch] -> out[PLANES][height][pitch]. The addresses within a plane are computed once for all. */
static __global__ void planes_kernel(const float *in, float *out, struct shape s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    size_t plane = (size_t)s.height * s.pitch;
    if (x < s.width && y < s.height) {
        float sum[PLANES] = {};
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++) {
            const float *row = in + (size_t)clamp(y + j, s.height) * s.pitch;
#pragma unroll
            for (int i = -RADIUS; i <= RADIUS; i++) {
                const float *at = row + clamp(x + i, s.width);
#pragma unroll
                for (int z = 0; z < PLANES; z++) {
                    sum[z] += at[z * plane];
                }
            }
        }
#pragma unroll
        for (int z = 0; z < PLANES; z++) {
            out[z * plane + (size_t)y * s.pitch + x] = sum[z] / (SIDE * SIDE);
        }
    }
}

static void planes(const float *in, float *out, struct shape s, cudaStream_t stream) {
    dim3 block(BLOCK_X, BLOCK_Y);
    dim3 grid(ceil_div(s.width, BLOCK_X), ceil_div(s.height, BLOCK_Y));
    planes_kernel<<<grid, block, 0, stream>>>(in, out, s);
    CUDA_CHECK_LAUNCH();
}

static const struct version layouts[] = {
    {"planes_number", blur2, IN_PLANES},
    {"planes_pixel", planes, IN_PLANES},
    {"structs_pixel", blur4, IN_THREES},
    {"vectors_pixel", blur5, IN_FOURS},
};

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, 0);
    int size = options.size > 0 ? (int)options.size : device_is_emulator() ? 512 : 5120;
    if (size > WIDEST) {
        options_usage_error(argv[0], "SIZE is the width of a picture, and at most 16000", "SIZE");
    }
    device_print_backend();
    struct problem p = problem_random(shape_of_size(size, 0), options.seed);
    double bytes = 2.0 * p.numbers * sizeof(float);
    struct bench bench = bench_start(bytes);
    for (const struct version &layout : layouts) {
        problem_reset(&p, &layout);
        bench_run(&bench, layout.name, problem_launch, &p, p.numbers, bytes, 0);
        problem_verify(&p);
    }
    printf("n = %zu (%d x %d pixels of %d numbers)\n", p.numbers, p.shape.width, p.shape.height, PLANES);
    bench_finish(&bench);
    problem_free(&p);
    return verify_finish("blur, layouts");
}
