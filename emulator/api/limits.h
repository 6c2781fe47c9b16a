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

/* The PTX does not say how many registers a thread will have: that is ptxas's decision. With this many, registers
 * never limit occupancy. */
#define ASSUMED_REGISTERS 32

#endif
