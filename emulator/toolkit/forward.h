/* Functions that do nothing but call NVIDIA's of the same name. */
#ifndef FORWARD_H
#define FORWARD_H

#include "toolkit/real_library.h"

#define EXPORT __attribute__((visibility("default")))

/* A function of NVIDIA's that has the type of ours. */
#define REAL(name) ((__typeof__(&name))real_function(#name))

/* `missing` is what it returns where NVIDIA's has no such function. */
#define FORWARD(missing, name, parameters, arguments)                                                                  \
    EXPORT int name parameters;                                                                                        \
    int name parameters {                                                                                              \
        __typeof__(&name) real = REAL(name);                                                                           \
        return real ? real arguments : (missing);                                                                      \
    }

#endif
