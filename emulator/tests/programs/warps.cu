// Shuffles of every kind and width, votes, match, reductions of a warp, and masks of part of a warp.
#include "program.h"

__global__ void shuffles(int *out) {
    int lane = threadIdx.x % 32, value = 100 + lane;
    int *row = out + 32 * 8 * (threadIdx.x / 32) + lane;
    row[0] = __shfl_sync(0xffffffff, value, (lane + 5) % 32);
    row[32] = __shfl_sync(0xffffffff, value, 2, 8);
    row[64] = __shfl_up_sync(0xffffffff, value, 3);
    row[96] = __shfl_up_sync(0xffffffff, value, 1, 4);
    row[128] = __shfl_down_sync(0xffffffff, value, 7);
    row[160] = __shfl_down_sync(0xffffffff, value, 2, 16);
    row[192] = __shfl_xor_sync(0xffffffff, value, 0x15);
    row[224] = __shfl_xor_sync(0xffffffff, value, 9, 8);
}

static void expected_shuffles(int *out) {
    for (int lane = 0; lane < 32; lane++) {
        int *row = out + lane;
        row[0] = 100 + (lane + 5) % 32;
        row[32] = 100 + lane / 8 * 8 + 2;
        row[64] = 100 + (lane >= 3 ? lane - 3 : lane);
        row[96] = 100 + (lane % 4 >= 1 ? lane - 1 : lane);
        row[128] = 100 + (lane + 7 < 32 ? lane + 7 : lane);
        row[160] = 100 + (lane % 16 + 2 < 16 ? lane + 2 : lane);
        row[192] = 100 + (lane ^ 0x15);
        /* an xor that leaves the segment upwards keeps the own value; downwards it is allowed */
        row[224] = 100 + ((lane ^ 9) <= (lane | 7) ? lane ^ 9 : lane);
    }
}

__global__ void wide_shuffles(double *d, long long *l) {
    int lane = threadIdx.x;
    d[lane] = __shfl_xor_sync(0xffffffff, 1.5 * lane, 1);
    l[lane] = __shfl_down_sync(0xffffffff, (long long)lane << 40 | lane, 4);
}

__global__ void votes(unsigned *out, int limit) {
    int lane = threadIdx.x;
    unsigned *row = out + lane * 8;
    row[0] = __ballot_sync(0xffffffff, lane < limit);
    row[1] = __all_sync(0xffffffff, lane < 32);
    row[2] = __any_sync(0xffffffff, lane == limit);
    row[3] = __all_sync(0xffffffff, lane < limit);
    row[4] = __match_any_sync(0xffffffff, lane / 5);
    int same;
    row[5] = __match_all_sync(0xffffffff, limit, &same);
    row[6] = same;
    row[7] = __activemask();
}

// Halves of a warp shuffle and vote each with their own mask.
__global__ void halves(int *out) {
    int lane = threadIdx.x;
    if (lane < 16) {
        int x = __shfl_xor_sync(0x0000ffff, lane, 3);
        out[lane] = x + 1000 * __popc(__ballot_sync(0x0000ffff, x & 1));
    } else {
        int x = __shfl_sync(0xffff0000, lane, 31 - (lane & 15));
        __syncwarp(0xffff0000);
        out[lane] = x + 1000 * __popc(__activemask());
    }
}

__global__ void sums(int *out) {
    int lane = threadIdx.x, x = lane * lane - 300;
    int inclusive = x;
    for (int d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(0xffffffff, inclusive, d);
        if (lane >= d)
            inclusive += y;
    }
    out[lane] = inclusive;
    for (int d = 16; d; d /= 2)
        x = max(x, __shfl_xor_sync(0xffffffff, x, d));
    out[32 + lane] = x;
}

int main() {
    int found[256 * 2], expected[256];
    int *out = device_zeros<int>(512);
    expected_shuffles(expected);
    shuffles<<<1, 64>>>(out);
    FINISH();
    from_device(found, out, 512);
    check_equal("shuffles", expected, found, 256);
    check_equal("shuffles of the second warp", expected, found + 256, 256);

    double d[32], *device_d = device_zeros<double>(32);
    long long l[32], *device_l = device_zeros<long long>(32);
    wide_shuffles<<<1, 32>>>(device_d, device_l);
    FINISH();
    from_device(d, device_d, 32);
    from_device(l, device_l, 32);
    bool right = true;
    for (int i = 0; i < 32; i++) {
        long long from = i + 4 < 32 ? i + 4 : i;
        right &= d[i] == 1.5 * (i ^ 1) && l[i] == (from << 40 | from);
    }
    check("shuffles of 64 bits", right);

    unsigned vote[256], *device_vote = (unsigned *)out;
    votes<<<1, 32>>>(device_vote, 11);
    FINISH();
    from_device(vote, device_vote, 256);
    right = true;
    for (int lane = 0; lane < 32; lane++) {
        unsigned *row = vote + lane * 8, group = 0;
        for (int i = 0; i < 32; i++)
            group |= (unsigned)(i / 5 == lane / 5) << i;
        right &=
            row[0] == 0x7ff && row[1] && row[2] && !row[3] && row[4] == group && row[5] == 0xffffffff && row[6] == 1;
        right &= row[7] == 0xffffffff;
    }
    check("votes and matches", right);

    halves<<<1, 32>>>(out);
    FINISH();
    from_device(found, out, 32);
    for (int lane = 0; lane < 32; lane++)
        expected[lane] = lane < 16 ? (lane ^ 3) + 8000 : 31 - (lane & 15) + 16000;
    check_equal("halves of a warp", expected, found, 32);

    sums<<<1, 32>>>(out);
    FINISH();
    from_device(found, out, 64);
    for (int lane = 0, sum = 0; lane < 32; lane++) {
        expected[lane] = sum += lane * lane - 300;
        expected[32 + lane] = 31 * 31 - 300;
    }
    check_equal("scan and maximum of a warp", expected, found, 64);
    return program_failures;
}
