# Lesson 01: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/vecadd_kernel3(const/,/^}/s/if (i < n) {.*/{/'
ran SIZE=1000 V=3
answers error 'Invalid __global__ read of size 4 bytes'
answers error 'by thread (232,0,0) in block (3,0,0)'
answers error 'This is element 1000 of an allocation of 1000 elements'

change 2 's|return (n + BLOCK - 1) / BLOCK;|return n / BLOCK;|'
ran V=3
answers error 'The grid is 0 x 1 x 1 blocks, which is empty.'
ran V=3 SIZE=1000
answers error 'never written'
says "the elements from $(printed '/never written/ { print $1; exit }') on"
ran V=3 SIZE=256
ended 0

change 3 's/vecadd_kernel3<<<blocks_for(n), BLOCK, 0, stream>>>/vecadd_kernel3<<<BLOCK, blocks_for(n), 0, stream>>>/'
ran V=3 SIZE=1000
ended 0
says "a load of a warp moves $(printed '/^vecadd_kernel3/ { print $3 }') instead of 4.00 sectors"
ran V=3 SIZE=300000
answers error 'The block is 1172 x 1 x 1 = 1172 threads; at most 1024'
