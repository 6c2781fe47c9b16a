/* Handles of memory and events for other processes. They can be made, and as on a GPU the process that made one cannot
 * open it; nor can another: memory of another process cannot be reached here. */
#include <string.h>
#include <unistd.h>

#include "api/event.h"
#include "memory/memory.h"

enum kind { KIND_MEMORY = 1, KIND_EVENT };

/* The contents of a handle; zeros follow. */
struct content {
    char magic[8];
    uint32_t kind;
    int32_t process;
    uint64_t address, id;
};
static const char magic[8] = "emu ipc";

_Static_assert(sizeof(struct content) <= CUDA_IPC_HANDLE_SIZE, "a handle has room for it");

static void write_handle(char *handle, enum kind kind, uint64_t address, uint64_t id) {
    struct content c = {.kind = kind, .process = (int32_t)getpid(), .address = address, .id = id};
    memcpy(c.magic, magic, sizeof magic);
    memset(handle, 0, CUDA_IPC_HANDLE_SIZE);
    memcpy(handle, &c, sizeof c);
}

static cudaError_t refuse_handle(const char *function, const char *handle, enum kind kind) {
    struct content c;
    memcpy(&c, handle, sizeof c);
    if (memcmp(c.magic, magic, sizeof magic) != 0 || c.kind != kind)
        return state_refuse(function, cudaErrorInvalidValue, "That is not such a handle.");
    if (c.process == (int32_t)getpid())
        return state_refuse(function, cudaErrorDeviceUninitialized,
                            "The handle was created by this process: only another process can open it.");
    return state_refuse(function, cudaErrorNotSupported, "Memory and events of other processes cannot be accessed.");
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer) {
    ENTER();
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)pointer);
    if (!handle || !a || !a->limit || a->mappings || a->kind != MEMORY_DEVICE)
        return state_refuse(__func__, cudaErrorInvalidValue, "%p was not allocated with cudaMalloc.", pointer);
    write_handle(handle->reserved, KIND_MEMORY, a->base, a->id);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags) {
    ENTER();
    if (!out || flags != cudaIpcMemLazyEnablePeerAccess)
        return state_return(cudaErrorInvalidValue);
    return refuse_handle(__func__, handle.reserved, KIND_MEMORY);
}

/* None is ever open. */
cudaError_t cudaIpcCloseMemHandle(void *pointer) {
    ENTER();
    return state_refuse(__func__, cudaErrorInvalidValue, "%p was not opened by cudaIpcOpenMemHandle.", pointer);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
    ENTER();
    unsigned flags;
    if (!handle || !event)
        return state_return(cudaErrorInvalidValue);
    if (!event_flags(event, &flags) || !(flags & cudaEventInterprocess))
        return state_refuse(__func__, cudaErrorInvalidResourceHandle,
                            "There is no such event, or it was created without cudaEventInterprocess.");
    write_handle(handle->reserved, KIND_EVENT, (uint64_t)(uintptr_t)event, 0);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *out, cudaIpcEventHandle_t handle) {
    ENTER();
    if (!out)
        return state_return(cudaErrorInvalidValue);
    return refuse_handle(__func__, handle.reserved, KIND_EVENT);
}
