/* Reads DWARF's line tables: programs for a small machine, each of whose rows gives the address where the instructions
 * of a line begin. DWARF 5, section 6.2. Every offset is checked: a file may be damaged. */
#include "base/host_line.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

/* ---- the sections ---- */

static bool inside(size_t size, uint64_t offset, uint64_t bytes) {
    return offset <= size && bytes <= size - offset;
}

const uint8_t *host_object_section(const struct host_object *o, const char *name, size_t *size) {
    const Elf64_Ehdr *h = (const void *)o->bytes;
    if (o->size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shstrndx >= h->e_shnum ||
        !inside(o->size, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
        return NULL;
    const Elf64_Shdr *sections = (const void *)(o->bytes + h->e_shoff), *names = &sections[h->e_shstrndx];
    if (!inside(o->size, names->sh_offset, names->sh_size))
        return NULL;
    for (unsigned i = 0; i < h->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (s->sh_type == SHT_NOBITS || s->sh_flags & SHF_COMPRESSED || s->sh_name >= names->sh_size ||
            !inside(o->size, s->sh_offset, s->sh_size))
            continue;
        const char *found = (const char *)o->bytes + names->sh_offset + s->sh_name;
        if (strncmp(found, name, names->sh_size - s->sh_name) == 0 && strlen(name) < names->sh_size - s->sh_name) {
            *size = s->sh_size;
            return o->bytes + s->sh_offset;
        }
    }
    return NULL;
}

/* ---- reading ---- */

struct reader {
    const uint8_t *at, *end;
    bool failed; /* a read goes beyond the end; it gives zeros then */
};

static uint64_t fixed(struct reader *r, unsigned bytes) {
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->failed = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, bytes < sizeof value ? bytes : sizeof value);
    r->at += bytes;
    return value;
}

static uint64_t leb(struct reader *r, bool is_signed) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = (uint8_t)fixed(r, 1);
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
    } while (byte & 0x80);
    return is_signed && shift < 64 && byte & 0x40 ? value | ~(uint64_t)0 << shift : value;
}

static const char *string(struct reader *r) {
    const char *s = (const char *)r->at;
    size_t length = strnlen(s, (size_t)(r->end - r->at));
    if (length == (size_t)(r->end - r->at)) {
        r->failed = true;
        r->at = r->end;
        return "";
    }
    r->at += length + 1;
    return s;
}

/* ---- the header of a table ---- */

struct table {
    const struct host_object *object;
    unsigned version, least_length, opcode_base, range;
    int base;
    struct reader lengths; /* arguments of each standard opcode */
    struct reader files;   /* the lists of folders and files */
    struct reader program;
};

/* A table is read from `r`, which is advanced past it. */
static bool read_header(struct reader *r, struct table *t) {
    uint64_t bytes = fixed(r, 4);
    if (bytes > (uint64_t)(r->end - r->at))
        return false; /* of 64 bits, or damaged */
    struct reader unit = {r->at, r->at + bytes, false};
    r->at += bytes;
    t->version = (unsigned)fixed(&unit, 2);
    if (t->version >= 5)
        fixed(&unit, 2); /* sizes of addresses and segments */
    uint64_t header = fixed(&unit, 4);
    if (t->version < 2 || t->version > 5 || header > (uint64_t)(unit.end - unit.at))
        return true; /* not supported: its program is empty */
    t->program = (struct reader){unit.at + header, unit.end, false};
    unit.end = t->program.at;
    t->least_length = (unsigned)fixed(&unit, 1);
    if (t->version >= 4)
        fixed(&unit, 1); /* operations in an instruction: for VLIW */
    fixed(&unit, 1);     /* whether rows begin statements: all rows serve here */
    t->base = (int8_t)fixed(&unit, 1);
    t->range = (unsigned)fixed(&unit, 1);
    t->opcode_base = (unsigned)fixed(&unit, 1);
    t->lengths = unit;
    if (t->opcode_base)
        fixed(&unit, t->opcode_base - 1);
    t->files = unit;
    if (unit.failed)
        t->program.at = t->program.end;
    return true;
}

