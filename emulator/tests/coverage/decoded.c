#include "decoded.h"

#include <stdio.h>
#include <string.h>

#include "decode/module.h"
#include "statement.h"

bool decoded(const char *candidate, char *error, size_t error_size) {
    static char text[16384], statement[4096];
    statement_write(candidate, statement, sizeof statement, NULL);
    int length = snprintf(text, sizeof text, "%s.visible .entry form%s%s\n%s\nret; }\n", statement_module,
                          statement_body, statement_addresses, statement);
    snprintf(error, error_size, "the module does not load");
    struct module *module = module_load(text, (size_t)length, "coverage", error, error_size);
    if (!module)
        return false;
    struct kernel *kernel = module_kernel(module, "form");
    bool good = kernel && kernel_prepare(kernel);
    if (!good)
        snprintf(error, error_size, "%s", kernel && kernel->error ? kernel->error : "it cannot be decoded");
    module_unload(module);
    return good;
}
