# Lesson 08: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 '/transpose_kernel4(const/,/^}/s/TILE + 1/TILE + 2/' \
  2 '/transpose_kernel3(const/,/^}/{/__syncthreads/d;}' \
  3 '/transpose_kernel11(float/,/^}/s/r0 != c0 && //'
change 1
ran V=4 SIZE=1024
ended 0
says "$(printed '/^transpose_kernel4/ && NF == 5 { print $4 }') wavefronts"

change 2
sanitized V=3 SIZE=100
answers error 'tile[threadIdx.y][threadIdx.x] = in[(size_t)r * cols + c];'
answers error 'out[(size_t)c * rows + r] = tile[threadIdx.x][threadIdx.y];'
answers error 'with no __syncthreads() between'

change 3
ran V=11 SIZE=1000
ended 0
says "$(printed '/^transpose_kernel11/ && NF == 5 { print $3 }') sectors stored"
