# Lesson 05: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

# The instructions of version V=$1, as the page rounds them.
instructions() {
  ran V="$1"
  printed '$1 ~ /^shape_kernel/ && NF == 3 { printf "%.0f", $2 }'
}

two='/^static __global__ void echo_kernel6/,/^}/{/__syncwarp();/d}'
three='/^static __global__ void echo_kernel7/,/^}/{
  /float before = __shfl_up_sync/d
  s/v = lane == step ? v + 0.5f \* before : v;/if (lane == step) { v = v + 0.5f * __shfl_up_sync(ALL_LANES, v, 1); }/
}'
if [ "$CUDA_VERSION" = 13.0 ] && [ "$GENCODE" = '-gencode arch=compute_75,code=compute_75' ]; then
  together 1 's/BATCH = 32/BATCH = 8/' 2 "$two" 3 "$three"
  change 1
  says "Both more: $(instructions 4) and $(instructions 5) instead of 1374 and 769"
  change 1 's/BATCH = 32/BATCH = 128/'
  says "With 128: $(instructions 4) and $(instructions 5); now"
else
  made=' 1'
  together 2 "$two" 3 "$three"
  skip "$lesson, change 1" "its numbers are those of CUDA 13.0's PTX for compute capability 7.5"
fi

change 2
ran V=6 SIZE=64
ended 0
sanitized V=6 SIZE=64
answers 0 'Warning: Race reported'
answers 0 'with no __syncwarp() between'

change 3
ran V=7 SIZE=64
answers error '62 of 64 are wrong'
sanitized V=7 SIZE=64
answers error 'Undefined value of a shuffle: its lane reads from lane 0, which does not participate'
answers error 'Its mask names lane 0, which skips it'
