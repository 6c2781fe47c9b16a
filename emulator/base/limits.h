/* Limits of the emulated device: those of an H200 (compute capability 9.0), because they shape programs. */
#ifndef LIMITS_H
#define LIMITS_H

#define LIMIT_BLOCK_THREADS      1024
#define LIMIT_BLOCK_X            1024
#define LIMIT_BLOCK_Y            1024
#define LIMIT_BLOCK_Z            64
#define LIMIT_GRID_X             2147483647
#define LIMIT_GRID_Y             65535
#define LIMIT_GRID_Z             65535
#define LIMIT_SHARED_BLOCK       49152  /* without cudaFuncSetAttribute */
#define LIMIT_SHARED_BLOCK_OPTIN 232448 /* with it */
#define LIMIT_SHARED_SM          233472
#define LIMIT_SHARED_RESERVED    1024 /* taken by the driver, per block */
#define LIMIT_REGISTERS          65536
#define LIMIT_SM_THREADS         2048
#define LIMIT_SM_BLOCKS          32
#define LIMIT_SMS                132
#define LIMIT_CONSTANT           65536
#define LIMIT_PARAM_BYTES        32764
#define LIMIT_L2                 62914560
#define LIMIT_PERSISTING_L2      39321600 /* of the L2 cache, for persisting data */
#define LIMIT_PERSISTING_UNIT    3932160
#define LIMIT_ACCESS_WINDOW      134217728
#define LIMIT_STACK              524288 /* bytes of a thread: its local memory */
#define LIMIT_SYNC_DOMAINS       4
#define LIMIT_CLUSTER            8  /* blocks of a cluster that every GPU of this capability can hold */
#define LIMIT_CLUSTER_LARGE      16 /* blocks, when the kernel allows it */

/* Textures and surfaces, in texels: 1D, 2D, 3D (narrow ones may be deeper) and layered arrays; memory */
#define LIMIT_IMAGE_1D        131072
#define LIMIT_IMAGE_WIDTH     131072
#define LIMIT_IMAGE_HEIGHT    65536
#define LIMIT_IMAGE_3D        16384
#define LIMIT_IMAGE_3D_ALT    8192
#define LIMIT_IMAGE_DEPTH_ALT 32768
#define LIMIT_IMAGE_LAYERED   32768
#define LIMIT_LAYERS          2048
#define LIMIT_CUBE_LAYERS     2046
#define LIMIT_IMAGE_LINEAR    268435456
#define LIMIT_PITCHED_HEIGHT  65000
#define LIMIT_PITCH           2097120 /* bytes */

/* cudaLimitStackSize sets the size of a stack. ptxas decides how much of it an activation of a recursive function
 * takes; PTX only gives a lower bound: its variables and the return address. So a recursion that overflows here also
 * does on a GPU, which may stop one that succeeds here; with memcheck on, the size is taken from the machine code or
 * ptxas. */
#define LIMIT_STACK_DEFAULT 1024
#define LIMIT_STACK_RETURN  8

/* The PTX does not specify how many registers a thread will have: ptxas decides that. Where neither ptxas nor machine
 * code is available, this number is assumed, which never limits occupancy. */
#define ASSUMED_REGISTERS 32

#endif
