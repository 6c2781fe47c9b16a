/* Corners of racecheck's fast paths, one for each case: what they remember there decides what a later access is told. Random programs
 * (ways.cu, streams.cu) come to these too seldom. The lines above each case are as in memory.cu; check.test.sh runs each the slow path,
 * the fast path and compiled, on one host thread: blocks and warps come in the order of their numbers. */
#include "kernels_compiled.h"
#include "run_case.h"

enum { EDGE = 256 }; /* words that are remembered together: a chunk */
/* Who has been at an instruction once takes a faster path the second time: some accesses are made first so far behind the array. */
enum { FAR = 4096 };

/* ---- a word whose bytes are remembered apart ---- */

// EXPECT second_byte_then_atomic 0 race
// CHECKS racecheck
// SAYS thread (33,0,0)
// SAYS [1 hazard]
__global__ void second_byte_then_atomic(int *y, int lanes) {
    __shared__ int word[64];
    int t = threadIdx.x;
    if (t == 1)
        ((char *)&word[33])[1] = 1;
    if (t >= 32 && t % 32 < lanes)
        y[t] = atomicAdd(&word[t], 1);
}
static void case_second_byte_then_atomic(void) {
    second_byte_then_atomic<<<1, 64>>>(device_array<int>(64), 32);
}

// EXPECT second_byte_then_some_atomics 0 race
// CHECKS racecheck
// SAYS thread (33,0,0)
// SAYS [1 hazard]
static void case_second_byte_then_some_atomics(void) {
    second_byte_then_atomic<<<1, 64>>>(device_array<int>(64), 5);
}

// EXPECT atomic_then_second_byte 0 race
// CHECKS racecheck
// SAYS thread (5,0,0)
// SAYS [1 hazard]
__global__ void atomic_then_second_byte(int *y) {
    __shared__ int word[32];
    int t = threadIdx.x;
    if (t < 32)
        y[t] = atomicAdd(&word[t], 1);
    if (t == 33)
        ((char *)&word[5])[1] = 1;
}
static void case_atomic_then_second_byte(void) {
    atomic_then_second_byte<<<1, 64>>>(device_array<int>(64));
}

enum { READ, WRITE, UPDATE };
__device__ int access(int *x, int how) {
    if (how == READ)
        return *x;
    if (how == WRITE)
        *x = 7;
    else
        atomicAdd(x, 1);
    return 0;
}

// EXPECT second_byte_then_word 0 race
// CHECKS racecheck
// SAYS Read access at
// SAYS Atomic access at
// SAYS thread (1,0,0)
// SAYS thread (21,0,0)
// SAYS ERROR SUMMARY: 3 errors
__global__ void second_byte_then_word(int *x, int *y, int how) {
    int t = threadIdx.x;
    if (blockIdx.x == 1)
        y[t] = access(&x[t], how);
    else if (t == 1)
        ((char *)&x[21])[1] = 1;
}
static void case_second_byte_then_word(void) {
    for (int how = READ; how <= UPDATE; how++)
        second_byte_then_word<<<2, 32>>>(device_array<int>(32), device_array<int>(32), how);
}

// EXPECT word_then_second_byte 0 race
// CHECKS racecheck
// SAYS thread (37,0,0)
// SAYS ERROR SUMMARY: 3 errors
__global__ void word_then_second_byte(int *x, int *y, int how) {
    int t = threadIdx.x;
    if (blockIdx.x == 1 && t == 0)
        ((char *)&x[64 + 5])[1] = 1;
    if (blockIdx.x == 0 && t < 32)
        ((char *)x)[t * 5] = 1; // so many single bytes that each byte is remembered by itself
    if (blockIdx.x == 0 && t >= 32)
        y[t] = access(&x[32 + t], how);
}
static void case_word_then_second_byte(void) {
    for (int how = READ; how <= UPDATE; how++)
        word_then_second_byte<<<2, 64>>>(device_array<int>(128), device_array<int>(64), how);
}

