/* The types of cvt, for macros that instantiate a conversion for each of them.
 *
 * VALUE is the C type of a value, LANE of a lane of the register that holds it, LETTER decode's word for its width. A
 * .u8 or .s8 lives in 16 bits here: a source is read from the low 8, a result is zero- or sign-extended to 16. Where
 * the register is declared wider than that, decode inserts a copy that narrows or (by the type's sign) extends. */
#ifndef CONVERT_TYPES_H
#define CONVERT_TYPES_H

#include "ops/narrow.h"

#define VALUE_u8  uint8_t
#define VALUE_s8  int8_t
#define VALUE_u16 uint16_t
#define VALUE_s16 int16_t
#define VALUE_u32 uint32_t
#define VALUE_s32 int32_t
#define VALUE_u64 uint64_t
#define VALUE_s64 int64_t

#define LANE_u8   uint16_t
#define LANE_s8   uint16_t
#define LANE_u16  uint16_t
#define LANE_s16  uint16_t
#define LANE_u32  uint32_t
#define LANE_s32  uint32_t
#define LANE_u64  uint64_t
#define LANE_s64  uint64_t
#define LANE_f16  uint16_t
#define LANE_bf16 uint16_t
#define LANE_f32  float
#define LANE_f64  double

#define LETTER_u8   "h"
#define LETTER_s8   "h"
#define LETTER_u16  "h"
#define LETTER_s16  "h"
#define LETTER_u32  "w"
#define LETTER_s32  "w"
#define LETTER_u64  "l"
#define LETTER_s64  "l"
#define LETTER_f16  "h"
#define LETTER_bf16 "h"
#define LETTER_f32  "w"
#define LETTER_f64  "l"

#define MIN_u8  0
#define MIN_s8  INT8_MIN
#define MIN_u16 0
#define MIN_s16 INT16_MIN
#define MIN_u32 0
#define MIN_s32 INT32_MIN
#define MIN_u64 0
#define MIN_s64 INT64_MIN

#define MAX_u8  UINT8_MAX
#define MAX_s8  INT8_MAX
#define MAX_u16 UINT16_MAX
#define MAX_s16 INT16_MAX
#define MAX_u32 UINT32_MAX
#define MAX_s32 INT32_MAX
#define MAX_u64 UINT64_MAX
#define MAX_s64 INT64_MAX

/* Whether a type is signed, as a word to paste into a name. */
#define SIGN_u8  unsigned
#define SIGN_s8  signed
#define SIGN_u16 unsigned
#define SIGN_s16 signed
#define SIGN_u32 unsigned
#define SIGN_s32 signed
#define SIGN_u64 unsigned
#define SIGN_s64 signed

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

/* Rounding to an integral number, as .rni .rzi .rmi .rpi do. */
static inline float f32_rni(float x) {
    return __builtin_rintf(x);
}
static inline float f32_rzi(float x) {
    return __builtin_truncf(x);
}
static inline float f32_rmi(float x) {
    return __builtin_floorf(x);
}
static inline float f32_rpi(float x) {
    return __builtin_ceilf(x);
}
static inline double f64_rni(double x) {
    return __builtin_rint(x);
}
static inline double f64_rzi(double x) {
    return __builtin_trunc(x);
}
static inline double f64_rmi(double x) {
    return __builtin_floor(x);
}
static inline double f64_rpi(double x) {
    return __builtin_ceil(x);
}

/* M(type) for every integer type; M(other, type) in EACH_INTEGER2. */
#define EACH_INTEGER(M)     M(u8) M(s8) M(u16) M(s16) M(u32) M(s32) M(u64) M(s64)
#define EACH_INTEGER2(M, T) M(T, u8) M(T, s8) M(T, u16) M(T, s16) M(T, u32) M(T, s32) M(T, u64) M(T, s64)

/* A row of a table of forms: cvt.<name> from type S to type D. */
#define CONVERT_ROW(name, D, S, op) {"cvt." name, LETTER_##D LETTER_##S, op, 0, 0},

#endif
