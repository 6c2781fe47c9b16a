/* Loads a PTX image: memory for its variables, addresses for its symbols, kernels by name. */
#include "decode/module.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/out_of_memory.h"
#include "base/settings.h"
#include "decode/device_runtime.h"
#include "decode/link.h"
#include "decode/static_limits.h"
#include "machine/code.h"
#include "machine/compiled.h"
#include "memory/memory.h"

struct module {
    struct ptx_module *ptx; /* the first; the modules that it is linked with follow it */
    struct kernel *kernels;
    size_t kernel_count;
    const char *origin;
    struct module *elsewhere; /* the same on another device, to which the managed variables belong; or NULL */
    pthread_mutex_t lock;     /* held while a kernel is decoded */
};

static void write_initial(const struct ptx_variable *v, uint8_t *host) {
    if (v->data) /* new variables are zeros */
        memcpy(host, v->data, v->data_size);
    for (const struct ptx_initializer_address *a = v->addresses; a; a = a->next) {
        uint64_t address = (a->variable ? a->variable->address : CODE_WINDOW + 16 * a->function->number);
        address += (uint64_t)a->addend;
        if (a->mask_shift != ~0u) {
            if (a->offset < v->size)
                host[a->offset] = (uint8_t)(address >> a->mask_shift);
        } else if (a->offset + 8 <= v->size) {
            memcpy(host + a->offset, &address, sizeof address);
        }
    }
}

/* It has memory of its own: it is not also defined by another file. */
static bool is_memory(const struct ptx_variable *v) {
    return (v->space == SPACE_GLOBAL || v->space == SPACE_CONST) && v->definition == v;
}

static enum memory_kind kind_of(const struct ptx_variable *v) {
    return v->space == SPACE_CONST ? MEMORY_CONSTANT : v->managed ? MEMORY_MANAGED : MEMORY_VARIABLE;
}

/* Managed memory is the same on all devices. */
static bool is_elsewhere(const struct module *m, const struct ptx_variable *v) {
    return m->elsewhere && v->managed;
}

static bool place_variables(const struct module *of, const struct ptx_module *m, int device, char *error, size_t size) {
    for (struct ptx_variable *v = m->variables; v; v = v->next) {
        size_t bytes;
        if (!is_memory(v) || (is_elsewhere(of, v) && module_variable(of->elsewhere, v->name, &v->address, &bytes)))
            continue;
        struct allocation *a = memory_allocate(v->size, v->align, kind_of(v), device, v->name);
        if (!a) {
            snprintf(error, size, NO_MEMORY_WORDS "variable '%s' of %llu bytes", v->name, (unsigned long long)v->size);
            return false;
        }
        memory_set_read_only(a, v->space == SPACE_CONST);
        v->address = a->base;
    }
    return true;
}

/* Runs when all variables have addresses: their initial values may be addresses of others. */
static void initialize_variables(const struct module *of, const struct ptx_module *m) {
    for (const struct ptx_variable *v = m->variables; v; v = v->next)
        if (is_memory(v) && !is_elsewhere(of, v))
            write_initial(v, memory_find(v->address)->host);
}

static bool make_variables(const struct module *m, int device, char *error, size_t size) {
    for (const struct ptx_module *p = m->ptx; p; p = p->next)
        if (!place_variables(m, p, device, error, size))
            return false;
    for (const struct ptx_module *p = m->ptx; p; p = p->next)
        initialize_variables(m, p);
    return true;
}