/* ---- which thread has read ---- */

// EXPECT some_lanes_read 0 race
// CHECKS racecheck
// SAYS thread (20,0,0)
__global__ void some_lanes_read(int *x, int *y) {
    int t = threadIdx.x;
    if (blockIdx.x == 0 && t >= 8)
        y[t] = x[t];
    if (blockIdx.x == 1 && t == 0)
        x[20] = 1;
}
static void case_some_lanes_read(void) {
    some_lanes_read<<<2, 32>>>(device_array<int>(32), device_array<int>(32));
}

// EXPECT read_over_an_edge 0 race
// CHECKS racecheck
// SAYS thread (20,0,0)
// SAYS thread (54,0,0)
// SAYS thread (85,0,0)
// SAYS ERROR SUMMARY: 3 errors
__global__ void read_over_an_edge(int *x, int *y) {
    int t = threadIdx.x;
    if (blockIdx.x == 0 && t < 32 && t >= 8) // the first that is logged
        y[t] = x[EDGE - 16 + t];
    if (blockIdx.x == 0 && t / 32 == 1)
        y[t] = x[EDGE + 8 + t];
    if (blockIdx.x == 0 && t / 32 == 2) {
#pragma unroll 1
        for (int far = FAR; far >= 0; far -= FAR)
            y[t] = x[2 * EDGE - 16 - 64 + t + far];
    }
    if (blockIdx.x == 1 && t == 0) {
        x[EDGE - 16 + 20] = 1;
        x[EDGE + 8 + 54] = 1;
        x[2 * EDGE - 16 - 64 + 85] = 1;
    }
}
static void case_read_over_an_edge(void) {
    read_over_an_edge<<<2, 96>>>(device_array<int>(3 * EDGE + FAR), device_array<int>(96));
}

// EXPECT written_over_an_edge 0 race
// CHECKS racecheck
// SAYS thread (20,0,0)
__global__ void written_over_an_edge(int *x, int *y) {
    int t = threadIdx.x;
    if (blockIdx.x == 0)
        x[EDGE - 16 + t] = t;
    if (blockIdx.x == 1 && t == 0)
        y[0] = x[EDGE + 4];
}
static void case_written_over_an_edge(void) {
    written_over_an_edge<<<2, 32>>>(device_array<int>(2 * EDGE), device_array<int>(1));
}

// EXPECT halves_read_apart 0 race
// CHECKS racecheck
// SAYS thread (3,0,0)
// SAYS thread (19,0,0)
// SAYS thread (35,0,0)
// SAYS thread (51,0,0)
// SAYS ERROR SUMMARY: 4 errors
__global__ void halves_read_apart(int *x, int *y) {
    int t = threadIdx.x;
    if (blockIdx.x == 0 && t < 32) {
#pragma unroll 1
        for (int far = FAR; far >= 0; far -= FAR)
            y[t] = x[t / 16 * 64 + t % 16 + far];
    }
    if (blockIdx.x == 0 && t >= 32 && t < 52)
        y[t] = x[t - 12]; // logged: what comes now is, too
    if (blockIdx.x == 0 && t >= 32) {
#pragma unroll 1
        for (int far = FAR; far >= 0; far -= FAR)
            y[t] = x[t / 16 * 64 + t % 16 + far];
    }
    if (blockIdx.x == 1 && t == 0) {
        x[3] = 1;
        x[64 + 3] = 1;
        x[128 + 3] = 1;
        x[192 + 3] = 1;
    }
}
static void case_halves_read_apart(void) {
    halves_read_apart<<<2, 64>>>(device_array<int>(EDGE + FAR), device_array<int>(64));
}

/* ---- rows that a block after the other reads or writes ---- */

