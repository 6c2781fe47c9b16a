/* What the wrong solutions have in common: what a multiprocessor is. No guard: joined, each of them has its own. */
enum { WARP = 32 };
enum { SCHEDULERS = 4 };       // each has a quarter of the registers
enum { REGISTER_UNIT = 256 };  // registers that a warp gets at a time
enum { BLOCK_THREADS = 1024 }; // the most that a block may have
enum { THREAD_REGISTERS = 255 };

/* What a multiprocessor has. */
struct machine {
    int blocks, warps; // places for them
    int registers;     // of 32 bits
    int shared;        // bytes of shared memory, for all blocks together
    int shared_block;  // bytes that one block may have
    int reserved;      // bytes that the driver takes for each block, in addition to what it asked for
    int shared_unit;   // shared memory is given in pieces of so many bytes
};

static int round_up(int value, int unit) {
    return (value + unit - 1) / unit * unit;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}
