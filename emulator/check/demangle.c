/* Asks the C++ library that nvcc's programs bring along: the emulator itself does not link one. */
#include "check/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *(*demangle_fn)(const char *mangled, char *buffer, size_t *length, int *status);

static demangle_fn library_demangle;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_library(void) {
    void *symbol = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    if (!symbol) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
    }
    memcpy(&library_demangle, &symbol, sizeof symbol); /* C has no cast from object to function pointer */
}

/* "float*" is spelled "float *" in NVIDIA's messages. */
static void space_before_stars(const char *in, char *out, size_t size) {
    size_t n = 0;
    char before = ' ';
    for (; *in && n + 2 < size; before = *in++) {
        if ((*in == '*' || *in == '&') && before != ' ' && before != '*' && before != '&' && before != '(')
            out[n++] = ' ';
        out[n++] = *in;
    }
    out[n] = '\0';
}

const char *demangle(const char *mangled, char *out, size_t size) {
    pthread_once(&once, find_library);
    int status = 0;
    char *plain =
        library_demangle && strncmp(mangled, "_Z", 2) == 0 ? library_demangle(mangled, NULL, NULL, &status) : NULL;
    if (plain && status == 0)
        space_before_stars(plain, out, size);
    else
        snprintf(out, size, "%s", mangled);
    free(plain);
    return out;
}