/* ---- names of files ---- */

enum { CONTENT_PATH = 1, CONTENT_FOLDER = 2 };
enum {
    FORM_DATA2 = 0x05,
    FORM_DATA4,
    FORM_DATA8,
    FORM_STRING,
    FORM_BLOCK,
    FORM_DATA1 = 0x0b,
    FORM_STRP = 0x0e,
    FORM_UDATA,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP
};

static const char *string_at(const struct host_object *o, const char *section, uint64_t offset) {
    size_t size = 0;
    const char *strings = (const char *)host_object_section(o, section, &size);
    return strings && offset < size && memchr(strings + offset, 0, size - offset) ? strings + offset : "";
}

/* Reads a value; a text is the result, a number is stored in *number. */
static const char *read_form(struct reader *r, const struct host_object *o, uint64_t form, uint64_t *number) {
    switch (form) {
    case FORM_STRING:
        return string(r);
    case FORM_STRP:
        return string_at(o, ".debug_str", fixed(r, 4));
    case FORM_LINE_STRP:
        return string_at(o, ".debug_line_str", fixed(r, 4));
    case FORM_DATA1:
        *number = fixed(r, 1);
        return "";
    case FORM_DATA2:
        *number = fixed(r, 2);
        return "";
    case FORM_DATA4:
        *number = fixed(r, 4);
        return "";
    case FORM_DATA8:
        *number = fixed(r, 8);
        return "";
    case FORM_DATA16:
        fixed(r, 16);
        return "";
    case FORM_UDATA:
        *number = leb(r, false);
        return "";
    case FORM_BLOCK:
        for (uint64_t left = leb(r, false); left && !r->failed; left--)
            fixed(r, 1);
        return "";
    default:
        r->failed = true;
        return "";
    }
}

/* Entry number `index` of a list as version 5 writes it; r is advanced past the list. */
static const char *entry_5(struct reader *r, const struct host_object *o, uint64_t index, uint64_t *folder) {
    const char *name = "";
    unsigned formats = (unsigned)fixed(r, 1);
    struct reader format = *r;
    for (unsigned i = 0; i < 2 * formats; i++)
        leb(r, false);
    uint64_t count = leb(r, false);
    for (uint64_t i = 0; i < count && !r->failed; i++) {
        struct reader f = format;
        for (unsigned k = 0; k < formats; k++) {
            uint64_t content = leb(&f, false), number = 0;
            const char *text = read_form(r, o, leb(&f, false), &number);
            if (i == index && content == CONTENT_PATH)
                name = text;
            if (i == index && content == CONTENT_FOLDER)
                *folder = number;
        }
    }
    return name;
}

/* The same for the older lists, which count from 1 and end with an empty name. */
static const char *entry_4(struct reader *r, uint64_t index, uint64_t *folder) {
    const char *name = "";
    for (uint64_t i = 1; !r->failed; i++) {
        const char *s = string(r);
        if (!*s)
            break;
        uint64_t of = folder ? leb(r, false) : 0;
        if (folder) {
            leb(r, false); /* its time and its size */
            leb(r, false);
        }
        if (i == index) {
            name = s;
            if (folder)
                *folder = of;
        }
    }
    return name;
}

/* The name of file number `index`, in its folder where it is not the one in which the compiler ran. */
static bool name_file(const struct table *t, uint64_t index, char *file, size_t size) {
    uint64_t folder = 0, none = 0;
    struct reader folders = t->files, files = t->files;
    const char *name, *in;
    if (t->version >= 5) {
        entry_5(&files, t->object, ~(uint64_t)0, &none);
        name = entry_5(&files, t->object, index, &folder);
        in = folder ? entry_5(&folders, t->object, folder, &none) : "";
    } else {
        entry_4(&files, ~(uint64_t)0, NULL);
        name = entry_4(&files, index, &folder);
        in = folder ? entry_4(&folders, folder, NULL) : "";
    }
    bool joined = *name != '/' && *in;
    snprintf(file, size, "%s%s%s", joined ? in : "", joined ? "/" : "", name);
    return *name && !files.failed;
}

