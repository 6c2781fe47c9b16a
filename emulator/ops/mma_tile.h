/* The fast path of matrix products: tiles of 16 rows and 8 columns of D, all of whose sums are of usual size. Vectors
 * have the lanes of a register: lane l's word is in row l / 4, so C and D need not be rearranged. mma_float.c defines
 * the sums, and handles everything that this does not: it is the slow path, and both give the same results. */
#ifndef OPS_MMA_TILE_H
#define OPS_MMA_TILE_H

#include "machine/simd.h"
#include "ops/matrix.h"

#define TILE_DEPTH    32 /* elements along k at most */
#define TILE_WORDS    8  /* words along k: two blocks of 4 */
#define TILE_QUARTERS 4  /* of the 16 rows: four in a vector, each in the lanes of four columns */
#define TILE_SIDES    2  /* even and odd columns */

typedef int16_t simd_i16 __attribute__((vector_size(64), may_alias));

/* A: for each k its value, and for pairs of k both exponents, in the lanes of the rows. */
struct tile_rows {
    simd_f32 value[TILE_DEPTH][TILE_QUARTERS];
    simd_u32 exponent[TILE_DEPTH / 2][TILE_QUARTERS];
};
/* B: the same of four columns, which are in the lanes of each row. */
struct tile_columns {
    _Alignas(64) float value[TILE_DEPTH][TILE_SIDES][4];
    _Alignas(64) uint32_t exponent[TILE_DEPTH / 2][TILE_SIDES][4];
};

/* Four rows' words of a block of four along k: row after row. */
typedef simd_u32 tile_words;

/* The operands, and how the sum is rounded. */
struct tile_kind {
    bool integers;
    uint8_t depth;
    bool to_f16;           /* C and D are f16, otherwise f32, or s32 */
    bool no_negative_zero; /* in f16; in f32 there is none */
};

/* blocks: of four words along k, 1 or 2 */
void tile_take_rows(enum matrix_type type, tile_words words[TILE_QUARTERS][2], unsigned blocks, struct tile_rows *to);
void tile_take_columns(enum matrix_type type, tile_words words[2][2], unsigned blocks, struct tile_columns *to);

/* c and d: the registers of 8 rows each, of s32 and f32 one for even and one for odd columns. NULL for c: zeros. False
 * where the slow path has to do it; then d is unchanged, and may be the same as c. */
bool tile_multiply(const struct tile_kind *kind, const struct tile_rows *a, const struct tile_columns *b,
                   const void *const c[2][TILE_SIDES], void *const d[2][TILE_SIDES]);

/* mma and wmma.mma: true when all of their tiles took the fast path. */
bool mma_by_tiles(struct warp *w, const struct mma *m);

#endif
