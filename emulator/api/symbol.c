/* Copies to and from __device__, __constant__ and __managed__ variables by name. */
#include "api/api.h"

#include "api/registration.h"
#include "api/symbol.h"
#include "api/transfer.h"

/* Finds the variable, for a call named in messages. */
static cudaError_t find(const char *function, const void *symbol, uint64_t *address, size_t *bytes) {
    ENTER();
    cudaError_t error = registration_variable(symbol, state_device(), address, bytes);
    if (error == cudaErrorInvalidSymbol)
        return state_refuse(function, error,
                            "That is not a __device__ or __constant__ variable. Pass the variable itself, not its name "
                            "in quotes or its address.");
    return state_return(error);
}

/* Finds [offset, offset + count) of the variable. */
static cudaError_t find_range(const char *function, const void *symbol, size_t offset, size_t count,
                              uint64_t *address) {
    size_t bytes;
    cudaError_t error = find(function, symbol, address, &bytes);
    if (error != cudaSuccess)
        return error;
    if (offset > bytes || count > bytes - offset)
        return state_refuse(function, cudaErrorInvalidValue,
                            "The variable has %zu bytes; the copy needs %zu from byte %zu on.", bytes, count, offset);
    *address += offset;
    return cudaSuccess;
}

static cudaError_t wrong_direction(const char *function, const char *way) {
    return state_refuse(function, cudaErrorInvalidMemcpyDirection, "The copy is %s a variable on the device.", way);
}

cudaError_t symbol_range(const char *function, const void *symbol, size_t offset, size_t count,
                         enum cudaMemcpyKind kind, bool to, uint64_t *address) {
    if (kind == cudaMemcpyHostToHost || kind == (to ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice))
        return wrong_direction(function, to ? "to" : "from");
    return find_range(function, symbol, offset, count, address);
}

static cudaError_t copy_to(const char *function, const void *symbol, const void *from, size_t count, size_t offset,
                           enum cudaMemcpyKind kind, cudaStream_t stream, bool async) {
    struct copy_request r = {.function = function,
                             .from = {.address = (uint64_t)(uintptr_t)from},
                             .box = {count, 1, 1},
                             .kind = kind,
                             .stream = stream,
                             .async = async};
    cudaError_t error = symbol_range(function, symbol, offset, count, kind, true, &r.to.address);
    return error == cudaSuccess ? transfer_copy(&r) : error;
}

static cudaError_t copy_from(const char *function, void *to, const void *symbol, size_t count, size_t offset,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool async) {
    struct copy_request r = {.function = function,
                             .to = {.address = (uint64_t)(uintptr_t)to},
                             .box = {count, 1, 1},
                             .kind = kind,
                             .stream = stream,
                             .async = async};
    cudaError_t error = symbol_range(function, symbol, offset, count, kind, false, &r.from.address);
    return error == cudaSuccess ? transfer_copy(&r) : error;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t count, size_t offset,
                               enum cudaMemcpyKind kind) {
    return copy_to(__func__, symbol, from, count, offset, kind, NULL, false);
}

EXPORT cudaError_t cudaMemcpyToSymbol_ptds(const void *symbol, const void *from, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind) {
    return copy_to("cudaMemcpyToSymbol", symbol, from, count, offset, kind, cudaStreamPerThread, false);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_to(__func__, symbol, from, count, offset, kind, stream, true);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind) {
    return copy_from(__func__, to, symbol, count, offset, kind, NULL, false);
}

EXPORT cudaError_t cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t count, size_t offset,
                                             enum cudaMemcpyKind kind) {
    return copy_from("cudaMemcpyFromSymbol", to, symbol, count, offset, kind, cudaStreamPerThread, false);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_from(__func__, to, symbol, count, offset, kind, stream, true);
}

cudaError_t cudaGetSymbolAddress(void **out, const void *symbol) {
    uint64_t address;
    size_t bytes;
    cudaError_t error = out ? find(__func__, symbol, &address, &bytes) : state_return(cudaErrorInvalidValue);
    if (error == cudaSuccess)
        *out = (void *)(uintptr_t)address;
    return error;
}

cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol) {
    uint64_t address;
    return out ? find(__func__, symbol, &address, out) : state_return(cudaErrorInvalidValue);
}
