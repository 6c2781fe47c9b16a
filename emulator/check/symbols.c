/* Finds the variable at an address, and the element of it. */
#include "check/symbols.h"

#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "check/declarations.h"

#define NAME_SIZE 600

static bool holds(const struct ptx_variable *v, uint64_t offset) {
    return v->space == SPACE_SHARED && v->address != ~(uint64_t)0 && offset >= v->address &&
           (offset - v->address < v->size || (v->external && !v->size));
}

const struct ptx_variable *symbol_shared(const struct kernel *kernel, uint64_t offset) {
    for (const struct ptx_variable *v = kernel->ptx->variables; v; v = v->next)
        if (holds(v, offset) && v->size)
            return v;
    for (int dynamic = 0; dynamic < 2; dynamic++)
        for (const struct ptx_variable *v = kernel->ptx->module->variables; v; v = v->next)
            if (holds(v, offset) && (v->size == 0) == dynamic)
                return v;
    return NULL;
}

const struct ptx_variable *symbol_shared_before(const struct kernel *kernel, uint64_t offset) {
    const struct ptx_variable *lists[] = {kernel->ptx->variables, kernel->ptx->module->variables}, *found = NULL;
    for (int i = 0; i < 2 && !found; i++)
        for (const struct ptx_variable *v = lists[i]; v; v = v->next)
            if (v->space == SPACE_SHARED && v->size && v->address != ~(uint64_t)0 && v->address + v->size <= offset &&
                (!found || v->address > found->address))
                found = v;
    return found;
}

/* The variable's own name: what follows the last ::. */
static const char *own_name(const char *mangled, char *out, size_t size) {
    const char *name = demangle(mangled, out, size), *own = name;
    for (const char *p = name; (p = strstr(p, "::")); p += 2)
        own = p + 2;
    return own;
}

static void put_element(struct text *t, const char *name, uint64_t offset, uint64_t size, uint32_t bytes, bool pieces) {
    text_string(t, name);
    if (size && size <= bytes)
        return; /* no array */
    if (!pieces && offset % bytes == 0)
        text_format(t, "[%l]", offset / bytes);
    else
        text_format(t, " + %l bytes", offset);
}

/* How many dimensions the declaration has; 0 where that is not known. */
static unsigned dimensions_of(const char *file, const char *name, const struct ptx_variable *v,
                              uint64_t bounds[MAX_DIMENSIONS]) {
    char function[NAME_SIZE];
    bool local = strncmp(v->name, "_ZZ", 3) == 0; /* declared in a function */
    struct shared_array array = {name, local ? demangle_function(v->name, function, sizeof function) : NULL, v->size};
    return v->size ? source_dimensions(file, &array, bounds) : 0;
}

uint64_t symbol_row_bytes(const struct kernel *kernel, const struct ptx_variable *v) {
    char name[NAME_SIZE];
    uint64_t bounds[MAX_DIMENSIONS], rows = 1;
    unsigned n = dimensions_of(arguments_file(kernel), own_name(v->name, name, sizeof name), v, bounds);
    for (unsigned i = 0; i + 1 < n; i++)
        rows *= bounds[i];
    return n < 2 || !rows ? 0 : v->size / rows;
}

/* With as many indices as the declaration has; false where that is not known. */
static bool put_indices(struct text *t, const char *file, const char *name, const struct ptx_variable *v,
                        uint64_t offset) {
    uint64_t bounds[MAX_DIMENSIONS], elements = 1;
    unsigned n = dimensions_of(file, name, v, bounds);
    for (unsigned i = 0; i < n; i++)
        elements *= bounds[i];
    if (n < 2 || offset % (v->size / elements))
        return false;
    uint64_t index = offset / (v->size / elements);
    text_string(t, name);
    for (unsigned i = 0; i < n; i++) {
        elements /= bounds[i];
        text_format(t, "[%l]", index / elements % bounds[i]);
    }
    return true;
}

void symbol_put_shared(struct text *t, const struct kernel *kernel, const char *file, uint64_t offset, uint32_t bytes,
                       bool pieces) {
    char buffer[NAME_SIZE];
    const struct ptx_variable *v = symbol_shared(kernel, offset);
    const char *name = v ? own_name(v->name, buffer, sizeof buffer) : NULL;
    if (!v)
        text_format(t, "byte %l of shared memory", offset);
    else if (!put_indices(t, file, name, v, offset - v->address))
        put_element(t, name, offset - v->address, v->size, bytes, pieces);
}

void symbol_copy_name(const char *mangled, char *out, size_t size) {
    char name[NAME_SIZE];
    snprintf(out, size, "%s", own_name(mangled, name, sizeof name));
}

void symbol_put_variable(struct text *t, const struct ptx_variable *v) {
    char name[NAME_SIZE];
    text_string(t, own_name(v->name, name, sizeof name));
}

/* "x[5] (argument 2, 400 bytes)" */
static void put_of_argument(struct text *t, const struct pointer_argument *arg, const struct allocation *a,
                            uint64_t address, uint32_t bytes) {
    uint64_t offset = address - arg->value;
    if (arg->element && offset % arg->element == 0)
        bytes = arg->element;
    if (arg->name[0]) {
        put_element(t, arg->name, offset, 0, bytes, false);
        text_format(t, " (argument %u, %g bytes)", arg->number, a->size);
    } else if (offset % bytes == 0) {
        text_format(t, "element %l of argument %u (%g bytes)", offset / bytes, arg->number, a->size);
    } else {
        text_format(t, "byte %l of argument %u (%g bytes)", offset, arg->number, a->size);
    }
}

void symbol_put_global(struct text *t, const struct allocation *a, uint64_t address, uint32_t bytes,
                       const struct pointer_argument *arg) {
    char name[NAME_SIZE];
    if (a && a->name)
        put_element(t, own_name(a->name, name, sizeof name), address - a->base, a->size, bytes, false);
    else if (a && arg->number && arg->value <= address)
        put_of_argument(t, arg, a, address, bytes);
    else if (a && (address - a->base) % bytes == 0)
        text_format(t, "element %l of the %g bytes at %x", (address - a->base) / bytes, a->size, a->base);
    else
        text_format(t, "%x", address);
}
