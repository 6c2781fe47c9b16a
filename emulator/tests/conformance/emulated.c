/* Runs tests on the emulator: see emulated.h. */
#include "emulated.h"
#include "machine/grid.h"
#include "decode/module.h"
#include "memory/memory.h"
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

static struct allocation *device_inputs, *device_outputs;

bool emulated_open(void) {
    device_inputs = memory_allocate(CASES * INPUT_SLOTS * 8, 0, MEMORY_DEVICE, 0, NULL);
    device_outputs = memory_allocate(CASES * OUTPUT_SLOTS * 8, 0, MEMORY_DEVICE, 0, NULL);
    return device_inputs && device_outputs;
}

struct module *emulated_load(const struct plan *plans, size_t count, char *error, size_t size) {
    size_t room = 4096 * (count + 1), used;
    char *text = malloc(room), name[32];
    if (!text)
        abort();
    used = (size_t)snprintf(text, room, "%s", plan_module_header);
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "f%zu", i);
        used += plan_kernel(&plans[i], name, text + used, room - used);
    }
    struct module *module = module_load(text, used, "conformance", error, size);
    free(text);
    return module;
}

bool emulated_run(const struct plan *plan, struct module *module, size_t i, const uint64_t *inputs, uint64_t *outputs,
                  char *error, size_t size) {
    static uint8_t packed[CASES * OUTPUT_SLOTS * 8];
    char name[32];
    snprintf(name, sizeof name, "f%zu", i);
    struct kernel *kernel = module_kernel(module, name);
    if (!kernel || !kernel_prepare(kernel)) {
        snprintf(error, size, "%s", kernel && kernel->error ? kernel->error : "cannot be decoded");
        return false;
    }
    memcpy(device_inputs->host, inputs, CASES * INPUT_SLOTS * 8);
    memset(device_outputs->host, 0xcd, CASES * OUTPUT_SLOTS * 8);
    uint64_t params[] = {device_inputs->base, device_outputs->base};
    struct launch_config config = {
        .grid = {CASES / BLOCK_THREADS, 1, 1}, .block = {BLOCK_THREADS, 1, 1}, .params = params};
    int result = grid_run(kernel, &config);
    if (result) {
        snprintf(error, size, "the launch failed with error %d", result);
        return false;
    }
    memcpy(outputs, device_outputs->host, CASES * OUTPUT_SLOTS * 8);
    vector_pack(plan, outputs, packed); /* keep only the bits that the operands have */
    vector_unpack(plan, packed, outputs);
    return true;
}
