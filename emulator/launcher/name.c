/* libcudart.so.N and libcuda.so.1: the names under which programs look for NVIDIA's runtime and driver. Both are in
 * libcuda-emulator.so.N, which these libraries need and therefore load; a function that is looked up here is found
 * there. One emulator serves both, so the runtime and the driver share contexts, pointers and streams. */

/* A program that looks for a GPU can tell by this name that the library is not NVIDIA's. */
const char emulatorIsNoDriver[] = "the emulator: no GPU";
