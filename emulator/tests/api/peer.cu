// Two devices: variables, managed memory, copies and access across them.
// environment: EMULATOR_DEVICES=2
#include "api_test.h"

__device__ int own = 5;
__constant__ int fixed = 3;
__managed__ int shared_by_all = 7;

__global__ void read_all(int *out) {
    out[0] = own++;
    out[1] = fixed;
    out[2] = shared_by_all++;
}
__global__ void add(int *p, int n) {
    *p += n;
}

static void variables(int *const d[2]) {
    void *address[2];
    int h[3], v = 9;
    for (int i = 0; i < 2; i++) {
        MUST(cudaSetDevice(i));
        EXPECT_LAUNCH(cudaSuccess, (read_all<<<1, 1>>>(d[i])));
        EXPECT(cudaSuccess, cudaMemcpy(h, d[i], sizeof h, cudaMemcpyDeviceToHost));
        EXPECT_EQUAL("each device has its __device__ variable", 5, h[0]);
        EXPECT_EQUAL("each device has its __constant__ variable", 3, h[1]);
        EXPECT_EQUAL("all devices have one __managed__ variable", 7 + i, h[2]);
        EXPECT_EQUAL("which the host sees", 8 + i, shared_by_all);
        EXPECT(cudaSuccess, cudaGetSymbolAddress(&address[i], own));
        EXPECT(cudaSuccess, cudaGetSymbolAddress(&address[i], own));
    }
    check("addresses differ", address[0] != address[1], "they are the same");
    EXPECT(cudaSuccess, cudaMemcpyToSymbol(fixed, &v, sizeof v));
    MUST(cudaSetDevice(0));
    EXPECT(cudaSuccess, cudaMemcpyFromSymbol(h, fixed, sizeof(int)));
    EXPECT_EQUAL("the first device's constant stays", 3, h[0]);
    void *managed[2];
    for (int i = 0; i < 2; i++) {
        MUST(cudaSetDevice(i));
        EXPECT(cudaSuccess, cudaGetSymbolAddress(&managed[i], shared_by_all));
    }
    EXPECT_EQUAL("a managed variable has one address", (size_t)managed[0], (size_t)managed[1]);
}

static void access(int *const d[2]) {
    int can = 9, h = 0, v = -1;
    cudaPointerAttributes a;
    EXPECT(cudaSuccess, cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT_EQUAL("peers can be reached", 1, can);
    MUST(cudaSetDevice(0));
    EXPECT(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
    EXPECT(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(1, 1));
    EXPECT(cudaSuccess, cudaDeviceEnablePeerAccess(1, 0));
    EXPECT(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
    MUST(cudaMemset(d[1], 0, 4));
    MUST(cudaSetDevice(1));
    MUST(cudaDeviceSynchronize());
    MUST(cudaSetDevice(0));
    EXPECT_LAUNCH(cudaSuccess, (add<<<1, 1>>>(d[1], 5)));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    EXPECT(cudaSuccess, cudaMemcpy(&h, d[1], sizeof h, cudaMemcpyDefault));
    EXPECT_EQUAL("a kernel writes to the peer", 5, h);
    EXPECT(cudaSuccess, cudaPointerGetAttributes(&a, d[1]));
    EXPECT_EQUAL("memory of the peer", 1, a.device);
    EXPECT(cudaSuccess, cudaDeviceDisablePeerAccess(1));
    EXPECT(cudaSuccess, cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 1));
    EXPECT_EQUAL("access is possible", 1, v);
    EXPECT(cudaSuccess, cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
    EXPECT_EQUAL("with atomics", 1, v);
    EXPECT(cudaSuccess, cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrPerformanceRank, 0, 1));
    EXPECT_EQUAL("in the first rank", 0, v);
    EXPECT(cudaSuccess, cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrCudaArrayAccessSupported, 0, 1));
    EXPECT_EQUAL("arrays, too", 1, v);
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetP2PAttribute(&v, (cudaDeviceP2PAttr)77, 0, 1));
}

