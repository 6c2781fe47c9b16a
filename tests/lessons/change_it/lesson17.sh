# Lesson 17: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).
wavefronts() { printed "/^gemm_kernel$1 / { print \$NF }"; }

# What change 2 runs has version 6 with its wider tiles, which change no result.
together 1 '/gemm_kernel6(int/,/^}/s/PAD = PIECE/PAD = 2 * PIECE/' \
  2 '/^static __device__ void round_elements(wmma/,/^}/{/^#pragma/d;/^    for/,/^    }/d;}'
change 1
ran V=6 SIZE=256
ended 0
says "$(wavefronts 6) wavefronts instead of 4.50"

change 2
ran
ended error
answers error 'allowed'
says "becomes $(printed '/^error, all, A and B from -1/ { found = 1 } found && $1 == 16 { print $3; exit }') instead of 2.63e-04"

change 3 '/static __device__ void store_tile(/,/^}/{/__syncwarp(); .. the next/d;}'
sanitized V=4 SIZE=31
ended 0
answers 0 'Race reported'
answers 0 'wmma::store_matrix_sync(patch, tile, T, wmma::mem_row_major);'
