/* Versions: those of the toolkit that the emulator was built for. */
#include "api/api.h"

cudaError_t cudaRuntimeGetVersion(int *version) {
    if (!version)
        return state_return(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
    if (!version)
        return state_return(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}
