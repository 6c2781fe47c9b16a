/* See executable.h. nvcc puts a program's kernels into a section .nv_fatbin, and code that passes them to the runtime
 * with __cudaRegisterFatBinary(): a name that is undefined in a program whose runtime is a shared library. */
#include "launcher/executable.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    const uint8_t *bytes;
    size_t size;
};

/* `count` objects of `size` bytes at `offset`, or NULL where the file ends before. */
static const void *at(struct file f, uint64_t offset, uint64_t size, uint64_t count) {
    if (offset > f.size || (count && size > (f.size - offset) / count))
        return NULL;
    return f.bytes + offset;
}

static const char *string_at(struct file f, const Elf64_Shdr *strings, uint64_t offset) {
    if (offset >= strings->sh_size || !at(f, strings->sh_offset, strings->sh_size, 1))
        return "";
    const char *text = (const char *)f.bytes + strings->sh_offset + offset;
    return memchr(text, '\0', strings->sh_size - offset) ? text : "";
}

struct sections {
    const Elf64_Shdr *all;
    unsigned count;
    const Elf64_Shdr *names;
};

static bool find_sections(struct file f, struct sections *out) {
    const Elf64_Ehdr *header = at(f, 0, sizeof *header, 1);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shentsize != sizeof(Elf64_Shdr))
        return false;
    out->all = at(f, header->e_shoff, sizeof(Elf64_Shdr), header->e_shnum);
    out->count = header->e_shnum;
    if (!out->all || header->e_shstrndx >= out->count)
        return false;
    out->names = &out->all[header->e_shstrndx];
    return true;
}

static const Elf64_Shdr *section_named(struct file f, struct sections s, const char *name) {
    for (unsigned i = 0; i < s.count; i++) {
        if (strcmp(string_at(f, s.names, s.all[i].sh_name), name) == 0)
            return &s.all[i];
    }
    return NULL;
}

/* The number in the libcudart.so.N that the program loads; 0 when it loads none. */
static int runtime_needed(struct file f, struct sections s) {
    const Elf64_Shdr *dynamic = section_named(f, s, ".dynamic"), *strings = section_named(f, s, ".dynstr");
    if (!dynamic || !strings)
        return 0;
    uint64_t count = dynamic->sh_size / sizeof(Elf64_Dyn);
    const Elf64_Dyn *entries = at(f, dynamic->sh_offset, sizeof *entries, count);
    for (uint64_t i = 0; entries && i < count; i++) {
        static const char library[] = "libcudart.so.";
        const char *name = entries[i].d_tag == DT_NEEDED ? string_at(f, strings, entries[i].d_un.d_val) : "";
        if (strncmp(name, library, sizeof library - 1) == 0)
            return atoi(name + sizeof library - 1);
    }
    return 0;
}

/* Does a shared library, not the executable itself, take its kernels? */
static bool registers_elsewhere(struct file f, struct sections s) {
    const Elf64_Shdr *symbols = section_named(f, s, ".dynsym"), *strings = section_named(f, s, ".dynstr");
    if (!symbols || !strings)
        return false;
    uint64_t count = symbols->sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *all = at(f, symbols->sh_offset, sizeof *all, count);
    for (uint64_t i = 0; all && i < count; i++) {
        if (all[i].st_shndx == SHN_UNDEF &&
            strcmp(string_at(f, strings, all[i].st_name), "__cudaRegisterFatBinary") == 0)
            return true;
    }
    return false;
}

static struct executable inspect(struct file f) {
    struct executable result = {LINKAGE_UNKNOWN, 0};
    struct sections s;
    if (!find_sections(f, &s))
        return result;
    result.cuda_major = runtime_needed(f, s);
    if (result.cuda_major)
        result.linkage = LINKAGE_SHARED;
    else if (section_named(f, s, ".nv_fatbin") && !registers_elsewhere(f, s))
        result.linkage = LINKAGE_STATIC;
    return result;
}

struct executable executable_inspect(const char *path) {
    struct executable result = {LINKAGE_UNKNOWN, 0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return result;
    struct stat status;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED) {
            result = inspect((struct file){bytes, (size_t)status.st_size});
            munmap(bytes, (size_t)status.st_size);
        }
    }
    close(descriptor);
    return result;
}
