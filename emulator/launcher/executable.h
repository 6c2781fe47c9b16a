/* The CUDA runtime of an executable, read from its ELF headers; nothing of it is run. */
#ifndef LAUNCHER_EXECUTABLE_H
#define LAUNCHER_EXECUTABLE_H

enum cuda_linkage {
    LINKAGE_UNKNOWN, /* a script, another machine's program, or one without kernels of its own */
    LINKAGE_SHARED,  /* loads libcudart.so.N: `cuda_major` is N */
    LINKAGE_STATIC,  /* has kernels, and the runtime inside: no library path can change that */
};
struct executable {
    enum cuda_linkage linkage;
    int cuda_major;
};

/* Of the file `path`. One that cannot be read is LINKAGE_UNKNOWN: starting it reports why. */
struct executable executable_inspect(const char *path);

#endif
