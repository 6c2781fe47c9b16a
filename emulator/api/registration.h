/* The executable's registrations with the runtime before main: its device code, its kernels and its variables. */
#ifndef REGISTRATION_H
#define REGISTRATION_H

#include "api/api.h"
#include "decode/module.h"

/* A kernel as host code identifies it: by the address of its host stub. The handle of __cudaGetKernel is a pointer to
 * it. */
struct entry;
struct binary; /* of the program or of a library: see below */

/* Finds the kernel of a function pointer or a cudaKernel_t; NULL when it is neither. */
struct entry *registration_entry(const void *function);
/* The host stub of the kernel of a function pointer or a cudaKernel_t, its handle if it has no stub; NULL when it is
 * neither. */
const void *registration_stub(const void *function);
const char *registration_entry_name(const struct entry *e); /* mangled */
struct binary *registration_entry_binary(const struct entry *e);

/* The kernel, loaded for a device. On failure returns NULL, and *error is the code to return; the error has been
 * reported. */
struct kernel *registration_kernel(struct entry *e, int device, cudaError_t *error);
/* How many registers a thread of it has, according to machine code or ptxas; ASSUMED_REGISTERS where neither is
 * available. */
unsigned registration_registers(struct entry *e);

/* Device code that is loaded while the program runs. The data is malloc'd and belongs to the library from then on: PTX
 * text, several of them (fatbin/bundle.h), or a fat binary. Nothing is read of it before it is used. Its origin, in the
 * form of fatbin/place.h, is for messages. */
struct binary *registration_open(void *data, size_t size, const char *place);
void registration_close(struct binary *library);
bool registration_is_open(const struct binary *library);
/* Loads it for the current device; its kernels are written to `entries` in no order, at most `room`. Returns the total
 * number. */
cudaError_t registration_library_kernels(struct binary *library, struct entry **entries, size_t room, size_t *count);
/* Loads it, and checks each kernel, as NVIDIA's driver compiles each when a module is loaded. cudaErrorInvalidPtx when
 * one is wrong. */
cudaError_t registration_library_check(struct binary *library);
/* cudaErrorSymbolNotFound when there is none of that name. */
cudaError_t registration_library_kernel(struct binary *library, const char *name, struct entry **out);
cudaError_t registration_library_variable(struct binary *library, const char *name, bool managed, uint64_t *address,
                                          size_t *bytes);
const char *registration_library_error(const struct binary *library); /* why it cannot be loaded; NULL while it can */

/* Finds a __device__, __constant__ or __managed__ variable by its host shadow. */
cudaError_t registration_variable(const void *shadow, int device, uint64_t *address, size_t *bytes);

#endif