static void free_all(struct ptx_module *m) {
    for (struct ptx_module *next; m; m = next) {
        next = m->next;
        ptx_free(m);
    }
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

static bool is_kernel(const struct ptx_function *f) {
    return f->entry && !f->external && f->definition == f;
}

static void describe_kernel(struct module *m, const struct ptx_function *f, struct kernel *k) {
    k->name = f->name;
    k->module = m;
    k->ptx = f;
    k->linked = m->ptx;
    const uint32_t *limit = f->reqntid[0] ? f->reqntid : f->maxntid;
    uint64_t threads = (uint64_t)(limit[0] ? limit[0] : 1024) * (limit[1] ? limit[1] : 1);
    threads = threads > 1024 ? 1024 : threads * (limit[2] ? limit[2] : 1);
    k->preferences.carveout = -1;
    k->constant_bytes = (uint32_t)limits_constant_bytes(m->ptx);
    k->max_threads = threads > 1024 ? 1024 : (uint32_t)threads;
    describe_params(m, k);
}

static void describe_kernels(struct module *m) {
    for (const struct ptx_module *p = m->ptx; p; p = p->next)
        for (const struct ptx_function *f = p->functions; f; f = f->next)
            m->kernel_count += is_kernel(f);
    m->kernels = arena_alloc(m->ptx->arena, (m->kernel_count + 1) * sizeof *m->kernels);
    struct kernel *k = m->kernels;
    for (const struct ptx_module *p = m->ptx; p; p = p->next)
        for (const struct ptx_function *f = p->functions; f; f = f->next)
            if (is_kernel(f))
                describe_kernel(m, f, k++);
}

/* Everything that ptxas would refuse for any GPU. */
static bool is_within_limits(struct module *m, char *error, size_t size) {
    if (!limits_targets(m->ptx, setting_capability(), error, size) || !limits_constants(m->ptx, error, size))
        return false;
    for (size_t i = 0; i < m->kernel_count; i++)
        if (!limits_kernel(&m->kernels[i], m->ptx, error, size))
            return false;
    return true;
}

/* All images in one list; NULL when one of them is not PTX that the parser accepts. */
static struct ptx_module *parse_all(const struct module_text *texts, size_t count, char *error, size_t size) {
    struct ptx_module *first = NULL, **end = &first;
    for (size_t i = 0; i < count; i++) {
        *end = ptx_parse(texts[i].text, texts[i].length, error, size);
        if (!*end) {
            free_all(first);
            return NULL;
        }
        end = &(*end)->next;
    }
    *end = device_runtime(first);
    return first;
}

struct module *module_link_on(const struct module_text *texts, size_t count, const char *origin, int device,
                              struct module *elsewhere, char *error, size_t size) {
    struct ptx_module *ptx = parse_all(texts, count, error, size);
    if (!ptx)
        return NULL;
    struct module *m = zeroed(1, sizeof *m);
    m->ptx = ptx;
    m->elsewhere = elsewhere;
    m->origin = arena_intern(ptx->arena, origin, strlen(origin));
    pthread_mutex_init(&m->lock, NULL);
    bool linked = link_modules(ptx, error, size);
    if (linked)
        describe_kernels(m);
    if (!linked || !is_within_limits(m, error, size) || !make_variables(m, device, error, size)) {
        module_unload(m);
        return NULL;
    }
    return m;
}

struct module *module_link(const struct module_text *texts, size_t count, const char *origin, char *error,
                           size_t size) {
    return module_link_on(texts, count, origin, 0, NULL, error, size);
}

struct module *module_load(const char *text, size_t length, const char *origin, char *error, size_t size) {
    return module_link(&(struct module_text){text, length}, 1, origin, error, size);
}

bool module_is_elsewhere(const struct module *m) {
    return m->elsewhere != NULL;
}

void module_unload(struct module *m) {
    if (!m)
        return;
    for (const struct ptx_module *p = m->ptx; p; p = p->next)
        for (const struct ptx_variable *v = p->variables; v; v = v->next)
            if (is_memory(v) && v->address && !is_elsewhere(m, v))
                memory_free(v->address);
    for (size_t i = 0; m->kernels && i < m->kernel_count; i++) {
        tier_free(m->kernels[i].tier);
        tier_free(m->kernels[i].counted_tier);
        free(m->kernels[i].traits);
        free(m->kernels[i].probes);
    }
    pthread_mutex_destroy(&m->lock);
    free_all(m->ptx);
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
    for (const struct ptx_module *p = m->ptx; p; p = p->next)
        for (const struct ptx_variable *v = p->variables; v; v = v->next)
            if (is_memory(v) && strcmp(v->name, name) == 0) {
                *address = v->address;
                *bytes = v->size;
                return true;
            }
    return false;
}

bool module_variable_is_managed(struct module *m, const char *name) {
    for (const struct ptx_module *p = m->ptx; p; p = p->next)
        for (const struct ptx_variable *v = p->variables; v; v = v->next)
            if (is_memory(v) && strcmp(v->name, name) == 0)
                return v->managed;
    return false;
}

bool kernel_prepare(struct kernel *k) {
    struct module *m = k->module;
    pthread_mutex_lock(&m->lock);
    if (!k->prepared && !k->error)
        k->prepared = kernel_decode(k, m->ptx);
    if (k->prepared && !k->tier) {
        k->tier = tier_new();
        k->counted_tier = tier_new();
    }
    bool ready = k->prepared;
    pthread_mutex_unlock(&m->lock);
    return ready;
}
