# Lesson 23: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 's/asm("tanh.approx.f32.*/t = tanhf(half);/' \
  3 's/(1\.0 + exp/(1 + exp/'
change 1
ran V=5 SIZE=262144
ended 0
says "It is still $(printed '/^silu_kernel5/ && NF == 7 { print $2 }') parts of 2^-24"
says "It takes $(printed '/^silu_kernel5/ && NF == 6 { print $2 }') instructions"

change 2 's|^// nvcc:.*|// nvcc: -gencode arch=compute_90,code=compute_90|'
ran V=2 SIZE=1000 EMULATOR_CAPABILITY=8.6
answers error 'cudaErrorNoKernelImageForDevice'
answers error "the executable's PTX is for compute_90, and the emulator has compute capability 8.6"

change 3
ran V=1 SIZE=262144
ended 0
says "$(printed '/^silu_kernel1/ && NF == 6 { print $2 }') instructions, those of version 2"
