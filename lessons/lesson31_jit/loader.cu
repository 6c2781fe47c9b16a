/* loader.cu - what lesson31.py does in C: an image, bytes in memory, becomes a kernel that can be launched.
 *
 *     nvcc --shared -Xcompiler -fPIC -cudart shared loader.cu -o libloader.so
 *
 * The functions that load are the driver's, in libcuda.so.1, which comes with the GPU's driver (or is the emulator's). nvcc may run where there is
 * none, so they are asked for by name, when the program runs. Every function returns 0 or the number of a CUDA error; driver and runtime use the
 * same numbers.
 */
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

static void *find(const char *name) {
    void *found = NULL;
#if CUDART_VERSION >= 12050
    cudaDriverEntryPointQueryResult result;
    cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
#else
    cudaGetDriverEntryPoint(name, &found, cudaEnableDefault);
#endif
    return found;
}

/* A function of the driver, with its type from cuda.h. */
#define DRIVER(name) ((decltype(&name))find(#name))

extern "C" {

/* The image is machine code, PTX, or a fat binary of both. The caller owns *library, and hands it to loader_unload; *kernel goes with it. */
int loader_load(const void *image, const char *name, void **library, void **kernel) {
    *library = *kernel = NULL;
    cudaError_t error = cudaFree(NULL); // makes the device's context, if nobody has
    if (error != cudaSuccess) {
        return error;
    }
    if (!DRIVER(cuLibraryLoadData)) {
        return cudaErrorNotSupported; // a driver from before CUDA 12
    }
    int code = DRIVER(cuLibraryLoadData)((CUlibrary *)library, image, NULL, NULL, 0, NULL, NULL, 0);
    if (code == CUDA_SUCCESS) {
        code = DRIVER(cuLibraryGetKernel)((CUkernel *)kernel, (CUlibrary)*library, name);
        if (code != CUDA_SUCCESS) {
            DRIVER(cuLibraryUnload)((CUlibrary)*library);
            *library = NULL;
        }
    }
    return code;
}

int loader_unload(void *library) {
    return DRIVER(cuLibraryUnload)((CUlibrary)library);
}

/* arguments[k] is the address of the kernel's argument k. Queues the work in the default stream. */
int loader_launch(void *kernel, unsigned blocks, unsigned threads, void **arguments) {
    static auto launch = DRIVER(cuLaunchKernel); // found at the first call
    return launch((CUfunction)kernel, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL);
}

int loader_allocate(void **made, size_t bytes) {
    return cudaMalloc(made, bytes ? bytes : 1);
}

int loader_free(void *memory) {
    return cudaFree(memory);
}

/* In any direction, behind what has been queued. It returns when an ordinary array of the CPU has been read, or written. */
int loader_copy(void *to, const void *from, size_t bytes) {
    return cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
}

int loader_synchronize(void) {
    return cudaDeviceSynchronize();
}

/* The library keeps the text, for each thread until its next call. */
const char *loader_error(int code) {
    static thread_local char text[200];
    snprintf(text, sizeof text, "%s: %s", cudaGetErrorName((cudaError_t)code), cudaGetErrorString((cudaError_t)code));
    return text;
}

} // extern "C"
