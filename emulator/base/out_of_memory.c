#include "base/out_of_memory.h"

#include <unistd.h>

_Noreturn void out_of_memory(void) {
    static const char words[] = "emulator: out of host memory\n";
    ssize_t written = write(STDERR_FILENO, words, sizeof words - 1); /* stdio would need memory */
    (void)written;
    abort();
}
