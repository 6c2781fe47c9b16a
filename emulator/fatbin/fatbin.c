/* The layout of a fat binary, as nvcc 12 and 13 write it (all little-endian):
 *
 *   header: u32 magic, u16 version, u16 header bytes, u64 bytes of all entries
 *   entry:  +0x00 u16 kind (1 PTX, 2 machine code)   +0x04 u32 header bytes      +0x08 u64 payload bytes
 *           +0x10 u32 compressed bytes               +0x1c u32 architecture      +0x28 u64 flags
 *           +0x38 u64 bytes when unpacked            then the payload
 *
 * Every number is checked against the available bytes before it is used: an executable may be damaged. */
#include "fatbin/fatbin.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "base/settings.h"
#include "fatbin/decompress.h"
#include "fatbin/place.h"

#define HEADER_BYTES    16
#define ENTRY_BYTES     0x40
#define KIND_PTX        1
#define KIND_SASS       2
#define FLAG_LZ4        0x2000u
#define FLAG_ZSTD       0x8000u
#define FLAG_EXACT_ARCH 0x100000u           /* the `a` of sm_90a: runs on that architecture only */
#define FLAG_FAMILY     0x200000u           /* the `f` of sm_100f: and on later ones of the same major version */
#define MAX_PTX         ((uint64_t)1 << 30) /* a larger size is damage */
#define MAX_SASS_LISTED 8

struct entry {
    unsigned kind, arch;
    uint64_t flags, compressed, unpacked;
    const uint8_t *payload;
    uint64_t payload_bytes;
};

static uint64_t read_bytes(const uint8_t *p, unsigned count) {
    uint64_t value = 0;
    memcpy(&value, p, count); /* unaligned on purpose; little-endian like every machine CUDA runs on */
    return value;
}

size_t fatbin_size(const void *data, size_t available) {
    const uint8_t *p = data;
    uint64_t header = available >= HEADER_BYTES ? read_bytes(p + 6, 2) : 0;
    if (header < HEADER_BYTES || header > available || read_bytes(p, 4) != FATBIN_MAGIC)
        return 0;
    uint64_t body = read_bytes(p + 8, 8);
    return body <= available - header ? (size_t)(header + body) : 0;
}

/* Reads the entry at *offset of a body of `size` bytes and advances *offset past it. */
static bool next_entry(const uint8_t *body, uint64_t size, uint64_t *offset, struct entry *e) {
    uint64_t left = size - *offset;
    if (left < ENTRY_BYTES)
        return false;
    const uint8_t *p = body + *offset;
    uint64_t header = read_bytes(p + 0x04, 4);
    e->payload_bytes = read_bytes(p + 0x08, 8);
    if (header < ENTRY_BYTES || header > left || e->payload_bytes > left - header)
        return false;
    e->kind = (unsigned)read_bytes(p, 2);
    e->arch = (unsigned)read_bytes(p + 0x1c, 4);
    e->flags = read_bytes(p + 0x28, 8);
    e->compressed = read_bytes(p + 0x10, 4);
    e->unpacked = read_bytes(p + 0x38, 8);
    e->payload = p + header;
    *offset += header + e->payload_bytes;
    return true;
}

/* 0 for code that the device's compute capability cannot run, otherwise larger is better. */
static unsigned preference(const struct entry *e) {
    bool exact = e->flags & FLAG_EXACT_ARCH, family = e->flags & FLAG_FAMILY;
    unsigned device = setting_capability();
    if (e->arch > device || (exact && e->arch != device) || (family && e->arch / 10 != device / 10))
        return 0;
    return e->arch * 4 + (exact ? 2 : family);
}

static bool plausible(const struct entry *e) {
    if (e->compressed > e->payload_bytes)
        return false;
    if (e->flags & FLAG_ZSTD)
        return decompress_zstd_plausible(e->payload, (size_t)e->compressed, (size_t)e->unpacked);
    return decompress_lz4_plausible((size_t)e->compressed, (size_t)e->unpacked);
}

static enum fatbin_result unpack_entry(const struct entry *e, struct fatbin_image *image, char *error, size_t size) {
    bool packed = e->flags & (FLAG_ZSTD | FLAG_LZ4);
    uint64_t bytes = packed ? e->unpacked : e->payload_bytes;
    if (bytes > MAX_PTX || (packed && !plausible(e))) {
        snprintf(error, size, "the PTX is damaged: its sizes contradict each other");
        return FATBIN_BROKEN;
    }
    char *text = or_out_of_memory(malloc((size_t)bytes + 1));
    bool good = true;
    if (e->flags & FLAG_ZSTD)
        good = decompress_zstd(e->payload, (size_t)e->compressed, text, (size_t)bytes, error, size);
    else if (e->flags & FLAG_LZ4)
        good = decompress_lz4(e->payload, (size_t)e->compressed, text, (size_t)bytes, error, size);
    else
        memcpy(text, e->payload, (size_t)bytes);
    if (!good) {
        free(text);
        return FATBIN_BROKEN;
    }
    while (bytes && text[bytes - 1] == '\0') /* padding */
        bytes--;
    text[bytes] = '\0';
    *image = (struct fatbin_image){.text = text, .length = (size_t)bytes, .arch = e->arch};
    return FATBIN_OK;
}

