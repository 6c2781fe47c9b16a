// A program that ends while a kernel runs does not wait for it, on a GPU neither.
// message: ========= Warning: The program exited before kernel gate_kernel(
#include "api_test.h"

int main() {
    gate_create();
    gate_close(0);
    check("main returns", true, "");
    return failures != 0;
}
