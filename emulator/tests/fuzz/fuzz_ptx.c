/* Fuzzes the PTX parser, the linker, the loader and the decoder: whatever the text, a module loads or does not, a kernel can
 * run or cannot, and what cannot says why. A form feed in the text separates images that are linked together. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/module.h"
#include "tier/translate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right, const char *what) {
    if (!right) {
        fprintf(stderr, "fuzz_ptx: %s\n", what);
        abort();
    }
}

static void prepare(struct kernel *k) {
    if (kernel_prepare(k)) {
        must(k->code.count && k->code.insns, "a kernel without code can run");
        free(tier_translate(k, false));
        free(tier_translate(k, true));
        for (uint32_t i = 0; i < k->code.count; i++)
            insn_position(k, &k->code.insns[i]);
    } else {
        must(k->error && k->error[0], "a kernel cannot run and does not say why");
    }
}

#define MOST_IMAGES 8

/* Each image in memory of its own, so that ASan sees its end. */
static size_t split(const char *data, size_t size, struct module_text *images) {
    size_t count = 0;
    for (size_t begin = 0; begin <= size && count < MOST_IMAGES; count++) {
        const char *end = memchr(data + begin, '\f', size - begin);
        size_t length = end ? (size_t)(end - (data + begin)) : size - begin;
        char *copy = malloc(length ? length : 1);
        if (!copy)
            abort();
        memcpy(copy, data + begin, length);
        images[count] = (struct module_text){copy, length};
        begin += length + 1;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char error[256] = "";
    struct module_text images[MOST_IMAGES];
    size_t image_count = size ? split((const char *)data, size, images) : 0;
    struct module *m = image_count ? module_link(images, image_count, "fuzz", error, sizeof error) : NULL;
    for (size_t i = 0; i < image_count; i++)
        free((char *)images[i].text);
    if (!image_count)
        return 0;
    if (!m) {
        must(error[0], "a module does not load and does not say why");
        return 0;
    }
    size_t count;
    struct kernel *kernels = module_kernels(m, &count);
    for (size_t i = 0; i < count; i++)
        prepare(&kernels[i]);
    module_unload(m);
    return 0;
}
