/* Callbacks for the case that a process uses more of a device's memory than the system allows it. Here it never does,
 * so they are only registered. */
#include <pthread.h>
#include <stdlib.h>

#include "api/device.h"

#if CUDART_VERSION >= 12040
struct registered {
    int device;
    struct registered *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct registered *all;

cudaError_t cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback function, void *data,
                                                cudaAsyncCallbackHandle_t *out) {
    ENTER();
    (void)data;
    if (!device_exists(device))
        return device_missing(__func__, device);
    struct registered *r = function && out ? malloc(sizeof *r) : NULL;
    if (!r)
        return state_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    *r = (struct registered){device, all};
    all = r;
    pthread_mutex_unlock(&lock);
    *out = (cudaAsyncCallbackHandle_t)(void *)r;
    return cudaSuccess;
}

cudaError_t cudaDeviceUnregisterAsyncNotification(int device, cudaAsyncCallbackHandle_t handle) {
    ENTER();
    struct registered *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct registered **link = &all; *link && !found; link = &(*link)->next)
        if ((void *)*link == (void *)handle && (*link)->device == device) {
            found = *link;
            *link = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    free(found);
    return found ? cudaSuccess : state_return(cudaErrorInvalidValue);
}
#endif
