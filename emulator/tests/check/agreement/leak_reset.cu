// expect: leak
/* Memory is left when cudaDeviceReset() ends the context. */
#include "agreement.h"

int main() {
    void *p = nullptr;
    CUDA(cudaMalloc(&p, 100));
    CUDA(cudaDeviceReset());
    return 0;
}