// EXPECT rows_with_a_gap 0 none
// CHECKS racecheck
// SAYS ERROR SUMMARY: 0 errors
__global__ void rows_with_a_gap(int *x, int *y) {
    int t = threadIdx.x;
    if (blockIdx.x == 0 && t / 32 % 2 == 0)
        x[t] = y[t];
    if (blockIdx.x == 1 && t / 32 % 2)
        y[t] = x[t];
}
static void case_rows_with_a_gap(void) {
    rows_with_a_gap<<<2, 160>>>(device_array<int>(160), device_array<int>(160));
}

// EXPECT row_written_again 0 race
// CHECKS racecheck
// SAYS thread (5,0,0)
// SAYS thread (40,0,0)
// SAYS thread (90,0,0)
// SAYS ERROR SUMMARY: 9 errors
__global__ void row_written_again(int *x, int *y, int warp) {
    int t = threadIdx.x;
    for (int k = 0; blockIdx.x == 0 && k < 3; k++) {
        x[t] = k;
        asm volatile("" ::: "memory"); // each time anew
    }
    __syncthreads();
    if (blockIdx.x == 0 && t / 32 == warp) {
#pragma unroll 1
        for (int far = FAR; far >= 0; far -= FAR)
            x[t + far] = 2 * t; // a part of what has been written
    }
    if (blockIdx.x == 1 && t == 0)
        y[0] = x[5];
    if (blockIdx.x == 1 && t == 0)
        y[1] = x[40];
    if (blockIdx.x == 1 && t == 0)
        y[2] = x[90];
}
static void case_row_written_again(void) {
    for (int warp = 0; warp < 3; warp++)
        row_written_again<<<2, 96>>>(device_array<int>(96 + FAR), device_array<int>(3), warp);
}

// EXPECT row_read_then_written 0 race
// CHECKS racecheck
// SAYS thread (5,0,0)
// SAYS thread (40,0,0)
// SAYS thread (90,0,0)
// SAYS ERROR SUMMARY: 12 errors
__global__ void row_read_then_written(int *x, int *y, int warp) {
    int t = threadIdx.x;
    if (blockIdx.x == 0 && t == 0)
        x[200] = 1; // so the reads are not logged
    __syncthreads();
    if (blockIdx.x == 0)
        y[t] = x[t];
    __syncthreads();
    if (blockIdx.x == 0 && t / 32 == warp) {
#pragma unroll 1
        for (int far = FAR; far >= 0; far -= FAR)
            x[t + far] = t; // a part of what has been read
    }
    if (blockIdx.x == 1 && t == 0)
        x[5] = 1;
    if (blockIdx.x == 1 && t == 0)
        x[40] = 1;
    if (blockIdx.x == 1 && t == 0)
        x[90] = 1;
}
static void case_row_read_then_written(void) {
    for (int warp = 0; warp < 4; warp++) // the last comes before the others, whose reads are then remembered together
        row_read_then_written<<<2, 128>>>(device_array<int>(128 + FAR), device_array<int>(128), warp);
}

/* ---- what two readers have settled ---- */

// EXPECT settled_straddling 0 race
// CHECKS racecheck
// SAYS thread (3,0,0)
// SAYS ERROR SUMMARY: 5 errors
__global__ void settled_straddling(int *x, int *y) {
    int t = threadIdx.x, b = blockIdx.x;
    __syncwarp(); // the reads are not logged, but remembered at once
    if (b < 3 && t < 16)
        y[t] = x[56 + t]; // some of it in 64 words, some in the next
    if (b == 3 && t < 8) {
        y[t] = x[t];
        y[t] = x[48 + t];
        y[t] = x[72 + t];
        y[t] = x[128 + t];
        y[t] = x[192 + t];
    }
    if (b == 4 && t == 0) {
        x[3] = 1;
        x[48 + 3] = 1;
        x[72 + 3] = 1;
        x[128 + 3] = 1;
        x[192 + 3] = 1;
    }
}
static void case_settled_straddling(void) {
    settled_straddling<<<5, 32>>>(device_array<int>(EDGE), device_array<int>(32));
}

