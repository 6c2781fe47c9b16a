/* The functions of the C library that give memory, as failing_malloc.h says. */
#define _GNU_SOURCE
#include "failing_malloc.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static uintptr_t library_begin, library_end;
static long fails_at; /* 0: none fails */
static atomic_long asked_for;

static int find_library(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    if (!strstr(object->dlpi_name, "libcuda-emulator.so"))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X) {
            library_begin = object->dlpi_addr + segment->p_vaddr;
            library_end = library_begin + segment->p_memsz;
        }
    }
    return 1;
}

int fail_allocation(long n) {
    library_begin = 0;
    dl_iterate_phdr(find_library, NULL);
    asked_for = 0;
    fails_at = n;
    return library_begin != 0;
}

long allocations_asked_for(void) {
    return asked_for;
}

static int fails(void *caller) {
    uintptr_t at = (uintptr_t)caller;
    if (at < library_begin || at >= library_end || ++asked_for != fails_at)
        return 0;
    errno = ENOMEM;
    return 1;
}

#define CALLER __builtin_return_address(0)

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    return fails(CALLER) ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    return fails(CALLER) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
    return fails(CALLER) ? NULL : __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    return fails(CALLER) ? NULL : __libc_memalign(alignment, size);
}
char *strdup(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = fails(CALLER) ? NULL : (char *)__libc_malloc(bytes);
    return copy ? (char *)memcpy(copy, text, bytes) : NULL;
}
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
    return fails(CALLER) ? MAP_FAILED : (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}
