/* Toolkit 12's older names of calls on the device, and two that have done nothing since GPUs have doubles. */
#include "api/api.h"

#if CUDART_VERSION < 13000
EXPORT cudaError_t cudaThreadExit(void) {
    return cudaDeviceReset();
}
EXPORT cudaError_t cudaThreadSynchronize(void) {
    return cudaDeviceSynchronize();
}
EXPORT cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) {
    return cudaDeviceSetLimit(limit, value);
}
EXPORT cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit) {
    return cudaDeviceGetLimit(value, limit);
}
EXPORT cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) {
    return cudaDeviceSetCacheConfig(config);
}
EXPORT cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config) {
    return cudaDeviceGetCacheConfig(config);
}
EXPORT cudaError_t cudaSetDoubleForDevice(double *d) {
    (void)d;
    return cudaSuccess;
}
EXPORT cudaError_t cudaSetDoubleForHost(double *d) {
    (void)d;
    return cudaSuccess;
}
#endif
