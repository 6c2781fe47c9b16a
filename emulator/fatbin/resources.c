/* See resources.h. Machine code is an ELF file whose section .nv.info states the number of registers of each function.
 * Where an executable holds PTX alone, ptxas -v is run, once for each image or for each kernel. */
#include "fatbin/resources.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin/ask_ptxas.h"
#include "fatbin/machine_code.h"

#define REGISTER_COUNT 0x2f /* EIATTR_REGCOUNT: u32 symbol, u32 registers */
#define FRAME_SIZE     0x11 /* EIATTR_FRAME_SIZE: u32 symbol, u32 bytes */
#define FORMAT_SIZED   4    /* an entry with a u16 size and that many bytes; the others have 4 bytes in all */
#define ASKED_ARCH     90
#define LONGEST_NAME   800 /* of a kernel for which ptxas is run */

struct known {
    struct known *next;
    struct kernel_registers found;
    char name[];
};

struct frame {
    struct frame *next;
    unsigned bytes;
    char name[];
};

struct image {
    struct image *next;
    bool asked;
    size_t length;
    char text[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *known;
static struct frame *frames;
static struct image *images;

static void add(const char *name, struct kernel_registers found) {
    struct known *k = malloc(sizeof *k + strlen(name) + 1);
    if (!k)
        return;
    strcpy(k->name, name);
    k->found = found;
    k->next = known;
    known = k;
}

static void add_frame(const char *name, unsigned bytes) {
    struct frame *f = malloc(sizeof *f + strlen(name) + 1);
    if (!f)
        return;
    strcpy(f->name, name);
    f->bytes = bytes;
    f->next = frames;
    frames = f;
}

/* ---- machine code ---- */

static const char *symbol_name(const struct machine_code *e, const Elf64_Shdr *symbols, uint32_t i) {
    Elf64_Shdr strings;
    Elf64_Sym symbol;
    if ((uint64_t)i * sizeof symbol + sizeof symbol > symbols->sh_size ||
        !machine_code_section(e, symbols->sh_link, &strings))
        return NULL;
    memcpy(&symbol, e->bytes + symbols->sh_offset + i * sizeof symbol, sizeof symbol);
    return machine_code_string(e, &strings, symbol.st_name);
}

static void read_info(const struct machine_code *e, const Elf64_Shdr *info, const Elf64_Shdr *symbols, unsigned arch) {
    const unsigned char *p = e->bytes + info->sh_offset, *last = p + info->sh_size;
    while (last - p >= 4) {
        uint16_t size;
        uint32_t words[2];
        memcpy(&size, p + 2, sizeof size);
        bool sized = p[0] == FORMAT_SIZED;
        if (sized && size > last - p - 4)
            return;
        bool wanted = p[1] == REGISTER_COUNT || (p[1] == FRAME_SIZE && arch == ASKED_ARCH);
        if (sized && wanted && size >= sizeof words) {
            memcpy(words, p + 4, sizeof words);
            const char *name = symbol_name(e, symbols, words[0]);
            if (name && p[1] == FRAME_SIZE)
                add_frame(name, words[1]);
            else if (name)
                add(name, (struct kernel_registers){words[1], arch, true, -1, -1});
        }
        p += 4 + (sized ? size : 0);
    }
}

void resources_note_machine_code(const void *bytes, size_t size, unsigned arch) {
    struct machine_code e;
    Elf64_Shdr info, symbols;
    if (!machine_code_open(bytes, size, &e))
        return;
    pthread_mutex_lock(&lock);
    if (machine_code_find(&e, ".nv.info", &info) && machine_code_find(&e, ".symtab", &symbols))
        read_info(&e, &info, &symbols, arch);
    pthread_mutex_unlock(&lock);
}

/* ---- ptxas ---- */

void resources_note_ptx(const char *text, size_t length) {
    struct image *i = calloc(1, sizeof *i + length + 1);
    if (!i)
        return;
    memcpy(i->text, text, length);
    i->length = length;
    pthread_mutex_lock(&lock);
    i->next = images;
    images = i;
    pthread_mutex_unlock(&lock);
}

/* 'Compiling entry function 'k' for ...', then spills, then 'Used 12 registers'; of each function 'Function
 * properties for f', and in the next line its stack frame. */
static void read_verbose(FILE *said) {
    char line[1024], name[LONGEST_NAME] = "", function[LONGEST_NAME] = "";
    unsigned frame;
    struct kernel_registers r = {.arch = ASKED_ARCH, .spill_stores = -1, .spill_loads = -1};
    while (fgets(line, sizeof line, said)) {
        const char *entry = strstr(line, "Compiling entry function '"), *used = strstr(line, "Used ");
        const char *stack = strstr(line, " bytes stack frame, "),
                   *properties = strstr(line, "Function properties for ");
        if (properties)
            sscanf(properties, "Function properties for %799s", function);
        if (stack && sscanf(line, "%u", &frame) == 1)
            add_frame(function, frame);
        if (entry)
            sscanf(entry, "Compiling entry function '%799[^']", name);
        if (stack)
            sscanf(stack, " bytes stack frame, %ld bytes spill stores, %ld bytes spill loads", &r.spill_stores,
                   &r.spill_loads);
        if (used && *name && sscanf(used, "Used %u registers", &r.count) == 1) {
            add(name, r);
            *name = '\0';
        }
    }
}

/* The character after the block that begins with the next brace. Only braces count: PTX has some in pairs around
 * operands, too. */
static const char *behind_body(const char *p) {
    unsigned depth = 0;
    for (p += strcspn(p, "{"); *p; p++)
        if (*p == '{')
            depth++;
        else if (*p == '}' && --depth == 0)
            return p + 1;
    return p;
}

/* The line at p, if it begins a kernel with a body: its name, and how long that is. */
static const char *kernel_at(const char *p, size_t *length) {
    static const char *const before[] = {".visible ", ".weak ", ".extern "};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (strncmp(p, before[i], strlen(before[i])) == 0)
            p += strlen(before[i]);
    if (strncmp(p, ".entry ", 7) != 0)
        return NULL;
    p += 7;
    *length = strcspn(p, "( \t\n");
    const char *brace = p + strcspn(p, "{;");
    return *brace == '{' ? p : NULL;
}

/* The image without its other kernels: ptxas reads its whole input, which for one of CUB's hundred kernels takes longer
 * than compiling it. NULL where that is impossible: debug information of other kernels names their labels. */
static char *without_others(const struct image *i, const char *kernel) {
    char *text = strstr(i->text, ".debug_info") ? NULL : malloc(i->length + 1);
    if (!text)
        return NULL;
    char *end = text;
    for (const char *p = i->text, *next; *p; p = next) {
        size_t length;
        const char *name = kernel_at(p, &length);
        bool other = name && !(strlen(kernel) == length && strncmp(name, kernel, length) == 0);
        next = other ? behind_body(p) : p + strcspn(p, "\n");
        next += *next == '\n';
        if (!other)
            end = (char *)memcpy(end, p, (size_t)(next - p)) + (next - p);
    }
    *end = '\0';
    return text;
}

/* Of one kernel, or with NULL of all; in PTX no name has a quote. */
static void ask_about_text(const char *text, const char *kernel) {
    char options[PTXAS_OPTIONS];
    bool own = strstr(text, ".target sm_90a") != NULL; /* features that only that architecture has */
    snprintf(options, sizeof options, "-v -arch=sm_%d%s %s%s%s", ASKED_ARCH, own ? "a" : "", kernel ? "-e '" : "",
             kernel ? kernel : "", kernel ? "'" : "");
    ask_ptxas(options, text, strlen(text), read_verbose);
}

/* Of the newest architecture, and there from the program's machine code rather than from ptxas. */
static struct known *best(const char *kernel) {
    struct known *found = NULL;
    for (struct known *k = known; k; k = k->next)
        if (strcmp(k->name, kernel) == 0 && k->found.count && k->found.arch <= ASKED_ARCH &&
            (!found || k->found.arch > found->found.arch ||
             (k->found.arch == found->found.arch && k->found.from_program && !found->found.from_program)))
            found = k;
    return found;
}

/* Runs ptxas on the images that name this kernel or function, once each. */
static void ask_about(const char *name) {
    for (struct image *i = images; i; i = i->next)
        if (!i->asked && strstr(i->text, name)) {
            i->asked = true;
            ask_about_text(i->text, NULL);
        }
}

/* The number could not be determined, and it has no registers in the list. */
static bool asked_in_vain(const char *kernel) {
    for (const struct known *k = known; k; k = k->next)
        if (!k->found.count && strcmp(k->name, kernel) == 0)
            return true;
    return false;
}

/* A kernel that launches others needs their bodies, too. */
static void ask_about_one_of(const struct image *i, const char *kernel) {
    char *text = without_others(i, kernel);
    if (text)
        ask_about_text(text, kernel);
    free(text);
    if (!best(kernel))
        ask_about_text(i->text, kernel);
}

/* The same, but where ptxas was not run for all kernels of an image, it is run for this one only: there may be many
 * others. Once for each kernel. */
static void ask_about_one(const char *kernel) {
    if (asked_in_vain(kernel))
        return;
    for (struct image *i = images; i && !best(kernel); i = i->next)
        if (!i->asked && strlen(kernel) < LONGEST_NAME && strstr(i->text, kernel))
            ask_about_one_of(i, kernel);
    if (!best(kernel))
        add(kernel, (struct kernel_registers){0});
}

bool resources_registers_of_one(const char *kernel, struct kernel_registers *out) {
    pthread_mutex_lock(&lock);
    if (!best(kernel))
        ask_about_one(kernel);
    const struct known *found = best(kernel);
    if (found)
        *out = found->found;
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

/* ptxas reports 8 bytes too much for some: on an H200 such a call took 192, 80 and 592 bytes where it had reported 200,
 * 88 and 600, and 32 where it had reported 32. */
#define FRAME_UNIT 16

/* 0: not known. */
static unsigned least_frame(const char *function) {
    unsigned least = 0;
    for (const struct frame *f = frames; f; f = f->next)
        if (f->bytes && strcmp(f->name, function) == 0 && (!least || f->bytes < least))
            least = f->bytes;
    return least;
}

/* Machine code does not show how many of the bytes of a kernel's frame are spills. ptxas does, and its number is used
 * where it gives the same number of registers. */
static void find_spills(struct known *k) {
    if (!k->found.from_program || k->found.arch != ASKED_ARCH || k->found.spill_stores >= 0 || !least_frame(k->name))
        return;
    ask_about(k->name);
    for (const struct known *said = known; said; said = said->next)
        if (!said->found.from_program && said->found.count == k->found.count && strcmp(said->name, k->name) == 0) {
            k->found.spill_stores = said->found.spill_stores;
            k->found.spill_loads = said->found.spill_loads;
        }
}

bool resources_registers(const char *kernel, struct kernel_registers *out) {
    pthread_mutex_lock(&lock);
    if (!best(kernel))
        ask_about(kernel);
    struct known *found = best(kernel);
    if (found) {
        find_spills(found);
        *out = found->found;
    }
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

unsigned resources_frame(const char *function) {
    pthread_mutex_lock(&lock);
    unsigned least = least_frame(function);
    if (!least) { /* machine code has the frames of kernels, and those of the functions in it are 0 there */
        ask_about(function);
        least = least_frame(function);
    }
    pthread_mutex_unlock(&lock);
    return least / FRAME_UNIT * FRAME_UNIT;
}
