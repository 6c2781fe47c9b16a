#include "fatbin/containers.h"

#include <ar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "fatbin/bundle.h"
#include "fatbin/bundle_layout.h"
#include "fatbin/machine_code.h"

#define EM_OF_CUDA 190

struct visitor {
    containers_visit visit;
    void *argument;
    char *why;
    size_t why_size;
};

static bool is_elf(const void *data, size_t size, bool cuda) {
    struct machine_code m;
    return machine_code_open(data, size, &m) && (m.header.e_machine == EM_OF_CUDA) == cuda;
}

enum container containers_kind(const void *data, size_t size) {
    if (size >= BUNDLE_MAGIC_BYTES && bundle_is(data))
        return CONTAINER_BUNDLE;
    if (fatbin_size(data, size))
        return CONTAINER_FATBIN;
    if (is_elf(data, size, true))
        return CONTAINER_MACHINE_CODE;
    if (is_elf(data, size, false))
        return CONTAINER_OBJECT;
    if (size >= SARMAG && memcmp(data, ARMAG, SARMAG) == 0)
        return CONTAINER_LIBRARY;
    return memmem(data, strnlen(data, size), ".version", 8) ? CONTAINER_PTX : CONTAINER_NONE;
}

static enum fatbin_result say(const struct visitor *v, enum fatbin_result result, const char *why) {
    snprintf(v->why, v->why_size, "%s", why);
    return result;
}

static enum fatbin_result visit_images(const struct visitor *v, struct fatbin_images *images) {
    for (size_t i = 0; i < images->count; i++)
        v->visit(&images->items[i], v->argument);
    fatbin_images_free(images);
    return FATBIN_OK;
}

static enum fatbin_result visit_text(const struct visitor *v, const char *data, size_t size) {
    struct fatbin_images images;
    fatbin_text_images(data, strnlen(data, size), setting_capability(), &images);
    return visit_images(v, &images);
}

static enum fatbin_result visit_bundle(const struct visitor *v, const void *data, size_t size) {
    struct fatbin_images images;
    if (!bundle_images(data, size, setting_capability(), &images))
        return say(v, FATBIN_BROKEN, "The data is damaged");
    return visit_images(v, &images);
}

static enum fatbin_result visit_fatbin(const struct visitor *v, const void *data, size_t size) {
    struct fatbin_image image;
    enum fatbin_result result = fatbin_unpack(data, size, "the device code", &image, v->why, v->why_size);
    if (result == FATBIN_OK) {
        v->visit(&image, v->argument);
        free(image.text);
    }
    return result;
}

static enum fatbin_result visit_machine_code(const struct visitor *v, const void *data, size_t size) {
    struct machine_code m;
    char *text = machine_code_open(data, size, &m) ? machine_code_ptx(&m) : NULL;
    if (!text)
        return say(v, FATBIN_NO_IMAGE,
                   "This is machine code only, and the emulator links PTX: compile with -lineinfo, which includes the "
                   "PTX with the machine code, or link PTX");
    v->visit(&(struct fatbin_image){text, strlen(text), setting_capability()}, v->argument);
    free(text);
    return FATBIN_OK;
}

/* The fat binaries of a section follow one another, with zeros between them. */
static enum fatbin_result visit_section(const struct visitor *v, const char *data, size_t size) {
    enum fatbin_result result = say(v, FATBIN_NO_IMAGE, "There is no device code in it");
    for (size_t at = 0; at < size;) {
        size_t bytes = fatbin_size(data + at, size - at);
        enum fatbin_result one = bytes ? visit_fatbin(v, data + at, bytes) : FATBIN_NO_IMAGE;
        if (one == FATBIN_BROKEN)
            return one;
        result = one == FATBIN_OK ? one : result;
        at += bytes ? (bytes + 7) / 8 * 8 : 8;
    }
    return result;
}

/* The second section is that of -rdc=true. */
static enum fatbin_result visit_object(const struct visitor *v, const void *data, size_t size) {
    struct machine_code m;
    Elf64_Shdr s;
    if (!machine_code_open(data, size, &m) ||
        (!machine_code_find(&m, ".nv_fatbin", &s) && !machine_code_find(&m, "__nv_relfatbin", &s)))
        return say(v, FATBIN_NO_IMAGE, "There is no device code in it");
    return visit_section(v, (const char *)data + s.sh_offset, s.sh_size);
}

static enum fatbin_result visit(const struct visitor *v, const void *data, size_t size);

static enum fatbin_result visit_library(const struct visitor *v, const char *data, size_t size) {
    struct ar_hdr h;
    for (size_t at = SARMAG; at < size && size - at >= sizeof h;) {
        memcpy(&h, data + at, sizeof h);
        at += sizeof h;
        size_t bytes = strtoul(h.ar_size, NULL, 10);
        if (memcmp(h.ar_fmag, ARFMAG, sizeof h.ar_fmag) != 0 || bytes > size - at)
            return say(v, FATBIN_BROKEN, "The library is damaged");
        if (visit(v, data + at, bytes) == FATBIN_BROKEN && containers_kind(data + at, bytes) != CONTAINER_NONE)
            return FATBIN_BROKEN;
        at += (bytes + 1) / 2 * 2;
    }
    return FATBIN_OK;
}

static enum fatbin_result visit(const struct visitor *v, const void *data, size_t size) {
    switch (containers_kind(data, size)) {
    case CONTAINER_BUNDLE:
        return visit_bundle(v, data, size);
    case CONTAINER_FATBIN:
        return visit_fatbin(v, data, size);
    case CONTAINER_MACHINE_CODE:
        return visit_machine_code(v, data, size);
    case CONTAINER_OBJECT:
        return visit_object(v, data, size);
    case CONTAINER_LIBRARY:
        return visit_library(v, data, size);
    case CONTAINER_PTX:
        return visit_text(v, data, size);
    default:
        return say(v, FATBIN_BROKEN, "The emulator links PTX, and this is not PTX");
    }
}

enum fatbin_result containers_each(const void *data, size_t size, containers_visit function, void *argument, char *why,
                                   size_t why_size) {
    return visit(&(struct visitor){function, argument, why, why_size}, data, size);
}