static void copies(int *const d[2]) {
    int h[4] = {1, 2, 3, 4}, back[4] = {};
    MUST(cudaSetDevice(0));
    MUST(cudaMemcpy(d[0], h, sizeof h, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemcpyPeer(d[1], 1, d[0], 0, sizeof h));
    EXPECT(cudaSuccess, cudaMemcpyPeerAsync(d[1] + 4, 1, d[0], 0, sizeof h, 0));
    MUST(cudaDeviceSynchronize());
    EXPECT(cudaSuccess, cudaMemcpy(back, d[1], sizeof back, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("copied to the peer", 4, back[3]);
    cudaMemcpy3DPeerParms p = {};
    p.srcPtr = make_cudaPitchedPtr(d[0], 8, 8, 2);
    p.srcDevice = 0;
    p.dstPtr = make_cudaPitchedPtr(d[1] + 8, 8, 8, 2);
    p.dstDevice = 1;
    p.extent = make_cudaExtent(8, 2, 1);
    EXPECT(cudaSuccess, cudaMemcpy3DPeer(&p));
    EXPECT(cudaSuccess, cudaMemcpy3DPeerAsync(&p, 0));
    MUST(cudaDeviceSynchronize());
    EXPECT(cudaSuccess, cudaMemcpy(back, d[1] + 8, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("a box copied to the peer", 3, back[2]);
    p.dstDevice = 7;
    EXPECT(cudaErrorInvalidDevice, cudaMemcpy3DPeer(&p));
    EXPECT(cudaErrorInvalidDevice, cudaMemcpyPeer(d[1], 7, d[0], 0, sizeof h));
}

static void streams_and_events() {
    cudaStream_t s[2];
    cudaEvent_t e[2];
    float ms;
    int device = -1;
    for (int i = 0; i < 2; i++) {
        MUST(cudaSetDevice(i));
        MUST(cudaStreamCreate(&s[i]));
        MUST(cudaEventCreate(&e[i]));
    }
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventRecord(e[0], s[1]));
    EXPECT(cudaSuccess, cudaEventRecord(e[0], s[0]));
    EXPECT(cudaSuccess, cudaStreamWaitEvent(s[1], e[0], 0));
    EXPECT(cudaSuccess, cudaEventRecord(e[1], s[1]));
    EXPECT(cudaSuccess, cudaEventSynchronize(e[1]));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s[0]));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, e[0], e[1]));
#if CUDART_VERSION >= 12080
    EXPECT(cudaSuccess, cudaStreamGetDevice(s[0], &device));
    EXPECT_EQUAL("device of a stream", 0, device);
#endif
    cudaMemPool_t pools[2];
    for (int i = 0; i < 2; i++)
        MUST(cudaDeviceGetDefaultMemPool(&pools[i], i));
    cudaMemAccessFlags flags;
    cudaMemLocation other = {cudaMemLocationTypeDevice, 1};
    EXPECT(cudaSuccess, cudaMemPoolGetAccess(&flags, pools[0], &other));
    EXPECT_EQUAL("a pool is closed to the peer", cudaMemAccessFlagsProtNone, flags);
    cudaMemAccessDesc access = {};
    access.location = other;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    EXPECT(cudaSuccess, cudaMemPoolSetAccess(pools[0], &access, 1));
    EXPECT(cudaSuccess, cudaMemPoolGetAccess(&flags, pools[0], &other));
    EXPECT_EQUAL("until it is opened", cudaMemAccessFlagsProtReadWrite, flags);
}

int main() {
    int *d[2], count = 0;
    MUST(cudaGetDeviceCount(&count));
    if (count < 2) {
        printf("ok two devices are not there to be tested\n");
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        MUST(cudaSetDevice(i));
        MUST(cudaMalloc(&d[i], 64));
    }
    variables(d);
    access(d);
    copies(d);
    streams_and_events();
    MUST(cudaDeviceReset());
    return failures != 0;
}
