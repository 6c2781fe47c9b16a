// Device printf: the runner compares what this prints with what an H200 printed. (%hhd is not among the formats that CUDA
// has: with driver 580.159 the second of two %c after it comes out wrong.)
#include "program.h"

__global__ void formats(const char *text) {
    printf("int %d %5d %-5d| %05d %+d %i\n", 42, 42, 42, 42, 42, -42);
    printf("unsigned %u %x %X %#x %o\n", 4000000000u, 0xbeef, 0xbeef, 0xbeef, 8);
    printf("long %ld %lld %llu %llx\n", -5000000000l, -5000000000ll, 18446744073709551615ull, 0x123456789abcdefull);
    printf("short %hd char %c%c\n", (short)-7, 'o', 'k');
    printf("float %f %.2f %10.3f %-10.3f| %e %g\n", 3.14159f, 3.14159f, 3.14159f, 3.14159f, 31415.9, 0.0001);
    printf("special %f %f %f\n", __int_as_float(0x7f800000), -__int_as_float(0x7f800000), -0.0);
    printf("string %s [%8s] [%-8s] %.3s\n", text, text, text, text);
    printf("percent 100%% star [%*d] [%.*f]\n", 6, 42, 1, 2.25);
    printf("no arguments\n");
    printf("size %zu\n", sizeof(double));
}

__global__ void count(int *lengths) {
    int i = threadIdx.x;
    if (i < 3) // one warp, lanes in order
        lengths[i] = printf("lane %d of %d\n", i, blockDim.x);
}

__device__ const char message[] = "from memory";

__global__ void many() {
    for (int i = 0; i < 3; i++)
        if (threadIdx.x == 0 && blockIdx.x == 0)
            printf("round %d %s %d %d %d %d %d %d %d %d\n", i, message, 1, 2, 3, 4, 5, 6, 7, 8);
}

int main() {
    int *lengths = device_zeros<int>(3), found[3];
    char word[] = "word", *text = to_device(word, sizeof word);
    formats<<<1, 1>>>(text);
    FINISH();
    count<<<1, 32>>>(lengths);
    FINISH();
    many<<<2, 64>>>();
    FINISH();
    from_device(found, lengths, 3);
    check("printf returns its number of arguments", found[0] == 2 && found[1] == 2 && found[2] == 2);
    return program_failures;
}
