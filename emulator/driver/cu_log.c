/* The log of errors. */
#include "driver/driver.h"

#if CUDART_VERSION >= 13000
static cudaError_t listen(CUlogsCallback function, void *data, CUlogsCallbackHandle *out) {
    return cudaLogsRegisterCallback((cudaLogsCallback_t)function, data, out);
}

CUresult cuLogsRegisterCallback(CUlogsCallback function, void *data, CUlogsCallbackHandle *out) {
    DRIVER_CALL(DRIVER_NOTHING, listen(function, data, out));
}
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle) {
    DRIVER_CALL(DRIVER_NOTHING, cudaLogsUnregisterCallback(handle));
}
CUresult cuLogsCurrent(CUlogIterator *out, unsigned flags) {
    DRIVER_CALL(DRIVER_NOTHING, cudaLogsCurrent(out, flags));
}
CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *path, unsigned flags) {
    DRIVER_CALL(DRIVER_NOTHING, cudaLogsDumpToFile(iterator, path, flags));
}
CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size, unsigned flags) {
    DRIVER_CALL(DRIVER_NOTHING, cudaLogsDumpToMemory(iterator, buffer, size, flags));
}
#endif
