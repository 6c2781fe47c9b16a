/* libcudart.so.N and libcuda.so.1: the names under which programs look for NVIDIA's runtime and driver. Both are in
 * libcuda-emulator.so.N, which these libraries need and so bring along; whoever looks here for a function finds it
 * there. One emulator serves both, so the runtime and the driver share contexts, pointers and streams. */

/* Who looks for a GPU can see by this name that the library is not NVIDIA's. */
const char emulatorIsNoDriver[] = "the emulator: no GPU";
