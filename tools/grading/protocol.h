/* protocol.h - the protocol between the judge and the runner, over one socket.
 * The judge (the parent) holds the inputs, the expected results and the judgement. The runner (the child) holds the student's code. The
 * judge sends a job: a function's symbol, its arguments, and the arrays they point to. The runner executes it and answers with facts:
 * the contents of the arrays, the launches, the calls made, the emulator's findings. It never answers "right" or "wrong".
 *
 *     judge:   struct job, then the content of each array that is `given`
 *     runner:  struct answer, then the content of each array that is `wanted`, if there is any; then `more_launches` times struct launch; then
 *              `harvest` bytes
 */
#ifndef TOOLS_GRADING_PROTOCOL_H
#define TOOLS_GRADING_PROTOCOL_H

#include <stdint.h>

#include "emulator/emulator.h"

enum {
    RUNNER_SOCKET = 3, /* after stdin, stdout and stderr */
    ARRAYS_MAX = 8,
    ARGUMENTS_MAX = 14,
    INTEGERS_MAX = 12, /* of those, pointers among them; the others are floats */
    FLOATS_MAX = 6,
    LAUNCHES_MAX = 64,           /* in an answer; */
    LAUNCHES_MORE_MAX = 1 << 16, /* and after it, on the emulator */
    SYMBOL_MAX = 120,
    WORD_MAX = 40,
    KERNEL_MAX = 256,
    GUARD_BYTES = 4096, /* before and after each device array, on a GPU; the emulator checks every access by itself */
    GUARD_BYTE = 0xA5
};

enum array_home { ON_DEVICE, ON_HOST, ON_HOST_PINNED }; /* ON_HOST: pageable, from malloc */

/* An array in the device's memory, or in the host's. */
struct array_order {
    uint64_t bytes;
    uint64_t ask_from, ask_bytes; /* report which of these bytes no kernel wrote; ask_bytes 0: do not */
    uint64_t ask_row, ask_pitch;  /* only the first ask_row of every ask_pitch of them; ask_pitch 0: all */
    uint8_t home;                 /* enum array_home */
    uint8_t given;                /* its content follows the job; else it is poisoned (verify.h) */
    uint8_t wanted;               /* send its content back */
    uint8_t kept;                 /* it is kept for the next job, with its content */
    uint8_t input, output;        /* its purpose, for the counts */
    uint8_t padding[2];
};

enum argument_kind { ARGUMENT_INTEGER, ARGUMENT_FLOAT, ARGUMENT_ARRAY, ARGUMENT_STREAM };

struct argument {
    uint32_t kind;
    uint32_t array;   /* ARGUMENT_ARRAY: which one */
    uint64_t integer; /* ARGUMENT_INTEGER: the value; ARGUMENT_ARRAY: the offset in bytes */
    float real;
    uint32_t padding;
};

struct job {
    uint64_t token; /* the answer repeats it */
    char symbol[SYMBOL_MAX];
    uint32_t arguments, arrays;
    struct argument argument[ARGUMENTS_MAX];
    struct array_order array[ARRAYS_MAX];
    uint32_t mixed;      /* blocks take turns at their barriers, in any order; on the emulator */
    uint32_t own_stream; /* the caller's stream is a separate, non-blocking one, not the default stream */
    uint32_t busy;       /* that stream is busy until the function has returned */
    uint32_t late_ms;    /* pinned inputs arrive this long after the function has returned; 0: before */
    uint32_t count;      /* counters, of the arrays and of all memory; on the emulator */
    uint32_t wide_pitch; /* cudaMallocPitch returns a larger pitch than necessary */
    uint32_t
        harvest; /* 1: send the data copied from pitched memory to the host, as far as kernels had written it; 2: from all memory */
    uint32_t device;      /* the current device's number */
    uint32_t others;      /* the compute capability that other devices report, 86 for 8.6; 0: their own */
    uint32_t fail_number; /* make the n-th call of `fail_call` fail ("*": of all calls that support it); 0: none */
    char fail_call[WORD_MAX];
    uint32_t only_look; /* check only whether the symbol exists */
    uint32_t again;     /* call it again, directly after the first time */
    uint32_t turns;     /* time it this often before, alternating with a copy of copy_bytes bytes; 0: do not */
    uint64_t copy_bytes;
};