// EXPECT settled_straddling_shared 0 race
// CHECKS racecheck
// SAYS thread (99,0,0)
// SAYS ERROR SUMMARY: 4 errors
__global__ void settled_straddling_shared(int *y) {
    __shared__ int x[EDGE];
    int t = threadIdx.x % 32, w = threadIdx.x / 32;
    __syncwarp();
    if (w < 3 && t < 16)
        y[32 * w + t] = x[56 + t];
    if (w == 3 && t < 8) {
        y[96 + t] = x[t];
        y[104 + t] = x[48 + t];
        y[112 + t] = x[72 + t];
        y[120 + t] = x[128 + t];
    }
    if (w == 4 && t == 0) {
        x[3] = 1;
        x[51] = 1;
        x[75] = 1;
        x[131] = 1;
    }
}
static void case_settled_straddling_shared(void) {
    settled_straddling_shared<<<1, 160>>>(device_array<int>(128));
}

/* What each does in turn: first enough of them read that a read by another would change nothing. */
__device__ int one_of_several(int *x, int who) {
    __syncwarp(); // the reads are not logged, but remembered at once
    return access(x, who == 3 ? WRITE : who == 5 ? UPDATE : READ);
}

// EXPECT settled_then_written 0 race
// CHECKS racecheck
// SAYS ERROR SUMMARY
__global__ void settled_then_written(int *x, int *y) {
    y[blockIdx.x * 32 + threadIdx.x] = one_of_several(&x[threadIdx.x], blockIdx.x);
}
static void case_settled_then_written(void) {
    settled_then_written<<<7, 32>>>(device_array<int>(32), device_array<int>(224));
}

// EXPECT settled_then_written_shared 0 race
// CHECKS racecheck
// SAYS ERROR SUMMARY
__global__ void settled_then_written_shared(int *y) {
    __shared__ int x[32];
    y[threadIdx.x] = one_of_several(&x[threadIdx.x % 32], threadIdx.x / 32);
}
static void case_settled_then_written_shared(void) {
    settled_then_written_shared<<<1, 224>>>(device_array<int>(224));
}

/* ---- a word for each lane, far apart ---- */

enum { COLUMNS = 48, COLUMN = 40 }; /* so many that the last are remembered word by word */

/* Some lanes of block 0 go through columns of rows so long, a few times; then block 1 comes to a single word. */
__global__ void columns(int *x, int *y, int row, unsigned lanes, int lane, int how, int times) {
    int t = threadIdx.x, sum = 0;
    for (int k = 0; blockIdx.x == 0 && k < times; k++) {
        if (k)
            access(&x[2 * COLUMNS + t], how); // one chunk has seen more than the others
        __syncthreads();
        for (int c = 0; c < COLUMNS; c++) {
            int *at = &x[t * row + c];
            if (lanes >> t & 1)
                sum += access(at, how);
        }
        __syncthreads();
    }
    if (blockIdx.x == 0)
        y[t] = sum;
    if (blockIdx.x == 1 && t == 0)
        y[32] = access(&x[lane * row + COLUMN], how == READ ? WRITE : READ);
}
static void all_lanes(int row, unsigned lanes, int how, int times) {
    int *y = device_array<int>(33);
    for (int lane = 0; lane < 32; lane++) {
        int *x = device_array<int>(32 * row);
        columns<<<2, 32>>>(x, y, row, lanes, lane, how, times);
        cudaFree(x);
    }
}

// EXPECT column_written 0 race
// CHECKS racecheck
// SAYS thread (7,0,0)
// SAYS ERROR SUMMARY: 32 errors
static void case_column_written(void) {
    all_lanes(EDGE, ~0u, WRITE, 1);
}

// EXPECT column_written_twice 0 race
// CHECKS racecheck
// SAYS thread (7,0,0)
// SAYS ERROR SUMMARY: 32 errors
static void case_column_written_twice(void) {
    all_lanes(EDGE + 1, ~0u, WRITE, 2);
}

