# Lesson 11b: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/^static __device__ element look_back_one/,/^}/{
  /if (status_of(w) == PREFIX) {/,/}/d
}'
ran V=7 SIZE=1000003
answers error 'are wrong'

change 2 's/tile = (int)atomicAdd(ticket, 1u);$/tile = gridDim.x - 1 - blockIdx.x;/'
ran V=8 SIZE=1000003
answers 0 'PASS'