/* ---- the program ---- */

struct row {
    uint64_t address, file, line;
};

/* Standard opcodes, and those that follow a zero byte. */
enum { EXTENDED, COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC };
enum { END_SEQUENCE = 1, SET_ADDRESS };

struct machine {
    struct row now, last; /* last: the previous row, where there was one in this sequence */
    bool begun, emit, end;
};

static void extended(struct reader *r, struct machine *m) {
    uint64_t bytes = leb(r, false);
    if (!bytes || bytes > (uint64_t)(r->end - r->at)) {
        r->failed = true;
        return;
    }
    struct reader op = {r->at, r->at + bytes, false};
    r->at += bytes;
    switch (fixed(&op, 1)) {
    case END_SEQUENCE:
        m->emit = m->end = true;
        break;
    case SET_ADDRESS:
        m->now.address = fixed(&op, 8);
        break;
    }
}

static void standard(struct reader *r, const struct table *t, unsigned opcode, struct machine *m) {
    switch (opcode) {
    case EXTENDED:
        extended(r, m);
        break;
    case COPY:
        m->emit = true;
        break;
    case ADVANCE_PC:
        m->now.address += leb(r, false) * t->least_length;
        break;
    case ADVANCE_LINE:
        m->now.line += leb(r, true);
        break;
    case SET_FILE:
        m->now.file = leb(r, false);
        break;
    case CONST_ADD_PC:
        m->now.address += (uint64_t)((255 - t->opcode_base) / t->range) * t->least_length;
        break;
    case FIXED_ADVANCE_PC:
        m->now.address += fixed(r, 2);
        break;
    default: /* without meaning for lines */
        for (unsigned n = t->lengths.at[opcode - 1]; n; n--)
            leb(r, false);
    }
}

static void special(const struct table *t, unsigned opcode, struct machine *m) {
    unsigned n = opcode - t->opcode_base;
    m->now.address += (uint64_t)(n / t->range) * t->least_length;
    m->now.line += (uint64_t)(int64_t)(t->base + (int)(n % t->range));
    m->emit = true;
}

/* Looks for two rows with the address between them. */
static bool run_program(const struct table *t, uint64_t address, struct row *found) {
    struct reader r = t->program;
    static const struct machine start = {.now = {0, 1, 1}};
    struct machine m = start;
    while (t->range && t->opcode_base && r.at < r.end && !r.failed) {
        unsigned opcode = (unsigned)fixed(&r, 1);
        m.emit = m.end = false;
        if (opcode < t->opcode_base)
            standard(&r, t, opcode, &m);
        else
            special(t, opcode, &m);
        if (!m.emit)
            continue;
        if (m.begun && m.last.address <= address && address < m.now.address) {
            *found = m.last;
            return true;
        }
        m.last = m.now;
        m.begun = true;
        if (m.end)
            m = start;
    }
    return false;
}

bool host_line_find(const struct host_object *o, uint64_t address, char *file, size_t file_size, uint32_t *line) {
    size_t size = 0;
    const uint8_t *lines = host_object_section(o, ".debug_line", &size);
    struct reader r = {lines, lines ? lines + size : lines, false};
    struct table t = {.object = o};
    struct row row;
    while (r.at < r.end && read_header(&r, &t)) {
        if (run_program(&t, address, &row) && row.line) {
            *line = (uint32_t)row.line;
            return name_file(&t, row.file, file, file_size);
        }
        t = (struct table){.object = o};
    }
    return false;
}