static const char *letter_of(const struct entry *e) {
    return e->flags & FLAG_EXACT_ARCH ? "a" : e->flags & FLAG_FAMILY ? "f" : "";
}

/* Reports what was found instead of usable PTX, and how to compile. */
static void explain_no_image(const unsigned *sass, unsigned sass_count, const struct entry *ptx, const char *place,
                             char *error, size_t size) {
    char found[128] = "";
    const char *advice = place_advice(place);
    for (unsigned i = 0; i < sass_count; i++) {
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%ssm_%u", i ? ", " : "", sass[i]);
    }
    unsigned device = setting_capability();
    if (ptx->kind)
        snprintf(error, size,
                 "%s's PTX is for compute_%u%s, and the emulator has compute capability %u.%u: compile "
                 "with -arch=sm_%u (or lower)",
                 place, ptx->arch, letter_of(ptx), device / 10, device % 10, device);
    else if (advice)
        snprintf(error, size, "%s contains machine code%s%s%s but no PTX, and the emulator executes PTX. %s", place,
                 *found ? " (" : "", found, *found ? ")" : "", advice);
    else
        snprintf(error, size,
                 "%s contains machine code%s%s%s but no PTX, and the emulator executes PTX: compile with -arch=sm_%u, "
                 "or add -gencode arch=compute_%u,code=compute_%u",
                 place, *found ? " (" : "", found, *found ? ")" : "", device, device, device);
}

enum fatbin_result fatbin_unpack(const void *data, size_t available, const char *place, struct fatbin_image *image,
                                 char *error, size_t error_size) {
    const uint8_t *p = data;
    if (!fatbin_size(data, available)) {
        snprintf(error, error_size, "%s's device code is damaged, or its format is not supported", place);
        return FATBIN_BROKEN;
    }
    uint64_t header = read_bytes(p + 6, 2), size = read_bytes(p + 8, 8), offset = 0;
    const uint8_t *body = p + header;
    struct entry e, best = {0}, other = {0};
    unsigned sass[MAX_SASS_LISTED], sass_count = 0;
    while (offset < size) {
        if (!next_entry(body, size, &offset, &e)) {
            snprintf(error, error_size, "%s's device code is damaged at byte %llu", place,
                     (unsigned long long)(header + offset));
            return FATBIN_BROKEN;
        }
        if (e.kind == KIND_SASS && sass_count < MAX_SASS_LISTED)
            sass[sass_count++] = e.arch;
        if (e.kind != KIND_PTX)
            continue;
        if (preference(&e) > (best.kind ? preference(&best) : 0))
            best = e;
        else if (!preference(&e) && (!other.kind || e.arch < other.arch))
            other = e;
    }
    if (!best.kind) {
        explain_no_image(sass, sass_count, &other, place, error, error_size);
        return FATBIN_NO_IMAGE;
    }
    return unpack_entry(&best, image, error, error_size);
}

void fatbin_each_machine_code(const void *data, size_t available, fatbin_visit visit) {
    const uint8_t *p = data;
    if (!fatbin_size(data, available))
        return;
    uint64_t header = read_bytes(p + 6, 2), size = read_bytes(p + 8, 8), offset = 0;
    struct entry e;
    char ignored[128];
    while (offset < size && next_entry(p + header, size, &offset, &e)) {
        struct fatbin_image image;
        if (e.kind != KIND_SASS || unpack_entry(&e, &image, ignored, sizeof ignored) != FATBIN_OK)
            continue;
        visit(image.text, image.length, e.arch);
        free(image.text);
    }
}

struct segment_search {
    uintptr_t address;
    size_t bytes;
};

static int search_segments(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size;
    struct segment_search *s = argument;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + h->p_vaddr;
        if (h->p_type == PT_LOAD && s->address >= start && s->address - start < h->p_memsz) {
            s->bytes = h->p_memsz - (s->address - start);
            return 1;
        }
    }
    return 0;
}

size_t fatbin_mapped_bytes(const void *address) {
    struct segment_search s = {.address = (uintptr_t)address};
    dl_iterate_phdr(search_segments, &s);
    return s.bytes;
}
