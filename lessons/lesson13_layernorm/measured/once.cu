/* once.cu - launches each of the lesson's versions once, 8192 rows of 8192 floats and then of 8192 bf16, for a profiler that counts. With
 * SIZE=n rows of n, and with V=k only 16 * k rows: for compute-sanitizer. */
#define main lesson13_main
#include "../lesson13.cu"
#undef main

template <class number> static void launch_all(struct shape shape) {
    struct problem<number> p = problem_create<number>(shape, 0.5f, 0, 1);
    for (int v = 0; v < VERSIONS; v++) {
        struct job<number> job = job_create(&p, &versions[v]);
        job_launch<number>(&job, 0);
        CUDA_CHECK(cudaDeviceSynchronize());
        job_verify(&job);
        job_free(&job);
    }
    problem_free(&p);
}

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, VERSIONS);
    int cols = options.size >= 0 ? (int)options.size : 8192;
    int rows = options.version ? 16 * options.version : 8192;
    launch_all<float>({rows, cols});
    launch_all<bf16>({rows, cols});
    return verify_finish("layernorm, each version once");
}
