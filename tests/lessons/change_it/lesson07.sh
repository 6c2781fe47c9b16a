# Lesson 07: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 '/stencil_kernel5(const/,/^}/{/sum_windows/{n;d;}}' \
  2 '/stencil_kernel2(const/,/^}/{/__syncthreads/d;/if (t < 2 \* RADIUS)/,/}/s/^    }/__syncthreads();}/}' \
  3 's/(BLOCK + 2 \* f->radius) \* sizeof(float);/(BLOCK + 2 * f->radius);/'
change 1
sanitized V=5 SIZE=10000
answers error 'tile[threadIdx.x * OUTPUTS + o] = sum[o];'
answers error 'float v = mine[k];'
answers error 'with no __syncthreads() between'

change 2
ran V=2 SIZE=300
ended error
sanitized V=2 SIZE=300
answers error 'Divergent thread(s) in block'

change 3
ran V=3 SIZE=300
answers error 'Invalid __shared__ write'
answers error 'the third launch parameter'
