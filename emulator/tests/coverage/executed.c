#include "executed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/grid.h"
#include "decode/module.h"
#include "memory/memory.h"

static struct allocation *input, *output;

static void open_memory(void) {
    input = memory_allocate(TRIAL_INPUT_BYTES, 0, MEMORY_DEVICE, 0, NULL);
    output = memory_allocate(TRIAL_OUTPUT_BYTES, 0, MEMORY_DEVICE, 0, NULL);
    if (!input || !output)
        abort();
    trial_fill_input(input->host);
}

bool executed(struct trial *trial, const uint8_t **found, char *error, size_t error_size) {
    static char text[TRIAL_TEXT];
    struct trial_parameters parameters = {.texture = 0};
    if (!input)
        open_memory();
    size_t length = trial_write_header(text, sizeof text);
    length += trial_write(trial, "f", text + length, sizeof text - length);
    struct module *module = module_load(text, length, "coverage", error, error_size);
    struct kernel *kernel = module ? module_kernel(module, "f") : NULL;
    if (!kernel)
        return false;
    bool good = kernel_prepare(kernel);
    if (good) {
        trial_fill_parameter(parameters.pin);
        parameters.input = input->base;
        parameters.output = output->base;
        memset(output->host, 0, TRIAL_OUTPUT_BYTES);
        struct launch_config config = {
            .grid = {1, 1, 1}, .block = {trial->threads, 1, 1}, .clusters = true, .params = &parameters};
        int result = grid_run(kernel, &config);
        if (result)
            snprintf(error, error_size, "the launch failed with error %d", result);
        good = !result;
    } else {
        snprintf(error, error_size, "%s", kernel->error ? kernel->error : "it cannot be decoded");
    }
    module_unload(module);
    *found = output->host;
    return good;
}
