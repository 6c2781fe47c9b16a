/* Peers: devices that reach each other's memory. All of them share one address space here. */
#include "api/device.h"

static cudaError_t check_peer(const char *function, int peer) {
    if (!device_exists(peer))
        return device_missing(function, peer);
    if (peer == state_device())
        return state_refuse(function, cudaErrorPeerAccessUnsupported, "Device %d is the current device itself.", peer);
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    if (!can)
        return state_return(cudaErrorInvalidValue);
    if (!device_exists(device) || !device_exists(peer))
        return device_missing(__func__, device_exists(device) ? peer : device);
    *can = device != peer;
    return cudaSuccess;
}

/* Which device may reach which other's memory. */
static bool peers[MAX_DEVICES][MAX_DEVICES];

bool device_reaches(int device, int peer) {
    return peers[device][peer];
}

unsigned device_peers(int device) {
    unsigned bits = 1u << device;
    for (int peer = 0; peer < MAX_DEVICES; peer++)
        bits |= (unsigned)peers[device][peer] << peer;
    return bits;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    ENTER();
    if (flags)
        return state_return(cudaErrorInvalidValue);
    cudaError_t error = check_peer(__func__, peer);
    if (error != cudaSuccess)
        return error;
    if (peers[state_device()][peer])
        return state_return(cudaErrorPeerAccessAlreadyEnabled);
    peers[state_device()][peer] = true;
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    ENTER();
    if (!device_exists(peer))
        return device_missing(__func__, peer);
    if (!peers[state_device()][peer])
        return state_return(cudaErrorPeerAccessNotEnabled);
    peers[state_device()][peer] = false;
    return cudaSuccess;
}

/* The capabilities of a link between two devices. */
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to) {
    if (!value)
        return state_return(cudaErrorInvalidValue);
    if (!device_exists(from) || !device_exists(to) || from == to)
        return state_return(cudaErrorInvalidDevice);
    switch ((int)attribute) {
    case cudaDevP2PAttrPerformanceRank:
    case 5: /* cudaDevP2PAttrOnlyPartialNativeAtomicSupported */
        *value = 0;
        return cudaSuccess;
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
    case cudaDevP2PAttrCudaArrayAccessSupported:
        *value = 1;
        return cudaSuccess;
    default:
        return state_return(cudaErrorInvalidValue);
    }
}

#if CUDART_VERSION >= 13000
static cudaError_t check_operations(const unsigned *capabilities, const enum cudaAtomicOperation *operations,
                                    unsigned count) {
    if (!capabilities || !operations || !count)
        return state_return(cudaErrorInvalidValue);
    for (unsigned i = 0; i < count; i++)
        if ((unsigned)operations[i] > cudaAtomicOperationFloatMax)
            return state_return(cudaErrorInvalidValue);
    return cudaSuccess;
}

/* As on an H200, whose PCI Express carries none. (Here they do work on host memory; nothing may rely on it.) */
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned *capabilities, const enum cudaAtomicOperation *operations,
                                                unsigned count, int device) {
    cudaError_t error = check_operations(capabilities, operations, count);
    if (error != cudaSuccess)
        return error;
    if (!device_exists(device))
        return device_missing(__func__, device);
    for (unsigned i = 0; i < count; i++)
        capabilities[i] = 0;
    return cudaSuccess;
}

/* The operations of atom and red on any global memory. */
static unsigned capability(enum cudaAtomicOperation operation) {
    const unsigned both = cudaAtomicCapabilitySigned | cudaAtomicCapabilityUnsigned,
                   words = cudaAtomicCapabilityScalar32 | cudaAtomicCapabilityScalar64;
    switch (operation) {
    case cudaAtomicOperationIntegerIncrement:
    case cudaAtomicOperationIntegerDecrement:
        return cudaAtomicCapabilityUnsigned | cudaAtomicCapabilityReduction | cudaAtomicCapabilityScalar32;
    case cudaAtomicOperationExchange:
    case cudaAtomicOperationCAS:
        return both | words | cudaAtomicCapabilityScalar128;
    case cudaAtomicOperationFloatAdd:
        return cudaAtomicCapabilitySigned | cudaAtomicCapabilityReduction | words;
    case cudaAtomicOperationFloatMin:
    case cudaAtomicOperationFloatMax:
        return 0;
    default:
        return both | cudaAtomicCapabilityReduction | words;
    }
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const enum cudaAtomicOperation *operations,
                                               unsigned count, int from, int to) {
    cudaError_t error = check_operations(capabilities, operations, count);
    if (error != cudaSuccess)
        return error;
    if (!device_exists(from) || !device_exists(to) || from == to)
        return state_return(cudaErrorInvalidDevice);
    for (unsigned i = 0; i < count; i++)
        capabilities[i] = capability(operations[i]);
    return cudaSuccess;
}
#endif
