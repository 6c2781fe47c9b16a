# Lesson 14: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

piece='for (int n = lane * N \/ WARP; n < (lane + 1) * N \/ WARP; n++)'
together 1 "/void gemv_kernel2(/,/^}/s/for (int n = lane; n < N; n += WARP)/$piece/" \
  2 '/float block_sums(/,/^}/{/__syncthreads/d;}'
change 1
ran V=2 SIZE=1024
ended 0
says "$(printed '/^gemv_kernel2/ { print $3 }') sectors"

change 2
sanitized V=5 SIZE=100
answers error 'sums[turn][first + lane][warp] = total;'
answers error 'total += sums[turn][threadIdx.x][k];'
answers error 'with no __syncthreads() between'

change 3 's/ - 8.0f \* ready.sum//'
ran V=10 SIZE=128
ended error
says "$(printed '/are wrong/ && !n++ { print $1 " of " $3 }')"
