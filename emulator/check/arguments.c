/* Looks through a launch's arguments for pointers into an allocation, and finds their names in the source. */
#include "check/arguments.h"

#include <stdio.h>
#include <string.h>

#include "check/declarations.h"
#include "base/demangle.h"

const char *arguments_file(const struct kernel *k) {
    for (uint32_t i = 0; i < k->code.count; i++) {
        struct source_position p = insn_position(k, &k->code.insns[i]);
        if (p.line && !p.inlined_at && !p.function)
            return p.file;
    }
    return NULL;
}

static void find_name(const struct kernel *k, struct pointer_argument *arg) {
    char function[600];
    struct source_parameter parameter;
    demangle_function(k->name, function, sizeof function);
    if (!source_parameter(arguments_file(k), function, arg->number, k->param_count, &parameter))
        return;
    snprintf(arg->name, sizeof arg->name, "%s", parameter.name);
    arg->element = (uint32_t)parameter.element;
}

struct pointer_argument argument_number(const struct launch *launch, unsigned number) {
    struct pointer_argument arg = {0};
    const struct kernel *k = launch->kernel;
    if (!number || number > k->param_count || !launch->params || k->params[number - 1].size != sizeof arg.value)
        return arg;
    arg.number = number;
    memcpy(&arg.value, launch->params + k->params[number - 1].offset, sizeof arg.value);
    find_name(k, &arg);
    return arg;
}

uint64_t arguments_that_lead(const struct launch *launch) {
    uint64_t found = 0;
    for (uint32_t i = 0; launch->params && i < launch->kernel->param_count && i < 64; i++) {
        uint64_t value;
        if (launch->kernel->params[i].size != sizeof value)
            continue;
        memcpy(&value, launch->params + launch->kernel->params[i].offset, sizeof value);
        const struct allocation *a = memory_find(value);
        found |= (uint64_t)(a && memory_is_live(a)) << i;
    }
    return found;
}

/* The last one before the address, or else the first one after it. */
static bool is_nearer(uint64_t value, uint64_t other, uint64_t address) {
    if (value <= address)
        return other > address || value >= other;
    return other > address && value <= other;
}

struct pointer_argument argument_of(const struct launch *launch, const struct allocation *a, uint64_t address) {
    struct pointer_argument arg = {0};
    const struct kernel *k = launch ? launch->kernel : NULL;
    bool twice = false;
    for (uint32_t i = 0; a && k && launch->params && i < k->param_count; i++) {
        uint64_t value;
        if (k->params[i].size != sizeof value)
            continue;
        memcpy(&value, launch->params + k->params[i].offset, sizeof value);
        if (value - a->base >= a->size || (arg.number && !is_nearer(value, arg.value, address)))
            continue;
        twice = arg.number && value == arg.value;
        arg.number = i + 1;
        arg.value = value;
    }
    if (twice)
        return (struct pointer_argument){0};
    if (arg.number)
        find_name(k, &arg);
    return arg;
}
