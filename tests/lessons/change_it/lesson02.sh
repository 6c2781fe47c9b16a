# Lesson 02: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 '/^static void run1/,/^}/s/cudaMemcpyDeviceToHost/cudaMemcpyHostToDevice/' \
  2 '/^static void run3/,/^}/{/cudaDeviceSynchronize/d}' \
  3 's/float \*row = (float \*)((char \*)x + blockIdx.x \* pitch);/float *row = x + blockIdx.x * pitch;/'
change 1
ran V=1 SIZE=1000
answers error cudaErrorInvalidValue

change 2
# On a busy machine even this kernel may be done before the host copies, but not each time.
for attempt in 1 2 3 4 5; do
  ran V=3 SIZE=1000000
  [ "$status" = 0 ] || break
done
answers error 'wrong for n = 1000000'

# With one thread of the host the blocks come in order.
change 3
ran V=5 EMULATOR_THREADS=1
answers error 'Invalid __global__ read of size 4 bytes'
answers error 'in block (8,0,0)'
ran V=5 SIZE=1
ended 0
