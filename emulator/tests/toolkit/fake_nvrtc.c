/* Stands for NVIDIA's libnvrtc.so in tests: answers as that does for its options, and its PTX lists them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
    char options[200];
    int machine_code, link_time;
};

int nvrtcVersion(int *major, int *minor) {
    return *major = 77, *minor = 1, 0;
}
int nvrtcCreateProgram(struct program **out) {
    return *out = calloc(1, sizeof **out), 0;
}
int nvrtcDestroyProgram(struct program **p) {
    return free(*p), *p = NULL, 0;
}
int nvrtcCompileProgram(struct program *p, int count, const char *const *options) {
    for (int i = 0; i < count; i++) {
        strcat(strcat(p->options, options[i]), " ");
        p->machine_code |= strncmp(options[i], "-arch=sm_", 9) == 0;
        p->link_time |= strcmp(options[i], "-dlto") == 0;
    }
#ifdef NEEDS_BUILTINS /* as NVRTC 13.0, which does not say where it lies */
    if (!dlopen("libnvrtc-builtins.so.13.0", RTLD_LAZY))
        return 7;
#endif
    return p->link_time ? 99 : 0; /* nobody may ask for that */
}
int nvrtcGetPTX(struct program *p, char *text) {
    return sprintf(text, ".version 8.0\n.target sm_75\n.address_size 64\n// %s\n.visible .entry k() { ret; }\n",
                   p->options),
           0;
}
int nvrtcGetPTXSize(struct program *p, size_t *size) {
    char text[1000];
    nvrtcGetPTX(p, text);
    return *size = strlen(text) + 1, 0;
}
int nvrtcGetCUBINSize(struct program *p, size_t *size) {
    return *size = p->machine_code ? 12345 : 0, 0;
}
int nvrtcGetCUBIN(struct program *p, char *bytes) {
    (void)p;
    return memset(bytes, 0xee, 12345), 0;
}
int nvrtcGetLTOIRSize(struct program *p, size_t *size) {
    (void)p;
    return *size = 0, 0;
}
int nvrtcGetLTOIR(struct program *p, char *bytes) {
    (void)p, (void)bytes;
    return 0;
}
