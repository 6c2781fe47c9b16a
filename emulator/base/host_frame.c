/* dladdr knows only exported symbols, and a program's own functions are not exported; the file's symbol table has them.
 * Everything here except host_frame_prepare and the two functions that look for callers uses system calls only, for a
 * signal handler. */
#include "base/host_frame.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct { uintptr_t bias, start, end; } program;

static int remember_program(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size, (void)argument;
    program.bias = info->dlpi_addr;
    program.start = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + h->p_vaddr;
        if (h->p_type != PT_LOAD)
            continue;
        if (start < program.start)
            program.start = start;
        if (start + h->p_memsz > program.end)
            program.end = start + h->p_memsz;
    }
    return 1; /* the first one is the program */
}

void host_frame_prepare(void) {
    dl_iterate_phdr(remember_program, NULL);
}

bool host_frame_is_program(uintptr_t pc) {
    return pc >= program.start && pc < program.end;
}

uintptr_t host_frame_caller(void) {
    enum { DEPTH = 32 };
    void *frames[DEPTH];
    int n = backtrace(frames, DEPTH);
    host_frame_prepare();
    for (int i = 0; i < n; i++)
        if (host_frame_is_program((uintptr_t)frames[i] - 1))
            return (uintptr_t)frames[i] - 1;
    return 0;
}

/* A library is the program's own unless it is stored where libraries are installed, or in this library's folder. */
static bool is_own_library(const char *path, const char *ours) {
    const char *slash = strrchr(ours, '/');
    size_t folder = slash ? (size_t)(slash + 1 - ours) : 0;
    return strncmp(path, "/lib", 4) != 0 && strncmp(path, "/usr/", 5) != 0 && !strstr(path, "/site-packages/") &&
           !strstr(path, "/dist-packages/") && !(folder && strncmp(path, ours, folder) == 0);
}

/* A function of the program that overrides one of the runtime's by the same name, as in a profiler or a grader, is no
 * caller. */
static bool is_interposed(uintptr_t pc) {
    Dl_info at;
    return dladdr((const void *)pc, &at) && at.dli_sname && strncmp(at.dli_sname, "cuda", 4) == 0;
}

struct host_callers host_frame_callers(void) {
    enum { DEPTH = 32 };
    void *frames[DEPTH];
    struct host_callers found = {{0}};
    Dl_info here, there;
    int n = backtrace(frames, DEPTH), count = 0;
    bool known = dladdr(__extension__(const void *) host_frame_callers, &here);
    host_frame_prepare();
    for (int i = 0; i < n && count < HOST_CALLERS; i++) {
        uintptr_t pc = (uintptr_t)frames[i] - 1;
        if (is_interposed(pc))
            continue;
        if (host_frame_is_program(pc) ||
            (known && dladdr((const void *)pc, &there) && is_own_library(there.dli_fname, here.dli_fname)))
            found.pc[count++] = pc;
    }
    return found;
}

static const uint8_t *map_program(size_t *size) {
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *at = MAP_FAILED;
    if (file < 0)
        return NULL;
    if (fstat(file, &status) == 0 && (*size = (size_t)status.st_size) > sizeof(Elf64_Ehdr))
        at = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    return at == MAP_FAILED ? NULL : at;
}

static bool inside(size_t size, uint64_t offset, uint64_t bytes) {
    return offset <= size && bytes <= size - offset;
}

static const char *search(const uint8_t *file, size_t size, const Elf64_Shdr *symbols, const Elf64_Shdr *strings,
                          uint64_t address) {
    if (!inside(size, symbols->sh_offset, symbols->sh_size) || !inside(size, strings->sh_offset, strings->sh_size) ||
        strings->sh_size == 0 || file[strings->sh_offset + strings->sh_size - 1] != '\0')
        return NULL;
    const Elf64_Sym *symbol = (const void *)(file + symbols->sh_offset);
    for (size_t i = 0; i < symbols->sh_size / sizeof *symbol; i++) {
        if (ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC && address - symbol[i].st_value < symbol[i].st_size &&
            symbol[i].st_name < strings->sh_size)
            return (const char *)file + strings->sh_offset + symbol[i].st_name;
    }
    return NULL;
}

const char *host_frame_name(uintptr_t pc) {
    size_t size = 0;
    const uint8_t *file = map_program(&size);
    if (!file)
        return NULL;
    const Elf64_Ehdr *header = (const void *)file;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr) ||
        !inside(size, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
        return NULL;
    const Elf64_Shdr *sections = (const void *)(file + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header->e_shnum)
            return search(file, size, &sections[i], &sections[sections[i].sh_link], pc - program.bias);
    }
    return NULL;
}
