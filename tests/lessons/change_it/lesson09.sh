# Lesson 09: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

# The row of a version in the table of shared atomics.
atomics() { printed "/^wavefronts of shared atomics/ { table = 1 } /^wavefronts of shared loads/ { table = 0 } table && /^histogram_kernel$1 / { print $2 }"; }

together 1 '/histogram_kernel3(const/,/^}/s/atomicAdd(&bins\[b\], 1)/bins[b]++/' \
  2 '/histogram_kernel7(const/,/^}/s/int lane = threadIdx.x % WARP;/int lane = threadIdx.x \/ WARP;/' \
  3 '/histogram_kernel5(const/,/^}/s/atomicAdd(&bins\[first\], 4);/one(first), one(first), one(first), one(first);/'
change 1
ran V=3 SIZE=1000
ended 1
says 'of 1000 bytes of one value'
sanitized V=3 SIZE=1000
answers error 'Race reported between'

change 2
ran V=7
ended 0
says "$(atomics 7 '$2') wavefronts for uniform bytes"
says "$(atomics 7 '$3') for one value"

change 3
ran V=5
ended 0
says "$(atomics 5 '$3') wavefronts for one value"
