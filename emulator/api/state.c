#include "api/device.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/log.h"
#include "api/queue.h"
#include "api/unsupported.h"
#include "base/demangle.h"
#include "base/settings.h"
#include "check/managed_watch.h"
#include "machine/device_printf.h"
#include "memory/memory.h"

static _Atomic int faults[MAX_DEVICES];
static _Atomic bool observed[MAX_DEVICES];
static _Atomic bool primary_used[MAX_DEVICES];
static _Thread_local struct current_context current;
static _Thread_local const struct driver_call *driver_call;
static _Thread_local cudaError_t last_error;
static _Thread_local bool in_callback;

static _Atomic bool ending;
static int device_count;
static bool quiet;

/* Like a GPU, we do not wait for kernels when the program ends: their remaining work is lost, and so is their output.
 * Unlike a GPU, we report that. */
static void end(void) {
    char name[600];
    const char *kernel = queue_unfinished_kernel();
    atomic_store(&ending, true);
    if (quiet || (!kernel && !device_printf_pending()))
        return;
    if (kernel)
        fprintf(stderr, "========= Warning: The program exited before kernel %s completed.\n",
                demangle(kernel, name, sizeof name));
    else
        fprintf(stderr, "========= Warning: The program exited before the printf output of its kernels was printed.\n");
    fprintf(stderr,
            "=========     Kernel launches are asynchronous: wait for the kernel with cudaDeviceSynchronize().\n");
}

static void prepare(void) {
    int count = (int)setting_number(SETTING_DEVICES);
    device_count = count < 1 ? 1 : count > MAX_DEVICES ? MAX_DEVICES : count;
    quiet = setting_is_on(SETTING_QUIET);
    memory_guard_install();
    atexit(end);
}

static void prepare_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
}

int state_device_count(void) {
    prepare_once();
    return device_count;
}

int state_device(void) {
    return current.device;
}

void state_set_device(int device) {
    current = (struct current_context){.device = device, .bound = true};
    atomic_store_explicit(&primary_used[device], true, memory_order_relaxed);
}

struct current_context state_context(void) {
    return current;
}

void state_set_context(struct current_context c) {
    current = c;
}

bool state_runtime_used(void) {
    bool used = false;
    for (int d = 0; d < MAX_DEVICES; d++)
        used |= state_primary_used(d);
    return used;
}

bool state_primary_used(int device) {
    return atomic_load(&primary_used[device]);
}

void state_set_driver_call(const struct driver_call *call) {
    driver_call = call;
}

cudaError_t state_return(cudaError_t error) {
    if (error != cudaSuccess) {
        if (!driver_call)
            last_error = error;
        log_error(error);
    }
    return error;
}

cudaError_t state_last_error(bool reset) {
    cudaError_t error = last_error;
    if (reset)
        last_error = cudaSuccess;
    return error;
}

cudaError_t state_fault(int device) {
    return (cudaError_t)atomic_load(&faults[device]);
}

/* Devices that can reach the memory of the faulty one share its fault. */
void state_set_fault(int device, int error) {
    for (int d = 0; d < device_count; d++) {
        int none = 0; /* the first one stays */
        if (d == device || device_reaches(d, device))
            atomic_compare_exchange_strong(&faults[d], &none, error);
    }
}

void state_replace_fault(int device, int error) {
    atomic_store(&faults[device], error);
}

cudaError_t state_observe(int device) {
    cudaError_t fault = state_fault(device);
    for (int d = 0; d < device_count && fault != cudaSuccess; d++)
        if (d == device || (state_fault(d) == fault && device_reaches(d, device)))
            atomic_store(&observed[d], true);
    return fault;
}

cudaError_t state_enter(void) {
    prepare_once();
    if (in_callback)
        return cudaErrorNotPermitted;
    if (!current.bound && !driver_call)
        state_set_device(current.device);
    return atomic_load(&observed[current.device]) ? state_fault(current.device) : cudaSuccess;
}

bool state_ending(void) {
    return atomic_load(&ending);
}

void state_set_in_callback(bool on) {
    in_callback = on;
    managed_in_callback(on);
}

cudaError_t state_refuse(const char *function, cudaError_t error, const char *why, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(text, sizeof text, why, arguments);
    va_end(arguments);
    prepare_once();
    log_message(text);
    if (!quiet)
        fprintf(stderr, "========= Program hit %s (error %d) due to \"%s\" on CUDA API call to %s.\n=========     %s\n",
                driver_call ? driver_call->error_name((int)error) : cudaGetErrorName(error), error,
                cudaGetErrorString(error), driver_call ? driver_call->function : function, text);
    return state_return(error);
}

int unsupported_return(void) {
    return state_return(cudaErrorNotSupported);
}
