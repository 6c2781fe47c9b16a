/* libcuda.so.1 where the driver's interface is not emulated: says what to do to a program that asks for it.
 *
 * Such a program has NVIDIA's runtime linked into it, which is nvcc's default, or calls the driver itself. Without this file it
 * would hear "CUDA driver version is insufficient for CUDA runtime version", which leads nowhere.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_DEVICE = 100, NOT_SUPPORTED = 801 }; /* CUDA_ERROR_NO_DEVICE, CUDA_ERROR_NOT_SUPPORTED */

/* Who looks for a GPU can see by this name that the library is not a driver. */
const char emulatorIsNoDriver[] = "the emulator's libcuda.so.1 has no driver in it";

static void explain(void) {
    static atomic_flag explained = ATOMIC_FLAG_INIT;
    const char *quiet = getenv("EMULATOR_QUIET");
    if (atomic_flag_test_and_set(&explained) || (quiet && strcmp(quiet, "1") == 0))
        return;
    fputs("cuda-emulator: this program asks for NVIDIA's driver (libcuda.so.1), which the emulator does not have. It "
          "takes the place of the\n"
          "cuda-emulator: CUDA runtime, and nvcc puts that into the executable unless it is told: link with nvcc "
          "-cudart shared\n"
          "cuda-emulator: A program that calls the driver's functions (cu...) itself cannot be run.\n",
          stderr);
}

/* What a driver's users call first. */
int cuInit(unsigned flags) {
    (void)flags;
    explain();
    return NO_DEVICE;
}

int cuDriverGetVersion(int *version) {
    explain();
    if (version)
        *version = 0;
    return NO_DEVICE;
}

int cuGetProcAddress(const char *symbol, void **function, int version, unsigned long long flags) {
    (void)symbol, (void)version, (void)flags;
    explain();
    if (function)
        *function = NULL;
    return NOT_SUPPORTED;
}

int cuGetProcAddress_v2(const char *symbol, void **function, int version, unsigned long long flags, int *found) {
    if (found)
        *found = 1; /* CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND */
    return cuGetProcAddress(symbol, function, version, flags);
}