// EXPECT column_read 0 race
// CHECKS racecheck
// SAYS thread (7,0,0)
// SAYS ERROR SUMMARY: 32 errors
static void case_column_read(void) {
    all_lanes(EDGE, ~0u, READ, 1);
}

// EXPECT column_read_twice 0 race
// CHECKS racecheck
// SAYS thread (7,0,0)
// SAYS ERROR SUMMARY: 32 errors
static void case_column_read_twice(void) {
    all_lanes(EDGE + 1, ~0u, READ, 2);
}

// EXPECT two_rows_in_a_chunk 0 race
// CHECKS racecheck
// SAYS thread (7,0,0)
// SAYS ERROR SUMMARY: 64 errors
static void case_two_rows_in_a_chunk(void) {
    all_lanes(EDGE / 2, ~0u, WRITE, 1);
    all_lanes(EDGE / 2, ~0u, READ, 1);
}

// EXPECT column_of_some_lanes 0 race
// CHECKS racecheck
// SAYS thread (6,0,0)
// SAYS ERROR SUMMARY: 18 errors
static void case_column_of_some_lanes(void) {
    all_lanes(EDGE, 0xd6b5ad68u, WRITE, 1);
}

/* The same lanes, but each has an address, and the instruction a predicate. */
__global__ void columns_by_predicate(int *x, int *y, unsigned lanes) {
    int t = threadIdx.x, sum = 0;
    if (blockIdx.x == 1) {
        y[32 + t] = x[t * EDGE + COLUMNS + COLUMN];
        return;
    }
#pragma unroll 1
    for (int c = 0; c < COLUMNS; c++)
        x[t * EDGE + c] = c;
#pragma unroll 1
    for (int c = 0; c < COLUMNS; c++) {
        int *at = &x[t * EDGE + COLUMNS + c], on = lanes >> t & 1, value = -1;
        asm volatile(
            "{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p st.global.u32 [%1], %3;\n@p ld.global.u32 %0, [%1];\n}"
            : "+r"(value)
            : "l"(at), "r"(on), "r"(c)
            : "memory");
        sum += value;
    }
    y[t] = sum;
}

// EXPECT column_by_predicate 0 race
// CHECKS racecheck
// SAYS thread (3,0,0)
// SAYS [18 hazards]
static void case_column_by_predicate(void) {
    int *x = device_array<int>(32 * EDGE), *y = device_array<int>(64), host[32];
    columns_by_predicate<<<2, 32>>>(x, y, 0xd6b5ad68u);
    cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 32; t++)
        printf("%d ", host[t]); // compared between the slow path and the fast path
    printf("\n");
}

/* Two blocks that run at once go through a column each of the same rows, again and again; check.test.sh has more than one host thread
 * for these. Then each goes through its own columns once more, or through the other's. */
__global__ void side_by_side(int *x, int *y, int other) {
    int t = threadIdx.x, b = blockIdx.x, sum = 0;
    for (int c = b; c < EDGE; c += 2)
        x[t * EDGE + c] = c;
    for (int c = b ^ other; c < EDGE; c += 2)
        sum += x[t * EDGE + c];
    y[b * 32 + t] = sum;
}
static void run_side_by_side(int other) {
    int *y = device_array<int>(64);
    for (int i = 0; i < 8; i++) {
        int *x = device_array<int>(32 * EDGE);
        side_by_side<<<2, 32>>>(x, y, other);
        cudaFree(x);
    }
}

// AT ONCE columns_apart 0
static void case_columns_apart(void) {
    run_side_by_side(0);
}

// AT ONCE columns_met 65536
static void case_columns_met(void) {
    run_side_by_side(1);
}

/* The same by the warps of many blocks, in a kernel without a loop: from one warp to the next a block may then keep locked what it
 * remembers of the rows. */
