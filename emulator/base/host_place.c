#include "base/host_place.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/host_line.h"

static struct host_object open_object(const char *path) {
    struct host_object o = {NULL, 0};
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return o;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (at != MAP_FAILED)
            o = (struct host_object){at, (size_t)status.st_size};
    }
    close(file);
    return o;
}

/* A program's own functions are not exported: its symbol table has them. */
static void find_symbol(const struct host_object *o, uint64_t address, struct host_place *out) {
    size_t symbols_size = 0, strings_size = 0;
    const Elf64_Sym *symbols = (const void *)host_object_section(o, ".symtab", &symbols_size);
    const char *strings = (const char *)host_object_section(o, ".strtab", &strings_size);
    for (size_t i = 0; symbols && strings && i < symbols_size / sizeof *symbols; i++) {
        const Elf64_Sym *s = &symbols[i];
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || address - s->st_value >= s->st_size || s->st_name >= strings_size)
            continue;
        snprintf(out->function, sizeof out->function, "%.*s", (int)(strings_size - s->st_name), strings + s->st_name);
        return;
    }
}

bool host_place_find(uintptr_t pc, struct host_place *out) {
    Dl_info info;
    struct link_map *map = NULL;
    out->function[0] = out->file[0] = '\0';
    out->line = 0;
    if (!dladdr1((const void *)pc, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return false;
    struct host_object o = open_object(*map->l_name ? map->l_name : "/proc/self/exe");
    if (o.bytes) {
        find_symbol(&o, pc - map->l_addr, out);
        if (!host_line_find(&o, pc - map->l_addr, out->file, sizeof out->file, &out->line))
            out->line = 0;
        munmap((void *)(uintptr_t)o.bytes, o.size);
    }
    if (!out->function[0] && info.dli_sname)
        snprintf(out->function, sizeof out->function, "%s", info.dli_sname);
    return out->function[0] || out->line;
}
