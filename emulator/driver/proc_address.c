/* Looks up functions for programs that do not link the driver's functions but request them from the driver or the
 * runtime. */
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "base/settings.h"
#include "driver/entry_points.h"
#include "fatbin/place.h"

/* ---- the driver's own ---- */

enum { INVALID_VALUE = 1, NO_SUCH_FUNCTION = 500, NO_TABLE = 801 }; /* CUDA_ERROR_... */

EXPORT int cuGetProcAddress_v2(const char *name, void **out, int version, unsigned long long flags, int *result);
EXPORT int cuGetProcAddress_v2(const char *name, void **out, int version, unsigned long long flags, int *result) {
    if (!name || !out || flags > ENTRY_POINT_PER_THREAD)
        return INVALID_VALUE;
    enum entry_point_found f = entry_point_find(name, version, flags, out);
    if (result)
        *result = (int)f;
    return f == ENTRY_POINT_NOT_FOUND && !result ? NO_SUCH_FUNCTION
           : f == ENTRY_POINT_TOO_OLD && !result ? INVALID_VALUE
                                                 : 0;
}

EXPORT int cuGetProcAddress(const char *name, void **out, int version, unsigned long long flags);
EXPORT int cuGetProcAddress(const char *name, void **out, int version, unsigned long long flags) {
    return cuGetProcAddress_v2(name, out, version, flags, NULL);
}

/* Does the executable itself load a library whose name has this beginning? */
static bool program_needs(const char *library) {
    struct link_map *program = dlopen(NULL, RTLD_LAZY);
    const char *strings = NULL;
    bool found = false;
    for (const ElfW(Dyn) *d = program ? program->l_ld : NULL; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = strings ? program->l_ld : NULL; d && d->d_tag != DT_NULL; d++)
        found |= d->d_tag == DT_NEEDED && strncmp(strings + d->d_un.d_val, library, strlen(library)) == 0;
    if (program)
        dlclose(program);
    return found;
}

/* The file of the library that the caller is in; "" when it is the executable, or unknown. */
static const char *library_of(const void *caller) {
    Dl_info from;
    struct link_map *map = NULL;
    bool found = dladdr1(caller, &from, (void **)&map, RTLD_DL_LINKMAP) && map;
    return found && map->l_name ? map->l_name : "";
}

/* Once. An executable can be relinked. A Python package cannot, by the user who has installed it. */
static void explain(const void *caller) {
    static atomic_flag done = ATOMIC_FLAG_INIT;
    const char *library = library_of(caller);
    if (atomic_flag_test_and_set(&done) || setting_is_on(SETTING_QUIET))
        return;
    fprintf(stderr,
            "cuda-emulator: %s requests private tables of NVIDIA's driver (libcuda.so.1), which only NVIDIA's "
            "libraries use.\n",
            *library ? library : "this program");
    if (*library && place_advice(library))
        fprintf(stderr,
                "cuda-emulator: NVIDIA's CUDA runtime is inside that library, so the emulator cannot replace "
                "it.\ncuda-emulator: %s.\n",
                place_advice(library));
    else if (*library)
        fputs("cuda-emulator: That library contains NVIDIA's CUDA runtime, or is that runtime, so the emulator cannot "
              "replace it.\ncuda-emulator: If you build it, link it with nvcc -cudart shared. Packages built this way, "
              "such as CuPy, need a GPU:\ncuda-emulator: its README.md explains this under \"CuPy\", and lists "
              "packages that run.\n",
              stderr);
    else
        fputs("cuda-emulator: Most likely NVIDIA's CUDA runtime is inside it: nvcc links it statically by default. The "
              "emulator\ncuda-emulator: replaces the shared runtime: link with nvcc -cudart shared\n",
              stderr);
}

/* NVRTC requests it, too, and works without it. So does a program that opens NVIDIA's libcudart only to read its
 * version. */
static bool does_without(const void *caller) {
    Dl_info from;
    if (!dladdr(caller, &from) || !from.dli_fname)
        return false;
    return strstr(from.dli_fname, "libnvrtc") ||
           (strstr(from.dli_fname, "libcudart.so") && !program_needs("libcudart.so"));
}

/* Undocumented, by a number of 16 bytes. */
EXPORT int cuGetExportTable(const void **out, const void *id);
EXPORT int cuGetExportTable(const void **out, const void *id) {
    (void)id;
    if (!does_without(__builtin_return_address(0)))
        explain(__builtin_return_address(0));
    if (out)
        *out = NULL;
    return NO_TABLE;
}

/* ---- the runtime's ---- */

#define LATEST 0x7fffffff

/* cudaSuccess even when there is no such function: the result shows that. */
static cudaError_t entry_point(const char *name, void **out, unsigned version, unsigned long long flags,
                               enum cudaDriverEntryPointQueryResult *result) {
    ENTER();
    if (!name || !out || flags > cudaEnablePerThreadDefaultStream)
        return state_return(cudaErrorInvalidValue);
    enum entry_point_found f = entry_point_find(name, (int)version, flags, out);
    if (result)
        *result = f == ENTRY_POINT_FOUND     ? cudaDriverEntryPointSuccess
                  : f == ENTRY_POINT_TOO_OLD ? cudaDriverEntryPointVersionNotSufficent
                                             : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *result) {
    return entry_point(name, out, LATEST, flags, result);
}

EXPORT cudaError_t cudaGetDriverEntryPoint_ptsz(const char *name, void **out, unsigned long long flags,
                                                enum cudaDriverEntryPointQueryResult *result) {
    return entry_point(name, out, LATEST, flags ? flags : ENTRY_POINT_PER_THREAD, result);
}

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result) {
    return entry_point(name, out, version, flags, result);
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **out, unsigned version,
                                                         unsigned long long flags,
                                                         enum cudaDriverEntryPointQueryResult *result) {
    return entry_point(name, out, version, flags ? flags : ENTRY_POINT_PER_THREAD, result);
}
#endif
