/* The classes in which executed instructions are counted. A line: name, name in the report. */
#ifndef CLASS_H
#define CLASS_H

#define CLASSES(X)                                                                                                     \
    X(FP32, "fp32")                                                                                                    \
    X(FP64, "fp64")                                                                                                    \
    X(FP16, "fp16")                                                                                                    \
    X(INTEGER, "integer")                                                                                              \
    X(CONVERSION, "conversion")                                                                                        \
    X(SPECIAL, "special function")                                                                                     \
    X(TENSOR, "tensor core")                                                                                           \
    X(MEMORY, "load and store")                                                                                        \
    X(ATOMIC, "atomic")                                                                                                \
    X(TEXTURE, "texture")                                                                                              \
    X(CONTROL, "control")                                                                                              \
    X(SYNC, "barrier and fence")                                                                                       \
    X(WARP, "between threads")                                                                                         \
    X(MOVE, "move and select")                                                                                         \
    X(OTHER, "other")

enum insn_class {
#define CLASS(name, label) CLASS_##name,
    CLASSES(CLASS)
#undef CLASS
        CLASS_END
};

#endif
