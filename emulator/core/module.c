/* Loads a PTX image: memory for its variables, addresses for its symbols, kernels by name. */
#include "core/module.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/function.h"
#include "memory/memory.h"
#include "ptx/arena.h"

struct module {
    struct ptx_module *ptx;
    struct kernel *kernels;
    size_t kernel_count;
    const char *origin;
    pthread_mutex_t lock; /* held while a kernel is decoded */
};

static uint64_t symbol_address(const struct module *m, const struct ptx_variable *v,
                               const struct ptx_initializer_address *a) {
    for (const struct ptx_variable *other = m->ptx->variables; other; other = other->next)
        if (other->name == a->symbol)
            return other->address + (uint64_t)a->addend;
    uint64_t number = 0;
    for (const struct ptx_function *f = m->ptx->functions; f; f = f->next, number++)
        if (f->name == a->symbol && !f->external)
            return CODE_WINDOW + 16 * number;
    (void)v;
    return 0;
}

static void write_initial(struct module *m, struct ptx_variable *v, uint8_t *host) {
    if (v->data)
        memcpy(host, v->data, v->size);
    else
        memset(host, 0, v->size);
    for (const struct ptx_initializer_address *a = v->addresses; a; a = a->next) {
        uint64_t address = symbol_address(m, v, a);
        if (a->mask_shift != ~0u) {
            if (a->offset < v->size)
                host[a->offset] = (uint8_t)(address >> a->mask_shift);
        } else if (a->offset + 8 <= v->size) {
            memcpy(host + a->offset, &address, sizeof address);
        }
    }
}

static bool is_memory(const struct ptx_variable *v) {
    return v->space == SPACE_GLOBAL || v->space == SPACE_CONST;
}

static enum memory_kind kind_of(const struct ptx_variable *v) {
    return v->space == SPACE_CONST ? MEMORY_CONSTANT : v->managed ? MEMORY_MANAGED : MEMORY_VARIABLE;
}

static bool place_variables(struct module *m, int device, char *error, size_t size) {
    for (struct ptx_variable *v = m->ptx->variables; v; v = v->next) {
        if (!is_memory(v))
            continue;
        if (v->external) {
            snprintf(error, size, "variable '%s' is defined in another file: link with -rdc=true is not supported",
                     v->name);
            return false;
        }
        struct allocation *a = memory_allocate(v->size, v->align, kind_of(v), device, v->name);
        if (!a) {
            snprintf(error, size, "no memory for variable '%s' of %llu bytes", v->name, (unsigned long long)v->size);
            return false;
        }
        a->read_only = v->space == SPACE_CONST;
        v->address = a->base;
    }
    for (struct ptx_variable *v = m->ptx->variables; v; v = v->next)
        if (is_memory(v))
            write_initial(m, v, memory_find(v->address)->host);
    return true;
}

static void describe_params(struct module *m, struct kernel *k) {
    uint32_t n = 0, offset = 0;
    for (const struct ptx_variable *v = k->ptx->params; v; v = v->next)
        n++;
    k->params = arena_alloc(m->ptx->arena, (n + 1) * sizeof *k->params);
    for (const struct ptx_variable *v = k->ptx->params; v; v = v->next) {
        uint32_t align = v->align ? v->align : 1;
        offset = (offset + align - 1) / align * align;
        k->params[k->param_count++] = (struct kernel_param){offset, (uint32_t)v->size, align};
        offset += (uint32_t)v->size;
    }
    k->param_bytes = offset;
}

static void describe_kernels(struct module *m) {
    for (struct ptx_function *f = m->ptx->functions; f; f = f->next)
        m->kernel_count += f->entry && !f->external;
    m->kernels = arena_alloc(m->ptx->arena, (m->kernel_count + 1) * sizeof *m->kernels);
    struct kernel *k = m->kernels;
    for (struct ptx_function *f = m->ptx->functions; f; f = f->next) {
        if (!f->entry || f->external)
            continue;
        k->name = f->name;
        k->module = m;
        k->ptx = f;
        const uint32_t *limit = f->reqntid[0] ? f->reqntid : f->maxntid;
        k->max_threads = limit[0] ? limit[0] * (limit[1] ? limit[1] : 1) * (limit[2] ? limit[2] : 1) : 1024;
        k->max_threads = k->max_threads > 1024 ? 1024 : k->max_threads;
        describe_params(m, k++);
    }
}

struct module *module_load(const char *text, size_t length, const char *origin, char *error, size_t size) {
    struct ptx_module *ptx = ptx_parse(text, length, error, size);
    if (!ptx)
        return NULL;
    struct module *m = calloc(1, sizeof *m);
    if (!m)
        abort();
    m->ptx = ptx;
    m->origin = arena_intern(ptx->arena, origin, strlen(origin));
    pthread_mutex_init(&m->lock, NULL);
    if (!place_variables(m, 0, error, size)) {
        module_unload(m);
        return NULL;
    }
    describe_kernels(m);
    return m;
}

void module_unload(struct module *m) {
    if (!m)
        return;
    for (struct ptx_variable *v = m->ptx->variables; v; v = v->next)
        if (is_memory(v) && v->address)
            memory_free(v->address);
    pthread_mutex_destroy(&m->lock);
    ptx_free(m->ptx);
    free(m);
}

struct kernel *module_kernel(struct module *m, const char *name) {
    for (size_t i = 0; i < m->kernel_count; i++)
        if (strcmp(m->kernels[i].name, name) == 0)
            return &m->kernels[i];
    return NULL;
}

struct kernel *module_kernels(struct module *m, size_t *count) {
    *count = m->kernel_count;
    return m->kernels;
}

bool module_variable(struct module *m, const char *name, uint64_t *address, size_t *bytes) {
    for (const struct ptx_variable *v = m->ptx->variables; v; v = v->next)
        if (is_memory(v) && strcmp(v->name, name) == 0) {
            *address = v->address;
            *bytes = v->size;
            return true;
        }
    return false;
}

bool kernel_prepare(struct kernel *k) {
    struct module *m = k->module;
    pthread_mutex_lock(&m->lock);
    if (!k->prepared && !k->error)
        k->prepared = kernel_decode(k, m->ptx);
    bool ready = k->prepared;
    pthread_mutex_unlock(&m->lock);
    return ready;
}

const char *module_file_name(const struct module *m, uint32_t file) {
    return file < m->ptx->file_count ? m->ptx->files[file] : NULL;
}

struct source_position insn_position(const struct kernel *k, const struct insn *in) {
    struct source_position p = {0};
    const struct ptx_insn *source = in->index < k->code.count ? k->code.sources[in->index] : NULL;
    const struct ptx_location *l = source ? source->location : NULL;
    /* line 0 marks code that the compiler made up: the next instruction with a line is nearest */
    for (uint32_t i = in->index; l && !l->line && ++i < k->code.count;)
        l = k->code.sources[i] ? k->code.sources[i]->location : NULL;
    if (l && l->line)
        p = (struct source_position){module_file_name(k->module, l->file), l->line, l->function, l->inlined_at};
    return p;
}
