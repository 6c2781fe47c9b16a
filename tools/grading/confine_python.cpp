/* confine_python.cpp - confine() and its variants with C linkage, for runner.py. */
#include "tools/grading/confine.h"

extern "C" __attribute__((visibility("default"))) void limit_memory_of_this(void) {
    limit_memory();
}

extern "C" __attribute__((visibility("default"))) void confine_this(int on_emulator, int seconds) {
    confine(on_emulator, seconds);
}

extern "C" __attribute__((visibility("default"))) void confine_with_processes_this(int on_emulator, int seconds) {
    confine_with_processes(on_emulator, seconds);
}

extern "C" __attribute__((visibility("default"))) void confine_with_compilers_this(int on_emulator, int seconds) {
    confine_with_compilers(on_emulator, seconds);
}
