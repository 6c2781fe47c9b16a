/* Checks the sizes in a kernel's PTX against what every GPU has. */
#include "decode/static_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

#define PARAMETERS_OLDER 0x1100 /* before PTX 8.1 and sm_70 */

static bool refuse(char *error, size_t size, const char *what, uint64_t bytes, unsigned most) {
    snprintf(error, size, LIMITS_WORDS "%s (0x%llx bytes, 0x%x max)", what, (unsigned long long)bytes, most);
    return false;
}

uint64_t limits_constant_bytes(const struct ptx_module *first) {
    uint64_t bytes = 0;
    for (const struct ptx_module *m = first; m; m = m->next)
        for (const struct ptx_variable *v = m->variables; v; v = v->next) {
            if (v->space != SPACE_CONST || v->definition != v)
                continue;
            uint32_t align = v->align ? v->align : 1;
            bytes = (bytes + align - 1) / align * align + v->size;
        }
    return bytes;
}

bool limits_constants(const struct ptx_module *first, char *error, size_t size) {
    uint64_t bytes = limits_constant_bytes(first);
    return bytes <= LIMIT_CONSTANT ||
           refuse(error, size, "File uses too much global constant data", bytes, LIMIT_CONSTANT);
}

unsigned limits_target_arch(const struct ptx_module *m) {
    return m->target && strncmp(m->target, "sm_", 3) == 0 ? (unsigned)atoi(m->target + 3) : 0;
}

bool limits_targets(const struct ptx_module *first, unsigned capability, char *error, size_t size) {
    for (const struct ptx_module *m = first; m; m = m->next)
        if (limits_target_arch(m) > capability) {
            snprintf(error, size, "the PTX is for %s, and the device has compute capability %u.%u", m->target,
                     capability / 10, capability % 10);
            return false;
        }
    return true;
}

static unsigned most_parameters(const struct ptx_module *m) {
    unsigned arch = limits_target_arch(m);
    bool newer = m->version_major > 8 || (m->version_major == 8 && m->version_minor >= 1);
    return newer && arch >= 70 ? LIMIT_PARAM_BYTES : PARAMETERS_OLDER;
}

bool limits_kernel(struct kernel *k, struct ptx_module *first, char *error, size_t size) {
    char what[900];
    unsigned most = most_parameters(k->ptx->module ? k->ptx->module : first);
    uint64_t shared = kernel_shared_bytes(k, first);
    snprintf(what, sizeof what, "Entry function '%s' uses too much parameter space", k->name);
    if (k->param_bytes > most)
        return refuse(error, size, what, k->param_bytes, most);
    snprintf(what, sizeof what, "Entry function '%s' uses too much shared data", k->name);
    return shared <= LIMIT_SHARED_BLOCK || refuse(error, size, what, shared, LIMIT_SHARED_BLOCK);
}
