// A shared library with kernels, opened and closed while the program runs. The library's own file is the second argument of
// the test: see link.test.sh.
#include "../programs/program.h"

#include <dlfcn.h>

__device__ int state = 7; // the library has one of that name, too

__global__ void own(int *out) {
    out[threadIdx.x] = state + threadIdx.x;
}

typedef int (*library_function)(int *out);

static int call(void *library, const char *name, int *out) {
    library_function f = (library_function)dlsym(library, name);
    return f ? f(out) : -1;
}

static void use_library(const char *file, const char *when, int *out) {
    char name[100];
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("not ok library %s: %s\n", when, dlerror());
        exit(1);
    }
    snprintf(name, sizeof name, "kernel of a library, %s", when);
    check(name, call(library, "library_step", out) == 1000 && call(library, "library_step", out) == 1001);
    snprintf(name, sizeof name, "managed variable of a library, %s", when);
    check(name, call(library, "library_managed", out) == 42);
    dlclose(library);
}

__global__ void follow(int *variable_of_library) {
    *variable_of_library = 1;
}

static void use_after_close(const char *file, int *out) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    typedef void *(*address_function)();
    address_function f = library ? (address_function)dlsym(library, "library_address") : NULL;
    int *variable = f ? (int *)f() : out;
    dlclose(library);
    follow<<<1, 1>>>(variable);
    check("a variable of a closed library is no longer there", cudaDeviceSynchronize() != cudaSuccess);
}

int main(int argc, char **argv) {
    int *out;
    if (argc < 2)
        return 2;
    CUDA(cudaMallocManaged(&out, 32 * sizeof *out));
    own<<<1, 32>>>(out);
    FINISH();
    check("the program's own kernel", out[31] == 38);
    use_library(argv[1], "opened", out);
    use_library(argv[1], "opened again", out);
    own<<<1, 32>>>(out);
    FINISH();
    check("the program's own kernel after the library is closed", out[31] == 38);
    use_after_close(argv[1], out);
    return program_failures != 0;
}
