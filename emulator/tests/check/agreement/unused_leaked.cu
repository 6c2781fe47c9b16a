// expect: leak unused
// checks: all,unused
/* Memory that nobody uses and nobody frees. */
#include "agreement.h"

int main() {
    int *x = nullptr;
    CUDA(cudaMalloc(&x, BLOCK * sizeof(int)));
    return finish();
}
