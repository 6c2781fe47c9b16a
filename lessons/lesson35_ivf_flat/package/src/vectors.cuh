/* vectors.cuh - how vectors lie in memory: units of 16 bytes, 4 floats or 8 halves.
 *
 * In rows, a vector's units are one behind the other. In groups, 32 vectors share a piece of memory: unit 0 of all 32, then unit 1 of all 32, and so on.
 * A vector's place is its slot. */
#pragma once

#include <cuda_fp16.h>

template <class Number> struct unit_of;
template <> struct unit_of<float> {
    enum { LENGTH = 4 };
};
template <> struct unit_of<__half> {
    enum { LENGTH = 8 };
};

__device__ inline void unpack(uint4 unit, float (&v)[4]) {
    v[0] = __uint_as_float(unit.x), v[1] = __uint_as_float(unit.y);
    v[2] = __uint_as_float(unit.z), v[3] = __uint_as_float(unit.w);
}

__device__ inline void unpack(uint4 unit, float (&v)[8]) {
    const unsigned words[4] = {unit.x, unit.y, unit.z, unit.w};
#pragma unroll
    for (int w = 0; w < 4; w++) {
        v[2 * w] = __half2float(__ushort_as_half((unsigned short)(words[w] & 0xffff)));
        v[2 * w + 1] = __half2float(__ushort_as_half((unsigned short)(words[w] >> 16)));
    }
}

__device__ inline uint4 pack(const float (&v)[4]) {
    return make_uint4(__float_as_uint(v[0]), __float_as_uint(v[1]), __float_as_uint(v[2]), __float_as_uint(v[3]));
}

__device__ inline unsigned pack_two(float low, float high) {
    return __half_as_ushort(__float2half_rn(low)) | (unsigned)__half_as_ushort(__float2half_rn(high)) << 16;
}

__device__ inline uint4 pack(const float (&v)[8]) {
    return make_uint4(pack_two(v[0], v[1]), pack_two(v[2], v[3]), pack_two(v[4], v[5]), pack_two(v[6], v[7]));
}

__device__ inline float to_float(float v) {
    return v;
}

__device__ inline float to_float(__half v) {
    return __half2float(v);
}

__device__ inline size_t place_in_rows(size_t slot, int unit, int units) {
    return slot * units + unit;
}

__device__ inline size_t place_in_group(size_t slot, int unit, int units) {
    return (slot / 32 * units + unit) * 32 + slot % 32;
}
