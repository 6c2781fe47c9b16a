# Lesson 15: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/everyone has read them/d'
sanitized V=4 SIZE=40
answers error 'with no __syncthreads() between'
ran V=4 SIZE=40
ended error

change 2 's/^    float sum = 0.0f;$/    float sum = 0.0f; if (row >= M || col >= N) { return; }/'
ran V=4 SIZE=33
answers error FAIL
sanitized V=4 SIZE=33
answers error 'Uninitialized __shared__ memory read'

turned='s/tile_B\[y\]\[x\] =/tile_B[x][y] =/; s/tile_B\[k\]\[x\]/tile_B[x][k]/'
change 3 "$turned"
ran V=5
says "$(printed '/^sgemm_kernel3<32>/ { print $NF }') wavefronts per 32 FMA on the emulator"
change 3 "$turned; s/tile_B\[TILE\]\[TILE\]/tile_B[TILE][TILE + 1]/"
ran V=5
says "with 33 floats in a row $(printed '/^sgemm_kernel3<32>/ { print $NF }'), as before"

change 4 's/{"sgemm_kernel3<32>", sgemm3<32>},/&{"sgemm_kernel3<64>", sgemm3<64>},/'
ran V=6 SIZE=64
answers error "cudaErrorInvalid$(. build/configuration; [ "$CUDA_MAJOR" = 12 ] && echo Configuration || echo Value)"
