#include "fatbin/machine_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"

#define DEBUG_PTX ".nv_debug_ptx_txt"

bool machine_code_is(const void *bytes) {
    return strncmp(bytes, ELFMAG, SELFMAG) == 0; /* does not read beyond a text's zero */
}

bool machine_code_open(const void *bytes, size_t size, struct machine_code *out) {
    *out = (struct machine_code){.bytes = bytes, .size = size};
    if (size < sizeof out->header || !machine_code_is(bytes))
        return false;
    memcpy(&out->header, bytes, sizeof out->header);
    return out->header.e_ident[EI_CLASS] == ELFCLASS64 && out->header.e_shentsize == sizeof(Elf64_Shdr);
}

/* The first bytes alone, of a file of another kind: its numbers are stored elsewhere. */
size_t machine_code_size(const void *bytes) {
    Elf64_Ehdr header;
    if (((const unsigned char *)bytes)[EI_CLASS] != ELFCLASS64)
        return EI_CLASS + 1;
    memcpy(&header, bytes, sizeof header);
    if (header.e_shentsize != sizeof(Elf64_Shdr))
        return sizeof header;
    size_t end = header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr s;
        memcpy(&s, (const char *)bytes + header.e_shoff + i * sizeof s, sizeof s);
        if (s.sh_type != SHT_NOBITS && s.sh_offset + s.sh_size > end)
            end = s.sh_offset + s.sh_size;
    }
    size_t segments = header.e_phoff + (size_t)header.e_phnum * header.e_phentsize;
    return segments > end ? segments : end;
}

bool machine_code_section(const struct machine_code *m, unsigned i, Elf64_Shdr *out) {
    uint64_t at = m->header.e_shoff + (uint64_t)i * sizeof *out;
    if (i >= m->header.e_shnum || at > m->size || m->size - at < sizeof *out)
        return false;
    memcpy(out, m->bytes + at, sizeof *out);
    return out->sh_type != SHT_NOBITS && out->sh_offset <= m->size && out->sh_size <= m->size - out->sh_offset;
}

const char *machine_code_string(const struct machine_code *m, const Elf64_Shdr *strings, uint64_t at) {
    const char *s = (const char *)m->bytes + strings->sh_offset;
    return at < strings->sh_size && memchr(s + at, '\0', strings->sh_size - at) ? s + at : NULL;
}

bool machine_code_find(const struct machine_code *m, const char *name, Elf64_Shdr *out) {
    Elf64_Shdr names;
    if (!machine_code_section(m, m->header.e_shstrndx, &names))
        return false;
    for (unsigned i = 0; i < m->header.e_shnum; i++) {
        const char *found = machine_code_section(m, i, out) ? machine_code_string(m, &names, out->sh_name) : NULL;
        if (found && strcmp(found, name) == 0)
            return true;
    }
    return false;
}

/* Each line is a separate text, with its zero; lines that marked source lines are empty. Other producers' sections of
 * that kind have names that begin with this one. */
char *machine_code_ptx(const struct machine_code *m) {
    Elf64_Shdr names, s;
    if (!machine_code_section(m, m->header.e_shstrndx, &names))
        return NULL;
    for (unsigned i = 0; i < m->header.e_shnum; i++) {
        const char *name = machine_code_section(m, i, &s) ? machine_code_string(m, &names, s.sh_name) : NULL;
        if (!name || strncmp(name, DEBUG_PTX, strlen(DEBUG_PTX)) != 0)
            continue;
        char *text = or_out_of_memory(malloc(s.sh_size + 1));
        memcpy(text, m->bytes + s.sh_offset, s.sh_size);
        text[s.sh_size] = '\0';
        for (size_t k = 0; k < s.sh_size; k++)
            if (!text[k])
                text[k] = '\n';
        return text;
    }
    return NULL;
}
