/* See advice.h. Each function adds one or two sentences without a line break. */
#include "check/advice.h"

#include <string.h>

#define NULL_PAGES ((uint64_t)1 << 16)
#define NEAR       ((uint64_t)1 << 30)

/* "element 1000 of 1000 elements of 4 bytes" is what the student's index was. */
static void past_the_end(struct text *t, const struct bad_access *bad) {
    const struct allocation *a = bad->nearest;
    uint64_t offset = bad->address - a->base, index = offset / bad->bytes, count = a->size / bad->bytes;
    if (bad->elements > 1 && (offset < a->size || count == 0)) {
        text_format(
            t,
            "Each access is a vector of %u elements, %u bytes: the allocation holds %l whole vectors of that size, and "
            "this one extends past its end. Handle the elements after the last whole vector one by one.",
            bad->elements, bad->bytes, count);
        return;
    }
    if (count == 0) {
        text_format(t,
                    "The allocation holds %l bytes, and one such access needs %u: was its size given in elements "
                    "instead of bytes? cudaMalloc expects n * sizeof(element).",
                    a->size, bad->bytes);
        return;
    }
    if (offset < a->size) {
        text_format(t,
                    "The access starts inside the allocation and extends past its end: in elements of %u bytes, it "
                    "holds only %l. Handle the rest one by one.",
                    bad->bytes, count);
        return;
    }
    text_format(t, "This is element %l of an allocation of %l elements of %u bytes: valid indices are 0 to %l. ", index,
                count, bad->bytes, count - 1);
    if (index == bad->thread && bad->threads > count && bad->one_dimension)
        text_format(t,
                    bad->elements > 1
                        ? "The grid has %l threads, more than there are vectors: guard the access so that only threads "
                          "with a whole vector make it, `if (i < n / %u)`."
                        : "The grid has %l threads, more than there are elements: guard the access with `if (i < n)`.",
                    bad->threads, bad->elements);
    else if (index == count && bad->lanes == 1)
        text_string(t, "It is one past the end: look for `<=` where `<` is meant, or an index + 1 without a guard.");
    else
        text_string(t, "Check how the index is computed (in elements, not in bytes), and check each part of it, a row, "
                       "a column or a loop counter, against its own limit: a guard like `if (i < n)` is missing.");
}

static void before_the_start(struct text *t, const struct bad_access *bad) {
    uint64_t back = (bad->nearest->base - bad->address + bad->bytes - 1) / bad->bytes;
    text_format(t,
                "This is element -%l of an allocation: the index is negative. Guard the access with `if (i > 0)`, or "
                "look for an unsigned subtraction that wraps.",
                back);
}

/* The pointer is right, the distance from it is not. */
static void far_off(struct text *t, const struct bad_access *bad) {
    int64_t distance = (int64_t)(bad->address - bad->argument.value) / (int64_t)bad->bytes;
    text_format(t,
                "The pointer (argument %u) is valid, but this is element %s%l: the index is far out of range. Was it "
                "read from uninitialized or partly initialized memory, or did it overflow?",
                bad->argument.number, distance < 0 ? "-" : "", (uint64_t)(distance < 0 ? -distance : distance));
}

static void out_of_global(struct text *t, const struct bad_access *bad) {
    const struct allocation *a = bad->nearest;
    if (bad->wild)
        far_off(t, bad);
    else if (bad->address < NULL_PAGES)
        text_string(t, "This is a null pointer: was the cudaMalloc (or the kernel's argument) forgotten, or did the "
                       "cudaMalloc fail? Check its return value.");
    else if (bad->address >= ADVICE_NO_POINTER)
        text_string(t, "This is not a valid pointer: it may have been read from uninitialized memory.");
    else if (!a)
        text_string(t, "Nothing is allocated on the device: call cudaMalloc before the launch.");
    else if (bad->by_tensor_map)
        text_string(t, "The tensor map describes more than this allocation holds: compare its sizes and strides (these "
                       "in bytes) with the size passed to cudaMalloc.");
    else if (bad->address >= a->base && bad->address - a->base < a->size + NEAR)
        past_the_end(t, bad);
    else if (bad->address < a->base && a->base - bad->address < NEAR)
        before_the_start(t, bad);
    else
        text_string(t, "There is no allocation nearby: the pointer was never set or was overwritten, or its index is "
                       "far out of range (an int that overflowed?).");
}

