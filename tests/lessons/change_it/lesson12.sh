# Lesson 12: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 '/softmax_kernel1(const/,/^}/s/__expf(x\[c\] - largest)/__expf(x[c])/' \
  3 '/struct pair block_pair(/,/^}/{/__syncthreads/d;}'
change 1
ran V=1 SIZE=100
answers error 'softmax_kernel1, 100 x 100: row 1'
says "$(printed '/^ +0 / && !found { print $3; found = 1 }')"

change 2 's/return largest == -INFINITY ? 0.0f : __expf(largest - larger);/return __expf(largest - larger);/'
ran V=3 SIZE=1000
answers error 'softmax_kernel3, 100 x 1000: row 3'
answers error '1000 of 1000 are wrong'

change 3
sanitized V=5 SIZE=1000
answers error 'return warp_pair(lane < THREADS / WARP ? pairs[lane] : nothing);'
answers error 'pairs[warp] = p;'
answers error 'with no __syncthreads() between'
