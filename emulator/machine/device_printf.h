/* printf in kernels: text collects in a buffer and reaches stdout when the host synchronises, as on a GPU. */
#ifndef DEVICE_PRINTF_H
#define DEVICE_PRINTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the string of a %s argument (a device address); NULL if there is none. */
typedef const char *(*printf_string)(void *context, uint64_t address);
/* Called for each argument, with its position among the bytes. */
typedef void (*printf_argument)(void *context, size_t at, size_t size);
struct printf_reader {
    printf_string find;
    printf_argument read;
    void *context;
};

/* Formats one thread's printf. `values` are the arguments as nvcc packs them: each at its natural alignment, promoted
 * as C does. Returns the number of arguments, as CUDA's printf does, or -1. */
int device_printf(const char *format, const uint8_t *values, size_t bytes, const struct printf_reader *reader);

/* Writes the collected text to stdout. For every call of the API that waits for the device. */
void device_printf_flush(void);
bool device_printf_pending(void); /* is there collected text? */

#endif
