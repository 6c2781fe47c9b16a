# Lesson 34: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/^def gelu_kernel2/,/^$/s/(ONE + /(1 + /'
ran V=3
answers error 'gelu_kernel2: 3 instructions of fp64 in its PTX'

change 2 '/^    tile\[t\] = mine$/{n;d}'
sanitized V=6 SIZE=1000
answers error 'Race reported between Read access'
answers error '_cudapy_smem_1'

change 3 's|cuda.shared.array(WARPS, float32)|cuda.shared.array(BLOCK // 32, float32)|'
ran V=6 SIZE=1000
answers error 'No implementation of function Function(<function shared.array'
answers error 'array(int64, class(float32))'
