/* Fuzzes the PTX parser, the loader and the decoder: whatever the text, a module loads or does not, a kernel can run or
 * cannot, and what cannot says why. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/module.h"

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
        for (uint32_t i = 0; i < k->code.count; i++)
            insn_position(k, &k->code.insns[i]);
    } else {
        must(k->error && k->error[0], "a kernel cannot run and does not say why");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char error[256] = "";
    struct module *m = module_load((const char *)data, size, "fuzz", error, sizeof error);
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
