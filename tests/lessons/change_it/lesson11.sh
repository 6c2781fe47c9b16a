# Lesson 11: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 '/^static __global__ void scan_kernel1/,/^}/{
  s/s\[1 - now\]\[t\] =/s[now][t] =/
  /now = 1 - now;/d
}' \
  2 '/^static __device__ element look_back_one/,/^}/{
  /if (status_of(w) == PREFIX) {/,/}/d
}'
change 1
sanitized V=1 SIZE=1000
answers error 'Race reported between Write access'
answers error 'with no __syncthreads() between'

change 2
ran V=7 SIZE=1000003
answers error 'are wrong'

change 3 's/tile = (int)atomicAdd(ticket, 1u);$/tile = gridDim.x - 1 - blockIdx.x;/'
ran V=8 SIZE=1000003
answers 0 'PASS'
