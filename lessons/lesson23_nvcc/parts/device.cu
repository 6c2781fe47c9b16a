#include "silu.h"

__device__ float silu(float x) {
    return x / (1.0f + expf(-x));
}
