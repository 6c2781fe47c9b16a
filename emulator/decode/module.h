/* A loaded PTX image: its kernels, ready to run, and its variables, with addresses. */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/kernel.h"

struct module;

/* Loads an image: parses it, gives its variables memory on the current device, and resolves its symbols. `origin` names
 * the executable for messages. Returns NULL with one line in error (size bytes) when the parser does not accept the
 * PTX. */
struct module *module_load(const char *ptx, size_t length, const char *origin, char *error, size_t size);
/* Loads several images, at least one, whose symbols are shared: see decode/link.h. */
struct module_text {
    const char *text;
    size_t length;
};
struct module *module_link(const struct module_text *texts, size_t count, const char *origin, char *error, size_t size);
#define UNDEFINED_WORDS                                                                                                \
    "is not defined in any PTX of the program" /* in the message about a function that no text has */
#define NO_MEMORY_WORDS "no memory for "       /* the beginning of the message when a variable has no room */

/* Loads several images on a device. `elsewhere`: the module made from them on another device, whose __managed__
 * variables are kept; or NULL. */
struct module *module_link_on(const struct module_text *texts, size_t count, const char *origin, int device,
                              struct module *elsewhere, char *error, size_t size);
bool module_is_elsewhere(const struct module *module); /* its managed variables are another's */
void module_unload(struct module *module);

struct kernel *module_kernel(struct module *module, const char *name); /* NULL if there is none */
struct kernel *module_kernels(struct module *module, size_t *count);   /* all of them */
/* Finds a .global or .const variable. */
bool module_variable(struct module *module, const char *name, uint64_t *address, size_t *bytes);
bool module_variable_is_managed(struct module *module, const char *name);

/* Decodes the kernel and what it calls. Thread-safe, done once. False when it cannot run: kernel->error states why. */
bool kernel_prepare(struct kernel *kernel);
/* decode/decode.c; the caller holds the module's lock. */
uint64_t kernel_shared_bytes(struct kernel *kernel, struct ptx_module *ptx); /* static ones; before it is prepared */
bool kernel_decode(struct kernel *kernel, struct ptx_module *ptx);

#endif
