/* Uses the C++ library that nvcc's programs load: the emulator itself does not link one. */
#include "base/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
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

struct name {
    char *out;
    size_t length, size;
    size_t parameter; /* where the parameter being written starts */
    bool pointer;     /* a '*' or '&' of it has been written */
};

static void put(struct name *n, char c) {
    if (n->length + 1 < n->size)
        n->out[n->length++] = c;
}

/* Writes the word and a space in front of the parameter. */
static void put_first(struct name *n, const char *word) {
    size_t bytes = strlen(word) + 1;
    if (n->length + bytes + 1 >= n->size)
        return;
    memmove(n->out + n->parameter + bytes, n->out + n->parameter, n->length - n->parameter);
    memcpy(n->out + n->parameter, word, bytes - 1);
    n->out[n->parameter + bytes - 1] = ' ';
    n->length += bytes;
}

static bool starts_with(const char *s, const char *prefix) {
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Length of "_INTERNAL_<hash>_<file>::", the namespace of what is static in a file; 0 where there is none. */
static size_t internal_namespace(const char *s) {
    const char *end = starts_with(s, "_INTERNAL_") ? strstr(s, "::") : NULL;
    return end ? (size_t)(end + 2 - s) : 0;
}

/* "const" or "volatile" where a blank and one of them follow a type; NULL where not. */
static const char *qualifier_at(const char *s) {
    static const char *const words[] = {"const", "volatile"};
    for (int i = 0; i < 2 && *s == ' '; i++)
        if (starts_with(s + 1, words[i]) && strchr("*&,) ", s[1 + strlen(words[i])]))
            return words[i];
    return NULL;
}

/* Length of a tag "[abi:...]": Numba encodes its settings in names that way. 0 where there is none. */
static size_t tag_at(const char *s) {
    const char *end = starts_with(s, "[abi:") ? strchr(s, ']') : NULL;
    return end ? (size_t)(end + 1 - s) : 0;
}

/* NVIDIA writes "const float *" where the C++ library writes "float const*". */
static void respell(const char *in, struct name *n) {
    in += internal_namespace(in);
    while (*in) {
        if (tag_at(in)) {
            in += tag_at(in);
            continue;
        }
        char before = n->length ? n->out[n->length - 1] : ' ';
        const char *qualifier = n->pointer ? NULL : qualifier_at(in);
        if (qualifier) {
            put_first(n, qualifier);
            in += 1 + strlen(qualifier);
            continue;
        }
        if (*in == '*' || *in == '&') {
            if (!n->pointer && before != ' ' && before != '(')
                put(n, ' ');
            n->pointer = true;
        }
        put(n, *in);
        bool next = *in == '(' || (*in == ' ' && before == ',');
        in++;
        if (next) {
            n->parameter = n->length;
            n->pointer = false;
        }
    }
    n->out[n->length] = '\0';
}

const char *demangle(const char *mangled, char *out, size_t size) {
    pthread_once(&once, find_library);
    int status = 0;
    char *plain =
        library_demangle && strncmp(mangled, "_Z", 2) == 0 ? library_demangle(mangled, NULL, NULL, &status) : NULL;
    if (plain && status == 0)
        respell(plain, &(struct name){.out = out, .size = size});
    else
        snprintf(out, size, "%s", mangled);
    free(plain);
    return out;
}

const char *demangle_function(const char *mangled, char *out, size_t size) {
    char name[600];
    demangle(mangled, name, sizeof name);
    size_t end = strcspn(name, "<("), begin = end;
    while (begin > 0 && !strchr(": ", name[begin - 1]))
        begin--;
    name[end] = '\0';
    snprintf(out, size, "%s", name + begin);
    return out;
}
