/* one.cu - one variant of version VERSION with the sizes SIZES, as which.h says. tune.sh has cut device.cuh from lesson18.cu, all before its launchers, and
 * perhaps changed a line of it. */
#include "device.cuh"
#include "which.h"
#include "variant.h"

typedef Sizes<SIZES> T;

static void launch(struct layer l, int parts, int *ready, cudaStream_t stream) {
    int tiles = (l.M + T::BM - 1) / T::BM * ((l.N + T::BN - 1) / T::BN);
#if VERSION == 6
    auto kernel = mma_kernel6<T, true>;
    (void)parts, (void)ready;
#elif VERSION == 7
    auto kernel = mma_kernel7<T, true>;
    (void)ready;
#else
    auto kernel = mma_kernel8<T, true>;
#endif
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED));
#if VERSION == 6
    kernel<<<tiles, T::THREADS, T::SHARED, stream>>>(l);
#elif VERSION == 7
    kernel<<<dim3(tiles, parts), T::THREADS, T::SHARED, stream>>>(l);
    sum_parts_kernel<<<(unsigned)(((size_t)l.M * l.N / 2 + 255) / 256), 256, 0, stream>>>(l, parts);
#else
    int count = 0, steps = l.K / T::BK * tiles;
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    count *= T::BLOCKS;
    count = count < steps ? count : steps;
    (void)parts;
    CUDA_CHECK(cudaMemsetAsync(ready, 0, (count + 1) * sizeof(int), stream));
    kernel<<<count, T::THREADS, T::SHARED, stream>>>(l, ready);
#endif
    CUDA_CHECK_LAUNCH();
}

static struct variant self = {NAME, T::BM, T::BN, T::BK, T::THREADS, T::SHARED, T::BLOCKS, VERSION, launch, NULL};

struct enter {
    enter() {
        self.next = variants;
        variants = &self;
    }
};
static struct enter enter;
