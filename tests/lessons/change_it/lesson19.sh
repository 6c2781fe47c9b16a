# Lesson 19: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

change 1 '/gemm_hopper_kernel1(const/,/^}/s/if (i < n) {/{/'
ran V=1
answers error 'Invalid __global__ read of size 4 bytes'
answers error 'by thread (1,0,0) in block (0,0,0)'