struct launch {
    uint32_t grid[3], block[3];
    uint64_t shared;         /* bytes, dynamic */
    uint32_t other_stream;   /* neither the caller's stream nor an alias of it */
    int32_t device;          /* its ordinal, on the emulator */
    char kernel[KERNEL_MAX]; /* its name in PTX; "" if unknown, on a GPU */
    char called[WORD_MAX];   /* its name in the source, without parameters */
    uint32_t parameter_bytes, padding;
    /* The emulator's counts, see struct emulatorLaunch. */
    uint64_t warp_instructions, input_threads, input_blocks, output_threads, output_blocks;
    uint64_t input_bytes, output_bytes, most_input_bytes, most_output_bytes;
};

/* Calls that are counted, in the order of `calls` below. */
enum watched_call {
    CALL_MALLOC,
    CALL_MALLOC_PITCH,
    CALL_FREE,
    CALL_MEMCPY,
    CALL_MEMCPY_2D,
    CALL_MEMSET,
    CALL_LAUNCH,
    CALL_GET_ERROR, /* cudaGetLastError and cudaPeekAtLastError */
    CALL_EVENT,     /* cudaEventRecord and cudaStreamWaitEvent */
    CALL_QUERY,     /* cudaStreamQuery and cudaEventQuery */
    CALLS
};

struct array_report {
    int64_t
        not_by_kernels; /* of the requested bytes, the first whose last writer is not a kernel; ask_bytes: there is none; -1: unknown */
    int64_t damaged;       /* the first byte written outside, as an offset from the array's start; INT64_MIN: none */
    char author[WORD_MAX]; /* of that byte that no kernel wrote: "copy", "memset", "host", "nobody" */
    struct emulatorArrayCounters counted; /* where has_counters */
};

struct answer {
    uint64_t token;
    uint32_t found;   /* the symbol exists */
    uint32_t ended;   /* the program called exit() in the function; only the facts known without the device follow */
    int32_t status;   /* with this status */
    int32_t returned; /* the function's return value, if it is a cudaError_t */
    int32_t
        error_left; /* from cudaGetLastError after the call; if it ended the program, the last error returned to it */
    int32_t error_later;    /* the error from waiting for the device */
    int32_t error_failed;   /* the error of the call that was made to fail; 0: it was not made */
    uint32_t waited_busy;   /* it returned only after its busy stream was released */
    uint32_t launches;      /* since the call; the first LAUNCHES_MAX are in `launch`, */
    uint32_t more_launches; /* and this many of the others follow */
    uint32_t alive;         /* allocations of the call that were never freed */
    uint32_t objects;       /* the same for streams, events and graphs */
    uint32_t operations;    /* copies, fills, launches and host functions that it put into streams */
    uint32_t steps;         /* the longest chain of them in which each waits for its predecessor */
    uint32_t pageable;      /* asynchronous copies from or to pageable memory */
    int32_t early;          /* an array that a copy touches without waiting for the caller's stream; -1 */
    int32_t left;           /* an array touched by a copy for which that stream does not wait; -1 */
    uint32_t untaken;       /* memory was copied from or to before its stream-ordered allocation */
    uint32_t freed_early;   /* or freed before such a copy was complete */
    uint64_t largest_copy;  /* bytes of an asynchronous copy from or to an array */
    uint32_t capability;    /* of the current device, 86 for 8.6 */
    uint64_t device_bytes;  /* the most device memory that the call's allocations held at one time */
    uint32_t contents;      /* the arrays follow; they do not when the device has failed */
    uint32_t has_counters;
    float call_ms, copy_ms; /* medians, of a job with turns */
    uint64_t harvest;       /* bytes that follow the arrays */
    struct launch launch[LAUNCHES_MAX];
    uint32_t calls[CALLS];
    char waited[WORD_MAX];         /* a call that makes the host wait, "" if none was made */
    char failed_call[WORD_MAX];    /* the call that was made to fail */
    char verdict[WORD_MAX];        /* emulatorVerdict(); "none" on a GPU */
    char error_names[4][WORD_MAX]; /* of returned, error_left, error_later, error_failed */
    struct array_report array[ARRAYS_MAX];
    struct emulatorCounters counters;
    struct emulatorArrayCounters elsewhere, of_host; /* of other memory: devices', and the host's */
    struct emulatorHostBytes host;                   /* transfers from the host to the device and back */
};

#endif