static void out_of_space(struct text *t, const struct bad_access *bad, const char *memory, const char *try) {
    if (bad->address >= NEAR)
        text_format(t, "The index into %s memory is far out of range or negative. %s", memory, try);
    else
        text_format(t, "The access is to bytes %l to %l of %l bytes of %s memory. %s", bad->address,
                    bad->address + bad->bytes - 1, bad->space_bytes, memory, try);
}

static void out_of_bounds(struct text *t, const struct bad_access *bad) {
    if (bad->space == SPACE_SHARED && bad->space_bytes == 0)
        text_string(t, "The kernel was launched without dynamic shared memory: the size of an `extern __shared__` "
                       "array is the third launch parameter, <<<grid, block, bytes>>>.");
    else if (bad->space == SPACE_SHARED)
        out_of_space(t, bad, "shared",
                     "Compare the index with the array's size; for `extern __shared__`, the size is the "
                     "third launch parameter, in bytes.");
    else if (bad->space == SPACE_LOCAL)
        out_of_space(t, bad, "local",
                     "Local memory holds the arrays of a thread: compare the index with the array's size.");
    else if (bad->space == SPACE_PARAM)
        text_string(t, "The access is outside the kernel's parameters.");
    else
        out_of_global(t, bad);
}

static void misaligned(struct text *t, const struct bad_access *bad) {
    text_format(t, "An access of %u bytes needs an address that is a multiple of %u; this one is %l past one. ",
                bad->bytes, bad->bytes, bad->address % bad->bytes);
    if (bad->bytes >= 8)
        text_format(t,
                    "A pointer cast to a wider type (float2, float4, double) must be aligned to it: only one float in "
                    "%u is. Is the row length a multiple of that?",
                    bad->bytes / 4);
    else
        text_string(t, "Look for a cast from a pointer to a smaller type, or an offset in bytes.");
}

static void after_free(struct text *t, const struct bad_access *bad) {
    text_format(t,
                "The allocation of %l bytes at %x was freed before this kernel completed. Free it after the last "
                "kernel that uses it.",
                bad->nearest->size, bad->nearest->base);
}

static void not_mapped(struct text *t, const struct bad_access *bad) {
    if (strcmp(bad->obstacle, "reserved but not mapped") == 0)
        text_string(t, "cuMemAddressReserve reserves addresses only: allocate memory with cuMemCreate, and map it "
                       "there with cuMemMap.");
    else
        text_string(t, "A new mapping grants no access: call cuMemSetAccess to allow a device to read, or to read and "
                       "write, an address range.");
}

void advise(struct text *t, const struct bad_access *bad) {
    if (bad->obstacle) {
        not_mapped(t, bad);
        return;
    }
    switch (bad->finding) {
    case FINDING_OUT_OF_BOUNDS:
        out_of_bounds(t, bad);
        break;
    case FINDING_MISALIGNED:
        misaligned(t, bad);
        break;
    case FINDING_USE_AFTER_FREE:
        after_free(t, bad);
        break;
    case FINDING_HOST_POINTER:
        text_format(t,
                    "%x is the address of host memory, which a kernel cannot access. Pass a pointer from cudaMalloc "
                    "and copy the data with cudaMemcpy, or use cudaMallocManaged.",
                    bad->address);
        break;
    case FINDING_NO_PEER_ACCESS:
        text_format(t,
                    "This memory is on device %u, and the kernel's device has no peer access to it: call "
                    "cudaDeviceEnablePeerAccess(%u, 0) while the kernel's device is current. Peer access is enabled in "
                    "one direction only.",
                    (unsigned)bad->nearest->device, (unsigned)bad->nearest->device);
        break;
    case FINDING_READ_ONLY:
        text_string(t, "A kernel cannot write constant memory: write it from the host, with cudaMemcpyToSymbol.");
        break;
    default:
        break;
    }
}
