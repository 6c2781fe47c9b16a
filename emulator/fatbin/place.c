#include "fatbin/place.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

struct search {
    uintptr_t address;
    const char *name;
};

/* The executable's name is empty. */
static int search_segments(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size;
    struct search *s = argument;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + h->p_vaddr;
        if (h->p_type == PT_LOAD && s->address >= start && s->address - start < h->p_memsz) {
            s->name = *info->dlpi_name ? base_name(info->dlpi_name) : "the executable";
            return 1;
        }
    }
    return 0;
}

const char *place_of_code(const void *address) {
    struct search s = {(uintptr_t)address, "the device code"};
    dl_iterate_phdr(search_segments, &s);
    return s.name;
}

#define LEAVE_OUT                                                                                                      \
    "NVIDIA delivers this library as machine code, so it needs a GPU: skip its calls if they are only for comparison"

static const struct {
    const char *begin, *advice;
} libraries[] = {
    {"libcublas", LEAVE_OUT ", or use headers that are compiled with the program, such as CUTLASS"},
    {"libcurand",
     LEAVE_OUT ", or use cuRAND's device functions (curand_kernel.h), which are compiled with the program"},
    {"libcufft", LEAVE_OUT},
    {"libcusparse", LEAVE_OUT},
    {"libcusolver", LEAVE_OUT},
    {"libcudnn", LEAVE_OUT},
    {"libcutensor", LEAVE_OUT},
    {"libcudss", LEAVE_OUT},
    {"libnpp", LEAVE_OUT},
    {"libnccl", LEAVE_OUT},
    {"libnvjpeg", LEAVE_OUT},
    {"libnvinfer", LEAVE_OUT},
    {"libnvshmem", LEAVE_OUT},
};

const char *place_advice(const char *library) {
    const char *name = base_name(library);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(name, libraries[i].begin, strlen(libraries[i].begin)) == 0)
            return libraries[i].advice;
    return NULL;
}
