/* The runtime's functions that are not emulated. They exist so that every program starts; calling one prints a line
 * that names it and returns cudaErrorNotSupported, which cudaGetLastError then reports, too.
 *
 * A function that gets an implementation is taken off this list: the linker complains about it until then. The
 * toolkit's headers are left out on purpose, since these definitions have no parameters. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "api/unsupported.h"

static int unsupported(const char *name, _Atomic bool *told) {
    if (!atomic_exchange(told, true))
        fprintf(stderr, "========= %s is not emulated: it returns cudaErrorNotSupported. A GPU is needed for it.\n",
                name);
    return unsupported_return();
}

#define X(name)                                                                                                        \
    __attribute__((visibility("default"))) int name(void);                                                             \
    int name(void) {                                                                                                   \
        static _Atomic bool told;                                                                                      \
        return unsupported(#name, &told);                                                                              \
    }

/* clang-format off */
X(cudaDestroyExternalMemory)
X(cudaDestroyExternalSemaphore)
X(cudaDeviceGetNvSciSyncAttributes)
X(cudaEGLStreamConsumerAcquireFrame)
X(cudaEGLStreamConsumerConnect)
X(cudaEGLStreamConsumerConnectWithFlags)
X(cudaEGLStreamConsumerDisconnect)
X(cudaEGLStreamConsumerReleaseFrame)
X(cudaEGLStreamProducerConnect)
X(cudaEGLStreamProducerDisconnect)
X(cudaEGLStreamProducerPresentFrame)
X(cudaEGLStreamProducerReturnFrame)
X(cudaEventCreateFromEGLSync)
X(cudaExternalMemoryGetMappedBuffer)
X(cudaExternalMemoryGetMappedMipmappedArray)
X(cudaGLGetDevices)
X(cudaGLMapBufferObject)
X(cudaGLMapBufferObjectAsync)
X(cudaGLRegisterBufferObject)
X(cudaGLSetBufferObjectMapFlags)
X(cudaGLSetGLDevice)
X(cudaGLUnmapBufferObject)
X(cudaGLUnmapBufferObjectAsync)
X(cudaGLUnregisterBufferObject)
X(cudaGetExportTable)
X(cudaGraphAddExternalSemaphoresSignalNode)
X(cudaGraphAddExternalSemaphoresWaitNode)
X(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
X(cudaGraphExecExternalSemaphoresWaitNodeSetParams)
X(cudaGraphExternalSemaphoresSignalNodeGetParams)
X(cudaGraphExternalSemaphoresSignalNodeSetParams)
X(cudaGraphExternalSemaphoresWaitNodeGetParams)
X(cudaGraphExternalSemaphoresWaitNodeSetParams)
X(cudaGraphicsEGLRegisterImage)
X(cudaGraphicsGLRegisterBuffer)
X(cudaGraphicsGLRegisterImage)
X(cudaGraphicsMapResources)
X(cudaGraphicsResourceGetMappedEglFrame)
X(cudaGraphicsResourceGetMappedMipmappedArray)
X(cudaGraphicsResourceGetMappedPointer)
X(cudaGraphicsResourceSetMapFlags)
X(cudaGraphicsSubResourceGetMappedArray)
X(cudaGraphicsUnmapResources)
X(cudaGraphicsUnregisterResource)
X(cudaGraphicsVDPAURegisterOutputSurface)
X(cudaGraphicsVDPAURegisterVideoSurface)
X(cudaImportExternalMemory)
X(cudaImportExternalSemaphore)
X(cudaSignalExternalSemaphoresAsync)
X(cudaSignalExternalSemaphoresAsync_ptsz)
X(cudaVDPAUGetDevice)
X(cudaVDPAUSetVDPAUDevice)
X(cudaWaitExternalSemaphoresAsync)
X(cudaWaitExternalSemaphoresAsync_ptsz)

#if CUDA_MAJOR >= 13
X(__cudaGetProcAddress)
#else
X(cudaGetDeviceProperties) /* the structure of toolkit 11; programs of toolkit 12 call ..._v2 */
X(cudaLaunchCooperativeKernelMultiDevice)
X(cudaSignalExternalSemaphoresAsync_v2)
X(cudaSignalExternalSemaphoresAsync_v2_ptsz)
X(cudaWaitExternalSemaphoresAsync_v2)
X(cudaWaitExternalSemaphoresAsync_v2_ptsz)
#endif