enum { SHORT_BLOCKS = 16, SHORT_WARPS = 4, SHORT_COLUMNS = EDGE / SHORT_BLOCKS / SHORT_WARPS };
__global__ void side_by_side_in_short(int *x, int *y, int other) {
    int t = threadIdx.x % 32, warp = blockIdx.x * SHORT_WARPS + threadIdx.x / 32, sum = 0;
#pragma unroll
    for (int k = 0; k < SHORT_COLUMNS; k++)
        x[t * EDGE + k * SHORT_BLOCKS * SHORT_WARPS + warp] = k;
#pragma unroll
    for (int k = 0; k < SHORT_COLUMNS; k++)
        sum += x[t * EDGE + k * SHORT_BLOCKS * SHORT_WARPS + (warp ^ other)];
    y[warp * 32 + t] = sum;
}
static void run_side_by_side_in_short(int other) {
    int *x = device_array<int>(32 * EDGE), *y = device_array<int>(SHORT_BLOCKS * SHORT_WARPS * 32);
    for (int i = 0; i < 8; i++)
        side_by_side_in_short<<<SHORT_BLOCKS, SHORT_WARPS * 32>>>(x, y, other);
}

// AT ONCE short_columns_apart 0
static void case_short_columns_apart(void) {
    run_side_by_side_in_short(0);
}

// AT ONCE short_columns_met 65536
static void case_short_columns_met(void) {
    run_side_by_side_in_short(SHORT_WARPS);
}

/* Columns, then a row across them, by the same block, which then comes to what it keeps locked itself. */
__global__ void columns_then_row(int *x, int *y, int row) {
    int t = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int k = 0; k < 16; k++) // so many that the last are remembered word by word
        x[t * EDGE + k * SHORT_WARPS + warp] = k;
    if (warp == SHORT_WARPS - 1 && row >= 0)
        y[t] = x[row * EDGE + t];
}

// EXPECT columns_then_row 0 race
// CHECKS racecheck
// SAYS thread (5,0,0)
// SAYS thread (96,0,0)
// SAYS [24 hazards]
static void case_columns_then_row(void) {
    columns_then_row<<<1, SHORT_WARPS * 32>>>(device_array<int>(32 * EDGE), device_array<int>(32), 5);
}

/* Whoever comes next is another host thread: all have let go. */
// EXPECT columns_then_columns 0 none
// CHECKS racecheck
// SAYS ERROR SUMMARY: 0 errors
static void case_columns_then_columns(void) {
    int *x = device_array<int>(32 * EDGE), *y = device_array<int>(32);
    cudaStream_t other;
    cudaStreamCreate(&other);
    columns_then_row<<<1, SHORT_WARPS * 32>>>(x, y, -1);
    cudaDeviceSynchronize();
    columns_then_row<<<1, SHORT_WARPS * 32, 0, other>>>(x, y, -1);
}

static const test_case cases[] = {
    CASE(second_byte_then_atomic),
    CASE(second_byte_then_some_atomics),
    CASE(atomic_then_second_byte),
    CASE(second_byte_then_word),
    CASE(word_then_second_byte),
    CASE(some_lanes_read),
    CASE(read_over_an_edge),
    CASE(written_over_an_edge),
    CASE(halves_read_apart),
    CASE(rows_with_a_gap),
    CASE(row_written_again),
    CASE(row_read_then_written),
    CASE(settled_straddling),
    CASE(settled_straddling_shared),
    CASE(settled_then_written),
    CASE(settled_then_written_shared),
    CASE(column_written),
    CASE(column_written_twice),
    CASE(column_read),
    CASE(column_read_twice),
    CASE(two_rows_in_a_chunk),
    CASE(column_of_some_lanes),
    CASE(column_by_predicate),
    CASE(columns_apart),
    CASE(columns_met),
    CASE(short_columns_apart),
    CASE(short_columns_met),
    CASE(columns_then_row),
    CASE(columns_then_columns),
};

int main(int argc, char **argv) {
    int status = run_case(cases, sizeof cases / sizeof *cases, argc, argv);
    printf("compiled %d\n", kernels_compiled());
    return status;
}
