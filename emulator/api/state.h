/* The runtime's state between calls: devices, the calling thread's device and last error, faults. */
#ifndef STATE_H
#define STATE_H

#include <stdbool.h>

#include <driver_types.h>

#define MAX_DEVICES 16

int state_device_count(void); /* EMULATOR_DEVICES, 1 unless set */
int state_device(void);       /* the calling thread's current device */
void state_set_device(int device);

/* Every public function returns through this: records an error for cudaGetLastError. */
cudaError_t state_return(cudaError_t error);
cudaError_t state_last_error(bool reset);

/* A kernel that fails ruins its device for the rest of the process: every later call returns its error. */
cudaError_t state_fault(int device);
/* For calls that wait for the device: a fault shows at the first of these, and from then on everywhere. */
cudaError_t state_observe(int device);
void state_set_fault(int device, int error);
void state_replace_fault(int device, int error);

/* Called first by every function that works on the device: prepares the emulator at the first call, and returns the
 * device's fault, or an error when a host callback calls back into CUDA, or cudaSuccess. */
cudaError_t state_enter(void);

bool state_ending(void); /* main has returned, or exit was called */

/* A call of the driver's interface is in progress on this thread: messages contain its name and the driver's name for
 * its error, and the runtime's last error does not change. NULL ends it. */
struct driver_call {
    const char *function;
    const char *(*error_name)(int error);
};
void state_set_driver_call(const struct driver_call *call);

/* The context that is current on this thread. The runtime only has devices: it makes a device's primary context current
 * at its first call that needs one, and in cudaSetDevice. */
struct current_context {
    int device;
    bool bound;      /* false: for the driver none is */
    const void *own; /* the driver's note of a context that is no primary one; NULL: the device's primary context */
};
struct current_context state_context(void);
void state_set_context(struct current_context c);
bool state_runtime_used(void);       /* for any device: that initializes the driver, too */
bool state_primary_used(int device); /* the runtime has made its primary context */

/* True while this thread runs a callback from a stream. */
void state_set_in_callback(bool on);

/* Reports what was wrong with a call, in compute-sanitizer's form, and returns the error through state_return. `why` is
 * one plain sentence for printf, without a newline. */
cudaError_t state_refuse(const char *function, cudaError_t error, const char *why, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks that start most functions. */
#define ENTER()                                                                                                        \
    do {                                                                                                               \
        cudaError_t entered = state_enter();                                                                           \
        if (entered != cudaSuccess)                                                                                    \
            return state_return(entered);                                                                              \
    } while (0)

#endif
